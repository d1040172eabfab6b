"""What is charged for certainty, against 60-digit arithmetic and finite differences."""

import mpmath
import numpy as np
import pytest

import welfarist as wf
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import Point, loss_of_comparisons
from welfarist.losses.restraint import Restraint
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.weighting import Weighting
from welfarist.solvers.coordinates import keeping_the_sum

# Central differences with steps of 1e-5 leave about the square of the step.
SLOPE = 1e-7


def charged(z, count, others):
    with mpmath.workdps(60):
        information = doubt = squares = mpmath.mpf(0)
        for x, c in zip(map(mpmath.mpf, z), map(mpmath.mpf, count), strict=True):
            decay = mpmath.exp(-abs(x))
            spread = c * decay / (1 + decay) ** 2
            information += spread * x**2
            doubt += spread
            squares += c * x**2
        mean = squares / mpmath.fsum(count) / max(1, mpmath.mpf(others) / 5)
        charge = -mpmath.log(information / squares) / 2 + mpmath.mpf(others) / 5 * mpmath.log1p(
            mean * doubt
        )
        return float(charge)


def test_many_rules_are_charged_what_each_is():
    rng = np.random.default_rng(7)
    z = rng.normal(size=(5, 9)) * np.array([1e-6, 0.3, 5.0, 400.0, 0.0])[:, None]
    count = rng.integers(0, 4, (5, 9)).astype(float)
    each = [Restraint(4).of_margins(*row).value for row in zip(z, count, strict=True)]
    assert Restraint(4).of_many_margins(z, count) == pytest.approx(each, rel=1e-12)
    powers = np.array([-200.0, -1.0, 0.0, 7.0])
    each = [Restraint(4).of_power(p)[0] for p in powers.tolist()]
    assert Restraint(4).of_many_powers(powers) == pytest.approx(each, rel=1e-12)


@pytest.mark.parametrize("others", [4, 60])
@pytest.mark.parametrize("scale", [1e-6, 0.3, 5.0, 400.0, 1e5])
def test_the_charge_agrees_with_60_digits_however_certain_choices_are(scale, others):
    rng = np.random.default_rng(1)
    z, count = scale * rng.normal(size=9), rng.integers(1, 4, 9).astype(float)
    found = Restraint(others).of_margins(z, count)
    assert found.value == pytest.approx(charged(z, count, others), rel=1e-12, abs=1e-12)
    assert Restraint(others).of_many_margins(z[None], count) == pytest.approx([found.value])
    assert np.isfinite(found.by_margin).all()
    assert np.isfinite(found.curvature + found.bend).all()
    assert (found.curvature >= 0).all()


def test_where_all_actions_are_equals_the_charge_is_its_limit():
    found = Restraint(2).of_margins(np.zeros(3), np.ones(3))
    near = Restraint(2).of_margins(np.full(3, 1e-9), np.ones(3))
    assert found.value == pytest.approx(near.value, rel=1e-9)
    assert Restraint(2).of_many_margins(np.zeros((1, 3)), np.ones(3)) == pytest.approx(found.value)
    assert not found.by_margin.any()


@pytest.mark.parametrize("z", [[0.0, 1.0, -2.0, 4.0], [0.0, 30.0, 31.0, -50.0]])
def test_derivatives_by_margins_are_those_of_differences(z):
    z, count = np.array(z), np.array([1.0, 2.0, 1.0, 3.0])
    restraint, step = Restraint(12), 1e-5
    here = restraint.of_margins(z, count)
    for i, e in enumerate(step * np.eye(len(z))):
        up, down = (restraint.of_margins(z + s * e, count) for s in (1, -1))
        assert here.by_margin[i] == pytest.approx((up.value - down.value) / (2 * step), abs=SLOPE)
        twice = here.raising[:, i] @ here.raising - here.lowering[:, i] @ here.lowering
        twice += here.steep[:, i] @ here.steep
        twice[i] += here.curvature[i] + here.bend[i]
        numeric = (up.by_margin - down.by_margin) / (2 * step)
        if z[i] != 0.0:  # beside an exact tie underflow is kept out in another way
            np.testing.assert_allclose(twice, numeric, atol=SLOPE)


