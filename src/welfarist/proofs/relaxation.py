"""Convex problems in two numbers, minimised with proof.

The function is a sum of convex functions, each of something linear in x; the domain is a polygon.
Whatever x Newton's method arrives at, the tangent plane there is nowhere above the function, and
its least value on the domain is at a corner: that is the proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from welfarist.base.validation import FloatArray

_EPS = float(np.finfo(np.float64).eps)
# A sum that NumPy forms by pairs is good to 16 + log2(terms / 128) units of rounding of its terms'
# sizes; the terms themselves, and what they are made of, to a few.
_SUM = 64.0 * _EPS
_TERM = 8.0 * _EPS
# Rows worked on at a time.
_BLOCK = 2**13
_MOST_STEPS = 60
_MOST_HALVINGS = 40
# A step may raise the scale by this factor: where all is certain the quadratic model knows no end.
_GROWTH = 10.0
# Armijo's share of the promised decrease.
_SUFFICIENT = 1e-4
# How closely to solve an interval whose bound is far from the goal, as a share of the distance.
_COARSE = 0.05
# If there is less than this share of the goal, the interval must be cut anyway.
_HOPELESS = 0.01
# Share of the precision that is given away to make slopes positive.
_TILT = 0.2
_TINY = float(np.finfo(np.float64).tiny)
# Keeps the 2 x 2 system solvable where both ends predict the same.
_RIDGE = 1e-12


class Pointwise(NamedTuple):
    """Functions of one argument each and their derivatives, (r,) arrays.

    They are convex, never negative and never fall. `stiffness` is at least the second derivative
    anywhere within the `clear` distance of the argument.
    """

    value: FloatArray
    slope: FloatArray
    bend: FloatArray
    stiffness: FloatArray


class Excess:
    """``weight * max(t, 0)^2``: squared errors of scores above what they may be."""

    constant = 0.0
    clear = np.inf

    def __init__(self, weights: FloatArray) -> None:
        self._weights = weights

    def __call__(self, t: FloatArray, part: slice) -> Pointwise:
        """Evaluate some of the functions, each at its own t (part,)."""
        twice = 2.0 * self._weights[part]
        excess = np.maximum(t, 0.0)
        slope = twice * excess
        bend = np.where(t > 0, twice, 0.0)
        return Pointwise(0.5 * slope * excess, slope, bend, twice)


class Surprise:
    """``wrong log(1 + e^t) + right log(1 + e^-t)`` above its minimum, where it rises.

    The minimum itself, which repeated comparisons with different outcomes cost under every rule,
    is left to the `constant` of the sum.
    """

    clear = 0.5

    def __init__(self, wrong: FloatArray, right: FloatArray, constant: float) -> None:
        self._wrong, self._right = wrong, right
        self.constant = constant
        with np.errstate(divide="ignore"):
            self._turn = np.log(right / wrong)
        self._least = entropy(wrong, right)

    def __call__(self, t: FloatArray, part: slice) -> Pointwise:
        """Evaluate some of the functions, each at its own t (part,)."""
        wrong, right, turn = self._wrong[part], self._right[part], self._turn[part]
        rising = t > turn
        t = np.maximum(t, turn)
        decay = np.exp(-np.abs(t))
        larger = 1.0 / (1.0 + decay)
        smaller = decay * larger
        up = np.where(t > 0, larger, smaller)
        both = wrong + right
        value = both * np.log1p(decay) + np.where(t > 0, wrong, -right) * t - self._least[part]
        slope = np.where(rising, wrong * up - right * (larger + smaller - up), 0.0)
        bend = both * larger * smaller
        return Pointwise(
            np.maximum(value, 0.0),
            np.maximum(slope, 0.0),
            np.where(rising, bend, 0.0),
            2.0 * bend,  # it changes by no more than e^|change|
        )


def entropy(one: FloatArray, other: FloatArray) -> FloatArray:
    """The least of ``one log(1 + e^t) + other log(1 + e^-t)`` over t, (r,)."""
    both = one + other
    return np.asarray(xlogy(both, both) - xlogy(one, one) - xlogy(other, other))


@dataclass(frozen=True, eq=False)
class Relaxation:
    """Minimise ``constant + sum_r f_r(x . form_r + offset_r)`` over a polygon of the plane.

    Domain: x not negative, its sum (the scale) between `smallest` and `largest`.

    Attributes
    ----------
    forms : (2, r) array
    offsets : (r,) array
    functions : Excess or Surprise
        The f_r and the constant.
    smallest, largest : float
        `largest` may be inf.
    """

    forms: FloatArray
    offsets: FloatArray
    functions: Excess | Surprise
    smallest: float
    largest: float

    @cached_property
    def _sizes(self) -> FloatArray:
        return np.asarray(np.maximum(np.abs(self.forms[0]), np.abs(self.forms[1])))

    @cached_property
    def _largest_parts(self) -> tuple[float, float]:
        return float(self._sizes.max(initial=0.0)), float(np.abs(self.offsets).max(initial=0.0))

    def at(self, x: FloatArray) -> Tangent:
        """Evaluate the function at x (2,), in parts that fit the cache."""
        starts = range(0, self.forms.shape[1], _BLOCK)
        parts = [self._part(x, slice(start, start + _BLOCK)) for start in starts]
        # By pairs, as within the parts.
        sums = np.sum(np.array(parts).T.copy(), axis=1) if parts else np.zeros(8)
        value, value_doubt, slope_doubt = (float(total) for total in sums[:3])
        constant = self.functions.constant
        value += constant
        value_doubt += _SUM * (value + constant)
        size, offset = self._largest_parts
        if not _TERM * (float(x.sum()) * size + offset) <= self.functions.clear:
            value_doubt = np.inf
        curvature = sums[[5, 6, 6, 7]].reshape(2, 2)
        return Tangent(self, x, value, sums[3:5], curvature, value_doubt, slope_doubt)

    def _part(self, x: FloatArray, part: slice) -> tuple[float, ...]:
        """Sums over some rows: value, doubts of it and of slopes, two slopes, three bends."""
        forms, offsets, sizes = self.forms[:, part], self.offsets[part], self._sizes[part]
        f = self.functions(x @ forms + offsets, part)
        blur = _TERM * (float(x.sum()) * sizes + np.abs(offsets))  # of the arguments
        moved = f.stiffness * blur  # of their slopes
        bent = forms * f.bend
        return (
            float(np.sum(f.value)),
            float((_SUM / _TERM * f.slope + moved) @ blur),
            float((_SUM * f.slope + moved) @ sizes),
            *np.sum(forms * f.slope, axis=1),
            float(bent[0] @ forms[0]),
            float(bent[0] @ forms[1]),
            float(bent[1] @ forms[1]),
        )


@dataclass(frozen=True, eq=False)
class Tangent:
    """A relaxation's value and derivatives at a point, and what they prove.

    Attributes
    ----------
    x : (2,) array
    value : float
    gradient : (2,) array
    curvature : (2, 2) array
    value_doubt, slope_doubt : float
        What rounding may have done to the value and to each entry of the gradient.
    """

    relaxation: Relaxation
    x: FloatArray
    value: float
    gradient: FloatArray
    curvature: FloatArray
    value_doubt: float
    slope_doubt: float

    @property
    def scale(self) -> float:
        """The sum of x."""
        return float(self.x.sum())

    @property
    def lower_bound(self) -> float:
        """The least value of the tangent plane on the domain, less what rounding may have added.

        The function is convex, so it is nowhere below the plane; nor is it below 0.
        """
        problem = self.relaxation
        surely = self.gradient - self.slope_doubt
        corners = [problem.smallest * e for e in np.eye(2)]
        if np.isfinite(problem.largest):
            corners += [problem.largest * e for e in np.eye(2)]
        elif not surely.min() >= 0:
            return 0.0  # the plane falls for ever
        least = min(
            float(self.gradient @ (y - self.x)) - self.slope_doubt * float(np.abs(y - self.x).sum())
            for y in corners
        )
        bound = self.value - self.value_doubt + least
        return bound if bound > 0 else 0.0  # also where nothing is a number


@dataclass(frozen=True)
class Minimum:
    """A relaxation's minimum.

    Attributes
    ----------
    lower_bound : float
        Proven.
    value : float
        The least value found.
    x : (2,) array
        Where.
    """

    lower_bound: float
    value: float
    x: FloatArray


def minimise(problem: Relaxation, x: FloatArray, *, goal: float, precision: float) -> Minimum:
    """Bound a relaxation from below by Newton's method over its polygon.

    Stops when the bound is within `precision` of the minimum or has reached `goal`; further from
    the goal it need not be as close, and where nearly nothing of the goal is left it gives up.

    Notes
    -----
    What is minimised is the function less a tiny multiple of the scale: then all slopes of the
    tangent plane at the end are surely positive, and the bound does not hang on their rounding
    times the largest scale.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what is no number proves nothing
        here = problem.at(x)
        best = here.lower_bound
        for _ in range(_MOST_STEPS):
            enough = max(precision, _COARSE * (goal - here.value))
            hopeless = here.value <= _HOPELESS * goal
            if best >= goal or here.value - best <= enough or hopeless:
                break
            tilt = max(_TILT * enough / max(here.scale, _TINY), 4.0 * here.slope_doubt)
            there = _descend(here, tilt)
            if there is None:
                break
            bound = there.lower_bound
            if bound <= best and here.value - there.value <= here.value_doubt:
                break
            here, best = there, max(best, bound)
    return Minimum(best, here.value, here.x)


