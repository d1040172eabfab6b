"""What a fitted rule says of every single decision, in the rows of the user's data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.decisions import Comparisons
from welfarist.losses import ZeroOneLoss
from welfarist.noise import preference_probability
from welfarist.validation import FloatArray
from welfarist.welfare import WelfareFunction


@dataclass(frozen=True, eq=False)
class Predictions:
    """A rule's answers to comparisons that were observed at least once.

    Attributes
    ----------
    rows : (n,) array of int
        Row of each decision in the user's data.
    counts : (n,) array
        How often it was observed.
    outcomes : (n,) array
        +1 if the first action was preferred, -1 if the second, 0 for a tie.
    margins : (n,) array
        Log welfare of the first action less that of the second; 0 where both have none.
    signs : (n,) array
        +1 where the first action is better, -1 where worse, 0 where they tie.
    unlikelier : (n,) array or None
        Probability of the less likely of both answers, from 0 to 1/2; None where errors are
        counted. It is the same whichever action comes first.
    """

    rows: npt.NDArray[np.intp]
    counts: FloatArray
    outcomes: FloatArray
    margins: FloatArray
    signs: FloatArray
    unlikelier: FloatArray | None

    @property
    def agreement(self) -> FloatArray:
        """1 (n,) where the rule's answer was given, 0 where the other was; a tie is a half."""
        return 0.5 + 0.5 * self.signs * self.outcomes


def predictions_of(
    decided: Comparisons, rule: WelfareFunction, tau: float | None, rho: float
) -> Predictions:
    """Ask a rule about comparisons.

    Parameters
    ----------
    decided : Comparisons
    rule : WelfareFunction
        Without names: the columns are those it was learned from.
    tau : float or None
        The temperature; None where errors are counted, so that any difference decides.
    rho : float
        The flip probability.
    """
    rows = np.flatnonzero(decided.counts > 0)
    pairs = decided.pairs[rows]
    welfare = rule.log(decided.utilities)
    with np.errstate(invalid="ignore"):
        margins = welfare[pairs[:, 0]] - welfare[pairs[:, 1]]
    margins = np.where(np.isnan(margins), 0.0, margins)  # nothing against nothing: a tie
    signs, unlikelier = np.sign(margins), None
    if tau is None:
        signs = _exact_signs(decided, pairs, rule, signs)
    else:
        unlikelier = preference_probability(-tau * np.abs(margins), rho)
    outcomes = decided.outcomes[rows].astype(np.float64)
    return Predictions(rows, decided.counts[rows], outcomes, margins, signs, unlikelier)


def _exact_signs(
    decided: Comparisons,
    pairs: npt.NDArray[np.intp],
    rule: WelfareFunction,
    signs: FloatArray,
) -> FloatArray:
    """Signs (n,) that rounding has not made, as the method that counts errors sees them."""
    if rule.p <= 0 and (decided.utilities == 0).any():
        return signs
    assert rule.weights is not None
    loss = ZeroOneLoss.between(decided.utilities, pairs[:, 0], pairs[:, 1], rule.weights)
    return loss.signs(rule.weights, rule.p).astype(np.float64)
