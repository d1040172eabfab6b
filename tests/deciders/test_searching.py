"""Searches for types: digits, order, edges, and no warnings."""

from __future__ import annotations

import numpy as np
import pytest

from tests.deciders.panels import (
    ALTRUISTS,
    MOSTLY_SELFISH,
    made_choices,
    made_comparisons,
    mixture_at,
    of_answers,
    ones,
    panel_of,
    plain_models,
    types_of,
)
from welfarist import ChoiceLearner, ComparisonClassifier, Comparisons
from welfarist.deciders.climbing import Climb, climb
from welfarist.deciders.mixture import TypeModel
from welfarist.deciders.searching import Found
from welfarist.deciders.starting import start_of

# Log likelihoods and shares at the same optimum: sums in another order, and where climbs end.
SAME = 1e-8
# Shares of 24 people of whom a few are between types.
SHARES = 0.1

RNG = np.random.default_rng(7)
U, V = RNG.uniform(1.0, 10.0, (2, 39, 2))
SELFISH = np.where(U[:, 0] > V[:, 0], 1.0, -1.0)
EGALITARIAN = np.where(U.min(axis=1) > V.min(axis=1), 1.0, -1.0)
AVERAGE = np.where(U.sum(axis=1) > V.sum(axis=1), 1.0, -1.0)


def but_one(answers, which):
    """The same answers with one turned round."""
    turned = answers.copy()
    turned[which] *= -1.0
    return turned


def finite(found):
    """Whether nothing that is learned is NaN, and only a p may be infinite."""
    mixture = found.mixture
    assert np.isfinite(found.log_likelihood)
    assert np.isfinite(mixture.shares).all()
    assert mixture.shares.sum() == pytest.approx(1.0)
    assert mixture.belongs.sum(axis=1) == pytest.approx(1.0)
    for k, point in enumerate(mixture.points):
        assert not np.isnan(point.p)
        assert np.isfinite(point.extras).all()
        assert mixture.rule_weights(k).sum() == pytest.approx(1.0)
        assert (mixture.rule_weights(k) >= 0).all()
    return True


def test_two_kinds_are_found_with_their_people():
    panel = panel_of(made_comparisons(each=12, questions=30))
    found = types_of(panel, 2)
    kinds = np.array([name.startswith("kind 1") for name in panel.names])
    sorted_into = found.mixture.belongs.argmax(axis=1)
    right = (sorted_into == kinds).mean()
    assert max(right, 1.0 - right) > 0.9
    assert found.mixture.shares == pytest.approx([0.5, 0.5], abs=SHARES)
    assert found.converged
    assert found.agreeing >= 3


def test_more_types_are_at_least_as_likely():
    panel = panel_of(made_comparisons())
    values = [types_of(panel, k).log_likelihood for k in (1, 2, 3)]
    assert values[0] < values[1] <= values[2] + SAME


def test_one_type_is_the_learners_own_fit():
    decisions = made_comparisons(questions=30)
    found = types_of(panel_of(decisions), 1)
    own = ComparisonClassifier().fit(decisions)
    assert found.log_likelihood == pytest.approx(own.result_.llf, abs=1e-6)
    assert found.mixture.points[0].p == pytest.approx(own.p_, abs=1e-4)


@pytest.mark.parametrize("choices", [False, True])
def test_the_same_digits_on_one_and_two_processes(choices):
    panel = panel_of(made_choices() if choices else made_comparisons(each=6))
    one, two = (types_of(panel, 2, n_starts=3, n_jobs=n) for n in (1, 2))
    assert one.log_likelihood == two.log_likelihood
    assert one.values.tolist() == two.values.tolist()
    assert one.mixture.shares.tolist() == two.mixture.shares.tolist()
    assert [point.p for point in one.mixture.points] == [point.p for point in two.mixture.points]


def test_the_same_seed_gives_the_same_digits():
    panel = panel_of(made_comparisons())
    first, again = (types_of(panel, 3, n_starts=3, seed=5) for _ in range(2))
    assert first.values.tolist() == again.values.tolist()
    assert first.mixture.shares.tolist() == again.mixture.shares.tolist()


def test_starts_depend_on_the_seed():
    panel = panel_of(made_comparisons())
    values = {
        start_of(panel, plain_models(panel, 3), np.ones((panel.people, 1)), 2, seed).log_likelihood
        for seed in range(3)
    }
    assert len(values) == 3


