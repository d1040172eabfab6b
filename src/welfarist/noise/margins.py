"""Differences of values, also where one of them is the logarithm of nothing."""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray

# log of the smallest double: where welfare is 0, its logarithm is taken to be this.
NOTHING = -745.0


def above_nothing(values: FloatArray, has_zeros: bool) -> FloatArray:
    """Values with log 0 read as that of the smallest number, so that differences are numbers."""
    return np.maximum(values, NOTHING) if has_zeros else values
