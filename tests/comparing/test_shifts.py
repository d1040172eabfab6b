"""How the learned power moves with the constant, and comparisons that zeros do not end."""

from __future__ import annotations

import json

import numpy as np
import pytest

import welfarist as wf


@pytest.fixture(scope="module")
def decided():
    rng = np.random.default_rng(3)
    answers = rng.integers(0, 11, (50, 2)).astype(float)
    pairs = rng.permuted(np.tile(np.arange(50), (600, 1)), axis=1)[:, :2]
    truth = wf.WelfareFunction(-1, [0.6, 0.4], shift=1)
    margin = 6 * (truth.log(answers[pairs[:, 0]]) - truth.log(answers[pairs[:, 1]]))
    return wf.Comparisons(answers, pairs, rng.random(600) < 1 / (1 + np.exp(-margin)))


def test_each_row_is_a_fit_of_its_own(decided):
    table = wf.shift_table(wf.ComparisonClassifier(), decided, shifts=[1, 0, 4])
    assert [row.shift for row in table.rows] == [0, 1, 4]
    assert [row.zeros for row in table.rows] == [True, False, False]
    for row in table.rows[1:]:
        fit = wf.ComparisonClassifier(shift=row.shift).fit(decided)
        assert row.p == fit.p_
        assert (row.low, row.high) == fit.result_.interval("p")
        assert row.log_likelihood == fit.result_.llf
        assert row.score == fit.result_.accuracy
    assert table.rows[1].p > table.rows[2].p  # the further from zero, the less ratios differ


def test_the_constants_suit_the_scale(decided):
    learned = wf.ComparisonClassifier(shift=3).fit(decided)
    table = learned.result_.shifts()
    assert [row.shift for row in table.rows] == [0, 0.1, 1, 2, 3, 5, 10]
    assert table.rows[4].p == learned.p_
    text = str(table)
    assert "* some utility is 0" in text
    assert json.loads(table.as_json())["rows"][4]["p"] == pytest.approx(learned.p_)
    assert list(table.to_frame()["shift"]) == [0, 0.1, 1, 2, 3, 5, 10]
    assert "tabular" in table.as_latex()
    assert "<table" in table.as_html()


def test_a_doctrine_that_zeros_exclude_is_a_gap(decided):
    table = wf.shift_table(wf.ComparisonClassifier(p="Nash"), decided, shifts=[0, 1])
    assert (table.rows[0].p, table.rows[1].p) == (None, 0.0)
    assert "\N{EN DASH}" in str(table)


def test_scores_have_a_table_too():
    rng = np.random.default_rng(0)
    answers = rng.integers(0, 11, (80, 2)).astype(float)
    scores = wf.WelfareFunction(0, shift=1).equally_distributed_equivalent(answers)
    table = wf.shift_table(wf.WelfareRegressor(), answers, scores + rng.normal(0, 0.1, 80))
    assert table.measure == "R squared"
    likely = max(table.rows, key=lambda row: row.log_likelihood)
    assert likely.shift == 1


def test_fits_that_do_not_say_how_they_were_made_are_refused(decided):
    learned = wf.ComparisonClassifier(noise="flip", weights="equal", shift=1).fit(decided)
    with pytest.raises(wf.InputError, match="Pass the learner"):
        learned.result_.shifts()
    assert len(wf.shift_table(learned, decided, shifts=[1, 2]).rows) == 2


# Zeros


def test_doctrines_that_zeros_exclude_are_left_out(decided):
    found = wf.compare(
        [wf.ComparisonClassifier(), "Nash", "utilitarian", "egalitarian"], decided, folds=2
    )
    assert [row.name for row in found.rows] == ["learned p, learned weights", "utilitarian"]
    assert "Left out Nash and egalitarian, which have nothing to say" in str(found)
    assert len(found.results) == 2
    found = wf.compare(
        [wf.ComparisonClassifier(shift=1), "Nash", "utilitarian"], decided, folds=None
    )
    assert len(found.rows) == 3
    assert "Left out" not in str(found)
    assert found.rows[0].name == "learned p, learned weights, shift 1"
    assert found.results[1].shift == 1


def test_rules_bring_their_own_shift(decided):
    rules = {"one": wf.WelfareFunction(0, shift=1), "two": wf.WelfareFunction(0, shift=2)}
    found = wf.compare(rules, decided, folds=2)
    assert [result.shift for result in found.results] == [1, 2]


def test_nothing_left_is_refused(decided):
    with pytest.raises(wf.ZerosError, match=r"such as shift=1"):
        wf.compare(["Nash", "harmonic"], decided)


def test_fits_are_compared_with_their_shift(decided):
    learned = wf.ComparisonClassifier(shift=1).fit(decided)
    found = wf.compare([learned.result_, "Nash"], folds=2)
    assert found.rows[0].held_out is not None
    assert found.results[1].shift == 1
