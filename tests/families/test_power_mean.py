"""The family against 60-digit arithmetic, its limits, its properties and its errors."""

from __future__ import annotations

import tracemalloc
import warnings

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import welfarist as wf
from tests.exact import log_mean, relative_error

SIZES = (1e-300, 1e-17, 1e-8, 1e-4, 0.01, 0.2499, 0.25, 0.5, 1, 3, 30, 300, 1e4, 1e8, np.inf)
POWERS = [0.0, *(sign * size for size in SIZES for sign in (1, -1))]

# Rounding of the logarithms of everyday numbers, a few units in the last place.
EVERYDAY = 1e-13
# log(1e300) = 690 costs 690 units in the last place of the exponent.
ANY_DOUBLE = 1e-12
# Properties hold exactly; each side is rounded in its own way.
ROUNDING = 1e-12


@pytest.mark.parametrize("people", [1, 2, 18, 1000])
@pytest.mark.parametrize(
    ("magnitude", "tolerance"), [(3, EVERYDAY), (300, ANY_DOUBLE)], ids=["everyday", "any double"]
)
@pytest.mark.parametrize("zeros", [False, True], ids=["all count", "some count"])
def test_agrees_with_sixty_digits(people, magnitude, tolerance, zeros):
    rng = np.random.default_rng([people, magnitude, zeros])
    utilities = 10 ** rng.uniform(-magnitude, magnitude, people)
    weights = rng.uniform(0, 1, people)
    if zeros:
        weights[rng.random(people) < 0.4] = 0.0
        weights[-1] = 0.5
    for p in POWERS:
        exact = log_mean(utilities, weights, p)
        assert relative_error(wf.power_mean(utilities, p, weights), exact) <= tolerance, p
        assert abs(wf.log_power_mean(utilities, p, weights) - float(exact)) <= tolerance, p


def test_large_tables_agree_with_single_actions():
    rng = np.random.default_rng(7)
    utilities = 10 ** rng.uniform(-3, 3, (9_000, 18))
    weights = rng.dirichlet(np.ones(18))
    some = rng.choice(len(utilities), 20, replace=False)
    for p in POWERS:
        welfare = wf.power_mean(utilities, p, weights)
        for i in some:
            one = wf.power_mean(utilities[i], p, weights)
            assert welfare[i] == pytest.approx(one, rel=EVERYDAY)
    exact = [log_mean(utilities[i], weights, -1.62) for i in some]
    welfare = wf.power_mean(utilities, -1.62, weights)
    assert max(map(relative_error, welfare[some], exact)) <= EVERYDAY


def test_tables_whose_blocks_span_the_doubles():
    rng = np.random.default_rng(8)
    utilities = 10 ** rng.uniform(-300, 300, (9_000, 18))
    for p in (-2.0, -0.1, 0.0, 0.1, 0.5):
        welfare = wf.power_mean(utilities, p)
        exact = [log_mean(utilities[i], np.ones(18), p) for i in range(5)]
        assert max(map(relative_error, welfare[:5], exact)) <= ANY_DOUBLE


def test_more_people_than_fit_a_block():
    rng = np.random.default_rng(9)
    utilities = rng.uniform(1, 10, 200_000)
    weights = rng.uniform(0, 1, 200_000)
    for p in (-np.inf, -3.0, -0.1, 0.0, 0.1, 1.0, 2.0, np.inf):
        halves = [
            wf.power_mean(utilities[part], p, weights[part])
            for part in (slice(0, 100_000), slice(100_000, None))
        ]
        shares = [weights[:100_000].sum(), weights[100_000:].sum()]
        whole = wf.power_mean(utilities, p, weights)
        assert whole == pytest.approx(wf.power_mean(halves, p, shares), rel=EVERYDAY)


