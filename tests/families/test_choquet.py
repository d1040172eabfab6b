"""2-additive Choquet integrals: identities, an independent integral, and what rules refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import welfarist as wf
from welfarist.families.choquet.columns import from_weights, moves, pairs_of, to_weights, widened
from welfarist.families.choquet.rule import Choquet

# Rounding.
SAME = 1e-13
TABLE = np.random.default_rng(41).uniform(-5.0, 10.0, (60, 4))


def integral(capacity, u):
    """The Choquet integral by its definition: layer by layer, from the worst off upwards."""
    order = np.argsort(u)
    total, below = 0.0, 0.0
    for place, person in enumerate(order):
        total += (u[person] - below) * capacity(frozenset(order[place:].tolist()))
        below = u[person]
    return total


def rule_of(seed, people=4):
    weights = np.random.default_rng(seed).dirichlet(np.full(people * people, 0.7))
    return Choquet.of_weights(weights, people), weights


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_integral_of_its_capacity(seed):
    rule, weights = rule_of(seed)
    each = rule.interactions[tuple(pairs_of(4).T)]

    def capacity(people):
        inside = sum(rule.shapley[i] for i in people)
        cut = sum(rule.interactions[i, j] for i in people for j in range(4) if j not in people)
        return inside - 0.5 * cut

    found = [integral(capacity, u) for u in TABLE]
    assert rule(TABLE) == pytest.approx(found, abs=SAME * 100)
    assert rule.worth_of([1, 2]) == pytest.approx(capacity({1, 2}), abs=SAME)
    assert rule(TABLE) == pytest.approx(widened(TABLE) @ weights, abs=SAME * 100)
    gaps = np.abs(TABLE[:, :, None] - TABLE[:, None, :])
    formula = TABLE @ rule.shapley - 0.25 * np.einsum("nij,ij->n", gaps, rule.interactions)
    assert rule(TABLE) == pytest.approx(formula, abs=SAME * 100)
    again = from_weights(to_weights(rule.shapley, each), 4)
    assert again[0] == pytest.approx(rule.shapley, abs=SAME)
    assert again[1] == pytest.approx(each, abs=SAME)


def test_known_rules_are_points_of_it():
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    plain = Choquet(weights, np.zeros((4, 4)))
    assert plain(TABLE) == pytest.approx(TABLE @ weights, abs=SAME * 10)
    gini = Choquet(np.ones(4), (np.ones((4, 4)) - np.eye(4)) * 2.0 / 16.0)
    positive = TABLE + 6.0
    mean = positive.mean(axis=1)
    index = np.abs(positive[:, :, None] - positive[:, None, :]).mean(axis=(1, 2)) / (2.0 * mean)
    assert gini(positive) == pytest.approx(mean * (1.0 - index), rel=SAME)
    places = wf.families.RankDependent([7, 5, 3, 1])
    assert gini(positive) == pytest.approx(places(positive), rel=SAME)


def test_two_people_are_fehr_and_schmidts():
    """Formula: self less alpha times envy less beta times guilt, of two people."""
    alpha, beta = -0.1, 0.3  # a negative alpha: some weight on the other even where it is ahead
    own, other = TABLE[:, 0], TABLE[:, 1]
    told = own - alpha * np.maximum(other - own, 0.0) - beta * np.maximum(own - other, 0.0)
    shapley = [1.0 - (beta - alpha) / 2.0, (beta - alpha) / 2.0]
    rule = Choquet(shapley, [[0.0, alpha + beta], [alpha + beta, 0.0]])
    assert rule(TABLE[:, :2]) == pytest.approx(told, abs=SAME * 10)
    assert rule.worth_of([0]) == pytest.approx(1.0 - beta, abs=SAME)
    assert rule.worth_of([1]) == pytest.approx(-alpha, abs=SAME)


@given(st.integers(0, 10_000), st.integers(0, 3), st.floats(0.0, 5.0))
def test_nobodys_gain_is_a_loss(seed, person, gain):
    rule, _ = rule_of(seed)
    before = np.random.default_rng(seed).normal(size=4)
    after = before + gain * (np.arange(4) == person)
    assert rule(after) >= rule(before) - SAME * 100
    assert before.min() - SAME * 10 <= rule(before) <= before.max() + SAME * 10


def test_moves_are_those_of_the_integral():
    weights = np.random.default_rng(3).dirichlet(np.ones(16))
    direction = np.random.default_rng(4).normal(size=10)
    direction[:4] -= direction[:4].mean()
    shapley, each = from_weights(weights + 0.01 * moves(4) @ direction, 4)
    before = from_weights(weights, 4)
    assert shapley - before[0] == pytest.approx(0.01 * direction[:4], abs=SAME)
    assert each - before[1] == pytest.approx(0.01 * direction[4:], abs=SAME)


def test_names_are_matched_and_nonsense_refused():
    rule = Choquet({"ann": 0.6, "bob": 0.4}, [[0.0, 0.2], [0.2, 0.0]])
    frame = pytest.importorskip("pandas").DataFrame({"bob": [1.0], "ann": [3.0]})
    assert rule(frame)[0] == rule([3.0, 1.0])
    for shapley, between, said in (
        ([0.5, 0.5], [[0, 2.0], [2.0, 0]], "a gain would be a loss"),
        ([0.5, 0.5], [[0, 0.2], [0.1, 0]], "symmetric"),
        ([0.5, 0.5], [0.2], "2 x 2"),
        ({"ann": 1.0, "bob": 0.0}, [[0, 0.1], [0.1, 0]], "half the sum"),
    ):
        with pytest.raises(wf.InputError, match=said):
            Choquet(shapley, between)
    with pytest.raises(wf.InputError, match="one entry per person"):
        rule([1.0, 2.0, 3.0])
    with pytest.raises(wf.InputError):
        rule([1.0, np.nan])
