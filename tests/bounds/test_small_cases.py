"""The theory checked exactly on small cases: sign changes, and comparisons that are shattered."""

import mpmath as mp
import numpy as np
import pytest

from welfarist import WelfareFunction, bounds
from welfarist.base.errors import InputError

# Vectors whose sums of powers 1 to d - 1 agree (ideal solutions of the Prouhet-Tarry-Escott
# problem): the roots of two polynomials that differ by a constant.
EQUAL_SUMS = {
    4: ((1, 5, 8, 12), (2, 3, 10, 11)),
    5: ((1, 5, 9, 17, 18), (2, 3, 11, 15, 19)),
    6: ((1, 6, 7, 17, 18, 23), (2, 3, 11, 13, 21, 22)),
}


def sign_at(u, v, p, weights=None):
    """Which action is better, in 40-digit arithmetic."""
    shares = np.ones(len(u)) if weights is None else weights
    with mp.workdps(40):
        power = mp.mpf(p)

        def mean(x):
            pairs = [(mp.mpf(a), mp.mpf(b)) for a, b in zip(shares, x, strict=True)]
            if power == 0:
                return mp.fsum(w * mp.log(a) for w, a in pairs)
            return mp.sign(power) * mp.fsum(w * a**power for w, a in pairs)

        return int(mp.sign(mean(u) - mean(v)))


# --- sign changes


@pytest.mark.parametrize("people", [2, 3, 5, 9])
@pytest.mark.parametrize("spread", [0.05, 1.0, 4.0])
def test_random_comparisons_change_sign_no_more_often_than_the_theory_says(people, spread):
    rng = np.random.default_rng(people)
    u, v = np.exp(spread * rng.normal(size=(2, 300, people)))
    equal = bounds.count_sign_changes(u, v)
    assert (equal.count <= equal.most).all()
    assert (equal.most <= bounds.most_sign_changes(people, "equal")).all()
    for weights in rng.dirichlet(np.ones(people), size=3):
        found = bounds.count_sign_changes(u, v, weights)
        assert (found.count <= found.most).all()
        # 2 d - 1 as printed; taking p = 0 off for all weights leaves 2 d - 2.
        assert (found.most <= bounds.most_sign_changes(people, "any") - 1).all()
    assert equal.certain.all()


@pytest.mark.parametrize("people", EQUAL_SUMS)
def test_polynomials_that_differ_by_a_constant_reach_the_bound(people):
    found = bounds.count_sign_changes(*EQUAL_SUMS[people])
    assert found.count[0] == bounds.most_sign_changes(people, "equal") == people - 1
    assert found.certain[0]


def test_unequal_weights_allow_more_changes_than_equal_ones():
    # The cumulative weights 1, -1, 1, 0 change sign 2 d - 2 = 2 times; equal ones at most once.
    u, v, weights = [1.6, 4.0], [3.0, 1.5], [2.0, 1.0]
    signs = [sign_at(u, v, p, weights) for p in (-20, 0, 20)]
    assert signs == [1, -1, 1]
    assert bounds.count_sign_changes(u, v, weights).count.tolist() == [2]
    assert bounds.count_sign_changes(u, v).count.tolist() == [0]


def test_shared_entries_drop_out():
    u, v = EQUAL_SUMS[4]
    found = bounds.count_sign_changes([*u, 3, 40], [*v, 40, 3])
    assert (found.count[0], found.most[0]) == (3, 3)


@pytest.mark.parametrize(
    "powers",
    [
        [0.0],
        [1.0],
        [-2.5, 4.0],
        [-1.0, 0.0, 1.0],
        [1, 2, 3, 4, 5],
        [-6.0, -1.0, 0.5, 0.7, 3.0, 9.0],
    ],
)
def test_pairs_cross_where_they_are_told_to(powers):
    u, v = bounds.pair_crossing_at(powers)
    assert len(u) == len(v) == len(powers) + 1
    found = bounds.count_sign_changes(u, v)
    assert found.count[0] == found.most[0] == len(powers)
    near = 1e-6  # crossings of vectors in double precision are off by less
    for k, p in enumerate(sorted(powers)):
        assert sign_at(u, v, p - near) == (-1) ** k
        assert sign_at(u, v, p + near) == -((-1) ** k)


