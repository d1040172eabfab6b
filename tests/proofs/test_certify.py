"""Certificates of global optimality under known weights, against scans and exact arithmetic."""

from __future__ import annotations

from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from benchmarks import problems
from tests import exact
from welfarist import Comparisons, InputError, log_power_mean
from welfarist.decisions import Scores
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import PenalisedLoss, Point, loss_of_comparisons, loss_of_scores
from welfarist.noise.base import SMALLEST_TAU
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.table import columns_of
from welfarist.people.weighting import Weighting
from welfarist.proofs.certificate import Certificate
from welfarist.proofs.certify import can_certify, certify, search_powers
from welfarist.proofs.enclosures import PowerLine
from welfarist.proofs.relaxation import (
    Excess,
    Relaxation,
    Surprise,
    entropy,
    minimise,
)
from welfarist.proofs.relaxed_losses import RelaxedChoices, RelaxedScores

GAP = 1e-6
NOBODY = np.empty(0)


def score_loss(table, scores, weights, scale=False, counts=None):
    weights = np.asarray(weights, dtype=float)
    known = Weighting(len(weights), fixed=weights / weights.sum())
    return loss_of_scores(Scores.of(table, scores, counts), POWER_MEAN, known, True, scale)


def comparison_loss(comparisons, weights, tau_max=1e6, noise=LOGISTIC):
    known = Weighting(comparisons.people, fixed=np.asarray(weights) / np.sum(weights))
    return loss_of_comparisons(comparisons, POWER_MEAN, known, True, noise, tau_max)


def best_at(loss, p):
    """The loss at one power, its other parameters at their best by SciPy or a closed form."""
    if loss.squared:
        extras = np.zeros(len(loss.parameters))
        welfare = loss.evaluate(Point(NOBODY, p, extras)).response.predicted.score
        s, y = loss.observed.sample_weight, loss.observed.scores
        size = s @ welfare**2
        c = max(s @ (y * welfare) / size, 0.0) if loss.parameters and size > 0 else 1.0
        return float(s @ (c * welfare - y) ** 2)

    def at(log_tau):
        return loss.evaluate(Point(NOBODY, p, np.array([log_tau]))).value

    bounds = np.log(SMALLEST_TAU), np.log(loss.observed.tau_max)
    inner = minimize_scalar(at, bounds=bounds, method="bounded", options={"xatol": 1e-10})
    return min(at(bounds[0]), at(bounds[1]), float(inner.fun))


def scanned(loss, size=81):
    """The lowest loss over a dense scan of powers, both limits included."""
    powers = np.sinh(np.linspace(-6, 6, size))
    powers = [*powers[powers > 0 if loss.has_zeros else slice(None)], np.inf]
    if not loss.has_zeros:
        powers.append(-np.inf)
    return min(best_at(loss, p) for p in powers)


def problem(seed):
    """A random problem of any kind, small enough to scan."""
    rng = np.random.default_rng([seed, 11])
    people, actions = int(rng.integers(2, 21)), int(rng.integers(4, 40))
    table = problems.utilities(rng, actions, people)
    if seed % 3 == 0:
        table = rng.integers(1, 5, table.shape).astype(float)  # ties
    if seed % 4 == 0:
        table[rng.random(table.shape) < 0.1] = 0.0
    weights = np.ones(people) if seed % 5 == 0 else rng.dirichlet(np.ones(people))
    p = float(rng.uniform(0.1, 5) if seed % 4 == 0 else rng.uniform(-6, 6))
    log_welfare = np.maximum(log_power_mean(table, p, weights), -9)  # 0 is hardly anything
    if seed % 2:
        scores = np.exp(log_welfare + rng.normal(0, 0.3, actions)) * 3
        return score_loss(table, scores, weights, bool(seed % 4 == 1), rng.uniform(1, 3, actions))
    pairs = rng.permuted(np.tile(np.arange(actions), (80, 1)), axis=1)[:, :2]
    pairs = pairs[rng.integers(0, 60, 80)]  # some more than once, with both outcomes
    z = 3 * (log_welfare[pairs[:, 0]] - log_welfare[pairs[:, 1]])
    outcomes = np.where(rng.random(80) < 1 / (1 + np.exp(-z)), 1, -1)
    outcomes[:3] = [0, 1, -1]
    decisions = Comparisons(table, pairs, outcomes, rng.integers(1, 3, 80))
    return comparison_loss(decisions, weights, tau_max=(1e6, 1e6, 1.0)[seed % 3])


