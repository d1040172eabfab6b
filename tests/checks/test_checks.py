"""Calibration, surprises, residuals and misfit against formulas written again and simulations."""

from __future__ import annotations

import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import binom, binomtest, chi2, kstest
from scipy.stats import f as f_distribution

import welfarist as wf
from welfarist.checks.calibration import wilson
from welfarist.checks.residuals import decimal_step

ROOT = Path(__file__).parents[2]
DATA = (ROOT / os.environ.get("WELFARIST_DATA", "../shared/data")).resolve()

# Jacobians by central differences with steps of 1e-6 are good to about 1e-9 of their size, and
# estimates satisfy the likelihood equations to about 1e-6.
STATISTIC = 1e-5
# How rarely a correct seeded simulation may fail, had its seed been drawn at random.
RARELY = 1e-4


def quiet(estimator, *data):
    """Fit without the warnings that small data sets give rise to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return estimator.fit(*data).result_


def draw(seed, welfare, pairs, tau, rho=0.0):
    """Outcomes of comparisons whose actions have a log welfare."""
    chance = rho + (1 - 2 * rho) * expit(tau * (welfare[pairs[:, 0]] - welfare[pairs[:, 1]]))
    return np.where(np.random.default_rng(seed).random(len(pairs)) < chance, 1, -1)


def some_pairs(rng, actions, n):
    first = rng.integers(0, actions, n)
    return np.column_stack([first, (first + rng.integers(1, actions, n)) % actions])


def world(seed, actions=100, people=3, n=800):
    rng = np.random.default_rng(seed)
    table = rng.uniform(1, 10, (actions, people))
    return table, some_pairs(rng, actions, n), rng.dirichlet(np.full(people, 5.0))


TABLE, PAIRS, WEIGHTS = world(5)
OUTCOMES = draw(5, wf.WelfareFunction(-0.6, WEIGHTS).log(TABLE), PAIRS, 6.0)
CHOICES = wf.Comparisons(TABLE, PAIRS, OUTCOMES)
FIT = quiet(wf.ComparisonClassifier(), CHOICES)


def plain_log_mean(table, weights, p):
    return np.log(np.exp(p * np.log(table)) @ weights) / p


def jacobian(function, x, step=1e-6):
    moves = step * np.eye(len(x))
    return np.array([(function(x + m) - function(x - m)) / (2 * step) for m in moves]).T


def plain_terms(table, weights, p):
    """New terms of log welfare, by name, each (N, e)."""
    mean = np.exp(plain_log_mean(table, weights, p))[:, None]
    h = 2 * (table - mean) / (table + mean)
    d = table.shape[1]
    products = [h[:, i] * h[:, j] for i in range(d) for j in range(i)] if d <= 3 else []
    distance = np.zeros(len(table))
    for i in range(d):
        for j in range(d):
            distance += 0.5 * weights[i] * weights[j] * np.abs(h[:, i] - h[:, j])
    log_mean = np.log(mean[:, 0])
    return {
        "people": np.column_stack([h**2, *products]),
        "places": np.column_stack([h.min(axis=1), h.max(axis=1), distance]),
        "level": ((log_mean - np.median(log_mean)) ** 2 / 2)[:, None],
    }


def parts(x, people):
    """Power, weights (the last takes what the others leave) and log tau or log scale."""
    return x[0], np.append(x[1:people], 1 - x[1:people].sum()), x[people:]


def plain_score_test(known, new, pull, spread):
    """Score test with derivatives of the margin by known (n, m) and new (n, e) parameters."""
    both = np.hstack([known, new])
    J, m = both.T @ (both * spread[:, None]), known.shape[1]
    slope = both.T @ pull
    taken = J[m:, :m] @ np.linalg.inv(J[:m, :m])
    left = slope[m:] - taken @ slope[:m]
    values, vectors = np.linalg.eigh(J[m:, m:] - taken @ J[:m, m:])
    kept = values > 1e-8 * np.diag(J)[m:].max()
    return float(np.sum((vectors.T @ left)[kept] ** 2 / values[kept])), int(kept.sum())


def known_margins(result, table, pairs):
    people = table.shape[1]
    x = np.array([result.p, *result.weights[:-1], np.log(result.tau)])

    def margins(y):
        p, weights, (log_tau,) = parts(y, people)
        welfare = plain_log_mean(table, weights, p)
        return np.exp(log_tau) * (welfare[pairs[:, 0]] - welfare[pairs[:, 1]])

    return margins(x), jacobian(margins, x)


# ---- calibration


@pytest.mark.parametrize(("wins", "n"), [(0, 7), (3, 10), (10, 10), (412, 640)])
def test_wilson_intervals_are_those_of_scipy(wins, n):
    low, high = wilson(np.array([wins / n]), np.array([float(n)]))
    other = binomtest(wins, n).proportion_ci(0.95, method="wilson")
    assert (low[0], high[0]) == pytest.approx((other.low, other.high), abs=1e-12)


def test_calibration_agrees_with_counting():
    found = FIT.calibration(bins=8)
    welfare = plain_log_mean(TABLE, FIT.weights, FIT.p)
    chance = expit(FIT.tau * (welfare[PAIRS[:, 0]] - welfare[PAIRS[:, 1]]))
    sure = np.maximum(chance, 1 - chance)
    right = (chance > 0.5) == (OUTCOMES > 0)
    bins = np.array_split(np.argsort(sure, kind="stable"), 8)
    assert found.predicted == pytest.approx([sure[b].mean() for b in bins], abs=1e-3)
    assert found.observed == pytest.approx([right[b].mean() for b in bins], abs=0.021)
    assert found.counts.sum() == len(PAIRS)
    assert found.counts @ found.observed / len(PAIRS) == pytest.approx(right.mean())
    assert found.gap == pytest.approx(
        found.counts @ np.abs(found.observed - found.predicted) / len(PAIRS)
    )
    assert list(found.to_frame().columns) == ["predicted", "observed", "low", "high", "counts"]
    assert len(str(found).splitlines()) == 2 + 8 + 2


def test_calibration_does_not_depend_on_order_or_on_who_comes_first():
    swap = np.random.default_rng(1).random(len(PAIRS)) < 0.5
    pairs = np.where(swap[:, None], PAIRS[:, ::-1], PAIRS)
    order = np.random.default_rng(2).permutation(len(PAIRS))
    turned = wf.Comparisons(TABLE, pairs[order], np.where(swap, -OUTCOMES, OUTCOMES)[order])
    here, there = FIT.calibration(), quiet(wf.ComparisonClassifier(), turned).calibration()
    assert there.observed == pytest.approx(here.observed, abs=1e-12)
    assert there.predicted == pytest.approx(here.predicted, abs=1e-6)
    assert there.statistic == pytest.approx(here.statistic, rel=1e-4)


def test_a_tie_is_half_and_counts_are_repetitions():
    ties = wf.Comparisons(TABLE, PAIRS, np.where(np.arange(len(PAIRS)) < 60, 0, OUTCOMES))
    result = quiet(wf.ComparisonClassifier(), ties)
    assert result.calibration(bins=1).observed[0] == pytest.approx(result.accuracy)
    counted = wf.Comparisons(TABLE, PAIRS, OUTCOMES, counts=np.full(len(PAIRS), 2.0))
    twice = wf.Comparisons(TABLE, np.tile(PAIRS, (2, 1)), np.tile(OUTCOMES, 2))
    one, other = (quiet(wf.ComparisonClassifier(), data) for data in (counted, twice))
    assert one.calibration().counts.tolist() == other.calibration().counts.tolist()
    assert one.calibration().statistic == pytest.approx(other.calibration().statistic, rel=1e-6)
    for a, b in zip(one.misfit().checks, other.misfit().checks, strict=True):
        assert a.statistic == pytest.approx(b.statistic, rel=1e-6)


def test_the_test_of_calibration_is_a_score_test_of_its_bins():
    outcomes = draw(5, wf.WelfareFunction(-0.6, WEIGHTS).log(TABLE), PAIRS, 3.0)
    result = quiet(wf.ComparisonClassifier(), wf.Comparisons(TABLE, PAIRS, outcomes))
    found = result.calibration(bins=4)
    z, known = known_margins(result, TABLE, PAIRS)
    cuts = np.searchsorted(np.cumsum(found.counts), np.arange(len(z)), side="right")
    labels = np.empty(len(z), dtype=int)
    labels[np.argsort(np.abs(z), kind="stable")] = cuts
    against = [(1 - expit(np.abs(z[labels == g]))).sum() for g in range(4)]
    assert min(against) > 5  # so that no bins were joined
    new = (labels[:, None] == np.arange(4)) * np.sign(z)[:, None]
    chance = expit(z)
    statistic, degrees = plain_score_test(
        known, new, (outcomes + 1) / 2 - chance, chance * (1 - chance)
    )
    assert (found.degrees, degrees) == (4, 4)
    assert found.statistic == pytest.approx(statistic, rel=STATISTIC)
    assert found.p_value == pytest.approx(chi2.sf(statistic, 4), rel=1e-3)


def test_bins_that_expect_few_errors_are_joined_and_too_few_are_not_tested():
    table, pairs, weights = world(1, n=400)
    outcomes = draw(1, wf.WelfareFunction(0.5, weights).log(table), pairs, 60.0)
    found = quiet(wf.ComparisonClassifier(), wf.Comparisons(table, pairs, outcomes)).calibration()
    assert len(found) == 10
    assert found.degrees is not None
    assert found.degrees < 5
    small = wf.Comparisons(table, pairs[:60], outcomes[:60])
    few = quiet(wf.ComparisonClassifier(p=0.5), small).calibration()
    assert few.p_value is None
    assert "No test: the rule expects fewer than 5" in str(few)


# ---- misfit: formulas


def test_checks_of_comparisons_are_score_tests_by_differences():
    z, known = known_margins(FIT, TABLE, PAIRS)
    chance = expit(z)
    new = {
        name: FIT.tau * (rows[PAIRS[:, 0]] - rows[PAIRS[:, 1]])
        for name, rows in plain_terms(TABLE, FIT.weights, FIT.p).items()
    }
    new["position"] = np.ones((len(z), 1))
    new["slips"] = -np.sinh(np.clip(z, -4, 4))[:, None]
    misfit = FIT.misfit()
    for name, columns in new.items():
        statistic, degrees = plain_score_test(
            known, columns, (OUTCOMES + 1) / 2 - chance, chance * (1 - chance)
        )
        check = misfit[name]
        assert check.degrees == degrees, name
        if name == "slips" and check.statistic == 0:
            assert check.p_value == 1
            continue
        # The middle of log welfare is that of the actions compared, which may be fewer.
        assert check.statistic == pytest.approx(statistic, rel=STATISTIC), name
        full = chi2.sf(statistic, degrees)
        assert check.p_value == pytest.approx(full / 2 if name == "slips" else full, rel=1e-3)
        assert check.gain == pytest.approx(statistic / 2, rel=STATISTIC)
        assert check.share == pytest.approx(statistic / 2 / -FIT.llf, rel=STATISTIC)


def test_the_gain_is_what_a_likelihood_ratio_finds():
    """A fit with the new terms, by another optimiser, gains what the check says, or nearly."""
    table, pairs, weights = world(8, n=6000)
    # A small push towards the worst off, so that the quadratic approximation is a good one.
    welfare = wf.WelfareFunction(0.5, weights).log(table) + 0.1 * np.log(table.min(axis=1))
    outcomes = draw(8, welfare, pairs, 6.0)
    result = quiet(wf.ComparisonClassifier(), wf.Comparisons(table, pairs, outcomes))
    rows = plain_terms(table, result.weights, result.p)["places"]

    def loss(x):
        p, w, (log_tau,) = parts(x[:4], 3)
        value = plain_log_mean(table, np.maximum(w, 1e-12), p) + rows @ x[4:]
        z = np.exp(log_tau) * (value[pairs[:, 0]] - value[pairs[:, 1]])
        return np.logaddexp(0, -outcomes * z).sum()

    start = np.array([result.p, *result.weights[:-1], np.log(result.tau), 0, 0, 0])
    assert loss(start) == pytest.approx(-result.llf)
    gained = loss(start) - minimize(loss, start, method="BFGS").fun
    # Both follow chi-squared up to terms of the order of one over the root of n.
    assert result.misfit()["places"].gain == pytest.approx(gained, rel=0.1, abs=0.1)


@pytest.mark.parametrize("scale", [False, True])
def test_checks_of_scores_are_regressions_of_residuals(scale):
    rng = np.random.default_rng(3)
    table = rng.uniform(1, 10, (150, 4))
    scores = 1.3**scale * wf.power_mean(table, 0.4, [0.4, 0.3, 0.2, 0.1]) + rng.normal(0, 0.3, 150)
    counts = rng.integers(1, 4, 150).astype(float)
    result = quiet(wf.WelfareRegressor(scale=scale), table, scores, counts)
    c = result.scale if scale else 1.0
    x = np.array([result.p, *result.weights[:-1], *([np.log(c)] if scale else [])])

    def predicted(y):
        p, weights, rest = parts(y, 4)
        return np.exp(plain_log_mean(table, weights, p) + (rest[0] if scale else 0.0))

    fitted, known = predicted(x), jacobian(predicted, x)
    new = {k: v * fitted[:, None] for k, v in plain_terms(table, result.weights, result.p).items()}
    new["scale"] = np.column_stack([np.ones(150), *([] if scale else [fitted])])
    root = np.sqrt(counts)
    for name, columns in new.items():
        target = root * (scores - fitted)
        left = []
        for design in (known, np.hstack([known, columns])):
            weighted = design * root[:, None]
            left.append(np.sum((target - weighted @ np.linalg.lstsq(weighted, target)[0]) ** 2))
        check, rest = result.misfit()[name], counts.sum() - len(x) - columns.shape[1]
        statistic = (left[0] - left[1]) / columns.shape[1] / (left[1] / rest)
        assert check.statistic == pytest.approx(statistic, rel=STATISTIC, abs=1e-7), name
        assert check.p_value == pytest.approx(
            f_distribution.sf(statistic, columns.shape[1], rest), rel=1e-3
        )


def test_terms_that_a_fit_has_already_are_not_counted():
    """With two people at p near 0 welfare of both is one number less than their squares."""
    table, pairs, _ = world(4, people=2)
    outcomes = draw(4, wf.WelfareFunction(0.2, [0.6, 0.4]).log(table), pairs, 6.0)
    result = quiet(wf.ComparisonClassifier(), wf.Comparisons(table, pairs, outcomes))
    # Worst, best and distance: the last is a multiple of the difference of the first two.
    assert result.misfit()["places"].degrees == 2


def test_decisions_of_the_same_people_are_tested_by_person():
    by = np.random.default_rng(0).integers(0, 60, len(PAIRS))
    result = quiet(wf.ComparisonClassifier(), wf.Comparisons(TABLE, PAIRS, OUTCOMES, by=by))
    z, known = known_margins(result, TABLE, PAIRS)
    pull, spread = (OUTCOMES + 1) / 2 - expit(z), expit(z) * expit(-z)
    rows = plain_terms(TABLE, result.weights, result.p)["places"]
    new = result.tau * (rows[PAIRS[:, 0]] - rows[PAIRS[:, 1]])
    taken = np.linalg.solve(known.T @ (known * spread[:, None]), known.T @ (new * spread[:, None]))
    each = (new - known @ taken) * pull[:, None]
    people = np.array([each[by == i].sum(axis=0) for i in range(60)])
    mean, spread = people.mean(axis=0), np.cov(people.T)
    hotelling = 60 * mean @ np.linalg.solve(spread, mean) * (60 - 3) / (3 * (60 - 1))
    check = result.misfit()["places"]
    assert check.statistic == pytest.approx(hotelling, rel=1e-4)
    assert check.p_value == pytest.approx(f_distribution.sf(hotelling, 3, 57), rel=1e-3)
    assert "by decision maker" in check.distribution
    assert "60 decision makers" in str(result.misfit())


# ---- misfit: size and power


def test_true_rules_are_rejected_as_often_as_the_level_says():
    found: dict[str, list[float]] = {}
    for seed in range(120):
        table, pairs, weights = world(seed, n=500)
        rule = wf.WelfareFunction(-0.6, weights)
        decided = wf.Comparisons(table, pairs, draw(seed, rule.log(table), pairs, 5.0))
        result = quiet(wf.ComparisonClassifier(), decided)
        found.setdefault("calibration", []).append(result.calibration().p_value)
        noise = np.random.default_rng(seed).normal(0, 0.4, len(table))
        scored = quiet(wf.WelfareRegressor(), table, rule(table) + noise)
        for kind, misfit in (("choices", result.misfit()), ("scores", scored.misfit())):
            for check in misfit.checks:
                found.setdefault(f"{kind}, {check.name}", []).append(check.p_value)
    for name, values in found.items():
        rejected = int((np.array(values) < 0.05).sum())
        assert rejected <= binom.isf(RARELY, len(values), 0.05), name
        if "slips" not in name:  # half of which are exactly 1
            assert kstest(values, "uniform").pvalue > RARELY, name
    assert len(found) == 1 + 6 + 5


def other_families(table):
    ordered = np.sort(table, axis=1)
    people = table.shape[1]
    distance = np.abs(table[:, :, None] - table[:, None, :]).mean(axis=(1, 2))
    behind = np.maximum(table[:, 1:] - table[:, :1], 0).mean(axis=1)
    ahead = np.maximum(table[:, :1] - table[:, 1:], 0).mean(axis=1)
    halving = 0.5 ** np.arange(people)
    return {
        "Gini": np.log(table.mean(axis=1) - 0.5 * distance),
        "ordered weights": np.log(ordered @ halving),
        "worst two": np.log(ordered[:, :2]).mean(axis=1),
        "threshold": np.log(np.minimum(table, 5.0).mean(axis=1)),
        "Fehr-Schmidt": np.log(np.maximum(table[:, 0] - 0.6 * behind - 0.3 * ahead, 0.2)),
    }


@pytest.mark.parametrize(
    "family", ["Gini", "ordered weights", "worst two", "threshold", "Fehr-Schmidt"]
)
def test_other_families_are_found_out(family):
    table, pairs, _ = world(11, actions=200, people=4, n=6000)
    outcomes = draw(11, other_families(table)[family], pairs, 12.0)
    found = quiet(wf.ComparisonClassifier(), wf.Comparisons(table, pairs, outcomes)).misfit()
    assert found.clear
    assert found.verdict.startswith("The family does not describe these decisions: ")
    assert "clearly better" in str(found)
    scored = np.exp(other_families(table)[family]) + np.random.default_rng(1).normal(0, 0.05, 200)
    assert quiet(wf.WelfareRegressor(), table, scored).misfit().clear


def test_a_preference_for_the_first_action_is_found_and_named():
    rng = np.random.default_rng(2)
    table, pairs, weights = world(2, n=3000)
    welfare = wf.WelfareFunction(0.5, weights).log(table)
    z = 5 * (welfare[pairs[:, 0]] - welfare[pairs[:, 1]]) - 0.4
    outcomes = np.where(rng.random(len(z)) < expit(z), 1, -1)
    found = quiet(wf.ComparisonClassifier(), wf.Comparisons(table, pairs, outcomes)).misfit()
    assert [check.name for check in found.checks if check.clear] == ["position"]
    assert "the first action is preferred less often" in found.verdict
    # Where the preferred action always comes first there is nothing to be learned from that.
    first = np.where(outcomes[:, None] > 0, pairs, pairs[:, ::-1])
    named = wf.Comparisons(table, first, np.ones(len(first)))
    check = quiet(wf.ComparisonClassifier(), named).misfit()["position"]
    assert check.p_value is None
    assert "always the first" in str(check)


def test_slips_are_found_and_the_lapse_model_has_them():
    table, pairs, weights = world(3, n=3000)
    outcomes = draw(3, wf.WelfareFunction(0.5, weights).log(table), pairs, 20.0, rho=0.05)
    decided = wf.Comparisons(table, pairs, outcomes)
    found = quiet(wf.ComparisonClassifier(), decided).misfit()
    assert found["slips"].clear
    assert 'noise="lapse"' in found.verdict
    lapse = quiet(wf.ComparisonClassifier(noise="lapse"), decided)
    assert lapse.misfit().verdict == "No sign that the family is wrong."
    assert lapse.calibration().p_value > 0.01
    with pytest.raises(wf.InputError, match="found 'slips'"):
        lapse.misfit()["slips"]


def test_scores_with_another_zero_are_found():
    rng = np.random.default_rng(4)
    table = rng.uniform(1, 10, (300, 3))
    scores = 2.0 + wf.power_mean(table, 0.0) + rng.normal(0, 0.2, 300)
    assert quiet(wf.WelfareRegressor(), table, scores).misfit()["scale"].clear


def test_a_trifle_is_called_one():
    table, pairs, weights = world(6, actions=300, n=60_000)
    welfare = wf.WelfareFunction(0.5, weights).log(table)
    outcomes = draw(6, welfare + 0.06 * np.log(table.min(axis=1)), pairs, 6.0)
    found = quiet(wf.ComparisonClassifier(), wf.Comparisons(table, pairs, outcomes)).misfit()
    assert found["places"].p_value < 0.001
    assert not found.clear
    assert "up to a trifle" in found.verdict


@pytest.mark.parametrize("power", [-np.inf, np.inf])
def test_a_rule_at_the_edge_is_not_called_a_misfit(power):
    table, pairs, weights = world(7, n=1500)
    outcomes = draw(7, wf.WelfareFunction(power, weights).log(table), pairs, 6.0)
    found = quiet(wf.ComparisonClassifier(), wf.Comparisons(table, pairs, outcomes)).misfit()
    assert found.verdict == "No sign that the family is wrong."


def test_utilities_of_zero_and_groups_and_given_rules_are_checked_too():
    rng = np.random.default_rng(9)
    table = rng.uniform(0, 10, (80, 4))
    table[rng.random(table.shape) < 0.1] = 0.0
    table[0] = 0.0
    pairs = some_pairs(rng, 80, 1500)
    with np.errstate(invalid="ignore"):
        welfare = np.maximum(wf.WelfareFunction(0.7).log(table), -700)
    decided = wf.Comparisons(table, pairs, draw(9, welfare, pairs, 5.0))
    for options in (
        {},
        {"groups": [0, 0, 1, 1]},
        {"p": 0.7},
        {"p": 0.7, "weights": "equal"},
        {"weights": [1, 1, 1, 1]},
    ):
        found = quiet(wf.ComparisonClassifier(**options), decided).misfit()
        assert len(found.checks) == 6
        assert all(np.isfinite(check.p_value) for check in found.checks)
        assert not found.clear


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (wf.ComparisonClassifier(noise="none"), "counts errors"),
        (wf.ComparisonClassifier(prior=3), "under a prior"),
        (wf.ComparisonClassifier(max_iter=1, n_starts=1), "did not"),
    ],
)
def test_a_misfit_that_cannot_be_checked_carries_the_reason(estimator, reason):
    small = CHOICES[:40] if estimator.noise == "none" else CHOICES
    found = quiet(estimator, small).misfit()
    assert found.checks == ()
    assert reason in found.reason
    assert str(found).startswith("Not checked: ")
    assert not found.clear


def test_choices_without_noise_have_no_check_but_a_table():
    rule = wf.WelfareFunction(-0.6, WEIGHTS)
    decided = wf.Comparisons(TABLE, PAIRS, rule.compare(TABLE[PAIRS[:, 0]], TABLE[PAIRS[:, 1]]))
    result = quiet(wf.ComparisonClassifier(small_sample="none"), decided)
    assert "tau at its cap" in result.misfit().reason
    found = result.calibration()
    assert found.p_value is None
    assert found.observed.min() == 1.0


# ---- surprises


def test_columns_of_surprises_are_those_of_everybody_whatever_they_are_called():
    names = ["other", "utility of other", "chosen"]
    table = pd.DataFrame(CHOICES.utilities[:, :3], columns=names)
    data = wf.Comparisons(table, CHOICES.pairs, CHOICES.outcomes)
    found = quiet(wf.ComparisonClassifier(), data).surprises(2)
    frame = found.to_frame()
    assert len(frame.columns) == len(set(frame.columns)) == 10 + 4 * 3
    assert list(frame["other"]) == [surprise.other for surprise in found]
    assert list(frame["utility of other"]) == [surprise.utilities[0] for surprise in found]


def test_surprises_are_the_least_likely_rows_of_the_users_data():
    rng = np.random.default_rng(0)
    counts, by = rng.integers(0, 4, len(PAIRS)).astype(float), rng.integers(0, 9, len(PAIRS))
    names = [f"plan {i}" for i in range(len(TABLE))]
    outcomes = np.where(rng.random(len(PAIRS)) < 0.05, 0, OUTCOMES)
    decided = wf.Comparisons(TABLE, PAIRS, outcomes, counts, by, names)
    result = quiet(wf.ComparisonClassifier(), decided)
    welfare = plain_log_mean(TABLE, result.weights, result.p)
    z = result.tau * (welfare[PAIRS[:, 0]] - welfare[PAIRS[:, 1]])
    likely = np.where((outcomes != 0) & (counts > 0), expit(outcomes * z), 1.0)
    expected = np.argsort(likely, kind="stable")[:12]
    found = result.surprises(12)
    assert [surprise.row for surprise in found] == expected.tolist()
    assert found.total == counts[likely < 0.5].sum()
    lost = np.array([TABLE[a] - TABLE[b] for a, b in PAIRS]) * outcomes[:, None]
    assert found.dominated == counts[(outcomes != 0) & (lost <= 0).all(axis=1)].sum() > 0
    for surprise in found:
        i = surprise.row
        chosen, other = PAIRS[i] if outcomes[i] > 0 else PAIRS[i][::-1]
        assert surprise.position == ("first" if outcomes[i] > 0 else "second")
        assert (surprise.chosen, surprise.other) == (names[chosen], names[other])
        assert surprise.probability == pytest.approx(likely[i])
        assert surprise.utilities.tolist() == TABLE[chosen].tolist()
        assert surprise.other_utilities.tolist() == TABLE[other].tolist()
        assert surprise.welfare == pytest.approx(np.exp(welfare[chosen]))
        assert surprise.shares == pytest.approx(result.welfare.shares(TABLE[chosen]))
        assert surprise.log_ratio == pytest.approx(welfare[other] - welfare[chosen])
        assert (surprise.count, surprise.by) == (counts[i], by[i])
    frame = found.to_frame()
    assert frame["row"].tolist() == expected.tolist()
    assert frame["other share of person 1"][0] == pytest.approx(found[0].other_shares[1])
    first = str(found).splitlines()[1]
    assert first.strip().startswith(f"row {expected[0]}: {by[expected[0]]} chose plan ")
    assert "though the rule gives that" in first


def test_surprises_name_actions_as_the_user_does():
    assert quiet(wf.ComparisonClassifier(), CHOICES).surprises(1)[0].chosen.startswith("action ")
    X = np.hstack([TABLE[PAIRS[:, 0]], TABLE[PAIRS[:, 1]]])
    result = quiet(wf.ComparisonClassifier(), X, OUTCOMES)
    assert result.surprises(1)[0].row == FIT.surprises(1)[0].row
    assert {result.surprises(1)[0].chosen, result.surprises(1)[0].other} == {
        "the first action",
        "the second action",
    }


def test_surprises_of_a_fit_that_counts_errors_are_all_its_errors():
    decided = wf.Comparisons(TABLE, PAIRS[:200], OUTCOMES[:200])
    result = quiet(wf.ComparisonClassifier(noise="flip", weights="equal"), decided)
    found = result.surprises(1000)
    assert len(found) == round(result.loss * 200)
    ratios = [surprise.log_ratio for surprise in found]
    assert ratios == sorted(ratios, reverse=True)
    assert all(surprise.probability is None for surprise in found)
    assert "though the rule prefers the other" in str(found)


def test_no_surprises_say_so():
    result = quiet(
        wf.ComparisonClassifier(noise="none"),
        wf.Comparisons([[1.0, 4.0], [2.0, 2.0]], [[0, 1]], [1]),
    )
    found = result.surprises()
    assert len(found) == 0
    assert str(found) == "0 of 1 decisions went against the rule."
    assert len(found.to_frame()) == 0


def test_surprises_of_scores_are_the_largest_residuals():
    rng = np.random.default_rng(1)
    table = rng.uniform(1, 10, (60, 2))
    scores = wf.power_mean(table, 0.5) + rng.normal(0, 0.1, 60)
    scores[[7, 30]] += [2.0, -1.0]
    counts = np.ones(60)
    counts[30] = 0.0
    result = quiet(wf.WelfareRegressor(), pd.DataFrame(table, columns=["a", "b"]), scores, counts)
    found = result.surprises(2)
    assert found[0].row == 7
    assert 30 not in [surprise.row for surprise in found]
    fitted = np.exp(plain_log_mean(table, result.weights, result.p))
    assert found[0].residual == pytest.approx(scores[7] - fitted[7])
    usual = np.sqrt(np.average((scores - fitted) ** 2, weights=counts))
    assert found[0].standardised == pytest.approx((scores[7] - fitted[7]) / usual)
    assert "row 7: scored" in str(found)
    assert list(found.to_frame().columns)[-2:] == ["utility of b", "share of b"]


@pytest.mark.parametrize("count", [0, -1, 2.5, True, "all"])
def test_how_many_surprises_and_bins_must_be_a_whole_number(count):
    with pytest.raises(wf.InputError, match="count must be a whole number from 1 on"):
        FIT.surprises(count)
    with pytest.raises(wf.InputError, match="bins must be a whole number from 1 on"):
        FIT.calibration(count)


# ---- residuals


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([0.198, 0.234, 1.0], 0.001),
        ([3.0, 100.0], 1.0),
        ([58.7, 1e5 + 0.1], 0.1),
        ([1 / 3, 0.5], 0.0),
        ([0.1234567890123, 0.5], 0.0),
    ],
)
def test_the_decimal_step_of_numbers(values, step):
    assert decimal_step(np.array(values)) == pytest.approx(step)


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_rounded_scores_are_recognised(decimals):
    rng = np.random.default_rng(decimals)
    exact = rng.uniform(1, 10, (400, 3))
    table, scores = exact.round(decimals), wf.power_mean(exact, 0.3, [0.5, 0.3, 0.2])
    result = quiet(wf.WelfareRegressor(), table, scores.round(decimals))
    rounding = result.residuals().rounding
    assert rounding.compatible
    assert rounding.step == pytest.approx(10.0**-decimals)
    # Rounding drawn again many times has the size that was worked out.
    drawn = exact[:, :, None] + rng.uniform(-0.5, 0.5, (400, 3, 50)) * 10.0**-decimals
    moved = wf.power_mean(np.moveaxis(drawn, 1, 2), result.p, result.weights)
    errors = moved - scores[:, None] + rng.uniform(-0.5, 0.5, moved.shape) * 10.0**-decimals
    assert rounding.expected == pytest.approx(
        np.sqrt(np.mean((errors - errors.mean(axis=1, keepdims=True)) ** 2)), rel=0.03
    )
    assert "Rounding alone explains" in str(result.misfit())
    noisy = (scores + rng.normal(0, 10.0**-decimals, 400)).round(decimals)
    rounding = quiet(wf.WelfareRegressor(), table, noisy).residuals().rounding
    assert not rounding.compatible
    assert rounding.ratio > 2


def test_residuals_are_scores_less_the_rule():
    rng = np.random.default_rng(1)
    table = rng.uniform(1, 10, (60, 2))
    scores = 2 * wf.power_mean(table, 0.5) + rng.normal(0, 0.1, 60)
    est = wf.WelfareRegressor(scale=True).fit(table, scores)
    found = est.result_.residuals()
    assert found.residual == pytest.approx(scores - est.predict(table))
    assert np.sqrt(np.mean(found.standardised**2)) == pytest.approx(1)
    assert len(found.to_frame()) == len(found) == 60
    assert "Neither scores nor utilities look rounded" in str(found)


# ---- what does not apply, and records without data


def test_what_does_not_apply_says_what_does():
    scored = quiet(wf.WelfareRegressor(), TABLE, wf.power_mean(TABLE, 0.5).round(1))
    with pytest.raises(wf.InputError, match=r"comparisons; found scores.*residuals\(\)"):
        scored.calibration()
    with pytest.raises(wf.InputError, match=r"found comparisons.*calibration\(\)"):
        FIT.residuals()
    exact = quiet(wf.ComparisonClassifier(noise="none"), CHOICES[:30])
    with pytest.raises(wf.InputError, match=r"counts errors.*surprises\(\)"):
        exact.calibration()


def test_a_record_without_data_keeps_the_estimates_and_refuses_the_rest():
    light = quiet(wf.ComparisonClassifier(), CHOICES).without_data()
    assert light.decided is None
    rule, whole = light.summary().splitlines()[:8], FIT.summary(level=None).splitlines()[:8]
    assert rule == whole
    assert len(pickle.dumps(light)) < 6_000 < len(pickle.dumps(FIT.with_data()))
    for ask in (
        light.calibration,
        light.surprises,
        light.residuals,
        light.misfit,
        light.cov_params,
        lambda: light.test("Nash"),
        lambda: light.interval("p"),
    ):
        with pytest.raises(wf.InputError, match="found a record without them"):
            ask()
    exact = quiet(wf.ComparisonClassifier(noise="none"), CHOICES[:30])
    assert exact.without_data().loss == exact.loss
    assert exact.without_data().certificate == exact.certificate
    known = quiet(wf.ComparisonClassifier(weights="equal"), CHOICES[:200])
    assert known.without_data().certificate is None
    proof = known.certificate
    assert known.without_data().certificate == proof


def test_a_result_keeps_the_decisions_once():
    assert FIT.decided is CHOICES
    assert FIT.likelihood.decided is CHOICES
    assert "decided" not in repr(FIT)
    again = pickle.loads(pickle.dumps(FIT.with_data()))
    assert again.decided is again.likelihood.decided
    assert again.misfit()["places"].statistic == FIT.misfit()["places"].statistic


# ---- real decisions


real = pytest.mark.skipif(
    not DATA.is_dir(), reason="no folder of real data: set WELFARIST_DATA to one"
)


@real
def test_published_indices_have_residuals_of_rounding():
    hdi = pd.read_csv(DATA / "hdi" / "hdi.csv")
    hdi = hdi[~hdi["is_group"]]
    people = ["health", "education", "income"]
    nash = quiet(wf.WelfareRegressor(p=0, weights="equal"), hdi[people], hdi["hdi"])
    assert nash.residuals().rounding.compatible
    assert nash.misfit().verdict == "No sign that the family is wrong."
    adding = quiet(wf.WelfareRegressor(p=1), hdi[people], hdi["hdi"])
    assert adding.residuals().rounding.ratio > 10
    assert adding.misfit().clear
    gei = pd.read_csv(DATA / "gei" / "gei.csv")
    domains = ["WORK", "MONEY", "KNOWLEDGE", "TIME", "POWER", "HEALTH"]
    found = quiet(wf.WelfareRegressor(), gei[domains], gei["Gender.Equality.Index"])
    assert found.residuals().rounding.compatible
    assert found.misfit().verdict == "No sign that the family is wrong."


@real
def test_shanghai_ranking_has_one_score_that_rounding_does_not_explain():
    arwu = pd.read_csv(DATA / "arwu" / "arwu.csv")
    parts_ = ["alumni", "award", "hici", "ns", "pub", "pcp"]
    for year, rows in arwu.groupby("year"):
        result = quiet(wf.WelfareRegressor(scale=True), rows[parts_], rows["total_score"])
        assert result.residuals().rounding.beyond == (1 if year == 2008 else 0)
        if year == 2008:  # what one score says of two parts together is gone with that score
            assert [check.name for check in result.misfit().checks if check.clear] == ["pairs"]
            off = (result.welfare(rows[parts_]) * result.scale - rows["total_score"]).abs()
            rows = rows.drop(index=off.idxmax())
            result = quiet(wf.WelfareRegressor(scale=True), rows[parts_], rows["total_score"])
        assert result.misfit().verdict == "No sign that the family is wrong."


@real
def test_dictators_do_not_share_one_power_mean():
    choices = pd.read_csv(DATA / "dictator" / "choices.csv")
    decided = wf.Comparisons.from_arrays(
        choices[["self_x", "other_x"]],
        choices[["self_y", "other_y"]],
        choices["choice_x"] == 1,
        by=choices["person"],
    )
    result = quiet(wf.ComparisonClassifier(), decided)
    assert {check.name for check in result.misfit().checks if check.clear} >= {"people", "places"}
    surprise = result.surprises(1)[0]
    row = choices.iloc[surprise.row]
    assert surprise.by == row["person"]
    assert surprise.probability < 0.001
    # Many of them pay to hurt somebody who has more: no rule of this family does.
    assert result.surprises().dominated > 150
    assert result.calibration().p_value < 0.001


def test_an_action_that_rounding_does_not_reach():
    rng = np.random.default_rng(2)
    table = np.column_stack([rng.integers(1, 50, 80), rng.uniform(1, 50, 80)])
    egalitarian = wf.WelfareRegressor(p="egalitarian", weights="equal", scale=True)
    # Where the second person is worst off, no rounded number enters the score at all.
    off = quiet(egalitarian, table, table.min(axis=1) + rng.normal(0, 0.3, 80)).residuals().rounding
    assert (off.p_value, off.worst, off.compatible) == (0.0, np.inf, False)
