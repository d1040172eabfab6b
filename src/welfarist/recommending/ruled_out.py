"""Actions that need no weighing: dominated ones, and those that no consistent rule finds best."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.consistent import find_consistent
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.decisions import Comparisons
from welfarist.decisions.merged_pairs import merged
from welfarist.people.weighting import Weighting
from welfarist.results.record import FitResult

# Comparisons beyond which a proof that an action is never best takes too long.
_MOST = 5_000
Flags = npt.NDArray[np.bool_]


def dominated(table: FloatArray) -> Flags:
    """Return which actions (N, d) give nobody more and somebody less than another.

    No rule finds them better than that other one; one by which whoever has less does not count
    finds them as good. Actions that not everybody is affected by are compared with none.

    Examples
    --------
    >>> dominated(np.array([[2.0, 2.0], [2.0, 1.0], [1.0, 3.0]])).tolist()
    [False, True, False]
    """
    found = np.zeros(len(table), dtype=bool)
    complete = ~np.isnan(table).any(axis=1)
    # Whoever dominates has a larger sum, and somebody undominated dominates too.
    order = np.argsort(-np.where(complete, table.sum(axis=1), -np.inf), kind="stable")
    front = np.empty_like(table)
    size = 0
    for row in order[: int(complete.sum())]:
        above = front[:size]
        beaten = ((above >= table[row]).all(axis=1) & (above > table[row]).any(axis=1)).any()
        if beaten:
            found[row] = True
        else:
            front[size] = table[row]
            size += 1
    return found


def never_best(result: FitResult, table: FloatArray) -> Flags | None:
    """Return which actions (N,) no rule finds best that explains every decision; None if unknown.

    Best is at least as good as all others up to rounding, and better than those that give other
    utilities. A rule that does so explains every decision and N - 1 more, so that the search for
    consistent rules (:mod:`welfarist.counting.consistent`) decides it, with the proofs it has.

    Parameters
    ----------
    result : FitResult
        Of comparisons that some rule explains (``noise="none"``).
    table : (N, d) array
        The actions, without the shift.
    """
    pairs = _explained(result)
    if pairs is None or np.isnan(table).any():
        return None
    seen, shift = result.decided.utilities + result.shift, result.shift
    once, number = np.unique(table, axis=0, return_inverse=True)
    number = number.reshape(-1)
    power = result.p if "p" in result.given else None
    start = result.weights, result.p
    found = np.zeros(len(once), dtype=bool)
    lost = dominated(once)
    for row in range(len(once)):
        if lost[row] or not _can_win(seen, pairs, once + shift, row, start, power):
            found[row] = True
    return found[number]


def _explained(result: FitResult) -> tuple[Any, Any, Any] | None:
    """Pairs, outcomes and counts that some rule explains; None if there are none such."""
    decided = result.decided
    known = result.exact is not None and result.exact.explanations is not None
    plain = isinstance(decided, Comparisons) and result.groups is None
    if not known or not plain or "weights" in result.given or len(decided) > _MOST:
        return None
    return decided.pairs, decided.outcomes, decided.counts


def _can_win(
    seen: FloatArray,
    decided: tuple[Any, Any, Any],
    actions: FloatArray,
    row: int,
    start: tuple[FloatArray, float],
    power: float | None,
) -> bool:
    """Whether a rule that explains what was decided finds one of the actions better than others."""
    others = np.delete(np.arange(len(actions)), row) + len(seen)
    if not len(others):
        return True
    new = np.column_stack([np.full(len(others), row + len(seen)), others])
    pairs = np.concatenate([decided[0], new])
    outcomes = np.concatenate([decided[1], np.ones(len(others), dtype=np.int8)]).astype(np.int8)
    counts = np.concatenate([decided[2], np.ones(len(others))])
    table = np.concatenate([seen, actions])
    loss = ZeroOneLoss.of(
        table, merged(pairs, outcomes, counts, len(table)), Weighting(table.shape[1])
    )
    if loss.unavoidable > 0:  # the same two actions were decided both ways
        return False
    return find_consistent(loss, start, power) is not None
