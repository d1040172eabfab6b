"""Fits to utilities that are estimates: what they say, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from welfarist import (
    ChoiceLearner,
    Choices,
    ComparisonClassifier,
    Comparisons,
    InputError,
    People,
    WelfareRegressor,
)

SAME = 1e-8
# A loss within 1e-12 of its smallest leaves estimates within a few times the root of that.
CONVERGED = 2e-5
TRUTH = np.array([0.2, 0.3, 0.5])


def world(seed=0, actions=80, decisions=1500, p=-1.0, error=0.3):
    rng = np.random.default_rng(seed)
    logs = rng.normal(0, 0.8, (actions, 3))
    welfare = np.log((TRUTH * np.exp(p * logs)).sum(axis=1)) / p
    first = rng.integers(0, actions, decisions)
    second = (first + rng.integers(1, actions, decisions)) % actions
    chance = 1 / (1 + np.exp(-10 * (welfare[first] - welfare[second])))
    outcomes = np.where(rng.random(decisions) < chance, 1, -1)
    measured = np.exp(logs + error * rng.normal(size=logs.shape))
    scores = np.exp(welfare) + 0.1 * rng.normal(size=actions)
    return measured, np.column_stack([first, second]), outcomes, scores


@pytest.fixture(scope="module")
def fitted():
    measured, pairs, outcomes, _ = world()
    decided = Comparisons(People(measured, 0.3, stakeholders=["ann", "bo", "cy"]), pairs, outcomes)
    return ComparisonClassifier().fit(decided)


def test_errors_of_zero_are_no_errors():
    measured, pairs, outcomes, scores = world()
    menus, chosen = pairs.tolist(), np.where(outcomes > 0, pairs[:, 0], pairs[:, 1]).tolist()
    for exact, zero in (
        (
            ComparisonClassifier().fit(Comparisons(measured, pairs, outcomes)),
            ComparisonClassifier().fit(Comparisons(People(measured, 0.0), pairs, outcomes)),
        ),
        (
            ChoiceLearner().fit(Choices(measured, menus, chosen)),
            ChoiceLearner().fit(Choices(People(measured, 0.0), menus, chosen)),
        ),
        (
            WelfareRegressor().fit(measured, scores),
            WelfareRegressor().fit(People(measured, 0.0), scores),
        ),
    ):
        assert np.allclose(exact.result_.params, zero.result_.params, atol=SAME)
        assert np.allclose(exact.result_.bse, zero.result_.bse, atol=SAME)


def test_tiny_errors_change_next_to_nothing():
    measured, pairs, outcomes, _ = world()
    exact = ComparisonClassifier().fit(Comparisons(measured, pairs, outcomes)).result_
    tiny = ComparisonClassifier().fit(Comparisons(People(measured, 1e-5), pairs, outcomes)).result_
    assert np.allclose(exact.params, tiny.params, rtol=1e-6)
    assert np.allclose(exact.bse, tiny.bse, rtol=1e-5)


def test_a_pair_is_a_menu_of_two(fitted):
    measured, pairs, outcomes, _ = world()
    chosen = np.where(outcomes > 0, pairs[:, 0], pairs[:, 1]).tolist()
    menus = Choices(People(measured, 0.3), pairs.tolist(), chosen)
    other = ChoiceLearner().fit(menus)
    assert np.allclose(fitted.result_.params, other.result_.params, atol=SAME)


def test_what_is_estimated_is_nearer_the_truth_and_says_so(fitted):
    result = fitted.result_
    naive = result.utility_errors
    low, high = result.interval("p")
    assert low < -1 < high
    low, high = result.interval("tau")
    assert low < 10 < high
    assert naive.naive[-1] < 0.7 * fitted.tau_
    assert 0.4 < naive.share < 0.9
    assert "utilities are estimates" in str(result.summary())
    assert "Taken as exact they would give" in str(naive)
    assert result.misfit().reason


def test_the_first_box_of_a_report_says_that_utilities_are_estimates(fitted, tmp_path):
    fitted.result_.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    box = text[text.index('class="answer"') :]
    assert "Utilities are estimates" in box[: box.index("</div>")]


def test_a_second_opinion_agrees(fitted):
    result = fitted.result_
    opinion = result.second_opinion(draws=10)
    assert abs(opinion["p"] - result.p) < result.bse[0]
    rubin = result.second_opinion("imputation", draws=10)
    assert rubin.errors is not None
    assert rubin["tau"] < fitted.tau_
    assert "tau is too small" in rubin.note
    guessed = result.second_opinion("two-step")
    assert guessed.errors is not None
    assert abs(guessed["p"] - result.p) < result.bse[0]
    measured, pairs, outcomes, _ = world()
    best = People(measured, 0.3).utilities
    naive = ComparisonClassifier().fit(Comparisons(best, pairs, outcomes))
    assert np.allclose(guessed.estimates, naive.result_.params, rtol=CONVERGED)
    assert (guessed.errors > naive.result_.bse).all()
    with pytest.raises(InputError, match='method must be "simex", "imputation" or "two'):
        result.second_opinion("guess")


def test_the_bootstrap_draws_both_stages(fitted):
    found = fitted.result_.bootstrap(40, random_state=1)
    assert np.all((found.bse / fitted.result_.bse > 0.6) & (found.bse / fitted.result_.bse < 1.7))
    with pytest.raises(InputError, match="draws utilities and decisions anew"):
        fitted.result_.bootstrap(40, unit="clusters")


def test_pickles_keep_what_was_said_and_take_the_data_back(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    assert str(again.result_.summary()) == str(fitted.result_.summary())
    measured, pairs, outcomes, _ = world()
    people = People(measured, 0.3, stakeholders=["ann", "bo", "cy"])
    again.with_data(Comparisons(people, pairs, outcomes))
    assert again.result_.bootstrap(5).resamples == 5
    with pytest.raises(InputError):
        again.with_data(Comparisons(People(measured, 0.2), pairs, outcomes))


def test_scores_tell_the_noise_of_both_apart():
    measured, _, _, scores = world(actions=300)
    found = WelfareRegressor(scale=True).fit(People(measured, 0.3), scores)
    for name, truth in (("p", -1.0), ("sigma", 0.1), ("scale", 1.0)):
        low, high = found.result_.interval(name)
        assert low < truth < high
    assert found.predict(People(measured, 0.3)).shape == (300,)
    assert found.result_.bootstrap(5).resamples == 5


def test_equal_errors_in_another_form_are_the_same():
    measured, pairs, outcomes, _ = world()
    one = ComparisonClassifier().fit(Comparisons(People(measured, 0.3), pairs, outcomes))
    factors = np.full((3, 80, 1), 1e-9)
    other = People(measured, 0.3, factors=factors, shrink=False)
    plain = People(measured, 0.3, shrink=False)
    two = [ComparisonClassifier().fit(Comparisons(p, pairs, outcomes)) for p in (plain, other)]
    assert np.allclose(two[0].result_.params, two[1].result_.params, rtol=CONVERGED)
    assert abs(one.p_ + 1) < abs(two[0].p_ + 1)  # without shrinking p stays biased


def test_normal_draws_are_standard_errors():
    measured, pairs, outcomes, _ = world()
    rng = np.random.default_rng(4)
    drawn = measured * np.exp(0.3 * rng.normal(size=(4000, *measured.shape)))
    people = People(measured, draws=drawn, shrink=True)
    by_draws = ComparisonClassifier().fit(Comparisons(people, pairs, outcomes)).result_
    by_errors = ComparisonClassifier().fit(Comparisons(People(measured, 0.3), pairs, outcomes))
    # 4,000 draws know means to 0.005 and variances to 2%
    off = (by_draws.params - by_errors.result_.params) / by_errors.result_.bse
    assert np.abs(off).max() < 0.1
    assert np.allclose(by_draws.bse, by_errors.result_.bse, rtol=0.05)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(noise="lapse"), "logistic noise"),
        (dict(p=-40.0), "p must lie between"),
        (dict(p="egalitarian"), "p must lie between"),
        (dict(shift=1.0), "shift must be 0"),
    ],
)
def test_what_cannot_be_done_with_errors_is_refused(options, message):
    measured, pairs, outcomes, _ = world()
    decided = Comparisons(People(measured, 0.3), pairs, outcomes)
    with pytest.raises(InputError, match=message):
        ComparisonClassifier(**options).fit(decided)


def test_other_standard_errors_are_refused(fitted):
    with pytest.raises(InputError, match="decisions about the same action share its error"):
        fitted.result_.cov_params("robust")
