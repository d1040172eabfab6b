"""A decision between two actions by a rule, and why it falls as it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from welfarist.app.rules import Rule, about_sizes, percentage, terms_of
from welfarist.base.errors import InputError
from welfarist.base.exports import Table, number
from welfarist.files import Actions
from welfarist.files.cells import nearest


@dataclass(frozen=True)
class Judgement:
    """What a rule says of two actions.

    Attributes
    ----------
    rule : Rule
    preferred : str or None
        The better action; None if they are equal.
    probability_first : float or None
        How likely a decision maker who errs chooses the first; None without a noise model.
    actions : tuple of dict
        Of both: action, welfare, everybody's utilities (None if absent) and shares (None where
        they mean nothing). Where a size effect was learned: how many people are affected, and
        worth, which decides. Where none of these could be chosen: whether it is better.
    """

    rule: Rule
    preferred: str | None
    probability_first: float | None
    actions: tuple[dict[str, Any], dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        return {
            "rule": self.rule.name,
            "p": self.rule.model.welfare.p,
            **terms_of(self.rule),
            "preferred": self.preferred,
            "probability_first": self.probability_first,
            "actions": list(self.actions),
            "notes": list(self.rule.notes),
        }

    def table(self) -> Table:
        """What people read."""
        first, second = self.actions
        rows = [("welfare", number(first["welfare"]), "", number(second["welfare"]), "")]
        if self.rule.model.gamma:
            affected = (str(action["affected"]) for action in self.actions)
            worth = (number(action["worth"]) for action in self.actions)
            rows += [
                ("people affected", next(affected), "", next(affected), ""),
                ("worth", next(worth), "", next(worth), ""),
            ]
        for person in self.rule.actions.stakeholders:
            cells = [person]
            for action in self.actions:
                cells += [_shown(action["utilities"][person]), percentage(action["shares"][person])]
            rows.append(tuple(cells))  # type: ignore[arg-type]
        return Table(
            f"By {self.rule.name}",
            ("", first["action"], "share", second["action"], "share"),
            tuple(rows),
            ("left", "right", "right", "right", "right"),
            tuple(self._lines()),
        )

    def _lines(self) -> list[str]:
        neither = self.preferred is None
        lines = ["Neither is preferred." if neither else f"Preferred: {self.preferred}."]
        if self.probability_first is not None:
            lines.append(
                f"A decision maker who errs as before chooses {self.actions[0]['action']} "
                f"{self.probability_first:.1%} of the time."
            )
        if self.rule.model.outside is not None:
            better = [str(a["action"]) for a in self.actions if a["better_than_none"]]
            which = {0: "neither is better", 2: "both are better"}.get(
                len(better), f"{better[0]} alone is better" if better else ""
            )
            level = number(self.rule.model.outside)
            lines.append(f"None of these is as good as a welfare of {level}: {which}.")
        if self.rule.model.gamma:
            lines.append(about_sizes(self.rule.model.gamma, "worth, which decides:"))
        groups = self.rule.by_group
        whose = "group" if groups else "stakeholder"
        lines.append(f"share: how much of a change in welfare comes from that {whose}")
        if groups:
            lines.append("beside a group: what its people have, as a mean by this rule")
        return lines


def judge(rule: Rule, first: str, second: str) -> Judgement:
    """Decide between two of the rule's actions, by their names."""
    rows = [row_of(rule.actions, action) for action in (first, second)]
    utilities = rule.utilities(rows)
    names = [rule.actions.labels[row] for row in rows]
    order = int(rule.compare(rows[:1], rows[1:])[0])
    people = rule.actions.stakeholders
    values, shares = rule.judge(rule.actions.utilities[rows]), rule.shares(rows)
    one, other = (
        {
            "action": names[i],
            "welfare": float(values[i]),
            "utilities": dict(zip(people, map(_present, utilities[i].tolist()), strict=True)),
            "shares": rule.by_person(shares[i].tolist()),
            **_beside(rule, rows[i]),
        }
        for i in (0, 1)
    )
    chance = rule.probabilities([rows[0]], [rows[1]])[0]
    return Judgement(rule, {1: names[0], -1: names[1], 0: None}[order], chance, (one, other))


def _beside(rule: Rule, row: int) -> dict[str, Any]:
    """What decides beside the welfare of an action; nothing where that is all."""
    found: dict[str, Any] = {}
    affected, better = rule.affected([row]), rule.better_than_none([row])
    if affected is not None:
        found |= {"affected": int(affected[0]), "worth": float(rule.sized([row])[0])}
    return found if better is None else found | {"better_than_none": bool(better[0])}


def _present(utility: float) -> float | None:
    """A utility; None of somebody who is not affected."""
    return None if utility != utility else utility


def _shown(utility: float | None) -> str:
    return "" if utility is None else f"{utility:g}"


def row_of(actions: Actions, action: str) -> int:
    """The row of an action, by its name."""
    found = actions.labels.index_of(action)
    if found is not None:
        return int(found)
    near = nearest(action, actions.names)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "check the spelling."
    raise InputError(f"{actions.file}: there is no action {action!r}; {hint}")
