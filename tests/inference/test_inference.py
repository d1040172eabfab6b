"""Standard errors, intervals and tests against independent likelihoods, and in simulations."""

from __future__ import annotations

import os
import pickle
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import chi2, f, kstest, norm

import welfarist as wf
from benchmarks import problems
from welfarist.base.progress import Progress
from welfarist.people.weighting import HeldWeight, Weighting

ROOT = Path(__file__).parents[2]
DATA = (ROOT / os.environ.get("WELFARIST_DATA", "../shared/data")).resolve()

# Differences of the fourth order, with steps of a fiftieth of a standard error, are good to about
# 1e-6 (the fourth power of the step, or rounding of the likelihood over its square).
STANDARD_ERROR = 1e-5
STEP = 0.02
# Where a profile crosses its level, found by two searches with tolerances of 1e-7 and 1e-8.
CROSSING = 1e-5

CHOICES = problems.comparisons(3, 80, 3, 1500, p=-0.6, tau=4.0)
BY = np.random.default_rng(0).integers(0, 40, len(CHOICES.pairs))


def score_data(seed, actions=200, weights=(0.3, 0.25, 0.2, 0.15, 0.1), p=0.4, noise=0.3):
    rng = np.random.default_rng(seed)
    table = rng.uniform(1, 10, (actions, len(weights)))
    return table, wf.power_mean(table, p, weights) + rng.normal(0, noise, actions)


