"""What every two people have, the less and the more of it: columns of a plain weighted sum.

A 2-additive Choquet integral is ``sum_i phi_i u_i - 1/2 sum_{i<j} I_ij |u_i - u_j|``, with Shapley
values phi that sum to 1 and interactions I. Since ``|u - v| = u + v - 2 min = 2 max - u - v``, it
is a weighted sum of all u_i, min(u_i, u_j) and max(u_i, u_j). Weights that are not negative and sum
to 1 are exactly the integrals that never fall where somebody gains. Many weights are the same
integral, because min + max = u_i + u_j; Shapley values and interactions are not many.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray


def pairs_of(people: int) -> npt.NDArray[np.intp]:
    """Return every two of so many people (k, 2).

    Examples
    --------
    >>> pairs_of(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return np.array(list(combinations(range(people), 2)), dtype=np.intp).reshape(-1, 2)


def widened(utilities: FloatArray) -> FloatArray:
    """Return what each has, the less of every two, and the more (N, d^2), of utilities (N, d).

    Examples
    --------
    >>> widened(np.array([[1.0, 3.0]])).tolist()
    [[1.0, 3.0, 1.0, 3.0]]
    """
    one, other = (utilities[:, side] for side in pairs_of(utilities.shape[1]).T)
    return np.hstack([utilities, np.minimum(one, other), np.maximum(one, other)])


def from_weights(weights: FloatArray, people: int) -> tuple[FloatArray, FloatArray]:
    """Return Shapley values (d,) and interactions (k,) of weights (d^2,) of the columns.

    Examples
    --------
    >>> from_weights(np.array([0.25, 0.25, 0.5, 0.0]), 2)
    (array([0.5, 0.5]), array([0.5]))
    """
    pairs = pairs_of(people)
    low, high = np.split(weights[people:], 2)
    shapley = weights[:people].copy()
    for side in pairs.T:
        np.add.at(shapley, side, (low + high) / 2.0)
    return shapley, low - high


def to_weights(shapley: FloatArray, interactions: FloatArray) -> FloatArray:
    """Return the weights (d^2,) with the fewest columns that have these; some may be negative.

    Examples
    --------
    >>> to_weights(np.array([0.5, 0.5]), np.array([-0.5])).tolist()
    [0.25, 0.25, 0.0, 0.5]
    """
    alone = shapley.copy()
    for side in pairs_of(len(shapley)).T:
        np.subtract.at(alone, side, np.abs(interactions) / 2.0)
    return np.concatenate([alone, np.maximum(interactions, 0.0), np.maximum(-interactions, 0.0)])


def moves(people: int) -> FloatArray:
    """Return how weights move (d^2, d + k) with each Shapley value and interaction.

    They are moves of the integral: what a weight less is of one column is another's weight more.
    """
    pairs = pairs_of(people)
    found = np.zeros((people * people, people + len(pairs)))
    found[:people, :people] = np.eye(people)
    for place, pair in enumerate(pairs):
        found[people + place, people + place] = 1.0
        found[pair, people + place] = -0.5
    return found


def rank_of(table: FloatArray) -> int:
    """Return how many columns (N, d) differ in more than a constant and what others have.

    Examples
    --------
    >>> rank_of(widened(np.array([[1.0, 3.0], [4.0, 3.0], [2.0, 0.0], [5.0, 5.5]])))
    3
    """
    return int(np.linalg.matrix_rank(table - table.mean(axis=0)))
