"""Power means of many rules at once, against those of single rules."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist.families.power_mean.derivatives import log_mean_of_logs
from welfarist.families.power_mean.many_means import close_log_means

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
