"""Intervals from borrowed curvature against those from curvature of their own."""

from __future__ import annotations

import pytest

import welfarist as wf
from benchmarks import problems
from welfarist.inference.power_set import power_set
from welfarist.inference.profile import PowerCurve
from welfarist.inference.quick_profile import QuickPowerCurve, power_curve
from welfarist.inference.reference import allowed_deviance

# Both stop within this of where the deviance is what is allowed, in p.
CLOSE = 1e-6
STRIDE = 0.05


@pytest.fixture(scope="module")
def likelihood():
    problem = problems.comparisons(4, 6000, 4, 60_000)
    return wf.ComparisonClassifier().fit(problem.comparisons()).result_.likelihood


def test_both_find_the_same_interval(likelihood):
    allowed = allowed_deviance(likelihood, 0.95)
    quick = power_curve(likelihood, STRIDE)
    assert isinstance(quick, QuickPowerCurve)
    ((low, high),) = power_set(likelihood, quick, allowed)
    ((slow_low, slow_high),) = power_set(likelihood, PowerCurve(likelihood, STRIDE), allowed)
    assert low == pytest.approx(slow_low, abs=CLOSE)
    assert high == pytest.approx(slow_high, abs=CLOSE)


def test_far_from_the_estimate_the_deviance_is_that_of_a_fit(likelihood):
    quick, slow = QuickPowerCurve(likelihood, STRIDE), PowerCurve(likelihood, STRIDE)
    place = quick.centre + 1.5
    assert quick.at(place) == pytest.approx(slow.at(place), rel=1e-6)


def test_limits_far_from_the_decisions_are_not_allowed(likelihood):
    quick = QuickPowerCurve(likelihood, STRIDE)
    for sign in (-1.0, 1.0):
        assert not quick.allows_limit(sign, thoroughly=False, allowed=4.0)
        assert quick.at_limit(sign, thoroughly=False) > 4.0


def test_few_decisions_have_curvature_of_their_own():
    problem = problems.comparisons(4, 200, 3)
    few = wf.ComparisonClassifier().fit(problem.comparisons()).result_.likelihood
    assert type(power_curve(few, STRIDE)) is PowerCurve