def quiet(estimator, *data):
    """Fit without the warnings that small data sets give rise to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return estimator.fit(*data).result_


def plain_log_mean(table, weights, p):
    """Log M without any care for digits, written down once more."""
    logs = np.log(table)
    if abs(p) < 1e-12:
        return logs @ weights
    counted = weights > 0
    return np.log(np.exp(p * logs[:, counted]) @ weights[counted]) / p


def plain_scores(table, scores, counts):
    """Log likelihood of scores at p, weights, scale and standard deviation."""

    def likelihood(p, weights, scale, deviation):
        residual = scale * np.exp(plain_log_mean(table, weights, p)) - scores
        each = -0.5 * np.square(residual / deviation) - np.log(deviation * np.sqrt(2 * np.pi))
        return counts @ each

    return likelihood


def plain_choices(table, pairs, outcomes, counts=1.0):
    """Log likelihood of comparisons, one number each, at p, weights, tau and rho."""

    def likelihood(p, weights, tau, rho=0.0):
        welfare = plain_log_mean(table, weights, p)
        margin = tau * (welfare[pairs[:, 0]] - welfare[pairs[:, 1]])
        logs = []
        for signed in (margin, -margin):
            chance = rho + (1 - 2 * rho) * np.exp(-np.logaddexp(0, -signed))
            logs.append(np.log(np.maximum(chance, 1e-300)))
        return counts * ((1 + outcomes) * logs[0] + (1 - outcomes) * logs[1]) / 2

    return likelihood


def hessian(function, x, steps):
    """Second derivatives by central differences of the fourth order."""
    n = len(x)
    moves, factors = (-2, -1, 1, 2), np.array([1, -8, 8, -1]) / 12

    def derivative(i, inner):
        def slope(y):
            values = [inner(y + m * steps[i] * np.eye(n)[i]) for m in moves]
            return factors @ np.array(values) / steps[i]

        return slope

    return np.array(
        [[derivative(j, derivative(i, function))(x) for j in range(n)] for i in range(n)]
    )


def on_simplex(free, support, people):
    """Weights (d,) whose last member of the support takes what the others leave."""
    weights = np.zeros(people)
    weights[support[:-1]] = free
    weights[support[-1]] = 1 - np.sum(free)
    return weights


def standard_errors(likelihood, result, extras, fixed_p=None):
    """Standard errors of p, all weights and extras, by differences of a log likelihood.

    `likelihood` takes p, weights and the extras; weights at 0 are held.
    """
    support = np.flatnonzero(result.weights > 0)
    s, people = len(support) - 1, len(result.weights)
    learned = [] if fixed_p is not None else [result.p]

    def value(x):
        p = fixed_p if fixed_p is not None else x[0]
        free = x[len(learned) : len(learned) + s]
        return likelihood(p, on_simplex(free, support, people), *x[len(learned) + s :])

    x = np.array([*learned, *result.weights[support[:-1]], *extras])
    typical = np.delete(result.bse.compressed(), len(learned) + s)
    if len(typical) < len(x):  # the last one is the standard deviation of scores
        typical = np.append(typical, x[-1] / np.sqrt(2 * result.decisions))
    covariance = np.linalg.inv(-hessian(value, x, STEP * typical))
    spread = np.zeros((len(learned) + people + len(extras), len(x)))
    spread[: len(learned), : len(learned)] = np.eye(len(learned))
    spread[len(learned) + support[:-1], len(learned) + np.arange(s)] = 1
    spread[len(learned) + support[-1], len(learned) : len(learned) + s] = -1
    spread[len(learned) + people :, len(learned) + s :] = np.eye(len(extras))
    return np.sqrt(np.diag(spread @ covariance @ spread.T))


@pytest.mark.parametrize(
    ("weights", "p", "scale"),
    [
        ((0.3, 0.25, 0.2, 0.15, 0.1), 0.4, False),
        ((0.3, 0.25, 0.2, 0.15, 0.1), -1.5, True),
        ((0.5, 0.0, 0.3, 0.0, 0.2), 0.0, False),
    ],
)
def test_standard_errors_of_scores(weights, p, scale):
    table, scores = score_data(2, weights=weights, p=p)
    counts = np.random.default_rng(1).integers(1, 4, len(scores)).astype(float)
    result = wf.WelfareRegressor(scale=scale).fit(table, scores, counts).result_
    held = [f"weight of person {i}" for i in np.flatnonzero(result.weights == 0)]
    assert (0.0 in weights) == bool(held)
    likelihood = plain_scores(table, scores, counts)
    deviation = np.sqrt(result.loss)
    extras = [*([result.scale] if scale else []), deviation]

    def known_scale(p, weights, *rest):
        return likelihood(p, weights, *rest) if scale else likelihood(p, weights, 1.0, *rest)

    expected = standard_errors(known_scale, result, extras)[:-1]
    found = result.bse
    assert result.on_edge == tuple(held)
    assert found.mask.tolist() == [name in held for name in result.param_names]
    assert found.compressed() == pytest.approx(expected[~found.mask], rel=STANDARD_ERROR)
    assert result.llf == pytest.approx(known_scale(result.p, result.weights, *extras), rel=1e-12)
    assert result.params == pytest.approx([result.p, *result.weights, *extras[:-1]])


@pytest.mark.parametrize("noise", ["logistic", "lapse"])
@pytest.mark.parametrize("ties", [False, True])
def test_standard_errors_of_comparisons(noise, ties):
    rng = np.random.default_rng(4)
    flipped = rng.random(len(BY)) < (0.15 if noise == "lapse" else 0)
    outcomes = np.where(flipped, -CHOICES.outcomes, CHOICES.outcomes)
    if ties:
        outcomes[:100] = 0
    counts = rng.integers(0, 3, len(outcomes)).astype(float)
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, outcomes, counts, BY)
    result = wf.ComparisonClassifier(noise=noise).fit(data).result_.with_covariance("fisher")
    each = plain_choices(CHOICES.utilities, CHOICES.pairs, outcomes, counts)
    extras = [result.tau, result.rho][: 1 + (noise == "lapse")]
    expected = standard_errors(lambda *x: each(*x).sum(), result, extras)
    assert result.on_edge == ()
    assert result.bse.filled() == pytest.approx(expected, rel=STANDARD_ERROR)
    assert result.llf == pytest.approx(each(result.p, result.weights, *extras).sum(), rel=1e-12)
    free = len(result.params) - 1
    assert result.aic == pytest.approx(2 * free - 2 * result.llf)
    assert result.bic == pytest.approx(np.log(counts.sum()) * free - 2 * result.llf)


def test_standard_errors_on_the_face_of_a_weight_at_zero():
    problem = problems.comparisons(3, 60, 4, 600, p=0.5, tau=4.0, sparse=0.1)
    result = quiet(wf.ComparisonClassifier(), problem.comparisons())
    assert result.on_edge
    each = plain_choices(problem.utilities, problem.pairs, problem.outcomes)
    expected = standard_errors(lambda *x: each(*x).sum(), result, [result.tau])
    found = result.bse
    assert found.compressed() == pytest.approx(expected[~found.mask], rel=STANDARD_ERROR)
    assert result.cov_params()[found.mask] == pytest.approx(0)
    with pytest.raises(wf.InputError, match="Wald interval does not apply to weight of"):
        result.interval("weights", method="wald")
    assert np.diff(result.interval("p", method="wald"))[0] == pytest.approx(
        3.92 * expected[0], rel=1e-3
    )


def test_given_powers_and_groups():
    table, scores = score_data(5)
    groups = [0, 0, 1, 1, 2]
    result = wf.WelfareRegressor(groups=groups, p=1).fit(table, scores).result_
    assert result.param_names == tuple(f"weight of person {i}" for i in range(5))
    # With p = 1 and known sums this is a linear regression on three columns less the last.
    means = np.column_stack([table[:, np.equal(groups, g)].mean(axis=1) for g in range(3)])
    design = means[:, :2] - means[:, 2:]
    covariance = np.linalg.inv(design.T @ design) * result.loss
    ones = np.ones(2)
    expected = np.sqrt([covariance[0, 0] / 4, covariance[1, 1] / 4, ones @ covariance @ ones])
    assert result.bse.filled()[[0, 2, 4]] == pytest.approx(expected, rel=1e-8)
    low, high = result.interval("weights")[3]
    assert low < result.weights[3] < high
    assert result.interval("weights")[2].tolist() == [low, high]


def test_ratios_to_standard_errors_are_those_of_p_alone():
    result = quiet(wf.ComparisonClassifier(), CHOICES.comparisons())
    z = result.params[0] / result.bse[0]
    assert result.nobs == result.decisions
    assert result.tvalues[0] == pytest.approx(z)
    assert result.pvalues[0] == pytest.approx(2 * norm.sf(abs(z)))
    assert result.pvalues[0] == pytest.approx(result.test("Nash", covariance="fisher").p_value)
    edge = [name != "p" for name in result.param_names]  # 0 is the least that others can be
    assert np.ma.getmaskarray(result.tvalues).tolist() == edge
    assert np.ma.getmaskarray(result.pvalues).tolist() == edge
    robust = result.with_covariance("robust")
    assert robust.tvalues[0] == pytest.approx(z * result.bse[0] / robust.bse[0])


def test_robust_and_clustered_covariances():
    counts = np.random.default_rng(2).integers(1, 3, len(BY)).astype(float)
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, counts, BY)
    result = wf.ComparisonClassifier().fit(data).result_
    each = plain_choices(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes)

    def of(x):
        return each(x[0], np.array([x[1], x[2], 1 - x[1] - x[2]]), x[3])

    x = np.array([result.p, *result.weights[:2], result.tau])
    inverse = np.linalg.inv(-hessian(lambda y: counts @ of(y), x, np.full(4, 1e-3)))
    h = 1e-5
    slopes = np.column_stack([(of(x + h * e) - of(x - h * e)) / (2 * h) for e in np.eye(4)])
    robust = inverse @ ((slopes * counts[:, None]).T @ slopes) @ inverse
    sums = np.array([(counts[:, None] * slopes)[person == BY].sum(axis=0) for person in range(40)])
    clustered = inverse @ (sums.T @ sums) @ inverse * 40 / 39
    rows = [0, 1, 2, 4]
    for kind, expected in (("robust", robust), ("clustered", clustered)):
        found = result.cov_params(kind)
        assert found[np.ix_(rows, rows)] == pytest.approx(expected, rel=1e-5, abs=1e-9)
        assert found[:, 1:4].sum(axis=1) == pytest.approx(0, abs=1e-12)
        reach = 1.959964 * np.sqrt(expected[0, 0])
        found = result.interval("p", covariance=kind)
        assert found == pytest.approx((result.p - reach, result.p + reach), rel=1e-4)


def test_robust_covariance_of_scores():
    table, scores = score_data(6, p=1)
    result = wf.WelfareRegressor(p=1).fit(table, scores).result_
    design = table[:, :4] - table[:, 4:]
    residual = scores - table @ result.weights
    inverse = np.linalg.inv(design.T @ design)
    expected = inverse @ (design.T * residual**2) @ design @ inverse  # White's, without corrections
    assert result.cov_params("robust")[:4, :4] == pytest.approx(expected, rel=1e-8)


def test_profile_interval_of_p_against_brute_force():
    data = CHOICES.comparisons()
    result = wf.ComparisonClassifier().fit(data).result_
    each = plain_choices(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes)

    def best(p):
        def loss(x):
            shares = np.exp(x[:3] - x[:3].max())
            return -each(p, shares / shares.sum(), np.exp(x[3])).sum()

        start = np.append(np.log(result.weights), np.log(result.tau))
        return -minimize(loss, start, method="BFGS", options={"gtol": 1e-6}).fun

    low, high = result.interval("p", level=0.9)
    assert low < result.p < high
    for end in (low, high):
        assert 2 * (result.llf - best(end)) == pytest.approx(chi2.ppf(0.9, 1), rel=1e-4)


def test_profile_intervals_of_the_others_against_refits():
    """Each end's deviance is that of a fit from scratch with the parameter held there."""
    table, scores = score_data(7, actions=80)
    est = wf.WelfareRegressor(scale=True).fit(table, scores)
    result, allowed = est.result_, as_f(0.95, 80, 6)
    for end in result.interval("scale"):
        again = wf.WelfareRegressor().fit(table, scores / end).result_
        lost = len(scores) * np.log(again.loss * end**2 / result.loss)
        assert lost == pytest.approx(allowed, rel=CROSSING)
    fitted = result.likelihood
    for person, ends in enumerate(result.interval("weights")):
        for end in ends:
            held = HeldWeight.of(Weighting(5), person, end)
            found = refit(fitted, replace(fitted.loss, weighting=held))
            assert len(scores) * np.log(found / fitted.value) == pytest.approx(
                allowed, rel=CROSSING
            )
    assert result.conf_int()[0] == pytest.approx(result.interval("p"))
    assert result.conf_int().shape == (7, 2)


