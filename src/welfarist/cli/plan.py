"""`welfarist plan`: how many decisions are needed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import typer

from welfarist import bounds, simulate
from welfarist.bounds import LearningCurve
from welfarist.bounds.planning import described
from welfarist.cli import options as opt
from welfarist.cli import values
from welfarist.cli.console import print_json, print_table, was_given, working
from welfarist.exports import Table, number
from welfarist.files import read_actions
from welfarist.models import Model, load_model
from welfarist.simulate import World
from welfarist.welfare import WelfareFunction

EXAMPLE = "welfarist plan --people 5 --tau 10"

Task = Literal["logistic", "comparisons", "flip", "scores"]
# The noise of a task if nothing is said.
_TYPICAL = {"logistic": ("tau", 10.0), "flip": ("rho", 0.1), "scores": ("nu", 0.1)}
# What the noise of a task is called in a sentence.
_IN_WORDS = {"tau": "temperature {:g}", "rho": "{:.0%} slips", "nu": "noise {:g} of the range"}
# The utilities of actions that are made up: a scale that people know from questionnaires.
_MADE_UP = (1.0, 10.0)
# So many studies say what happens in 19 of 20; fewer say only what happened.
_MANY = 20

ActionsFile = Annotated[
    str | None,
    typer.Argument(
        help="Actions like those to be decided about; left out, they are made up.",
        metavar="[ACTIONS]",
        show_default=False,
    ),
]
People = Annotated[
    int, typer.Option(help="Stakeholders, where actions are made up.", metavar="NUMBER", min=1)
]
TaskName = Annotated[
    Task,
    typer.Option(
        "--task",
        help="What will be observed: choices with errors (logistic), without (comparisons), "
        "with slips (flip), or scores.",
    ),
]
Error = Annotated[
    float,
    typer.Option(
        help="Excess risk to guarantee, in the unit of the task.",
        metavar="NUMBER",
        callback=values.positive,
    ),
]
Delta = Annotated[
    float,
    typer.Option(
        help="How often that may fail.", metavar="NUMBER", callback=values.between_0_and_1
    ),
]
Known = Annotated[bool, typer.Option("--known-weights", help="Only p is to be learned.")]
Sizes = Annotated[
    str,
    typer.Option(
        "--decisions",
        help="Numbers of decisions to simulate.",
        metavar="NUMBER,…",
        callback=values.sizes,
    ),
]
Repetitions = Annotated[
    int, typer.Option(help="How often each number is simulated.", metavar="NUMBER", min=1)
]
Power = Annotated[
    str | None,
    typer.Option(
        "--p",
        help="The power taken for true, or a doctrine (-1).",
        metavar="P",
        show_default=False,
        callback=values.power,
    ),
]
Letter = float | None
Tau = Annotated[
    Letter,
    typer.Option(
        help="Temperature of logistic (10).",
        metavar="NUMBER",
        show_default=False,
        callback=values.positive,
    ),
]
Rho = Annotated[
    Letter,
    typer.Option(
        help="Share of slips of flip (0.1).",
        metavar="NUMBER",
        show_default=False,
        callback=values.slip,
    ),
]
Nu = Annotated[
    Letter,
    typer.Option(
        help="Noise of scores (0.1).",
        metavar="NUMBER",
        show_default=False,
        callback=values.not_negative,
    ),
]
Jobs = Annotated[int, typer.Option(help="Processes that share the work.", metavar="NUMBER", min=1)]


def plan(
    ctx: typer.Context,
    actions: ActionsFile = None,
    model: opt.ModelFile = None,
    people: People = 5,
    task: TaskName = "logistic",
    error: Error = 0.05,
    delta: Delta = 0.05,
    known_weights: Known = False,
    decisions: Sizes = "100,300,1000",
    repetitions: Repetitions = 20,
    p: Power = None,
    tau: Tau = None,
    rho: Rho = None,
    nu: Nu = None,
    seed: opt.Seed = 0,
    jobs: Jobs = 1,
    json: opt.Json = False,
) -> None:
    """Say how many decisions are needed to learn a rule."""
    if actions is not None and was_given(ctx, "people"):
        raise typer.BadParameter("--people is for actions that are made up; found ACTIONS.")
    pilot = None if model is None else load_model(model)
    world = _world(actions, pilot, people, p, seed)
    noise = _noise(task, pilot, {"tau": tau, "rho": rho, "nu": nu})
    with working():
        curve = bounds.learning_curve(
            world,
            task,
            n=values.sizes_of_text(decisions),
            weights="known" if known_weights else "unknown",
            repetitions=repetitions,
            delta=delta,
            random_state=seed,
            n_jobs=jobs,
            **noise,
        )
        needed = _guaranteed(curve, error)
    if json:
        print_json(_record(curve, error, needed))
    else:
        print_table(_table(curve, error, needed, world))


def _world(
    actions: str | None, pilot: Model | None, people: int, p: str | None, seed: int
) -> World:
    """The world that is taken for true: a pilot's rule, or a stated one."""
    if pilot is not None and actions is None:
        raise typer.BadParameter("--model needs ACTIONS to be decided about.")
    if pilot is not None and p is not None:
        raise typer.BadParameter("--p and --model both say which power is true: give one.")
    power = values.power_of_text("-1" if p is None else p)
    assert power is not None
    if actions is None:
        low, high = _MADE_UP
        return simulate.individuals(500, people, p=power, u_min=low, u_max=high, random_state=seed)
    if pilot is not None:
        names = pilot.welfare.stakeholders
        table = read_actions(actions, stakeholders=None if names is None else list(names))
        return World(table.utilities, pilot.welfare)
    table = read_actions(actions)
    return World(table.utilities, WelfareFunction(power, None, list(table.stakeholders)))


