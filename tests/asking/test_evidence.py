"""Log welfare and log likelihood of many rules, against the kernels and noise of the package."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import welfarist as wf
from welfarist.asking.coordinates import Rules
from welfarist.asking.evidence import evidence_of, log_chances, menu_chances
from welfarist.asking.welfares import Outcomes
from welfarist.learners import ChoiceLearner

# Powers within 1e-6 of 0 are taken for 1e-6, which moves log M by 1e-6 times half its variance.
NEAR_ZERO = 1e-5
# The same formulas in another order.
ROUNDING = 1e-9
POWERS = np.array([-1000.0, -3.0, -1.0, -1e-3, 0.0, 1e-7, 0.5, 1.0, 2.0, 30.0])


def some_rules(powers, people, rng, rho=0.0, band=0.0):
    size = len(powers)
    return Rules(
        rng.dirichlet(np.ones(people), size), powers, rng.uniform(2, 40, size),
        np.full(size, rho), np.full(size, band),
    )  # fmt: skip


def test_log_welfare_is_that_of_single_rules():
    rng = np.random.default_rng(0)
    table = rng.uniform(0.1, 100.0, (9, 4))
    weights = rng.dirichlet(np.ones(4), len(POWERS))
    found = Outcomes(table).log_welfare(weights, POWERS)
    for s, p in enumerate(POWERS):
        assert np.abs(found[s] - wf.log_power_mean(table, p, weights[s])).max() < NEAR_ZERO


def test_zeros_leave_welfare_only_to_positive_powers():
    table = np.array([[0.0, 4.0, 2.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    weights = np.full((len(POWERS), 3), 1.0 / 3.0)
    found = Outcomes(table).log_welfare(weights, POWERS)
    for s, p in enumerate(POWERS):
        if 0 < p < 1e-6:  # which is taken for 1e-6: as good as nothing all the same
            assert found[s, 0] < -1e5
            continue
        expected = wf.log_power_mean(table, p)
        same = np.isclose(found[s], expected, rtol=1e-6, atol=NEAR_ZERO)
        assert (same | (found[s] == expected)).all(), (p, found[s], expected)


def test_weights_are_shared_among_those_who_are_there():
    table = np.array([[1.0, np.nan, 3.0], [2.0, 5.0, np.nan], [4.0, 1.0, 2.0]])
    weights = np.array([[0.2, 0.5, 0.3]] * len(POWERS))
    found = Outcomes(table).log_welfare(weights, POWERS)
    for s, p in enumerate(POWERS):
        for a, row in enumerate(table):
            there = ~np.isnan(row)
            alone = wf.log_power_mean(row[there], p, weights[s][there])
            assert abs(found[s, a] - alone) < NEAR_ZERO


@pytest.mark.parametrize("band", [0.0, 0.05])
@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_answers_to_a_comparison_have_chances_that_add_up_to_one(rho, band):
    rng = np.random.default_rng(1)
    rules = some_rules(np.linspace(-2, 1, 6), 3, rng, rho, band)
    z = rng.normal(scale=5, size=(6, 4))
    answers = (1.0, -1.0) if not band else (1.0, -1.0, 0.0)
    whole = sum(np.exp(log_chances(z, np.full(4, a), rules, band > 0)) for a in answers)
    assert np.abs(whole - 1.0).max() < ROUNDING


def test_equal_is_what_falls_into_the_band():
    """With logistic errors of the difference, "equal" is that it is seen within the band."""
    rng = np.random.default_rng(2)
    rules = some_rules(np.array([-1.0]), 2, rng, 0.0, 0.07)
    tau = rules.taus[0]
    z = np.array([[0.3 * tau * 0.07, 4.0]])
    found = np.exp(log_chances(z, np.zeros(2), rules, band=True))[0]
    for margin, chance in zip(z[0], found, strict=True):
        b = tau * 0.07
        seen = quad(lambda x, m=margin: 0.25 / np.cosh((x - m) / 2) ** 2, -b, b)[0]
        assert abs(chance - seen) < ROUNDING


def test_a_tie_without_a_band_is_half_of_each():
    rng = np.random.default_rng(2)
    rules = some_rules(np.array([-1.0, 1.0]), 2, rng, 0.02)
    z = rng.normal(size=(2, 3))
    one, other = (log_chances(z, np.full(3, a), rules, band=False) for a in (1.0, -1.0))
    tied = log_chances(z, np.zeros(3), rules, band=False)
    assert np.abs(tied - (one + other) / 2).max() < ROUNDING


def test_something_against_nothing_is_certain_but_for_lapses():
    table = [[0.0, 4.0], [1.0, 2.0], [0.0, 1.0]]
    decided = wf.Comparisons(table, [[1, 0], [0, 1], [0, 2]], [1, 1, 1])
    rules = Rules(np.full((1, 2), 0.5), np.array([-1.0]), np.array([5.0]), np.array([0.1]),
                  np.zeros(1))  # fmt: skip
    seen = evidence_of(decided)
    welfares = seen.outcomes.log_welfare(rules.weights, rules.powers)
    expected = np.log(0.9) + np.log(0.1) + np.log(0.5)
    assert abs(seen.log_likelihood(welfares, rules, band=False)[0] - expected) < ROUNDING


def test_equal_comparisons_are_held_once():
    table = np.random.default_rng(0).uniform(1, 9, (5, 2))
    pairs, outcomes = [[0, 1], [1, 0], [0, 1], [3, 4]], [1, -1, -1, 0]
    seen = evidence_of(wf.Comparisons(table, pairs, outcomes, counts=[1, 2, 1, 1]))
    assert len(seen.answers) == 3
    assert seen.total == 5.0
    assert len(seen.outcomes) == 4
    rules = some_rules(np.array([-1.0, 0.5]), 2, np.random.default_rng(3))
    logs = wf.log_power_mean(table[None], rules.powers[:, None], rules.weights[:, None])
    z = rules.taus[:, None] * (logs[:, [0, 1, 0, 3]] - logs[:, [1, 0, 1, 4]])
    up, down = -np.log1p(np.exp(-z)), -np.log1p(np.exp(z))
    expected = up[:, 0] + 2 * down[:, 1] + down[:, 2] + 0.5 * (up[:, 3] + down[:, 3])
    welfares = seen.outcomes.log_welfare(rules.weights, rules.powers)
    found = seen.log_likelihood(welfares, rules, band=False)
    assert np.abs(found - expected).max() < ROUNDING


def test_menus_have_the_likelihood_of_the_learner():
    rng = np.random.default_rng(4)
    table = rng.uniform(1, 50, (20, 3))
    menus = [rng.choice(20, k, replace=False).tolist() for k in rng.integers(2, 6, 40)]
    chosen = [menu[rng.integers(len(menu))] for menu in menus]
    decided = wf.Choices(table, menus, chosen)
    fit = ChoiceLearner().fit(decided)
    rules = Rules(fit.weights_[None], np.array([fit.p_]), np.array([fit.tau_]), np.zeros(1),
                  np.zeros(1))  # fmt: skip
    seen = evidence_of(decided)
    welfares = seen.outcomes.log_welfare(rules.weights, rules.powers)
    found = seen.log_likelihood(welfares, rules, band=False)[0]
    assert abs(found - fit.result_.llf) < 1e-6  # p near 0 is moved by NEAR_ZERO


def test_a_ranking_and_the_worst_of_a_menu_are_choices_too():
    table = np.random.default_rng(5).uniform(1, 9, (4, 2))
    decided = wf.Choices.from_best_worst(table, [[0, 1, 2, 3]], [2], [0])
    rules = some_rules(np.array([-1.0]), 2, np.random.default_rng(6), 0.05)
    logs = wf.log_power_mean(table, -1.0, rules.weights[0]) * rules.taus[0]
    best = 0.9 * np.exp(logs[2]) / np.exp(logs).sum() + 0.1 / 4
    left = [0, 1, 3]
    worst = 0.9 * np.exp(-logs[0]) / np.exp(-logs[left]).sum() + 0.1 / 3
    seen = evidence_of(decided)
    welfares = seen.outcomes.log_welfare(rules.weights, rules.powers)
    found = seen.log_likelihood(welfares, rules, band=False)[0]
    assert abs(found - np.log(best) - np.log(worst)) < ROUNDING


def test_a_menu_of_nothing_but_nothing_is_left_to_chance():
    decided = wf.Choices([[0.0, 1.0], [0.0, 2.0], [1.0, 1.0]], [[0, 1], [0, 2]], [0, 2])
    rules = Rules(np.full((1, 2), 0.5), np.array([-1.0]), np.array([5.0]), np.zeros(1), np.zeros(1))
    welfares = Outcomes(decided.utilities).log_welfare(rules.weights, rules.powers)
    found = menu_chances(decided.first_menus(), welfares, rules)[0]
    assert found.tolist() == [0.5, 0.5, 0.0, 1.0]