def as_f(level, n, learned):
    """The deviance of n scores that an interval allows, from the distribution of F."""
    return n * np.log1p(f.ppf(level, 1, n - learned) / (n - learned))


def refit(fitted, loss):
    """The lowest loss from starts that know nothing of the fit."""
    rng = np.random.default_rng(1)
    found = fitted.solver.minimise(
        loss, rng, p=None, observations=fitted.observations, progress=Progress(False)
    )
    return found.value


def test_profile_intervals_of_noise():
    rng = np.random.default_rng(4)
    outcomes = np.where(rng.random(len(BY)) < 0.1, -CHOICES.outcomes, CHOICES.outcomes)
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, outcomes)
    result = wf.ComparisonClassifier(noise="lapse").fit(data).result_
    each = plain_choices(CHOICES.utilities, CHOICES.pairs, outcomes)

    def best(held, end):
        def loss(x):
            shares = np.exp(x[1:4] - x[1:4].max())
            tau, rho = (end, expit(x[4]) / 2) if held == "tau" else (np.exp(x[4]), end)
            return -each(x[0], shares / shares.sum(), tau, rho).sum()

        other = logit(2 * result.rho) if held == "tau" else np.log(result.tau)
        start = np.array([result.p, *np.log(result.weights), other])
        return -minimize(loss, start, method="BFGS", options={"gtol": 1e-5}).fun

    for name in ("tau", "rho"):
        low, high = result.interval(name)
        assert low < getattr(result, name) < high
        for end in (low, high):
            assert 2 * (result.llf - best(name, end)) == pytest.approx(3.8415, rel=1e-3)


