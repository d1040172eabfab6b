"""The estimators as users meet them."""

from __future__ import annotations

import pickle
import re
import warnings
from contextlib import contextmanager

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import welfarist as wf
from benchmarks import problems

SCORES = problems.scores(0, 150, 4, p=0.5, noise=0.02)
CHOICES = problems.comparisons(0, 60, 4, 800, p=-0.8, tau=12.0)
ROWS = np.hstack([CHOICES.utilities[CHOICES.pairs[:, i]] for i in (0, 1)])


@contextmanager
def warned(category, match):
    """Require one warning among others that may be given as well."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        yield
    assert not [w for w in given if issubclass(w.category, RuntimeWarning)]
    messages = [str(w.message) for w in given if issubclass(w.category, category)]
    assert any(re.search(match, message) for message in messages), messages


def test_scores_recover_the_rule():
    est = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores)
    assert est.p_ == pytest.approx(0.5, abs=0.2)
    assert est.weights_ == pytest.approx(SCORES.weights, abs=0.05)
    assert est.welfare_ == est.result_.welfare
    assert est.score(SCORES.utilities, SCORES.scores) > 0.9
    predicted = est.predict(SCORES.utilities)
    assert np.mean((predicted - SCORES.scores) ** 2) == pytest.approx(est.loss_)


def test_comparisons_recover_the_rule_in_both_layouts():
    est = wf.ComparisonClassifier().fit(CHOICES.comparisons())
    assert est.p_ == pytest.approx(CHOICES.p, abs=0.4)
    assert est.weights_ == pytest.approx(CHOICES.weights, abs=0.08)
    assert est.tau_ == pytest.approx(CHOICES.tau, rel=0.3)
    wide = wf.ComparisonClassifier().fit(ROWS, CHOICES.outcomes)
    for name in ("p_", "tau_", "loss_"):
        assert getattr(wide, name) == pytest.approx(getattr(est, name), rel=1e-6)
    assert wide.score(ROWS, CHOICES.outcomes) == est.score(CHOICES.comparisons())
    assert est.result_.accuracy == est.score(CHOICES.comparisons())
    probability = wide.predict_proba(ROWS)
    assert probability.sum(axis=1) == pytest.approx(np.ones(len(ROWS)))
    chosen = np.where(CHOICES.outcomes > 0, probability[:, 1], probability[:, 0])
    assert -np.log(chosen).mean() == pytest.approx(wide.loss_)
    assert est.predict_proba(CHOICES.comparisons()) == pytest.approx(probability)


def test_lapses_are_told_from_temperature():
    problem = problems.comparisons(3, 300, 3, 6000, tau=20.0)
    rng = np.random.default_rng(0)
    outcomes = np.where(rng.random(6000) < 0.15, -problem.outcomes, problem.outcomes)
    comparisons = wf.Comparisons(problem.utilities, problem.pairs, outcomes)
    lapse = wf.ComparisonClassifier(noise="lapse").fit(comparisons)
    plain = wf.ComparisonClassifier().fit(comparisons)
    assert lapse.rho_ == pytest.approx(0.15, abs=0.03)
    assert lapse.tau_ == pytest.approx(20.0, rel=0.3)
    assert plain.rho_ == 0
    assert lapse.loss_ < plain.loss_
    assert plain.tau_ < 10


def test_a_tie_counts_half_of_each_outcome():
    pairs, outcomes = CHOICES.pairs[:200], CHOICES.outcomes[:200].copy()
    outcomes[:50] = 0
    tied = wf.ComparisonClassifier().fit(wf.Comparisons(CHOICES.utilities, pairs, outcomes))
    doubled = np.vstack([pairs[:50], pairs[:50], pairs[50:]])
    split = np.concatenate([np.ones(50), -np.ones(50), outcomes[50:]])
    counts = np.concatenate([np.full(100, 0.5), np.ones(150)])
    halves = wf.ComparisonClassifier().fit(
        wf.Comparisons(CHOICES.utilities, doubled, split, counts)
    )
    assert tied.loss_ == pytest.approx(halves.loss_, rel=1e-12)
    assert tied.p_ == pytest.approx(halves.p_, rel=1e-9)


def test_counts_are_repetitions():
    counted = wf.ComparisonClassifier().fit(ROWS[:300], CHOICES.outcomes[:300], np.full(300, 3.0))
    repeated = wf.ComparisonClassifier().fit(
        np.vstack([ROWS[:300]] * 3), np.tile(CHOICES.outcomes[:300], 3)
    )
    assert counted.p_ == pytest.approx(repeated.p_, rel=1e-9)
    weighted = wf.WelfareRegressor().fit(
        SCORES.utilities, SCORES.scores, np.r_[np.full(50, 2.0), np.ones(50), np.zeros(50)]
    )
    longer = wf.WelfareRegressor().fit(
        np.vstack([SCORES.utilities[:50], SCORES.utilities[:100]]),
        np.r_[SCORES.scores[:50], SCORES.scores[:100]],
    )
    assert weighted.p_ == pytest.approx(longer.p_, rel=1e-6)
    assert weighted.loss_ == pytest.approx(longer.loss_, rel=1e-9)


def test_scale_is_learned():
    est = wf.WelfareRegressor(scale=True).fit(SCORES.utilities, 0.037 * SCORES.scores)
    plain = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores)
    assert est.scale_ == pytest.approx(0.037, rel=0.05)
    assert est.p_ == pytest.approx(plain.p_, abs=0.3)
    assert plain.scale_ == 1.0


def test_prior_keeps_weights_from_zero():
    problem = problems.comparisons(2, 40, 8, 120, sparse=0.3)
    plain = wf.ComparisonClassifier().fit(problem.comparisons())
    map_ = wf.ComparisonClassifier(prior=2.0).fit(problem.comparisons())
    assert (plain.weights_ == 0).any()
    assert map_.weights_.min() > 1e-4
    assert map_.loss_ >= plain.loss_
    strong = wf.ComparisonClassifier(prior=1e5).fit(problem.comparisons())
    assert strong.weights_ == pytest.approx(np.full(8, 1 / 8), abs=1e-3)
    none = wf.ComparisonClassifier(prior=1.0).fit(problem.comparisons())
    assert none.loss_ == plain.loss_
    scored = problems.scores(2, 40, 8, sparse=0.2, noise=0.2)
    est = wf.WelfareRegressor(prior=[1.5] * 8).fit(scored.utilities, scored.scores)
    assert est.weights_.min() > 1e-5


@pytest.mark.parametrize("factor", [1e-3, 1000.0])
def test_the_unit_of_utility_does_not_matter(factor):
    one = wf.ComparisonClassifier().fit(CHOICES.comparisons())
    other = wf.ComparisonClassifier().fit(
        wf.Comparisons(factor * CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes)
    )
    for name in ("p_", "weights_", "tau_"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), abs=1e-6)
    scored = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores)
    scaled = wf.WelfareRegressor().fit(factor * SCORES.utilities, factor * SCORES.scores)
    assert scaled.p_ == pytest.approx(scored.p_, abs=1e-6)
    assert scaled.weights_ == pytest.approx(scored.weights_, abs=1e-6)


def test_permuting_people_permutes_weights():
    order = [2, 0, 3, 1]
    one = wf.ComparisonClassifier().fit(CHOICES.comparisons())
    other = wf.ComparisonClassifier().fit(
        wf.Comparisons(CHOICES.utilities[:, order], CHOICES.pairs, CHOICES.outcomes)
    )
    assert other.weights_ == pytest.approx(one.weights_[order], abs=1e-6)
    assert other.p_ == pytest.approx(one.p_, abs=1e-6)


def test_swapping_the_two_actions_changes_nothing():
    one = wf.ComparisonClassifier().fit(CHOICES.comparisons())
    other = wf.ComparisonClassifier().fit(
        wf.Comparisons(CHOICES.utilities, CHOICES.pairs[:, ::-1], -CHOICES.outcomes)
    )
    assert other.p_ == one.p_
    assert other.loss_ == one.loss_


def test_same_seed_same_digits():
    problem = problems.varied(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        fits = [
            wf.WelfareRegressor(random_state=seed).fit(problem.utilities, problem.scores)
            for seed in (7, 7, np.random.default_rng(7), np.random.RandomState(7))
        ]
    for other in fits[1:3]:
        assert other.p_ == fits[0].p_
        assert (other.weights_ == fits[0].weights_).all()
        assert (other.result_.start_values == fits[0].result_.start_values).all()


# --- what the fit says about itself ------------------------------------------------------------


def test_separable_choices_are_called_so():
    rule = wf.WelfareFunction(-1, CHOICES.weights)
    outcomes = rule.compare(
        CHOICES.utilities[CHOICES.pairs[:, 0]], CHOICES.utilities[CHOICES.pairs[:, 1]]
    )
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, outcomes)
    with warned(wf.SeparationWarning, match='noise-free .*noise="none" finds'):
        est = wf.ComparisonClassifier(small_sample="none").fit(data)
    assert est.tau_ == 1e6
    assert est.score(data) == 1.0
    with warned(wf.SearchRangeWarning, match="larger would fit better. Raise tau_max"):
        capped = wf.ComparisonClassifier(tau_max=2.0).fit(CHOICES.comparisons())
    assert capped.tau_ == pytest.approx(2.0)


def test_unidentified_power_is_called_so():
    level = np.random.default_rng(0).uniform(1, 9, 30)
    same = np.column_stack([level, level, level])
    with warned(wf.NotIdentifiedWarning, match="p and the weights cannot be determined"):
        est = wf.WelfareRegressor().fit(same, level)
    assert np.isfinite(est.p_)
    assert est.weights_.sum() == pytest.approx(1)
    with warned(wf.NotIdentifiedWarning, match="^p cannot be determined"):
        wf.WelfareRegressor().fit(level[:, None], level)


def test_unidentified_weights_are_named():
    table = pd.DataFrame(CHOICES.utilities, columns=["a", "b", "c", "d"])
    with warned(wf.NotIdentifiedWarning, match="the weight of c cannot be told"):
        wf.ComparisonClassifier().fit(
            wf.Comparisons(table.assign(c=5.0), CHOICES.pairs, CHOICES.outcomes)
        )
    with warned(wf.NotIdentifiedWarning, match="a and d"):
        wf.ComparisonClassifier().fit(
            wf.Comparisons(table.assign(d=table.a), CHOICES.pairs, CHOICES.outcomes)
        )


def test_random_choices_are_called_so():
    rng = np.random.default_rng(1)
    u = rng.uniform(1, 9, (40, 2))
    pairs = np.column_stack([np.arange(40), (np.arange(40) + 1) % 40])
    both = wf.Comparisons(u, np.vstack([pairs, pairs]), np.r_[np.ones(40), -np.ones(40)])
    with warned(wf.NotIdentifiedWarning, match="look random"):
        est = wf.ComparisonClassifier().fit(both)
    assert est.loss_ == pytest.approx(np.log(2))
    assert np.isfinite(est.p_)


def test_zero_utilities_restrict_the_search_and_say_so():
    table = SCORES.utilities.copy()
    table[::7, 1] = 0.0
    scores = wf.power_mean(table, 0.7, SCORES.weights)
    with warned(wf.SearchRangeWarning, match="searched above 0 only"):
        est = wf.WelfareRegressor().fit(table, scores)
    assert est.p_ == pytest.approx(0.7, abs=1e-4)
    with pytest.raises(wf.InputError, match="p must be positive where a utility is 0"):
        wf.WelfareRegressor(p=-1).fit(table, scores)
    pairs, outcomes = CHOICES.pairs, CHOICES.outcomes
    some = CHOICES.utilities.copy()
    some[3, 0] = 0.0
    with warned(wf.SearchRangeWarning, "searched above 0 only"):
        chosen = wf.ComparisonClassifier().fit(wf.Comparisons(some, pairs, outcomes))
    assert chosen.p_ > 0


def _messages(est, *data):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        est.fit(*data)
    return [str(w.message) for w in given]


@pytest.mark.parametrize("weights", ["learn", [0, 0, 1, 0]])
def test_one_person_alone_leaves_the_power_open(weights):
    frame = pd.DataFrame(SCORES.utilities, columns=["a", "b", "c", "d"])
    with warned(wf.NotIdentifiedWarning, match="all weight is on c, so that every p"):
        est = wf.WelfareRegressor(weights=weights).fit(frame, frame.c)
    assert est.weights_ == pytest.approx([0, 0, 1, 0])
    assert est.loss_ == pytest.approx(0, abs=1e-12)


def test_fewer_decisions_than_parameters_are_said():
    table, scores = np.tile(SCORES.utilities[:3], (30, 1)), np.tile(SCORES.scores[:3], 30)
    with warned(wf.NotIdentifiedWarning, match="3 different decisions .* 4 .*: p and 3 weights"):
        wf.WelfareRegressor().fit(table, scores)
    assert not _messages(wf.WelfareRegressor(p=0.5, weights=SCORES.weights), table, scores)
    assert not _messages(wf.WelfareRegressor(prior=2.0), table, scores)
    few = wf.Comparisons(CHOICES.utilities, CHOICES.pairs[:4], CHOICES.outcomes[:4])
    with warned(wf.NotIdentifiedWarning, match="4 .* 6 parameters: p, 3 weights, tau and rho"):
        wf.ComparisonClassifier(noise="lapse").fit(few)


def test_reversed_choices_are_called_so():
    with warned(wf.NotIdentifiedWarning, match="look reversed.*opposite choices are explained"):
        wf.ComparisonClassifier().fit(
            wf.Comparisons(CHOICES.utilities, CHOICES.pairs, -CHOICES.outcomes)
        )


def test_scores_on_another_scale_are_called_so():
    with warned(wf.MisfitWarning, match="100% of the scores lie outside .* set scale=True"):
        wf.WelfareRegressor().fit(SCORES.utilities, 100 * SCORES.scores)
    with warned(wf.MisfitWarning, match="no better than their mean"):
        est = wf.WelfareRegressor().fit(SCORES.utilities, 10 - SCORES.scores)
    assert est.result_.r_squared <= 0
    with warned(wf.MisfitWarning, match="no positive scale fits"):
        wf.WelfareRegressor(scale=True).fit(SCORES.utilities, 100 - SCORES.scores)
    with pytest.raises(wf.InputError, match="positive somewhere for scale=True"):
        wf.WelfareRegressor(scale=True).fit(SCORES.utilities, -SCORES.scores)
    with pytest.raises(wf.InputError, match="scale must be True or False"):
        wf.WelfareRegressor(scale=0.01).fit(SCORES.utilities, SCORES.scores)


def test_r_squared_is_the_score():
    est = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores)
    score = est.score(SCORES.utilities, SCORES.scores)
    assert est.result_.r_squared == pytest.approx(score)
    assert "R squared" in est.result_.summary()


@pytest.mark.parametrize("wrap", [lambda est: est, make_pipeline])
def test_warnings_point_at_the_line_of_the_user(wrap):
    level = np.arange(1.0, 20.0)[:, None]
    ahead = wrap(wf.ComparisonClassifier())
    for est, x, y in (
        (wrap(wf.WelfareRegressor()), level, level[:, 0]),
        (ahead, np.hstack([level, level[::-1]]), np.where(level > 10, 1, -1)[:, 0]),
    ):
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            est.fit(x, y)
        assert given
        assert {w.filename for w in given} == {__file__}


def test_doctrines_may_be_named():
    named = wf.WelfareRegressor(p="nash").fit(SCORES.utilities, SCORES.scores)
    assert named.p_ == 0


def test_summary_tells_what_was_given():
    fits = (
        (dict(p=1), "utilitarian (given)"),
        (dict(weights="equal"), " equal\n"),
        (dict(weights=[1, 1, 1, 1]), " given\n"),
        (dict(groups=["x", "x", "y", "y"]), " group y\n"),
        (dict(p=1.04), "close to utilitarian (given)"),
        (dict(p=1, weights="equal"), "everything was given"),
    )
    for options, words in fits:
        est = wf.WelfareRegressor(**options).fit(SCORES.utilities, SCORES.scores)
        assert words in est.result_.summary()
        assert est.result_ != est.fit(SCORES.utilities, SCORES.scores).result_


def test_a_fit_keeps_the_decisions_it_was_made_from():
    choices = CHOICES.comparisons()
    for noise in ("logistic", "flip"):
        assert wf.ComparisonClassifier(noise=noise).fit(choices).result_.decided is choices
    frame = pd.DataFrame(SCORES.utilities, columns=["north", "east", "south", "west"])
    groups = {"up": ["north", "east"], "down": ["south", "west"]}
    est = wf.WelfareRegressor(groups=groups).fit(frame, SCORES.scores)
    decided = est.result_.decided
    assert decided.stakeholders == ("north", "east", "south", "west")
    assert (decided.values == SCORES.scores).all()
    again = clone(est).fit_scores(decided)
    assert again.p_ == est.p_
    assert (again.weights_ == est.weights_).all()


def test_one_decision_is_singular():
    est = wf.WelfareRegressor(p=1, weights="equal").fit([[1.0, 2.0]], [1.5])
    assert "Learned from 1 decision\n" in est.result_.summary()


def test_not_converged_is_said():
    with warned(wf.NotConvergedWarning, match="did not converge: 2 steps were not enough"):
        est = wf.ComparisonClassifier(max_iter=2, n_starts=1).fit(CHOICES.comparisons())
    assert not est.converged_
    assert "Did not converge" in est.result_.summary()


def test_summary_tells_everything():
    frame = pd.DataFrame(SCORES.utilities, columns=["north", "east", "south", "west"])
    est = wf.WelfareRegressor().fit(frame, SCORES.scores)
    text = est.result_.summary()
    for word in ("power p", "weight of north", "mean loss", "Converged", "150 decisions"):
        assert word in text
    record = est.result_.to_dict()
    assert list(record["weights"]) == ["north", "east", "south", "west"]
    assert record["converged"] is True


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(weights="guess"), '"learn", "equal" or one number per person'),
        (dict(weights=[0.5, 0.5]), "4 in all; found shape"),
        (dict(weights=[1, 1, 1, -1]), "not negative"),
        (dict(weights="equal", groups=[0, 0, 1, 1]), "Give one of the two"),
        (dict(weights=[1, 1, 1, 1], groups=[0, 0, 1, 1]), "Give one of the two"),
        (dict(groups=[0, 1]), "one label per person, 4 in all"),
        (dict(groups=["x", None, "x", "y"]), "labels of one kind"),
        (dict(p=np.nan), "p must be a number"),
        (dict(p="kind"), "a doctrine must be one of"),
        (dict(prior=0.5), "at least 1"),
        (dict(prior=[2.0, 2.0]), "one per learned weight"),
        (dict(solver="magic"), 'solver must be one of "newton"'),
        (dict(n_starts=0), "positive whole number"),
        (dict(max_iter=0), "max_iter must be a positive number"),
        (dict(tol=-1), "tol must be a positive number"),
        (dict(random_state="seed"), "random_state must be a whole number"),
        (dict(random_state=-1), "random_state must be a whole number"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(wf.InputError, match=message):
        wf.WelfareRegressor(**options).fit(SCORES.utilities, SCORES.scores)
    with pytest.raises(wf.InputError, match=message):
        wf.ComparisonClassifier(**options).fit(CHOICES.comparisons())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(noise="gaussian"), 'noise must be one of "none", "flip"'),
        (dict(tau_max=0), "tau_max must be a positive number"),
        (dict(tau_max="high"), "tau_max must be a positive number"),
        (dict(rho=0.1), 'rho must be left out .* Use noise="lapse"'),
        (dict(rho=0.1, noise="lapse"), "rho must be left out .* learned here"),
    ],
)
def test_bad_noise_is_named(options, message):
    with pytest.raises(wf.InputError, match=message):
        wf.ComparisonClassifier(**options).fit(CHOICES.comparisons())


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (ROWS[:, :3], CHOICES.outcomes, "even number of columns"),
        (ROWS, CHOICES.outcomes * 2, "-2"),
        (ROWS, np.r_[[3.0, 2.0], CHOICES.outcomes[2:]], "different ones"),
        (ROWS, np.zeros(len(ROWS)), "only one class"),
        (-ROWS, CHOICES.outcomes, "Negative values"),
    ],
)
def test_bad_tables_are_named(x, y, message):
    if message == "-2":  # two labels of one's own are allowed, whatever they are
        assert wf.ComparisonClassifier().fit(x, y).classes_.tolist() == [-2, 2]
        return
    with pytest.raises(wf.InputError, match=message):
        wf.ComparisonClassifier().fit(x, y)


def test_comparisons_bring_their_own_outcomes():
    with pytest.raises(wf.InputError, match="hold their outcomes and counts"):
        wf.ComparisonClassifier().fit(CHOICES.comparisons(), -CHOICES.outcomes)


@pytest.mark.parametrize("labels", [[0, 1], [False, True], ["no", "yes"], [-1, 1], [1, 2]])
def test_two_labels_of_any_kind(labels):
    y = np.array(labels)[(CHOICES.outcomes > 0).astype(int)]
    est = wf.ComparisonClassifier().fit(ROWS, y)
    reference = wf.ComparisonClassifier().fit(ROWS, CHOICES.outcomes)
    assert est.p_ == reference.p_
    assert est.classes_.tolist() == labels
    assert (est.predict(ROWS) == est.classes_[(reference.predict(ROWS) > 0).astype(int)]).all()
    with pytest.raises(wf.InputError, match="y must hold"):
        est.score(ROWS[:2], np.array(["?", "?"]))


def _worded(second, first):
    return np.where(CHOICES.outcomes > 0, first, second)


def test_first_means_first_though_second_is_later_in_the_alphabet():
    reference = wf.ComparisonClassifier().fit(ROWS, CHOICES.outcomes)
    y = _worded("Second", "First")
    est = wf.ComparisonClassifier().fit(ROWS, y)
    assert est.p_ == reference.p_
    assert est.classes_.tolist() == ["First", "Second"]
    assert est.first_label_ == "First"
    assert "Label 'First': the first action was preferred" in est.result_.summary()
    assert (est.predict(ROWS) == np.where(reference.predict(ROWS) > 0, "First", "Second")).all()
    assert est.predict_proba(ROWS) == pytest.approx(reference.predict_proba(ROWS)[:, ::-1])
    assert est.decision_function(ROWS) == pytest.approx(-reference.decision_function(ROWS))
    assert est.score(ROWS, y) == reference.score(ROWS, CHOICES.outcomes)
    assert roc_auc_score(y, est.decision_function(ROWS)) > 0.9


def test_unclear_texts_are_said():
    with warned(wf.WelfaristWarning, match="'right', the later in the alphabet"):
        est = wf.ComparisonClassifier().fit(ROWS, _worded("left", "right"))
    assert "Label 'right': the first" in est.result_.summary()


def test_ordered_categories_keep_their_order():
    y = pd.Series(pd.Categorical(_worded("worse", "better"), ["worse", "better"], ordered=True))
    est = wf.ComparisonClassifier().fit(ROWS, y)
    assert est.first_label_ == "better"
    assert est.p_ == wf.ComparisonClassifier().fit(ROWS, CHOICES.outcomes).p_


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    "names",
    [
        "a_x b_x c_x d_x a_y b_y d_y c_y",
        "a_x a_y b_x b_y c_x c_y d_x d_y",
        "x.a x.b x.c x.d y.b y.a y.c y.d",
    ],
)
def test_columns_in_another_order_are_refused(library, names):
    frame = library(dict(zip(names.split(), ROWS.T, strict=True)))
    with pytest.raises(wf.InputError, match="self_x, other_x, self_y, other_y"):
        wf.ComparisonClassifier().fit(frame, CHOICES.outcomes)


def test_two_people_may_be_interleaved_or_not():
    four, y = ROWS[:, [0, 1, 4, 5]], CHOICES.outcomes
    frame = pd.DataFrame(four, columns=["self_1", "self_2", "other_1", "other_2"])
    with pytest.raises(wf.InputError, match="in the same order"):
        wf.ComparisonClassifier().fit(frame, y)
    frame = pd.DataFrame(four, columns=["x_self", "x_other", "y_self", "y_other"])
    est = wf.ComparisonClassifier(p=0).fit(frame, y)
    assert est.result_.stakeholders == ("self", "other")


def _named_fits(**options):
    frame = pd.DataFrame(SCORES.utilities, columns=list("abcd"))
    table = pd.DataFrame(CHOICES.utilities, columns=list("abcd"))
    comparisons = wf.Comparisons(table, CHOICES.pairs, CHOICES.outcomes)
    return (
        wf.WelfareRegressor(**options).fit(frame, SCORES.scores),
        wf.ComparisonClassifier(**options).fit(comparisons),
    )


@pytest.mark.parametrize(
    ("named", "listed"),
    [
        (dict(weights={"d": 4, "a": 1, "b": 2, "c": 3}), dict(weights=[1, 2, 3, 4])),
        (dict(weights=pd.Series([4, 1, 2, 3], list("dabc"))), dict(weights=[1, 2, 3, 4])),
        (dict(weights=pd.Series([4, 1, 2, 3])), dict(weights=[4, 1, 2, 3])),
        (dict(groups={"d": 1, "b": 1, "a": 0, "c": 0}), dict(groups=[0, 1, 0, 1])),
        (dict(groups={"x": ["a", "c"], "y": ["d", "b"]}), dict(groups=[0, 1, 0, 1])),
        (dict(prior={"d": 9, "a": 2, "b": 3, "c": 4}), dict(prior=[2, 3, 4, 9])),
        (
            dict(groups={"x": ["a", "c"], "y": ["d", "b"]}, prior={"y": 9, "x": 2}),
            dict(groups=[0, 1, 0, 1], prior=[2, 9]),
        ),
    ],
)
def test_options_may_be_labelled(named, listed):
    for one, other in zip(_named_fits(**named), _named_fits(**listed), strict=True):
        assert (one.weights_ == other.weights_).all()
        assert one.p_ == other.p_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(weights={"a": 1, "b": 1, "c": 1}), "weights must name each .* none for 'd'"),
        (dict(weights={**dict.fromkeys("abcd", 1), "e": 1}), "the unknown 'e'"),
        (dict(weights=pd.Series(1, list("aabcd"))), "must name each"),
        (dict(groups={"x": ["a", "b"], "y": ["b", "c", "d"]}), "must not overlap; found 'b'"),
        (dict(groups=[["a", "b"], ["c", "d"]]), "one label per person.*a mapping of names"),
        (dict(groups=[["a", "b"], ["c"]]), "one label per person.*a mapping of names"),
        (dict(prior={"a": 2.0}), "prior must name each"),
    ],
)
def test_wrong_names_in_options_are_named(options, message):
    with pytest.raises(wf.InputError, match=message):
        _named_fits(**options)


def test_labelled_options_need_names():
    with pytest.raises(wf.InputError, match="people who have names; found none"):
        wf.WelfareRegressor(weights={"a": 1}).fit(SCORES.utilities, SCORES.scores)


def test_bad_entries_are_found_by_name():
    frame = pd.DataFrame(SCORES.utilities, columns=list("abcd"))
    missing = frame.copy()
    missing.loc[[3, 7], "c"] = np.nan
    with pytest.raises(wf.InputError, match="NaN at row 3, column 'c', and in 2 of 150 rows"):
        wf.WelfareRegressor().fit(missing, SCORES.scores)
    text = frame.astype(object)
    text.loc[5, "b"] = "high"
    for table in (text, pl.DataFrame({name: text[name].astype(str).tolist() for name in text})):
        with pytest.raises(wf.InputError, match="text 'high' at row 5, column 'b'"):
            wf.WelfareRegressor().fit(table, SCORES.scores)
    with pytest.raises(wf.InputError, match=r"'a' twice.*from_arrays"):
        wf.ComparisonClassifier().fit(pd.concat([frame, frame], axis=1), np.ones(150))


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ((ROWS[:, :4], ROWS[:, 4:]), CHOICES.outcomes),
        ((pd.DataFrame(ROWS[:, :4]), pd.DataFrame(ROWS[:, 4:])), CHOICES.outcomes),
        (ROWS.reshape(-1, 2, 4), CHOICES.outcomes),
        (ROWS, None),
    ],
)
def test_other_layouts_are_told_the_right_one(x, y):
    with pytest.raises(wf.InputError, match=r"Comparisons.from_arrays.*\(n, 2 d\)"):
        wf.ComparisonClassifier().fit(x, y)


def test_comparisons_can_be_cross_validated():
    scores = cross_val_score(wf.ComparisonClassifier(), CHOICES.comparisons(), cv=3)
    assert scores.min() > 0.7


def test_two_actions_and_one_comparison_have_an_answer():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        est = wf.ComparisonClassifier().fit(wf.Comparisons([[1.0, 2.0], [2.0, 1.5]], [[0, 1]], [1]))
        one = wf.WelfareRegressor().fit([[1.0, 2.0]], [1.3])
    assert np.isfinite([est.p_, est.tau_, est.loss_, one.p_, one.loss_]).all()
    assert one.predict([[1.0, 2.0]]) == pytest.approx([1.3])


# --- scikit-learn ------------------------------------------------------------------------------

ODD = "X holds two actions of the same people, an even number of columns; the check has an odd one"
EXPECTED = dict.fromkeys(
    (
        "check_fit_score_takes_y",
        "check_dont_overwrite_parameters",
        "check_estimators_dtypes",
        "check_sample_weights_list",
        "check_pipeline_consistency",
        "check_estimators_nan_inf",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_classifiers_one_label",
        "check_supervised_y_2d",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_dict_unchanged",
        "check_fit2d_predict1d",
    ),
    ODD,
)


@pytest.mark.filterwarnings("ignore")  # the checks' data are often separable or not identified
def test_regressor_is_a_scikit_learn_estimator():
    check_estimator(wf.WelfareRegressor(), on_skip=None)


@pytest.mark.filterwarnings("ignore")
def test_classifier_is_a_scikit_learn_estimator():
    # The checks choose actions of one person who has 0, which no rule explains.
    learner = wf.ComparisonClassifier(shift=1.0)
    results = check_estimator(learner, expected_failed_checks=EXPECTED, on_skip=None)
    failed = {r["check_name"] for r in results if r["status"] == "xfail"}
    assert failed <= set(EXPECTED)


def test_clone_and_pickle():
    for est, data in (
        (wf.WelfareRegressor(p=1.0, prior=1.5), (SCORES.utilities, SCORES.scores)),
        (wf.ComparisonClassifier(noise="lapse"), (ROWS, CHOICES.outcomes)),
    ):
        copy = clone(est)
        assert copy.get_params() == est.get_params()
        fitted = est.fit(*data)
        said = fitted.result_.summary()
        again = pickle.loads(pickle.dumps(fitted))
        assert again.p_ == fitted.p_
        assert (again.predict(data[0]) == fitted.predict(data[0])).all()
        assert again.result_.summary() == said


def test_model_selection():
    pipeline = make_pipeline(FunctionTransformer(lambda u: u / 10), wf.ComparisonClassifier())
    assert cross_val_score(pipeline, ROWS, CHOICES.outcomes, cv=3).mean() > 0.7
    grid = GridSearchCV(wf.WelfareRegressor(), {"p": [-3.0, 0.5, 4.0, None]}, cv=3)
    grid.fit(SCORES.utilities, SCORES.scores)
    assert grid.best_params_["p"] in (0.5, None)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_data_frames_keep_their_names(library):
    frame = library(dict(zip("abcd", SCORES.utilities.T, strict=True)))
    est = wf.WelfareRegressor().fit(frame, SCORES.scores)
    assert est.feature_names_in_.tolist() == list("abcd")
    assert est.welfare_.stakeholders == tuple("abcd")
    assert est.predict(frame) == pytest.approx(est.predict(frame))
    names = ["self_x", "other_x", "third_x", "last_x", "self_y", "other_y", "third_y", "last_y"]
    wide = library(dict(zip(names, ROWS.T, strict=True)))
    chosen = wf.ComparisonClassifier().fit(wide, CHOICES.outcomes)
    assert chosen.welfare_.stakeholders == ("self", "other", "third", "last")
    table = library(dict(zip("wxyz", CHOICES.utilities.T, strict=True)))
    named = wf.ComparisonClassifier().fit(wf.Comparisons(table, CHOICES.pairs, CHOICES.outcomes))
    assert named.welfare_.stakeholders == tuple("wxyz")
