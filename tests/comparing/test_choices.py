"""Rules beside each other on choices from menus: recommenders' rules, and choices held out."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from tests.learners.test_choices import needs_data, tourism
from welfarist.decisions.folds import folds_of

# Two ways to add up the same numbers.
ROUNDING = 1e-9
WORLD = wf.simulate.individuals(60, 3, p=-1.0, weights="equal", random_state=1)
MENUS = wf.simulate.random_menus(60, 300, 5, random_state=1)
CHOSEN = wf.simulate.choices(WORLD, MENUS, tau=12, random_state=1)
RANKED = wf.simulate.rankings(WORLD, MENUS[:80], tau=12, places=2, random_state=1)
RECOMMENDERS = ["average", "least misery", "most pleasure", "multiplicative"]


def rows_of(table):
    return {row.name: row for row in table.rows}


@needs_data
def test_groups_left_out_are_predicted_at_least_as_well_as_by_the_average():
    table, menus, rankings = tourism()
    first = wf.Choices(table, menus, [ranking[0][0] for ranking in rankings], absent=True)
    items = {"learned": wf.ChoiceLearner(weights="equal"), **{name: name for name in RECOMMENDERS}}
    rows = rows_of(wf.compare(items, first, folds=len(first)))
    # Ties are shared: of 75 groups the average is right about 31.17.
    assert rows["average"].held_out == pytest.approx(31.17 / 75, abs=1e-4)
    assert rows["least misery"].held_out == pytest.approx(0.286, abs=0.001)
    assert rows["learned"].held_out >= rows["average"].held_out
    losses = {name: row.held_out_log_loss for name, row in rows.items()}
    assert losses["learned"] == min(losses.values())


def test_recommenders_rules_weigh_everybody_equally():
    learner = wf.ChoiceLearner(random_state=0)
    rows = rows_of(wf.compare([learner, *RECOMMENDERS], CHOSEN, folds=None))
    powers = [rows[name].p for name in RECOMMENDERS]
    assert powers == [1.0, -np.inf, np.inf, 0.0]
    assert all(rows[name].learned == 1 for name in RECOMMENDERS)
    fitted = wf.ChoiceLearner(p=0, weights="equal").fit(CHOSEN)
    assert rows["multiplicative"].log_likelihood == pytest.approx(fitted.result_.llf, rel=ROUNDING)
    assert rows["multiplicative"].held_out_log_loss is None
    chance = -300 * np.log(5)
    expected = 1 - fitted.result_.llf / chance
    assert rows["multiplicative"].pseudo_r_squared == pytest.approx(expected, rel=ROUNDING)
    pairs = wf.Comparisons(WORLD.utilities, MENUS[:, :2], np.tile([1, -1], 150))
    assert wf.compare(["Average"], pairs, folds=None).rows[0].name == "average"


def test_held_out_choices_are_predicted_from_the_others():
    table = wf.compare([wf.ChoiceLearner(weights="equal")], CHOSEN, folds=3, random_state=4)
    part = folds_of(CHOSEN, 3, np.random.default_rng(4))
    right, loss = 0.0, 0.0
    for k in range(3):
        fitted = wf.ChoiceLearner(weights="equal").fit(CHOSEN[part != k])
        held = CHOSEN[part == k]
        chances = fitted.predict_proba(held)
        menus = held.first_menus()
        taken = np.split(menus.taken, menus.starts[1:-1])
        right += sum(float(t[np.argmax(c)]) for c, t in zip(chances, taken, strict=True))
        loss -= sum(float(np.log(c[t == 1][0])) for c, t in zip(chances, taken, strict=True))
    row = table.rows[0]
    assert row.held_out == pytest.approx(right / 300, rel=ROUNDING)
    assert row.held_out_log_loss == pytest.approx(loss / 300, rel=ROUNDING)
    assert table.best("held_out_log_loss") == (row.name,)
    text = str(table)
    assert "first choices" in text
    assert "held-out loss" in text
    assert "Held-out first choices: in 3 parts, by menus" in text
    assert "every action of a menu alike" in table.as_latex()
    assert table.to_dict()["rows"][0]["held_out_log_loss"] == row.held_out_log_loss
    assert "held_out_log_loss" in table.to_frame().columns


def test_rankings_and_decision_makers_are_held_out_as_a_whole():
    seen = []

    class Watching(wf.ChoiceLearner):
        def fit(self, X, y=None):
            seen.append(X)
            return super().fit(X, y)

    wf.compare([Watching(weights="equal")], RANKED, folds=4)
    assert len(seen) == 5  # all, and four parts
    for part in seen[1:]:
        assert len(part) == 60
        assert (np.bincount(part.decision) == 2).all()
    seen.clear()
    named = wf.Choices(WORLD.utilities, MENUS, MENUS[:, 0], by=np.arange(300) % 6)
    table = wf.compare([Watching(weights="equal", p=1)], named, folds=3)
    assert [len(np.unique(part.by)) for part in seen] == [6, 4, 4, 4]
    assert table.clusters == 6
    assert "by decision makers" in str(table)


def test_stages_and_size_effects_are_named():
    items = [wf.ChoiceLearner(weights="equal", tau_by_stage=True), wf.ChoiceLearner()]
    names = [row.name for row in wf.compare(items, RANKED, folds=None).rows]
    assert names == ["learned p, equal weights, tau by stage", "learned p, learned weights"]


def test_what_cannot_be_compared_is_said():
    with pytest.raises(wf.InputError, match="Recommenders' rules are average, least misery"):
        wf.compare(["median"], CHOSEN)
    with pytest.raises(wf.InputError, match="found a ComparisonClassifier"):
        wf.compare([wf.ComparisonClassifier()], CHOSEN)
    with pytest.raises(wf.InputError, match="hold their outcomes"):
        wf.compare(["average"], CHOSEN, [1] * 300)
    with pytest.raises(wf.InputError, match='"held_out_log_loss"; found'):
        wf.compare(["average"], CHOSEN, folds=None).best("p")


def test_shifts_of_choices_with_people_who_are_absent():
    utilities = np.array(WORLD.utilities)
    utilities[:, 2][::3] = np.nan
    choices = wf.Choices(utilities, MENUS, MENUS[:, 0], absent=True)
    found = wf.shift_table(wf.ChoiceLearner(weights="equal"), choices, shifts=[0, 100])
    assert [row.shift for row in found.rows] == [0, 100]
    assert not any(row.zeros for row in found.rows)
    assert found.measure == "first choices"


def test_a_fit_to_choices_is_a_pilot_of_learning_curves():
    pilot = wf.ChoiceLearner().fit(CHOSEN)
    curve = wf.bounds.learning_curve(
        pilot, "logistic", n=50, repetitions=2, utilities=WORLD.utilities, test=500, random_state=1
    )
    assert curve.parameters["tau"] == pytest.approx(pilot.tau_)
    with pytest.raises(wf.InputError, match='"scores" must come with nu'):
        wf.bounds.learning_curve(pilot, "scores", utilities=WORLD.utilities)
