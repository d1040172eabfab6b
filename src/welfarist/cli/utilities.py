"""`welfarist utilities`: from what stakeholders answered to their utilities."""

from __future__ import annotations

from typing import Annotated

import typer

from welfarist.cli import options as opt
from welfarist.cli.console import print_json, print_table, say, working

EXAMPLE = "welfarist utilities features.csv answers.csv --save people.json"

FeaturesFile = Annotated[
    str,
    typer.Argument(
        help="Actions, a row each: a name, then a column a feature.",
        metavar="FEATURES",
        show_default=False,
    ),
]
AnswersFile = Annotated[
    str,
    typer.Argument(
        help="Answers, a row each: stakeholder, first, second, choice; or stakeholder, action, "
        "rating; or stakeholder, ranking, action, rank.",
        metavar="ANSWERS",
        show_default=False,
    ),
]
Save = Annotated[
    str,
    typer.Option(
        "--save",
        help="The file to write, which stands for ACTIONS in fit.",
        metavar="FILE",
        show_default=False,
    ),
]
Anchor = Annotated[
    str | None,
    typer.Option(
        "--anchor",
        help="Utilities of everybody's worst and best action (exponentials of logits).",
        metavar="WORST,BEST",
        show_default=False,
    ),
]
Alone = Annotated[
    bool, typer.Option("--alone", help="Learn each from their own answers, not drawn towards all.")
]
PlainTable = Annotated[
    str | None,
    typer.Option(
        "--table",
        help="Also write the best guess as a table (CSV), without errors.",
        metavar="FILE",
        show_default=False,
    ),
]


def utilities(
    features: FeaturesFile,
    answers: AnswersFile,
    save: Save,
    anchor: Anchor = None,
    alone: Alone = False,
    table: PlainTable = None,
    json: opt.Json = False,
    name: opt.Name = None,
    ignore: opt.Ignore = None,
    drop_missing: opt.DropMissing = False,
    separator: opt.Separator = None,
    decimal: opt.Decimal = None,
    sheet: opt.Sheet = None,
    encoding: opt.Encoding = None,
) -> None:
    """Learn everybody's utilities from what they answered."""
    from welfarist.app.decisions import TableOptions
    from welfarist.app.utilities import UtilitiesRequest
    from welfarist.app.utilities import utilities as learned

    reading = TableOptions(
        name=name, ignore=ignore, separator=separator, decimal=decimal, sheet=sheet,
        encoding=encoding, drop_missing=drop_missing,
    )  # fmt: skip
    with working():
        asked = UtilitiesRequest(features, answers, save, anchor, alone, table, reading)
        found = learned(asked)
        found.write()
    for note in found.notes:
        say(f"Note: {note}")
    say(f"People: {save}")
    if table is not None:
        say(f"Table: {table}")
    if json:
        print_json(found.to_dict())
    else:
        print_table(found.table())
