"""The weights' home: the quadratic step that never leaves the simplex."""

from __future__ import annotations

from math import isfinite

import daqp
import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.solvers.active_set import minimise_within

_EQUALITY = 5  # daqp's mark for a constraint that holds with equality
_PRIMAL_TOLERANCE = 1e-11
_SMALLEST_WEIGHT = 1e-290
# Weights that are very many: bounds are guessed together, and not exchanged one by one.
MANY = 150
# Moves of weights that miss a sum of 0 by more than this are not rounding.
_MISSED = 1e-3


class QuadraticStep:
    """Minimise ``g'x + x'Hx / 2`` over moves that keep weights on the simplex.

    The first `weights` entries of x are moves of the weights, each in a unit of its own; together
    they sum to zero. Every entry has bounds of its own. Variables are scaled to a unit diagonal
    first: the curvature in a weight and in the power differ by many orders of magnitude, and the
    active-set method would lose both time and digits on the raw matrix.
    """

    def __init__(self, weights: int, others: int) -> None:
        size = weights + others
        constraints = size + (weights > 0)
        self._weights = weights
        self._size = size
        self._sense = np.zeros(constraints, dtype=np.int32)
        if weights:
            self._sense[-1] = _EQUALITY
        self._sum = np.zeros((constraints - size, size))
        # The last bounds are those of the sum of the weights' moves, which is 0.
        self._lower, self._upper = np.zeros(constraints), np.zeros(constraints)

    def solve(
        self,
        gradient: FloatArray,
        curvature: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        units: FloatArray,
    ) -> FloatArray | None:
        """Return the best move (q,) for a positive definite `curvature` (q, q), or None.

        None means that floating-point arithmetic found no feasible point; more damping helps.
        A weight whose lower bound is active moves exactly to it.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # no step is found then
            return self._solve(gradient, curvature, lower, upper, units)

    def _solve(
        self,
        gradient: FloatArray,
        curvature: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        units: FloatArray,
    ) -> FloatArray | None:
        diagonal = curvature.diagonal()
        if not (all_finite(gradient) and all_finite(diagonal)):
            return None
        if self._size == 1 and not self._weights:
            return np.minimum(np.maximum(-gradient / diagonal, lower), upper)
        inverse = np.sqrt(diagonal)
        scale = 1.0 / inverse
        size, weights = self._size, self._weights
        if weights:
            np.multiply(units, scale[:weights], out=self._sum[0, :weights])
        np.multiply(lower, inverse, out=self._lower[:size])
        np.multiply(upper, inverse, out=self._upper[:size])
        matrix = curvature * scale  # it overflows where rounding is all that a diagonal is made of
        matrix *= scale[:, None]
        if not all_finite(matrix):
            return None
        if self._weights >= MANY:
            bounds = self._lower[: self._size], self._upper[: self._size]
            found = minimise_within(gradient * scale, matrix, self._sum[0], *bounds)
            if found is not None:
                move = np.clip(found[0] * scale, lower, upper)
                held = np.flatnonzero(found[1][: self._weights])
                move[held] = lower[held]
                return self._kept_sum(move, lower, units)
        move, _, flag, info = daqp.solve(
            matrix,
            gradient * scale,
            self._sum,
            self._upper,
            self._lower,
            self._sense,
            primal_tol=_PRIMAL_TOLERANCE,
        )
        if flag < 1 or not all_finite(move):
            return None
        move *= scale
        np.maximum(move, lower, out=move)
        np.minimum(move, upper, out=move)
        if not weights:
            return np.asarray(move)
        held = info["lam"][:weights].nonzero()[0]
        if len(held):
            move[held] = lower[held]
        return self._kept_sum(move, lower, units)

    def _kept_sum(
        self, move: FloatArray, lower: FloatArray, units: FloatArray
    ) -> FloatArray | None:
        """Return a move (q,) whose weights sum to 0, or None if there is none within the bounds.

        Where the loss is all but flat in the heaviest weight, the method's tolerance is larger than
        that weight, and its move could be anything: it is what the others' moves leave.
        """
        missed = float(units @ move[: self._weights])
        if abs(missed) <= _MISSED:
            return np.asarray(move)
        heaviest = int(np.argmax(units))
        move[heaviest] = 0.0
        move[heaviest] = -float(units @ move[: self._weights]) / units[heaviest]
        return np.asarray(move) if move[heaviest] >= lower[heaviest] else None


def all_finite(numbers: FloatArray) -> bool:
    """Whether all of some numbers are finite; their sum of squares says so at once, if it is.

    To be called where overflows are no news.
    """
    flat = numbers.ravel()
    return isfinite(flat.dot(flat)) or bool(np.isfinite(flat).all())


def onto_simplex(weights: FloatArray) -> FloatArray:
    """Remove what rounding left: negatives become exact zeros, the sum becomes 1.

    So do weights whose inverse would overflow.
    """
    clean = weights * (weights > _SMALLEST_WEIGHT)
    clean /= clean.sum()
    return np.asarray(clean)


def project(vector: FloatArray) -> FloatArray:
    """Return the point of the simplex nearest to a vector (d,), by Condat's algorithm.

    Condat (2016), "Fast projection onto the simplex and the l1 ball", Algorithm 1: one pass finds
    candidates for the support and a threshold from below, a few more drop those under it. Expected
    cost grows linearly with d.
    """
    entries = vector.tolist()
    kept = [entries[0]]
    waiting: list[float] = []
    threshold = entries[0] - 1.0
    for entry in entries[1:]:
        if entry > threshold:
            threshold += (entry - threshold) / (len(kept) + 1)
            if threshold > entry - 1.0:
                kept.append(entry)
            else:
                waiting.extend(kept)
                kept = [entry]
                threshold = entry - 1.0
    for entry in waiting:
        if entry > threshold:
            kept.append(entry)
            threshold += (entry - threshold) / len(kept)
    changed = True
    while changed:
        changed = False
        remaining = []
        count = len(kept)
        for entry in kept:
            if entry <= threshold:
                count -= 1
                threshold += (threshold - entry) / count
                changed = True
            else:
                remaining.append(entry)
        kept = remaining
    return np.asarray(np.maximum(vector - threshold, 0.0))
