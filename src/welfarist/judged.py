"""The actions that a fit has learned from, and what is typical among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.errors import InputError
from welfarist.fit import FitResult
from welfarist.validation import FloatArray


def judged_utilities(result: FitResult) -> FloatArray:
    """Return the utilities (N, d) of the actions that were scored or compared."""
    decided: Any = getattr(result, "decided", None)
    if decided is not None:
        return np.asarray(decided.utilities)
    if result.fitted is None:
        raise InputError(
            "typical utilities need the decisions that were fitted; found a fit that does not "
            "have them."
        )
    if result.fitted.decided is not None:
        return result.fitted.decided.utilities
    utilities = result.fitted.loss.utilities
    return np.asarray(np.exp(utilities.logs + utilities.shift).T)


def typical_utilities(result: FitResult) -> FloatArray:
    """Return each person's median utility (d,) over the actions; 1 for a person with median 0."""
    median = np.median(judged_utilities(result), axis=0)
    return np.where(median > 0, median, 1.0)
