"""Standard input, output and errors: there from the start, and let go of without a fuss."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator

INPUT, OUTPUT, ERRORS = 0, 1, 2  # the file descriptors


def ready() -> None:
    """Open what was closed when the command was started, and spell out what cannot be shown.

    What is written to a stream that was closed goes nowhere, and nothing is read from one: a file
    that is opened later would take its place, and be written into.
    """
    for stream, mode in ((INPUT, "r"), (OUTPUT, "w"), (ERRORS, "w")):
        name = ("stdin", "stdout", "stderr")[stream]
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
        if getattr(sys, name) is None:
            opened = open(stream, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, opened)
    for shown in (sys.stdout, sys.stderr):
        if isinstance(shown, io.TextIOWrapper):
            shown.reconfigure(errors="backslashreplace")


def silence(stream: int) -> None:
    """Send what is left for a stream nowhere; Python would complain about it at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream)
        os.close(nowhere)


def whisper(text: str) -> None:
    """Print a line to standard error, if anybody is there to hear it."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        silence(ERRORS)


@contextlib.contextmanager
def solvers_on_stderr() -> Iterator[None]:
    """Send what compiled solvers print to standard error: an answer holds nothing else."""
    sys.stdout.flush()
    kept = os.dup(OUTPUT)
    try:
        os.dup2(ERRORS, OUTPUT)
        yield
    finally:
        os.dup2(kept, OUTPUT)
        os.close(kept)
