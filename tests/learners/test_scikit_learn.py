"""What users of scikit-learn try: lazy frames, scorers, pickles, warm starts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import welfarist as wf
from benchmarks import problems

SCORES = problems.scores(0, 150, 3, p=0.5, noise=0.02)
WORLD = wf.simulate.individuals(60, 3, p=-1, random_state=3)
CHOICES = wf.simulate.comparisons(
    WORLD, wf.simulate.random_pairs(60, 500, random_state=3), tau=6, random_state=3
)
ROWS = np.hstack([CHOICES.utilities[CHOICES.pairs[:, i]] for i in (0, 1)])
PEOPLE = ["staff", "payers", "patients"]


# --- lazy frames -------------------------------------------------------------------------------


def test_lazy_frames_are_collected():
    lazy = pl.LazyFrame(SCORES.utilities, schema=PEOPLE)
    plain = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores)
    est = wf.WelfareRegressor().fit(lazy, pl.LazyFrame({"score": SCORES.scores}))
    assert est.p_ == plain.p_
    assert est.welfare_.stakeholders == tuple(PEOPLE)
    assert (est.predict(lazy) == plain.predict(SCORES.utilities)).all()
    assert (est.welfare_(lazy) == plain.welfare_(SCORES.utilities)).all()
    names = [f"{person}_{side}" for side in "xy" for person in PEOPLE]
    wide, target = pl.LazyFrame(ROWS, schema=names), pl.LazyFrame({"choice": CHOICES.outcomes})
    chosen = wf.ComparisonClassifier().fit(wide, target)
    table = pl.LazyFrame(CHOICES.utilities, schema=PEOPLE)
    same = wf.ComparisonClassifier().fit(wf.Comparisons(table, CHOICES.pairs, target))
    assert chosen.p_ == pytest.approx(same.p_, rel=1e-6)
    assert chosen.score(wide, target) == pytest.approx(same.result_.accuracy)
    assert (chosen.predict(wide) == chosen.predict(wide.collect())).all()


def test_frames_that_are_worked_out_elsewhere_are_refused_in_words():
    dask = type("DataFrame", (), {"columns": ["a", "b"], "__module__": "dask.dataframe"})()
    for use in (
        lambda: wf.WelfareRegressor().fit(dask, [1.0]),
        lambda: wf.WelfareFunction(0)(dask),
        lambda: wf.Comparisons(dask, [[0, 1]], [1]),
    ):
        with pytest.raises(wf.InputError, match=r"in memory.*Call \.compute\(\) first"):
            use()


# --- words for what is to be learned -----------------------------------------------------------


def test_learn_is_a_word_for_what_is_left_out():
    est = wf.WelfareRegressor(p="learn").fit(SCORES.utilities, SCORES.scores)
    plain = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores)
    assert est.p_ == plain.p_
    assert est.result_.given == ()
    assert est.result_.summary() == plain.result_.summary()
    assert wf.ComparisonClassifier(p="Learn").fit(CHOICES).result_.given == ()
    flips = wf.ComparisonClassifier(noise="flip", p="learn", weights="equal")
    assert flips.fit(CHOICES).result_.given == ("weights",)
    names = wf.compare([est, plain], folds=None)
    assert "learned p, learned weights (2)" in str(names)


def test_weights_of_none_are_refused_because_they_could_mean_two_things():
    for est in (wf.WelfareRegressor(weights=None), wf.ComparisonClassifier(weights=None)):
        with pytest.raises(wf.InputError, match=r'"learn", "equal" or one number.*Say which'):
            est.fit(ROWS, CHOICES.outcomes)


# --- scorers -----------------------------------------------------------------------------------

NAMES = ["accuracy", "neg_log_loss", "roc_auc", "balanced_accuracy"]


def measured(found):
    return {name: scores for name, scores in found.items() if name.startswith("test_")}


def test_scorers_work_on_comparisons_as_on_tables():
    est, cv = wf.ComparisonClassifier(), KFold(3)
    custom = {name: name for name in NAMES} | {"own": make_scorer(lambda y, z: np.mean(y == z))}
    table = measured(cross_validate(est, ROWS, CHOICES.outcomes, scoring=custom, cv=cv))
    for y in (None, CHOICES.outcomes):
        found = measured(cross_validate(est, CHOICES, y, scoring=custom, cv=cv))
        assert found.keys() == table.keys()
        for name, scores in found.items():
            assert scores == pytest.approx(table[name], rel=1e-6), name
    for name in NAMES:
        alone = cross_val_score(est, CHOICES, scoring=name, cv=cv)
        assert alone == pytest.approx(table[f"test_{name}"], rel=1e-6)
    assert table["test_own"] == pytest.approx(table["test_accuracy"])


def test_a_search_takes_several_scorers_and_pipelines():
    scaled = make_pipeline(wf.PairTransformer(MaxAbsScaler()), wf.ComparisonClassifier())
    search = GridSearchCV(
        scaled,
        {"comparisonclassifier__p": [-1.0, 1.0]},
        scoring=["accuracy", "neg_log_loss"],
        refit="neg_log_loss",
        cv=3,
    ).fit(CHOICES)
    for name in ("accuracy", "neg_log_loss"):
        assert np.isfinite(search.cv_results_[f"mean_test_{name}"]).all()
    assert search.best_params_ == {"comparisonclassifier__p": -1.0}
    assert get_scorer("accuracy")(search, CHOICES) > 0.8


def test_ties_are_half_of_each_and_counts_are_weights():
    decided = CHOICES
    outcomes = decided.outcomes.copy()
    outcomes[::5] = 0
    counts = np.arange(len(decided)) % 3 + 1.0
    some = wf.Comparisons(decided.utilities, decided.pairs, outcomes, counts=counts)
    est = wf.ComparisonClassifier().fit(some)
    own = make_scorer(lambda y, z: accuracy_score(y, z))  # takes no weights
    for scorer in (get_scorer("accuracy"), own):
        assert scorer(est, some) == pytest.approx(est.score(some))
    # The mean loss of a fit is what the scorer says of the same decisions.
    assert get_scorer("neg_log_loss")(est, some) == pytest.approx(-est.loss_)
    assert np.isfinite(get_scorer("roc_auc")(est, some))
    uneven = wf.Comparisons(decided.utilities, decided.pairs, outcomes, counts=counts / 3)
    with pytest.raises(wf.InputError, match="whole numbers"):
        own(est, uneven)


def test_labels_are_those_of_the_classifier():
    words = np.where(CHOICES.outcomes > 0, "first", "second")  # not in the order of the alphabet
    est = wf.ComparisonClassifier().fit(ROWS, words)
    decided = CHOICES
    for name in NAMES:
        scorer = get_scorer(name)
        assert scorer(est, decided) == pytest.approx(scorer(est, ROWS, words))


def test_scorers_work_on_scores():
    decided = wf.Scores.of(SCORES.utilities, SCORES.scores)
    names = ["r2", "neg_mean_squared_error"]
    est, cv = wf.WelfareRegressor(), KFold(3)
    found = measured(cross_validate(est, decided, scoring=names, cv=cv))
    table = measured(cross_validate(est, SCORES.utilities, SCORES.scores, scoring=names, cv=cv))
    for name, scores in found.items():
        assert scores == pytest.approx(table[name])
    assert cross_val_score(est, decided, cv=cv) == pytest.approx(table["test_r2"])
    fitted = est.fit(decided)
    assert fitted.score(decided) == pytest.approx(fitted.result_.r_squared)
    assert (fitted.predict(decided) == fitted.predict(SCORES.utilities)).all()


def test_another_y_beside_decisions_is_refused():
    est = wf.ComparisonClassifier().fit(CHOICES, CHOICES.outcomes)
    for use in (est.fit, est.score, lambda X, y: get_scorer("accuracy")(est, X, y)):
        with pytest.raises(wf.InputError, match="Comparisons hold their outcomes"):
            use(CHOICES, -CHOICES.outcomes)
    with pytest.raises(wf.InputError, match="Scores hold their outcomes"):
        wf.WelfareRegressor().fit(wf.Scores.of(SCORES.utilities, SCORES.scores), SCORES.scores + 1)


def test_other_scorers_do_what_they_did():
    est = wf.ComparisonClassifier().fit(ROWS, CHOICES.outcomes)
    with pytest.raises(TypeError, match="y_true"):
        get_scorer("accuracy")(est, ROWS)
    assert get_scorer("accuracy")(est, ROWS, CHOICES.outcomes) == est.score(ROWS, CHOICES.outcomes)


# --- names of scored actions -------------------------------------------------------------------


def test_surprising_scores_have_names():
    called = [f"plan {i}" for i in range(len(SCORES.scores))]
    frame = pd.DataFrame(SCORES.utilities, columns=PEOPLE, index=called)
    from_index = wf.WelfareRegressor().fit(frame, SCORES.scores).result_
    decided = wf.Scores.of(SCORES.utilities, SCORES.scores, names=called)
    given = wf.WelfareRegressor().fit(decided).result_
    for result in (from_index, given):
        found = result.surprises(3)
        row = found[0].row
        assert found[0].name == found[0].action == f"plan {row}"
        assert f"row {row}: plan {row} was scored" in str(found)
        assert found.to_frame()["action"].tolist()[0] == f"plan {row}"
        assert decided[[row]].names == (f"plan {row}",)
    plain = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores).result_.surprises(1)[0]
    assert plain.name is None
    assert plain.action == f"action {plain.row}"
    assert f"row {plain.row}: scored" in str(plain)
    with pytest.raises(wf.InputError, match="one name per action"):
        wf.Scores.of(SCORES.utilities, SCORES.scores, names=called[1:])
