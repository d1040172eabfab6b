"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from welfarist.base.errors import InputError

Place = TypeVar("Place", bound=str | os.PathLike[str])

# What a new file may be used for by whom, before the user's mask takes some of it away.
_NEW_FILE = 0o666
# The temporary file has more letters than the file itself, whose name may be as long as allowed.
_MOST_OF_NAME = 40


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file whole or not at all: an interrupted write leaves the old one as it was.

    The content goes to a temporary file in the same folder, which then takes the name. A link is
    followed; the permissions of an old file are kept.

    Parameters
    ----------
    path : str or path
    content : str or bytes
        Text is written as UTF-8, its line ends as they are.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "model.json", "{}")
    ...     (Path(folder) / "model.json").read_text()
    '{}'
    """
    write_together({path: content})


def write_together(contents: Mapping[Place, str | bytes]) -> None:
    """Write several files whole, all of them or none: what one reads in them belongs together.

    All contents are in temporary files before the first takes its name. If one cannot, those that
    had taken theirs give way to what was there before.

    Parameters
    ----------
    contents : mapping
        What goes where, as in :func:`write_whole`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_together({Path(folder) / "model.json": "{}", Path(folder) / "report.html": ""})
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['model.json', 'report.html']
    """
    for path in contents:
        check_target(path)
    staged: list[_Staged] = []
    try:
        for path, content in contents.items():
            staged.append(_Staged.of(path))
            staged[-1].fill(content)
        for file in staged:
            file.take_place(last=file is staged[-1])
    except BaseException:  # also an interruption from the keyboard
        for file in reversed(staged):
            file.undo()
        raise
    for file in staged:
        file.forget()


@dataclass
class _Staged:
    """A file on its way to its place.

    Attributes
    ----------
    path : str or path
        As it was given, for messages.
    target : Path
        Where it goes: a link is followed.
    part : str
        The temporary file beside it.
    former : str or None
        A second name of the file that it replaces, until all have taken their place.
    placed : bool
        Whether it has.
    """

    path: str | os.PathLike[str]
    target: Path
    part: str
    former: str | None = None
    placed: bool = False

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> _Staged:
        """Make an empty temporary file beside the one to write."""
        target = Path(os.path.realpath(path))
        with _said(path):
            return cls(path, target, _temporary(target))

    def fill(self, content: str | bytes) -> None:
        """Write the temporary file."""
        data = content.encode("utf-8") if isinstance(content, str) else content
        with _said(self.path):
            with open(self.part, "wb") as part:
                part.write(data)
                part.flush()
                os.fsync(part.fileno())
            os.chmod(self.part, _permissions(self.target))

    def take_place(self, last: bool) -> None:
        """Give the file its name; after the last one nothing can go wrong."""
        with _said(self.path):
            if not last and self.target.exists():
                self.former = _second_name(self.target)
            os.replace(self.part, self.target)
            self.placed = True

    def undo(self) -> None:
        """Leave everything as it was."""
        with contextlib.suppress(OSError):
            if self.former is not None and self.placed:
                os.replace(self.former, self.target)
                self.former = None
            elif self.placed:
                os.unlink(self.target)
        with contextlib.suppress(OSError):
            os.unlink(self.part)
        self.forget()

    def forget(self) -> None:
        """Let go of what was replaced."""
        if self.former is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.former)


def _temporary(target: Path) -> str:
    """An empty file beside another, with a name of its own."""
    handle, name = tempfile.mkstemp(
        prefix=f".{target.name[:_MOST_OF_NAME]}.", suffix=".part", dir=target.parent
    )
    os.close(handle)
    return name


def _second_name(target: Path) -> str:
    """Another name for a file, under which it stays when it is replaced; a copy if need be."""
    name = _temporary(target)
    os.unlink(name)
    try:
        os.link(target, name)
    except OSError:  # some file systems have no second names
        shutil.copy2(target, name)
    return name


@contextlib.contextmanager
def _said(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say which file cannot be written, and why."""
    try:
        yield
    except OSError as problem:
        raise _not_written(path, problem) from problem


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a place that cannot be written to, before long work is done for it."""
    name = os.fspath(path)
    if not name:
        raise InputError("a file to write to must have a name; found an empty one. Name a file.")
    target = Path(os.path.realpath(path))
    # os.path answers no for a name that is too long, where Path would raise.
    if os.path.isdir(target):
        raise InputError(f"{name!s}: is a folder. Name a file in it to write to.")
    # Asked by the name as given: a pipe has no other.
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        raise InputError(
            f"{name!s}: must be an ordinary file, because it would be replaced; found a device or "
            "a pipe. Name another."
        )
    if not os.path.isdir(target.parent):
        raise InputError(
            f"{os.fspath(path)!s}: there is no folder {str(target.parent)!r} to write to. Make it "
            "first, or name another."
        )
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise _not_allowed(path)


def _not_written(path: str | os.PathLike[str], problem: OSError) -> InputError:
    if isinstance(problem, PermissionError):
        return _not_allowed(path)
    return InputError(
        f"{os.fspath(path)!s}: could not be written: {problem.strerror or problem}. Nothing was "
        "changed. Choose another folder or file name."
    )


def _not_allowed(path: str | os.PathLike[str]) -> InputError:
    return InputError(
        f"{os.fspath(path)!s}: no permission to write there. Choose another folder or file name."
    )


def _permissions(target: Path) -> int:
    """Those of the file that is replaced, or those a new file would have."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return _NEW_FILE & ~mask
