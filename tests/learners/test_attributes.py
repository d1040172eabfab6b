"""Weights by attributes, from decisions to what is said of theta."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from scipy.stats import chi2
from sklearn.base import clone

import welfarist as wf
from welfarist.inference.delta import delta_interval

PEOPLE, ACTIONS = 8, 60
AGES = np.array([20.0, 25.0, 33.0, 41.0, 52.0, 60.0, 71.0, 80.0])
REGIONS = ["north", "south"] * 4
HEADS = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
THETA = 0.03
# Two searches of one optimum end apart by what steps of a relative decrease of 1e-14 leave.
SAME_LOSS, SAME_WEIGHTS = 1e-12, 1e-6
# Intervals of the same likelihood end apart by what their search for an end leaves.
SAME_ENDS = 1e-6


def world(p: float = 0.5, theta: float = THETA, heads=HEADS, seed: int = 0):
    rng = np.random.default_rng(seed)
    rule = wf.WelfareFunction(p, heads * np.exp(theta * AGES))
    return rng, rule, rng.lognormal(0.0, 0.7, (ACTIONS, PEOPLE))


def decided(comparisons: int = 1500, tau: float = 10.0, **options) -> wf.Comparisons:
    rng, rule, table = world(**options)
    pairs = rng.permuted(np.tile(np.arange(ACTIONS), (comparisons, 1)), axis=1)[:, :2]
    margins = rule.log(table[pairs[:, 0]]) - rule.log(table[pairs[:, 1]])
    outcomes = np.where(tau * margins + rng.logistic(size=len(pairs)) > 0, 1, -1)
    return wf.Comparisons(table, pairs, outcomes)


def by_age(**more) -> wf.ByAttributes:
    return wf.ByAttributes({"age": AGES, "region": REGIONS, **more}, HEADS)


@pytest.fixture(scope="module")
def fitted() -> wf.ComparisonClassifier:
    return wf.ComparisonClassifier(weights=by_age()).fit(decided())


def test_theta_is_found_and_weights_follow_from_it(fitted) -> None:
    low, high = fitted.result_.interval("age")
    assert low < THETA < high
    assert fitted.result_.interval("theta[age]") == (low, high)
    low, high = fitted.result_.interval("region: south")
    assert low < 0 < high
    south = np.array([region == "south" for region in REGIONS])
    weights = HEADS * np.exp(fitted.theta_["age"] * AGES + fitted.theta_["region: south"] * south)
    np.testing.assert_allclose(fitted.weights_, weights / weights.sum(), rtol=1e-12)
    assert fitted.result_.param_names == ("p", "theta[age]", "theta[region: south]", "tau")
    assert fitted.result_.given == ()


def test_scores_and_menus_find_it_too() -> None:
    rng, rule, table = world()
    scores = rule(table) + rng.normal(0, 0.03, ACTIONS)
    found = wf.WelfareRegressor(weights=by_age()).fit(table, scores)
    low, high = found.result_.interval("age")
    assert low < THETA < high
    menus = [rng.choice(ACTIONS, 4, replace=False) for _ in range(600)]
    chosen = [menu[np.argmax(10 * rule.log(table[menu]) + rng.gumbel(size=4))] for menu in menus]
    learned = wf.ChoiceLearner(weights=by_age()).fit(wf.Choices(table, menus, chosen))
    low, high = learned.result_.interval("age")
    assert low < THETA < high
    assert learned.result_.interval("age", method="wald")[0] > 0


def test_everybody_an_attribute_of_their_own_is_a_fit_of_free_weights() -> None:
    choices = decided(3000, heads=np.ones(PEOPLE), theta=0.01)
    free = wf.ComparisonClassifier(tol=1e-14, small_sample="none").fit(choices)
    everybody = wf.ByAttributes({"who": list("abcdefgh")}, HEADS)
    found = wf.ComparisonClassifier(tol=1e-14, small_sample="none", weights=everybody).fit(choices)
    assert free.weights_.min() > 0.01  # else there is no such theta
    assert found.loss_ == pytest.approx(free.loss_, abs=SAME_LOSS)
    np.testing.assert_allclose(found.weights_, free.weights_, atol=SAME_WEIGHTS)
    assert found.result_.aic == pytest.approx(free.result_.aic, abs=1e-8)
    assert found.result_.interval("p") == pytest.approx(free.result_.interval("p"), abs=SAME_ENDS)


def test_the_unit_of_an_attribute_changes_nothing_but_theta(fitted) -> None:
    months = wf.ByAttributes({"age": 12 * AGES + 7, "region": REGIONS}, HEADS)
    found = wf.ComparisonClassifier(weights=months).fit(decided())
    assert found.theta_["age"] == pytest.approx(fitted.theta_["age"] / 12, rel=1e-6)
    assert found.loss_ == pytest.approx(fitted.loss_, abs=SAME_LOSS)
    years, twelfth = fitted.result_.interval("age"), found.result_.interval("age")
    assert np.array(twelfth) * 12 == pytest.approx(years, rel=1e-6)
    errors = [fit.result_.bse["theta[age]"] for fit in (fitted, found)]
    assert errors[0] == pytest.approx(12 * errors[1], rel=1e-6)


def test_without_an_effect_every_head_counts_the_same() -> None:
    given = wf.ComparisonClassifier(weights=HEADS).fit(decided(theta=0.0))
    found = wf.ComparisonClassifier(weights=by_age()).fit(decided(theta=0.0))
    test = found.result_.test(theta=0)
    assert test.degrees == 2
    assert test.null_llf == pytest.approx(given.result_.llf, abs=1e-6)
    assert test.p_value > 0.01


def test_a_ratio_of_likelihoods_is_that_of_two_fits(fitted) -> None:
    result = fitted.result_
    without = wf.ComparisonClassifier(weights=wf.ByAttributes({"region": REGIONS}, HEADS))
    smaller = without.fit(decided()).result_
    for null in ("age", "theta[age]", ["age"], {"age": 0.0}):
        test = result.test(theta=null)
        assert test.statistic == pytest.approx(2 * (result.llf - smaller.llf), abs=1e-6)
        assert (test.degrees, test.null) == (1, "theta[age] = 0")
    assert test.p_value < 1e-6
    true = result.test(theta={"age": THETA}, p=0.5)
    assert (true.degrees, true.p_value > 0.01) == (2, True)


def test_an_interval_ends_where_a_test_rejects(fitted) -> None:
    """A profile ends where a search that knows nothing of it loses what chi-squared allows."""
    for end in fitted.result_.interval("age"):
        test = fitted.result_.test(theta={"age": end})
        assert test.statistic == pytest.approx(float(chi2.ppf(0.95, 1)), rel=1e-4)


def test_what_follows_from_weights_is_as_sure_as_theta() -> None:
    """The ratio of two people's weights is exp(theta times what they differ by)."""
    one = wf.ByAttributes({"age": AGES}, HEADS)
    result = wf.ComparisonClassifier(p=0.5, weights=one).fit(decided()).result_
    ends = delta_interval(
        result.likelihood, result.cov_params("fisher"), lambda p, w: w[1] / w[0], 0.95
    )
    years = AGES[1] - AGES[0]
    low, high = np.exp(years * np.array(result.interval("age", method="wald")))
    ratio = HEADS[1] / HEADS[0]
    assert ends == pytest.approx((ratio * low, ratio * high), rel=1e-9)


