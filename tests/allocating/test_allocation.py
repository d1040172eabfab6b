"""Budgets: what is funded against every set of projects, a fine grid, and what is wrong."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

import welfarist as wf

pytest.importorskip("clarabel", reason="shares of a budget need the extra allocate")
POWERS = [-np.inf, -20.0, -1.0, 0.0, 0.5, 1.0]


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


def test_a_bound_holds_for_everything_within_the_budget():
    gains, costs, weights = _case(3, projects=30)
    rng = np.random.default_rng(0)
    for p in POWERS:
        rule = wf.WelfareFunction(p, weights)
        found = wf.allocate(rule, gains, costs, 5.0, baseline=0.1)
        shares = rng.random((500, 30))
        shares *= np.minimum(1, 5.0 / (shares @ costs))[:, None]
        assert rule(0.1 + shares @ gains).max() <= found.bound * (1 + 1e-12)


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
        "project", "cost", "learned", "utilitarian", "Nash", "egalitarian",
    ]  # fmt: skip
    assert "gap at most" in str(boards)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"costs": [2.0, -1.0]}, "what a project costs must be a number from 0 on; found -1"),
        ({"gains": [[1.0, -2.0], [1.0, 1.0]]}, "adds to somebody's utility must be .* found -2"),
        ({"budget": 0.5, "whole": True}, "must pay for at least one project; found 0.5.*costs 1"),
        ({"budget": -1.0}, "budget must be positive"),
        ({"gains": [[1.0], [2.0]]}, "2 people of the rule; found 1"),
        ({"gains": [[1.0, 0.0], [1.0, 0.0]]}, "everybody must have something"),
        ({"gains": []}, "projects must be a table"),
        ({"costs": [1.0]}, "one cost for each of the 2 projects"),
        ({"baseline": [1.0, 2.0, 3.0]}, "one for each of 2"),
    ],
)
def test_what_is_wrong_is_said(changed, message):
    plain = {"gains": [[1.0, 2.0], [2.0, 1.0]], "costs": [1.0, 2.0], "budget": 2.0} | changed
    with pytest.raises(wf.InputError, match=message):
        wf.allocate(wf.WelfareFunction(0, [0.5, 0.5]), **plain)
    many = np.ones((30, 2))
    with pytest.raises(wf.InputError, match="not concave"):
        wf.allocate(2.0, many, np.ones(30), 5.0)
