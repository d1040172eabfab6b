"""From people, part after part, to a tally: tables that grow with what comes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.people.sketch.bins import (
    BIN_BITS,
    BINS,
    FIRST_BIN,
    LAST_BIN,
    SUMS,
    IntArray,
    bin_of,
)
from welfarist.people.sketch.kernel import PIECE, Ends, Table, accumulate, sums_by_row
from welfarist.people.sketch.tally import KEPT, Tally, in_order

# Rows of all tables together: 2^21 rows of six integers are 100 MB.
_MOST_ROWS = 2**21
_FEWEST_ROWS = 2**14
# Octaves that are added beyond what was seen, so that tables seldom grow.
_MARGIN = 1
_SMALLEST = float(np.finfo(np.float64).tiny)


class BadUtilityError(Exception):
    """A utility that is none: the caller knows how to name its place.

    Attributes
    ----------
    row : int
        Which of those that were given.
    value : float
    """

    def __init__(self, row: int, value: float) -> None:
        super().__init__(row, value)
        self.row, self.value = row, value

    def said(self, where: str) -> InputError:
        """Return the sentence about it."""
        if self.value == self.value and 0 < self.value < _SMALLEST:
            return InputError(
                f"utilities must be 0 or at least {_SMALLEST:.3g}; found {self.value:g} {where}, "
                "which doubles hold with fewer digits only. Choose a smaller unit, or use 0."
            )
        what = "NaN" if self.value != self.value else f"{self.value:g}"
        return InputError(
            f"utilities must be finite numbers from 0 on; found {what} {where}. Drop those "
            "people, or fill in what they have."
        )


@dataclass
class ActionBuilder:
    """The people of one action, so far.

    Attributes
    ----------
    counted : bool
        Whether people count differently.
    most_rows : int
        How long the table may be; people beyond are put into bins one by one.
    """

    counted: bool
    most_rows: int = _MOST_ROWS
    _groups: int = 0
    _table: Table | None = None
    _ends: Ends = field(
        default_factory=lambda: Ends(
            np.empty(0, np.uint64), np.empty(0, np.uint64), np.empty(0, np.int64)
        )
    )
    _rows: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    _kept: list[tuple[IntArray, FloatArray, IntArray]] = field(default_factory=list)
    _aside: list[tuple[IntArray, FloatArray, IntArray | None]] = field(default_factory=list)
    _far: Tally | None = None

    def add(
        self,
        utilities: FloatArray,
        groups: npt.NDArray[Any],
        counts: IntArray | None,
        known: int,
    ) -> None:
        """Add people: utilities (n,), groups (n,) below `known`, and counts (n,) if they differ."""
        self._grow_groups(known)
        self._keep_few(utilities, groups, counts)
        for start in range(0, len(utilities), PIECE):
            part = slice(start, start + PIECE)
            own = None if counts is None else counts[part]
            try:
                self._add_piece(utilities[part], groups[part], own)
            except BadUtilityError as problem:
                raise BadUtilityError(start + problem.row, problem.value) from None

    def _grow_groups(self, known: int) -> None:
        more = known - self._groups
        if more <= 0:
            return
        ends = self._ends
        self._ends = Ends(
            np.append(ends.low, np.full(more, 2**64 - 1, np.uint64)),
            np.append(ends.high, np.zeros(more, np.uint64)),
            np.append(ends.zeros, np.zeros(more, np.int64)),
        )
        self._rows = np.append(self._rows, np.zeros(more, np.int64))
        self._groups = known
        if self._table is not None:
            self._set_range(self._table.first, self._table.first + self._table.width)

    def _keep_few(
        self, utilities: FloatArray, groups: npt.NDArray[Any], counts: IntArray | None
    ) -> None:
        """Keep the people of groups that are small so far."""
        if not len(self._rows) or self._rows.min() > KEPT:
            return
        self._rows = np.minimum(self._rows + np.bincount(groups, minlength=self._groups), KEPT + 1)
        small = self._rows <= KEPT
        if not small.any():
            self._kept.clear()
            return
        here = np.flatnonzero(small[groups])
        if len(here):
            own = np.ones(len(here), np.int64) if counts is None else counts[here]
            self._kept.append((groups[here].astype(np.int64), utilities[here].copy(), own))

    def _add_piece(
        self, utilities: FloatArray, groups: npt.NDArray[Any], counts: IntArray | None
    ) -> None:
        done = 0
        if self._table is None:
            self._begin(utilities)
        while done < len(utilities):
            table, rest = self._table, slice(done, None)
            assert table is not None
            own = None if counts is None else counts[rest]
            done += accumulate(utilities[rest], groups[rest], own, table, self._ends)
            if done < len(utilities):
                _refuse(utilities, done)
                if not self._make_room(float(utilities[done])):
                    own = None if counts is None else counts[done:]
                    self._add_far_apart(utilities[done:], groups[done:], own, done)
                    return

    def _begin(self, utilities: FloatArray) -> None:
        """Make a table for what the first people have; an outlier among them sets no range."""
        some = utilities[: 2**12]
        some = some[(some >= _SMALLEST) & (some < np.inf)]
        low, high = (1.0, 1.0) if not len(some) else np.quantile(some, [0.01, 0.99])
        first, last = bin_of(np.array([low, high]))
        first, last = _with_margin(int(first), int(last))
        self._set_range(first, min(last, first + max(self.most_rows // self._groups, BINS)))

    def _make_room(self, utility: float) -> bool:
        """Widen the table for who comes next, if it may become so long."""
        table = self._table
        assert table is not None
        number = int(bin_of(np.array([utility]))[0])
        first, last = _with_margin(number, number)
        first, last = min(table.first, first), max(table.first + table.width, last)
        if (last - first) * self._groups > self.most_rows:
            return False
        self._set_range(first, last)
        return True

    def _set_range(self, first: int, last: int) -> None:
        """Lay the table out anew: bins from `first` to below `last` of all groups."""
        old, width = self._table, last - first
        shape = (self._groups, width, SUMS)
        sums, high = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        if old is not None:
            own = slice(old.first - first, old.first - first + old.width)
            before = len(old.sums) // old.width
            sums[:before, own] = old.sums.reshape(before, old.width, SUMS)
            if old.high is not None:
                high[:before, own] = old.high.reshape(before, old.width, SUMS)
        flat = (-1, SUMS)
        self._table = Table(
            first, width, sums.reshape(flat), high.reshape(flat) if self.counted else None,
            np.zeros((self._groups * width, SUMS)),
        )  # fmt: skip

    def _add_far_apart(
        self,
        utilities: FloatArray,
        groups: npt.NDArray[Any],
        counts: IntArray | None,
        before: int,
    ) -> None:
        """Add people of whom some are too far from the table: these get bins of their own."""
        table = self._table
        assert table is not None
        strange = np.flatnonzero(
            ~((utilities >= _SMALLEST) & (utilities < np.inf)) & (utilities != 0)
        )
        if len(strange):
            raise BadUtilityError(before + int(strange[0]), float(utilities[strange[0]]))
        place = bin_of(utilities)
        far = ((place < table.first) | (place >= table.first + table.width)) & (utilities > 0)
        keys = (groups[far].astype(np.int64) << BIN_BITS) | place[far]
        bits = utilities.view(np.uint64)[far]
        self._aside.append((keys, utilities[far], None if counts is None else counts[far]))
        np.minimum.at(self._ends.low, groups[far], bits)
        np.maximum.at(self._ends.high, groups[far], bits)
        if sum(len(part[0]) for part in self._aside) > PIECE:
            self._settle_aside()
        near = None if counts is None else counts[~far]
        accumulate(utilities[~far], groups[~far], near, table, self._ends)

    def _settle_aside(self) -> None:
        """Add up those who were set aside."""
        keys = np.concatenate([part[0] for part in self._aside])
        values = np.concatenate([part[1] for part in self._aside])
        counts = np.concatenate([part[2] for part in self._aside]) if self.counted else None
        found, place = np.unique(keys, return_inverse=True)
        sums, high = sums_by_row(values, place, counts, len(found))
        more = replace(Tally.empty(self._groups, self.counted), keys=found, sums=sums, high=high)
        self._far = more if self._far is None else self._widened_far() + more
        self._aside.clear()

    def _widened_far(self) -> Tally:
        """The sums of those who were set aside, with cells for groups that came later."""
        assert self._far is not None
        return self._far.moved(np.arange(self._far.cells), self._groups)

    def tally(self, known: int) -> Tally:
        """Return what is known of all who were added, a cell for each of the `known` groups."""
        self._grow_groups(known)
        if self._aside:
            self._settle_aside()
        found = replace(
            Tally.empty(self._groups, self.counted),
            rows=self._rows, zeros=self._ends.zeros, low=self._ends.low, high_end=self._ends.high,
        )  # fmt: skip
        found = replace(found, **self._table_sums(), **self._people())
        if self._far is not None:
            found = found + self._widened_far()
        return _without_sums_of_few(found).checked()

    def _table_sums(self) -> dict[str, Any]:
        table = self._table
        if table is None:
            return {}
        rows = np.flatnonzero(table.sums[:, 0] > 0)
        group, place = np.divmod(rows, table.width)
        return {
            "keys": (group << BIN_BITS) | (place + table.first),
            "sums": table.sums[rows],
            "high": None if table.high is None else table.high[rows],
        }

    def _people(self) -> dict[str, Any]:
        """Those in groups that stayed small, who have more than nothing."""
        if not self._kept:
            return {}
        group, value, count = (np.concatenate([part[i] for part in self._kept]) for i in range(3))
        own = (self._rows <= KEPT)[group] & (value > 0)
        return in_order(group[own], value[own], count[own])


def _without_sums_of_few(tally: Tally) -> Tally:
    """Drop the sums of cells whose people are kept."""
    kept = (tally.rows > KEPT)[tally.keys >> BIN_BITS]
    return replace(
        tally, keys=tally.keys[kept], sums=tally.sums[kept],
        high=None if tally.high is None else tally.high[kept],
    )  # fmt: skip


def _refuse(utilities: FloatArray, row: int) -> None:
    """Require a utility that can be put into a bin."""
    value = float(utilities[row])
    if not _SMALLEST <= value < np.inf:
        raise BadUtilityError(row, value)


def _with_margin(first: int, last: int) -> tuple[int, int]:
    """Return whole octaves around bins, from the first to below the last; those of numbers only."""
    return (
        max((first // BINS - _MARGIN) * BINS, FIRST_BIN),
        min((last // BINS + 1 + _MARGIN) * BINS, LAST_BIN + 1),
    )


def most_rows(actions: int) -> int:
    """Return how long the table of each of some actions may be."""
    return max(_FEWEST_ROWS, _MOST_ROWS // max(actions, 1))
