"""The exact best step along a line of weights, for the share of menus that a rule gets wrong.

Along a chord every pair changes its answer at most once. A claim is right where all its pairs are:
from the last that turns to its favour to the first that turns against it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.chords import Contrast, Step, widest_best
from welfarist.counting.menus.claims import Claims

# Sums of shares that differ by less than this share of all are the same.
_SAME = 1e-12


@dataclass(frozen=True)
class MenuVotes:
    """The pairs of actions that menus tell apart, and what they claim.

    Attributes
    ----------
    first, second : (n,) arrays of int
        Action numbers.
    claims : Claims
    """

    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]
    claims: Claims

    def agreement(self, signs: FloatArray) -> float:
        """How many choices answers (n,) in {-1, 0, 1} get right."""
        return float(self.claims.right(signs).sum())

    def best_step(self, start: Contrast, end: Contrast, margin: float, now: float) -> Step:
        """Find where on a chord most choices are right.

        Parameters are those of :func:`welfarist.counting.chords.best_step`. Single points, at
        which several actions are equally good, are not looked at but for the ends.
        """
        claims = self.claims
        near = claims.way * np.where(start.sign != 0, start.sign, end.sign)[claims.pair]
        flips = (start.sign * end.sign < 0)[claims.pair]
        with np.errstate(invalid="ignore"):
            root = (start.size - end.size)[claims.pair]
        low = np.where(flips & (near < 0), root, -np.inf)
        high = np.where(flips & (near > 0), root, np.inf)
        low = np.maximum.reduceat(low, claims.starts[:-1])
        high = np.minimum.reduceat(high, claims.starts[:-1])
        right = claims.shares(claims.counted(~flips & (near < 0)), claims.counted(near == 0))
        step = _where_most(low, high, right, margin, now)
        slack = _SAME * float(claims.count.sum())
        for place, signs in ((-np.inf, start.sign), (np.inf, end.sign)):
            here = self.agreement(signs)
            if here > step.agreement + slack:
                step = Step(place, here, np.inf)
        return step


def _where_most(
    low: FloatArray, high: FloatArray, right: FloatArray, margin: float, now: float
) -> Step:
    """Choose where the sum is largest of what is right (c,) from low (c,) to high (c,)."""
    told = (right > 0) & (low < high)
    low, high, right = low[told], high[told], right[told]
    begins, ends = np.isfinite(low), np.isfinite(high)
    roots = np.concatenate([low[begins], high[ends]])
    gains = np.concatenate([right[begins], -right[ends]])
    roots, place = np.unique(roots, return_inverse=True)
    gains = np.bincount(place.reshape(-1), gains, len(roots))
    turns = gains != 0  # where as much is lost as won, nothing ends
    total = float(right[~begins].sum()) + np.concatenate([[0.0], np.cumsum(gains[turns])])
    return widest_best(roots[turns], total, margin, now)