def _noise(task: str, pilot: Model | None, given: dict[str, float | None]) -> dict[str, Any]:
    """The noise of the task: as given, as the pilot's, or a typical one."""
    letter, typical = _TYPICAL.get(task, (None, None))
    foreign = [name for name, value in given.items() if value is not None and name != letter]
    if foreign:
        raise typer.BadParameter(f"--{foreign[0]} is not the noise of --task {task}.")
    if letter is None:
        return {}
    learned = getattr(pilot, letter, None) if pilot is not None else None
    told = given[letter] if given[letter] is not None else learned
    return {letter: typical if told is None else told}


def _guaranteed(curve: LearningCurve, error: float) -> int:
    own = {name: value for name, value in curve.parameters.items() if name not in ("nu", "tau")}
    return bounds.samples_needed(
        curve.task, error=error, d=curve.d, weights=curve.weights, delta=curve.delta, **own
    )


def _record(curve: LearningCurve, error: float, needed: int) -> dict[str, Any]:
    return {
        "task": curve.task,
        "weights": curve.weights,
        "people": curve.d,
        "parameters": dict(curve.parameters),
        "guarantee": {"error": error, "delta": curve.delta, "decisions": needed},
        "repetitions": curve.repetitions,
        "simulated": [
            {**row, "p_error_median": float(middle)}
            for row, middle in zip(curve.rows, _middle_errors(curve), strict=True)
        ],
    }


def _middle_errors(curve: LearningCurve) -> list[float]:
    """By how much p was typically wrong at each number of decisions."""
    return list(np.median(curve.runs["p_error"], axis=1).tolist())  # a few are infinite, or nearly


def _table(curve: LearningCurve, error: float, needed: int, world: World) -> Table:
    rows = tuple(
        (
            f"{row['n']:,}",
            f"{row['accuracy']:.1%}",
            f"{row['accuracy_low']:.1%}",
            number(wrong),
            number(row["excess_risk"]),
        )
        for row, wrong in zip(curve.rows, _middle_errors(curve), strict=True)
    )
    noise = [
        _IN_WORDS[name].format(curve.parameters[name])
        for name in _IN_WORDS
        if name in curve.parameters
    ]
    low, high = world.utilities.min(), world.utilities.max()
    often = "in 19 of 20 studies" if curve.repetitions >= _MANY else "in nearly all of them"
    lines = (
        f"Means of {curve.repetitions} simulated studies, for p the median",
        f"truth: {'; '.join([f'p = {world.p:g}', *noise])}; utilities from {low:.3g} to {high:.3g}",
        "decided alike: share of noise-free choices that the learned rule decides as the truth; "
        f"at least: {often}",
        "excess risk: how much worse than the best rule, in the loss of the task",
        f"Guaranteed whatever the actions are: an excess risk of at most {error:g}, with "
        f"probability {1 - curve.delta:g}, from {needed:,} decisions on. Such numbers are for the "
        "worst case.",
    )
    title = f"{curve.d} people, {curve.weights} weights, {described(curve.task)[0]}"
    header = ("decisions", "decided alike", "at least", "p wrong by", "excess risk")
    return Table(title, header, rows, ("right",) * 5, lines)
