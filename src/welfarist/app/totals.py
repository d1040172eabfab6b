"""Rows that sum up the others: a table of numbers often ends with one, which is no action."""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.files import Actions
from welfarist.people.source import is_source

_SUMS = {"total", "totals", "sum", "sums", "overall", "all", "gesamt", "summe", "insgesamt"}
_MEANS = {"average", "averages", "mean", "means", "durchschnitt", "mittelwert", "mittel"}
# Such rows are often rounded.
_ROUNDED = 0.01
_FEWEST_OTHERS = 2
# A word and what stands around it have no more letters.
_LONGEST = 30


def totals_in(actions: Actions) -> list[str]:
    """Say which rows, by name and numbers, are the sum or the mean of the others."""
    if is_source(actions.utilities):  # in which actions were columns
        return []
    short = (row for row, name in enumerate(actions.names) if len(name) <= _LONGEST)
    named = [row for row in short if _word(actions.names[row]) in _SUMS | _MEANS]
    if not named or len(actions) - len(named) < _FEWEST_OTHERS:
        return []
    others = np.delete(actions.utilities, named, axis=0)
    return [
        f"{actions.file}: {actions.names[row]!r} is the {what} of the other rows, and was taken "
        "for an action. Remove that row."
        for row in named
        if (what := _summed_up(actions.utilities[row], others)) is not None
    ]


def _summed_up(row: FloatArray, others: FloatArray) -> str | None:
    """Whether a row (d,) is the sum or the mean of the others (n, d), whatever it is called."""
    for what, numbers in (("sum", others.sum(axis=0)), ("mean", others.mean(axis=0))):
        if np.allclose(row, numbers, rtol=_ROUNDED, atol=0.0):
            return what
    return None


def _word(name: str) -> str:
    """A name without what stands around it: "Total:" is total."""
    return name.strip(" :*.()").casefold()
