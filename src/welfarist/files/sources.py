"""Where a table comes from: a file of a known format, a sheet of a workbook, standard input."""

from __future__ import annotations

import codecs
import difflib
import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

from welfarist.base.asking import RequestError, UsageError
from welfarist.base.errors import InputError
from welfarist.base.half_written import settle

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
# A workbook and one of its sheets: actions.xlsx:Projects
_SHEET = re.compile(r"(.+\.xlsx?):([^/\\]+)", re.IGNORECASE)
# Names less alike than this are no misspellings of each other.
_ALIKE = 0.75


@dataclass(frozen=True)
class Source:
    """A file that can be read, or what came through standard input.

    Attributes
    ----------
    name : str
        What messages call it: the path as it was given, or "standard input".
    path : Path or None
    data : bytes or None
        What came through standard input, which can be read only once, or a text that was
        written in another encoding, as UTF-8.
    sheet : str or None
        Which sheet of a workbook was named together with it.
    """

    name: str
    path: Path | None = None
    data: bytes | None = None
    sheet: str | None = None

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

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.data or b"") if self.path is None else self.path.stat().st_size

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes, from their beginning."""
        if self.path is None or self.data is not None:
            yield io.BytesIO(self.data or b"")
            return
        with self.path.open("rb") as file:
            yield file

    def head(self, size: int) -> bytes:
        """The first bytes, `size` of them at most."""
        with self.open() as file:
            return file.read(size)

    def whole_within(self, size: int) -> bool:
        """Whether there are no more than `size` bytes."""
        return len(self.head(size + 1)) <= size

    def decoded(self, encoding: str) -> Source:
        """Return the same text in UTF-8, or say where it is not written in this encoding."""
        known = checked_encoding(encoding)
        with self.open() as file:
            written = file.read()
        try:
            text = written.decode(known)
        except UnicodeDecodeError as problem:
            line = written.count(b"\n", 0, problem.start) + 1
            raise RequestError(
                "{name}, line {line}: must be text in {known}, as {encoding} says; found the byte "
                "0x{byte}, which that does not know. Name another encoding.",
                name=self.name,
                line=line,
                known=known,
                byte=written[problem.start : problem.start + 1].hex(),
            ) from None
        return replace(self, data=text.removeprefix("\ufeff").encode("utf-8"))


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
        return Source("standard input", data=sys.stdin.buffer.read())
    file, sheet = file_and_sheet(name)
    place = Path(file)
    settle([place])
    try:
        if place.is_dir():
            raise InputError(f"{name}: is a folder. Name one of the files in it.")
        if not place.exists():
            raise _absent(name, place)
        with place.open("rb"):
            pass
    except PermissionError:
        raise InputError(
            f"{name}: no permission to read it. Change its permissions, or copy it."
        ) from None
    except OSError as problem:
        raise InputError(f"{name}: cannot be read: {problem.strerror}. Check the name.") from None
    source = Source(name, place, sheet=sheet)
    if FORMATS.get(source.suffix) == "text" and not _can_be_told(file):
        return replace(source, data=place.read_bytes())
    return source


def _can_be_told(file: str) -> bool:
    """Whether a name is the same in UTF-8, in which alone other engines look for files."""
    try:
        return file.encode("utf-8") == os.fsencode(file)
    except UnicodeEncodeError:
        return False


def _absent(name: str, place: Path) -> InputError:
    if not place.parent.is_dir():
        return InputError(
            f"{name}: there is no folder {str(place.parent)!r}. Check the spelling; you are in "
            f"{str(Path.cwd())!r}."
        )
    try:
        others = sorted(
            p.name for p in place.parent.iterdir() if p.suffix.lower() in FORMATS and p.is_file()
        )
    except PermissionError:
        others = []
    near = difflib.get_close_matches(place.name, others, n=3, cutoff=_ALIKE)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "check the spelling."
    return InputError(f"{name}: there is no such file; {hint}")
