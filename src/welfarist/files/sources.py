"""Where a table comes from: a file of a known format, a sheet of a workbook, standard input."""

from __future__ import annotations

import codecs
import difflib
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Literal

from welfarist.base.asking import RequestError, UsageError
from welfarist.base.errors import InputError
from welfarist.base.half_written import settle
from welfarist.base.ordinary_files import open_ordinary, read_within, size_of
from welfarist.files import limits
from welfarist.files.held_texts import PART, HeldText

Format = Literal["text", "parquet", "feather", "excel", "stata"]

FORMATS: dict[str, Format] = {
    ".csv": "text",
    ".tsv": "text",
    ".txt": "text",
    ".tab": "text",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".xlsx": "excel",
    ".xls": "excel",
    ".dta": "stata",
}
STANDARD_INPUT = "-"
_STANDARD_INPUT = "standard input"  # in words
_THROUGH_STANDARD_INPUT = "Save it to a file, or send a text through standard input: -"
# A workbook and one of its sheets: actions.xlsx:Projects
_SHEET = re.compile(r"(.+\.xlsx?):([^/\\]+)", re.IGNORECASE)
# Names less alike than this are no misspellings of each other.
_ALIKE = 0.75


@dataclass(frozen=True)
class Source:
    """A file that can be read, or a text that has been.

    Attributes
    ----------
    name : str
        What messages call it: the path as it was given, or "standard input".
    path : Path or None
    data : HeldText
        Of a text all of it, in UTF-8 unless it is yet to be decoded: read once, so that no part of
        it is of another time than the rest. Nothing of other formats, which their engines read.
    sheet : str or None
        Which sheet of a workbook was named together with it.
    size : int
        How many bytes a file of another format has.
    """

    name: str
    path: Path | None = None
    data: HeldText = field(default_factory=HeldText, repr=False)
    sheet: str | None = None
    size: int = 0

    @property
    def suffix(self) -> str:
        """The ending of the file's name, in small letters."""
        return ".csv" if self.path is None else self.path.suffix.lower()

    @property
    def format(self) -> Format:
        """What the ending of the name says about the format."""
        try:
            return FORMATS[self.suffix]
        except KeyError:
            known = ", ".join(FORMATS)
            raise InputError(
                f"{self.name}: the ending of the name must say what kind of table it is, one of "
                f"{known}; found {self.suffix or 'none'!r}. Rename it, or save it as .csv."
            ) from None

    def lines(self) -> Iterator[bytes]:
        """The lines of a text, each with its end."""
        return self.data.lines()

    def decoded(self, encoding: str) -> Source:
        """Return the same text in UTF-8, or say where it is not written in this encoding."""
        known = checked_encoding(encoding)
        try:
            text = bytes(self.data).decode(known).removeprefix("\ufeff")
            return replace(self, data=HeldText(text.encode("utf-8")))
        except UnicodeDecodeError as problem:
            line = self.data.count(b"\n", 0, problem.start) + 1
            raise RequestError(
                "{name}, line {line}: must be text in {known}, as {encoding} says; found the byte "
                "0x{byte}, which that does not know. Name another encoding.",
                name=self.name,
                line=line,
                known=known,
                byte=self.data[problem.start : problem.start + 1].hex(),
            ) from None
        except UnicodeError:  # other codecs have other words for it, or give halves of letters
            raise RequestError(
                "{name}: must be text in {known}, as {encoding} says; found something else. Name "
                "another encoding.",
                name=self.name,
                known=known,
            ) from None


def checked_encoding(encoding: str) -> str:
    """Return the name of an encoding of texts, or say that there is none of that name."""
    try:
        found = codecs.lookup(encoding)
        "".encode(found.name)  # refuses those that encode no texts, such as zip
    except (LookupError, ValueError):
        raise UsageError(
            "{encoding} must be the name of an encoding, such as windows-1252, latin-1 or utf-16; "
            "found {found!r}.",
            found=encoding,
        ) from None
    return found.name


def file_and_sheet(path: str | os.PathLike[str]) -> tuple[str, str | None]:
    """Return the file that a name stands for and, in a workbook, the sheet named after a colon.

    Examples
    --------
    >>> file_and_sheet("survey.xlsx:Wave 2")
    ('survey.xlsx', 'Wave 2')
    >>> file_and_sheet("survey.xlsx")
    ('survey.xlsx', None)
    """
    name = os.fspath(path)
    found = _SHEET.fullmatch(name)
    if found is None or os.path.exists(name):
        return name, None
    return found[1], found[2]


def source_of(path: str | os.PathLike[str]) -> Source:
    """Return what `path` names, or say why it cannot be read; "-" is standard input.

    Examples
    --------
    >>> source_of("no such folder/actions.csv")
    Traceback (most recent call last):
    welfarist.base.errors.InputError: no such folder/actions.csv: there is no folder ...
    """
    name = os.fspath(path)
    if name == STANDARD_INPUT:
        return Source(_STANDARD_INPUT, data=_standard_input())
    path, sheet = file_and_sheet(name)
    settle([path])
    source = Source(name, Path(path), sheet=sheet)
    try:
        with open_ordinary(path, name, _THROUGH_STANDARD_INPUT) as file:
            if source.format == "text":
                return replace(source, data=_read(file, name))
            return replace(source, size=os.fstat(file.fileno()).st_size)
    except (FileNotFoundError, NotADirectoryError):
        raise _absent(name, Path(path)) from None
    except PermissionError:
        raise InputError(
            f"{name}: no permission to read it. Change its permissions, or copy it."
        ) from None
    except OSError as problem:
        raise InputError(f"{name}: cannot be read: {problem.strerror}. Check the name.") from None


def _standard_input() -> HeldText:
    """All that comes through standard input, which somebody may have closed."""
    try:
        if sys.stdin is not None:
            return _read(sys.stdin.buffer, _STANDARD_INPUT)
    except InputError:
        raise
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise InputError(f"{_STANDARD_INPUT}: cannot be read: {reason}. Name a file.") from None
    raise InputError(f"{_STANDARD_INPUT}: is closed. Name a file.")


def _read(file: BinaryIO, name: str) -> HeldText:
    """All of a text; of a file that grows meanwhile what it was when it was opened."""
    size = size_of(file)
    if PART < size <= limits.MOST_BYTES:
        return HeldText.of(file, size)
    advice = "Split it, or save it as Parquet."
    return HeldText(read_within(file, limits.MOST_BYTES, name, advice))


def _absent(name: str, place: Path) -> InputError:
    if not os.path.isdir(place.parent):
        return InputError(
            f"{name}: there is no folder {str(place.parent)!r}. Check the spelling{_where_we_are()}"
        )
    try:
        others = sorted(
            p.name for p in place.parent.iterdir() if p.suffix.lower() in FORMATS and p.is_file()
        )
    except OSError:
        others = []
    near = difflib.get_close_matches(place.name, others, n=3, cutoff=_ALIKE)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "check the spelling."
    return InputError(f"{name}: there is no such file; {hint}")


def _where_we_are() -> str:
    """Say in which folder names are looked for, unless somebody has removed it."""
    try:
        return f"; you are in {os.getcwd()!r}."
    except OSError:
        return "; the folder you are in is no more."
