"""Signs that the two actions of each pair were put on different scales.

A scaler of scikit-learn sees columns, not people. A table with both actions side by side has two
columns for every person, and a scaler gives each a map of its own: the same utility then means one
thing in the first action and another in the second. What such a scaler leaves behind:

ends
    All columns have the same maximum (and minimum), to the last digits. Honest columns may as well:
    answers from 1 to 7, or actions that occur on both sides. There the columns of a person share
    other values as often. If a share r of the values strictly inside is found on both sides, all
    ends agree by accident with a probability of about the product of r over people and ends; below
    1 in 50 it is no accident. It is none either way where an action that attains an end occurs on
    both sides, or where answers pile up at the ends, as on a slider.
spread
    All columns have the same standard deviation, or the same distance between quartiles, to the
    last digits, while somebody's two columns have hardly a value in common.
steps
    Somebody's two columns lie on grids with different steps that are no round numbers, and have
    hardly a value in common.

Columns that differ by design share none of these marks, however different their ranges are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

# Rounding of a scaler's arithmetic, relative to the size of the numbers.
_SAME = 1e-9
# Ends agree by accident less often than this.
_ACCIDENT = 0.02
# Two columns that have fewer values than this in common have hardly any.
_HARDLY = 0.1
# Fewer different values in a column say nothing about its grid, or about what is shared.
_FEWEST = 8
# A grid has no more levels than this, or any numbers would lie on one.
_MOST_LEVELS = 1000
# Numbers as they were written down have no finer grid.
_FINEST = 10_000
# Values much oftener than this many times the usual one pile up.
_OFTENER = 2.0
# How far from a grid a value may lie, relative to the range.
_OFF_GRID = 1e-7
# A step with more significant digits than this is not round.
_ROUND_DIGITS = 2
# What a scaler leaves is about 1 in size; numbers beyond these it has not seen.
_SMALLEST, _LARGEST = 1e-100, 1e100
# Distinct pairs that are looked at, and rows in which quartiles are.
_PAIRS = 5_000
_MOST_FOR_QUARTILES = 200_000


def scaled_apart(
    utilities: FloatArray,
    pairs: npt.NDArray[np.signedinteger],
    names: Sequence[str] | None = None,
) -> str | None:
    """Return what speaks for two actions on different scales, in words; None if nothing does.

    Parameters
    ----------
    utilities : (N, d) array
    pairs : (n, 2) array of int
        Rows of the first and of the second action.
    names : (d,) sequence of str, optional
        Of the people.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> first, second = rng.uniform(1, 10, (50, 2)), rng.uniform(3, 30, (50, 2))
    >>> pairs = np.arange(100).reshape(2, 50).T
    >>> scaled_apart(np.concatenate([first, second]), pairs) is None   # different by design
    True
    >>> each = [half / half.max(axis=0) for half in (first, second)]
    >>> scaled_apart(np.concatenate(each), pairs)
    'all columns have the same maximum, 1'
    """
    if utilities.shape[1] < 2 or len(pairs) < _FEWEST:
        return None
    if not _SMALLEST < utilities.max() < _LARGEST:
        return None
    table = _Table(utilities, pairs)
    return _same_ends(table) or _same_spread(table) or _other_steps(table, names)


class _Table:
    """Both actions side by side; what is asked of it costs little unless a mark is found."""

    def __init__(self, utilities: FloatArray, pairs: npt.NDArray[np.signedinteger]) -> None:
        self._utilities, self._pairs = utilities, pairs

    def common(self, mark: Callable[[FloatArray], Any]) -> float | None:
        """Something that is the same in all columns, and positive; None if it is not."""
        found: list[float] = []
        for column in (column for rows in self._sides for column in self._columns(rows)):
            found.append(float(mark(column)))
            if not (found[-1] > 0 and np.ptp(found) <= _SAME * max(found)):
                return None
        return max(found)

    @property
    def _sides(self) -> npt.NDArray[np.signedinteger]:
        return self._pairs.T

    def _columns(self, rows: npt.NDArray[np.signedinteger]) -> Iterator[FloatArray]:
        return (self._utilities[rows, person] for person in range(self._utilities.shape[1]))

    def __len__(self) -> int:
        return len(self._pairs)

    @cached_property
    def halves(self) -> tuple[FloatArray, FloatArray]:
        """Different pairs as (m, d) and (m, d), with those that attain an end of a column."""
        rows = [np.arange(min(len(self), _PAIRS))]
        if len(self) > _PAIRS:
            for column in (column for side in self._sides for column in self._columns(side)):
                ends = column.min(), column.max()
                rows += [np.flatnonzero(column == end)[:_FEWEST] for end in ends]
        chosen = self._pairs[np.unique(np.concatenate(rows))]
        both = np.hstack([self._utilities[chosen[:, 0]], self._utilities[chosen[:, 1]]])
        first, second = np.hsplit(np.unique(both, axis=0), 2)
        return first, second

    def first_rows(self) -> tuple[FloatArray, FloatArray]:
        """The first pairs as (m, d) and (m, d)."""
        first, second = (self._utilities[rows[:_PAIRS]] for rows in self._sides)
        return first, second

    @cached_property
    def shared(self) -> FloatArray:
        """The share (d,) of values inside that both columns of a person have."""
        first, second = self.halves
        return np.array([_shared(*columns) for columns in zip(first.T, second.T, strict=True)])


def _shared(first: FloatArray, second: FloatArray) -> float:
    """The share of the values strictly inside that both columns have."""
    low, high = min(first.min(), second.min()), max(first.max(), second.max())
    close = _SAME * max(high, 1e-300)
    values = [_distinct(column, close) for column in (first, second)]
    inside = [v[(v > low + close) & (v < high - close)] for v in values]
    union = len(_distinct(np.concatenate(inside), close))
    common = len(inside[0]) + len(inside[1]) - union
    return (common + 1) / (union + 2)


def _distinct(values: FloatArray, close: float) -> FloatArray:
    """Different values in order; those within rounding of the one before are not different."""
    ordered = np.sort(values)
    return ordered[np.diff(ordered, prepend=-np.inf) > close]


def _same_ends(table: _Table) -> str | None:
    top = table.common(np.max)
    if top is None:
        return None
    # A minimum of 0 is as good a mark as another.
    below = table.common(lambda column: top + top - np.min(column))
    ends = [top] if below is None or below <= top else [top, top + top - below]
    if float(np.prod(table.shared)) ** len(ends) >= _ACCIDENT:
        return None
    halves = table.halves
    if any(_piled_up(half, end) for half in halves for end in ends):
        return None
    if any(_same_action(halves, end) for end in ends) or _look_raw(halves):
        return None
    if len(ends) == 1:
        return f"all columns have the same maximum, {top:g}"
    return f"all columns have the same minimum, {ends[1]:g}, and the same maximum, {top:g}"


def _at(half: FloatArray, end: float) -> npt.NDArray[np.bool_]:
    return np.abs(half - end) <= _SAME * max(abs(end), float(np.abs(half).max()))


def _piled_up(half: FloatArray, end: float) -> bool:
    """Whether somebody has an end much oftener than other values."""
    for column, at_end in zip(half.T, _at(half, end).T, strict=True):
        if at_end.all():
            return True
        usual = np.median(np.unique(column[~at_end], return_counts=True)[1])
        if at_end.sum() > _OFTENER * usual:
            return True
    return False


def _look_raw(halves: tuple[FloatArray, FloatArray]) -> bool:
    """Whether all numbers are multiples of a round one, as nobody has scaled them."""
    step = _step(np.concatenate(halves).reshape(-1), _FINEST)
    return step is not None and _is_round(step)


def _same_action(halves: tuple[FloatArray, FloatArray], end: float) -> bool:
    """Whether an action that attains an end for somebody occurs on both sides."""
    first, second = ({tuple(row) for row in half[_at(half, end).any(axis=1)]} for half in halves)
    return bool(first & second)


def _same_spread(table: _Table) -> str | None:
    for what, mark in (("standard deviation", np.std), ("distance between quartiles", _quartiles)):
        if mark is _quartiles and len(table) > _MOST_FOR_QUARTILES:
            continue
        spread = table.common(mark)
        if spread is not None and table.shared.min() < _HARDLY:
            return f"all columns have the same {what}, {spread:g}"
    return None


def _quartiles(column: FloatArray) -> float:
    low, high = np.percentile(column, [25, 75])
    return float(high - low)


def _other_steps(table: _Table, names: Sequence[str] | None) -> str | None:
    first, second = table.first_rows()
    for person, columns in enumerate(zip(first.T, second.T, strict=True)):
        one, other = map(_step, columns)
        if min(len(np.unique(column)) for column in columns) < _FEWEST:
            continue
        if one is None or other is None or (_is_round(one) and _is_round(other)):
            continue
        if table.shared[person] < _HARDLY and _step(np.concatenate(columns)) is None:
            who = f"person {person}" if names is None else names[person]
            return f"the two columns of {who} lie on grids with steps of {one:.6g} and {other:.6g}"
    return None


def _step(column: FloatArray, levels: int = _MOST_LEVELS) -> float | None:
    """The step of the grid on which a column lies; None if it has more levels, or there is none."""
    close = _OFF_GRID * max(float(np.ptp(column)), 1e-300)
    values = _distinct(column, close)
    if len(values) < 2:
        return None
    away = values[1:] - values[0]
    step = float(away[0])
    for distance in away.tolist():
        while distance > close:  # Euclid's algorithm, up to rounding
            step, distance = distance, step % distance
            if step - distance <= close:
                distance = 0.0
        if away[-1] > levels * step:
            return None
    off = np.abs(away / step - np.round(away / step)) * step
    return step if off.max() <= close * len(values) else None


def _is_round(step: float) -> bool:
    """Whether a number has few digits, as somebody would have chosen it."""
    return float(f"{step:.{_ROUND_DIGITS - 1}e}") == float(f"{step:.9e}")
