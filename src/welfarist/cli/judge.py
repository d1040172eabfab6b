"""`welfarist judge`: decide between two actions."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from welfarist.cli import options as opt
from welfarist.cli.console import print_json, print_table, say_notes, working

EXAMPLE = "welfarist judge actions.csv shelter pantry --doctrine Nash"

One = Annotated[str, typer.Argument(help="Name of an action.", metavar="A", show_default=False)]
Another = Annotated[str, typer.Argument(help="Name of another.", metavar="B", show_default=False)]


def judge(
    actions: opt.ActionsFile,
    a: One,
    b: Another,
    model: opt.ModelFile = None,
    doctrine: opt.Doctrine = None,
    p: opt.RulePower = None,
    weights: opt.RuleWeights = None,
    shift: opt.RuleShift = None,
    who: opt.Who = None,
    absent: opt.Absent = False,
    json: opt.Json = False,
    name: opt.Name = None,
    numbered: opt.Numbered = False,
    stakeholders: opt.Stakeholders = None,
    ignore: opt.Ignore = None,
    separator: opt.Separator = None,
    decimal: opt.Decimal = None,
    sheet: opt.Sheet = None,
    encoding: opt.Encoding = None,
    drop_missing: opt.DropMissing = False,
) -> None:
    """Decide between two actions, and say why."""
    from welfarist.app import judging, opinions
    from welfarist.app.decisions import TableOptions
    from welfarist.app.opinions import Opinions, judged_by
    from welfarist.app.rules import RuleRequest

    table = TableOptions(
        name,
        numbered,
        stakeholders,
        ignore,
        separator,
        decimal,
        sheet,
        encoding,
        drop_missing,
        absent,
    )
    asked = RuleRequest(actions, table, model, doctrine, p, weights, shift)
    by = judged_by(asked, who)
    say_notes(by.notes)
    with working():
        found: Any = (
            opinions.judge(by, a, b) if isinstance(by, Opinions) else judging.judge(by, a, b)
        )
    if json:
        print_json(found.to_dict())
    else:
        print_table(found.table())
