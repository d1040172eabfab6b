"""Large tables in any layout: the same numbers, without copies and without loops over actions."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import welfarist as wf
from tests.exact import log_mean, relative_error
from welfarist.families.power_mean.blocks import BLOCK, Rows

# Blocks are summed one after the other: a few units in the last place.
SUMMED = 1e-13


def peak_memory(function) -> int:
    function()  # imports and caches are not what is measured
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("p", [-np.inf, -1.5, -0.1, 0.0, 0.1, 1.0, 2.0])
def test_one_action_with_millions_of_people_is_not_copied(p):
    rng = np.random.default_rng(0)
    utilities = rng.uniform(1, 9, 3_000_000)
    weights = rng.integers(0, 3, 3_000_000)
    # An eighth goes to finding out which weights are positive.
    for given in (weights, weights.astype(float)):
        assert peak_memory(lambda w=given: wf.power_mean(utilities, p, w)) < utilities.nbytes / 4


def test_weights_per_action_are_not_copied():
    rng = np.random.default_rng(1)
    utilities = rng.uniform(1, 9, (100_000, 18))
    weights = rng.uniform(0, 1, (100_000, 18))
    peak = peak_memory(lambda: wf.power_mean(utilities, -0.1, weights))
    assert peak < utilities.nbytes / 3  # the welfare itself and one flag per weight


def test_shares_need_little_more_than_their_result():
    utilities = np.random.default_rng(2).uniform(1, 9, (100_000, 18))
    rule = wf.WelfareFunction(-0.5)
    assert peak_memory(lambda: rule.shares(utilities)) < 1.5 * utilities.nbytes


def test_people_on_a_middle_axis_cost_no_loop_over_actions(monkeypatch):
    reads = []
    read = Rows.__getitem__
    monkeypatch.setattr(Rows, "__getitem__", lambda self, part: reads.append(1) or read(self, part))
    cube = np.random.default_rng(3).uniform(1, 9, (100_000, 3, 2))
    found = wf.power_mean(cube, -1.5, axis=1)
    assert len(reads) <= cube.size / BLOCK + 1
    straight = wf.power_mean(np.ascontiguousarray(np.moveaxis(cube, 1, -1)), -1.5)
    np.testing.assert_allclose(found, straight, rtol=SUMMED)


@pytest.mark.parametrize("p", [-1.5, 0.1, 1.0])
def test_every_layout_gives_the_same(p):
    rng = np.random.default_rng(4)
    utilities = rng.uniform(1, 9, (40, 50, 60))
    weights = rng.uniform(0, 1, (40, 1, 60))
    expected = wf.power_mean(utilities, p, weights)
    assert expected[3, 7] == pytest.approx(wf.power_mean(utilities[3, 7], p, weights[3, 0]))
    for layout in (
        np.asfortranarray(utilities),
        utilities.transpose(2, 0, 1).copy().transpose(1, 2, 0),
        np.repeat(utilities, 2, axis=0)[::2],
        utilities[::-1, :, ::-1].copy()[::-1, :, ::-1],
    ):
        assert wf.power_mean(layout, p, weights) == pytest.approx(expected, rel=SUMMED)


def test_a_grid_of_powers_on_a_large_table():
    utilities = np.random.default_rng(5).uniform(1, 9, (8_000, 18))
    powers = np.array([-np.inf, -2.0, 0.0, 1.0, np.inf])
    grid = wf.power_mean(utilities, powers[:, None])
    for k, p in enumerate(powers):
        assert grid[k] == pytest.approx(wf.power_mean(utilities, p), rel=SUMMED)
    own = np.resize(powers, len(utilities))
    mixed = wf.power_mean(utilities, own)
    assert mixed == pytest.approx(grid[np.resize(np.arange(5), len(own)), np.arange(len(own))])


def test_zero_weights_in_large_tables_change_nothing():
    rng = np.random.default_rng(6)
    utilities = rng.uniform(1, 9, (BLOCK // 4, 9))
    weights = rng.uniform(0, 1, 9)
    weights[[2, 5]] = 0.0
    utilities[:, 2] *= 1e-250  # beyond the quick evaluation in one half of the table
    utilities[: BLOCK // 8, 2] = 3.0
    for p in (-2.0, -0.1, 0.0, 0.1, 2.0):
        found = wf.power_mean(utilities, p, weights)
        for i in (0, len(found) - 1):
            exact = log_mean(utilities[i], weights, p)
            assert relative_error(found[i], exact) <= SUMMED


def test_rows_are_views_where_they_can_be():
    table = np.arange(24.0).reshape(2, 3, 4)
    assert np.shares_memory(Rows(table)[1:3], table)
    assert np.shares_memory(Rows(table[:, :, ::2])[0:6], table)
    gathered = Rows(table.transpose(0, 2, 1))
    assert len(gathered) == 8
    assert gathered[3:6].tolist() == table.transpose(0, 2, 1).reshape(8, 3)[3:6].tolist()
