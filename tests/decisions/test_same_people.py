"""People are matched by name wherever decisions and a fit have names."""

from __future__ import annotations

import numpy as np
import pandas
import pytest

import welfarist as wf

NAMES = ["staff", "patients", "donors"]


@pytest.fixture(scope="module")
def table():
    values = np.random.default_rng(4).uniform(1, 10, (30, 3))
    return pandas.DataFrame(values, columns=NAMES)


@pytest.fixture(scope="module")
def pairs():
    return wf.simulate.random_pairs(30, 300, random_state=4)


def outcomes(table, pairs):
    value = wf.WelfareFunction(-1, [0.6, 0.3, 0.1]).log(table.to_numpy())
    noise = np.random.default_rng(5).logistic(size=len(pairs))
    return np.where(8 * (value[pairs[:, 0]] - value[pairs[:, 1]]) + noise > 0, 1, -1)


@pytest.mark.parametrize("learner", [wf.ComparisonClassifier, wf.ChoiceLearner])
def test_columns_in_another_order_are_the_same_people(table, pairs, learner):
    decided = outcomes(table, pairs)
    fit = learner(random_state=0).fit(wf.Comparisons(table, pairs, decided))
    same = wf.Comparisons(table, pairs, decided)
    turned = wf.Comparisons(table[NAMES[::-1]], pairs, decided)
    assert fit.predict(turned).tolist() == fit.predict(same).tolist()
    assert fit.score(turned) == fit.score(same)
    if learner is wf.ChoiceLearner:
        assert fit.log_loss(turned) == pytest.approx(fit.log_loss(same), rel=1e-12)


def test_scores_of_columns_in_another_order(table):
    scores = wf.WelfareFunction(-1, [0.6, 0.3, 0.1])(table.to_numpy())
    fit = wf.WelfareRegressor().fit(table, scores)
    turned = wf.Scores.of(table[NAMES[::-1]], scores)
    assert fit.predict(turned) == pytest.approx(fit.predict(table), rel=1e-12)


def test_other_people_are_refused(table, pairs):
    decided = outcomes(table, pairs)
    fit = wf.ComparisonClassifier(random_state=0).fit(wf.Comparisons(table, pairs, decided))
    others = table.rename(columns={"donors": "neighbours"})
    with pytest.raises(wf.InputError, match="no column 'donors' and the unknown 'neighbours'"):
        fit.predict(wf.Comparisons(others, pairs, decided))


def test_other_groups_of_a_sketch_are_refused(pairs):
    rng = np.random.default_rng(6)
    people = np.exp(rng.normal(size=(600, 30)))
    first = wf.Sketch.of(people, groups=rng.choice(["a", "b", "c"], 600))
    second = wf.Sketch.of(people, groups=rng.choice(["b", "c", "d"], 600))
    value = first.log_mean(0.0)
    decided = np.where(value[pairs[:, 0]] > value[pairs[:, 1]], 1, -1)
    decided[::3] *= -1
    fit = wf.ComparisonClassifier(weights="equal").fit(wf.Comparisons(first, pairs, decided))
    with pytest.raises(wf.InputError, match="no column 'a' and the unknown 'd'"):
        fit.predict(wf.Comparisons(second, pairs, decided))


def test_people_without_names_are_taken_by_place(table, pairs):
    decided = outcomes(table, pairs)
    numbered = wf.Comparisons(table.to_numpy(), pairs, decided)
    fit = wf.ComparisonClassifier(random_state=0).fit(numbered)
    named = wf.Comparisons(table, pairs, decided)
    assert fit.predict(named).tolist() == fit.predict(numbered).tolist()