def test_infinite_ends():
    table, _ = score_data(8, actions=100)
    rng = np.random.default_rng(0)
    worst = table.min(axis=1) + rng.normal(0, 0.4, 100)
    result = quiet(wf.WelfareRegressor(weights="equal"), table, worst)
    low, high = result.interval("p")
    assert low == -np.inf
    assert high < -3
    lost = len(worst) * np.log(
        quiet(wf.WelfareRegressor(weights="equal", p=high), table, worst).loss / result.loss
    )
    assert lost == pytest.approx(as_f(0.95, 100, 1), rel=CROSSING)
    best = quiet(wf.WelfareRegressor(weights="equal"), table, table.max(axis=1) + 0.01 * worst)
    assert best.p == np.inf
    assert best.on_edge == ("p",)
    assert best.interval("p")[1] == np.inf
    assert 3 < best.interval("p")[0] < np.inf
    with pytest.raises(wf.InputError, match="does not apply to p"):
        best.interval("p", method="wald")
    few = problems.comparisons(0, 60, 4, 30, p=-0.8, tau=1.0)  # which say nothing about p
    plain = wf.ComparisonClassifier(small_sample="none")
    assert quiet(plain, few.comparisons()).interval("p") == (-np.inf, np.inf)


def test_intervals_where_only_positive_powers_are_possible():
    table, _ = score_data(9, actions=60)
    table[np.random.default_rng(0).random(table.shape) < 0.05] = 0.0
    noise = np.random.default_rng(1).normal(0, 2.0, 60)
    result = quiet(wf.WelfareRegressor(), table, wf.power_mean(table, 0.05) + noise)
    low, high = result.interval("p")
    assert low == 0.0
    assert high > result.p


def test_tests_are_differences_between_fits():
    table, scores = score_data(10)
    result = wf.WelfareRegressor().fit(table, scores).result_
    nulls = {
        ("Nash", 1): (dict(doctrine="nash"), dict(p=0)),
        ("p = 2", 1): (dict(p=2), dict(p=2)),
        ("equal weights", 4): (dict(weights="equal"), dict(weights="equal")),
        ("0.5", 4): (dict(weights=[5, 2, 1, 1, 1]), dict(weights=[5, 2, 1, 1, 1])),
        ("2 groups", 3): (dict(groups=list("aabbb")), dict(groups=list("aabbb"))),
        ("p = 1 (utilitarian, inequality aversion 0) and equal", 5): (
            dict(p="utilitarian", weights="equal"),
            dict(p=1, weights="equal"),
        ),
    }
    for (words, degrees), (null, options) in nulls.items():
        found = result.test(**null)
        restricted = wf.WelfareRegressor(**options).fit(table, scores).result_
        assert words in found.null
        assert found.statistic == pytest.approx(2 * (result.llf - restricted.llf), rel=1e-6)
        assert found.degrees == degrees
        ratio = np.expm1(found.statistic / 200) * 195 / degrees
        assert found.p_value == pytest.approx(f.sf(ratio, degrees, 195), rel=1e-9)
        assert found.null_llf == pytest.approx(restricted.llf)
        assert found.distribution == f"as F with {degrees} and 195 degrees of freedom"
        assert found.null in str(found)


