"""Having a file to oneself for long, such as while somebody answers questions."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from welfarist.base.errors import InputError

fcntl: Any
msvcrt: Any
try:
    import fcntl
except ImportError:  # Windows, where bytes of a file are locked
    fcntl = None
    import msvcrt

# A lock that somebody else holds.
_TAKEN = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK}


@contextlib.contextmanager
def alone_with(path: str | os.PathLike[str]) -> Iterator[None]:
    """Refuse to begin while somebody else, process or thread, has a file to themselves.

    The lock is the system's, on a hidden file beside it, because the file itself is replaced when
    it is written. It goes with the process that has it, however that ends; what a killed one
    leaves behind keeps nobody away. Where the system has no such locks nobody is refused.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, alone_with(Path(folder) / "answers.csv"):
    ...     with alone_with(Path(folder) / "answers.csv"):
    ...         pass
    Traceback (most recent call last):
    welfarist.base.errors.InputError: ...answers.csv: somebody else is at work on it...
    """
    place = Path(os.path.realpath(path))
    lock = place.with_name(f".{place.name[:40]}.lock")
    handle = _locked(lock, path)
    try:
        yield
    finally:
        if handle is not None:
            _let_go(lock, handle)


def _locked(lock: Path, path: str | os.PathLike[str]) -> int | None:
    """A handle that holds the lock; None where there is none to be had."""
    while True:
        try:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError:  # whoever cannot write there will hear of it soon enough
            return None
        try:
            _lock(handle)
        except OSError as problem:
            os.close(handle)
            if problem.errno not in _TAKEN:
                return None
            raise InputError(
                f"{os.fspath(path)}: somebody else is at work on it. Wait until they are done, or "
                "name another file."
            ) from None
        if _is_still_there(lock, handle):
            return handle
        os.close(handle)  # its owner removed it in between


def _lock(handle: int) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)


def _is_still_there(lock: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.stat(lock), os.fstat(handle))
    except FileNotFoundError:
        return False


def _let_go(lock: Path, handle: int) -> None:
    """Remove the file and with it the lock: first the name, so that nobody waits for a ghost."""
    with contextlib.suppress(OSError):
        if fcntl is not None:  # elsewhere a file that is open stays
            os.unlink(lock)
    os.close(handle)