@pytest.mark.parametrize("seed", range(24))
def test_no_scan_finds_a_loss_below_the_bound_and_the_gap_closes(seed):
    loss = problem(seed)
    best = scanned(loss)
    certificate = certify(loss, best)
    assert certificate.lower_bound <= best
    found = search_powers(loss)
    assert found.lower_bound <= found.value <= best * (1 + GAP)
    assert found.value - found.lower_bound <= GAP * found.value
    assert loss.evaluate(found.point).value == found.value
    assert certify(loss, found.value).gap <= GAP * found.value


@pytest.mark.parametrize("seed", range(4))
def test_nothing_that_was_never_chosen_changes_no_proof(seed):
    rng = np.random.default_rng([seed, 5])
    table = np.where(rng.random((12, 3)) < 0.2, 0.0, rng.uniform(1, 9, (12, 3)))
    table[:3] = 0.0
    pairs = rng.permuted(np.tile(np.arange(12), (60, 1)), axis=1)[:, :2]
    worth = table.any(axis=1)[pairs]
    outcomes = np.where(rng.random(60) < 0.5, 1, -1)
    outcomes = np.where(worth[:, 0] == worth[:, 1], outcomes, np.where(worth[:, 0], 1, -1))
    loss = comparison_loss(Comparisons(table, pairs, outcomes), [0.5, 0.3, 0.2])
    best = min(scanned(loss), best_at(loss, loss.search_range[0]))
    found = search_powers(loss)
    assert found.lower_bound <= best
    assert found.value - found.lower_bound <= GAP * found.value
    assert found.value <= best * (1 + GAP)
    # Two that give nothing tie whatever the rule; something against nothing costs nothing.
    both = int((~worth).all(axis=1).sum())
    doubtful = worth.all(axis=1)
    rest = comparison_loss(Comparisons(table, pairs[doubtful], outcomes[doubtful]), [0.5, 0.3, 0.2])
    alone = search_powers(rest).value * doubtful.sum()
    assert found.value * 60 == pytest.approx(alone + both * np.log(2.0), rel=1e-5)


def test_problems_of_the_usual_size_need_few_intervals():
    chosen = problems.comparisons(0, 200, 18, 2000)
    loss = comparison_loss(chosen.comparisons(), chosen.weights)
    assert search_powers(loss).intervals < 150
    scored = problems.scores(0, 1000, 18)
    for scale in (False, True):
        loss = score_loss(scored.utilities, scored.scores, scored.weights, scale)
        assert search_powers(loss, gap=1e-8).intervals < 200


# Losses with two dips each, and between which powers those lie: the lower one last.
TWO_DIPS = {
    "scores": (score_loss([[5, 1], [3, 7], [10, 5]], [7, 2, 5], [1, 1]), (-12, -5), (0, 3)),
    "comparisons": (
        comparison_loss(
            Comparisons(
                [[9, 6], [5, 7], [1, 6], [8, 9], [3, 3], [6, 2]],
                [[3, 5], [5, 4], [0, 3], [2, 5], [2, 3], [0, 3], [3, 5], [2, 4]],
                [-1, 1, 1, -1, -1, 1, 1, -1],
            ),
            [1, 1],
        ),
        (15, 40),
        (-4, 0),
    ),
}


