"""Rounds of exact sweeps over the weights, at a fixed finite power.

Each weight in turn is put where it is best while the others keep their proportions, until a whole
round no longer helps. What the others add up to is the sum of those already moved and those still
to move, so that a round costs one pass over the table of contributions and, for each weight, one
pass over the comparisons and a sort.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.counting.chords import Contrast, Voting
from welfarist.counting.fewest_errors.line_sweep import Contributions


@dataclass(frozen=True)
class Climb:
    """Where rounds of sweeps ended.

    Attributes
    ----------
    log_weights : (k,) array
        Logarithms of the free weights, which sum to 1.
    agreement : float
        How far the rule agrees with the decisions: the larger, the lower the loss.
    rounds, sweeps : int
        How often all weights were swept, and single weights.
    """

    log_weights: FloatArray
    agreement: float
    rounds: int
    sweeps: int


def climb(
    table: Contributions,
    votes: Voting,
    log_weights: FloatArray,
    *,
    margin: float,
    max_rounds: int,
    rng: np.random.Generator,
) -> Climb:
    """Sweep all weights in rounds until that no longer helps.

    Parameters
    ----------
    table : Contributions
        Of each free weight to each action's height, (k, N).
    votes : Voting
    log_weights : (k,) array
        Where to start; -inf for those who do not count.
    margin : float
        See :func:`~welfarist.counting.chords.best_step`.
    max_rounds : int
    rng : numpy.random.Generator
        The order of the weights is drawn anew for every round.
    """
    ends = [table.contrast(row, votes) for row in table.logs]
    agreement, rounds = -np.inf, 0
    while rounds < max_rounds:
        order = [int(i) for i in rng.permutation(len(log_weights))]
        log_weights, reached = _round(table, votes, ends, log_weights, order, margin)
        rounds += 1
        if reached <= agreement:
            break
        agreement = reached
    return Climb(log_weights, agreement, rounds, rounds * len(log_weights))


def _round(
    table: Contributions,
    votes: Voting,
    ends: list[Contrast],
    log_weights: FloatArray,
    order: list[int],
    margin: float,
) -> tuple[FloatArray, float]:
    """Move each weight once, in the order given; return log weights (k,) and the agreement."""
    log_weights = log_weights.copy()
    parts = table.logs[order] + log_weights[order, None]
    nobody = np.full((1, parts.shape[1]), -np.inf)
    to_move = np.concatenate([np.logaddexp.accumulate(parts[::-1], axis=0)[::-1], nobody])
    moved, agreement = nobody[0], -np.inf
    for place, i in enumerate(order, start=1):
        if np.delete(log_weights, i).max() > -np.inf:
            start = table.contrast(np.logaddexp(moved, to_move[place]), votes)
            step = votes.best_step(start, ends[i], margin, log_weights[i])
            agreement = step.agreement
            if step.log_ratio == np.inf:
                return np.where(np.arange(len(order)) == i, 0.0, -np.inf), agreement
            log_weights[i] = step.log_ratio
        moved = np.logaddexp(moved, table.logs[i] + log_weights[i])
    return normalised_logs(log_weights), agreement


def normalised_logs(log_weights: FloatArray) -> FloatArray:
    """Logarithms (k,) of weights that sum to 1, from those of relative weights."""
    return np.asarray(log_weights - np.logaddexp.reduce(log_weights))
