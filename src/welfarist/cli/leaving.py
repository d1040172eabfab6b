"""Stopping a command before it has begun."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from welfarist.cli.exit_codes import INTERRUPTED
from welfarist.cli.streams import ERRORS


@contextmanager
def ready_to_leave() -> Iterator[None]:
    """End at once when somebody stops the command before :func:`begun` is called.

    It is for what comes first, when there is nothing to clean up: an exception in the middle of an
    import would be turned into another one, or into a traceback.
    """
    try:
        before = signal.signal(signal.SIGINT, _leave)
    except ValueError:  # not in the main thread, which alone hears signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def begun() -> None:
    """Let an interruption be an exception from here on: there may be something to clean up."""
    if signal.getsignal(signal.SIGINT) is _leave:
        with suppress(ValueError):  # as above
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(number: int, frame: FrameType | None) -> None:
    del number, frame
    os.write(ERRORS, b"Interrupted.\n")
    os._exit(INTERRUPTED)
