"""How small and how large each weight can be in rules that explain every decision.

At one power the weights that explain everything form a polytope; a linear programme finds the
extremes of each weight in it, starting from few decisions and adding those its answer gets wrong.
Over an interval of powers an extreme is a function of p with a known derivative (envelope theorem).
It is worked out on a grid; where values and slopes of neighbours promise a better value between
them it is worked out there too, until nothing more than 1e-7 is to be gained.

Limits: an extreme is exact up to the programme's tolerance at each power; over powers it can be
missed where it has a peak between two grid points of which their values and slopes show nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.counting.consistent.margin import run_highs, with_worst
from welfarist.counting.consistent.power_line import Component, Line
from welfarist.counting.consistent.preferences import IntArray, Preferences

# Neighbouring powers of the grid are no further apart than this in the line's coordinate, and an
# interval has at least so many.
_GRID = 0.25
_FEWEST = 9
# Extremes are looked for until no more than this can be gained, or so many times.
_PRECISION = 1e-7
_TRIES = 40
# A new place stays this share of the width away from its neighbours.
_EDGE = 0.02
# Decisions may be wrong by this much in log welfare: the programme's tolerance.
_SLACK = 1e-9
_ROUNDS = 60
# How many times its unit a weight may become in one programme, and how many are solved.
_FURTHEST = 1e6
_RECENTRINGS = 4


@dataclass(frozen=True)
class Extremes:
    """Extremes of free weights at one power.

    Attributes
    ----------
    values : (q,) array
        Of each goal: the largest weight, or minus the smallest.
    slopes : (q,) array
        Derivatives by p.
    """

    values: FloatArray
    slopes: FloatArray


@dataclass(frozen=True)
class _Place:
    """A goal's value and slope at a place on the line, by the line's coordinate."""

    at: float
    value: float
    slope: float


def weight_extremes(
    preferences: Preferences,
    line: Line,
    components: list[Component],
    known: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and largest free weights, (k,) each, over intervals of powers.

    `known` are bounds, (k,) each, that are reached elsewhere; inf and -inf where nothing is known.
    """
    free = preferences.weighting.free
    search = _Search(preferences, line)
    best = np.concatenate([known[1], -known[0]])
    for component in components:
        best = search.over(component, best)
    return -best[free:], best[:free]


