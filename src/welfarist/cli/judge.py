"""`welfarist judge`: decide between two actions."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from welfarist.cli import options as opt
from welfarist.cli.console import print_json, print_table, say_notes, working
from welfarist.cli.decisions import TableOptions
from welfarist.cli.rules import Rule, rule_of
from welfarist.errors import InputError
from welfarist.exports import Table, number
from welfarist.files import Actions
from welfarist.files.cells import nearest

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
    json: opt.Json = False,
    name: opt.Name = None,
    numbered: opt.Numbered = False,
    stakeholders: opt.Stakeholders = None,
    ignore: opt.Ignore = None,
    separator: opt.Separator = None,
    decimal: opt.Decimal = None,
    sheet: opt.Sheet = None,
) -> None:
    """Decide between two actions, and say why."""
    table = TableOptions(name, numbered, stakeholders, ignore, separator, decimal, sheet)
    rule = rule_of(actions, table, model, doctrine, p, weights)
    say_notes(rule.notes)
    rows = [_row(rule.actions, action) for action in (a, b)]
    with working():
        record = _judged(rule, rows)
    if json:
        print_json({**record, "notes": list(rule.notes)})
    else:
        print_table(_table(rule, record))


def _row(actions: Actions, action: str) -> int:
    found = actions.labels.index_of(action)
    if found is not None:
        return int(found)
    near = nearest(action, actions.names)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "check the spelling."
    raise InputError(f"{actions.file}: there is no action {action!r}; {hint}")


def _judged(rule: Rule, rows: list[int]) -> dict[str, Any]:
    """What the rule says of both."""
    welfare, utilities = rule.model.welfare, rule.actions.utilities[rows]
    names = [rule.actions.labels[row] for row in rows]
    order = int(welfare.compare(utilities[0], utilities[1]))
    chance = rule.probabilities([rows[0]], [rows[1]])[0]
    people = rule.actions.stakeholders
    values, shares = welfare(utilities), welfare.shares(utilities)
    return {
        "rule": rule.name,
        "p": welfare.p,
        "preferred": {1: names[0], -1: names[1], 0: None}[order],
        "probability_first": chance,
        "actions": [
            {
                "action": names[i],
                "welfare": float(values[i]),
                "utilities": dict(zip(people, utilities[i].tolist(), strict=True)),
                "shares": dict(zip(people, shares[i].tolist(), strict=True)),
            }
            for i in (0, 1)
        ],
    }


def _table(rule: Rule, record: dict[str, Any]) -> Table:
    first, second = record["actions"]
    rows = [("welfare", number(first["welfare"]), "", number(second["welfare"]), "")]
    for person in rule.actions.stakeholders:
        cells = [person]
        for action in (first, second):
            cells += [f"{action['utilities'][person]:g}", f"{action['shares'][person]:.0%}"]
        rows.append(tuple(cells))  # type: ignore[arg-type]
    preferred, chance = record["preferred"], record["probability_first"]
    lines = ["Neither is preferred." if preferred is None else f"Preferred: {preferred}."]
    if chance is not None:
        lines.append(f"A decision maker who errs as before chooses {first['action']} {chance:.1%}")
        lines[-1] += " of the time."
    lines.append("share: how much of a change in welfare comes from that stakeholder")
    return Table(
        f"By {rule.name}",
        ("", first["action"], "share", second["action"], "share"),
        tuple(rows),
        ("left", "right", "right", "right", "right"),
        tuple(lines),
    )
