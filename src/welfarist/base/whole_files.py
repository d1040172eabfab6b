"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from welfarist.base.errors import InputError

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
    check_target(path)
    target = Path(os.path.realpath(path))
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        permissions = _permissions(target)
        handle, name = tempfile.mkstemp(
            prefix=f".{target.name[:_MOST_OF_NAME]}.", suffix=".part", dir=target.parent
        )
    except OSError as problem:
        raise _not_written(path, problem) from None
    try:
        with os.fdopen(handle, "wb") as part:
            part.write(data)
            part.flush()
            os.fsync(part.fileno())
        os.chmod(name, permissions)
        os.replace(name, target)
    except BaseException as problem:  # also an interruption from the keyboard
        with contextlib.suppress(OSError):
            os.unlink(name)
        if isinstance(problem, OSError):
            raise _not_written(path, problem) from problem
        raise


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
