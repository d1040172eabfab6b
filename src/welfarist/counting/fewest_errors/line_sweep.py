"""What people contribute to the height of actions at one finite power.

An action's height is a sum over people of weight times contribution, and of two actions the higher
is better. Heights and weights are kept as logarithms: where |p| is large, weights matter by
``log(w) / p``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.counting.chords import Contrast, Voting
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.families.power_mean.formula_ranges import LARGE_POWER, SMALL_POWER, ZERO_POWER
from welfarist.people.weighting import Weighting

# Heights tie when their logarithms differ by no more than this many units of rounding.
_TIE = 16.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Contributions:
    """What people contribute to the height of each action at one finite power.

    Domain: p finite; p > 0 where a utility is 0.

    Formula: ``u^p``, of which a larger sum is better for p > 0 and worse for p < 0; near p = 0 the
    increasing function ``(u^p - 1) / p`` of it, less its smallest value, which keeps the digits
    that ``u^p`` loses there. A group contributes the mean of its members.

    Limits: at p = 0 the logarithm of the utility.

    Attributes
    ----------
    logs : (k, N) array
        Logarithm of the contribution per free weight and action; -inf where it is 0.
    sense : float
        1.0 if the higher action is the better one, otherwise -1.0.
    """

    logs: FloatArray
    sense: float

    @classmethod
    def of(cls, loss: ZeroOneLoss, p: float) -> Contributions:
        """Work out the contributions to a loss's actions at a finite power."""
        utilities = loss.utilities.logs
        if abs(p) >= SMALL_POWER:
            logs = min(max(p, -LARGE_POWER), LARGE_POWER) * utilities
            return cls(_group_means(logs, loss.weighting), 1.0 if p > 0 else -1.0)
        near = utilities if abs(p) < ZERO_POWER else np.expm1(p * utilities) / p
        with np.errstate(divide="ignore"):
            return cls(_group_means(np.log(near - near.min()), loss.weighting), 1.0)

    def heights(self, log_weights: FloatArray) -> FloatArray:
        """Log heights (N,) under the logarithms (k,) of weights, which need not sum to 1."""
        return log_sums(self.logs + log_weights[:, None])

    def contrast(self, heights: FloatArray, votes: Voting) -> Contrast:
        """Compare log heights (N,), pair by pair."""
        first, second = heights[votes.first], heights[votes.second]
        top = np.maximum(first, second)
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = first - second  # NaN where neither has any height: a tie
            wide = np.abs(gap) > _TIE * (1.0 + np.abs(top))
            wide |= np.isinf(gap)
            size = top + np.log(-np.expm1(-np.abs(gap)))
            sign = np.where(wide, self.sense * np.sign(gap), 0.0)
        return Contrast(sign, size)


def log_sums(logs: FloatArray) -> FloatArray:
    """Logarithm (N,) of the column sums of exp(logs) (k, N); -inf for a sum of nothing."""
    top = logs.max(axis=0)
    anchor = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(logs - anchor).sum(axis=0)) + anchor)


def _group_means(logs: FloatArray, weighting: Weighting) -> FloatArray:
    """Logarithm of each free weight's mean contribution (k, N), from one row per person (d, N)."""
    if weighting.group_of is None:
        return logs
    means = np.empty((weighting.free, logs.shape[1]))
    for group, size in enumerate(weighting.sizes()):
        means[group] = log_sums(logs[weighting.group_of == group]) - np.log(size)
    return means
