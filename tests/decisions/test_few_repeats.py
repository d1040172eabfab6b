"""Pairs that were compared more than once, among many that were not."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist.decisions.merged_pairs import merged


@pytest.mark.parametrize("actions", [12, 60, 400])
def test_repeats_add_up_however_many_there_are(actions):
    rng = np.random.default_rng(actions)
    first = rng.integers(0, actions, 3000)
    pairs = np.column_stack([first, (first + rng.integers(1, actions, 3000)) % actions])
    outcomes = rng.integers(-1, 2, 3000).astype(np.int8)
    found = merged(pairs, outcomes, np.ones(3000), actions)
    expected: dict[tuple[int, int], list[int]] = {}
    for (one, other), outcome in zip(pairs.tolist(), outcomes.tolist(), strict=True):
        entry = expected.setdefault((min(one, other), max(one, other)), [0, 0])
        entry[0] += 1
        entry[1] += outcome if one < other else -outcome
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == sorted(expected)
    assert found.count.tolist() == [expected[key][0] for key in sorted(expected)]
    assert found.lead.tolist() == [expected[key][1] for key in sorted(expected)]
