"""A zero that is learned: against power means, Kolm-Pollak functions, differences, and fits."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from welfarist.families import FamilyRule, KolmPollak, NeedsFamily, OnDifferences
from welfarist.losses import Point, loss_of_comparisons
from welfarist.noise.choices import LOGISTIC
from welfarist.people.weighting import Weighting

# Rounding, and central differences of first and second order with the steps below.
SAME, SLOPE, BEND = 1e-13, 1e-8, 1e-5
RNG = np.random.default_rng(31)
TABLE = RNG.uniform(1.0, 10.0, (200, 4))
PAIRS = wf.simulate.random_pairs(200, 1500, random_state=31)
WEIGHTS = np.array([0.4, 0.3, 0.2, 0.1])
ZERO, P, TAU = 0.8, 0.3, 6.0


def decided(table=TABLE, zero=ZERO):
    value = wf.WelfareFunction(P, WEIGHTS).log(TABLE - ZERO)
    chance = 1.0 / (1.0 + np.exp(-TAU * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]])))
    first = np.random.default_rng(4).random(len(PAIRS)) < chance
    return wf.Comparisons(table, PAIRS, first, least=-np.inf)


@pytest.mark.parametrize("p", [-np.inf, -30.0, -1.0, 0.0, 0.7, np.inf])
def test_it_is_the_power_mean_of_what_is_beyond(p):
    rule, plain = NeedsFamily(0.8).rule(p, WEIGHTS), wf.WelfareFunction(p, WEIGHTS)
    assert rule.value(TABLE) == pytest.approx(plain.log(TABLE - 0.8), abs=SAME)
    assert NeedsFamily(0.0).rule(p, WEIGHTS)(TABLE) == pytest.approx(plain(TABLE), rel=SAME)


def test_far_from_zero_it_is_a_kolm_pollak_function():
    """Formula: with p = 1 - alpha c at zero -c, M - c tends to K as c grows, with error 1/c."""
    alpha, c = 0.4, 1e6
    found = np.exp(NeedsFamily(-c).rule(1.0 - alpha * c, WEIGHTS).value(TABLE)) - c
    assert found == pytest.approx(KolmPollak(alpha, WEIGHTS)(TABLE), abs=1e-4)


@pytest.mark.parametrize("margin", ["ratio", "difference"])
@pytest.mark.parametrize(("p", "zero"), [(-2.0, 0.5), (0.0, -4.0), (1.4, 0.9), (40.0, -90.0)])
def test_derivatives_agree_with_differences(p, zero, margin):
    plain = NeedsFamily().suited_to(TABLE)
    family = plain if margin == "ratio" else OnDifferences(plain)
    loss = loss_of_comparisons(decided(), family, Weighting(4), True, LOGISTIC, 1e6)
    t = plain.own[0].coordinate.into(zero)
    tau = np.log(TAU) + (np.log(-zero) if zero < -1 else 0.0)
    here = Point(WEIGHTS, p, np.array([t, tau if margin == "ratio" else 0.3]))
    moves = np.eye(7)
    moves[:4, :4] -= WEIGHTS[:, None]  # in units of the weights themselves

    def at(move):
        power = np.sinh(np.arcsinh(p) + move[4])
        point = Point(WEIGHTS * (1.0 + move[:4]), power, here.extras + move[5:])
        return loss.evaluate_exactly(point)

    evaluation, h = at(np.zeros(7)), 1e-5
    slopes = [(at(h * m).value - at(-h * m).value) / (2 * h) for m in moves]
    assert moves @ evaluation.gradient() == pytest.approx(slopes, abs=SLOPE)
    hessian = moves @ (evaluation.model().curvature + evaluation.remainder()) @ moves.T
    bends = [moves @ (at(h * m).gradient() - at(-h * m).gradient()) / (2 * h) for m in moves]
    # Weights' second derivatives are those along moves that keep their sum.
    for i in range(4, 7):
        assert hessian[i] == pytest.approx(bends[i], abs=BEND)


def test_a_fit_finds_the_zero_and_is_saved(tmp_path):
    fit = wf.ComparisonClassifier(family="needs").fit(decided())
    result = fit.result_
    low, high = result.interval("zero")
    assert low < ZERO < high
    low, high = result.interval("p")
    assert low < P < high
    power = wf.ComparisonClassifier().fit(decided()).result_
    assert result.llf > power.llf
    assert result.likelihood.parameters == power.likelihood.parameters + 1
    assert "zero of the scale" in str(result.summary())
    assert result.misfit().checks
    # The same zero taken out beforehand is the same rule.
    moved = wf.Comparisons(TABLE - result.extras["zero"], PAIRS, decided().outcomes)
    assert wf.ComparisonClassifier().fit(moved).result_.llf == pytest.approx(result.llf, abs=1e-6)
    wf.save_model(fit, tmp_path / "needs.json")
    model = wf.load_model(tmp_path / "needs.json")
    assert model.welfare == fit.welfare_
    assert isinstance(model.welfare, FamilyRule)
    expected = fit.predict_proba(np.hstack([TABLE[:3], TABLE[3:6]]))[:, 1]
    assert model.probabilities(TABLE[:3], TABLE[3:6]) == pytest.approx(expected, rel=SAME)


def test_shares_are_what_rises_are_worth():
    rule = NeedsFamily(0.8).rule(-1.0, WEIGHTS)
    plain = super(NeedsFamily, rule.family).shares(TABLE[:3], WEIGHTS, -1.0)
    assert plain is None
    numeric = FamilyRule.shares(_without_formula(rule), TABLE[:3])
    assert rule.shares(TABLE[:3]) == pytest.approx(numeric, abs=1e-8)


def _without_formula(rule):
    class Plain(NeedsFamily):
        def shares(self, utilities, weights, p):
            del utilities, weights, p

    return Plain(rule.family.zero).rule(rule.p, rule.weights)


def test_what_has_no_answer_is_refused():
    rule = NeedsFamily(0.8).rule(0.0, WEIGHTS)
    with pytest.raises(wf.InputError, match="above what everybody needs"):
        rule([0.5, 1.0, 2.0, 3.0])
    with pytest.raises(wf.InputError, match="utilities that differ"):
        wf.ComparisonClassifier(family="needs").fit(
            wf.Comparisons([[1.0, 1.0], [1.0, 1.0]], [[0, 1]], [1])
        )
