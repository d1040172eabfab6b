"""Real decisions with published answers; skipped where the data folder is absent.

The folder is named by WELFARIST_DATA, `../shared/data` if that is not set.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pandas as pd
import pytest

import welfarist as wf

ROOT = Path(__file__).parents[2]
DATA = (ROOT / os.environ.get("WELFARIST_DATA", "../shared/data")).resolve()

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no folder of real data: set WELFARIST_DATA to one"
)


def test_human_development_index_is_nash_with_equal_weights():
    hdi = pd.read_csv(DATA / "hdi" / "hdi.csv")
    hdi = hdi[~hdi["is_group"]]
    est = wf.WelfareRegressor().fit(hdi[["health", "education", "income"]], hdi["hdi"])
    assert est.p_ == pytest.approx(0, abs=0.005)
    assert est.weights_ == pytest.approx([1 / 3] * 3, abs=0.002)
    assert est.welfare_.stakeholders == ("health", "education", "income")


def test_gender_equality_index_is_nash_with_the_experts_weights():
    gei = pd.read_csv(DATA / "gei" / "gei.csv")
    published = {"WORK": 0.19, "MONEY": 0.15, "KNOWLEDGE": 0.22, "TIME": 0.15, "POWER": 0.19}
    published["HEALTH"] = 0.10
    est = wf.WelfareRegressor().fit(gei[list(published)], gei["Gender.Equality.Index"])
    assert est.p_ == pytest.approx(0, abs=0.01)
    assert est.weights_.round(2).tolist() == list(published.values())


@pytest.mark.parametrize("zeros", [True, False])
def test_shanghai_ranking_is_utilitarian_with_a_scale(zeros):
    arwu = pd.read_csv(DATA / "arwu" / "arwu.csv")
    published = {"alumni": 0.1, "award": 0.2, "hici": 0.2, "ns": 0.2, "pub": 0.2, "pcp": 0.1}
    for _, year in arwu.groupby("year"):
        rows = year if zeros else year[(year[list(published)] > 0).all(axis=1)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wf.SearchRangeWarning)
            est = wf.WelfareRegressor(scale=True).fit(rows[list(published)], rows["total_score"])
        assert est.p_ == pytest.approx(1, abs=0.02)
        assert est.weights_ == pytest.approx(list(published.values()), abs=0.005)
        assert 1.02 < est.scale_ < 1.04


def test_dictator_choices():
    choices = pd.read_csv(DATA / "dictator" / "choices.csv")
    est = wf.ComparisonClassifier().fit(
        choices[["self_x", "other_x", "self_y", "other_y"]], choices["choice_x"]
    )
    assert est.p_ == pytest.approx(0.140, abs=0.0005)
    assert est.weights_[0] == pytest.approx(0.846, abs=0.0005)
    assert est.tau_ == pytest.approx(8.62, abs=0.005)
    assert est.loss_ == pytest.approx(0.28918, abs=5e-6)
    assert est.result_.accuracy == pytest.approx(0.885, abs=0.0005)
    assert est.welfare_.stakeholders == ("self", "other")


# Whose choices, fitted one by one, used to send RuntimeWarnings: nearly flat, or nearly separable.
HARD = {
    "logistic": {"weights": [22010050603, 72010050705], "learn": [92010050706, 102010050603]},
    "lapse": {"learn": [92010050706, 152010050705, 332010050501]},
}


@pytest.mark.parametrize("noise", list(HARD))
def test_single_dictators_leak_no_warnings(noise):
    choices = pd.read_csv(DATA / "dictator" / "choices.csv")
    for weights, people in HARD[noise].items():
        known = {"weights": "equal"} if weights == "weights" else {}
        for person in people:
            own = choices[choices["person"] == person]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", wf.WelfaristWarning)
                est = wf.ComparisonClassifier(noise=noise, **known).fit(
                    own[["self_x", "other_x", "self_y", "other_y"]], own["choice_x"]
                )
            assert 0 <= est.loss_ < 0.7
            said = any(c.kind is wf.NotConvergedWarning for c in est.result_.caveats)
            assert est.result_.converged != said


def test_the_end_of_a_search_is_not_taken_for_the_end_of_a_set():
    """A dictator whom every power explains that is low enough."""
    choices = pd.read_csv(DATA / "dictator" / "choices.csv")
    own = choices[choices["person"] == 12010051907]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        est = wf.ComparisonClassifier(noise="none").fit(
            own[["self_x", "other_x", "self_y", "other_y"]], own["choice_x"]
        )
    rules = est.result_.exact.explanations
    ((low, high),) = rules.power_intervals
    assert rules.search_ends == (low,)
    assert low < -300 < high < -2
    assert rules.contains(est.weights_, est.p_)
    assert "(powers were searched from -340.845 on)" in " ".join(est.result_.summary().split())
