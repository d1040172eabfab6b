"""Turn what a caller passed into arrays the mathematics can trust, or say what is wrong.

Every check names what must hold, what was found and where, and what to do. Nothing here
computes; nothing elsewhere checks again.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Set
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import split_names
from welfarist.base.errors import InputError

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

_DOUBLE_BYTES = 8
# NumPy itself stops at 32 axes before version 2; a welfare function has no use for half of that.
_MOST_AXES = 16
# Entries looked at together when a bad one is searched for.
_LOOK_AT = 2**16

# Relative to the largest, a weight below this would vanish in the products it enters.
_SMALLEST_RATIO = 1e-300
# Below this total the quotient weight / total loses digits to underflow.
_SAFE_TOTAL = 1e-290

# Rounding leaves the sum of normalised weights within one unit in the last place of 1; weights
# that close are kept digit for digit, so that saving and loading them changes nothing.
_SUMS_TO_ONE = 4 * np.finfo(np.float64).eps


def as_numbers(values: object, what: str) -> npt.NDArray[Any]:
    """Return `values` as an array of real numbers, without copying where that is possible.

    Parameters
    ----------
    values : array-like or data frame
        Numbers in any shape.
    what : str
        The name to use in an error message, such as ``"utilities"``.

    Returns
    -------
    numpy.ndarray
        Integers or floating-point numbers of at most 64 bits, in the shape of `values`.
    """
    values, _ = split_names(values)
    if _holds_masked(values):
        raise InputError(
            f"{what} must be complete; found a masked array with missing entries. "
            "Fill them in or leave those rows out."
        )
    array = _as_array(values, what)
    if array.ndim > _MOST_AXES:
        raise InputError(
            f"{what} must be a table; found lists nested {array.ndim} deep or more. "
            "Give every action one list of numbers."
        )
    if array.dtype.kind in "US":  # a single text among numbers turns all of them into text
        array = np.array(values, dtype=object)
    if array.dtype.kind == "O":
        return _numbers_from_objects(array, what)
    if array.dtype.kind not in _NUMBER_KINDS:
        found = _KIND_NAMES.get(array.dtype.kind, str(array.dtype))
        raise InputError(f"{what} must be real numbers; found {found}. Convert them first.")
    return array if array.dtype.itemsize <= _DOUBLE_BYTES else _as_doubles(array, what)


def owned(array: npt.NDArray[Any], given: object) -> npt.NDArray[Any]:
    """Return an array that nobody else can change: a copy, where it may be what was `given`.

    An array that was made from what was given, such as a list, is its own already. So is one that
    polars has made and that may be written to: what it lends may not.

    Examples
    --------
    >>> table = np.ones((2, 2))
    >>> owned(table, table) is table, owned(table.T, table).base is None
    (False, True)
    >>> made = np.asarray([1.0, 2.0])
    >>> owned(made, [1.0, 2.0]) is made
    True
    """
    if not isinstance(array, np.ndarray) or array is given:
        return array.copy()
    made = array.flags.writeable and type(given).__module__.startswith("polars.")
    return array if made or array.base is None else array.copy()


class HandedOver:
    """An array that its maker gives away: whoever takes it over need not copy it.

    Examples
    --------
    >>> pairs = np.array([[0, 1]])
    >>> given = HandedOver(pairs)
    >>> owned(as_numbers(given, "pairs"), given) is pairs
    True
    """

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self._array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self._array, dtype=dtype) if copy else np.asarray(self._array, dtype)


def as_powers(p: object) -> FloatArray:
    """Return the power `p` as an array of extended real numbers, scalar or not."""
    powers = as_numbers(p, "p").astype(np.float64)
    if powers.size == 0:
        raise InputError(
            f"p must hold at least one number in [-inf, inf]; found none, shape {powers.shape}."
        )
    if np.isnan(powers).any():
        raise InputError(
            f"p must be a number in [-inf, inf]; found NaN{place(np.isnan(powers))}. "
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
    """Return relative weights as a float array that passes :func:`check_weights`."""
    array = as_numbers(weights, "weights")
    check_weights(array)
    return array.astype(np.float64, copy=False)


def check_weights(weights: npt.NDArray[Any], axis: int | None = -1) -> None:
    """Require weights that are finite, not negative, not all zero and comparable in size.

    Parameters
    ----------
    weights : array
        One number per person along `axis`, or one action's altogether if `axis` is None.
    """
    if weights.ndim == 0 or weights.size == 0:
        found = f"the number {weights[()]:g}" if weights.ndim == 0 else f"shape {weights.shape}"
        raise InputError(
            f"weights must hold one non-negative number per person; found {found}. "
            "Give each person a number, or leave weights out: everybody then counts the same."
        )
    # A NaN makes both comparisons false; no temporary is needed while everything is all right.
    if not (weights.min() >= 0 and weights.max() < np.inf):
        raise _entry_error(
            weights,
            "weights",
            "Give each person a number that says how much they count; 0 leaves them out.",
        )
    largest = np.asarray(weights.max(axis=axis))
    if not largest.all():
        raise InputError(
            "weights must have at least one positive entry; found only zeros"
            f"{_line(largest == 0, axis)}. Somebody has to count."
        )
    if weights.dtype.kind != "f":  # whole numbers are never that far apart
        return
    smallest = weights.min(axis=axis, where=weights > 0, initial=np.inf)
    tiny = np.asarray(smallest < largest.astype(np.float64) * _SMALLEST_RATIO)
    if tiny.any():
        raise InputError(
            f"positive weights must be at least {_SMALLEST_RATIO:g} of the largest; found "
            f"{smallest[tiny][0]:g} beside {largest[tiny][0]:g}{_line(tiny, axis)}. "
            "Use 0 for somebody who is not to count."
        )


def normalised(weights: FloatArray) -> FloatArray:
    """Return one person's share of the total for each of the weights (d,), summing to 1."""
    try:
        total = math.fsum(weights)
    except OverflowError:
        total = math.inf
    if abs(total - 1.0) <= _SUMS_TO_ONE:
        return weights.copy()
    if not _SAFE_TOTAL < total < math.inf:
        weights = weights / weights.max()
        total = math.fsum(weights)
    return np.asarray(weights / total, dtype=np.float64)


