"""The likelihood of a mixture, against one written out decision by decision."""

from __future__ import annotations

import numpy as np
import pytest

from tests.deciders import plainly
from tests.deciders.panels import (
    ALTRUISTS,
    MOSTLY_SELFISH,
    made_choices,
    made_comparisons,
    mixture_at,
    panel_of,
    types_of,
)
from welfarist import ChoiceLearner, ComparisonClassifier, Comparisons, InputError
from welfarist.deciders.mixture import require_possible

# Sums of a few hundred logarithms in another order.
ROUNDING = 1e-9
# A generalised step of EM never loses more than the rounding of such sums.
NO_LOSS = 1e-9
RULES = (ALTRUISTS, MOSTLY_SELFISH, (-1.5, (0.3, 0.7), 4.0))
GAMMA = [[0.4], [-0.3], [0.0]]


def chances(gamma, people):
    grown = np.exp(np.asarray(gamma)[:, 0])
    return np.tile(grown / grown.sum(), (people, 1))


@pytest.mark.parametrize("p", [-np.inf, -3.0, -0.01, 0.0, 0.01, 1.0, 8.0, np.inf])
def test_log_likelihoods_of_everybody_under_a_rule(p):
    decisions = made_comparisons(ties=0.2, counts=True)
    rule = (p, (0.7, 0.3), 6.0)
    found = mixture_at(panel_of(decisions), [rule]).each[:, 0]
    assert found == pytest.approx(plainly.by_person(decisions, rule), abs=ROUNDING)


@pytest.mark.parametrize("noise", ["logistic", "lapse"])
@pytest.mark.parametrize(("ties", "counts"), [(0.0, False), (0.2, True)])
def test_mixture_of_comparisons(noise, ties, counts):
    decisions = made_comparisons(ties=ties, counts=counts)
    rho = 0.07 if noise == "lapse" else 0.0
    panel = panel_of(decisions, ComparisonClassifier(noise=noise))
    found = mixture_at(panel, RULES, GAMMA, own=[rho] if rho else ())
    each = np.column_stack([plainly.by_person(decisions, rule, rho) for rule in RULES])
    assert found.each == pytest.approx(each, abs=ROUNDING)
    expected = plainly.mixture(each, chances(GAMMA, panel.people))
    assert found.log_likelihood == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize("noise", ["logistic", "lapse"])
@pytest.mark.parametrize("counts", [False, True])
def test_mixture_of_choices_from_menus(noise, counts):
    decisions = made_choices(counts=counts)
    rho = 0.07 if noise == "lapse" else 0.0
    panel = panel_of(decisions, ChoiceLearner(noise=noise))
    found = mixture_at(panel, RULES, GAMMA, own=[rho] if rho else ())
    each = np.column_stack([plainly.by_chooser(decisions, rule, rho) for rule in RULES])
    assert found.each == pytest.approx(each, abs=ROUNDING)
    expected = plainly.mixture(each, chances(GAMMA, panel.people))
    assert found.log_likelihood == pytest.approx(expected, abs=ROUNDING)


def test_three_people_are_affected():
    kinds = ((-1.0, (0.5, 0.3, 0.2), 9.0), (0.5, (0.1, 0.1, 0.8), 5.0))
    decisions = made_comparisons(kinds)
    found = mixture_at(panel_of(decisions), kinds).each
    each = np.column_stack([plainly.by_person(decisions, rule) for rule in kinds])
    assert found == pytest.approx(each, abs=ROUNDING)


def test_who_belongs_where_is_bayes_by_hand():
    panel = panel_of(made_comparisons())
    found = mixture_at(panel, RULES, GAMMA)
    joint = np.exp(found.each) * chances(GAMMA, panel.people)
    assert found.belongs == pytest.approx(joint / joint.sum(axis=1, keepdims=True), abs=ROUNDING)


def test_steps_of_em_never_lose():
    here = mixture_at(panel_of(made_comparisons(ties=0.1)), RULES, GAMMA)
    for _ in range(8):
        there = here.step()
        assert there.log_likelihood >= here.log_likelihood - NO_LOSS
        here = there


def test_a_type_that_nobody_belongs_to_keeps_its_rule():
    panel = panel_of(made_comparisons())
    mixture = mixture_at(panel, RULES)
    belongs = np.column_stack([np.ones(panel.people), np.zeros((panel.people, 2))])
    found = mixture.refitted(belongs)
    assert found.points[1] is mixture.points[1]
    assert found.points[0] is not mixture.points[0]
    assert np.isfinite(found.log_likelihood)


def test_order_of_types_is_a_matter_of_names():
    mixture = mixture_at(panel_of(made_comparisons()), RULES, GAMMA)
    turned = mixture.in_order(np.array([2, 0, 1]))
    assert turned.log_likelihood == pytest.approx(mixture.log_likelihood, abs=ROUNDING)
    assert turned.shares == pytest.approx(mixture.shares[[2, 0, 1]], abs=ROUNDING)
    assert turned.points[0] is mixture.points[2]


def test_the_largest_type_comes_first():
    found = types_of(panel_of(made_comparisons(each=9)), 2).mixture
    assert (np.diff(found.shares) <= 0).all()


def test_what_is_learned_is_counted():
    panel = panel_of(made_comparisons())
    # p, one weight and tau of each of three types, and two shares.
    assert mixture_at(panel, RULES).parameters == 3 * 3 + 2
    learner = ComparisonClassifier(p=0.5, noise="lapse")
    given = panel_of(made_comparisons(), learner)
    assert mixture_at(given, [(0.5, (0.5, 0.5), 3.0)] * 2, own=[0.1]).parameters == 2 * 3 + 1


def test_choices_that_no_type_allows_are_refused_by_name():
    # Person b gives the first of two, who alone counts for the only type, nothing.
    decisions = Comparisons([[0.0, 5.0], [1.0, 1.0]], [[0, 1], [0, 1]], [-1, 1], by=["a", "b"])
    mixture = mixture_at(panel_of(decisions), [(1.0, (1.0, 0.0), 2.0)])
    with pytest.raises(InputError, match=r"possible under some type; found none for b"):
        require_possible(mixture)


def test_what_only_one_of_two_types_allows_belongs_to_that_one():
    decisions = Comparisons([[0.0, 5.0], [1.0, 1.0]], [[0, 1], [0, 1]], [-1, 1], by=["a", "b"])
    mixture = mixture_at(panel_of(decisions), [(1.0, (1.0, 0.0), 2.0), (1.0, (0.5, 0.5), 2.0)])
    assert mixture.belongs[1].tolist() == [0.0, 1.0]
    assert np.isfinite(mixture.step().log_likelihood)
