"""Opening a table, whatever its format."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from welfarist.base.errors import InputError
from welfarist.files.cells import Cell, listed, shown
from welfarist.files.delimited import Delimited
from welfarist.files.plain_columns import PlainFrame
from welfarist.files.sources import STANDARD_INPUT, source_of
from welfarist.people.estimated.saved import is_people


class Located(Protocol):
    """Rows of a file, each of which can be found again."""

    @property
    def name(self) -> str:
        """What messages call the file."""

    def where(self, row: int) -> str:
        """Where the row (from 0) stands in the file: "line 2"."""


class FileTable(Located, Protocol):
    """A table in a file, of which columns can be read."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, all different."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was guessed, in sentences."""

    @property
    def decimal(self) -> str:
        """The decimal mark of its numbers."""

    @property
    def other_sheets(self) -> tuple[str, ...]:
        """Sheets of the same workbook, where none was named."""

    def read(self, cells: Mapping[str, Cell]) -> Any:
        """Return columns as a polars data frame, checked; a problem names line and column."""

    def texts(self, columns: Sequence[str]) -> list[str]:
        """Which of some columns hold texts alone."""

    def read_small(self, cells: Mapping[str, Cell]) -> PlainFrame | None:
        """Return columns without polars; None where that would take longer, or cannot be."""


def open_table(
    path: str | os.PathLike[str],
    *,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
) -> FileTable:
    """Return the table in a file, ready to be read; "-" is standard input.

    Parameters
    ----------
    path : str or path
    separator : str, optional
        What separates columns in a text file; found out if left out, when that is unambiguous.
    decimal : "." or ",", optional
        The decimal mark in a text file; found out likewise.
    sheet : str, optional
        Which sheet of a workbook; the first if left out. It may also stand after the name of the
        file, ``"survey.xlsx:Wave 2"``, which goes before.
    encoding : str, optional
        How a text file is written, such as "windows-1252"; UTF-8 if left out.
    """
    require_polars()
    if path != STANDARD_INPUT and is_people(path):
        raise InputError(
            f"{os.fspath(path)}: what is asked for needs a table; found people whose utilities "
            "are estimates, with errors. Write their best guess as a table, with "
            "People.load(…).to_frame(), to take it as exact."
        )
    source = source_of(path)
    if source.format == "text":
        if encoding is not None:
            source = source.decoded(encoding)
        return Delimited.of(source, separator, decimal)
    from welfarist.files.frames import FrameTable  # which texts do not need

    return FrameTable.of(source, sheet if source.sheet is None else source.sheet)


def require_polars() -> None:
    """Files are read by polars, which is an extra."""
    if importlib.util.find_spec("polars") is None:
        raise InputError(
            'reading files needs the package polars; found none. pip install "welfarist[cli]"'
        )


def column_named(table: FileTable, name: str, role: str) -> str:
    """Return a column the user named, or say which there are."""
    return columns_named(table, [name], role)[0]


def columns_named(table: FileTable, names: Sequence[str], role: str) -> list[str]:
    """Return the columns the user named; capitals need not be right where that is clear."""
    known = set(table.columns)
    others = {name.lower() for name in names if name not in known}
    alike: dict[str, list[str]] = {}
    for column in table.columns if others else ():
        if column.lower() in others:
            alike.setdefault(column.lower(), []).append(column)
    return [
        name if name in known else _meant(table, name, alike.get(name.lower(), []), role)
        for name in names
    ]


def _meant(table: FileTable, name: str, alike: list[str], role: str) -> str:
    """The one column whose name differs from what was said in its capitals."""
    if len(alike) == 1:
        return alike[0]
    raise InputError(
        f"{table.name}, line 1: {role} must be one of the columns; found no {shown(name)} among "
        f"{listed(table.columns)}. Check the spelling."
    )
