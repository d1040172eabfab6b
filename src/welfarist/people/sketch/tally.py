"""What a sketch knows, as whole numbers: sums by bin, few people one by one, zeros and extremes.

Everything is an integer, a minimum, a maximum or a list in order, and whether people are kept one
by one follows from how many there are. So two tallies add up to the same bits whoever comes
first, and however people were shared out among parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.people.sketch.bins import (
    BIN_BITS,
    COUNT_BITS,
    GRID,
    LOW_BITS,
    SUMS,
    IntArray,
    bin_of,
)
from welfarist.people.sketch.kernel import sums_by_row

# In a group of no more people than this each is kept: they need less room than their sums.
KEPT = 128
# Sums of 2^31 people, or counts of 2^42, are the largest that integers hold.
MOST_PEOPLE = 2**31 - 1
MOST_COUNTED = 2**42
_NOTHING_YET = np.uint64(2**64 - 1)


@dataclass(frozen=True)
class Tally:
    """Sums over the people of cells: each action's groups, one action after the other.

    Attributes
    ----------
    cells : int
        How many there are.
    counted : bool
        Whether people count differently, in units of 2^-20; otherwise in units of 1.
    keys : (m,) array of int
        Cell and bin of each row of sums, ``cell 2^17 + bin``, in order.
    sums : (m, 6) array of int
        How many people, and sums of their powers in units of 2^-32; if counted the low parts of
        sums in units of 2^-52.
    high : (m, 6) array of int or None
        The high parts, in units of 2^40 of the low ones, if counted.
    cell, value, count : (k,) arrays
        People who are kept one by one: where, what they have (more than nothing), how many.
    rows : (cells,) array of int
        How many records a cell has, up to 129.
    zeros : (cells,) array of int
        How many have nothing.
    low, high_end : (cells,) arrays of uint64
        The bits of the smallest and of the largest positive utility.
    """

    cells: int
    counted: bool
    keys: IntArray
    sums: IntArray
    high: IntArray | None
    cell: IntArray
    value: FloatArray
    count: IntArray
    rows: IntArray
    zeros: IntArray
    low: npt.NDArray[np.uint64]
    high_end: npt.NDArray[np.uint64]

    @classmethod
    def empty(cls, cells: int, counted: bool) -> Tally:
        """Return the tally of nobody."""
        none, nowhere = np.zeros(0, np.int64), np.zeros(cells, np.int64)
        return cls(
            cells, counted, none, np.zeros((0, SUMS), np.int64),
            np.zeros((0, SUMS), np.int64) if counted else None,
            none, np.zeros(0), none, nowhere, nowhere.copy(),
            np.full(cells, _NOTHING_YET), np.zeros(cells, np.uint64),
        )  # fmt: skip

    @property
    def unit(self) -> float:
        """What one unit of a count is worth."""
        return 2.0**-COUNT_BITS if self.counted else 1.0

    def in_people(self, units: IntArray) -> FloatArray:
        """Return counts in units as numbers of people."""
        return np.asarray(units * self.unit, dtype=np.float64)

    @property
    def mass(self) -> IntArray:
        """How many people each cell has (cells,), in units of the counts."""
        found = self.zeros.copy()
        np.add.at(found, self.keys >> BIN_BITS, self.sums[:, 0])
        np.add.at(found, self.cell, self.count)
        return found

    def as_counted(self) -> Tally:
        """Return the same people in units of 2^-20."""
        if self.counted:
            return self
        sums, high = self.sums << COUNT_BITS, self.sums >> (LOW_BITS - COUNT_BITS)
        sums[:, 1:] &= 2**LOW_BITS - 1
        high[:, 0] = 0
        return replace(
            self, counted=True, sums=sums, high=high,
            count=self.count << COUNT_BITS, zeros=self.zeros << COUNT_BITS,
        )  # fmt: skip

    def moved(self, cell_of: IntArray, cells: int) -> Tally:
        """Return the same people in other cells: those of each cell go to `cell_of` (cells,).

        No two cells go to one.
        """
        keys = (cell_of[self.keys >> BIN_BITS] << BIN_BITS) | (self.keys & (2**BIN_BITS - 1))
        order, kept = np.argsort(keys, kind="stable"), np.argsort(cell_of[self.cell], kind="stable")
        new = Tally.empty(cells, self.counted)
        for name in ("rows", "zeros", "low", "high_end"):
            getattr(new, name)[cell_of] = getattr(self, name)
        return replace(
            new, keys=keys[order], sums=self.sums[order],
            high=None if self.high is None else self.high[order],
            cell=cell_of[self.cell][kept], value=self.value[kept], count=self.count[kept],
        )  # fmt: skip

    def only(self, cells: IntArray) -> Tally:
        """Return the tally of some cells (c,), in the order given; one may be asked for twice."""
        starts = np.searchsorted(self.keys, cells << BIN_BITS)
        ends = np.searchsorted(self.keys, (cells + 1) << BIN_BITS)
        rows, new = _runs(starts, ends)
        keys = (new << BIN_BITS) | (self.keys[rows] & (2**BIN_BITS - 1))
        kept, own = _runs(np.searchsorted(self.cell, cells), np.searchsorted(self.cell, cells + 1))
        return replace(
            self, cells=len(cells), keys=keys, sums=self.sums[rows],
            high=None if self.high is None else self.high[rows],
            cell=own, value=self.value[kept], count=self.count[kept],
            rows=self.rows[cells], zeros=self.zeros[cells],
            low=self.low[cells], high_end=self.high_end[cells],
        )  # fmt: skip

    def __add__(self, other: Tally) -> Tally:
        """Return the sums over the people of both, cell by cell."""
        if self.counted != other.counted:
            return self.as_counted() + other.as_counted()
        rows = np.minimum(self.rows + other.rows, KEPT + 1)
        joined = replace(
            _merged_sums([self, other]),
            **_merged_people([self, other]),
            rows=rows,
            zeros=self.zeros + other.zeros,
            low=np.minimum(self.low, other.low),
            high_end=np.maximum(self.high_end, other.high_end),
        )
        return _with_fewer_kept(joined).checked()

    def checked(self) -> Tally:
        """Require that no sum is near the end of integers."""
        most = MOST_COUNTED * 2**COUNT_BITS if self.counted else MOST_PEOPLE
        found = self.mass
        if (found > most).any() or (found < 0).any():
            raise InputError(
                "a group must have at most "
                + ("2^42 people, by their counts" if self.counted else "2^31 - 1 people")
                + "; found more. Choose a larger unit for the counts, or make smaller groups."
            )
        return self

    def equals(self, other: Tally) -> bool:
        """Whether every bit is the same."""
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in self.__dataclass_fields__
        )


def _runs(starts: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    """Return the numbers in all runs from starts (c,) to ends (c,), and the run of each."""
    sizes = ends - starts
    run = np.repeat(np.arange(len(starts)), sizes)
    before = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.arange(len(run)) - before + starts[run], run


def _merged_sums(parts: list[Tally]) -> Tally:
    """Return the first with the sums of all, bin by bin."""
    keys = np.concatenate([part.keys for part in parts])
    found, place = np.unique(keys, return_inverse=True)
    places = np.split(place, np.cumsum([len(part.keys) for part in parts])[:-1])
    sums = _added([part.sums for part in parts], places, len(found))
    if parts[0].high is None:
        return replace(parts[0], keys=found, sums=sums)
    high = _added([part.high for part in parts], places, len(found))
    high[:, 1:] += sums[:, 1:] >> LOW_BITS
    sums[:, 1:] &= 2**LOW_BITS - 1
    return replace(parts[0], keys=found, sums=sums, high=high)


def _added(parts: list[Any], places: list[npt.NDArray[np.intp]], rows: int) -> IntArray:
    """Return sums (rows, 6) of parts, none of which has two rows in one place."""
    found = np.zeros((rows, SUMS), np.int64)
    for part, place in zip(parts, places, strict=True):
        found[place] += part
    return found


def _merged_people(parts: list[Tally]) -> dict[str, Any]:
    """Return who is kept in any part, in order, those who have the same counted together."""
    cell = np.concatenate([part.cell for part in parts])
    value = np.concatenate([part.value for part in parts])
    count = np.concatenate([part.count for part in parts])
    return in_order(cell, value, count)


def in_order(cell: IntArray, value: FloatArray, count: IntArray) -> dict[str, Any]:
    """Return people by cell and by what they have, those who have the same counted together."""
    order = np.lexsort((value, cell))
    cell, value, count = cell[order], value[order], count[order]
    if not len(cell):
        return {"cell": cell, "value": value, "count": count}
    new = np.append(True, (np.diff(cell) != 0) | (np.diff(value) != 0))
    starts = np.flatnonzero(new)
    return {"cell": cell[new], "value": value[new], "count": np.add.reduceat(count, starts)}


def _with_fewer_kept(tally: Tally) -> Tally:
    """Put people into bins who are kept in cells that have grown too large for that."""
    binned = (tally.rows > KEPT)[tally.cell]
    if not binned.any():
        return tally
    more = binned_people(
        tally.cell[binned], tally.value[binned], tally.count[binned], tally.cells, tally.counted
    )
    left = {name: getattr(tally, name)[~binned] for name in ("cell", "value", "count")}
    return replace(_merged_sums([tally, more]), **left)


def binned_people(
    cell: IntArray, value: FloatArray, count: IntArray, cells: int, counted: bool
) -> Tally:
    """Return the sums, and nothing but the sums, over people (n,) with positive utilities."""
    if not counted:  # somebody who stands for several is added as often
        cell, value = np.repeat(cell, count), np.repeat(value, count)
    keys, place = np.unique((cell << BIN_BITS) | bin_of(value), return_inverse=True)
    sums, high = sums_by_row(value, place, count if counted else None, len(keys))
    return replace(Tally.empty(cells, counted), keys=keys, sums=sums, high=high)


def sums_as_numbers(tally: Tally) -> FloatArray:
    """Return the sums (m, 6) as doubles, in people: the exact ones, rounded once or twice."""
    scale = np.full(SUMS, 2.0**-GRID)
    scale[0] = 1.0
    if tally.high is None:
        return np.asarray(tally.sums * scale)
    whole = tally.high * 2.0**LOW_BITS + tally.sums
    return np.asarray(whole * (scale * 2.0**-COUNT_BITS))
