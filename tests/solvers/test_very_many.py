"""Very many weights: the same optima by products as with matrices."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from benchmarks import problems
from welfarist.base.progress import Progress
from welfarist.families import columns
from welfarist.learners import assembly
from welfarist.solvers import very_many
from welfarist.solvers.descent import descend, uncertainty_of_power

# Both promise a further decrease of 1e-12 at most, up to rounding along valleys.
EQUAL = 1e-8
# Curvature in single precision, solved to four digits.
ROUGH = 1e-3


@pytest.fixture
def small(monkeypatch):
    """What is done with very many weights is done with a few."""
    monkeypatch.setattr(very_many, "VERY_MANY", 2)
    monkeypatch.setattr(columns, "_VAST", 1)
    monkeypatch.setattr(columns, "_WIDE", 1)


def fitted(problem, **options):
    if isinstance(problem, problems.ScoreProblem):
        return wf.WelfareRegressor(**options).fit(problem.utilities, problem.scores)
    return wf.ComparisonClassifier(**options).fit(problem.comparisons())


PROBLEMS = {
    "scores": (problems.scores(1, 600, 12, p=0.5, noise=0.02), {}),
    "with a scale": (problems.scores(2, 400, 12), {"scale": True}),
    "comparisons": (problems.comparisons(3, 300, 8), {}),
    "with restraint": (problems.comparisons(4, 60, 12, 400), {"n_starts": 1}),
    "groups": (problems.scores(5, 200, 8), {"groups": [0, 0, 1, 1, 2, 3, 4, 5]}),
    "a given power": (problems.scores(6, 200, 30), {"p": -1.0}),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_optimum_is_that_of_steps_with_matrices(name, request):
    problem, options = PROBLEMS[name]
    usual = fitted(problem, **options)
    request.getfixturevalue("small")
    found = fitted(problem, **options)
    assert found.converged_
    assert found.loss_ == pytest.approx(usual.loss_, rel=EQUAL)
    np.testing.assert_allclose(found.weights_, usual.weights_, atol=1e-5)


def test_weights_that_leave_are_exactly_zero_and_nobody_wants_to_come_back(small):
    problem = problems.scores(7, 300, 40, sparse=0.1)
    loss = fitted(problem).result_.likelihood.loss
    start = loss.weighting.start()
    found = very_many.descend_from(
        loss, very_many.Point(start, 1.0, np.empty(0)), max_iter=50, tolerance=1e-12
    )
    weights = found.point.weights
    counted = weights > 0
    assert 0 < counted.sum() < 40
    assert weights[counted].min() > 1e-8
    gradient = loss.evaluate(found.point).gradient()
    by_weight = gradient[:40] / np.where(counted, weights, 1.0)
    common = weights @ by_weight
    np.testing.assert_allclose(by_weight[counted], common, atol=1e-7)
    assert (by_weight[~counted] > common).all()
    assert abs(gradient[40]) < 1e-8


def test_how_well_the_power_is_known_is_what_the_fisher_matrix_says(small, monkeypatch):
    loss = fitted(problems.comparisons(3, 300, 8)).result_.likelihood.loss
    start = very_many.Point(loss.weighting.start(), 1.0, np.zeros(1))
    by_products = very_many.descend_from(loss, start, max_iter=50, tolerance=1e-12)
    usual = descend(loss, start)
    assert by_products.fisher is None
    assert uncertainty_of_power(loss, by_products, 3000.0) == pytest.approx(
        uncertainty_of_power(loss, usual, 3000.0), rel=ROUGH
    )


def test_a_bar_counts_digits_of_the_loss(small, monkeypatch):
    loss = fitted(problems.scores(1, 100, 5)).result_.likelihood.loss
    seen = []

    class Watched(Progress):
        def track(self, items, total, description):
            seen.append((description, total, list(items)))
            yield from seen[-1][2]

    start = very_many.Point(loss.weighting.start(), 1.0, np.empty(0))
    very_many.descend_from(loss, start, max_iter=50, tolerance=1e-12, progress=Watched(False))
    assert seen == [("5 weights, digits of the loss", 12, list(range(1, 13)))]


def test_too_few_steps_are_said_and_the_bar_ends_all_the_same(small):
    loss = fitted(problems.scores(1, 100, 5)).result_.likelihood.loss
    start = very_many.Point(loss.weighting.start(), 1.0, np.empty(0))
    found = very_many.descend_from(loss, start, max_iter=1, tolerance=1e-12)
    assert not found.converged
    assert found.reason == "1 steps were not enough"


def test_fewer_decisions_than_weights_are_said(small):
    problem = problems.scores(8, 8, 12)
    with pytest.warns(wf.NotIdentifiedWarning, match="cannot determine"):
        fitted(problem, n_starts=1)


def test_statistics_that_need_every_two_weights_are_refused_of_too_many(monkeypatch):
    monkeypatch.setattr(assembly, "_MOST_WEIGHTS", 4)
    result = fitted(problems.scores(1, 100, 5, noise=0.02)).result_
    assert "standard errors" in str(result.summary())
    with pytest.raises(wf.WelfaristError, match="for up to 4 learned ones; found 5"):
        result.interval("p")
