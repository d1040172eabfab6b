"""Comparisons of the same two actions, counted together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

Pairs = npt.NDArray[np.signedinteger[Any]]
Outcomes = npt.NDArray[np.int8]
# Keys in order, with lead and count (n,).
_Sorted = tuple[npt.NDArray[np.int64], FloatArray, FloatArray]
# A share of comparisons below which those of a pair that came before are added one by one.
_FEW = 0.1
# Keys that are taken apart together.
_PART = 2**16


@dataclass(frozen=True)
class MergedPairs:
    """Each compared pair once, sorted by its first action.

    Attributes
    ----------
    first, second : (n,) arrays of int
        Action numbers, first < second.
    count : (n,) array
        How often the two were compared.
    lead : (n,) array
        How much more often the first was preferred than the second; a tie adds nothing.
    """

    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]
    count: FloatArray
    lead: FloatArray

    def __len__(self) -> int:
        return len(self.first)

    @property
    def total(self) -> float:
        """How many comparisons were observed."""
        return float(self.count.sum())

    def take(self, chosen: npt.NDArray[Any]) -> MergedPairs:
        """Return some of the pairs, in order."""
        return MergedPairs(
            self.first[chosen], self.second[chosen], self.count[chosen], self.lead[chosen]
        )

    def renumbered(self, actions: int) -> tuple[MergedPairs, npt.NDArray[np.intp]]:
        """Return the pairs over the actions they mention only, and which those are."""
        mentioned = np.zeros(actions, dtype=bool)
        mentioned[self.first] = True
        mentioned[self.second] = True
        used = np.flatnonzero(mentioned)
        if len(used) == actions:
            return self, used
        number = np.zeros(actions, dtype=np.int32)
        number[used] = np.arange(len(used), dtype=np.int32)
        return MergedPairs(number[self.first], number[self.second], self.count, self.lead), used


def merged(pairs: Pairs, outcomes: Outcomes, counts: FloatArray, actions: int) -> MergedPairs:
    """Return each pair once, from comparisons (n, 2) of so many actions.

    Parameters
    ----------
    pairs : (n, 2) array of int
        Action numbers.
    outcomes : (n,) array
        +1, -1 or 0.
    counts : (n,) array
        How often each was observed.
    actions : int
        How many there are.
    """
    keys = pair_keys(pairs[:, 0], pairs[:, 1], actions)
    turned = pairs[:, 0] > pairs[:, 1]
    count: FloatArray | None
    if (counts == 1.0).all():
        keys, lead, count = _once_each(keys, outcomes, turned)
    else:
        keys, lead, count = _added_up(*_counted(keys, outcomes, turned, counts))
    first, second = _taken_apart(keys, actions)
    del keys, turned  # of which there may be many
    return MergedPairs(first, second, np.ones(len(first)) if count is None else count, lead)


def _fresh(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which of some sorted keys (n,) are the first of their kind."""
    fresh = np.empty(len(keys), dtype=bool)
    fresh[0] = True
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return fresh


def _added_up(keys: npt.NDArray[np.int64], lead: FloatArray, count: FloatArray) -> _Sorted:
    """Add up comparisons with equal keys."""
    fresh = _fresh(keys)
    if fresh.all():
        return keys, lead, count
    starts = np.flatnonzero(fresh)
    return keys[starts], np.add.reduceat(lead, starts), np.add.reduceat(count, starts)


def _taken_apart(
    keys: npt.NDArray[np.int64], actions: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the two actions (n,) of each key, which are small numbers."""
    first, second = (np.empty(len(keys), dtype=np.int32) for _ in range(2))
    for start in range(0, len(keys), _PART):
        part = slice(start, start + _PART)
        one = keys[part] // actions
        first[part] = one
        second[part] = keys[part] - one * actions  # a division less
    return first, second


def pair_keys(
    one: npt.NDArray[Any], other: npt.NDArray[Any], actions: int
) -> npt.NDArray[np.int64]:
    """Return one number per pair (n,), the same for the same two actions of `actions`; in order.

    In 64 bits, whatever row numbers are kept in: 32 hold the pairs of 46,341 actions only.

    Examples
    --------
    >>> pair_keys(np.array([69_999], np.int32), np.array([69_998], np.int32), 70_000)
    array([4899929999])
    """
    keys: npt.NDArray[np.int64] = np.minimum(one, other, dtype=np.int64)
    keys *= actions
    keys += np.maximum(one, other)
    return keys


def _once_each(
    keys: npt.NDArray[np.int64], outcomes: Outcomes, turned: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], FloatArray, FloatArray | None]:
    """Sort comparisons that were observed once each, and add those with equal keys up.

    No counts are returned where each pair was compared once.

    The outcome travels in the key, so that numbers are sorted and not their places, which would
    have to be held as well. Where few pairs come more than once only those are added; whole numbers
    have the same sum in any order.
    """
    keys *= 3
    keys += 1
    keys += outcomes * (1 - 2 * turned.view(np.int8))
    keys.sort()
    lead = np.empty(len(keys))
    for start in range(0, len(keys), _PART):  # what is needed on the way stays small
        part = slice(start, start + _PART)
        pairs = keys[part] // 3
        np.subtract(keys[part], 3 * pairs + 1, out=lead[part])
        keys[part] = pairs
    fresh = _fresh(keys)
    again = np.flatnonzero(~fresh)
    if not len(again):
        return keys, lead, None
    if len(again) > _FEW * len(fresh):
        starts = np.flatnonzero(fresh)
        count = np.diff(starts, append=len(keys)).astype(np.float64)
        return keys[starts], np.add.reduceat(lead, starts), count
    place = again - np.arange(1, len(again) + 1)  # among those that are kept
    more = lead[again]
    keys, lead = keys[fresh], lead[fresh]
    count = np.ones(len(keys))
    np.add.at(lead, place, more)
    np.add.at(count, place, 1.0)
    return keys, lead, count


def _counted(
    keys: npt.NDArray[np.int64],
    outcomes: Outcomes,
    turned: npt.NDArray[np.bool_],
    counts: FloatArray,
) -> _Sorted:
    """Sort comparisons that were observed differently often."""
    order = np.argsort(keys)
    if not counts.all():  # a comparison observed no times says nothing
        order = order[counts[order] > 0]
    count = counts[order]
    lead = np.where(turned, -outcomes, outcomes)[order] * count
    return keys[order], lead, count