def test_nulls_on_an_edge_use_a_mixture():
    table, scores = score_data(11, weights=(0.5, 0.3, 0.2, 0.0, 0.0), p=1)
    result = quiet(wf.WelfareRegressor(p=1), table[:, :4], scores)
    found = result.test(weights=[0.5, 0.3, 0.2, 0.0])
    ratio = np.expm1(found.statistic / 200) * 197
    mixture = (f.sf(ratio / 2, 2, 197) + f.sf(ratio / 3, 3, 197)) / 2
    assert found.p_value == pytest.approx(mixture)
    assert "half as F with 2 and 197" in found.distribution
    known = quiet(wf.WelfareRegressor(weights="equal"), table, table.min(axis=1) + 0.2 * scores)
    found = known.test("egalitarian")
    assert found.p_value == pytest.approx(f.sf(np.expm1(found.statistic / 200) * 199, 1, 199) / 2)
    assert "inequality aversion inf" in found.null


def test_refusals_say_what_to_do():
    table, scores = score_data(12, actions=60)
    regressor = wf.WelfareRegressor
    result = regressor().fit(table, scores).result_
    exact = quiet(wf.ComparisonClassifier(noise="none", weights="equal"), CHOICES.comparisons())
    slow = quiet(regressor(max_iter=1, n_starts=1), table, scores)
    prior = regressor(prior=2).fit(table, scores).result_
    perfect = regressor().fit(table, wf.power_mean(table, 0.5)).result_
    given = regressor(p=1, weights="equal", scale=True).fit(table, scores).result_
    rough = quiet(regressor(solver=wf.Grid(lower=0, upper=1, step=1)), table, scores)
    separable = quiet(
        wf.ComparisonClassifier(small_sample="none"),
        wf.Comparisons([[1.0, 2], [3, 4], [5, 1]], [[0, 1], [1, 2], [0, 2]], [-1, -1, -1]),
    )
    twins = quiet(regressor(), np.column_stack([table, table[:, 0]]), scores)
    one = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=["a"] * len(BY))
    lonely = wf.ComparisonClassifier().fit(one).result_
    for refused, words in (
        (lambda: exact.bse, 'Fit with noise="logistic"'),
        (lambda: exact.llf, "counts errors"),
        (lambda: slow.interval("p"), "Raise max_iter"),
        (lambda: prior.test("Nash"), "prior=None"),
        (lambda: prior.aic, "prior=None"),
        (lambda: perfect.bse, "as exact as the scores"),
        (lambda: perfect.llf, "as exact as the scores"),
        (lambda: given.test(p=2), "Fit without it"),
        (lambda: given.test(weights="equal"), 'weights="learn"'),
        (lambda: given.interval("p"), "scale; found 'p'"),
        (lambda: rough.bse, 'solver="newton"'),
        (lambda: separable.interval("p"), 'noise="none"'),
        (lambda: twins.bse, "do not determine the weight of"),
        (lambda: result.cov_params("clustered"), "no decision makers"),
        (lambda: lonely.cov_params("clustered"), "4 here; found those of one person"),
        (lambda: result.cov_params("hac"), "covariance must be one of"),
        (lambda: result.interval("p", covariance="hac"), "covariance must be one of"),
        (lambda: result.interval("p", level=95), "between 0 and 1"),
        (lambda: result.interval("p", method="bayes"), "profile"),
        (lambda: result.interval("p", method="profile", covariance="robust"), 'method="wald"'),
        (lambda: result.interval("sigma"), "found 'sigma'"),
        (lambda: result.test(), "a test needs a null"),
        (lambda: result.test("Nash", p=1), "a doctrine or p"),
        (lambda: result.test(1), "Write p=1"),
        (lambda: result.test("socialist"), "a doctrine must be one of"),
        (lambda: result.test(weights="learn"), 'found "learn"'),
        (lambda: result.test(groups=list("abcde")), "must join people"),
    ):
        with pytest.raises(wf.InputError, match=words):
            refused()
    assert prior.llf < result.llf


def test_nulls_must_be_cases_of_the_groups_that_were_fitted():
    table, scores = score_data(13, actions=80)
    result = wf.WelfareRegressor(groups=list("aabbc")).fit(table, scores).result_
    assert result.test(groups=list("xxxxy")).degrees == 1
    assert result.test(weights="equal").degrees == 2
    for null in (dict(groups=list("xyyyy")), dict(weights=[3, 1, 1, 1, 1])):
        with pytest.raises(wf.InputError, match="shared a weight"):
            result.test(**null)


