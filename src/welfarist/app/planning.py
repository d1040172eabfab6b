"""How many decisions are needed to learn a rule: guaranteed, and in simulated studies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from welfarist import bounds, simulate
from welfarist.app.decisions import TableOptions
from welfarist.app.texts import power_of_text, sizes_of_text
from welfarist.app.usage import RequestError, UsageError
from welfarist.base.exports import Table, number
from welfarist.base.wording import listed
from welfarist.bounds import LearningCurve
from welfarist.bounds.learning_curves import MOST_SIMULATED
from welfarist.bounds.planning import described, theorem_of
from welfarist.families.rule import WelfareFunction
from welfarist.files import Actions, read_actions
from welfarist.results.saved_models import Model, load_model
from welfarist.simulate import World

Task = Literal["logistic", "comparisons", "flip", "scores"]
# The noise of a task if nothing is said.
_TYPICAL = {"logistic": ("tau", 10.0), "flip": ("rho", 0.1), "scores": ("nu", 0.1)}
# What the noise of a task is called in a sentence.
# What is simulated, and no part of a bound.
_NOT_OF_BOUND = ("nu", "tau", "menu_size", "places")
_IN_WORDS = {"tau": "temperature {:g}", "rho": "{:.0%} slips", "nu": "noise {:g} of the range"}
# The utilities of actions that are made up: a scale that people know from questionnaires.
_MADE_UP = (1.0, 10.0)
_HOW_MANY = 500
# Whose utilities they are, and the power taken for true, if nothing is said.
PEOPLE, POWER = 5, "-1"
# How often each number of decisions is simulated, if nothing is said.
REPETITIONS = 20
# From how many actions is chosen, if nothing is said: comparisons.
MENU_SIZE = 2
# So many studies say what happens in 19 of 20; fewer say only what happened.
_MANY = 20
# More decisions than this no study has: a guarantee that needs them is out of reach.
WITHIN_REACH = 1_000_000


@dataclass(frozen=True)
class PlanRequest:
    """What will be decided, and how well the rule is to be learned from it.

    Attributes
    ----------
    actions : str or None
        A file of actions like those to be decided about; None makes them up.
    model : str or None
        A file with the model of a pilot, which is taken for true.
    people : int or None
        Stakeholders, where actions are made up; None is `PEOPLE`.
    task : str
        What will be observed.
    error, delta : float
        The excess risk to guarantee, and how often that may fail.
    known_weights : bool
        Whether only p is to be learned.
    decisions : str
        Numbers of decisions to simulate.
    repetitions : int or None
        How often each number is simulated; None is `REPETITIONS`.
    p : str or None
        The power taken for true, or a doctrine; None is `POWER`.
    tau, rho, nu : float or None
        The noise of the task; None is the pilot's, or a typical one.
    menu_size : int or None
        From how many actions is chosen; None is 2, comparisons.
    places : int
        How many of them are ranked.
    seed, jobs : int
    table : TableOptions
        How the file of actions is read.
    shift : float
        What is added to every utility; a pilot has its own.
    deciders : int or None
        How many decide, each by a rule of their own; None is one, and `app.panels` plans for more.
    each : str or None
        Numbers of choices a decider.
    spread : float or None
        How much deciders differ: the standard deviation of asinh p.
    ask : bool
        Whether somebody is asked one question after the other, for which `app.questioning` plans.
    questions : str or None
        Numbers of questions.
    accuracy : float or None
        The share of new choices that is to be foreseen after them.
    """

    actions: str | None = None
    model: str | None = None
    people: int | None = None
    task: Task = "logistic"
    error: float = 0.05
    delta: float = 0.05
    known_weights: bool = False
    decisions: str = "100,300,1000"
    repetitions: int | None = None
    p: str | None = None
    tau: float | None = None
    rho: float | None = None
    nu: float | None = None
    menu_size: int | None = None
    places: int = 1
    seed: int = 0
    jobs: int = 1
    table: TableOptions = field(default_factory=TableOptions)
    shift: float = 0.0
    deciders: int | None = None
    each: str | None = None
    spread: float | None = None
    ask: bool = False
    questions: str | None = None
    accuracy: float | None = None


@dataclass(frozen=True)
class Plan:
    """What so many decisions teach.

    Attributes
    ----------
    curve : LearningCurve
        What simulated studies reach.
    world : World
        What was taken for true in them.
    error : float
        The excess risk that is guaranteed with so many decisions:
    needed : int
    notes : tuple of str
        What was guessed when the actions were read.
    """

    curve: LearningCurve
    world: World
    error: float
    needed: int
    notes: tuple[str, ...] = ()

    @property
    def within_reach(self) -> bool:
        """Whether a study can have as many decisions as the guarantee needs."""
        return self.needed <= WITHIN_REACH

    def usually(self, measure: str = "excess_risk") -> int | None:
        """Return from how many of the simulated decisions on the error is usually kept.

        None if it is not at the largest number. `measure` is ``"excess_risk"`` for the mean of the
        studies, ``"excess_risk_high"`` for nearly all of them.
        """
        enough = None
        for row in reversed(self.curve.rows):
            if row[measure] > self.error:
                break
            enough = int(row["n"])
        return enough

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        curve = self.curve
        return {
            "task": curve.task,
            "weights": curve.weights,
            "people": curve.d,
            "parameters": dict(curve.parameters),
            "repetitions": curve.repetitions,
            "usually": {
                "error": self.error,
                "decisions": self.usually(),
                "decisions_nearly_always": self.usually("excess_risk_high"),
            },
            "simulated": [
                {**row, "p_error_median": float(middle)}
                for row, middle in zip(curve.rows, self._middle_errors(), strict=True)
            ],
            "guarantee": {
                "error": self.error,
                "delta": curve.delta,
                "decisions": self.needed,
                "within_reach": self.within_reach,
                "about": "scores" if curve.task == "scores" else "pairs",
                "theorem": f"[PSPS24, {theorem_of(curve.task)}]",
            },
        }

    def table(self) -> Table:
        """What people read."""
        curve = self.curve
        rows = tuple(
            (
                f"{row['n']:,}",
                f"{row['accuracy']:.1%}",
                f"{row['accuracy_low']:.1%}",
                number(wrong),
                number(row["excess_risk"]),
            )
            for row, wrong in zip(curve.rows, self._middle_errors(), strict=True)
        )
        design = f"{curve.d} people, {curve.weights} weights, {self._asked()}"
        title = f"What usually happens: {design}"
        header = ("decisions", "decided alike", "at least", "p wrong by", "excess risk")
        return Table(title, header, rows, ("right",) * 5, self._lines())

    def _asked(self) -> str:
        """What is decided in the simulated studies."""
        told = self.curve.parameters
        if "menu_size" not in told:
            return described(self.curve.task)[0]
        size, places = int(told["menu_size"]), int(told["places"])
        if places > 1:
            return f"the first {places} of menus of {size}"
        return f"choices from menus of {size}"

    def _middle_errors(self) -> list[float]:
        """By how much p was typically wrong at each number of decisions."""
        wrong = self.curve.runs["p_error"]  # a few are infinite, or nearly
        return list(np.median(wrong, axis=1).tolist())

    def _lines(self) -> tuple[str, ...]:
        curve, told = self.curve, self.curve.parameters
        noise = [words.format(told[name]) for name, words in _IN_WORDS.items() if name in told]
        truth = "; ".join([f"p = {self.world.p:g}", *noise])
        low, high = self.world.utilities.min(), self.world.utilities.max()
        often = self._often()
        return (
            self._usual_line(),
            f"Means of {curve.repetitions} simulated studies, for p the median",
            f"truth: {truth}; utilities from {low:.3g} to {high:.3g}",
            "decided alike: share of noise-free choices that the learned rule decides as the "
            f"truth; at least: {often}",
            "excess risk: how much worse than the best rule, in the loss of the task",
            self._guarantee_line(),
        )

    def _often(self) -> str:
        """How often "nearly always" is, which few studies cannot tell."""
        return "in 19 of 20 studies" if self.curve.repetitions >= _MANY else "in nearly all of them"

    def _usual_line(self) -> str:
        kept = f"an excess risk of at most {self.error:g}"
        enough, nearly_always = self.usually(), self.usually("excess_risk_high")
        if enough is None:
            most = self.curve.n[-1]
            return (
                f"Usually more than {most:,} decisions are needed for {kept}: simulate larger "
                "numbers."
            )
        first = f"Usually {enough:,} decisions are enough for {kept}, in the mean of the studies"
        if nearly_always is None:
            return f"{first}; {self._often()} it takes more than {self.curve.n[-1]:,}."
        if nearly_always == enough:
            return f"{first} and {self._often()}."
        return f"{first}; {self._often()} {nearly_always:,} are."

    def _guarantee_line(self) -> str:
        curve = self.curve
        promise = (
            f"an excess risk of at most {self.error:g}, with probability {1 - curve.delta:g}, "
        )
        source = f"[PSPS24, {theorem_of(curve.task)}]"
        if "menu_size" in curve.parameters:
            return (
                f"No guarantee is known for choices from menus; between pairs {promise}is promised "
                f"from {self.needed:,} decisions on {source}."
            )
        if self.within_reach:
            return (
                f"Guaranteed whatever the actions are: {promise}from {self.needed:,} decisions on "
                f"{source}. Such numbers are for the worst case."
            )
        return (
            f"A guarantee is out of reach: {promise}is promised whatever the actions are only from "
            f"{self.needed:,} decisions on {source}, which no study has. That is for the worst "
            "actions one can think of: compare designs by it, and plan by what usually happens."
        )


def refuse_questions(asked: PlanRequest) -> None:
    """Require that nothing is said of questions where nobody is asked any."""
    for name in ("questions", "accuracy"):
        if getattr(asked, name) is not None:
            raise UsageError(f"{{{name}}} goes with {{ask}}. Add that, or leave it out.")


def plan(asked: PlanRequest) -> Plan:
    """Simulate studies, and work out what is guaranteed."""
    if asked.actions is not None and asked.people is not None:
        raise UsageError("{people} is for actions that are made up; found {actions}.")
    refuse_questions(asked)
    for name in ("each", "spread"):
        if getattr(asked, name) is not None:
            raise UsageError(
                f"{{{name}}} is of several {{deciders}}. Say how many, or leave it out."
            )
    menu_size = MENU_SIZE if asked.menu_size is None else asked.menu_size
    if asked.task == "scores" and (menu_size, asked.places) != (2, 1):
        raise UsageError("{menu_size} and {places} are for choices; found {task} scores.")
    sizes = sizes_of_text(asked.decisions)
    if max(sizes) > MOST_SIMULATED:
        raise UsageError(
            f"{{decisions}} must be at most {MOST_SIMULATED:,}; found {max(sizes):,}, which no "
            "simulation reaches."
        )
    pilot = None if asked.model is None else load_model(asked.model)
    world, notes = world_of(asked, pilot)
    curve = bounds.learning_curve(
        world,
        asked.task,
        n=sizes,
        weights="known" if asked.known_weights else "unknown",
        repetitions=REPETITIONS if asked.repetitions is None else asked.repetitions,
        delta=asked.delta,
        random_state=asked.seed,
        n_jobs=asked.jobs,
        menu_size=menu_size,
        places=asked.places,
        **_noise(asked, pilot),
    )
    notes += _about_pilot(asked, pilot)
    return Plan(curve, world, asked.error, _guaranteed(curve, asked.error), notes)


def _about_pilot(asked: PlanRequest, pilot: Model | None) -> tuple[str, ...]:
    """Say what a pilot of choices from menus has learned that the plan knows nothing of."""
    if pilot is None or pilot.kind != "choices":
        return ()
    notes = []
    if asked.menu_size is None and asked.task != "scores":
        notes.append(
            f"{asked.model}: it was learned from choices from menus, while comparisons of two "
            "actions are planned here; menu_size=… plans choices from menus of that size."
        )
    terms = {
        "none of these as a choice": pilot.outside is not None,
        "a temperature for each place of a ranking": len(pilot.taus) > 1,
        "an effect of how many people are affected": bool(pilot.gamma),
    }
    found = [what for what, is_there in terms.items() if is_there]
    if found:
        notes.append(f"{asked.model}: {listed(found)} plays no part in the plan.")
    return tuple(notes)


def world_of(
    asked: PlanRequest, pilot: Model | None, weights: Literal["random", "equal"] = "random"
) -> tuple[World, tuple[str, ...]]:
    """The world that is taken for true, a pilot's rule or a stated one, and what was guessed.

    `weights` are those of people who are made up.
    """
    if pilot is not None and asked.actions is None:
        raise UsageError("{model} needs {actions} to be decided about.")
    if pilot is not None and asked.shift:
        raise UsageError("{shift} goes with {p}: a model has its own.")
    if asked.actions is None and (asked.shift or asked.table != TableOptions()):
        raise UsageError("say which file: {shift} and how tables are read go with {actions}.")
    if asked.actions is not None:
        asked.table.check([asked.actions])
    if pilot is not None and asked.p is not None:
        raise UsageError("{p} and {model} both say which power is true: give one.")
    power = power_of_text(POWER if asked.p is None else asked.p)
    if asked.actions is None:
        low, high = _MADE_UP
        people = PEOPLE if asked.people is None else asked.people
        made = simulate.individuals(
            _HOW_MANY, people, p=power, weights=weights, u_min=low, u_max=high,
            random_state=asked.seed,
        )  # fmt: skip
        return made, ()
    if pilot is not None:
        names = pilot.welfare.stakeholders
        shift = pilot.welfare.shift
        assert names is not None
        options = {**asked.table.actions(), "stakeholders": list(names), "ignore": ()}
        options["absent"] = pilot.absent and not asked.table.drop_missing
        table = read_actions(asked.actions, least=-shift, **options)
        _refuse_absent(table)
        return World(table.utilities + shift, pilot.welfare.shifted(0.0)), table.notes
    table = read_actions(asked.actions, least=-asked.shift, **asked.table.actions())
    rule = WelfareFunction(power, None, list(table.stakeholders))
    return World(table.utilities + asked.shift, rule), table.notes


def _refuse_absent(table: Actions) -> None:
    """Require that actions affect everybody, though the pilot was learned from others as well."""
    gaps = np.isnan(table.utilities).any(axis=1)
    if gaps.any():
        raise RequestError(
            "{file}: a plan is for actions that affect everybody; found {count} of {all} that do "
            "not. To leave them out: {drop_missing:True}",
            file=table.file,
            count=int(gaps.sum()),
            all=len(table),
        )


def _noise(asked: PlanRequest, pilot: Model | None) -> dict[str, Any]:
    """The noise of the task: as given, as the pilot's, or a typical one."""
    letter, typical = _TYPICAL.get(asked.task, (None, None))
    given = {name: getattr(asked, name) for name in _IN_WORDS}
    foreign = [name for name, value in given.items() if value is not None and name != letter]
    if foreign:
        raise UsageError(f"{{{foreign[0]}}} is not the noise of {{task}} {asked.task}.")
    if letter is None:
        return {}
    learned = getattr(pilot, letter, None) if pilot is not None else None
    told = given[letter] if given[letter] is not None else learned
    return {letter: typical if told is None else told}


def _guaranteed(curve: LearningCurve, error: float) -> int:
    own = {name: value for name, value in curve.parameters.items() if name not in _NOT_OF_BOUND}
    return bounds.samples_needed(
        curve.task, error=error, d=curve.d, weights=curve.weights, delta=curve.delta, **own
    )
