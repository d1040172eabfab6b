"""Learning from choices: against published answers, comparisons and an independent logit."""

from __future__ import annotations

import csv
import pickle
import warnings
from collections import defaultdict

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

import welfarist as wf
from tests.learners.test_real_data import DATA
from welfarist import (
    ChoiceLearner,
    Choices,
    ComparisonClassifier,
    Comparisons,
    InputError,
    MisfitWarning,
    WelfareFunction,
    WelfaristWarning,
    compare,
)
from welfarist.files.menus import NamedChoices

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="no folder of real data: set WELFARIST_DATA to one"
)


def simulated(n=400, size=4, people=3, p=-1.0, tau=15.0, seed=0):
    rng = np.random.default_rng(seed)
    utilities = rng.uniform(1, 10, (80, people))
    weights = np.arange(people, 0, -1.0) / np.arange(people + 1).sum()
    menus = rng.permuted(np.tile(np.arange(80), (n, 1)), axis=1)[:, :size]
    value = tau * WelfareFunction(p, weights).log(utilities)[menus]
    best = (value + rng.gumbel(size=value.shape)).argmax(axis=1)
    return utilities, menus, menus[np.arange(n), best]


def tourism():
    folder = DATA / "tourism"
    ratings, members, ranks = {}, defaultdict(list), defaultdict(lambda: defaultdict(list))
    with open(folder / "ratings.csv") as file:
        for row in csv.DictReader(file):
            ratings[row["user"], row["item"]] = float(row["rating"])
    with open(folder / "members.csv") as file:
        for row in csv.DictReader(file):
            members[row["group"]].append(row["user"])
    with open(folder / "choices.csv") as file:
        for row in csv.DictReader(file):
            ranks[row["group"]][int(row["rank"])].append(row["item"])
    items = sorted({item for _, item in ratings})
    table, rankings = [], []
    for group, users in members.items():
        if all((user, item) in ratings for user in users for item in items):
            first = len(table)
            missing = [np.nan] * (5 - len(users))
            table += [[*(ratings[user, item] for user in users), *missing] for item in items]
            rankings.append(
                [[first + items.index(item) for item in ranks[group][k]] for k in (1, 2)]
            )
    menus = np.arange(len(table)).reshape(-1, len(items))
    return np.array(table), menus, rankings


@needs_data
def test_groups_who_chose_where_to_travel():
    table, menus, rankings = tourism()
    first = Choices(table, menus, [ranking[0][0] for ranking in rankings], absent=True)
    est = ChoiceLearner(weights="equal").fit(first)
    assert est.p_ == pytest.approx(2.542, abs=0.001)
    assert est.tau_ == pytest.approx(8.23, abs=0.01)
    assert est.loss_ * len(first) == pytest.approx(119.223, abs=0.001)
    assert est.result_.interval("p") == pytest.approx((1.30, 4.36), abs=0.01)
    assert est.score(first) == pytest.approx(0.452, abs=0.001)
    plain = ChoiceLearner(weights="equal", p="utilitarian").fit(first)
    assert plain.loss_ * len(first) == pytest.approx(122.34, abs=0.01)
    assert plain.score(first) == pytest.approx(0.4156, abs=1e-4)  # ties shared
    assert est.result_.test("egalitarian").p_value < 0.01
    both = Choices.from_rankings(table, rankings, menus, absent=True)
    with pytest.warns(MisfitWarning, match="second choices are noisier: .* 0.42 of that"):
        second = ChoiceLearner(weights="equal").fit(both)
    assert second.p_ == pytest.approx(2.57, abs=0.005)
    assert second.tau_ == pytest.approx(5.39, abs=0.01)
    apart = ChoiceLearner(weights="equal", tau_by_stage=True).fit(both)
    assert apart.taus_[1] / apart.taus_[0] == pytest.approx(0.42, abs=0.01)
    assert 300 * (second.loss_ - apart.loss_) == pytest.approx(15.1, abs=0.1)
    for found in (apart.result_.stages(), second.result_.stages()):
        assert found.test.statistic == pytest.approx(15.12, abs=0.01)
        assert found.taus == pytest.approx(apart.taus_, rel=1e-4)
        assert found.shared == pytest.approx(second.tau_, rel=1e-4)


