"""Sums by bin are exact, and the same in compiled loops and in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist.people.sketch.bins import COUNT_BITS, GRID, LOW_BITS, REST, SUMS
from welfarist.people.sketch.kernel import Ends, Table, accumulate, sums_by_row

GROUPS = 3
FIRST, WIDTH = (1023 - 4) * 64, 12 * 64


def people(seed: int, size: int = 3000):
    rng = np.random.default_rng(seed)
    utilities = np.clip(np.exp(rng.normal(1, 1.2, size)), 0.1, 200)
    utilities[rng.random(size) < 0.02] = 0.0
    utilities[::97] = -0.0
    counts = np.rint(rng.uniform(0.01, 1e6, size) * 2**COUNT_BITS).astype(np.int64)
    return utilities, rng.integers(0, GROUPS, size).astype(np.int32), counts


def added(utilities, groups, counts, compiled):
    shape = (GROUPS * WIDTH, SUMS)
    high = None if counts is None else np.zeros(shape, np.int64)
    table = Table(FIRST, WIDTH, np.zeros(shape, np.int64), high, np.zeros(shape))
    none = np.full(GROUPS, 2**64 - 1, np.uint64)
    ends = Ends(none, np.zeros(GROUPS, np.uint64), np.zeros(GROUPS, np.int64))
    done = accumulate(utilities, groups, counts, table, ends, compiled=compiled)
    return done, table, ends


def in_words(utilities, groups, counts):
    """The same sums with Python's integers, person by person."""
    found = {}
    for u, g, c in zip(utilities.tolist(), groups.tolist(), counts.tolist(), strict=True):
        if u == 0:
            continue
        bits = int(np.float64(u).view(np.uint64))
        t = ((bits & (2**REST - 1)) - 2 ** (REST - 1)) / 2 ** (REST - 1)
        powers = [t, t * t, t * (t * t), (t * t) * (t * t), (t * t) * (t * t) * t]
        row = g * WIDTH + (bits >> REST) - FIRST
        sums = found.setdefault(row, [0] * SUMS)
        sums[0] += c
        for j, power in enumerate(powers, 1):
            sums[j] += c * round(power * 2**GRID)  # halves to even, as the processor does
    return found


@pytest.mark.parametrize("compiled", [True, False])
def test_sums_are_those_of_whole_numbers(compiled):
    utilities, groups, counts = people(1)
    done, table, ends = added(utilities, groups, None, compiled)
    assert done == len(utilities)
    expected = in_words(utilities, groups, np.ones_like(counts))
    for row, sums in expected.items():
        assert table.sums[row].tolist() == sums
    assert np.count_nonzero(table.sums[:, 0]) == len(expected)
    for group in range(GROUPS):
        own = utilities[(groups == group) & (utilities > 0)]
        assert ends.low.view(float)[group] == own.min()
        assert ends.high.view(float)[group] == own.max()
        assert ends.zeros[group] == ((groups == group) & (utilities == 0)).sum()


@pytest.mark.parametrize("compiled", [True, False])
def test_counted_sums_are_those_of_whole_numbers(compiled):
    utilities, groups, counts = people(2)
    _, table, ends = added(utilities, groups, counts, compiled)
    for row, sums in in_words(utilities, groups, counts).items():
        assert table.sums[row, 0] == sums[0]
        for j in range(1, SUMS):
            assert int(table.high[row, j]) * 2**LOW_BITS + int(table.sums[row, j]) == sums[j]
            assert 0 <= table.sums[row, j] < 2**LOW_BITS
    assert ends.zeros.sum() == counts[utilities == 0].sum()


@pytest.mark.parametrize("bad", [np.nan, -1.0, np.inf, 1e-310, 1e30, 1e-30])
@pytest.mark.parametrize("compiled", [True, False])
def test_who_does_not_belong_stops_the_sum(bad, compiled):
    utilities, groups, _ = people(3)
    utilities[1234] = bad
    done, table, _ = added(utilities, groups, None, compiled)
    assert done == 1234
    assert table.sums[:, 0].sum() == np.count_nonzero(utilities[:1234])


def test_rows_that_are_far_apart_get_the_same_sums():
    utilities, groups, counts = people(4)
    there = utilities > 0
    utilities, groups, counts = utilities[there], groups[there], counts[there]
    index = groups * WIDTH + (utilities.view(np.uint64) >> np.uint64(REST)).astype(np.int64) - FIRST
    for own in (None, counts):
        _, table, _ = added(utilities, groups, own, False)
        sums, high = sums_by_row(utilities, index, own, GROUPS * WIDTH)
        assert np.array_equal(sums, table.sums)
        assert high is None or np.array_equal(high, table.high)
