"""`welfarist rank`: put actions in order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from welfarist.cli import options as opt
from welfarist.cli.console import print_json, print_table, say_notes, working
from welfarist.cli.table_options import Table, of_a_table

EXAMPLE = "welfarist rank new-actions.csv --model model.json"


@of_a_table()
def rank(
    actions: opt.ActionsFile,
    model: opt.ModelFile = None,
    doctrine: opt.Doctrine = None,
    p: opt.RulePower = None,
    weights: opt.RuleWeights = None,
    shift: opt.RuleShift = None,
    who: opt.Who = None,
    top: opt.Top = None,
    absent: opt.Absent = False,
    json: opt.Json = False,
    *,
    table: Table,
) -> None:
    """Put actions in order by a saved model or a doctrine."""
    from welfarist.app import opinions, ranking
    from welfarist.app.opinions import Opinions, judged_by
    from welfarist.app.rules import RuleRequest

    table = replace(table, absent=absent)
    asked = RuleRequest(actions, table, model, doctrine, p, weights, shift)
    by = judged_by(asked, who)
    say_notes(by.notes)
    with working():
        found: Any = opinions.rank(by, top) if isinstance(by, Opinions) else ranking.rank(by, top)
    if json:
        print_json(found.to_dict())
    else:
        print_table(found.table())
