"""What a figure is drawn from: a fit, given as its result or as the learner that has it."""

from __future__ import annotations

from typing import Any

from welfarist.base.errors import InputError
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.deciders.types_result import TypesResult
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


def types_of(learned: Any) -> TypesResult:
    """Return what was learned of types, given as itself or as the fitted learner."""
    result = getattr(learned, "result_", learned)
    if not isinstance(result, TypesResult):
        raise InputError(
            "this figure is one of types of decision makers: it needs a fitted Types or its "
            f"result_; found {type(learned).__name__}."
        )
    return result


def deciders_of(learned: Any) -> DecidersResult:
    """Return what was learned of everybody's own rule, given as itself or as the learner."""
    result = getattr(learned, "result_", learned)
    if not isinstance(result, DecidersResult):
        raise InputError(
            "this figure is one of everybody's own rule: it needs a fitted Deciders or its "
            f"result_; found {type(learned).__name__}."
        )
    return result


def several_of(learned: Any) -> TypesResult | DecidersResult:
    """Return what was learned of several decision makers, of either kind."""
    result = getattr(learned, "result_", learned)
    if not isinstance(result, TypesResult | DecidersResult):
        raise InputError(
            "this figure is one of several decision makers: it needs a fitted Types or Deciders, "
            f"or its result_; found {type(learned).__name__}."
        )
    return result
