"""Panels: who decided what, and which decisions and learners are refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.deciders import plainly
from tests.deciders.panels import ALTRUISTS, made_choices, made_comparisons, panel_of
from welfarist import (
    ChoiceLearner,
    Choices,
    ComparisonClassifier,
    Comparisons,
    InputError,
    Scores,
    WelfareRegressor,
)
from welfarist.losses import Point

U = [[4.0, 1.0], [2.0, 2.0], [1.0, 9.0]]
PAIRS, BY = [[0, 1], [1, 2], [0, 2]], ["b", "a", "b"]


def test_people_are_in_the_order_of_their_names():
    panel = panel_of(Comparisons(U, PAIRS, [1, -1, 1], by=BY))
    assert panel.names.tolist() == ["a", "b"]
    assert panel.people == 2
    assert panel.total == 3
    assert panel.counts.tolist() == [1.0, 2.0]
    assert panel.number.tolist() == [1, 0, 1]


def test_who_decided_nothing_that_counts_is_not_there():
    decisions = Comparisons(U, PAIRS, [1, -1, 1], [1, 2, 0], by=["a", "b", "c"])
    panel = panel_of(decisions)
    assert panel.names.tolist() == ["a", "b"]
    assert panel.counts.tolist() == [1.0, 2.0]


def test_who_has_only_ties_stays():
    decisions = Comparisons(U, PAIRS, [1, 0, -1], by=["a", "b", "c"])
    panel = panel_of(decisions)
    point = Point(np.array([0.6, 0.4]), 0.2, np.array([1.0]))
    found = panel.log_likelihoods([point])[:, 0]
    expected = plainly.by_person(decisions, (0.2, (0.6, 0.4), np.e))
    assert found == pytest.approx(expected, abs=1e-12)  # rounding


def test_who_had_no_choice_says_nothing():
    decisions = Choices(U, [[0, 1], [2], [1, 2]], [0, 2, 1], by=["a", "b", "c"])
    panel = panel_of(decisions)
    point = Point(np.array([0.6, 0.4]), 0.2, np.array([1.0]))
    found = panel.log_likelihoods([point])[:, 0]
    assert len(found) == panel.people
    assert dict(zip(panel.names.tolist(), found.tolist(), strict=True))["b"] == 0.0


def test_weighted_decisions_are_those_of_people_counted_more_than_once():
    decisions = made_comparisons(ties=0.1)
    panel = panel_of(decisions)
    times = np.arange(panel.people, dtype=float)
    point = Point(np.array(ALTRUISTS[1]), ALTRUISTS[0], np.array([np.log(ALTRUISTS[2])]))
    each = plainly.by_person(decisions, ALTRUISTS)
    loss = panel.weighted(times)
    found = -loss.evaluate(point).value * loss.observed.total
    assert found == pytest.approx(times @ each, rel=1e-12)  # rounding


def test_comparisons_may_be_choices_from_menus_of_two():
    decisions = made_comparisons()
    as_pairs, as_menus = panel_of(decisions), panel_of(decisions, ChoiceLearner())
    point = Point(np.array([0.6, 0.4]), 0.2, np.array([1.0]))
    found = [panel.log_likelihoods([point]) for panel in (as_pairs, as_menus)]
    assert found[1] == pytest.approx(found[0], abs=1e-12)  # rounding


@pytest.mark.parametrize(
    ("learner", "decisions", "message"),
    [
        (None, Comparisons(U, PAIRS, [1, -1, 1]), "must say who decided; found none with names"),
        (None, Choices(U, PAIRS, [0, 1, 2]), "must say who decided; found none with names"),
        (None, Comparisons(U, PAIRS, [1, -1, 1], by=["a"] * 3), "found decisions of a alone"),
        (
            None,
            Comparisons(U, [*PAIRS, [0, 1]], [0, 0, 1, -1], by=[*BY, "a"])[:2],
            "found nothing but ties",
        ),
        (
            None,
            Scores(U, [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]),
            "found scores, which do not say who decided",
        ),
        (None, [[1, 2], [3, 4]], "found list"),
        (WelfareRegressor(), Comparisons(U, PAIRS, [1, 1, 1], by=BY), "found WelfareRegressor"),
        (
            ComparisonClassifier(),
            Choices(U, PAIRS, [0, 1, 2], by=BY),
            "takes comparisons; found Choices",
        ),
        (
            ComparisonClassifier(noise="none"),
            Comparisons(U, PAIRS, [1, 1, 1], by=BY),
            'found noise="none", under which errors are counted',
        ),
        (
            ChoiceLearner(noise="flip"),
            Choices(U, PAIRS, [0, 1, 2], by=BY),
            'found noise="flip", under which errors are counted',
        ),
        (
            ComparisonClassifier(prior=2.0),
            Comparisons(U, PAIRS, [1, 1, 1], by=BY),
            "a prior on the weights is not used",
        ),
    ],
)
def test_bad_input_is_refused_in_one_sentence(learner, decisions, message):
    with pytest.raises(InputError, match=message):
        panel_of(decisions, learner)


def test_decisions_in_files_are_refused(tmp_path):
    table = pa.table({"first": [0, 1], "second": [1, 2], "outcome": [-1, 1]})
    pq.write_table(table, tmp_path / "part.parquet")
    with pytest.raises(InputError, match="that are in memory; found some that stay in their files"):
        panel_of(Comparisons.scan(tmp_path, U))


def test_choices_are_read_with_the_options_of_the_learner():
    panel = panel_of(made_choices(), ChoiceLearner(noise="lapse", p=0.5))
    assert panel.setup.p == 0.5
    assert [parameter.name for parameter in panel.loss.parameters] == ["tau", "rho"]
