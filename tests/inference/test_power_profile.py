"""The profile of the power against fits with the power held, and formulas written again."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import welfarist as wf
from benchmarks import problems

# Two solvers that stop where no step promises more than 1e-12 of the mean loss, times n.
DEVIANCE = 1e-5
# One parameter left, found by a search with a tolerance of 1e-10.
LINE = 1e-6


def made(*shape, **truth):
    problem = problems.comparisons(*shape, **truth)
    return wf.Comparisons(problem.utilities, problem.pairs, problem.outcomes)


CHOICES = made(3, 80, 3, 600, p=-0.6, tau=4.0)
RESULT = wf.ComparisonClassifier().fit(CHOICES).result_
PROFILE = RESULT.profile(points=31)


def quiet(estimator, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return estimator.fit(*data).result_


def test_powers_run_from_limit_to_limit_and_include_the_estimate():
    assert (np.diff(PROFILE.p) > 0).all()
    assert PROFILE.p[0] == -np.inf
    assert PROFILE.p[-1] == np.inf
    at_estimate = np.abs(PROFILE.p - RESULT.p) < 1e-9
    assert PROFILE.deviance[at_estimate] == pytest.approx([0.0], abs=DEVIANCE)
    assert PROFILE.interval == RESULT.interval("p")
    assert PROFILE.estimate == RESULT.p


def test_deviances_of_comparisons_are_those_of_fits_with_p_held():
    chosen = [0, 1, *range(5, len(PROFILE.p), 6), len(PROFILE.p) - 1]
    for i in chosen:
        held = quiet(wf.ComparisonClassifier(p=PROFILE.p[i]), CHOICES)
        lost = 2 * RESULT.decisions * (held.loss - RESULT.loss)
        assert PROFILE.deviance[i] == pytest.approx(lost, abs=DEVIANCE, rel=DEVIANCE)
        assert PROFILE.loss[i] == pytest.approx(held.loss, rel=DEVIANCE)


def test_ends_of_the_interval_lose_what_is_allowed():
    for end in PROFILE.interval:
        place = int(np.argmin(np.abs(PROFILE.p - end)))
        assert PROFILE.p[place] == pytest.approx(end)
        assert PROFILE.deviance[place] == pytest.approx(PROFILE.allowed, abs=1e-3)


def test_deviances_of_scores_are_those_of_a_gaussian_whose_variance_is_estimated():
    rng = np.random.default_rng(1)
    table = rng.uniform(1, 10, (150, 2))
    scores = 3.0 * wf.power_mean(table, 0.5, [0.7, 0.3]) + rng.normal(0, 0.5, 150)
    result = wf.WelfareRegressor(weights=[0.7, 0.3], scale=True).fit(table, scores).result_
    profile = result.profile(points=21, level=0.9)
    for p, deviance, loss in zip(profile.p, profile.deviance, profile.loss, strict=True):
        welfare = wf.power_mean(table, p, [0.7, 0.3])
        residual = scores - welfare * (welfare @ scores) / (welfare @ welfare)
        assert loss == pytest.approx(np.mean(residual**2), rel=LINE)
        assert deviance == pytest.approx(
            150 * np.log(np.mean(residual**2) / result.loss), abs=DEVIANCE
        )
    assert profile.level == 0.9


def test_deviances_with_known_weights_are_those_of_a_search_over_the_temperature():
    result = wf.ComparisonClassifier(weights="equal").fit(CHOICES).result_
    profile = result.profile(points=15)
    first, second = CHOICES.pairs.T
    for p, loss in zip(profile.p, profile.loss, strict=True):
        logs = wf.log_power_mean(CHOICES.utilities, p)
        margin = CHOICES.outcomes * (logs[first] - logs[second])

        def mean_loss(log_tau, margin=margin):
            return np.mean(np.logaddexp(0.0, -np.exp(log_tau) * margin))

        searched = minimize_scalar(mean_loss, bounds=(-10, 8), method="bounded")
        assert loss == pytest.approx(searched.fun, rel=LINE)


@pytest.mark.parametrize("seed", [15, 28, 54])
def test_a_better_optimum_met_on_the_way_out_is_followed_back(seed):
    """With all weight on one person every p is as good, so that no p can be worse than that."""
    decided = made(seed, 60, 3, 120, p=-4.0, tau=6.0)
    profile = quiet(wf.ComparisonClassifier(small_sample="none"), decided).profile(points=41)
    alone = [
        quiet(wf.ComparisonClassifier(p=1, weights=w, small_sample="none"), decided).loss
        for w in np.eye(3)
    ]
    finite = np.isfinite(profile.p)
    assert profile.loss[finite].max() <= min(alone) * (1 + LINE)


def test_positive_powers_only_where_a_utility_is_zero():
    table = CHOICES.utilities.copy()
    table[3, 1] = 0.0
    decided = wf.Comparisons(table, CHOICES.pairs, CHOICES.outcomes)
    profile = quiet(wf.ComparisonClassifier(), decided).profile(points=15)
    assert profile.p[0] > 0
    assert profile.at_limits[0] is None
    assert profile.at_limits[1] == profile.deviance[-1]


def test_table_and_relative_likelihood():
    frame = PROFILE.to_frame()
    assert list(frame.columns) == ["p", "deviance", "relative_likelihood", "loss"]
    assert len(frame) == len(PROFILE.p)
    np.testing.assert_array_equal(frame["relative_likelihood"], np.exp(-PROFILE.deviance / 2))


def test_what_cannot_be_profiled_is_refused():
    with pytest.raises(wf.InputError, match="p = 0 was given"):
        wf.ComparisonClassifier(p=0).fit(CHOICES).result_.profile()
    for points in (3, 50.5, True, "many"):
        with pytest.raises(wf.InputError, match="points must be a whole number"):
            RESULT.profile(points=points)
    with pytest.raises(wf.InputError, match="level must be"):
        RESULT.profile(level=95)
    with pytest.raises(wf.InputError, match="prior"):
        wf.ComparisonClassifier(prior=2).fit(CHOICES).result_.profile()
