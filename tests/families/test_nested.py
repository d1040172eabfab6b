"""Means of means of groups: against the plain mean, differences, and fits."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from welfarist.base.errors import ZerosError
from welfarist.families import Nested, NestedFamily
from welfarist.losses import Point, loss_of_comparisons
from welfarist.noise.choices import LOGISTIC
from welfarist.people.weighting import Weighting

# Rounding, and central differences of first and second order with the steps below.
SAME, SLOPE, BEND = 1e-13, 1e-9, 1e-6
RNG = np.random.default_rng(8)
TABLE = RNG.uniform(1.0, 10.0, (200, 5))
WEIGHTS, GROUPS = np.array([0.3, 0.2, 0.2, 0.2, 0.1]), ["a", "a", "b", "a", "b"]


def decisions():
    value = Nested(1.0, -1.5, GROUPS, WEIGHTS).value(TABLE)
    pairs = wf.simulate.random_pairs(200, 1500, random_state=8)
    chance = 1.0 / (1.0 + np.exp(-10.0 * (value[pairs[:, 0]] - value[pairs[:, 1]])))
    return wf.Comparisons(TABLE, pairs, np.random.default_rng(1).random(1500) < chance)


@pytest.mark.parametrize("p", [-30.0, -1.0, 0.0, 0.7, 4.0])
def test_equal_powers_are_the_plain_mean(p):
    plain = wf.WelfareFunction(p, WEIGHTS)
    assert Nested(p, p, GROUPS, WEIGHTS)(TABLE) == pytest.approx(plain(TABLE), rel=SAME)


def test_a_mean_of_means_is_worked_out_in_two_steps():
    rows = [np.flatnonzero(np.array(GROUPS) == g) for g in ("a", "b")]
    within = [wf.WelfareFunction(-2.0, WEIGHTS[r])(TABLE[:, r]) for r in rows]
    between = wf.WelfareFunction(0.5, [WEIGHTS[r].sum() for r in rows])
    found = Nested(0.5, -2.0, GROUPS, WEIGHTS)
    assert found(TABLE) == pytest.approx(between(np.column_stack(within)), rel=SAME)
    alone = Nested(0.5, -2.0, GROUPS, [1, 1, 0, 1, 0])  # a group that does not count
    assert alone(TABLE) == pytest.approx(wf.WelfareFunction(-2.0)(TABLE[:, rows[0]]), rel=SAME)


@pytest.mark.parametrize("q", [-2.0, 0.3])
@pytest.mark.parametrize("p", [0.0, 1.4])
def test_derivatives_agree_with_differences(p, q):
    loss = loss_of_comparisons(decisions(), NestedFamily(GROUPS), Weighting(5), True, LOGISTIC, 1e6)
    here = Point(np.array([0.3, 0.25, 0.15, 0.2, 0.1]), p, np.array([np.arcsinh(q), 1.9]))
    # Moves: of each weight against all, of asinh(p), asinh(q) and log tau.
    moves = np.eye(8)
    moves[:5, :5] -= here.weights[:, None]  # in units of the weights themselves

    def at(move):
        weights = here.weights * (1.0 + move[:5])
        return loss.evaluate(
            Point(weights, np.sinh(np.arcsinh(p) + move[5]), here.extras + move[6:])
        )

    evaluation, h = loss.evaluate(here), 1e-5
    slopes = [(at(h * m).value - at(-h * m).value) / (2 * h) for m in moves]
    assert moves @ evaluation.gradient() == pytest.approx(slopes, abs=SLOPE)
    hessian = moves @ (evaluation.model().curvature + evaluation.remainder()) @ moves.T
    bends = [moves @ (at(h * m).gradient() - at(-h * m).gradient()) / (2 * h) for m in moves[5:]]
    assert hessian[5:] == pytest.approx(np.array(bends), abs=BEND)
    h = 3e-4
    for i, j in ((0, 1), (0, 2), (4, 4)):
        a, b = h * moves[i], h * moves[j]
        found = at(a + b).value - at(a - b).value - at(b - a).value + at(-a - b).value
        assert hessian[i, j] == pytest.approx(found / (4 * h * h), abs=BEND)


def test_a_fit_finds_both_powers(tmp_path):
    fit = wf.ComparisonClassifier(family="nested", groups=GROUPS).fit(decisions())
    result = fit.result_
    for name, truth in (("p", 1.0), ("q", -1.5)):
        low, high = result.interval(name)
        assert low < truth < high
    assert result.extras["q"] == result.family.q
    assert "power q within groups" in str(result.summary())
    power = wf.ComparisonClassifier().fit(decisions())
    assert result.bic < power.result_.bic - 10
    assert result.likelihood.parameters == power.result_.likelihood.parameters + 1
    assert result.misfit().checks
    wf.save_model(fit, tmp_path / "nested.json")
    model = wf.load_model(tmp_path / "nested.json")
    assert model.welfare == fit.welfare_
    assert model.probabilities(TABLE[:3], TABLE[3:6]) == pytest.approx(
        fit.predict_proba(np.hstack([TABLE[:3], TABLE[3:6]]))[:, 1], rel=SAME
    )


def test_what_has_no_answer_is_refused():
    for groups, said in (([1, 2, 3, 4, 5], "one person only"), ([1] * 5, "one group")):
        with pytest.raises(wf.InputError, match=said):
            wf.ComparisonClassifier(family="nested", groups=groups).fit(decisions())
    with pytest.raises(wf.InputError, match="who is in which group"):
        wf.ComparisonClassifier(family="nested").fit(decisions())
    with pytest.raises(ZerosError, match="positive"):
        wf.WelfareRegressor(family="nested", groups=[0, 0, 1]).fit(
            [[0.0, 1.0, 2.0], [2.0, 1.0, 1.0]], [1.0, 2.0]
        )
