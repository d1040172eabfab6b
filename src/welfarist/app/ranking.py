"""Actions put in order by a rule, with what each is worth and why."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from welfarist.app.rules import Rule, about_sizes, percentage, terms_of
from welfarist.base.exports import Table, number
from welfarist.base.validation import FloatArray

# With more people than this a table shows nobody's share.
_MOST_SHARES = 6
# Records that are made in one go.
_AT_ONCE = 10_000


@dataclass(frozen=True, eq=False)
class Ranking(Sequence[dict[str, Any]]):
    """Actions in order: each is a record that is made when it is asked for, as they may be many.

    A record has the place, the action, its welfare, perhaps its score, how likely it is preferred
    to the next, and everybody's share; None where something means nothing. Where none of these
    could be chosen it says whether the action is better.

    Attributes
    ----------
    rule : Rule
    order : (k,) array of int
        The rows of the rule's actions, best first.
    places : (k,) array of int
        Equals share the best place among them.
    welfare : (k,) array
    chances : list of float or None
        How likely each is preferred to the next; None without a noise model, and for the last.
    shares : (k, d) array
        NaN where they mean nothing.
    """

    rule: Rule
    order: npt.NDArray[np.intp] = field(repr=False)
    places: npt.NDArray[np.intp] = field(repr=False)
    welfare: FloatArray = field(repr=False)
    chances: list[float | None] = field(repr=False)
    shares: FloatArray = field(repr=False)

    @cached_property
    def _better(self) -> list[bool] | None:
        """Whether each is better than none of these (k,); None if that was no choice."""
        better = self.rule.better_than_none(self.order)
        return None if better is None else list(better.tolist())

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, number: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, number: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, number: int | slice) -> Any:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        at = range(len(self))[number]
        return next(self._records(at, at + 1))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for start in range(0, len(self), _AT_ONCE):
            yield from self._records(start, start + _AT_ONCE)

    def _records(self, start: int, end: int) -> Iterator[dict[str, Any]]:
        """The records of some places."""
        names, scale = self.rule.actions.names, self.rule.model.scale
        arrays = (self.places, self.order, self.welfare, self.shares)
        columns = [array[start:end].tolist() for array in arrays]
        better = self._better
        for at, (place, row, value, shares, chance) in enumerate(
            zip(*columns, self.chances[start:end], strict=True), start
        ):
            yield {
                "place": place,
                "action": names[row],
                "welfare": value,
                **({} if scale is None else {"score": scale * value}),
                "preferred_to_next": chance,
                **({} if better is None else {"better_than_none": better[at]}),
                "shares": self.rule.by_person(shares),
            }

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        return {
            "rule": self.rule.name,
            "p": self.rule.model.welfare.p,
            **terms_of(self.rule),
            "actions": self,
            "notes": list(self.rule.notes),
        }

    def table(self) -> Table:
        """What people read; columns in which nothing would stand are left out."""
        people = self.rule.actions.stakeholders
        few, many = len(people) <= _MOST_SHARES, len(self.rule.actions) != 1
        scale, values, names = self.rule.model.scale, self.welfare.tolist(), self.rule.actions.names
        columns = {
            "": list(map(str, self.places.tolist())),
            "action": [names[row] for row in self.order.tolist()],
            "welfare": list(map(number, values)),
        }
        if scale is not None:
            columns["score"] = [number(scale * value) for value in values]
        lines = []
        if any(chance is not None for chance in self.chances):
            columns["beats next"] = list(map(_shown, self.chances))
            lines.append("beats next: how likely it is preferred to the one below")
        if few:
            for person, shares in zip(people, self.shares.T.tolist(), strict=True):
                columns[f"share of {person}"] = list(map(_shown, shares))
            whose = "group" if self.rule.by_group else "stakeholder"
            lines.append(f"share: how much of a change in welfare comes from that {whose}")
        if self.rule.model.gamma:
            lines.append(about_sizes(self.rule.model.gamma, "order: by"))
        rows = list(zip(*columns.values(), strict=True))
        if self._better is not None:
            lines.append(self._about_none())
            above = sum(self._better)
            if above < len(rows) or len(rows) == len(self.rule.actions):
                level = number(self.rule.model.outside or 0.0)
                rows.insert(above, ("", "none of these", level, *[""] * (len(columns) - 3)))
        return Table(
            f"{len(self.rule.actions)} action{'s' * many} by {self.rule.name}",
            tuple(columns),
            tuple(rows),
            ("right", "left", *("right",) * (len(columns) - 2)),  # type: ignore[arg-type]
            tuple(lines),
        )

    def _about_none(self) -> str:
        """How many of all actions are better than none of these."""
        better = self.rule.better_than_none(slice(None))
        assert better is not None
        are = "is" if better.sum() == 1 else "are"
        return f"none of these: {int(better.sum())} of {len(better)} actions {are} better"


def rank(rule: Rule, top: int | None = None) -> Ranking:
    """Put the rule's actions in order; `top` keeps the best only."""
    order, values = rule.order(), rule.judge(rule.actions.utilities)
    tied, chances = _beside_the_next(rule, order) if len(order) > 1 else (np.empty(0, bool), [])
    places = np.concatenate([[0], np.cumsum(~tied)])
    first_of = np.searchsorted(places, places) + 1  # equals share the best place among them
    chances = [*chances, None]
    shown = order[:top]
    count = len(shown)
    return Ranking(
        rule, shown, first_of[:count], values[shown], chances[:count], rule.shares(shown)
    )


def _beside_the_next(
    rule: Rule, order: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.bool_], list[float | None]]:
    """Whether each action (m - 1,) is as good as the next, and how likely it is preferred."""
    better, worse = order[:-1], order[1:]
    tied = np.asarray(rule.compare(better, worse) == 0)
    return tied, list(rule.probabilities(better, worse))


def _shown(share: float | None) -> str:
    """A chance or a share in percent; nothing where there is none."""
    return sys.intern(percentage(None if share is None or share != share else share))
