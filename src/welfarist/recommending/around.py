"""Equally likely rules around what was learned: normal, with the covariance of the estimates.

For fits that take too long to be resampled. Powers and temperatures are normal in the coordinates
in which likelihoods are nearly parabolas; weights as they are, cut off at 0.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.errors import InputError, WelfaristError
from welfarist.base.validation import FloatArray
from welfarist.inference.covariance import covariance_of
from welfarist.inference.likelihood import Likelihood, Quantity
from welfarist.results.record import FitResult
from welfarist.results.rule_draws import RuleDraws


def of_standard_errors(result: FitResult, count: int, seed: int) -> RuleDraws:
    """Return so many rules around the estimates of a fit.

    Parameters
    ----------
    result : FitResult
    count, seed : int
    """
    likelihood = result.likelihood
    if likelihood is None:
        raise InputError(
            "rules around the estimates need their standard errors; found a fit without noise. "
            "Fit again with noise."
        )
    if result.theta:
        raise InputError(
            "how sure the rule is cannot be said of weights that follow from attributes. Fit "
            "without attributes."
        )
    try:
        covariance = covariance_of(likelihood, "fisher")
    except WelfaristError as problem:
        raise InputError(f"how sure the rule is cannot be said: {problem}") from None
    drawn = _drawn(likelihood, covariance, count, np.random.default_rng([seed, 11]))
    columns = {one.name: drawn[:, i] for i, one in enumerate(likelihood.quantities)}
    weights = np.tile(result.weights, (count, 1))
    for i, one in enumerate(likelihood.quantities):
        if one.person is not None:
            weights[:, one.person] = drawn[:, i]
    nobody = weights.sum(axis=1) <= 0.0
    weights[nobody] = result.weights
    weights = weights / weights.sum(axis=1, keepdims=True)
    shape = next((columns[q.name] for q in likelihood.quantities if q.is_shape), None)
    chosen = result.kind != "scores"

    def noise(name: str) -> FloatArray:
        known = float(result.extras.get(name) or 0.0)
        return columns.get(name, np.full(count, known)) if chosen else np.zeros(count)

    return RuleDraws(
        weights, np.full(count, result.p) if shape is None else shape, noise("tau"), noise("rho"),
        np.zeros(count), result.stakeholders, "normal", seed, result.shift, result.family,
    )  # fmt: skip


def _drawn(
    likelihood: Likelihood, covariance: FloatArray, count: int, rng: np.random.Generator
) -> FloatArray:
    """Estimates (S, k) as they could be."""
    stretch = np.array([_stretch(q, x) for q, x in _pairs(likelihood)])
    values, vectors = np.linalg.eigh(covariance * np.outer(stretch, stretch))
    factor = vectors * np.sqrt(np.maximum(values, 0.0))
    moves = rng.normal(size=(count, len(values))) @ factor.T
    found = np.empty_like(moves)
    for i, (quantity, value) in enumerate(_pairs(likelihood)):
        if quantity.is_weight:
            found[:, i] = np.maximum(value + moves[:, i], 0.0)
        elif stretch[i]:
            coordinate = quantity.parameter.coordinate
            found[:, i] = [coordinate.back(coordinate.into(value) + move) for move in moves[:, i]]
        else:
            found[:, i] = value
    return np.asarray(found, dtype=np.float64)


def _pairs(likelihood: Likelihood) -> list[tuple[Quantity, float]]:
    return list(zip(likelihood.quantities, likelihood.estimates.tolist(), strict=True))


def _stretch(quantity: Quantity, value: float) -> float:
    """How fast the coordinate of an estimate moves with it; 1 of weights, 0 of what is infinite."""
    if quantity.is_weight:
        return 1.0
    if not np.isfinite(value):
        return 0.0
    steepness = quantity.parameter.coordinate.steepness(value)
    return 1.0 / steepness if np.isfinite(steepness) and steepness > 0 else 0.0
