"""`welfarist ask`: put questions to a decision maker."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from welfarist.app.usage import UsageError
from welfarist.cli import options as opt
from welfarist.cli.console import say_notes, typed
from welfarist.cli.table_options import Table, of_a_table

EXAMPLE = "welfarist ask actions.csv --save answers.csv"

ActionsFile = Annotated[
    str, typer.Argument(help="Table of actions.", metavar="ACTIONS", show_default=False)
]
Save = Annotated[
    str,
    typer.Option(
        "--save",
        help="Where answers are kept (CSV), and gone on from.",
        metavar="FILE",
        show_default=False,
    ),
]
By = Annotated[
    str | None,
    typer.Option("--by", help="Who answers, if several do.", metavar="NAME", show_default=False),
]
Aim = Annotated[
    str,
    typer.Option(
        "--aim",
        help="What questions are for: rule, best, or the best of some actions.",
        metavar="AIM",
    ),
]
Designed = Annotated[
    Literal["no", "only", "too"],
    typer.Option("--designed", help="Whether outcomes are made up for questions."),
]
Most = Annotated[int, typer.Option("--max", help="Most questions.", metavar="NUMBER", min=1)]
Sure = Annotated[
    float,
    typer.Option(
        "--sure",
        help="How probable the best action must be, with an aim.",
        metavar="SHARE",
        min=0.0,
        max=1.0,
    ),
]
CheckEvery = Annotated[
    int,
    typer.Option(
        "--check-every",
        help="Put an earlier question again after so many, 2 or more (0: never).",
        metavar="NUMBER",
        min=0,
    ),
]


@of_a_table()
def ask(
    ctx: typer.Context,
    actions: ActionsFile,
    save: Save,
    by: By = None,
    aim: Aim = "rule",
    designed: Designed = "no",
    max: Most = 40,
    sure: Sure = 0.9,
    check_every: CheckEvery = 0,
    seed: opt.Seed = 0,
    shift: opt.Shift = 0.0,
    *,
    table: Table,
) -> None:
    """Put questions to a decision maker, and learn their rule."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "questions are put in a terminal; found input or output that is none. Run it in a "
            "terminal, or ask from Python: welfarist.Interview"
        )
    if check_every == 1 or not sure:
        raise UsageError(
            "{check_every} must be 0, or 2 or more; found 1."
            if check_every == 1
            else "{sure} must be above 0; found 0."
        )
    by = (by or "").strip() or None
    told = dict(aim=aim, designed=designed, max=max, sure=sure, check_every=check_every, seed=seed)
    told = {option: typed(ctx, option, value) for option, value in told.items()}
    from welfarist.app.asking import AskRequest, opened
    from welfarist.app.warned import heard
    from welfarist.cli.conversation import Conversation
    from welfarist.cli.keys import Keys

    request = AskRequest(actions, save, table, by, told, shift)
    with opened(request) as session, heard():
        say_notes(session.notes)
        with Keys() as keys:
            Conversation(session, keys).run()
