"""Circles among decisions without noise: found where they are, and only there."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import welfarist as wf
from welfarist.checks.revealed import Revealed, circle


def made_by(value, size, seed, people=3, least=0.0):
    """Decisions without noise, about random actions."""
    rng = np.random.default_rng(seed)
    table = rng.uniform(1.0, 10.0, (40, people))
    pairs = wf.simulate.random_pairs(40, size, random_state=seed)
    worth = value(table)
    return wf.Comparisons(table, pairs, np.sign(worth[pairs[:, 0]] - worth[pairs[:, 1]]))


def brute(decided, kind):
    """Whether some circle of up to four decisions is impossible."""
    seen = Revealed.of(decided)
    better, worse = seen.better, seen.worse
    if kind == "ratios":
        better, worse = np.log(better), np.log(worse)
    steps = (worse[:, None, :] - better[None]).min(axis=2)
    for many in (1, 2, 3, 4):
        for chosen in permutations(range(len(better)), many):
            around = zip(chosen, (*chosen[1:], chosen[0]), strict=True)
            if sum(steps[i, j] for i, j in around) >= 0:
                return True
    return False


@pytest.mark.parametrize(("kind", "value"), [
    ("ratios", wf.WelfareFunction(-1.0, [0.5, 0.3, 0.2]).value),
    ("ratios", wf.families.RankDependent([0.5, 0.3, 0.2], p=0.5).value),
    ("differences", wf.families.KolmPollak(0.4, [0.5, 0.3, 0.2]).value),
    ("order", lambda u: (u**3).sum(axis=1) + np.sqrt(u[:, 0])),
])  # fmt: skip
def test_rules_with_the_property_make_no_circle(kind, value):
    for seed in range(3):
        assert circle(Revealed.of(made_by(value, 300, seed)), kind) == ()


@pytest.mark.parametrize("kind", ["ratios", "differences"])
def test_all_and_only_small_circles_are_found(kind):
    rng, found = np.random.default_rng(0), 0
    for _ in range(60):
        table = rng.uniform(1.0, 10.0, (14, 2))
        decided = wf.Comparisons(table, np.arange(14).reshape(7, 2), rng.choice([-1, 1], 7))
        around = circle(Revealed.of(decided), kind)
        if len(around) <= 4:
            assert bool(around) == brute(decided, kind)
        found += bool(around)
    assert 10 < found < 60


def test_the_circle_that_is_named_is_impossible_by_itself():
    decided = made_by(wf.families.KolmPollak(1.5, [0.4, 0.3, 0.3]).value, 400, 3)
    around = circle(Revealed.of(decided), "ratios")
    seen = Revealed.of(decided[list(around)])
    steps = np.log(seen.worse)[:, None, :] - np.log(seen.better)[None]
    least = steps.min(axis=2)
    assert sum(least[i, (i + 1) % len(around)] for i in range(len(around))) >= 0
    assert circle(Revealed.of(decided), "differences") == ()


def test_ties_go_both_ways_and_zeros_are_any_number_of_times_nothing():
    table = [[4.0, 1.0], [2.0, 2.0], [8.0, 2.0], [4.0, 4.0]]
    same = wf.Comparisons([*table, [9.0, 9.0]], [[0, 1], [2, 3], [0, 4]], [0, 0, -1])
    assert circle(Revealed.of(same), "ratios") == ()
    mixed = wf.Comparisons(table, [[0, 1], [3, 2]], [0, -1])
    assert sorted(circle(Revealed.of(mixed), "ratios")) == [0, 1]
    nothing = wf.Comparisons([[4.0, 0.0], [2.0, 0.0], [3.0, 0.0]], [[0, 1], [2, 1]], [1, -1])
    assert circle(Revealed.of(nothing), "ratios") == (1,)


@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
def test_a_fit_without_noise_names_the_circle_and_flips_do_not():
    table = [[4, 1], [2, 2], [6, 6], [13, 4], [1, 1]]
    decided = wf.Comparisons(table, [[0, 4], [0, 1], [3, 2]], [1, 1, -1])
    options = {"noise": "none", "weights": "equal"}
    result = wf.ComparisonClassifier(**options).fit(decided).result_
    tests = result.axioms()
    assert tests["scale invariance"].rejected
    assert tests["scale invariance"].exact
    assert sorted(tests["scale invariance"].loudest) == [1, 2]
    assert "circle" in str(tests["scale invariance"])
    assert not tests["translation invariance"].rejected
    assert not tests["Pareto"].rejected
    assert "exact test" in tests["anonymity"].reason
    flips = wf.ComparisonClassifier(noise="flip", weights="equal").fit(decided).result_.axioms()
    assert "errors were counted" in flips["scale invariance"].reason


def test_menus_and_what_cannot_be_looked_at():
    table = np.random.default_rng(1).uniform(1.0, 10.0, (12, 3))
    menus = [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9, 10, 11]]
    value = table.prod(axis=1)
    best = [menu[int(np.argmax(value[menu]))] for menu in menus]
    seen = Revealed.of(wf.Choices(table, menus, best))
    assert len(seen.decision) == 3 + 2 + 4
    assert circle(seen, "ratios") == ()
    many = made_by(lambda u: u[:, 0], 3_001, 0)
    with pytest.raises(wf.InputError, match="3,000 preferences at most"):
        Revealed.of(many)