def separable_beside_a_coin_toss():
    """Noise-free choices, and two of them between actions that are equal for everybody."""
    rng = np.random.default_rng(0)
    table = np.vstack([rng.uniform(1, 10, (40, 2)), [[2.0, 3.0], [2.0, 3.0]]])
    first, step = rng.integers(0, 40, 200), rng.integers(1, 40, 200)
    pairs = np.vstack([np.column_stack([first, (first + step) % 40]), [[40, 41], [40, 41]]])
    welfare = plain_log_mean(table, np.array([0.6, 0.4]), 0.5)
    outcomes = np.append(np.sign(welfare[pairs[:200, 0]] - welfare[pairs[:200, 1]]), [1, -1])
    return wf.Comparisons(table, pairs, outcomes)


def test_noise_free_choices_beside_coin_tosses_are_refused():
    result = quiet(wf.ComparisonClassifier(small_sample="none"), separable_beside_a_coin_toss())
    assert result.tau < 1e5  # far from its cap, because the loss stopped falling
    for refused in (lambda: result.bse, lambda: result.interval("p"), lambda: result.test("Nash")):
        with pytest.raises(wf.InputError, match="need choices with noise"):
            refused()


def egalitarian_choices(seed, people, count, tau, rng_table=None):
    """Choices by the worst off, with logistic noise."""
    rng = np.random.default_rng(seed)
    table = rng.uniform(1, 10, (50, people)) if rng_table is None else rng_table(rng)
    first = rng.integers(0, len(table), count)
    second = (first + rng.integers(1, len(table), count)) % len(table)
    welfare = np.log(table.min(axis=1))
    chance = expit(tau * (welfare[first] - welfare[second]))
    outcomes = np.where(rng.random(count) < chance, 1, -1)
    return wf.Comparisons(table, np.column_stack([first, second]), outcomes)


def test_a_flip_rate_of_nearly_nothing_is_on_its_edge():
    data = egalitarian_choices(5, 2, 300, 5.0)
    lapse = quiet(wf.ComparisonClassifier(noise="lapse"), data)
    assert 0 < lapse.rho < 1e-9
    plain = quiet(wf.ComparisonClassifier(), data)
    assert lapse.on_edge == ("rho",)
    assert lapse.bse.compressed() == pytest.approx(plain.bse.filled(), rel=1e-4)


def test_weights_are_undetermined_where_an_infinite_power_is_allowed():
    """At p = -inf or inf any positive weights make the same rule."""
    table, _ = score_data(9, actions=80, weights=(0.3, 0.3, 0.4))
    best_off = table.max(axis=1) + np.random.default_rng(4).normal(0, 0.3, 80)
    result = quiet(wf.WelfareRegressor(), table, best_off)
    lost = len(table) * np.log(np.mean((table.max(axis=1) - best_off) ** 2) / result.loss)
    assert lost < chi2.ppf(0.95, 1)
    assert result.interval("weights").tolist() == [[0, 1]] * 3
    few = egalitarian_choices(1, 2, 60, 4.0, lambda rng: rng.integers(1, 5, (15, 2)).astype(float))
    limit = quiet(wf.ComparisonClassifier(small_sample="none"), few)
    assert limit.p == -np.inf
    assert limit.conf_int()[1:3].tolist() == [[0, 1]] * 2


def test_weights_have_no_standard_errors_where_the_search_for_p_ended():
    """Choices by the toss of a coin, which a rule far out overfits: p is what its cap is."""
    data = problems.comparisons(9, 30, 3, 200, p=-0.5, tau=5.0)
    outcomes = np.where(np.random.default_rng(0).random(200) < 0.5, 1, -1)
    result = quiet(wf.ComparisonClassifier(), wf.Comparisons(data.utilities, data.pairs, outcomes))
    assert abs(result.p) == pytest.approx(result.likelihood.loss.search_range[1])
    assert result.on_edge == result.param_names[:4]
    assert result.bse.mask.tolist() == [True] * 4 + [False]
    with pytest.raises(wf.InputError, match=r"person 0: at p = .* weights only say who counts"):
        result.interval("weight of person 0", method="wald")
    assert result.conf_int()[1:4].tolist() == [[0, 1]] * 3


