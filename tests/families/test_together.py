"""Power means of many rules with derivatives, against one rule at a time."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist.families.power_mean.derivatives import log_mean_of_logs
from welfarist.families.power_mean.together import can_be_together, log_means_together

# Formulas for other ranges differ in the last digits.
DIGITS = 1e-10


def test_rules_together_are_those_one_by_one():
    rng = np.random.default_rng(0)
    logs = rng.normal(size=(4, 30))
    powers = np.array([-3.0, -0.2, 0.0, 1e-9, 0.24, 1.0, 4.0])
    weights = rng.dirichlet(np.ones(4), len(powers))
    assert can_be_together(logs, powers)
    found = log_means_together(logs, weights, powers)
    for i, p in enumerate(powers):
        part = slice(30 * i, 30 * (i + 1))
        one = log_mean_of_logs(logs, weights[i], p)
        assert found.value[part] == pytest.approx(one.value, rel=DIGITS, abs=DIGITS)
        assert found.by_power[part] == pytest.approx(one.by_power, rel=DIGITS, abs=DIGITS)
        assert found.by_weight[:, part] == pytest.approx(one.by_weight, rel=DIGITS, abs=DIGITS)


def test_rules_far_out_are_not_covered():
    logs = np.array([[0.0, 7.0]])
    assert not can_be_together(logs, np.array([1.0, 30.0]))
    assert not can_be_together(np.array([[-np.inf, 7.0]]), np.array([1.0]))
