"""What was fitted stays what it was, whatever happens to the caller's arrays afterwards."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest

import welfarist as wf

RNG = np.random.default_rng(1)
TABLE = RNG.uniform(1.0, 10.0, (30, 2))
FIRST = RNG.integers(30, size=120)
PAIRS = np.column_stack([FIRST, (FIRST + RNG.integers(1, 30, size=120)) % 30])
OUTCOMES = np.where(RNG.random(120) < 0.8, 1, -1) * np.sign(
    TABLE[PAIRS[:, 0], 0] - TABLE[PAIRS[:, 1], 0]
).astype(int)
COUNTS = 1.0 + np.arange(120) % 3
BY = np.arange(120) % 7
SCORES = TABLE @ [0.6, 0.4] + np.sin(np.arange(30))
WEIGHTS = np.array([0.5, 0.5])

pytestmark = pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")


def fresh(*arrays):
    return [array.copy() for array in arrays]


def comparisons(pairs=np.int64, outcomes=np.int64):
    given = fresh(TABLE, PAIRS.astype(pairs), OUTCOMES.astype(outcomes), COUNTS, BY)
    return wf.ComparisonClassifier().fit(wf.Comparisons(*given)), given


def both_actions():
    given = fresh(TABLE[PAIRS[:, 0]], TABLE[PAIRS[:, 1]], OUTCOMES, COUNTS, BY.astype(object))
    return wf.ComparisonClassifier().fit(wf.Comparisons.from_arrays(*given)), given


def side_by_side():
    given = fresh(np.hstack([TABLE[PAIRS[:, 0]], TABLE[PAIRS[:, 1]]]), OUTCOMES, COUNTS)
    return wf.ComparisonClassifier().fit(*given), given


def part_of_a_table():
    wide = np.hstack([TABLE, np.zeros((30, 1))])
    given = fresh(PAIRS, OUTCOMES)
    return wf.ComparisonClassifier().fit(wf.Comparisons(wide[:, :2], *given)), [wide, *given]


def frame():
    table = pd.DataFrame(TABLE.copy(), columns=["a", "b"])
    return wf.ComparisonClassifier().fit(wf.Comparisons(table, PAIRS, OUTCOMES)), [table]


def known_weights():
    given = fresh(WEIGHTS)
    decided = wf.Comparisons(TABLE, PAIRS, OUTCOMES)
    return wf.ComparisonClassifier(weights=given[0]).fit(decided), given


def counted_errors():
    given = fresh(TABLE, PAIRS, OUTCOMES)
    learner = wf.ComparisonClassifier(noise="flip", weights="equal")
    return learner.fit(wf.Comparisons(*given)), given


def scored():
    given = fresh(TABLE, SCORES, COUNTS[:30])
    return wf.WelfareRegressor().fit(*given), given


def checked_scores():
    given = fresh(TABLE, SCORES, COUNTS[:30])
    return wf.WelfareRegressor().fit(wf.Scores.of(*given)), given


def scored_frame():
    table = pd.DataFrame(TABLE.copy(), columns=["a", "b"])
    scores = pd.Series(SCORES.copy())
    return wf.WelfareRegressor().fit(table, scores), [table, scores]


def turned_table():
    given = fresh(np.asfortranarray(TABLE), SCORES)
    return wf.WelfareRegressor().fit(*given), given


def told(est):
    """Everything that is worked out of the decisions after a fit."""
    result = est.result_
    found = [est.p_, est.weights_.tolist(), str(result.surprises()), result.decided.digest()]
    if result.kind == "scores":
        return [*found, str(result.residuals()), str(result.misfit())]
    calibrated = "" if result.noise is None else str(result.calibration())
    return [*found, calibrated, est.score(result.decided)]


def spoil(array):
    if isinstance(array, pd.DataFrame):
        array.iloc[:, :] = array.to_numpy()[::-1] * 3.0
    elif isinstance(array, pd.Series):
        array.iloc[:] = array.to_numpy()[::-1] * 3.0
    else:
        array[...] = array[::-1] * 1


@pytest.mark.parametrize(
    "way",
    [
        comparisons,
        lambda: comparisons(np.int32, np.int8),
        both_actions,
        side_by_side,
        part_of_a_table,
        frame,
        known_weights,
        counted_errors,
        scored,
        checked_scores,
        scored_frame,
        turned_table,
    ],
)
def test_arrays_that_change_after_a_fit_change_nothing(way):
    est, given = way()
    expected = told(way()[0])
    for array in given:
        spoil(array)
    assert told(est) == expected


def test_polars_shares_its_memory_with_nobody():
    table = pl.DataFrame(TABLE, schema=["a", "b"])
    decided = wf.Comparisons(table, PAIRS, OUTCOMES)
    assert not np.shares_memory(decided.utilities, table["a"].to_numpy())


@pytest.mark.parametrize("kind", ["comparisons", "both", "scores", "regressor"])
def test_there_is_one_copy(kind):
    table = RNG.uniform(1.0, 2.0, (40_000, 10))
    rows = np.arange(40_000)
    pairs, scores = np.column_stack([rows, rows[::-1]]), table[:, 0].copy()
    outcomes = np.where(rows % 2, 1, -1)
    makers = {
        "comparisons": lambda: wf.Comparisons(table, pairs, outcomes),
        "both": lambda: wf.Comparisons.from_arrays(table, table[::-1], outcomes),
        "scores": lambda: wf.Scores.of(table, scores),
        "regressor": lambda: wf.WelfareRegressor().read_decisions(table, scores),
    }
    tracemalloc.start()
    made = makers[kind]()
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(made) == 40_000
    # From both actions of 40,000 pairs come 40,000 different ones.
    assert kept < 1.35 * table.nbytes