def test_constant_vectors_and_averages_are_exact():
    for p in POWERS:
        assert wf.power_mean([3.0, 3.0, 3.0], p) == 3.0
        assert wf.power_mean([0.1], p) == 0.1
    assert wf.power_mean([1, 2, 3], 1) == 2.0
    assert wf.power_mean([1, 2, 3], -np.inf) == 1.0
    assert wf.power_mean([1, 2, 3], np.inf) == 3.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8])
def test_input_types_are_computed_in_double(dtype):
    values = np.array([[1, 2, 4], [3, 3, 7]], dtype=dtype)
    table = np.tile(values, (20_000, 1))  # large enough for the quick evaluation
    expected = wf.power_mean(values.astype(float), -1.5)
    assert wf.power_mean(values, -1.5) == pytest.approx(expected, rel=EVERYDAY)
    assert wf.power_mean(table, -1.5)[:2] == pytest.approx(expected, rel=EVERYDAY)
    assert wf.power_mean(values, np.int64(2)) == pytest.approx(wf.power_mean(values, 2.0))


def test_axes_and_broadcasting():
    rng = np.random.default_rng(3)
    cube = rng.uniform(1, 9, (4, 5, 6))
    for axis in (0, 1, 2, -1, -3):
        weights = rng.uniform(0, 1, cube.shape[axis])
        welfare = wf.power_mean(cube, -1.3, weights, axis=axis)
        moved = np.moveaxis(cube, axis, -1)
        for index in np.ndindex(welfare.shape):
            assert welfare[index] == pytest.approx(wf.power_mean(moved[index], -1.3, weights))
    assert wf.power_mean(cube, 2, axis=None) == pytest.approx(np.sqrt((cube**2).mean()))
    powers = np.array([-np.inf, -2, -1e-9, 0, 0.1, 1, np.inf])
    grid = wf.power_mean(cube[0], powers[:, None])
    assert grid.shape == (7, 5)
    for k, p in enumerate(powers):
        assert grid[k] == pytest.approx(wf.power_mean(cube[0], p))
    mixed = np.resize(powers, (4, 5))
    found = wf.power_mean(cube, mixed)
    for index in np.ndindex(4, 5):
        assert found[index] == pytest.approx(wf.power_mean(cube[index], mixed[index]), rel=EVERYDAY)


def test_small_powers_keep_their_digits_beside_large_ones():
    utilities = np.array([[1.0, 2.0, 4.0]] * 3)
    found = wf.power_mean(utilities, [-0.25, -1e-17, -1e-9])
    assert relative_error(found[1], log_mean(utilities[0], np.ones(3), -1e-17)) < EVERYDAY


def test_weights_per_action():
    rng = np.random.default_rng(4)
    utilities = rng.uniform(1, 9, (30, 5))
    weights = rng.uniform(0, 1, (30, 5)) * (rng.random((30, 5)) < 0.6)
    weights[:, 2] = 0.5
    for p in (-np.inf, -2, -0.01, 0, 0.01, 1, 3, np.inf):
        found = wf.power_mean(utilities, p, weights)
        each = [wf.power_mean(u, p, w) for u, w in zip(utilities, weights, strict=True)]
        assert found == pytest.approx(each, rel=EVERYDAY)


def test_weights_per_action_agree_with_sixty_digits():
    rng = np.random.default_rng(7)
    utilities = 10 ** rng.uniform(-3, 3, (40, 18))
    weights = rng.uniform(0, 1, (40, 18))
    for p in (1e-17, -1e-17, 1e-8, -1e-8, 1e-4, 0.01, 0.5, -3.0):
        found = wf.power_mean(utilities, p, weights)
        for i in range(40):  # every row: not every sum of 18 weights depends on its order
            exact = log_mean(utilities[i], weights[i], p)
            assert relative_error(found[i], exact) <= EVERYDAY, p


