"""Budgets: what is funded against every set of projects, a fine grid, and what is wrong."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

import welfarist as wf
from welfarist.allocating.pieces import Chains, Reach
from welfarist.allocating.projects import Projects

pytest.importorskip("clarabel", reason="shares of a budget need the extra allocate")
POWERS = [-np.inf, -1e6, -20.0, -1.0, -1e-3, 0.0, 1e-3, 0.01, 0.5, 1.0]


def _case(seed: int, projects: int = 8, people: int = 3):
    rng = np.random.default_rng(seed)
    gains = rng.exponential(1, (projects, people)) * (rng.random((projects, people)) < 0.7)
    return gains, rng.uniform(0.5, 2, projects), rng.dirichlet(np.ones(people))


@pytest.mark.parametrize("p", [*POWERS, 2.0, np.inf])
def test_whole_projects_are_the_best_of_all_sets(p):
    gains, costs, weights = _case(1)
    rule = wf.WelfareFunction(p, weights)
    sets = np.array(list(product([0.0, 1.0], repeat=8)))
    best = rule(0.5 + sets[sets @ costs <= 4] @ gains).max()
    found = wf.allocate(rule, gains, costs, 4.0, baseline=0.5, whole=True, gap=1e-9)
    assert found.welfare == pytest.approx(best, rel=1e-8)
    assert set(found.funded) <= {0.0, 1.0}
    assert found.spent <= 4
    assert found.gap <= 1e-8


@pytest.mark.parametrize("p", [*POWERS, 3.0])
def test_shares_are_as_good_as_a_fine_grid(p):
    gains, costs, weights = _case(2, projects=3)
    rule = wf.WelfareFunction(p, weights)
    side = np.linspace(0, 1, 81)
    grid = np.array(np.meshgrid(side, side, side)).reshape(3, -1).T
    grid = grid[grid @ costs <= 2.0]
    best = rule(0.2 + grid @ gains).max()
    found = wf.allocate(rule, gains, costs, 2.0, baseline=0.2)
    assert found.welfare >= best * (1 - 1e-6)
    assert found.bound >= found.welfare
    assert found.gap < 1e-5
    assert found.spent <= 2.0 * (1 + 1e-12)
    assert found.welfare <= best * 1.05


@pytest.mark.parametrize("kind", ["approvals", "few sums", "many sums"])
@pytest.mark.parametrize("p", [-np.inf, -200.0, -20.0, -1.0, 0.0, 1e-3, 0.5])
def test_projects_for_many_people_are_the_best_of_all_sets(p, kind):
    rng = np.random.default_rng(8)
    gains = (rng.random((11, 60)) < (0.95 if kind == "many sums" else 0.3)).astype(float)
    gains *= 1.0 if kind == "approvals" else rng.lognormal(0, 1, gains.shape)
    costs, rule = rng.uniform(0.5, 2, 11), wf.WelfareFunction(p, rng.dirichlet(np.ones(60)))
    sets = np.array(list(product([0.0, 1.0], repeat=11)))
    best = rule(0.5 + sets[sets @ costs <= 5] @ gains).max()
    found = wf.allocate(rule, gains, costs, 5.0, baseline=0.5, whole=True, gap=1e-4)
    assert best * (1 - 1e-4) <= found.welfare <= best * (1 + 1e-12)
    assert found.bound >= best * (1 - 1e-12)
    assert found.gap <= 1.1e-4
    assert found.spent <= 5


@pytest.mark.parametrize("p", [-20.0, -1e-3, 0.0, 0.5])
def test_chains_of_pieces_lie_above_everybodys_part_of_welfare(p):
    rng = np.random.default_rng(3)
    gains, costs = rng.lognormal(0, 1, (12, 30)) * (rng.random((12, 30)) < 0.5), np.ones(12)
    weights = np.full(30, 1 / 30)
    projects = Projects(tuple("abcdefghijkl"), costs, gains, np.full(30, 0.3), 5.0)
    rule = wf.WelfareFunction(p, weights)
    sets = np.array([s for s in product([0.0, 1.0], repeat=12) if sum(s) <= 5])
    utilities = projects.utilities(sets)
    welfare = rule(utilities)
    known, bound = float(np.quantile(welfare, 0.9)), 2 * float(welfare.max())
    chains = Chains.of(rule, Reach.of(projects), known, bound)
    pieces = chains.pieces(chains.points())
    better = utilities[welfare >= known]
    assert (better >= pieces.start * (1 - 1e-12)).all()
    for have in better[:40]:
        value, left = pieces.value, have - pieces.start
        for person, length, rise in zip(pieces.person, pieces.lengths, pieces.rises, strict=True):
            share = min(max(left[person], 0.0) / length, 1.0)
            left[person] -= share * length
            value += share * rise
        assert chains.welfare(value) >= float(rule(have)) * (1 - 1e-9)


def test_a_bound_holds_for_everything_within_the_budget():
    gains, costs, weights = _case(3, projects=30)
    rng = np.random.default_rng(0)
    for p in POWERS:
        rule = wf.WelfareFunction(p, weights)
        found = wf.allocate(rule, gains, costs, 5.0, baseline=0.1)
        shares = rng.random((500, 30))
        shares *= np.minimum(1, 5.0 / (shares @ costs))[:, None]
        assert rule(0.1 + shares @ gains).max() <= found.bound * (1 + 1e-12)


@pytest.mark.parametrize("p", [-2e4, -1e4, -300, -0.01, -5e-4, 1e-6, 5e-4, 0.002, 0.02, 0.9999])
def test_shares_are_proven_at_powers_that_solvers_find_hard(p):
    rng = np.random.default_rng(0)
    gains = rng.lognormal(0, 1, (40, 5)) * (rng.random((40, 5)) < 0.5)
    costs, weights = rng.lognormal(0, 0.7, 40), rng.dirichlet(np.full(5, 2.0))
    found = wf.allocate(
        wf.WelfareFunction(p, weights), gains, costs, 0.4 * costs.sum(), baseline=0.5
    )
    assert found.gap < (2e-4 if p < -1e4 else 1e-7)
    if abs(p) < 0.03:  # the bound is that of its neighbour, up to the spread of what people have
        nash = wf.allocate(
            wf.WelfareFunction(0, weights), gains, costs, 0.4 * costs.sum(), baseline=0.5
        )
        assert np.log(found.welfare / nash.welfare) == pytest.approx(0, abs=abs(p))
        assert not found.notes


@pytest.mark.parametrize("p", [-np.inf, -1.0, 0.0, 1e-3, 0.01, 0.1, 0.5, 1.0])
def test_whole_projects_are_proven_where_somebody_may_have_nothing(p):
    sets = np.array(list(product([0.0, 1.0], repeat=7)))
    for seed in range(6):
        rng = np.random.default_rng([seed, 9])
        gains = np.round(rng.exponential(1, (7, 5)) * (rng.random((7, 5)) < 0.4), 1)
        gains[:, 0] *= p <= 0  # and somebody whom nothing reaches
        rule = wf.WelfareFunction(p, rng.dirichlet(np.ones(5)))
        costs = rng.integers(1, 5, 7).astype(float)
        best = rule(sets[sets @ costs <= 8] @ gains).max()
        if best == 0:
            with pytest.raises(wf.InputError, match="everybody must have something"):
                wf.allocate(rule, gains, costs, 8.0, whole=True)
            continue
        found = wf.allocate(rule, gains, costs, 8.0, whole=True, gap=1e-6)
        assert found.welfare == pytest.approx(best, rel=1e-9)
        assert found.gap < 2e-6
        parts = wf.allocate(rule, gains, costs, 8.0)
        assert parts.gap < 1e-6
        assert parts.bound >= best * (1 - 1e-12)


def test_what_somebody_has_is_told_without_the_shift():
    rule = wf.WelfareFunction(0, [0.5, 0.5], ["a", "b"], shift=2.0)
    found = wf.allocate(rule, np.eye(2), [1, 1], 1.0, baseline=1.0, whole=True)
    assert sorted(found.utilities) == [1.0, 2.0]
    assert found.projects.baseline.tolist() == [1.0, 1.0]
    assert found.welfare == pytest.approx(np.sqrt(12))
    assert found.boards().by["egalitarian"].welfare == 3.0


def test_series_go_by_their_names():
    gains = pd.DataFrame([[4.0, 0.0], [0.0, 3.0]], index=["x", "y"], columns=["a", "b"])
    costs, have = pd.Series({"y": 5.0, "x": 1.0}), pd.Series({"b": 2.0, "a": 1.0})
    found = wf.allocate("Nash", gains, costs, 1.0, baseline=have, whole=True)
    assert found.projects.costs.tolist() == [1.0, 5.0]
    assert found.to_dict()["utilities"] == {"a": 5.0, "b": 2.0}
    with pytest.raises(wf.InputError, match="costs must name each of x, y once"):
        wf.allocate("Nash", gains, pd.Series({"x": 1.0, "z": 2.0}), 1.0, baseline=1.0)
    with pytest.raises(wf.InputError, match="costs by name must come with names to match"):
        wf.allocate("Nash", gains.to_numpy(), costs, 1.0, baseline=1.0)


def test_a_board_for_which_nothing_helps_says_so_beside_the_others():
    boards = wf.allocate(1.0, [[1, 0], [2, 0]], [1, 1], 1.0).boards()
    assert boards.by["Nash"].welfare == 0
    assert boards.by["utilitarian"].names == ("project 1",)
    assert "Nash: with p of at most 0 everybody must have something" in str(boards)


def test_boards_differ_and_columns_go_by_name():
    gains = pd.DataFrame({"b": [4.0, 0.0, 1.0], "a": [0.0, 3.0, 1.0]}, index=["x", "y", "z"])
    rule = wf.WelfareFunction(1, [0.2, 0.8], ["a", "b"])
    found = wf.allocate(
        rule, gains, [2.0, 2.0, 1.0], 3.0, baseline={"a": 1.0, "b": 1.0}, whole=True
    )
    assert found.names == ("x", "z")
    assert found.utilities.tolist() == [2.0, 6.0]
    boards = found.boards()
    assert boards.by["egalitarian"].welfare == 2.0
    assert list(boards.to_frame().columns) == [
        "project", "cost", "this rule", "utilitarian", "Nash", "egalitarian",
    ]  # fmt: skip
    assert "gap at most" in str(boards)
    assert "3 of 3 projects funded, each by one of these rules at least" in str(boards)
    assert "2 of 3 projects funded\n" in str(found)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"baseline": -1.0}, "what somebody has without projects must be a number from 0 on"),
        ({"costs": [2.0, -1.0]}, "what a project costs must be a number from 0 on; found -1"),
        ({"gains": [[1.0, -2.0], [1.0, 1.0]]}, "adds to somebody's utility must be .* found -2"),
        ({"budget": 0.5, "whole": True}, "must pay for at least one project; found 0.5.*costs 1"),
        ({"budget": -1.0}, "budget must be positive"),
        ({"gains": [[1.0], [2.0]]}, "2 people of the rule; found 1"),
        ({"gains": [[1.0, 0.0], [1.0, 0.0]]}, "everybody must have something"),
        ({"gains": []}, "projects must be a table"),
        ({"costs": [1.0]}, "one cost for each of the 2 projects"),
        ({"baseline": [1.0, 2.0, 3.0]}, "one for each of 2"),
        ({"gap": -1}, "gap must be a share from 0 to 1; found -1"),
        ({"seconds": "x"}, "seconds must be positive; found 'x'"),
    ],
)
def test_what_is_wrong_is_said(changed, message):
    plain = {"gains": [[1.0, 2.0], [2.0, 1.0]], "costs": [1.0, 2.0], "budget": 2.0} | changed
    with pytest.raises(wf.InputError, match=message):
        wf.allocate(wf.WelfareFunction(0, [0.5, 0.5]), **plain)
    many = np.ones((30, 2))
    with pytest.raises(wf.InputError, match="not concave"):
        wf.allocate(2.0, many, np.ones(30), 5.0)
    with pytest.raises(wf.InputError, match=r"found 30 and p = 1\.0000001\."):
        wf.allocate(1 + 1e-7, many, np.ones(30), 5.0)


def test_a_table_of_many_people_says_how_they_fare_together():
    found = wf.allocate("Nash", np.eye(40), np.full(40, 1000.0), 20_000.0, baseline=1, whole=True)
    text = str(found)
    assert "half have less" in text
    assert "person 3" not in text
    assert " 20000 " in text
    assert len(found.to_dict()["utilities"]) == 40


def test_projects_that_nobody_could_pay_for_are_no_obstacle():
    gains, costs = [[4.0, 0.0], [3.0, 5.0], [1.0, 1.0]], [1e300, 1e308, 2.0]
    for p in (-np.inf, -1.0, 0.5, 1.0):
        rule = wf.WelfareFunction(p, [0.5, 0.5])
        found = wf.allocate(rule, gains, costs, 9.0, baseline=1.0)
        assert found.funded == pytest.approx([0, 0, 1])
        assert found.gap < 1e-9
