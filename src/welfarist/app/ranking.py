"""Actions put in order by a rule, with what each is worth and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.app.rules import Rule, percentage
from welfarist.base.exports import Table, number

# With more people than this a table shows nobody's share.
_MOST_SHARES = 6


@dataclass(frozen=True)
class Ranking:
    """Actions in order.

    Attributes
    ----------
    rule : Rule
    rows : list of dict
        One per action, best first: place, action, welfare, perhaps score, how likely it is
        preferred to the next, and everybody's share, None where it means nothing.
    """

    rule: Rule
    rows: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        return {
            "rule": self.rule.name,
            "p": self.rule.model.welfare.p,
            "actions": self.rows,
            "notes": list(self.rule.notes),
        }

    def table(self) -> Table:
        """What people read; columns in which nothing would stand are left out."""
        people = self.rule.actions.stakeholders
        few, many = len(people) <= _MOST_SHARES, len(self.rule.actions) != 1
        chances = any(row["preferred_to_next"] is not None for row in self.rows)
        scored = self.rule.model.scale is not None
        header = ["", "action", "welfare"] + ["score"] * scored + ["beats next"] * chances
        header += [f"share of {person}" for person in people] if few else []
        lines = ["beats next: how likely it is preferred to the one below"] * chances
        lines += ["share: how much of a change in welfare comes from that stakeholder"] * few
        return Table(
            f"{len(self.rule.actions)} action{'s' * many} by {self.rule.name}",
            tuple(header),
            tuple(_cells(row, scored, chances, few) for row in self.rows),
            ("right", "left", *("right",) * (len(header) - 2)),  # type: ignore[arg-type]
            tuple(lines),
        )


def rank(rule: Rule, top: int | None = None) -> Ranking:
    """Put the rule's actions in order; `top` keeps the best only."""
    welfare, utilities = rule.model.welfare, rule.actions.utilities
    order = welfare.rank(utilities)
    values = welfare(utilities)
    tied, chances = _beside_the_next(rule, order) if len(order) > 1 else (np.empty(0, bool), [])
    places = np.concatenate([[0], np.cumsum(~tied)])
    first_of = np.searchsorted(places, places) + 1  # equals share the best place among them
    chances = [*chances, None]
    shown = order[:top]
    shares = rule.shares(shown)
    scale = rule.model.scale
    rows = [
        {
            "place": int(first_of[i]),
            "action": rule.actions.labels[int(row)],
            "welfare": float(values[row]),
            **({} if scale is None else {"score": float(scale * values[row])}),
            "preferred_to_next": chances[i],
            "shares": shares[i],
        }
        for i, row in enumerate(shown)
    ]
    return Ranking(rule, rows)


def _beside_the_next(
    rule: Rule, order: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.bool_], list[float | None]]:
    """Whether each action (m - 1,) is as good as the next, and how likely it is preferred."""
    better, worse = order[:-1], order[1:]
    utilities = rule.actions.utilities
    tied = np.asarray(rule.model.welfare.compare(utilities[better], utilities[worse])) == 0
    return tied, list(rule.probabilities(better, worse))


def _cells(row: dict[str, Any], scored: bool, chances: bool, shares: bool) -> tuple[str, ...]:
    line = [str(row["place"]), row["action"], number(row["welfare"])]
    line += [number(row["score"])] if scored else []
    chance = row["preferred_to_next"]
    line += ["" if chance is None else f"{chance:.0%}"] if chances else []
    line += [percentage(share) for share in row["shares"].values()] if shares else []
    return tuple(line)
