"""Text files with a separator between columns: CSV, TSV and their relatives."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from welfarist.base.asking import RequestError, UsageError
from welfarist.base.errors import InputError
from welfarist.base.inert import GUARDED, from_csv
from welfarist.files import thousands
from welfarist.files.cells import Cell, CellError, are_texts, is_missing, listed, shown
from welfarist.files.plain_columns import SMALL, PlainFrame
from welfarist.files.sources import Source

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
# Enough for the header and some rows, from which separator and decimal mark are found out.
_HEAD = 2**16
_START = 2**10  # enough to tell encodings apart
_ROWS_LOOKED_AT = 100
_ROWS_COMPARED = 6
_BINARY = {b"PK\x03\x04": "a workbook or an archive", b"PAR1": "Parquet", b"\x1f\x8b": "gzip"}


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
    """

    source: Source
    columns: tuple[str, ...]
    separator: str
    decimal: str
    notes: tuple[str, ...] = ()
    told: bool = False

    @classmethod
    def of(cls, source: Source, separator: str | None, decimal: str | None) -> Delimited:
        """Find out how a file is written, or say what must be told."""
        head = _decoded_head(source)
        notes: list[str] = []
        told = decimal is not None
        if separator is None:
            separator = "\t" if source.suffix in (".tsv", ".tab") else _separator(source, head)
            if separator != "," and source.suffix not in (".tsv", ".tab"):
                notes.append(f"{source.name}: {_SEPARATORS[separator]} separate the columns.")
        separator = checked_separator(separator)
        rows = _first_rows(source, head, separator, _ROWS_LOOKED_AT)
        if decimal is None:
            decimal = _decimal(source, separator, rows)
            if decimal == ",":
                notes.append(f"{source.name}: the comma is the decimal mark.")
        elif decimal not in (".", ","):
            raise UsageError(
                "{decimal} must be a point or a comma; found {found!r}.", found=decimal
            )
        columns = _header(source, rows[0])
        return cls(source, columns, separator, decimal, tuple(notes), told)

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
        if self.source.size > SMALL:
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
        head = _first_rows(self.source, _decoded_head(self.source), self.separator, _ROWS_LOOKED_AT)
        rows = [row for row in head[1:] if len(row) == len(self.columns)]
        # Few do, and these are looked at as a whole.
        likely = [c for c in columns if are_texts(row[self._number[c]] for row in rows)]
        if len(head) < _ROWS_LOOKED_AT and self.source.whole_within(_HEAD):
            return likely
        return [c for c in likely if are_texts(self._entries(c))]

    def _refuse_unclear_points(self, cells: Mapping[str, Cell], frame: Any) -> None:
        """Say which point may stand before thousands, unless that was told or is clear."""
        numbers = [column for column, cell in cells.items() if cell.number]
        if self.told or self.decimal != "." or not numbers:
            return
        head = _first_rows(self.source, _decoded_head(self.source), self.separator, _ROWS_LOOKED_AT)
        rows = [row for row in head[1:] if len(row) == len(self.columns)]
        seen = [row[self._number[column]] for column in numbers for row in rows]
        if thousands.are_clear(cell for cell in seen if not is_missing(cell)):
            return
        if not any("." in cell for cell in seen) and not any(
            _has_fractions(frame[column]) for column in numbers
        ):
            return
        entries = {c: [e for e in self._entries(c) if not is_missing(e)] for c in numbers}
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

    def _entries(self, column: str) -> Iterator[str]:
        """The cells of a column one by one."""
        frame = self._frame({}, [column])
        if frame is not None:
            yield from frame[column].unique(maintain_order=True).to_list()
            return
        for _, record in self._records():
            if self._number[column] < len(record):
                yield record[self._number[column]]

    def _quickly(self, cells: Mapping[str, Cell]) -> Any | None:
        """The columns, or None where polars cannot read them or a check does not pass."""
        import polars as pl

        if self.decimal == "," and self._has_points(cells):
            return None  # polars takes both marks for decimal ones
        # The last column as well: a row that ends too early has none there.
        frame = self._frame(cells, [c for c in self.columns if c in cells or c == self.columns[-1]])
        if frame is not None and any(column.null_count() for column in frame):
            frame = self._frame(cells, list(self.columns))
            if frame is not None:  # without the blank lines
                frame = frame.filter(pl.any_horizontal(pl.all().is_not_null()))
        if frame is None or (self.columns[-1] not in cells and frame.to_series(-1).null_count()):
            return None
        found = []
        for column, cell in cells.items():
            entries = frame.drop_in_place(column)
            entries = cell.taken(entries if cell.number else entries.str.replace(GUARDED, "$1"))
            if entries is None:
                return None
            found.append(entries)
        return pl.DataFrame(found)

    def _has_points(self, cells: Mapping[str, Cell]) -> bool:
        """Whether points stand in numbers."""
        numbers = [column for column, cell in cells.items() if cell.number]
        frame = self._frame({}, numbers) if numbers else ()
        return frame is None or any(
            column.str.contains(".", literal=True).any() for column in frame
        )

    def _frame(self, cells: Mapping[str, Cell], wanted: list[str]) -> Any | None:
        """Some columns as polars reads them, or None if it cannot."""
        import polars as pl

        head = self.source.head(_HEAD)
        if b"\r" in head and b"\n" not in head:
            return None  # polars does not know these line ends
        schema = {c: cells[c].dtype() if c in cells else pl.String for c in self.columns}
        given: Any = self.source.path if self.source.data is None else self.source.data
        try:
            return pl.read_csv(
                given,
                columns=wanted,
                schema=schema,
                separator=self.separator,
                decimal_comma=self.decimal == ",",
                glob=False,
            )
        except (pl.exceptions.PolarsError, ValueError):
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
        guarded = [column for column, cell in cells.items() if not cell.number]
        frame = frame.with_columns(pl.col(guarded).str.replace(GUARDED, "$1"))
        if len(frame) != rows:
            return None
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
        with self.source.open() as file:
            text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            reader = csv.reader(text, delimiter=self.separator, strict=True)
            line, header = 1, True
            try:
                for record in reader:
                    if any(cell.strip() for cell in record):
                        if not header:
                            yield line, record
                        header = False
                    line = reader.line_num + 1
            except UnicodeDecodeError:
                raise _encoding_error(self.source) from None
            except csv.Error as problem:
                raise _csv_error(self.source, line, problem) from None
            finally:
                text.detach()


