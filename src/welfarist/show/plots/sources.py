"""What a figure is drawn from: a fit, given as its result or as the learner that has it."""

from __future__ import annotations

from typing import Any

from welfarist.base.errors import InputError
from welfarist.results.record import FitResult


def result_of(learned: Any) -> FitResult:
    """Return the result of a fit, given as itself or as a fitted learner.

    Examples
    --------
    >>> from welfarist import WelfareRegressor
    >>> utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0]]
    >>> learner = WelfareRegressor().fit(utilities, [2.0, 3.0, 4.0, 4.0, 3.0])
    >>> result_of(learner) is learner.result_
    True
    """
    result = getattr(learned, "result_", learned)
    if not isinstance(result, FitResult):
        todo = "Call fit first." if hasattr(learned, "fit") else "Pass learner.fit(…).result_."
        raise InputError(
            f"a figure needs a fitted learner or its result_; found {type(learned).__name__}. "
            f"{todo}"
        )
    return result
