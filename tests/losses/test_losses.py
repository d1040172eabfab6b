"""Values, gradients and Hessians of the losses against independent evaluations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest

from benchmarks import problems, rivals
from welfarist.decisions import Scores
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import (
    PenalisedLoss,
    Point,
    loss_of_comparisons,
    loss_of_scores,
    weight_units,
)
from welfarist.losses.graph import ComparisonGraph
from welfarist.noise.base import NO_OWN
from welfarist.noise.choices import LAPSE, LOGISTIC, preference_probability
from welfarist.people.weighting import HeldWeight, Weighting

# Central differences with a step of 1e-5 are good to about 1e-9 of the largest entry.
DIFFERENCE = 1e-6
STEP = 1e-5

WEIGHTS = np.array([0.1, 0.2, 0.3, 0.25, 0.15])


def score_loss(weighting=None, scale=False, learn_power=True, zeros=False):
    problem = problems.scores(1, 40, 5, noise=0.1)
    table = problem.utilities.copy()
    if zeros:
        table[np.random.default_rng(0).random(table.shape) < 0.1] = 0.0
    data = Scores.of(table, problem.scores, np.linspace(0.5, 2, 40))
    return loss_of_scores(data, POWER_MEAN, weighting or Weighting(5), learn_power, scale)


def comparison_loss(weighting=None, lapse=False, learn_power=True, zeros=False, nothing=False):
    problem = problems.comparisons(2, 30, 5, 200, tau=3.0)
    table, outcomes = problem.utilities.copy(), problem.outcomes.copy()
    if zeros:
        table[np.random.default_rng(0).random(table.shape) < 0.1] = 0.0
    if nothing:  # which is never chosen, but by a lapse
        table[[3, 8]] = 0.0
        worth = table.any(axis=1)[problem.pairs]
        rejected = worth[:, 0].astype(int) - worth[:, 1]
        outcomes = np.where(rejected == 0, outcomes, rejected)
        outcomes[np.flatnonzero(rejected)[:3]] *= -1 if lapse else 1
    data = replace(problem, utilities=table, outcomes=outcomes).comparisons()
    noise = LAPSE if lapse else LOGISTIC
    free = weighting or Weighting(5)
    return loss_of_comparisons(data, POWER_MEAN, free, learn_power, noise, 1e6)


GROUPS = Weighting(5, group_of=np.array([0, 1, 1, 2, 0]))
KNOWN = Weighting(5, fixed=WEIGHTS)
HELD = HeldWeight.of(GROUPS, 1, 0.3)
LOSSES = {
    "scores": score_loss(),
    "scores, scale": score_loss(scale=True),
    "scores, groups": score_loss(GROUPS, scale=True),
    "scores, held weight": score_loss(HELD, scale=True),
    "comparisons, held weight": comparison_loss(HELD),
    "scores, known weights": score_loss(KNOWN),
    "scores, fixed power": score_loss(learn_power=False),
    "scores, zeros": score_loss(zeros=True),
    "comparisons": comparison_loss(),
    "comparisons, groups": comparison_loss(GROUPS),
    "comparisons, known weights": comparison_loss(KNOWN),
    "comparisons, fixed power": comparison_loss(learn_power=False),
    "comparisons, lapse": comparison_loss(lapse=True),
    "comparisons, zeros": comparison_loss(zeros=True),
    "comparisons, nothing": comparison_loss(nothing=True),
    "comparisons, lapse, nothing": comparison_loss(lapse=True, nothing=True),
    "scores, prior": PenalisedLoss(score_loss(), np.full(5, 2.0), 40.0),
    "comparisons, prior": PenalisedLoss(comparison_loss(), np.full(5, 1.5), 200.0),
}


def coordinates(loss, p):
    """A point as the vector a solver moves in, and the way back."""
    k = loss.weighting.free
    weights = WEIGHTS if k == 5 else np.array([0.3, 0.5, 0.2])[:k]
    weights = weights / max(weights.sum(), 1e-300)
    extras = np.array([0.7, 0.1])[: len(loss.parameters)]
    units = weight_units(weights) if k else np.empty(0)
    start = np.concatenate([np.zeros(k), [np.arcsinh(p)] if loss.learn_power else [], extras])

    def point(x):
        power = float(np.sinh(x[k])) if loss.learn_power else p
        moved = weights + units * x[:k] if k else np.empty(0)
        return Point(moved, power, x[k + loss.learn_power :])

    directions = list(np.eye(len(start))[k:])
    for i in range(k - 1):  # moves that keep the sum of the weights
        direction = np.zeros(len(start))
        direction[i], direction[i + 1] = 1 / units[i], -1 / units[i + 1]
        directions.append(direction * units[:2].min())
    return start, point, np.array(directions)


@pytest.mark.parametrize("p", [-2.0, 0.0, 4e-4, 0.3, 1.7])
@pytest.mark.parametrize("name", LOSSES)
def test_gradient_and_hessian_agree_with_differences(name, p):
    loss = LOSSES[name]
    if loss.has_zeros and p < 0.1:  # nearer to 0 welfare is nearly 0
        p = 0.6
    x, point, directions = coordinates(loss, p)
    here = loss.evaluate(point(x))
    model = here.model()
    assert here.gradient() == pytest.approx(model.gradient, rel=1e-12, abs=1e-300)
    if "lapse" in name:  # the remainder is what the observed curvature lacks
        model = loss.evaluate_exactly(point(x)).model()
    hessian = model.curvature + here.remainder()

    def value(y):
        return loss.evaluate(point(y)).value

    slopes = [(value(x + STEP * a) - value(x - STEP * a)) / (2 * STEP) for a in directions]
    scale = np.abs(slopes).max()
    assert directions @ model.gradient == pytest.approx(slopes, rel=DIFFERENCE, abs=1e-7 * scale)
    h = 1e-4
    found = directions @ hessian @ directions.T
    expected = [
        [
            (value(x + h * (a + b)) - value(x + h * (a - b)) - value(x - h * (a - b)))
            + value(x - h * (a + b))
            for b in directions
        ]
        for a in directions
    ]
    # A second difference with a step of 1e-4 is good to about 1e-6 of the largest entry.
    assert found == pytest.approx(np.array(expected) / (4 * h * h), abs=1e-5 * np.abs(found).max())


@pytest.mark.parametrize("name", LOSSES)
def test_model_curvature_is_positive_semidefinite(name):
    loss = LOSSES[name]
    x, point, _ = coordinates(loss, 0.8)
    eigenvalues = np.linalg.eigvalsh(loss.evaluate(point(x)).model().curvature)
    assert eigenvalues.min() >= -1e-12 * eigenvalues.max()


@pytest.mark.parametrize("p", [-3.0, -0.2, 0.0, 0.5, 2.0])
def test_values_agree_with_plain_formulas(p):
    problem = problems.scores(3, 50, 6)
    scores = Scores.of(problem.utilities, problem.scores)
    loss = loss_of_scores(scores, POWER_MEAN, Weighting(6), True, False)
    plain, *_ = rivals.score_objective(problem.utilities, problem.scores)(problem.weights, p, 0.0)
    found = loss.evaluate(Point(problem.weights, p, np.empty(0))).value * loss.observed.unit
    assert found == pytest.approx(plain, rel=1e-10)

    chosen = problems.comparisons(4, 50, 6, 300)
    data = chosen.comparisons()
    choices = loss_of_comparisons(data, POWER_MEAN, Weighting(6), True, LOGISTIC, 1e6)
    objective = rivals.comparison_objective(chosen.utilities, chosen.pairs, chosen.outcomes)
    plain, *_ = objective(chosen.weights, p, 1.2)
    found = choices.evaluate(Point(chosen.weights, p, np.array([1.2]))).value
    assert found == pytest.approx(plain, rel=1e-12)


def test_laplacian_form_is_the_sum_over_pairs():
    pairs = problems.comparisons(5, 25, 3, 120).comparisons().merged
    graph = ComparisonGraph(pairs, 25)
    rng = np.random.default_rng(0)
    rows, weights = rng.normal(size=(4, 25)), rng.random(len(pairs))
    differences = rows[:, pairs.first] - rows[:, pairs.second]
    expected = (differences * weights) @ differences.T
    assert graph.laplacian_form(rows, weights) == pytest.approx(expected)
    assert graph.scatter(weights) @ rows[0] == pytest.approx(weights @ differences[0])


def test_large_graphs_are_worked_on_in_blocks(monkeypatch):
    pairs = problems.comparisons(5, 25, 3, 120).comparisons().merged
    rows = np.random.default_rng(0).normal(size=(4, 25))
    weights = np.random.default_rng(1).random(len(pairs))
    whole = ComparisonGraph(pairs, 25).laplacian_form(rows, weights)
    monkeypatch.setattr("welfarist.losses.graph._BLOCK", 4)
    assert ComparisonGraph(pairs, 25).laplacian_form(rows, weights) == pytest.approx(whole)


@pytest.mark.parametrize("z", [-800.0, -30.0, -1.0, 0.0, 1e-9, 2.5, 40.0, 800.0])
def test_noise_agrees_with_high_precision(z):
    """Each outcome's loss and derivative, to a few units in the last place, without overflow."""
    with mp.workdps(60):
        s, other = 1 / (1 + mp.exp(-mp.mpf(z))), 1 / (1 + mp.exp(mp.mpf(z)))
        for first, second in ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (3.0, 2.0)):
            count, lead = np.array([first + second]), np.array([first - second])
            found = LOGISTIC.choice(np.array([z]), NO_OWN, count, lead)
            loss = -first * mp.log(s) - second * mp.log(other)
            assert found.loss == pytest.approx(float(loss), rel=1e-13, abs=1e-300)
            slope = float(second * s - first * other)
            assert found.by_margin[0] == pytest.approx(slope, rel=1e-12, abs=1e-15)
            spread = float((first + second) * s * other)
            assert found.information[0] == pytest.approx(spread, rel=1e-12, abs=1e-300)
            rho = mp.mpf("0.1")
            likely = rho + (1 - 2 * rho) * s
            loss = -first * mp.log(likely) - second * mp.log(1 - likely)
            lapsed = LAPSE.choice(np.array([z]), np.array([0.1]), count, lead)
            assert lapsed.loss == pytest.approx(float(loss), rel=1e-13)
            assert preference_probability(np.array([z]), 0.1) == pytest.approx(float(likely))


