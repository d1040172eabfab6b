"""The actions that a fit has learned from, and what is typical of them."""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.results.data_left_out import refuse
from welfarist.results.learned import Learned


def judged_utilities(result: Learned) -> FloatArray:
    """Return the utilities (N, d) of the actions that were judged, as the rule sees them.

    What was added to all of them is included.
    """
    if result.decided is None:
        refuse("typical utilities need")
    utilities = np.asarray(result.decided.utilities)
    return utilities + result.shift if result.shift else utilities


def typical_utilities(result: Learned) -> FloatArray:
    """Return each person's median utility (d,) over the actions; 1 for a person with median 0.

    Examples
    --------
    >>> from welfarist import WelfareRegressor
    >>> fit = WelfareRegressor(p=1, weights="equal").fit([[1.0, 4.0], [3.0, 8.0]], [2.5, 5.0])
    >>> typical_utilities(fit.result_)
    array([2., 6.])
    """
    median = np.nanmedian(judged_utilities(result), axis=0)  # of those whom an action affects
    return np.where(median > 0, median, 1.0)
