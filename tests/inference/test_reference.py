"""What a deviance follows: F for scores, as in a linear model."""

import numpy as np
import pytest
from scipy.stats import chi2, f

import welfarist as wf
from welfarist.inference.intervals import deviance_at
from welfarist.inference.reference import allowed_deviance, chance_beyond


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(3)
    table = rng.uniform(1, 10, (24, 3))
    scores = table @ [0.5, 0.3, 0.2] + rng.normal(0, 0.4, 24)
    return table, scores


def test_a_null_about_weights_of_a_utilitarian_has_the_p_value_of_least_squares(scored):
    table, scores = scored
    result = wf.WelfareRegressor(p=1).fit(table, scores).result_
    # With weights that sum to 1 the model is linear in two of them.
    inner, target = table[:, :2] - table[:, 2:], scores - table[:, 2]
    residual = target - inner @ np.linalg.lstsq(inner, target, rcond=None)[0]
    free, null = residual @ residual, np.square(scores - table.mean(axis=1)).sum()
    expected = f.sf((null - free) / 2 / (free / 22), 2, 22)
    tested = result.test(weights="equal")
    assert tested.p_value == pytest.approx(expected, rel=1e-6)
    assert tested.distribution == "as F with 2 and 22 degrees of freedom"


def test_an_interval_of_a_weight_of_a_utilitarian_is_that_of_students_t(scored):
    table, scores = scored
    result = wf.WelfareRegressor(p=1, groups=["a", "a", "b"]).fit(table, scores).result_
    line, target = table[:, :2].mean(axis=1) - table[:, 2], scores - table[:, 2]
    slope = line @ target / (line @ line)
    spread = np.square(target - slope * line).sum() / 23
    reach = np.sqrt(f.ppf(0.95, 1, 23) * spread / (line @ line))
    low, high = result.interval("weight of person 0")
    assert low == pytest.approx((slope - reach) / 2, abs=1e-5)
    assert high == pytest.approx((slope + reach) / 2, abs=1e-5)


def test_many_scores_are_as_chi_squared(scored):
    table, scores = scored
    many = wf.Scores(table, scores, np.full(24, 10**6))
    likelihood = wf.WelfareRegressor().fit(many).result_.likelihood
    assert allowed_deviance(likelihood, 0.95) == pytest.approx(chi2.ppf(0.95, 1), rel=1e-5)
    assert chance_beyond(likelihood, 7.0, 2) == pytest.approx(chi2.sf(7.0, 2), rel=1e-4)


def test_choices_that_are_many_keep_chi_squared():
    rng = np.random.default_rng(0)
    table, pairs = rng.uniform(1, 10, (80, 2)), rng.integers(0, 80, (600, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    ahead = table[pairs[:, 0]].sum(axis=1) > table[pairs[:, 1]].sum(axis=1)
    outcomes = np.where(ahead ^ (rng.random(len(pairs)) < 0.2), 1, -1)
    decided = wf.Comparisons(table, pairs, outcomes)
    likelihood = wf.ComparisonClassifier(p=1).fit(decided).result_.likelihood
    assert allowed_deviance(likelihood, 0.95) == chi2.ppf(0.95, 1)


def test_the_deviance_at_the_end_of_an_interval_is_what_is_allowed(scored):
    likelihood = wf.WelfareRegressor().fit(*scored).result_.likelihood
    result = wf.WelfareRegressor().fit(*scored).result_
    allowed = allowed_deviance(likelihood, 0.95)
    for name in ("p", "weight of person 1"):
        for end in result.interval(name):
            assert deviance_at(likelihood, name, end) == pytest.approx(allowed, rel=1e-4)
