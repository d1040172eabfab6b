"""Models of other packages beside ours, on the same decisions and the same held-out parts."""

from __future__ import annotations

import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import welfarist as wf
from benchmarks import problems
from welfarist.base.exports import number
from welfarist.decisions.folds import folds_of

PROBLEM = problems.comparisons(2, 60, 3, 600, p=-0.6, tau=6.0)
CHOICES = PROBLEM.comparisons()
FIRST, SECOND = (CHOICES.utilities[CHOICES.pairs[:, i]] for i in (0, 1))
MORE, WON = FIRST - SECOND, (CHOICES.outcomes > 0).astype(float)
SCORES = problems.scores(1, 120, 3)
# The linear logit of differences: no penalty, and nobody is preferred for standing first.
LOGIT = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10, max_iter=1000)
# Two ways to add up the same numbers; two optima of one convex problem.
ROUNDING, OPTIMUM = 1e-9, 1e-6


def compare(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return wf.compare(*args, **options)


def linear_logit(more=MORE, won=WON):
    """The largest log likelihood of a logit of differences, by SciPy."""
    sign = 2 * won - 1
    found = minimize(
        lambda b: np.logaddexp(0, -sign * (more @ b)).sum(),
        np.zeros(more.shape[1]),
        jac=lambda b: -(sign * expit(-sign * (more @ b))) @ more,
        tol=1e-10,
    )
    return -found.fun, found.x


# --- scikit-learn ------------------------------------------------------------------------------


def test_the_linear_logit_has_the_numbers_of_a_plain_fit():
    table = compare({"ours": wf.ComparisonClassifier(), "logit": LOGIT}, CHOICES, folds=None)
    row, reached = table.rows[1], linear_logit()[0]
    assert row.log_likelihood == pytest.approx(reached, rel=OPTIMUM)
    assert row.learned == 3
    assert row.aic == pytest.approx(6 - 2 * row.log_likelihood, rel=ROUNDING)
    assert row.bic == pytest.approx(3 * np.log(600) - 2 * row.log_likelihood, rel=ROUNDING)
    assert row.pseudo_r_squared == pytest.approx(1 + row.log_likelihood / (600 * np.log(2)))
    assert (row.p, row.inequality_aversion) == (None, None)
    right = (MORE @ table.results[1].model.coef_[0] > 0) == (WON > 0)
    assert row.score == pytest.approx(right.mean(), rel=ROUNDING)
    assert not hasattr(LOGIT, "coef_")  # what was passed is left alone
    line = next(line for line in str(table).splitlines() if line.startswith("  logit"))
    assert line.split()[1:3] == ["\N{EN DASH}"] * 2
    assert json.loads(table.as_json())["rows"][1]["p"] is None
    assert np.isnan(table.to_frame()["p"][1])


@pytest.mark.parametrize("known", [True, False])
def test_held_out_parts_are_the_same_as_ours(known):
    by = np.random.default_rng(1).integers(0, 40, 600) if known else None
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
    model = make_pipeline(StandardScaler(), GaussianNB())
    row = compare([model], data, folds=4).rows[0]
    fold = folds_of(data, 4, np.random.default_rng(0))
    right = 0.0
    for part in range(4):
        fitted = model.fit(MORE[fold != part], WON[fold != part])
        chance = fitted.predict_proba(MORE[fold == part])[:, 1]
        right += ((chance > 0.5) == (WON[fold == part] > 0)).sum()
    assert row.held_out == pytest.approx(right / 600, rel=ROUNDING)
    assert row.name == "GaussianNB"
    assert row.aic is None  # nobody knows how many numbers it learned


def test_what_a_model_sees_can_be_chosen():
    both = make_pipeline(StandardScaler(), LogisticRegression(C=np.inf, max_iter=1000))
    row = compare([both], CHOICES, folds=None, features="both").rows[0]
    assert row.learned == 7
    logs = compare([LOGIT], CHOICES, folds=None, features=lambda u, v: np.log(u) - np.log(v)).rows[
        0
    ]
    reached, slopes = linear_logit(np.log(FIRST) - np.log(SECOND))
    assert logs.log_likelihood == pytest.approx(reached, rel=OPTIMUM)
    nash = wf.ComparisonClassifier(p=0).fit(CHOICES).result_
    assert (slopes > 0).all()  # so that the Nash rule is this logit, with tau times the weights
    assert nash.llf == pytest.approx(reached, rel=OPTIMUM)
    assert nash.tau * nash.weights == pytest.approx(slopes, rel=1e-3)


def test_ties_and_counts_go_to_them_as_weights():
    outcomes = CHOICES.outcomes.copy()
    outcomes[:40] = 0
    counts = np.where(np.arange(600) % 7 == 0, 3.0, 1.0)
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, outcomes, counts)
    row = compare([LOGIT], data, folds=3).rows[0]
    share = (1 + outcomes) / 2
    found = minimize(
        lambda b: (
            counts @ (share * np.logaddexp(0, -MORE @ b) + (1 - share) * np.logaddexp(0, MORE @ b))
        ),
        np.zeros(3),
        tol=1e-10,
    )
    assert row.log_likelihood == pytest.approx(-found.fun, rel=OPTIMUM)
    right = np.where(share == 0.5, 0.5, (MORE @ found.x > 0) == (share > 0.5))
    assert row.score == pytest.approx(counts @ right / counts.sum(), rel=ROUNDING)
    with pytest.raises(wf.InputError, match="whose fit takes sample_weight; found KNeighbors"):
        compare([KNeighborsClassifier()], data, folds=None)
    scaled = make_pipeline(StandardScaler(with_mean=False), LOGIT)
    again = compare([scaled], data, folds=None).rows[0]
    assert again.log_likelihood == pytest.approx(row.log_likelihood, rel=OPTIMUM)


