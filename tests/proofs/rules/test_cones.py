"""Convex problems on cones: bounds against SciPy's minima and dense sampling."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from welfarist.proofs.rules.cones import Cones, minimise
from welfarist.proofs.rules.relaxed import _Excess, _Surprise

# Minima of SciPy's are good to this.
CLOSE = 1e-6


def problem(seed, squares, scaled):
    rng = np.random.default_rng(seed)
    rows, sides = 40, int(rng.integers(1, 4))
    forms = rng.normal(0, 1, (1, sides + 1, rows))
    offsets = rng.normal(0, 1, rows) if squares else 0.0
    weights = np.full(rows, 1.0 / rows)
    functions = _Excess(weights) if squares else _Surprise(weights)
    widths = rng.uniform(0, 0.5, (1, sides))
    ends = (1e-6, 1e6) if scaled else (1.0, 1.0)
    return Cones(forms, offsets, widths, *ends, functions)


def least_of(cones):
    """The minimum over the scale's logarithm and the place in the box."""
    widths = cones.widths[0]

    def at(x):
        scale = np.exp(x[0]) if cones.scaled else 1.0
        y = scale * np.concatenate([[1.0], x[1:]])
        return float(cones.functions.all(cones.arguments(y[None]))[0][0])

    first = (-13.0, 13.0) if cones.scaled else (0.0, 0.0)
    bounds = [first, *[(-w, w) for w in widths]]
    starts = [np.array([s, *np.zeros(len(widths))]) for s in (-2.0, 0.0, 1.0)]
    found = [minimize(at, start, bounds=bounds, method="L-BFGS-B", tol=1e-12) for start in starts]
    return min(float(f.fun) for f in found)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("squares", [True, False])
@pytest.mark.parametrize("scaled", [True, False])
def test_bounds_are_below_the_minimum_and_close_to_it(seed, squares, scaled):
    cones = problem(seed, squares, scaled)
    least = least_of(cones)
    found = minimise(cones, np.ones(1), 0.999 * least, 1e-9)
    assert found.lower_bound[0] <= least + CLOSE
    assert found.value[0] >= least - CLOSE
    assert found.lower_bound[0] >= 0.99 * least - CLOSE


def test_a_bound_that_cannot_reach_its_goal_is_a_bound_still():
    cones = problem(3, squares=False, scaled=True)
    least = least_of(cones)
    assert 0 <= minimise(cones, np.ones(1), 5.0, 1e-9).lower_bound[0] <= least + CLOSE
