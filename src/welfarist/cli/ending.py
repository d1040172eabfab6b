"""How a command ends: with an exit code and, where something went wrong, one line that says what.

What the package says on purpose is said where it happens. This is for everything else: a full
disk, a lack of memory, a folder that is gone, and mistakes of our own.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from welfarist.base.inert import on_one_line
from welfarist.cli import streams
from welfarist.cli.exit_codes import INTERRUPTED, PROBLEM

# Set by whoever wants to see where an error comes from.
TRACEBACK = "WELFARIST_TRACEBACK"

_PACKAGE = Path(__file__).parents[1]
# What writing to a stream that has no more room, or is none, comes to.
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.ENXIO}
# What importing, starting threads, and an engine's panic come to where memory is short.
_NO_MEMORY = (
    "failed to map segment", "cannot allocate memory", "can't start new thread",
    "could not spawn threads", "resource temporarily unavailable",
)  # fmt: skip
_LONGEST = 300


def run_to_end(work: Callable[[], object]) -> NoReturn:
    """Do something and leave with its exit code; whatever happens is said in one line."""
    streams.ready()
    sys.exit(_flushed(_code(work)))


def _code(work: Callable[[], object]) -> int:
    try:
        work()
    except SystemExit as left:
        if isinstance(left.code, str):
            streams.whisper(on_one_line(left.code))
            return PROBLEM
        return left.code or 0
    except KeyboardInterrupt:
        streams.whisper("Interrupted.")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough
        return 0
    except BaseException as problem:  # an engine in another language raises others than Exceptions
        show_traceback()
        streams.whisper(f"Error: {_said(problem)}")
        return PROBLEM
    return 0


def _flushed(code: int) -> int:
    """The exit code after the last of the output has been written, or could not be."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        streams.silence(streams.OUTPUT)
    except (OSError, ValueError) as problem:
        streams.silence(streams.OUTPUT)
        if code == 0:
            streams.whisper(f"Error: {_said(problem)}")
            return PROBLEM
    return code


def show_traceback() -> None:
    """Print where the present error comes from, if that was asked for."""
    if os.environ.get(TRACEBACK, "0") not in ("", "0"):
        streams.whisper(traceback.format_exc().rstrip())


def _said(problem: BaseException) -> str:
    """One line about something that nobody expected, or that has nothing to do with the data."""
    if _folder_is_gone(problem):
        return (
            "the folder that you are in is no longer there. Go to another one (cd), and try again."
        )
    if _is_memory(problem):
        return (
            "there is not enough memory for this. Close other programs, work with fewer rows or "
            "people, or use a machine with more."
        )
    if isinstance(problem, OSError) and problem.filename is None and problem.errno in _NO_ROOM:
        return (
            f"the answer could not be written to standard output: {problem.strerror}. Make room, "
            "or send it elsewhere."
        )
    return _report(problem)


def _folder_is_gone(problem: BaseException) -> bool:
    if not isinstance(problem, FileNotFoundError):
        return False
    try:
        os.getcwd()
    except OSError:
        return True
    return False


def _is_memory(problem: BaseException) -> bool:
    if isinstance(problem, MemoryError):
        return True
    if isinstance(problem, OSError) and problem.errno == errno.ENOMEM:
        return True
    panic = not isinstance(problem, Exception)
    if not panic and not isinstance(problem, ImportError | RuntimeError):
        return False
    return any(words in str(problem).lower() for words in _NO_MEMORY)


def _report(problem: BaseException) -> str:
    from welfarist.base.version import __version__

    said = on_one_line("".join(traceback.format_exception_only(problem)).strip())
    said = said if len(said) <= _LONGEST else f"{said[:_LONGEST]} …"
    return (
        f"something that welfarist {__version__} did not expect: {said} ({_place(problem)}). "
        "Please report it to whoever you have welfarist from, with the "
        f"command, its files, and what it prints with {TRACEBACK}=1 set."
    )


def _place(problem: BaseException) -> str:
    """Where in the package it happened."""
    for frame, line in reversed(list(traceback.walk_tb(problem.__traceback__))):
        path = Path(frame.f_code.co_filename)
        if _PACKAGE in path.parents:
            return f"{path.relative_to(_PACKAGE.parent).as_posix()}, line {line}"
    return "outside the package"
