"""The quadratic step among very many weights: guess which bounds hold, solve, correct the guess.

A primal-dual active set method (Hintermueller, Ito and Kunisch, 2002): with a guess of which bounds
hold what is left is a linear system; who leaves their bounds there is held, who would rather leave
a bound is let go, until the guess is confirmed. Each guess costs one Cholesky decomposition, and a
few are enough where hundreds of single exchanges would be needed. It may cycle: then nothing is
returned.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from welfarist.base.validation import FloatArray

_MOST_GUESSES = 25
# A multiplier below this share of the largest derivative is rounding.
_ROUNDING = 1e-12


def minimise_within(
    gradient: FloatArray,
    matrix: FloatArray,
    total: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> tuple[FloatArray, npt.NDArray[np.bool_]] | None:
    """Minimise ``g'x + x'Hx / 2`` within bounds, where ``total'x = 0``.

    Parameters
    ----------
    gradient : (q,) array
    matrix : (q, q) array
        Positive definite.
    total : (q,) array
        0 where a variable is not part of the sum.
    lower, upper : (q,) arrays
        At most 0, and at least 0.

    Returns
    -------
    The minimiser (q,), and which of its bounds hold (q,); or None if no guess was confirmed.
    """
    held_low = (lower >= 0.0) & (gradient > _multiplier(gradient, total, lower) * total)
    held_high = np.zeros(len(gradient), dtype=bool)
    slack = _ROUNDING * float(np.abs(gradient).max(initial=0.0))
    for _ in range(_MOST_GUESSES):
        held = held_low | held_high
        move = np.where(held_low, lower, np.where(held_high, upper, 0.0))
        found = _free(gradient, matrix, total, move, ~held)
        if found is None:
            return None
        move, multiplier = found
        pull = gradient + matrix @ move - multiplier * total
        low = np.where(held_low, pull > -slack, ~held & (move < lower))
        high = np.where(held_high, pull < slack, ~held & (move > upper))
        if np.array_equal(low, held_low) and np.array_equal(high, held_high):
            return move, held
        held_low, held_high = low, high
    return None


def _multiplier(gradient: FloatArray, total: FloatArray, lower: FloatArray) -> float:
    """What a unit of the sum is worth to those who are not at a bound."""
    part = (total != 0.0) & (lower < 0.0)
    size = float(total[part] @ total[part])
    return float(gradient[part] @ total[part]) / size if size else 0.0


def _free(
    gradient: FloatArray,
    matrix: FloatArray,
    total: FloatArray,
    move: FloatArray,
    free: npt.NDArray[np.bool_],
) -> tuple[FloatArray, float] | None:
    """Return the move with the best free entries, and the multiplier of the sum."""
    rows = np.flatnonzero(free)
    if not len(rows) or not (total[rows] != 0.0).any():
        return None
    right = -(gradient[rows] + matrix[rows] @ move)
    try:
        factor = cho_factor(matrix[np.ix_(rows, rows)], check_finite=False)
    except LinAlgError:
        return None
    both = cho_solve(factor, np.column_stack([right, total[rows]]), check_finite=False)
    missing = -float(total @ move)
    multiplier = (missing - float(total[rows] @ both[:, 0])) / float(total[rows] @ both[:, 1])
    whole = move.copy()
    whole[rows] = both[:, 0] + multiplier * both[:, 1]
    return (whole, multiplier) if np.isfinite(whole).all() else None
