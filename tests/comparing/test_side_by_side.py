"""Fits, doctrines and rules side by side: the numbers of the fits, and an honest held-out score."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit

import welfarist as wf
from benchmarks import problems
from welfarist.decisions.folds import folds_of
from welfarist.solvers.newton import Newton

CHOICES = problems.comparisons(2, 60, 3, 600, p=-0.6, tau=6.0).comparisons()
LEARNED = wf.ComparisonClassifier().fit(CHOICES)
SCORES = problems.scores(1, 120, 3)
# Two ways to add up the same numbers.
ROUNDING = 1e-9
# Two optima of one convex problem, found from different starts.
OPTIMUM = 1e-6


def rows_of(table):
    return {row.name: row for row in table.rows}


def quiet(estimator, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return estimator.fit(*data)


# --- the numbers -------------------------------------------------------------------------------


def test_numbers_are_those_of_the_fits():
    items = {
        "learned": LEARNED,
        "its result": LEARNED.result_,
        "equal": wf.ComparisonClassifier(weights="equal"),
        "a doctrine": "nash",
    }
    table = wf.compare(items, folds=None)
    fits = (
        LEARNED.result_,
        LEARNED.result_,
        wf.ComparisonClassifier(weights="equal").fit(CHOICES).result_,
        wf.ComparisonClassifier(p=0).fit(CHOICES).result_,
    )
    for row, fit, learned in zip(table.rows, fits, (4, 4, 2, 3), strict=True):
        assert (row.p, row.inequality_aversion) == (fit.p, 1 - fit.p)
        assert (row.log_likelihood, row.aic, row.bic) == (fit.llf, fit.aic, fit.bic)
        assert row.score == fit.accuracy
        assert row.learned == learned
        assert row.held_out is None
    assert [row.name for row in table.rows] == list(items)
    assert table.results[0] is LEARNED.result_
    frame = table.to_frame()
    assert list(frame["aic"]) == [fit.aic for fit in fits]
    assert "held out" not in table.as_text()


def test_a_rule_is_held_and_only_its_noise_is_learned():
    rule = wf.WelfareFunction(-0.5, [0.5, 0.3, 0.2])
    row = wf.compare([rule], CHOICES, folds=None).rows[0]
    margin = rule.log(CHOICES.utilities)
    margin = margin[CHOICES.pairs[:, 0]] - margin[CHOICES.pairs[:, 1]]
    won = margin * CHOICES.outcomes
    best = minimize_scalar(
        lambda tau: np.logaddexp(0, -tau * won).sum(), bounds=(0.5, 20), options=dict(xatol=1e-9)
    )
    assert row.log_likelihood == pytest.approx(-best.fun, rel=ROUNDING)
    assert row.learned == 1
    assert row.aic == pytest.approx(2 - 2 * row.log_likelihood, rel=ROUNDING)
    right = np.sign(margin) == CHOICES.outcomes
    assert row.score == pytest.approx(right.mean(), rel=ROUNDING)
    assert rule.p == row.p


def test_rules_are_matched_by_name():
    frame = pd.DataFrame(CHOICES.utilities, columns=["a", "b", "c"])
    data = wf.Comparisons(frame, CHOICES.pairs, CHOICES.outcomes)
    plain = wf.WelfareFunction(0.2, [0.5, 0.3, 0.2], ["a", "b", "c"])
    turned = wf.WelfareFunction(0.2, [0.2, 0.5, 0.3], ["c", "a", "b"])
    one, other = wf.compare([plain, turned], data, folds=None).rows
    assert one.log_likelihood == other.log_likelihood
    assert (one.name, other.name) == ("rule with p = 0.2", "rule with p = 0.2 (2)")


def test_larger_models_fit_better_and_pay_for_it():
    rng = np.random.default_rng(5)
    rule = wf.WelfareFunction(0.0, [1, 1, 1])  # equal weights and Nash are the truth
    welfare = rule.log(CHOICES.utilities)
    margin = welfare[CHOICES.pairs[:, 0]] - welfare[CHOICES.pairs[:, 1]]
    outcomes = np.where(rng.random(len(margin)) < expit(6 * margin), 1, -1)
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, outcomes)
    items = {
        "truth": wf.ComparisonClassifier(p=0, weights="equal"),
        "p": wf.ComparisonClassifier(weights="equal"),
        "all": wf.ComparisonClassifier(),
        "lapse": wf.ComparisonClassifier(noise="lapse"),
    }
    table = wf.compare(items, data, folds=None)
    likelihoods = [row.log_likelihood for row in table.rows]
    assert all(np.diff(likelihoods) >= -OPTIMUM)
    assert [row.learned for row in table.rows] == [1, 2, 4, 5]
    assert table.best("bic") == ("truth",)
    bics = [row.bic for row in table.rows]
    assert bics == sorted(bics)
    assert table.best("held_out") == ()


# --- held-out decisions ------------------------------------------------------------------------


@pytest.mark.parametrize("known", [True, False])
def test_held_out_accuracy_against_a_plain_loop(known):
    by = np.random.default_rng(1).integers(0, 12, len(CHOICES)) if known else None
    outcomes = CHOICES.outcomes.copy()
    outcomes[:40] = 0  # ties are half right
    counts = np.where(np.arange(len(outcomes)) % 7 == 0, 3.0, 1.0)
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, outcomes, counts, by)
    found = rows_of(wf.compare([wf.ComparisonClassifier(), "utilitarian"], data, folds=4))
    units = [tuple(sorted(pair)) for pair in data.pairs.tolist()] if by is None else by.tolist()
    places = {unit: i for i, unit in enumerate(sorted(set(units)))}
    order = np.random.default_rng(0).permutation(np.arange(len(places)) % 4)
    fold = np.array([order[places[unit]] for unit in units])
    for name, p in (("learned p, learned weights", None), ("utilitarian", 1.0)):
        right = 0.0
        for part in range(4):
            rest, held = fold != part, np.flatnonzero(fold == part)
            train = wf.Comparisons(data.utilities, data.pairs[rest], outcomes[rest], counts[rest])
            rule = quiet(wf.ComparisonClassifier(p=p), train).welfare_
            for i in held:
                first, second = data.utilities[data.pairs[i]]
                answer = rule.compare(first, second)
                right += counts[i] * (0.5 if 0 in (answer, outcomes[i]) else answer == outcomes[i])
        assert found[name].held_out == pytest.approx(right / counts.sum(), rel=ROUNDING)


def test_held_out_r_squared_against_a_plain_loop():
    table = wf.compare(
        [wf.WelfareRegressor(scale=True), "Nash"], SCORES.utilities, 2 * SCORES.scores, folds=3
    )
    values = 2 * SCORES.scores
    fold = np.random.default_rng(0).permutation(np.arange(len(values)) % 3)
    for row, p in zip(table.rows, (None, 0.0), strict=True):
        error = 0.0
        for part in range(3):
            est = wf.WelfareRegressor(scale=True, p=p)
            quiet(est, SCORES.utilities[fold != part], values[fold != part])
            missed = values[fold == part] - est.predict(SCORES.utilities[fold == part])
            error += float(missed @ missed)
        spread = np.square(values - values.mean()).sum()
        assert row.held_out == pytest.approx(1 - error / spread, rel=ROUNDING)
    assert table.measure == "R squared"
    assert "Held-out R squared: in 3 parts, by actions" in table.notes


def test_nobody_is_on_both_sides():
    by = np.array(["ann", "bob", "cy", "di"])[np.arange(len(CHOICES)) % 4]
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
    for folds in (2, 4):
        fold = folds_of(data, folds, np.random.default_rng(0))
        assert set(fold) == set(range(folds))
        assert all(len(set(fold[by == person])) == 1 for person in by)
    fold = folds_of(CHOICES, 5, np.random.default_rng(0))
    pairs = np.sort(CHOICES.pairs, axis=1)
    for pair in np.unique(pairs, axis=0):
        assert len(set(fold[(pairs == pair).all(axis=1)])) == 1
    assert np.ptp(np.bincount(fold)) < 0.2 * len(fold)


def test_seeds():
    items = [LEARNED]
    first, again, other = (wf.compare(items, random_state=seed) for seed in (1, 1, 2))
    assert first.as_json() == again.as_json()
    assert first.rows[0].aic == other.rows[0].aic
    assert "parts, by pairs of actions" in str(first)


def test_counted_errors_and_priors_have_no_criteria_but_a_held_out_score():
    items = {
        "flips": wf.ComparisonClassifier(noise="flip", weights="equal", rho="cross-validation"),
        "prior": wf.ComparisonClassifier(prior=2),
        "learned": LEARNED,
    }
    table = wf.compare(items, CHOICES, folds=3)
    rows = rows_of(table)
    assert (rows["flips"].log_likelihood, rows["flips"].aic, rows["flips"].learned) == (None,) * 3
    assert rows["prior"].log_likelihood is not None
    assert rows["prior"].bic is None
    assert all(0.7 < row.held_out < 1 for row in table.rows)
    said = " ".join(table.notes)
    assert "No log-likelihood, AIC and BIC of flips: " in said
    assert "No AIC and BIC of prior: " in said
    cells = next(line for line in str(table).splitlines() if line.startswith("  flips")).split()
    assert cells.count("\N{EN DASH}") == 4
    assert table.to_frame().set_index("name").loc["flips", ["learned", "aic"]].isna().all()
    assert table.best("aic") == ("learned",)


def test_fits_that_do_not_say_how_they_were_made():
    prior = wf.ComparisonClassifier(prior=2).fit(CHOICES).result_
    flips = wf.ComparisonClassifier(noise="flip", weights="equal").fit(CHOICES).result_
    table = wf.compare({"prior": prior, "flips": flips, "sum": wf.WelfareFunction(1)}, folds=2)
    assert [row.held_out is None for row in table.rows] == [False, True, False]
    assert "No held-out score of flips: " in " ".join(table.notes)
    again = wf.compare({"prior": wf.ComparisonClassifier(prior=2)}, CHOICES, folds=2)
    assert table.rows[0].held_out == again.rows[0].held_out


def test_fits_are_made_again_with_their_own_options():
    options = dict(noise="lapse", groups=["a", "a", "b"], p=-0.5, tau_max=50.0)
    est = wf.ComparisonClassifier(**options).fit(CHOICES)
    by_fit, by_learner = wf.compare([est.result_, est], folds=3).rows
    assert by_fit.held_out == by_learner.held_out
    scaled = wf.WelfareRegressor(scale=True, weights=[1, 2, 3])
    scaled.fit(SCORES.utilities, 3 * SCORES.scores)
    by_fit, by_learner, nash = wf.compare([scaled.result_, scaled, "Nash"], folds=3).rows
    assert by_fit.held_out == pytest.approx(by_learner.held_out, rel=ROUNDING)
    assert nash.learned == 1  # the scale


# --- data --------------------------------------------------------------------------------------


def test_arrays_are_read_as_the_learners_read_them():
    first, second = (CHOICES.utilities[CHOICES.pairs[:, i]] for i in (0, 1))
    X = np.hstack([first, second])
    words = np.where(CHOICES.outcomes > 0, "yes", "no")
    table = wf.compare([wf.ComparisonClassifier(), LEARNED], X, words, folds=None)
    assert table.rows[0].log_likelihood == pytest.approx(LEARNED.result_.llf, rel=ROUNDING)
    assert table.results[1] is LEARNED.result_  # the same decisions, numbered in another way
    guessed = np.where(CHOICES.outcomes > 0, "right", "left")
    with pytest.warns(wf.WelfaristWarning, match="the later in the alphabet"):
        wf.compare([wf.ComparisonClassifier()], X, guessed, folds=None)
    names = pd.DataFrame(SCORES.utilities, columns=["a", "b", "c"])
    grouped = wf.WelfareRegressor(groups={"x": ["a", "b"], "y": ["c"]})
    rows = wf.compare([grouped, "utilitarian"], names, SCORES.scores, folds=2).rows
    assert [row.learned for row in rows] == [2, 1]


def test_a_learner_fitted_to_other_decisions_is_fitted_again():
    other = wf.ComparisonClassifier().fit(CHOICES[:300])
    row = wf.compare([other], CHOICES, folds=None).rows[0]
    assert row.aic == LEARNED.result_.aic
    assert other.result_.decisions == 300  # and is itself left alone


def test_decisions_that_were_never_observed_do_not_count():
    counts = np.r_[np.ones(500), np.zeros(100)]
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, counts)
    held = wf.compare(["Nash"], data, folds=3)
    assert held.decisions == 500
    assert held.rows[0].held_out == wf.compare(["Nash"], CHOICES[:500], folds=3).rows[0].held_out


def test_same_decisions():
    other = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, -CHOICES.outcomes)
    more = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, 2 * CHOICES.counts)
    moved = wf.Comparisons(1 + CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes)
    equal = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes)
    assert CHOICES.same_as(equal)
    for different in (other, more, moved, CHOICES[:10]):
        assert not CHOICES.same_as(different)
    scores = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores).result_.decided
    assert scores.same_as(scores[np.arange(120)])
    assert not scores.same_as(scores[np.arange(119)])
    assert not scores.same_as(CHOICES)


def test_bad_input():
    scores = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores)
    part = wf.ComparisonClassifier().fit(CHOICES[:300])
    alone = wf.Comparisons(
        CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=["one"] * len(CHOICES)
    )
    ties = wf.Comparisons(CHOICES.utilities, [[0, 1], [0, 2]], [0, -1])
    cases = (
        ((["Nash"], ties), dict(folds=2), "found nothing but ties"),
        (("Nash", CHOICES), {}, "needs a list"),
        (([], CHOICES), {}, "at least one"),
        (([3.0], CHOICES), {}, "what is compared must be"),
        ((["fair"], CHOICES), {}, "a doctrine must be one of"),
        ((["Nash"],), {}, "found neither X nor a fit"),
        ((["Nash"], SCORES.utilities, SCORES.scores), {}, "nothing says which"),
        (([scores], SCORES.utilities), {}, "X must come with y"),
        (([LEARNED], CHOICES, -CHOICES.outcomes), {}, "Comparisons hold their outcomes"),
        (([LEARNED, scores],), {}, "same decisions"),
        (([LEARNED, part],), {}, "same decisions"),
        (([part.result_], CHOICES), {}, "on the decisions it was made from"),
        (([scores], CHOICES), {}, "learners must be of one kind"),
        (([LEARNED, wf.WelfareRegressor()],), {}, "learners must be of one kind"),
        (([LEARNED],), dict(folds=1), "folds must be a whole number from 2"),
        (([LEARNED],), dict(folds=2.5), "folds must be a whole number from 2"),
        (([LEARNED], alone), {}, "decision makers, 1"),
        (([LEARNED],), dict(random_state=-1), "random_state must be"),
        (([LEARNED],), dict(progress="loud"), "progress must be"),
    )
    for given, options, words in cases:
        with pytest.raises(wf.InputError, match=words):
            wf.compare(*given, **options)
    with pytest.raises(wf.InputError, match='by "aic", "bic", "held_out" or'):
        wf.compare([LEARNED], folds=None).best("loss")


# --- how it looks ------------------------------------------------------------------------------


def test_golden_text():
    table = wf.compare({"learned": LEARNED, "sum": "utilitarian", "min": "egalitarian"}, folds=None)
    assert str(table) == repr(table) == table.as_text() == GOLDEN.strip("\n")


GOLDEN = """
Side by side on 600 decisions
                 p  aversion  learned  log-likelihood     AIC      BIC   accuracy
  learned  -0.4889    1.4889        4         -190.45  388.90*  406.49*    0.8433
  sum       1.0000    0.0000        3         -222.61  451.21   464.40     0.8267
  min         -inf       inf        3         -238.14  482.27   495.46     0.8017
