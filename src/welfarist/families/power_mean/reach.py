"""How far weights reach at powers far out, where weights themselves mislead.

Far out a welfare is about the largest (the smallest) of the utilities, each multiplied (divided)
by the reach of its person. There a weight of 1e-20 may count, and only its reach says how much.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray

# From this |p| on somebody with a thousandth of the largest weight reaches half as far.
_FAR = 10.0
# A weight that is printed as none, and the least reach that is not none.
_UNSEEN, _SEEN = 1e-3, 0.1


def reach_of(weights: FloatArray, p: float) -> FloatArray | None:
    """Return how far each person's weight reaches (d,), the largest 1; None where weights say it.

    Domain: weights (d,) with a positive sum; any p.

    Formula: ``(w / max w)^(1 / |p|)``, from |p| = 10 on, or where somebody whose weight is below a
    thousandth of the largest reaches a tenth as far; None if everybody who counts reaches the same.

    Limits: at an infinite p, 1 for everybody who counts and 0 for the others.

    Examples
    --------
    >>> reach_of(np.array([1.0, 1e-30]), 30.0).round(3).tolist()
    [1.0, 0.1]
    >>> reach_of(np.array([0.6, 0.4]), -1.0) is None
    True
    """
    shares = weights / weights.max()
    counted = shares > 0
    if (shares == 1.0).all() or p == 0:
        return None
    found = np.zeros(len(shares))
    with np.errstate(over="ignore"):  # of next to no power: they reach nothing
        found[counted] = np.exp(np.log(shares[counted]) / abs(p))
    unseen = counted & (shares < _UNSEEN) & (found >= _SEEN)
    return found if abs(p) >= _FAR or unseen.any() else None


def reach_in_words(p: float, shown: str) -> str:
    """Say in a sentence or two what reach is at a power that is printed as `shown`."""
    if np.isinf(p):
        return (
            f"At p = {shown} weights only say who counts, which is shown as reach: 1 for those who "
            "count, 0 for the others."
        )
    how = (
        "about the largest utility, each times its person's reach, so that somebody with reach 0.2 "
        "decides where they have 5 times as much as one with reach 1."
        if p > 0
        else "about the smallest utility, each divided by its person's reach, so that somebody "
        "with reach 0.2 decides where they have a fifth of what one with reach 1 has."
    )
    return (
        f"At p = {shown} weights mislead: a tiny one may count. What acts is the reach, "
        f"weight^(1/|p|) relative to the largest: the welfare of an action is {how}"
    )