def utilities_error(utilities: npt.NDArray[Any], least: float = 0.0) -> InputError:
    """Describe the first utility that is not finite, or below the least that is allowed.

    Parameters
    ----------
    utilities : array
        The whole table as the caller passed it, so that row and column numbers are theirs.
    least : float
        Less than 0 where a constant is added to all of them.
    """
    low = utilities < least
    if least != 0 and low.any() and np.isfinite(utilities).all():
        return InputError(
            f"utilities must not be below {least:g}, so that none is negative when {-least:g} is "
            f"added to all; found {utilities[low][0]:g}{place(low)}. Correct that entry, or use a "
            "larger shift."
        )
    return _entry_error(
        utilities,
        "utilities",
        "Correct that entry, leave the action out, or add a constant to all of them (shift=…), so "
        "that 0 is the worst that can happen.",
    )


def as_shift(shift: object) -> float:
    """Return the constant that is added to every utility: a finite number."""
    if not is_real(shift) or not math.isfinite(shift):  # type: ignore[arg-type]
        raise InputError(
            f"shift must be a finite number, which is added to every utility; found {shift!r}."
        )
    return float(shift)  # type: ignore[arg-type]


def is_real(value: object) -> bool:
    """Whether a value is one real number: True is none, though Python counts it among them."""
    real = isinstance(value, int | float | np.integer | np.floating)
    return real and not isinstance(value, bool)


def check_count(value: object, what: str, least: int = 1) -> int:
    """Require a whole number that is not below `least`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]
        raise InputError(f"{what} must be a whole number from {least} up; found {value!r}.")
    return int(value)  # type: ignore[call-overload, no-any-return]


def check_lengths(people: int, weights: int) -> None:
    """Require as many weights as there are people."""
    if weights != people:
        raise InputError(
            f"weights must have one entry per person; found {weights} weights for {people} people. "
            "Check which axis of utilities holds the people."
        )


def check_names(names: object) -> tuple[str, ...]:
    """Require distinct names, one after the other."""
    if isinstance(names, str | bytes | Set | Mapping) or not isinstance(names, Iterable):
        found = f"one string, {names!r}" if isinstance(names, str) else type(names).__name__
        raise InputError(
            f"stakeholders must be a list of names, in the order of the people; found {found}."
        )
    given = tuple(names)
    if not given:
        raise InputError("stakeholders must name at least one person; found none.")
    seen = set()
    for position, name in enumerate(given):
        if not isinstance(name, str):
            raise InputError(
                f"stakeholders must be strings; found {name!r} at position {position}. "
                "Give every person a name, or leave stakeholders out."
            )
        if name in seen:
            raise InputError(f"stakeholders must have distinct names; found {name!r} twice.")
        seen.add(name)
    return tuple(str(name) for name in given)


def one_row(weights: FloatArray) -> FloatArray:
    """Require one weight per person, the same for every action."""
    if weights.ndim != 1:
        raise InputError(
            "weights must be one number per person here, the same for every action; found an "
            f"array of shape {weights.shape}."
        )
    return weights


def place(bad: npt.NDArray[np.bool_]) -> str:
    """Say where the first bad entry is: `` at row 2, column 0``, or nothing for a number."""
    return _at(tuple(np.argwhere(bad)[0]))


def _position(index: tuple[int, ...]) -> str:
    """Say where an entry stands, in words."""
    if len(index) == 1:
        return f"position {index[0]}"
    if len(index) == 2:
        return f"row {index[0]}, column {index[1]}"
    return f"index {tuple(int(i) for i in index)}"


def _holds_masked(values: object) -> bool:
    """Whether an entry is masked, in an array or in lists of arrays."""
    if "numpy.ma" not in sys.modules:  # where nobody has imported it, nothing is masked
        return False
    if isinstance(values, np.ma.MaskedArray):
        return bool(np.ma.is_masked(values))
    if not isinstance(values, list | tuple) or not values:
        return False
    # A list that opens with a number holds no arrays, and need not be walked in Python.
    if isinstance(values[0], int | float):
        return False
    return any(_holds_masked(value) for value in values)


def _as_array(values: object, what: str) -> npt.NDArray[Any]:
    """NumPy's idea of `values`, as objects where it has none."""
    try:
        return np.asarray(values)
    except InputError:  # of something that says itself why it is no table
        raise
    except (ValueError, TypeError, OverflowError):
        pass  # rows that differ, or entries that have no type in common
    try:
        return np.array(values, dtype=object)
    except ValueError:
        raise _ragged(what) from None