def test_weights_go_on_where_only_the_cap_on_p_ends_them():
    """On the ridge log(w) = p c the rule nears a limit as the weight w goes to 0."""
    table = np.random.default_rng(0).uniform(1, 10, (150, 2))
    limit = np.minimum(table[:, 0], 1.01 * table[:, 1])  # of weights in the ratio 1 to 1.01 ** p
    scores = limit + np.random.default_rng(1).normal(0, 0.01, 150)
    result = quiet(wf.WelfareRegressor(), table, scores)
    lost = len(table) * np.log(np.mean((limit - scores) ** 2) / result.loss)
    assert lost < chi2.ppf(0.95, 1)
    (low, highest), (lowest, high) = result.interval("weights")
    assert (lowest, highest) == (0.0, 1.0)
    assert 0.05 < high < 0.1
    assert low == pytest.approx(1 - high, abs=CROSSING)


@pytest.mark.parametrize(("seed", "p"), [(4, -497.73), (30, -np.inf)])
def test_ends_of_tau_know_of_other_powers(seed, p):
    """Where p went far, another one may be better at the largest tau that is allowed."""
    data = egalitarian_choices(
        seed, 2, 60, 4.0, lambda rng: rng.integers(1, 5, (15, 2)).astype(float)
    )
    result = quiet(wf.ComparisonClassifier(small_sample="none"), data)
    assert result.p == pytest.approx(p, rel=1e-4)
    likelihood = plain_choices(data.utilities, data.pairs, data.outcomes)
    _, high = result.interval("tau")

    def lost(x):
        weights = np.array([expit(x[1]), expit(-x[1])])
        return 2 * (result.llf - likelihood(x[0], weights, high).sum())

    finite, logits = (-400.0, -1.0), (-30.0, 30.0)
    fits = [
        minimize(lost, [start, 0.0], method="Nelder-Mead", bounds=[finite, logits])
        for start in (-2, -5, -20, -60)
    ]
    best = min(fits, key=lambda fit: fit.fun)
    assert best.fun == pytest.approx(chi2.ppf(0.95, 1), rel=1e-3)


def test_clusters_have_names_of_any_kind_but_none_is_missing():
    def clustered(by):
        data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
        return wf.ComparisonClassifier().fit(data).result_.cov_params("clustered")

    mixed = np.array([int(i) if i % 2 else f"person {i}" for i in BY], dtype=object)
    assert clustered(mixed) == pytest.approx(clustered(BY), rel=1e-9, abs=1e-15)
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=mixed)
    result = wf.ComparisonClassifier().fit(data).result_
    assert result.bootstrap(3).unit == "clusters"
    assert result.misfit() is not None
    row = int(np.argmax(BY == 3))
    for nobody in (np.nan, None, pd.NA, pd.NaT):
        by = BY.astype(object)
        by[BY == 3] = nobody
        with pytest.raises(wf.InputError, match=rf"at row {row}, {(BY == 3).sum()} without"):
            clustered(by)
    with pytest.raises(wf.InputError, match=f"found .*nan.* at row {row}"):
        clustered(np.where(BY == 3, np.nan, BY))


def test_one_group_of_all_is_tested_like_equal_weights():
    data = egalitarian_choices(11, 4, 300, 5.0)
    found = []
    for options in (dict(weights="equal"), dict(groups=list("aaaa"))):
        result = quiet(wf.ComparisonClassifier(**options), data)
        found.append(result.test("egalitarian", resamples=9))
        with pytest.raises(wf.InputError, match="resamples=199 finds one"):
            result.test("egalitarian", resamples=None)
    assert (
        found[0].distribution == found[1].distribution == "parametric bootstrap, 9 samples, seed 0"
    )
    assert found[0].p_value == found[1].p_value


def test_as_many_clusters_as_parameters_are_refused():
    """The scores of 4 clusters span 3 directions, of the 4 in which p, weights and tau move."""

    def with_people(count):
        by = np.arange(len(CHOICES.pairs)) % count
        data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
        return wf.ComparisonClassifier().fit(data).result_

    with pytest.raises(wf.InputError, match="4 here; found those of 4 people"):
        with_people(4).cov_params("clustered")
    assert np.linalg.matrix_rank(with_people(5).cov_params("clustered")) == 4


def test_weights_at_a_given_limit_are_tested_by_simulation():
    """At p = -inf weights only say who counts, so that no distribution of degrees applies."""
    result = quiet(wf.ComparisonClassifier(p=-np.inf), egalitarian_choices(3, 2, 100, 5.0))
    for weights in ("equal", [1, 0]):
        found = result.test(weights=weights, resamples=9)
        assert "parametric bootstrap, 9 samples" in found.distribution
    assert result.conf_int()[:2].tolist() == [[0, 1]] * 2
    assert "one group" in result.test(groups=["a", "a"], resamples=9).null


