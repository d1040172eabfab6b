"""Reading ordinary files, up to a size: a pipe may never end, and a device gives noise."""

from __future__ import annotations

import io
import os
import stat
from typing import BinaryIO

from welfarist.base.errors import InputError

# What stands behind a name that is no ordinary file, by what the system says of it.
_OTHERS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a disk"),
)
# Nobody waits for a pipe into which nothing is written.
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_GIGABYTE = 1e9


def open_ordinary(path: str, name: str | None = None, advice: str = "Name a file.") -> BinaryIO:
    """Open an ordinary file to read its bytes.

    Parameters
    ----------
    path : str
    name : str, optional
        What messages call it; the path if left out.
    advice : str
        What to do where it is no ordinary file.

    Raises
    ------
    OSError
        Where it cannot be opened.
    InputError
        Where it is none: a folder, a pipe, a device.
    """
    _require_ordinary(os.stat(path), name or path, advice)  # some devices act when opened
    handle = os.open(path, os.O_RDONLY | _AT_ONCE)
    try:
        _require_ordinary(os.fstat(handle), name or path, advice)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_within(file: BinaryIO, most: int, name: str, advice: str) -> bytes:
    """Return the bytes of an open file, or refuse it if there are more than `most`."""
    data = b"" if size_of(file) > most else file.read(most + 1)
    if len(data) > most or size_of(file) > most:
        raise InputError(
            f"{name}: must be no larger than {most / _GIGABYTE:.3g} GB; found more. {advice}"
        )
    return data


def size_of(file: BinaryIO) -> int:
    """How many bytes an ordinary file has; 0 where nobody knows before they are read."""
    try:
        return os.fstat(file.fileno()).st_size
    except OSError:  # in memory
        return 0


def for_engines(path: str, patterns: str = "") -> str | io.BytesIO:
    """Return what an engine is told to read: bytes, which have no name, where that says too much.

    Names that are no UTF-8 cannot be told, and those with signs of `patterns` would be one.
    """
    try:
        path.encode("utf-8")
        if not set(patterns) & set(path):
            return path
    except UnicodeEncodeError:
        pass
    with open(path, "rb") as file:
        return io.BytesIO(file.read())


def _require_ordinary(found: os.stat_result, name: str, advice: str) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"{name}: is a folder. Name one of the files in it.")
    what = next((what for is_it, what in _OTHERS if is_it(found.st_mode)), "something else")
    raise InputError(f"{name}: must be an ordinary file; found {what}. {advice}")
