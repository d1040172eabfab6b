"""Questions that could be put: pairs of actions of a table, or outcomes made up for the purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.decisions.merged_pairs import pair_keys

IntArray = npt.NDArray[np.intp]
Answer = Literal["first", "second", "equal", "skip"]
# Pairs that are drawn, and pairs that are looked at closely.
_DRAWN, _LOOKED_AT = 6000, 600
# Entries compared at a time: what fits into the cache of one core.
_COMPARED = 120_000
# Neighbours in the order of expected welfare that are taken in as well: their margins are small.
_NEIGHBOURS = 2
# Outcomes that are made up, and digits of their utilities.
_MADE_UP, _DIGITS = 1500, 2
# Of those questions, the share in which three people are traded and not two.
_OF_THREE = 0.4


@dataclass(frozen=True)
class Question:
    """Two actions that are put to a decision maker.

    Attributes
    ----------
    first, second : int
        Row numbers, in the order in which they are shown.
    bits : float
        How much the answer is expected to tell.
    reason : str
        Why it is asked.
    """

    first: int
    second: int
    bits: float
    reason: str

    @property
    def pair(self) -> frozenset[int]:
        """Both actions, in no order."""
        return frozenset((self.first, self.second))


def screened_pairs(
    welfares: FloatArray, expected: FloatArray, rng: np.random.Generator
) -> IntArray:
    """Return pairs (K, 2) of actions on which rules disagree, among many that are drawn.

    Parameters
    ----------
    welfares : (S, N) array
        Log welfare under some rules, equally likely.
    expected : (N,) array
        Their mean, in which neighbours are close.
    """
    size = len(expected)
    first = rng.integers(0, size, _DRAWN)
    second = (first + rng.integers(1, size, _DRAWN)) % size
    some = [np.column_stack([first, second])]
    order = np.argsort(expected, kind="stable")
    some += [
        np.column_stack([order[:-k], order[k:]]) for k in range(1, _NEIGHBOURS + 1) if k < size
    ]
    drawn = np.concatenate(some)
    keys = np.unique(pair_keys(drawn[:, 0], drawn[:, 1], size))
    pairs = np.column_stack(np.divmod(keys, size)).astype(np.intp)
    votes = _votes(np.ascontiguousarray(welfares.T), pairs)
    disagreement = np.abs(votes - 0.5)
    chosen = np.argsort(disagreement, kind="stable")[:_LOOKED_AT]
    return np.asarray(pairs[chosen])


def _votes(welfares: FloatArray, pairs: IntArray) -> FloatArray:
    """Return which share of rules prefers the first of each pair (K,), of log welfares (N, S)."""
    size = welfares.shape[1]
    each, nothing = np.ones(size, dtype=np.float32), bool(np.isneginf(welfares).any())
    votes = np.empty(len(pairs))
    step = max(1, _COMPARED // max(size, 1))
    for start in range(0, len(pairs), step):
        part = slice(start, start + step)
        one, other = welfares[pairs[part, 0]], welfares[pairs[part, 1]]
        votes[part] = (one > other).astype(np.float32) @ each
        if nothing:  # both worth nothing: half a vote for each
            votes[part] += 0.5 * ((one == other).astype(np.float32) @ each)
    return np.asarray(votes / size)


def made_up(table: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return pairs of outcomes (K, 2, d) that trade two or three people of a table (N, d).

    Everybody else has the same in both: what they have in some action. Those who are traded have
    what they have in two other actions, rounded to two digits; some gain, and some lose.
    """
    size, people = table.shape
    filled = np.where(np.isnan(table), np.nanmedian(table, axis=0), table)
    base = filled[rng.integers(0, size, _MADE_UP)]
    both = filled[rng.integers(0, size, (_MADE_UP, 2))]
    traded = np.where(rng.random(_MADE_UP) < _OF_THREE, 3, 2)
    rank = np.argsort(rng.random((_MADE_UP, people)), axis=1)
    concerned = np.zeros((_MADE_UP, people), dtype=bool)
    np.put_along_axis(concerned, rank, np.arange(people) < traded[:, None], axis=1)
    outcomes = np.where(concerned[:, None, :], both, base[:, None, :])
    outcomes = rounded(outcomes)
    ahead = outcomes[:, 0] > outcomes[:, 1]
    behind = outcomes[:, 0] < outcomes[:, 1]
    return outcomes[ahead.any(axis=1) & behind.any(axis=1)]


def rounded(values: FloatArray) -> FloatArray:
    """Return numbers rounded to two digits.

    Examples
    --------
    >>> rounded(np.array([0.0, 0.0317, 12.3, 1260.0])).tolist()
    [0.0, 0.032, 12.0, 1300.0]
    """
    size = np.floor(np.log10(np.where(values > 0, values, 1.0)))
    unit = 10.0 ** (size - (_DIGITS - 1))
    whole = np.round(values / unit)
    # A unit below 1 is no number of the computer; its inverse is.
    return np.where(unit < 1, whole / np.round(1.0 / np.minimum(unit, 1.0)), whole * unit)


def traded_people(one: FloatArray, other: FloatArray, weights: FloatArray) -> IntArray:
    """Return whom each question (K,) is about most: who gains and who loses most, (K, 2), sorted.

    Parameters
    ----------
    one, other : (K, d) arrays
        What everybody has.
    weights : (d,) array
        How much everybody is expected to count.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.nan_to_num(weights * (np.log(one) - np.log(other)), posinf=1e9, neginf=-1e9)
    found = np.column_stack([gain.argmax(axis=1), gain.argmin(axis=1)])
    return np.sort(found, axis=1)


def concerned(one: FloatArray, other: FloatArray) -> IntArray:
    """Return how many people (K,) have not the same in both of two outcomes (K, d)."""
    there = ~(np.isnan(one) & np.isnan(other))
    return np.asarray(((one != other) & there).sum(axis=1))