def test_the_order_of_decisions_does_not_matter():
    decisions = made_comparisons(ties=0.1)
    turned = decisions[np.random.default_rng(0).permutation(len(decisions))]
    first, second = (types_of(panel_of(one), 2) for one in (decisions, turned))
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=SAME)
    assert second.mixture.shares == pytest.approx(first.mixture.shares, abs=1e-6)


def test_the_order_of_people_does_not_matter():
    decisions = made_comparisons(ties=0.1)
    names = np.unique(decisions.by)
    others = dict(zip(names, np.random.default_rng(1).permutation(names), strict=True))
    renamed = Comparisons(
        decisions.utilities,
        decisions.pairs,
        decisions.outcomes,
        by=[others[w] for w in decisions.by],
    )
    rules, gamma = (ALTRUISTS, MOSTLY_SELFISH), [[0.3], [0.0]]
    at = [mixture_at(panel_of(one), rules, gamma) for one in (decisions, renamed)]
    assert at[1].log_likelihood == pytest.approx(at[0].log_likelihood, abs=1e-9)
    first, second = (types_of(panel_of(one), 2, n_starts=9) for one in (decisions, renamed))
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=SAME)
    assert second.mixture.shares == pytest.approx(first.mixture.shares, abs=1e-6)
    belongs = dict(zip(names, first.mixture.belongs[:, 0], strict=True))
    again = dict(zip(names, second.mixture.belongs[:, 0], strict=True))
    assert [again[others[w]] for w in names] == pytest.approx([belongs[w] for w in names], abs=1e-5)


@pytest.mark.parametrize(
    ("answers", "types"),
    [
        ([SELFISH] * 6, 1),
        ([SELFISH] * 6, 2),
        ([EGALITARIAN] * 6, 1),
        ([EGALITARIAN] * 4 + [SELFISH] * 4, 2),
        ([EGALITARIAN] * 3 + [SELFISH] * 3 + [AVERAGE] * 3, 3),
        ([but_one(SELFISH, i) for i in (3, 33, 38)] + [SELFISH] * 3, 2),
        ([but_one(SELFISH, 33)] * 4 + [AVERAGE] * 4, 2),
        ([but_one(EGALITARIAN, i) for i in range(6)], 2),
        ([AVERAGE] * 3, 3),
        ([np.zeros(39)] * 2 + [AVERAGE] * 3, 2),
    ],
    ids=[
        "selfish", "selfish, two types", "egalitarian", "both", "three doctrines",
        "38 of 39 selfish", "38 of 39 selfish and others", "38 of 39 egalitarian",
        "as many types as people", "people with ties only",
    ],
)  # fmt: skip
@pytest.mark.parametrize("noise", ["logistic", "lapse"])
def test_edges_leave_numbers_and_no_warnings(answers, types, noise):
    panel = panel_of(of_answers(answers, U, V), ComparisonClassifier(noise=noise))
    assert finite(types_of(panel, types, n_starts=3))


def test_a_rule_that_runs_off_does_not_run_for_ever():
    # With p towards -inf and the other's weight towards 0 together, each step gains less.
    panel = panel_of(of_answers([but_one(SELFISH, i) for i in (3, 33, 38)] + [SELFISH] * 3, U, V))
    found = climb(start_of(panel, plain_models(panel, 2), ones(panel), 0, seed=0), 1000)
    assert found.converged
    assert found.n_iter < 200


def test_egalitarian_people_are_at_the_limit():
    found = types_of(panel_of(of_answers([EGALITARIAN] * 4 + [SELFISH] * 6, U, V)), 2)
    selfish, egalitarian = found.mixture.points
    assert selfish.weights[0] > 0.9
    assert egalitarian.p < -5.0
    assert found.mixture.shares == pytest.approx([0.6, 0.4], abs=1e-3)


def test_zeros_in_utilities():
    u = np.where(RNG.random((39, 2)) < 0.2, 0.0, U)
    answers = [np.where(u.sum(axis=1) > V.sum(axis=1), 1.0, -1.0), np.sign(u[:, 0] - V[:, 0])]
    for noise in ("logistic", "lapse"):
        decisions = of_answers(answers * 3, u, V)
        panel = panel_of(decisions, ComparisonClassifier(noise=noise))
        for types in (1, 2, 3):
            found = types_of(panel, types, n_starts=3)
            assert finite(found)
            assert all(point.p > 0 for point in found.mixture.points)


