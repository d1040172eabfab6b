"""Text files with a separator between columns: CSV, TSV and their relatives."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from welfarist.base.asking import UsageError
from welfarist.base.errors import InputError
from welfarist.base.inert import GUARDED, from_csv
from welfarist.files import dialects, thousands
from welfarist.files.cells import Cell, CellError, are_texts, is_missing, shown
from welfarist.files.limits import LONGEST_LINE, check_cells, check_columns, current
from welfarist.files.plain_columns import SMALL, PlainFrame
from welfarist.files.sources import Source
from welfarist.files.whole_columns import taken

_TABS = (".tsv", ".tab")


@dataclass(frozen=True)
class Delimited:
    """A text file, one row a line, with a separator between columns and a header in line 1.

    Rows without any entry are skipped.

    Attributes
    ----------
    source : Source
    columns : tuple of str
    separator, decimal : str
    notes : tuple of str
        What was guessed, in sentences.
    told : bool
        Whether the decimal mark was told, not found out.
    first : list of lists of str
        The first rows below the header, those that have as many cells.
    few : bool
        Whether these are all there are.
    """

    source: Source
    columns: tuple[str, ...]
    separator: str
    decimal: str
    notes: tuple[str, ...] = ()
    told: bool = False
    first: list[list[str]] = field(default_factory=list, repr=False)
    few: bool = False

    @classmethod
    def of(cls, source: Source, separator: str | None, decimal: str | None) -> Delimited:
        """Find out how a file is written, or say what must be told."""
        head = dialects.decoded_head(source)
        notes: list[str] = []
        told = decimal is not None
        if separator is None:
            tabs = source.suffix in _TABS
            separator = "\t" if tabs else dialects.separator_of(source, head)
            if separator != "," and not tabs:
                said = dialects.SEPARATORS[separator]
                notes.append(f"{source.name}: {said} separate the columns.")
        separator = dialects.checked_separator(separator)
        rows = dialects.first_rows(source, head, separator)
        check_columns(source.name, len(rows[0]))
        if decimal is None:
            decimal = dialects.decimal_of(source, separator, rows)
            if decimal == ",":
                notes.append(f"{source.name}: the comma is the decimal mark.")
        elif decimal not in (".", ","):
            raise UsageError(
                "{decimal} must be a point or a comma; found {found!r}.", found=decimal
            )
        columns = dialects.header_of(source, rows[0])
        first = [row for row in rows[1:] if len(row) == len(columns)]
        few = dialects.is_whole(source) and len(rows) < dialects.FIRST
        return cls(source, columns, separator, decimal, tuple(notes), told, first, few)

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.source.name

    @property
    def other_sheets(self) -> tuple[str, ...]:
        """There are none in a text."""
        return ()

    def read(self, cells: Mapping[str, Cell]) -> Any:
        """Return columns as a polars data frame, checked; a problem names line and column."""
        frame = self._quickly(cells)
        if frame is None:
            self._check_cells(cells)
            frame = self._carefully(cells)
        if not len(frame):
            raise InputError(
                f"{self.name}: must hold at least one row below the header; found none. "
                "Is it the right file?"
            )
        self._refuse_unclear_points(cells, frame)
        return frame

    def read_small(self, cells: Mapping[str, Cell]) -> PlainFrame | None:
        """Return columns of a small file without polars; None where :meth:`read` has to look."""
        if len(self.source.data) > SMALL:
            return None
        values: dict[str, list[Any]] = {column: [] for column in cells}
        try:
            for line, record in self._records():
                self._refuse_ragged(line, record)
                for column, value in self._parsed(line, record, cells).items():
                    values[column].append(value)
        except InputError:  # which is said in full by the other way
            return None
        found = PlainFrame(values)
        if not len(found):
            return None
        self._refuse_unclear_points(cells, found)
        return found

    def where(self, row: int) -> str:
        """The line of a row, counted from 0."""
        for number, (line, _) in enumerate(self._records()):
            if number == row:
                return f"line {line}"
        raise AssertionError("there is no such row")

    def texts(self, columns: Sequence[str]) -> list[str]:
        """Which of some columns hold texts alone."""
        # Few do, and these are looked at as a whole.
        likely = [c for c in columns if are_texts(row[self._number[c]] for row in self.first)]
        if self.few:
            return likely
        entries = self._entries(likely)
        return [column for column in likely if are_texts(entries[column])]

    def _refuse_unclear_points(self, cells: Mapping[str, Cell], frame: Any) -> None:
        """Say which point may stand before thousands, unless that was told or is clear."""
        numbers = [column for column, cell in cells.items() if cell.number]
        if self.told or self.decimal != "." or not numbers:
            return
        seen = [row[self._number[column]] for column in numbers for row in self.first]
        if thousands.are_clear(cell for cell in seen if not is_missing(cell)):
            return
        if not any("." in cell for cell in seen) and not any(
            _has_fractions(frame[column]) for column in numbers
        ):
            return
        entries = {
            column: [entry for entry in found if not is_missing(entry)]
            for column, found in self._entries(numbers).items()
        }
        found = thousands.first_unclear(entries, self.separator)
        if found is not None:
            column, entry = found
            raise thousands.unclear(f"{self.name}, {self._place(column, entry)}", entry)

    def _place(self, column: str, entry: str) -> str:
        """Where an entry stands first."""
        for line, record in self._records():
            if record[self._number[column]].strip() == entry:
                return f"line {line}, column {shown(column)}"
        raise AssertionError("there is no such entry")

    def _entries(self, columns: Sequence[str]) -> dict[str, Iterable[str]]:
        """The different cells of some columns, in one pass over the file."""
        if not columns:
            return {}
        frame = self._frame({}, list(columns))
        if frame is not None:
            return {c: frame[c].unique(maintain_order=True).to_list() for c in columns}
        found: dict[str, dict[str, None]] = {column: {} for column in columns}
        for _, record in self._records():
            for column, entries in found.items():
                if self._number[column] < len(record):
                    entries.setdefault(record[self._number[column]])
        return dict(found)

    def _check_cells(self, cells: Mapping[str, Cell]) -> None:
        check_cells(self.name, self.source.data.count(b"\n"), len(cells))

    def _quickly(self, cells: Mapping[str, Cell]) -> Any | None:
        """The columns, or None where polars cannot read them or a check does not pass."""
        import polars as pl

        if self.decimal == "," and self._has_points(cells):
            return None  # polars takes both marks for decimal ones
        parts, rows = [], 0
        for number, text in enumerate(self._parts()):
            found = self._checked(text, number == 0, cells)
            if found is None:
                return None
            parts.append(found)
            rows += len(found)
            if rows * len(cells) > current().cells:
                self._check_cells(cells)
        return pl.concat(parts) if parts else None

    def _checked(self, text: bytes, header: bool, cells: Mapping[str, Cell]) -> Any | None:
        """What the columns of a part stand for; None if something is wrong with it."""
        import polars as pl

        # The last column as well: a row that ends too early has none there.
        wanted = [c for c in self.columns if c in cells or c == self.columns[-1]]
        frame = self._frame_of(text, header, cells, wanted)
        if frame is not None and any(column.null_count() for column in frame):
            frame = self._frame_of(text, header, cells, list(self.columns))
            if frame is not None:  # without the blank lines
                frame = frame.filter(pl.any_horizontal(pl.all().is_not_null()))
        if frame is None or (self.columns[-1] not in cells and frame.to_series(-1).null_count()):
            return None
        if b"'" in text:
            frame = _unguarded(frame, cells)
        found = list(taken(frame, cells).values())
        return None if any(column is None for column in found) else pl.DataFrame(found)

    def _has_points(self, cells: Mapping[str, Cell]) -> bool:
        """Whether points stand in numbers."""
        numbers = [column for column, cell in cells.items() if cell.number]
        frame = self._frame({}, numbers) if numbers else ()
        return frame is None or any(
            column.str.contains(".", literal=True).any() for column in frame
        )

    def _parts(self) -> Iterator[bytes]:
        """The text in parts, whose cells take little memory beside what is made of them.

        The end of a line within a cell in quotes is no end of a row. If a part should be cut there,
        its last quote is not closed, which is refused: whatever is read was cut between rows.
        """
        data = self.source.data
        if data.find(b"\n") >= 0 or data.find(b"\r") < 0:
            yield from data.parts()
        else:  # polars does not know these line ends
            yield b""

    def _frame(self, cells: Mapping[str, Cell], wanted: list[str]) -> Any | None:
        """Some columns of the whole text as polars reads them, or None if it cannot."""
        import polars as pl

        frames = []
        for number, text in enumerate(self._parts()):
            frame = self._frame_of(text, number == 0, cells, wanted)
            if frame is None:
                return None
            frames.append(frame)
        return pl.concat(frames)

    def _frame_of(
        self, text: bytes, header: bool, cells: Mapping[str, Cell], wanted: list[str]
    ) -> Any | None:
        """Some columns of a part, of which the first has a header, or None if polars cannot."""
        import polars as pl

        if not text:
            return None
        schema = {c: cells[c].dtype() if c in cells else pl.String for c in self.columns}
        try:
            return pl.read_csv(
                text,
                columns=[self._number[column] for column in wanted],
                schema=schema,
                has_header=header,
                separator=self.separator,
                decimal_comma=self.decimal == ",",
            )
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError):
            return None

    def _carefully(self, cells: Mapping[str, Cell]) -> Any:
        """The columns read cell by cell, or an error that says where it stands."""
        import polars as pl

        rows = 0
        for line, record in self._records():
            self._refuse_ragged(line, record)
            rows += 1
        doubtful = self._doubtful(cells, rows)
        if doubtful is not None:  # a problem far below is found without a look at all cells
            for (line, record), doubt in zip(self._records(), doubtful, strict=True):
                if doubt:
                    self._parsed(line, record, cells)
        values: dict[str, list[Any]] = {column: [] for column in cells}
        for line, record in self._records():
            for column, value in self._parsed(line, record, cells).items():
                values[column].append(value)
        return pl.DataFrame([cell.made(c, values[c]) for c, cell in cells.items()])

    def _parsed(self, line: int, record: list[str], cells: Mapping[str, Cell]) -> dict[str, Any]:
        """The values of one row by column."""
        found = {}
        for column, cell in cells.items():
            try:
                entry = record[self._number[column]]
                found[column] = cell.parse(entry if cell.number else from_csv(entry.strip()))
            except CellError as problem:
                raise problem.at(f"{self.name}, line {line}, column {shown(column)}") from None
        return found

    @cached_property
    def _number(self) -> dict[str, int]:
        return {column: number for number, column in enumerate(self.columns)}

    def _doubtful(self, cells: Mapping[str, Cell], rows: int) -> list[bool] | None:
        """Which rows may hold a problem; None where polars sees others than there are."""
        import polars as pl

        frame = self._frame({}, list(self.columns))
        if frame is None:
            return None
        frame = frame.filter(pl.any_horizontal(pl.all().str.strip_chars() != ""))
        if len(frame) != rows:
            return None
        frame = _unguarded(frame, cells)
        doubts = [cell.doubtful(frame[column]).alias(column) for column, cell in cells.items()]
        found: list[bool] = (
            pl.DataFrame(doubts).select(pl.any_horizontal(pl.all())).to_series().to_list()
        )
        return found

    def _refuse_ragged(self, line: int, record: list[str]) -> None:
        if len(record) == len(self.columns):
            return
        hint = "Add or remove cells"
        if len(record) > len(self.columns):
            hint += ", or put texts that hold the separator in double quotes"
            if self.separator == ",":
                hint += "; where the comma is a decimal mark, separate columns by semicolons"
        raise InputError(
            f"{self.name}, line {line}: every row must have the {len(self.columns)} cells of the "
            f"header; found {len(record)}. {hint}."
        )

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """The rows below the header, each with the line it begins in."""
        text = io.TextIOWrapper(self.source.data.opened(), encoding="utf-8-sig", newline="")
        reader = csv.reader(self._short_lines(text), delimiter=self.separator, strict=True)
        line, header = 1, True
        try:
            for record in reader:
                if any(cell.strip() for cell in record):
                    if not header:
                        yield line, record
                    header = False
                line = reader.line_num + 1
        except UnicodeDecodeError:
            raise dialects.encoding_error(self.source) from None
        except csv.Error as problem:
            raise dialects.csv_error(self.source, line, problem) from None

    def _short_lines(self, text: io.TextIOWrapper) -> Iterator[str]:
        """The lines of a text, or an error at the first that is too long to be cut into cells."""
        for number, line in enumerate(iter(lambda: text.readline(LONGEST_LINE), ""), start=1):
            if len(line) == LONGEST_LINE:
                raise dialects.line_error(self.source, number)
            yield line


def _unguarded(frame: Any, cells: Mapping[str, Cell]) -> Any:
    """Columns of texts as they were before somebody made them no formulas of a spreadsheet."""
    import polars as pl

    texts = [column for column, cell in cells.items() if not cell.number]
    return frame.with_columns(pl.col(texts).str.replace(GUARDED, "$1")) if texts else frame


def _has_fractions(column: Any) -> bool:
    """Whether a column of numbers, of which some may be missing, holds other than whole ones."""
    numbers = np.asarray(column.to_numpy(), dtype=np.float64)
    return bool((numbers[np.isfinite(numbers)] % 1).any())
