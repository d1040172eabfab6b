"""How a text file is written: its encoding, its separator, its decimal mark and its header."""

from __future__ import annotations

import codecs
import csv
import io
import re
from itertools import islice

from welfarist.base.asking import RequestError, UsageError
from welfarist.base.errors import InputError
from welfarist.base.inert import from_csv
from welfarist.files.cells import listed, shown
from welfarist.files.limits import LONGEST_LINE
from welfarist.files.sources import Source

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
# Enough for the header and some rows, from which separator and decimal mark are found out.
_HEAD = 2**16
_START = 2**10  # enough to tell encodings apart
# Rows that are looked at.
FIRST = 100
_ROWS_COMPARED = 6
_BINARY = {b"PK\x03\x04": "a workbook or an archive", b"PAR1": "Parquet", b"\x1f\x8b": "gzip"}


def decoded_head(source: Source) -> str:
    """The beginning of the file as text, up to the end of a line."""
    head, size = source.data[:_HEAD], _HEAD
    while len(head) == size and not _ends_a_line(head):
        size *= 16  # a header of many columns
        head = source.data[:size]
    whole = len(head) < size
    if not head.strip():
        raise InputError(f"{source.name}: is empty. Is it the right file?")
    _refuse_other_formats(source, head)
    if len(head) > LONGEST_LINE and not _ends_a_line(head[:LONGEST_LINE]):
        raise line_error(source, 1)
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head, final=whole)
    except UnicodeDecodeError:
        raise encoding_error(source) from None
    if not text.strip():
        raise InputError(f"{source.name}: is empty. Is it the right file?")
    cut = text.rfind("\n") + 1
    return text if whole or not cut else text[:cut]


def _ends_a_line(head: bytes) -> bool:
    return b"\n" in head or b"\r" in head or b"\0" in head


def _refuse_other_formats(source: Source, head: bytes) -> None:
    """Say what a file is that is no text in UTF-8."""
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
    nothing = source.data.find(b"\0")
    if nothing >= 0:
        line = source.data.count(b"\n", 0, nothing) + 1
        raise InputError(
            f"{source.name}, line {line}: must be text; found "
            "bytes of 0, which text does not hold. It is another kind of file, or damaged: save "
            "the table again as CSV UTF-8."
        )


def line_error(source: Source, line: int) -> InputError:
    """Say that a line is too long to be cut into cells."""
    return InputError(
        f"{source.name}, line {line}: a line must have at most {LONGEST_LINE:,} letters; found a "
        "longer one. Is it the right file?"
    )


def encoding_error(source: Source) -> InputError:
    """Say where a text is not in UTF-8, and what it may be in."""
    for line, content in enumerate(source.lines(), start=1):
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


def is_whole(source: Source) -> bool:
    """Whether a beginning is all there is."""
    return len(source.data) <= _HEAD


def first_rows(source: Source, head: str, separator: str, most: int = FIRST) -> list[list[str]]:
    """The first rows that are not blank, the header among them."""
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=separator)
    try:
        rows = list(islice((row for row in reader if any(cell.strip() for cell in row)), most))
    except csv.Error as problem:
        raise csv_error(source, reader.line_num, problem) from None
    if not rows:  # but quotes and separators
        raise InputError(f"{source.name}: is empty. Is it the right file?")
    return rows


def csv_error(source: Source, line: int, problem: csv.Error) -> InputError:
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


def separator_of(source: Source, head: str) -> str:
    """The one separator that cuts the header and the next rows into as many cells."""
    fitting = []
    for separator in SEPARATORS:
        if separator not in head:  # a whole row would be one cell, which may be too long
            continue
        rows = first_rows(source, head, separator, _ROWS_COMPARED)
        if len(rows[0]) > 1:
            fitting.append((len({len(row) for row in rows}) == 1, separator))
    even = [separator for same, separator in fitting if same]
    if len(even) == 1:
        return even[0]
    if len(fitting) == 1:  # uneven rows are reported when they are read
        return fitting[0][1]
    if not fitting:
        return ","
    found = " and ".join(SEPARATORS[separator] for _, separator in fitting)
    one, other = (f"{{separator:'{separator}'}}" for _, separator in fitting[:2])
    raise RequestError(
        f"{{name}}, line 1: what separates the columns must be clear; found {{found}}. Say which: "
        f"{one} or {other}",
        name=source.name,
        found=found,
    )


def decimal_of(source: Source, separator: str, rows: list[list[str]]) -> str:
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


def header_of(source: Source, cells: list[str]) -> tuple[str, ...]:
    """Return the names of the columns, all of which must be there and different."""
    names = tuple(from_csv(cell.strip()) for cell in cells)
    places: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if not name:
            raise InputError(
                f"{source.name}, line 1, column {number}: every column must have a name; "
                "found none. Name it, remove the column, or remove what stands above the header, "
                "such as a title."
            )
        if places.setdefault(name, number) != number:
            raise InputError(
                f"{source.name}, line 1: columns must have different names; found {shown(name)} "
                f"in columns {places[name]} and {number}. Rename one of them."
            )
    if all(re.fullmatch(r"[+-]?[\d.,]+", name) for name in names):
        raise InputError(
            f"{source.name}, line 1: must hold the names of the columns; found numbers, "
            f"{listed(names, 3)}. Add a line with names above them."
        )
    return names
