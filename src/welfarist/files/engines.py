"""Binary formats and the engines that read them: Parquet, Feather, Excel and Stata.

They are written in other languages, take a damaged file at its word, and end the whole process
where it asks for too much. So they run in a process of their own, see `reader`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from welfarist.base.errors import InputError
from welfarist.base.ordinary_files import for_engines
from welfarist.files.cells import are_texts
from welfarist.files.limits import check_cells, check_columns

# What tells one state of a file from another.
Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class Opened:
    """A table that an engine has opened.

    Attributes
    ----------
    name : str
        What messages call the file.
    columns : tuple of str
    frame : polars.LazyFrame
        Lazy where the format lets single columns be read.
    rows : sequence of int or None
        The number that other programs show for each row; None if they are numbered from 1.
    notes, others : tuple of str
        What was guessed, and sheets of the same workbook that may be meant.
    """

    name: str
    columns: tuple[str, ...]
    frame: Any = field(repr=False)
    rows: Sequence[int] | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, path: str, form: str, sheet: str | None, engine: str | None) -> Opened:
        """Open a file by its format; `engine` is the reader of workbooks that is installed."""
        if form == "excel":
            from welfarist.files.workbooks import read_sheet  # which few need

            found = read_sheet(name, path, sheet, engine)
            opened = cls(name, tuple(found.frame.columns), found.frame.lazy(), found.rows,
                         found.notes, found.others)  # fmt: skip
        elif form == "stata":
            frame, notes = _stata(name, path)
            opened = cls(name, tuple(frame.columns), frame.lazy(), notes=notes)
        else:
            frame = {"parquet": _parquet, "feather": _feather}[form](path)
            opened = cls(name, tuple(frame.collect_schema().names()), frame)
        if not opened.columns:
            raise InputError(f"{name}: must have columns; found none.")
        check_columns(name, len(opened.columns))
        return opened

    def __len__(self) -> int:
        import polars as pl

        return int(self.frame.select(pl.len()).collect().item())

    def chosen(self, columns: Sequence[str], numbers: Sequence[str]) -> Any:
        """Return some columns, those of `numbers` in double precision where their type allows."""
        import polars as pl

        check_cells(self.name, len(self), len(columns))
        lazy = self.frame.select(columns)
        types = lazy.collect_schema()
        # One cast for all columns of a type: a long list of names is then taken in only once.
        cast = [c for c in numbers if types[c].is_numeric() and types[c] != pl.Float64]
        words = [c for c in columns if types[c] == pl.Categorical or isinstance(types[c], pl.Enum)]
        casts = [
            pl.col(names).cast(kind, strict=False)
            for names, kind in ((cast, pl.Float64), (words, pl.String))
            if names
        ]
        return lazy.with_columns(casts).collect()

    def texts(self, columns: Sequence[str]) -> list[str]:
        """Which of some columns hold texts, or dates, alone."""
        types = self.frame.collect_schema()
        asked = [c for c in columns if not (types[c].is_numeric() or types[c].is_temporal())]
        frame = self.chosen(asked, ()) if asked else None
        held = {c for c in asked if are_texts(frame[c].unique() if frame is not None else ())}
        return [c for c in columns if types[c].is_temporal() or c in held]

    def where(self, row: int) -> int:
        """Return the number of a row, counted from 0, as other programs show it."""
        return row + 1 if self.rows is None else int(self.rows[row])


def stamp_of(path: str) -> Stamp:
    """Return what is different once somebody has changed a file."""
    found = os.stat(path)
    return found.st_mtime_ns, found.st_size, found.st_ino


def _parquet(path: str) -> Any:
    import polars as pl

    return pl.scan_parquet(for_engines(path), glob=False)


def _feather(path: str) -> Any:
    import polars as pl

    # Not every version can be told that a name is no pattern.
    return pl.scan_ipc(for_engines(path, patterns="*?["))


def _stata(name: str, path: str) -> tuple[Any, tuple[str, ...]]:
    """The table in a Stata file, and how its texts were read if that was a guess."""
    import pandas as pd
    import polars as pl

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = pd.read_stata(path)
    guessed = any(issubclass(one.category, UnicodeWarning) for one in said)
    notes = (f"{name}: texts were read as Latin-1, because they are no UTF-8.",) if guessed else ()
    # Series by series: the library that would convert the whole is not always there.
    made = {}
    for label in table:
        column, numeric = table[label], pd.api.types.is_numeric_dtype(table[label])
        entries = column.astype(object).where(column.notna(), None).tolist()
        made[str(label)] = pl.Series(
            str(label),
            entries if numeric else [None if entry is None else str(entry) for entry in entries],
            strict=False,
        )
    return pl.DataFrame(made), notes