def test_menus_of_people_who_never_err():
    decisions = made_choices(((0.5, (0.5, 0.5), 1e4), (0.5, (0.95, 0.05), 1e4)), each=4)
    for noise in ("logistic", "lapse"):
        assert finite(types_of(panel_of(decisions, ChoiceLearner(noise=noise)), 2, n_starts=3))


def test_types_may_be_given_doctrines():
    panel = panel_of(of_answers([EGALITARIAN] * 4 + [AVERAGE] * 5, U, V))
    held = panel_of(panel.decided, ComparisonClassifier(p=1.0, weights="equal")).loss
    models = (TypeModel(held, 1.0), TypeModel(held, -np.inf), TypeModel(panel.loss))
    found = types_of(panel, 3, models=models, n_starts=6)
    assert finite(found)
    given = {model.p for model in found.mixture.models}
    assert given == {1.0, -np.inf, None}
    for model, point in zip(found.mixture.models, found.mixture.points, strict=True):
        assert model.p is None or point.p == model.p


def test_a_column_that_tells_kinds_apart_leaves_numbers():
    panel = panel_of(made_comparisons(each=8))
    group = np.array([float(name.startswith("kind 1")) for name in panel.names])
    design = np.column_stack([np.ones(panel.people), (group - group.mean()) / group.std()])
    found = types_of(panel, 2, design=design)
    assert finite(found)
    assert np.isfinite(found.mixture.membership.gamma).all()
    assert found.log_likelihood > types_of(panel, 2).log_likelihood


def test_starts_with_covariates_are_numbers():
    panel = panel_of(made_comparisons(each=8))
    rng = np.random.default_rng(0)
    design = np.column_stack([np.ones(panel.people), rng.normal(size=(panel.people, 2))])
    for number in range(6):
        start = start_of(panel, plain_models(panel, 3), design, number, seed=0)
        assert np.isfinite(start.log_likelihood)
        # Nobody is shut out of a type before anything was looked at.
        assert start.membership.chances().min() > 1e-4


def test_a_climb_ends_at_the_same_place_however_often_it_is_looked_at():
    panel = panel_of(made_comparisons())
    start = start_of(panel, plain_models(panel, 2), np.ones((panel.people, 1)), 0, seed=0)
    whole = climb(start, 1000)
    part = climb(climb(start, 7).mixture, 1000)
    assert whole.converged
    assert part.log_likelihood == pytest.approx(whole.log_likelihood, abs=1e-6)


def test_a_climb_that_cannot_reach_the_best_is_given_up():
    panel = panel_of(made_comparisons())
    start = start_of(panel, plain_models(panel, 4), np.ones((panel.people, 1)), 2, seed=0)
    given_up = climb(start, 1000, beat=start.log_likelihood + 1e6)
    assert not given_up.converged
    assert given_up.n_iter == 10
    assert not given_up.may_reach(start.log_likelihood + 1e6)


def test_mixtures_to_begin_from_are_searched_as_well():
    panel = panel_of(made_comparisons())
    best = types_of(panel, 2, n_starts=6)
    found = types_of(panel, 2, n_starts=1, extra=(best.mixture,))
    assert found.log_likelihood >= best.log_likelihood - SAME
    assert len(found.values) == 2


def test_starts_agree_with_the_best_of_them_where_that_was_led_to_a_limit():
    # A rule at infinity may be likelier than what every start reached.
    mixture = mixture_at(panel_of(made_comparisons()), [ALTRUISTS])
    found = Found(mixture, -100.0, True, 5, np.array([-103.0, -103.0, -120.0]))
    assert found.agreeing == 2
    lower = Found(mixture, -103.0001, True, 5, np.array([-103.0, -103.0, -120.0]))
    assert lower.agreeing == 2


def test_criteria():
    panel = panel_of(made_comparisons())
    found = types_of(panel, 2, n_starts=2)
    loss = -2.0 * found.log_likelihood
    assert found.bic == pytest.approx(loss + 7 * np.log(panel.people))
    assert found.aic == pytest.approx(loss + 14)


def test_pace_says_whether_going_on_is_worth_it():
    mixture = mixture_at(panel_of(made_comparisons()), [ALTRUISTS])
    slow = Climb(mixture, -100.0, False, 20, 0.1)
    assert slow.may_reach(-99.0)
    assert not slow.may_reach(-90.0)
    assert not Climb(mixture, -100.0, True, 20, 5.0).may_reach(-99.0)
