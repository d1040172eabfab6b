"""Columns of a frame checked against what they must hold: many that must hold the same at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from welfarist.files.cells import Cell


def taken(frame: Any, cells: Mapping[str, Cell]) -> dict[str, Any]:
    """Return what columns stand for; None for one with which something is wrong.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns of the types that the cells ask for.
    cells : mapping
        What each column must hold; one object for many columns saves a look at each.
    """
    alike: dict[int, list[str]] = {}
    for column, cell in cells.items():
        alike.setdefault(id(cell), []).append(column)
    found: dict[str, Any] = {}
    for columns in alike.values():
        cell = cells[columns[0]]
        together = cell.together(frame.select(columns)) if len(columns) > 1 else None
        if together is None:
            found |= {column: cell.taken(frame[column]) for column in columns}
        else:
            found |= dict(zip(columns, together.get_columns(), strict=True))
    return {column: found[column] for column in cells}