def _has_fractions(column: Any) -> bool:
    """Whether a column of numbers, of which some may be missing, holds other than whole ones."""
    numbers = np.asarray(column.to_numpy(), dtype=np.float64)
    return bool((numbers[np.isfinite(numbers)] % 1).any())


def _decoded_head(source: Source) -> str:
    """The beginning of the file as text, up to the end of a line."""
    head, size = source.head(_HEAD), _HEAD
    while len(head) == size and b"\n" not in head and b"\r" not in head and b"\0" not in head:
        size *= 16  # a header of many columns
        head = source.head(size)
    whole = len(head) < size
    if not head.strip():
        raise InputError(f"{source.name}: is empty. Is it the right file?")
    for start, what in _BINARY.items():
        if head.startswith(start):
            raise InputError(
                f"{source.name}: must be text; found {what}. Give the file its own ending, or "
                "save it as CSV."
            )
    if _is_utf16(head):
        raise RequestError(
            "{name}: must be text in UTF-8; found UTF-16. Say {encoding:utf-16}, or save it as CSV "
            "UTF-8.",
            name=source.name,
        )
    if b"\0" in head:
        raise InputError(
            f"{source.name}: must be text; found bytes of 0, which text does not hold. It is "
            "another kind of file, or damaged: save the table again as CSV UTF-8."
        )
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head, final=whole)
    except UnicodeDecodeError:
        raise _encoding_error(source) from None
    if not text.strip():
        raise InputError(f"{source.name}: is empty. Is it the right file?")
    cut = text.rfind("\n") + 1
    return text if whole or not cut else text[:cut]


def _encoding_error(source: Source) -> InputError:
    with source.open() as file:
        for line, content in enumerate(file, start=1):
            try:
                content.decode("utf-8")
            except UnicodeDecodeError as problem:
                byte = content[problem.start : problem.start + 1]
                guess = byte.decode("cp1252", errors="replace")
                return RequestError(
                    "{name}, line {line}: must be text in UTF-8; found the byte 0x{byte}, which is "
                    "{guess!r} in Windows-1252. Say how it was written, such as "
                    "{encoding:windows-1252}, or save it as CSV UTF-8.",
                    name=source.name,
                    line=line,
                    byte=byte.hex(),
                    guess=guess,
                )
    raise AssertionError("the whole file is UTF-8")


