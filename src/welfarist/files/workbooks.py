"""Sheets of workbooks, with the row numbers that other programs show."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

from welfarist.base.asking import RequestError
from welfarist.base.errors import InputError
from welfarist.base.ordinary_files import for_engines
from welfarist.files.cells import listed, shown
from welfarist.files.limits import MOST_BYTES

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_OF_PACKAGE = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
# Enough of a sheet to see where it begins.
_HEAD = 2**20
_FIRST_ROW = re.compile(r'<(?:\w+:)?row\b[^>]*?\br="(\d+)"')
# What readers call a column without a name.
_UNNAMED = re.compile(r"__UNNAMED__\d+|(_duplicated_\d+)?")
_FAR_CELL = re.compile(r'\br="([A-Z]{3,})\d+"')
_LAST = "XFD"
_FILLED = re.compile(r"<(?:\w+:)?(?:v|is)\b")


@dataclass(frozen=True)
class Sheet:
    """One sheet of a workbook.

    Attributes
    ----------
    frame : polars.DataFrame
        Without the rows in which nothing stands.
    rows : sequence of int
        The number of each of its rows in the workbook.
    notes : tuple of str
        Which sheet was taken, where nobody said so.
    others : tuple of str
        The other sheets, of which nobody said that they are not meant.
    """

    frame: Any = field(repr=False)
    rows: Sequence[int] = field(repr=False)
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def read_sheet(name: str, path: str, sheet: str | None, engine: str | None) -> Sheet:
    """Read a sheet, the first if none is named; `name` is what messages call the file."""
    import polars as pl

    _refuse_bombs(name, path)
    known = _sheets(path)
    if sheet is not None and known and sheet not in known:
        raise RequestError(
            "{name}: {sheet} must name one of its sheets, {known}; found {found}. Check the "
            "spelling.",
            name=name,
            known=listed(known),
            found=shown(sheet),
        )
    head = _beginning(path, sheet)
    _refuse_far_columns(name, head)
    read = pl.read_excel(
        for_engines(path),
        sheet_name=sheet,
        engine=engine,  # type: ignore[call-overload]
        infer_schema_length=None,
        drop_empty_rows=False,
        raise_if_empty=False,
    )
    # The header stands in the first row that is not blank.
    header = _first_row(head)
    _refuse_titles(name, header, read)
    numbers = pl.int_range(len(read), eager=True) + header + 1
    filled = read.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    notes: tuple[str, ...] = ()
    if sheet is None and len(known) > 1:
        notes = (f"{name}: of the sheets {listed(known)} the first was read.",)
    others = tuple(known[1:]) if sheet is None else ()
    return Sheet(read.filter(filled), numbers.filter(filled).to_list(), notes, others)


def _refuse_bombs(name: str, path: str) -> None:
    """Refuse an archive that says of itself that it holds more than a file may."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except (OSError, zipfile.BadZipFile):
        return  # another kind of workbook, or one whose reader has to say what is wrong
    if size > MOST_BYTES:
        raise InputError(
            f"{name}: what is packed into it must be no larger than {MOST_BYTES / 1e9:g} GB; found "
            f"{size / 1e9:.3g} GB. It may be damaged: save the sheet as CSV UTF-8."
        )


def _refuse_titles(name: str, header: int, read: Any) -> None:
    """Say what stands where the names of the columns must be, if some have none."""
    unnamed = [c for c in read.columns if _UNNAMED.fullmatch(c) and read[c].count()]
    if not unnamed:
        return
    named = [column for column in read.columns if not _UNNAMED.fullmatch(column)]
    raise InputError(
        f"{name}, row {header}: the first row of the sheet must be the header, which names every "
        f"column; found {listed(named, 3) if named else 'nothing'}, and {len(unnamed)} "
        f"column{'s' * (len(unnamed) > 1)} without a name. Remove the rows above the header, such "
        "as a title, and name every column."
    )


def _sheets(path: str) -> list[str]:
    """The names of the sheets, in their order; none where nobody can tell."""
    try:
        return [name for name, _ in _parts(path)]
    except (OSError, KeyError, zipfile.BadZipFile, ElementTree.ParseError):
        return []  # another kind of workbook, or one whose reader has to say what is wrong


def _beginning(path: str, sheet: str | None) -> str:
    """The beginning of a sheet as it is written; nothing where nobody can tell."""
    try:
        parts = dict(_parts(path))
        part = parts[sheet] if sheet is not None else next(iter(parts.values()))
        with zipfile.ZipFile(path) as archive, archive.open(part) as sheet_part:
            return sheet_part.read(_HEAD).decode("utf-8", errors="ignore")
    except (OSError, KeyError, StopIteration, zipfile.BadZipFile, ElementTree.ParseError):
        return ""


def _refuse_far_columns(name: str, text: str) -> None:
    """Refuse columns that no sheet has: those of damaged files can be many."""
    far = next((cell for cell in _FAR_CELL.findall(text) if (len(cell), cell) > (3, _LAST)), None)
    if far is not None:
        raise InputError(
            f"{name}: the last column of a sheet is {_LAST}; found a cell in column {shown(far)}. "
            "It may be damaged: save the sheet as CSV UTF-8."
        )


def _first_row(text: str) -> int:
    """The number of the first row in which something stands; readers leave out those above it."""
    filled = _FILLED.search(text)
    above = [] if filled is None else _FIRST_ROW.findall(text, 0, filled.start())
    return int(above[-1]) if above else 1


def _parts(path: str) -> list[tuple[str, str]]:
    """The sheets of a workbook by name, each with the part of the archive that holds it."""
    with zipfile.ZipFile(path) as archive:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {link.attrib["Id"]: link.attrib["Target"] for link in links.iter(_OF_PACKAGE)}
    return [
        (sheet.attrib["name"], _place(targets[sheet.attrib[_RELATION]]))
        for sheet in book.iter(f"{_MAIN}sheet")
    ]


def _place(target: str) -> str:
    """Where a part lies in the archive, from how the workbook speaks of it."""
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"
