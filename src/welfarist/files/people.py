"""What is known about people, in a file: their weights, their groups or their attributes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from welfarist.base.asking import RequestError
from welfarist.base.errors import InputError
from welfarist.files.cells import Cell, Number, Text, listed, nearest, shown
from welfarist.files.opening import FileTable, open_table

_NAME = ("stakeholder", "person", "name")


def read_weights(
    path: str | os.PathLike[str],
    *,
    people: Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
) -> dict[str, float]:
    """Return everybody's weight by name, from a file with columns ``stakeholder,weight``.

    Parameters
    ----------
    path : str or path
    people : list of str, optional
        Whom the file must name, each of them and nobody else; not checked if left out.
    separator, decimal, sheet, encoding
        As in :func:`open_table`.
    """
    advice = "Use 0 for somebody who is not to count."
    reading = dict(separator=separator, decimal=decimal, sheet=sheet, encoding=encoding)
    table = open_table(path, **reading)
    return _by_name(table, "weight", Number("weights", 0.0, advice, table.decimal), people)


def read_groups(
    path: str | os.PathLike[str],
    *,
    people: Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
) -> dict[str, str]:
    """Return everybody's group by name, from a file with columns ``stakeholder,group``.

    Parameters
    ----------
    path : str or path
    people : list of str, optional
        Whom the file must name, each of them and nobody else; not checked if left out.
    separator, decimal, sheet, encoding
        As in :func:`open_table`.
    """
    reading = dict(separator=separator, decimal=decimal, sheet=sheet, encoding=encoding)
    table = open_table(path, **reading)
    return _by_name(table, "group", Text("a group"), people)


def read_attributes(
    path: str | os.PathLike[str],
    *,
    people: Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
) -> dict[str, dict[str, Any]]:
    """Return each attribute of everybody by name, from a file with a row per person.

    The first column holds the stakeholders' names, every other one an attribute: numbers, or texts
    where no cell is a number.

    Parameters
    ----------
    path : str or path
    people : list of str, optional
        Whom the file must name, each of them and nobody else; not checked if left out.
    separator, decimal, sheet, encoding
        As in :func:`open_table`.
    """
    reading = dict(separator=separator, decimal=decimal, sheet=sheet, encoding=encoding)
    table = open_table(path, **reading)
    name, *attributes = table.columns
    if not attributes:
        raise InputError(
            f"{table.name}, line 1: there must be a column of stakeholders and at least one "
            f"attribute; found {listed(table.columns)} alone."
        )
    texts = set(table.texts(attributes))
    number = Number("attributes", decimal=table.decimal)
    cells: dict[str, Cell] = {name: Text("a name")}
    cells |= {one: Text("an attribute") if one in texts else number for one in attributes}
    frame = table.read(cells)
    rows = _rows_by_name(table, frame[name].to_list(), "attribute", people)
    columns = {one: frame[one].to_list() for one in attributes}
    return {one: {who: column[row] for who, row in rows.items()} for one, column in columns.items()}


def check_people(named: Iterable[str], people: Sequence[str], what: str, source: str) -> None:
    """Require that everybody is named, and nobody else; `source` is what messages begin with."""
    known, found = set(people), set()
    for name in named:
        if name not in known:
            raise unknown_person(name, people, source)
        found.add(name)
    missing = [person for person in people if person not in found]
    if missing:
        raise RequestError(
            "{source}: every stakeholder must have {what}; found none for {missing}. Add {them}, "
            "or leave the {columns} out with {ignore}.",
            source=source,
            what=f"an {what}" if what[0] in "aeiou" else f"a {what}",
            missing=listed(missing, 5),
            them="it" if len(missing) == 1 else "them",
            columns="column" if len(missing) == 1 else "columns",
        )


def unknown_person(name: str, people: Sequence[str], source: str) -> RequestError:
    """Say that somebody is no stakeholder, and who might be meant."""
    near = nearest(name, people)
    return RequestError(
        "{source}: a name must be one of the stakeholders, {people}; found {found}. {hint}",
        source=source,
        people=listed(people),
        found=shown(name),
        hint=f"Did you mean {' or '.join(map(shown, near))}?" if near else "Check the spelling.",
    )


def _by_name(
    table: FileTable, what: str, cell: Cell, people: Sequence[str] | None
) -> dict[str, Any]:
    lower = {column.lower(): column for column in table.columns}
    named = [lower[name] for name in _NAME if name in lower]
    if what not in lower or len(named) != 1:
        raise InputError(
            f"{table.name}, line 1: there must be the columns stakeholder and {what}; found "
            f"{listed(table.columns)}. Rename them."
        )
    frame = table.read({named[0]: Text("a name"), lower[what]: cell})
    values = frame[lower[what]].to_list()
    rows = _rows_by_name(table, frame[named[0]].to_list(), what, people)
    return {name: values[row] for name, row in rows.items()}


def _rows_by_name(
    table: FileTable, names: Sequence[str], what: str, people: Sequence[str] | None
) -> dict[str, int]:
    """The row of everybody who must be named, and of nobody else."""
    known = None if people is None else set(people)
    found: dict[str, int] = {}
    for row, name in enumerate(names):
        if name in found:
            raise InputError(
                f"{table.name}, {table.where(row)}: stakeholders must be named once; found "
                f"{shown(name)} again. Leave out one of the two rows."
            )
        if people is not None and known is not None and name not in known:
            raise unknown_person(name, people, f"{table.name}, {table.where(row)}")
        found[name] = row
    if people is not None:
        check_people(found, people, what, table.name)
    return found
