"""Families side by side: who is named, what is said of ties, and what is left out."""

from __future__ import annotations

import json

import numpy as np
import pytest

import welfarist as wf

RNG = np.random.default_rng(12)
TABLE = RNG.uniform(1.0, 10.0, (300, 4))
PAIRS = wf.simulate.random_pairs(300, 1500, random_state=12)
WEIGHTS = [0.4, 0.3, 0.2, 0.1]


def decided_by(rule, tau, table=TABLE):
    value = rule.value(table)
    chance = 1.0 / (1.0 + np.exp(-tau * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]])))
    first = np.random.default_rng(3).random(len(PAIRS)) < chance
    return wf.Comparisons(table, PAIRS, first, least=-np.inf)


GAPS = decided_by(wf.families.KolmPollak(0.4, WEIGHTS), 3.0)


def test_the_family_that_decided_is_named():
    found = wf.compare(families="all", X=GAPS)
    assert [row.name for row in found.rows] == ["power", "kolm", "rank"]
    assert found.best == found.recommended == "kolm"
    assert found.verdict.startswith("kolm describes these decisions best")
    kolm = wf.ComparisonClassifier(family="kolm").fit(GAPS).result_
    row = found.rows[1]
    assert (row.log_likelihood, row.bic, row.learned) == (kolm.llf, kolm.bic, 5)
    assert row.held_out_behind is None
    assert found.rows[2].held_out_behind > 5 * found.rows[2].held_out_error
    assert json.loads(found.as_json())["best"] == "kolm"
    assert len(found.to_frame()) == 3
    assert "held-out loss" in found.as_html()
    places = decided_by(wf.families.RankDependent([0.6, 0.2, 0.1, 0.1]), 12.0)
    assert wf.compare(families=["power", "rank"], X=places, folds=None).best == "rank"


def test_ties_are_said_and_power_means_preferred():
    sums = decided_by(wf.WelfareFunction(-0.5, WEIGHTS), 1.0)  # with so much noise nobody can tell
    found = wf.compare(wf.ComparisonClassifier(p=1), sums[:300], families=["kolm", "power"])
    assert set(found.tied) == {"power", "kolm"}
    assert found.recommended == "power"
    assert "cannot tell" in found.verdict


def test_groups_are_nests_and_options_are_shared():
    learner = wf.ComparisonClassifier(groups=["a", "b", "a", "b"], noise="lapse")
    found = wf.compare(learner, GAPS, families=["power", "nested", "rank power"], folds=None)
    assert [row.learned for row in found.rows] == [6, 7, 6]
    assert "q = " in found.rows[1].shape
    assert all("rho" in result.extras for result in found.results)


def test_families_without_an_answer_are_left_out_with_the_reason():
    negative = decided_by(wf.families.KolmPollak(0.4, WEIGHTS), 3.0, TABLE - 5.0)
    found = wf.compare(wf.ComparisonClassifier(family="kolm"), negative, families="all", folds=2)
    assert [row.name for row in found.rows] == ["kolm"]
    assert "not negative" in found.left_out["power"]
    with pytest.raises(wf.InputError, match='"all" or a list'):
        wf.compare(families="kolm", X=GAPS)
    with pytest.raises(wf.InputError, match="one learner or fit"):
        wf.compare(["Nash"], GAPS, families="all")


def test_each_row_is_what_it_says_whatever_the_learner_was():
    """Rank dependent means and needs are made of power means, and are none themselves."""
    wanted = ["power", "rank", "needs", "difference", "kolm"]
    plain = wf.compare(families=wanted, X=GAPS, folds=None)
    for option in ({"family": "rank"}, {"family": "needs"}, {"margin": "difference"}):
        found = wf.compare(wf.ComparisonClassifier(**option), GAPS, families=wanted, folds=None)
        for row, other in zip(found.rows, plain.rows, strict=True):
            assert row.name == other.name
            assert row.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-5)


def test_weights_of_people_are_none_of_places():
    known = wf.ComparisonClassifier(weights=WEIGHTS)
    found = wf.compare(known, GAPS, families="all", folds=None)
    assert [row.name for row in found.rows] == ["power", "kolm"]
    assert "weights of people" in found.left_out["rank"]


def test_what_contains_what_is_said():
    found = wf.compare(families=["power", "kolm", "needs"], X=GAPS, folds=2)
    assert found.alike == (
        "needs contains kolm (its zero far away) and fits no better: only how many numbers are "
        "learned tells them apart.",
    )
    assert " ".join(found.alike[0].split()) in " ".join(str(found).split())
    assert found.best == "kolm"


def test_a_rule_that_has_nothing_to_say_of_held_out_decisions_has_no_held_out_loss():
    low = TABLE.copy()
    low[0] = 1e-9  # below any zero that is learned without it
    value = wf.WelfareFunction(0.5, WEIGHTS).log(TABLE - 0.999)
    rows = np.hstack([low[PAIRS[:, 0]], low[PAIRS[:, 1]]])
    first = np.random.default_rng(3).random(len(PAIRS)) < 1.0 / (
        1.0 + np.exp(-6.0 * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]]))
    )
    decisions = wf.Comparisons.from_arrays(rows[:, :4], rows[:, 4:], first)
    found = wf.compare(families=["power", "needs"], X=decisions, folds=2)
    assert found.rows[0].held_out is not None
    assert found.rows[1].held_out is None or found.rows[1].held_out > 0
    assert isinstance(found.verdict, str)
    assert isinstance(str(found), str)


def test_scores_have_no_margin():
    truth = wf.WelfareFunction(0.5, WEIGHTS)(TABLE)
    scores = truth + np.random.default_rng(1).normal(0, 0.1, len(TABLE))
    wanted = ["power", "difference", "choquet", "needs"]
    found = wf.compare(wf.WelfareRegressor(), TABLE, scores, families=wanted, folds=2)
    assert list(found.left_out) == ["difference"]
    assert {row.name for row in found.rows} == {"power", "choquet", "needs"}


def test_misfit_names_the_family_that_would_fit_better():
    steep = decided_by(wf.families.KolmPollak(0.9, WEIGHTS), 4.0)
    found = wf.ComparisonClassifier().fit(steep).result_.misfit()
    assert found.clear
    assert found.family.family.name == "kolm"
    assert "Kolm-Pollak functions describe them better" in found.verdict
    assert wf.ComparisonClassifier(family="kolm").fit(steep).result_.misfit().family is None
