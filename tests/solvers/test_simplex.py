"""The quadratic step against SciPy's general solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from welfarist.solvers.simplex import QuadraticStep, onto_simplex

# SLSQP stops at about this relative accuracy.
SLSQP = 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_step_is_the_constrained_minimum(seed):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(6, 0.3))
    weights[weights < 0.01] = 0.0
    weights /= weights.sum()
    units = np.where(weights > 0, weights, 1.0)
    root = rng.normal(size=(12, 8)) * np.array([1, 10, 0.1, 1, 5, 1, 30, 0.01])
    curvature, gradient = root.T @ root, rng.normal(size=8)
    lower = np.concatenate([np.where(weights > 0, -1.0, 0.0), [-0.5, -0.5]])
    upper = np.concatenate([np.full(6, np.inf), [0.5, 0.5]])
    move = QuadraticStep(6, 2).solve(gradient, curvature, lower, upper, units)
    assert move is not None
    assert units @ move[:6] == pytest.approx(0, abs=1e-9)
    assert (move >= lower).all()
    assert (move <= upper).all()

    def value(x):
        return gradient @ x + 0.5 * x @ curvature @ x

    constraint = {"type": "eq", "fun": lambda x: units @ x[:6]}
    bounds = [(a, b if np.isfinite(b) else None) for a, b in zip(lower, upper, strict=True)]
    found = minimize(
        value,
        np.zeros(8),
        method="SLSQP",
        bounds=bounds,
        constraints=[constraint],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert value(move) <= found.fun + SLSQP * (1 + abs(found.fun))


def test_active_weights_reach_zero_exactly():
    step = QuadraticStep(3, 0)
    weights = np.array([0.2, 0.3, 0.5])
    lower, upper = np.full(3, -1.0), np.full(3, np.inf)
    move = step.solve(np.array([1.0, 0, -1.0]), np.diag(weights**2), lower, upper, weights)
    assert move is not None
    assert weights[0] + weights[0] * move[0] == 0.0


def test_rounding_is_swept_from_the_simplex():
    clean = onto_simplex(np.array([0.5, -1e-18, 1e-300, 0.5000001]))
    assert clean.sum() == pytest.approx(1)
    assert (clean[1:3] == 0).all()


def test_a_loss_that_is_flat_in_the_only_weight_does_not_take_it_away():
    """In scaled variables the whole weight is smaller than the method's tolerance."""
    inverse = np.array([6.4e-18, 15.5])
    curvature = np.array([[1.0, -0.222], [-0.222, 1.0]]) * np.outer(inverse, inverse)
    gradient = np.array([-0.0428, 0.00569]) * inverse
    units = np.array([1.0, 1e-9])
    step = QuadraticStep(2, 0)
    move = step.solve(gradient, curvature, np.array([-1.0, 0.0]), np.full(2, np.inf), units)
    assert units @ move == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_array_equal(onto_simplex(np.array([1.0, 0.0]) + units * move), [1.0, 0.0])
