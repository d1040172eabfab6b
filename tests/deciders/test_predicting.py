"""Predictions: averages over rules, against a plain loop."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.deciders import plainly
from tests.deciders.panels import (
    ALTRUISTS,
    MOSTLY_SELFISH,
    coordinates_of,
    made_choices,
    made_comparisons,
    mixture_at,
    normal_of,
    panel_of,
    types_of,
    varied,
)
from welfarist import ChoiceLearner, Choices, ComparisonClassifier, Comparisons, InputError
from welfarist.deciders.beliefs import Beliefs, Rules, likelihoods_of
from welfarist.deciders.predicting import predicted

ROUNDING = 1e-9
RULES = (ALTRUISTS, MOSTLY_SELFISH, (-1.5, (0.3, 0.7), 4.0))


def beliefs_of(panel, rules=RULES, own=(), seed=0):
    rng = np.random.default_rng(seed)
    made = Rules(
        np.array([p for p, _, _ in rules]),
        np.array([weights for _, weights, _ in rules]),
        np.array([[np.log(tau), *own] for _, _, tau in rules]),
    )
    each = rng.dirichlet(np.ones(len(rules)), panel.people)
    return Beliefs(made, panel.names, each, rng.dirichlet(np.ones(len(rules))))


def row_for(beliefs, who):
    known = {str(name): row for name, row in zip(beliefs.names, beliefs.each, strict=True)}
    return known.get(str(who), beliefs.anybody)


def of_pair(decisions, n, rule, rho=0.0):
    p, weights, tau = rule
    value = plainly.log_mean(decisions.utilities[decisions.pairs[n]], weights, p)
    return rho + (1.0 - 2.0 * rho) / (1.0 + np.exp(-tau * (value[0] - value[1])))


def of_menu(choices, n, rule, rho=0.0):
    p, weights, tau = rule
    rows = choices.menus.rows[choices.menus.starts[n] : choices.menus.starts[n + 1]]
    z = tau * plainly.log_mean(choices.utilities[rows], weights, p)
    grown = np.exp(z - z.max())
    return (1.0 - 2.0 * rho) * grown / grown.sum() + 2.0 * rho / len(rows)


@pytest.mark.parametrize("noise", ["logistic", "lapse"])
def test_comparisons_of_people_known_and_new(noise):
    panel = panel_of(made_comparisons(), ComparisonClassifier(noise=noise))
    rho = 0.08 if noise == "lapse" else 0.0
    beliefs = beliefs_of(panel, own=[rho] if rho else ())
    asked = made_comparisons(seed=9, each=2, questions=5)
    names = [panel.names[3], "a new one"] * (len(asked) // 2)
    asked = Comparisons(asked.utilities, asked.pairs, asked.outcomes, by=names)
    found = predicted(panel, beliefs, asked)
    for n, who in enumerate(names):
        row = row_for(beliefs, who)
        chance = sum(r * of_pair(asked, n, rule, rho) for r, rule in zip(row, RULES, strict=True))
        assert found[n] == pytest.approx([1.0 - chance, chance], abs=ROUNDING)


def test_nobody_named_is_anybody():
    panel = panel_of(made_comparisons())
    beliefs = beliefs_of(panel)
    asked = made_comparisons(seed=9, each=1, questions=4)
    asked = Comparisons(asked.utilities, asked.pairs, asked.outcomes)
    found = predicted(panel, beliefs, asked)[:, 1]
    rows = zip(beliefs.anybody, RULES, strict=True)
    expected = sum(r * np.array([of_pair(asked, n, rule) for n in range(8)]) for r, rule in rows)
    assert found == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize("noise", ["logistic", "lapse"])
def test_menus_of_people_known_and_new(noise):
    panel = panel_of(made_choices(), ChoiceLearner(noise=noise))
    rho = 0.08 if noise == "lapse" else 0.0
    beliefs = beliefs_of(panel, own=[rho] if rho else ())
    made = made_choices(seed=9, each=1, menus=4)
    menus = [list(m) for m in np.split(made.menus.rows, made.menus.starts[1:-1])]
    names = [panel.names[2], "new"] * 4
    asked = Choices(made.utilities, menus, [m[0] for m in menus], by=names)
    found = predicted(panel, beliefs, asked)
    assert len(found) == len(asked)
    for n, who in enumerate(names):
        rows = zip(row_for(beliefs, who), RULES, strict=True)
        expected = sum(r * of_menu(asked, n, rule, rho) for r, rule in rows)
        assert found[n] == pytest.approx(expected, abs=ROUNDING)


def test_comparisons_are_menus_of_two_for_who_learned_from_menus():
    panel = panel_of(made_choices())
    beliefs = beliefs_of(panel)
    asked = made_comparisons(seed=9, each=1, questions=4)
    asked = Comparisons(asked.utilities, asked.pairs, asked.outcomes)
    found = predicted(panel, beliefs, asked)
    rows = zip(beliefs.anybody, RULES, strict=True)
    expected = sum(r * np.array([of_pair(asked, n, rule) for n in range(8)]) for r, rule in rows)
    assert [one[0] for one in found] == pytest.approx(expected, abs=ROUNDING)


def test_columns_are_matched_by_name():
    made = made_comparisons()
    frame = pd.DataFrame(made.utilities, columns=["self", "other"])
    panel = panel_of(Comparisons(frame, made.pairs, made.outcomes, by=made.by))
    beliefs = beliefs_of(panel)
    plain = Comparisons(frame, made.pairs, made.outcomes)
    turned = Comparisons(frame[["other", "self"]], made.pairs, made.outcomes)
    first, second = (predicted(panel, beliefs, one) for one in (plain, turned))
    assert second == pytest.approx(first, abs=ROUNDING)


@pytest.mark.parametrize("size_effect", [False, True])
def test_absent_people_and_none_of_these(size_effect):
    # What is predicted of decisions that were learned from has the likelihood of the fit.
    rng = np.random.default_rng(0)
    utilities = rng.uniform(1.0, 10.0, (12, 3))
    utilities[rng.random((12, 3)) < 0.25] = np.nan
    utilities[:, 0] = rng.uniform(1.0, 10.0, 12)
    menus = [rng.permutation(12)[:3].tolist() for _ in range(40)]
    chosen = [m[0] if rng.random() < 0.7 else -1 for m in menus]
    by = np.repeat(["a", "b", "c", "d"], 10)
    choices = Choices(utilities, menus, chosen, by=by, outside=True, absent=True)
    panel = panel_of(choices, ChoiceLearner(size_effect=size_effect))
    mixture = types_of(panel, 1).mixture
    beliefs = Beliefs(
        Rules.of([panel.loss], [mixture.points[0]]), panel.names, np.ones((4, 1)), np.ones(1)
    )
    found = predicted(panel, beliefs, choices)
    assert all(len(one) == 4 for one in found)
    taken = np.split(choices.menus.taken, choices.menus.starts[1:-1])
    logs = [np.log(one[t > 0]).sum() for one, t in zip(found, taken, strict=True)]
    assert sum(logs) == pytest.approx(mixture.log_likelihood, abs=1e-7)


def test_predictions_have_the_likelihood_of_the_fit():
    decisions = made_comparisons()
    panel = panel_of(decisions)
    mixture = types_of(panel, 1).mixture
    beliefs = Beliefs(
        Rules.of([panel.loss], [mixture.points[0]]), panel.names,
        np.ones((panel.people, 1)), np.ones(1),
    )  # fmt: skip
    found = predicted(panel, beliefs, decisions)
    right = np.where(decisions.outcomes > 0, found[:, 1], found[:, 0])
    assert np.log(right).sum() == pytest.approx(mixture.log_likelihood, abs=1e-8)


def test_utilities_that_are_shifted():
    decisions = made_comparisons()
    lower = Comparisons(
        decisions.utilities - 3.0, decisions.pairs, decisions.outcomes, by=decisions.by, least=-3.0
    )
    plain, shifted = panel_of(decisions), panel_of(lower, ComparisonClassifier(shift=3.0))
    expected = predicted(plain, beliefs_of(plain), decisions)
    assert predicted(shifted, beliefs_of(shifted), lower) == pytest.approx(expected, abs=ROUNDING)


def test_further_answers_are_bayes_by_hand():
    panel = panel_of(made_comparisons())
    mixture = mixture_at(panel, RULES, [[0.4], [-0.3], [0.0]])
    beliefs = Beliefs(
        Rules.of([panel.loss] * 3, list(mixture.points)), panel.names, mixture.belongs,
        mixture.shares,
    )  # fmt: skip
    made = made_comparisons(seed=5, each=1, questions=6)
    answers = Comparisons(made.utilities, made.pairs, made.outcomes, by=["new"] * 6 + ["other"] * 6)
    logs = likelihoods_of(panel_of(answers), beliefs.rules)
    after = beliefs.given(np.array(["new", "other"]), logs)
    asked = Comparisons(made.utilities, [[0, 1], [2, 3]], [1, -1], by=["new", "new"])
    found = predicted(panel, after, asked)[:, 1]
    likelihood = [np.exp(plainly.by_person(answers, rule)[0]) for rule in RULES]
    joint = mixture.shares * likelihood
    chances = joint / joint.sum()
    for n in range(2):
        rows = zip(chances, RULES, strict=True)
        assert found[n] == pytest.approx(
            sum(c * of_pair(asked, n, r) for c, r in rows), abs=ROUNDING
        )


def test_thousands_of_rules():
    panel = panel_of(made_comparisons(varied(10), each=1))
    normal = normal_of(panel, count=1024)
    nodes = normal.evidence.nodes
    rules = coordinates_of(panel).rules(nodes.points, np.empty(0))
    _, each = normal.evidence.posterior(normal.population)
    anybody = np.exp(normal.evidence.log_prior(normal.population)[0])
    beliefs = Beliefs(rules, panel.names, each, anybody)
    asked = panel.decided[:3]
    found = predicted(panel, beliefs, asked)[:, 1]
    for n in range(3):
        row = row_for(beliefs, asked.by[n])
        every = [
            of_pair(asked, n, (p, w, tau))
            for p, w, tau in zip(rules.powers, rules.weights, rules.taus, strict=True)
        ]
        assert found[n] == pytest.approx(row @ np.array(every), abs=1e-6)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (made_choices(), "must be Comparisons, as what was fitted; found Choices"),
        ([[1, 2]], "must be Comparisons, as what was fitted; found list"),
        (
            made_comparisons(((0.5, (0.2, 0.3, 0.5), 3.0),)),
            "about the 2 people of the fit; found 3",
        ),
    ],
)
def test_other_questions_are_refused(asked, message):
    panel = panel_of(made_comparisons())
    with pytest.raises(InputError, match=message):
        predicted(panel, beliefs_of(panel), asked)
