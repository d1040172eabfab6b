"""Who complements whom: fits beside another solver, errors, menus, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.optimize import minimize

import welfarist as wf
from welfarist.families.choquet.columns import widened

RNG = np.random.default_rng(52)
TABLE = RNG.uniform(1.0, 10.0, (250, 3))
PAIRS = wf.simulate.random_pairs(250, 2500, random_state=52)
TRUTH = wf.families.Choquet([0.4, 0.35, 0.25], [[0, 0.4, -0.2], [0.4, 0, 0], [-0.2, 0, 0]])
TAU = 2.0


def decided(rule=TRUTH, seed=5, **more):
    value = rule(TABLE)
    chance = 1.0 / (1.0 + np.exp(-TAU * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]])))
    first = np.random.default_rng(seed).random(len(PAIRS)) < chance
    return wf.Comparisons(TABLE, PAIRS, first, **more)


def test_a_fit_agrees_with_another_solver_and_holds_the_truth():
    decisions = decided()
    found = wf.interactions(X=decisions)
    wide = widened(TABLE)
    apart = wide[PAIRS[:, 0]] - wide[PAIRS[:, 1]]

    def lost(x):
        z = apart @ x
        slope = -(apart * decisions.outcomes[:, None]).T @ (
            1.0 / (1.0 + np.exp(z * decisions.outcomes))
        )
        return np.logaddexp(0.0, -z * decisions.outcomes).sum(), slope

    start, ends = np.full(9, 0.2), [(0.0, None)] * 9
    other = minimize(lost, start, jac=True, method="L-BFGS-B", bounds=ends,
                     options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000})  # fmt: skip
    assert found.log_likelihood == pytest.approx(-other.fun, abs=1e-5)
    assert found.learned == 6  # three Shapley values that sum to 1, three interactions, tau
    assert found.bic == pytest.approx(6 * np.log(2500) - 2 * found.log_likelihood)
    away = (found.shapley - TRUTH.shapley) / found.shapley_errors
    assert (np.abs(away) < 3).all()
    upper = np.triu_indices(3, 1)
    away = (found.matrix - TRUTH.interactions)[upper] / found.errors[upper]
    assert (np.abs(away) < 3).all()
    assert "Person 0 and person 1 complement each other" in found.verdict
    assert "person 0 and person 2 stand in for each other" in found.verdict
    assert found.rule(TABLE) == pytest.approx(widened(TABLE) @ found.result.weights, abs=1e-10)
    assert json.loads(found.as_json())["interactions"][0]["first"] == "person 0"
    assert len(found.to_frame()) == 3
    assert "stand in" in found.as_html()


def test_errors_are_those_of_a_logit_in_means_and_gaps():
    statsmodels = pytest.importorskip("statsmodels.api")
    found, one, other = wf.interactions(X=decided()), *np.triu_indices(3, 1)
    columns = np.hstack([TABLE, -0.5 * np.abs(TABLE[:, one] - TABLE[:, other])])
    apart = columns[PAIRS[:, 0]] - columns[PAIRS[:, 1]]
    logit = statsmodels.Logit((decided().outcomes > 0).astype(float), apart).fit(disp=0)
    b, tau = np.asarray(logit.params), np.asarray(logit.params)[:3].sum()
    assert found.log_likelihood == pytest.approx(logit.llf, abs=1e-6)  # no edge is met
    assert found.matrix[one, other] == pytest.approx(b[3:] / tau, abs=1e-5)
    slopes = np.eye(6) / tau
    slopes[:, :3] -= (b / tau**2)[:, None]
    errors = np.sqrt(np.diag(slopes @ logit.cov_params() @ slopes.T))
    assert found.shapley_errors == pytest.approx(errors[:3], rel=1e-3)
    assert found.errors[one, other] == pytest.approx(errors[3:], rel=1e-3)


def test_a_weighted_mean_has_no_interactions():
    mean = wf.families.Choquet([0.4, 0.35, 0.25], np.zeros((3, 3)))
    found = wf.interactions(X=decided(mean, 6))
    assert found.p_value > 0.05
    assert found.verdict.startswith("Nothing says")
    assert found.degrees == 3
    few = wf.interactions(X=decided(mean, 6, by=np.arange(2500) % 7)[:80])
    assert "80 decisions are few for 6 numbers" in few.notes[0]
    assert "7 decision makers" in few.notes[1]


def test_menus_lapses_and_families_side_by_side():
    choices = wf.Choices.of_comparisons(decided())
    assert wf.interactions(X=choices).log_likelihood == pytest.approx(
        wf.interactions(X=decided()).log_likelihood, abs=1e-6
    )
    slips = wf.interactions(wf.ComparisonClassifier(noise="lapse"), decided())
    assert slips.learned == 7
    wanted = ["power", "kolm", "difference", "needs", "choquet"]
    table = wf.compare(families=wanted, X=decided(), folds=2)
    assert table.best == "choquet"
    assert table.interactions.verdict == wf.interactions(X=decided()).verdict
    assert "person 0 and person 1: +0.4" in table.rows[-1].shape
    assert table.rows[-1].held_out < table.rows[0].held_out
    assert json.loads(table.as_json())["interactions"]["learned"] == 6


def test_what_has_no_answer_is_refused():
    for learner, said in (
        (wf.ComparisonClassifier(groups=[0, 0, 1]), "groups"),
        (wf.ComparisonClassifier(weights="equal"), "not learned"),
        (wf.ComparisonClassifier(prior=2.0), "a prior"),
        (wf.ComparisonClassifier(noise="none"), "likelihood|counts errors"),
    ):
        with pytest.raises(wf.InputError, match=said):
            wf.interactions(learner, decided())
    with pytest.raises(wf.InputError, match="pass a fit"):
        wf.interactions()
    with pytest.raises(wf.InputError, match="2 to 40 people"):
        wf.interactions(X=wf.Comparisons(TABLE[:, :1], PAIRS, decided().outcomes))
    with pytest.raises(wf.InputError, match="fitted estimator"):
        wf.save_model(wf.interactions(X=decided()), "nowhere.json")
