"""Additive rules without a formula: the spline, derivatives, fits and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import welfarist as wf
from welfarist.families import AdditiveFamily
from welfarist.families.additive.curve import areas, hats, risen
from welfarist.losses import Point, loss_of_comparisons
from welfarist.noise.choices import LOGISTIC
from welfarist.people.weighting import Weighting

# Rounding; what quadrature promises; central differences.
SAME, QUAD, SLOPE, BEND = 1e-13, 1e-9, 1e-9, 1e-6
KNOTS = np.array([-2.0, 0.0, 0.5, 3.0, 9.0])
RNG = np.random.default_rng(9)
TABLE = RNG.uniform(1.0, 10.0, (300, 4))
PAIRS = wf.simulate.random_pairs(300, 2000, random_state=9)
WEIGHTS = np.array([0.4, 0.3, 0.2, 0.1])


def threshold(u):
    return 1.0 / (1.0 + np.exp(-0.9 * (u - 5.0)))


def decisions(curve=threshold, tau=25.0):
    value = curve(TABLE) @ WEIGHTS
    chance = 1.0 / (1.0 + np.exp(-tau * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]])))
    return wf.Comparisons(TABLE, PAIRS, np.random.default_rng(2).random(2000) < chance)


@pytest.mark.parametrize("level", [-5.0, -2.0, -0.7, 0.5, 2.0, 9.0, 12.0])
def test_the_spline_is_the_integral_of_its_hats(level):
    found = risen(np.array([level]), KNOTS)[:, 0]
    inner = [k for k in KNOTS if min(level, -2.0) < k < max(level, -2.0)]
    for k in range(len(KNOTS)):
        wanted = quad(lambda x, k=k: hats(np.array([x]), KNOTS)[k, 0], -2.0, level, points=inner)
        assert found[k] == pytest.approx(wanted[0], abs=QUAD)
    assert risen(KNOTS[-1:], KNOTS)[:, 0] == pytest.approx(areas(KNOTS), abs=SAME)


def test_without_fall_and_bends_it_is_the_weighted_mean():
    family = AdditiveFamily(knots=[1.0, 2.0, 4.0, 10.0])
    value = family.rule(0.0, WEIGHTS).value(TABLE)
    assert value == pytest.approx((TABLE @ WEIGHTS - 1.0) / 9.0, rel=SAME)
    assert family.marginal([0.0, 3.0, 20.0], 0.0) == pytest.approx(1.0, rel=SAME)


def test_derivatives_agree_with_differences():
    family = AdditiveFamily(3).suited_to(TABLE)
    loss = loss_of_comparisons(decisions(), family, Weighting(4), True, LOGISTIC, 1e6)
    here = Point(np.array([0.3, 0.3, 0.2, 0.2]), 1.2, np.array([0.5, -0.8, 2.0]))
    moves = np.eye(8)
    moves[:4, :4] -= here.weights[:, None]

    def at(move):
        weights = here.weights * (1.0 + move[:4])
        return loss.evaluate(Point(weights, here.p + move[4], here.extras + move[5:]))

    evaluation, h = loss.evaluate(here), 1e-5
    slopes = [(at(h * m).value - at(-h * m).value) / (2 * h) for m in moves]
    assert moves @ evaluation.gradient() == pytest.approx(slopes, abs=SLOPE)
    hessian = moves @ (evaluation.model().curvature + evaluation.remainder()) @ moves.T
    bends = [moves @ (at(h * m).gradient() - at(-h * m).gradient()) / (2 * h) for m in moves[4:]]
    assert hessian[4:] == pytest.approx(np.array(bends), abs=BEND)


def test_a_threshold_is_found_without_a_formula(tmp_path):
    learner = wf.ComparisonClassifier(family="additive", n_starts=3)
    fit = learner.fit(decisions())
    result = fit.result_
    worth = result.family.marginal([1.5, 5.0, 9.5], result.p)
    assert worth[1] > 1.4
    assert max(worth[0], worth[2]) < 0.6
    assert fit.weights_ == pytest.approx(WEIGHTS, abs=0.04)
    found = wf.compare(fit, families=["power", "kolm", "additive"], folds=None)
    assert found.tied == ("additive",)
    wf.save_model(fit, tmp_path / "curve.json")
    assert wf.load_model(tmp_path / "curve.json").welfare == fit.welfare_
    shares = fit.welfare_.shares(TABLE[0])
    h = 1e-5
    gains = [
        fit.welfare_.value(TABLE[0] + h * e) - fit.welfare_.value(TABLE[0] - h * e)
        for e in np.eye(4)
    ]
    assert shares == pytest.approx(np.array(gains) / np.sum(gains), abs=1e-6)


def test_power_means_are_not_lost_to_it_and_scores_are_refused():
    rule = wf.WelfareFunction(-1.0, WEIGHTS)
    learner = wf.ComparisonClassifier(n_starts=3)
    logs = rule.log(TABLE)
    chance = 1.0 / (1.0 + np.exp(-8.0 * (logs[PAIRS[:, 0]] - logs[PAIRS[:, 1]])))
    powers = wf.Comparisons(TABLE, PAIRS, np.random.default_rng(4).random(2000) < chance)
    assert wf.compare(learner, powers, families=["power", "additive"], folds=None).best == "power"
    with pytest.raises(wf.InputError, match="comparisons or choices"):
        wf.WelfareRegressor(family="additive").fit(TABLE, logs)
    with pytest.raises(wf.InputError, match="different ones"):
        wf.compare(X=powers, families=["power", "power"])