@pytest.mark.parametrize("own", [False, True], ids=["shared weights", "weights per action"])
def test_a_zero_in_one_action_leaves_the_others_alone(own):
    rng = np.random.default_rng(7)
    utilities = rng.uniform(1, 9, (6, 18))
    weights = rng.uniform(0, 1, 18)
    utilities[0, 0] = 0.0
    given = np.tile(weights, (6, 1)) if own else weights
    for p in (1e-17, 1e-8, 1e-4, 0.01, 0.2):
        found = wf.power_mean(utilities, p, given)
        for i in range(1, 6):
            assert relative_error(found[i], log_mean(utilities[i], weights, p)) <= EVERYDAY, p


def test_a_zero_takes_its_weight_out_of_the_sum():
    utilities, weights = np.array([0.0, 1.0, 2.0, 5.0]), np.array([1e-9, 1.0, 2.0, 0.5])
    for p in (1e-8, 1e-4, 0.01, 0.2):
        # The definition, with the zero's term gone and its weight kept in the sum.
        with mp.workdps(60):
            share = mp.fsum(weights[1:]) / mp.fsum(weights)
            exact = log_mean(utilities[1:], weights[1:], p) + mp.log(share) / mp.mpf(p)
        assert relative_error(wf.power_mean(utilities, p, weights), exact) <= EVERYDAY


def test_more_people_than_fit_a_block_agree_with_sixty_digits():
    rng = np.random.default_rng(11)
    utilities = rng.uniform(1, 9, (2, 70_000))
    weights = rng.uniform(0, 1, 70_000)
    for p in (1e-17, -1e-8):
        exact = log_mean(utilities[0], weights, p)
        assert relative_error(wf.power_mean(utilities, p, weights)[0], exact) <= EVERYDAY
    # Two such actions were once too wide for the scratch room of the quick evaluation.
    assert wf.power_mean(utilities, -2.0).shape == (2,)


def test_weights_of_any_size_beside_each_other():
    found = wf.power_mean([[1, 2], [1, 2]], 0.1, [[1e200, 1e200], [1e-200, 1e-200]])
    assert found == pytest.approx([wf.power_mean([1, 2], 0.1)] * 2, rel=1e-15)
    smallest = np.array([5e-324, 5e-324])
    assert wf.power_mean([1, 2], -2, smallest) == wf.power_mean([1, 2], -2)


def test_weights_are_relative_whatever_their_scale():
    for scale in (1e-308, 1e-3, 7.0, 1e308):
        found = wf.power_mean([1.0, 2.0, 5.0], -0.7, np.array([1.0, 0.5, 0.25]) * scale)
        assert found == pytest.approx(wf.power_mean([1.0, 2.0, 5.0], -0.7, [4, 2, 1]), rel=1e-13)


