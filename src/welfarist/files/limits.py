"""How large a table may be, and what reading one may take; docs/data.md says what lies beyond.

They are far above what anybody decides by, and far below what brings a machine to its knees: a
damaged file may say of itself that it holds a billion rows.
"""

from __future__ import annotations

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


def check_columns(name: str, columns: int) -> None:
    """Refuse a table of too many columns; `name` is what messages call the file."""
    if columns > MOST_COLUMNS:
        raise InputError(
            f"{name}: there must be at most {MOST_COLUMNS:,} columns; found {columns:,}. Leave out "
            "those that are no stakeholders, or add some up."
        )


def check_cells(name: str, rows: int, columns: int) -> None:
    """Refuse to read too many cells at once."""
    if rows * columns > MOST_CELLS:
        raise InputError(
            f"{name}: at most {MOST_CELLS:,} cells can be read; found {rows:,} rows of {columns:,} "
            "columns. Split the file, or leave columns out."
        )


def seconds_for(size: int) -> float:
    """CPU seconds that a file of so many bytes may take."""
    return LEAST_SECONDS + SECONDS_PER_MEGABYTE * size / 1e6


def patience_for(size: int) -> float:
    """Seconds on the clock after which nobody waits any more: engines may wait for themselves."""
    return LEAST_PATIENCE + 4.0 * seconds_for(size)