def test_lapse_without_lapses_is_logistic():
    z = np.linspace(-20, 20, 41)
    count, lead = np.ones(41), np.where(np.arange(41) % 3, 1.0, -1.0)
    one = LOGISTIC.choice(z, NO_OWN, count, lead)
    other = LAPSE.choice(z, np.zeros(1), count, lead)
    assert other.loss == pytest.approx(one.loss, rel=1e-12)
    assert other.by_margin == pytest.approx(one.by_margin, rel=1e-9, abs=1e-12)
    assert other.information == pytest.approx(one.information, rel=1e-9)


def test_share_keeps_about_as_many_decisions_as_asked():
    loss = comparison_loss()
    rng = np.random.default_rng(0)
    sizes = [loss.share(0.25, rng).decisions for _ in range(200)]
    assert np.mean(sizes) == pytest.approx(0.25 * loss.decisions, rel=0.15)
    assert score_loss().share(0.25, rng).decisions == 10


def test_graphs_that_share_their_pattern_can_be_used_by_threads_at_once():
    """Resamples share which pairs there are; what one works on is never another's."""
    pairs = problems.comparisons(5, 200, 3, 4000).comparisons().merged
    graph = ComparisonGraph(pairs, 200)
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(6, 200))
    weights = [rng.random(len(pairs)) for _ in range(8)]
    graphs = [graph.with_counts(pairs.count, pairs.lead) for _ in weights]
    alone = [one.laplacian_form(rows, w) for one, w in zip(graphs, weights, strict=True)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            jobs = [
                pool.submit(one.laplacian_form, rows, w)
                for one, w in zip(graphs, weights, strict=True)
            ]
            for job, expected in zip(jobs, alone, strict=True):
                assert (job.result() == expected).all()
