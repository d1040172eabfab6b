"""Differences of values, also where there is no welfare at all.

Under a power mean values are log welfare, which is -inf where those who count have nothing. An
action that gives them something is better by an infinite margin; two that give nothing tie.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray


def differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return first less second (n,), in which both may be -inf; of two such it is 0.

    Examples
    --------
    >>> differences(np.array([1.0, -np.inf, -np.inf]), np.array([-np.inf, 2.0, -np.inf]))
    array([ inf, -inf,   0.])
    """
    with np.errstate(invalid="ignore"):
        margins = first - second
    margins[np.isnan(margins)] = 0.0
    return np.asarray(margins)
