"""Progress bars for people who wait: shown in a terminal, never in a log or a library's output."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Generator, Iterable
from typing import Literal, TypeVar

from welfarist.base.errors import InputError

ProgressOption = bool | Literal["auto"]
T = TypeVar("T")


class Progress:
    """Whether and how to show how far a long computation has come.

    Parameters
    ----------
    show : bool or "auto"
        "auto" shows a bar if standard error is a terminal and rich is installed.
    verbose : int
        How much is said in lines on standard output: nothing, how a search ended (1), or each of
        its parts as well (2).
    """

    def __init__(self, show: ProgressOption = "auto", verbose: int = 0) -> None:
        self.verbose = verbose
        if show not in (True, False, "auto"):
            raise InputError(f'progress must be True, False or "auto"; found {show!r}.')
        # Looking for a package takes a third of a millisecond, as long as a tenth of a small fit.
        seen = sys.stderr is not None and sys.stderr.isatty()  # without a console there is none
        wanted = seen if show == "auto" else bool(show)
        self._on = wanted and importlib.util.find_spec("rich") is not None
        if show is True and not self._on:
            raise InputError(
                'a progress bar needs the package rich; found none. pip install "welfarist[cli]"'
            )

    def track(self, items: Iterable[T], total: int, description: str) -> Generator[T, None, None]:
        """Yield the items, moving a bar for each."""
        if not self._on:
            yield from items
            return
        from rich.console import Console
        from rich.progress import track

        yield from track(
            items, description, total=total, console=Console(stderr=True), transient=True
        )

    def say(self, text: str, level: int = 2) -> None:
        """Print a line, if that much is to be said."""
        if self.verbose >= level:
            print(f"[welfarist] {text}", flush=True)