class _Search:
    """Goals 0 to k - 1 are the largest weights, k to 2 k - 1 minus the smallest."""

    def __init__(self, preferences: Preferences, line: Line) -> None:
        self._preferences = preferences
        self._line = line
        self._working: IntArray = np.empty(0, dtype=np.intp)

    def over(self, component: Component, best: FloatArray) -> FloatArray:
        """Return the best value of each goal (2 k,) over an interval, at least `best` (2 k,)."""
        best = best.copy()
        free = self._preferences.weighting.free
        limit = np.where(np.arange(2 * free) < free, 1.0, 0.0) - _SLACK  # what no weight exceeds
        places: dict[int, list[_Place]] = {goal: [] for goal in range(2 * free)}
        for t in self._grid(component):
            goals = np.flatnonzero(best < limit)
            found = self._at(t, component, goals)
            for goal, value, slope in zip(goals.tolist(), found.values, found.slopes, strict=True):
                places[goal].append(_Place(t, float(value), float(slope)))
            best[goals] = np.maximum(best[goals], found.values)
        for goal in np.flatnonzero(best < limit).tolist():
            best[goal] = self._refined(component, goal, places[goal], float(best[goal]))
        return best

    def _grid(self, component: Component) -> FloatArray:
        low, high = (self._line.coordinate(p) for p in component.inner)
        count = max(_FEWEST, int(np.ceil((high - low) / _GRID)) + 1) if high > low else 1
        return np.linspace(low, high, count)

    def _refined(self, component: Component, goal: int, places: list[_Place], best: float) -> float:
        """Return the best value of one goal, adding places between the known ones."""
        for _ in range(_TRIES):
            promises = [_promise(left, right) for left, right in pairwise(places)]
            if not promises:
                break
            cell = int(np.argmax([promise for _, promise in promises]))
            at, promise = promises[cell]
            if promise <= best + _PRECISION:
                break
            found = self._at(at, component, np.array([goal]))
            value, slope = float(found.values[0]), float(found.slopes[0])
            places.insert(cell + 1, _Place(at, value, slope))
            best = max(best, value)
        return best

    def _at(self, t: float, component: Component, goals: IntArray) -> Extremes:
        """Work out some goals at a coordinate, with slopes by the coordinate."""
        p = self._line.power(t)
        near = component.near(p)
        found = self._extremes(p, near, goals)
        speed = p if self._line.positive else float(np.hypot(1.0, p))
        return Extremes(found.values, found.slopes * speed)

    def _extremes(self, p: float, near: FloatArray, goals: IntArray) -> Extremes:
        """Solve each goal's programme until its answer gets no decision wrong."""
        preferences = self._preferences
        self._add(preferences.margins(near, p), 2 * preferences.weighting.free)
        values, slopes = np.empty(len(goals)), np.zeros(len(goals))
        for place, goal in enumerate(goals):
            values[place], slopes[place] = self._extreme(p, near, int(goal))
        return Extremes(values, slopes)

    def _extreme(self, p: float, near: FloatArray, goal: int) -> tuple[float, float]:
        preferences, weighting = self._preferences, self._preferences.weighting
        person, sign = goal % weighting.free, 1.0 if goal < weighting.free else -1.0
        value, slope = sign * float(weighting.gather(near)[person]), 0.0
        reference, recentred = near, 0
        for _ in range(_ROUNDS):
            answer = self._solve(p, reference, person, sign)
            if answer is None:
                break
            weights, bounded, slope_found = answer
            margins = preferences.margins(weights, p)
            if margins.min(initial=0.0) < -_SLACK and self._add(margins, 4):
                continue
            value, slope = sign * float(weighting.gather(weights)[person]), slope_found
            recentred += 1
            if not bounded or recentred > _RECENTRINGS:
                break
            reference = weights
        return value, slope

    def _solve(
        self, p: float, reference: FloatArray, person: int, sign: float
    ) -> tuple[FloatArray, bool, float] | None:
        """Return weights (d,), whether one ended at its bound, and the slope by p of the goal."""
        preferences = self._preferences
        levels = preferences.levels(self._working, reference, p)
        rows = preferences.rows(self._working, p, levels)
        units = np.exp(rows.log_units)
        scale = rows.scale
        objective = np.zeros(len(units))
        objective[person] = -sign
        answer = run_highs(
            objective,
            A_ub=-(rows.values * scale).T,
            b_ub=np.zeros(len(scale)),
            A_eq=units[None, :],
            b_eq=[1.0],
            bounds=(0, _FURTHEST),
        )
        if answer is None:
            return None
        amounts = np.maximum(answer.x, 0.0)
        multipliers = np.maximum(-answer.ineqlin.marginals, 0.0)
        slope = float(amounts @ (rows.slopes * scale) @ multipliers) * units[person]
        bounded = bool((amounts >= 0.999 * _FURTHEST).any())
        return preferences.to_people(amounts, rows.log_units), bounded, slope

    def _add(self, margins: FloatArray, count: int) -> bool:
        before = len(self._working)
        self._working = with_worst(self._working, margins, count)
        return len(self._working) > before


def _promise(left: _Place, right: _Place) -> tuple[float, float]:
    """Where to look between two places, and how much may be found there; -inf if nothing more.

    Between a place where the goal rises and one where it falls lies a peak: at most it is what the
    steeper slope would reach. Elsewhere there is one if the cubic through both places has one.
    """
    width = right.at - left.at
    highest = max(left.value, right.value)
    if left.slope > 0 > right.slope:
        step = (right.value - left.value - right.slope * width) / (left.slope - right.slope)
        step = min(max(step, _EDGE * width), (1.0 - _EDGE) * width)
        return left.at + step, highest + max(left.slope, -right.slope) * width
    s = np.linspace(0.0, 1.0, 11)[1:-1]
    cubic = (
        left.value * (1 + 2 * s) * (1 - s) ** 2
        + right.value * s**2 * (3 - 2 * s)
        + width * (left.slope * s * (1 - s) ** 2 - right.slope * s**2 * (1 - s))
    )
    peak = int(np.argmax(cubic))
    if cubic[peak] <= highest:
        return left.at, -np.inf
    return left.at + s[peak] * width, float(cubic[peak])
