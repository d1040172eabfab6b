"""What is known of the decision makers themselves: age, group, and the like.

Numbers are taken from their mean, in standard deviations; texts become one column for each but the
first, against which the others are held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import in_memory, row_names
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, is_real
from welfarist.base.wording import listed

# What a column is called that says who somebody is.
_NAMES = ("who", "decider", "by", "person", "name", "respondent", "id")


@dataclass(frozen=True, eq=False)
class Column:
    """One thing that is known of everybody.

    Attributes
    ----------
    name : str
    entries : (G,) array
        Numbers, or texts.
    """

    name: str
    entries: npt.NDArray[Any]

    @property
    def levels(self) -> tuple[str, ...]:
        """The texts that there are; none if it holds numbers."""
        if self.entries.dtype.kind == "f":
            return ()
        return tuple(sorted(set(self.entries.tolist())))

    @property
    def centre(self) -> float:
        """The mean of numbers."""
        return float(self.entries.mean())

    @property
    def unit(self) -> float:
        """The standard deviation of numbers, which is 1 in the design."""
        return float(self.entries.std())

    def coded(self) -> dict[str, FloatArray]:
        """Return the columns (G,) of the design that it stands for, by name."""
        if not self.levels:
            return {self.name: (self.entries - self.centre) / self.unit}
        return {
            f"{self.name}: {level}": (self.entries == level).astype(np.float64)
            for level in self.levels[1:]
        }

    def merged(self, levels: Sequence[str]) -> Column:
        """Return the same with some texts taken as one."""
        one = np.isin(self.entries, list(levels))
        together = " or ".join(levels)
        return replace(self, entries=np.where(one, together, self.entries))


@dataclass(frozen=True, eq=False)
class Covariates:
    """What is known of the decision makers.

    Attributes
    ----------
    people : int
    columns : tuple of Column
    """

    people: int
    columns: tuple[Column, ...] = ()

    @classmethod
    def of(cls, table: Any, names: npt.NDArray[Any]) -> Covariates:
        """Read a table with one row a decision maker, by name; None is nothing known."""
        if table is None:
            return cls(len(names))
        found = []
        for name, entries in _by_decider(table, names).items():
            column = _column(name, entries)
            if column.levels:
                if len(column.levels) == 1:
                    raise _constant(name, column.levels[0])
            elif column.entries.min() == column.entries.max():
                raise _constant(name, f"{column.centre:g}")
            found.append(column)
        made = cls(len(names), tuple(found))
        _refuse_undetermined(made)
        return made

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns of the design are called; the first is the same for everybody."""
        return ("constant", *(name for column in self.columns for name in column.coded()))

    @property
    def units(self) -> FloatArray:
        """By what coefficients (c,) are divided to be those of one unit of each column."""
        of_each = [
            1.0 if column.levels else column.unit for column in self.columns for _ in column.coded()
        ]
        return np.array([1.0, *of_each])

    @property
    def to_units(self) -> FloatArray:
        """What turns coefficients (c,) of the design into those of the columns as they are (c, c).

        The constant is then that of somebody of whom all numbers are 0.
        """
        found = np.diag(1.0 / self.units)
        coded = [column for column in self.columns for _ in column.coded()]
        for j, column in enumerate(coded, 1):
            if not column.levels:
                found[0, j] = -column.centre / column.unit
        return found

    @property
    def design(self) -> FloatArray:
        """The columns (G, c) of numbers, the first of which is ones."""
        coded = [entries for column in self.columns for entries in column.coded().values()]
        return np.column_stack([np.ones(self.people), *coded])

    def row(self, known: Mapping[str, Any]) -> FloatArray:
        """Return the row (c,) of the design of somebody of whom everything is known."""
        found = [1.0]
        for column in self.columns:
            if column.name not in known:
                raise InputError(
                    f"something must be known of {column.name!r}; found only {listed(list(known))}."
                )
            value = known[column.name]
            if not column.levels:
                if not is_real(value) or not np.isfinite(value):
                    raise InputError(f"{column.name!r} must be a finite number; found {value!r}.")
                found.append((float(value) - column.centre) / column.unit)
                continue
            if str(value) not in column.levels:
                raise InputError(
                    f"{column.name!r} must be one of {listed(list(column.levels))}; found "
                    f"{value!r}."
                )
            found += [float(str(value) == level) for level in column.levels[1:]]
        return np.array(found)

    def rows_of(self, table: Any) -> tuple[npt.NDArray[Any], FloatArray]:
        """Read a table of new people: their names (H,), and their rows (H, c) of the design."""
        if not self.columns:
            raise InputError(
                "what is known of new people matters only where the fit has columns of it; found a "
                "fit without. Give deciders to fit as well."
            )
        names, columns = _read(table)
        known = [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ]
        return np.array(names, dtype=object), np.array([self.row(one) for one in known])

    def without_differences(self, same: Sequence[str]) -> Covariates:
        """Return the same, as if some groups were one, or a column of numbers said nothing.

        Parameters
        ----------
        same : sequence of str
            Texts of one column, or the name of one column.
        """
        wanted = [same] if isinstance(same, str) else [str(name) for name in same]
        several = [c.name for c in self.columns if len(wanted) > 1 and set(wanted) <= set(c.levels)]
        if len(several) > 1:
            raise InputError(
                f"groups must belong to one column; found {listed(wanted)} in {listed(several)}. "
                "Name the column: it is then asked whether it says anything."
            )
        for column in self.columns:
            if wanted == [column.name] or (column.levels and set(wanted) == set(column.levels)):
                return replace(self, columns=tuple(c for c in self.columns if c is not column))
            if len(set(wanted)) > 1 and set(wanted) <= set(column.levels):
                changed = tuple(c.merged(wanted) if c is column else c for c in self.columns)
                return replace(self, columns=changed)
        known = [f"{c.name} ({', '.join(c.levels) or 'a number'})" for c in self.columns]
        raise InputError(
            "same must name a column of what is known of the decision makers, or at least two "
            f"groups of one column; found {wanted!r}. Known: {'; '.join(known) or 'nothing'}."
        )


