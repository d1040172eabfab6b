"""Fits to uncertain utilities, which begin where a fit to the best guess of them ends.

A look at the likelihood with uncertain values costs many of one with known values, and the optimum
is near. So the search of all starts is made with known ones; from its optimum steps lead to that of
the likelihood itself, and, where starts did not agree, from a plain one as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from welfarist.base.progress import Progress
from welfarist.losses import Loss, Point
from welfarist.losses.estimated.loss import EstimatedLoss
from welfarist.noise.base import TAU
from welfarist.solvers.base import Optimum
from welfarist.solvers.descent import Descent, descend

# How far inside the searched range a start is, and how much of equal weights it has.
_INSIDE, _MIXED = 0.9, 0.02
# A loss that another start reached up to this share is the same.
_SAME = 1e-9
# The variance of a logistic error with tau = 1, and the least share of noise that is no utilities'.
_LOGISTIC, _LEAST_OWN = float(np.pi**2 / 3.0), 0.25


class Searching(Protocol):
    """A solver that searches from many starts."""

    @property
    def max_iter(self) -> int:
        """Largest number of steps per start."""
        ...

    @property
    def tolerance(self) -> float:
        """Relative decrease of the loss below which a start has converged."""
        ...

    @property
    def start(self) -> Point | None:
        """A solution of a similar problem."""
        ...

    def minimise(
        self,
        loss: Loss,
        rng: np.random.Generator,
        *,
        p: float | None,
        observations: float,
        progress: Progress,
    ) -> Optimum:
        """Minimise a loss."""
        ...


def from_best_guess(
    solver: Searching,
    loss: Loss,
    rng: np.random.Generator,
    p: float | None,
    observations: float,
    progress: Progress,
) -> Optimum:
    """Minimise a loss of uncertain utilities, from the optimum for their best guess."""
    data = loss.data
    assert isinstance(data, EstimatedLoss)
    exact = data.without_errors()
    found = solver.minimise(exact, rng, p=p, observations=observations, progress=Progress(False))
    starts = [_surer(data, _inside(loss, found.point))]
    if solver.start is not None:
        starts.insert(0, _inside(loss, solver.start))
    if found.agreeing < 2 or found.effort == "high":
        starts.append(_plain(loss, found.point, p))
    paths: list[Descent] = []
    for start in starts:
        known = [path for path in paths if path.converged]
        path = descend(
            loss, start, max_iter=solver.max_iter, tolerance=solver.tolerance, known=known
        )
        progress.say(f"with errors: loss {path.value:.10g} at p = {path.point.p:.6g}")
        paths.append(path)
    best = min(paths, key=lambda path: path.value)
    values = np.array([path.value for path in paths])
    return Optimum(
        best.point,
        loss.weights_at(best.point),
        best.value,
        best.converged,
        best.reason,
        sum(path.n_iter for path in paths),
        values,
        int((values <= best.value + _SAME * (1.0 + abs(best.value))).sum()),
        best.nothing_to_learn,
        evaluation=best.evaluation,
        effort=found.effort,
    )


def _inside(loss: Loss, point: Point) -> Point:
    """A point near one, inside the range of powers and of weights."""
    low, high = loss.search_range
    p = point.p
    if loss.learn_power:
        p = float(np.clip(p, _INSIDE * low, _INSIDE * high))
    weights = point.weights
    if len(weights) and (weights <= 0).any():
        weights = (1.0 - _MIXED) * weights + _MIXED * loss.weighting.start()
    data = loss.data
    assert isinstance(data, EstimatedLoss)
    start = loss.starting_extras(weights, p)  # some of which exact utilities do without
    extras = np.append(point.extras, start[len(point.extras) :])
    return Point(weights, p, np.minimum(extras, data.highest_start(weights, p)))


def _surer(data: EstimatedLoss, point: Point) -> Point:
    """A point with the tau that is left when what errors add to the noise is taken out of it."""
    names = [parameter.name for parameter in data.observed.parameters]
    if TAU.name not in names:
        return point
    place = data.slopes + names.index(TAU.name)
    theirs = 2.0 * data.effects_at(point) / _LOGISTIC
    both = float(np.exp(-2.0 * point.extras[place]))
    extras = point.extras.copy()
    extras[place] = -0.5 * np.log(max(both - theirs, _LEAST_OWN * both))
    return Point(
        point.weights, point.p, np.minimum(extras, data.highest_start(point.weights, point.p))
    )


def _plain(loss: Loss, near: Point, p: float | None) -> Point:
    """A start that knows nothing of the weights, and of the power only on which side of 0 it is."""
    weights = loss.weighting.start()
    power = (1.0 if near.p > 0 else -1.0) if p is None else p
    start = Point(weights, power, loss.starting_extras(weights, power))
    return replace(start, p=float(np.clip(power, *loss.search_range))) if p is None else start
