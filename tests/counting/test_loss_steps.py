"""The loss against the power: every step, the exact minimum, all optimal intervals."""

import numpy as np
import pytest

from welfarist import Comparisons, WelfareFunction
from welfarist.counting.crossings import find_crossings
from welfarist.counting.loss_steps import PowerInterval, compact, expanded, loss_steps
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.people.weighting import Weighting


def world(seed):
    """A known-weights problem of any size, with flips, counts and ties."""
    rng = np.random.default_rng(seed)
    people, actions = int(rng.integers(2, 20)), int(rng.integers(5, 60))
    comparisons = int(rng.integers(3, 250))
    utilities = np.exp(rng.normal(size=(actions, people)) * rng.choice([0.3, 1.0, 2.0]))
    if seed % 3 == 0:
        utilities = rng.integers(1, 6, (actions, people)).astype(float)
    if seed % 11 == 0:
        utilities[rng.random(utilities.shape) < 0.05] = 0.0
    weights = rng.dirichlet(np.ones(people)) if seed % 2 else np.full(people, 1 / people)
    pairs = rng.permuted(np.tile(np.arange(actions), (comparisons, 1)), axis=1)[:, :2]
    truth = WelfareFunction(float(rng.normal(scale=2.0)) if seed % 11 else 0.7, weights)
    outcomes = truth.compare(utilities[pairs[:, 0]], utilities[pairs[:, 1]])
    outcomes = np.where(rng.random(comparisons) < 0.15, -outcomes, outcomes)
    outcomes[:2] = 1, -1
    counts = rng.integers(1, 4, comparisons) if seed % 5 == 0 else None
    data = Comparisons(utilities, pairs, outcomes, counts)
    loss = ZeroOneLoss.of(data.utilities, data.merged, Weighting(people, fixed=weights))
    return loss, weights


def steps_of(loss, weights):
    pairs = loss.pairs
    found = find_crossings(loss.utilities.logs, weights, pairs.first, pairs.second)
    return loss_steps(found, pairs)


