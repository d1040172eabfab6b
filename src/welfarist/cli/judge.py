"""`welfarist judge`: decide between two actions."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from welfarist.cli import options as opt
from welfarist.cli.console import print_json, print_table, say_notes, working
from welfarist.cli.table_options import Table, of_a_table

EXAMPLE = "welfarist judge actions.csv shelter pantry --doctrine Nash"

One = Annotated[str, typer.Argument(help="Name of an action.", metavar="A", show_default=False)]
Another = Annotated[str, typer.Argument(help="Name of another.", metavar="B", show_default=False)]


@of_a_table()
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
    *,
    table: Table,
) -> None:
    """Decide between two actions, and say why."""
    from welfarist.app import judging, opinions
    from welfarist.app.opinions import Opinions, judged_by
    from welfarist.app.rules import RuleRequest

    table = replace(table, absent=absent)
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
