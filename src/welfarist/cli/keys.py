"""Single keys from a terminal, which is as it was when they have been read; or lines, where not."""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import AbstractContextManager, suppress
from types import FrameType
from typing import Any

from welfarist.cli.streams import INPUT

termios: Any
tty: Any
try:
    import termios
    import tty
except ImportError:  # Windows, where a line is typed
    termios = tty = None

# What ends a program from outside, and would leave the terminal as it is.
_ENDS = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)
)
_GOES_ON = getattr(signal, "SIGCONT", None)
# More than anybody types at once; an arrow is three of these.
_AT_ONCE = 64
# Seconds.
_NOW_AND_THEN = 0.5
_END, _ESCAPE = "\x04", "\x1b"


class Keys(AbstractContextManager["Keys"]):
    """The keyboard, key by key where the terminal can, else line by line.

    Attributes
    ----------
    single : bool
        Whether a key is read as soon as it is pressed.
    """

    def __init__(self) -> None:
        self.single = False
        self._before: Any = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Keys:
        if termios is None:
            return self
        with suppress(termios.error, OSError):
            self._before = termios.tcgetattr(INPUT)
            with suppress(ValueError):  # not in the main thread, which alone hears signals
                for number in _ENDS:
                    self._handlers[number] = signal.signal(number, _leave)
                if _GOES_ON is not None:
                    self._handlers[_GOES_ON] = signal.signal(_GOES_ON, self._again)
            tty.setcbreak(INPUT, termios.TCSADRAIN)
            self.single = True
        return self

    def __exit__(self, *problem: object) -> None:
        if self._before is not None:
            with suppress(termios.error, OSError):  # a terminal that has been closed
                termios.tcsetattr(INPUT, termios.TCSADRAIN, self._before)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers.clear()

    def _again(self, number: int, frame: FrameType | None) -> None:
        """Somebody had stopped the program, and the shell may have changed the terminal."""
        del number, frame
        with suppress(termios.error, OSError):
            tty.setcbreak(INPUT, termios.TCSADRAIN)

    def forget(self) -> None:
        """Throw away what was typed before there was anything to answer."""
        if self.single:
            with suppress(termios.error, OSError):
                termios.tcflush(INPUT, termios.TCIFLUSH)

    def read(self) -> str:
        """Return the next key, or line, in small letters; nothing at the end of all input."""
        if not self.single:
            line = sys.stdin.readline()
            return line.strip().lower() or "\n" if line else ""
        try:
            # Engines of files have reads go on after a signal, so that Ctrl-C would wait for a key.
            while not select.select([INPUT], [], [], _NOW_AND_THEN)[0]:
                pass
            typed = os.read(INPUT, _AT_ONCE).decode("utf-8", "replace")
        except OSError:  # a terminal that has been closed
            return ""
        if typed.startswith(_END):
            return ""
        return _ESCAPE if typed.startswith(_ESCAPE) else typed[:1].lower()


def _leave(number: int, frame: FrameType | None) -> None:
    del frame
    raise SystemExit(128 + number)
