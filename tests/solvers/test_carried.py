"""Steps with carried curvature against steps with curvature of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import welfarist as wf
from benchmarks import problems
from welfarist.solvers.carried import expected_curvature, few_steps, follow, near_an_optimum
from welfarist.solvers.coordinates import Curvature
from welfarist.solvers.descent import descend

# What the last step leaves of the loss, relative to it.
LEFT = 1e-10


@pytest.fixture(scope="module")
def fitted():
    problem = problems.comparisons(3, 4000, 5, 30_000)
    result = wf.ComparisonClassifier().fit(problem.comparisons()).result_
    likelihood = result.likelihood
    best = descend(likelihood.loss, likelihood.point, tolerance=1e-15, near=True)
    return likelihood, best


def test_from_the_optimum_of_a_share_it_leads_to_that_of_everything(fitted):
    likelihood, best = fitted
    part = likelihood.loss.share(0.1, np.random.default_rng(0))
    start = descend(part, likelihood.point).point
    found = follow(likelihood.loss, start, max_iter=50, tolerance=1e-9)
    assert found.converged
    assert found.value == pytest.approx(best.value, rel=LEFT)
    assert found.value >= best.value * (1.0 - LEFT)
    curvature = expected_curvature(part, start)
    found = follow(likelihood.loss, start, max_iter=50, tolerance=1e-9, curvature=curvature)
    assert found.converged
    assert found.value == pytest.approx(best.value, rel=LEFT)
    nearer = few_steps(likelihood.loss, start)
    assert (
        nearer is None
        or likelihood.loss.evaluate(nearer).value < likelihood.loss.evaluate(start).value
    )


def test_from_far_away_other_steps_take_over(fitted):
    likelihood, best = fitted
    loss = likelihood.loss
    start = replace(likelihood.point, weights=loss.weighting.start(), p=2.0)
    found = follow(loss, start, max_iter=100, tolerance=1e-9)
    assert found.value == pytest.approx(best.value, rel=LEFT)
    hessian = Curvature.of(loss, best.point)
    assert near_an_optimum(loss, start, hessian, lambda value, promised: promised < 0) is None


def test_the_loss_of_large_data_is_that_of_its_estimates():
    problem = problems.comparisons(3, 4000, 5, 30_000)
    result = wf.ComparisonClassifier().fit(problem.comparisons()).result_
    assert result.loss == pytest.approx(result.likelihood.value, rel=1e-9)