@pytest.mark.parametrize("noise", ["logistic", "lapse"])
def test_pairs_are_learned_from_as_comparisons(noise):
    utilities, menus, chosen = simulated(600, size=2, tau=8.0)
    outcomes = np.where(chosen == menus[:, 0], 1, -1)
    decided = Comparisons(utilities, menus, outcomes, by=np.arange(600) % 30)
    one = ComparisonClassifier(noise=noise, random_state=0).fit(decided)
    other = ChoiceLearner(noise=noise, random_state=0).fit(decided)
    assert other.loss_ == pytest.approx(one.loss_, rel=1e-12)
    assert other.p_ == pytest.approx(one.p_, rel=1e-6)
    assert np.allclose(other.weights_, one.weights_, atol=1e-6)
    assert np.allclose(other.result_.bse, one.result_.bse, rtol=1e-5)
    assert other.result_.covariance == one.result_.covariance == "clustered"
    assert other.score(decided) == pytest.approx(one.score(decided))


def test_what_is_known_is_recovered():
    utilities, menus, chosen = simulated(2000)
    est = ChoiceLearner().fit(Choices(utilities, menus, chosen))
    result = est.result_
    truth = {"p": -1.0, "tau": 15.0, "weight of person 0": 0.5, "weight of person 2": 1 / 6}
    for name, value in truth.items():
        low, high = result.interval(name, level=0.999)
        assert low <= value <= high
    assert result.misfit().verdict == "No sign that the family is wrong."
    assert result.calibration().p_value > 0.001
    assert 0 < len(result.surprises(5)) <= 5
    figures = dict(result.summary().record.figures)
    assert figures["first choices right"] == result.accuracy
    assert figures["right by chance"] == 0.25


def test_at_nash_it_is_a_conditional_logit():
    """At p = 0 log M is linear in log u: tau w are the coefficients of a conditional logit."""
    statsmodels = pytest.importorskip("statsmodels.discrete.conditional_models")
    utilities, menus, chosen = simulated(500, p=0.0, tau=4.0, seed=3)
    est = ChoiceLearner(p="Nash", small_sample="none").fit(Choices(utilities, menus, chosen))
    rows = menus.reshape(-1)
    taken = (rows == np.repeat(chosen, 4)).astype(float)
    model = statsmodels.ConditionalLogit(
        taken, np.log(utilities[rows]), groups=np.repeat(np.arange(500), 4)
    )
    found = model.fit(disp=False, method="newton", maxiter=100)
    assert np.allclose(est.tau_ * est.weights_, found.params, rtol=1e-6)
    # Of tau w: by the delta method from the errors of w and tau.
    covariance = est.result_.cov_params()
    slopes = np.column_stack([est.tau_ * np.eye(3), est.weights_])
    errors = np.sqrt((slopes @ covariance @ slopes.T).diagonal())
    assert np.allclose(errors, found.bse, rtol=1e-6)
    assert est.result_.llf == pytest.approx(found.llf, rel=1e-9)


def test_sizes_and_none_of_these_are_learned():
    rng = np.random.default_rng(5)
    table = rng.uniform(1, 10, (200, 4))
    table[rng.random(table.shape) < 0.35] = np.nan
    table[np.isnan(table).all(axis=1), 0] = 5.0
    sizes = (~np.isnan(table)).sum(axis=1)
    mean = np.sqrt(np.nanmean(table**0.5, axis=1) ** 4)
    menus = rng.permuted(np.tile(np.arange(200), (3000, 1)), axis=1)[:, :4]
    value = 10 * (np.log(mean) + 1.0 * np.log(sizes))[menus]
    chosen = menus[np.arange(3000), (value + rng.gumbel(size=value.shape)).argmax(axis=1)]
    choices = Choices(table, menus, chosen, absent=True)
    est = ChoiceLearner(weights="equal", size_effect=True).fit(choices)
    assert est.gamma_ == pytest.approx(1.0, abs=0.05)
    assert est.p_ == pytest.approx(0.5, abs=0.2)
    without = ChoiceLearner(weights="equal").fit(choices)
    assert without.gamma_ == 0
    assert without.loss_ > est.loss_
    full = rng.uniform(1, 10, (200, 2))
    value = 8 * np.append(np.log(np.sqrt(full.prod(axis=1))), np.log(5.0))
    offered = np.column_stack([menus % 200, np.full(3000, 200)])
    drawn = (value[offered] + rng.gumbel(size=offered.shape)).argmax(axis=1)
    picked = [None if k == 4 else int(menus[i, k]) for i, k in enumerate(drawn)]
    est = ChoiceLearner().fit(Choices(full, menus, picked, outside=True))
    assert est.outside_ == pytest.approx(5.0, abs=0.2)
    assert est.predict_proba(Choices(full, menus, picked, outside=True))[0].shape == (5,)
    assert (est.predict(Choices(full, menus, picked, outside=True)) == -1).any()
    low, high = est.result_.interval("outside")
    assert low < 5.0 < high