def _ragged(what: str) -> InputError:
    return InputError(
        f"{what} must form a regular table of numbers; found rows of different lengths. "
        "Give every action one number per person."
    )


def _numbers_from_objects(array: npt.NDArray[Any], what: str) -> npt.NDArray[Any]:
    for index, value in np.ndenumerate(array):
        if _is_real(value) or (value is None and array.ndim):
            continue
        if isinstance(value, list | tuple | np.ndarray) and array.ndim:
            raise _ragged(what)
        raise InputError(
            f"{what} must be real numbers; found {_described(value)}{_at(index)}. {_advice(value)}"
        )
    try:
        return array.astype(np.float64)
    except (OverflowError, ValueError):  # ValueError: a signalling NaN among decimals
        raise _too_large(array, what) from None


def _is_real(value: object) -> bool:
    if isinstance(value, bool | np.timedelta64):  # both pass for whole numbers otherwise
        return False
    return isinstance(value, Real | Decimal | np.integer | np.floating)


def _described(value: object) -> str:
    if isinstance(value, str | bytes):
        return f"text {value!r:.60}"
    shown = f"{value!r:.60}"
    if value is None or isinstance(value, complex | np.generic | bool):
        return shown
    return f"{type(value).__name__}" + ("" if len(shown) > 40 or "0x" in shown else f" {shown}")


def _advice(value: object) -> str:
    if hasattr(value, "collect"):
        return "Call .collect() first."
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return "Turn it into a list, an array or a data frame first, in the order of the people."
    return "Convert every entry to a number first, and fill in what is missing."


def _too_large(array: npt.NDArray[Any], what: str) -> InputError:
    for index, value in np.ndenumerate(array):
        try:
            float(value if value is not None else 0.0)
        except (OverflowError, ValueError):
            return InputError(
                f"{what} must fit into double precision, up to 1.8e308; found a number that does "
                f"not{_at(index)}. Choose a larger unit."
            )
    raise AssertionError("every number fits")


def _as_doubles(array: npt.NDArray[Any], what: str) -> FloatArray:
    with np.errstate(over="ignore", under="ignore"):
        doubles = array.astype(np.float64)
    lost = np.isinf(doubles) & np.isfinite(array)
    if lost.any():
        raise InputError(
            f"{what} must fit into double precision, up to 1.8e308; found "
            f"{array[lost][0]!s}{place(lost)}. Choose a larger unit."
        )
    return doubles


def _entry_error(array: npt.NDArray[Any], what: str, advice: str) -> InputError:
    """Describe the first entry that is not a finite, non-negative number."""
    for first in range(0, array.size, _LOOK_AT):
        # One run of entries at a time, so that the search needs no copy of a large table.
        numbers = np.arange(first, min(first + _LOOK_AT, array.size))
        indices = np.unravel_index(numbers, array.shape)
        entries = array[indices]
        bad = ~(np.isfinite(entries) & (entries >= 0))
        if bad.any():
            k = int(np.argmax(bad))
            where = _at(tuple(int(i[k]) for i in indices))
            found = "NaN" if np.isnan(entries[k]) else f"{entries[k]:g}"
            return InputError(
                f"{what} must be finite and not negative; found {found}{where}. {advice}"
            )
    raise AssertionError(f"_entry_error called for {what} that are all right")


def _at(index: tuple[int, ...]) -> str:
    return f" at {_position(index)}" if index else ""


def _line(bad: npt.NDArray[Any], axis: int | None) -> str:
    """Say which line along `axis` is the first bad one; `bad` lacks that axis."""
    if bad.ndim == 0 or axis is None:
        return ""
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    if len(index) == 1:
        return f" in {'row' if axis in (-1, 1) else 'column'} {index[0]}"
    shown: list[int | str] = list(index)
    shown.insert(axis % (bad.ndim + 1), ":")
    return f" in the line ({', '.join(map(str, shown))})"


def check_level(level: Any) -> float:
    """Return the level of an interval, which must lie between 0 and 1."""
    if not is_real(level) or not 0 < level < 1:
        raise InputError(f"level must be a number between 0 and 1, such as 0.95; found {level!r}.")
    return float(level)
