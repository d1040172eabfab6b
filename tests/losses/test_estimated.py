"""Likelihoods of uncertain utilities: derivatives by differences, values by quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from welfarist import Choices, Comparisons, People
from welfarist.decisions import Scores
from welfarist.decisions.merged_pairs import MergedPairs
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import Point, loss_of_choices, loss_of_comparisons, loss_of_scores
from welfarist.losses.estimated.loss import _moves
from welfarist.losses.estimated.propagated import Ends, Propagated
from welfarist.losses.estimated.roots import Root
from welfarist.losses.graph import ComparisonGraph
from welfarist.noise.choices import LOGISTIC
from welfarist.people.weighting import Weighting

# Differences of fourth order with steps of 1e-3, of losses near 1; the chances of comparisons are
# integrals by 20 nodes, of which values and slopes differ by so much where effects are wide.
SLOPES, WIDE_SLOPES = 1e-9, 1e-8
# Integrals by 20 nodes beside many; how far the product of normal factors is from the integral.
INTEGRALS, PROPAGATED = 1e-6, 3e-3
# Differences of values with steps of 1e-3, relative: their own error is their square.
CURVATURES = 2e-6
RULE = Point(np.array([0.2, 0.3, 0.5]), -0.7, np.array([2.0]))


def made(kind: str, shared: bool | str, weighting: Weighting | None = None):
    rng = np.random.default_rng(5)
    utilities = np.exp(rng.normal(0, 0.8, (20, 3)))
    factors = 0.15 * rng.normal(size=(3, 20, 2)) if shared else None
    people = People(utilities, 0.2, factors=factors)
    if isinstance(shared, str):
        common, factors = 0.05 * rng.normal(size=(3, 20, 2)), 0.4 * factors  # as narrow as alone
        own = 0.2 if shared == "common" else None
        people = People(utilities, own, factors=factors, common=common, shrink=False)
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


@pytest.mark.parametrize("shared", [False, True, "common", "few factors"])
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_and_hessians_are_those_of_differences(kind, shared):
    loss, point = made(kind, shared), point_of(kind)
    here = loss.evaluate_exactly(point)
    gradient, basis, step = here.gradient(), _moves(here.judged, len(here.gradient())), 1e-3
    slopes = WIDE_SLOPES if kind == "comparisons" and shared else SLOPES

    def value(*moves):
        move = step * sum(times * along for times, along in moves)
        return loss.evaluate_exactly(here._moved(point, move)).value

    for along in basis:
        near, far = (value((t, along)) - value((-t, along)) for t in (1, 2))
        assert abs(gradient @ along - (8 * near - far) / (12 * step)) < slopes
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


def chance_of(margins, count, lead):
    """The log chance of outcomes at margins."""
    return -count * np.logaddexp(margins / 2, -margins / 2) + lead * margins / 2


def test_one_pair_is_its_integral():
    rng = np.random.default_rng(3)
    people = People(np.exp(rng.normal(0, 0.5, (2, 3))), 0.2, shrink=False)
    decided = Comparisons(people, [[0, 1]] * 6, [1, 1, 1, 1, 1, -1])
    loss = loss_of_comparisons(decided, POWER_MEAN, Weighting(3), True, LOGISTIC, 1e6)
    here = loss.evaluate_exactly(RULE)
    mean, variance = here.uncertain.biased(loss.judge(RULE).welfare).value, here.uncertain.effects
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    gap = np.sqrt(variance.variance.sum()) * nodes + mean[0] - mean[1]
    log_chance = chance_of(np.exp(2.0) * gap, 6, 4)
    exact = -logsumexp(log_chance, b=weights / np.sqrt(2 * np.pi)) / 6
    assert abs(here.value - exact) < INTEGRALS


def test_a_triangle_of_actions_is_close_to_its_integral():
    """Brute force over three effects, with menus of two and by Laplace beside it."""
    values, variances, tau = np.array([0.3, -0.1, 0.05]), np.array([0.1, 0.2, 0.15]), 6.0
    pairs = MergedPairs(
        np.array([0, 0, 1], dtype=np.int32),
        np.array([1, 2, 2], dtype=np.int32),
        np.array([3.0, 1.0, 2.0]),
        np.array([1.0, -1.0, 2.0]),
    )
    found = Propagated.of(
        Ends(ComparisonGraph(pairs, 3)), values, Root.of(variances), np.array([np.log(tau)])
    )
    nodes, weights = np.polynomial.hermite_e.hermegauss(50)
    effects = np.stack(np.meshgrid(*(values[i] + np.sqrt(variances[i]) * nodes for i in range(3))))
    effects = effects.transpose(0, 2, 1, 3)
    gaps = effects[pairs.first] - effects[pairs.second]
    logs = sum(chance_of(tau * gaps[k], pairs.count[k], pairs.lead[k]) for k in range(3))
    mass = np.einsum("i,j,k->ijk", *(weights / np.sqrt(2 * np.pi),) * 3)
    exact = -logsumexp(logs, b=mass)
    assert abs(found.value - exact) < PROPAGATED
    chance = np.exp(logs + exact) * mass
    mean = np.array([(chance * (effects[i] - values[i])).sum() for i in range(3)])
    assert np.abs(found.effects - mean).max() < PROPAGATED


def test_sites_settle_where_errors_are_none_or_decisions_many():
    rng = np.random.default_rng(1)
    first, second = (ends.astype(np.int32) for ends in np.triu_indices(12, 1))
    count = rng.choice([0.5, 1.0, 400.0], len(first))
    values = rng.normal(size=12)
    seen = values + rng.normal(size=12)
    lead = count * np.tanh(seen[first] - seen[second])
    pairs = MergedPairs(first, second, count, lead)
    ends = Ends(ComparisonGraph(pairs, 12))
    for variances in (np.zeros(12), np.where(np.arange(12) < 3, 0.0, 0.8), np.full(12, 4.0)):
        for tau in (0.01, 5.0, 50.0):
            found = Propagated.of(ends, values, Root.of(variances), np.array([np.log(tau)]))
            assert found.settled
            assert np.isfinite(found.value)
            assert np.isfinite(found.by_covariance).all()
    margins = 5.0 * (values[first] - values[second])
    plain = Propagated.of(ends, values, Root.of(np.zeros(12)), np.array([np.log(5.0)]))
    assert np.isclose(plain.value, -chance_of(margins, count, pairs.lead).sum(), rtol=1e-13)


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
