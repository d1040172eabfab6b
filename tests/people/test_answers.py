"""Utilities from stakeholders' answers: likelihoods, the population, anchors, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist import ComparisonClassifier, Comparisons, InputError, StakeholderUtilities
from welfarist.people.answers.likelihoods import Chosen, Rated, moved_cuts
from welfarist.people.answers.tables import as_answers, as_features
from welfarist.people.estimated.drawing import drawn_tables

# Differences of second order with steps of 1e-5.
SLOPES, STEP = 1e-6, 1e-5


def world(people=12, actions=60, answers=60, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(actions, 4))
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    coefficients = rng.normal(0, 0.5, 4) + rng.normal(0, 0.4, (people, 4))
    logs = table @ coefficients.T
    who = np.repeat(np.arange(people), answers)
    first = rng.integers(0, actions, len(who))
    second = (first + rng.integers(1, actions, len(who))) % actions
    better = rng.random(len(who)) < 1 / (1 + np.exp(logs[second, who] - logs[first, who]))
    given = {
        "stakeholder": [f"s{i}" for i in who],
        "first": first.tolist(),
        "second": second.tolist(),
        "choice": np.where(better, "first", "second").tolist(),
    }
    return table, coefficients, logs, given


def rated(logs, seed=1):
    rng = np.random.default_rng(seed)
    actions, people = logs.shape
    noisy = logs + rng.logistic(size=logs.shape)
    level = 1 + np.digitize(noisy, [-1.5, -0.5, 0.5, 1.5])
    return {
        "stakeholder": np.repeat([f"s{i}" for i in range(people)], actions).tolist(),
        "action": np.tile(np.arange(actions), people).tolist(),
        "rating": level.T.reshape(-1).tolist(),
    }


def ranked(logs, rankings=25, size=4, seed=2):
    rng = np.random.default_rng(seed)
    rows = {"stakeholder": [], "ranking": [], "action": [], "rank": []}
    for person in range(logs.shape[1]):
        for number in range(rankings):
            chosen = rng.choice(len(logs), size, replace=False)
            worth = logs[chosen, person] + rng.gumbel(size=size)
            for rank, place in enumerate(np.argsort(-worth)):
                rows["stakeholder"].append(f"s{person}")
                rows["ranking"].append(number)
                rows["action"].append(int(chosen[place]))
                rows["rank"].append(rank + 1)
    return rows


def error_of(model, coefficients):
    return np.sqrt(np.square(model.coef_ - coefficients).mean())


def test_slopes_and_curvature_of_answers_are_those_of_differences():
    table, _, logs, given = world()
    choices = as_answers(given, [str(i) for i in range(60)])[0].given.of(3)
    ratings = as_answers(rated(logs), [str(i) for i in range(60)])[0].given.of(3)
    for said, size in (
        (Chosen.of(choices, table), 4),
        (Rated.of(ratings, table, np.array([-1.5, -0.5, 0.5, 1.5])), 5),
    ):
        at = np.linspace(-0.5, 0.7, size)
        _, slope, bent = said.at(at)
        for i, move in enumerate(np.eye(size) * STEP):
            up, down = said.at(at + move), said.at(at - move)
            assert abs(slope[i] - (up[0] - down[0]) / (2 * STEP)) < SLOPES * (1 + abs(slope[i]))
            assert np.allclose(bent[i], (up[1] - down[1]) / (2 * STEP), rtol=SLOPES, atol=1e-5)


def test_cut_points_reach_their_largest_likelihood():
    rng = np.random.default_rng(0)
    values = rng.normal(size=2000)
    truth = np.array([-1.0, 0.2, 1.4])
    levels = np.digitize(values + rng.logistic(size=2000), truth)
    cuts = np.array([-0.5, 0.0, 0.5])
    for _ in range(20):
        cuts = moved_cuts(cuts, levels, values)
    assert np.allclose(moved_cuts(cuts, levels, values), cuts, atol=1e-8)
    assert np.allclose(cuts, truth, atol=0.25)


def test_choices_ratings_and_rankings_find_the_coefficients():
    table, coefficients, logs, given = world()
    for answers in (given, rated(logs), ranked(logs)):
        model = StakeholderUtilities().fit(table, answers)
        plain = StakeholderUtilities(pooling="none").fit(table, answers)
        assert model.converged_
        assert error_of(model, coefficients) < error_of(plain, coefficients)
        inside = np.abs(model.coef_ - coefficients) < 1.96 * model.coef_errors_
        assert 0.85 < inside.mean() <= 1.0


def test_other_choices_are_foreseen_better_than_each_alone():
    table, _, _, given = world(answers=15)
    other = world(answers=1000)[3]
    pooled = StakeholderUtilities().fit(table, given).score(other)
    assert pooled > StakeholderUtilities(pooling="none").fit(table, given).score(other)
    assert pooled > 0.6


def test_without_features_actions_stand_for_themselves():
    _, _, logs, given = world(actions=15, answers=120)
    model = StakeholderUtilities().fit(None, given)
    order = [int(name) for name in model.actions_]
    found = np.log(model.people_.utilities)
    truth = logs[order] - logs[order].mean(axis=0)
    assert np.corrcoef(found.reshape(-1), truth.reshape(-1))[0, 1] > 0.8
    inside = np.abs(found - truth) < 1.96 * model.people_.errors
    # 0.89 in the mean of twelve such worlds: what nobody contradicts is known within wide bounds.
    assert 0.8 < inside.mean() <= 1.0


def test_errors_of_utilities_are_those_of_coefficients():
    table, _, _, given = world()
    model = StakeholderUtilities().fit(table, given)
    expected = np.einsum("ak,dkl,al->ad", table, model.coef_cov_, table)
    assert np.allclose(model.people_.errors**2, expected, atol=1e-12)
    assert np.allclose(np.log(model.people_.utilities).mean(axis=0), 0.0, atol=1e-12)


def test_anchors_stretch_each_stakeholder_and_a_table_shows_what_they_do():
    table, _, logs, given = world(people=3, answers=300)
    model = StakeholderUtilities(anchor=(1, 10)).fit(table, given)
    utilities = model.people_.utilities
    assert np.allclose(utilities.min(axis=0), 1.0)
    assert np.allclose(utilities.max(axis=0), 10.0)
    rng = np.random.default_rng(4)
    pairs = rng.permuted(np.tile(np.arange(60), (600, 1)), axis=1)[:, :2]
    margin = 5 * (logs[pairs[:, 0]] - logs[pairs[:, 1]]).mean(axis=1)
    outcomes = np.where(rng.random(600) < 1 / (1 + np.exp(-margin)), 1, -1)
    found = model.sensitivity(
        lambda people: ComparisonClassifier().fit(Comparisons(people, pairs, outcomes)),
        anchors=(2, 50),
    )
    assert list(found["scale"]) == ["as answered", "best 2 x worst", "best 50 x worst"]
    assert "do not tell whether" in model.note_


def test_names_of_actions_come_with_their_features():
    features = {"action": ["bus", "clinic", "park"], "cost": [1.0, 5.0, 2.0]}
    answers = {"stakeholder": ["ann"] * 2, "first": ["bus", "park"], "second": ["clinic"] * 2,
               "choice": ["bus", "first"]}  # fmt: skip
    model = StakeholderUtilities().fit(features, answers)
    assert model.people_.row_names == ("bus", "clinic", "park")
    assert model.people_.stakeholders == ("ann",)
    assert model.coef_[0, 0] < 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(choice=["first", "clinic", "up", "first"]), "choices must be first, second or tie"),
        (dict(first=["bus", "bus", "moon", "bus"]), "actions that have features; found 'moon'"),
        (dict(second=["bus", "park", "park", "park"]), "found one with itself in row 0"),
        (dict(stakeholder=["ann", "ann", "bo", None]), "found no stakeholder in row 3"),
        (dict(choice=["first", "second"] * 2), "those of 'ann' cancel out"),
        (dict(choice=["tie"] * 4), "those of 'ann' cancel out"),
        (dict(stakeholder=["ann", "ann", " ", "bo"]), "found no stakeholder in row 2"),
        (dict(first=["bus"]), "as long as each other; found 1 entries in 'first'"),
        (dict(choice=["first", None, "first", "first"]), "found no choice in row 1"),
    ],
)
def test_bad_answers_are_refused_in_a_sentence(change, message):
    features = {"action": ["bus", "clinic", "park"], "cost": [1.0, 5.0, 2.0]}
    answers = {
        "stakeholder": ["ann", "ann", "bo", "bo"],
        "first": ["bus"] * 4,
        "second": ["clinic", "clinic", "park", "park"],
        "choice": ["first", "first", "first", "first"],
    }
    with pytest.raises(InputError, match=message):
        StakeholderUtilities().fit(features, {**answers, **change})


def test_bad_features_people_and_anchors_are_refused():
    table, _, _, given = world(people=2, answers=10)
    flat = table.copy()
    flat[:, 2] = 3.0
    for call, message in (
        (lambda: as_features(flat), "found 'feature 2', which is the same for all"),
        (lambda: StakeholderUtilities(anchor=(2, 1)).fit(table, given), "anchor must be"),
        (lambda: StakeholderUtilities(pooling="some").fit(table, given), "pooling must be"),
        (
            lambda: StakeholderUtilities().fit(table, given, stakeholders=["s0", "s1", "zoe"]),
            "found nothing by 'zoe'",
        ),
        (lambda: StakeholderUtilities().fit(table, {"who": [1]}), "answers must be a data frame"),
        (
            lambda: StakeholderUtilities().fit(table, given, stakeholders=["s0", "s1", "s1"]),
            "found 's1' twice",
        ),
        (lambda: as_features({"action": ["a", "b"], "x": [1.0]}), "as long as each other"),
        (lambda: as_features({"x": [1.0, None]}), "must be complete"),
        (lambda: as_features({"action": ["a", "a"], "x": [1.0, 2.0]}, "action"), "found 'a' twice"),
        (
            lambda: StakeholderUtilities().fit(table, given).sensitivity(lambda people: None),
            "learn must return a fitted learner",
        ),
        (
            lambda: StakeholderUtilities().fit(table, given).sensitivity(lambda p: p, [0.5]),
            "anchors must be numbers above 1",
        ),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_what_an_anchor_states_has_no_error_and_the_rest_that_of_draws():
    table, _, _, given = world(people=4, answers=400)
    model = StakeholderUtilities(anchor=(1, 10)).fit(table, given)
    people = model.people_
    rng = np.random.default_rng(0)
    for person in range(4):
        drawn = rng.multivariate_normal(model.coef_[person], model.coef_cov_[person], 4000)
        logits = model._table @ drawn.T
        best, worst = people.utilities[:, person].argmax(), people.utilities[:, person].argmin()
        logs = np.log(10) * (logits - logits[worst]) / (logits[best] - logits[worst])
        assert people.errors[best, person] == pytest.approx(0, abs=1e-7)
        assert people.errors[worst, person] == pytest.approx(0, abs=1e-7)
        # The delta method, beside draws of a ratio.
        assert np.allclose(logs.std(axis=1), people.errors[:, person], rtol=0.15, atol=0.01)


def test_other_scales_are_those_that_are_stated():
    table, _, logs, given = world(people=3, answers=200)
    rng = np.random.default_rng(4)
    pairs = rng.permuted(np.tile(np.arange(60), (600, 1)), axis=1)[:, :2]
    margin = 5 * (logs[pairs[:, 0]] - logs[pairs[:, 1]]).mean(axis=1)
    outcomes = np.where(rng.random(600) < 1 / (1 + np.exp(-margin)), 1, -1)
    model = StakeholderUtilities().fit(table, given)
    stated = model.people((1, 10))
    stretched = model.people_.anchored(1, 10)
    assert np.allclose(stretched.utilities, stated.utilities)
    assert np.allclose(stretched.measured.covariance, stated.measured.covariance, atol=1e-10)
    assert "go from 1 to 10" in stated.note
    assert "geometric mean of 1" in model.people_.note

    def learned(people):
        return ComparisonClassifier().fit(Comparisons(people, pairs, outcomes)).result_

    found = learned(model.people_)
    scales = found.scales((10,))
    assert scales.rows[0][0] == pytest.approx(found.p)
    other = learned(stated)
    names = list(scales.names)
    assert scales.rows[1][names.index("p")] == pytest.approx(other.p, rel=1e-3)
    assert scales.rows[1][names.index("tau")] == pytest.approx(other.tau, rel=1e-3)
    assert "best 10 x worst" in str(scales)
    assert any("do not tell whether" in caveat.message for caveat in found.caveats)
    with pytest.raises(InputError, match="ratios must be numbers above 1"):
        found.scales((1,))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(rating=list("abcd")), "ratings must be numbers; found 'a' in row 0"),
        (dict(rating=[1, 2, np.nan, 3]), "found nan in row 2"),
        (dict(rating=[3, 3, 1, 2]), "those of 'ann' cancel out"),
        (dict(rating=[3, 3, 3, 3]), "found 1. Round them"),
    ],
)
def test_bad_ratings_are_refused_in_a_sentence(change, message):
    given = {
        "stakeholder": ["ann", "ann", "bo", "bo"],
        "action": ["bus", "park"] * 2,
        "rating": [1, 2, 3, 4],
    }
    with pytest.raises(InputError, match=message):
        StakeholderUtilities().fit(None, {**given, **change})


def test_bad_ranks_are_refused_in_a_sentence():
    given = {"stakeholder": ["ann"] * 3, "ranking": [1] * 3, "action": list("abc")}
    for rank, message in (
        ([1, 2, np.nan], "found nan in row 2"),
        (["x", 1, 2], "found 'x' in row"),
    ):
        with pytest.raises(InputError, match=message):
            StakeholderUtilities().fit(None, {**given, "rank": rank})


def test_answers_that_never_contradict_each_other_need_those_of_all():
    table, _, _, given = world(people=2, answers=4)
    assert StakeholderUtilities().fit(table, given).people_.errors.mean() > 0.5
    alone = StakeholderUtilities(pooling="none").fit(table, given)
    assert "never contradict each other" in alone.note_


def test_the_habits_of_scikit_learn_are_kept():
    from sklearn.base import clone

    model = StakeholderUtilities(anchor=(1, 5))
    assert clone(model).get_params() == {"anchor": (1, 5), "pooling": "hierarchical"}
    features = {"action": ["bus", "clinic", "park"], "cost": [1.0, 5.0, 2.0]}
    answers = {"Stakeholder": ["ann"] * 2, "First": ["bus", "park"], "Second": ["clinic"] * 2,
               "Choice": [True, False]}  # fmt: skip
    assert model.fit(features, answers) is model
    assert model.n_features_in_ == 1
    assert model.feature_names_in_.tolist() == ["cost"]
    assert not hasattr(StakeholderUtilities().fit(None, answers), "feature_names_in_")


def test_ratings_of_one_are_an_ordered_logit():
    ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200, 2))
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    worth = table @ [1.0, -0.5] + rng.logistic(size=200)
    rating = 1 + np.digitize(worth, [-1.0, 0.0, 1.0])
    answers = {"stakeholder": ["ann"] * 200, "action": list(range(200)), "rating": rating.tolist()}
    model = StakeholderUtilities(pooling="none").fit(table, answers)
    other = ordinal.OrderedModel(rating, table, distr="logit").fit(disp=0, method="bfgs")
    assert np.allclose(model.coef_[0], other.params[:2], atol=0.02)
    # Cut points are taken as known: errors of coefficients are a little smaller.
    assert np.allclose(model.coef_errors_[0], other.bse[:2], rtol=0.15)


def test_choices_of_one_are_a_logit_of_differences():
    linear = pytest.importorskip("statsmodels.api")
    table, _, _, given = world(people=1, answers=200)
    model = StakeholderUtilities(pooling="none").fit(table, given)
    apart = table[given["first"]] - table[given["second"]]
    chosen = np.array(given["choice"]) == "first"
    other = linear.Logit(chosen, apart).fit(disp=0)
    assert np.allclose(model.coef_[0], other.params, rtol=1e-3)
    assert np.allclose(model.coef_errors_[0], other.bse, rtol=1e-3)


def test_errors_that_people_share_are_counted_once_for_all():
    """The error of the mean of all is larger than if errors were apart, and as large as it is."""
    rng = np.random.default_rng(2)
    table, mean = rng.normal(size=(60, 4)), rng.normal(0, 0.3, 4)
    off, foretold, apart = [], [], []
    for _ in range(20):
        truth = table @ (mean + rng.normal(0, 0.2, (10, 4))).T
        truth -= truth.mean(axis=0)
        rows = {"stakeholder": [], "first": [], "second": [], "choice": []}
        for i in range(10):
            for _ in range(20):
                a, b = rng.choice(60, 2, replace=False)
                likes = rng.random() < 1 / (1 + np.exp(truth[b, i] - truth[a, i]))
                for name, value in zip(
                    rows, (i, a, b, "first" if likes else "second"), strict=True
                ):
                    rows[name].append(value)
        features = {"action": np.arange(60), **{f"x{j}": x for j, x in enumerate(table.T)}}
        people = StakeholderUtilities().fit(features, rows).people_
        off.append(np.square((np.log(people.utilities) - truth).mean(axis=1)).mean())
        found = people.measured.effects(np.full((10, 60), 0.1), 0.0)
        foretold.append(found.variance.mean())
        apart.append(people.measured.variances.mean() / 10)
    ratio = np.mean(off) / np.mean(foretold)
    assert 0.6 < ratio < 1.6  # of 20 means of 4 coefficients
    assert np.mean(foretold) > 1.3 * np.mean(apart)
    # So they are where people are drawn, saved, put in order or anchored.
    measured, shares = people.measured, np.full((10, 60), 0.1)
    drawn = np.array([measured.noise(rng).mean(axis=0) for _ in range(500)])
    assert np.square(drawn).mean() == pytest.approx(found.variance.mean(), rel=0.2)
    tables = np.log(np.array(list(drawn_tables(people, 500)))) - np.log(people.utilities)
    assert np.square(tables.mean(axis=2)).mean() == pytest.approx(found.variance.mean(), rel=0.2)
    turned = measured.people(np.arange(10)[::-1]).effects(shares, 0.0)
    assert np.allclose(turned.variance, found.variance)
    stated = StakeholderUtilities(anchor=(1, 10)).fit(features, rows).people_.measured
    assert np.allclose(
        people.anchored(1, 10).measured.effects(shares, 0.0).variance,
        stated.effects(shares, 0.0).variance,
    )
