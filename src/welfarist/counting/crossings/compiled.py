"""Isolation of crossings in compiled loops, one pair after the other (extra `fast`).

The method is that of :mod:`welfarist.counting.crossings.vectorised`, which is its twin; here each
pair goes from large powers to small, so that the crossings already found tighten the bound on how
many are left: beyond p there are no more than the changes of sign of the cumulative sums of ``c_k
e^(p l_k)``.

One evaluation at p gives, in the order of the constants below, the convex functions
``A = log sum_(c>0) c e^(-p x)`` and ``B`` of the negative masses, their derivatives, the rounding
of A - B, the sign of A - B (0 if rounding hides it) and the bound on crossings beyond p; x >= 0 is
how far a level lies below the highest.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from welfarist.base.validation import FloatArray

_P, _A, _A1, _B, _B1, _ROUNDING, _SIGN, _BEYOND = range(8)
_WIDTH = 8
_EPS = float(np.finfo(np.float64).eps)
# Doublings from the first power until the highest level decides, and halvings towards 0; a few
# hundred splits are many, but welfares that nearly agree over a range of powers take more.
_MOST_POINTS = 128
_MOST_SPLITS = 10**6
# Where to look for a certain sign inside an interval.
_PLACES = np.array([0.5, 0.4375, 0.5625, 0.34375, 0.65625, 0.25, 0.75])
# An interval this narrow, relative to its powers, is not split any more.
_NARROW = 1e-13
_NEWTON_STEPS = 60

_compiled = njit(cache=True, nogil=True, error_model="numpy")


@_compiled
def _evaluate(c: Any, x: Any, size: int, tops: Any, rounding: float, p: float, out: Any) -> None:
    """Write one evaluation at p into `out`; `tops` are the x of the highest level on each side."""
    up = down = up_x = down_x = 0.0
    run = slack = 0.0
    changes, unsure, last = 0, 0, 0
    lift_up, lift_down = math.exp(-p * tops[0]), math.exp(-p * tops[1])
    for k in range(size):
        if c[k] > 0:
            y = x[k] - tops[0]
            term = c[k] * math.exp(-p * y)
            up += term
            up_x += term * y
            common = term * lift_up
            run += common
        else:
            y = x[k] - tops[1]
            term = -c[k] * math.exp(-p * y)
            down += term
            down_x += term * y
            common = term * lift_down
            run -= common
        slack += common * _EPS * (size + 4.0 + p * x[k]) + common * 2.0 * p * rounding
        if run > slack:
            sign = 1
        elif run < -slack:
            sign = -1
        else:
            unsure += 1
            continue
        if last != 0:
            # Sums of unknown sign between two known ones may hide as many changes as fit.
            hidden = unsure + 1
            different = 1 if sign != last else 0
            changes += hidden if hidden % 2 == different else hidden - 1
        last = sign
        unsure = 0
    out[_P] = p
    out[_A] = math.log(up) - p * tops[0]
    out[_B] = math.log(down) - p * tops[1]
    out[_A1] = -(tops[0] + up_x / up)
    out[_B1] = -(tops[1] + down_x / down)
    error = _EPS * (size + 8.0 + 2.0 * p * (up_x / up + down_x / down + tops[0] + tops[1]))
    out[_ROUNDING] = error + 2.0 * p * rounding
    difference = out[_A] - out[_B]
    out[_SIGN] = 0.0
    if abs(difference) > out[_ROUNDING]:
        out[_SIGN] = 1.0 if difference > 0 else -1.0
        if unsure > 0:
            hidden = unsure
            different = 1 if out[_SIGN] != last else 0
            changes += hidden if hidden % 2 == different else max(hidden - 1, different)
    else:
        changes += unsure
    out[_BEYOND] = changes


@_compiled
def _certain_point(
    c: Any, x: Any, size: int, tops: Any, rounding: float, low: float, high: float, out: Any
) -> bool:
    """Evaluate inside (low, high) where the sign is certain; False if there is no such place."""
    for place in _PLACES:
        _evaluate(c, x, size, tops, rounding, low + place * (high - low), out)
        if out[_SIGN] != 0.0:
            return True
    return False


@_compiled
def _keeps_away(a: Any, b: Any) -> bool:
    """Whether A - B, of one sign at both ends, certainly keeps it in between.

    The side that should be larger lies above its tangents, the other below its chord.
    """
    over, over1, under = (_A, _A1, _B) if b[_SIGN] > 0 else (_B, _B1, _A)
    bend = b[over1] - a[over1]
    width = b[_P] - a[_P]
    if bend <= 0.0:  # both sides are straight
        return True
    # The tangents meet here, measured from a.
    meet = (a[over] - b[over] + b[over1] * width) / bend
    meet = min(max(meet, 0.0), width)
    tangent = max(a[over] + a[over1] * meet, b[over] - b[over1] * (width - meet))
    chord = a[under] + (b[under] - a[under]) * (meet / width)
    return bool(tangent - chord > max(a[_ROUNDING], b[_ROUNDING]))


@_compiled
def _is_monotone(a: Any, b: Any) -> bool:
    """Whether A - B certainly rises or certainly falls all the way from a to b."""
    least, most = a[_A1] - b[_B1], b[_A1] - a[_B1]
    slack = 8.0 * _EPS * (abs(a[_A1]) + abs(a[_B1]))
    return bool(least > slack or most < -slack)


@_compiled
def _pin_down(
    c: Any, x: Any, size: int, tops: Any, rounding: float, a: Any, b: Any, work: Any, found: Any
) -> None:
    """Write the one crossing between a and b and its radius into `found`: Newton, safeguarded."""
    low, high, sign = a[_P], b[_P], b[_SIGN]
    p = 0.5 * (low + high)
    for _ in range(_NEWTON_STEPS):
        _evaluate(c, x, size, tops, rounding, p, work)
        difference = work[_A] - work[_B]
        slope = work[_A1] - work[_B1]
        if work[_SIGN] == sign:
            high = p
        elif work[_SIGN] == -sign:
            low = p
        else:
            break
        step = p - difference / slope if slope != 0.0 else low
        if not low < step < high:
            step = 0.5 * (low + high)
        if abs(step - p) <= _EPS * p:
            break
        p = step
    slope = abs(work[_A1] - work[_B1])
    radius = 2.0 * (work[_ROUNDING] / slope if slope > 0.0 else high - low) + 2.0 * _EPS * p
    # Widen until both ends have certain signs; those of the bracket have.
    while True:
        left, right = max(p - radius, low), min(p + radius, high)
        _evaluate(c, x, size, tops, rounding, left, work)
        good = work[_SIGN] == -sign or left == low
        _evaluate(c, x, size, tops, rounding, right, work)
        if good and (work[_SIGN] == sign or right == high):
            break
        radius *= 2.0
    found[0] = p
    found[1] = max(p - left, right - p)


@_compiled
def _grid(c: Any, x: Any, size: int, tops: Any, rounding: float, start: Any, points: Any) -> int:
    """Fill `points` with certain evaluations from near 0 to where nothing crosses any more.

    Returns how many there are. `start` is the evaluation at 0; where its sign is unknown, halving
    goes on towards 0 until rounding hides the sign.
    """
    unit = 0.75 / x[size - 1]
    count = 1
    points[0] = start
    if start[_SIGN] == 0.0:
        count = 0
        small = unit
        while count < _MOST_POINTS // 2:
            _evaluate(c, x, size, tops, rounding, small, points[count])
            if points[count, _SIGN] == 0.0:
                break
            count += 1
            small *= 0.5
        for i in range(count // 2):  # from small to large
            for j in range(_WIDTH):
                kept = points[i, j]
                points[i, j] = points[count - 1 - i, j]
                points[count - 1 - i, j] = kept
        unit *= 2.0
    while count < _MOST_POINTS:
        if _certain_point(c, x, size, tops, rounding, 0.5 * unit, 1.5 * unit, points[count]):
            count += 1
            if points[count - 1, _BEYOND] == 0.0:
                break
        unit *= 2.0
    return count


@_compiled
def _beyond_zero(
    c: Any, x: Any, size: int, rounding: float, start_sign: float, most: int, found: Any
) -> tuple[int, int]:
    """Find the crossings at p > 0; returns how many, and how many intervals stay undecided.

    Undecided ones, where A and B touch or cross twice within rounding, are written to the end of
    `found` (from the last row backwards).
    """
    tops = np.zeros(2)
    above, below = -1, -1
    for k in range(size):
        if c[k] > 0 and above < 0:
            above = k
        if c[k] < 0 and below < 0:
            below = k
    if above < 0 or below < 0:
        return 0, 0
    tops[0], tops[1] = x[above], x[below]
    points = np.empty((_MOST_POINTS, _WIDTH))
    start = np.empty(_WIDTH)
    _evaluate(c, x, size, tops, rounding, 0.0, start)
    start[_SIGN] = start_sign
    start[_BEYOND] = most
    count = _grid(c, x, size, tops, rounding, start, points)
    crossings, undecided = 0, 0
    if points[count - 1, _BEYOND] > 0.0:  # rounding hides which of the highest levels decide
        undecided = 1
        found[len(found) - 1, 0], found[len(found) - 1, 1] = points[count - 1, _P], np.inf
    stack = np.empty((64, 2, _WIDTH))
    middle, work = np.empty(_WIDTH), np.empty(_WIDTH)
    for piece in range(count - 2, -1, -1):
        depth = 1
        stack[0, 0], stack[0, 1] = points[piece], points[piece + 1]
        steps = 0
        while depth > 0:
            depth -= 1
            steps += 1
            a, b = stack[depth, 0].copy(), stack[depth, 1].copy()
            left = min(a[_BEYOND], most) - crossings
            odd = a[_SIGN] != b[_SIGN]
            if not odd and (left <= 1.0 or _is_monotone(a, b) or _keeps_away(a, b)):
                continue
            if odd and (left <= 2.0 or _is_monotone(a, b)):
                _pin_down(c, x, size, tops, rounding, a, b, work, found[crossings])
                crossings += 1
                continue
            low, high = a[_P], b[_P]
            splits = high - low > _NARROW * high and steps < _MOST_SPLITS and depth < 62
            if splits and _certain_point(c, x, size, tops, rounding, low, high, middle):
                stack[depth, 0], stack[depth, 1] = a, middle
                stack[depth + 1, 0], stack[depth + 1, 1] = middle, b
                depth += 2
                continue
            if odd:
                found[crossings, 0], found[crossings, 1] = 0.5 * (low + high), 0.5 * (high - low)
                crossings += 1
            else:
                undecided += 1
                row = len(found) - undecided
                found[row, 0], found[row, 1] = low, high
    return crossings, undecided


@_compiled
def isolate(
    mass: FloatArray,
    depth: FloatArray,
    size: Any,
    rounding: FloatArray,
    start: Any,
    most: Any,
    found: Any,
    counts: Any,
) -> None:
    """Isolate the crossings at p > 0 of every pair.

    Parameters
    ----------
    mass, depth : (n, K) arrays
        Net masses, and how far each level lies below the highest.
    size, rounding, start, most : (n,) arrays
        Number of terms; rounding of the levels; sign just above p = 0 (0 if unknown); the most
        crossings there can be.
    found : (n, K + 8, 2) array
        Written: crossings and their radii first; the ends of undecided intervals from the last
        row backwards.
    counts : (n, 2) array
        Written: how many crossings, how many undecided intervals.
    """
    for pair in range(len(size)):
        counts[pair, 0], counts[pair, 1] = _beyond_zero(
            mass[pair],
            depth[pair],
            size[pair],
            rounding[pair],
            start[pair],
            most[pair],
            found[pair],
        )
