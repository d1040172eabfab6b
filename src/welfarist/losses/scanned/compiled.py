"""Sums over decisions in compiled loops (extra `fast`); their twins are in NumPy.

Domain: finite values of the actions, times the temperature; outcomes -1, 0 or 1.

Formula: ``l = log(1 + e^-|z|) + (|z| - y z) / 2`` with z the difference of two values, which is
``log(1 + e^(-y z))`` for y = 1 and -1, and the mean of both for a tie. A logarithm is taken of a
product of 256 of the sums ``1 + e^-|z|`` <= 2, which is a number up to 1024 of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

_compiled = njit(cache=True, nogil=True, error_model="numpy")
# Comparisons that are worked on at a time, and whose sums 1 + e^-|z| have a product.
_BLOCK = 256


@_compiled
def add_pairs(first: Any, second: Any, outcome: Any, values: Any, pull: Any) -> Any:
    """Add the pulls of comparisons (n,) to `pull` (N,).

    Row numbers are unsigned: no check for negative ones is needed then, which costs a nanosecond.
    Comparisons are worked on in blocks, a loop for each step of the formula: the processor has
    several of them under way at once. Returns the loss, the sum of by_margin times margin, and how
    many more comparisons are right than wrong.
    """
    logs = linear = along = ahead = 0.0
    z, e, by_margin = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    size = len(first)
    for start in range(0, size, _BLOCK):
        block = min(_BLOCK, size - start)
        for j in range(block):
            z[j] = values[first[start + j]] - values[second[start + j]]
        for j in range(block):
            e[j] = math.exp(-abs(z[j]))
        product = 1.0
        for j in range(block):
            y = float(outcome[start + j])
            slope = math.copysign((1.0 - e[j]) / (1.0 + e[j]), z[j])
            by_margin[j] = 0.5 * (slope - y)
            along += by_margin[j] * z[j]
            linear += abs(z[j]) - y * z[j]
            ahead += math.copysign(y, y * z[j]) if z[j] != 0.0 else 0.0
            product *= 1.0 + e[j]
        logs += math.log(product)
        for j in range(block):
            pull[first[start + j]] += by_margin[j]
            pull[second[start + j]] -= by_margin[j]
    return logs + 0.5 * linear, along, ahead


@_compiled
def add_counted_pairs(
    first: Any, second: Any, outcome: Any, count: Any, values: Any, pull: Any
) -> Any:
    """Do the same for comparisons that were observed `count` (n,) times each."""
    lost = along = ahead = 0.0
    for i in range(len(first)):
        one, other, often = first[i], second[i], count[i]
        z = values[one] - values[other]
        y = float(outcome[i])
        size = abs(z)
        e = math.exp(-size)
        lost += often * (math.log1p(e) + 0.5 * (size - y * z))
        slope = (1.0 - e) / (1.0 + e)
        sign = 0.0
        if z > 0.0:
            sign = 1.0
        elif z < 0.0:
            sign = -1.0
        by_margin = 0.5 * often * (sign * slope - y)
        pull[one] += by_margin
        pull[other] -= by_margin
        along += by_margin * z
        ahead += often * sign * y
    return lost, along, ahead


@_compiled
def add_menus(
    rows: Any, starts: Any, chosen: Any, count: Any, values: Any, pull: Any, equal: float
) -> Any:
    """Add the pulls of choices from menus to `pull` (N,).

    Menu i has the actions ``rows[starts[i] : starts[i + 1]]``, of which `chosen[i]` (a place) was
    taken `count[i]` times. Returns the loss, the sum of pulls times values, and how often the rule
    makes the same choice; of several best ones (up to `equal`) each has a share.
    """
    lost = along = hits = 0.0
    for i in range(len(chosen)):
        low, high = starts[i], starts[i + 1]
        best = values[rows[low]]
        for k in range(low + 1, high):
            best = max(best, values[rows[k]])
        total = 0.0
        top = 0
        for k in range(low, high):
            here = values[rows[k]]
            total += math.exp(here - best)
            if here >= best - equal:
                top += 1
        often = count[i]
        taken = rows[low + chosen[i]]
        lost += often * (math.log(total) + best - values[taken])
        if values[taken] >= best - equal:
            hits += often / top
        for k in range(low, high):
            here = values[rows[k]]
            push = often * math.exp(here - best) / total
            pull[rows[k]] += push
            along += push * here
        pull[taken] -= often
        along -= often * values[taken]
    return lost, along, hits
