"""What a rule asks in return for a loss: gains to the others that make up for it.

In an action some people lose a share of what they have and everybody else gains the same
percentage. The gain at which the rule finds the change just acceptable says how averse to
inequality it is, in terms that need no formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, is_real
from welfarist.families.rule import WelfareFunction
from welfarist.people.utility_tables import as_utility_table

# Gains of which a rule of another family is asked: between the smallest and the largest so many,
# evenly in their logarithms, and between two of them so many halvings.
_SMALLEST, _LARGEST, _TRIED, _HALVINGS = 1e-6, 1e12, 60, 40


@dataclass(frozen=True, eq=False)
class WorstOff:
    """Who belongs to the worst-off third in each action, where equal people take turns.

    Attributes
    ----------
    actions : (M,) array of int
        Whose turn it is in which action: an action without ties has one turn.
    losing : (M, d) array of bool
        Who belongs to the worst-off third in that turn.
    counts : (M,) array
        For how much of an action a turn counts; those of an action sum to 1.
    """

    actions: npt.NDArray[np.intp]
    losing: npt.NDArray[np.bool_]
    counts: FloatArray


def worst_off(utilities: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> WorstOff:
    """Say who belongs to the worst-off third in each action (N, d).

    A third is rounded to whole people, at least one. Where more people are equally badly off than
    there are places left, they take turns in the order of their `weights`, each as often as the
    others, so that nothing depends on the order in which people are listed.

    Examples
    --------
    >>> worst_off([[3.0, 1.0, 2.0, 9.0]]).losing
    array([[False,  True, False, False]])
    >>> tied = worst_off([[2.0, 2.0]])
    >>> tied.losing, tied.counts
    (array([[ True, False],
           [False,  True]]), array([0.5, 0.5]))
    """
    table, _ = as_utility_table(utilities)
    people = table.shape[1]
    order = np.argsort(np.zeros(people) if weights is None else np.asarray(weights), kind="stable")
    places = third(people)
    boundary = np.sort(table, axis=1)[:, places - 1, None]
    below, tied = table < boundary, table == boundary
    candidates, left = tied.sum(axis=1), places - below.sum(axis=1)
    turns = turns_of(table)
    place = np.empty(table.shape, dtype=np.intp)
    place[:, order] = np.cumsum(tied[:, order], axis=1) - 1
    action = np.repeat(np.arange(len(table)), turns)
    turn = np.arange(len(action)) - np.repeat(np.cumsum(turns) - turns, turns)
    after = (place[action] - turn[:, None]) % candidates[action, None]
    losing = below[action] | (tied[action] & (after < left[action, None]))
    return WorstOff(action, losing, 1.0 / turns[action])


def turns_of(table: FloatArray) -> npt.NDArray[np.intp]:
    """How many turns people take at the end of the worst-off third, for each action (N, d)."""
    ordered, places = np.sort(table, axis=1), third(table.shape[1])
    boundary = ordered[:, places - 1, None]
    fits = (ordered <= boundary).sum(axis=1) == places
    return np.where(fits, 1, (ordered == boundary).sum(axis=1))


def third(people: int) -> int:
    """How many people a third of them is: whole ones, at least one."""
    return max(1, round(people / 3))


def required_gain(
    rule: Any,
    utilities: npt.ArrayLike,
    losing: npt.NDArray[np.bool_],
    loss: float,
) -> FloatArray:
    """Return the gain of the others that makes up for a loss, for each action.

    Parameters
    ----------
    rule : WelfareFunction, or a rule of another family
    utilities : (N, d) array-like
        Of the actions from which the changes start.
    losing : (N, d) array of bool
        Who loses in each action; all others gain.
    loss : float
        The share of their utility that the losing people lose, in (0, 1); like the gain it is one
        of what the rule sees, its shift included.

    Returns
    -------
    (N,) array
        By which share the others' utilities must rise; inf where no gain is enough, 0 where those
        who lose do not count.

    Notes
    -----
    Let s be the share of those who lose in ``Σ w u^p``. Welfare stays where it is if
    ``s (1 - loss)^p + (1 - s) (1 + gain)^p = 1``; where s (1 - loss)^p reaches 1 with p < 0, no
    gain is enough. A rule of another family is asked about gains up to 1e12, and its answer is the
    smallest that it accepts.

    Examples
    --------
    >>> rule = WelfareFunction(p=0)
    >>> required_gain(rule, [[1.0, 4.0]], np.array([[True, False]]), 0.2)
    array([0.25])
    >>> required_gain(WelfareFunction(float("-inf")), [[1.0, 4.0]], np.array([[True, False]]), 0.2)
    array([inf])
    """
    if not is_real(loss) or not 0 < loss < 1:
        raise InputError(f"loss must be a share between 0 and 1, such as 0.1; found {loss!r}.")
    shift = getattr(rule, "shift", 0.0)
    table, _ = as_utility_table(utilities, -shift)
    if shift:
        table, rule = table + shift, rule.shifted(0.0)
    if not isinstance(rule, WelfareFunction):
        return _first_accepted(rule, table, losing, loss)
    if not (np.asarray(rule(table)) > 0).all():
        raise InputError(
            "every action must have a positive welfare; found one of 0, of which no share can be "
            "gained or lost. Leave out actions with utilities of 0, or use a rule with a shift."
        )
    if np.isposinf(rule.p):
        return _at_best_off(rule, table, losing, loss)
    if np.isneginf(rule.p):
        return _at_worst_off(rule, table, losing, loss)
    share = np.where(losing, rule.shares(table), 0.0).sum(axis=1)
    others = np.where(losing, 0.0, rule.shares(table)).sum(axis=1)
    fall = np.log1p(-loss)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        odds = share / others
        rise = -odds * fall if rule.p == 0 else _log_rise(odds, rule.p, fall)
        return np.where(share > 0, np.expm1(rise), 0.0)


def _first_accepted(
    rule: Any, table: FloatArray, losing: npt.NDArray[np.bool_], loss: float
) -> FloatArray:
    """The smallest gain (N,) at which a rule of any family finds the change no worse."""
    before = np.asarray(rule.value(table))

    def accepts(gain: FloatArray) -> npt.NDArray[np.bool_]:
        after = np.where(losing, (1.0 - loss) * table, (1.0 + gain[:, None]) * table)
        with np.errstate(all="ignore"):
            return np.asarray(rule.value(after) >= before)

    low, high = np.zeros(len(table)), np.full(len(table), np.inf)
    for gain in np.geomspace(_SMALLEST, _LARGEST, _TRIED).tolist():
        tried = np.isinf(high)
        enough = accepts(np.full(len(table), gain)) & tried
        low = np.where(tried & ~enough, gain, low)
        high = np.where(enough, gain, high)
    found = np.isfinite(high)
    ends = np.where(found, high, 1.0)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + ends)
        enough = accepts(middle)
        low, ends = np.where(enough, low, middle), np.where(enough, middle, ends)
    free = accepts(np.zeros(len(table)))
    return np.where(free, 0.0, np.where(found, ends, np.inf))


def _log_rise(odds: FloatArray, p: float, fall: float) -> FloatArray:
    """Logarithm of 1 + gain, from the odds s / (1 - s), written so that small p keep digits."""
    inside = -odds * np.expm1(p * fall)
    return np.where(inside > -1.0, np.log1p(np.maximum(inside, -1.0)) / p, np.inf)


def _at_worst_off(
    rule: WelfareFunction, table: FloatArray, losing: npt.NDArray[np.bool_], loss: float
) -> FloatArray:
    """At p = -inf only the worst-off person who counts matters, whom others cannot help."""
    weights = np.ones(table.shape[1]) if rule.weights is None else rule.weights
    counted = np.where(weights > 0, table, np.inf)
    after = np.where(losing, (1.0 - loss) * counted, np.inf).min(axis=1)
    return np.where(after < counted.min(axis=1), np.inf, 0.0)


def _at_best_off(
    rule: WelfareFunction, table: FloatArray, losing: npt.NDArray[np.bool_], loss: float
) -> FloatArray:
    """At p = inf only the best-off person who counts matters, before and after."""
    weights = np.ones(table.shape[1]) if rule.weights is None else rule.weights
    counted = np.where(weights > 0, table, 0.0)
    before = counted.max(axis=1)
    after = np.where(losing, (1.0 - loss) * counted, 0.0).max(axis=1)
    others = np.where(losing, 0.0, counted).max(axis=1)
    with np.errstate(divide="ignore"):
        return np.where(after >= before, 0.0, np.maximum(before / others - 1.0, 0.0))
