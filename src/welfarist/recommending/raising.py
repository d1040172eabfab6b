"""How much somebody's utility must rise for one action to become as good as another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.exports import Table, strict
from welfarist.base.validation import FloatArray

# The largest utility that is tried, and halvings between it and today's: to the last digit.
_LARGEST, _HALVINGS = 1e150, 200
# Where differences decide and not ratios, so many times the spread of today is added at most.
_TIMES = 1e6
_SMALLEST = 1e-150


@dataclass(frozen=True, eq=False)
class Raise:
    """What each person's utility in one action must be for it to be as good as another.

    Attributes
    ----------
    names : tuple of two str
        The better action, and the one that is raised.
    people : tuple of str
    now : (d,) array
        What they have in the second.
    needed : tuple of float or None
        What each alone would need; None where no rise is enough.
    """

    names: tuple[str, str]
    people: tuple[str, ...]
    now: FloatArray = field(repr=False)
    needed: tuple[float | None, ...]

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The table as columns by name."""
        now = self.now.tolist()
        rises = [None if n is None else n - u for n, u in zip(self.needed, now, strict=True)]
        return {
            "stakeholder": list(self.people), "now": now, "needed": list(self.needed), "rise": rises
        }  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, which strict JSON can hold."""
        keys = list(self.columns)
        rows = zip(*self.columns.values(), strict=True)
        people = [dict(zip(keys, row, strict=True)) for row in rows]
        found: dict[str, Any] = strict(
            {"better": self.names[0], "raised": self.names[1], "people": people}
        )
        return found

    def table(self) -> Table:
        """Return what people read."""
        rows = tuple(
            (who, f"{now:g}", "no rise is enough" if need is None else f"{need:.4g}")
            for who, now, need in zip(self.people, self.now.tolist(), self.needed, strict=True)
        )
        return Table(
            f"What {self.names[1]} must give one of them to be as good as {self.names[0]}",
            ("", "now", "needed"), rows, ("left", "right", "right"),
        )  # fmt: skip

    def __str__(self) -> str:
        return self.table().as_text()


def raises_needed(
    rule: Any, pair: FloatArray, names: tuple[str, str], people: tuple[str, ...]
) -> Raise:
    """Return by how much each person's utility in the worse of two actions must rise.

    Parameters
    ----------
    rule : WelfareFunction, or of another family
    pair : (2, d) array
        What both give to everybody.
    names : tuple of two str
    people : tuple of str

    Notes
    -----
    Welfare never falls when somebody has more, so that halving intervals finds it, in any family.
    """
    if np.isnan(pair).any():
        raise InputError(
            "a rise needs actions that affect the same people; found somebody who is absent."
        )
    if int(np.asarray(rule.compare(pair[0], pair[1]))) < 0:
        pair, names = pair[::-1], (names[1], names[0])
    target = float(np.asarray(rule.value(pair[0])))
    count = len(people)
    family = getattr(rule, "family", None)
    ratios = family is None or family.level.is_ratio
    if ratios:
        low = np.log(np.maximum(pair[1] + rule.shift, _SMALLEST))
        high = np.full(count, np.log(_LARGEST))
    else:
        low = pair[1] + rule.shift
        high = low + _TIMES * max(1.0, float(np.ptp(pair)))
    shown = np.exp if ratios else np.asarray
    enough = _with_one_at(rule, pair[1], shown(high)) >= target
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        there = _with_one_at(rule, pair[1], shown(middle)) >= target
        high, low = np.where(there, middle, high), np.where(there, low, middle)
    needed = np.maximum(shown(high) - rule.shift, pair[1])
    if target == float(np.asarray(rule.value(pair[1]))):
        needed, enough = pair[1], np.ones(count, dtype=bool)
    return Raise(
        names, people, pair[1],
        tuple(float(x) if ok else None for x, ok in zip(needed, enough, strict=True)),
    )  # fmt: skip


def _with_one_at(rule: Any, action: FloatArray, shifted: FloatArray) -> FloatArray:
    """Values (d,) of an action in which each person in turn has another utility, shift included."""
    table = np.tile(action, (len(action), 1))
    np.fill_diagonal(table, shifted - rule.shift)
    return np.asarray(rule.value(table))
