"""Mistakes that are easily made end in a sentence that says where they are and what to do."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest

import welfarist as wf
from benchmarks import problems
from welfarist.inference.covariance import covariance_of

RNG = np.random.default_rng(0)
UTILITIES = RNG.uniform(1, 10, (50, 3))
SCORES = wf.power_mean(UTILITIES, 0.5, [0.2, 0.3, 0.5]) + RNG.normal(0, 0.3, 50)
SIDE_BY_SIDE = RNG.uniform(1, 10, (50, 4))
LABELS = np.where(SIDE_BY_SIDE[:, 0] > SIDE_BY_SIDE[:, 2], 1, -1)
# A restricted fit and the test of that restriction stop where the loss falls by 1e-12 of itself.
SAME_LOSS = 1e-6


def quiet(estimator, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return estimator.fit(*data)


REGRESSOR = wf.WelfareRegressor().fit(UTILITIES, SCORES)
CLASSIFIER = quiet(wf.ComparisonClassifier(), SIDE_BY_SIDE, LABELS)


def missing(row, values):
    values = np.array(values, dtype=float)
    values[row] = np.nan
    return values


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: wf.WelfareRegressor().fit(UTILITIES, missing(7, SCORES)), "row 7 and in 1 of 50"),
        (lambda: wf.WelfareRegressor().fit(UTILITIES, SCORES[:9]), "50 in all; found 9"),
        (lambda: wf.WelfareRegressor().fit(UTILITIES, None), "a score for every action"),
        (lambda: wf.WelfareRegressor().fit(UTILITIES, UTILITIES), "one column"),
        (lambda: wf.WelfareRegressor().fit(0 * UTILITIES, SCORES), "nothing to learn"),
        (lambda: wf.WelfareRegressor().fit("a", SCORES), "found text 'a'"),
        (lambda: REGRESSOR.predict("a"), "found text 'a'"),
        (lambda: REGRESSOR.predict(None), "found None"),
        (
            lambda: wf.ComparisonClassifier().fit(SIDE_BY_SIDE, missing(3, LABELS)),
            "row 3 and in 1 of 50",
        ),
        (lambda: wf.ComparisonClassifier().fit(SIDE_BY_SIDE, LABELS[:9]), "50 in all; found 9"),
        (lambda: wf.ComparisonClassifier().fit(0 * SIDE_BY_SIDE, LABELS), "nothing to learn"),
        (
            lambda: wf.ComparisonClassifier(noise="none").fit(0 * SIDE_BY_SIDE, LABELS),
            "nothing to learn",
        ),
        (lambda: CLASSIFIER.score(SIDE_BY_SIDE), "requires y"),
        (lambda: CLASSIFIER.score(SIDE_BY_SIDE, LABELS[:2]), "50 in all"),
        (lambda: CLASSIFIER.score(SIDE_BY_SIDE, ["a"] * 50), "y must hold -1 and 1 .*found 'a' at"),
        (
            lambda: wf.Model.of(CLASSIFIER).probabilities(np.ones((3, 2)), np.ones((2, 2))),
            "found 3 and 2",
        ),
        (lambda: wf.simulate.World(UTILITIES, None), "rule must be a WelfareFunction"),
        (lambda: wf.simulate.World(UTILITIES, wf.WelfareFunction(0), 5), "one group per person"),
        (lambda: wf.simulate.Group(None, 2, 0.5, (0.0,) * 8), "must be a text"),
        (lambda: wf.simulate.Group("driver", 2, 0.5, ["a"] * 8), "must be real numbers"),
        (lambda: wf.simulate.Group("driver", 2, 0.5, None), "must be real numbers"),
        (lambda: wf.simulate.Group("driver", "b", 0.5, (0.0,) * 8), "the size of group"),
    ],
)
def test_mistakes_are_named(call, words):
    with pytest.raises(wf.InputError, match=words):
        call()


def test_one_action_is_compared_with_many():
    model = wf.Model.of(CLASSIFIER)
    many = model.probabilities([[2.0, 3.0]], SIDE_BY_SIDE[:5, :2])
    single = [model.probabilities([2.0, 3.0], row)[0] for row in SIDE_BY_SIDE[:5, :2]]
    np.testing.assert_allclose(many, single)


def test_tables_side_by_side_are_understood_after_a_fit_to_comparisons():
    """Warnings are errors here: none is given where columns name the people that were fitted."""
    frame = pd.DataFrame(SIDE_BY_SIDE, columns=["self_x", "other_x", "self_y", "other_y"])
    data = wf.Comparisons.from_arrays(
        frame[["self_x", "other_x"]], frame[["self_y", "other_y"]], LABELS
    )
    learner = quiet(wf.ComparisonClassifier(), data)
    expected = learner.predict_proba(SIDE_BY_SIDE)
    np.testing.assert_array_equal(learner.predict_proba(frame), expected)
    turned = frame[["other_x", "self_x", "other_y", "self_y"]]
    np.testing.assert_array_equal(learner.predict_proba(turned), expected)
    with pytest.raises(wf.InputError, match="people in the same order"):
        learner.predict_proba(frame[["self_x", "other_x", "other_y", "self_y"]])


def test_given_powers_beyond_any_search_are_fitted_where_it_ends():
    data = problems.comparisons(2, 20, 2, 60, p=-1.0, tau=5.0).comparisons()
    plain = partial(wf.ComparisonClassifier, small_sample="none")
    free = quiet(plain(), data).result_
    with pytest.warns(wf.SearchRangeWarning, match="p = -1e\\+06 was given.*Give p = -inf"):
        given = plain(p=-1e6).fit(data).result_
    assert given.p == given.likelihood.loss.search_range[0]
    lost = 2 * (free.llf - given.llf)
    assert lost == pytest.approx(free.test(p=-1e6).statistic, abs=SAME_LOSS)
    known = wf.ComparisonClassifier(p=-1e6, weights="equal").fit(data)
    assert known.p_ == -1e6  # known weights need no search


def test_weights_of_1_up_to_rounding_have_no_standard_error():
    """A utility a thousand times as large, to the power 60, leaves a weight of 1e-180."""
    rng = np.random.default_rng(1)
    table = rng.uniform(1, 10, (60, 2)) * [1.0, 1000.0]
    scores = wf.power_mean(table, 50, [1 - 1e-150, 1e-150]) + rng.normal(0, 0.5, 60)
    result = quiet(wf.WelfareRegressor(), table, scores).result_
    assert 0 < result.weights[1] < 1e-100
    assert result.on_edge == ("weight of person 0", "weight of person 1")
    assert np.ma.getmaskarray(result.bse).tolist() == [False, True, True]
    assert not covariance_of(result.likelihood, "fisher")[1:].any()
    with pytest.raises(wf.InputError, match="does not apply"):
        result.interval("weights", method="wald")
    with warnings.catch_warnings():  # the search may say that it stopped early
        warnings.simplefilter("ignore", wf.NotConvergedWarning)
        (first_low, first_high), (low, high) = result.interval("weights")
    assert (first_high, low) == (1.0, 0.0)
    assert 1e-7 < high < 1e-5  # no closer than the profile looks
    assert first_low == pytest.approx(1.0 - high, abs=1e-9)