@pytest.mark.parametrize("seed", range(60))
def test_no_scan_finds_a_lower_loss_or_a_higher_one_in_an_optimal_interval(seed):
    loss, weights = world(seed)
    steps = steps_of(loss, weights)
    scan = np.linspace(-60, 60, 4001)
    scan = np.append(scan[scan > 0] if loss.utilities.has_zeros else scan, np.inf)
    values = np.array([loss.value(weights, p) for p in scan])
    assert steps.minimum <= values.min() + 1e-12
    near = np.abs(scan[:, None] - steps.powers).min(axis=1, initial=np.inf) < 1e-7
    np.testing.assert_allclose(steps(scan)[~near], values[~near], atol=1e-12)
    for interval in steps.optimal:
        inside = np.array([p in interval for p in scan]) & ~near
        assert (values[inside] <= steps.minimum + 1e-12).all()
    middle = steps.widest.middle
    assert middle in steps.widest
    assert loss.value(weights, middle) == pytest.approx(steps.minimum, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_the_loss_at_the_steps_themselves(seed):
    loss, weights = world(6 * seed)  # whole utilities
    steps = steps_of(loss, weights)
    # Other powers than whole ones are off by their rounding, and then nothing ties.
    for p in steps.powers[steps.powers == np.rint(steps.powers)]:
        assert steps(p) == pytest.approx(loss.value(weights, p), abs=1e-12)
    if steps.at_lowest is not None:
        assert steps(-np.inf) == pytest.approx(loss.value(weights, -np.inf), abs=1e-12)


def test_a_wrong_comparison_is_best_at_the_power_where_it_ties():
    # The first pair says p < 1 and the second p > 1; at p = 1 both tie, which is as good.
    utilities = np.array([[1.0, 5.0], [3.0, 3.0], [2.0, 8.0], [5.0, 5.0]])
    data = Comparisons(utilities, [[1, 0], [2, 3]], [1, 1])
    loss = ZeroOneLoss.of(utilities, data.merged, Weighting(2, fixed=np.array([0.5, 0.5])))
    steps = steps_of(loss, np.array([0.5, 0.5]))
    assert steps.minimum == 0.5
    assert [str(i) for i in steps.optimal] == ["[-inf, inf]"]
    assert steps.widest.middle == 1.0


def test_a_single_power_can_be_the_only_optimum():
    # Between its two crossings the first pair is right; the others are right outside of them.
    u, v = [1.0, 5.0, 5.0], [2.0, 2.0, 6.0]
    data = Comparisons.from_arrays([u, [1.0, 9.0, 2.0]], [v, [4.0, 4.0, 4.0]], [1, 1])
    weights = np.full(3, 1 / 3)
    steps = steps_of(
        ZeroOneLoss.of(data.utilities, data.merged, Weighting(3, fixed=weights)), weights
    )
    assert steps.minimum == 0.0
    (interval,) = steps.optimal
    assert (interval.closed_low, interval.closed_high) == (False, False)
    # (1, 9, 2) and (4, 4, 4) have equal sums.
    assert interval.low == 1.0
    assert interval.high == pytest.approx(3.604919821, abs=1e-8)


def test_intervals_at_the_limits():
    # The worst-off are equal, so that p = -inf ties and loses half; every finite p is right.
    data = Comparisons([[1.0, 5.0], [1.0, 2.0]], [[0, 1]], [1])
    weights = np.array([0.5, 0.5])
    steps = steps_of(
        ZeroOneLoss.of(data.utilities, data.merged, Weighting(2, fixed=weights)), weights
    )
    assert [str(i) for i in steps.optimal] == ["(-inf, inf]"]
    assert (steps.at_lowest, steps.at_infinity) == (0.5, 0.0)


def test_contradictions_and_duplicates_are_merged_before_the_walk():
    utilities = np.array([[1.0, 5.0], [3.0, 3.0]])
    data = Comparisons(utilities, [[0, 1]] * 4, [1, 1, 1, -1])
    loss = ZeroOneLoss.of(utilities, data.merged, Weighting(2, fixed=np.array([0.5, 0.5])))
    steps = steps_of(loss, np.array([0.5, 0.5]))
    assert len(steps.powers) == 1
    assert steps.minimum == loss.unavoidable == 0.25
    assert [str(i) for i in steps.optimal] == ["(1, inf]"]


def test_the_line_can_be_folded_into_an_interval():
    p = np.array([-np.inf, -3.0, 0.0, 1e-9, 2.5, np.inf])
    np.testing.assert_allclose(expanded(compact(p)), p, rtol=1e-12)
    assert PowerInterval(-np.inf, np.inf, True, True).width == 2.0
    assert PowerInterval(2.0, 2.0, True, True).middle == 2.0
    assert str(PowerInterval(-np.inf, -np.inf, True, True)) == "{-inf}"


@pytest.mark.parametrize("seed", range(40))
def test_ratings_are_proven_though_many_crossings_coincide(seed):
    rng = np.random.default_rng(seed)
    utilities = rng.integers(1, 6, (8, 4)).astype(float)
    first = rng.integers(0, 8, 12)
    pairs = np.column_stack([first, (first + rng.integers(1, 8, 12)) % 8])
    data = Comparisons(utilities, pairs, np.where(np.arange(12) % 3, 1, -1))
    weights = np.full(4, 0.25)
    loss = ZeroOneLoss.of(utilities, data.merged, Weighting(4, fixed=weights))
    steps = steps_of(loss, weights)
    assert steps.proven == pytest.approx(steps.minimum, abs=1e-12)
    for p in (-np.inf, -7.3, -1.0, -0.2, 0.0, 0.4, 1.0, 2.0, 5.5, np.inf):
        assert steps(p) == pytest.approx(loss.value(weights, p), abs=1e-12)
