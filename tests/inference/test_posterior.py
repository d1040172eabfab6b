"""Intervals under a prior, and profiles where Wald does not apply."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import welfarist as wf

RNG = np.random.default_rng(11)
TABLE = np.exp(RNG.normal(0, 1, (50, 3)))
PAIRS = wf.simulate.random_pairs(50, 400, random_state=4)
RULE = wf.WelfareFunction(-1, [0.5, 0.3, 0.2])
MARGIN = RULE.log(TABLE[PAIRS[:, 0]]) - RULE.log(TABLE[PAIRS[:, 1]])
OUTCOMES = np.where(MARGIN + RNG.logistic(scale=1 / 8, size=400) > 0, 1, -1)
DECIDED = wf.Comparisons(TABLE, PAIRS, OUTCOMES)
SCORES = RULE(TABLE) + RNG.normal(0, 0.2, 50)
ALPHA = 3.0


def minus_log_posterior_of_choices(x):
    """Written again, in p, two weights and log tau."""
    weights = np.array([x[1], x[2], 1 - x[1] - x[2]])
    value = wf.log_power_mean(TABLE, x[0], weights)
    z = np.exp(x[3]) * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]]) * OUTCOMES
    return np.logaddexp(0, -z).sum() - (ALPHA - 1) * np.log(weights).sum()


def minus_log_posterior_of_scores(x):
    weights = np.array([x[1], x[2], 1 - x[1] - x[2]])
    error = SCORES - wf.power_mean(TABLE, x[0], weights)
    return 25.0 * np.log(np.mean(error**2)) - (ALPHA - 1) * np.log(weights).sum()


def hessian(function, x, step=1e-4):
    """By differences."""
    size = len(x)
    found = np.empty((size, size))
    for i in range(size):
        for j in range(size):
            a, b = np.eye(size)[i] * step, np.eye(size)[j] * step
            four = function(x + a + b) - function(x + a - b) - function(x - a + b)
            found[i, j] = (four + function(x - a - b)) / (4 * step * step)
    return found


@pytest.mark.parametrize("kind", ["choices", "scores"])
def test_standard_errors_are_the_curvature_of_the_posterior(kind):
    if kind == "choices":
        result = wf.ComparisonClassifier(prior=ALPHA).fit(DECIDED).result_
        x = np.array([result.p, *result.weights[:2], np.log(result.tau)])
        function = minus_log_posterior_of_choices
    else:
        result = wf.WelfareRegressor(prior=ALPHA).fit(TABLE, SCORES).result_
        x = np.array([result.p, *result.weights[:2]])
        function = minus_log_posterior_of_scores
    errors = np.sqrt(np.linalg.inv(hessian(function, x)).diagonal())
    assert np.asarray(result.bse[:3]) == pytest.approx(errors[:3], rel=1e-3)
    if kind == "choices":
        assert result.bse[4] / result.tau == pytest.approx(errors[3], rel=1e-3)


def test_intervals_under_a_prior_say_what_they_are():
    result = wf.ComparisonClassifier(prior=2).fit(DECIDED).result_
    low, high = result.interval("p")
    assert low < result.p < high
    ends = result.interval("weights")
    assert ((ends[:, 0] > 0) & (ends[:, 1] < 1)).all()
    assert ((ends[:, 0] < result.weights) & (result.weights < ends[:, 1])).all()
    summary = result.summary()
    assert "95% intervals by the posterior's mode and curvature" in summary
    assert "No tests, checks, AIC or BIC" in summary
    assert "AIC  " not in summary
    assert {row.method for row in summary.record.rows} == {"posterior"}


def test_a_weak_prior_leaves_the_likelihoods_errors():
    plain = wf.ComparisonClassifier().fit(DECIDED).result_
    weak = wf.ComparisonClassifier(prior=1 + 1e-9).fit(DECIDED).result_
    assert np.asarray(weak.bse) == pytest.approx(np.asarray(plain.bse), rel=1e-5)


def test_what_a_prior_has_not_is_refused():
    result = wf.ComparisonClassifier(prior=2).fit(DECIDED).result_
    for ask in (
        lambda: result.interval("p", method="profile"),
        lambda: result.interval("p", method="bootstrap"),
        lambda: result.cov_params("robust"),
        lambda: result.test("Nash"),
        lambda: result.aic,
        lambda: result.profile(),
    ):
        with pytest.raises(wf.InputError, match="under a prior"):
            ask()
    with pytest.raises(wf.InputError, match="under a prior"):
        wf.ComparisonClassifier().fit(DECIDED).result_.interval("p", method="posterior")


def test_caveats_stay_under_a_prior():
    twins = np.column_stack([TABLE[:, :2], TABLE[:, 1]])
    with pytest.warns(wf.NotIdentifiedWarning, match="only the sum"):
        result = (
            wf.ComparisonClassifier(prior=2).fit(wf.Comparisons(twins, PAIRS, OUTCOMES)).result_
        )
    assert "only the sum of some weights" in result.summary()
    assert np.isfinite(result.interval("weights")).all()


def test_a_report_under_a_prior_has_intervals(tmp_path):
    wf.WelfareRegressor(prior=2).fit(TABLE, SCORES).result_.report(tmp_path / "x.html")
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "95% interval" in text
    assert "most probable, given the decisions and a prior" in text


def on_an_edge(n=400):
    """Somebody's weight is 0 at the best fit."""
    rng = np.random.default_rng(5)
    table = np.exp(rng.normal(0, 1, (50, 3)))
    pairs = wf.simulate.random_pairs(50, n, random_state=4)
    value = wf.log_power_mean(table[:, :2], -1, [0.6, 0.4]) - 0.05 * np.log(table[:, 2])
    margin = value[pairs[:, 0]] - value[pairs[:, 1]]
    outcomes = np.where(margin + rng.logistic(scale=1 / 8, size=n) > 0, 1, -1)
    by = np.arange(n) % 40
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        decided = wf.Comparisons(table, pairs, outcomes, by=by)
        return wf.ComparisonClassifier().fit(decided).result_.with_covariance("fisher")


@pytest.mark.parametrize("covariance", ["robust", "clustered"])
def test_where_wald_does_not_apply_the_interval_is_the_profile(covariance):
    result = on_an_edge()
    assert result.weights[2] == 0.0
    chosen = result.with_covariance(covariance)
    profile = result.interval("weight of person 2", method="profile")
    assert chosen.interval("weight of person 2") == profile
    assert chosen.interval("weights")[2].tolist() == list(profile)
    with pytest.raises(wf.InputError, match="does not apply"):
        chosen.interval("weight of person 2", method="wald")
    summary = chosen.summary()
    assert "No interval" not in summary
    assert "Profile likelihoods take the" in summary
    assert chosen.interval("p") == chosen.interval("p", method="wald")


def test_an_edge_is_worth_seconds_even_where_other_weights_are_not():
    result = on_an_edge(n=60_000)
    rows = {row.name: row.method for row in result.estimates().rows}
    assert rows["weight of person 2"] == "profile"


def test_a_posterior_has_its_own_errors_though_it_is_known_who_decided():
    by = np.arange(400) % 40
    decided = wf.Comparisons(TABLE, PAIRS, OUTCOMES, by=by)
    result = wf.ComparisonClassifier(prior=2).fit(decided).result_
    assert result.covariance == "fisher"
    assert "by the posterior's mode" in result.summary()
    assert "taken as independent, though it is known who decided" in result.summary()
    assert result.interval("epsilon") == (1 - result.interval("p")[1], 1 - result.interval("p")[0])
