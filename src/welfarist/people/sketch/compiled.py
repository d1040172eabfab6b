"""Sums of powers by bin in compiled loops (extra `fast`): the twin of `kernel`, digit for digit.

Nothing is reordered or fused: every product, and every rounding to the grid, is the one that NumPy
makes. Both loops stop at the first utility that is outside the table's bins, or none at all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config, njit

from welfarist.people.sketch.bins import GRID, HALF_COUNT, LOW_BITS, REST, ROUNDER

_REST = np.uint64(REST)
_REST_MASK = np.uint64(2**REST - 1)
_HALF = 2 ** (REST - 1)
_PART = 1.0 / _HALF
_SCALE = 2.0**GRID
_M = ROUNDER
_COUNT_MASK = 2**HALF_COUNT - 1
_CUT = LOW_BITS - HALF_COUNT
_CUT_MASK = 2**_CUT - 1
_LOW_MASK = 2**LOW_BITS - 1
_ONE = np.uint64(1)

_compiled = njit(cache=True, nogil=True, error_model="numpy")


def add_people(*known: Any) -> int:
    """Add people who count 1 each; return how many of them.

    The loop is compiled when it is first called, so that several sums of a person are added by
    one instruction: a third faster, and the same digits.
    """
    settings: Any = config
    before = settings.SLP_VECTORIZE
    settings.SLP_VECTORIZE = 1
    try:
        return int(_add_people(*known))
    finally:
        settings.SLP_VECTORIZE = before


@_compiled
def _add_people(
    bits: Any, groups: Any, first: Any, width: Any, table: Any, sums: Any,
    low: Any, high: Any, zeros: Any,
) -> int:  # fmt: skip
    """Add people who count 1 each; return how many of them."""
    done = bits.size
    for i in range(bits.size):
        b = bits[i]
        g = np.uint64(groups[i])
        place = (b >> _REST) - first
        if place >= width:
            if b << _ONE == 0:
                zeros[g] += 1
                continue
            done = i
            break
        if b < low[g]:
            low[g] = b
        if b > high[g]:
            high[g] = b
        t = np.float64(np.int64(b & _REST_MASK) - _HALF) * _PART
        t2 = t * t
        t4 = t2 * t2
        row = table[g * width + place]
        row[0] += 1.0
        row[1] += (t + _M) - _M
        row[2] += (t2 + _M) - _M
        row[3] += (t * t2 + _M) - _M
        row[4] += (t4 + _M) - _M
        row[5] += (t4 * t + _M) - _M
    _move(table, sums)
    return done  # type: ignore[no-any-return]


@_compiled
def _move(table: Any, sums: Any) -> None:
    """Move sums from doubles to integers."""
    for i in range(len(table)):
        row = table[i]
        if row[0] > 0.0:
            sums[i, 0] += np.int64(row[0])
            row[0] = 0.0
            for j in range(1, 6):
                sums[i, j] += np.int64(row[j] * _SCALE)
                row[j] = 0.0


@_compiled
def add_counted(
    bits: Any, groups: Any, first: Any, width: Any, counts: Any, sums: Any, more: Any,
    low: Any, high: Any, zeros: Any,
) -> int:  # fmt: skip
    """Add people who count differently; return how many of them."""
    q = np.empty(6, np.int64)
    for i in range(bits.size):
        b = bits[i]
        g = np.uint64(groups[i])
        place = (b >> _REST) - first
        if place >= width:
            if b << _ONE == 0:
                zeros[g] += counts[i]
                continue
            return i
        if b < low[g]:
            low[g] = b
        if b > high[g]:
            high[g] = b
        t = np.float64(np.int64(b & _REST_MASK) - _HALF) * _PART
        t2 = t * t
        t4 = t2 * t2
        q[1] = np.int64(((t + _M) - _M) * _SCALE)
        q[2] = np.int64(((t2 + _M) - _M) * _SCALE)
        q[3] = np.int64(((t * t2 + _M) - _M) * _SCALE)
        q[4] = np.int64(((t4 + _M) - _M) * _SCALE)
        q[5] = np.int64(((t4 * t + _M) - _M) * _SCALE)
        upper, lower = counts[i] >> HALF_COUNT, counts[i] & _COUNT_MASK
        row = g * width + place
        sums[row, 0] += counts[i]
        for j in range(1, 6):
            by_upper, by_lower = upper * q[j], lower * q[j]
            part = sums[row, j] + (by_lower & _LOW_MASK)
            part += (by_upper & _CUT_MASK) << HALF_COUNT
            more[row, j] += (by_upper >> _CUT) + (by_lower >> LOW_BITS) + (part >> LOW_BITS)
            sums[row, j] = part & _LOW_MASK
    return bits.size  # type: ignore[no-any-return]
