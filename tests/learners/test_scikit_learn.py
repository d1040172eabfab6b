"""What users of scikit-learn try: lazy frames, scorers, pickles, warm starts."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import welfarist as wf
from benchmarks import problems

SCORES = problems.scores(0, 150, 3, p=0.5, noise=0.02)
WORLD = wf.simulate.individuals(60, 3, p=-1, random_state=3)
CHOICES = wf.simulate.comparisons(
    WORLD, wf.simulate.random_pairs(60, 500, random_state=3), tau=6, random_state=3
)
ROWS = np.hstack([CHOICES.utilities[CHOICES.pairs[:, i]] for i in (0, 1)])
PEOPLE = ["staff", "payers", "patients"]


# --- lazy frames -------------------------------------------------------------------------------


def test_lazy_frames_are_collected():
    lazy = pl.LazyFrame(SCORES.utilities, schema=PEOPLE)
    plain = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores)
    est = wf.WelfareRegressor().fit(lazy, pl.LazyFrame({"score": SCORES.scores}))
    assert est.p_ == plain.p_
    assert est.welfare_.stakeholders == tuple(PEOPLE)
    assert (est.predict(lazy) == plain.predict(SCORES.utilities)).all()
    assert (est.welfare_(lazy) == plain.welfare_(SCORES.utilities)).all()
    names = [f"{person}_{side}" for side in "xy" for person in PEOPLE]
    wide, target = pl.LazyFrame(ROWS, schema=names), pl.LazyFrame({"choice": CHOICES.outcomes})
    chosen = wf.ComparisonClassifier().fit(wide, target)
    table = pl.LazyFrame(CHOICES.utilities, schema=PEOPLE)
    same = wf.ComparisonClassifier().fit(wf.Comparisons(table, CHOICES.pairs, target))
    assert chosen.p_ == pytest.approx(same.p_, rel=1e-6)
    assert chosen.score(wide, target) == pytest.approx(same.result_.accuracy)
    assert (chosen.predict(wide) == chosen.predict(wide.collect())).all()


def test_frames_that_are_worked_out_elsewhere_are_refused_in_words():
    dask = type("DataFrame", (), {"columns": ["a", "b"], "__module__": "dask.dataframe"})()
    for use in (
        lambda: wf.WelfareRegressor().fit(dask, [1.0]),
        lambda: wf.WelfareFunction(0)(dask),
        lambda: wf.Comparisons(dask, [[0, 1]], [1]),
    ):
        with pytest.raises(wf.InputError, match=r"in memory.*Call \.compute\(\) first"):
            use()


# --- words for what is to be learned -----------------------------------------------------------


def test_learn_is_a_word_for_what_is_left_out():
    est = wf.WelfareRegressor(p="learn").fit(SCORES.utilities, SCORES.scores)
    plain = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores)
    assert est.p_ == plain.p_
    assert est.result_.given == ()
    assert est.result_.summary() == plain.result_.summary()
    assert wf.ComparisonClassifier(p="Learn").fit(CHOICES).result_.given == ()
    flips = wf.ComparisonClassifier(noise="flip", p="learn", weights="equal")
    assert flips.fit(CHOICES).result_.given == ("weights",)
    names = wf.compare([est, plain], folds=None)
    assert "learned p, learned weights (2)" in str(names)


def test_weights_of_none_are_refused_because_they_could_mean_two_things():
    for est in (wf.WelfareRegressor(weights=None), wf.ComparisonClassifier(weights=None)):
        with pytest.raises(wf.InputError, match=r'"learn", "equal" or one number.*Say which'):
            est.fit(ROWS, CHOICES.outcomes)


# --- scorers -----------------------------------------------------------------------------------

NAMES = ["accuracy", "neg_log_loss", "roc_auc", "balanced_accuracy"]


def measured(found):
    return {name: scores for name, scores in found.items() if name.startswith("test_")}


def test_scorers_work_on_comparisons_as_on_tables():
    est, cv = wf.ComparisonClassifier(), KFold(3)
    custom = {name: name for name in NAMES} | {"own": make_scorer(lambda y, z: np.mean(y == z))}
    table = measured(cross_validate(est, ROWS, CHOICES.outcomes, scoring=custom, cv=cv))
    for y in (None, CHOICES.outcomes):
        found = measured(cross_validate(est, CHOICES, y, scoring=custom, cv=cv))
        assert found.keys() == table.keys()
        for name, scores in found.items():
            assert scores == pytest.approx(table[name], rel=1e-6), name
    for name in NAMES:
        alone = cross_val_score(est, CHOICES, scoring=name, cv=cv)
        assert alone == pytest.approx(table[f"test_{name}"], rel=1e-6)
    assert table["test_own"] == pytest.approx(table["test_accuracy"])


def test_a_search_takes_several_scorers_and_pipelines():
    scaled = make_pipeline(wf.PairTransformer(MaxAbsScaler()), wf.ComparisonClassifier())
    search = GridSearchCV(
        scaled,
        {"comparisonclassifier__p": [-1.0, 1.0]},
        scoring=["accuracy", "neg_log_loss"],
        refit="neg_log_loss",
        cv=3,
    ).fit(CHOICES)
    for name in ("accuracy", "neg_log_loss"):
        assert np.isfinite(search.cv_results_[f"mean_test_{name}"]).all()
    assert search.best_params_ == {"comparisonclassifier__p": -1.0}
    assert get_scorer("accuracy")(search, CHOICES) > 0.8


def test_ties_are_half_of_each_and_counts_are_weights():
    decided = CHOICES
    outcomes = decided.outcomes.copy()
    outcomes[::5] = 0
    counts = np.arange(len(decided)) % 3 + 1.0
    some = wf.Comparisons(decided.utilities, decided.pairs, outcomes, counts=counts)
    est = wf.ComparisonClassifier().fit(some)
    own = make_scorer(lambda y, z: accuracy_score(y, z))  # takes no weights
    for scorer in (get_scorer("accuracy"), own):
        assert scorer(est, some) == pytest.approx(est.score(some))
    # The mean loss of a fit is what the scorer says of the same decisions.
    assert get_scorer("neg_log_loss")(est, some) == pytest.approx(-est.loss_)
    assert np.isfinite(get_scorer("roc_auc")(est, some))
    uneven = wf.Comparisons(decided.utilities, decided.pairs, outcomes, counts=counts / 3)
    with pytest.raises(wf.InputError, match="whole numbers"):
        own(est, uneven)


def test_labels_are_those_of_the_classifier():
    words = np.where(CHOICES.outcomes > 0, "first", "second")  # not in the order of the alphabet
    est = wf.ComparisonClassifier().fit(ROWS, words)
    decided = CHOICES
    for name in NAMES:
        scorer = get_scorer(name)
        assert scorer(est, decided) == pytest.approx(scorer(est, ROWS, words))


def test_scorers_work_on_scores():
    decided = wf.Scores.of(SCORES.utilities, SCORES.scores)
    names = ["r2", "neg_mean_squared_error"]
    est, cv = wf.WelfareRegressor(), KFold(3)
    found = measured(cross_validate(est, decided, scoring=names, cv=cv))
    table = measured(cross_validate(est, SCORES.utilities, SCORES.scores, scoring=names, cv=cv))
    for name, scores in found.items():
        assert scores == pytest.approx(table[name])
    assert cross_val_score(est, decided, cv=cv) == pytest.approx(table["test_r2"])
    fitted = est.fit(decided)
    assert fitted.score(decided) == pytest.approx(fitted.result_.r_squared)
    assert (fitted.predict(decided) == fitted.predict(SCORES.utilities)).all()


def test_another_y_beside_decisions_is_refused():
    est = wf.ComparisonClassifier().fit(CHOICES, CHOICES.outcomes)
    for use in (est.fit, est.score, lambda X, y: get_scorer("accuracy")(est, X, y)):
        with pytest.raises(wf.InputError, match="Comparisons hold their outcomes"):
            use(CHOICES, -CHOICES.outcomes)
    with pytest.raises(wf.InputError, match="Scores hold their outcomes"):
        wf.WelfareRegressor().fit(wf.Scores.of(SCORES.utilities, SCORES.scores), SCORES.scores + 1)


def test_other_scorers_do_what_they_did():
    est = wf.ComparisonClassifier().fit(ROWS, CHOICES.outcomes)
    with pytest.raises(TypeError, match="y_true"):
        get_scorer("accuracy")(est, ROWS)
    assert get_scorer("accuracy")(est, ROWS, CHOICES.outcomes) == est.score(ROWS, CHOICES.outcomes)


# --- names of scored actions -------------------------------------------------------------------


def test_surprising_scores_have_names():
    called = [f"plan {i}" for i in range(len(SCORES.scores))]
    frame = pd.DataFrame(SCORES.utilities, columns=PEOPLE, index=called)
    from_index = wf.WelfareRegressor().fit(frame, SCORES.scores).result_
    decided = wf.Scores.of(SCORES.utilities, SCORES.scores, names=called)
    given = wf.WelfareRegressor().fit(decided).result_
    for result in (from_index, given):
        found = result.surprises(3)
        row = found[0].row
        assert found[0].name == found[0].action == f"plan {row}"
        assert f"row {row}: plan {row} was scored" in str(found)
        assert found.to_frame()["action"].tolist()[0] == f"plan {row}"
        assert decided[[row]].names == (f"plan {row}",)
    plain = wf.WelfareRegressor().fit(SCORES.utilities, SCORES.scores).result_.surprises(1)[0]
    assert plain.name is None
    assert plain.action == f"action {plain.row}"
    assert f"row {plain.row}: scored" in str(plain)
    with pytest.raises(wf.InputError, match="one name per action"):
        wf.Scores.of(SCORES.utilities, SCORES.scores, names=called[1:])


# --- pickles -----------------------------------------------------------------------------------


def fresh(**options):
    return wf.ComparisonClassifier(**options).fit(CHOICES)


def stored(thing):
    return pickle.loads(pickle.dumps(thing))


def test_pickles_leave_the_decisions_out_unless_asked():
    est = fresh()
    again = stored(est)
    assert len(pickle.dumps(est)) < 8_000
    assert again.result_.decided is None
    assert (again.predict_proba(CHOICES) == est.predict_proba(CHOICES)).all()
    assert (again.predict(ROWS) == est.predict(ROWS)).all()
    assert again.result_.to_dict() == est.result_.to_dict()
    for kept in (stored(fresh(keep_data=True)), stored(est.set_params(keep_data=True))):
        assert kept.result_.decided.same_as(CHOICES)
        assert kept.result_.interval("p") == est.result_.interval("p")
    assert stored(est.result_.with_data()).llf == est.result_.llf


def test_what_was_worked_out_stays():
    est = fresh()
    said = est.result_.summary()
    misfit, profile = est.result_.misfit(), est.result_.profile(11)
    again = stored(est).result_
    assert again.summary() == said
    assert (again.bse == est.result_.bse).all()
    assert again.interval("p") == est.result_.interval("p")
    assert (again.tvalues == est.result_.tvalues).all()
    assert (again.llf, again.aic, again.bic) == (
        est.result_.llf,
        est.result_.aic,
        est.result_.bic,
    )
    assert again.misfit().verdict == misfit.verdict
    assert (again.profile(11).deviance == profile.deviance).all()
    assert stored(again).summary() == said
    # Another level was not worked out: the table stands without intervals and says why.
    other = again.summary(level=0.5)
    assert "power p" in other
    assert "Give them back with result_.with_data" in " ".join(other.split())


def test_what_needs_the_decisions_says_how_to_give_them_back():
    light = stored(fresh()).result_
    for ask in (
        lambda: light.bse,
        lambda: light.interval("p"),
        lambda: light.interval("p", method="wald"),
        lambda: light.interval("p", method="bootstrap"),
        lambda: light.cov_params("clustered"),
        lambda: light.test("Nash"),
        lambda: light.test(weights="equal", covariance="robust"),
        light.profile,
        light.bootstrap,
        light.conf_int,
        light.calibration,
        light.surprises,
        light.misfit,
    ):
        with pytest.raises(wf.InputError, match=r"found a record without them.*with_data"):
            ask()
    assert "No intervals" in light.summary()
    assert (light.llf, light.bic) == (fresh().result_.llf, fresh().result_.bic)
    assert light.param_names == fresh().result_.param_names
    assert (light.params == fresh().result_.params).all()


def test_decisions_come_back():
    est = fresh()
    light = stored(est)
    whole = light.result_.with_data(CHOICES)
    assert whole.summary() == est.result_.summary()
    assert whole.test("Nash").p_value == est.result_.test("Nash").p_value
    assert str(whole.surprises()) == str(est.result_.surprises())
    assert (whole.bootstrap(20).draws == est.result_.bootstrap(20).draws).all()
    assert stored(whole).decided.same_as(CHOICES)
    assert whole.without_data().decided is None
    # The same decisions as a table, to a learner that was fitted on it.
    table = stored(wf.ComparisonClassifier().fit(ROWS, CHOICES.outcomes))
    assert table.with_data(ROWS, CHOICES.outcomes) is table
    assert table.result_.interval("p") == pytest.approx(est.result_.interval("p"), rel=1e-6)
    scored = wf.WelfareRegressor(scale=True).fit(SCORES.utilities, SCORES.scores)
    said = scored.result_.summary()
    back = stored(scored).with_data(SCORES.utilities, SCORES.scores)
    assert back.result_.summary() == said
    assert (back.result_.residuals().residual == scored.result_.residuals().residual).all()


def test_other_decisions_are_refused():
    light = stored(fresh()).result_
    turned = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, -CHOICES.outcomes)
    for other in (turned, CHOICES[:-1], CHOICES[::-1]):
        with pytest.raises(wf.InputError, match="in the same order; found others"):
            light.with_data(other)
    with pytest.raises(wf.InputError, match="found others"):
        fresh().result_.with_data(turned)
    for nothing in (ROWS, wf.Scores.of(SCORES.utilities, SCORES.scores)):
        with pytest.raises(wf.InputError, match="needs the comparisons that were fitted"):
            light.with_data(nothing)
    with pytest.raises(wf.InputError, match="found a record without them"):
        light.with_data()


def test_copies_in_memory_have_their_decisions():
    est = fresh()
    for made in (copy.deepcopy(est), copy.copy(est)):
        assert made.result_.decided.same_as(CHOICES)
        assert made.result_.interval("p") == est.result_.interval("p")
    assert copy.copy(est.result_).decided is CHOICES
    assert copy.deepcopy(est.result_).decided is not CHOICES


def test_proofs_and_sets_of_rules():
    world = wf.simulate.individuals(25, 3, p=0, random_state=1)
    decided = wf.simulate.comparisons(world, wf.simulate.random_pairs(25, 30, random_state=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        est = wf.ComparisonClassifier(noise="none").fit(decided)
        known = wf.ComparisonClassifier(weights="equal").fit(CHOICES)
    rules = est.result_.exact.explanations
    light = stored(est).result_
    assert light.exact.explanations is None
    assert light.certificate == est.result_.certificate
    said = est.result_.summary()  # which asks for the ranges
    assert stored(est).result_.summary() == said
    back = light.with_data(decided)
    powers, again = rules.power_intervals, back.exact.explanations.power_intervals
    assert np.array(again) == pytest.approx(np.array(powers), abs=1e-9)
    assert back.exact.explanations.contains(est.weights_, est.p_)
    assert back.exact.explanations.weight_low == pytest.approx(rules.weight_low, abs=1e-6)
    proof = stored(known).result_.with_data(CHOICES).certificate
    assert proof == known.result_.certificate


def test_cross_validation_in_processes_returns_light_learners():
    found = cross_validate(
        wf.ComparisonClassifier(), CHOICES, cv=2, n_jobs=2, return_estimator=True
    )
    assert all(est.result_.decided is None for est in found["estimator"])
    assert np.isfinite(found["test_score"]).all()


def test_a_light_fit_is_compared_once_its_decisions_are_there():
    est = fresh()
    found = wf.compare([est.result_, "Nash"], folds=None)
    again = wf.compare([stored(est).result_, "Nash"], CHOICES, folds=None)
    assert str(again) == str(found)


# --- warm starts and lines about the search ----------------------------------------------------

# Losses of the same optimum differ by less than this share, as in the multistart.
SAME = 1e-8


def quietly(est, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return est.fit(*data)


@pytest.mark.parametrize("seed", range(6))
def test_a_warm_start_is_never_worse_than_a_cold_one(seed):
    rng = np.random.default_rng(seed)
    people = int(rng.integers(2, 7))
    p = float(rng.choice([-8.0, -1.0, 0.0, 1.0, 6.0]))
    world = wf.simulate.individuals(30, people, p=p, random_state=seed)
    pairs = wf.simulate.random_pairs(30, 120, random_state=seed)
    decided = wf.simulate.comparisons(world, pairs, tau=4, random_state=seed)
    cold = quietly(wf.ComparisonClassifier(small_sample="none"), decided)
    warm = wf.ComparisonClassifier(warm_start=True, small_sample="none")
    # Starts from elsewhere: another part of the decisions, a wrong power, the limit, itself.
    for first in (decided[:40], decided[40:], decided):
        quietly(warm, first)
    for power in (5.0, -np.inf):
        quietly(warm.set_params(p=power), decided)
        quietly(warm.set_params(p=None), decided)
        assert warm.loss_ <= cold.loss_ * (1 + SAME)


def test_a_warm_start_goes_on_from_the_last_solution():
    est = wf.ComparisonClassifier(warm_start=True).fit(CHOICES[:400])
    est = stored(est)  # a pickle goes on as well
    cold = wf.ComparisonClassifier().fit(CHOICES)
    est.fit(CHOICES)
    assert est.p_ == pytest.approx(cold.p_, rel=1e-5)
    assert len(est.result_.start_values) == len(cold.result_.start_values) + 1
    again = wf.WelfareRegressor(warm_start=True, prior=2).fit(SCORES.utilities, SCORES.scores)
    loss = again.loss_
    assert again.fit(SCORES.utilities, SCORES.scores).loss_ == pytest.approx(loss, rel=SAME)
    two = SCORES.utilities[:, :2]
    fewer = quietly(again, two, SCORES.scores)  # other people: a cold fit
    assert fewer.loss_ == quietly(wf.WelfareRegressor(prior=2), two, SCORES.scores).loss_
    shared = wf.ComparisonClassifier(warm_start=True).fit(CHOICES)
    shared.set_params(groups=["a", "a", "b"], noise="lapse")
    plain = wf.ComparisonClassifier(groups=["a", "a", "b"], noise="lapse")
    assert quietly(shared, CHOICES).loss_ <= quietly(plain, CHOICES).loss_ * (1 + SAME)


def test_warm_starts_that_would_do_nothing_are_refused():
    for options in ({"solver": "grid"}, {"solver": "two_stage"}, {"noise": "flip"}):
        with pytest.raises(wf.InputError, match='warm_start=True needs solver="newton"'):
            wf.ComparisonClassifier(warm_start=True, weights="equal", **options).fit(CHOICES)
    with pytest.raises(wf.InputError, match="warm_start must be True or False"):
        wf.ComparisonClassifier(warm_start=1).fit(CHOICES)


def test_verbose_says_how_the_search_goes(capsys):
    wf.ComparisonClassifier().fit(CHOICES)
    assert capsys.readouterr().out == ""
    wf.ComparisonClassifier(verbose=1).fit(CHOICES)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("[welfarist] FitResult(p=")
    assert "loss" in line
    est = wf.WelfareRegressor(verbose=2).fit(SCORES.utilities, SCORES.scores)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(est.result_.start_values) + 1
    assert lines[0].startswith("[welfarist] start 1: loss ")
    quietly(wf.ComparisonClassifier(noise="flip", weights="equal", verbose=True), CHOICES)
    assert len(capsys.readouterr().out.splitlines()) == 1
    for wrong in (-1, 0.5, "loud"):
        with pytest.raises(wf.InputError, match="verbose must be a whole number from 0"):
            wf.ComparisonClassifier(verbose=wrong).fit(CHOICES)


def test_who_decided_is_part_of_what_is_given_back():
    rng = np.random.default_rng(3)
    table = rng.uniform(1, 10, (30, 2))
    pairs = wf.simulate.random_pairs(30, 200, random_state=1)
    rule = wf.WelfareFunction(0, [0.6, 0.4])
    margin = rule.log(table[pairs[:, 0]]) - rule.log(table[pairs[:, 1]])
    outcomes = np.where(margin + rng.logistic(scale=0.1, size=200) > 0, 1, -1)
    by = np.arange(200) % 40
    light = pickle.loads(
        pickle.dumps(wf.ComparisonClassifier().fit(wf.Comparisons(table, pairs, outcomes, by=by)))
    )
    with pytest.raises(wf.InputError, match="needs the decisions that were fitted"):
        light.with_data(wf.Comparisons(table, pairs, outcomes))
    with pytest.raises(wf.InputError, match="needs the decisions that were fitted"):
        light.with_data(wf.Comparisons(table, pairs, outcomes, by=by[::-1].copy() // 2))
    again = light.with_data(wf.Comparisons(table, pairs, outcomes, by=by))
    assert again.result_.covariance == "clustered"
    assert "40 decision makers" in again.result_.summary()