@pytest.mark.parametrize("p", [-200.0, -30.0, -3.0, -0.2, 0.0, 1.0, 8.0, 90.0])
def test_the_charge_for_powers_and_its_derivatives(p):
    restraint, t, step = Restraint(2), float(np.arcsinh(p)), 1e-4
    value, slope, bend = restraint.of_power(p)
    with mpmath.workdps(60):
        square = mpmath.mpf(p) ** 2
        exact = mpmath.log((1 + square / 9) / (1 + square / 900)) / 2
    assert value == pytest.approx(float(exact), rel=1e-13, abs=1e-15)
    up, down = (restraint.of_power(float(np.sinh(t + s * step))) for s in (1, -1))
    assert slope == pytest.approx((up[0] - down[0]) / (2 * step), abs=1e-6)
    assert bend == pytest.approx((up[1] - down[1]) / (2 * step), abs=1e-6)


@pytest.mark.parametrize("log_tau", [-14.0, 2.0, np.log(1000.0), 9.0, 40.0])
def test_the_charge_for_temperatures_and_its_derivatives(log_tau):
    restraint, step = Restraint(2), 1e-4
    value, slope, bend = restraint.of_temperature(log_tau)
    with mpmath.workdps(60):
        exact = mpmath.log(1 + (mpmath.exp(log_tau) / 1000) ** 2) / 20
    assert value == pytest.approx(float(exact), rel=1e-12)
    up, down = (restraint.of_temperature(log_tau + s * step) for s in (1, -1))
    assert slope == pytest.approx((up[0] - down[0]) / (2 * step), abs=1e-8)
    assert bend == pytest.approx((up[1] - down[1]) / (2 * step), abs=1e-8)


def test_no_power_is_ruled_out():
    restraint = Restraint(2)
    assert restraint.of_power(-np.inf)[0] == pytest.approx(np.log(10.0))
    assert restraint.of_power(1e8)[0] == pytest.approx(np.log(10.0))


@pytest.mark.parametrize(("noise", "extras"), [(LOGISTIC, [2.0]), (LAPSE, [2.0, 0.1])])
@pytest.mark.parametrize("p", [-4.0, 0.0, 2.0])
def test_derivatives_of_a_restrained_loss_are_those_of_differences(noise, extras, p):
    rng = np.random.default_rng(0)
    table, pairs = rng.uniform(1, 10, (40, 3)), rng.permutation(40).reshape(-1, 2)
    decided = wf.Comparisons(table, pairs, rng.choice([-1, 1], len(pairs)))
    loss = loss_of_comparisons(decided, POWER_MEAN, Weighting(3), True, noise, 1e6)
    loss = loss.restrained(Restraint(3))
    weights, extras, t = np.array([0.5, 0.3, 0.2]), np.array(extras), float(np.arcsinh(p))

    def value(move):
        power = float(np.sinh(t + move[3]))
        return loss.evaluate(Point(weights * (1 + move[:3]), power, extras + move[4:])).value

    basis = keeping_the_sum(weights, 4 + len(extras))
    here = loss.evaluate_exactly(Point(weights, p, extras))
    model = here.model()
    hessian = basis @ (model.curvature + here.remainder()) @ basis.T
    steps = 1e-4 * basis
    slopes = [(value(s) - value(-s)) / 2e-4 for s in steps]
    np.testing.assert_allclose(basis @ model.gradient, slopes, atol=2e-6)
    np.testing.assert_allclose(here.gradient(), model.gradient, atol=1e-12)
    bends = [
        [(value(a + b) - value(a - b) - value(b - a) + value(-a - b)) / 4e-8 for a in steps]
        for b in steps
    ]
    np.testing.assert_allclose(hessian, bends, atol=1e-4)
    curved = basis @ loss.evaluate(Point(weights, p, extras)).model().curvature @ basis.T
    assert np.linalg.eigvalsh(curved)[0] > 0
