"""Who makes one action better than another: Shapley values of people for a difference in value.

The game is: those in a coalition have what the first action gives them, all others what the second
does. A person's value is what they add to log welfare, averaged over all orders in which people can
join; together they add up to the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import factorial

import numpy as np

from welfarist.base.validation import FloatArray

# People up to whom all coalitions are looked at: 262,144 of them, in a fifth of a second.
MOST_EXACT = 18
# Pairs of opposite orders in which more people join, and entries of the arrays that takes.
_ORDERS, _FEWEST, _ENTRIES = 1000, 20, 40_000_000

Value = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Shapley:
    """What each person adds to a difference in value.

    Attributes
    ----------
    values : (d,) array
        They sum to the difference.
    errors : (d,) array
        Standard errors; 0 where all coalitions were looked at.
    orders : int or None
        How many orders were drawn; None where all count.
    """

    values: FloatArray = field(repr=False)
    errors: FloatArray = field(repr=False)
    orders: int | None = None


def shapley(value: Value, first: FloatArray, second: FloatArray, seed: int = 0) -> Shapley:
    """Return what each person adds to ``value(first) - value(second)``.

    Parameters
    ----------
    value : callable
        Takes actions (n, d) and returns their values (n,), finite for all mixtures of the two.
    first, second : (d,) arrays
        What everybody has.
    seed : int
        Of the orders that are drawn where people are more than 18.
    """
    if len(first) <= MOST_EXACT:
        return Shapley(_exact(value, first, second), np.zeros(len(first)))
    return _sampled(value, first, second, seed)


def _exact(value: Value, first: FloatArray, second: FloatArray) -> FloatArray:
    people = len(first)
    coalitions = np.arange(1 << people)
    inside = (coalitions[:, None] >> np.arange(people)) & 1 == 1
    worth = np.asarray(value(np.where(inside, first, second)))
    sizes = inside.sum(axis=1)
    shares = np.array(
        [factorial(s) * factorial(people - 1 - s) / factorial(people) for s in range(people)]
    )
    found = np.empty(people)
    for person in range(people):
        without = coalitions[~inside[:, person]]
        gains = worth[without | (1 << person)] - worth[without]
        found[person] = float(shares[sizes[without]] @ gains)
    return found


def _sampled(value: Value, first: FloatArray, second: FloatArray, seed: int) -> Shapley:
    """The same from random orders and their opposites, so that those who join early join late."""
    people = len(first)
    rng = np.random.default_rng(seed)
    count = min(max(_ENTRIES // (2 * people * people), _FEWEST), _ORDERS)
    gains = np.empty((count, people))
    for row in range(count):
        order = rng.permutation(people)
        gains[row] = 0.5 * (
            _of_order(value, first, second, order) + _of_order(value, first, second, order[::-1])
        )
    errors = gains.std(axis=0, ddof=1) / np.sqrt(count)
    return Shapley(gains.mean(axis=0), errors, 2 * count)


def _of_order(value: Value, first: FloatArray, second: FloatArray, order: np.ndarray) -> FloatArray:
    joined = np.empty(len(order), dtype=np.intp)
    joined[order] = np.arange(len(order))
    steps = np.where(joined[None, :] < np.arange(len(order) + 1)[:, None], first, second)
    found = np.empty(len(order))
    found[order] = np.diff(np.asarray(value(steps)))
    return found