def test_powers_beyond_any_search_are_fitted_where_it_ends():
    data = problems.comparisons(2, 20, 2, 60, p=-1.0, tau=5.0)
    result = quiet(wf.ComparisonClassifier(small_sample="none"), data.comparisons())
    found = result.test(p=-1e6)
    assert "fitted at p = -" in found.note
    logs, outcomes = np.log(data.utilities), data.outcomes

    def lost(x):  # with weights whose ratio is exp(p x), in the limit
        margin = np.minimum(logs[:, 0], logs[:, 1] + x[0])[data.pairs] @ [1, -1]
        return 2 * (result.llf + np.logaddexp(0, -outcomes * np.exp(x[1]) * margin).sum())

    starts = [(shift, scale) for shift in np.linspace(-2, 2, 9) for scale in (0.0, 1.5, 3.0)]
    limit = min(minimize(lost, start, method="Nelder-Mead").fun for start in starts)
    assert found.statistic == pytest.approx(limit, abs=0.01)  # powers are 0.1% off their limit


def test_levels_are_explained():
    result = wf.ComparisonClassifier().fit(CHOICES.comparisons()).result_
    for alpha in ("0.05", None, 5, np.nan, True):
        with pytest.raises(wf.InputError, match="alpha must be a number between 0 and 1"):
            result.conf_int(alpha)
    table, scores = score_data(3)
    given = wf.WelfareRegressor(p=0.4, weights="equal").fit(table, scores).result_
    with pytest.raises(wf.InputError, match="'p' of a fit in which everything was given"):
        given.interval("p")
    assert given.conf_int().shape == (0, 2)


def test_a_pickled_result_gives_the_same_answers():
    result = wf.ComparisonClassifier().fit(CHOICES.comparisons()).result_
    again = pickle.loads(pickle.dumps(result.with_data()))
    assert again.interval("p") == result.interval("p")
    assert (again.bse == result.bse).all()
    assert again.test("Nash") == result.test("Nash")


def test_p_values_of_a_true_null_are_uniform():
    values = []
    for seed in range(200):
        table, scores = score_data([seed, 1], actions=100, weights=(0.5, 0.3, 0.2), p=1, noise=0.5)
        values.append(wf.WelfareRegressor().fit(table, scores).result_.test("utilitarian").p_value)
    assert kstest(values, "uniform").pvalue > 0.01
    # Binomial: 200 tests at 5% reject 3 to 19 times in 999 of 1000 simulations.
    assert 3 <= np.sum(np.less(values, 0.05)) <= 19


def test_p_values_of_an_egalitarian_null_follow_the_mixture():
    values = []
    for seed in range(200):
        rng = np.random.default_rng([seed, 2])
        table = rng.uniform(1, 10, (100, 4))
        scores = table.min(axis=1) + rng.normal(0, 0.3, 100)
        result = quiet(wf.WelfareRegressor(weights="equal"), table, scores)
        values.append(result.test("egalitarian").p_value)
    assert 70 <= np.sum(np.greater(values, 0.5)) <= 130  # half of them are 1
    assert 3 <= np.sum(np.less(values, 0.05)) <= 19


@pytest.mark.skipif(not DATA.is_dir(), reason="no folder of real data: set WELFARIST_DATA to one")
def test_dictator_choices_agree_with_other_tools():
    """SciPy's and maxLik's Hessian give 0.067 to 0.069, Biogeme's robust error is 0.0724."""
    choices = pd.read_csv(DATA / "dictator" / "choices.csv")
    data = wf.Comparisons.from_arrays(
        choices[["self_x", "other_x"]],
        choices[["self_y", "other_y"]],
        choices["choice_x"].astype(bool),
        by=choices["person"],
    )
    result = wf.ComparisonClassifier().fit(data).result_
    assert result.covariance == "clustered"
    assert 0.067 < result.with_covariance("fisher").bse["p"] < 0.069
    assert np.sqrt(result.cov_params("robust")[0, 0]) == pytest.approx(0.0724, abs=5e-5)
    plain, clustered = (
        np.diff(result.interval("p", method="wald", covariance=kind))[0]
        for kind in ("fisher", "clustered")
    )
    assert clustered > 1.1 * plain
    assert result.with_covariance("fisher").test("utilitarian").p_value < 1e-30
    assert result.test("utilitarian").p_value < 1e-20  # people differ, which counts against it


@pytest.mark.skipif(not DATA.is_dir(), reason="no folder of real data: set WELFARIST_DATA to one")
def test_human_development_index_is_nash_and_not_utilitarian():
    hdi = pd.read_csv(DATA / "hdi" / "hdi.csv")
    hdi = hdi[~hdi["is_group"]]
    result = wf.WelfareRegressor().fit(hdi[["health", "education", "income"]], hdi["hdi"]).result_
    low, high = result.interval("p")
    assert -0.01 < low < 0 < high < 0.01
    assert result.test("Nash", weights="equal").p_value > 0.05
    assert result.test("utilitarian").p_value < 1e-100
