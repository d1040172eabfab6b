"""Intervals where that of p is infinite, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

import welfarist as wf
from tests.inference.brute_profiles import Brute

pytestmark = pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")

ALLOWED = float(chi2.ppf(0.95, 1))
# Deviance by which brute force, which stops at a hundred-thousandth of the loss, may be off.
ROUGH = 0.03
# As close to 0 and 1 as profiles look.
NEARLY = 1e-6


def far_decisions(seed):
    """8 actions, 400 comparisons by 3 people, whose rule is close to the egalitarian one."""
    rng = np.random.default_rng([seed, 31])
    utilities, weights = rng.uniform(1, 10, (8, 3)), rng.dirichlet(np.full(3, 2.0))
    first = rng.integers(0, 8, 400)
    second = (first + rng.integers(1, 8, 400)) % 8
    welfare = wf.log_power_mean(utilities, -8.0, weights)
    chance = 1 / (1 + np.exp(-10.0 * (welfare[first] - welfare[second])))
    outcomes = np.where(rng.random(400) < chance, 1, -1)
    return utilities, np.column_stack([first, second]), outcomes


class Audit:
    """A fit, and the deviance of other rules by brute force."""

    def __init__(self, seed):
        data = far_decisions(seed)
        self.brute = Brute(*data)
        self.result = wf.ComparisonClassifier(random_state=0).fit(wf.Comparisons(*data)).result_

    def deviance(self, loss):
        return 2 * 400 * (loss - self.result.loss)

    def is_end(self, loss):
        return self.deviance(loss) == pytest.approx(ALLOWED, abs=ROUGH)

    def is_allowed(self, loss):
        return self.deviance(loss) <= ALLOWED + ROUGH


@pytest.fixture(scope="module", params=[14, 29])
def audit(request):
    """Data sets on which profiles that followed one branch ended too early."""
    return Audit(request.param)


def test_no_weight_beyond_an_interval_is_allowed(audit):
    brute = audit.brute
    for j, (low, high) in enumerate(audit.result.interval("weights")):
        if low > NEARLY:
            assert audit.is_end(brute.weight(j, low))
            assert not audit.is_allowed(brute.weight(j, low / 10))
        else:
            assert audit.is_allowed(brute.weight(j, NEARLY))
        if high < 1 - NEARLY:
            assert audit.is_end(brute.weight(j, high))
            assert not audit.is_allowed(brute.weight(j, 0.2 * high + 0.8))
        else:
            assert audit.is_allowed(brute.weight(j, 1 - NEARLY))


def test_powers_end_where_brute_force_says(audit):
    low, high = audit.result.interval("p")
    assert low == -np.inf
    assert audit.is_allowed(min(audit.brute.at_infinity(), audit.brute.power(-300.0)))
    assert audit.is_end(audit.brute.power(high))


def test_temperatures_end_where_brute_force_says(audit):
    for end in audit.result.interval("tau"):
        assert audit.is_end(audit.brute.temperature(end))