def test_it_is_a_learner_of_scikit_learn():
    utilities, menus, chosen = simulated(300)
    choices = Choices(utilities, menus, chosen, by=np.arange(300) % 20)
    est = clone(ChoiceLearner(p="Nash", tau_by_stage=False))
    assert est.get_params()["p"] == "Nash"
    scores = cross_val_score(ChoiceLearner(), choices, groups=choices.by, cv=GroupKFold(3))
    assert (scores > 0.6).all()
    fitted = ChoiceLearner().fit(choices)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(choices), fitted.predict(choices))
    assert again.result_.decided is None
    restored = again.with_data(choices)
    assert restored.result_.interval("p") == fitted.result_.interval("p")
    assert fitted.log_loss(choices) == pytest.approx(fitted.loss_, rel=1e-12)
    chances = fitted.predict_proba(choices)
    assert all(abs(part.sum() - 1) < 1e-12 for part in chances)
    assert fitted.result_.bootstrap(20, random_state=0).draws.shape[0] == 20


def test_equals_share_what_they_score():
    utilities = [[2.0, 2.0], [2.0, 2.0], [1.0, 1.0], [5.0, 1.0], [1.0, 4.0]]
    choices = Choices(utilities, [[0, 1, 2], [3, 4, 2], [0, 2, 4]], [0, 3, 0])
    est = ChoiceLearner(p="utilitarian", weights="equal").fit(choices)
    assert est.score(choices[:1]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (ChoiceLearner(noise="probit"), "noise must be one of"),
        (ChoiceLearner(noise="none", rho=0.1), 'rho must be left out unless noise="flip"'),
        (ChoiceLearner(noise="flip", rho=0.5), "rho must be a probability"),
        (ChoiceLearner(noise="none", solver="grid"), 'solver must be "exact"'),
        (ChoiceLearner(noise="none", prior=2.0), "prior must be left out"),
        (ChoiceLearner(noise="none", size_effect=True), "found size_effect=True"),
        (ChoiceLearner(noise="flip", tau_by_stage=True), "found tau_by_stage=True"),
        (ChoiceLearner(noise="none", warm_start=True), "warm_start"),
        (ChoiceLearner(solver="exact"), "needs comparisons"),
        (ChoiceLearner(size_effect=True), "different numbers of people; found none"),
        (ChoiceLearner(tau_by_stage=3), "tau_by_stage must be"),
        (ChoiceLearner(solver="grid"), "no choices from menus"),
    ],
)
def test_options_that_do_not_fit_are_refused(learner, words):
    utilities, menus, chosen = simulated(50)
    with pytest.raises(InputError, match=words):
        learner.fit(Choices(utilities, menus, chosen))


def test_other_data_are_refused():
    with pytest.raises(InputError, match="Choices or Comparisons; found list"):
        ChoiceLearner().fit([[1.0, 2.0]])
    utilities, menus, chosen = simulated(50)
    choices = Choices(utilities, menus, chosen)
    with pytest.raises(InputError, match="hold what was chosen"):
        ChoiceLearner().fit(choices, [1] * 50)


def test_impossible_choices_are_named():
    utilities = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]]
    choices = Choices(utilities, [[0, 1, 2], [1, 2], [1, 2]], [0, 1, 2])
    with pytest.raises(InputError, match="found 1 of 3 that no rule explains: row 0"):
        ChoiceLearner().fit(choices)
    with pytest.warns(WelfaristWarning):  # of three choices
        assert ChoiceLearner(noise="lapse", weights="equal").fit(choices).rho_ > 0


def test_weights_of_people_never_seen_together_are_refused():
    table = [[4.0, np.nan], [2.0, np.nan], [np.nan, 3.0], [np.nan, 5.0]]
    choices = Choices(table, [[0, 1], [2, 3], [0, 2]], [0, 3, 2], absent=True)
    with pytest.raises(InputError, match="'person 0' never is with 'person 1'"):
        ChoiceLearner().fit(choices)
    assert ChoiceLearner(weights="equal", p=1.0).fit(choices).converged_


