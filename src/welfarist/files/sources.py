"""Where a table comes from: a file of a known format, or standard input."""

from __future__ import annotations

import difflib
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from welfarist.base.errors import InputError

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
        What came through standard input, which can be read only once.
    """

    name: str
    path: Path | None = None
    data: bytes | None = None

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
        if self.path is None:
            yield io.BytesIO(self.data or b"")
            return
        with self.path.open("rb") as file:
            yield file

    def head(self, size: int) -> bytes:
        """The first bytes, `size` of them at most."""
        with self.open() as file:
            return file.read(size)


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
    place = Path(name)
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
    return Source(name, place)


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