def _by_decider(table: Any, names: npt.NDArray[Any]) -> dict[str, list[Any]]:
    """The entries (G,) of each column, in the order of the decision makers."""
    rows, columns = _read(table)
    wanted = [str(name) for name in names.tolist()]
    if len(set(rows)) < len(rows):
        twice = next(row for row in rows if rows.count(row) > 1)
        raise InputError(f"deciders must have one row each; found {twice!r} twice.")
    place = {row: i for i, row in enumerate(rows)}
    missing = [name for name in wanted if name not in place]
    if missing:
        raise InputError(
            "deciders must have a row for everybody who decided; found none for "
            f"{missing[0]!r} and {len(missing) - 1} others."
            if len(missing) > 1
            else "deciders must have a row for everybody who decided; found none for "
            f"{missing[0]!r}."
        )
    if not columns:
        raise InputError("deciders must have a column beside the names; found none.")
    return {name: [column[place[who]] for who in wanted] for name, column in columns.items()}


def _read(table: Any) -> tuple[list[str], dict[str, list[Any]]]:
    """The names and the columns of a data frame, or of a mapping of columns."""
    rows: Any = None
    if isinstance(table, Mapping):
        columns = {str(name): _entries(str(name), column) for name, column in table.items()}
    elif hasattr(type(table), "columns"):
        rows = row_names(table)
        frame = in_memory(table)
        columns = {name: frame[name].to_list() for name in frame.columns}
    else:
        raise InputError(
            "deciders must be a data frame, or a mapping of columns, with a column of names; "
            f"found {type(table).__name__}."
        )
    called = next((name for name in columns if name.lower() in _NAMES), None)
    if called is not None:
        rows = columns.pop(called)
    elif rows is None:
        called = next(iter(columns), None)
        rows = columns.pop(called) if called is not None else []
    sizes = {len(column) for column in columns.values()} | {len(rows)}
    if len(sizes) > 1:
        raise InputError("columns of deciders must be of the same length; found others.")
    return [str(row) for row in rows], columns


def _entries(name: str, column: Any) -> list[Any]:
    if isinstance(column, str) or not hasattr(column, "__iter__"):
        raise InputError(
            f"what is known of deciders must be columns; found {column!r} in {name!r}."
        )
    return list(column)


def _is_missing(entry: Any) -> bool:
    if entry is None:
        return True
    try:
        return bool(entry != entry)
    except TypeError:  # the NA of pandas, which is neither equal to itself nor not
        return True


def _column(name: str, entries: list[Any]) -> Column:
    missing = sum(map(_is_missing, entries))
    if missing:
        raise InputError(
            f"columns of deciders must be known of everybody; found {missing} gaps in "
            f"{name!r}. Fill them in, or leave these decision makers out."
        )
    numbers = all(
        isinstance(entry, int | float | np.number) and not isinstance(entry, bool)
        for entry in entries
    )
    if not numbers:
        return Column(name, np.array([str(entry) for entry in entries], dtype=object))
    values = np.array(entries, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError(f"columns of deciders must be finite; found an infinite {name!r}.")
    return Column(name, values)


def _constant(name: str, value: str) -> InputError:
    return InputError(
        f"columns of deciders must differ between them; found {value} for everybody in {name!r}. "
        "Leave it out."
    )


def _refuse_undetermined(covariates: Covariates) -> None:
    design = covariates.design
    if design.shape[1] >= covariates.people:
        raise InputError(
            "there must be more decision makers than columns that describe them; found "
            f"{covariates.people} and {design.shape[1] - 1}."
        )
    if np.linalg.matrix_rank(design) < design.shape[1]:
        raise InputError(
            "columns of deciders must not follow from each other; found some that do among "
            f"{listed(list(covariates.names[1:]))}. Leave one out."
        )
