"""Proofs that no weights explain all decisions, at one power and on whole intervals of them.

Formula: weights that explain a set of decisions satisfy every inequality of `preferences`. If
multipliers that are not negative make a sum of inequalities in which nobody contributes more than
0, there are no such weights (Gordan's theorem). Let S_i(s) be the multipliers of the preferred
actions less those of the others that give person i a log utility above s; then person i
contributes ``H_i(p)``, the integral of ``S_i(s) e^(p s)`` over s.

On an interval: the parts of H_i where S_i is positive and where it is negative are both convex in
p, so that the first lies below its chord and the second above each tangent: H_i is at most a
straight line. The multipliers found at the two ends are mixed in proportion to the distance from
them; the line of each mixes to a quadratic in p, and if that is below 0 for everybody, every p of
the interval is refuted.

Limits: exact up to rounding: a contribution of some units in the last place of its parts counts as
0, as decisions within rounding count as ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.counting.consistent.preferences import IntArray, Preferences, segment

# Net multipliers are sums of a few numbers, contributions of a few dozen; what they should cancel
# to is known to this share of their parts.
_ROUNDING = 64.0 * float(np.finfo(np.float64).eps)
_NOTHING = 1e-300
# Two refutations have next to nothing in common if what they share is below this, where the largest
# multiplier is 1: to make it alike would take the others beyond numbers.
_HARDLY_COMMON = 1e-200


@dataclass(frozen=True)
class Refutation:
    """Multipliers that make a sum of decisions nobody's weight can satisfy.

    Attributes
    ----------
    p : float
        The power at which they were found.
    chosen : (m,) array of int
        Numbers of the decisions.
    multipliers : (m,) array
        Positive; for inequalities relative to `levels`.
    levels : (m,) array
    """

    p: float
    chosen: IntArray
    multipliers: FloatArray
    levels: FloatArray

    def holds(self, preferences: Preferences) -> bool:
        """Whether nobody contributes more than 0 at the power p."""
        if not len(self.chosen):
            return False
        balance = _Balance(preferences, self.chosen, self.levels, self.multipliers, self.p)
        gain, cost, _ = balance.at(self.p, balance.centre(self.p))
        return bool((gain - cost <= _ROUNDING * (gain + cost)).all())


def refutes_between(preferences: Preferences, low: Refutation, high: Refutation) -> bool:
    """Whether two refutations, at powers low.p < high.p, refute every power between them."""
    chosen = np.union1d(low.chosen, high.chosen)
    own = _common_levels(chosen, low, high)
    # Levels that make the multipliers of both ends the same suit large powers, where multipliers
    # change by orders of magnitude; with one level for all, actions that occur in several
    # decisions (a beats b, b beats c, c beats a) cancel out.
    return any(
        _refutes(preferences, low, high, chosen, levels)
        for levels in (_matching_levels(chosen, own, low, high), np.full_like(own, own.mean()))
    )


def _refutes(
    preferences: Preferences,
    low: Refutation,
    high: Refutation,
    chosen: IntArray,
    levels: FloatArray,
) -> bool:
    first, second = _relevelled(low, chosen, levels), _relevelled(high, chosen, levels)
    both = (first > 0) & (second > 0)
    if both.any():
        common = float(second[both].sum())
        if common < _HARDLY_COMMON:
            return False
        second = second * (float(first[both].sum()) / common)
    left = _Balance(preferences, chosen, levels, first, low.p)
    right = _Balance(preferences, chosen, levels, second, high.p)
    centre = 0.5 * (left.centre(low.p) + right.centre(high.p))
    step = high.p - low.p
    with np.errstate(over="ignore", invalid="ignore"):
        gain, cost, slope = left.at(low.p, centre)
        near_low = gain - cost
        slack = _ROUNDING * (gain + cost)
        far_high = left.at(high.p, centre)[0] - (cost + step * slope)
        gain, cost, slope = right.at(high.p, centre)
        near_high = gain - cost
        slack += _ROUNDING * (gain + cost)
        far_low = right.at(low.p, centre)[0] - (cost - step * slope)
        ends = (near_low <= slack) & (near_high <= slack)
        cross = 0.5 * (far_high + far_low)
        middle = (cross <= slack) | (cross**2 <= near_low * near_high)
        return bool((ends & middle).all())


def _common_levels(chosen: IntArray, low: Refutation, high: Refutation) -> FloatArray:
    total, times = np.zeros(len(chosen)), np.zeros(len(chosen))
    for refutation in (low, high):
        places = np.searchsorted(chosen, refutation.chosen)
        total[places] += refutation.levels
        times[places] += 1.0
    return total / times


def _matching_levels(
    chosen: IntArray, own: FloatArray, low: Refutation, high: Refutation
) -> FloatArray:
    """Levels (m,) under which decisions in both refutations have the same multipliers there."""
    first, second = (np.log(_relevelled(one, chosen, own) + _NOTHING) for one in (low, high))
    both = (first > np.log(2 * _NOTHING)) & (second > np.log(2 * _NOTHING))
    change = np.where(both, second - first, 0.0)
    if both.any():
        change[both] -= change[both].mean()
    return np.asarray(own - change / (high.p - low.p))


def _relevelled(refutation: Refutation, chosen: IntArray, levels: FloatArray) -> FloatArray:
    """Multipliers (m,) of `chosen` for inequalities relative to other levels; the largest is 1."""
    places = np.searchsorted(chosen, refutation.chosen)
    logs = np.log(refutation.multipliers)
    logs += refutation.p * (levels[places] - refutation.levels)
    multipliers = np.zeros(len(chosen))
    multipliers[places] = np.exp(logs - logs.max())
    return multipliers


class _Balance:
    """What each free weight contributes to a sum of inequalities, as a function of p."""

    def __init__(
        self,
        preferences: Preferences,
        chosen: IntArray,
        levels: FloatArray,
        multipliers: FloatArray,
        p: float,
    ) -> None:
        logs = preferences.loss.utilities.logs
        better = logs[:, preferences.winner[chosen]] - levels
        worse = logs[:, preferences.loser[chosen]] - levels
        places = np.concatenate([better, worse], axis=1)
        signed = np.concatenate([multipliers, -multipliers])
        order = np.argsort(places, axis=1)
        places = np.take_along_axis(places, order, axis=1)
        signed = signed[order]
        self._weighting = preferences.weighting
        self._low, self._high = places[:, :-1], places[:, 1:]
        # Sums from the end that counts most at p keep their digits there.
        if p >= 0:
            net = np.cumsum(signed[:, ::-1], axis=1)[:, -2::-1]
            size = np.cumsum(np.abs(signed[:, ::-1]), axis=1)[:, -2::-1]
        else:
            net = -np.cumsum(signed, axis=1)[:, :-1]
            size = np.cumsum(np.abs(signed), axis=1)[:, :-1]
        self._net = np.where(np.abs(net) <= _ROUNDING * size, 0.0, net)

    def centre(self, p: float) -> FloatArray:
        """Return the log utility (k,) around which the negative contributions lie."""
        log_size, mean = segment(self._low, self._high, p)
        log_cost = np.where(self._net < 0, log_size, -np.inf)
        if not np.isfinite(log_cost).any():
            return np.zeros(self._weighting.free)
        top = self._by_group(log_cost.max(axis=1), np.maximum, -np.inf)
        top = np.where(np.isneginf(top), 0.0, top)
        cost = -np.where(self._net < 0, self._net, 0.0) * np.exp(log_cost - self._people(top))
        total = self._by_group(cost.sum(axis=1), np.add, 0.0)
        moment = self._by_group((cost * mean).sum(axis=1), np.add, 0.0)
        return np.where(total > 0, moment / np.where(total > 0, total, 1.0), 0.0)

    def at(self, p: float, centre: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Positive part, negative part and the latter's derivative by p, (k,) each.

        All in units of ``e^(p centre)``, with `centre` (k,).
        """
        log_size, mean = segment(self._low, self._high, p)
        shift = self._people(centre)
        with np.errstate(over="ignore", invalid="ignore"):  # an infinite gain refutes nothing
            size = self._net * np.exp(log_size - p * shift)
        gain = np.maximum(size, 0.0).sum(axis=1)
        negative = np.maximum(-size, 0.0)
        cost = negative.sum(axis=1)
        slope = np.where(negative > 0, negative * (mean - shift), 0.0).sum(axis=1)
        gain, cost, slope = (self._by_group(v, np.add, 0.0) for v in (gain, cost, slope))
        return gain, cost, slope

    def _people(self, by_free: FloatArray) -> FloatArray:
        group_of = self._weighting.group_of
        return np.asarray((by_free if group_of is None else by_free[group_of])[:, None])

    def _by_group(self, values: FloatArray, how: np.ufunc, start: float) -> FloatArray:
        group_of = self._weighting.group_of
        if group_of is None:
            return values
        gathered = np.full(self._weighting.free, start)
        how.at(gathered, group_of, values)
        return gathered
