"""Decision makers who differ: their rules against what they are drawn from, their decisions too."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulate.test_simulate import SIGMAS, near
from welfarist import InputError, WelfareFunction, simulate
from welfarist.deciders.coordinates import RuleCoordinates
from welfarist.deciders.panel import Panel

# One step of rounding in sums of a few terms.
ROUNDING = 1e-12
TRIALS = 20_000
TYPES = [WelfareFunction(1, [3, 1]), WelfareFunction(-2, [1, 1]), WelfareFunction(0, [1, 4])]
TABLE = [[4.0, 1.0], [2.0, 2.0], [1.0, 9.0], [3.0, 3.5]]


def crowd_of_three(taus=(0.5, 2.0, 6.0)):
    powers, weights = [1.0, -2.0, 0.0], [[3, 1], [1, 1], [1, 4]]
    return simulate.Crowd(("ann", "bo", "cy"), powers, weights, taus)


# --- who there is ---


def test_types_have_the_shares_that_were_asked_for():
    shares = np.array([0.5, 0.3, 0.2])
    drawn = simulate.crowd_of_types(TYPES, shares, TRIALS, tau=[5, 10, 20])
    found = np.bincount(drawn.type_of) / TRIALS
    assert all(near(f, e, TRIALS) for f, e in zip(found, shares, strict=True))
    for kind, (rule, tau) in enumerate(zip(TYPES, (5, 10, 20), strict=True)):
        own = drawn.type_of == kind
        assert (drawn.powers[own] == rule.p).all()
        assert (drawn.weights[own] == rule.weights).all()
        assert (drawn.taus[own] == tau).all()
    exact = simulate.crowd_of_types(TYPES, shares, 33, exact=True)
    assert np.bincount(exact.type_of).tolist() == [16, 10, 7]
    assert exact.type_of.tolist() != sorted(exact.type_of)


def test_odds_between_types_follow_what_is_known():
    group, age = ["women", "men"] * (TRIALS // 2), np.tile([0.0, 0.0, 1.0, 1.0], TRIALS // 4)
    shifts = {"group": {"women": [1.0, 0.0, 0.0]}, "age": [0.0, 0.5, 0.0]}
    crowd = simulate.crowd_of_types(
        TYPES, [1, 1, 2], TRIALS, known={"group": group, "age": age}, shifts=shifts
    )
    for is_woman in (0, 1):
        for years in (0, 1):
            own = (crowd.known["age"] == years) & ((crowd.known["group"] == "women") == is_woman)
            odds = np.array([np.exp(is_woman), np.exp(0.5 * years), 2.0])
            found = np.bincount(crowd.type_of[own]) / own.sum()
            expected = odds / odds.sum()
            assert all(near(f, e, own.sum()) for f, e in zip(found, expected, strict=True))


def test_a_normal_crowd_has_the_moments_of_its_population():
    mean, factor = np.array([-0.5, 0.3, 1.0, 2.5]), np.array([1.0, 0.5, 0.8, 0.3])
    tilt = np.eye(4) + 0.4 * np.eye(4, k=-1)
    covariance = tilt @ np.diag(factor**2) @ tilt.T
    crowd = simulate.normal_crowd(mean, covariance, TRIALS, random_state=2)
    numbers = crowd.coordinates
    error = np.sqrt(np.diag(covariance) / TRIALS)
    assert (np.abs(numbers.mean(axis=0) - mean) < SIGMAS * error).all()
    # The variance of a sample covariance of normal numbers.
    spread = np.sqrt((np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2) / TRIALS)
    assert (np.abs(np.cov(numbers.T) - covariance) < SIGMAS * spread).all()
    assert crowd.weights.sum(axis=1) == pytest.approx(1, abs=ROUNDING)
    few = simulate.normal_crowd(mean, covariance, 5, random_state=2)
    assert few.coordinates == pytest.approx(numbers[:5], abs=ROUNDING)


def test_means_follow_what_is_known():
    age = np.linspace(-1, 1, 50)
    known = {"age": age, "group": ["a", "b"] * 25}
    shifts = {"age": [0.5, 0.0, 0.1], "group": {"b": [0.0, 2.0, 0.0]}}
    plain = simulate.normal_crowd([0, 0, 3], [1, 1, 1], 50)
    moved = simulate.normal_crowd([0, 0, 3], [1, 1, 1], 50, known=known, shifts=shifts)
    expected = np.column_stack([0.5 * age, np.tile([0.0, 2.0], 25), 0.1 * age])
    assert moved.coordinates - plain.coordinates == pytest.approx(expected, abs=ROUNDING)
    frame = moved.columns()
    assert list(frame) == ["who", "age", "group", "p", "tau", "weight of person 0",
                           "weight of person 1"]  # fmt: skip


def test_numbers_are_those_in_which_populations_are_learned():
    world = simulate.individuals(40, 3, p=0, random_state=1)
    crowd = simulate.normal_crowd([0.2, 1.0, -1.0, 2.0], [1, 0.5, 0.5, 0.2], 12, random_state=4)
    panel = Panel.of(None, simulate.crowd_comparisons(world, crowd, each=8))
    learned = RuleCoordinates(panel.loss, panel.setup.p, panel.setup.people)
    assert panel.names.tolist() == list(crowd.names)
    for i, x in enumerate(crowd.coordinates):
        point = learned.point(x, np.empty(0))
        assert point.p == pytest.approx(crowd.powers[i], abs=ROUNDING)
        assert point.weights == pytest.approx(crowd.weights[i], abs=ROUNDING)
        assert np.exp(point.extras[0]) == pytest.approx(crowd.taus[i], rel=ROUNDING)
    assert simulate.rule_coordinates(crowd.rule(3), crowd.taus[3]) == pytest.approx(
        crowd.coordinates[3], abs=ROUNDING
    )
    far = simulate.normal_crowd([500.0, 0.0, 0.0, 0.0], np.zeros(4), 2)
    point = learned.point(np.array([500.0, 0.0, 0.0, 0.0]), np.empty(0))
    assert far.powers[0] == pytest.approx(point.p, rel=ROUNDING)


def test_people_around_a_rule_have_it_in_the_middle():
    rule = WelfareFunction(-1, {"ann": 1, "bo": 2, "cy": 3})
    mean, covariance = simulate.population_around(rule, 15, spread=0.8)
    nobody_differs = simulate.normal_crowd(mean, covariance * 0, 3, stakeholders=rule.stakeholders)
    assert nobody_differs.powers == pytest.approx(-1, abs=ROUNDING)
    assert nobody_differs.taus == pytest.approx(15, rel=ROUNDING)
    assert nobody_differs.rule(0).weights == pytest.approx(rule.weights, abs=ROUNDING)
    # Log weights that vary independently, by half of the spread, whoever stands last.
    ratios = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]])
    assert covariance[1:-1, 1:-1] == pytest.approx(0.4**2 * ratios @ ratios.T, abs=ROUNDING)
    assert covariance[0, 0] == pytest.approx(0.64)


def test_drawn_types_differ_and_the_largest_comes_first():
    rule = WelfareFunction(0, [1, 2, 3])
    types, shares = simulate.random_types(4, rule, random_state=3)
    assert (np.diff(shares) <= 0).all()
    t = np.sort(np.arcsinh([one.p for one in types]))
    assert np.diff(t) == pytest.approx(1.5, abs=ROUNDING)
    assert t.mean() == pytest.approx(0, abs=ROUNDING)
    assert len({tuple(one.weights) for one in types}) == 4
    same, _ = simulate.random_types(2, rule, weights=False)
    assert all(one.weights == pytest.approx(rule.weights) for one in same)


# --- what they decide ---


@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_everybody_compares_with_their_own_chances(rho):
    crowd = crowd_of_three()
    pairs = np.tile([[0, 1], [2, 3]], (TRIALS, 1))
    made = simulate.crowd_comparisons(TABLE, crowd, pairs, rho=rho, random_state=1)
    for i, name in enumerate(crowd.names):
        own = made[np.asarray(made.by) == name]
        welfare = crowd.rule(i).log(np.array(TABLE))
        for k, (first, second) in enumerate([(0, 1), (2, 3)]):
            sure = 1 / (1 + np.exp(-crowd.taus[i] * (welfare[first] - welfare[second])))
            found = (own.outcomes[k::2] > 0).mean()
            assert near(found, rho + (1 - 2 * rho) * sure, TRIALS)


@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_everybody_chooses_with_their_own_chances(rho):
    crowd = crowd_of_three()
    menus = [[0, 1, 2, 3], [3, 1, 0]] * TRIALS
    made = simulate.crowd_choices(TABLE, crowd, menus, rho=rho, random_state=1)
    found = made.menus.taken.reshape(3, TRIALS, 7).mean(axis=1)
    assert np.asarray(made.by)[[0, 2 * TRIALS, -1]].tolist() == list(crowd.names)
    for i in range(3):
        grown = np.exp(crowd.taus[i] * crowd.rule(i).log(np.array(TABLE)))
        whole, part = grown / grown.sum(), grown[[3, 1, 0]] / grown[[3, 1, 0]].sum()
        expected = [*(whole * (1 - 2 * rho) + rho / 2), *(part * (1 - 2 * rho) + 2 * rho / 3)]
        assert all(near(f, e, TRIALS) for f, e in zip(found[i], expected, strict=True))


def test_who_never_errs_decides_as_the_rule_does():
    world = simulate.individuals(60, 3, p=0, stakeholders=["a", "b", "c"], random_state=2)
    numbers = simulate.normal_crowd([0, 0, 0, 3], [2, 1, 1, 0], 9, random_state=2)
    crowd = simulate.Crowd(numbers.names, numbers.powers, numbers.weights, np.full(9, np.inf))
    compared = simulate.crowd_comparisons(world, crowd, each=50)
    chosen = simulate.crowd_choices(world, crowd, each=50, size=6)
    assert compared.stakeholders == chosen.stakeholders == ("a", "b", "c")
    for i, name in enumerate(crowd.names):
        own = simulate.World(world.utilities, crowd.rule(i))
        for made in (compared, chosen):
            assert simulate.correct_share(own, made[np.asarray(made.by) == name]) == 1
        others = simulate.World(world.utilities, crowd.rule(i - 1))
        assert simulate.correct_share(others, compared[np.asarray(compared.by) == name]) < 1


def test_everybody_may_decide_as_often_as_they_like():
    crowd = crowd_of_three()
    made = simulate.crowd_comparisons(TABLE, crowd, each=[1, 5, 2], random_state=3)
    assert np.asarray(made.by).tolist() == ["ann", *["bo"] * 5, "cy", "cy"]
    again = simulate.crowd_comparisons(TABLE, crowd, each=[1, 5, 2], random_state=3)
    assert (made.pairs == again.pairs).all()
    assert (made.outcomes == again.outcomes).all()
    chosen = simulate.crowd_choices(TABLE, crowd, each=[2, 1, 1], size=3)
    assert np.asarray(chosen.by).tolist() == ["ann", "ann", "bo", "cy"]
    assert len(simulate.crowd_comparisons(TABLE, crowd)) == 3 * 39


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: simulate.crowd_of_types([], [1], 3), "at least one"),
        (lambda: simulate.crowd_of_types(TYPES, [1, 1], 3), "one number per type, 3"),
        (lambda: simulate.crowd_of_types([WelfareFunction(0)], [1], 3), "weights for the same"),
        (
            lambda: simulate.crowd_of_types([WelfareFunction(0, [1, 1], shift=1)], [1], 3),
            "no shift",
        ),
        (
            lambda: simulate.crowd_of_types(
                TYPES, [1, 1, 1], 2, exact=True, known={"a": [1, 2]}, shifts={"a": [1, 1, 1]}
            ),
            "Leave one of them out",
        ),
        (lambda: simulate.normal_crowd([0], [[1]], 3), "log tau"),
        (lambda: simulate.normal_crowd([0, 0, 0], [[1]], 3), "symmetric table with 3 rows"),
        (lambda: simulate.normal_crowd([0, 0], [[1, 2], [2, 1]], 3), "negative variance"),
        (lambda: simulate.normal_crowd([0, 0], [1, 1], 3, names=["a"]), "names must be 3"),
        (lambda: simulate.normal_crowd([0, 0], [1, 1], 3, known={"a": [1]}), "one entry a"),
        (lambda: simulate.normal_crowd([0, 0], [1, 1], 3, shifts={"a": [1, 1]}), "not in it"),
        (
            lambda: simulate.normal_crowd(
                [0, 0], [1, 1], 2, known={"a": ["x", "y"]}, shifts={"a": {"z": [1, 1]}}
            ),
            "given by text",
        ),
        (
            lambda: simulate.normal_crowd(
                [0, 0], [1, 1], 2, known={"a": [1, 2]}, shifts={"a": [1]}
            ),
            "must have 2 numbers",
        ),
        (lambda: simulate.rule_coordinates(WelfareFunction(0), 1), "must have weights"),
        (lambda: simulate.rule_coordinates(WelfareFunction(0, [0, 1]), 1), "positive weights"),
        (lambda: simulate.rule_coordinates(WelfareFunction(-np.inf, [1, 1]), 1), "finite p"),
        (lambda: simulate.crowd_comparisons(TABLE, TYPES), "must be a Crowd"),
        (lambda: simulate.crowd_comparisons([[1.0, 2, 3]] * 2, crowd_of_three()), "found 2"),
        (lambda: simulate.crowd_comparisons(TABLE, crowd_of_three(), each=[1]), "or 3, one a"),
        (
            lambda: simulate.crowd_comparisons(TABLE, crowd_of_three(), [[0, 1]], each=2),
            "Leave one",
        ),
        (lambda: simulate.crowd_choices(TABLE, crowd_of_three(), [[0, 1]], size=2), "Leave one"),
        (lambda: simulate.Crowd(("a",), [0, 1], [[1, 1]], [1]), "everybody must have"),
        (lambda: crowd_of_three([-1, 1, 1]), "tau must be"),
        (lambda: crowd_of_three().rule("dot"), "one of the decision makers"),
    ],
)
def test_what_cannot_be_simulated_is_said(ask, words):
    with pytest.raises(InputError, match=words):
        ask()


def test_people_must_be_those_of_the_world():
    world = simulate.individuals(10, 2, p=0, stakeholders=["bo", "ann"])
    crowd = simulate.normal_crowd([0, 0, 1], [1, 1, 1], 2, stakeholders=["ann", "bo"])
    with pytest.raises(InputError, match="in the same order"):
        simulate.crowd_comparisons(world, crowd)