def _descend(here: Tangent, tilt: float) -> Tangent | None:
    """One step of Newton's method, or None if none leads down."""
    gradient = here.gradient - tilt
    aim = _best_of_model(here, gradient)
    step = aim - here.x
    promised = float(gradient @ step)
    if promised >= here.value_doubt:
        return None
    for _ in range(_MOST_HALVINGS):
        there = here.relaxation.at(here.x + step)
        gained = here.value - there.value + tilt * (there.scale - here.scale)
        # Where rounding hides the decrease, the gradient still knows the way.
        if gained >= -_SUFFICIENT * promised - here.value_doubt:
            return there
        step, promised = step / 2.0, promised / 2.0
    return None


def _best_of_model(here: Tangent, gradient: FloatArray) -> FloatArray:
    """The minimum (2,) of the quadratic model over the polygon."""
    problem, x = here.relaxation, here.x
    least, most = problem.smallest, min(problem.largest, max(_GROWTH * here.scale, 1e-6))
    curvature = here.curvature + _RIDGE * max(float(np.trace(here.curvature)), _TINY) * np.eye(2)
    inside = x - np.linalg.solve(curvature, gradient)
    if inside.min() >= 0 and least <= inside.sum() <= most:
        return np.asarray(inside)
    along, across = np.eye(2), np.array([1.0, -1.0])
    edges = [(np.zeros(2), along[0], least, most), (np.zeros(2), along[1], least, most)]
    edges += [(edge * along[1], across, 0.0, edge) for edge in (least, most)]
    return min(
        (_best_on_edge(x, gradient, curvature, *edge) for edge in edges),
        key=lambda y: float(gradient @ (y - x) + 0.5 * (y - x) @ curvature @ (y - x)),
    )


def _best_on_edge(
    x: FloatArray,
    gradient: FloatArray,
    curvature: FloatArray,
    origin: FloatArray,
    direction: FloatArray,
    least: float,
    most: float,
) -> FloatArray:
    slope = float(direction @ (gradient + curvature @ (origin - x)))
    bend = float(direction @ curvature @ direction)
    return origin + min(max(-slope / bend, least), most) * direction
