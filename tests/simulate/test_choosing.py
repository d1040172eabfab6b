"""Simulated choices and rankings: their chances against the formula, and that truth is found."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from tests.simulate.test_simulate import near
from welfarist import ChoiceLearner, InputError, WelfareFunction, simulate

TRIALS = 20_000


def small(p=-1.0):
    table = [[4.0, 1.0], [2.0, 2.0], [1.0, 9.0], [3.0, 3.5]]
    return simulate.World(table, WelfareFunction(p, [0.6, 0.4], ["ann", "bo"]))


def chances_of(values, tau, rho):
    grown = np.exp(tau * np.asarray(values))
    return (1 - 2 * rho) * grown / grown.sum() + 2 * rho / len(grown)


def test_random_menus_are_uniform_over_different_actions():
    menus = simulate.random_menus(4, TRIALS, 3, random_state=2)
    found = Counter(map(tuple, menus.tolist()))
    assert set(found) == set(permutations(range(4), 3))
    assert all(near(count / TRIALS, 1 / 24, TRIALS) for count in found.values())
    assert np.array_equal(menus, simulate.random_menus(4, TRIALS, 3, random_state=2))
    assert sorted(simulate.random_menus(5, 1, 5)[0]) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("tau", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_choices_have_the_chances_of_the_formula(tau, rho):
    world = small()
    made = simulate.choices(world, count=TRIALS, tau=tau, rho=rho, random_state=3)
    assert made.stakeholders == ("ann", "bo")
    expected = chances_of(np.log(world.welfare), tau, rho)
    found = made.menus.taken.reshape(-1, 4).mean(axis=0)
    assert all(near(f, e, TRIALS) for f, e in zip(found, expected, strict=True))


@pytest.mark.parametrize("rho", [0.0, 0.15])
def test_rankings_are_one_choice_after_another(rho):
    world, tau = small(), 2.0
    made = simulate.rankings(world, count=TRIALS, places=3, tau=tau, rho=rho, random_state=4)
    assert len(made) == TRIALS
    value = np.log(world.welfare)
    menus, order = made.menus, {}
    for k in range(len(menus)):
        part = slice(menus.starts[k], menus.starts[k + 1])
        chosen = menus.rows[part][menus.taken[part] == 1]
        order.setdefault(made.decision[k], []).extend(chosen.tolist())
    found = Counter(map(tuple, order.values()))
    for ranking in permutations(range(4), 3):
        chance, left = 1.0, [0, 1, 2, 3]
        for action in ranking:
            chance *= chances_of(value[left], tau, rho)[left.index(action)]
            left.remove(action)
        assert near(found[ranking] / TRIALS, chance, TRIALS)


def test_none_of_these_is_one_more_action():
    world = small()
    made = simulate.choices(world, count=TRIALS, tau=3.0, outside=2.5, random_state=5)
    assert made.outside
    expected = chances_of(np.log([*world.welfare, 2.5]), 3.0, 0.0)
    found = made.menus.taken.reshape(-1, 5).mean(axis=0)
    assert all(near(f, e, TRIALS) for f, e in zip(found, expected, strict=True))


def test_menus_of_two_are_comparisons():
    world = simulate.individuals(60, 3, p=0.5, random_state=1)
    menus = simulate.random_menus(60, TRIALS, 2, random_state=1)
    chosen = simulate.choices(world, menus, tau=8, rho=0.1, random_state=1)
    compared = simulate.comparisons(world, menus, tau=8, rho=0.1, random_state=1)
    one, other = (simulate.correct_share(world, made) for made in (chosen, compared))
    # Both are drawn, so that their difference has twice the variance of one.
    assert near(one, other, TRIALS / 2)


def test_without_noise_the_best_is_chosen_and_ties_are_drawn():
    world = simulate.World([[1.0, 4.0], [4.0, 1.0], [1.0, 1.0]], WelfareFunction(0))
    made = simulate.choices(world, count=TRIALS, random_state=6)
    found = made.menus.taken.reshape(-1, 3).mean(axis=0)
    assert found[2] == 0
    assert near(found[0], 0.5, TRIALS)
    assert simulate.correct_share(world, made) == 1
    ranked = simulate.rankings(world, count=50)
    assert (ranked.menus.taken[ranked.menus.rows == 2] == 0).all()
    wide = simulate.individuals(100, 4, p=-2.0, random_state=2)
    menus = simulate.random_menus(100, 300, 6, random_state=2)
    assert simulate.correct_share(wide, simulate.choices(wide, menus)) == 1
    lapsed = simulate.choices(wide, menus, rho=0.3, random_state=2)
    assert near(simulate.correct_share(wide, lapsed), 0.4 + 0.6 / 6, 300)


def test_nothing_is_chosen_only_by_slips():
    world = simulate.World([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]], WelfareFunction(1))
    made = simulate.choices(world, count=2000, tau=0.1)
    assert made.menus.taken.reshape(-1, 3)[:, 0].sum() == 0
    by_chance = simulate.choices(world, count=2000, tau=0.1, rho=0.3)
    assert near(by_chance.menus.taken.reshape(-1, 3)[:, 0].mean(), 0.2, 2000)


def test_the_truth_is_found_from_choices_and_rankings():
    world = simulate.individuals(200, 3, p=-1.0, random_state=8)
    menus = simulate.random_menus(200, 800, 5, random_state=8)
    for made in (
        simulate.choices(world, menus, tau=12, random_state=8),
        simulate.rankings(world, menus, tau=12, random_state=8),
    ):
        result = ChoiceLearner().fit(made).result_
        for name, value in {"p": -1.0, "tau": 12.0}.items():
            low, high = result.interval(name, level=0.999)
            assert low <= value <= high


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w: simulate.random_menus(3, 5, 4), "size must be at most the number of actions, 3"),
        (lambda w: simulate.random_menus(3, 5, 1), "size must be"),
        (lambda w: simulate.choices(w, [[0, 9]]), "9"),
        (lambda w: simulate.choices(w, [[0, 1]], count=3), "Leave one of them out"),
        (lambda w: simulate.choices(w, tau=-1), "tau must be"),
        (lambda w: simulate.rankings(w, rho=0.5), "rho must be"),
        (lambda w: simulate.choices(w, outside=-2), "outside must be"),
        (lambda w: simulate.rankings(w.utilities), "world must be a World"),
        (
            lambda w: simulate.correct_share(w, simulate.choices(w, outside=1.0)),
            "needs the welfare of whatever could be chosen",
        ),
    ],
)
def test_what_cannot_be_chosen_is_said(call, message):
    with pytest.raises(InputError, match=message):
        call(small())