@pytest.mark.parametrize("name", TWO_DIPS)
def test_a_local_optimum_is_told_from_the_global_one(name):
    loss, *ranges = TWO_DIPS[name]

    def dip(low, high):
        found = minimize_scalar(
            lambda p: best_at(loss, p),
            bounds=(low, high),
            method="bounded",
            options={"xatol": 1e-7},
        )
        assert best_at(loss, low) > found.fun < best_at(loss, high)
        return float(found.x), float(found.fun)

    (_, local), (p, best) = (dip(*bounds) for bounds in ranges)
    assert local > 1.05 * best
    assert certify(loss, best).gap <= GAP * best
    wrong = certify(loss, local)
    assert wrong.gap == pytest.approx(local - best, abs=GAP)
    assert float(wrong.method.split("was found at p = ")[1]) == pytest.approx(p, abs=0.01)


@pytest.mark.parametrize("p", [-np.inf, -2.0, 0.0, 1.5, np.inf])
def test_at_a_known_power_the_bound_is_the_loss(p):
    rng = np.random.default_rng(5)
    table = rng.uniform(1, 10, (30, 4))
    for scale in (False, True):
        loss = score_loss(table, rng.uniform(1, 10, 30), np.ones(4), scale)
        value = best_at(loss, p)
        assert certify(loss, value, p=p).lower_bound == pytest.approx(value, rel=GAP)
    pairs = rng.permuted(np.tile(np.arange(30), (90, 1)), axis=1)[:, :2]
    for tau_max in (0.1, 1e6):  # at the edge, and inside
        outcomes = np.where(rng.random(90) < 0.7, 1, -1) * np.sign(
            table[pairs[:, 0]].sum(1) - table[pairs[:, 1]].sum(1)
        )
        loss = comparison_loss(Comparisons(table, pairs, outcomes), np.ones(4), tau_max)
        value = best_at(loss, p)
        certificate = certify(loss, value, p=p)
        assert certificate.lower_bound == pytest.approx(value, rel=GAP)
        assert certificate.lower_bound <= value


def test_a_perfect_fit_has_the_bound_0():
    rng = np.random.default_rng(1)
    table = rng.uniform(1, 10, (30, 2))
    pairs = rng.permuted(np.tile(np.arange(30), (90, 1)), axis=1)[:, :2]
    better = table.sum(axis=1)
    outcomes = np.sign(better[pairs[:, 0]] - better[pairs[:, 1]])
    loss = comparison_loss(Comparisons(table, pairs, outcomes), [1, 1], tau_max=1e3)
    certificate = certify(loss, best_at(loss, 1.0))
    assert certificate.lower_bound <= certificate.loss
    tiny = 1e-14
    assert certify(loss, tiny) == Certificate(tiny, 0.0, "no loss is below 0")
    exact_scores = score_loss(table, table.mean(axis=1), [1, 1])
    assert certify(exact_scores, best_at(exact_scores, 1.0)).lower_bound == 0


def test_what_is_proven_when_time_is_up_still_holds():
    loss = problem(7)
    best = scanned(loss)
    bounds = [certify(loss, best, max_boxes=m).lower_bound for m in (3, 8, 16, 200)]
    assert all(bound <= best for bound in bounds)
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1]


@pytest.mark.parametrize("scale", [False, True])
def test_nothing_anywhere_for_somebody(scale):
    """Everywhere somebody has nothing, so that welfare vanishes as p -> 0 but ratios do not."""
    rng = np.random.default_rng(3)
    table = rng.uniform(1, 10, (25, 4))
    table[np.arange(25), rng.integers(0, 4, 25)] = 0.0
    loss = score_loss(table, rng.uniform(1, 10, 25), [0.4, 0.3, 0.2, 0.1], scale)
    best = min(scanned(loss), *(best_at(loss, p) for p in np.geomspace(1e-3, 1, 200)))
    found = search_powers(loss)
    assert found.lower_bound <= best
    assert found.value - found.lower_bound <= GAP * found.value


def test_what_cannot_be_certified_is_refused():
    loss = problem(1)
    assert can_certify(loss)
    free = Weighting(loss.weighting.people)
    learned = replace(loss, weighting=free)
    chosen = problems.comparisons(0, 20, 3, 50).comparisons()
    lapse = comparison_loss(chosen, np.ones(3), noise=LAPSE)
    prior = PenalisedLoss(loss, np.full(loss.weighting.people, 2.0), 10.0)
    for refused, words in ((learned, "learned"), (lapse, "lapse"), (prior, "a prior")):
        assert not can_certify(refused)
        with pytest.raises(InputError, match=words):
            certify(refused, 1.0)


