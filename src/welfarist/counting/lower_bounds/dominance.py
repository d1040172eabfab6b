"""Comparisons that every rule of the family gets wrong: a cheap bound for any weights and power.

A power mean never falls when somebody gains. So an action that is worse for everybody is worse
under every rule, and one that is better for nobody is at best a tie. Members of a group that share
their weight are interchangeable, so that their utilities may be compared in order of size.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.counting.zero_one import ZeroOneLoss

# Worse by less than this, relative to the size of log utilities, may be a tie once evaluated.
_CLEAR = 1e-12


def certain_errors(loss: ZeroOneLoss) -> FloatArray:
    """What each claim (c,) costs every rule: all, half of it, or nothing.

    Beyond what repeated comparisons with different outcomes cost anyway. A choice from a menu is
    wrong if it is against one other action, and half right at most if it can only tie with one.
    """
    stakes = loss.stakes
    logs = _ordered(loss)
    chosen, other = stakes.better, stakes.worse
    finite = np.abs(logs[np.isfinite(logs)])
    clear = _CLEAR * (1.0 + (finite.max() if finite.size else 0.0))
    never_better = np.ones(len(chosen), dtype=bool)
    always_worse = np.ones(len(chosen), dtype=bool)
    for person in logs:
        here, there = person[chosen], person[other]
        never_better &= here <= there
        always_worse &= here < there - clear
    return np.asarray(stakes.cost * stakes.largest(0.5 * never_better + 0.5 * always_worse))


def dominance_bound(loss: ZeroOneLoss) -> float:
    """A mean loss below which no rule of the family gets, in one pass over the comparisons."""
    stakes, floor = loss.stakes, certain_errors(loss)
    most = stakes.cost - floor
    # What can only tie with another is right to a half, and so is the other, which may be a rival.
    tied = (floor > 0) & (most > 0)
    most = np.where(tied, most + 0.5 * stakes.largest_rival(most), most)
    right = float(stakes.largest_of_rivals(most).sum())
    return stakes.base + (float(stakes.cost.sum()) - right) / loss.total


def _ordered(loss: ZeroOneLoss) -> FloatArray:
    """Log utilities of those who may count, members of a group in order of size."""
    logs, weighting = loss.utilities.logs, loss.weighting
    if weighting.fixed is not None:
        return logs[weighting.fixed > 0]
    if weighting.group_of is None:
        return logs
    members = [weighting.group_of == group for group in range(weighting.free)]
    return np.concatenate([np.sort(logs[one], axis=0) for one in members])
