"""What is known of decision makers, in a file: age, group, and the like."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from welfarist.base.asking import RequestError
from welfarist.base.errors import InputError
from welfarist.files.cells import Cell, Number, Text, listed, shown
from welfarist.files.opening import FileTable, columns_named, open_table

# What a column is called that says who somebody is; otherwise it is the first.
_NAMES = ("who", "decider", "by", "person", "name", "respondent", "id")


@dataclass(frozen=True)
class KnownDeciders:
    """What a file says of decision makers.

    Attributes
    ----------
    columns : dict
        Names first, then numbers or texts of everybody who decided.
    notes : tuple of str
        What was guessed, and who was left out.
    """

    columns: dict[str, list[Any]]
    notes: tuple[str, ...]


# What other tables offer where a cell is empty.
_LEFT_OUT = ", or leave out all such rows: {drop_missing:True}"


def read_deciders(
    path: str | os.PathLike[str],
    deciders: Sequence[str],
    *,
    by: str | None = None,
    columns: Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
) -> KnownDeciders:
    """Return what a file with a row per decision maker says of those who decided.

    Parameters
    ----------
    path : str or path
    deciders : list of str
        Who decided: each of them must have a row. Others may have one.
    by : str, optional
        What the column of names is called in the file of decisions, and perhaps here. Otherwise it
        is called ``who``, ``decider``, ``by``, ``person``, ``name``, ``respondent`` or ``id``; or
        it is the first.
    columns : list of str, optional
        Which columns to use; all others if left out. They hold numbers, or texts where no cell is a
        number.
    separator, decimal, sheet, encoding
        As in :func:`open_table`.
    """
    table = open_table(path, separator=separator, decimal=decimal, sheet=sheet, encoding=encoding)
    name = _name_column(table, by)
    wanted = [one for one in table.columns if one != name]
    if columns is not None:
        wanted = columns_named(table, columns, "what is known of the decision makers")
    if not wanted or name in wanted:
        raise InputError(
            f"{table.name}, line 1: there must be a column beside that of the names, "
            f"{shown(name)}; found {listed(wanted or table.columns)} alone."
        )
    texts = set(table.texts(wanted))
    number = Number("numbers of the decision makers", float("-inf"), decimal=table.decimal)
    cells: dict[str, Cell] = {name: Text("somebody who decided")}
    cells |= {one: Text("an entry") if one in texts else number for one in wanted}
    try:
        frame = table.read(cells)
    except RequestError as problem:  # no row can be left out here: everybody who decided has one
        text = str(problem.args[0]).replace(_LEFT_OUT, "")
        raise RequestError(text, **problem.found) from None
    rows = _rows(table, frame[name].to_list(), deciders)
    found = {one: frame[one].to_list() for one in wanted}
    spare = len(frame) - len(rows)
    notes = [*table.notes, f"{table.name}: the names are in the column {shown(name)}."]
    if spare:
        notes.append(
            f"{table.name}: {spare} of {len(frame)} rows are of people who decided nothing."
        )
    key = next(one for one in _NAMES if one not in found)
    ordered = {key: list(deciders)}
    return KnownDeciders(
        ordered | {one: [column[row] for row in rows] for one, column in found.items()},
        tuple(notes),
    )


def _name_column(table: FileTable, by: str | None) -> str:
    lower = {column.lower(): column for column in table.columns}
    wanted = (() if by is None else (by.lower(),)) + _NAMES
    return next((lower[name] for name in wanted if name in lower), table.columns[0])


def _rows(table: FileTable, names: Sequence[str], deciders: Sequence[str]) -> list[int]:
    """The row of everybody who decided."""
    place: dict[str, int] = {}
    for row, name in enumerate(names):
        if name in place:
            raise InputError(
                f"{table.name}, {table.where(row)}: decision makers must have one row each; found "
                f"{shown(name)} again. Leave out one of the two rows."
            )
        place[name] = row
    missing = [name for name in deciders if name not in place]
    if missing:
        raise RequestError(
            "{file}: everybody who decided must have a row; found none for {missing}. Add {them}, "
            "or take their decisions out of the file of decisions.",
            file=table.name,
            missing=listed(missing, 5),
            them="it" if len(missing) == 1 else "them",
        )
    return [place[name] for name in deciders]