@pytest.mark.parametrize("p", POWERS)
def test_zero_utilities(p):
    table = np.tile([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]], (20_000, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        counted, logs = wf.power_mean(table, p), wf.log_power_mean(table, p)
        ignored = wf.power_mean(table[0], p, [0, 1, 1])
    assert not np.isnan(counted).any()
    assert counted[1] == 0
    assert logs[1] == -np.inf
    assert ignored == pytest.approx(wf.power_mean([1.0, 2.0], p), rel=EVERYDAY)
    if p <= 0:
        assert counted[0] == 0
        assert logs[0] == -np.inf
    else:
        lost = 0 if p == np.inf else np.log(2 / 3) / p
        expected = lost + wf.log_power_mean([1.0, 2.0], p)
        assert logs[0] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_peak_memory_stays_a_fraction_of_the_input():
    utilities = np.random.default_rng(0).uniform(1, 1000, (200_000, 18))
    tracemalloc.start()
    for shape in (utilities.shape, (-1,), (100, 2000, 18)):
        for p in (-1.62, 0.1, 1.0):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            wf.power_mean(utilities.reshape(shape), p)
            peak = tracemalloc.get_traced_memory()[1] - before
            assert peak < utilities.nbytes / 4, (shape, p)
    tracemalloc.stop()


# --- properties -------------------------------------------------------------------------------

powers = st.one_of(
    st.floats(-50, 50), st.sampled_from([-np.inf, np.inf, 0.0, 1.0]), st.floats(-1e-6, 1e-6)
)


@st.composite
def worlds(draw, vectors=1):
    people = draw(st.integers(1, 8))
    utility = st.floats(1e-3, 1e3)
    utilities = [draw(arrays(float, people, elements=utility)) for _ in range(vectors)]
    weights = draw(arrays(float, people, elements=st.sampled_from([0, 0.1, 0.5, 1, 3.0])))
    assume(weights.any())
    return (*utilities, weights)


@given(worlds(), powers)
def test_between_the_worst_and_the_best_off_who_count(world, p):
    u, w = world
    counted = u[w > 0]
    welfare = wf.power_mean(u, p, w)
    assert counted.min() * (1 - ROUNDING) <= welfare <= counted.max() * (1 + ROUNDING)


@given(worlds(), powers, st.floats(1e-6, 1e6))
def test_homogeneous(world, p, factor):
    u, w = world
    assert wf.power_mean(factor * u, p, w) == pytest.approx(
        factor * wf.power_mean(u, p, w), rel=ROUNDING
    )


@given(worlds(), powers, powers)
def test_monotone_in_the_power(world, p, q):
    u, w = world
    low, high = min(p, q), max(p, q)
    assert wf.power_mean(u, low, w) <= wf.power_mean(u, high, w) * (1 + ROUNDING)


@given(worlds(), powers, st.integers(0, 7), st.floats(0, 100))
def test_monotone_in_each_utility(world, p, person, gain):
    u, w = world
    better = u.copy()
    better[person % len(u)] += gain
    assert wf.power_mean(u, p, w) <= wf.power_mean(better, p, w) * (1 + ROUNDING)


@given(worlds(), st.floats(1e-12, 1e-6))
def test_continuous_through_zero(world, p):
    u, w = world
    middle = wf.log_power_mean(u, 0, w)
    # Half the largest variance of logs in [-6.9, 6.9] is 24; p times that bounds the change.
    for side in (-p, p):
        assert abs(wf.log_power_mean(u, side, w) - middle) <= 24 * p + ROUNDING


@given(worlds(), powers, st.randoms(use_true_random=False))
def test_permuting_people_with_their_weights_changes_nothing(world, p, random):
    u, w = world
    order = list(range(len(u)))
    random.shuffle(order)
    assert wf.power_mean(u[order], p, w[order]) == pytest.approx(
        wf.power_mean(u, p, w), rel=ROUNDING
    )


@given(worlds(), powers, st.floats(0, 1e300))
def test_a_person_without_weight_changes_nothing(world, p, utility):
    u, w = world
    with_stranger = wf.power_mean(np.append(u, utility), p, np.append(w, 0))
    assert with_stranger == pytest.approx(wf.power_mean(u, p, w), rel=1e-14)


@settings(max_examples=200)
@given(worlds(vectors=2), worlds(), st.floats(-20, 20), st.floats(0, 1))
def test_quasilinear_in_the_weights(world, other, p, t):
    """Both M and log M(u) - log M(v) on a segment of weights lie between their ends [Lemma 2.1]."""
    u, v, w = world
    w2 = np.resize(other[1], len(w)) + 1e-3
    a, b = w / w.sum(), w2 / w2.sum()
    mixed = t * a + (1 - t) * b

    def between(f):
        ends = sorted([f(a), f(b)])
        slack = ROUNDING * (1 + abs(ends[0]) + abs(ends[1]))
        return ends[0] - slack <= f(mixed) <= ends[1] + slack

    assert between(lambda x: wf.power_mean(u, p, x))
    assert between(lambda x: wf.log_power_mean(u, p, x))

    def difference(x):
        return wf.log_power_mean(u, p, x) - wf.log_power_mean(v, p, x)

    # The sign of a difference is what a comparison sees; it is linear over positive in w, hence
    # on a segment it cannot leave the range of its ends by more than rounding.
    assert between(difference)


@given(worlds(), st.one_of(powers, st.sampled_from([-np.inf, np.inf])), st.integers(0, 7))
def test_monotone_in_each_weight(world, p, person):
    """A weight that grows while the last person's absorbs it moves M one way [Lemma 2.1(b)]."""
    u, w = world
    i = person % (len(u) - 1) if len(u) > 1 else 0
    assume(len(u) > 1)
    both = w[i] + w[-1]
    assume(both > 0)
    welfare = []
    for share in (0.0, 0.2, 0.5, 0.9, 1.0):
        moved = w.copy()
        moved[i], moved[-1] = share * both, (1 - share) * both
        welfare.append(wf.power_mean(u, p, moved))
    rises = np.diff(welfare) if u[i] >= u[-1] else -np.diff(welfare)
    assert (rises >= -ROUNDING * max(welfare)).all()


@given(worlds(vectors=2), worlds(), st.sampled_from([0.0, 1e-9, 0.3, 1.0]))
def test_quasilinear_in_the_weights_at_the_ends_of_the_line(world, other, t):
    """There M depends on who counts only; in between, whoever counts at either end does."""
    u, v, w = world
    w2 = np.resize(other[1], len(w)).astype(float)
    assume(w2.any())
    mixed = t * w / w.sum() + (1 - t) * w2 / w2.sum()
    for p in (-np.inf, np.inf):
        for values in (u, v):
            ends = sorted([wf.power_mean(values, p, w), wf.power_mean(values, p, w2)])
            assert ends[0] <= wf.power_mean(values, p, mixed) <= ends[1]


# --- bad input --------------------------------------------------------------------------------

BAD = [
    ("nan", dict(utilities=[[1, 2], [3, np.nan]]), "NaN at row 1, column 1"),
    ("infinite", dict(utilities=[1.0, np.inf]), "inf at position 1"),
    ("infinite, low power", dict(utilities=[1.0, np.inf], p=-np.inf), "inf at position 1"),
    ("negative", dict(utilities=[[1.0, -2.0]]), "-2 at row 0, column 1"),
    ("negative, high power", dict(utilities=[[1.0, -2.0]], p=np.inf), "-2 at row 0, column 1"),
    ("bad but weightless", dict(utilities=[1.0, np.nan], weights=[1, 0]), "NaN at position 1"),
    ("text", dict(utilities=["1", "2"]), "found text"),
    ("text in a list", dict(utilities=np.array([1, "2"], dtype=object)), "'2' at position 1"),
    ("missing", dict(utilities=[1.0, None]), "NaN at position 1"),
    ("masked", dict(utilities=np.ma.array([1.0, 2.0], mask=[0, 1])), "masked"),
    ("complex", dict(utilities=[1 + 2j, 3]), "complex"),
    ("booleans", dict(utilities=[True, False]), "booleans"),
    ("dates", dict(utilities=np.array(["2020-01-01"], dtype="M8[D]")), "dates"),
    ("empty", dict(utilities=[]), "at least one"),
    ("no actions", dict(utilities=np.ones((0, 3))), "at least one"),
    ("a number", dict(utilities=3.0), "at least one"),
    ("ragged", dict(utilities=[[1, 2], [3]]), "different lengths"),
    ("objects", dict(utilities=[object()]), "found object at position 0"),
    ("p nan", dict(p=np.nan), "p must be a number in"),
    ("p text", dict(p="Nash"), "p must be real numbers"),
    ("p does not fit", dict(utilities=np.ones((2, 3)), p=[1, 2, 3]), "p must broadcast"),
    ("negative weight", dict(weights=[1, -1]), "-1 at position 1"),
    ("missing weight", dict(weights=[1, np.nan]), "NaN at position 1"),
    ("infinite weight", dict(weights=[1, np.inf]), "inf at position 1"),
    ("no weight", dict(weights=[0, 0]), "only zeros"),
    ("too few weights", dict(weights=[1.0]), "1 weights for 2 people"),
    ("one weight", dict(weights=1.0), "one non-negative number per person"),
    ("weights of another shape", dict(weights=np.ones((2, 2, 2))), "as many axes"),
    ("a row without weight", dict(utilities=np.ones((2, 2)), weights=[[1, 1], [0, 0]]), "row"),
    ("rows that differ", dict(utilities=np.ones((2, 2)), weights=np.ones((3, 2))), "broadcast"),
    ("weights far apart", dict(weights=[1, 1e-310]), "1e-310 beside 1"),
    (
        "weights far apart in a row",
        dict(utilities=np.ones((2, 2)), weights=[[1, 1], [1, 1e-310]]),
        "in row 1",
    ),
    (
        "other way round, flat",
        dict(utilities=np.ones((2, 3)), weights=np.ones((3, 2)), axis=None),
        r"found shape \(3, 2\)",
    ),
    ("too few, flat", dict(utilities=np.ones((2, 3)), weights=np.ones(3), axis=None), "or be flat"),
    ("no power", dict(p=[]), "at least one number"),
    ("p None", dict(p=None), "p must be real numbers; found None"),
    ("nothing", dict(utilities=None), "found None"),
    ("weights a number", dict(weights=5), "found the number 5"),
    ("no weights at all", dict(weights=[]), r"found shape \(0,\)"),
    ("axis too large", dict(axis=3), "axis=3"),
    ("axis not a number", dict(axis="people"), "whole number"),
]


@pytest.mark.parametrize(("arguments", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
@pytest.mark.parametrize("function", [wf.power_mean, wf.log_power_mean])
def test_bad_input_is_named(function, arguments, message):
    with pytest.raises(wf.InputError, match=message):
        function(**{"utilities": [1.0, 2.0], "p": 0.5, **arguments})


@pytest.mark.parametrize(
    ("shape", "axis", "bad", "where"),
    [
        ((3, 4), 0, (2, 1), "row 2, column 1"),
        ((3, 4), None, (2, 1), "row 2, column 1"),
        ((3, 4, 2), 1, (2, 3, 0), r"index \(2, 3, 0\)"),
        ((30_000, 2, 3), 1, (29_999, 1, 2), r"index \(29999, 1, 2\)"),
    ],
)
def test_places_are_those_of_the_array_that_was_passed(shape, axis, bad, where):
    table = np.ones(shape)
    table[bad] = -1.0
    with pytest.raises(wf.InputError, match=where):
        wf.power_mean(table, 2, axis=axis)
    with pytest.raises(wf.InputError, match=where):
        wf.power_mean(np.ones(shape), 2, weights=table, axis=axis)
    with pytest.raises(wf.InputError, match=where):
        wf.power_mean(table, [[2.0], [3.0]] if table.ndim == 2 and axis == 0 else 2, axis=axis)


def test_lines_of_weights_are_named():
    table = np.ones((2, 3))
    with pytest.raises(wf.InputError, match="column 2"):
        wf.power_mean(table, 1, [[1, 1, 0], [1, 0, 0]], axis=0)
    cube, weights = np.ones((2, 3, 2)), np.ones((2, 3, 2))
    weights[1, :, 0] = 0.0
    with pytest.raises(wf.InputError, match=r"the line \(1, :, 0\)"):
        wf.power_mean(cube, 1, weights, axis=1)


def test_bad_entries_are_found_deep_inside_large_tables():
    table = np.ones((50_000, 7))
    table[41_234, 5] = -1
    with pytest.raises(ValueError, match="row 41234, column 5"):
        wf.power_mean(table, -2)