* the best of its column; aversion: inequality aversion, 1 - p; learned: how many numbers
"""


def test_every_form_has_the_same_rows():
    class Parser(HTMLParser):
        def __init__(self):
            super().__init__()
            self.cells, self.tag = [], None

        def handle_starttag(self, tag, attrs):
            self.tag = tag

        def handle_data(self, data):
            if self.tag in ("td", "th") and data.strip():
                self.cells.append(data.strip())

    name = "R&D_1 <b> at 5%"
    table = wf.compare({name: LEARNED, "min": "egalitarian"}, folds=3)
    record = json.loads(table.as_json(), parse_constant=pytest.fail)
    assert record == table.to_dict()
    assert record["rows"][1]["p"] == "-inf"
    assert record["rows"][0]["held_out"] == table.rows[0].held_out
    assert record["best"]["aic"] == [name]
    assert record["best"]["held_out"] == list(table.best("held_out"))
    parser = Parser()
    parser.feed(table._repr_html_())
    shown = [cell for line in str(table).splitlines()[2:4] for cell in line.split()]
    assert "".join(shown) == "".join(parser.cells[8:]).replace(" ", "")
    assert parser.cells[8] == name
    latex = table.as_latex()
    assert r" & R\&D\_1 \textless{}b\textgreater{} at 5\% & min \\" in latex
    assert r" & $-\infty$ \\" in latex
    assert list(table.to_frame()["name"]) == [name, "min"]


def test_doctrines_have_no_prior_and_do_not_guess_how_a_fit_was_made():
    learner = wf.ComparisonClassifier(prior=2.0).fit(CHOICES)
    rows = wf.compare([learner, "Nash"], folds=None).rows
    assert rows[1].aic == wf.compare(["Nash"], CHOICES, folds=None).rows[0].aic
    counted = quiet(wf.ComparisonClassifier(noise="none", weights="equal"), CHOICES).result_
    with pytest.raises(wf.InputError, match="Pass the learner in place of its result_"):
        wf.compare([counted, "Nash"])
    assert wf.compare([learner.result_, "Nash"], folds=None).rows[1].aic == rows[1].aic


# --- what must be said of the models -----------------------------------------------------------


def selfish_choices(decisions=300):
    """Choices of people who look at themselves alone, with noise."""
    rng = np.random.default_rng(5)
    u, v = rng.uniform(1, 10, (2, decisions, 2))
    first = rng.random(decisions) < expit(4.0 * np.log(u[:, 0] / v[:, 0]))
    return wf.Comparisons.from_arrays(
        pd.DataFrame(u, columns=["self", "other"]),
        pd.DataFrame(v, columns=["self", "other"]),
        np.where(first, 1, -1),
    )


SELFISH = selfish_choices()


def test_a_doctrine_of_one_person_who_counts_is_called_so():
    table = wf.compare(["egalitarian", "best off"], SELFISH, folds=None)
    assert [list(fit.weights) for fit in table.results] == [[1, 0], [1, 0]]
    said = (
        "egalitarian and best off: with learned weights nobody but self counts, so that each is "
        'the same rule at every p; weights="equal" asks about everybody'
    )
    assert table.notes == (said,)
    assert said in table.in_columns().lines
    alone = wf.compare(["egalitarian"], SELFISH, folds=None).notes
    assert alone[0].startswith(
        "egalitarian: with learned weights nobody but self counts, so that it is"
    )
    for fit in table.results:
        told = [caveat.message for caveat in fit.caveats]
        assert any(
            f"nobody but self counts, so that this is the same rule at every p and says nothing "
            f"about p = {fit.p:g}" in message
            for message in told
        )


def test_doctrines_of_several_people_and_of_given_weights_are_not():
    equal = wf.ComparisonClassifier(weights="equal")
    rule = wf.WelfareFunction(1.0, [1.0, 0.0], stakeholders=["self", "other"])
    table = wf.compare([equal, rule, "egalitarian"], SELFISH, folds=None)
    assert table.notes == ()
    assert wf.compare([LEARNED, "Nash"], folds=None).notes == ()


def test_a_test_of_a_doctrine_says_that_its_null_has_one_person():
    result = quiet(wf.ComparisonClassifier(), SELFISH).result_
    found = result.test("egalitarian", resamples=9)
    assert "nobody but self counts under the null, which is the same rule at every p" in found.note
    assert 'weights="equal" asks about everybody' in found.note
    everybody = result.test("egalitarian", weights="equal", resamples=9)
    assert "nobody but self" not in everybody.note


def test_models_that_did_not_converge_are_named_and_marked():
    early = wf.ComparisonClassifier(max_iter=1, n_starts=1)
    table = wf.compare({"learned": LEARNED, "early": early}, CHOICES, folds=None)
    assert not table.results[1].converged
    assert "Did not converge: early" in table.notes
    assert ("converged", "yes", "no") in table.in_columns().rows
    assert "converged & yes & no" in table.as_latex()
    fine = wf.compare([LEARNED], folds=None)
    assert "converge" not in f"{fine}{fine.as_latex()}"


def test_a_test_says_that_the_fit_under_its_null_did_not_converge():
    likelihood = replace(LEARNED.result_.likelihood, solver=Newton(max_iter=1, n_starts=1))
    result = replace(LEARNED.result_, likelihood=likelihood)
    assert "the fit under the null did not converge" in result.test("harmonic").note
    assert "converge" not in LEARNED.result_.test("harmonic").note


def test_columns_say_what_the_null_is():
    assert "Null: coin flips" in wf.compare([LEARNED], folds=None).in_columns().lines
    scored = quiet(wf.WelfareRegressor(), SCORES.utilities, SCORES.scores)
    assert "Null: the mean of the scores" in wf.compare([scored], folds=None).in_columns().lines
    counted = quiet(wf.ComparisonClassifier(noise="none", weights="equal"), CHOICES)
    assert "Null" not in wf.compare([counted], folds=None).as_latex()


def test_scores_are_not_told_to_name_decision_makers():
    result = quiet(wf.WelfareRegressor(), SCORES.utilities, SCORES.scores).result_
    for ask in (
        lambda: result.cov_params("clustered"),
        lambda: result.with_covariance("clustered"),
    ):
        with pytest.raises(wf.InputError, match="Scores have no decision makers here") as refused:
            ask()
        assert 'use covariance="robust"' in str(refused.value)
        assert "Comparisons" not in str(refused.value)
