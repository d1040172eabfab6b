"""Turn what a caller passed into arrays the mathematics can trust, or say what is wrong.

Every check names what must hold, what was found and where, and what to do. Nothing here
computes; nothing elsewhere checks again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.errors import InputError

FloatArray = npt.NDArray[np.float64]

_NUMBER_KINDS = "iuf"
_KIND_NAMES = {
    "b": "booleans",
    "c": "complex numbers",
    "M": "dates",
    "m": "time spans",
    "S": "bytes",
    "U": "text",
    "V": "records",
}

# Rounding leaves the sum of normalised weights within one unit in the last place of 1; weights
# that close are kept digit for digit, so that saving and loading them changes nothing.
_SUMS_TO_ONE = 4 * np.finfo(np.float64).eps


def as_numbers(values: object, what: str) -> npt.NDArray[Any]:
    """Return `values` as an array of real numbers, without copying where that is possible.

    Parameters
    ----------
    values : array-like
        Numbers in any shape.
    what : str
        The name to use in an error message, such as ``"utilities"``.

    Returns
    -------
    numpy.ndarray
        Integers or floating-point numbers, in the shape of `values`.
    """
    if np.ma.isMaskedArray(values) and np.ma.is_masked(values):
        raise InputError(
            f"{what} must be complete; found a masked array with missing entries. "
            "Fill them in or leave those rows out."
        )
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(
            f"{what} must form a regular table of numbers; found rows of different lengths. "
            "Give every action one number per person."
        ) from None
    if array.dtype.kind == "O":
        array = _numbers_from_objects(array, what)
    if array.dtype.kind not in _NUMBER_KINDS:
        found = _KIND_NAMES.get(array.dtype.kind, str(array.dtype))
        raise InputError(f"{what} must be real numbers; found {found}. Convert them first.")
    return array


def as_powers(p: object) -> FloatArray:
    """Return the power `p` as an array of extended real numbers, scalar or not."""
    powers = as_numbers(p, "p").astype(np.float64)
    if np.isnan(powers).any():
        raise InputError(
            f"p must be a number in [-inf, inf]; found NaN{_place(np.isnan(powers))}. "
            "Use -inf for the egalitarian rule, 0 for Nash, 1 for the utilitarian one."
        )
    return powers


def as_power(p: object) -> float:
    """Return a single power `p` as a float."""
    powers = as_powers(p)
    if powers.size != 1:
        raise InputError(
            f"p must be one number in [-inf, inf]; found an array of shape {powers.shape}."
        )
    return float(powers.reshape(()))


def as_weights(weights: object) -> FloatArray:
    """Return relative weights as a float array: non-negative, finite, not all zero.

    Weights may have several rows (one per action); each row must have a positive entry.
    """
    array = as_numbers(weights, "weights").astype(np.float64, copy=False)
    if array.ndim == 0 or array.size == 0:
        raise InputError("weights must hold one non-negative number per person; found none.")
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        found = array[tuple(np.argwhere(bad)[0])]
        raise InputError(
            f"weights must be finite and not negative; found {found:g}{_place(bad)}. "
            "Give each person a number that says how much they count; 0 leaves them out."
        )
    empty = ~(array > 0).any(axis=-1)
    if empty.any():
        where = f" in row {int(np.flatnonzero(empty)[0])}" if array.ndim > 1 else ""
        raise InputError(
            f"weights must have at least one positive entry; found only zeros{where}. "
            "Somebody has to count."
        )
    return array


def normalised(weights: FloatArray) -> FloatArray:
    """Return one person's share of the total for each of the weights (d,), summing to 1."""
    if abs(math.fsum(weights) - 1.0) <= _SUMS_TO_ONE:
        return weights.copy()
    relative = weights / weights.max()  # so that the sum can neither overflow nor vanish
    return np.asarray(relative / math.fsum(relative), dtype=np.float64)


def utilities_error(utilities: npt.NDArray[Any]) -> InputError:
    """Describe the first utility that is not a finite, non-negative number.

    Parameters
    ----------
    utilities : (..., d) array
        The whole table as the caller knows it, so that row and column numbers are theirs.
    """
    for index, row in _rows(utilities):
        bad = ~(np.isfinite(row) & (row >= 0))
        if bad.any():
            column = int(np.argmax(bad))
            return InputError(
                f"utilities must be finite and not negative; found {row[column]:g}"
                f" at {_position((*index, column))}. "
                "Correct that entry, leave the action out, or shift the scale so that 0 is the "
                "worst that can happen."
            )
    raise AssertionError("utilities_error called for utilities that are all right")


def check_lengths(people: int, weights: FloatArray) -> None:
    """Require as many weights as there are people."""
    if weights.shape[-1] != people:
        raise InputError(
            f"weights must have one entry per person; found {weights.shape[-1]} weights for "
            f"{people} people. Check the order of the axes, or pass axis=."
        )


def check_names(names: Sequence[str], people: int) -> tuple[str, ...]:
    """Require one distinct name per person."""
    if isinstance(names, str):
        raise InputError("stakeholders must be a list of names; found one string.")
    given = tuple(str(name) for name in names)
    if len(given) != people:
        raise InputError(
            f"stakeholders must have one name per person; found {len(given)} names for "
            f"{people} people."
        )
    for name in given:
        if given.count(name) > 1:
            raise InputError(f"stakeholders must have distinct names; found {name!r} twice.")
    return given


def _numbers_from_objects(array: npt.NDArray[Any], what: str) -> npt.NDArray[Any]:
    for index, value in np.ndenumerate(array):
        if isinstance(value, str | bytes | complex | list | tuple):
            found = repr(value) if isinstance(value, str | bytes | complex) else "rows that differ"
            raise InputError(
                f"{what} must be real numbers; found {found} at {_position(index)}. "
                "Convert text to numbers, and give every action one number per person."
            )
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{what} must be real numbers; found objects that are not numbers. Convert them first."
        ) from None


def _rows(table: npt.NDArray[Any]) -> Any:
    for index in np.ndindex(table.shape[:-1]):
        yield index, table[index]


def _place(bad: npt.NDArray[Any]) -> str:
    return f" at {_position(tuple(np.argwhere(bad)[0]))}" if bad.ndim else ""


def _position(index: tuple[int, ...]) -> str:
    if len(index) == 1:
        return f"position {index[0]}"
    if len(index) == 2:
        return f"row {index[0]}, column {index[1]}"
    return f"index {tuple(int(i) for i in index)}"
