"""Where it is known who decided, standard errors are clustered unless somebody says otherwise."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import welfarist as wf
from benchmarks import problems

PROBLEM = problems.comparisons(2, 80, 3, 900, p=-0.6, tau=6.0)
CHOICES = PROBLEM.comparisons()


def by_people(people, outcomes=CHOICES.outcomes, counts=None):
    by = [f"judge {i % people}" for i in range(len(CHOICES))]
    return wf.Comparisons(CHOICES.utilities, CHOICES.pairs, outcomes, counts, by)


def fit(data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return wf.ComparisonClassifier(**options).fit(data).result_


def test_clustered_errors_are_the_fits_own():
    result, plain = fit(by_people(40)), fit(CHOICES)
    assert (result.covariance, plain.covariance) == ("clustered", "fisher")
    assert (result.n_clusters, plain.n_clusters) == (40, None)
    assert result.params.tolist() == plain.params.tolist()
    assert (result.cov_params() == result.cov_params("clustered")).all()
    assert result.interval("p") == result.interval("p", method="wald", covariance="clustered")
    assert result.test("Nash").kind == "Wald"
    fisher = result.with_covariance("fisher")
    assert fisher.interval("p") == plain.interval("p")
    assert fisher.test("Nash").kind == "Likelihood ratio"
    assert result.interval("p", method="profile") == plain.interval("p")
    scored = wf.WelfareRegressor().fit(PROBLEM.utilities, PROBLEM.utilities.mean(axis=1) + 0.1)
    assert scored.result_.covariance == "fisher"


def test_the_summary_says_so_and_how_many_decided():
    summary = fit(by_people(40)).summary()
    assert "covariance clustered by who decided (40 decision makers)" in summary
    assert "standard errors (Wald)" in summary
    assert "too small" not in summary
    record = summary.to_dict()
    assert (record["covariance"], record["clusters"]) == ("clustered", 40)
    assert fit(CHOICES).summary().to_dict()["clusters"] is None


def test_few_deciders_are_a_caveat_in_words():
    result = fit(by_people(9))
    said = "clustered by 9 decision makers are probably too small"
    assert said in " ".join(result.summary().split())
    assert said in result.summary().to_dict()["caveats"][-1]
    assert said in result.test("Nash").note
    assert said in result.wald_test("p = 0").note
    assert said in result.contrast("p").note
    assert said not in " ".join(result.summary(covariance="fisher").split())
    assert not result.caveats  # it is not the fit that is in doubt


def test_too_few_deciders_to_cluster():
    result = fit(by_people(3))
    assert result.covariance == "fisher"
    said = " ".join(result.summary().split())
    assert (
        "taken as independent, though it is known who decided: clustered errors need more" in said
    )
    assert "learned numbers, 4; found 3 people" in said
    with pytest.raises(wf.InputError, match="found those of 3 people"):
        result.with_covariance("clustered")
    assert fit(by_people(3), p=-1, weights="equal").covariance == "clustered"  # tau alone


def test_who_never_decided_does_not_count():
    counts = np.ones(len(CHOICES))
    counts[np.arange(len(CHOICES)) % 40 >= 4] = 0.0
    assert fit(by_people(40, counts=counts)).covariance == "fisher"


def test_clustered_without_deciders_is_refused_at_once():
    scores = wf.WelfareRegressor().fit(PROBLEM.utilities, PROBLEM.utilities.mean(axis=1) + 0.1)
    for result in (fit(CHOICES), scores.result_, fit(CHOICES[:100], noise="flip", weights="equal")):
        with pytest.raises(
            wf.InputError, match=r"needs to know who decided.*(?:by=|no decision makers)"
        ):
            result.with_covariance("clustered")
        assert result.with_covariance("robust").covariance == "robust"
    assert fit(by_people(40)).without_data().with_covariance("clustered").covariance == "clustered"


def test_estimates_on_an_edge_keep_the_interval_of_the_likelihood():
    sparse = problems.comparisons(3, 60, 4, 600, p=0.5, tau=4.0, sparse=0.1).comparisons()
    known = wf.Comparisons(
        sparse.utilities, sparse.pairs, sparse.outcomes, by=np.arange(len(sparse)) % 50
    )
    result, plain = fit(known), fit(sparse)
    held = result.on_edge[0]
    assert result.covariance == "clustered"
    assert result.interval(held) == plain.interval(held)
    inside = next(name for name in result.param_names if name not in result.on_edge)
    assert result.interval(inside) == result.interval(inside, covariance="clustered")
    ends = result.interval("weights")
    assert ends.tolist() == [
        list(result.interval(name)) for name in result.param_names if name.startswith("weight")
    ]
    rows = result.summary().to_frame().set_index("parameter")
    assert rows.loc[held, "method"] == "profile"
    assert rows.loc[inside, "method"] == "wald"
    said = " ".join(result.summary().split())
    assert "Profile likelihoods take the decisions of one person as independent" in said
    with pytest.raises(wf.InputError, match="does not apply"):
        result.interval(held, covariance="clustered")


def test_whoever_asks_for_a_profile_gets_it():
    result, plain = fit(by_people(40)), fit(CHOICES)
    asked = result.summary(method="profile")
    assert asked.to_frame()["method"].iloc[0] == "profile"
    assert asked.to_frame()["low"].tolist() == plain.summary().to_frame()["low"].tolist()
    assert "taken as independent, though it is known" in asked
    with pytest.raises(wf.InputError, match="a profile likelihood takes"):
        result.summary(method="profile", covariance="clustered")
