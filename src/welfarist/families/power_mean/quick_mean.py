"""The power mean of large tables of ordinary numbers, in as few passes as possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray, normalised
from welfarist.families.power_mean.formula_ranges import SMALL_POWER, ZERO_POWER

# Where the quick evaluation applies: utilities within a block differ by at most a factor of
# e^20 = 5e8, which costs at most 20 units in the last place, and nothing underflows.
_QUICK_SPAN = 20.0
_QUICK_POWER = 30.0


@dataclass(frozen=True)
class QuickMean:
    """Tables of ordinary numbers: one anchor for a whole block instead of one per action.

    Saves the transposition and three passes. The price is rounding in proportion to the span of
    the logarithms, which is why a block must span less than `_QUICK_SPAN`.
    """

    p: float
    weights: FloatArray
    logarithm: bool

    @classmethod
    def if_suitable(
        cls, p: float, weights: npt.NDArray[Any] | None, people: int, logarithm: bool
    ) -> QuickMean | None:
        """Return a quick evaluator for this rule, or None where only the careful one will do."""
        if abs(p) > _QUICK_POWER or p == 1:
            return None
        p = 0.0 if abs(p) < ZERO_POWER else p
        relative = np.ones(people) if weights is None else weights.astype(np.float64)
        return cls(p, normalised(relative), logarithm)

    def fill(self, welfare: FloatArray, rows: npt.NDArray[Any], scratch: FloatArray) -> bool:
        """Write the welfare (m,) of `rows` (m, d); return whether they were ordinary enough.

        Somebody without weight adds a finite number times 0 here, that is, nothing.
        """
        logs = scratch[: rows.size].reshape(rows.shape)
        np.log(rows, out=logs, dtype=np.float64)
        lowest, highest = logs.min(), logs.max()
        if not highest - lowest <= _QUICK_SPAN:  # also where a NaN or an infinity is present
            return False
        if abs(self.p) < SMALL_POWER:
            self._fill_centred(welfare, logs)
        else:
            anchor = highest if self.p > 0 else lowest
            logs -= anchor
            logs *= self.p
            np.dot(np.exp(logs, out=logs), self.weights, out=welfare)
            np.log(welfare, out=welfare)
            welfare /= self.p
            welfare += anchor
        if not self.logarithm:
            np.exp(welfare, out=welfare)
        return True

    def _fill_centred(self, welfare: FloatArray, logs: FloatArray) -> None:
        np.dot(logs, self.weights, out=welfare)
        if self.p != 0:
            logs -= welfare[:, None]
            logs *= self.p
            grown = np.expm1(logs, out=logs) @ self.weights
            welfare += np.log1p(grown) / self.p
