"""Isolation of crossings with NumPy, all pairs at once.

The sum of :mod:`welfarist.counting.crossings.terms` is positive where A > B, with

    A(p) = log sum_(c_k > 0) c_k e^(-p x_k),    B(p) = log sum_(c_k < 0) |c_k| e^(-p x_k),

x_k >= 0 being how far a level lies below the highest. Both are convex in p, so that on an interval
each lies below its chord and above its tangents, and its slope between those at the ends. Hence,
for the powers between two points at which the sign of A - B is certain:

* same sign, and the larger side's tangents stay above the other's chord: no crossing;
* A - B rises or falls throughout: one crossing if the signs differ, none if they do not;
* otherwise the interval is split.

Beyond p there is no crossing if the cumulative sums of ``c_k e^(-p x_k)`` are all of one sign
(Laguerre). Signs are certain when rounding cannot have turned them; an interval in which A and B
touch, or cross twice within rounding, is reported as undecided.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.crossings.terms import SignedTerms, Signs

Rows = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]

_EPS = float(np.finfo(np.float64).eps)
# Doublings of the first power until the highest level decides, and halvings towards 0.
_MOST_DOUBLINGS = 64
# Where to look for a certain sign inside an interval.
_PLACES = (0.5, 0.4375, 0.5625, 0.34375, 0.65625, 0.25, 0.75)
# An interval this narrow, relative to its powers, is not split any more.
_NARROW = 1e-13
_NEWTON_STEPS = 60
# Intervals worked on at a time, so that memory stays small however many there are.
_CHUNK = 2**14


@dataclass(frozen=True)
class Isolated:
    """Where the pairs' welfares cross at p > 0.

    Attributes
    ----------
    pair, power, radius : (m,) arrays
        The pair, the power at which it crosses, and how far off that may be.
    undecided_pair, undecided_low, undecided_high : (q,) arrays
        Intervals in which a pair's welfares agree up to rounding.
    """

    pair: Rows
    power: FloatArray
    radius: FloatArray
    undecided_pair: Rows
    undecided_low: FloatArray
    undecided_high: FloatArray


@dataclass(frozen=True)
class _Points:
    """Evaluations at one power per row (m,): A, B, slopes, rounding of A - B, its sign."""

    p: FloatArray
    a: FloatArray
    a_slope: FloatArray
    b: FloatArray
    b_slope: FloatArray
    rounding: FloatArray
    sign: FloatArray

    def take(self, chosen: Rows | Flags) -> _Points:
        return _Points(*(value[chosen] for value in self._fields()))

    def replaced(self, rows: Rows, other: _Points) -> None:
        for mine, theirs in zip(self._fields(), other._fields(), strict=True):
            mine[rows] = theirs

    def _fields(self) -> tuple[FloatArray, ...]:
        return self.p, self.a, self.a_slope, self.b, self.b_slope, self.rounding, self.sign

    @staticmethod
    def joined(parts: list[_Points]) -> _Points:
        return _Points(
            *(np.concatenate(fields) for fields in zip(*(q._fields() for q in parts), strict=True))
        )


class Isolation:
    """The search for crossings at p > 0 among the pairs of some terms.

    Parameters
    ----------
    terms : SignedTerms
    start : (n,) array
        The sign just above p = 0; 0 if unknown.
    most : (n,) array
        The most crossings a pair can have.
    """

    def __init__(self, terms: SignedTerms, start: FloatArray, most: Rows) -> None:
        self._mass = terms.mass
        self._depth = terms.level[:, :1] - terms.level
        self._rounding = terms.rounding
        self._start = start
        both = (terms.mass > 0).any(axis=1) & (terms.mass < 0).any(axis=1)
        self._live = np.flatnonzero(both & (most > 0))
        self._tops = tuple(
            np.where(side, self._depth, np.inf).min(axis=1, initial=np.inf)
            for side in (terms.mass > 0, terms.mass < 0)
        )

    def run(self) -> Isolated:
        """Find all crossings."""
        brackets: list[tuple[Rows, _Points, _Points]] = []
        undecided: list[tuple[Rows, FloatArray, FloatArray]] = []
        waiting = [self._first_intervals()]
        undecided.append(self._unfinished)  # rounding hides which of the highest levels decide
        while waiting:
            pair, low, high = waiting.pop()
            if len(pair) > _CHUNK:
                for part in (slice(None, _CHUNK), slice(_CHUNK, None)):
                    rows = np.arange(len(pair))[part]
                    waiting.append((pair[rows], low.take(rows), high.take(rows)))
                continue
            odd = low.sign != high.sign
            monotone = _is_monotone(low, high)
            one = odd & monotone
            brackets.append((pair[one], low.take(one), high.take(one)))
            rest = np.flatnonzero(~monotone & (odd | ~_keeps_away(low, high)))
            if not len(rest):
                continue
            pair, low, high = pair[rest], low.take(rest), high.take(rest)
            middle = self._certain_points(pair, low.p, high.p)
            split = (middle.sign != 0) & (high.p - low.p > _NARROW * high.p)
            odd = low.sign != high.sign
            touching, crossing = ~split & ~odd, ~split & odd
            undecided.append((pair[touching], low.p[touching], high.p[touching]))
            brackets.append((pair[crossing], low.take(crossing), high.take(crossing)))
            middle, low, high = middle.take(split), low.take(split), high.take(split)
            pair = np.concatenate([pair[split], pair[split]])
            halves = _Points.joined([low, middle]), _Points.joined([middle, high])
            waiting.append((pair, *halves))
        return self._concluded(brackets, undecided)

    def _concluded(
        self,
        brackets: list[tuple[Rows, _Points, _Points]],
        undecided: list[tuple[Rows, FloatArray, FloatArray]],
    ) -> Isolated:
        if not brackets:
            none, nowhere = np.empty(0, dtype=np.intp), np.empty(0)
            return Isolated(none, nowhere, nowhere, none, nowhere, nowhere)
        pair = np.concatenate([part[0] for part in brackets])
        low = _Points.joined([part[1] for part in brackets])
        high = _Points.joined([part[2] for part in brackets])
        power, radius = self._pin_down(pair, low, high)
        if not undecided:
            undecided = [(pair[:0], power[:0], power[:0])]
        touching = [np.concatenate([part[i] for part in undecided]) for i in range(3)]
        return Isolated(pair, power, radius, touching[0].astype(np.intp), *touching[1:])

    def evaluate(self, pair: Rows, p: FloatArray) -> _Points:
        """Evaluate A and B of some pairs (m,), each at a power of its own (m,)."""
        mass, depth = self._mass[pair], self._depth[pair]
        sums = []
        for side, tops in zip((mass > 0, mass < 0), self._tops, strict=True):
            top = tops[pair]
            below = np.where(side, depth - top[:, None], 0.0)
            term = np.where(side, np.abs(mass), 0.0) * np.exp(-p[:, None] * below)
            total = term.sum(axis=1)
            mean = (term * below).sum(axis=1) / total
            sums.append((np.log(total) - p * top, top + mean))
        (a, a_depth), (b, b_depth) = sums
        rounding = _EPS * (mass.shape[1] + 8.0 + 2.0 * p * (a_depth + b_depth))
        rounding += 2.0 * p * self._rounding[pair]
        sign = np.where(np.abs(a - b) > rounding, np.sign(a - b), 0.0)
        return _Points(p, a, -a_depth, b, -b_depth, rounding, sign)

    def _certain_points(self, pair: Rows, low: FloatArray, high: FloatArray) -> _Points:
        """Evaluate inside (low, high) where the sign is certain, if there is such a place."""
        points = self.evaluate(pair, low + _PLACES[0] * (high - low))
        for place in _PLACES[1:]:
            lost = np.flatnonzero(points.sign == 0)
            if not len(lost):
                break
            again = low[lost] + place * (high[lost] - low[lost])
            points.replaced(lost, self.evaluate(pair[lost], again))
        return points

    def _nothing_beyond(self, pair: Rows, p: FloatArray) -> Flags:
        """Whether the cumulative sums at p are certainly of one sign."""
        term = self._mass[pair] * np.exp(-p[:, None] * self._depth[pair])
        size = np.abs(term)
        share = _EPS * (size.shape[1] + 4.0 + p[:, None] * self._depth[pair])
        share += (2.0 * p * self._rounding[pair])[:, None]
        slack = np.cumsum(size * share, axis=1)
        total = np.cumsum(term, axis=1) * np.sign(term[:, :1])
        return np.asarray((total > slack).all(axis=1))

    def _first_intervals(self) -> tuple[Rows, _Points, _Points]:
        """Intervals between points of certain sign, from 0 to where nothing crosses any more."""
        pair = self._live
        unit = 0.75 / self._depth[pair].max(axis=1, initial=0.0)
        here = self.evaluate(pair, np.zeros(len(pair)))
        here.sign[:] = self._start[pair]
        pairs, lows, highs = [], [], []
        unknown = np.flatnonzero(here.sign == 0)
        if len(unknown):
            chain = self._towards_zero(pair[unknown], unit[unknown])
            for part, low, high in chain:
                pairs.append(part)
                lows.append(low)
                highs.append(high)
            first = self._certain_points(pair[unknown], 0.5 * unit[unknown], 1.5 * unit[unknown])
            here.replaced(unknown, first)
            unit[unknown] *= 2.0
        for _ in range(_MOST_DOUBLINGS):
            there = self._certain_points(pair, 0.5 * unit, 1.5 * unit)
            sure = (here.sign != 0) & (there.sign != 0)
            pairs.append(pair[sure])
            lows.append(here.take(sure))
            highs.append(there.take(sure))
            moved = np.flatnonzero(there.sign != 0)
            here.replaced(moved, there.take(moved))
            on = np.flatnonzero(~((there.sign != 0) & self._nothing_beyond(pair, there.p)))
            pair, unit, here = pair[on], 2.0 * unit[on], here.take(on)
            if not len(pair):
                break
        self._unfinished = pair, here.p, np.full(len(pair), np.inf)
        return np.concatenate(pairs), _Points.joined(lows), _Points.joined(highs)

    def _towards_zero(self, pair: Rows, unit: FloatArray) -> list[tuple[Rows, _Points, _Points]]:
        """Intervals that halve towards 0, as far as signs are certain."""
        found = []
        high = self._certain_points(pair, 0.5 * unit, 1.5 * unit)
        for _ in range(_MOST_DOUBLINGS):
            low = self.evaluate(pair, 0.5 * high.p)
            sure = np.flatnonzero((low.sign != 0) & (high.sign != 0))
            if not len(sure):
                break
            pair, low, high = pair[sure], low.take(sure), high.take(sure)
            found.append((pair, low, high))
            high = low
        return found

    def _pin_down(self, pair: Rows, low: _Points, high: _Points) -> tuple[FloatArray, FloatArray]:
        """The one crossing in each bracket, by safeguarded Newton steps, and its radius."""
        left, right, sign = low.p.copy(), high.p.copy(), high.sign
        p = 0.5 * (left + right)
        active = np.arange(len(pair))
        for _ in range(_NEWTON_STEPS):
            at = self.evaluate(pair[active], p[active])
            toward = at.sign * sign[active]
            right[active] = np.where(toward > 0, at.p, right[active])
            left[active] = np.where(toward < 0, at.p, left[active])
            with np.errstate(divide="ignore", invalid="ignore"):
                step = at.p - (at.a - at.b) / (at.a_slope - at.b_slope)
            inside = (step > left[active]) & (step < right[active])
            step = np.where(inside, step, 0.5 * (left[active] + right[active]))
            going = (toward != 0) & (np.abs(step - at.p) > _EPS * at.p)
            p[active[going]] = step[going]
            active = active[going]
            if not len(active):
                break
        return p, self._radius(pair, p, left, right, sign)

    def _radius(
        self, pair: Rows, p: FloatArray, left: FloatArray, right: FloatArray, sign: FloatArray
    ) -> FloatArray:
        """How far around p the signs become certain (m,); those of the bracket's ends are."""
        at = self.evaluate(pair, p)
        slope = np.abs(at.a_slope - at.b_slope)
        with np.errstate(divide="ignore"):
            radius = np.where(slope > 0, 2.0 * at.rounding / slope, right - left)
        radius = np.minimum(radius + 2.0 * _EPS * p, np.maximum(right - p, p - left))
        active = np.arange(len(pair))
        while len(active):
            low = np.maximum(p - radius, left)[active]
            high = np.minimum(p + radius, right)[active]
            below = self.evaluate(pair[active], low).sign == -sign[active]
            above = self.evaluate(pair[active], high).sign == sign[active]
            sure = (below | (low == left[active])) & (above | (high == right[active]))
            active = active[~sure]
            radius[active] *= 2.0
        return np.maximum(p - np.maximum(p - radius, left), np.minimum(p + radius, right) - p)