@pytest.mark.parametrize(
    ("learned", "made"),
    [
        (dict(noise="lapse"), {}),
        ({}, dict(outside=True)),
        (dict(size_effect=True), dict(absent=True)),
    ],
)
@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
def test_a_given_power_is_kept_however_few_the_choices(learned, made):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        table = rng.uniform(1, 10, (12, 3))
        if made.get("absent"):
            table[rng.random(12) < 0.5, 2] = np.nan
        menus = rng.permuted(np.tile(np.arange(12), (8, 1)), axis=1)[:, :4]
        chosen = [
            None if made.get("outside") and i % 3 == 0 else menu[0] for i, menu in enumerate(menus)
        ]
        choices = wf.Choices(table, menus, chosen, **made)
        for p in (1.0, -1.0):
            assert wf.ChoiceLearner(p=p, weights="equal", **learned).fit(choices).p_ == p


@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
def test_a_given_power_is_kept_where_stages_have_their_own_temperatures():
    table = [[9.0, 8.0, 2.0], [5.0, 4.0, 6.0], [3.0, 2.5, 14.0], [6.0, 5.0, 5.0], [2.0, 7.0, 7.0]]
    ranked = wf.Choices.from_rankings(
        table, [[2, 1, 3], [3, 2], [1, 2, 0], [2]], [list(range(5))] * 4
    )
    for p in (1.0, -1.0):
        assert wf.ChoiceLearner(p=p, weights="equal", tau_by_stage=True).fit(ranked).p_ == p


@pytest.mark.parametrize("noise", ["none", "flip"])
def test_a_model_of_counted_errors_is_saved(tmp_path, noise):
    rng = np.random.default_rng(3)
    table = rng.uniform(1, 10, (20, 3))
    menus = rng.permuted(np.tile(np.arange(20), (40, 1)), axis=1)[:, :4]
    truth = wf.WelfareFunction(-1, [0.5, 0.3, 0.2])
    chosen = menus[np.arange(40), truth.log(table)[menus].argmax(axis=1)]
    known = dict(weights=[0.5, 0.3, 0.2], noise=noise)
    learner = wf.ChoiceLearner(**known).fit(wf.Choices(table, menus, chosen))
    wf.save_model(learner, tmp_path / "model.json")
    model = wf.load_model(tmp_path / "model.json")
    assert model.taus == (np.inf,)
    expected = learner.predict_proba(wf.Choices(table, menus[:1], chosen[:1]))[0]
    assert model.chances(table[menus[0]]).tolist() == pytest.approx(expected.tolist(), abs=1e-12)


def test_choices_from_a_large_menu_take_no_pairs_of_all_actions():
    """The penalty of few choices looks at pairs: as many as there are actions, not their square."""
    rng = np.random.default_rng(4)
    table = rng.uniform(1, 10, (400, 2))
    value = 10 * wf.WelfareFunction(-1, [0.6, 0.4]).log(table) + rng.gumbel(size=(6, 400))
    learner = wf.ChoiceLearner(random_state=0).fit(wf.Choices(table, None, value.argmax(axis=1)))
    observed = learner.result_.likelihood.loss.observed
    assert observed.restraint is not None
    pairs = observed.graph.pairs
    assert len(pairs.count) <= 4 * 400
    # They are worth as many comparisons as all pairs would be.
    assert pairs.count.sum() == pytest.approx(6 * 399)


