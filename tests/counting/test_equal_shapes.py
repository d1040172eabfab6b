"""At which shapes two actions are equally good, against a root finder."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import welfarist as wf

# A root finder and the proof agree as closely as that.
SAME = 1e-9
ONE, OTHER = [65.0, 68.0, 70.0, 72.0, 81.0], [70.0, 68.0, 70.0, 72.0, 77.0]


def test_two_health_distributions_are_equally_good_at_one_power_and_one_aversion():
    def apart(p):
        rule = wf.WelfareFunction(p)
        return rule(ONE) - rule(OTHER)

    def apart_in_gaps(alpha):
        rule = wf.families.KolmPollak(alpha, np.ones(5))
        return rule(ONE) - rule(OTHER)

    powers, alphas = wf.equally_good(ONE, OTHER), wf.equally_good(ONE, OTHER, family="kolm")
    assert len(powers) == len(alphas) == 1
    assert powers[0] == pytest.approx(brentq(apart, 1.0, 4.0, xtol=1e-14), rel=SAME)
    root = brentq(apart_in_gaps, -0.1, -0.001, xtol=1e-16)
    assert alphas[0] == pytest.approx(root, rel=SAME)
    moved = [np.array(u) - 70.0 for u in (ONE, OTHER)]
    assert wf.equally_good(*moved, family="kolm") == pytest.approx(alphas, rel=SAME)


def test_a_zero_moves_the_power_and_the_margin_does_not():
    needs = wf.families.NeedsFamily(50.0)

    def apart(p):
        rule = needs.rule(p, np.ones(5))
        return rule(ONE) - rule(OTHER)

    found = wf.equally_good(ONE, OTHER, family=needs)
    assert len(found) == 1
    assert found[0] == pytest.approx(brentq(apart, -5.0, 5.0, xtol=1e-14), rel=SAME)
    moved = [np.array(u) - 50.0 for u in (ONE, OTHER)]
    assert wf.equally_good(*moved) == pytest.approx(found, rel=SAME)
    on_differences = wf.families.OnDifferences(wf.families.POWER_MEAN)
    assert wf.equally_good(ONE, OTHER, family=on_differences) == wf.equally_good(ONE, OTHER)


@pytest.mark.parametrize("family", ["additive", wf.families.NestedFamily([0, 0, 1, 1, 1], 2.0)])
def test_families_with_other_numbers_are_refused(family):
    with pytest.raises(wf.InputError, match="equally good are known of"):
        wf.equally_good(ONE, OTHER, family=family)


def test_places_and_ties_and_what_is_refused():
    falling = [5, 4, 3, 2, 1]
    found = wf.equally_good(ONE, OTHER, falling, family="rank")
    for p in found:
        rule = wf.families.RankDependent(falling, p)
        assert rule.value(ONE) == pytest.approx(rule.value(OTHER), abs=1e-12)
    assert len(wf.equally_good([1, 2], [3, 4])) == len(wf.equally_good([1, 2], [1, 2])) == 0
    with pytest.raises(wf.InputError, match="one number per person"):
        wf.equally_good(ONE, OTHER, [1, 2])
