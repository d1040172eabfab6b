"""A short version of the study of theta, and how its findings become a page."""

from __future__ import annotations

import numpy as np
from benchmarks.attributes import LIMIT, THETA, Finding, examine, page
from scipy.stats import binom

# Both tails together: so often may a study whose intervals are right fail the test.
CHANCE = 0.002
DATA_SETS = 40
# Seeds that the full study does not use.
FIRST_SEED = 10_000


def test_intervals_hold_the_truth_and_tests_true_nulls() -> None:
    found = [examine(0.0, FIRST_SEED + i) for i in range(DATA_SETS)]
    most = binom.isf(CHANCE, DATA_SETS, LIMIT)
    for name in THETA:
        for chances in ("ratio", "wald"):
            missed = sum(getattr(one, chances)[name] <= LIMIT for one in found)
            assert missed <= most, (name, chances)
    assert np.median([one.age for one in found]) > 0.01
    assert np.mean([one.matters <= LIMIT for one in found]) > 0.5


def test_the_page_counts_what_was_held() -> None:
    held = dict.fromkeys(THETA, 0.5)
    missed = {**held, "income": 0.01}
    found = [Finding(0.0, 0, held, held, 0.02, 0.001, 0.1)]
    found.append(Finding(0.0, 1, missed, held, 0.03, 0.2, 0.3))
    text = page(found, 2, (0.0,))
    cells = "| 100.0% | 50.0% | 100.0% | 50.0% | 0.0% | 50% | 0.0250 | 0.20 |"
    assert f"| 0 | likelihood ratio {cells}" in text
    assert "| 0 | Wald | 100.0% | 100.0%" in text