# How log M is enclosed.

TABLES = {
    "ordinary": np.random.default_rng(0).uniform(1, 10, (6, 4)),
    "wide": np.exp(np.random.default_rng(1).normal(0, 8, (6, 4))),
    "nearly equal": 1 + 1e-6 * np.random.default_rng(2).normal(size=(6, 4)),
    "ties": np.random.default_rng(3).integers(1, 3, (6, 4)).astype(float),
}
POWERS = [-np.inf, -300.0, -7.0, -1.0, -0.2, -1e-4, 0.0, 1e-9, 0.1, 0.5, 2.0, 40.0, np.inf]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("weights", [np.full(4, 0.25), np.array([0.989, 0.01, 0.0, 0.001])])
def test_log_mean_stays_in_its_enclosure(name, weights):
    """Against 60-digit arithmetic, on intervals as a search cuts them."""
    known = Weighting(4, fixed=weights)
    line = PowerLine(utilities := columns_of(TABLES[name], POWER_MEAN, known), weights)
    rng = np.random.default_rng(8)
    intervals = line.whole()
    for _ in range(24):
        interval = intervals.pop(int(rng.integers(len(intervals))))
        intervals += line.halves(interval, interval.middle())
    for interval in intervals:
        for share in (0.0, 0.21, 0.5, 0.83, 1.0):
            p = interval.power_at(share)
            chord = (1 - share) * interval.low.log_mean + share * interval.high.log_mean
            for k, logs in enumerate(utilities.logs.T):
                u = [mp.e ** mp.mpf(x) for x in logs]
                log_mean = float(exact.log_mean(u, weights, p))
                assert chord[k] - interval.below[k] <= log_mean <= chord[k] + interval.above[k]


def test_enclosures_tighten_with_the_square_of_the_width():
    weights = np.full(4, 0.25)
    line = PowerLine(columns_of(TABLES["ordinary"], POWER_MEAN, Weighting(4)), weights)
    for p in (-3.0, 0.0, 3.0):
        strays = []
        for width in (0.2, 0.1, 0.05):
            interval = line.between(line.end(p - width / 2), line.end(p + width / 2))
            strays.append(float((interval.below + interval.above).max()))
        assert strays[0] / strays[1] == pytest.approx(4, rel=0.3)
        assert strays[1] / strays[2] == pytest.approx(4, rel=0.3)


@pytest.mark.parametrize("seed", range(0, 24, 3))
def test_relaxations_are_never_above_the_loss(seed):
    loss = problem(seed)
    rng = np.random.default_rng([seed, 2])
    kind = RelaxedScores if loss.squared else RelaxedChoices
    relaxed_loss = kind(loss, loss.weighting.fixed)
    intervals = relaxed_loss.line.whole()
    for _ in range(12):
        interval = intervals.pop(int(rng.integers(len(intervals))))
        intervals += relaxed_loss.line.halves(interval, interval.middle())
    for interval in intervals:
        relaxed = relaxed_loss.on(interval)
        for share in rng.random(4):
            p = interval.power_at(share)
            scale = float(np.exp(rng.normal())) if relaxed.largest > 1 else relaxed.largest
            here = relaxed.at(scale * np.array([1 - share, share]))
            value = loss.evaluate(Point(NOBODY, p, relaxed_loss.extras(scale, p))).value
            assert here.value - here.value_doubt <= value
            assert here.lower_bound <= here.value


