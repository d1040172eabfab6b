"""Likelihoods of uncertain utilities: derivatives by differences, values by quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from welfarist import Choices, Comparisons, People
from welfarist.decisions import Scores
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import Point, loss_of_choices, loss_of_comparisons, loss_of_scores
from welfarist.losses.estimated.loss import _moves
from welfarist.noise.choices import LOGISTIC
from welfarist.people.weighting import Weighting

# Differences of fourth order with steps of 1e-3, of losses near 1.
SLOPES = 1e-9
# Differences of values with steps of 1e-3, relative: their own error is their square.
CURVATURES = 1e-6
RULE = Point(np.array([0.2, 0.3, 0.5]), -0.7, np.array([2.0]))


def made(kind: str, shared: bool, weighting: Weighting | None = None):
    rng = np.random.default_rng(5)
    utilities = np.exp(rng.normal(0, 0.8, (20, 3)))
    factors = 0.15 * rng.normal(size=(3, 20, 2)) if shared else None
    people = People(utilities, 0.2, factors=factors)
    rest = POWER_MEAN, weighting or Weighting(3), True
    if kind == "comparisons":
        pairs = np.column_stack([np.arange(80) % 20, (np.arange(80) * 7 + 3) % 20])
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        outcomes = np.where(rng.random(len(pairs)) < 0.6, 1, -1)
        return loss_of_comparisons(Comparisons(people, pairs, outcomes), *rest, LOGISTIC, 1e6)
    if kind == "menus":
        menus = [rng.choice(20, 2 + i % 3, replace=False).tolist() for i in range(60)]
        chosen = [menu[i % len(menu)] for i, menu in enumerate(menus)]
        return loss_of_choices(Choices(people, menus, chosen), *rest, LOGISTIC, 1e6)
    scores = Scores.of(people, 1.0 + rng.random(20), rng.integers(1, 4, 20))
    return loss_of_scores(scores, *rest, kind == "scaled scores")


KINDS = ("comparisons", "menus", "scores", "scaled scores")


def point_of(kind: str) -> Point:
    extras = {"scores": [-0.7], "scaled scores": [0.2, -0.7]}.get(kind, [2.0])
    return Point(RULE.weights, RULE.p, np.array(extras))


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_and_hessians_are_those_of_differences(kind, shared):
    loss, point = made(kind, shared), point_of(kind)
    here = loss.evaluate_exactly(point)
    gradient, basis, step = here.gradient(), _moves(here.judged, len(here.gradient())), 1e-3

    def value(*moves):
        move = step * sum(times * along for times, along in moves)
        return loss.evaluate(here._moved(point, move)).value

    for along in basis:
        near, far = (value((t, along)) - value((-t, along)) for t in (1, 2))
        assert abs(gradient @ along - (8 * near - far) / (12 * step)) < SLOPES
    hessian = basis @ (here.model().curvature + here.remainder()) @ basis.T
    for i, one in enumerate(basis):
        for j, other in enumerate(basis):
            signs = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
            found = sum(s * value((a, one), (b, other)) for a, b, s in signs) / (4 * step * step)
            assert abs(hessian[i, j] - found) < CURVATURES * (1 + abs(found))


@pytest.mark.parametrize("kind", KINDS)
def test_curvature_on_the_way_is_positive(kind):
    model = made(kind, False).evaluate(point_of(kind)).model()
    assert np.linalg.eigvalsh(model.curvature).min() > -1e-12


def test_laplace_is_close_to_the_integral():
    rng = np.random.default_rng(3)
    people = People(np.exp(rng.normal(0, 0.5, (2, 3))), 0.2, shrink=False)
    decided = Comparisons(people, [[0, 1]] * 6, [1, 1, 1, 1, 1, -1])
    loss = loss_of_comparisons(decided, POWER_MEAN, Weighting(3), True, LOGISTIC, 1e6)
    here = loss.evaluate(RULE)
    mean, variance = here.uncertain.biased(loss.judge(RULE).welfare).value, here.uncertain.effects
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    gap = np.sqrt(variance.variance.sum()) * nodes + mean[0] - mean[1]
    z = np.exp(2.0) * gap
    log_chance = -5 * np.log1p(np.exp(-z)) - np.log1p(np.exp(z))
    exact = -logsumexp(log_chance, b=weights / np.sqrt(2 * np.pi)) / 6
    assert abs(here.value - exact) < 5e-3  # of 0.77: one effect and six decisions are few


def test_scores_are_normal_with_the_moments_of_a_lognormal():
    loss, point = made("scores", True), point_of("scores")
    here = loss.evaluate(point)
    mean = here.uncertain.biased(loss.judge(point).welfare).value + loss.people.shift
    covariance = here.uncertain.effects.covariance
    level = np.exp(mean + covariance.diagonal() / 2)
    counts = loss.observed.counts
    noise = np.exp(-1.4)
    whole = np.outer(level, level) * np.expm1(covariance) + np.diag(noise / counts)
    apart = multivariate_normal(level, whole).logpdf(loss.observed.scores)
    repeated = -0.5 * (counts - 1).sum() * (np.log(2 * np.pi) + np.log(noise))
    repeated -= 0.5 * np.log(counts).sum()
    assert abs(here.value * loss.observed.total + apart + repeated) < 1e-9


def test_groups_and_zero_weights_have_exact_derivatives():
    loss = made("comparisons", False, Weighting(3, group_of=np.array([0, 1, 1])))
    point = Point(np.array([0.3, 0.7]), 0.4, np.array([2.0]))
    gradient, step = loss.evaluate(point).gradient(), 1e-4
    ends = [Point(np.array([0.3 + s, 0.7 - s]), 0.4, point.extras) for s in (step, -step)]
    found = (loss.evaluate(ends[0]).value - loss.evaluate(ends[1]).value) / (2 * step)
    assert abs(gradient[0] / 0.3 - gradient[1] / 0.7 - found) < 1e-6
    edge = made("comparisons", False).evaluate_exactly(
        Point(np.array([0.0, 0.4, 0.6]), 1e-9, np.array([2.0]))
    )
    assert np.isfinite(edge.gradient()).all()
    assert np.isfinite(edge.remainder()).all()
