"""How far a rule may be from the fewest errors: a bound for all weights and all powers.

The line of powers, both infinities included, is cut into intervals. On each a mixed-integer
programme relaxes the 0-1 loss (`power_intervals` between finite ends, `far_powers` out to
infinity). An interval whose bound reaches the loss to be
certified holds no better rule and is done with; of the others the one with the lowest bound is
halved. The lowest bound left is one for the whole family, whenever time is up.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from welfarist.counting.lower_bounds.dominance import dominance_bound
from welfarist.counting.lower_bounds.far_powers import beyond_bound, limit_bound
from welfarist.counting.lower_bounds.mixed_integer import fewest_errors
from welfarist.counting.lower_bounds.power_intervals import best_cases
from welfarist.counting.lower_bounds.programmes import Bound
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.proofs.certificate import Certificate

# Programmes with more comparisons or free weights than this prove nothing in a reasonable time.
MOST_PAIRS, MOST_WEIGHTS = 300, 20
# Nor do those of so many choices whose menus have more actions than this on average.
_MOST_OTHERS = 9
# Powers are cut in steps of t, with p = sinh(t) / spread.
_CUTS = (-np.inf, -3.0, -1.5, 0.0, 1.5, 3.0, np.inf)
# From here on the bound for all larger |p| is worth a try between finite ends as well.
_FAR = 2.0
_NARROWEST = 1e-5
# Beyond this t doubles end, and with them what further cuts could prove.
_FURTHEST = 20.0
# Mean losses that differ by less are the same number of errors.
_NOTHING = 1e-12

_DOMINANCE = "some comparisons are wrong under every rule, since everybody prefers the other action"
_OUT_OF_TIME = "; the time limit was reached"


def proven_gap(
    loss: ZeroOneLoss,
    incumbent: float,
    p_fixed: float | None = None,
    time_limit: float = 10.0,
    *,
    late: bool = False,
) -> Certificate:
    """Prove how much lower than a given one the mean 0-1 loss can be.

    Parameters
    ----------
    loss : ZeroOneLoss
    incumbent : float
        The mean loss of the rule to be certified.
    p_fixed : float, optional
        The power, where it is not learned.
    time_limit : float
        Seconds; when they are over, what has been proven so far is returned.
    late : bool
        Whether time was short already when the rule was sought, which is to be said unless it is
        proven best.

    Notes
    -----
    First the comparisons are counted that every rule gets wrong because everybody prefers the
    other action. For data that are too large for more (over 300 different pairs or 20 free
    weights), where weights are known, and with utilities of 0 unless the power is fixed, that is
    the bound.
    """
    deadline = time.monotonic() + time_limit
    bound = dominance_bound(loss)
    if bound >= incumbent - _NOTHING:
        return Certificate(incumbent, incumbent, f"{_DOMINANCE}; the fit errs in no others")
    if not is_small(loss) or (p_fixed is None and loss.utilities.has_zeros):
        return Certificate(incumbent, bound, _DOMINANCE + _OUT_OF_TIME * late)
    if p_fixed is None:
        return _over_powers(loss, incumbent, bound, deadline, late)
    return _at_one_power(loss, incumbent, bound, p_fixed, time_limit, late)


def is_small(loss: ZeroOneLoss) -> bool:
    """Whether programmes over the weights may prove something in a reasonable time."""
    stakes = loss.stakes
    few = len(stakes) <= MOST_PAIRS and len(stakes.owner) <= _MOST_OTHERS * MOST_PAIRS
    return few and 0 < loss.weighting.free <= MOST_WEIGHTS


def _at_one_power(
    loss: ZeroOneLoss, incumbent: float, least: float, p: float, time_limit: float, late: bool
) -> Certificate:
    found: Bound
    if np.isinf(p):
        found = limit_bound(loss, p, time_limit, incumbent)
    else:
        found = fewest_errors(loss, best_cases(loss, p, p), time_limit, incumbent)
    bound = max(found.lower_bound, least)
    ending = _OUT_OF_TIME if bound < incumbent and (found.time_limit_hit or late) else ""
    return Certificate(incumbent, bound, f"a mixed-integer programme over the weights{ending}")


@dataclass(frozen=True, order=True)
class _Interval:
    """A bound of the mean loss for powers from sinh(low) to sinh(high), in units of 1 / spread."""

    bound: float
    low: float
    high: float

    @property
    def middle(self) -> float:
        """Where to cut it in two."""
        if np.isinf(self.low):
            return self.high - 1.0
        return self.low + 1.0 if np.isinf(self.high) else (self.low + self.high) / 2

    def halves(self) -> tuple[_Interval, _Interval]:
        """Both parts, of which as much is known as of the whole."""
        return replace(self, high=self.middle), replace(self, low=self.middle)


def _over_powers(
    loss: ZeroOneLoss, incumbent: float, least: float, deadline: float, late: bool
) -> Certificate:
    """Branch over p, from a bound that holds everywhere, until the deadline."""
    waiting = [_Interval(least, low, high) for low, high in pairwise(_CUTS)]
    # Intervals that are too narrow to cut, or too far out: what is proven there is final.
    final = incumbent
    slice_of_time = max((deadline - time.monotonic()) / 10, 0.5)
    tried = 0
    while waiting and waiting[0].bound < min(final, incumbent - _NOTHING):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        interval = heapq.heappop(waiting)
        bound, cut_short = _bound(loss, incumbent, interval, min(left, slice_of_time))
        tried, late = tried + 1, late or cut_short
        interval = replace(interval, bound=max(bound, interval.bound))
        if interval.bound >= incumbent - _NOTHING:
            continue
        if interval.high - interval.low < _NARROWEST or abs(interval.middle) > _FURTHEST:
            final = min(final, interval.bound)
            continue
        for half in interval.halves():
            heapq.heappush(waiting, half)
    lowest = min([final, *(interval.bound for interval in waiting)])
    reached = lowest >= incumbent - _NOTHING
    ending = _OUT_OF_TIME if not reached and (late or time.monotonic() >= deadline) else ""
    method = f"branch and bound over p, {tried} mixed-integer programmes over the weights{ending}"
    return Certificate(incumbent, incumbent if reached else lowest, method)


def _bound(
    loss: ZeroOneLoss, incumbent: float, interval: _Interval, time_limit: float
) -> tuple[float, bool]:
    """A mean loss that no rule with a power of the interval is below; whether time was short."""
    deadline = time.monotonic() + time_limit
    spread = loss.utilities.spread
    low, high = float(np.sinh(interval.low)) / spread, float(np.sinh(interval.high)) / spread
    nearest = low if low > 0 else high
    bound, late = -np.inf, False
    if np.isfinite(low) and np.isfinite(high):
        found: Bound = fewest_errors(loss, best_cases(loss, low, high), time_limit, incumbent)
        bound, late = found.lower_bound, found.time_limit_hit
    far = interval.low >= _FAR or interval.high <= -_FAR
    if far and bound < incumbent - _NOTHING:
        left = max(deadline - time.monotonic(), 0.0)
        found = beyond_bound(loss, nearest, left, incumbent)
        bound, late = max(bound, found.lower_bound), late or found.time_limit_hit
    return bound, late
