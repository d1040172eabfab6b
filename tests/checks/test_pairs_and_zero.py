"""Checks of what two people do together, and of where zero is; and the families they lead to."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from welfarist.checks.alternatives import terms_of
from welfarist.families import Choquet, KolmPollak, NeedsFamily, OnDifferences
from welfarist.families.power_mean.family import POWER_MEAN

RNG = np.random.default_rng(61)
TABLE = RNG.uniform(1.0, 10.0, (300, 4))
PAIRS = wf.simulate.random_pairs(300, 2500, random_state=61)
WEIGHTS = [0.4, 0.3, 0.2, 0.1]
# Central differences of first order.
SLOPE = 1e-6


def decided(value, tau):
    chance = 1.0 / (1.0 + np.exp(-tau * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]])))
    first = np.random.default_rng(6).random(len(PAIRS)) < chance
    return wf.Comparisons(TABLE, PAIRS, first)


def misfit(value, tau, **options):
    return wf.ComparisonClassifier(n_starts=3, **options).fit(decided(value, tau)).result_.misfit()


def test_two_who_complement_each_other_are_seen_and_named():
    together = np.zeros((4, 4))
    together[0, 1] = together[1, 0] = 0.7
    value = Choquet([0.35, 0.35, 0.2, 0.1], together)(TABLE)
    found = misfit(value, 3.0)
    assert found["pairs"].clear
    assert found["pairs"].degrees == 6
    assert "what somebody has counts by what another has" in found.verdict
    assert "2-additive Choquet integrals, in which people complement each other" in found.verdict


def test_another_zero_is_seen_with_its_side():
    higher = NeedsFamily(0.95).rule(0.0, WEIGHTS).value(TABLE)
    found = misfit(higher, 6.0)
    assert found["zero"].clear
    assert "as if zero were higher than it is" in found.verdict
    assert "Power means beyond needs describe them better" in found.verdict
    gaps = KolmPollak(0.5, WEIGHTS).value(TABLE)
    found = misfit(gaps, 3.0)
    assert found["zero"].p_value < 0.01
    assert "by differences rather than ratios" in found["zero"].finding
    assert found.family.family.name == "kolm"
    ratios = wf.WelfareFunction(-1.0, WEIGHTS).log(TABLE)
    found = misfit(ratios, 12.0, family="kolm")
    assert found["zero"].p_value < 0.01
    assert "as if the scale had a zero" in found["zero"].finding


def test_noise_on_differences_is_named():
    found = misfit(wf.WelfareFunction(-1.0, WEIGHTS)(TABLE), 3.0)
    assert found["level"].clear
    assert found.family.family == OnDifferences(POWER_MEAN)
    assert "noise on differences describe them better" in found.verdict
    assert misfit(wf.WelfareFunction(-1.0, WEIGHTS)(TABLE), 3.0, margin="difference").family is None


@pytest.mark.parametrize("margin", ["ratio", "difference"])
def test_the_row_of_zero_is_how_values_move_with_it(margin):
    value = wf.WelfareFunction(-0.5, WEIGHTS).log(TABLE)
    result = wf.ComparisonClassifier(margin=margin).fit(decided(value, 10.0)).result_
    terms = terms_of(result.likelihood)
    rule, h = result.nameless_welfare, 1e-5
    moved = (rule.value(TABLE + h) - rule.value(TABLE - h)) / (2 * h)
    row = terms.rows[terms.zero][0]
    near = np.abs(row) < 4.9  # none is far out there
    slope, start = np.polyfit(moved[near], row[near], 1)
    assert slope > 0
    assert row[near] == pytest.approx(start + slope * moved[near], abs=SLOPE)
