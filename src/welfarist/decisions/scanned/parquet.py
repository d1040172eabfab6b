"""Parquet files as parts that are read one by one, with messages that say where something is wrong.

A part is some row groups of one file. Which parts there are depends on the files alone, so that
sums over parts, added in their order, have the same digits whoever reads them.
"""

from __future__ import annotations

import glob
import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from welfarist.base.errors import InputError

# Decisions that a part holds at least, where a file has as many; and the most parts there are.
_ROWS = 2**20
_MOST_PARTS = 4096
# Rows that are looked at together: what they take stays in a processor's cache.
_BATCH = 2**17


@dataclass(frozen=True)
class Part:
    """Some row groups of one file.

    Attributes
    ----------
    path : str
    groups : tuple of int
        Numbers of the row groups in the file.
    start : int
        The number of the first row among those of all files.
    rows : int
    stamp : tuple of int
        Size and time of the file when it was first looked at.
    """

    path: str
    groups: tuple[int, ...]
    start: int
    rows: int
    stamp: tuple[int, int]


@dataclass(frozen=True)
class Place:
    """Where in the files something stands: a file, a row group, and the first row of a batch."""

    path: str
    group: int
    row: int

    def says(self, what: str, row: int | None = None) -> InputError:
        """Return an error about this place, or about a row of the batch."""
        at = "" if row is None else f", row {self.row + row}"
        return InputError(f"{self.path}: row group {self.group}{at}: {what}")


@dataclass(frozen=True)
class Files:
    """Parquet files with the same columns, in parts.

    Attributes
    ----------
    parts : tuple of Part
    rows : int
        Rows of all files.
    types : mapping of str to DataType
        Arrow's type of each column of the first file.
    """

    parts: tuple[Part, ...]
    rows: int
    types: dict[str, Any]

    @property
    def stamps(self) -> list[tuple[str, int, int]]:
        """Name, size and time of every file that has rows, in order."""
        return list(dict.fromkeys((part.path, *part.stamp) for part in self.parts))

    def require(self, column: str, role: str) -> str:
        """Return the name of a column that must be there."""
        if column not in self.types:
            raise InputError(
                f"{self.parts[0].path}: there must be a column {column!r}, {role}; found "
                f"{', '.join(map(repr, self.types))}. Name it with columns={{…}}."
            )
        return column


def open_files(source: object) -> Files:
    """Look at the footers of Parquet files: a file, a folder, a pattern, or a list of these."""
    _require_arrow()
    found = _paths(source)
    sizes, types = [], None
    for path in found:
        with _readable(path) as file:
            meta = file.metadata
            here = dict(zip(file.schema_arrow.names, file.schema_arrow.types, strict=True))
            sizes.append((path, _stamp(path), [meta.row_group(i).num_rows for i in _groups(meta)]))
        if types is None:
            types = here
        elif here != types:
            raise _other_columns(path, found[0], here, types)
    rows = sum(sum(groups) for _, _, groups in sizes)
    if not rows:
        raise InputError(
            f"{os.fspath(found[0])}: there must be decisions in the files; found none in "
            f"{len(found)} of them."
        )
    assert types is not None
    return Files(tuple(_parts(sizes, max(_ROWS, -(-rows // _MOST_PARTS)))), rows, types)


def batches(part: Part, columns: Sequence[str]) -> Iterator[tuple[Place, Any]]:
    """Yield a part in batches of rows, with where each stands."""
    if _stamp(part.path) != part.stamp:
        raise InputError(
            f"{part.path}: the file must stay as it is while it is read; found that it has "
            "changed since. Scan the files again."
        )
    with _readable(part.path) as file:
        for group in part.groups:
            row = 0
            stream = file.iter_batches(
                _BATCH, row_groups=[group], columns=list(columns), use_threads=False
            )
            for batch in _guarded(stream, part.path, group):
                yield Place(part.path, group, row), batch
                row += len(batch)


def _parts(sizes: list[tuple[str, tuple[int, int], list[int]]], least: int) -> Iterator[Part]:
    """Put row groups of a file together until they have enough rows."""
    start = 0
    for path, stamp, groups in sizes:
        together: list[int] = []
        rows = 0
        for number, size in enumerate(groups):
            together.append(number)
            rows += size
            if rows and (rows >= least or number == len(groups) - 1):
                yield Part(path, tuple(together), start, rows, stamp)
                start, rows, together = start + rows, 0, []


def _guarded(stream: Iterator[Any], path: str, group: int) -> Iterator[Any]:
    """Yield batches, and say where one could not be read."""
    try:
        yield from stream
    except (OSError, ValueError) as problem:  # Arrow's own are both
        if isinstance(problem, InputError):
            raise
        raise InputError(
            f"{path}: row group {group} could not be read: {_first_line(problem)}. The file is "
            "damaged or cut short: write it again, or leave it out."
        ) from problem


@contextmanager
def _readable(path: str) -> Iterator[Any]:
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(path)
    except (OSError, ValueError) as problem:
        raise InputError(
            f"{path}: must be a whole Parquet file; it could not be opened: "
            f"{_first_line(problem)}. Write it again, or leave it out."
        ) from problem
    with file:
        yield file


def _groups(meta: Any) -> range:
    return range(meta.num_row_groups)


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError as problem:
        raise InputError(
            f"{path}: the file could not be looked at: {problem.strerror}. On a cluster every "
            "worker must see the files under the same name."
        ) from None
    return found.st_size, found.st_mtime_ns


def _paths(source: object) -> list[str]:
    """The names of files, in order: a folder's are those that end in .parquet."""
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        if os.path.isdir(name):
            inside = (path for path in Path(name).rglob("*.parquet") if path.is_file())
            found = sorted(str(path) for path in inside if path.name[0] not in "._")
        elif glob.has_magic(name) and not os.path.exists(name):
            found = sorted(glob.glob(name, recursive=True))
        else:
            found = [name]
        if not found:
            raise InputError(f"{name}: there must be Parquet files (*.parquet); found none.")
        return found
    if isinstance(source, Sequence) and source and not isinstance(source, bytes):
        found = [path for one in source for path in _paths(one)]
        twice = next((path for i, path in enumerate(found) if path in found[:i]), None)
        if twice is not None:
            raise InputError(f"{twice}: every file must be named once; found it twice.")
        return found
    raise InputError(
        "files must be a Parquet file, a folder of them, a pattern such as decisions/*.parquet, or "
        f"a list of files; found {source!r:.60}."
    )


def _other_columns(
    path: str, first: str, here: dict[str, Any], known: dict[str, Any]
) -> InputError:
    strange = [f"{n!r} ({here.get(n, 'missing')})" for n in known if here.get(n) != known[n]]
    strange += [f"{n!r} (added)" for n in here if n not in known]
    return InputError(
        f"{path}: every file must have the columns of {first}, of the same types; found "
        f"{', '.join(strange[:5])}. Write the files alike, or scan them apart."
    )


def _first_line(problem: BaseException) -> str:
    return str(problem).strip().split("\n")[0].rstrip(".")[:200]


def _require_arrow() -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise InputError(
            "decisions in Parquet files are read by the package pyarrow; found none. pip install "
            '"welfarist[scale]"'
        )
