"""Sums of powers by bin, exactly: how a column of utilities becomes a table of integers.

With u in bin b at t in [-1, 1), and q_j the multiple of 2^-32 next to t^j, person after person adds
1, q_1, ..., q_5 to row b. A sum of at most 2^20 such multiples is exact in doubles and is then
added to 64-bit integers in units of 2^-32. Integers add up to the same in any order: so do
sketches.

Counts other than 1 are whole multiples of 2^-20, so that a product of a count and a q_j is a whole
multiple of 2^-52; sums are kept in two integers, ``high 2^40 + low``.

The loops in :mod:`welfarist.people.sketch.compiled` do the same, and give the same digits.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.people.sketch.bins import (
    GRID,
    HALF_COUNT,
    LOW_BITS,
    REST,
    ROUNDER,
    SUMS,
    IntArray,
)

# People whose powers are added up in doubles before they go to integers: 2^20 2^32 < 2^53.
PIECE = 2**20
# Numbers that NumPy works on at a time: 2^16 doubles are 512 KiB, and stay in a core's cache.
_BLOCK = 2**16

_NOBODY = np.empty(0, np.intp)
_REST_MASK = np.uint64(2**REST - 1)
_HALF = 2.0 ** (REST - 1)
_LOW_MASK = 2**LOW_BITS - 1


@dataclass
class Table:
    """Sums of one action while it is added up: a run of bins for each group.

    Attributes
    ----------
    first, width : int
        The first bin of a group, and how many there are.
    sums : (groups * width, 6) array of int
        In units of 2^-32, the first in units of 1; or the low parts.
    high : (groups * width, 6) array of int or None
        The high parts, if people count differently.
    scratch : (groups * width, 6) array
        Zeros, in which the compiled loop works.
    work : _Workspace or None
        In which NumPy works.
    """

    first: int
    width: int
    sums: IntArray
    high: IntArray | None
    scratch: FloatArray
    work: _Workspace | None = None


@dataclass
class Ends:
    """What is kept of each group beside its sums, (groups,) each.

    Attributes
    ----------
    low, high : arrays of uint64
        The bits of the smallest and of the largest positive utility.
    zeros : array of int
        How many have nothing, in units of the counts.
    """

    low: npt.NDArray[np.uint64]
    high: npt.NDArray[np.uint64]
    zeros: IntArray


@dataclass
class _Workspace:
    """Arrays (n,) that are used again and again: new ones would cost more than the sums.

    The sums themselves are in `columns` (6, rows + 1); the last row is for who has nothing.
    """

    bins: npt.NDArray[np.uint64]
    index: IntArray
    t: FloatArray
    t2: FloatArray
    rounded: FloatArray
    columns: FloatArray
    outermost: npt.NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, size: int, rows: int) -> _Workspace:
        return cls(
            np.empty(size, np.uint64), np.empty(size, np.int64),
            np.empty(size), np.empty(size), np.empty(size), np.zeros((SUMS, rows + 1)),
        )  # fmt: skip


@cache
def has_compiled() -> bool:
    """Whether the compiled loops can be used."""
    return importlib.util.find_spec("numba") is not None


def accumulate(
    utilities: FloatArray,
    groups: npt.NDArray[Any],
    counts: IntArray | None,
    table: Table,
    ends: Ends,
    *,
    compiled: bool | None = None,
) -> int:
    """Add people (n,) to a table, until one does not belong there; return how many were added.

    Who does not is outside the table's bins, or no utility at all: the caller looks.
    """
    bits = utilities.view(np.uint64)
    known = (bits, groups, np.uint64(table.first), np.uint64(table.width))
    if has_compiled() if compiled is None else compiled:
        from welfarist.people.sketch import compiled as loops

        if counts is None:
            return int(loops.add_people(*known, table.scratch, table.sums, *_parts(ends)))
        return int(loops.add_counted(*known, counts, table.sums, table.high, *_parts(ends)))
    return _in_blocks(bits, groups, counts, table, ends)


def _parts(ends: Ends) -> tuple[Any, Any, Any]:
    return ends.low, ends.high, ends.zeros


def _in_blocks(
    bits: npt.NDArray[np.uint64],
    groups: npt.NDArray[Any],
    counts: IntArray | None,
    table: Table,
    ends: Ends,
) -> int:
    """The same with NumPy alone, in blocks that stay in the cache, up to who does not belong."""
    if table.work is None:
        table.work = _Workspace.of(_BLOCK, len(table.sums))
    work = table.work
    done = len(bits)
    for start in range(0, len(bits), _BLOCK):
        part = slice(start, start + _BLOCK)
        own = None if counts is None else counts[part]
        found = _block(bits[part], groups[part], own, table, ends, work)
        if found < len(bits[part]):
            done = start + found
            break
    if counts is None:
        _move(work.columns, table.sums)
    return done


def _block(
    bits: npt.NDArray[np.uint64],
    groups: npt.NDArray[Any],
    counts: IntArray | None,
    table: Table,
    ends: Ends,
    work: _Workspace,
) -> int:
    """Add a block up to who does not belong; who has nothing goes to a row beyond the table."""
    bins = np.right_shift(bits, np.uint64(REST), out=work.bins[: len(bits)])
    bins -= np.uint64(table.first)
    outside = np.flatnonzero(bins >= np.uint64(table.width)) if _beyond(bins, table) else _NOBODY
    nothing = (bits[outside] << np.uint64(1)) == 0
    stop = len(bits) if nothing.all() else int(outside[np.argmin(nothing)])
    bits, groups, bins = bits[:stop], groups[:stop], bins[:stop]
    index = np.multiply(groups, np.int64(table.width), out=work.index[:stop])
    index += bins.view(np.int64)
    gone = outside[outside < stop]
    index[gone] = len(table.sums)
    np.add.at(ends.zeros, groups[gone], 1 if counts is None else counts[gone])
    powers = _rounded_powers(bits, work)
    if counts is None:
        np.add.at(work.columns[0], index, 1.0)
        for j, power in enumerate(powers, 1):
            np.add.at(work.columns[j], index, power)
    else:
        _add_counted(index, counts[:stop], powers, table)
    _widen_ends(bits, groups, index, ends, table, work)
    return stop


def sums_by_row(
    utilities: FloatArray, index: IntArray, counts: IntArray | None, rows: int
) -> tuple[IntArray, IntArray | None]:
    """Return sums, and high parts if people are counted, (rows, 6) of positive utilities (n,).

    `index` (n,) says which row everybody belongs to: for bins that are too far apart for a table.
    """
    high = None if counts is None else np.zeros((rows, SUMS), np.int64)
    table = Table(0, 0, np.zeros((rows, SUMS), np.int64), high, np.empty((0, SUMS)))
    for start in range(0, len(index), PIECE):
        part = slice(start, start + PIECE)
        bits = np.ascontiguousarray(utilities[part]).view(np.uint64)
        work = _Workspace.of(len(bits), rows)
        powers = _rounded_powers(bits, work)
        if counts is None:
            np.add.at(work.columns[0], index[part], 1.0)
            for j, power in enumerate(powers, 1):
                np.add.at(work.columns[j], index[part], power)
            _move(work.columns, table.sums)
        else:
            _add_counted(index[part], counts[part], powers, table)
    return table.sums, high


def _beyond(bins: npt.NDArray[np.uint64], table: Table) -> bool:
    return bool(bins.max(initial=0) >= table.width)


def _rounded_powers(bits: npt.NDArray[np.uint64], work: _Workspace) -> Iterator[FloatArray]:
    """Yield t, t^2, ..., t^5, each rounded to the grid, in one array (n,) that is used again."""
    size = len(bits)
    t, t2, rounded = work.t[:size], work.t2[:size], work.rounded[:size]
    np.bitwise_and(bits, _REST_MASK, out=work.bins[:size])
    np.copyto(t, work.bins[:size].view(np.int64))
    t -= _HALF
    t *= 1.0 / _HALF
    np.multiply(t, t, out=t2)
    yield _on_grid(t, rounded)
    yield _on_grid(t2, rounded)
    np.multiply(t, t2, out=rounded)
    yield _on_grid(rounded, rounded)
    t2 *= t2
    yield _on_grid(t2, rounded)
    t2 *= t
    yield _on_grid(t2, rounded)


def _on_grid(power: FloatArray, out: FloatArray) -> FloatArray:
    np.add(power, ROUNDER, out=out)
    out -= ROUNDER
    return out


def _move(columns: FloatArray, sums: IntArray) -> None:
    """Move sums from doubles to integers."""
    sums[:, 0] += columns[0, :-1].astype(np.int64)
    for j in range(1, SUMS):
        sums[:, j] += (columns[j, :-1] * 2.0**GRID).astype(np.int64)
    columns[:] = 0.0


def _add_counted(
    index: IntArray, counts: IntArray, powers: Iterator[FloatArray], table: Table
) -> None:
    """Add multiples of 2^-52, cut at 2^40, to sums of low and of high parts."""
    assert table.high is not None
    upper, lower = counts >> HALF_COUNT, counts & (2**HALF_COUNT - 1)
    table.sums[:, 0] += _summed(index, counts, len(table.sums))
    for j, power in enumerate(powers, 1):
        more, part = _product(upper, lower, (power * 2.0**GRID).astype(np.int64))
        # Fewer than 2^20 parts below 2^41, and one sum below 2^40: no integer overflows.
        low = table.sums[:, j] + _summed(index, part, len(table.sums))
        table.high[:, j] += _summed(index, more, len(table.sums)) + (low >> LOW_BITS)
        table.sums[:, j] = low & _LOW_MASK


def _summed(index: IntArray, values: IntArray, rows: int) -> IntArray:
    found = np.zeros(rows + 1, np.int64)
    np.add.at(found, index, values)
    return found[:-1]


def _product(upper: IntArray, lower: IntArray, q: IntArray) -> tuple[IntArray, IntArray]:
    """Return high and low parts (n,) of ``(upper 2^26 + lower) q``; the low ones are below 2^41."""
    by_upper, by_lower = upper * q, lower * q
    cut = LOW_BITS - HALF_COUNT
    low = ((by_upper & (2**cut - 1)) << HALF_COUNT) + (by_lower & _LOW_MASK)
    return (by_upper >> cut) + (by_lower >> LOW_BITS), low


def _widen_ends(
    bits: npt.NDArray[np.uint64],
    groups: npt.NDArray[Any],
    index: IntArray,
    ends: Ends,
    table: Table,
    work: _Workspace,
) -> None:
    """Look for new extremes in each group's outermost bins, or beyond: few, as a rule."""
    if work.outermost is None:
        work.outermost = _outermost(ends, table)
    looked = np.flatnonzero(work.outermost.take(index))
    if not len(looked):
        return
    low, high = ends.low.copy(), ends.high.copy()
    np.minimum.at(ends.low, groups[looked], bits[looked])
    np.maximum.at(ends.high, groups[looked], bits[looked])
    if (low != ends.low).any() or (high != ends.high).any():
        work.outermost = None


def _outermost(ends: Ends, table: Table) -> npt.NDArray[np.bool_]:
    """Which bins (groups * width + 1,) are a group's outermost or beyond; the last is no bin."""
    place = np.arange(table.width)
    lowest, highest = (
        ((end >> np.uint64(REST)).astype(np.int64) - table.first)[:, None]
        for end in (ends.low, ends.high)
    )
    found = ((place <= lowest) | (place >= highest)).reshape(-1)
    return np.append(found, False)
