r"""Answers in a text file that grows: what others wrote in it stays as they wrote it.

Each row is an answer: two actions by name, ``first`` and ``second``, the ``choice`` between them
(first, second, equal or skip), and perhaps who gave it (``by``), when (``time``) and how questions
were chosen (``settings``). Columns of others are kept. It is read by :func:`read_comparisons`, too.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from welfarist.base.asking import RequestError
from welfarist.base.errors import InputError
from welfarist.base.inert import from_csv, in_csv
from welfarist.files import dialects
from welfarist.files.cells import listed, shown
from welfarist.files.choices import SKIPPED, TIES
from welfarist.files.delimited import Delimited
from welfarist.files.sources import FORMATS, Source, checked_encoding, source_of

NEEDED = ("first", "second", "choice")
BY, TIME, SETTINGS = "by", "time", "settings"
# Columns that change what a row means; a new one could not fill them in.
_FOREIGN = ("count", "tie", "preferred", "other", "menu")
_SAID = {"first": "first", "second": "second"} | dict.fromkeys(TIES, "equal")
_SAID |= dict.fromkeys(SKIPPED, "skip")


@dataclass(frozen=True)
class Row:
    """A row of the file.

    Attributes
    ----------
    text : str
        As it stands there, with the end of its line.
    cells : mapping
        What is in it, by column in small letters.
    line : int
        Where it begins.
    """

    text: str
    cells: Mapping[str, str]
    line: int

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

    @property
    def answer(self) -> str | None:
        """What was answered: first, second, equal or skip; None for any other word."""
        return _SAID.get(self["choice"].lower())


@dataclass(frozen=True)
class AnswerFile:
    """A file of answers as it is, or as it will be.

    Attributes
    ----------
    name : str
        What messages call it.
    head : str
        What stands above the first row, the header among it.
    columns : tuple of str
        In small letters.
    rows : tuple of Row
    blank : str
        What stands below the last row.
    separator, encoding, end : str
        How it is written; `end` is that of its lines.
    """

    name: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    blank: str
    separator: str
    encoding: str
    end: str

    @classmethod
    def new(
        cls, name: str, columns: Sequence[str], separator: str | None, encoding: str | None
    ) -> AnswerFile:
        """A file without answers."""
        tabs = Path(name).suffix.lower() in (".tsv", ".tab")
        mark = dialects.checked_separator(separator or ("\t" if tabs else ","))
        made = cls(
            name, "", tuple(columns), (), "", mark, checked_encoding(encoding or "utf-8"), "\n"
        )
        return replace(made, head=made._line(columns))

    @classmethod
    def read(cls, path: str, separator: str | None, encoding: str | None) -> AnswerFile:
        """Read a file of answers, or say why it is none."""
        source = source_of(path)
        if encoding is not None:
            source = source.decoded(encoding)
        opened = Delimited.of(source, separator, ".")
        columns = tuple(column.lower() for column in opened.columns)
        _check_columns(source.name, opened.columns, columns)
        head, rows, blank = _rows_of(source, opened.separator, columns)
        end = "\r\n" if head.endswith("\r\n") else "\n"
        known = checked_encoding(encoding or "utf-8")
        return cls(source.name, head, columns, rows, blank, opened.separator, known, end)

    def with_columns(self, wanted: Sequence[str]) -> AnswerFile:
        """Return the file with columns that it may lack, empty in the rows that are there."""
        new = [column for column in wanted if column not in self.columns]
        if not new:
            return self
        rows = tuple(
            replace(row, text=self._widened(row.text, [""] * len(new))) for row in self.rows
        )
        return replace(
            self, head=self._widened(self.head, new), columns=(*self.columns, *new), rows=rows
        )

    def with_row(self, cells: Mapping[str, str]) -> AnswerFile:
        """Return the file with one more row."""
        text = self._line([in_csv(cells.get(column, "")) for column in self.columns])
        whole = self if self.blank or not self.rows else self._ended()
        lines = whole.text.count("\n")
        made = Row(text, {key: value for key, value in cells.items() if value}, lines + 1)
        rows = whole.rows
        if whole.blank and rows:  # blank lines at the end stay above what is added
            blank = whole.blank if whole.blank.endswith(("\n", "\r")) else whole.blank + self.end
            rows = (*rows[:-1], replace(rows[-1], text=rows[-1].text + blank))
        return replace(whole, rows=(*rows, made), blank="")

    def without_row(self, row: Row) -> AnswerFile:
        """Return the file without a row."""
        return replace(self, rows=tuple(other for other in self.rows if other is not row))

    @property
    def text(self) -> str:
        """All of it."""
        return "".join([self.head, *(row.text for row in self.rows), self.blank])

    def content(self) -> bytes:
        """What is written."""
        try:
            return self.text.encode(self.encoding)
        except UnicodeEncodeError as problem:
            raise RequestError(
                "{name}: answers must be writable in {known}, as {encoding} says; found "
                "{found!r}, which it does not have. Name another encoding.",
                name=self.name,
                known=self.encoding,
                found=problem.object[problem.start : problem.end],
            ) from None

    def _line(self, cells: Sequence[str]) -> str:
        held = io.StringIO()
        csv.writer(held, delimiter=self.separator, lineterminator=self.end).writerow(cells)
        return held.getvalue()

    def _widened(self, text: str, cells: Sequence[str]) -> str:
        bare = text.rstrip("\r\n")
        added = "".join(f"{self.separator}{cell}" for cell in cells)
        return f"{bare}{added}{text[len(bare) :] or self.end}"

    def _ended(self) -> AnswerFile:
        """The file with an end to its last line."""
        last = self.rows[-1]
        if last.text.endswith(("\n", "\r")):
            return self
        return replace(self, rows=(*self.rows[:-1], replace(last, text=last.text + self.end)))


def check_format(path: str) -> None:
    """Require that a file is one that grows: a text, not a workbook."""
    ending = Path(path).suffix.lower()
    if FORMATS.get(ending) != "text":
        raise InputError(
            f"{os.fspath(path)}: answers are kept in a text file, whose name ends in .csv; found "
            f"{ending or 'no ending'!r}. Name a file such as answers.csv."
        )


def _check_columns(name: str, columns: Sequence[str], small: Sequence[str]) -> None:
    twice = [column for column in small if small.count(column) > 1]
    foreign = [column for column in _FOREIGN if column in small]
    if set(NEEDED) <= set(small) and not twice and not foreign:
        return
    found = f"{listed(foreign)}, which new rows could not fill in" if foreign else listed(columns)
    raise InputError(
        f"{name}, line 1: to be added to, it must have the columns first, second and choice, each "
        f"once; found {found}. Nothing was changed. Name another file."
    )


def _rows_of(
    source: Source, separator: str, columns: Sequence[str]
) -> tuple[str, tuple[Row, ...], str]:
    """What stands above the rows, the rows, and what stands below."""
    lines = list(io.StringIO(bytes(source.data).decode("utf-8"), newline=""))
    reader = csv.reader(lines, delimiter=separator)
    head, rows, pending, start = "", list[Row](), "", 0
    try:
        for record in reader:
            pending += "".join(lines[start : reader.line_num])
            begun, start = start, reader.line_num
            if not any(cell.strip() for cell in record):
                continue
            if not head:
                head, pending = pending, ""
                continue
            if len(record) != len(columns):
                raise InputError(
                    f"{source.name}, line {begun + 1}: every row must have as many cells as there "
                    f"are columns, {len(columns)}; found {len(record)}. Nothing was changed. "
                    "Correct that row, or name another file."
                )
            cells = {
                column: from_csv(cell.strip())
                for column, cell in zip(columns, record, strict=True)
                if cell.strip()
            }
            rows.append(Row(pending, cells, begun + 1))
            pending = ""
    except csv.Error as problem:
        raise dialects.csv_error(source, reader.line_num, problem) from None
    if not head.endswith(("\n", "\r")):
        head += "\n"
    return head, tuple(rows), pending


def refuse_word(row: Row, name: str) -> InputError:
    """Say that a row holds no answer."""
    return InputError(
        f"{name}, line {row.line}: a choice must be first, second, equal or skip; found "
        f"{shown(row['choice'])}. Nothing was changed. Correct it, or name another file."
    )
