"""160 dictators with 39 choices each: log likelihoods that two other programs reached."""

from __future__ import annotations

import numpy as np
import pytest

from tests.deciders.panels import dictators, needs_data, normal_of, panel_of, types_of
from welfarist.deciders.integrating import NODES

pytestmark = needs_data

# What two programs for the same mixtures agreed on, and the digits with which that was noted.
THREE_TYPES, SIX_TYPES, NOTED = -1425.549, -1347.762, 0.001
# A normal population on a truncated lattice; ours is not truncated.
NORMAL, TRUNCATED = -1367.98, 0.5
# Shares, p, weights of the other and tau of three types, with the digits of the note.
SHARES, POWERS = (0.435, 0.361, 0.204), (0.16, 0.59, -2.2)
OTHERS, TAUS = (0.298, 0.062, 0.002), (11.5, 34.4, 4.5)


@pytest.fixture(scope="module")
def panel():
    return panel_of(dictators())


def test_three_types_are_found_from_most_starts(panel):
    found = types_of(panel, 3, n_starts=30)
    assert found.log_likelihood == pytest.approx(THREE_TYPES, abs=NOTED)
    assert found.agreeing >= 15
    assert found.converged
    mixture = found.mixture
    assert mixture.shares == pytest.approx(SHARES, abs=0.0006)
    assert [point.p for point in mixture.points] == pytest.approx(POWERS, abs=0.06)
    weights = [mixture.rule_weights(k)[1] for k in range(3)]
    assert weights == pytest.approx(OTHERS, abs=0.0006)
    assert [np.exp(point.extras[0]) for point in mixture.points] == pytest.approx(TAUS, abs=0.06)


def test_six_types(panel):
    found = types_of(panel, 6, n_starts=9)
    assert found.log_likelihood == pytest.approx(SIX_TYPES, abs=NOTED)


def test_normal_population(panel):
    found = normal_of(panel, count=NODES)
    assert found.log_likelihood == pytest.approx(NORMAL, abs=TRUNCATED)
    assert found.converged
    assert found.error < TRUNCATED * 2
