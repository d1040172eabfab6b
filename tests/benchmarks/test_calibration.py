"""A short version of the calibration study, and how its findings become a page."""

from __future__ import annotations

import pytest
from benchmarks.calibration import LEVEL, WORLDS, examine, rows
from benchmarks.calibration_page import Row, page
from scipy.stats import binom

# Both tails together: so often may a study whose intervals are right fail the test.
CHANCE = 0.002
DATA_SETS = 40
# Seeds that the full study does not use.
FIRST_SEED = 10_000


@pytest.mark.parametrize("world", WORLDS[1::2], ids=lambda world: world.name)
def test_intervals_hold_the_truth_as_often_as_they_promise(world):
    found = [examine(world, FIRST_SEED + i, resamples=39) for i in range(DATA_SETS)]
    fewest = binom.ppf(CHANCE, DATA_SETS, LEVEL)
    for row in rows(found):
        if row.what == "true null":
            assert row.share * DATA_SETS <= binom.isf(CHANCE, DATA_SETS, 1 - LEVEL)
        else:
            assert row.share * DATA_SETS >= fewest, row


def test_intervals_that_are_too_short_would_be_noticed():
    """Intervals of 80%, taken for 95%, fail the bound of the test above nearly always."""
    assert binom.cdf(binom.ppf(CHANCE, DATA_SETS, LEVEL) - 1, DATA_SETS, 0.8) > 0.5


def test_the_page_says_what_is_outside_of_its_band():
    good = Row("scores", "interval, profile", "p", 0.951, 1000)
    short = Row("scores", "interval, bootstrap", "p", 0.92, 1000)
    zero = Row("scores, one weight 0", "interval, profile", "weight of person 4", 0.99, 1000)
    often = Row("scores", "true null", "p = -0.5", 0.09, 1000)
    assert [row.kept for row in (good, short, zero, often)] == [True, False, True, False]
    assert good.error == pytest.approx(0.0068, abs=1e-4)
    text = page([good, short, zero, often], 1000, 199, 0)
    assert "Outside of these bands: scores: p (interval, bootstrap) 92.0%" in text
    assert "inside its band" in page([good, zero], 1000, 199, 0)
