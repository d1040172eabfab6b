"""What is known about people, in a file: their weights or their groups."""

from __future__ import annotations

import os
from typing import Any

from welfarist.errors import InputError
from welfarist.files.cells import Cell, Number, Text
from welfarist.files.opening import FileTable, listed, open_table

_NAME = ("stakeholder", "person", "name")


def read_weights(
    path: str | os.PathLike[str],
    *,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
) -> dict[str, float]:
    """Return everybody's weight by name, from a file with columns ``stakeholder,weight``.

    Parameters
    ----------
    path : str or path
    separator, decimal, sheet
        As in :func:`open_table`.
    """
    advice = "Use 0 for somebody who is not to count."
    table = open_table(path, separator=separator, decimal=decimal, sheet=sheet)
    return _by_name(table, "weight", Number("weights", 0.0, advice, table.decimal))


def read_groups(
    path: str | os.PathLike[str],
    *,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
) -> dict[str, str]:
    """Return everybody's group by name, from a file with columns ``stakeholder,group``.

    Parameters
    ----------
    path : str or path
    separator, decimal, sheet
        As in :func:`open_table`.
    """
    table = open_table(path, separator=separator, decimal=decimal, sheet=sheet)
    return _by_name(table, "group", Text("a group"))


def _by_name(table: FileTable, what: str, cell: Cell) -> dict[str, Any]:
    lower = {column.lower(): column for column in table.columns}
    named = [lower[name] for name in _NAME if name in lower]
    if what not in lower or len(named) != 1:
        raise InputError(
            f"{table.name}, line 1: there must be the columns stakeholder and {what}; found "
            f"{listed(table.columns)}. Rename them."
        )
    frame = table.read({named[0]: Text("a name"), lower[what]: cell})
    names = frame[named[0]].to_list()
    found: dict[str, Any] = {}
    for row, (name, value) in enumerate(zip(names, frame[lower[what]].to_list(), strict=True)):
        if name in found:
            raise InputError(
                f"{table.name}, {table.where(row)}: stakeholders must be named once; found "
                f"{name!r} again. Leave out one of the two rows."
            )
        found[name] = value
    return found
