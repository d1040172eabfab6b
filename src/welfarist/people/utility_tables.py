"""Tables of utilities as callers pass them: one row per action, one column per person."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import order_by_name, split_names
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers, owned, utilities_error
from welfarist.people.source import in_its_place, is_source

_FILL_IN = "Drop those rows, or fill in what is missing."


def as_utility_table(
    utilities: object, least: float = 0.0, copy: bool = False, way_out: str = _FILL_IN
) -> tuple[FloatArray, tuple[str, ...] | None]:
    """Return a checked table of utilities (N, d) and the people's names, if it has any.

    None may be below `least`. If `copy`, the table is nobody else's; `way_out` is what to do about
    entries that are missing. What stands in the place of a table has been checked by whoever made
    it, and stays what it is.
    """
    if is_source(utilities):
        names = utilities.stakeholders
        if getattr(utilities, "are_exact", False):  # estimates without errors are a table
            return utilities.utilities, names  # type: ignore[attr-defined]
        return utilities, names  # type: ignore[return-value]
    values, names = split_names(utilities)
    table = as_numbers(values, "utilities")
    if table.ndim != 2:
        raise InputError(
            "utilities must be a table with one row per action and one column per person; found "
            f"an array with {table.ndim} axes. Reshape your data: use reshape(-1, 1) for one "
            "person, reshape(1, -1) for one action."
        )
    if table.shape[0] == 0 or table.shape[1] == 0:
        raise InputError(
            "utilities must hold at least one action and one person; found "
            f"0 sample(s) or 0 feature(s) (shape={table.shape}) while a minimum of 1 is required."
        )
    table = table.astype(np.float64, copy=False)
    if not (table.min() >= least and table.max() < np.inf):
        refuse_missing(table, names, way_out)
        raise utilities_error(table, least)
    return owned(table, utilities) if copy else table, names


def table_of_people(
    utilities: object, people: int, stakeholders: tuple[str, ...] | None, least: float = 0.0
) -> FloatArray:
    """Return a checked table (N, d) of its own about so many people, in the order of their names.

    None may be below `least`.

    Columns are matched by name where both have names; other names than these are refused.
    """
    table, names = as_utility_table(utilities, least, copy=True)
    if is_source(table):
        raise InputError(
            f"what everybody has must be a table of utilities; found {in_its_place(table)}."
        )
    if table.shape[1] != people:
        raise InputError(
            f"outcomes must be about the {people} people who are known; found {table.shape[1]}."
        )
    if names is None or stakeholders is None or names == stakeholders:
        return table
    ordered = np.empty_like(table)
    ordered[:, order_by_name(names, stakeholders)] = table
    return ordered


def shifted_table(utilities: FloatArray, shift: float, least: float = 0.0) -> FloatArray:
    """Return utilities (N, d) with a constant added, none of which may then be below `least`."""
    if is_source(utilities):
        if shift:
            raise InputError(
                f"shift must be 0 for {in_its_place(utilities)}; found {shift:g}. Add it to their "
                "utilities before."
            )
        return utilities  # type: ignore[return-value]
    if np.fmin.reduce(utilities, axis=None) < least - shift:  # of those who are there
        there = np.where(np.isnan(utilities), least - shift, utilities)
        raise utilities_error(there, least - shift)
    if not shift:
        return utilities
    if np.fmax.reduce(utilities, axis=None) > np.finfo(np.float64).max - shift:
        raise InputError(
            f"utilities must be numbers with {shift:g} added to all; found "
            f"{np.fmax.reduce(utilities, axis=None):g}, "
            "which is too large for that. Choose a larger unit."
        )
    return utilities + shift


def refuse_missing(
    table: FloatArray, names: Sequence[str] | None = None, way_out: str = _FILL_IN
) -> None:
    """Require a table (N, d) without NaN, or say where they are and in how many rows."""
    missing = np.isnan(table)
    if not missing.any():
        return
    row, column = (int(i) for i in np.argwhere(missing)[0])
    rows = int(missing.any(axis=1).sum())
    where = f"column {column if names is None else repr(str(names[column]))}"
    raise InputError(
        f"utilities must be complete; found NaN at row {row}, {where}, and in {rows} of "
        f"{len(table)} rows altogether. {way_out}"
    )


def distinct_up_to(table: FloatArray, enough: int) -> int:
    """Count the distinct rows of a table, but no further than `enough` of them."""
    head = table[: 2 * enough] + 0.0  # most tables show enough at their head; -0.0 becomes 0.0
    if len({row.tobytes() for row in head}) >= enough:
        return enough
    return min(len(distinct_rows(table)[0]), enough)


def distinct_rows(table: FloatArray) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Return the distinct rows of a table and, for every row, the number of its equal."""
    table = np.ascontiguousarray(table + 0.0)  # -0.0 becomes 0.0
    bits = table.view(np.uint64)
    digest = np.zeros(len(table), dtype=np.uint64)
    for person in range(table.shape[1]):  # a multiplicative hash, one pass per column
        digest ^= bits[:, person]
        digest *= np.uint64(0x9E3779B97F4A7C15)
        digest ^= digest >> np.uint64(29)
    _, kept, number = np.unique(digest, return_index=True, return_inverse=True)
    if not np.array_equal(table[kept][number], table):  # two rows share a digest
        distinct, number = np.unique(table, axis=0, return_inverse=True)
        return distinct, number.reshape(-1)
    return table[kept], number
