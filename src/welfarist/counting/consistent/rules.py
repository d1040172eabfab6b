"""The welfare functions that explain every decision, if there are any.

Noise-free decisions do not determine one rule but a set of them. :func:`find_consistent` finds a
member with a large margin; :class:`ConsistentRules` says what the whole set looks like: which
powers are possible, and between which bounds each weight lies. A finite power is judged by linear
programmes (`margin`), the line of powers by carrying refutations over from one power to the next
(`power_line`), the limits p = -inf and inf by themselves (`supports`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_power, as_weights, normalised
from welfarist.counting.consistent.margin import Oracle, Verdict
from welfarist.counting.consistent.power_line import Component, Line, explained_powers
from welfarist.counting.consistent.preferences import Preferences
from welfarist.counting.consistent.supports import largest_support
from welfarist.counting.consistent.weight_ranges import weight_extremes
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.families.power_mean.doctrines import power_of

# Where utilities are 0, p > 0 is searched from here on.
_SMALLEST_POWER = 1e-6
# A limit that explains everything does so from some finite power on; it is looked for up to here.
_FURTHEST_POWER = 1e6
# Bounds of weights are widened by what the programmes' tolerance may have cost.
_TOLERANCE = 1e-9
# Steps towards a power with a larger margin, the first of them in the line's coordinate.
_CLIMBS = 6
_FIRST_STEP = 0.05


@dataclass(frozen=True)
class ConsistentRules:
    """The welfare functions that explain every decision.

    Attributes
    ----------
    weights : (d,) array
    p : float
        A member of the set, with a margin that is large among those near it.
    margin : float
        The smallest difference in log welfare by which that member tells two actions apart.
    """

    weights: FloatArray
    p: float
    margin: float
    _search: _Search = field(repr=False)

    def contains(self, weights: npt.ArrayLike, p: float | str) -> bool:
        """Whether weights (d,), of any sum, and power p (or a doctrine) explain every decision.

        It is checked decision by decision. Where a utility is 0 only p > 0 can.
        """
        preferences = self._search.preferences
        power = power_of(p) if isinstance(p, str) else as_power(p)
        given = as_weights(weights)
        if given.shape != self.weights.shape:
            raise InputError(
                f"weights must be one number per person, {len(self.weights)} in all; found shape "
                f"{given.shape}."
            )
        if preferences.loss.utilities.has_zeros and power <= 0:
            return False
        return preferences.explained_by(normalised(given), power)

    @property
    def power_intervals(self) -> tuple[tuple[float, float], ...]:
        """The powers at which some weights explain every decision: intervals, in order.

        Worked out when first asked for. Ends lie on the outside, within 1e-9 in asinh(p) (in
        log p where a utility is 0). An infinite end is a limit that explains everything itself;
        else the search ends at the largest power of the data (`Columns.largest_power`). Beyond
        ``|p| = 16``, where rounding can hide the answer, powers next to possible ones for which it
        does count as possible. See `power_line` for what is proved of the powers in between.
        """
        return self._search.intervals

    @property
    def search_ends(self) -> tuple[float, ...]:
        """Ends of those intervals that are no more than where the search ended."""
        line, intervals = self._search.line, self.power_intervals
        ends = {intervals[0][0], intervals[-1][1]} if intervals else set()
        return tuple(end for end in (line.low, line.high) if end in ends)

    @cached_property
    def weight_ranges(self) -> tuple[FloatArray, FloatArray]:
        """The smallest and the largest weight of each person, (d,) each, over all those powers.

        Worked out when first asked for: two linear programmes or more for each weight and each
        of some ten powers. See `weight_ranges` for what they guarantee; 1e-9 is added on both
        sides for the programmes' tolerance.
        """
        search = self._search
        weighting = search.preferences.weighting
        low, high = np.full(weighting.free, np.inf), np.full(weighting.free, -np.inf)
        for limit in search.limits:
            if limit is not None:
                counted = weighting.gather(limit.weights) > 0
                alone = counted & (counted.sum() == 1)
                low = np.minimum(low, np.where(alone, 1.0, 0.0))
                high = np.maximum(high, np.where(counted, 1.0, 0.0))
        low, high = weight_extremes(search.preferences, search.line, search.components, (low, high))
        low, high = np.maximum(low - _TOLERANCE, 0.0), np.minimum(high + _TOLERANCE, 1.0)
        return weighting.to_people(low), weighting.to_people(high)

    @property
    def weight_low(self) -> FloatArray:
        """The smallest weight of each person (d,)."""
        return self.weight_ranges[0]

    @property
    def weight_high(self) -> FloatArray:
        """The largest weight of each person (d,)."""
        return self.weight_ranges[1]


def find_consistent(
    loss: ZeroOneLoss, start: tuple[FloatArray, float], p_fixed: float | None = None
) -> ConsistentRules | None:
    """Find the welfare functions that explain every decision.

    Parameters
    ----------
    loss : ZeroOneLoss
        The decisions; its weights must be free, or shared in groups.
    start : (d,) array and float
        Weights and power of a rule to look at first, such as a logistic fit.
    p_fixed : float, optional
        The power in [-inf, inf], if it is known; positive where a utility is 0.

    Returns
    -------
    ConsistentRules or None
        None if none was found. At the limits p = -inf and inf that is a proof that there are
        none, but for differences within rounding; at a fixed finite power too, unless rounding
        hides the answer (`Verdict.undecided`, from |p| of about 16 on); over the line of powers
        as far as `power_line` says.
    """
    if loss.weighting.free == 0:
        raise InputError(
            "the weights must be free to find the rules that explain all decisions; found known "
            "weights. With known weights only the power is to be found."
        )
    if p_fixed is not None and loss.utilities.has_zeros and not p_fixed > 0:
        raise InputError(
            f"p must be positive where a utility is 0; found p = {p_fixed}. Add a constant to "
            "every utility (such as shift=1), or leave those actions out."
        )
    search = _Search(Preferences.of(loss), start, p_fixed)
    found = search.first()
    if found is None:
        return None
    return ConsistentRules(*search.improved(*found), search)


def rules_again(
    loss: ZeroOneLoss, weights: FloatArray, p: float, margin: float, p_fixed: float | None = None
) -> ConsistentRules:
    """Return the rules that explain every decision, of which one is known with its margin."""
    return ConsistentRules(weights, p, margin, _Search(Preferences.of(loss), (weights, p), p_fixed))


@dataclass(frozen=True)
class _Limit:
    """The rules of p = -inf or inf that explain every decision.

    Attributes
    ----------
    weights : (d,) array
        Equal weights of the largest group of people that does.
    margin : float
        The smallest difference in log welfare.
    """

    weights: FloatArray
    margin: float

    @property
    def reach(self) -> float:
        """The |p| from which on these weights explain everything at finite powers too.

        Equal weights of m people bring log M to within log(m) / |p| of its limit.
        """
        return float(np.log(np.count_nonzero(self.weights)) / self.margin)


class _Search:
    """The search over powers, each part done when it is first needed."""

    def __init__(
        self, preferences: Preferences, start: tuple[FloatArray, float], p_fixed: float | None
    ) -> None:
        self.preferences = preferences
        self.oracle = Oracle(preferences)
        self._start = start
        self._p_fixed = p_fixed

    @cached_property
    def limits(self) -> tuple[_Limit | None, _Limit | None]:
        """What explains everything at p = -inf and at p = inf."""
        wanted = {-np.inf, np.inf} if self._p_fixed is None else {self._p_fixed}
        if self.preferences.loss.utilities.has_zeros:
            wanted.discard(-np.inf)
        return (
            self._limit(-np.inf) if -np.inf in wanted else None,
            self._limit(np.inf) if np.inf in wanted else None,
        )

    def _limit(self, p: float) -> _Limit | None:
        weights = largest_support(self.preferences, p)
        if weights is None:
            return None
        return _Limit(weights, float(self.preferences.margins(weights, p).min(initial=np.inf)))

    @cached_property
    def line(self) -> Line:
        """The finite powers that are searched."""
        utilities = self.preferences.loss.utilities
        if self._p_fixed is not None:
            p = float(np.clip(self._p_fixed, -utilities.largest_power, utilities.largest_power))
            return Line(p, p, utilities.has_zeros)
        low, high = (
            max(utilities.largest_power, min(1.01 * limit.reach, _FURTHEST_POWER) if limit else 0.0)
            for limit in self.limits
        )
        return Line(_SMALLEST_POWER if utilities.has_zeros else -low, high, utilities.has_zeros)

    @cached_property
    def components(self) -> list[Component]:
        """The intervals of finite powers at which some weights explain everything."""
        if self._p_fixed is None:
            return explained_powers(self.oracle, self.line, self._start, self._guesses())
        if np.isinf(self._p_fixed):
            return []
        verdict = self.oracle.decide(self._p_fixed, self._start[0])
        return [Component((verdict.p, verdict.p), (verdict,))] if verdict.explained else []

    def _guesses(self) -> list[Verdict]:
        """What the limits say about the ends of the line."""
        guesses = []
        for limit, p in zip(self.limits, (self.line.low, self.line.high), strict=True):
            if limit is not None and self.preferences.explained_by(limit.weights, p):
                guesses.append(Verdict(p, limit.weights, None, limit.weights))
        return guesses

    @cached_property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """All possible powers."""
        ends = [component.outer for component in self.components]
        if self._p_fixed is not None:
            return ((self._p_fixed, self._p_fixed),)
        if self.limits[0] is not None:
            joined = bool(self.components) and self.components[0].inner[0] == self.line.low
            ends[: int(joined)] = [(-np.inf, ends[0][1] if joined else self.line.low)]
        if self.limits[1] is not None:
            joined = bool(self.components) and self.components[-1].inner[1] == self.line.high
            ends[len(ends) - int(joined) :] = [(ends[-1][0] if joined else self.line.high, np.inf)]
        return tuple(ends)

    def first(self) -> tuple[FloatArray, float] | None:
        """Weights and power of some rule that explains everything, the start if it does."""
        weights, p = self._start
        if self._p_fixed is None and np.isfinite(p) and self.line.low <= p <= self.line.high:
            verdict = self.oracle.decide(p, weights)
            if verdict.weights is not None:
                self._start = (verdict.weights, p)
                return self._start
        if self.components:
            widest = max(self.components, key=lambda c: self.line.width(c.inner))
            p = self.line.middle(widest.inner)
            verdict = min(widest.verdicts, key=lambda v: abs(v.p - p))
            assert verdict.weights is not None
            return verdict.weights, verdict.p
        for limit, end in zip(self.limits, (-np.inf, np.inf), strict=True):
            if limit is not None:
                return limit.weights, end
        return None

    def improved(self, weights: FloatArray, p: float) -> tuple[FloatArray, float, float]:
        """Return weights, power and margin of a rule near one that explains everything."""
        margin = float(self.preferences.margins(weights, p).min(initial=np.inf))
        if np.isinf(p) or np.isinf(margin):
            return weights, p, margin
        best = self.oracle.largest_margin(p, weights)
        step = _FIRST_STEP if self._p_fixed is None else 0.0
        for _ in range(_CLIMBS):
            move = np.copysign(step, best.slope)
            if not step or not best.slope:
                break
            aim = self.line.power(self.line.coordinate(best.p) + move)
            found = self.oracle.largest_margin(aim, best.weights)
            step = 2 * step if found.margin > best.margin else step / 8
            best = max(best, found, key=lambda one: one.margin)
        if not self.preferences.explained_by(best.weights, best.p):
            return weights, p, margin
        return best.weights, best.p, best.margin
