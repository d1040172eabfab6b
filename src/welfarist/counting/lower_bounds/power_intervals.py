"""What a comparison may look like at best while p is anywhere in an interval.

Domain: -inf < low <= high < inf; 0 <= low where a utility is 0.

Formula: between the chosen action's utility u and the other's v, a person's contrast is ::

    y(p) = (u^p - v^p) / p = integral of e^(p s) for s from log v to log u

with the sign of ``u - v`` at every p. The chosen action is right if ``w . y(p) > 0``, or scaled by
any positive number, which may depend on p: here ``e^(-p c)``. As an integral of exponentials
|y| e^(-p c) is log-convex in p. Its maximum over the interval is at one of the ends, and its
logarithm is nowhere below its tangents at the ends. As weights are not negative, replacing each
person's contrast by its best case, the largest if positive and the closest to 0 if negative, can
only turn more comparisons right. That is a relaxation, and exact for an interval of no length.

The scale c of a comparison is put between the logarithms at which those in favour and those against
are found: where it separates them, the ratio between any two people is not widened at all.

Limits: at p = 0 y is ``log u - log v``. Where a utility is 0, p > 0 and y is ``u^p / p``; as that
has no limit at p = 0, an interval that starts there is scaled by p as well.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.families.power_mean.formula_ranges import ZERO_POWER

# Below this, 1/q - 1/(e^q - 1) is taken from its series, before it loses more than 3 digits.
_SERIES_RADIUS = 1e-3
# Beyond this, e^q is no number any more, and its reciprocal is nothing.
_LARGEST_EXPONENT = 700.0
# A length that stands for infinity: no two doubles have logarithms so far apart.
_ENDLESS = 1e5


def best_cases(loss: ZeroOneLoss, low: float, high: float) -> FloatArray:
    """The best case of every pair's contrast in favour of the action that was preferred.

    Parameters
    ----------
    loss : ZeroOneLoss
    low, high : float
        The interval of powers.

    Returns
    -------
    (n, k) array
        A row per pair of the loss's stakes, and a column per free weight; each row is scaled so
        that its largest entry is 1 in size. Under weights w, the action that was preferred is the
        better one for some p of the interval only if ``row . w > 0``. Pairs without a lead are
        given as if the first had been preferred.
    """
    chosen, other = preferred(loss)
    contrasts = _Contrasts(chosen, other)
    centre = contrasts.centre((low + high) / 2)
    favour = contrasts.favour
    logs = np.where(favour != 0, contrasts.best_logs(low, high, centre), -np.inf)
    top = logs.max(axis=0)
    rows = favour * np.exp(logs - np.where(np.isfinite(top), top, 0.0))
    rows = loss.weighting.pull_back(rows).T
    size = np.abs(rows).max(axis=1, keepdims=True)
    return np.asarray(rows / np.where(size > 0, size, 1.0))


def preferred(loss: ZeroOneLoss) -> tuple[FloatArray, FloatArray]:
    """Log utilities (d, n) of the action preferred in each pair, and of the other one."""
    stakes, logs = loss.stakes, loss.utilities.logs
    return logs[:, stakes.better], logs[:, stakes.worse]


class _Contrasts:
    """The contrasts y(p) of people (d) and comparisons (n); where u = v they are 0."""

    def __init__(self, chosen: FloatArray, other: FloatArray) -> None:
        same = chosen == other  # also where both have nothing
        self.favour = np.where(same, 0.0, np.where(chosen > other, 1.0, -1.0))
        self._top = np.where(same, 0.0, np.maximum(chosen, other))
        self._bottom = np.where(same, -1.0, np.minimum(chosen, other))
        self._length = self._top - self._bottom  # inf where one of the two has nothing

    def centre(self, p: float) -> FloatArray:
        """The scale c (n,): halfway between where those in favour and those against are found."""
        position = self._position(p)
        sides = [_mean(position, side) for side in (self.favour > 0, self.favour < 0)]
        either = [np.where(np.isnan(one), two, one) for one, two in (sides, sides[::-1])]
        return np.nan_to_num((either[0] + either[1]) / 2)

    def best_logs(self, low: float, high: float, centre: FloatArray) -> FloatArray:
        """Logarithm (d, n) of the best case of |y| e^(-p c) in the interval."""
        at_low, at_high = (self._log_size(p) - p * centre for p in (low, high))
        down, up = (self._position(p) - centre for p in (low, high))
        least = _lowest(at_low, down, at_high, up, high - low)
        best = np.where(self.favour > 0, np.maximum(at_low, at_high), least)
        with_nothing = np.isinf(self._length)
        if low > 0 or not with_nothing.any():
            return best
        # Scaled by p: utilities of 0 leave u^p, the others at most p times their largest y.
        alone = high * (self._top - centre)
        against_nothing = np.where(self.favour > 0, np.maximum(alone, 0.0), np.minimum(alone, 0.0))
        against_something = np.where(self.favour > 0, best + np.log(high), -np.inf)
        scaled = np.where(with_nothing, against_nothing, against_something)
        return np.where(with_nothing.any(axis=0), scaled, best)

    def _log_size(self, p: float) -> FloatArray:
        """The logarithm of |y(p)| (d, n)."""
        if abs(p) < ZERO_POWER:
            return np.asarray(np.log(self._length))
        anchor = self._top if p > 0 else self._bottom
        return np.asarray(p * anchor + np.log(-np.expm1(-abs(p) * self._length)) - np.log(abs(p)))

    def _position(self, p: float) -> FloatArray:
        """The derivative (d, n) of log |y(p)|: the mean of s under e^(p s)."""
        length = np.where(np.isfinite(self._length), self._length, _ENDLESS)
        q = abs(p) * length
        near = q < _SERIES_RADIUS
        safe = np.where(near, 1.0, np.minimum(q, _LARGEST_EXPONENT))
        away = 1.0 / max(abs(p), ZERO_POWER) - length / np.expm1(safe)
        away = np.where(near, length * (0.5 - q / 12.0), away)
        return np.asarray(self._top - away if p >= 0 else self._bottom + away)


def _mean(values: FloatArray, counted: npt.NDArray[np.bool_]) -> FloatArray:
    """The mean (n,) of the values (d, n) that count; NaN where none does."""
    count = counted.sum(axis=0)
    total = np.where(counted, values, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _lowest(
    at_low: FloatArray, down: FloatArray, at_high: FloatArray, up: FloatArray, length: float
) -> FloatArray:
    """A bound from below for a convex function, from its values and slopes at both ends."""
    bends = (down < 0) & (up > 0)
    steep = np.where(bends, up - down, 1.0)
    # Where the tangents cross, seen from the lower end.
    cross = np.where(bends, (at_low - at_high + up * length) / steep, 0.0)
    lowest = at_low + down * np.clip(cross, 0.0, length)
    return np.where(bends, lowest, np.where(down >= 0, at_low, at_high))
