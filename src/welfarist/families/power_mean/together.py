"""Power means of the same people under many rules, each with its derivatives, in one pass.

What a rule needs of an array is little where there are few actions; many rules share the cost of
handling them.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.derivatives import log_mean_about
from welfarist.families.power_mean.formula_ranges import ZERO_POWER
from welfarist.families.welfare import Welfare

# The largest |p log(u / centre)| at which the formula about the centre has all its digits.
_LARGEST_EXPONENT = 30.0


def can_be_together(logs: FloatArray, powers: FloatArray) -> bool:
    """Whether rules with powers (B,) are of the kind that :func:`log_means_together` covers."""
    span = float(logs.max() - logs.min())
    sizes = np.abs(powers)
    return bool(np.isfinite(span) and sizes.max() * span <= _LARGEST_EXPONENT)


def log_means_together(logs: FloatArray, weights: FloatArray, powers: FloatArray) -> Welfare:
    """Log M of every action under every rule, with derivatives by weight and power.

    Parameters
    ----------
    logs : (d, N) array
        Finite log utilities.
    weights : (B, d) array
        Weights on the simplex, all positive.
    powers : (B,) array
        Moderate powers; see :func:`can_be_together`.

    Returns
    -------
    Welfare
        Values (B N,), rule by rule, and derivatives (d, B N) and (B N,).
    """
    rules, actions = len(powers), logs.shape[1]
    every = np.tile(logs, (1, rules))
    own = np.repeat(weights.T, actions, axis=1)
    away = np.where(powers < 0.0, -1.0, 1.0) * np.maximum(np.abs(powers), ZERO_POWER)
    return log_mean_about(every, own, np.repeat(away, actions))