def signs_at(terms: SignedTerms, p: float) -> Signs:
    """Return which action of each pair is better at a power p (n,); 0 where rounding hides it.

    What the actions share has cancelled, so that far more pairs are decided than by the difference
    of two log welfares.
    """
    if p == 0:
        return terms.at_zero
    if np.isinf(p):
        return terms.at_infinity if p > 0 else terms.at_minus_infinity
    if p < 0:
        return signs_at(terms.mirrored(), -p)
    signs = terms.towards_infinity  # also where all masses have one sign
    both = (terms.mass > 0).any(axis=1) & (terms.mass < 0).any(axis=1)
    chosen = np.flatnonzero(both)
    search = Isolation(terms, signs.astype(np.float64), terms.changes)
    with np.errstate(over="ignore"):  # a power so large leaves the highest levels alone
        signs[chosen] = search.evaluate(chosen, np.full(len(chosen), p)).sign
    return signs


def _is_monotone(low: _Points, high: _Points) -> Flags:
    """Whether A - B certainly rises or certainly falls all the way."""
    least, most = low.a_slope - high.b_slope, high.a_slope - low.b_slope
    slack = 8.0 * _EPS * (np.abs(low.a_slope) + np.abs(low.b_slope))
    return np.asarray((least > slack) | (most < -slack))


def _keeps_away(low: _Points, high: _Points) -> Flags:
    """Whether A - B, of one sign at both ends, certainly keeps it in between.

    The side that should be larger lies above its tangents, the other below its chord.
    """
    first = high.sign > 0
    over_low, over_high = np.where(first, low.a, low.b), np.where(first, high.a, high.b)
    slope_low = np.where(first, low.a_slope, low.b_slope)
    slope_high = np.where(first, high.a_slope, high.b_slope)
    under_low, under_high = np.where(first, low.b, low.a), np.where(first, high.b, high.a)
    width, bend = high.p - low.p, slope_high - slope_low
    straight = bend <= 0
    meet = (over_low - over_high + slope_high * width) / np.where(straight, 1.0, bend)
    meet = np.clip(meet, 0.0, width)
    tangent = np.maximum(over_low + slope_low * meet, over_high - slope_high * (width - meet))
    chord = under_low + (under_high - under_low) * (meet / width)
    clear = tangent - chord > np.maximum(low.rounding, high.rounding)
    return np.asarray((low.sign == high.sign) & (straight | clear))
