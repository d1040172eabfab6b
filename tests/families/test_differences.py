"""Noise on differences in welfare: against differences, other solvers, units, and saved models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import welfarist as wf
from welfarist.families import POWER_MEAN, NestedFamily, OnDifferences, RankDependentFamily
from welfarist.losses import Point, loss_of_choices, loss_of_comparisons
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.weighting import Weighting
from welfarist.recommending.reasons import why_preferred

# Rounding, and central differences of first and second order with the steps below.
SAME, SLOPE, BEND = 1e-12, 1e-8, 1e-5
RNG = np.random.default_rng(21)
TABLE = RNG.uniform(1.0, 10.0, (150, 4))
PAIRS = wf.simulate.random_pairs(150, 900, random_state=21)
WEIGHTS = np.array([0.4, 0.3, 0.2, 0.1])
TAU = 1.5


def decided(table=TABLE, p=-0.5, tau=TAU):
    value = wf.WelfareFunction(p, WEIGHTS)(table)
    chance = 1.0 / (1.0 + np.exp(-tau * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]])))
    return wf.Comparisons(table, PAIRS, np.random.default_rng(2).random(len(PAIRS)) < chance)


def menus():
    rng = np.random.default_rng(3)
    rows = rng.permuted(np.tile(np.arange(150), (300, 1)), axis=1)[:, :4]
    value = wf.WelfareFunction(-0.5, WEIGHTS)(TABLE)[rows]
    chances = np.exp(TAU * value)
    chances /= chances.sum(axis=1, keepdims=True)
    chosen = (chances.cumsum(axis=1) > rng.random((300, 1))).argmax(axis=1)
    return wf.Choices(TABLE, rows.tolist(), rows[np.arange(300), chosen])


@pytest.mark.parametrize(
    ("of", "extras"),
    [
        (POWER_MEAN, []),
        (NestedFamily([0, 0, 1, 1]), [np.arcsinh(1.3)]),
        (RankDependentFamily(), []),
    ],
)
@pytest.mark.parametrize("kind", ["pairs", "menus", "groups"])
@pytest.mark.parametrize("p", [-2.0, 0.0, 1.6])
def test_derivatives_agree_with_differences(of, extras, kind, p):
    weighting = Weighting(4)
    if kind == "groups":
        weighting = Weighting(4, group_of=np.array([0, 1, 0, 2]))
    build = loss_of_choices if kind == "menus" else loss_of_comparisons
    decisions = menus() if kind == "menus" else decided()
    loss = build(decisions, OnDifferences(of), weighting, True, LOGISTIC, 1e6)
    k = weighting.free
    here = Point(
        np.array([0.4, 0.3, 0.2, 0.1][:k]) / WEIGHTS[:k].sum(), p, np.array([*extras, 0.2])
    )
    q = k + 2 + len(extras)
    moves = np.eye(q)
    moves[:k, :k] -= here.weights[:, None]  # in units of the weights themselves

    def at(move):
        weights = here.weights * (1.0 + move[:k])
        power = np.sinh(np.arcsinh(p) + move[k])
        return loss.evaluate_exactly(Point(weights, power, here.extras + move[k + 1 :]))

    evaluation, h = at(np.zeros(q)), 1e-5
    slopes = [(at(h * m).value - at(-h * m).value) / (2 * h) for m in moves]
    assert moves @ evaluation.gradient() == pytest.approx(slopes, abs=SLOPE)
    hessian = moves @ (evaluation.model().curvature + evaluation.remainder()) @ moves.T
    bends = [moves @ (at(h * m).gradient() - at(-h * m).gradient()) / (2 * h) for m in moves[k:]]
    assert hessian[k:] == pytest.approx(np.array(bends), abs=BEND)
    h = 3e-4
    for i, j in ((0, 1), (0, 2), (2, 2)):
        a, b = h * moves[i], h * moves[j]
        found = at(a + b).value - at(a - b).value - at(b - a).value + at(-a - b).value
        assert hessian[i, j] == pytest.approx(found / (4 * h * h), abs=BEND)


def test_a_fit_agrees_with_another_solver():
    decisions = decided()
    result = wf.ComparisonClassifier(margin="difference").fit(decisions).result_

    def lost(x):
        weights = np.exp(np.append(x[:3], 0.0))
        value = wf.WelfareFunction(x[3], weights / weights.sum())(TABLE)
        z = np.exp(x[4]) * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]])
        return np.logaddexp(0.0, -z * decisions.outcomes).sum()

    other = minimize(lost, [0.0, 0.0, 0.0, 0.5, 0.0], method="BFGS", options={"gtol": 1e-6})
    assert result.llf == pytest.approx(-other.fun, rel=1e-9)
    assert result.p == pytest.approx(other.x[3], rel=1e-4)
    low, high = result.interval("p")
    assert low < -0.5 < high
    assert result.bic < wf.ComparisonClassifier().fit(decisions).result_.bic - 5
    low, high = result.interval("tau")
    assert low < TAU < high


@pytest.mark.parametrize("unit", [1e-9, 1e7])
@pytest.mark.parametrize("option", [{"margin": "difference"}, {"family": "kolm"}])
def test_no_fit_depends_on_the_unit(unit, option):
    plain = wf.ComparisonClassifier(**option).fit(decided()).result_
    other = decided()
    other = wf.Comparisons(TABLE * unit, PAIRS, other.outcomes)
    found = wf.ComparisonClassifier(**option).fit(other).result_
    assert found.llf == pytest.approx(plain.llf, rel=SAME)
    assert found.tau * unit == pytest.approx(plain.tau, rel=1e-6)
    few = [wf.ComparisonClassifier(**option).fit(c[:60]).result_ for c in (decided(), other)]
    assert few[0].small_sample
    assert few[1].llf == pytest.approx(few[0].llf, rel=1e-8)


def test_at_p_one_it_is_a_kolm_pollak_function_without_aversion():
    one = wf.ComparisonClassifier(margin="difference", p=1).fit(decided())
    other = wf.ComparisonClassifier(family="kolm", p=0).fit(decided())
    assert one.loss_ == pytest.approx(other.loss_, rel=SAME)
    rows = np.hstack([TABLE[:5], TABLE[5:10]])
    assert one.predict_proba(rows) == pytest.approx(other.predict_proba(rows), rel=1e-6)


def test_zeros_menus_and_lapses():
    table = TABLE.copy()
    table[:5, 1] = 0.0
    with pytest.warns(wf.SearchRangeWarning, match="above 0 only"):
        found = wf.ComparisonClassifier(margin="difference").fit(decided(table, p=0.7)).result_
    assert found.p > 0
    assert np.isfinite(found.llf)
    assert np.isfinite(found.welfare.value(np.zeros(4)))
    chooser = wf.ChoiceLearner(margin="difference").fit(menus())
    assert chooser.result_.bic < wf.ChoiceLearner().fit(menus()).result_.bic
    assert chooser.tau_ == pytest.approx(TAU, rel=0.3)
    slips = wf.ComparisonClassifier(margin="difference", noise="lapse").fit(decided()).result_
    assert slips.noise == LAPSE
    assert 0 <= slips.rho < 0.1


def test_what_is_said_and_saved(tmp_path):
    fit = wf.ComparisonClassifier(margin="difference").fit(decided())
    text = " ".join(str(fit.result_.summary()).split())
    assert "Noise acts on differences in welfare" in text
    assert "preferred 73 times in 100" in text
    assert fit.result_.to_dict()["margin"] == "difference"
    wf.save_model(fit, tmp_path / "model.json")
    model = wf.load_model(tmp_path / "model.json")
    assert model.welfare == fit.welfare_
    expected = fit.predict_proba(np.hstack([TABLE[:3], TABLE[3:6]]))[:, 1]
    assert model.probabilities(TABLE[:3], TABLE[3:6]) == pytest.approx(expected, rel=1e-13)
    again = wf.ComparisonClassifier(margin="ratio").fit(decided()).result_
    assert again.llf == wf.ComparisonClassifier().fit(decided()).result_.llf
    assert fit.result_.misfit().checks
    axioms = fit.result_.axioms()
    assert not axioms["scale invariance"].rejected  # it is one of rules, and not of their noise
    assert axioms["translation invariance"].rejected
    assert not axioms["transfer"].rejected
    assert not axioms["transfer"].reason
    assert fit.result_.without_data().with_data(decided()).llf == fit.result_.llf


def test_what_has_no_answer_is_refused():
    for option, said in (
        ({"margin": "differences"}, 'must be "auto", "ratio" or "difference"'),
        ({"margin": "difference", "family": "kolm"}, "acts on differences already"),
        ({"margin": "ratio", "family": "additive"}, "percentages"),
        ({"margin": "difference", "noise": "none"}, "counts errors exactly"),
    ):
        with pytest.raises(wf.InputError, match=said):
            wf.ComparisonClassifier(**option).fit(decided())


def test_reasons_budgets_and_units_are_those_of_the_rule_whatever_noise_acts_on():
    rule = OnDifferences(POWER_MEAN).rule(-1.0, [1.0, 3.0], ["ann", "bob"]).shifted(0.5)
    plain = wf.WelfareFunction(-1.0, [1.0, 3.0], ["ann", "bob"], 0.5)
    pair, names = np.array([[4.0, 2.0], [1.0, 3.0]]), ("bus", "tram")
    seen, known = (why_preferred(each, pair, names, plain.stakeholders) for each in (rule, plain))
    assert seen.turning_powers == known.turning_powers
    assert seen.turning_weights == known.turning_weights
    assert seen.doctrines == known.doctrines
    assert wf.allocate(rule, pair, [1, 1], 1, whole=True, baseline=1.0).rule == plain
    fit = wf.ComparisonClassifier(margin="difference", p=0.5).fit(decided())
    curves = [line.get_xydata() for line in wf.plots.unit_worth(fit.result_).lines]
    levels, found = next(curve for curve in curves if (curve[:, 1] > 0).all() and len(curve) > 2).T
    np.testing.assert_allclose(found / found[0], (levels / levels[0]) ** -0.5, rtol=SAME)
