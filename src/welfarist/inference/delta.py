"""How sure a number is that follows from the rule: the delta method, along its own direction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.stats import norm

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.inference.covariance import face_of
from welfarist.inference.likelihood import Likelihood
from welfarist.people.attribute_weighting import AttributeWeighting

# How far to step for a slope, in standard errors: far enough to pass over kinks of a median.
# Shorter steps are tried where a number is infinite there.
_STEPS = (1.0, 0.25, 0.05, 0.01)

Rule = tuple[float, FloatArray]


def delta_interval(
    likelihood: Likelihood,
    covariance: FloatArray,
    function: Callable[[float, FloatArray], float],
    level: float,
) -> tuple[float, float]:
    """Return the interval of a positive number that is a function of the rule.

    Parameters
    ----------
    likelihood : Likelihood
    covariance : (k, k) array
        Of the estimates.
    function : callable
        From the shape and the weights (d,) to a positive number, which may be infinite elsewhere
        than at the estimates.
    level : float
        Between 0 and 1.

    Notes
    -----
    The delta method finds the direction in which the number changes most for its standard error.
    The ends are what the number is at both ends of the estimates' own interval in that direction:
    for a linear function they are estimate plus and minus standard errors, and for any other they
    are as lopsided as it is. Where the shape lies on an edge its errors go one way only, and there
    is no such interval.
    """
    _refuse_edges(likelihood)
    here = likelihood.point.p, likelihood.weights
    if not 0.0 < function(*here) < np.inf:
        raise InputError("the delta method needs a positive, finite number.")
    moves = _moves(likelihood, covariance)
    moved = partial(_moved_in_logs if likelihood.loss.weighting.parameters else _moved, here)
    slopes = np.array([_slope(function, moved, move) for move in moves])
    size = float(np.linalg.norm(slopes))
    if size == 0.0:
        return function(*here), function(*here)
    reach = float(norm.isf((1.0 - level) / 2.0))
    shape = sum(float(s) * move[0] for s, move in zip(slopes, moves, strict=True)) / size
    weights = np.sum([s * move[1] for s, move in zip(slopes, moves, strict=True)], axis=0) / size
    ends = [function(*moved((shape, weights), side * reach)) for side in (-1.0, 1.0)]
    return min(ends), max(ends)


def _refuse_edges(likelihood: Likelihood) -> None:
    shape = likelihood.loss.shape.name
    if likelihood.only_who_counts:
        raise InputError(f"at {shape} = {likelihood.point.p:.6g} weights only say who counts.")
    if shape in face_of(likelihood.require()).on_edge:
        raise InputError(f"the estimate of {shape} lies where its range ends.")


def _moves(likelihood: Likelihood, covariance: FloatArray) -> list[Rule]:
    """Moves of the shape and of the weights (d,), a standard error each and independent.

    Where weights follow from attributes, moves are those of their logarithms.
    """
    shape = [i for i, quantity in enumerate(likelihood.quantities) if quantity.is_shape]
    weights = [i for i, quantity in enumerate(likelihood.quantities) if quantity.is_weight]
    slopes = [i for i, q in enumerate(likelihood.quantities) if q.attribute is not None]
    chosen = [*shape, *weights, *slopes]
    values, vectors = np.linalg.eigh(covariance[np.ix_(chosen, chosen)])
    found = []
    for size, direction in zip(np.sqrt(np.maximum(values, 0.0)), vectors.T, strict=True):
        move = size * direction
        along = move[len(shape) :] if weights else np.zeros(len(likelihood.weights))
        if slopes:
            along = _by_slopes(likelihood, move[len(shape) :])
        found.append((float(move[0]) if shape else 0.0, along))
    return found


def _by_slopes(likelihood: Likelihood, move: FloatArray) -> FloatArray:
    """How logarithms of weights (d,) that follow from attributes move with theta (q,)."""
    weighting = likelihood.loss.weighting
    assert isinstance(weighting, AttributeWeighting)
    return np.asarray((move * weighting.units) @ weighting.scaled)


def _slope(
    function: Callable[[float, FloatArray], float], moved: Callable[[Rule, float], Rule], move: Rule
) -> float:
    """How much the logarithm of the number changes in a move, from both sides of the estimates."""
    for step in _STEPS:
        ends = [function(*moved(move, side * step)) for side in (-1.0, 1.0)]
        if min(ends) > 0.0 and max(ends) < np.inf:
            return float(np.log(ends[1] / ends[0])) / (2.0 * step)
    raise InputError("the delta method needs a number that moves smoothly with the rule.")


def _moved(here: Rule, move: Rule, times: float) -> Rule:
    """The rule after so many moves; no weight falls below 0."""
    weights = np.maximum(here[1] + times * move[1], 0.0)
    return here[0] + times * move[0], weights / weights.sum()


def _moved_in_logs(here: Rule, move: Rule, times: float) -> Rule:
    """The rule after so many moves of the logarithms of its weights."""
    weights = here[1] * np.exp(times * move[1])
    return here[0] + times * move[0], weights / weights.sum()