def menus_with_a_rule(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    table = rng.uniform(1, 10, (40, 3))
    menus = rng.permuted(np.tile(np.arange(40), (count, 1)), axis=1)[:, :4]
    value = 8 * wf.WelfareFunction(-1, [0.5, 0.3, 0.2]).log(table)[menus]
    return table, menus, menus[np.arange(count), (value + rng.gumbel(size=menus.shape)).argmax(1)]


@pytest.mark.filterwarnings("ignore::welfarist.NotIdentifiedWarning")
def test_none_of_these_that_nobody_chose_changes_no_rule():
    table, menus, chosen = menus_with_a_rule(200)
    plain = ChoiceLearner().fit(Choices(table, menus, chosen))
    offered = ChoiceLearner().fit(Choices(table, menus, chosen, outside=True))
    assert offered.p_ == pytest.approx(plain.p_, abs=1e-6)
    assert offered.loss_ == pytest.approx(plain.loss_, rel=1e-12)
    assert any("never chosen" in one.message for one in offered.result_.caveats)


def test_choices_of_nothing_but_none_of_these_are_refused():
    table, menus, _ = menus_with_a_rule(5)
    with pytest.raises(InputError, match="found none of these in all of them"):
        ChoiceLearner().fit(Choices(table, menus, [None] * 5, outside=True))


def test_scorers_of_scikit_learn_take_choices():
    table, menus, chosen = menus_with_a_rule(150)
    choices = Choices(table, menus, chosen)
    folds = dict(cv=3, error_score="raise")
    for name in ("accuracy", "neg_log_loss"):
        found = cross_val_score(ChoiceLearner(), choices, scoring=name, **folds)
        own = [
            wf.ChoiceLearner().fit(choices[train])
            for train in (np.r_[50:150], np.r_[0:50, 100:150], np.r_[0:100])
        ]
        parts = [choices[50 * i : 50 * (i + 1)] for i in range(3)]
        by_hand = [
            est.score(part) if name == "accuracy" else -est.log_loss(part)
            for est, part in zip(own, parts, strict=True)
        ]
        assert found.tolist() == pytest.approx(by_hand, rel=1e-9)
    search = GridSearchCV(ChoiceLearner(), {"p": [4.0, "learn"]}, scoring="neg_log_loss", **folds)
    assert search.fit(choices).best_params_ == {"p": "learn"}
    with pytest.raises(InputError, match='"accuracy", the share of first choices'):
        cross_val_score(ChoiceLearner(), choices, scoring="f1", **folds)


def test_a_ranking_is_one_decision_in_the_information_criterion():
    table, menus, _ = menus_with_a_rule(60)
    ranked = Choices.from_rankings(table, menus[:, :3], menus)
    result = ChoiceLearner(weights="equal", tau_by_stage=True).fit(ranked).result_
    assert result.nobs == 60
    parameters = (result.aic + 2.0 * result.llf) / 2.0
    assert result.bic == pytest.approx(-2.0 * result.llf + parameters * np.log(60))


@pytest.mark.filterwarnings("ignore:3 of 103 menus hold one action only")
def test_menus_of_one_are_no_choices():
    utilities, menus, chosen = simulated(100, size=3, tau=5.0)
    alone = [[7], [8], [9]]
    several = Choices(utilities, menus, chosen)
    more = Choices(utilities, [*menus.tolist(), *alone], [*chosen.tolist(), 7, 8, 9])
    est = ChoiceLearner(weights="equal", small_sample="none").fit(more)
    same = dict(rel=1e-12)  # a mean in another order of its terms
    assert est.log_loss(more) == pytest.approx(est.log_loss(several), **same)
    assert est.log_loss(more) == pytest.approx(est.loss_, **same)
    assert est.score(more) == pytest.approx(est.score(several), **same)
    assert est.score(more) == pytest.approx(est.result_.accuracy, **same)
    assert more.chance == pytest.approx(1 / 3, **same)
    assert est.held_out_gain(more[100:]) == 0.0
    assert est.held_out_loss(more[100:]) == 0.0
    for judge in (est.score, est.log_loss):
        with pytest.raises(InputError, match="offer a choice; found none"):
            judge(more[100:])


def with_menus_of_one(utilities, menus, chosen, n=20):
    """The same choices, and as many from menus of one action, which are none."""
    more = [[action] for action in range(n)]
    return Choices(utilities, [*menus.tolist(), *more], [*chosen.tolist(), *range(n)])


@pytest.mark.parametrize("noise", ["logistic", "none"])
def test_menus_of_one_count_nowhere(noise):
    utilities, menus, chosen = simulated(60)
    plain = ChoiceLearner(noise=noise, weights="equal")
    decided = Choices(utilities, menus, chosen)
    more = with_menus_of_one(utilities, menus, chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MisfitWarning)
        one = plain.fit(decided).result_
        with pytest.warns(WelfaristWarning, match="20 of 80 menus hold one action only"):
            other = clone(plain).fit(more)
    assert more.chance == decided.chance == 0.25
    assert other.result_.decisions == one.decisions == 60
    assert other.result_.accuracy == one.accuracy
    assert "Learned from 60 decisions" in str(other.result_.summary())
    assert other.score(more) == other.score(decided)
    # The terms of the mean may be in another order.
    assert other.log_loss(more) == pytest.approx(other.log_loss(decided), rel=1e-12)
    with pytest.raises(InputError, match="offer a choice; found none"):
        other.score(more[60:])


def test_menus_of_one_do_not_count_side_by_side():
    utilities, menus, chosen = simulated(60)
    more = with_menus_of_one(utilities, menus, chosen)
    rules = {"equal": WelfareFunction(-1.0), "sums": WelfareFunction(1.0)}
    one = compare(rules, Choices(utilities, menus, chosen), folds=None)
    other = compare(rules, more, folds=None)
    assert "on 60 decisions" in str(other)
    assert str(other) == str(one)


def test_what_cannot_be_counted_is_not_advised():
    decided = Choices([[1.0, 2.0], [2.0, 1.0], [3.0, 1.0]], None, [None, 2], outside=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ChoiceLearner().fit(decided)
    said = [str(one.message) for one in caught]
    assert any("menus that are worth 3 different comparisons of two actions" in s for s in said)
    assert not any('noise="none"' in s for s in said)


def test_messages_name_what_was_passed():
    utilities, menus, chosen = simulated(60)
    decided = Choices(utilities, menus, chosen)
    with pytest.raises(InputError, match=r"from menus\. Fit them with a ChoiceLearner"):
        ComparisonClassifier().fit(decided)
    est = ChoiceLearner(weights="equal", p=0).fit(decided)
    with pytest.raises(InputError, match="a ChoiceLearner needs Choices or Comparisons; found nda"):
        est.predict(utilities)
    with pytest.raises(InputError, match=r"found NamedChoices\. Pass its decisions"):
        ChoiceLearner().fit(NamedChoices(decided))
    with pytest.raises(InputError, match="who made each of the 60 decisions; found shape"):
        Choices(utilities, menus, chosen, by=["Ann"])
    with pytest.raises(InputError, match="rankings must hold row numbers"):
        Choices.from_rankings(utilities, [["shelter", "pantry"]])
    with pytest.raises(InputError, match=r"worst must be .* found none at row 0. Leave that menu"):
        Choices.from_best_worst(utilities, menus[:1], chosen[:1], [None])


def test_rankings_may_be_padded():
    utilities = simulated(5)[0]
    short = Choices.from_rankings(utilities, [[2, 0, 1], [1, 2]])
    padded = Choices.from_rankings(utilities, np.array([[2, 0, 1], [1, 2, np.nan]]))
    assert padded.same_as(short)
    assert Choices.from_rankings(utilities, [[2, 0, 1], [1, 2, None]]).same_as(short)
    with pytest.raises(InputError, match="nothing missing before their ends; found none at row 0"):
        Choices.from_rankings(utilities, [[2, np.nan, 1]])


def test_temperatures_by_stage_need_stages():
    utilities, menus, chosen = simulated(60)
    learner = ChoiceLearner(tau_by_stage=True, weights="equal", p=0)
    with pytest.warns(WelfaristWarning, match="tau_by_stage=True has no effect"):
        learner.fit(Choices(utilities, menus, chosen))


def test_a_rule_without_errors_has_no_held_out_loss():
    utilities, menus, chosen = simulated(60)
    decided = Choices(utilities, menus, chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WelfaristWarning)
        learner = ChoiceLearner(noise="none", weights="equal", p=0)
        found = compare([learner, "average"], decided, folds=2)
    assert "inf" not in str(found).replace("information", "").split()


def test_what_is_predicted_is_what_counts_as_right():
    """Two means that are equal up to rounding are equally good: the first listed is named."""
    table = [[0.1 + 0.2, 1.0], [0.3, 1.0], [0.1, 0.5]]
    learner = ChoiceLearner(p=1.0, weights="equal")
    learner.fit(Choices(table, [[0, 2], [1, 2], [2, 0]] * 20, [0, 1, 2] * 20))
    for menu in ([0, 1, 2], [1, 0, 2]):
        asked = Choices(table, [menu], [0])
        assert learner.predict(asked).tolist() == menu[:1]
        assert learner.score(asked) == 0.5


def test_how_many_people_there_were_is_said_by_fit_alone():
    learner = ChoiceLearner(p=1.0, weights="equal")
    learner.fit(Choices([[4.0, 1.0], [2.0, 2.0]], [[0, 1]] * 9, [0] * 5 + [1] * 4))
    with pytest.raises(InputError, match="people"):
        learner.score(Choices([[4.0, 1.0, 3.0], [2.0, 2.0, 2.0]], [[0, 1]], [0]))
    assert learner.n_features_in_ == 2
