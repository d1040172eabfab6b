"""The quadratic step by products against the one with a matrix."""

from __future__ import annotations

import numpy as np
import pytest

from tests.solvers.test_active_set import programme
from welfarist.solvers.active_set import minimise_within
from welfarist.solvers.conjugate import minimise_by_products, on_face

TOLERANCE = 1e-9
# What is left of the gradient moves a solution by this share of it at most, in these programmes.
CLOSE = 1e-6


def scaled(seed):
    """A programme of a unit diagonal, and the entries of its sum."""
    gradient, curvature, lower, upper, units = programme(seed)
    scale = 1.0 / np.sqrt(curvature.diagonal())
    total = np.concatenate([units, np.zeros(len(gradient) - len(units))]) * scale
    return gradient * scale, curvature * np.outer(scale, scale), total, lower / scale, upper / scale


@pytest.mark.parametrize("seed", range(6))
def test_products_find_what_the_matrix_finds(seed):
    gradient, matrix, total, lower, upper = scaled(seed)
    exact = minimise_within(gradient, matrix, total, lower, upper)
    found = minimise_by_products(gradient, matrix.dot, total, lower, upper, TOLERANCE)
    assert exact is not None
    assert found is not None
    move, held = found
    np.testing.assert_allclose(move, exact[0], atol=CLOSE * np.abs(exact[0]).max())
    np.testing.assert_array_equal(held, (exact[0] == lower) & exact[1])
    assert total @ move == pytest.approx(0.0, abs=CLOSE)


def test_nothing_is_returned_where_the_curvature_is_negative():
    gradient, matrix, total, lower, upper = scaled(0)
    assert minimise_by_products(gradient, (-matrix).dot, total, lower, upper, TOLERANCE) is None


def test_without_bounds_it_is_a_linear_system():
    gradient, matrix, total, _, _ = scaled(2)
    free = np.ones(len(gradient), dtype=bool)
    free[3] = False
    rows = np.flatnonzero(free)
    size = len(rows)
    whole = np.zeros((size + 1, size + 1))
    whole[:size, :size] = matrix[np.ix_(rows, rows)]
    whole[size, :size] = whole[:size, size] = total[rows]
    exact = np.linalg.solve(whole, np.append(-gradient[rows], 0.0))[:size]
    found = on_face(gradient, matrix.dot, total, free, TOLERANCE)
    assert found is not None
    np.testing.assert_allclose(found[rows], exact, atol=CLOSE * np.abs(exact).max())
    assert found[3] == 0.0
