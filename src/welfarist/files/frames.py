"""Files that know the types of their columns: Parquet, Feather, Excel and Stata."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from welfarist.base.errors import InputError
from welfarist.files.cells import Cell, CellError, are_texts, shown
from welfarist.files.sources import Source

_IN_WORDS = {
    "parquet": "a Parquet file",
    "feather": "a Feather file",
    "excel": "a workbook",
    "stata": "a Stata file",
}


@dataclass(frozen=True)
class FrameTable:
    """A table whose format says which columns there are.

    Attributes
    ----------
    source : Source
    columns : tuple of str
    frame : polars.DataFrame or polars.LazyFrame
        The entries; lazy where the format lets single columns be read.
    rows : sequence of int or None
        The number that other programs show for each row; None if they are numbered from 1.
    notes : tuple of str
        What was guessed, in sentences.
    other_sheets : tuple of str
        Sheets of the same workbook that may be meant: the first was read, because none was named.
    """

    source: Source
    columns: tuple[str, ...]
    frame: Any = field(repr=False)
    rows: Sequence[int] | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    decimal: str = "."
    other_sheets: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: Source, sheet: str | None) -> FrameTable:
        """Open a file by its format."""
        if not source.head(1):
            raise InputError(f"{source.name}: is empty. Is it the right file?")
        if source.format == "excel":
            from welfarist.files.workbooks import read_sheet  # which few need

            found = _attempted(source, lambda: read_sheet(source.name, _path(source), sheet))
            return cls._of_sheet(source, found)
        readers = {"parquet": _parquet, "feather": _feather, "stata": _stata}
        frame = _attempted(source, lambda: readers[source.format](source))
        columns = _attempted(source, lambda: tuple(frame.collect_schema().names()))
        if not columns:
            raise InputError(f"{source.name}: must have columns; found none.")
        return cls(source, columns, frame)

    @classmethod
    def _of_sheet(cls, source: Source, sheet: Any) -> FrameTable:
        columns = tuple(sheet.frame.columns)
        if not columns:
            raise InputError(f"{source.name}: must have columns; found none.")
        return cls(source, columns, sheet.frame, sheet.rows, sheet.notes, other_sheets=sheet.others)

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.source.name

    def read(self, cells: Mapping[str, Cell]) -> Any:
        """Return columns as a polars data frame, checked; a problem names row and column."""
        import polars as pl

        chosen = self.frame.lazy().select(list(cells))
        types = chosen.collect_schema()
        quick = {c: cell for c, cell in cells.items() if _castable(types[c], cell.dtype())}
        # One cast for all columns of a type: a long list of names is then taken in only once.
        same_type: dict[Any, list[str]] = {}
        for column, cell in quick.items():
            if types[column] != cell.dtype():
                same_type.setdefault(cell.dtype(), []).append(column)
        casts = [pl.col(names).cast(kind, strict=False) for kind, names in same_type.items()]
        frame = chosen.with_columns(casts).collect()
        if not len(frame):
            raise InputError(
                f"{self.name}: must hold at least one row; found none. Is it the right file?"
            )
        found = []
        for column, cell in cells.items():
            entries = frame.drop_in_place(column)
            entries = cell.taken(entries) if column in quick else None
            found.append(self._carefully(column, cell) if entries is None else entries)
        return pl.DataFrame(found)

    def read_small(self, cells: Mapping[str, Cell]) -> None:
        """Only polars reads these files, however small."""
        del cells

    def where(self, row: int) -> str:
        """The number of a row, counted from 0, as other programs show it."""
        return f"row {row + 1 if self.rows is None else self.rows[row]}"

    def texts(self, columns: Sequence[str]) -> list[str]:
        """Which of some columns hold texts, or dates, alone."""
        types = self.frame.lazy().collect_schema()
        return [c for c in columns if types[c].is_temporal() or self._are_texts(c, types[c])]

    def _are_texts(self, column: str, held: Any) -> bool:
        if held.is_numeric():
            return False
        return are_texts(self.frame.lazy().select(column).collect().to_series().unique())

    def _carefully(self, column: str, cell: Cell) -> Any:
        """A column read cell by cell, or an error that says where it stands."""
        values = []
        entries = self.frame.lazy().select(column).collect().to_series()
        for row, value in enumerate(entries):
            try:
                values.append(cell.parse(value))
            except CellError as problem:
                where = f"{self.name}, {self.where(row)}, column {shown(column)}"
                raise problem.at(where) from None
        return cell.made(column, values)


def _attempted(source: Source, work: Callable[[], Any]) -> Any:
    """What reading gives; readers of binary formats fail in ways of their own."""
    try:
        return work()
    except InputError:
        raise
    except Exception as problem:  # the reason is theirs to give
        reason = str(problem).strip().split("\n")[0]
        raise InputError(
            f"{source.name}: must be {_IN_WORDS[source.format]}; found one that cannot be read as "
            f"such ({reason:.150}). It may be damaged or have the wrong ending."
        ) from None


def _castable(held: Any, wanted: Any) -> bool:
    """Whether a type turns into another without a guess: dates and booleans are no numbers."""
    import polars as pl

    if wanted == pl.Float64:
        return bool(held.is_numeric())
    return bool(held in (pl.String, pl.Categorical) or isinstance(held, pl.Enum))


def _path(source: Source) -> Path:
    """Where the file is; standard input is text and never comes here."""
    assert source.path is not None
    return source.path


def _parquet(source: Source) -> Any:
    import polars as pl

    return pl.scan_parquet(_path(source), glob=False)


def _feather(source: Source) -> Any:
    import polars as pl

    path = _path(source)
    # Not every version can be told that a name is no pattern; bytes have no name.
    return pl.scan_ipc(path.read_bytes() if set("*?[") & set(str(path)) else path)


def _stata(source: Source) -> Any:
    import polars as pl

    if importlib.util.find_spec("pandas") is None:
        raise InputError(
            f"{source.name}: reading Stata files needs the package pandas; found none. pip install "
            "pandas, or export the data as CSV."
        )
    import pandas as pd

    table = pd.read_stata(_path(source))
    # Series by series: the library that would convert the whole is not always there.
    columns = {str(c): table[c].astype(object).where(table[c].notna(), None) for c in table}
    made = {}
    for name, column in columns.items():
        numeric = pd.api.types.is_numeric_dtype(table[name])
        entries = column.tolist() if numeric else [None if v is None else str(v) for v in column]
        made[name] = pl.Series(name, entries, strict=False)
    return pl.DataFrame(made)
