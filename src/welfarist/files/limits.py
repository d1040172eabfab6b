"""How large a table may be, and what reading one may take; docs/data.md says what lies beyond.

They are far above what anybody decides by, and far below what brings a machine to its knees: a
damaged file may say of itself that it holds a billion rows. Whoever reads files of strangers sets
narrower ones, `within` which everything is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from welfarist.base.errors import InputError

# Bytes of a file.
MOST_BYTES = 4 * 10**9
MOST_COLUMNS = 100_000
# Cells that are read: numbers of 2 GB.
MOST_CELLS = 250_000_000
# Bytes of a line of text, and so of a header.
LONGEST_LINE = 2**26
# Bytes that a reader of binary formats may ask for, and what its CPU seconds are: so many, and
# so many more for every megabyte of the file. Workbooks, the slowest, take half a second for one.
MOST_MEMORY = 8 * 2**30
LEAST_SECONDS = 5.0
SECONDS_PER_MEGABYTE = 5.0
LEAST_PATIENCE = 60.0


@dataclass(frozen=True)
class Limits:
    """What reading a table may take.

    Attributes
    ----------
    columns, cells : int
        That there are, and that are read.
    memory : int
        Bytes that a reader of binary formats may ask for.
    seconds : float
        Its CPU seconds, however large the file.
    answer : float
        Bytes that it may hand over: a small file may hold long texts, many times the same.
    """

    columns: int = MOST_COLUMNS
    cells: int = MOST_CELLS
    memory: int = MOST_MEMORY
    seconds: float = math.inf
    answer: float = math.inf


_USUAL = Limits()
_LIMITS: ContextVar[Limits | None] = ContextVar("limits", default=None)


def current() -> Limits:
    """Return the limits that hold here."""
    return _LIMITS.get() or _USUAL


@contextmanager
def within(limits: Limits) -> Iterator[None]:
    """Read with other limits."""
    before = _LIMITS.set(limits)
    try:
        yield
    finally:
        _LIMITS.reset(before)


def check_columns(name: str, columns: int) -> None:
    """Refuse a table of too many columns; `name` is what messages call the file."""
    most = current().columns
    if columns > most:
        raise InputError(
            f"{name}: there must be at most {most:,} columns; found {columns:,}. Leave out "
            "those that are no stakeholders, or add some up."
        )


def check_cells(name: str, rows: int, columns: int) -> None:
    """Refuse to read too many cells at once."""
    most = current().cells
    if rows * columns > most:
        raise InputError(
            f"{name}: at most {most:,} cells can be read; found {rows:,} rows of {columns:,} "
            "columns. Split the file, or leave columns out."
        )


def seconds_for(size: int) -> float:
    """CPU seconds that a file of so many bytes may take."""
    return min(LEAST_SECONDS + SECONDS_PER_MEGABYTE * size / 1e6, current().seconds)


def patience_for(size: int) -> float:
    """Seconds on the clock after which nobody waits any more: engines may wait for themselves."""
    return LEAST_PATIENCE + 4.0 * seconds_for(size)
