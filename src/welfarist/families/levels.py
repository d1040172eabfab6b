"""What a value says about scores: its exponential, or itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from welfarist.base.validation import FloatArray


@dataclass(slots=True)  # made at every step: freezing it would take a microsecond
class Prediction:
    """Scores that values stand for.

    Attributes
    ----------
    score : (N,) array
    slope : (N,) array
        Its derivative by the value.
    bend : float
        Its second derivative by the value, in units of the slope.
    """

    score: FloatArray
    slope: FloatArray
    bend: float

    def by_scale(self) -> FloatArray:
        """Return the derivative (N,) by the logarithm of the scale, in units of the slope."""
        return np.ones_like(self.score) if self.bend else self.score / self.slope


@dataclass(frozen=True)
class Level:
    """How a score follows from a value.

    Attributes
    ----------
    name : "ratio" or "difference"
        On a ratio scale values are logarithms of welfare; otherwise they are welfare itself.
    """

    name: Literal["ratio", "difference"]

    @property
    def is_ratio(self) -> bool:
        """Whether values are logarithms of welfare."""
        return self.name == "ratio"

    def offset(self, shift: float, unit: float) -> float:
        """What is added to values so that they stand for scores in units of `unit`."""
        return shift - float(np.log(unit)) if self.is_ratio else shift

    def predict(
        self, value: FloatArray, offset: float, unit: float, log_scale: float
    ) -> Prediction:
        """Scores (N,), in units of `unit`, from values (N,) that lack `offset`."""
        if self.is_ratio:
            score = np.exp(value + (offset + log_scale))
            return Prediction(score, score, 1.0)
        size = float(np.exp(log_scale)) / unit
        level = value + offset
        return Prediction(size * level, np.full_like(level, size), 0.0)


RATIO = Level("ratio")
DIFFERENCE = Level("difference")


def differences_in_words(tau: float) -> str:
    """Say what a temperature means where noise acts on differences in welfare.

    Examples
    --------
    >>> differences_in_words(0.5)
    'Noise acts on differences in welfare, so that tau has one over the unit of utility: an action
    that is better by 2 is preferred 73 times in 100'
    """
    return (
        "Noise acts on differences in welfare, so that tau has one over the unit of utility: an "
        f"action that is better by {1.0 / tau:.3g} is preferred 73 times in 100"
    )
