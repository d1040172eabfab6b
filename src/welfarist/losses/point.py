"""Where a solver stands, and what it is told there.

The family's shape enters as its coordinate t; for the power of a power mean ``t = asinh(p)``, so
that a step of one is a sensible step both near 0 and far out, where the loss changes with log |p|.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray


@dataclass(frozen=True)
class Point:
    """Where a solver stands.

    Attributes
    ----------
    weights : (k,) array
        Free weights on the simplex (empty when weights are known).
    p : float
        The family's shape: of a power mean the power.
    extras : (m,) array
        Numbers on the line, in their coordinates: slopes from which weights follow, if there are
        any, and then the noise model's parameters.
    """

    weights: FloatArray
    p: float
    extras: FloatArray


@dataclass(frozen=True)
class QuadraticModel:
    """Gradient (q,) and Fisher or Gauss-Newton matrix (q, q) at a point.

    The order is: free weights, the shape's t (if learned), the extras. Moves of a weight are
    measured in units of the weight itself (see :func:`weight_units`).
    """

    gradient: FloatArray
    curvature: FloatArray


def weight_units(weights: FloatArray) -> FloatArray:
    """The unit (k,) in which a solver measures the move of each weight: the weight itself.

    The derivative by a weight of 1e-60 can be 1e60, its square more than a double holds; by the
    logarithm of a weight it is never large. A weight of 0 is measured in ones.
    """
    return np.where(weights > 0, weights, 1.0)
