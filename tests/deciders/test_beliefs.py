"""What is believed of people: Bayes by hand, quantiles, and rows of a table."""

from __future__ import annotations

import numpy as np
import pytest

from tests.deciders import plainly
from tests.deciders.panels import (
    ALTRUISTS,
    MOSTLY_SELFISH,
    made_choices,
    made_comparisons,
    panel_of,
)
from welfarist import Comparisons, InputError
from welfarist.deciders.beliefs import Beliefs, Rules, likelihoods_of
from welfarist.deciders.individuals import individual_columns, individuals_frame

ROUNDING = 1e-9
RULES = (ALTRUISTS, MOSTLY_SELFISH, (-np.inf, (0.5, 0.5), 4.0), (0.0, (1.0, 0.0), 3.0))


def rules_of(rules=RULES):
    return Rules(
        np.array([p for p, _, _ in rules]),
        np.array([weights for _, weights, _ in rules]),
        np.log([[tau] for _, _, tau in rules]),
    )


def beliefs_of(names=("ann", "bob")):
    each = np.array([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1]])
    return Beliefs(rules_of(), np.array(names), each, np.array([0.4, 0.3, 0.2, 0.1]))


@pytest.mark.parametrize(
    ("decisions", "of"),
    [(made_comparisons(), plainly.by_person), (made_choices(), plainly.by_chooser)],
    ids=["comparisons", "menus"],
)
def test_likelihoods_under_rules(decisions, of):
    found = likelihoods_of(panel_of(decisions), rules_of())
    expected = np.column_stack([of(decisions, rule) for rule in RULES])
    assert found == pytest.approx(expected, abs=ROUNDING)


def test_likelihoods_where_somebody_has_nothing():
    decisions = Comparisons(
        [[0.0, 5.0], [1.0, 1.0], [3.0, 0.0]], [[0, 1], [1, 2], [1, 0]], [1, 1, 1], by=list("aab")
    )
    rules = ((0.5, (0.6, 0.4), 2.0), (-1.0, (0.6, 0.4), 2.0), (1.0, (1.0, 0.0), 2.0))
    found = likelihoods_of(panel_of(decisions), rules_of(rules))
    expected = plainly.by_person(decisions, rules[0])
    assert found[:, 0] == pytest.approx(expected, abs=ROUNDING)
    # Under p = -1 an action that gives somebody nothing is never preferred, nor any to an equal.
    assert found[0, 1] == -np.inf
    assert found[1, 1] == 0.0
    assert found[0, 2] == -np.inf


def test_further_decisions_are_bayes_by_hand():
    beliefs = beliefs_of()
    logs = np.array([[-3.0, -1.0, -2.0, -9.0], [-1.0, -1.0, -4.0, -2.0], [-2.0, -1.0, 0.0, -1.0]])
    found = beliefs.given(np.array(["bob", "zoe", "ann"]), logs)
    before = np.array([beliefs.each[1], beliefs.anybody, beliefs.each[0]])
    expected = before * np.exp(logs)
    assert found.each == pytest.approx(expected / expected.sum(axis=1, keepdims=True), abs=ROUNDING)
    assert found.names.tolist() == ["bob", "zoe", "ann"]
    assert found.anybody.tolist() == beliefs.anybody.tolist()


def test_answers_one_by_one_are_as_good_as_all_at_once():
    beliefs = beliefs_of()
    logs = np.log(np.random.default_rng(0).uniform(0.1, 0.9, (3, 1, 4)))
    at_once = beliefs.given(np.array(["new"]), logs.sum(axis=0))
    one_by_one = beliefs
    for row in logs:
        one_by_one = one_by_one.given(np.array(["new"]), row)
    assert one_by_one.each == pytest.approx(at_once.each, abs=ROUNDING)
    assert at_once.each[:2].tolist() == beliefs.each.tolist()


def test_an_answer_that_one_rule_forbids():
    found = beliefs_of().given(np.array(["ann"]), np.array([[-np.inf, -1.0, -1.0, -np.inf]]))
    assert found.names.tolist() == ["bob", "ann"]  # who was told anew stands last
    assert found.each[1] == pytest.approx([0.0, 0.4, 0.6, 0.0], abs=ROUNDING)
    assert found.each[0].tolist() == beliefs_of().each[1].tolist()


def test_answers_that_all_rules_forbid_are_refused_by_name():
    logs = np.array([[-1.0] * 4, [-np.inf] * 4])
    with pytest.raises(InputError, match="possible under some rule; found none for bob"):
        beliefs_of().given(np.array(["ann", "bob"]), logs)


def test_names_may_be_numbers_or_texts():
    beliefs = beliefs_of(names=(7, 11))
    assert beliefs.rows_of(np.array(["11", "7", "12"]), 3).tolist() == [1, 0, 2]
    assert beliefs.rows_of(np.array([11, 7, 12]), 3).tolist() == [1, 0, 2]
    assert beliefs.rows_of(None, 2).tolist() == [2, 2]


def test_quantiles_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    each = rng.dirichlet(np.ones(40), 150)
    values = rng.normal(size=40)
    made = Rules(values, np.full((40, 2), 0.5), np.zeros((40, 1)))
    beliefs = Beliefs(made, np.arange(150).astype(str), each, each[0])
    levels = (0.025, 0.5, 0.975)
    found = beliefs.quantiles(values, levels)
    for g in (0, 63, 64, 149):
        for j, level in enumerate(levels):
            below = 0.0
            for s in np.argsort(values):
                below += each[g, s]
                if below >= level:
                    assert found[g, j] == values[s]
                    break


def test_columns_of_individuals():
    found = individual_columns(beliefs_of(), np.array([3.0, 5.0]), ("self", "other"))
    assert found["who"] == ["ann", "bob"]
    assert found["decisions"].tolist() == [3.0, 5.0]
    # Of bob's four rules that with p = 0.2 has 0.7 of the chances; the others are on both sides.
    assert found["p"].tolist() == [0.0, 0.2]
    assert found["inequality_aversion"].tolist() == [1.0, 0.8]
    assert found["p_low"][0] == -np.inf
    weights = found["weight of self"] + found["weight of other"]
    assert weights == pytest.approx(1.0, abs=ROUNDING)
    assert found["weight of self"][1] == pytest.approx(0.7 * 0.6 + 0.1 * 0.92 + 0.05 + 0.1)
    assert (found["tau_low"] <= found["tau"]).all()
    assert (found["tau"] <= found["tau_high"]).all()
    assert len(individuals_frame(found)) == 2


def test_another_family_has_no_aversion():
    found = individual_columns(
        beliefs_of(), np.ones(2), ("self", "other"), shape="alpha", aversion=False
    )
    assert "alpha" in found
    assert "inequality_aversion" not in found