@pytest.mark.parametrize("outcome", [1, -1])
@pytest.mark.parametrize("flat", [0, 1])
def test_either_action_of_a_pair_may_stray(flat, outcome):
    """One pair, one action the same under every rule: all that strays is the other's log M."""
    table = np.array([[1.0, 9.0], [1.0, 9.0]])
    table[flat] = 4.0
    # A second pair keeps both outcomes among the data, without a say under any rule.
    table = np.vstack([table, [[2.0, 2.0], [2.0, 2.0]]])
    decisions = Comparisons(table, [[0, 1], [2, 3], [2, 3]], [outcome, 1, -1])
    loss = comparison_loss(decisions, [1, 1])
    relaxed_loss = RelaxedChoices(loss, loss.weighting.fixed)
    for interval in relaxed_loss.line.whole():
        for half in relaxed_loss.line.halves(interval, interval.middle()):
            problem_here = relaxed_loss.on(half)
            for share in np.linspace(0, 1, 9):
                p = half.power_at(share)
                here = problem_here.at(2 * np.array([1 - share, share]))
                value = loss.evaluate(Point(NOBODY, p, np.log([2.0]))).value
                assert here.value - here.value_doubt <= value


# The convex problem in two numbers.


def random_relaxation(seed):
    rng = np.random.default_rng(seed)
    forms = rng.normal(0.3, 1, (2, 50))
    if seed % 2:
        functions, offsets = Excess(rng.random(50)), rng.normal(size=50)
    else:
        wrong, right = rng.random(50), np.where(rng.random(50) < 0.5, 0.0, rng.random(50))
        functions = Surprise(wrong, right, float(entropy(wrong, right).sum()))
        offsets = np.zeros(50)
    smallest, largest = ((0.0, np.inf), (0.5, 2.0), (1.0, 1.0), (1e-6, 1e6))[seed % 4]
    return Relaxation(forms, offsets, functions, smallest, largest)


@pytest.mark.parametrize("seed", range(16))
def test_the_minimum_over_the_polygon_is_found_and_proven(seed):
    relaxed = random_relaxation(seed)
    start = np.full(2, min(max(1.0, relaxed.smallest), relaxed.largest) / 2)
    rng = np.random.default_rng(seed)
    top = min(relaxed.largest, 20.0)
    scales = np.append(rng.uniform(relaxed.smallest, top, 3000), [relaxed.smallest, top])
    shares = np.append(rng.random(3000), [0.0, 1.0])
    tried = [
        relaxed.at(s * np.array([1 - t, t])).value for s, t in zip(scales, shares, strict=True)
    ]
    found = minimise(relaxed, start, goal=min(tried), precision=1e-9)
    for _ in range(3):  # further from its goal it stops early
        found = minimise(relaxed, found.x, goal=found.value, precision=1e-9)
    assert found.lower_bound <= min(tried)
    assert found.value <= min(tried) + 1e-9
    assert found.value - found.lower_bound <= 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_slopes_and_bends_agree_with_differences(seed):
    relaxed = random_relaxation(seed)
    x, step = np.array([0.4, 0.3]), 1e-5
    here = relaxed.at(x)
    for i, e in enumerate(step * np.eye(2)):
        ahead, behind = relaxed.at(x + e), relaxed.at(x - e)
        assert (ahead.value - behind.value) / (2 * step) == pytest.approx(
            here.gradient[i], rel=1e-6
        )
        bend = (ahead.gradient - behind.gradient) / (2 * step)
        assert bend == pytest.approx(here.curvature[i], rel=1e-4)


def test_many_rows_are_summed_in_parts_alike():
    rng = np.random.default_rng(0)
    forms, offsets, weights = rng.normal(size=(2, 20_000)), rng.normal(size=20_000), np.ones(20_000)
    relaxed = Relaxation(forms, offsets, Excess(weights), 0.0, np.inf)
    x = np.array([0.3, 0.6])
    t = np.maximum(x @ forms + offsets, 0)
    here = relaxed.at(x)
    assert here.value == pytest.approx((t**2).sum(), rel=1e-13)
    assert here.gradient == pytest.approx(forms @ (2 * t), rel=1e-11)


def test_repeated_comparisons_cost_their_entropy():
    one, other = np.array([0.3, 0.2]), np.array([0.1, 0.0])
    t = np.linspace(-8, 8, 200_001)
    least = (one[0] * np.logaddexp(0, t) + other[0] * np.logaddexp(0, -t)).min()
    assert entropy(one, other) == pytest.approx([least, 0.0], abs=1e-9)
