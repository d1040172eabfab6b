"""`welfarist rank`: put actions in order."""

from __future__ import annotations

from typing import Any

from welfarist.cli import options as opt
from welfarist.cli.console import print_json, print_table, say_notes, working

EXAMPLE = "welfarist rank new-actions.csv --model model.json"


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
    """Put actions in order by a saved model or a doctrine."""
    from welfarist.app import opinions, ranking
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
        found: Any = opinions.rank(by, top) if isinstance(by, Opinions) else ranking.rank(by, top)
    if json:
        print_json(found.to_dict())
    else:
        print_table(found.table())