def test_decisions_whose_first_action_always_won_are_turned_for_them():
    pairs = np.where(CHOICES.outcomes[:, None] > 0, CHOICES.pairs, CHOICES.pairs[:, ::-1])
    sorted_ = wf.Comparisons(CHOICES.utilities, pairs, np.ones(600))
    table = compare([LOGIT], sorted_, folds=3)
    assert table.rows[0].log_likelihood == pytest.approx(linear_logit()[0], rel=OPTIMUM)
    assert any("every second comparison was turned round" in note for note in table.notes)
    assert not any("turned round" in note for note in compare([LOGIT], CHOICES, folds=None).notes)


def test_no_chance_given_to_what_happened_is_said():
    class Stubborn(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.array([0, 1])
            return self

        def predict_proba(self, X):
            return np.tile([0.0, 1.0], (len(X), 1))

    table = compare({"Nash": "Nash", "first": Stubborn()}, CHOICES, folds=2)
    assert table.rows[1].log_likelihood == -np.inf
    assert any("A log-likelihood of -inf: first gave no chance" in note for note in table.notes)
    assert json.loads(table.as_json())["rows"][1]["log_likelihood"] == "-inf"
    assert "-inf" in str(table)
    assert r"$-\infty$" in table.as_latex()


def test_rules_without_a_fit_are_taken_as_they_are():
    class Coin:
        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5)

    table = compare({"coin": Coin(), "Nash": "Nash"}, CHOICES, folds=3)
    row = table.rows[0]
    assert row.log_likelihood == pytest.approx(600 * np.log(0.5))
    assert (row.score, row.held_out, row.pseudo_r_squared) == (0.5, 0.5, pytest.approx(0.0))
    assert any("Not fitted again but taken as it is: coin" in note for note in table.notes)


def test_scores_are_predicted_by_regressors():
    line = LinearRegression(fit_intercept=False)
    table = compare(
        {"ours": wf.WelfareRegressor(), "line": line}, SCORES.utilities, SCORES.scores, folds=3
    )
    slopes, *_ = np.linalg.lstsq(SCORES.utilities, SCORES.scores, rcond=None)
    missed = SCORES.scores - SCORES.utilities @ slopes
    spread = np.square(SCORES.scores - SCORES.scores.mean()).sum()
    row = table.rows[1]
    assert row.score == pytest.approx(1 - missed @ missed / spread)
    variance = missed @ missed / 120
    assert row.log_likelihood == pytest.approx(-60 * (np.log(2 * np.pi * variance) + 1))
    assert (row.learned, row.pseudo_r_squared) == (3, None)
    assert row.held_out < row.score


def test_bad_models_are_refused_in_words():
    class Silent:
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    for given, options, words in (
        (([Perceptron()], CHOICES), {}, "must give probabilities.*found Perceptron"),
        (([LogisticRegression], CHOICES), {}, "what is compared must be"),
        (([LOGIT],), {}, "found neither X nor a fit"),
        (([Silent()], CHOICES), {}, "Silent must give a probability between 0 and 1"),
        (([LOGIT], CHOICES), dict(features="sums"), "features must be"),
        (([LOGIT], CHOICES), dict(features=lambda u, v: u[:3]), "a row for each of 600"),
        (([LOGIT], CHOICES[:2]), dict(folds=2), "for the first and for the second action"),
    ):
        with pytest.raises(wf.InputError, match=words):
            compare(*given, **options)


def test_forests_are_better_on_what_they_saw():
    row = compare([RandomForestClassifier(20, random_state=0)], CHOICES, folds=3).rows[0]
    assert row.score > row.held_out + 0.05


# --- statsmodels -------------------------------------------------------------------------------


