"""The exact best step along a line of weights, for the share of decisions that a rule gets wrong.

At a fixed finite power an action's height is a sum over people of weight times contribution, and of
two actions the higher is better. A line through the simplex of weights is a chord: with weights
``start + ratio * end`` and the ratio running from 0 to infinity every comparison is decided by a
linear function of the ratio, so that it changes its answer at most once. Sorting the ratios at
which they change and adding up what each change is worth gives the loss on the whole chord at once.

Ratios are kept as logarithms: those at which answers change span more than doubles hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.decisions.merged_pairs import MergedPairs

# An interval of log ratios narrower than this is nothing but rounding of one and the same flip.
_NARROW = 1e-11


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
    step = widest_best(roots, agreement, margin, now)
    ends = ((-np.inf, start.sign @ lead), (np.inf, end.sign @ lead))
    for place, here in ends:
        if here > step.agreement + _rounding_of(lead):
            step = Step(place, float(here), np.inf)
    return step


def widest_best(roots: FloatArray, agreement: FloatArray, margin: float, now: float) -> Step:
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


class Voting(Protocol):
    """What decisions have to say about pairs of actions."""

    @property
    def first(self) -> npt.NDArray[np.int32]:
        """The first action (m,) of each pair."""
        ...

    @property
    def second(self) -> npt.NDArray[np.int32]:
        """The second action (m,) of each pair."""
        ...

    def agreement(self, signs: FloatArray) -> float:
        """How far answers (m,) in {-1, 0, 1} agree with the decisions: the larger the better."""
        ...

    def best_step(self, start: Contrast, end: Contrast, margin: float, now: float) -> Step:
        """Find where on a chord the rule agrees best."""
        ...


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
    def of(cls, pairs: MergedPairs) -> Votes:
        """Leave out the pairs that cost every rule the same."""
        told = pairs.take(np.flatnonzero(pairs.lead))
        return cls(told.first, told.second, told.lead)

    def agreement(self, signs: FloatArray) -> float:
        """Sum of the leads with which answers (m,) agree, less those with which they do not."""
        return float(signs @ self.lead)

    def best_step(self, start: Contrast, end: Contrast, margin: float, now: float) -> Step:
        """Find where on a chord the rule agrees with most comparisons: see :func:`best_step`."""
        return best_step(start, end, self.lead, margin, now)
