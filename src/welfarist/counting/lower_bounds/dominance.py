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
    """What each pair (n,) costs every rule: its |lead|, half of it, or nothing.

    Beyond what repeated comparisons with different outcomes cost anyway.
    """
    pairs = loss.pairs
    logs = _ordered(loss)
    chosen = np.where(pairs.lead > 0, pairs.first, pairs.second)
    other = np.where(pairs.lead > 0, pairs.second, pairs.first)
    finite = np.abs(logs[np.isfinite(logs)])
    clear = _CLEAR * (1.0 + (finite.max() if finite.size else 0.0))
    never_better = np.ones(len(pairs), dtype=bool)
    always_worse = np.ones(len(pairs), dtype=bool)
    for person in logs:
        here, there = person[chosen], person[other]
        never_better &= here <= there
        always_worse &= here < there - clear
    return np.asarray(np.abs(pairs.lead) * (0.5 * never_better + 0.5 * always_worse))


def dominance_bound(loss: ZeroOneLoss) -> float:
    """A mean loss below which no rule of the family gets, in one pass over the comparisons."""
    return loss.unavoidable + float(certain_errors(loss).sum()) / loss.total


def _ordered(loss: ZeroOneLoss) -> FloatArray:
    """Log utilities of those who may count, members of a group in order of size."""
    logs, weighting = loss.utilities.logs, loss.weighting
    if weighting.fixed is not None:
        return logs[weighting.fixed > 0]
    if weighting.group_of is None:
        return logs
    members = [weighting.group_of == group for group in range(weighting.free)]
    return np.concatenate([np.sort(logs[one], axis=0) for one in members])
