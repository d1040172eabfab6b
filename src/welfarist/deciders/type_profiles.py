"""Profile likelihoods of a mixture: one number of one type held, all else at its best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2

from welfarist.deciders.climbing import climb
from welfarist.deciders.mixture import Mixture, TypeModel
from welfarist.losses import Point
from welfarist.people.weighting import HeldWeight
from welfarist.solvers.simplex import onto_simplex

# Rounds at each place, which begins next to one that is known.
_ROUNDS = 60
# Steps outward in the coordinate, the first and by how much they grow.
_STRIDE, _GROWTH = {"p": 0.2, "weight": 0.01}, 1.8
# How closely an end is found, in the coordinate.
_FINE = {"p": 1e-3, "weight": 1e-4}
# Beyond this coordinate a p is as good as infinite: asinh(p) of a p of 37.
_FAR = 4.3
# How near to 0 and 1 weights are held.
_NEARLY = 1e-6


class _Curve:
    """The deviance of a mixture where one number of type k is held at x."""

    def __init__(self, mixture: Mixture, k: int, person: int | None) -> None:
        self._mixture, self._k, self._person = mixture, k, person
        self._best = mixture.log_likelihood
        loss, point = mixture.models[k].loss, mixture.points[k]
        self._loss = loss
        if person is None:
            self._coordinate = loss.family.shape.coordinate
            low, high = (self._coordinate.into(x) for x in loss.search_range)
            self.ends = max(low, -_FAR), min(high, _FAR)
            self.centre = float(np.clip(self._coordinate.into(point.p), *self.ends))
        else:
            self.ends = _NEARLY, 1.0 - _NEARLY
            self.centre = float(np.clip(loss.weights_at(point)[person], *self.ends))
        self._known = {self.centre: mixture.points}
        self._membership = mixture.membership

    @property
    def kind(self) -> str:
        return "p" if self._person is None else "weight"

    def at(self, x: float) -> float:
        """Twice the log likelihood that is lost."""
        near = self._known[min(self._known, key=lambda other: abs(other - x))]
        held, start = self._held(x, near[self._k])
        models, points = list(self._mixture.models), list(near)
        models[self._k], points[self._k] = held, start
        mixture = replace(self._mixture, models=tuple(models), points=tuple(points))
        found = climb(mixture, _ROUNDS)
        there = list(found.mixture.points)
        there[self._k] = self._freed(x, there[self._k])
        self._known[x] = tuple(there)
        return 2.0 * (self._best - found.log_likelihood)

    def _held(self, x: float, near: Point) -> tuple[TypeModel, Point]:
        if self._person is None:
            p = self._loss.allowed(self._coordinate.back(x))
            return TypeModel(replace(self._loss, learn_power=False), p), replace(near, p=p)
        weighting = HeldWeight.of(self._loss.weighting, self._person, x)
        others = np.delete(near.weights, self._person)
        shares = onto_simplex(others) if others.sum() > 0 else weighting.start()
        p = near.p if np.isfinite(near.p) else self._loss.allowed(np.copysign(30.0, near.p))
        held = replace(self._loss, weighting=weighting)
        return TypeModel(held), replace(near, weights=shares, p=p)

    def _freed(self, x: float, point: Point) -> Point:
        if self._person is None:
            return point
        return replace(point, weights=np.insert((1.0 - x) * point.weights, self._person, x))

    def value(self, x: float) -> float:
        """What x stands for; infinite where the range of p ends and there is a rule at infinity."""
        if self._person is None:
            limits = self._loss.limits
            if x <= self.ends[0] and -np.inf in limits:
                return -np.inf
            if x >= self.ends[1] and np.inf in limits:
                return np.inf
            return float(self._coordinate.back(x))
        return 0.0 if x <= _NEARLY else 1.0 if x >= 1.0 - _NEARLY else x


def profile_interval(
    mixture: Mixture, k: int, person: int | None, level: float
) -> tuple[float, float] | None:
    """Return the interval of a type's shape, or of somebody's weight in it; None if there is none.

    Parameters
    ----------
    mixture : Mixture
        The most likely one.
    k : int
        Which type.
    person : int or None
        Whose weight; None is the shape.
    level : float
    """
    loss = mixture.models[k].loss
    grouped = loss.weighting.free != loss.weighting.people or loss.weighting.parameters
    if person is not None and grouped:
        return None
    curve, allowed = _Curve(mixture, k, person), float(chi2.ppf(level, 1))
    low, high = (_end(curve, sign, allowed) for sign in (-1.0, 1.0))
    return curve.value(low), curve.value(high)


def _end(curve: _Curve, sign: float, allowed: float) -> float:
    """Where the deviance passes what is allowed, or the end of the range."""
    last = curve.ends[0] if sign < 0 else curve.ends[1]
    inside, stride = curve.centre, _STRIDE[curve.kind]
    while sign * (last - inside) > 0:
        x = inside + sign * stride
        x = last if sign * (last - x) < 0 else x
        if curve.at(x) > allowed:
            ends = sorted((inside, x))
            return _between(curve, allowed, ends)
        inside, stride = x, stride * _GROWTH
    return last


def _between(curve: _Curve, allowed: float, ends: list[float]) -> float:
    known: dict[float, float] = {}

    def excess(x: float) -> float:
        if x not in known:
            known[x] = (0.0 if x == curve.centre else curve.at(x)) - allowed
        return known[x]

    if excess(ends[0]) * excess(ends[1]) >= 0:
        return ends[1] if excess(ends[0]) > 0 else ends[0]
    return float(brentq(excess, *ends, xtol=_FINE[curve.kind], rtol=1e-8))
