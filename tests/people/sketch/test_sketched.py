"""What fits see of sketches: values and derivatives, against tables and differences."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist import Sketch, log_power_mean
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.people.sketch.evaluation import group_means
from welfarist.people.weighting import Weighting

RNG = np.random.default_rng(4)
GROUP = RNG.integers(0, 3, 900)
UTILITIES = np.exp(RNG.normal(8, 0.8, (900, 5))) * np.exp(RNG.normal(0, 0.5, (3, 5)))[GROUP]
SKETCH = Sketch.of(UTILITIES, GROUP)
WEIGHTS = np.array([0.2, 0.5, 0.3])
POWERS = (-80.0, -26.0, -24.0, -3.0, -0.26, -0.2, -1e-4, 0.0, 1e-8, 0.24, 0.26, 1.0, 5.0, 90.0)
# The points of an octave follow powers to this much of log M, the nodes of bins at |p| <= 100.
POINTS, NODES = 1e-10, 1e-6
# Central differences of a function of size 1 with steps h = 1e-4: h^2, and rounding over h.
BY_DIFFERENCES = 3e-7
# Differences of first derivatives, which are known to 1e-12.
TWICE_BY_DIFFERENCES = 3e-6
PULL = RNG.normal(size=5)


def seen(sketch=SKETCH):
    return sketch.seen_by(POWER_MEAN, Weighting(3))


@pytest.mark.parametrize("p", POWERS)
def test_group_means_are_those_of_their_people(p):
    found = group_means(SKETCH._pairs, p).value.reshape(5, 3) + SKETCH._pairs.shift
    for action in range(5):
        for group in range(3):
            expected = log_power_mean(UTILITIES[group == GROUP, action], p)
            within = POINTS if abs(p) <= 25 else NODES
            assert found[action, group] == pytest.approx(expected, abs=within)


@pytest.mark.parametrize("p", POWERS)
def test_first_derivatives_are_differences(p):
    people, step = seen(), 1e-4 * max(1.0, abs(p) / 10)
    here = people.log_mean(WEIGHTS, p)
    up, down = (people.log_mean(WEIGHTS, p + move).value for move in (step, -step))
    assert here.by_power == pytest.approx((up - down) / (2 * step), abs=BY_DIFFERENCES)
    move = np.array([1.0, -2.0, 1.0]) * 1e-4
    up, down = (people.log_mean(WEIGHTS + s * move, p).value for s in (1, -1))
    assert move @ here.by_weight == pytest.approx((up - down) / 2, abs=BY_DIFFERENCES * 1e-3)


@pytest.mark.parametrize("p", [-30.0, -3.0, -0.3, -0.1, 0.0, 1e-8, 0.2, 1.0, 6.0])
def test_second_derivatives_are_differences(p):
    people, step = seen(), 1e-4
    here = people.log_mean(WEIGHTS, p)
    cross, twice = people.log_mean_bending(WEIGHTS, p, here, PULL)
    up, down = (people.log_mean(WEIGHTS, p + move) for move in (step, -step))
    expected = (up.by_power - down.by_power) @ PULL / (2 * step)
    assert twice == pytest.approx(expected, abs=TWICE_BY_DIFFERENCES)
    by_weight = (up.by_weight - down.by_weight) @ PULL / (2 * step)
    move = np.array([1.0, -2.0, 1.0])  # derivatives by weight are up to a constant
    assert move @ cross == pytest.approx(move @ by_weight, abs=TWICE_BY_DIFFERENCES)


def test_extremes_are_exact():
    people = seen()
    for p, end in ((np.inf, UTILITIES.max(axis=0)), (-np.inf, UTILITIES.min(axis=0))):
        found = people.log_mean(WEIGHTS, p)
        assert found.value + people.shift == pytest.approx(np.log(end), abs=1e-14)
        assert not found.by_power.any()


def test_some_with_nothing_and_some_actions_with_nothing():
    utilities = UTILITIES.copy()
    utilities[::9, 0] = 0
    utilities[GROUP == 1, 1] = 0
    utilities[:, 2] = 0
    people = seen(Sketch.of(utilities, GROUP))
    assert people.has_zeros
    each = np.array([WEIGHTS[g] / (g == GROUP).sum() for g in GROUP])
    for p in (1e-2, 0.2, 1.0, 4.0):
        found = people.log_mean(WEIGHTS, p)
        expected = log_power_mean(utilities.T, p, each)
        assert np.isneginf(found.value[2])
        assert found.value[[0, 1, 3, 4]] + people.shift == pytest.approx(
            expected[[0, 1, 3, 4]], rel=1e-11, abs=POINTS
        )
        step = 1e-5 * p
        up, down = (people.log_mean(WEIGHTS, p + s * step).value for s in (1, -1))
        kept = [0, 1, 3, 4]
        by_power = (up[kept] - down[kept]) / (2 * step)
        assert found.by_power[kept] == pytest.approx(by_power, rel=1e-6, abs=1e-7)


def test_groups_that_do_not_count_restrict_nothing():
    utilities = UTILITIES.copy()
    utilities[GROUP == 2] = 0
    sketch = Sketch.of(utilities, GROUP)
    known = Weighting(3, fixed=np.array([0.5, 0.5, 0.0]))
    people = sketch.seen_by(POWER_MEAN, known)
    assert not people.has_zeros
    assert np.isfinite(people.log_mean(known.fixed, -2.0).value).all()


def test_some_actions_are_those_actions():
    people = seen()
    some = people.take(np.array([3, 0, 3]))
    whole = people.log_mean(WEIGHTS, -1.5)
    part = some.log_mean(WEIGHTS, -1.5)
    assert part.value.tolist() == whole.value[[3, 0, 3]].tolist()
    assert SKETCH[[3, 0]].log_mean(40.0).tolist() == SKETCH.log_mean(40.0)[[3, 0]].tolist()
    assert SKETCH[[3, 0]].actions == ("3", "0")


def test_far_powers_of_far_utilities_are_numbers():
    utilities = np.array([[1e-300, 1e300]] * 200 + [[1e-290, 1e290]] * 200)
    sketch = Sketch.of(utilities)
    people = sketch.seen_by(POWER_MEAN, Weighting(1))
    for p in (-100.0, -20.0, -0.2, 0.0, 0.2, 20.0, 100.0):
        found = people.log_mean(np.ones(1), p)
        expected = log_power_mean(utilities.T, p)
        assert found.value + people.shift == pytest.approx(expected, rel=1e-8)
        assert np.isfinite(found.by_power).all()
