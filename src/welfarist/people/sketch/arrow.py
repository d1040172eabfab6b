"""People in Arrow's streams and in Parquet files (extra `scale`)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.people.sketch.parts import ROWS, Columns, Labels, Part, label_of

_ENDINGS = (".parquet", ".pq")


def pyarrow() -> Any:
    """Return the package, or say how to get it."""
    try:
        import pyarrow
    except ImportError:
        raise InputError(
            "Parquet files and Arrow streams need the package pyarrow; found none. "
            'pip install "welfarist[scale]"'
        ) from None
    return pyarrow


def parquet_files(source: str | os.PathLike[str]) -> list[str]:
    """Return the files of a name, a folder or a pattern, in order."""
    name = os.fspath(source)
    if has_magic(name) and not os.path.exists(name):
        found = sorted(glob(name, recursive=True))
    elif os.path.isdir(name):
        found = sorted(
            str(path)
            for path in Path(name).rglob("*")
            if path.suffix.lower() in _ENDINGS and not path.name.startswith((".", "_"))
        )
    elif os.path.isfile(name):
        return [name]
    else:
        raise InputError(f"{name}: there is no such file or folder. Check the name.")
    if not found:
        raise InputError(f"{name}: must hold Parquet files; found none. Check the name.")
    return found


def opened(file: str) -> Any:
    """Return a Parquet file, ready to read from."""
    arrow = pyarrow()
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(file, memory_map=True)
    except (arrow.ArrowInvalid, OSError) as problem:
        raise _unreadable(file, problem) from None


def _unreadable(file: str, problem: Exception) -> InputError:
    reason = str(problem).split("\n", 1)[0].rstrip(".")
    return InputError(
        f"{file}: must be a whole Parquet file; found one that cannot be read ({reason:.120}). "
        "It may have been cut short: write or copy it again."
    )


def columns_of(schema: Any, columns: Columns, whose: str) -> list[str]:
    """Return the columns of utilities of a schema."""
    types = pyarrow().types
    numeric = [
        types.is_integer(field.type)
        or types.is_floating(field.type)
        or types.is_decimal(field.type)
        for field in schema
    ]
    return columns.of_utilities(schema.names, numeric, whose)


def of_file(file: str, columns: Columns, utilities: Sequence[str]) -> Iterator[Part]:
    """Yield the parts of a Parquet file: row groups, several if they are small."""
    arrow = pyarrow()
    source = opened(file)
    found = columns_of(source.schema_arrow, columns, file)
    if sorted(found) != sorted(utilities):
        raise InputError(
            f"{file}: must have the columns of the other parts, {list(utilities)!r:.200}; found "
            f"{found!r:.200}. Leave that file out, or name the columns: actions=[...]."
        )
    if source.metadata.num_rows == 0:
        raise InputError(f"{file}: must hold people; found no rows. Leave that file out.")
    try:
        for run in _runs(source.metadata):
            yield _run_part(source, file, run, columns, utilities)
    except (arrow.ArrowInvalid, OSError) as problem:
        raise _unreadable(file, problem) from None


def _runs(metadata: Any) -> Iterator[list[int]]:
    """Yield row groups that are read together."""
    run: list[int] = []
    rows = 0
    for number in range(metadata.num_row_groups):
        size = metadata.row_group(number).num_rows
        if run and rows + size > ROWS:
            yield run
            run, rows = [], 0
        run.append(number)
        rows += size
    if run:
        yield run


def _run_part(
    source: Any, file: str, run: list[int], columns: Columns, utilities: Sequence[str]
) -> Part:
    def read(name: str) -> Any:
        try:
            return source.read_row_groups(run, columns=[name], use_threads=False).column(0)
        except (pyarrow().ArrowInvalid, OSError) as problem:
            raise _unreadable(file, problem) from None

    sizes = [source.metadata.row_group(number).num_rows for number in run]

    def where(row: int) -> str:
        ends = np.cumsum(sizes)
        at = int(np.searchsorted(ends, row, side="right"))
        return f"row {row - (int(ends[at]) - sizes[at])} of row group {run[at]} in {file}"

    return _part(sum(sizes), read, columns, utilities, where)


def of_stream(batches: Any, columns: Columns, utilities: Sequence[str]) -> Iterator[Part]:
    """Yield the parts of a stream of record batches, several if they are small."""
    arrow = pyarrow()
    waiting: list[Any] = []
    rows = before = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= ROWS:
            yield _batches_part(arrow.Table.from_batches(waiting), before, columns, utilities)
            before, waiting, rows = before + rows, [], 0
    if rows:
        yield _batches_part(arrow.Table.from_batches(waiting), before, columns, utilities)


def _batches_part(table: Any, before: int, columns: Columns, utilities: Sequence[str]) -> Part:
    return _part(
        table.num_rows, table.column, columns, utilities, lambda row: f"row {before + row}"
    )


def _part(size: int, read: Any, columns: Columns, utilities: Sequence[str], where: Any) -> Part:
    counts = columns.counts
    return Part(
        size,
        lambda action: numbers_of(read(utilities[action]), utilities[action]),
        None if columns.groups is None else labels_of(read(columns.groups), columns.groups),
        None if columns.action is None else labels_of(read(columns.action), columns.action),
        None if counts is None else numbers_of(read(counts), counts),
        where,
    )


def numbers_of(column: Any, name: str) -> FloatArray:
    """Return a column (n,) of Arrow as doubles; what is missing is NaN."""
    arrow = pyarrow()
    kind = column.type
    types = arrow.types
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)):
        raise InputError(
            f"column {name!r} must hold numbers; found {kind}. Leave it out, or convert it."
        )
    if not types.is_float64(kind):
        column = column.cast(arrow.float64(), safe=False)
    found = column.to_numpy()
    return np.ascontiguousarray(found, dtype=np.float64)


def labels_of(column: Any, name: str) -> Labels:
    """Return a column (n,) of Arrow as labels."""
    arrow = pyarrow()
    if column.null_count:
        raise InputError(
            f"column {name!r} must have a label in every row; found {column.null_count} without. "
            "Fill them in."
        )
    kind = column.type
    if arrow.types.is_integer(kind):
        from welfarist.people.sketch.parts import as_labels

        return as_labels(column.to_numpy(), f"column {name!r}")
    encoded = column if arrow.types.is_dictionary(kind) else column.dictionary_encode()
    chunked = isinstance(encoded, arrow.ChunkedArray)
    whole = encoded.unify_dictionaries() if chunked else encoded
    if chunked:
        whole = whole.combine_chunks()
        whole = whole.chunk(0) if isinstance(whole, arrow.ChunkedArray) else whole
    said = partial(label_of, what=f"column {name!r}")
    names = tuple(said(value) for value in whole.dictionary.to_pylist())
    return Labels(whole.indices.to_numpy(), names)
