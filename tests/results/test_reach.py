"""Far out what acts is a weight's reach, and what is flat is not shown to four digits."""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import welfarist as wf
from tests import exact
from welfarist.families.power_mean.reach import reach_of

REACH = np.array([1.0, 0.2, 0.23, 0.16])
NAMES = ("west", "east", "north", "south")


def far_fit(sign):
    """A rule that looks at one person at a time, each with a reach of their own."""
    rng = np.random.default_rng(3)
    table = np.exp(rng.normal(0, 1, (40, 4)))
    value = (table * REACH).max(axis=1) if sign > 0 else (table / REACH).min(axis=1)
    pairs = wf.simulate.random_pairs(40, 300, random_state=1)
    margin = np.log(value[pairs[:, 0]] / value[pairs[:, 1]])
    outcomes = np.where(margin + rng.logistic(scale=1 / 8, size=300) > 0, 1, -1)
    decided = wf.Comparisons(pd.DataFrame(table, columns=NAMES), pairs, outcomes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return wf.ComparisonClassifier().fit(decided).result_


@pytest.fixture(scope="module")
def far():
    return far_fit(1)


@pytest.mark.parametrize("p", [12.0, 150.0, -12.0, -150.0])
def test_reach_is_what_a_person_must_have_to_decide(p):
    """Somebody alone against the one with the largest weight, in 60-digit arithmetic."""
    weights = np.array([1.0, 1e-40 ** min(1.0, abs(p) / 150)])
    weights /= weights.sum()
    reach = reach_of(weights, p)
    assert reach is not None
    # Where the other has what reach says, both sides of the mean weigh the same.
    even = np.array([1.0, 1.0 / reach[1] if p > 0 else reach[1]])
    terms = np.log(weights) + p * np.log(even)
    assert terms[0] == pytest.approx(terms[1], abs=1e-9)
    found = exact.log_mean(even, weights, p)
    assert float(found) == pytest.approx(np.log(2.0 * weights[0]) / p, abs=1e-9)


def test_ordinary_weights_have_no_reach():
    assert reach_of(np.array([0.5, 0.3, 0.2]), -1.0) is None
    assert reach_of(np.array([0.999, 0.001]), 1.0) is None
    assert reach_of(np.array([0.5, 0.5]), 40.0) is None
    assert reach_of(np.array([0.5, 0.5, 0.0]), -np.inf).tolist() == [1.0, 1.0, 0.0]
    assert reach_of(np.array([1.0, 0.0]), 0.0) is None
    # Printed as 0.0%, and yet it counts.
    assert reach_of(np.array([1.0, 1e-4]), 5.0) is not None


def test_the_reach_of_the_truth_is_found(far):
    assert far.reach == pytest.approx(REACH, abs=0.08)
    assert far.weights[1:].max() < 1e-4
    assert far_fit(-1).reach[0] == 1.0


def test_every_form_of_a_summary_has_the_reach(far):
    summary = far.summary()
    for text in (summary, summary.as_latex(), summary.as_html()):
        assert re.search(r"weight of east.*0\.1\d", text)
        assert "weights mislead" in text
    rows = {row["parameter"]: row for row in json.loads(summary.as_json())["parameters"]}
    assert rows["weight of east"]["reach"] == pytest.approx(far.reach[1])
    assert "reach" not in rows["p"]
    assert far.to_dict()["reach"]["west"] == 1.0


def test_a_comparison_in_columns_has_the_reach(far):
    table = wf.compare({"far": far, "sum": "utilitarian"}, folds=None)
    text = table.in_columns().as_text()
    assert f"[{far.reach[1]:.2f}]" in text
    assert "how far a weight reaches" in text


def test_a_report_shows_reach_and_leaves_out_what_says_nothing(far, tmp_path):
    path = tmp_path / "far.html"
    far.report(path)
    text = path.read_text(encoding="utf-8")
    assert "weights mislead" in text
    assert "100.0%" not in text
    assert "What this means for gains and losses" not in text
    assert "Gains of one person against gains of another" not in text
    assert "reach" in wf.plots.weights(far).get_xlabel()


def test_weights_that_are_not_determined_have_no_digits(tmp_path):
    rng = np.random.default_rng(5)
    table = np.exp(rng.normal(0, 1, (40, 2)))
    table = np.column_stack([table, table[:, 1]])
    pairs = wf.simulate.random_pairs(40, 300, random_state=1)
    rule = wf.WelfareFunction(-1, [0.5, 0.25, 0.25])
    margin = rule.log(table[pairs[:, 0]]) - rule.log(table[pairs[:, 1]])
    outcomes = np.where(margin + rng.logistic(scale=1 / 8, size=300) > 0, 1, -1)
    with pytest.warns(wf.NotIdentifiedWarning, match="only the sum"):
        result = wf.ComparisonClassifier().fit(wf.Comparisons(table, pairs, outcomes)).result_
    rows = result.summary().record.rows
    assert [row.determined for row in rows if row.person is not None] == [True, False, False]
    for person in (1, 2):
        line = next(x for x in result.summary().splitlines() if f"weight of person {person}" in x)
        assert re.search(r" 0\.\d  ", line)
        assert "not determined" in line
    result.report(tmp_path / "flat.html")
    assert "one of many" in (tmp_path / "flat.html").read_text(encoding="utf-8")


def test_weights_of_noise_free_choices_have_no_digits():
    rng = np.random.default_rng(6)
    table = np.exp(rng.normal(0, 1, (30, 3)))
    pairs = wf.simulate.random_pairs(30, 60, random_state=2)
    rule = wf.WelfareFunction(-1, [0.5, 0.25, 0.25])
    outcomes = rule.compare(table[pairs[:, 0]], table[pairs[:, 1]])
    plain = wf.ComparisonClassifier(small_sample="none")
    with pytest.warns(wf.SeparationWarning):
        result = plain.fit(wf.Comparisons(table, pairs, outcomes)).result_
    rows = [row for row in result.summary().record.rows if row.person is not None]
    assert not any(row.determined for row in rows)
    shape = result.summary().record.rows[:2]
    assert [(row.determined, row.note) for row in shape] == [(False, "not determined")] * 2
    for line in result.summary().splitlines()[2:4]:
        assert re.search(r" -?[\d.e+-]{1,4}  not determined$", line)
    assert result.summary().as_latex().count("& not determined") == 5  # p, aversion, 3 weights
    columns = wf.compare([result], folds=None).in_columns().rows
    assert [cells[1] for cells in columns[1:4:2]] == ["(any)", "(any)"]
    again = result.without_data().summary().record.rows[:2]
    assert [row.determined for row in again] == [False, False]


def test_a_given_power_and_noisy_choices_keep_their_digits(far):
    assert all(row.determined for row in far.summary(level=None).record.rows[:2])
    u, v = np.random.default_rng(1).uniform(1, 10, (2, 30, 2))
    outcomes = wf.WelfareFunction(0, [0.5, 0.5]).compare(u, v)
    with pytest.warns(wf.SeparationWarning):
        given = wf.ComparisonClassifier(p=0).fit(wf.Comparisons.from_arrays(u, v, outcomes))
    row = given.result_.summary().record.rows[0]
    assert (row.determined, row.note) == (True, "Nash (given)")
