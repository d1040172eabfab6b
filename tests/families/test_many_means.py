"""Power means of many rules at once, against those of single rules."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist.families.power_mean.derivatives import Ends, log_mean_of_logs
from welfarist.families.power_mean.many_means import close_log_means, log_means

# Two formulas for the same number, rounded a few times; 1 / p magnifies that where p is small.
ROUNDING = 5e-14
POWERS = [-np.inf, -1e5, -40.0, -2.0, -0.06, -0.04, -1e-3, -1e-9, 0.0, 1e-300, 1e-6, 0.049, 0.051]
POWERS += [0.5, 1.0, 3.0, 80.0, 1e5, 1e7, np.inf]


@pytest.mark.parametrize("d", [1, 2, 5])
def test_close_means_are_those_of_single_rules(d):
    rng = np.random.default_rng(d)
    logs = rng.normal(0.0, 1.5, (d, 9))
    logs[:, 0] = 0.7  # everybody has the same
    weights = rng.dirichlet(np.ones(d), len(POWERS))
    powers = np.array(POWERS)
    found = close_log_means(logs, weights, powers)
    for b, p in enumerate(POWERS):
        expected = log_mean_of_logs(logs, weights[b], p, False).value
        assert found[b] == pytest.approx(expected, abs=ROUNDING), p


def test_people_who_do_not_count():
    logs = np.array([[0.0, 1.0, -300.0], [2.0, -5.0, 300.0]])
    weights = np.array([[1.0, 0.0], [0.0, 1.0], [1.0 - 1e-14, 1e-14]])
    powers = np.array([-30.0, 2.0, 5.0])
    found = close_log_means(logs, weights, powers)
    assert found[0].tolist() == logs[0].tolist()
    assert found[1].tolist() == logs[1].tolist()
    expected = log_mean_of_logs(logs, weights[2], 5.0, False).value
    assert found[2].tolist() == expected.tolist()


def test_more_rules_than_fit_into_a_block():
    rng = np.random.default_rng(0)
    logs = rng.normal(size=(3, 4000))
    weights, powers = rng.dirichlet(np.ones(3), 200), rng.normal(size=200)
    found = close_log_means(logs, weights, powers)
    for b in (0, 83, 84, 199):
        expected = log_mean_of_logs(logs, weights[b], float(powers[b]), False).value
        assert found[b] == pytest.approx(expected, abs=ROUNDING)


def test_tiny_weights_far_out_give_values_without_warnings():
    # Derivatives overflow there; whoever asks for values alone is not told.
    logs = np.log(np.array([[1.0, 9.0, 4.0], [8.0, 2.0, 4.0]]))
    weights = np.array([[1.0 - 1e-300, 1e-300], [1e-280, 1.0 - 1e-280]])
    found = close_log_means(logs, weights, np.array([-800.0, 2e4]))
    assert np.isfinite(found).all()
    low, high = logs.min(axis=0), logs.max(axis=0)
    assert ((low - 1e-12 <= found) & (found <= high + 1e-12)).all()


def test_rough_means_are_close_ones_also_where_hardly_anybody_has_the_largest():
    rng = np.random.default_rng(3)
    logs = rng.normal(0.0, 1.5, (4, 30))
    powers = np.array([-60.0, -2.0, -1e-5, 0.3, 5.0, 60.0] * 20)
    with np.errstate(divide="ignore"):
        log_weights = np.log(rng.dirichlet(np.full(4, 0.3), len(powers)))
    log_weights[::5, 0] -= 590.0  # of whom next to nothing is left
    weights = np.exp(log_weights)
    weights /= weights.sum(axis=1, keepdims=True)
    found = log_means(logs, np.log(weights), powers)
    for b, p in enumerate(powers.tolist()):
        # At a power next to 0 a mean of logarithms serves, which is off by p times their variance.
        slack = ROUNDING if abs(p) > 1e-4 else 1e-4
        expected = log_mean_of_logs(logs, weights[b], p, False).value
        assert found[b] == pytest.approx(expected, abs=slack), p


@pytest.mark.parametrize("p", [-1e5, -300.0, -3.0, -0.3, 0.3, 1.0, 8.0, 300.0, 1e5])
def test_known_ends_change_no_mean_and_no_derivative(p):
    rng = np.random.default_rng(int(abs(p)))
    for scale in (0.01, 1.0, 100.0):
        logs = scale * rng.normal(size=(5, 12))
        for idle in (0, 2):
            weights = rng.dirichlet(np.full(5, 0.3))
            weights[:idle] = 0.0
            weights[0] = 1e-280 if idle else weights[0]
            weights /= weights.sum()
            found = log_mean_of_logs(logs, weights, p, False, Ends.of(logs))
            expected = log_mean_of_logs(logs, weights, p, False)
            assert found.value == pytest.approx(expected.value, rel=1e-13, abs=1e-13)
            assert found.by_weight == pytest.approx(expected.by_weight, rel=1e-10, abs=1e-12)
            assert found.by_power == pytest.approx(expected.by_power, rel=1e-9, abs=1e-14)
