"""Derivatives against differences of 60-digit values."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import welfarist as wf
from tests.exact import DIGITS, GUARD, log_mean
from welfarist.families.power_mean.derivatives import log_mean_of_logs, welfare_shares

SIZES = (1e-300, 1e-17, 1e-8, 1e-4, 0.01, 0.1, 0.25, 0.5, 1, 3, 30)
POWERS = [0.0, *(s * x for x in SIZES for s in (1, -1))]
LARGE_POWERS = [300.0, -300.0, 1e4, -1e4]

# What the central difference below leaves at 60 digits is far smaller.
TOLERANCE = 1e-8
STEP = mp.mpf(10) ** -20


def slope(function):
    with mp.workdps(DIGITS + GUARD):
        return float((function(STEP) - function(-STEP)) / (2 * STEP))


def check_against_differences(u, p, w, some):
    """Compare every derivative with a difference; by weight and utility for `some` people."""
    exact_w = [mp.mpf(x) for x in w]
    found = wf.log_power_mean_derivatives(u, p, w)
    assert found.value == pytest.approx(wf.log_power_mean(u, p, w), abs=1e-13)

    by_power = slope(lambda h: log_mean(u, w, mp.mpf(p) + h))
    assert found.by_power == pytest.approx(by_power, rel=TOLERANCE, abs=0)
    total = mp.fsum(exact_w)
    scale = np.abs(found.by_weight[w > 0]).max()
    for i in some:
        # Moving towards person i keeps the weights on the simplex.
        def moved(h, i=i):
            return [(1 - h) * x / total + (h if j == i else 0) for j, x in enumerate(exact_w)]

        if w[i] > 0:
            by_weight = slope(lambda h, moved=moved: log_mean(u, moved(h), p))
            tolerance = dict(rel=TOLERANCE, abs=TOLERANCE * scale)
            assert found.by_weight[i] == pytest.approx(by_weight, **tolerance)

        def raised(h, i=i):
            return [mp.mpf(x) + (h if j == i else 0) for j, x in enumerate(u)]

        by_utility = slope(lambda h, raised=raised: log_mean(raised(h), w, p))
        # Shares below what the difference itself can see are not compared digit by digit.
        assert found.by_utility[i] == pytest.approx(by_utility, rel=TOLERANCE, abs=1e-60)


@pytest.mark.parametrize("p", POWERS + LARGE_POWERS)
@pytest.mark.parametrize("people", [2, 5])
def test_derivatives(p, people):
    rng = np.random.default_rng([people, POWERS.index(p) if p in POWERS else 99])
    u = rng.uniform(0.5, 20, people)
    check_against_differences(u, p, rng.dirichlet(np.ones(people)), range(people))


@pytest.mark.parametrize("p", [0.0, 1e-8, -0.01, 0.5, -3.0, 300.0, -1e4])
def test_derivatives_with_many_people_some_of_whom_do_not_count(p):
    rng = np.random.default_rng(18)
    u, w = rng.uniform(0.5, 20, 18), rng.dirichlet(np.ones(18))
    w[[3, 11]] = 0.0
    check_against_differences(u, p, w, [0, 3, 17])


@pytest.mark.parametrize("p", [0.0, 1e-8, 0.1, -0.1, 0.25, 0.5, -1.0, 3.0, 30.0, -300.0])
@pytest.mark.parametrize("spread", [1e-4, 1e-9])
def test_derivatives_keep_their_digits_where_utilities_hardly_differ(p, spread):
    rng = np.random.default_rng(5)
    u, w = 100 * (1 + spread * rng.random(5)), rng.dirichlet(np.ones(5))
    check_against_differences(u, p, w, range(5))


def test_the_kernel_keeps_its_digits_where_some_actions_hardly_differ():
    rng = np.random.default_rng(6)
    utilities = np.column_stack([rng.uniform(1, 9, 5), 100 * (1 + 1e-4 * rng.random(5))])
    w = np.array([0.2, 0.3, 0.1, 0.4, 0.0])
    for p in (0.5, -2.0, 40.0):
        found = log_mean_of_logs(np.log(utilities), w, p)
        for k in (0, 1):
            exact = wf.log_power_mean_derivatives(utilities[:, k], p, w)
            # Logarithms near log 100 are rounded at 4 units of 1e-16, the differences are 1e-4.
            assert found.by_power[k] == pytest.approx(exact.by_power, rel=1e-10)
            assert found.by_weight[:, k] == pytest.approx(exact.by_weight, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("p", [1e308, -1e308, 1e300])
def test_no_nan_and_no_warning_at_the_largest_powers(p):
    for utilities in ([1.0, 20.0], [1.0, 1.0], [1e-300, 1e300], [1.0, 1.0 + 1e-15]):
        found = wf.log_power_mean_derivatives(utilities, p)
        end = max(utilities) if p > 0 else min(utilities)
        assert found.value == pytest.approx(np.log(end), abs=1e-12)
        assert found.by_power == 0
        assert np.isfinite(found.by_weight).all()
        assert np.isfinite(found.by_utility).all()


def test_a_derivative_beyond_the_doubles_is_infinite_without_a_warning():
    assert wf.log_power_mean_derivatives([5e-324, 1.0], 0).by_utility.tolist() == [np.inf, 0.5]


@pytest.mark.parametrize("p", [-np.inf, -2.0, -0.1, 0.0, 0.1, 2.0, np.inf])
def test_nothing_for_somebody_who_does_not_count(p):
    found = wf.log_power_mean_derivatives([[1.0, 0.0, 3.0], [2.0, 5.0, 3.0]], p, [1, 0, 2])
    others = wf.log_power_mean_derivatives([1.0, 3.0], p, [1, 2])
    assert found.value[0] == pytest.approx(others.value)
    assert found.by_power[0] == pytest.approx(others.by_power)
    assert found.by_weight[0, [0, 2]] == pytest.approx(others.by_weight)
    assert found.by_utility[0] == pytest.approx([others.by_utility[0], 0, others.by_utility[1]])
    limit = 0 if np.isinf(p) else -1 / p if p > 0 else -np.inf
    assert found.by_weight[0, 1] == limit


def test_limits_at_infinity():
    for p, best in ((np.inf, [0, 1.0 / 3]), (-np.inf, [1.0, 0])):
        found = wf.log_power_mean_derivatives([1.0, 3.0], p)
        assert found.by_power == 0
        assert found.by_weight.tolist() == [0, 0]
        assert found.by_utility == pytest.approx(best)


def test_people_without_weight_have_a_derivative_and_no_overflow():
    logs = np.log([[1.0], [10.0], [1e6]])
    for p in (-50.0, -0.1, 0.0, 0.1, 1.0, 200.0):
        found = log_mean_of_logs(logs, np.array([0.5, 0.5, 0.0]), p)
        assert np.isfinite(found.by_weight).all()
        assert np.isfinite(found.by_weight**2).all()
        with_two = log_mean_of_logs(logs[:2], np.array([0.5, 0.5]), p)
        assert found.value == pytest.approx(with_two.value)
        assert found.by_power == pytest.approx(with_two.by_power)
        # A finite difference towards the third person, where one is accurate enough.
        if p < 2:
            h = 1e-9
            moved = np.array([0.5, 0.5, 0.0]) * (1 - h) + h * np.array([0, 0, 1.0])
            difference = (log_mean_of_logs(logs, moved, p).value - found.value) / h
            assert found.by_weight[2] == pytest.approx(difference, rel=1e-2)


@pytest.mark.parametrize("p", [1e-8, 1e-3, 0.1, 0.3, 1.0, 3.0])
def test_zero_utilities_for_positive_powers(p):
    utilities = np.array([[0.0, 1.0, 0.0, 0.0], [2.0, 3.0, 0.0, 2.0], [5.0, 2.0, 0.0, 2.0000001]])
    with np.errstate(divide="ignore"):
        logs = np.log(utilities)
    w = np.array([1e-4, 0.7, 0.2999])
    found = log_mean_of_logs(logs, w, p, has_zeros=True)
    for k in (0, 1, 3):
        kept = utilities[:, k] > 0

        def exact(power, weights, k=k, kept=kept):
            # The definition: the zeros' terms are gone, their weight stays in the sum.
            weights = [mp.mpf(x) for x in weights]
            share = mp.fsum(np.array(weights)[kept]) / mp.fsum(weights)
            mean = log_mean(utilities[kept, k], np.array(weights)[kept], power)
            return mean + mp.log(share) / power

        with mp.workdps(DIGITS + GUARD):
            assert found.value[k] == pytest.approx(float(exact(mp.mpf(p), w)), rel=1e-13)
        by_power = slope(lambda h, exact=exact: exact(mp.mpf(p) + h, w))
        assert found.by_power[k] == pytest.approx(by_power, rel=TOLERANCE, abs=0)
        for i in range(3):

            def moved(h, i=i, exact=exact):
                total = mp.fsum(w)
                return exact(
                    mp.mpf(p), [(1 - h) * x / total + h * (j == i) for j, x in enumerate(w)]
                )

            scale = TOLERANCE * np.abs(found.by_weight[:, k]).max()
            assert found.by_weight[i, k] == pytest.approx(slope(moved), rel=TOLERANCE, abs=scale)
    # Where nobody has anything welfare is 0 and nothing can be said about its logarithm.
    assert found.value[2] == -np.inf
    assert found.by_power[2] == 0
    assert found.by_weight[:, 2].tolist() == [0, 0, 0]


def test_zeros_that_were_announced_need_not_be_there():
    logs = np.log(np.random.default_rng(3).uniform(1, 9, (4, 6)))
    w = np.array([0.1, 0.2, 0.3, 0.4])
    for p in (0.1, 2.0):
        found, plain = log_mean_of_logs(logs, w, p, has_zeros=True), log_mean_of_logs(logs, w, p)
        assert found.value == pytest.approx(plain.value, rel=1e-14)
        assert found.by_power == pytest.approx(plain.by_power, rel=1e-12)


def test_light_weights_and_heavy_exponents():
    """Nearly all weight on one person: q is close to w, however far away the others are."""
    u, w = np.array([1.9e20, 5.3e-276, 2.0]), np.array([4e-8, 6e-19, 0.0])
    for p in (0.5, 1.0, 3.0):
        check_against_differences(u, p, w, [0])
    # The person without weight is above the mean by more than e^340.
    found = wf.log_power_mean_derivatives([1e-300, 1.0, 1e300], 5.0, [1.0, 1e-250, 0.0])
    assert np.isfinite(found.by_weight).all()


@pytest.mark.parametrize("p", [-0.2187, -0.1, 0.1, 0.24])
def test_a_light_weight_counts_beside_somebody_without_one(p):
    """However large the power of a utility is, of those who count it must not be cut off."""
    utilities = np.array([[2.4e164, 9.9e-241, 5.6e159, 2.1e195], [1e30, 3e290, 5.6e-259, 2e-290]])
    w = np.array([0.0, 0.0168, 0.6293, 0.3539])
    found = log_mean_of_logs(np.log(utilities.T), w, p).value
    with mp.workdps(DIGITS + GUARD):
        exact = [float(log_mean(row, w, p)) for row in utilities]
    assert found == pytest.approx(exact, rel=1e-13)


def test_shares_are_elasticities_and_sum_to_one():
    rng = np.random.default_rng(2)
    utilities = rng.uniform(1, 9, (6, 4))
    w = np.array([0.1, 0.0, 0.4, 0.5])
    for p in (-np.inf, -40, -1, 0, 0.5, 1, 20, np.inf):
        shares = welfare_shares(np.log(utilities).T, w, p)
        assert shares.sum(axis=0) == pytest.approx(np.ones(6))
        assert (shares[1] == 0).all()
        if np.isfinite(p):
            found = wf.log_power_mean_derivatives(utilities, p, w)
            assert pytest.approx(found.by_utility * utilities) == shares.T


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(utilities=[1.0, 0.0]), "positive where derivatives"),
        (dict(utilities=[[1.0, 2.0], [3.0, 0.0]]), "found 0 at row 1, column 1"),
        (dict(weights=[[1.0, 2.0]]), "one number per person"),
        (dict(utilities=None), "found None"),
        (dict(utilities=[1.0, -1.0]), "-1 at position 1"),
        (dict(utilities=[]), "at least one"),
        (dict(weights=[1.0]), "1 weights for 2 people"),
        (dict(p=[1.0, 2.0]), "one number"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(wf.InputError, match=message):
        wf.log_power_mean_derivatives(**{"utilities": [1.0, 2.0], "p": 0.5, **arguments})
