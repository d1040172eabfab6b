"""Files that know the types of their columns: Parquet, Feather, Excel and Stata."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.files.cells import Cell, CellError, Number, shown
from welfarist.files.limits import MOST_BYTES
from welfarist.files.plain_columns import SMALL, PlainFrame
from welfarist.files.reading_apart import ask
from welfarist.files.sources import Source
from welfarist.files.whole_columns import taken

# Packages that read workbooks, each with what polars calls it.
_ENGINES = (("fastexcel", "calamine"), ("openpyxl", "openpyxl"))


@dataclass(frozen=True)
class FrameTable:
    """A table whose format says which columns there are; its engine runs in a process apart.

    Attributes
    ----------
    source : Source
    columns : tuple of str
    asking : dict
        What names the table where it is read.
    notes : tuple of str
        What was guessed, in sentences.
    other_sheets : tuple of str
        Sheets of the same workbook that may be meant: the first was read, because none was named.
    """

    source: Source
    columns: tuple[str, ...]
    asking: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    decimal: str = "."
    other_sheets: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: Source, sheet: str | None) -> FrameTable:
        """Open a file by its format."""
        if not source.size:
            raise InputError(f"{source.name}: is empty. Is it the right file?")
        if source.size > MOST_BYTES:
            raise InputError(
                f"{source.name}: must be no larger than {MOST_BYTES / 1e9:g} GB; found "
                f"{source.size / 1e9:.3g} GB. Split it."
            )
        asking = {
            "name": source.name,
            "path": os.path.abspath(source.path or ""),
            "size": source.size,
            "format": source.format,
            "sheet": sheet,
            "engine": _engine(source),
        }
        found, _ = ask({**asking, "do": "open"})
        return cls(
            source,
            tuple(found["columns"]),
            {**asking, "stamp": found["stamp"]},
            tuple(found["notes"]),
            other_sheets=tuple(found["others"]),
        )

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.source.name

    def read(self, cells: Mapping[str, Cell]) -> Any:
        """Return columns as a polars data frame, checked; a problem names row and column."""
        import polars as pl

        found: dict[str, Any] = {}
        for part in self._parts(cells):
            found |= self._read(part)
        return pl.DataFrame([found[column] for column in cells])

    def _parts(self, cells: Mapping[str, Cell]) -> list[dict[str, Cell]]:
        """Columns that are read together: of Parquet, where each lies by itself, texts are not.

        Texts take much more memory than what is made of them.
        """
        if self.source.format != "parquet":
            return [dict(cells)]
        parts: list[dict[str, Cell]] = []
        for column, cell in cells.items():
            if cell.number and parts and all(other.number for other in parts[-1].values()):
                parts[-1][column] = cell
            else:
                parts.append({column: cell})
        return parts

    def _read(self, cells: Mapping[str, Cell], hashed: bool = True) -> dict[str, Any]:
        """Columns by name, checked; texts are not `hashed` where something is wrong with them."""
        import polars as pl

        by_hash = [column for column, cell in cells.items() if hashed and cell.by_hash]
        answer, data = self._ask("arrow", hashed=by_hash, **_wanted(cells))
        frame = pl.read_ipc(io.BytesIO(data))
        del data  # which is as large as the frame
        self._refuse_none(len(frame))
        odd = set(answer["odd"])
        found = taken(frame, {c: cell for c, cell in cells.items() if c not in odd})
        if any(found[column] is None for column in answer["hashed"]):
            return self._read(cells, hashed=False)
        for column, cell in cells.items():
            if found.get(column) is None:
                held = map(json.loads, frame[column]) if column in odd else frame[column]
                found[column] = cell.made(column, self._parsed(column, cell, held))
        return found

    def read_small(self, cells: Mapping[str, Cell]) -> PlainFrame | None:
        """Return columns without polars, which where few names are looked up is quicker."""
        if "polars" in sys.modules and self.source.size > SMALL:
            return None  # the import is what takes longer
        answer, data = self._ask("plain", **_wanted(cells))
        self._refuse_none(answer["rows"])
        held: dict[str, Any] = answer["lists"]
        numbers = np.frombuffer(data).reshape(len(answer["numbers"]), answer["rows"])
        held |= dict(zip(answer["numbers"], numbers, strict=True))
        return PlainFrame({c: self._checked(c, cell, held[c]) for c, cell in cells.items()})

    def where(self, row: int) -> str:
        """The number of a row, counted from 0, as other programs show it."""
        return f"row {self._ask('where', row=row)[0]['row']}"

    def texts(self, columns: Sequence[str]) -> list[str]:
        """Which of some columns hold texts, or dates, alone."""
        return list(self._ask("texts", columns=list(columns))[0]["texts"])

    def _ask(self, what: str, **more: Any) -> tuple[dict[str, Any], bytes]:
        return ask({**self.asking, "do": what, **more})

    def _refuse_none(self, rows: int) -> None:
        if not rows:
            raise InputError(
                f"{self.name}: must hold at least one row; found none. Is it the right file?"
            )

    def _checked(self, column: str, cell: Cell, entries: Any) -> Any:
        """A column whose numbers are right as they are, or what its cells stand for one by one."""
        if isinstance(entries, np.ndarray) and isinstance(cell, Number) and cell.right(entries):
            return entries
        return self._parsed(column, cell, entries)

    def _parsed(self, column: str, cell: Cell, entries: Any) -> list[Any]:
        values = []
        for row, value in enumerate(entries):
            try:
                values.append(cell.parse(value))
            except CellError as problem:
                where = f"{self.name}, {self.where(row)}, column {shown(column)}"
                raise problem.at(where) from None
        return values


def _wanted(cells: Mapping[str, Cell]) -> dict[str, list[str]]:
    """Which columns are read, and which of them as numbers."""
    numbers = [column for column, cell in cells.items() if cell.number]
    return {"columns": list(cells), "numbers": numbers}


def _engine(source: Source) -> str | None:
    """The reader of workbooks that is installed; None for formats that need none of these."""
    if source.format == "excel":
        for package, engine in _ENGINES:
            if importlib.util.find_spec(package) is not None:
                return engine
        raise InputError(
            f"{source.name}: reading workbooks needs the package fastexcel; found none. pip "
            "install fastexcel, or save the sheet as CSV UTF-8."
        )
    if source.format == "stata" and importlib.util.find_spec("pandas") is None:
        raise InputError(
            f"{source.name}: reading Stata files needs the package pandas; found none. pip install "
            "pandas, or export the data as CSV."
        )
    return None
