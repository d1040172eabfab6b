"""`welfarist plan`: how many decisions are needed."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from welfarist.app import values
from welfarist.cli import options as opt
from welfarist.cli.console import checked, print_json, print_table, say_notes, typed, working
from welfarist.cli.table_options import Table, of_a_table

EXAMPLE = "welfarist plan --people 5 --tau 10"

Task = Literal["logistic", "comparisons", "flip", "scores"]

ActionsFile = Annotated[
    str | None,
    typer.Argument(
        help="Actions like those to be decided about; left out, they are made up.",
        metavar="[ACTIONS]",
        show_default=False,
    ),
]
People = Annotated[
    int,
    typer.Option(
        "--people", help="Stakeholders, where actions are made up.", metavar="NUMBER", min=1
    ),
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
        "--error",
        help="Excess risk to guarantee, in the unit of the task.",
        metavar="NUMBER",
        callback=checked(values.positive),
    ),
]
Delta = Annotated[
    float,
    typer.Option(
        "--delta",
        help="How often that may fail.",
        metavar="NUMBER",
        callback=checked(values.between_0_and_1),
    ),
]
Known = Annotated[bool, typer.Option("--known-weights", help="Only p is to be learned.")]
Sizes = Annotated[
    str,
    typer.Option(
        "--decisions",
        help="Numbers of decisions to simulate.",
        metavar="NUMBER,…",
        callback=checked(values.sizes),
    ),
]
Repetitions = Annotated[
    int,
    typer.Option(
        "--repetitions",
        help="How often each number is simulated; 5 times with --deciders.",
        metavar="NUMBER",
        min=1,
    ),
]
Power = Annotated[
    str | None,
    typer.Option(
        "--p",
        help="The power taken for true, or a doctrine (-1; with --ask many).",
        metavar="P",
        show_default=False,
        callback=checked(values.power),
    ),
]
Letter = float | None
Tau = Annotated[
    Letter,
    typer.Option(
        "--tau",
        help="Temperature of logistic (10).",
        metavar="NUMBER",
        show_default=False,
        callback=checked(values.positive),
    ),
]
Rho = Annotated[
    Letter,
    typer.Option(
        "--rho",
        help="Share of slips of flip (0.1), and with --ask (0).",
        metavar="NUMBER",
        show_default=False,
        callback=checked(values.slip),
    ),
]
Nu = Annotated[
    Letter,
    typer.Option(
        "--nu",
        help="Noise of scores (0.1).",
        metavar="NUMBER",
        show_default=False,
        callback=checked(values.not_negative),
    ),
]
MenuSize = Annotated[
    int,
    typer.Option(
        "--menu-size",
        help="From how many actions is chosen; 2 are comparisons.",
        metavar="NUMBER",
        min=2,
    ),
]
Places = Annotated[
    int,
    typer.Option(
        "--places", help="How many actions of a menu are ranked.", metavar="NUMBER", min=1
    ),
]
Deciders = Annotated[
    int | None,
    typer.Option(
        "--deciders",
        help="How many decide, each by a rule of their own: how many choices a person are enough?",
        metavar="NUMBER",
        min=1,
        show_default=False,
    ),
]
Each = Annotated[
    str,
    typer.Option(
        "--each",
        help="Numbers of choices of each of the deciders.",
        metavar="NUMBER,…",
        callback=checked(values.sizes),
    ),
]
Spread = Annotated[
    float,
    typer.Option(
        "--spread",
        help="How much deciders differ: standard deviation of asinh p, and half of it of log "
        "weights and log tau.",
        metavar="NUMBER",
        callback=checked(values.positive),
    ),
]
Ask = Annotated[
    bool,
    typer.Option(
        "--ask",
        help="Somebody answers one question after the other, each chosen by the answers before: "
        "how many are enough, and how many that are drawn at random?",
    ),
]
Questions = Annotated[
    str | None,
    typer.Option(
        "--questions",
        help="Numbers of questions to simulate with --ask (5 to 40 that are chosen, 20 to 200 at "
        "random).",
        metavar="NUMBER,…",
        show_default=False,
        callback=checked(values.sizes),
    ),
]
Accuracy = Annotated[
    float,
    typer.Option(
        "--accuracy",
        help="Share of new choices to foresee, with --ask.",
        metavar="NUMBER",
        callback=checked(values.between_0_and_1),
    ),
]
Jobs = Annotated[
    int, typer.Option("--jobs", help="Processes that share the work.", metavar="NUMBER", min=1)
]


@of_a_table()
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
    menu_size: MenuSize = 2,
    places: Places = 1,
    deciders: Deciders = None,
    each: Each = "1,2,5,10,20,40",
    spread: Spread = 1.0,
    ask: Ask = False,
    questions: Questions = None,
    accuracy: Accuracy = 0.95,
    seed: opt.Seed = 0,
    jobs: Jobs = 1,
    json: opt.Json = False,
    shift: opt.Shift = 0.0,
    *,
    table: Table,
) -> None:
    """Say how many decisions are needed to learn a rule."""
    from welfarist.app import panels, planning, questioning

    asked = planning.PlanRequest(
        actions=actions, model=model, people=typed(ctx, "people", people), task=task, error=error,
        delta=delta, known_weights=known_weights, decisions=decisions,
        repetitions=typed(ctx, "repetitions", repetitions),
        p=p, tau=tau, rho=rho, nu=nu, menu_size=typed(ctx, "menu_size", menu_size),
        places=places, seed=seed, jobs=jobs, shift=shift, deciders=deciders,
        each=typed(ctx, "each", each), spread=typed(ctx, "spread", spread),
        ask=ask, questions=questions, accuracy=typed(ctx, "accuracy", accuracy),
        table=table,
    )  # fmt: skip
    found: planning.Plan | panels.PanelPlan | questioning.QuestionPlan
    with working():
        if ask:
            found = questioning.plan(asked)
        else:
            found = planning.plan(asked) if deciders is None else panels.plan(asked)
    say_notes(found.notes)
    if json:
        print_json(found.to_dict())
    else:
        print_table(found.table())
