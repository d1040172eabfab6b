"""Columns that say what was decided, turned into arrays that can be trusted, or a message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers

# Sums of counts, times squares of scores, are numbers in between.
_SMALLEST_COUNT, _LARGEST_COUNT = 1e-25, 1e25


def as_pairs(pairs: object, actions: int) -> npt.NDArray[np.signedinteger[Any]]:
    """Return checked row numbers (n, 2) of the two actions of each comparison.

    Whole numbers of 32 bits stay what they are: a million comparisons take half the memory.
    """
    try:
        array = as_numbers(pairs, "pairs")
    except InputError as problem:
        raise InputError(
            f"{problem} Row numbers of the table of actions are needed, counted from 0; where "
            "actions have names, df.index.get_indexer(names) gives them."
        ) from None
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(
            "pairs must be a table with two columns, the row numbers of the compared actions; "
            f"found shape {array.shape}."
        )
    if len(array) == 0:
        raise InputError("there must be at least one comparison; found none.")
    if array.dtype.kind == "f":
        whole = array == np.floor(array)
        if not whole.all():
            row = int(np.argmin(whole.all(axis=1)))
            raise InputError(f"pairs must be whole row numbers; found {array[row]} at row {row}.")
    if not (array.min() >= 0 and array.max() < actions):
        outside = (array < 0) | (array >= actions)
        row, column = (int(i) for i in np.argwhere(outside)[0])
        raise InputError(
            f"pairs must point into the table of {actions} actions, from 0 to {actions - 1}; found "
            f"{array[row, column]:g} at row {row}. Row numbers start at 0."
        )
    same = array[:, 0] == array[:, 1]
    if same.any():
        row = int(np.argmax(same))
        raise InputError(
            "a comparison must be between two different actions; found action "
            f"{array[row, 0]:g} compared with itself at row {row}. Leave it out."
        )
    return array if array.dtype == np.int32 else array.astype(np.intp, copy=False)


def as_outcomes(outcomes: object, comparisons: int) -> npt.NDArray[np.int8]:
    """Return checked outcomes (n,): +1, -1 or 0; booleans become +1 and -1."""
    values = _entries(_signs(outcomes), "outcomes", comparisons)
    allowed = (values == 1) | (values == -1) | (values == 0)
    if not allowed.all():
        row = int(np.argmin(allowed))
        raise InputError(
            "outcomes must be +1 (the first was preferred), -1 (the second) or 0 (a tie); found "
            f"{values[row]:g} at row {row}."
        )
    if not values.any():
        raise InputError(
            "at least one outcome must be a preference; found only ties, from which nothing can "
            "be learned."
        )
    if (values == 0).any() and not (values == -1).any():
        raise InputError(
            "outcomes must be +1 (the first was preferred), -1 (the second) or 0 (a tie); found "
            "only 0 and 1. If 0 means that the second was preferred, pass 2 * y - 1, or booleans."
        )
    return values.astype(np.int8)


def _signs(outcomes: object) -> object:
    """Turn booleans into +1 and -1, and leave everything else as it is."""
    values = np.asarray(outcomes)
    flags = values.dtype.kind == "b" or (
        values.dtype.kind == "O" and values.size and all(isinstance(v, bool) for v in values.flat)
    )
    return np.where(values.astype(bool), 1, -1) if flags else outcomes


def as_labels(labels: object, length: int, what: str = "comparisons") -> npt.NDArray[Any]:
    """Return who made each comparison, or each of `what` (n,), with nobody missing."""
    array = np.asarray(labels)
    if array.shape != (length,):
        raise InputError(
            f"by must name who made each of the {length} {what}; found shape {array.shape}."
        )
    missing = missing_labels(array)
    if missing:
        raise InputError(
            f"by must name who made each of the {length} {what}; found {array[missing[0]]!r} "
            f"at row {missing[0]}, {len(missing)} without a name in all. Leave those {what} "
            "out, or name who decided."
        )
    return array


def missing_labels(labels: npt.NDArray[Any]) -> list[int]:
    """Rows of labels (n,) that are None, NaN or another mark of what is missing."""
    if labels.dtype.kind in "biuSU":
        return []
    # NaN and NaT differ from themselves; of pandas' NA not even that is known.
    strange = (label is None or (label == label) is not True for label in labels.tolist())
    return [row for row, is_strange in enumerate(strange) if is_strange]


def as_action_names(names: object, actions: int) -> tuple[str, ...]:
    """Return the actions' names (N,), all different."""
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise InputError(
            f"names must be a list with one name per action, {actions} in all; found {names!r:.60}."
        )
    found = tuple(str(name) for name in names)
    if len(found) != actions:
        raise InputError(
            f"names must have one name per action, {actions} in all; found {len(found)}."
        )
    seen: dict[str, int] = {}
    for row, name in enumerate(found):
        if seen.setdefault(name, row) != row:
            raise InputError(
                f"every action must have a name of its own; found {name!r} at rows {seen[name]} "
                f"and {row}. Add what tells them apart, such as the year."
            )
    return found


def as_column(values: object, what: str, length: int) -> FloatArray:
    """Return numbers (n,), one per row; `what` names them in messages."""
    return _entries(values, what, length).astype(np.float64, copy=False)


def _entries(values: object, what: str, length: int) -> npt.NDArray[Any]:
    array = as_numbers(values, what)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (length,):
        raise InputError(
            f"{what} must have one entry per row, {length} in all; found shape {array.shape}."
        )
    return array


def as_counts(counts: object, what: str, length: int) -> FloatArray:
    """Return how often each row was observed (n,); ones if nothing is said."""
    if counts is None:
        return np.ones(length)
    if isinstance(counts, int | float) and not isinstance(counts, bool):
        counts = np.full(length, float(counts))
    values = as_column(counts, what, length)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        raise InputError(
            f"{what} must be finite and not negative; found {values[bad][0]:g} at row "
            f"{int(np.argmax(bad))}."
        )
    largest = float(values.max())
    if not largest:
        raise InputError(f"{what} must not all be zero; found nothing that counts.")
    if not _SMALLEST_COUNT <= largest <= _LARGEST_COUNT:
        raise InputError(
            f"{what} must be of a usual size, the largest between {_SMALLEST_COUNT:g} and "
            f"{_LARGEST_COUNT:g}; found {largest:g} at row {int(np.argmax(values))}. Choose "
            "another unit."
        )
    return values
