"""The log power mean of groups from those of each: the same power mean once more.

The power mean of everybody is the power mean over groups, by the groups' shares, of the groups'
power means. It grows with each of them, so that intervals of groups give an interval of all.
"""

from __future__ import annotations

from math import inf

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.formula_ranges import SMALL_POWER
from welfarist.people.sketch.enclosures import Means

_U = 2.0**-53
# A product this small has lost digits, and is nothing beside 1.
_NOTHING = 1e-290


def mixed(groups: Means, shares: FloatArray, p: float) -> Means:
    """Return the means of actions (N,) from those of their groups, (groups, N) in each array.

    `shares` (groups,) sum to 1; each is taken to be off by 4 units in the last place at most.
    """
    counts = shares > 0
    own = shares[counts]
    found = [_mixed(level[counts], own, p) for level in (groups.value, groups.low, groups.high)]
    (value, _), (low, low_off), (high, high_off) = found
    with np.errstate(invalid="ignore"):
        low, high = low - low_off, high + high_off
    nothing = np.isneginf(value)
    low, high = np.where(nothing, -inf, low), np.where(nothing, -inf, high)
    return Means(np.clip(value, low, high), low, high)


def _mixed(levels: FloatArray, shares: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
    """Return the mean (N,) of levels (G, N), and a bound on its rounding."""
    if p == inf or (p == -inf):
        end = levels.max(axis=0) if p > 0 else levels.min(axis=0)
        return end, np.zeros(len(end))
    dead = np.isneginf(levels).all(axis=0) if p > 0 else np.isneginf(levels).any(axis=0)
    safe = np.where(dead, 0.0, levels)
    sizes = np.where(np.isfinite(safe), np.abs(safe), 0.0).max(axis=0)
    near = abs(p) < SMALL_POWER and bool(np.isfinite(safe).all())
    mean, off = (_near_zero if near else _far_from_zero)(safe, shares, p)
    return np.where(dead, -inf, mean), np.where(dead, 0.0, off + 16 * _U * sizes)


def _far_from_zero(
    levels: FloatArray, shares: FloatArray, p: float
) -> tuple[FloatArray, FloatArray]:
    end = levels.max(axis=0) if p > 0 else levels.min(axis=0)
    offsets = levels - end
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        terms = np.exp(p * offsets)
        moved = np.where(terms > 0, terms * np.abs(p * offsets), 0.0)
    total = shares @ terms
    relative = (len(shares) + 24) * _U + 4 * _U * (shares @ moved) / total
    return end + np.log(total) / p, 1.01 * (relative + 8 * _U * np.abs(np.log(total))) / abs(p)


def _near_zero(levels: FloatArray, shares: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
    middle = shares @ levels
    offsets = levels - middle
    gain = _grown(offsets, p)
    total = shares @ gain
    sized, moved = shares @ np.abs(gain), shares @ (np.exp(p * offsets) * np.abs(offsets))
    off = (len(shares) + 24) * _U * sized + 4 * _U * moved
    grown = 1.0 + p * total
    back = np.where(np.abs(p * total) < _NOTHING, total, np.log1p(p * total) / _not_zero(p))
    return middle + back, 1.01 * (2.0 * off / np.maximum(grown, 1e-300) + 16 * _U * np.abs(back))


def _grown(offsets: FloatArray, p: float) -> FloatArray:
    """Return ``expm1(p x) / p``, which is x where their product is next to nothing.

    However small p is, that must be asked of the product: where somebody has nothing, the mean of a
    group lies at ``log(share) / p``.
    """
    return np.where(np.abs(p * offsets) < _NOTHING, offsets, np.expm1(p * offsets) / _not_zero(p))


def _not_zero(p: float) -> float:
    return p or 1.0
