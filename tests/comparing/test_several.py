"""One rule, types and individuals side by side, on decisions of the same people and of new ones."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import welfarist as wf
from welfarist.comparing.chances import losses_of, right_of
from welfarist.comparing.foretold import error_by
from welfarist.decisions.folds import folds_of, folds_within

PEOPLE, EACH, FOLDS = 16, 20, 3
# Two ways to add up the same numbers.
ROUNDING = 1e-9
TYPES = wf.Types(n_types=2, population=False, n_starts=4, progress=False)
QUICK = wf.Types(n_types=2, population=False, n_starts=1, progress=False)


def panel(seed=3, kinds=2):
    """Decisions of people who follow one of two rules that are far apart."""
    rng = np.random.default_rng(seed)
    utilities = rng.uniform(1, 10, (40, 2))
    rules = [wf.WelfareFunction(1, [0.9, 0.1]), wf.WelfareFunction(-1, [0.4, 0.6])]
    n, who = PEOPLE * EACH, rng.permutation(np.repeat(np.arange(PEOPLE), EACH))
    pairs = wf.simulate.random_pairs(40, n, random_state=seed)
    logs = np.array([rule.log(utilities) for rule in rules])[who % kinds, :]
    apart = logs[np.arange(n), pairs[:, 0]] - logs[np.arange(n), pairs[:, 1]]
    outcomes = np.sign(apart + rng.logistic(scale=0.1, size=n)).astype(int)
    outcomes[:5] = 0
    return wf.Comparisons(utilities, pairs, outcomes, by=np.array([f"w{i}" for i in who]))


DATA = panel()
TABLE = wf.compare(
    {"one": wf.ComparisonClassifier(), "two": TYPES, "Nash": "Nash", "logit": LogisticRegression()},
    DATA,
    folds=FOLDS,
)
ROWS = {row.name: row for row in TABLE.rows}


def quiet(learner, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return learner.fit(data)


def parts():
    """The parts of new people, and then those within people, as the comparison draws them."""
    rng = np.random.default_rng(0)
    who = np.unique(DATA.by, return_inverse=True)[1]
    return folds_of(DATA, FOLDS, rng), folds_within(who, FOLDS, rng), who


def test_parts_within_people_share_out_everybodys_decisions():
    _, fold, who = parts()
    for person in range(PEOPLE):
        sizes = np.bincount(fold[who == person], minlength=FOLDS)
        assert sizes.max() - sizes.min() <= 1
    # Everybody's first part differs, so that parts are of about the same size.
    assert np.ptp(np.bincount(fold)) <= PEOPLE


@pytest.mark.parametrize(("name", "make"), [("one", wf.ComparisonClassifier), ("two", None)])
def test_losses_against_a_plain_loop(name, make):
    new, same, _ = parts()
    for fold, found in ((new, ROWS[name].held_out_new), (same, ROWS[name].held_out_same)):
        lost, right = 0.0, 0.0
        for part in range(FOLDS):
            learner = make() if make else wf.Types(n_types=2, population=False, n_starts=4)
            fitted = quiet(learner, DATA[fold != part])
            held = DATA[fold == part]
            for (second, first), outcome in zip(
                fitted.predict_proba(held).tolist(), held.outcomes.tolist(), strict=True
            ):
                share = (1 + outcome) / 2
                lost -= share * np.log(first) + (1 - share) * np.log(second)
                right += share if first > second else 1 - share
        assert found.log_loss == pytest.approx(lost / len(DATA), rel=ROUNDING)
        assert found.right == pytest.approx(right / len(DATA), rel=ROUNDING)


def test_types_foretell_the_same_people_better_and_errors_are_by_person():
    one, two = ROWS["one"], ROWS["two"]
    assert TABLE.best("held_out_same") == ("two",)
    assert two.held_out_same.behind == 0.0
    assert two.held_out_same.error is None
    assert one.held_out_same.behind == pytest.approx(
        one.held_out_same.log_loss - two.held_out_same.log_loss, rel=ROUNDING
    )
    assert one.held_out_same.behind > 3 * one.held_out_same.error > 0
    assert one.held_out == one.held_out_new.right
    # Who is new is no better known than by the shares of the types.
    assert two.held_out_new.log_loss > two.held_out_same.log_loss


def test_a_clustered_error_is_that_of_a_regression_on_a_constant():
    statsmodels = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(1)
    who = rng.integers(0, 9, 80)
    apart, often = rng.normal(size=80) + who, rng.uniform(0.5, 2.0, 80)
    fit = statsmodels.WLS(apart, np.ones(80), often).fit(
        cov_type="cluster", cov_kwds=dict(groups=who, use_correction=False)
    )
    people = len(set(who.tolist()))
    expected = float(fit.bse[0]) * np.sqrt(people / (people - 1))
    assert error_by(apart, often, who) == pytest.approx(expected, rel=ROUNDING)


def test_an_infinite_difference_has_no_error():
    who = np.array([0, 0, 1])
    assert error_by(np.array([0.0, np.inf, 1.0]), np.ones(3), who) is None
    assert error_by(np.array([0.0, 1.0]), np.ones(2), np.zeros(2, dtype=int)) is None


def test_bic_counts_people_for_everybody():
    fitted = quiet(wf.ComparisonClassifier(), DATA).result_
    one, two = ROWS["one"], ROWS["two"]
    assert one.bic == pytest.approx(3 * np.log(PEOPLE) - 2 * fitted.llf, rel=ROUNDING)
    assert one.aic == fitted.aic
    assert two.learned == 7
    assert two.bic == pytest.approx(7 * np.log(PEOPLE) - 2 * two.log_likelihood, rel=ROUNDING)
    assert "BIC takes the 16 decision makers for observations" in str(TABLE)
    assert "BIC takes" not in str(wf.compare([fitted], folds=None))


def test_forms_have_the_columns():
    frame = TABLE.to_frame()
    assert list(frame["held_out_same"]) == [row.held_out_same.log_loss for row in TABLE.rows]
    assert list(frame["held_out_new_right"]) == [row.held_out_new.right for row in TABLE.rows]
    record = json.loads(TABLE.as_json())
    assert record["best"]["held_out_same"] == ["two"]
    assert record["rows"][1]["held_out_new"]["log_loss"] == ROWS["two"].held_out_new.log_loss
    text, page, latex = str(TABLE), TABLE.as_html(), TABLE.as_latex()
    for shown in (text, page, latex):
        assert "same people" in shown
        assert f"{ROWS['one'].held_out_same.log_loss:.4f}" in shown
    assert "type 1: share" in latex
    assert page.count("<table>") == 2


def test_ordinary_comparisons_stay_as_they_are():
    table = wf.compare([wf.ComparisonClassifier()], DATA, folds=FOLDS)
    record = table.to_dict()
    assert not {"held_out_same", "held_out_new"} & {*record["rows"][0], *record["best"]}
    assert not [name for name in table.to_frame().columns if "same" in name or "new" in name]
    assert table.best("held_out_same") == ()


def test_fits_are_taken_as_they_are_and_their_results_fitted_again():
    fitted = quiet(wf.Types(n_types=2, population=False, n_starts=4), DATA)
    by_learner, by_result = wf.compare([fitted, fitted.result_], folds=FOLDS).rows
    assert (by_learner.name, by_result.name) == ("2 types", "2 types (2)")
    assert by_learner.held_out_same.log_loss == ROWS["two"].held_out_same.log_loss
    # The same types, whatever start they were found from.
    assert by_result.held_out_same.log_loss == pytest.approx(
        by_learner.held_out_same.log_loss, abs=1e-5
    )
    assert by_learner.log_likelihood == fitted.log_likelihood_ == by_result.log_likelihood
    with pytest.raises(wf.InputError, match="on the decisions it was made from"):
        wf.compare([fitted.result_], panel(4))


def test_what_is_known_of_people_takes_part():
    names = [f"w{i}" for i in range(PEOPLE)]
    known = {"who": names, "group": ["a" if i % 2 else "b" for i in range(PEOPLE)]}
    learner = wf.Types(n_types=2, population=False, n_starts=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        fitted = learner.fit(DATA, deciders=known)
    row = wf.compare([fitted], DATA, folds=FOLDS).rows[0]
    # Whoever knows the group of new people knows their type.
    assert row.held_out_new.log_loss < ROWS["two"].held_out_new.log_loss - 0.1


def test_individuals_and_given_types_compete():
    given = wf.Types(types=["utilitarian", "learn"], population=False, n_starts=4)
    individuals = wf.Deciders(n_nodes=1024)
    table = wf.compare([individuals, given], DATA, folds=None)
    assert [row.name for row in table.rows] == ["individuals", "types utilitarian, learn"]
    assert [row.learned for row in table.rows] == [9, 6]
    assert table.rows[0].held_out_same is None
    assert "mean of asinh p" in table.as_latex()
    assert "(given)" in table.as_latex()


def test_who_decided_once_is_new_each_time():
    data = wf.Comparisons(DATA.utilities, DATA.pairs[:60], DATA.outcomes[:60], by=np.arange(60))
    table = wf.compare([wf.ComparisonClassifier(), QUICK], data, folds=2)
    assert table.rows[0].held_out_same is None
    assert table.rows[0].held_out_new is not None
    assert "nobody decided twice" in str(table)


def test_choices_from_menus():
    rng = np.random.default_rng(2)
    utilities = rng.uniform(1, 10, (30, 2))
    rules = [wf.WelfareFunction(1, [0.9, 0.1]), wf.WelfareFunction(-1, [0.4, 0.6])]
    menus = np.array([rng.choice(30, 4, replace=False) for _ in range(480)])
    who = np.repeat(np.arange(16), 30)
    logs = np.array([rule.log(utilities) for rule in rules])
    chosen = [
        menu[np.argmax(logs[i % 2][menu] * 10 + rng.gumbel(size=4))]
        for i, menu in zip(who, menus, strict=True)
    ]
    choices = wf.Choices(utilities, menus, chosen, by=who)
    table = wf.compare([wf.ChoiceLearner(), QUICK], choices, folds=2)
    assert table.best("held_out_same") == ("2 types",)
    assert table.rows[0].held_out_log_loss is None


def test_chances_are_judged_alike_as_pairs_and_as_menus():
    chances = np.array([[0.3, 0.7], [0.5, 0.5], [1.0, 0.0], [0.2, 0.8]])
    decided = wf.Comparisons(np.arange(1.0, 9.0).reshape(4, 2), [[0, 1]] * 4, [1, -1, 1, 0])
    as_menus = [row[::-1] for row in chances]
    losses = losses_of(chances, decided)
    np.testing.assert_allclose(losses, losses_of(as_menus, decided), rtol=ROUNDING)
    expected = [-np.log(0.7), -np.log(0.5), np.inf, -(np.log(0.2) + np.log(0.8)) / 2]
    np.testing.assert_allclose(losses, expected, rtol=ROUNDING)
    assert right_of(chances, decided).tolist() == right_of(as_menus, decided).tolist()
    assert right_of(chances, decided).tolist() == [1.0, 0.5, 0.0, 0.5]


def test_a_rule_that_never_errs_has_no_log_loss():
    items = {"counted": wf.ComparisonClassifier(noise="none", p=0, weights="equal"), "two": QUICK}
    row = wf.compare(items, DATA[:100], folds=2).rows[0]
    assert row.held_out_same.log_loss is None
    assert 0.5 < row.held_out_same.right < 1.0


def test_bad_input():
    nameless = wf.Comparisons(DATA.utilities, DATA.pairs, DATA.outcomes)
    with pytest.raises(wf.InputError, match="decisions must say who decided"):
        wf.compare([TYPES], nameless)
    with pytest.raises(wf.InputError, match="found scores"):
        wf.compare([TYPES], wf.Scores(DATA.utilities, np.arange(40.0), np.ones(40)))
    with pytest.raises(wf.InputError, match="compare needs decisions"):
        wf.compare([TYPES])
    with pytest.raises(wf.InputError, match='"held_out_same", "held_out_new", "aic"'):
        TABLE.best("p")


def test_small_chances_keep_their_digits():
    fitted = quiet(QUICK, DATA)
    asked = wf.Comparisons([[1e6, 1e6], [1.0, 1.0]], [[0, 1], [1, 0]], [1, -1])
    (second, first), (mirrored, other) = fitted.predict_proba(asked).tolist()
    # Everybody's welfare is a million times as large: the chance of an error is 1e6 ** -tau.
    tau = [kind.tau for kind in fitted.types_]
    expected = fitted.shares_ @ np.exp(-np.log(1e6) * np.array(tau))
    assert second == pytest.approx(expected, rel=1e-6)
    assert (first, mirrored) == (1.0, 1.0)
    assert other == second < 1e-16
