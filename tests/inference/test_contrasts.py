"""Linear contrasts and Wald tests of them, epsilon as a parameter, and names of the estimates."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.stats import chi2, norm

import welfarist as wf
from benchmarks import problems
from welfarist.base.named_values import MaskedNamedValues, NamedValues

CHOICES = problems.comparisons(2, 80, 3, 900, p=-0.6, tau=6.0).comparisons()
CHOICES.stakeholders = ("patients", "staff", "R&D = 2, new")
RESULT = wf.ComparisonClassifier().fit(CHOICES).result_
SCORES = problems.scores(1, 120, 3)
# The same formula, multiplied out in another order.
ROUNDING = 1e-9


def names():
    return [f"weight of {name}" for name in CHOICES.stakeholders]


# --- contrasts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "coefficients", "constant"),
    [
        ("weight of patients - weight of staff", [0, 1, -1, 0, 0], 0),
        ("patients - staff", [0, 1, -1, 0, 0], 0),
        ({"patients": 1, "staff": -1}, [0, 1, -1, 0, 0], 0),
        ("2*patients - 3 weight of staff + 0.5", [0, 2, -3, 0, 0], 0.5),
        ("weight of R&D = 2, new - patients / 2", [0, -0.5, 0, 1, 0], 0),
        ("-epsilon + 1", [1, 0, 0, 0, 0], 0),
        ("inequality aversion", [-1, 0, 0, 0, 0], 1),
        ({"epsilon": 2.0, "tau": -1}, [-2, 0, 0, 0, -1], 2),
        ("p - -1", [1, 0, 0, 0, 0], 1),
    ],
)
def test_contrasts_against_hand_computation(asked, coefficients, constant):
    found = RESULT.contrast(asked, value=0.1, level=0.9)
    row = np.array(coefficients, dtype=float)
    error = np.sqrt(row @ RESULT.cov_params() @ row)
    value = row @ np.asarray(RESULT.params) + constant
    assert found.estimate == pytest.approx(value, rel=ROUNDING)
    assert found.standard_error == pytest.approx(error, rel=ROUNDING)
    assert found.statistic == pytest.approx((value - 0.1) / error, rel=ROUNDING)
    assert found.p_value == pytest.approx(2 * norm.sf(abs(value - 0.1) / error), rel=1e-6)
    reach = norm.ppf(0.95) * error
    assert (found.low, found.high) == pytest.approx((value - reach, value + reach), rel=ROUNDING)
    assert f"{found.estimate:.4g}" in str(found)


def test_several_equations_against_hand_computation():
    rows = np.array([[0, 1, -1, 0, 0], [1, 0, 0, 0, 0]], dtype=float)
    away = rows @ np.asarray(RESULT.params) - [0, -1]
    spread = rows @ RESULT.cov_params() @ rows.T
    statistic = away @ np.linalg.solve(spread, away)
    for null in (
        "patients = staff, p = -1",
        ["weight of patients = staff", "epsilon = 2"],
        [{"patients": -2, "staff": 2}, "p + 1 = 0"],
        "patients = staff, staff = patients, p + 1",  # what follows from the others adds nothing
    ):
        found = RESULT.wald_test(null)
        assert found.kind == "Wald"
        assert found.degrees == 2
        assert found.statistic == pytest.approx(statistic, rel=1e-7)
        assert found.p_value == pytest.approx(chi2.sf(statistic, 2), rel=1e-6)
    robust = RESULT.wald_test("p = -1", covariance="robust")
    assert robust.statistic == pytest.approx(
        (RESULT.p + 1) ** 2 / RESULT.cov_params("robust")[0, 0]
    )


def test_chains_are_equal_weights_and_groups():
    whole = RESULT.wald_test("patients = staff = weight of R&D = 2, new")
    equal = RESULT.test(weights="equal", covariance="fisher")
    assert (whole.statistic, whole.degrees) == (pytest.approx(equal.statistic), equal.degrees)
    pair = RESULT.wald_test("patients = staff")
    groups = RESULT.test(groups=["a", "a", "b"], covariance="fisher")
    assert groups.statistic == pytest.approx(pair.statistic)
    assert (groups.degrees, groups.null) == (1, "weights shared within 2 groups")
    both = RESULT.test(p=-1, groups=["a", "a", "b"], covariance="robust")
    joint = RESULT.wald_test("p = -1, patients = staff", covariance="robust")
    assert both.statistic == pytest.approx(joint.statistic)


def test_groups_within_groups_are_tested_by_their_differences():
    data = problems.comparisons(5, 80, 4, 900, p=0.3, tau=6.0).comparisons()
    result = wf.ComparisonClassifier(groups=["a", "a", "b", "c"]).fit(data).result_
    found = result.test(groups=["x", "x", "x", "y"], covariance="fisher")
    again = result.wald_test("weight of person 1 = weight of person 2")
    assert found.statistic == pytest.approx(again.statistic)
    assert found.degrees == 1


def test_linear_regression_is_statsmodels_own():
    """At p = 1 scores are a regression on what others have more than the last."""
    sm = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")
    result = wf.WelfareRegressor(p=1).fit(SCORES.utilities, SCORES.scores).result_
    more = SCORES.utilities[:, :2] - SCORES.utilities[:, 2:]
    ols = sm.OLS(SCORES.scores - SCORES.utilities[:, 2], more).fit()
    known = ols.nobs / ols.df_resid  # their variance is over n - k, ours over n
    found = result.wald_test("weight of person 0 = weight of person 1")
    theirs = ols.wald_test("x1 = x2", use_f=False, scalar=True)
    assert found.statistic == pytest.approx(float(theirs.statistic) * known, rel=1e-6)
    assert np.asarray(result.params)[:2] == pytest.approx(ols.params, rel=1e-6)
    assert result.llf == pytest.approx(ols.llf, rel=1e-9)
    mean = sm.OLS(SCORES.scores, np.ones(len(SCORES.scores))).fit()
    assert result.llnull == pytest.approx(mean.llf, rel=1e-12)


def test_what_cannot_be_tested_says_why():
    sparse = problems.comparisons(3, 60, 4, 600, p=0.5, tau=4.0, sparse=0.1).comparisons()
    edge = wf.ComparisonClassifier().fit(sparse).result_
    held = edge.on_edge[0]
    given = wf.ComparisonClassifier(weights="equal").fit(CHOICES).result_
    for refused, words in (
        (lambda: RESULT.wald_test("patients = 0"), "inside the range of what it tests"),
        (lambda: RESULT.wald_test("tau = 0"), "inside the range"),
        (lambda: RESULT.wald_test("p = 0, p = 1"), "contradict each other"),
        (lambda: RESULT.wald_test("patience = 0"), "found 'patience = 0'"),
        (lambda: RESULT.wald_test("+".join(names()) + " = 1"), "weights sum to 1"),
        (lambda: RESULT.wald_test("patients staff = 0"), "must be linear"),
        (lambda: RESULT.wald_test("patients * staff = 0"), "must be linear"),
        (lambda: RESULT.wald_test("patients ="), "must be linear"),
        (lambda: RESULT.wald_test("1 / patients = 2"), "must be linear"),
        (lambda: RESULT.wald_test([]), "at least one equation"),
        (lambda: RESULT.wald_test(3), "must be a text"),
        (lambda: RESULT.wald_test({"patients": np.inf}), "must be finite"),
        (lambda: RESULT.wald_test({"doctors": 1}), "found 'doctors'"),
        (lambda: RESULT.wald_test("p = 1", covariance="hac"), "covariance must be one of"),
        (lambda: RESULT.contrast("p = 1"), 'has no "="'),
        (lambda: RESULT.contrast(["p"]), "a contrast must be a text"),
        (lambda: RESULT.contrast("p", value=np.nan), "value must be a finite number"),
        (lambda: RESULT.contrast("p", level=95), "between 0 and 1"),
        (lambda: edge.contrast(held), "lies where its range ends"),
        (lambda: given.contrast("weight of staff"), "found 'weight of staff'"),
    ):
        with pytest.raises(wf.InputError, match=words):
            refused()


# --- epsilon -----------------------------------------------------------------------------------


def test_epsilon_is_one_less_p_in_every_question():
    for options in ({}, {"method": "wald"}, {"covariance": "robust"}, {"level": 0.8}):
        low, high = RESULT.interval("p", **options)
        assert RESULT.interval("epsilon", **options) == (1 - high, 1 - low)
    assert RESULT.interval("inequality aversion") == RESULT.interval("epsilon")
    assert RESULT.test(epsilon=0.5) == RESULT.test(p=0.5)
    assert RESULT.test(epsilon=2, covariance="robust") == RESULT.test(p=-1, covariance="robust")
    assert RESULT.test(epsilon=1).null == "p = 0 (Nash, inequality aversion 1)"
    drawn = RESULT.bootstrap(39, progress=False)
    low, high = drawn.interval("p")
    assert drawn.interval("epsilon") == (1 - high, 1 - low)


def test_epsilon_is_refused_where_it_says_nothing():
    given = wf.ComparisonClassifier(p=0).fit(CHOICES).result_
    for refused, words in (
        (lambda: RESULT.test("Nash", epsilon=1), "a doctrine, p or epsilon"),
        (lambda: RESULT.test(p=0, epsilon=1), "a doctrine, p or epsilon"),
        (lambda: RESULT.test(epsilon="high"), "epsilon must be a number"),
        (lambda: RESULT.test(epsilon=np.nan), "epsilon must be a number"),
        (lambda: given.interval("epsilon"), "found 'epsilon'"),
        (lambda: given.test(epsilon=1), "was given"),
    ):
        with pytest.raises(wf.InputError, match=words):
            refused()


# --- names -------------------------------------------------------------------------------------


def test_estimates_go_by_number_and_by_name():
    assert RESULT.params["p"] == RESULT.params[0] == RESULT.p
    assert RESULT.params["weight of staff"] == RESULT.weights[1]
    assert RESULT.bse["tau"] == RESULT.bse[4]
    assert RESULT.pvalues["p"] == RESULT.pvalues[0]
    assert RESULT.tvalues["tau"] is np.ma.masked
    assert RESULT.conf_int()["p"].tolist() == list(RESULT.interval("p"))
    assert list(RESULT.params.to_dict()) == list(RESULT.param_names)
    assert RESULT.bse.to_dict()["p"] == RESULT.bse[0]
    assert str(RESULT.params).splitlines()[0].startswith("p ")
    with pytest.raises(wf.InputError, match="found 'rho'"):
        RESULT.params["rho"]


def test_named_numbers_are_arrays_like_any_other():
    made = NamedValues.of([1.0, 4.0], ("a", "b"))
    assert type(made + 1) is type(made[:1]) is type(np.sqrt(made)) is np.ndarray
    assert made.sum() == 5.0
    assert (made == np.array([1.0, 4.0])).all()
    assert made.tolist() == [1.0, 4.0]
    again = pickle.loads(pickle.dumps(made))
    assert (again["b"], again.names) == (4.0, ("a", "b"))
    masked = MaskedNamedValues.of([1.0, 4.0], [False, True], ("a", "b"))
    assert pickle.loads(pickle.dumps(masked)).to_dict() == {"a": 1.0, "b": None}
    assert masked.filled(0.0).tolist() == [1.0, 0.0]
    assert made[::-1].tolist() == [4.0, 1.0]  # whose names would be wrong
    with pytest.raises(wf.InputError, match="have no names"):
        made.copy()["a"]


# --- beside knowing nothing --------------------------------------------------------------------


def test_pseudo_r_squared_is_mcfaddens_against_coin_flips():
    counts = np.where(np.arange(len(CHOICES)) % 5 == 0, 3.0, 1.0)
    outcomes = CHOICES.outcomes.copy()
    outcomes[:20] = 0
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, outcomes, counts)
    result = wf.ComparisonClassifier().fit(data).result_
    assert result.llnull == pytest.approx(counts.sum() * np.log(0.5), rel=1e-12)
    assert result.prsquared == pytest.approx(1 - result.llf / result.llnull, rel=1e-12)
    with pytest.raises(wf.InputError, match="Use prsquared"):
        _ = result.rsquared


def test_scores_are_beside_their_mean():
    counts = np.where(np.arange(120) % 5 == 0, 3.0, 1.0)
    result = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores, counts).result_
    mean = np.average(SCORES.scores, weights=counts)
    variance = np.average((SCORES.scores - mean) ** 2, weights=counts)
    deviation = (SCORES.scores - mean) ** 2 / variance
    known = -0.5 * counts @ (np.log(2 * np.pi * variance) + deviation)
    assert result.llnull == pytest.approx(known, rel=1e-12)
    assert result.rsquared == result.r_squared
    with pytest.raises(wf.InputError, match="Use rsquared"):
        _ = result.prsquared


# --- where somebody has nothing ----------------------------------------------------------------


def with_zeros(**options):
    """Scores of a rule near Nash, of which somebody has a utility of 0: p is searched above 0."""
    rng = np.random.default_rng(0)
    table = rng.uniform(1, 10, (2, 30, 3))[0]
    table[0, 0] = 0.0
    scores = wf.power_mean(table, 0.4, [0.5, 0.3, 0.2]) + rng.normal(0, 1, 30)
    with pytest.warns(wf.SearchRangeWarning, match="searched above 0"):
        return wf.WelfareRegressor(**options).fit(table, scores).result_


def test_wald_intervals_of_p_do_not_go_where_it_was_not_searched():
    result = with_zeros()
    reach = norm.isf(0.005) * result.bse["p"]
    assert result.p - reach < 0  # or there is nothing to cut
    low, high = result.interval("p", 0.99, method="wald")
    assert (low, high) == (0.0, pytest.approx(result.p + reach, rel=ROUNDING))
    assert result.interval("epsilon", 0.99, method="wald") == (1 - high, 1.0)
    robust = result.with_covariance("robust")
    assert robust.interval("p", 0.9999)[0] == 0.0
    believed = with_zeros(prior=2.0)
    assert believed.interval("p", 0.9999)[0] == 0.0


@pytest.mark.parametrize("null", ["p = 0", "p = -0.5", "epsilon = 1.5", {"p": 1}])
def test_wald_tests_of_powers_that_were_not_searched_are_refused(null):
    with pytest.raises(wf.InputError, match=r"p goes from 0 to inf.* Some utility is 0"):
        with_zeros().wald_test(null)
    assert with_zeros().wald_test("p = 0.5").degrees == 1
