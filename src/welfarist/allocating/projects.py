"""Projects that compete for a budget, and what they would give to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from welfarist.base.data_frames import by_name, order_by_name, row_names, split_names
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers, is_real
from welfarist.people.source import has_errors, refuse_source


@dataclass(frozen=True, eq=False)
class Projects:
    """What projects cost, and what each would add to everybody's utility.

    Attributes
    ----------
    names : tuple of str
    costs : (m,) array
        From 0 on.
    gains : (m, d) array
        From 0 on.
    baseline : (d,) array
        What everybody has without any project.
    budget : float
    """

    names: tuple[str, ...]
    costs: FloatArray = field(repr=False)
    gains: FloatArray = field(repr=False)
    baseline: FloatArray = field(repr=False)
    budget: float

    def __len__(self) -> int:
        return len(self.costs)

    def utilities(self, funded: FloatArray) -> FloatArray:
        """Return what everybody has (…, d) if shares (…, m) of the projects are funded."""
        return np.asarray(self.baseline + funded @ self.gains)

    def affordable(self) -> FloatArray:
        """Return which projects (m,) the budget can pay for alone, as 0 and 1."""
        return np.asarray(self.costs <= self.budget, dtype=np.float64)


def checked_projects(
    gains: Any,
    costs: Any,
    budget: float,
    baseline: Any,
    names: Sequence[str] | None,
    people: tuple[str, ...] | None,
    count: int | None,
) -> Projects:
    """Return projects as callers pass them, with columns in the order of the people.

    Parameters
    ----------
    gains : (m, d) array-like or data frame
    costs : (m,) array-like
    budget : float
    baseline : None, float, (d,) array-like, or mapping or series by name
    names, people : sequence of str or None
        Of projects, and of those whom the rule knows.
    count : int or None
        How many those are.
    """
    if has_errors(gains):
        refuse_source(gains, "a budget")
    values, columns = split_names(gains)
    table = as_numbers(values, "utilities").astype(np.float64)
    if table.ndim != 2 or not table.size:
        raise InputError(
            "projects must be a table with one row for each project and one column per person; "
            f"found shape {table.shape}."
        )
    if count is not None and table.shape[1] != count:
        raise InputError(
            f"projects must be about the {count} people of the rule; found {table.shape[1]}."
        )
    if people is not None and columns is not None:
        table = table[:, np.argsort(order_by_name(columns, people))]
    _require_from_0(table, "what a project adds to somebody's utility")
    called = row_names(gains) if names is None else tuple(map(str, names))
    by_row = called
    called = called or tuple(f"project {row}" for row in range(len(table)))
    if len(set(called)) != len(table) or len(called) != len(table):
        raise InputError(f"projects must have {len(table)} different names; found others.")
    prices = as_numbers(_in_order(costs, by_row, "costs"), "costs").astype(np.float64)
    if prices.shape != (len(table),):
        raise InputError(
            f"there must be one cost for each of the {len(table)} projects; found shape "
            f"{prices.shape}."
        )
    _require_from_0(prices, "what a project costs")
    if not is_real(budget) or not 0 < budget < np.inf:
        raise InputError(f"the budget must be positive and finite; found {budget!r}.")
    have = _baseline(baseline, table.shape[1], people if people is not None else columns)
    return Projects(called, prices, table, have, float(budget))


def _baseline(baseline: Any, count: int, people: tuple[str, ...] | None) -> FloatArray:
    if baseline is None:
        return np.zeros(count)
    baseline = _in_order(baseline, people, "what people have without projects")
    have = np.asarray(as_numbers(baseline, "utilities"), dtype=np.float64)
    if have.ndim > 1 or have.size not in (1, count):
        raise InputError(
            f"what people have without projects must be one number, or one for each of {count}; "
            f"found shape {have.shape}."
        )
    _require_from_0(have, "what somebody has without projects")
    return np.array(np.broadcast_to(have, count))


def _in_order(values: Any, names: tuple[str, ...] | None, what: str) -> Any:
    """Values by name, of a mapping or series, in the order of the names; others as they came."""
    index = getattr(values, "index", None) if hasattr(type(values), "iloc") else None
    if index is not None:
        labels = list(index)
        if labels == list(range(len(labels))):  # row numbers are no names
            return values
        if len(set(map(str, labels))) < len(labels):
            raise InputError(f"{what} must name each once; found a name that stands twice.")
        values = dict(zip(map(str, labels), values.tolist(), strict=True))
    if isinstance(values, Mapping) and names is None:
        raise InputError(
            f"{what} by name must come with names to match; found none. Pass projects as a data "
            "frame with named rows and columns, or a list in their order."
        )
    return by_name(values, names, what)


def _require_from_0(values: FloatArray, what: str) -> None:
    values = np.atleast_1d(values)
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        found = values[wrong].flat[0]
        raise InputError(
            f"{what} must be a number from 0 on; found {found:g} at row "
            f"{int(np.argwhere(wrong)[0][0])}."
        )
