"""The quadratic step among so many weights that their curvature is known by its products only.

As in :mod:`~welfarist.solvers.active_set` it is guessed which bounds hold, what is left is solved,
and the guess is corrected until it is confirmed. What is left is a linear system, here solved by
conjugate gradients among moves that keep the sum, from the solution of the last guess on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

Product = Callable[[FloatArray], FloatArray]

_MOST_GUESSES = 40
_MOST_PRODUCTS = 200
# How closely the systems of the first guesses are solved: later ones to the end, as what is rough
# may go round in circles.
_ROUGHLY, _ROUGH_GUESSES = 0.1, 5


def minimise_by_products(
    gradient: FloatArray,
    product: Product,
    total: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    tolerance: float,
) -> tuple[FloatArray, npt.NDArray[np.bool_]] | None:
    """Minimise ``g'x + x'Hx / 2`` within bounds, where ``total'x = 0``.

    Parameters
    ----------
    gradient : (q,) array
    product : callable
        Gives H x. Variables should be of a unit in which H has a diagonal of ones.
    total : (q,) array
        0 where a variable is not part of the sum.
    lower, upper : (q,) arrays
        At most 0, and at least 0.
    tolerance : float
        How small what is left of the gradient must be, relatively.

    Returns
    -------
    The minimiser (q,), and which of its lower bounds hold (q,); or None if no guess was confirmed,
    or H is not positive along some move.
    """
    multiplier = _multiplier(gradient, total, lower < 0.0)
    held_low = (lower >= 0.0) & (gradient > multiplier * total)
    held_high = np.zeros(len(gradient), dtype=bool)
    move, pull = np.zeros(len(gradient)), gradient
    wrong = np.where(held_low, 0.0, gradient - multiplier * total)
    size, aim = float(np.linalg.norm(wrong)), max(tolerance, _ROUGHLY)
    for guesses in range(_MOST_GUESSES):
        if guesses == _ROUGH_GUESSES:
            aim = tolerance
        held, enough = held_low | held_high, aim * size
        slack = enough / np.sqrt(len(gradient))
        guess = np.where(held_low, lower, np.where(held_high, upper, move))
        found = _free(gradient, product, total, guess, ~held, enough)
        if found is None:
            return None
        move, pull, multiplier = found
        away = pull - multiplier * total
        low = np.where(held_low, away > -slack, ~held & (move < lower))
        high = np.where(held_high, away < slack, ~held & (move > upper))
        if np.array_equal(low, held_low) and np.array_equal(high, held_high):
            if aim <= tolerance:
                return move, held_low
            aim = tolerance
        held_low, held_high = low, high
    return None


def _multiplier(pull: FloatArray, total: FloatArray, free: npt.NDArray[np.bool_]) -> float:
    """What a unit of the sum is worth to those who are free."""
    part = np.where(free, total, 0.0)
    size = float(part @ part)
    return float(part @ pull) / size if size else 0.0


def _free(
    gradient: FloatArray,
    product: Product,
    total: FloatArray,
    guess: FloatArray,
    free: npt.NDArray[np.bool_],
    enough: float,
) -> tuple[FloatArray, FloatArray, float] | None:
    """Return the move with the best free entries, the gradient there, and the sum's multiplier."""
    along = np.where(free, total, 0.0)
    size = float(along @ along)
    if not size:
        return None

    def inside(vector: FloatArray) -> FloatArray:
        kept = np.where(free, vector, 0.0)
        kept -= along * (float(along @ kept) / size)
        return kept

    move = guess - along * (float(total @ guess) / size)
    pull = gradient + product(move)
    left = inside(-pull)
    step, square = left.copy(), float(left @ left)
    for _ in range(_MOST_PRODUCTS):
        if square <= enough * enough:
            return move, pull, _multiplier(pull, total, free)
        bent = product(step)
        curvature = float(step @ bent)
        if not curvature > 0.0:
            return None
        length = square / curvature
        move = move + length * step
        pull = pull + length * bent
        left = inside(-pull)
        before, square = square, float(left @ left)
        step = left + (square / before) * step
    return move, pull, _multiplier(pull, total, free)


def on_face(
    gradient: FloatArray,
    product: Product,
    total: FloatArray,
    free: npt.NDArray[np.bool_],
    tolerance: float,
) -> FloatArray | None:
    """Minimise ``g'x + x'Hx / 2`` among free moves that keep the sum, without other bounds."""
    enough = tolerance * float(np.linalg.norm(gradient))
    found = _free(gradient, product, total, np.zeros(len(gradient)), free, enough)
    return None if found is None else found[0]
