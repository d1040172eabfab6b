"""What a fitted rule says of every single decision, in the rows of the user's data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.decisions import Comparisons
from welfarist.families.rule import WelfareFunction
from welfarist.noise.margins import differences


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
    decided: Comparisons, rule: Any, probability: Callable[[FloatArray], FloatArray] | None
) -> Predictions:
    """Ask a rule about comparisons.

    Parameters
    ----------
    decided : Comparisons
    rule : WelfareFunction, or a rule of another family
        Without names: the columns are those it was learned from.
    probability : callable or None
        How likely the first action is preferred at differences in value (n,); None where errors
        are counted, so that any difference decides.
    """
    rows = np.flatnonzero(decided.counts > 0)
    pairs = decided.pairs[rows]
    welfare = rule.value(decided.utilities)
    margins = differences(welfare[pairs[:, 0]], welfare[pairs[:, 1]])
    signs, unlikelier = np.sign(margins), None
    if probability is None:
        signs = _exact_signs(decided, pairs, rule, signs)
    else:
        unlikelier = probability(-np.abs(margins))
    outcomes = decided.outcomes[rows].astype(np.float64)
    return Predictions(rows, decided.counts[rows], outcomes, margins, signs, unlikelier)


def _exact_signs(
    decided: Comparisons,
    pairs: npt.NDArray[np.intp],
    rule: WelfareFunction,
    signs: FloatArray,
) -> FloatArray:
    """Signs (n,) that rounding has not made, as the method that counts errors sees them."""
    seen = decided.shifted(rule.shift).utilities
    if rule.p <= 0 and (seen == 0).any():
        return signs
    assert rule.weights is not None
    loss = ZeroOneLoss.between(seen, pairs[:, 0], pairs[:, 1], rule.weights)
    return loss.signs(rule.weights, rule.p).astype(np.float64)
