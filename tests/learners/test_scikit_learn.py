"""What users of scikit-learn try: lazy frames, scorers, pickles, warm starts."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import welfarist as wf
from benchmarks import problems

SCORES = problems.scores(0, 150, 3, p=0.5, noise=0.02)
CHOICES = problems.comparisons(0, 60, 3, 500, p=-0.8, tau=8.0)
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
    assert chosen.score(wide, target) == same.result_.accuracy
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
    assert wf.ComparisonClassifier(p="Learn").fit(CHOICES.comparisons()).result_.given == ()
    flips = wf.ComparisonClassifier(noise="flip", p="learn", weights="equal")
    assert flips.fit(CHOICES.comparisons()).result_.given == ("weights",)
    names = wf.compare([est, plain], folds=None)
    assert "learned p, learned weights (2)" in str(names)


def test_weights_of_none_are_refused_because_they_could_mean_two_things():
    for est in (wf.WelfareRegressor(weights=None), wf.ComparisonClassifier(weights=None)):
        with pytest.raises(wf.InputError, match='"learn", "equal" or one number.*Say which'):
            est.fit(ROWS, CHOICES.outcomes)
