"""`welfarist rank`: put actions in order."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from welfarist.cli import options as opt
from welfarist.cli.console import print_json, print_table, say_notes, working
from welfarist.cli.decisions import TableOptions
from welfarist.cli.rules import Rule, rule_of
from welfarist.exports import Table, number

EXAMPLE = "welfarist rank new-actions.csv --model model.json"

# With more people than this a table for a terminal shows nobody's share.
_MOST_SHARES = 6

Top = Annotated[
    int | None,
    typer.Option(help="Show the best only.", metavar="NUMBER", min=1, show_default=False),
]


def rank(
    actions: opt.ActionsFile,
    model: opt.ModelFile = None,
    doctrine: opt.Doctrine = None,
    p: opt.RulePower = None,
    weights: opt.RuleWeights = None,
    top: Top = None,
    json: opt.Json = False,
    name: opt.Name = None,
    numbered: opt.Numbered = False,
    stakeholders: opt.Stakeholders = None,
    ignore: opt.Ignore = None,
    separator: opt.Separator = None,
    decimal: opt.Decimal = None,
    sheet: opt.Sheet = None,
) -> None:
    """Put actions in order by a saved model or a doctrine."""
    table = TableOptions(name, numbered, stakeholders, ignore, separator, decimal, sheet)
    rule = rule_of(actions, table, model, doctrine, p, weights)
    say_notes(rule.notes)
    with working():
        rows = ranked(rule, top)
    if json:
        record = {"rule": rule.name, "p": rule.model.welfare.p, "actions": rows}
        print_json({**record, "notes": list(rule.notes)})
    else:
        print_table(_table(rule, rows))


def ranked(rule: Rule, top: int | None) -> list[dict[str, Any]]:
    """One record per action, best first, with what it is worth and why."""
    welfare, utilities = rule.model.welfare, rule.actions.utilities
    order = welfare.rank(utilities)
    values = welfare(utilities)
    better, worse = order[:-1], order[1:]
    tied = np.asarray(welfare.compare(utilities[better], utilities[worse])) == 0
    places = np.concatenate([[0], np.cumsum(~tied)])
    first_of = np.searchsorted(places, places) + 1  # equals share the best place among them
    chances = [*rule.probabilities(better, worse), None]
    shown = order[:top]
    shares = welfare.shares(utilities[shown])
    people = rule.actions.stakeholders
    scale = rule.model.scale
    return [
        {
            "place": int(first_of[i]),
            "action": rule.actions.labels[int(row)],
            "welfare": float(values[row]),
            **({} if scale is None else {"score": float(scale * values[row])}),
            "preferred_to_next": chances[i],
            "shares": dict(zip(people, shares[i].tolist(), strict=True)),
        }
        for i, row in enumerate(shown)
    ]


def _table(rule: Rule, rows: list[dict[str, Any]]) -> Table:
    people = rule.actions.stakeholders
    few = len(people) <= _MOST_SHARES
    chances = any(row["preferred_to_next"] is not None for row in rows)
    scored = "score" in rows[0]
    header = ["", "action", "welfare"] + ["score"] * scored + ["beats next"] * chances
    header += [f"share of {person}" for person in people] if few else []
    cells = []
    for row in rows:
        line = [str(row["place"]), row["action"], number(row["welfare"])]
        line += [number(row["score"])] if scored else []
        chance = row["preferred_to_next"]
        line += ["" if chance is None else f"{chance:.0%}"] if chances else []
        line += [f"{share:.0%}" for share in row["shares"].values()] if few else []
        cells.append(tuple(line))
    sides = ("right", "left", *("right",) * (len(header) - 2))
    lines = ["beats next: how likely it is preferred to the one below"] * chances
    lines += ["share: how much of a change in welfare comes from that stakeholder"] * few
    title = f"{len(rule.actions)} actions by {rule.name}"
    return Table(title, tuple(header), tuple(cells), sides, tuple(lines))  # type: ignore[arg-type]
