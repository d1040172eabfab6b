"""Rows of a table that are kept: all of them, or those in which nothing is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.files.cells import Cell, Text, is_missing
from welfarist.files.opening import FileTable


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Rows that were read; each can be found again in the file.

    Attributes
    ----------
    table : FileTable
    frame : polars.DataFrame or PlainFrame
        What was read of them.
    rows : (n,) array of int or None
        Which rows of the table they are; None for all.
    """

    table: FileTable
    frame: Any = field(repr=False)
    rows: npt.NDArray[np.intp] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.table.name

    def __len__(self) -> int:
        return len(self.frame)

    def where(self, row: int) -> str:
        """Where one of these rows stands in the file: "line 2"."""
        return self.table.where(row if self.rows is None else int(self.rows[row]))

    def only(self, kept: npt.NDArray[np.bool_]) -> KeptRows:
        """Return some of the rows, by a mask (n,)."""
        rows = np.flatnonzero(kept) if self.rows is None else self.rows[kept]
        return KeptRows(self.table, self.frame.filter(kept), rows)


def read_rows(
    table: FileTable,
    cells: Mapping[str, Cell],
    drop_missing: bool,
    what: str,
    notes: list[str],
    *,
    small: bool = False,
) -> KeptRows:
    """Read columns of a table; rows in which something is missing are left out if that was asked.

    `notes` is told how many of them there were, of `what`: "actions", "comparisons". A `small` file
    may be read without polars.
    """
    if not drop_missing:
        frame: Any = table.read_small(cells) if small else None
        return KeptRows(table, table.read(cells) if frame is None else frame)
    import polars as pl

    lenient = {id(cell): _maybe(cell) for cell in cells.values()}
    read = KeptRows(table, table.read({c: lenient[id(cell)] for c, cell in cells.items()}))
    # What may be empty is not missing.
    needed = [column for column, cell in cells.items() if not isinstance(cell, Maybe)]
    complete = pl.all_horizontal(pl.col(needed).is_not_null()) if needed else pl.lit(True)
    there = read.frame.select(complete).to_series().to_numpy()
    if there.all():
        return read
    if not there.any():
        raise InputError(
            f"{table.name}: at least one row must be complete; found something missing in all "
            f"{len(read)}. Fill it in, or leave out the columns in which nothing stands."
        )
    notes.append(
        f"{table.name}: {int((~there).sum())} of {len(read)} {what} were left out, in which "
        "something is missing."
    )
    # Not even the rows that are left out may hold what is wrong: they have been checked.
    return read.only(there)


def _maybe(cell: Cell) -> Cell:
    """A cell that may be empty, unless it may be so anyway."""
    empty = isinstance(cell, Maybe) or (isinstance(cell, Text) and not cell.required)
    return cell if empty else Maybe(cell)


@dataclass(frozen=True)
class Maybe:
    """What another kind of cell must hold, or nothing: an empty cell is read as None.

    Where a number must be, so is NA; an action may have that name.

    Attributes
    ----------
    cell : Cell
    """

    cell: Cell

    @property
    def number(self) -> bool:
        """Whether the other kind is."""
        return self.cell.number

    @property
    def by_hash(self) -> bool:
        """What is missing has to be told apart."""
        return False

    def dtype(self) -> Any:
        """That of the other kind."""
        return self.cell.dtype()

    def taken(self, column: Any) -> Any:
        """The column, if what is there is right."""
        import polars as pl

        if column.dtype.is_float():
            column = column.fill_nan(None)
        there = column.is_not_null()
        found = self.cell.taken(column.filter(there))
        if found is None:
            return None
        nothing = pl.Series(column.name, [None], dtype=found.dtype)
        return nothing.new_from_index(0, len(column)).scatter(there.arg_true(), found)

    def together(self, frame: Any) -> Any:
        """The columns, if what is there is right."""
        import polars as pl

        if not self.number or not len(frame):
            return None
        numbers = frame.to_numpy()
        there = numbers[~np.isnan(numbers)]
        right = not len(there) or self.cell.together(pl.DataFrame({"there": there})) is not None
        return frame.select(pl.all().fill_nan(None)) if right else None

    def made(self, name: str, values: list[Any]) -> Any:
        """Parsed values as a column."""
        return self.cell.made(name, values)

    def doubtful(self, entries: Any) -> Any:
        """Texts that the other kind might refuse."""
        return self.cell.doubtful(entries)

    def parse(self, value: Any) -> Any:
        """The value of one cell, None if it is missing."""
        empty = value is None or (isinstance(value, str) and not value.strip())
        missing = is_missing(value) if self.number else empty
        return None if missing else self.cell.parse(value)
