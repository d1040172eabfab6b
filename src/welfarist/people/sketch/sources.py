"""Where people may be: from what a caller passes to sums over all of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import as_numbers
from welfarist.people.sketch import arrow
from welfarist.people.sketch.gathering import Gathered, Gatherer, added
from welfarist.people.sketch.parts import Columns, eager_frame, of_array, of_frame


def gathered_of(
    source: Any,
    groups: Any = None,
    counts: Any = None,
    *,
    actions: Sequence[str] | None = None,
    action: str | None = None,
    utility: str | None = None,
) -> Gathered:
    """Return sums over the people of a source; the options are those of :meth:`Sketch.of`."""
    if (action is None) != (utility is None):
        raise InputError(
            "the long layout needs the columns of both, action and utility; found "
            f"{action!r} and {utility!r}. Name both, or neither."
        )
    if isinstance(source, str | os.PathLike):
        return _of_files(source, _columns(groups, counts, actions, action, utility))
    if type(source).__module__.partition(".")[0] in ("dask", "dask_expr"):
        return _of_dask(source, _columns(groups, counts, actions, action, utility))
    if hasattr(source, "read_next_batch"):
        return _of_stream(source, _columns(groups, counts, actions, action, utility))
    frame = eager_frame(source)
    if frame is not None:
        return _of_frame(frame, groups, counts, actions, action, utility)
    if hasattr(source, "__arrow_c_stream__"):
        reader = arrow.pyarrow().RecordBatchReader.from_stream(source)
        return _of_stream(reader, _columns(groups, counts, actions, action, utility))
    if actions is not None or action is not None:
        raise InputError(
            "columns can be named in tables that have names; found an array. Leave out actions, "
            "action and utility."
        )
    return _of_array(source, groups, counts)


def _columns(
    groups: Any, counts: Any, actions: Sequence[str] | None, action: Any, utility: Any
) -> Columns:
    for given, what in ((groups, "groups"), (counts, "counts")):
        if given is not None and not isinstance(given, str):
            raise InputError(
                f"{what} must be the name of a column; found {type(given).__name__}. Put them "
                "into the table."
            )
    named = None if actions is None else tuple(actions)
    return Columns(groups, counts, named, action, utility)


def _of_array(source: Any, groups: Any, counts: Any) -> Gathered:
    table = as_numbers(source, "utilities")
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or not table.size:
        raise InputError(
            "people must be a table with one row a person and one column an action; found shape "
            f"{table.shape}."
        )
    for given, what in ((groups, "groups"), (counts, "counts")):
        if isinstance(given, str):
            raise InputError(
                f"{what} must be one entry a person for an array, which has no names of columns; "
                f"found {given!r}."
            )
    names = [str(i) for i in range(table.shape[1])]
    return Gatherer(names, counts is not None).add_all(of_array(table, groups, counts)).gathered()


def _of_frame(
    frame: Any,
    groups: Any,
    counts: Any,
    actions: Sequence[str] | None,
    action: str | None,
    utility: str | None,
) -> Gathered:
    """Sums over the rows of a data frame; groups and counts may also be beside it."""
    import narwhals as nw

    if not len(frame):
        raise InputError("people must be a table with one row a person; found no rows.")
    beside = {}
    for given, what in ((groups, "groups"), (counts, "counts")):
        if given is not None and not isinstance(given, str):
            name = f"{what} (beside the table)"
            values = np.asarray(given)
            if values.shape != (len(frame),):
                raise InputError(
                    f"{what} must hold one entry a person, {len(frame)} in all; found shape "
                    f"{values.shape}."
                )
            beside[what] = name
            frame = frame.with_columns(nw.new_series(name, values, backend=frame.implementation))
    columns = _columns(
        beside.get("groups", groups), beside.get("counts", counts), actions, action, utility
    )
    numeric = [kind.is_numeric() for kind in frame.schema.values()]
    names = columns.of_utilities(frame.columns, numeric, "the table")
    gatherer = Gatherer(
        [] if columns.is_long else names, columns.counts is not None, columns.is_long
    )
    return gatherer.add_all(of_frame(frame, columns, names)).gathered()


def _of_files(source: str | os.PathLike[str], columns: Columns) -> Gathered:
    files = arrow.parquet_files(source)
    names = arrow.columns_of(arrow.opened(files[0]).schema_arrow, columns, files[0])
    gatherer = Gatherer(
        [] if columns.is_long else names, columns.counts is not None, columns.is_long
    )
    for file in files:
        gatherer.add_all(arrow.of_file(file, columns, names))
    return gatherer.gathered()


def _of_stream(reader: Any, columns: Columns) -> Gathered:
    names = arrow.columns_of(reader.schema, columns, "the stream")
    gatherer = Gatherer(
        [] if columns.is_long else names, columns.counts is not None, columns.is_long
    )
    return gatherer.add_all(arrow.of_stream(reader, columns, names)).gathered()


def _of_dask(frame: Any, columns: Columns) -> Gathered:
    """Sums over the partitions of a Dask data frame, each where it is, added up two by two."""
    from dask.delayed import delayed

    names = [str(name) for name in frame.columns]
    kinds = [np.dtype(kind).kind in "fiu" if isinstance(kind, np.dtype) else False
             for kind in frame.dtypes]  # fmt: skip
    utilities = columns.of_utilities(names, kinds, "the data frame")
    asked = None if columns.is_long else utilities
    make, add = delayed(_of_partition, pure=False), delayed(_both, pure=False)
    parts = [make(part, number, columns, asked) for number, part in enumerate(frame.to_delayed())]
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        left = parts[-1:] if len(parts) % 2 else []
        parts = [add(one, two) for one, two in pairs] + left
    found: Gathered | None = parts[0].compute()
    if found is None:
        raise InputError("a sketch must be of somebody; found no people. Check the source.")
    return found


def _of_partition(
    part: Any, number: int, columns: Columns, actions: Sequence[str] | None
) -> Gathered | None:
    """Sums over one partition of a Dask data frame; None if it is empty, as after a filter."""
    if not len(part):
        return None
    try:
        return gathered_of(
            part, columns.groups, columns.counts, actions=actions,
            action=columns.action, utility=columns.utility,
        )  # fmt: skip
    except InputError as problem:
        raise InputError(f"partition {number}: {problem}") from None


def _both(one: Gathered | None, two: Gathered | None) -> Gathered | None:
    """The people of two partitions, either of which may be empty."""
    if one is None or two is None:
        return two if one is None else one
    return added(one, two)
