"""The exact best step along a line of weights, for the share of comparisons that a rule gets wrong.

At a fixed finite power an action's height is a sum over people of weight times contribution, and of
two actions the higher is better. A line through the simplex of weights is a chord: with weights
``start + ratio * end`` and the ratio running from 0 to infinity every comparison is decided by a
linear function of the ratio, so that it changes its answer at most once. Sorting the ratios at
which they change and adding up what each change is worth gives the loss on the whole chord at once.

Heights, weights and ratios are kept as logarithms: where |p| is large, weights matter by
``log(w) / p``, and the ratios at which answers change span more than doubles hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.families.power_mean.formula_ranges import LARGE_POWER, SMALL_POWER, ZERO_POWER
from welfarist.people.weighting import Weighting

# Heights tie when their logarithms differ by no more than this many units of rounding.
_TIE = 16.0 * float(np.finfo(np.float64).eps)
# An interval of log ratios narrower than this is nothing but rounding of one and the same flip.
_NARROW = 1e-11


@dataclass(frozen=True)
class Votes:
    """The compared pairs on which rules can differ: those with a lead.

    Attributes
    ----------
    first, second : (m,) arrays of int
        Action numbers.
    lead : (m,) array
        How much more often the first was preferred; never 0.
    """

    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]
    lead: FloatArray

    @classmethod
    def of(cls, loss: ZeroOneLoss) -> Votes:
        """Leave out the pairs that cost every rule the same."""
        told = loss.pairs.take(np.flatnonzero(loss.pairs.lead))
        return cls(told.first, told.second, told.lead)


@dataclass(frozen=True)
class Contrast:
    """Whether and by how much the first action of each pair is the higher one.

    Attributes
    ----------
    sign : (m,) array
        +1 where the first is better, -1 where it is worse, 0 where they tie.
    size : (m,) array
        Logarithm of the difference in height; meaningless where they tie.
    """

    sign: FloatArray
    size: FloatArray


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

    def contrast(self, heights: FloatArray, votes: Votes) -> Contrast:
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


@dataclass(frozen=True)
class Step:
    """The best place on a chord.

    Attributes
    ----------
    log_ratio : float
        Logarithm of the ratio at the middle of the widest best interval; -inf and inf are the ends
        of the chord, named only where they are better than every point between.
    agreement : float
        Sum of the leads with which the rule agrees, less those with which it does not: the larger,
        the lower the loss.
    width : float
        How far the interval reaches, in log ratios.
    """

    log_ratio: float
    agreement: float
    width: float


def best_step(
    start: Contrast, end: Contrast, lead: FloatArray, margin: float, now: float = 0.0
) -> Step:
    """Find where on a chord the rule agrees with most comparisons.

    Parameters
    ----------
    start, end : Contrast
        The pairs under the weights at both ends of the chord.
    lead : (m,) array
        How much more often the first action was preferred.
    margin : float
        How far in log ratios to stay from the last flip where nothing else limits an interval.
    now : float
        The log ratio to keep where no comparison ever changes its answer.

    Notes
    -----
    A single point between two intervals is never better than both of them, since ties are half an
    error; an end of the chord may be, where pairs tie that are decided wrongly right beside it.
    """
    near_start = np.where(start.sign != 0, start.sign, end.sign)
    flips = np.flatnonzero(start.sign * end.sign < 0)
    roots = start.size[flips] - end.size[flips]
    order = np.argsort(roots)
    flips, roots = flips[order], roots[order]
    agreement = np.empty(len(roots) + 1)
    agreement[0] = near_start @ lead
    np.cumsum(2.0 * end.sign[flips] * lead[flips], out=agreement[1:])
    agreement[1:] += agreement[0]
    step = _widest_best(roots, agreement, margin, now)
    ends = ((-np.inf, start.sign @ lead), (np.inf, end.sign @ lead))
    for place, here in ends:
        if here > step.agreement + _rounding_of(lead):
            step = Step(place, float(here), np.inf)
    return step


def _widest_best(roots: FloatArray, agreement: FloatArray, margin: float, now: float) -> Step:
    """Choose among the intervals between sorted roots (m,), with agreement (m + 1,) on each."""
    if len(roots) == 0:
        return Step(now if np.isfinite(now) else 0.0, float(agreement[0]), np.inf)
    fences = np.concatenate([[roots[0] - 2 * margin], roots, [roots[-1] + 2 * margin]])
    widths = np.diff(fences)
    agreement = np.where(widths > _NARROW * (1.0 + np.abs(fences[1:])), agreement, -np.inf)
    best = agreement.max()
    widths = np.where(agreement >= best - 1e-9 * (1.0 + abs(best)), widths, -np.inf)
    chosen = int(np.argmax(widths))
    middle = 0.5 * (fences[chosen] + fences[chosen + 1])
    return Step(float(middle), float(agreement[chosen]), float(widths[chosen]))


def _rounding_of(lead: FloatArray) -> float:
    return 1e-12 * float(np.abs(lead).sum())


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
