"""Sketches of parts add up to the same digits in any order and grouping."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from welfarist import Sketch
from welfarist.people.sketch.building import ActionBuilder
from welfarist.people.sketch.tally import KEPT

SPREADS = (0.1, 1.0, 30.0, 150.0)


def drawn(seed: int, counted: bool):
    rng = np.random.default_rng(seed)
    size, groups = int(rng.integers(1, 2500)), int(rng.integers(1, 9))
    spread = SPREADS[seed % len(SPREADS)]
    utilities = np.clip(np.exp(rng.normal(3, spread, (size, 2))), 1e-300, 1e300)
    utilities[rng.random((size, 2)) < 0.05] = 0
    labels = rng.choice(groups, size, p=rng.dirichlet(np.full(groups, 0.3)))
    counts = rng.uniform(0.01, 1e4, size) if counted else None
    return rng, utilities, labels, counts


def of(utilities, labels, counts, rows=slice(None)):
    return Sketch.of(utilities[rows], labels[rows], None if counts is None else counts[rows])


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_parts_in_any_order_and_grouping_have_the_same_digits(seed, counted):
    rng, *known = drawn(seed, counted)
    size = len(known[0])
    whole = of(*known)
    part = rng.integers(0, 5, size)
    parts = [of(*known, part == i) for i in range(5) if (part == i).any()]
    order = rng.permutation(len(parts))
    one_by_one = sum(parts[i] for i in order)
    middle = len(parts) // 2
    halves = [sum(parts[:middle]), sum(parts[middle:])] if middle else parts
    assert one_by_one == whole
    assert sum(reversed(halves)) == whole
    assert one_by_one.digest == whole.digest


def test_small_groups_keep_their_people_until_they_grow():
    few = np.linspace(1, 2, KEPT)
    sketch = Sketch.of(few)
    assert not len(sketch._own.tally.keys)
    assert len(sketch._own.tally.value) == KEPT
    grown = sketch + Sketch.of(few[:1])
    assert len(grown._own.tally.keys)
    assert not len(grown._own.tally.value)
    assert grown == Sketch.of(np.append(few, few[0]))


def test_people_who_count_differently_and_people_who_do_not_can_be_added():
    utilities = np.random.default_rng(5).uniform(1, 9, 400)
    some = Sketch.of(utilities[:200]) + Sketch.of(utilities[200:], counts=np.full(200, 1.0))
    assert some == Sketch.of(utilities, counts=np.ones(400))


def test_a_short_table_has_the_same_sums_as_a_long_one():
    _, utilities, labels, _ = drawn(3, False)
    tallies = []
    for most in (2**21, 2**10):
        builder = ActionBuilder(False, most)
        builder.add(np.ascontiguousarray(utilities[:, 0]), labels, None, int(labels.max()) + 1)
        tallies.append(builder.tally(int(labels.max()) + 1))
    assert tallies[0].equals(tallies[1])


def test_groups_and_actions_are_matched_by_name():
    import pandas as pd

    one = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0], "g": ["x", "y"]})
    two = pd.DataFrame({"b": [5.0], "a": [6.0], "g": ["z"]})
    both = Sketch.of(one, "g") + Sketch.of(two, "g")
    assert both.stakeholders == ("x", "y", "z")
    assert both.highest.tolist() == [[1.0, 2.0, 6.0], [3.0, 4.0, 5.0]]
    assert both.heads.tolist() == [1.0, 1.0, 1.0]


def test_head_counts_are_as_good_as_so_many_people():
    rng = np.random.default_rng(8)
    utilities, times = rng.uniform(1, 50, 500), rng.integers(1, 9, 500)
    counted = Sketch.of(utilities, counts=times)
    repeated = Sketch.of(np.repeat(utilities, times))
    for p in (-3.0, 0.0, 0.5, 7.0):
        # Both are within their half widths of one number.
        width = max(float(np.diff(s.enclosure(p), axis=0).max()) for s in (counted, repeated))
        assert counted.log_mean(p) == pytest.approx(repeated.log_mean(p), abs=width)