@pytest.mark.parametrize("powers", [[], [1.0, 1.0], [np.inf], [[1.0], [2.0]], [1.0, 1.0 + 1e-13]])
def test_pairs_that_cannot_be_built_are_refused(powers):
    with pytest.raises(InputError, match="powers must be"):
        bounds.pair_crossing_at(powers)


def test_wrong_tables_are_refused():
    for first, second in (([1, 2], [1, 2, 3]), ([0, 1], [1, 2]), ([], []), ([1, np.nan], [1, 2])):
        with pytest.raises(InputError, match="first"):
            bounds.count_sign_changes(first, second)
    with pytest.raises(InputError, match="one entry per person"):
        bounds.count_sign_changes([1, 2], [2, 1], [1, 2, 3])
    with pytest.raises(InputError, match='"equal" or "any"'):
        bounds.most_sign_changes(3, "known")


# --- shattering


@pytest.mark.parametrize("people", [2, 3, 4, 5, 8, 9, 16, 17])
def test_every_labeling_is_reached_by_some_power(people):
    found = bounds.shattered_comparisons(people)
    comparisons = {2: 1, 3: 2, 4: 3, 5: 4, 8: 4, 9: 5, 16: 5, 17: 6}[people]
    assert found.first.shape == found.second.shape == (comparisons, people)
    assert comparisons >= bounds.vc_dimension_lower(people, "known")
    assert len(np.unique(found.labelings, axis=0)) == 2**comparisons
    assert (found.weights == 1 / people).all()
    for p, labels in zip(found.powers, found.labelings, strict=True):
        np.testing.assert_array_equal(WelfareFunction(p).compare(found.first, found.second), labels)
        exact = [sign_at(u, v, p) for u, v in zip(found.first, found.second, strict=True)]
        np.testing.assert_array_equal(exact, labels)


@pytest.mark.parametrize("people", [3, 4, 5, 8, 16])
def test_signs_follow_a_gray_code_within_the_crossings_there_are(people):
    found = bounds.shattered_comparisons(people)
    assert (np.diff(found.powers) > 0).all()
    changes = np.diff(found.labelings, axis=0) != 0
    assert (changes.sum(axis=1) == 1).all()
    counted = bounds.count_sign_changes(found.first, found.second)
    assert counted.certain.all()
    np.testing.assert_array_equal(counted.count, changes.sum(axis=0))
    assert counted.count.max() <= people - 1


def test_below_four_people_there_is_no_room_for_log2_d_plus_1_comparisons():
    # m comparisons with d - 1 changes each have at most m (d - 1) + 1 labelings.
    for people, more in ((2, 2), (3, 3)):
        most = bounds.most_sign_changes(people, "equal")
        assert more * most + 1 < 2**more
        assert bounds.vc_dimension_lower(people, "known") == more - 1
    rng = np.random.default_rng(0)
    powers = np.linspace(-20, 20, 41)
    for _ in range(10):
        u, v = np.exp(rng.normal(size=(2, 2, 2)))
        labelings = {tuple(WelfareFunction(p).compare(u, v)) for p in powers}
        assert len({labels for labels in labelings if 0 not in labels}) <= 3


@pytest.mark.parametrize("people", [2, 3, 6, 9])
def test_unknown_weights_shatter_d_minus_1_comparisons(people):
    found = bounds.shattered_comparisons(people, "unknown")
    assert len(found.first) == bounds.vc_dimension_lower(people, "unknown")
    assert len(np.unique(found.labelings, axis=0)) == 2 ** (people - 1)
    for p, weights, labels in zip(found.powers, found.weights, found.labelings, strict=True):
        rule = WelfareFunction(p, weights)
        np.testing.assert_array_equal(rule.compare(found.first, found.second), labels)


@pytest.mark.parametrize(("people", "weights"), [(1, "known"), (33, "known"), (18, "unknown")])
def test_too_few_or_too_many_people_are_refused(people, weights):
    with pytest.raises(InputError, match="d must be between 2 and"):
        bounds.shattered_comparisons(people, weights)
