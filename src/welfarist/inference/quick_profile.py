"""The profile of the shape over very many decisions, with curvature borrowed from the estimate.

There the likelihood is nearly a parabola: the Hessian at the estimate is nearly that at both ends
of the interval, and says in which direction everything else moves with the shape. A fit at a new
place then takes one gradient or two. What starts that know nothing of the path find is looked at on
a share of the decisions, and on everything only where that finds something better.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import lstsq

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.inference.covariance import second_order_of
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.profile import TOWARDS, PowerCurve, deviance_of
from welfarist.losses import Point, weight_units
from welfarist.solvers.carried import near_an_optimum
from welfarist.solvers.coordinates import Curvature, keeping_the_sum
from welfarist.solvers.descent import descend
from welfarist.solvers.limits import LimitFit
from welfarist.solvers.simplex import onto_simplex

# Decisions from which it is worth it, and of the share on which other starts are looked at.
_VERY_MANY, _SHARE = 50_000, 10_000
# Deviance that a fit along the curve may leave: a millionth of a standard error at its ends.
_LEFT = 1e-6
# How much of what is beyond all hope need not be known.
_BEYOND_HOPE, _ROUGHLY = 15.0, 1e-2
# A relative difference in loss, on a share, that belongs to another optimum.
_OTHER = 1e-7
# Deviance on a share at which a limit is out of the question on everything.
_OUT_OF_THE_QUESTION = 100.0
# How closely the root of the deviance is matched at an end, and in how many places.
_CLOSE, _PLACES = 1e-6, 12
# The least positive weight with which curvature is borrowed along a whole interval.
_LEAST_WEIGHT = 1e-9


class QuickPowerCurve(PowerCurve):
    """The profile over the shape of a power family where decisions are very many."""

    def __init__(self, likelihood: Likelihood, stride: float) -> None:
        super().__init__(likelihood, stride)
        k = likelihood.loss.weighting.free
        _, hessian = second_order_of(likelihood)
        others = np.delete(np.arange(len(hessian)), k)
        own = hessian[np.ix_(others, others)]
        self._curvature = Curvature.at(self._points[self.centre], own, own)
        self._tangent = _tangent(self._points[self.centre].weights, own, hessian[others, k])
        part = likelihood.loss.share(
            min(_SHARE / likelihood.loss.decisions, 1.0), np.random.default_rng(0)
        )
        self._part = part
        self._held_part = replace(part, learn_power=False)
        self._tolerance = _LEFT / (2.0 * likelihood.observations * abs(likelihood.value))
        self._allowed = np.inf

    def at(self, x: float) -> float:
        """Return the deviance at x, from where the places known suggest that everything moves."""
        if x in self._deviances:
            return self._deviances[x]
        start = self._suggested(x)
        found = near_an_optimum(self._loss, start, self._curvature, self._enough)
        if found is None:
            return super().at(x)
        self._values[x], self._points[x], self._converged[x] = found.value, found.point, True
        self._deviances[x] = deviance_of(self._likelihood, found.value)
        return self._deviances[x]

    def _enough(self, value: float, promised: float) -> bool:
        """Whether what a step still promises does not matter."""
        if promised <= self._tolerance * abs(value):
            return True
        hope = self._allowed + _BEYOND_HOPE
        gain = 2.0 * self._likelihood.observations * promised
        return gain <= _ROUGHLY * (self._likelihood.deviance(value) - hope)

    def place_between(self, inner: float, outer: float, allowed: float) -> float:
        """Where the deviance is what is allowed: its root is nearly a straight line."""
        target = float(np.sqrt(allowed))
        low, high = inner, outer
        known = {x: float(np.sqrt(self.at(x))) - target for x in (low, high)}
        if known[low] >= 0.0:
            return inner
        one, other = low, high
        for _ in range(_PLACES):
            x = other - known[other] * (other - one) / (known[other] - known[one])
            if not min(low, high) < x < max(low, high):
                x = 0.5 * (low + high)
            excess = known[x] = float(np.sqrt(self.at(x))) - target
            if abs(excess) <= _CLOSE:
                return x
            low, high = (x, high) if excess < 0.0 else (low, x)
            one, other = sorted(known, key=lambda y: abs(known[y]), reverse=True)[-2:]
        return super().place_between(inner, outer, allowed)

    def from_equal_weights(self, x: float) -> float:
        """Return the deviance at x, from equal weights as well if a share says it may be better."""
        here = replace(self._points[x], p=self.coordinate.back(x))
        most, fine = self._likelihood.solver.max_iter, _OTHER
        near = descend(self._held_part, here, max_iter=most, tolerance=fine, near=True)
        if self._loss.weighting.free > 1:
            start = replace(here, weights=self._loss.weighting.start())
            found = descend(
                self._held_part,
                start,
                max_iter=most,
                tolerance=fine,
                known=[near],
                beat=near.value,
            )
            if found.value < near.value * (1.0 - _OTHER):
                return super().from_equal_weights(x)
        return self._deviances[x]

    def allows_limit(self, sign: float, thoroughly: bool, allowed: float) -> bool:
        """Whether the deviance at a limit is no more than `allowed`, which a share may tell."""
        solver = self._likelihood.solver
        options = solver.max_iter, _OTHER
        if not thoroughly:
            best = self._part.evaluate(self._points[self.centre]).value
            rule = LimitFit(self._part, sign * np.inf, *options).with_everybody()
            if self._part.observed.deviance(rule.value, best) > allowed + _OUT_OF_THE_QUESTION:
                return False
        return super().allows_limit(sign, thoroughly, allowed)

    def looked_for(self, allowed: float) -> None:
        """Note how much deviance is looked for."""
        self._allowed = allowed

    def _suggested(self, x: float) -> Point:
        """Where everything else is likely to be at x: on a parabola through what is known."""
        centre = self._points[self.centre]
        step = x - self.centre
        move = step * self._tangent
        known = [y for y in self._points if y != self.centre]
        if known:
            y = min(known, key=lambda place: abs(place - x))
            bend = self._moved(self._points[y]) - (y - self.centre) * self._tangent
            move = move + bend * (step / (y - self.centre)) ** 2
        k = len(centre.weights)
        weights = centre.weights + move[:k]
        if k and (weights < 0.0).any():
            weights = np.where(weights < 0.0, 0.5 * centre.weights, weights)
        extras = np.clip(centre.extras + move[k:], *self._loss.extra_bounds)
        return Point(onto_simplex(weights) if k else weights, self.coordinate.back(x), extras)

    def _moved(self, point: Point) -> FloatArray:
        centre = self._points[self.centre]
        return np.concatenate([point.weights - centre.weights, point.extras - centre.extras])


def power_curve(likelihood: Likelihood, stride: float) -> PowerCurve:
    """Return the profile over the shape, with borrowed curvature where decisions are very many."""
    if _is_plain(likelihood):
        try:
            return QuickPowerCurve(likelihood, stride)
        except InputError:  # there is no curvature to borrow
            pass
    return PowerCurve(likelihood, stride)


def _is_plain(likelihood: Likelihood) -> bool:
    """Whether the likelihood is likely to be a parabola all along an interval."""
    loss, point = likelihood.loss, likelihood.point
    weights = point.weights[point.weights > 0]
    return bool(
        loss.decisions >= _VERY_MANY
        and not loss.squared
        and loss.restraint is None
        and not loss.leading
        and abs(point.p) <= TOWARDS
        and not likelihood.power_on_edge
        and not any(likelihood.extras_on_edge)
        and weights.min(initial=1.0) > _LEAST_WEIGHT
    )


def _tangent(weights: FloatArray, own: FloatArray, cross: FloatArray) -> FloatArray:
    """How weights and extras (q - 1,) move with the shape, those of weight 0 not at all."""
    k = len(weights)
    rows = np.concatenate([np.flatnonzero(weights > 0), np.arange(k, len(own))]).astype(np.intp)
    positive = weights[weights > 0]
    basis = keeping_the_sum(positive, len(rows)) if k else np.eye(len(rows))
    move = np.zeros(len(own))
    if len(basis):
        reduced = basis @ own[np.ix_(rows, rows)] @ basis.T
        move[rows] = -basis.T @ lstsq(reduced, basis @ cross[rows])[0]
    move[:k] *= weight_units(weights)
    return move
