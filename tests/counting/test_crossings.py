"""Where two welfares cross: every power is found, to the digits that rounding leaves."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from welfarist import log_power_mean
from welfarist.counting.crossings import find_crossings
from welfarist.counting.crossings.terms import signed_terms

KERNELS = ("numpy", "compiled")
# Two vectors with equal sums of powers 1 to d - 1 (ideal solutions of the Prouhet-Tarry-Escott
# problem; verified below): their power means cross at p = 1, …, d - 1.
EQUAL_SUMS = {
    4: ((0, 4, 7, 11), (1, 2, 9, 10)),
    5: ((0, 4, 8, 16, 17), (1, 2, 10, 14, 18)),
    6: ((0, 5, 6, 16, 17, 22), (1, 2, 10, 12, 20, 21)),
    7: ((0, 18, 27, 58, 64, 89, 101), (1, 13, 38, 44, 75, 84, 102)),
    8: ((0, 4, 9, 23, 27, 41, 46, 50), (1, 2, 11, 20, 30, 39, 48, 49)),
}


def crossings_of(u, v, weights=None, kernel="numpy"):
    people = len(u)
    weights = np.full(people, 1.0 / people) if weights is None else np.asarray(weights)
    with np.errstate(divide="ignore"):
        logs = np.log(np.column_stack([u, v]).astype(float))
    return find_crossings(logs, weights, np.array([0]), np.array([1]), kernel)


def exact_sign(u, v, weights, p):
    """Which action is better at p, in 60-digit arithmetic."""
    with mp.workdps(60):
        power = mp.mpf(p)

        def mean(x):
            pairs = [(mp.mpf(float(w)), mp.mpf(float(a))) for w, a in zip(weights, x, strict=True)]
            if power == 0:
                return mp.fsum(w * mp.log(a) for w, a in pairs)
            return mp.sign(power) * mp.fsum(w * a**power for w, a in pairs)

        return int(mp.sign(mean(u) - mean(v)))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("people", EQUAL_SUMS)
def test_vectors_with_equal_power_sums_cross_at_whole_powers(people, kernel):
    u, v = (np.array(side) + 1 for side in EQUAL_SUMS[people])
    for power in range(1, people):
        assert sum(int(x) ** power for x in u) == sum(int(x) ** power for x in v)
    found = crossings_of(u, v, kernel=kernel)
    assert len(found.power) == people - 1
    np.testing.assert_allclose(found.power, np.arange(1, people), atol=1e-8)
    if people <= 6:
        assert (found.radius < 1e-8).all()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("people", [4, 5, 6, 8, 10])
def test_roots_of_polynomials_that_differ_by_a_constant(people, kernel):
    # T_d(x) = 0.3 and T_d(x) = -0.3, on [1, 3]: Newton's identities make the power sums equal, so
    # that x^0.7 crosses at k / 0.7, which are no whole numbers to which a power could be rounded.
    angles = 2 * np.pi * np.arange(people) / people
    u, v = ((2 + np.cos(np.arccos(c) / people + angles)) ** 0.7 for c in (0.3, -0.3))
    found = crossings_of(u, v, kernel=kernel)
    truth = np.arange(1, people) / 0.7
    assert len(found.power) == people - 1
    # Beyond 6 people the crossings are so flat that rounding moves them further and further.
    tolerance = {4: 1e-8, 5: 1e-8, 6: 1e-8, 8: 1e-6, 10: 1e-4}[people]
    np.testing.assert_allclose(found.power, truth, atol=tolerance)
    assert (np.abs(found.power - truth) <= found.radius).all()
    assert (found.radius < tolerance).all()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", range(40))
def test_every_crossing_is_one_and_none_is_missing(seed, kernel):
    rng = np.random.default_rng(seed)
    people = int(rng.integers(2, 9))
    u, v = np.exp(rng.normal(size=(2, people)) * rng.choice([0.1, 1.0, 3.0]))
    weights = rng.dirichlet(np.ones(people)) if seed % 2 else np.full(people, 1 / people)
    found = crossings_of(u, v, weights, kernel)
    sign = int(found.beginning[0])
    for power, radius in zip(found.power, found.radius, strict=True):
        assert exact_sign(u, v, weights, power - 2 * radius) == sign
        sign = -sign
        assert exact_sign(u, v, weights, power + 2 * radius) == sign
    assert sign == found.ending[0]
    # A scan sees the same signs.
    scale = 1.0 / np.ptp(np.log([u, v]))
    for p in scale * np.concatenate([-np.geomspace(1e-3, 300, 60), np.geomspace(1e-3, 300, 60)]):
        turns = int((found.power < p).sum())
        if np.abs(found.power - p).min(initial=np.inf) > 1e-9 * abs(p):
            assert exact_sign(u, v, weights, p) == found.beginning[0] * (-1) ** turns


@pytest.mark.parametrize("kind", ["weights", "equal", "whole", "zeros", "large"])
def test_compiled_and_numpy_find_the_same(kind):
    rng = np.random.default_rng(7)
    people, actions, pairs = (50 if kind == "large" else 6), 60, 400
    utilities = rng.uniform(1, 1000, (people, actions))
    if kind in ("whole", "zeros"):
        utilities = rng.integers(kind == "whole", 6, (people, actions)).astype(float)
    weights = np.full(people, 1 / people) if kind == "equal" else rng.dirichlet(np.ones(people))
    weights[0] = 0.0 if kind == "weights" else weights[0]
    with np.errstate(divide="ignore"):
        logs = np.log(utilities)
    first = rng.integers(0, actions, pairs)
    second = (first + rng.integers(1, actions, pairs)) % actions
    one, other = (find_crossings(logs, weights, first, second, k) for k in KERNELS)
    assert one.lowest == (0.0 if kind == "zeros" else -np.inf)
    for name in ("at_lowest", "beginning", "ending", "at_infinity", "pair"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (np.abs(one.power - other.power) <= one.radius + other.radius).all()
    turned = np.where(np.bincount(one.pair, minlength=pairs) % 2, -1, 1)
    np.testing.assert_array_equal(one.beginning * turned, one.ending)


@pytest.mark.parametrize("kernel", KERNELS)
def test_special_powers_are_exact(kernel):
    at_nash = crossings_of([1, 4], [2, 2], kernel=kernel)
    assert at_nash.power.tolist() == [0.0]
    at_one = crossings_of([1, 5], [3, 3], kernel=kernel)
    assert at_one.power.tolist() == [1.0]
    at_minus_one = crossings_of([2, 6], [3, 3], kernel=kernel)
    assert at_minus_one.power.tolist() == [-1.0]
    # Equal geometric means and a second crossing: F has a double root at 0.
    both = crossings_of([1, 6, 6], [2, 2, 9], kernel=kernel)
    assert 0.0 in both.power
    assert len(both.power) == 2


@pytest.mark.parametrize("kernel", KERNELS)
def test_pairs_that_never_cross(kernel):
    permuted = crossings_of([1, 4, 9], [9, 1, 4], kernel=kernel)
    assert permuted.identical.all()
    assert len(permuted.power) == 0
    dominated = crossings_of([1, 2, 3], [1, 3, 4], kernel=kernel)
    assert (dominated.beginning[0], dominated.ending[0], len(dominated.power)) == (-1, -1, 0)
    # The best-off are equal, so that the limit ties though every finite power decides.
    same_top = crossings_of([1, 9], [2, 9], kernel=kernel)
    assert (same_top.ending[0], same_top.at_infinity[0], same_top.at_lowest[0]) == (-1, 0, -1)


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_that_are_equal_up_to_rounding_cancel(kernel):
    weights = [0.1 + 0.2, 0.3, 0.4]
    assert crossings_of([2, 5, 7], [5, 2, 7], weights, kernel).identical.all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_welfares_that_touch_end_the_search(kernel):
    # Between 17 and 18 in the fourth place two crossings merge and vanish; halving that range
    # comes as near to touching as doubles allow.
    v = [2, 3, 11, 13, 21, 22]

    def crossings(x):
        return crossings_of([1, 6, 7, x, 18, 23], v, kernel=kernel)

    low, high = 17.0, 18.0
    many = len(crossings(low).power)
    assert len(crossings(high).power) < many
    while np.nextafter(low, high) < high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if len(crossings(middle).power) == many else (low, middle)
    for x in (low, high):
        found = crossings(x)
        assert len(found.power) + 2 * len(found.undecided) >= many - 2
        assert found.beginning[0] * (-1) ** len(found.power) == found.ending[0]
        assert len(found.undecided) <= 2


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12), st.booleans())
def test_crossings_are_no_more_than_the_cumulative_masses_allow(seed, people, whole):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 8, (2, people)) if whole else np.exp(rng.normal(size=(2, people)))
    terms = signed_terms(*np.log(values.astype(float))[:, None, :], np.ones(people))
    found = crossings_of(*values)
    assert len(found.power) <= terms.changes[0] <= 2 * people - 1
    if not len(found.undecided):
        assert (terms.changes[0] - len(found.power)) % 2 == 0


def test_a_crossing_far_out_is_found():
    # The best-off differ by 1 in 10,000, which decides from p of about 10,000 log 2 on.
    found = crossings_of([1.0, 10.001], [10.0, 10.0])
    assert found.power == pytest.approx(np.log(2) / np.log(1.0001), rel=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_tiny_weight_decides_where_all_others_are_the_same(kernel):
    weights = np.array([0.5, 0.3, 1e-18, 0.2])
    found = crossings_of([1, 2, 4, 2], [1, 2, 1, 2], weights / weights.sum(), kernel)
    assert (found.beginning[0], found.ending[0], len(found.power)) == (1, 1, 0)
    shared = crossings_of([3, 1, 2, 4], [1, 3, 2, 5], [0.5, 0.5, 0.0, 1e-17], kernel)
    assert (shared.beginning[0], shared.ending[0]) == (-1, -1)


@pytest.mark.parametrize("kernel", KERNELS)
def test_welfares_that_only_touch_at_nash_do_not_cross_there(kernel):
    # Geometric means and variances of the logarithms are the same: (0, 4, 5) and (1, 2, 6).
    touching = crossings_of([1, 16, 32], [2, 4, 64], kernel=kernel)
    assert touching.beginning[0] == touching.ending[0] == -1
    assert touching.power.tolist() == [0.0]
    assert touching.turns.tolist() == [False]
    crossing = crossings_of([1, 4], [2, 2], kernel=kernel)
    assert crossing.turns.tolist() == [True]


@pytest.mark.parametrize("kernel", KERNELS)
def test_crossings_lead_from_one_end_to_the_other(kernel):
    rng = np.random.default_rng(12)
    logs = np.log(2.0 ** rng.integers(0, 6, (4, 200)))  # geometric means tie all the time
    first, second = rng.integers(0, 200, (2, 2500))
    keep = first != second
    found = find_crossings(logs, np.full(4, 0.25), first[keep], second[keep], kernel)
    turns = np.bincount(found.pair[found.turns], minlength=keep.sum())
    np.testing.assert_array_equal(found.beginning * np.where(turns % 2, -1, 1), found.ending)
    assert len(found.undecided) == 0


@pytest.mark.parametrize("kernel", KERNELS)
def test_equal_products_are_decided_above_zero_where_somebody_else_has_nothing(kernel):
    # 6 x 2 x 2 = 3 x 1 x 8: the two tie at p = 0, which the zero of another action excludes.
    logs = np.log(np.array([[6.0, 2.0, 2.0], [3.0, 1.0, 8.0], [4.0, 3.0, 2.0], [1.0, 1.0, 1e-9]]))
    logs[3, 2] = -np.inf
    one, other = np.array([0, 1, 0, 0]), np.array([1, 0, 2, 3])
    found = find_crossings(logs.T, np.ones(3) / 3, one, other, kernel)
    assert found.lowest == 0
    assert not len(found.undecided)
    for p in (1e-3, 0.3, 5.0):
        welfare = log_power_mean(np.exp(logs), p)
        signs = np.sign(welfare[one] - welfare[other])
        turned = np.array([((found.power < p) & (found.pair == i)).sum() for i in range(4)])
        assert (found.beginning * (-1.0) ** turned == signs).all()
