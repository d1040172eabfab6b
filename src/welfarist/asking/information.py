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


def gain_about_best(
    chances: list[FloatArray], shares: FloatArray, best: IntArray, actions: int
) -> FloatArray:
    """Return the bits (K,) an answer tells about which action (S,) is best.

    Parameters
    ----------
    best : (S,) array of int
        The best action under each rule; -1 where there is none, and each of the `actions` is as
        likely to be called the best.
    """
    belongs = _belonging(shares, best, actions)
    often = belongs.sum(axis=1)
    found = np.zeros(chances[0].shape[1])
    for chance in chances:
        within = (belongs @ chance) / often[:, None]
        found += _surprise(shares @ chance) - often @ _surprise(within)
    return np.maximum(found, 0.0)


def _belonging(shares: FloatArray, best: IntArray, actions: int) -> FloatArray:
    """With what share each rule (S,) finds each action best, one row an action, (A, S).

    Actions that no rule finds better than all others are one row: rules without a best action say
    the same of each of them.
    """
    known, lost = best >= 0, best < 0
    found, number = np.unique(best[known], return_inverse=True)
    belongs = np.zeros((len(found) + 1, len(best)))
    belongs[number.reshape(-1), np.flatnonzero(known)] = shares[known]
    belongs[:-1, lost] = shares[lost] / actions
    belongs[-1, lost] = shares[lost] * (actions - len(found)) / actions
    return belongs[belongs.any(axis=1)]


def _surprise(chance: FloatArray) -> FloatArray:
    """``-p log2 p``, 0 at 0."""
    return np.asarray(-chance * np.log2(np.maximum(chance, np.finfo(np.float64).tiny)))
