"""Flipped decisions: the corrected risk is unbiased, and both estimates of rho find the truth."""

import numpy as np
import pytest

import welfarist as wf
from welfarist.counting import flips
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.people.weighting import Weighting

WEIGHTS = np.array([0.3, 0.3, 0.2, 0.1, 0.1])
POWER = -0.8


def decisions(rho, n, seed):
    rng = np.random.default_rng(seed)
    utilities = rng.uniform(1, 100, (max(n // 4, 20), 5))
    first = rng.integers(0, len(utilities), n)
    second = (first + rng.integers(1, len(utilities), n)) % len(utilities)
    truth = wf.WelfareFunction(POWER, WEIGHTS).compare(utilities[first], utilities[second])
    outcomes = np.where(rng.random(n) < rho, -truth, truth)
    return wf.Comparisons(utilities, np.column_stack([first, second]), outcomes)


def known_weights(rho=None):
    return wf.ComparisonClassifier(noise="flip", weights=WEIGHTS, rho=rho)


def test_the_corrected_risk_is_the_papers_formula():
    for rho in (0.0, 0.1, 0.49):
        for answer in (-1, 0, 1):
            loss, opposite = (1 - answer) / 2, (1 + answer) / 2
            printed = ((1 - rho) * loss - rho * opposite) / (1 - 2 * rho)
            assert flips.corrected_risk(loss, rho) == pytest.approx(printed, abs=1e-14)


def test_the_corrected_risk_of_any_rule_is_unbiased():
    rho, rule = 0.25, np.full(5, 0.2)
    raw, clean = [], []
    for seed in range(60):
        for chance, kept in ((rho, raw), (0.0, clean)):
            data = decisions(chance, 500, seed)
            loss = ZeroOneLoss.of(data.utilities, data.merged, Weighting(5, fixed=rule))
            kept.append(loss.value(rule, 3.0))
    corrected = [flips.corrected_risk(value, rho) for value in raw]
    error = np.std(np.array(corrected) - clean) / np.sqrt(len(raw))
    assert abs(np.mean(corrected) - np.mean(clean)) < 3 * error


@pytest.mark.parametrize("rho", [0.0, 0.05, 0.1, 0.2, 0.3])
def test_both_estimates_are_near_the_truth(rho):
    data = decisions(rho, 2_000, 11)
    error = np.sqrt(rho * (1 - rho) / 2_000)
    by_rate = known_weights().fit(data)
    by_folds = known_weights("cross-validation").fit(data)
    # One learned number explains a few flips, and the rules of the folds are off by as much.
    assert abs(by_rate.rho_ - rho) < 3 * error + 0.003
    assert abs(by_folds.rho_ - rho) < 3 * error + 0.003
    assert by_rate.p_ == by_folds.p_
    record = by_rate.result_.exact
    assert record.corrected_loss == pytest.approx(0.0, abs=1e-9)  # by its own error rate
    known = known_weights(rho).fit(data)
    assert known.p_ == by_rate.p_
    assert known.result_.exact.corrected_loss == pytest.approx(
        (known.loss_ - rho) / (1 - 2 * rho), abs=1e-12
    )


@pytest.mark.filterwarnings("ignore:p is hardly determined")
def test_in_small_samples_the_truth_lies_between_the_two_estimates():
    rate, folds = [], []
    for seed in range(25):
        data = decisions(0.2, 60, 100 + seed)
        rate.append(known_weights().fit(data).rho_)
        folds.append(known_weights("cross-validation").fit(data).rho_)
    assert np.mean(rate) < 0.2 < np.mean(folds)


def test_ties_are_no_evidence_of_flips():
    data = decisions(0.0, 200, 3)
    tied = wf.Comparisons(
        data.utilities, data.pairs, np.where(np.arange(200) < 50, 0, data.outcomes)
    )
    est = known_weights().fit(tied)
    assert est.rho_ == 0.0
    assert est.loss_ == pytest.approx(25 / 200)
    assert est.result_.exact.counted.ties == 50


@pytest.mark.parametrize("folds", [1, 6])
def test_folds_must_fit_the_pairs(folds):
    data = wf.Comparisons(
        [[1.0, 2.0], [2.0, 2.0], [3.0, 1.0]], [[0, 1], [1, 0], [1, 2]], [1, -1, 1]
    )
    with pytest.raises(wf.InputError, match=r"at least 2 folds and no more .* 2 pairs"):
        flips.rho_by_cross_validation(
            data,
            lambda part: wf.WelfareFunction(1.0, [0.5, 0.5]),
            folds=folds,
            rng=np.random.default_rng(0),
        )


@pytest.mark.parametrize("rho", [0.5, -0.1, "twice", True])
def test_rho_must_be_a_probability_below_one_half(rho):
    with pytest.raises(wf.InputError, match="rho must be a probability from 0 to below 1/2"):
        known_weights(rho).fit(decisions(0.1, 50, 1))