def _is_utf16(head: bytes) -> bool:
    """Whether it begins with a mark, or every other byte is 0 as in plain letters."""
    marked = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    start = head[:_START]
    return marked or any(
        one.count(0) > 0.9 * len(one) and not other.count(0)
        for one, other in ((start[::2], start[1::2]), (start[1::2], start[::2]))
        if one
    )


def _first_rows(source: Source, head: str, separator: str, most: int) -> list[list[str]]:
    """The first rows that are not blank, the header among them."""
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=separator)
    try:
        return list(islice((row for row in reader if any(cell.strip() for cell in row)), most))
    except csv.Error as problem:
        raise _csv_error(source, reader.line_num, problem) from None


def _csv_error(source: Source, line: int, problem: csv.Error) -> InputError:
    """Say what is wrong with a row that cannot be cut into cells, and that begins in a line."""
    if "limit" in str(problem):
        return InputError(
            f"{source.name}, line {line}: a cell must have at most {csv.field_size_limit():,} "
            "letters; found a longer one. Is a double quote not closed?"
        )
    return InputError(
        f"{source.name}, line {line}: the quotes must be closed; found {problem}. Close the double "
        "quotes, and double those inside a text."
    )


def checked_separator(separator: str) -> str:
    """Return the one character that a separator stands for."""
    named = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|"}
    separator = named.get(separator, separator)
    if len(separator) != 1 or not separator.isascii() or separator in "\"'.\r\n":
        raise UsageError(
            "{separator} must be one character, such as ',' or ';' or tab; found {found}.",
            found=shown(separator),
        )
    return separator


def _separator(source: Source, head: str) -> str:
    """The one separator that cuts the header and the next rows into as many cells."""
    fitting = []
    for separator in _SEPARATORS:
        if separator not in head:  # a whole row would be one cell, which may be too long
            continue
        rows = _first_rows(source, head, separator, _ROWS_COMPARED)
        if len(rows[0]) > 1:
            fitting.append((len({len(row) for row in rows}) == 1, separator))
    even = [separator for same, separator in fitting if same]
    if len(even) == 1:
        return even[0]
    if len(fitting) == 1:  # uneven rows are reported when they are read
        return fitting[0][1]
    if not fitting:
        return ","
    found = " and ".join(_SEPARATORS[separator] for _, separator in fitting)
    one, other = (f"{{separator:'{separator}'}}" for _, separator in fitting[:2])
    raise RequestError(
        f"{{name}}, line 1: what separates the columns must be clear; found {{found}}. Say which: "
        f"{one} or {other}",
        name=source.name,
        found=found,
    )


def _decimal(source: Source, separator: str, rows: list[list[str]]) -> str:
    """The decimal mark, found out where commas do not separate the columns."""
    if separator == ",":
        return "."
    cells = [cell.strip() for row in rows[1:] for cell in row]
    commas = [cell for cell in cells if re.fullmatch(r"[+-]?\d+,\d+", cell)]
    points = [cell for cell in cells if re.fullmatch(r"[+-]?\d*\.\d+", cell)]
    if not commas:
        return "."
    # 1,234 may be a thousand or little more than one; 0,5 and 1,25 are no thousands.
    clear = [c for c in commas if not re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", c)]
    if points or not clear:
        raise RequestError(
            "{name}: the decimal mark must be clear; found {found}. Say {decimal:,} or take the "
            "commas out of the numbers.",
            name=source.name,
            found=shown(commas[0]) + (f" and {shown(points[0])}" if points else ""),
        )
    return ","


def _header(source: Source, cells: list[str]) -> tuple[str, ...]:
    names = tuple(from_csv(cell.strip()) for cell in cells)
    for number, name in enumerate(names):
        if not name:
            raise InputError(
                f"{source.name}, line 1, column {number + 1}: every column must have a name; "
                "found none. Name it, remove the column, or remove what stands above the header, "
                "such as a title."
            )
        if name in names[:number]:
            raise InputError(
                f"{source.name}, line 1: columns must have different names; found {shown(name)} "
                f"in columns {names.index(name) + 1} and {number + 1}. Rename one of them."
            )
    if all(re.fullmatch(r"[+-]?[\d.,]+", name) for name in names):
        raise InputError(
            f"{source.name}, line 1: must hold the names of the columns; found numbers, "
            f"{listed(names, 3)}. Add a line with names above them."
        )
    return names
