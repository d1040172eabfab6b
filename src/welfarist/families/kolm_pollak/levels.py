"""What people have as a family sees it that looks at differences: levels, on a unit of their own.

A power mean of exponentials is worked out by the kernel of power means, for which logarithms are
what levels are here. Its formulas expect numbers of the size of logarithms, so that levels are
measured in a unit of about their standard deviation.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, ldexp
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns

# How many units levels may span: some formulas take no more than logarithms of doubles span.
_WIDEST = 1000.0


def unit_of(levels: FloatArray) -> float:
    """Return a power of 2 that is about the standard deviation of levels, 1 if they are all equal.

    Multiplying by it rounds nothing.

    Examples
    --------
    >>> unit_of(np.array([10.0, 30.0])), unit_of(np.array([5.0, 5.0]))
    (8.0, 1.0)
    """
    with np.errstate(over="ignore"):
        span = float(levels.max()) / _WIDEST - float(levels.min()) / _WIDEST
        scale = max(float(np.std(levels / max(span, 1e-300))) * span, span)
    return ldexp(1.0, frexp(scale)[1] - 1) if 0.0 < scale < np.inf else 1.0


@dataclass(frozen=True)
class Levels(Columns):
    """People who are all in memory, with levels in place of logarithms.

    Attributes
    ----------
    logs : (d, N) array
        What each person has less `shift`, in units of `unit`.
    shift : float
        The mean of all of them.
    unit : float
        What one stands for.
    """

    unit: float = 1.0

    @classmethod
    def of(cls, levels: FloatArray) -> Levels:
        """Take over levels (d, N)."""
        unit = unit_of(levels)
        shift = float((levels / levels.size).sum())
        levels -= shift
        levels /= unit
        return cls(levels, shift, False, unit)

    @property
    def table(self) -> FloatArray:
        """The levels (d, N) less their mean, in the unit in which they came."""
        return self.logs if self.unit == 1.0 else self.logs * self.unit

    def take(self, actions: npt.NDArray[Any]) -> Levels:
        """Return some of the actions, on the same unit."""
        return Levels(np.ascontiguousarray(self.logs[:, actions]), self.shift, False, self.unit)