def test_results_of_statsmodels_keep_their_numbers():
    sm = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")
    by = np.arange(600) % 40
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
    logit = sm.Logit(WON, MORE).fit(disp=0, cov_type="cluster", cov_kwds={"groups": by})
    glm = sm.GLM(WON, MORE, family=sm.families.Binomial()).fit()
    offset = sm.Logit(WON, MORE, offset=np.zeros(600)).fit(disp=0)
    items = {"logit": logit, "glm": glm, "offset": offset, "sklearn": LOGIT, "Nash": "Nash"}
    table = compare(items, data, folds=3)
    rows = {row.name: row for row in table.rows}
    assert rows["logit"].log_likelihood == pytest.approx(logit.llf, rel=ROUNDING)
    assert (rows["logit"].aic, rows["logit"].bic) == pytest.approx((logit.aic, logit.bic))
    assert rows["logit"].held_out == rows["glm"].held_out == rows["sklearn"].held_out
    assert rows["offset"].held_out is None
    assert any("No held-out score of offset" in note for note in table.notes)
    latex = table.as_latex(digits=3, stars=True)
    assert f"{logit.params[0]:.3f}$^{{***}}$" in latex
    assert f"({number(logit.bse[0], 3)})" in latex
    assert "from its own package (cluster) in (1)" in latex
    with pytest.raises(wf.InputError, match="must be of the decisions that are compared"):
        compare([sm.Logit(1 - WON, MORE).fit(disp=0)], data)
    with pytest.raises(wf.InputError, match=r"found others \(100 rows, 600 decisions"):
        compare([sm.Logit(WON[:100], MORE[:100]).fit(disp=0)], data)


def test_formulas_of_statsmodels_are_made_again():
    formulas = pytest.importorskip("statsmodels.formula.api", reason="statsmodels is not installed")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(MORE, columns=["a", "b", "c"]).assign(won=WON)
    found = formulas.logit("won ~ a + b + c - 1", frame).fit(disp=0)
    table = compare({"formula": found, "sklearn": LOGIT}, CHOICES, folds=3)
    assert table.rows[0].held_out == table.rows[1].held_out
    assert [row.name for row in table.results[0].rows] == ["a", "b", "c"]


class LikeStatsmodels:
    """What is asked of a result of statsmodels: a logit of differences, as it was fitted."""

    def __init__(self, slopes, **told):
        self.model = SimpleNamespace(endog=WON, exog=MORE, exog_names=["a", "b", "c"])
        self.params = self.bse = self.pvalues = slopes
        vars(self).update(told)

    def predict(self):
        return expit(MORE @ self.params)


def test_only_a_maximum_of_the_likelihood_has_information_criteria():
    reached, slopes = linear_logit()
    items = {
        "logit": LikeStatsmodels(slopes, llf=reached),
        "equations": LikeStatsmodels(slopes),
        "of another kind": LikeStatsmodels(slopes, llf=reached - 5.0),
        "penalty": LikeStatsmodels(slopes, llf=reached, trimmed=np.zeros(3, dtype=bool)),
    }
    table = compare(items, CHOICES, folds=None)
    assert table.rows[0].aic == pytest.approx(6 - 2 * reached, rel=OPTIMUM)
    for row in table.rows[1:]:
        assert (row.aic, row.bic, row.learned) == (None, None, None)
        assert row.log_likelihood == pytest.approx(reached, rel=OPTIMUM)
    said = next(note for note in table.notes if note.startswith("No AIC and BIC of"))
    assert said.startswith("No AIC and BIC of equations, of another kind and penalty: ")
    assert "or that maximised something else" in said


def test_results_of_statsmodels_that_did_not_converge_are_named():
    reached, slopes = linear_logit()
    items = {
        "fine": LikeStatsmodels(slopes, llf=reached, mle_retvals={"converged": True}),
        "logit": LikeStatsmodels(slopes, llf=reached, mle_retvals={"converged": False}),
        "glm": LikeStatsmodels(slopes, llf=reached, converged=False),
    }
    table = compare(items, CHOICES, folds=None)
    assert "Did not converge: logit and glm" in table.notes
    assert ("converged", "yes", "no", "no") in table.in_columns().rows


# --- who decided -------------------------------------------------------------------------------


def test_what_one_fit_knows_of_who_decided_holds_for_all():
    by = np.arange(600) % 40
    known = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
    plain, clustered = (wf.ComparisonClassifier().fit(data) for data in (CHOICES, known))
    for items in ([plain, clustered], [plain.result_, clustered.result_]):
        table = compare(items, folds=3)
        assert table.clusters == 40
        assert "Held-out accuracy: in 3 parts, by decision makers" in table.notes
        assert [result.covariance for result in table.results] == ["clustered"] * 2
        one, other = table.results
        assert one.bse.tolist() == other.bse.tolist()
    assert plain.result_.covariance == "fisher"  # and is itself left alone
    given = compare([clustered], CHOICES, folds=3)  # decisions of which nobody says who decided
    assert given.results[0].covariance == "fisher"
    assert given.clusters is None
    robust = compare([plain.result_.with_covariance("robust"), clustered.result_], folds=None)
    assert robust.results[0].covariance == "robust"
    others = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by % 20)
    with pytest.raises(wf.InputError, match="differ in who decided"):
        compare([clustered, wf.ComparisonClassifier().fit(others)])
    named = wf.Comparisons(
        CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=[f"n{i}" for i in by]
    )
    assert compare([clustered, wf.ComparisonClassifier().fit(named)], folds=None).clusters == 40
