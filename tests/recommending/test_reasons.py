"""Reasons: they add up, and what turns a preference does turn it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from mpmath import mpf

import welfarist as wf
from welfarist.asking.welfares import Outcomes
from welfarist.recommending.raising import raises_needed
from welfarist.recommending.reasons import why_preferred
from welfarist.recommending.shapley import shapley
from welfarist.recommending.turning import turning_powers, turning_weights

POWERS = [float("-inf"), -30.0, -1.0, 0.0, 0.4, 1.0, 3.0, float("inf")]


def _pair(seed: int, people: int = 4):
    rng = np.random.default_rng(seed)
    return np.exp(rng.normal(0, 0.5, (2, people))), rng.dirichlet(np.ones(people))


@pytest.mark.parametrize("p", POWERS)
def test_values_are_averages_over_all_orders_and_sum_to_the_difference(p):
    pair, weights = _pair(1)
    rule = wf.WelfareFunction(p, weights)
    found = shapley(rule.value, *pair)
    byhand = np.zeros(4)
    for order in permutations(range(4)):
        here = pair[1].copy()
        for person in order:
            before = rule.value(here)
            here[person] = pair[0, person]
            byhand[person] += (rule.value(here) - before) / 24
    assert found.values == pytest.approx(byhand, abs=1e-12)
    assert found.values.sum() == pytest.approx(
        float(rule.value(pair[0]) - rule.value(pair[1])), abs=1e-10
    )


def test_sampled_values_agree_with_exact_ones_and_sum_as_well():
    pair, weights = _pair(2, 19)
    rule = wf.WelfareFunction(-2.0, weights)
    sampled = shapley(rule.value, *pair, seed=5)
    assert sampled.orders == 2000
    assert sampled.values.sum() == pytest.approx(
        float(np.diff(rule.value(pair[::-1]))[0]), abs=1e-10
    )
    # The last person has the same in both: the others' values are those without them.
    same = pair.copy()
    same[1, 18] = same[0, 18]
    again = shapley(rule.value, *same, seed=5)
    fixed = lambda table: rule.value(np.column_stack([table, np.full(len(table), same[0, 18])]))  # noqa: E731
    exact = shapley(fixed, *same[:, :18])
    assert np.abs(again.values[:18] - exact.values).max() < 5 * again.errors.max()
    assert again.values[18] == 0


@pytest.mark.parametrize("seed", range(4))
def test_powers_and_weights_that_turn_are_those_of_a_fine_scan(seed):
    pair, weights = _pair(seed)
    grid = np.sinh(np.linspace(-5, 5, 20_000))
    values = Outcomes(pair).log_welfare(np.tile(weights, (len(grid), 1)), grid)
    changes = np.flatnonzero(np.diff(np.sign(values[:, 0] - values[:, 1])))
    found = [p for p in turning_powers(pair, weights) if abs(p) < 70]
    assert len(found) == len(changes)
    for power, change in zip(found, changes, strict=True):
        assert grid[change] <= power <= grid[change + 1]
    scan = np.linspace(0.0005, 0.9995, 1000)
    for p in (-3.0, 0.0, 0.7, 2.0):
        for person, turn in enumerate(turning_weights(pair, weights, p)):
            rest = np.delete(weights, person) / (1 - weights[person])
            moved = np.array([np.insert((1 - s) * rest, person, s) for s in scan])
            values = Outcomes(pair).log_welfare(moved, np.full(1000, p))
            changes = np.flatnonzero(np.diff(np.sign(values[:, 0] - values[:, 1])))
            assert len(changes) == (turn is not None)
            if turn is not None:
                assert scan[changes[0]] <= turn <= scan[changes[0] + 1]


@pytest.mark.parametrize("p", POWERS)
def test_a_rise_that_is_needed_makes_both_equally_good(p):
    pair, weights = _pair(3)
    rule = wf.WelfareFunction(p, weights, shift=0.5)
    if rule.compare(*pair) < 0:
        pair = pair[::-1]
    found = raises_needed(rule, pair, ("a", "b"), ("w", "x", "y", "z"))
    for person, need in enumerate(found.needed):
        raised = pair[1].copy()
        raised[person] = 1e9 if need is None else need
        assert rule.compare(pair[0], raised) == (1 if need is None else 0)


def test_the_story_names_who_pulls_and_what_would_turn_it():
    rule = wf.WelfareFunction(1, [0.5, 0.3, 0.2])
    pair = np.array([[6.0, 2.0, 4.0], [3.0, 4.0, 3.0]])
    why = why_preferred(rule, pair, ("bus", "tram"), ("north", "south", "west"))
    assert why.sentence.startswith("bus is better than tram by 33.3% of welfare")
    assert "because of north and west, against south" in why.sentence
    assert "egalitarian would choose tram" in why.sentence
    turned = why_preferred(rule, pair[::-1], ("tram", "bus"), ("north", "south", "west"))
    assert turned.to_dict() == why.to_dict()
    equal = why_preferred(rule, pair[[0, 0]], ("bus", "coach"), ("north", "south", "west"))
    assert equal.sentence == "bus and coach are equally good."


def test_weights_turn_at_powers_where_sums_would_overflow():
    pair, weights = np.array([[3.0, 2.0, 5.0], [4.0, 1.9, 6.0]]), np.array([0.2, 0.5, 0.3])
    for p in (-300.0, -100.0, 100.0, 300.0, -4000.0):
        for person, turn in enumerate(turning_weights(pair, weights, p)):
            rest = weights / (1 - weights[person])
            gains = [pow(mpf(x), mpf(p)) - pow(mpf(y), mpf(p)) for x, y in pair.T]
            others = sum(rest[i] * gains[i] for i in range(3) if i != person)
            if others * gains[person] >= 0:
                assert turn is None
            else:
                assert turn == pytest.approx(float(others / (others - gains[person])), rel=1e-9)
    alone = np.array([[3.0, 2.0, 1e300], [4.0, 1.9, 1.0]])  # somebody who does not count
    some = turning_weights(alone, np.array([0.4, 0.6, 0.0]), 300.0)
    assert some[:2] == turning_weights(alone[:, :2], np.array([0.4, 0.6]), 300.0)
    assert some[0] is not None


def test_a_difference_is_infinite_only_where_it_is():
    rule = wf.WelfareFunction(1, [0.5, 0.5])
    why = why_preferred(rule, np.array([[1.0, 0.0], [0.0, 2.0]]), ("A", "B"), ("x", "y"))
    assert why.sentence.startswith("B is better than A by 100% of welfare")
    assert "nobody would have anything" in why.reason
    none = why_preferred(rule, np.array([[1.0, 0.0], [0.0, 0.0]]), ("A", "B"), ("x", "y"))
    assert "infinitely, as nobody has anything by B" in none.sentence


@pytest.mark.parametrize("where", [-20.0, 0.0, 100.0])
def test_rules_without_a_natural_zero_say_the_same_wherever_it_is(where):
    kolm = wf.families.KOLM_POLLAK
    rule = kolm.rule(0.5, [0.6, 0.4], ["x", "y"])
    pair = np.array([[4.0, 2.0], [3.0, 2.5]])
    why = why_preferred(rule, pair + where, ("A", "B"), ("x", "y"))
    assert why.sentence.startswith(f"{why.names[0]} is better than {why.names[1]} by ")
    assert "in units of welfare" in why.sentence
    assert not why.doctrines
    assert str(why)
    here = raises_needed(rule, pair, ("A", "B"), ("x", "y"))
    there = raises_needed(rule, pair + where, ("A", "B"), ("x", "y"))
    for need, moved in zip(here.needed, there.needed, strict=True):
        assert (need is None) == (moved is None)
        assert need is None or moved - where == pytest.approx(need, abs=1e-9)
    draws = wf.RuleDraws(
        np.tile([0.6, 0.4], (20, 1)), np.linspace(0.1, 2, 20), np.ones(20), np.zeros(20),
        np.zeros(20), ("x", "y"), "bootstrap", 0, 0.0, kolm,
    )  # fmt: skip
    said, plain = wf.recommend(draws, pair + where), wf.recommend(draws, pair)
    assert said.regret == pytest.approx(plain.regret, abs=1e-9)
    assert said.rule.family == kolm
    assert said.regret_in == "welfare"
    assert "no natural zero" in str(said)
    assert "%" not in said.further(2).table().rows[0][1]


def test_nothing_at_all_has_a_story_without_numbers():
    rule = wf.WelfareFunction(0, [0.5, 0.5])
    why = why_preferred(rule, np.array([[1.0, 2.0], [0.0, 9.0]]), ("a", "b"), ("x", "y"))
    assert why.pulls is None
    assert "somebody has nothing" in why.sentence
    assert str(why)
