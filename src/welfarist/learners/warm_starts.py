"""Warm starts: the last solution of a learner as one more place to search from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionLoss, Point
from welfarist.results.record import FitResult
from welfarist.solvers.base import Solver
from welfarist.solvers.newton import Newton
from welfarist.solvers.simplex import onto_simplex

# The share of the weight that a start gives to everybody where everybody must count.
_LEAST = 1e-6


def warmed(
    solver: Solver,
    loss: DecisionLoss,
    last: FitResult | None,
    p: float | None,
    interior: bool = False,
) -> Solver:
    """Return a solver that also searches from the last solution, where that is one of this problem.

    Parameters
    ----------
    solver : Solver
    loss : DecisionLoss
    last : FitResult or None
        What was learned before, if anything.
    p : float or None
        The shape, if it is given.
    interior : bool
        Whether everybody must count, as under a prior.
    """
    refuse_others(isinstance(solver, Newton))
    assert isinstance(solver, Newton)
    start = None if last is None else _start(loss, last, p, _LEAST if interior else 0.0)
    return solver if start is None else replace(solver, start=start)


def refuse_others(steps: bool) -> None:
    """Refuse a warm start of a solver that does not go from point to point."""
    if not steps:
        raise InputError(
            'warm_start=True needs solver="newton", whose steps go on from a solution; found '
            "another solver, or errors that are counted. Leave it out."
        )


def _start(loss: DecisionLoss, last: FitResult, p: float | None, least: float) -> Point | None:
    """The last solution as a point of this loss; None if it is about other people or families."""
    if len(last.weights) != loss.weighting.people or last.family != loss.family:
        return None
    weights = np.empty(0)
    if loss.weighting.free:
        weights = onto_simplex(loss.weighting.gather(last.weights) + least)
    low, high = loss.search_range
    shape = loss.allowed(min(max(last.p, low), high)) if p is None else p
    extras = _extras(loss, last, weights, shape)
    own = loss.family.own_start
    if loss.family.own and type(last.family) is type(loss.family):
        own = np.clip(last.family.own_start, *loss.family.own_bounds)
    slopes = loss.weighting.slopes_of(last.weights)
    return Point(weights, shape, np.concatenate([slopes, own, extras]))


def _extras(loss: DecisionLoss, last: FitResult, weights: FloatArray, shape: float) -> FloatArray:
    """The noise model's parameters of the last solution, or those that go well with its rule."""
    parameters = loss.observed.parameters
    values: list[Any] = [last.extras.get(parameter.name) for parameter in parameters]
    if any(value is None for value in values):
        return loss.starting_extras(weights, shape)[loss.leading :]
    pairs = zip(parameters, values, strict=True)
    lower, upper = loss.observed.bounds
    found = [parameter.coordinate.into(value) for parameter, value in pairs]
    return np.asarray(np.clip(found, lower, upper), dtype=np.float64)
