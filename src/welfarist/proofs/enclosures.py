"""How far log M can stray from a straight line while the power moves between two values.

Domain: known weights on the simplex; powers in [-inf, inf], or above 0 where a utility is 0.

Formula: with ``A(p) = log sum w u^p`` (convex, its second derivative the variance of log u under
the welfare shares) and ``m = log M = A / p``, two facts enclose m between the ends of an interval:

* in ``x = 1 / p``, m is the perspective ``x A(1 / x)``: convex for p > 0, concave for p < 0, with
  the slope ``-KL(q || w) = -p^2 m'``. So m lies between its chord and the tangents at both ends.
* ``m' = integral of s A''(s p) over s in [0, 1]``, and ``|A'''| <= R A''`` with R the range of
  log u, so ``|m''| <= R m'``: log m' changes no faster than R. So m is within
  ``(width^2 / 8) R max m'`` of its chord in p.

The first serves far out, where it becomes exact (m is nearly linear in 1 / p), the second through
p = 0. Both errors fall with the square of the width.

Limits: p = -inf and inf are ends like all others, at x = 0. Where a utility is 0 and p -> 0, log M
falls without end: for scores it is cut off at the smallest number, for choices, which depend on
ratios of welfare, powers are looked at from where a search for them begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.columns import People
from welfarist.families.power_mean.derivatives import log_mean_about_centre, log_mean_of_logs
from welfarist.families.power_mean.formula_ranges import SMALL_POWER

# log M is good to this many units in the last place of the largest logarithm, times log2 d.
_ULPS = 8.0 * float(np.finfo(np.float64).eps)
# d log M / d p is good to 11 digits; two are kept in hand.
_SLOPE = 1e-9
# Where a utility is 0 this stands for the limit p -> 0 from above.
_ABOVE_ZERO = 1e-300
# The logarithm of the smallest number: a welfare below is 0 for all that a score can tell.
_NOTHING = -745.0
# Sums of weights are taken for equal if rounding could have made the difference.
_SAME_WEIGHT = 1e-12
# Both enclosures are about equally good where |p| times the range of log u is 2.
_CHANGEOVER = 2.0


@dataclass(frozen=True, eq=False)
class End:
    """log M of every action at one power.

    Attributes
    ----------
    p : float
    log_mean : (N,) array
    by_power : (N,) array
        Derivative by p.
    divergence : (N,) array
        ``KL(q || w) = p^2 by_power``: minus the derivative by 1 / p.
    """

    p: float
    log_mean: FloatArray
    by_power: FloatArray
    divergence: FloatArray


@dataclass(frozen=True, eq=False)
class Interval:
    """Powers between two ends, and how far log M strays from the chord there.

    Attributes
    ----------
    low, high : End
    reciprocal : bool
        Whether the chord is straight in 1 / p rather than in p.
    below, above : (N,) arrays
        log M is at least its chord less `below`, at most its chord plus `above`; rounding is
        allowed for.
    rounding : (N,) array
        What rounding may have done to log M at the ends.
    """

    low: End
    high: End
    reciprocal: bool
    below: FloatArray
    above: FloatArray
    rounding: FloatArray

    def power_at(self, share: float) -> float:
        """The power at which the chord has gone this share of the way from low to high."""
        low, high = self.low.p, self.high.p
        if low == high:
            return low
        if not self.reciprocal:
            return low + share * (high - low)
        x = (1.0 - share) / low + share / high
        return 1.0 / x if x else (high if high > 0 else low)

    def middle(self) -> float | None:
        """Where to cut the interval in two; None if it is too short for that."""
        # Towards 0 by factors: there log M changes with 1 / p.
        p = self.high.p / 4.0 if self.low.p == _ABOVE_ZERO else self.power_at(0.5)
        return p if self.low.p < p < self.high.p else None


class PowerLine:
    """All admissible powers, for actions and weights that stay the same.

    Where only ratios of welfare matter (`relative`) and everywhere somebody has nothing, log M is
    measured from ``log(k) / p``, with k the largest weight of those who have something: linear in
    1 / p, it changes no enclosure, and what is left does not vanish as p -> 0.

    Where somebody has nothing powers end above 0, or at `lowest`. Above 0 log M falls without end
    and is cut off where a score cannot tell; from `lowest` on it is as it is, but for actions of
    no welfare, whose log M is a constant. `alive` (N,) says which actions have some.
    """

    def __init__(
        self,
        people: People,
        weights: FloatArray,
        relative: bool = False,
        lowest: float = _ABOVE_ZERO,
    ) -> None:
        assert people.table is not None
        self._logs = logs = people.table
        self._has_zeros = people.has_zeros
        self._weights = weights
        self._lowest = lowest
        self._bottom = _NOTHING if lowest == _ABOVE_ZERO else -np.inf
        most_kept = float((weights @ (logs > -np.inf)).max())
        differ = relative and 0 < most_kept < 1.0 - _SAME_WEIGHT
        self.log_kept = float(np.log(most_kept)) if differ else 0.0
        counted = logs[weights > 0]
        least, most = counted.min(axis=0), counted.max(axis=0)
        self.alive = most > -np.inf  # (N,): somebody who counts has something
        some = np.isfinite(least)  # for everybody who counts
        self._range = np.where(some, most - np.where(some, least, 0.0), np.inf)
        typical = float(np.median(self._range[some])) if some.any() else 0.0
        self._inner = _CHANGEOVER / typical if typical > 0 else 1.0
        size = np.where(np.isfinite(counted), np.abs(counted), 0.0).max(axis=0)
        self._rounding: FloatArray = _ULPS * (1.0 + np.log2(len(logs))) * (1.0 + size)

    def whole(self) -> list[Interval]:
        """All admissible powers, in intervals with one kind of enclosure each."""
        lowest = [self._lowest] if self._has_zeros else [-np.inf, -self._inner]
        ends = [self.end(p) for p in [*lowest, max(self._inner, 2.0 * self._lowest), np.inf]]
        return [self.between(low, high) for low, high in pairwise(ends)]

    def only(self, p: float) -> Interval:
        """The interval that holds one power."""
        end = self.end(p)
        rounding = self._rounding_between(end, end)
        return Interval(end, end, False, rounding, rounding, rounding)

    def halves(self, interval: Interval, p: float) -> list[Interval]:
        """Cut an interval in two at p."""
        middle = self.end(p)
        return [self.between(interval.low, middle), self.between(middle, interval.high)]

    def end(self, p: float) -> End:
        """Evaluate log M of every action at one power."""
        logs, w, has_zeros = self._logs, self._weights, self._has_zeros
        if np.isinf(p):
            value = log_mean_of_logs(logs, w, p, has_zeros).value
            by_power = np.zeros_like(value)
            divergence = -np.log(np.minimum(w @ (logs == value), 1.0))
        else:
            with np.errstate(over="ignore"):  # with a utility of 0 it falls without end as p -> 0
                value, by_power = self._log_mean(p)
                divergence = p * (p * by_power)
        divergence += self.log_kept if np.isinf(p) else 0.0
        if has_zeros:
            bottom = value <= self._bottom
            value[bottom], divergence[bottom] = _NOTHING, 0.0
        return End(p, value, by_power, divergence)

    def _log_mean(self, p: float) -> tuple[FloatArray, FloatArray]:
        """Log M and its derivative by p (N,), measured as the line measures it."""
        logs, w, has_zeros = self._logs, self._weights, self._has_zeros
        if self.log_kept and p < SMALL_POWER:
            return self._of_those_with_something(p)
        mean = log_mean_of_logs(logs, w, p, has_zeros)
        if not self.log_kept:
            return mean.value, mean.by_power
        return mean.value - self.log_kept / p, mean.by_power + self.log_kept / (p * p)

    def _of_those_with_something(self, p: float) -> tuple[FloatArray, FloatArray]:
        """The mean among those who have something, times (their weight / the largest)^(1 / p)."""
        logs, w = self._logs, self._weights
        nothing = np.isneginf(logs)
        kept = w @ ~nothing
        dead = kept == 0
        own = np.where(nothing, 0.0, w[:, None]) / np.where(dead, 1.0, kept)
        top = np.where(dead, 0.0, np.where(own > 0, logs, -np.inf).max(axis=0))
        mean = log_mean_about_centre(np.where(nothing, top, logs), own, p)
        share = np.log(np.where(dead, 1.0, kept)) - self.log_kept
        share[np.abs(share) < _SAME_WEIGHT] = 0.0  # sums of the same weights in another order
        value = np.where(dead, -np.inf, mean.value + share / p)
        return value, np.where(dead, 0.0, mean.by_power - share / p / p)

    def between(self, low: End, high: End) -> Interval:
        """Enclose log M between two powers of one sign, or between two of the inner part."""
        if self._has_zeros:
            reciprocal = low.p > _ABOVE_ZERO
        else:
            reciprocal = low.p >= self._inner or high.p <= -self._inner
        rounding = self._rounding_between(low, high)
        if not reciprocal:
            stray = self._stray_in_power(low, high) + rounding
            return Interval(low, high, False, stray, stray, rounding)
        stray = self._stray_in_reciprocal(low, high, rounding) + rounding
        below, above = (stray, rounding) if low.p > 0 else (rounding, stray)
        return Interval(low, high, True, below, above, rounding)

    def _rounding_between(self, low: End, high: End) -> FloatArray:
        """What rounding may have done to log M (N,) at both ends."""
        if not self.log_kept:
            return self._rounding
        # Sums of weights enter divided by p; at the limit p -> 0 they are compared only.
        p = high.p if low.p == _ABOVE_ZERO else low.p
        return np.asarray(self._rounding + _ULPS * (1.0 - self.log_kept) / p)

    def _stray_in_power(self, low: End, high: End) -> FloatArray:
        """Largest distance (N,) of log M from its chord in p."""
        rise = np.maximum(high.log_mean - low.log_mean, 0.0)
        width = high.p - low.p
        with np.errstate(over="ignore", invalid="ignore"):
            steepest = np.sqrt(low.by_power * high.by_power) * np.exp(self._range * (width / 2.0))
            stray = (1.0 + _SLOPE) * (width * width / 8.0) * self._range * steepest
        # Where log M was cut off at the bottom all that is known is that it does not fall.
        return np.where(low.log_mean > _NOTHING, np.fmin(stray, rise), rise)

    def _stray_in_reciprocal(self, low: End, high: End, rounding: FloatArray) -> FloatArray:
        """Distance (N,) from the chord in 1 / p to where the tangents at both ends meet."""
        near, far = (low, high) if low.p > 0 else (high, low)
        length = abs(1.0 / near.p if np.isinf(far.p) else (far.p - near.p) / near.p / far.p)
        steep = np.maximum(high.log_mean - low.log_mean, 0.0) / length
        doubt = 2.0 * rounding / length + _SLOPE * far.divergence
        one = np.maximum(far.divergence - steep, 0.0) + doubt
        other = np.maximum(steep - near.divergence, 0.0) + doubt
        return np.asarray(one / (one + other) * other * length)
