"""`welfarist sketch`: any number of people in one small file."""

from __future__ import annotations

from typing import Annotated

import typer

from welfarist.cli import options as opt
from welfarist.cli.console import print_json, print_table, say, say_notes, working

EXAMPLE = "welfarist sketch people/ --groups region --out people.sketch"

PeopleFiles = Annotated[
    str,
    typer.Argument(
        help="People, a row each and a column an action: a Parquet file, a folder of them, or a "
        "table.",
        metavar="PEOPLE",
        show_default=False,
    ),
]
Out = Annotated[
    str, typer.Option("--out", help="The file to write.", metavar="FILE", show_default=False)
]
GroupsColumn = Annotated[
    str | None,
    typer.Option(
        "--groups",
        help="Column of the group each belongs to (all are one).",
        metavar="COLUMN",
        show_default=False,
    ),
]
Counts = Annotated[
    str | None,
    typer.Option(
        "--counts",
        help="Column of how many people a row stands for: survey weights or head counts.",
        metavar="COLUMN",
        show_default=False,
    ),
]
ActionColumns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        help="Columns of the actions (all others with numbers).",
        metavar="COLUMN,…",
        show_default=False,
    ),
]
LongPeople = Annotated[
    bool, typer.Option("--long", help="Each row is one person in one action.", show_default=False)
]
ActionColumn = Annotated[
    str | None,
    typer.Option(
        "--action",
        help="Column of the action, with --long (action).",
        metavar="COLUMN",
        show_default=False,
    ),
]
UtilityColumn = Annotated[
    str | None,
    typer.Option(
        "--utility",
        help="Column of the utility, with --long (utility).",
        metavar="COLUMN",
        show_default=False,
    ),
]


def sketch(
    people: PeopleFiles,
    out: Out,
    groups: GroupsColumn = None,
    counts: Counts = None,
    columns: ActionColumns = None,
    ignore: opt.Ignore = None,
    long: LongPeople = False,
    action: ActionColumn = None,
    utility: UtilityColumn = None,
    json: opt.Json = False,
    separator: opt.Separator = None,
    decimal: opt.Decimal = None,
    sheet: opt.Sheet = None,
    encoding: opt.Encoding = None,
    drop_missing: opt.DropMissing = False,
) -> None:
    """Put any number of people into one small file, to learn from."""
    from welfarist.app import sketching
    from welfarist.app.decisions import TableOptions

    table = TableOptions(
        separator=separator, decimal=decimal, sheet=sheet, encoding=encoding,
        drop_missing=drop_missing,
    )  # fmt: skip
    asked = sketching.SketchRequest(
        people, out, groups, counts, columns, ignore, long, action, utility, table
    )
    with working():
        found = sketching.sketch(asked)
        found.write()
    say_notes(found.notes)
    say(f"Sketch: {out}")
    if json:
        print_json(found.to_dict())
    else:
        print_table(found.table())
