"""Second derivatives as products are those of the matrices."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import problems
from welfarist.decisions import Scores
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import DecisionLoss, Point, loss_of_comparisons, loss_of_scores, with_prior
from welfarist.losses.curvature_products import CurvatureProducts, has_products
from welfarist.losses.restraint import Restraint
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.weighting import Weighting

PEOPLE = 6
# Derivatives of the values are kept in single precision.
SINGLE = 1e-6


def of_scores(groups: bool = False, scale: bool = False, power: bool = True) -> DecisionLoss:
    problem = problems.scores(0, 50, PEOPLE)
    weighting = Weighting(PEOPLE, group_of=np.array([0, 0, 1, 2, 2, 3]) if groups else None)
    scores = Scores.of(problem.utilities, problem.scores)
    return loss_of_scores(scores, POWER_MEAN, weighting, power, scale)


def of_comparisons(restrained: bool = False, noise: object = LOGISTIC) -> DecisionLoss:
    given = problems.comparisons(0, 40, PEOPLE).comparisons()
    weighting = Weighting(PEOPLE)
    loss = loss_of_comparisons(given, POWER_MEAN, weighting, True, noise, 1e6)  # type: ignore[arg-type]
    return loss.restrained(Restraint(PEOPLE)) if restrained else loss


LOSSES = {
    "scores": of_scores(),
    "of groups": of_scores(groups=True),
    "with a scale": of_scores(scale=True),
    "at a given power": of_scores(power=False),
    "comparisons": of_comparisons(),
    "with restraint": of_comparisons(restrained=True),
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("p", [-1.3, 0.0, 2.6])
@pytest.mark.parametrize("absent", [False, True])
def test_products_are_those_with_the_matrices(name: str, p: float, absent: bool) -> None:
    loss = LOSSES[name]
    assert has_products(loss)
    k, rng = loss.weighting.free, np.random.default_rng(3)
    weights = rng.dirichlet(np.ones(k))
    if absent:
        weights[1] = 0.0
        weights /= weights.sum()
    here = loss.evaluate(Point(weights, p, np.full(len(loss.parameters), 0.7)))
    products, model = CurvatureProducts(here), here.model()
    np.testing.assert_allclose(products.gradient, model.gradient, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(here.gradient(), model.gradient, rtol=1e-9, atol=1e-14)
    size = len(model.gradient)
    moves = rng.normal(size=(2, size))
    total = np.zeros(size)
    total[:k] = np.where(weights > 0, weights, 1.0)
    moves -= np.outer(moves @ total, total) / (total @ total)
    one, other = moves
    for exactly, matrix in (
        (False, model.curvature),
        (True, model.curvature + here.remainder()),
    ):
        products.exactly = exactly
        found = other @ products.product(one)
        rounding = SINGLE * (np.abs(other) @ np.abs(matrix) @ np.abs(one))
        assert abs(found - other @ matrix @ one) <= rounding


@pytest.mark.parametrize("name", ["scores", "with a scale"])
def test_the_diagonal_of_scores_is_that_of_the_matrix(name: str) -> None:
    loss = LOSSES[name]
    here = loss.evaluate(
        Point(np.full(PEOPLE, 1 / PEOPLE), 0.5, np.full(len(loss.parameters), 0.1))
    )
    products = CurvatureProducts(here)
    np.testing.assert_allclose(products.diagonal, here.model().curvature.diagonal(), rtol=SINGLE)


def test_losses_with_more_to_them_have_none() -> None:
    assert not has_products(of_comparisons(noise=LAPSE))
    assert not has_products(with_prior(of_scores(), np.full(PEOPLE, 2.0), 50.0))
    known = of_scores().holding(np.full(PEOPLE, 1 / PEOPLE))
    assert not has_products(known)
