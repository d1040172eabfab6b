"""`welfarist recommend`: say which action to take, how sure that is, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from welfarist.cli import options as opt
from welfarist.cli.console import answer, print_json, print_table, say, say_notes, working
from welfarist.cli.table_options import Table, of_a_table

EXAMPLE = "welfarist recommend new-actions.csv --model model.json --why"

Best = Annotated[
    int,
    typer.Option("--best", help="How likely each is among so many best.", metavar="NUMBER", min=1),
]
Model = Annotated[
    str,
    typer.Option(
        "--model",
        help="A model saved by welfarist fit --save --draws.",
        metavar="FILE",
        show_default=False,
    ),
]
Reasons = Annotated[
    bool, typer.Option("--why", help="Say why the first is better than the second.")
]
Against = Annotated[
    str | None,
    typer.Option("--against", help="Or than this action.", metavar="ACTION", show_default=False),
]
Questions = Annotated[
    int | None,
    typer.Option(
        "--questions",
        help="What so many further questions would be worth.",
        metavar="NUMBER",
        min=1,
        show_default=False,
    ),
]
Report = Annotated[
    str | None,
    typer.Option(
        "--report",
        help="Write a report in HTML, with reasons.",
        metavar="FILE",
        show_default=False,
    ),
]


@of_a_table(without="stakeholders")
def recommend(
    actions: opt.ActionsFile,
    model: Model,
    best: Best = 3,
    level: opt.Level = 0.95,
    top: opt.Top = None,
    why: Reasons = False,
    against: Against = None,
    questions: Questions = None,
    seed: opt.Seed = 0,
    report: Report = None,
    title: opt.Title = None,
    note: opt.Note = None,
    unit: opt.Unit = None,
    date: opt.Date = None,
    absent: opt.Absent = False,
    json: opt.Json = False,
    *,
    table: Table,
) -> None:
    """Say which action to take by a saved model, how sure that is, and why."""
    from welfarist.app import recommending
    from welfarist.app.pages import PageOptions

    table = replace(table, absent=absent)
    asked = recommending.RecommendRequest(
        actions, model, table, best, level, top, why, against, questions, seed, report,
        PageOptions(title, note, unit, date),
    )  # fmt: skip
    with working():
        found = recommending.recommend(asked)
        found.write()
    say_notes(found.notes)
    if report is not None:
        say(f"Report: {report}")
    if json:
        print_json(found.to_dict())
        return
    first, *others = found.tables()
    print_table(first)
    for part in others:
        answer("")
        print_table(part)
