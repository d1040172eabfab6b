"""How much an answer is expected to tell, in bits.

About the rule: mutual information between the answer and the rule (BALD), the entropy of the answer
less the entropy that is left once the rule is known. About which action is best: the same with the
best action in the place of the rule.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from welfarist.asking.coordinates import Rules
from welfarist.asking.evidence import preferred
from welfarist.asking.welfares import margins
from welfarist.base.validation import FloatArray

IntArray = npt.NDArray[np.intp]


def answer_chances(
    welfares: FloatArray, pairs: IntArray, rules: Rules, ties: bool
) -> list[FloatArray]:
    """Return how likely each answer is under each rule: arrays (S, K), two or three of them.

    Parameters
    ----------
    welfares : (S, N) array
        Log welfare of the actions.
    pairs : (K, 2) array of int
        Columns of `welfares`.
    """
    z = margins(welfares[:, pairs[:, 0]], welfares[:, pairs[:, 1]])
    z *= rules.taus[:, None]
    one, other = preferred(z, rules, ties)
    return [one, other, np.maximum(1.0 - one - other, 0.0)] if ties else [one, other]


def gain_about_rule(chances: list[FloatArray], shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the bits (K,) an answer tells about the rule, and those (K,) that are mere chance."""
    before = sum(_surprise(shares @ chance) for chance in chances)
    left = sum(shares @ _surprise(chance) for chance in chances)
    return np.asarray(np.maximum(before - left, 0.0)), np.asarray(left)


def gain_about_best(chances: list[FloatArray], shares: FloatArray, best: IntArray) -> FloatArray:
    """Return the bits (K,) an answer tells about which action (S,) is best."""
    _, number = np.unique(best, return_inverse=True)
    number = number.reshape(-1)
    belongs = np.zeros((number.max() + 1, len(best)))
    belongs[number, np.arange(len(best))] = shares
    often = belongs.sum(axis=1)
    found = np.zeros(chances[0].shape[1])
    for chance in chances:
        within = (belongs @ chance) / often[:, None]
        found += _surprise(shares @ chance) - often @ _surprise(within)
    return np.maximum(found, 0.0)


def _surprise(chance: FloatArray) -> FloatArray:
    """``-p log2 p``, 0 at 0."""
    return np.asarray(-chance * np.log2(np.maximum(chance, np.finfo(np.float64).tiny)))
