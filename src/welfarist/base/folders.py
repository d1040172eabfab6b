"""Folders that are written to: one writer at a time, and names that outlast a power cut."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from welfarist.base.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, where a folder cannot be locked
    fcntl = None  # type: ignore[assignment]

# Files are written within milliseconds; whoever takes this many seconds has been stopped.
PATIENCE = 30.0
_BETWEEN = 0.005
# A lock that somebody else holds.
_TAKEN = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}


@contextlib.contextmanager
def held(folders: Iterable[Path]) -> Iterator[bool]:
    """Keep folders from others who would hold them, processes or threads, in the meantime.

    The lock is the system's, on the folder itself: nothing is left behind, and it goes with the
    process that has it, however that ends.

    Yields
    ------
    bool
        Whether that could be done; not on Windows, nor on file systems without such locks.
    """
    with contextlib.ExitStack() as release:
        yield all(_lock(folder, release) for folder in _in_one_order(folders))


def _in_one_order(folders: Iterable[Path]) -> list[Path]:
    """Folders in an order that is the same for all: nobody waits for who waits for them."""
    found = {}
    for folder in folders:
        known = os.stat(folder)
        found[known.st_dev, known.st_ino] = folder
    return [found[key] for key in sorted(found)]


def _lock(folder: Path, release: contextlib.ExitStack) -> bool:
    if fcntl is None:
        return False
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder that may be written to but not looked at
        return False
    release.callback(os.close, handle)  # which gives the lock back
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            if problem.errno not in _TAKEN:
                return False
        else:
            return True
        if time.monotonic() > until:
            raise InputError(
                f"{folder}: somebody else has been writing there for {PATIENCE:g} seconds. Try "
                "again when they are done, or name another folder."
            )
        time.sleep(_BETWEEN)


def sync(folders: Iterable[Path]) -> None:
    """Have the names in folders written down, where the system can: files alone are not enough."""
    for folder in set(folders):
        with contextlib.suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