def test_wald_tests_go_by_standard_errors(fitted) -> None:
    result = fitted.result_
    away = fitted.theta_["age"] / result.bse["theta[age]"]
    assert result.tvalues["theta[age]"] == pytest.approx(away)
    for test in (result.wald_test("age = 0"), result.test(theta="age", covariance="fisher")):
        assert test.statistic == pytest.approx(away**2, rel=1e-9)
    both = result.wald_test("age = 0, theta[region: south] = 0")
    assert both.statistic == pytest.approx(result.test(theta=0, covariance="fisher").statistic)
    assert both.degrees == 2
    decade = result.contrast("10 age")
    assert decade.estimate == pytest.approx(10 * fitted.theta_["age"])
    assert result.test(theta="age", covariance="robust").p_value < 1e-6


def test_standard_errors_are_those_of_differences(fitted) -> None:
    likelihood = fitted.result_.likelihood
    loss, point = likelihood.loss, likelihood.point
    at = np.array([np.arcsinh(point.p), *point.extras])

    def slope(x):
        return loss.evaluate(type(point)(np.empty(0), float(np.sinh(x[0])), x[1:])).gradient()

    step = 1e-5
    rows = [(slope(at + e) - slope(at - e)) / (2 * step) for e in step * np.eye(len(at))]
    inverse = np.linalg.inv(likelihood.observations * np.array(rows))
    unit = loss.weighting.units[0]
    error = np.sqrt(inverse[1, 1]) / unit
    assert fitted.result_.bse["theta[age]"] == pytest.approx(error, rel=1e-6)


def only_the_oldest() -> wf.Comparisons:
    rng = np.random.default_rng(4)
    table = rng.lognormal(0.0, 0.7, (ACTIONS, PEOPLE))
    pairs = rng.permuted(np.tile(np.arange(ACTIONS), (800, 1)), axis=1)[:, :2]
    margins = np.log(table[pairs[:, 0], -1] / table[pairs[:, 1], -1])
    outcomes = np.where(6 * margins + rng.logistic(size=len(pairs)) > 0, 1, -1)
    return wf.Comparisons(table, pairs, outcomes)


def test_a_theta_that_runs_off_says_so_and_has_an_open_interval() -> None:
    oldest = wf.ByAttributes({"oldest": AGES.max() == AGES})
    with pytest.warns(wf.SearchRangeWarning, match="nobody counts without oldest"):
        found = wf.ComparisonClassifier(p=1, weights=oldest).fit(only_the_oldest())
    assert found.theta_["oldest"] == 100.0  # where the search ends
    assert found.weights_[-1] == 1.0
    low, high = found.result_.interval("oldest")
    assert 0 < low < 100
    assert high == np.inf
    assert found.result_.on_edge == ("theta[oldest]",)
    with pytest.raises(wf.InputError, match="lies where its range ends"):
        found.result_.interval("oldest", method="wald")
    assert found.result_.test(theta="oldest").p_value < 1e-6


