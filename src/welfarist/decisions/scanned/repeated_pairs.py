"""Whether comparisons repeat so often that counting them is cheaper than reading them again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from welfarist.base.engines import Engine
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.decisions.merged_pairs import pair_keys
from welfarist.decisions.scanned.pair_columns import PairBlock, PairColumns
from welfarist.decisions.scanned.parquet import Files, Part

# Squares of actions that a table of all their pairs may have: 200 MB of it.
_LARGEST_SQUARE = 2**23
# How often a pair must be compared, on average, for a table to pay.
_OFTEN = 4.0


def repeats(share: PairBlock, actions: int, rows: int) -> bool:
    """Whether comparisons should be counted in a table of all pairs: decided from a share.

    Pairs that are compared at random, K of them, show ``K (1 - e^(-m/K))`` different ones in m.
    """
    if actions * actions > _LARGEST_SQUARE:
        return False
    drawn = len(share)
    different = len(np.unique(pair_keys(share.first, share.second, actions)))
    return expected_pairs(drawn, different, rows) * _OFTEN <= rows


def expected_pairs(drawn: int, different: int, rows: int) -> float:
    """Return how many different pairs are expected among all rows, from a share with some.

    Examples
    --------
    >>> expected_pairs(1000, 1000, 10**6)
    1000000.0
    >>> round(expected_pairs(10**6, 500, 10**8))
    500
    """
    if different >= drawn:
        return float(rows)

    def excess(log_pairs: float) -> float:
        pairs = float(np.exp(log_pairs))
        return float(-pairs * np.expm1(-drawn / pairs)) - different

    low, high = np.log(different), np.log(float(drawn) ** 2)
    if excess(low) >= 0:
        return float(different)
    pairs = float(np.exp(brentq(excess, low, high))) if excess(high) > 0 else float(drawn) ** 2
    return float(-pairs * np.expm1(-rows / pairs))


@dataclass(frozen=True)
class Tally:
    """Count each outcome of each pair in a part: the cells with any (k,), and how many (k,)."""

    columns: PairColumns

    def __call__(self, part: Part) -> tuple[npt.NDArray[np.intp], FloatArray]:
        """Return cells and counts of a part."""
        actions = self.columns.actions
        cells, counts = [], []
        for block in self.columns.blocks(part):
            turned = block.first > block.second
            outcome = np.where(turned, -block.outcome, block.outcome)
            keys = pair_keys(block.first, block.second, actions)
            cells.append(3 * keys + outcome + 1)
            counts.append(np.ones(len(block)) if block.count is None else block.count)
        together, often = np.concatenate(cells), np.concatenate(counts)
        if len(together) * 8 < 3 * actions * actions:  # a table of all pairs would be mostly empty
            found, place = np.unique(together, return_inverse=True)
            return found.astype(np.intp), np.asarray(np.bincount(place.reshape(-1), often), float)
        table = np.bincount(together, often)
        found = np.flatnonzero(table)
        return found, np.asarray(table[found], float)


def counted_pairs(
    files: Files, columns: PairColumns, engine: Engine, progress: Progress
) -> PairBlock:
    """Pass over all files; return each pair and outcome once, with how often it was observed."""
    table = np.zeros(3 * columns.actions * columns.actions)
    tallies = engine.in_order(Tally(columns), files.parts)
    for cells, counts in progress.track(tallies, len(files.parts), "Counting pairs"):
        table[cells] += counts
    cells = np.flatnonzero(table)
    first, second = np.divmod(cells // 3, columns.actions)
    outcome = (cells % 3 - 1).astype(np.int8)
    return PairBlock(first.astype(np.int32), second.astype(np.int32), outcome, table[cells])
