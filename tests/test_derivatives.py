"""Derivatives against differences of 60-digit values."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import welfarist as wf
from tests.exact import DIGITS, GUARD, log_mean
from welfarist.derivatives import log_mean_of_logs, welfare_shares

POWERS = [0.0, *(s * x for x in (1e-300, 1e-17, 1e-8, 1e-4, 0.1, 0.25, 1, 3, 30) for s in (1, -1))]

# What the central difference below leaves at 60 digits is far smaller.
TOLERANCE = 1e-8
STEP = mp.mpf(10) ** -20


def slope(function):
    with mp.workdps(DIGITS + GUARD):
        return float((function(STEP) - function(-STEP)) / (2 * STEP))


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("people", [2, 5])
def test_derivatives(p, people):
    rng = np.random.default_rng([people, abs(hash(p)) % 1000])
    u = rng.uniform(0.5, 20, people)
    w = rng.dirichlet(np.ones(people))
    exact_w = [mp.mpf(x) for x in w]
    found = wf.log_power_mean_derivatives(u, p, w)
    assert found.value == pytest.approx(wf.log_power_mean(u, p, w), abs=1e-13)

    by_power = slope(lambda h: log_mean(u, w, mp.mpf(p) + h))
    assert found.by_power == pytest.approx(by_power, rel=TOLERANCE)
    total = mp.fsum(exact_w)
    for i in range(people):
        # Moving towards person i keeps the weights on the simplex.
        def moved(h, i=i):
            return [(1 - h) * x / total + (h if j == i else 0) for j, x in enumerate(exact_w)]

        by_weight = slope(lambda h, moved=moved: log_mean(u, moved(h), p))
        scale = np.abs(found.by_weight).max()
        assert found.by_weight[i] == pytest.approx(by_weight, rel=TOLERANCE, abs=TOLERANCE * scale)

        def raised(h, i=i):
            return [mp.mpf(x) + (h if j == i else 0) for j, x in enumerate(u)]

        by_utility = slope(lambda h, raised=raised: log_mean(raised(h), w, p))
        assert found.by_utility[i] == pytest.approx(by_utility, rel=TOLERANCE)


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


def test_zero_utilities_for_positive_powers():
    with np.errstate(divide="ignore"):
        logs = np.log([[0.0, 1.0], [2.0, 3.0]])
    w = np.array([0.3, 0.7])
    for p in (0.1, 1.0, 3.0):
        found = log_mean_of_logs(logs, w, p, has_zeros=True)
        assert found.value[0] == pytest.approx(wf.log_power_mean([0.0, 2.0], p, w))
        up, down = (wf.log_power_mean([0.0, 2.0], p * x, w) for x in (1 + 1e-6, 1 - 1e-6))
        assert found.by_power[0] == pytest.approx((up - down) / (2e-6 * p), rel=1e-6)


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
        (dict(utilities=[1.0, -1.0]), "-1 at position 1"),
        (dict(utilities=[]), "at least one"),
        (dict(weights=[1.0]), "1 weights for 2 people"),
        (dict(p=[1.0, 2.0]), "one number"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(wf.InputError, match=message):
        wf.log_power_mean_derivatives(**{"utilities": [1.0, 2.0], "p": 0.5, **arguments})