def test_at_an_infinite_power_theta_could_be_anything() -> None:
    with pytest.warns(wf.NotIdentifiedWarning, match="theta could be anything"):
        found = wf.ComparisonClassifier(p=-np.inf, weights=by_age()).fit(decided(p=-np.inf))
    assert found.theta_ == {"age": 0.0, "region: south": 0.0}
    np.testing.assert_allclose(found.weights_, HEADS / HEADS.sum())
    assert found.result_.interval("age") == (-np.inf, np.inf)
    assert found.result_.interval("tau")[0] > 0
    assert set(found.result_.on_edge) == {"theta[age]", "theta[region: south]"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(noise="none"), "weights by attributes"),
        (dict(noise="flip"), "weights by attributes"),
        (dict(prior=2.0), "a prior is one of learned weights"),
        (dict(groups=REGIONS), "found attributes as well"),
        (dict(solver="grid"), "weights by attributes"),
        (dict(solver="two_stage"), "weights by attributes"),
    ],
)
def test_what_does_not_go_with_attributes_is_refused(options, words: str) -> None:
    with pytest.raises(wf.InputError, match=words):
        wf.ComparisonClassifier(weights=by_age(), **options).fit(decided(100))


def test_nulls_that_are_none_are_refused(fitted) -> None:
    result = fitted.result_
    for options, words in (
        (dict(weights="equal"), "theta=0 tests that every head counts the same"),
        (dict(groups=REGIONS), "one about theta"),
        (dict(theta="income"), "age, region: south; found 'income'"),
        (dict(theta={"age": np.inf}), "a finite number; found inf"),
        (dict(theta=0.02), "0 for all; found 0.02"),
        (dict(theta=[]), "at least one attribute"),
    ):
        with pytest.raises(wf.InputError, match=words):
            result.test(**options)
    plain = wf.ComparisonClassifier(weights="equal").fit(decided(200)).result_
    with pytest.raises(wf.InputError, match="found a fit without"):
        plain.test(theta="age")


def test_records_keep_theta(fitted) -> None:
    result = fitted.result_
    again = pickle.loads(pickle.dumps(result))
    assert again.theta == result.theta
    assert again.with_data(result.decided).interval("age") == result.interval("age")
    assert result.to_dict()["theta"] == fitted.theta_
    assert clone(fitted).fit(result.decided).theta_ == fitted.theta_
    warm = wf.ComparisonClassifier(weights=by_age(), warm_start=True).fit(result.decided)
    assert warm.fit(result.decided).theta_ == pytest.approx(fitted.theta_, rel=1e-6)
    warm.set_params(weights="equal").fit(result.decided)
    assert not hasattr(warm, "theta_")


def test_a_bootstrap_draws_theta(fitted) -> None:
    drawn = fitted.result_.bootstrap(39, progress=False)
    low, high = drawn.interval("age", 0.9)
    assert low < THETA < high
    assert drawn.bse[1] == pytest.approx(float(fitted.result_.bse["theta[age]"]), rel=0.4)


def test_summaries_show_theta_before_weights(fitted) -> None:
    summary = fitted.result_.summary()
    names = [row["parameter"] for row in summary.to_dict()["parameters"]]
    assert names[2:5] == ["theta[age]", "theta[region: south]", "weight of person 0"]
    row = summary.to_dict()["parameters"][2]
    assert row["low"] < THETA < row["high"]
    assert "by attributes" in summary
    for form in (summary.as_html(), summary.as_latex(), summary.as_json()):
        assert "theta[age]" in form
    line = next(x for x in summary.as_latex(stars=True).splitlines() if "theta[age]" in x)
    assert "***" in line


def test_fits_stand_side_by_side(fitted) -> None:
    decisions = fitted.result_.decided
    rivals = [fitted.result_, wf.ComparisonClassifier(weights=HEADS), "Nash"]
    found = wf.compare(rivals, decisions, folds=None)
    assert "weights by attributes" in str(found)
    assert found.to_frame()["aic"].idxmin() == 0
    assert "theta[age]" in found.as_latex()


def test_the_report_says_who_counts_more(fitted, tmp_path) -> None:
    fitted.result_.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "The larger age is, the more people count." in page
    assert "Who counts more, by attributes" in page
    assert "every head counts the same" in page


def test_a_saved_model_keeps_theta(fitted, tmp_path) -> None:
    path = tmp_path / "model.json"
    wf.save_model(fitted, path)
    assert wf.load_model(path).theta == fitted.theta_
    path.write_text(path.read_text().replace('"age":', '"age": "much", "old":'))
    with pytest.raises(wf.InputError, match="finite numbers by name"):
        wf.load_model(path)


def test_noise_alone_ends_well() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        found = wf.ComparisonClassifier(weights=by_age()).fit(decided(200, tau=0.5, seed=1))
    assert found.converged_
