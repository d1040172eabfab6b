"""One transformation for both actions of a pair."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler
from sklearn.utils.estimator_checks import check_estimator

import welfarist as wf
from benchmarks import problems

CHOICES = problems.comparisons(0, 60, 2, 400, p=-0.8, tau=12.0)
ROWS = np.hstack([CHOICES.utilities[CHOICES.pairs[:, i]] for i in (0, 1)])
NAMES = ["self_x", "other_x", "self_y", "other_y"]
# The first action is better for self throughout, so that the two sides have other ranges.
TURNED = np.where((ROWS[:, :1] > ROWS[:, 2:3]), ROWS, np.roll(ROWS, 2, axis=1))
FIRST = np.where(ROWS[:, 0] > ROWS[:, 2], CHOICES.outcomes, -CHOICES.outcomes)


def test_columns_scaled_apart_are_warned_of():
    apart = make_pipeline(MinMaxScaler((1, 10)), wf.ComparisonClassifier())
    with pytest.warns(wf.PairScalingWarning, match="the same minimum, 1, and the same maximum, 10"):
        apart.fit(TURNED, FIRST)
    assert any(c.kind is wf.PairScalingWarning for c in apart[-1].result_.caveats)
    assert "on different scales" in apart[-1].result_.summary()
    first, second = (MinMaxScaler((1, 10)).fit_transform(h) for h in np.hsplit(TURNED, 2))
    with pytest.warns(wf.PairScalingWarning):
        wf.ComparisonClassifier().fit(wf.Comparisons.from_arrays(first, second, FIRST))


def test_pairs_scaled_alike_give_the_same_rule_as_the_table():
    scaler = MinMaxScaler((1, 10))
    pipeline = make_pipeline(wf.PairTransformer(scaler), wf.ComparisonClassifier())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipeline.fit(TURNED, FIRST)
    scaler.fit(np.vstack(np.hsplit(TURNED, 2)))
    table = wf.Comparisons(scaler.transform(CHOICES.utilities), CHOICES.pairs, CHOICES.outcomes)
    assert pipeline[-1].p_ == pytest.approx(wf.ComparisonClassifier().fit(table).p_, rel=1e-6)


def test_a_wider_table_of_names_reaches_the_transformer_as_people():
    for library in (pd.DataFrame, pl.DataFrame):
        frame = library(dict(zip(NAMES, TURNED.T, strict=True)))
        by_name = ColumnTransformer(
            [("one", MinMaxScaler((1, 2)), ["self"]), ("rest", "passthrough", ["other"])],
            verbose_feature_names_out=False,
        )
        made = wf.PairTransformer(by_name).fit(frame)
        assert made.transformer_.feature_names_in_.tolist() == ["self", "other"]
        assert made.get_feature_names_out().tolist() == NAMES
        found = made.transform(frame)
        assert found[:, [1, 3]] == pytest.approx(TURNED[:, [1, 3]])
        low, high = found[:, [0, 2]].min(), found[:, [0, 2]].max()
        assert (low, high) == pytest.approx((1, 2))
        assert found[:, 0].min() > 1  # the smallest utility of all is on the other side


def test_names_and_frames_out():
    frame = pd.DataFrame(TURNED, columns=NAMES)
    made = wf.PairTransformer(MinMaxScaler((1, 10))).set_output(transform="pandas").fit(frame)
    assert list(made.transform(frame).columns) == NAMES
    turned = wf.PairTransformer(PCA(1)).fit(TURNED)
    assert turned.get_feature_names_out().tolist() == ["first_pca0", "second_pca0"]
    back = made.inverse_transform(made.transform(frame))
    assert back == pytest.approx(TURNED)
    assert not hasattr(wf.PairTransformer(FunctionTransformer()), "no_such_method")


def test_comparisons_stay_comparisons():
    decided = CHOICES.comparisons()[:30]  # some actions of the table were never compared
    made = wf.PairTransformer(MinMaxScaler((1, 10))).fit(decided)
    found = made.transform(decided)
    assert found.actions == len(np.unique(decided.pairs))
    assert (found.utilities.min(), found.utilities.max()) == pytest.approx((1, 10))
    first = int(decided.pairs[0, 0])
    assert found.names[found.pairs[0, 0]] == f"action {first}"
    whole = CHOICES.comparisons()
    pipeline = make_pipeline(made, wf.ComparisonClassifier())
    assert cross_val_score(pipeline, whole, cv=3).min() > 0.7
    table = pipeline.fit(ROWS, CHOICES.outcomes)[-1].p_
    assert pipeline.fit(whole)[-1].p_ == pytest.approx(table, rel=1e-6)


def test_settings_can_be_searched():
    pipeline = make_pipeline(wf.PairTransformer(MinMaxScaler()), wf.ComparisonClassifier())
    grid = {"pairtransformer__transformer__feature_range": [(1, 2), (1, 10)]}
    found = GridSearchCV(clone(pipeline), grid, cv=3).fit(ROWS, CHOICES.outcomes)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()


def test_wrong_layouts_are_refused():
    with pytest.raises(wf.InputError, match="even number of columns"):
        wf.PairTransformer(MinMaxScaler()).fit(ROWS[:, :3])
    turned = pd.DataFrame(ROWS, columns=["self_x", "self_y", "other_x", "other_y"])
    with pytest.raises(wf.InputError, match="Reorder the columns"):
        wf.PairTransformer(MinMaxScaler()).fit(turned)
    shorter = wf.PairTransformer(FunctionTransformer(lambda u: u[1:]))
    with pytest.raises(wf.InputError, match="one row for each action"):
        shorter.fit(ROWS).transform(ROWS)


@pytest.mark.filterwarnings("ignore")
def test_it_is_a_scikit_learn_transformer():
    checks = check_estimator(wf.PairTransformer(MinMaxScaler((1, 10))), on_fail=None, on_skip=None)
    failed = {c["check_name"]: str(c["exception"]) for c in checks if c["status"] == "failed"}
    assert all("even number" in reason for reason in failed.values()), failed


def test_what_the_checks_with_odd_columns_would_have_looked_at():
    made = wf.PairTransformer(MinMaxScaler((1, 10)))
    whole = made.fit_transform(ROWS)
    assert (made.transform(np.asfortranarray(ROWS)) == whole).all()
    assert (made.transform(ROWS[::-1])[::-1] == whole).all()
    assert (np.vstack([made.transform(row[None]) for row in ROWS[:5]]) == whole[:5]).all()
    assert (pickle.loads(pickle.dumps(made)).transform(ROWS) == whole).all()
    assert made.transform(ROWS.astype(np.float32)).dtype == np.float32
    assert (made.fit(ROWS.tolist()).transform(ROWS.tolist()) == whole).all()
    assert clone(made).fit(ROWS).n_features_in_ == 4
