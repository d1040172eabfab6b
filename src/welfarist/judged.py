"""Whom and what a fit has learned about: groups of people, actions, what is typical."""

from __future__ import annotations

import numpy as np

from welfarist.errors import InputError
from welfarist.fit import FitResult
from welfarist.validation import FloatArray


def groups_of(result: FitResult) -> dict[str, list[int]] | None:
    """Return who is in which group, by number; None if people were not in groups.

    Examples
    --------
    >>> from welfarist import WelfareRegressor
    >>> table = [[1.0, 4.0, 2.0], [3.0, 8.0, 1.0], [2.0, 2.0, 5.0]]
    >>> fit = WelfareRegressor(p=1, groups=["a", "b", "a"]).fit(table, [2.0, 4.0, 3.0])
    >>> groups_of(fit.result_)
    {'a': [0, 2], 'b': [1]}
    """
    beginning = "group "
    if not any(note.startswith(beginning) for note in result.weight_notes):
        return None
    found: dict[str, list[int]] = {}
    for person, note in enumerate(result.weight_notes):
        found.setdefault(note.removeprefix(beginning), []).append(person)
    return found


def judged_utilities(result: FitResult) -> FloatArray:
    """Return the utilities (N, d) of the actions that were scored or compared."""
    if result.decided is None:
        raise InputError(
            "typical utilities need the decisions; found a record without them. Ask the fit "
            "itself, before without_data()."
        )
    return result.decided.utilities


def typical_utilities(result: FitResult) -> FloatArray:
    """Return each person's median utility (d,) over the actions; 1 for a person with median 0.

    Examples
    --------
    >>> from welfarist import WelfareRegressor
    >>> fit = WelfareRegressor(p=1, weights="equal").fit([[1.0, 4.0], [3.0, 8.0]], [2.5, 5.0])
    >>> typical_utilities(fit.result_)
    array([2., 6.])
    """
    median = np.median(judged_utilities(result), axis=0)
    return np.where(median > 0, median, 1.0)
