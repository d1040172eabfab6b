"""Absent people under Kolm-Pollak functions: who is present shares the weights."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from welfarist.families.kolm_pollak.family import KolmPollakFamily
from welfarist.losses import Point, loss_of_choices
from welfarist.noise.choices import LOGISTIC
from welfarist.people.present_rule import PresentRule
from welfarist.people.weighting import Weighting

# Rounding; central differences.
SAME, SLOPE, BEND = 1e-12, 1e-8, 1e-5
RNG = np.random.default_rng(8)
TABLE = RNG.uniform(-3.0, 9.0, (60, 4))
TABLE[RNG.random(TABLE.shape) < 0.3] = np.nan
TABLE[np.isnan(TABLE).all(axis=1), 0] = 1.0
MENUS = np.array([RNG.choice(60, 5, replace=False) for _ in range(150)])
WEIGHTS, ALPHA = np.array([0.4, 0.3, 0.2, 0.1]), 0.35


def worth(table=TABLE, alpha=ALPHA):
    """The definition, action by action."""
    found = []
    for row in table:
        there = ~np.isnan(row)
        share = WEIGHTS[there] / WEIGHTS[there].sum()
        found.append(-np.log(share @ np.exp(-alpha * row[there])) / alpha)
    return np.array(found)


def choices(tau=2.0):
    noisy = tau * worth()[MENUS] + np.random.default_rng(1).gumbel(size=MENUS.shape)
    chosen = MENUS[np.arange(len(MENUS)), noisy.argmax(axis=1)]
    return wf.Choices(TABLE, MENUS, chosen, absent=True, least=-np.inf)


def test_values_and_shares_are_those_of_who_is_there():
    rule = wf.families.KolmPollak(ALPHA, WEIGHTS)
    assert PresentRule(rule).value(TABLE) == pytest.approx(worth(), rel=SAME, abs=SAME)
    assert PresentRule(rule)(TABLE) == pytest.approx(worth(), rel=SAME, abs=SAME)
    row = TABLE[np.isnan(TABLE).any(axis=1)][0]
    there = ~np.isnan(row)
    alone = wf.families.KolmPollak(ALPHA, WEIGHTS[there]).shares(row[there])
    assert PresentRule(rule).shares(row[None])[0][there] == pytest.approx(alone, rel=SAME)


def test_derivatives_agree_with_differences():
    family = KolmPollakFamily().suited_to(TABLE)
    loss = loss_of_choices(choices(), family, Weighting(4), True, LOGISTIC, 1e6)
    here = Point(WEIGHTS, 0.5, np.array([0.7]))
    moves = np.eye(6)
    moves[:4, :4] -= here.weights[:, None]
    into, back = family.shape.coordinate.into, family.shape.coordinate.back

    def at(move):
        weights = here.weights * (1.0 + move[:4])
        return loss.evaluate(Point(weights, back(into(here.p) + move[4]), here.extras + move[5:]))

    evaluation, h = loss.evaluate(here), 1e-5
    slopes = [(at(h * m).value - at(-h * m).value) / (2 * h) for m in moves]
    assert moves @ evaluation.gradient() == pytest.approx(slopes, abs=SLOPE)
    hessian = moves @ (evaluation.model().curvature + evaluation.remainder()) @ moves.T
    bends = [moves @ (at(h * m).gradient() - at(-h * m).gradient()) / (2 * h) for m in moves[4:]]
    assert hessian[4:] == pytest.approx(np.array(bends), abs=BEND)


def test_a_fit_foretells_with_who_is_there_and_other_families_say_why_not(tmp_path):
    fit = wf.ChoiceLearner(family="kolm").fit(choices())
    low, high = fit.result_.interval("alpha")
    assert low < ALPHA < high
    wf.save_model(fit, tmp_path / "kolm.json")
    assert np.isfinite(np.concatenate(fit.predict_proba(choices()[:20]))).all()
    saved = wf.load_model(tmp_path / "kolm.json")
    assert saved.welfare == fit.welfare_
    assert "not negative; found -" in fit.result_.axioms()["scale invariance"].reason
    assert "absent" in fit.result_.axioms()["translation invariance"].reason
    assert fit.result_.axioms()["transfer"].p_value is not None
    positive = wf.Choices(TABLE + 4.0, MENUS, MENUS[:, 0], absent=True)
    with pytest.raises(wf.InputError, match="fewer places"):
        wf.ChoiceLearner(family="rank").fit(positive)
    with pytest.raises(wf.InputError, match="Kolm-Pollak functions only"):
        wf.ChoiceLearner(family="additive").fit(positive)
    with pytest.raises(wf.InputError, match="fewer places"):
        PresentRule(wf.families.RankDependent(WEIGHTS)).value(TABLE + 4.0)
