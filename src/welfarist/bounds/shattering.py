"""Comparisons that can be decided in every way: why learning needs as much as it does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.bounds.capacity import vc_dimension_lower
from welfarist.bounds.parameters import Weights, check_people, check_weights
from welfarist.bounds.sign_changes import pair_within

# The crossings lie in [-3, 3], the log utilities start out in [-8/3, 8/3].
_HIGHEST_POWER = 3.0
_REACH = 8.0 / _HIGHEST_POWER
# With 7 comparisons welfares would differ by less than rounding where they should be told apart.
_MOST_COMPARISONS = 6


@dataclass(frozen=True, eq=False)
class Shattered:
    """Comparisons, and for every way to decide them a rule that does so.

    Attributes
    ----------
    first, second : (m, d) arrays
        Utilities of the two actions of each comparison.
    labelings : (2^m, m) array of +1 and -1
        Every way to decide; +1 prefers the first action.
    powers : (2^m,) array
        The power of the rule that decides so.
    weights : (2^m, d) array
        The weights of the rule that decides so.
    """

    first: FloatArray
    second: FloatArray
    labelings: npt.NDArray[np.int8]
    powers: FloatArray
    weights: FloatArray


def shattered_comparisons(d: int, weights: Weights = "known") -> Shattered:
    """Construct comparisons that the rules of d people decide in every way [PSPS24, Lemma 4.1 (c)].

    *Known, equal weights*: log2 d + 1 comparisons (rounded up) from d = 4 on, 2 at d = 3, 1 at
    d = 2. Their crossings are interleaved so that one comparison changes its sign at a time and
    the signs run through a Gray code of all labelings as p grows. The code is balanced: no
    comparison changes more often than the d - 1 crossings that equal weights allow. Below d = 4
    there is no room for log2 d + 1 comparisons; see :func:`welfarist.bounds.vc_dimension_lower`.

    *Unknown weights*: d - 1 comparisons. The i-th gives one unit to person i or to the last
    person; at p = 1 that is a choice between their weights.

    Parameters
    ----------
    d : int
        Number of people, from 2 to 32 with known weights and to 17 with unknown ones.
    weights : "known" or "unknown"
        "known" fixes equal weights, so that only p can differ between the rules.

    Examples
    --------
    >>> found = shattered_comparisons(4)
    >>> found.first.shape, len(np.unique(found.labelings, axis=0))
    ((3, 4), 8)
    >>> from welfarist import WelfareFunction
    >>> [WelfareFunction(p).compare(found.first, found.second).tolist() for p in found.powers[:3]]
    [[1, 1, 1], [-1, 1, 1], [-1, -1, 1]]
    """
    people = check_people(d)
    if check_weights(weights) == "known":
        _require(2 <= people <= 2 ** (_MOST_COMPARISONS - 1), people, 2 ** (_MOST_COMPARISONS - 1))
        return _by_power(people, math.ceil(vc_dimension_lower(people, "known")))
    _require(2 <= people <= 17, people, 17)  # 16 comparisons have 65,536 labelings
    return _by_weights(people)


def _by_power(people: int, comparisons: int) -> Shattered:
    """Comparisons decided by p alone, everybody counting the same."""
    changes = np.array(_balanced_gray_code(comparisons))
    crossings = np.linspace(-_HIGHEST_POWER, _HIGHEST_POWER, len(changes) + 2)[1:-1]
    edges = np.concatenate([[-_HIGHEST_POWER], crossings, [_HIGHEST_POWER]])
    first = np.ones((comparisons, people))
    second = np.ones((comparisons, people))
    for k in range(comparisons):
        u, v = pair_within(crossings[changes == k], _REACH)
        # Whoever is left gets 1 from both, which drops out.
        first[k, : len(u)], second[k, : len(v)] = u, v
    flips = np.ones((len(changes) + 1, comparisons), dtype=np.int8)
    flips[np.arange(len(changes)) + 1, changes] = -1
    labelings = np.cumprod(flips, axis=0, dtype=np.int8)
    powers = 0.5 * (edges[1:] + edges[:-1])
    return Shattered(first, second, labelings, powers, np.full((len(powers), people), 1.0 / people))


def _by_weights(people: int) -> Shattered:
    """Comparisons decided by the weights alone, at p = 1."""
    comparisons = people - 1
    first = np.ones((comparisons, people)) + np.eye(comparisons, people)
    second = np.ones((comparisons, people))
    second[:, -1] += 1.0
    codes = np.arange(2**comparisons)[:, None] >> np.arange(comparisons) & 1
    labelings = (1 - 2 * codes).astype(np.int8)
    # The last person counts 2; those who are to be preferred count 3, the others 1.
    counts = np.column_stack([2.0 + labelings, np.full(len(labelings), 2.0)])
    weights = counts / counts.sum(axis=1, keepdims=True)
    return Shattered(first, second, labelings, np.ones(len(weights)), weights)


@lru_cache
def _balanced_gray_code(bits: int) -> tuple[int, ...]:
    """Return which bit changes at each step through all 2^bits words, each bit about as often."""
    words = 2**bits
    most = math.ceil((words - 1) / bits)
    steps: list[int] = []
    used = [0] * bits
    seen = {0}

    def extended(word: int) -> bool:
        if len(seen) == words:
            return True
        for bit in sorted(range(bits), key=used.__getitem__):
            following = word ^ (1 << bit)
            if following in seen or used[bit] == most:
                continue
            seen.add(following)
            steps.append(bit)
            used[bit] += 1
            if extended(following):
                return True
            seen.remove(following)
            steps.pop()
            used[bit] -= 1
        return False

    extended(0)
    return tuple(steps)


def _require(holds: bool, people: int, most: int) -> None:
    if not holds:
        raise InputError(
            f"d must be between 2 and {most} here; found {people}. One person's choices do not "
            "depend on the rule, and many people's labelings are too many to list or to tell "
            "apart in double precision."
        )
