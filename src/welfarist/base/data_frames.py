"""Data frames of any library: their numbers, the names of their columns, and new ones."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError

# Where a table is made, not given: the first of these that is installed.
_FRAME_LIBRARIES = ("pandas", "polars")
# Libraries whose tables are worked out when asked for, and how to ask.
_LAZY = {
    "dask": ".compute()",
    "dask_expr": ".compute()",
    "duckdb": ".arrow()",
    "ibis": ".to_pyarrow()",
    "pyspark": ".toPandas()",
}


def split_names(table: Any) -> tuple[Any, tuple[str, ...] | None]:
    """Return the numbers of a table and the names of its columns.

    Parameters
    ----------
    table : array-like or data frame
        A data frame of any library narwhals knows (pandas, polars, pyarrow, …), or anything else.

    Returns
    -------
    values : array-like
        The entries of a data frame as an array (n, d); anything else as it came.
    names : tuple of str or None
        The columns' names; None if it is not a data frame or its columns are only numbered.

    Examples
    --------
    >>> split_names([[1.0, 2.0]])
    ([[1.0, 2.0]], None)
    >>> import polars
    >>> split_names(polars.DataFrame({"donor": [1.0], "recipient": [2.0]}))
    (array([[1., 2.]]), ('donor', 'recipient'))
    """
    table = collected(table)
    if isinstance(table, np.ndarray | list | tuple) or not hasattr(type(table), "columns"):
        return table, None
    import narwhals as nw  # only here: importing the package stays light without data frames

    try:
        frame = nw.from_native(table, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return table, None
        labels = frame.columns
        for label, kind in frame.schema.items():
            # Some libraries would turn dates and booleans into numbers without a word.
            if not (kind.is_numeric() or kind in (nw.Object, nw.Unknown)):
                raise InputError(
                    f"every column must hold real numbers; found {kind} in column {label!r}. "
                    "Leave that column out, or convert it."
                )
        values = frame.to_numpy()
    except nw.exceptions.DuplicateError:
        raise InputError(
            "a data frame must have distinct column names; found some twice. Rename them."
        ) from None
    # Libraries number the columns nobody named; a number is not a name.
    named = all(isinstance(label, str) for label in labels)
    return values, tuple(labels) if named else None


def in_memory(table: Any) -> Any:
    """Return a data frame of any library as narwhals knows it, its columns named.

    Examples
    --------
    >>> import polars
    >>> in_memory(polars.DataFrame({"menu": [1], "chosen": [0]})).columns
    ['menu', 'chosen']
    """
    import narwhals as nw

    try:
        frame = nw.from_native(collected(table), eager_only=True, pass_through=True)
        columns = frame.columns if isinstance(frame, nw.DataFrame) else None
    except nw.exceptions.DuplicateError:
        raise InputError(
            "a data frame must have distinct column names; found some twice. Rename them."
        ) from None
    if columns is None or not all(isinstance(column, str) for column in columns):
        raise InputError(
            "the table must be a data frame whose columns have names, of pandas, polars or "
            f"pyarrow; found {type(table).__name__}."
        )
    return frame


def collected(table: Any) -> Any:
    """Return a lazy frame of polars as a data frame; anything else as it came.

    Frames of libraries whose results may not fit into memory are refused in words.

    Examples
    --------
    >>> import polars
    >>> collected(polars.LazyFrame({"donor": [1.0]})).shape
    (1, 1)
    """
    module = type(table).__module__.partition(".")[0]
    if module == "polars":
        # Only a lazy one has the method.
        return table.collect() if hasattr(type(table), "collect") else table
    advice = _LAZY.get(module)
    if advice is None or not hasattr(type(table), "columns"):
        return table
    raise InputError(
        f"a table must be in memory; found a {type(table).__name__} of {module}, which has yet to "
        f"be worked out. Call {advice} first."
    )


def collected_column(values: Any) -> Any:
    """Return a lazy frame of one column as a series; anything else as it came."""
    found = collected(values)
    one = found is not values and len(found.columns) == 1
    return found.to_series() if one else found


def stacked_halves(table: Any, names: Sequence[str]) -> Any:
    """Return the left half of a data frame's columns above the right one, under common names.

    None if it is no data frame.

    Examples
    --------
    >>> import polars
    >>> both = polars.DataFrame({"self_x": [1.0], "self_y": [2.0]})
    >>> stacked_halves(both, ["self"])["self"].to_list()
    [1.0, 2.0]
    """
    if isinstance(table, np.ndarray | list | tuple) or not hasattr(type(table), "columns"):
        return None
    import narwhals as nw

    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    columns, half = frame.columns, len(frame.columns) // 2
    parts = [
        frame.select(part).rename(dict(zip(part, names, strict=True)))
        for part in (columns[:half], columns[half:])
    ]
    return nw.concat(parts).to_native()


def side_by_side(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the upper half of a table's rows beside the lower one.

    Examples
    --------
    >>> side_by_side(np.array([[1, 2], [3, 4]]))
    array([[1, 2, 3, 4]])
    """
    return np.hstack(np.vsplit(table, 2))


def row_names(table: Any) -> tuple[str, ...] | None:
    """Return the names of a data frame's rows, if its index holds more than row numbers.

    None without an index, for one that counts from 0, and for one whose entries are not distinct:
    what names two rows names neither. What stands in the place of a table may have `row_names`.

    Examples
    --------
    >>> import pandas
    >>> row_names(pandas.DataFrame({"staff": [1.0, 2.0]}, index=["clinic", "school"]))
    ('clinic', 'school')
    >>> row_names(pandas.DataFrame({"staff": [1.0, 2.0]})) is None
    True
    """
    named = getattr(table, "row_names", None)  # of what stands in the place of a table
    if isinstance(named, tuple):
        return named
    if isinstance(table, np.ndarray | list | tuple) or not hasattr(type(table), "columns"):
        return None
    index = getattr(table, "index", None)
    if index is None or callable(index):
        return None
    entries = np.asarray(index)
    if entries.dtype.kind in "iu" and np.array_equal(entries, np.arange(len(entries))):
        return None
    names = tuple(
        ", ".join(map(str, entry)) if isinstance(entry, tuple) else str(entry) for entry in index
    )
    return names if len(set(names)) == len(names) else None


def to_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return columns by name as a data frame: of pandas if installed, of polars otherwise.

    Examples
    --------
    >>> to_frame({"task": ["scores"], "samples": [10]})
         task  samples
    0  scores       10
    """
    for library in _FRAME_LIBRARIES:
        if importlib.util.find_spec(library) is not None:
            return import_module(library).DataFrame(dict(columns))
    raise InputError(
        "a data frame needs the package pandas or polars; found neither. pip install pandas"
    )


def order_by_name(names: tuple[str, ...], stakeholders: tuple[str, ...]) -> npt.NDArray[np.intp]:
    """Return, for each column of a data frame, the number of the stakeholder it names (d,)."""
    given, number = set(names), {name: i for i, name in enumerate(stakeholders)}
    missing = [name for name in stakeholders if name not in given]
    unknown = [name for name in names if name not in number]
    if missing or unknown:
        lacks = f"no column {_listed(missing)}" if missing else ""
        extra = f"the unknown {_listed(unknown)}" if unknown else ""
        raise InputError(
            "utilities must have one column per stakeholder, by name; found "
            f"{' and '.join(part for part in (lacks, extra) if part)}. "
            "Rename or select the columns, or pass an array in the order of the stakeholders."
        )
    return np.array([number[name] for name in names], dtype=np.intp)


def refuse_text(table: Any) -> None:
    """Name the column and row of the first text that is no number, if there is one."""
    entries = np.asarray(table, dtype=object)
    if entries.ndim == 0:
        raise InputError(f"X must be a table of numbers; found text {table!r:.60}. Read it first.")
    for index, value in np.ndenumerate(entries):
        if isinstance(value, str) and not _is_number(value):
            names = getattr(table, "columns", None)
            column = index[-1] if names is None else repr(list(names)[index[-1]])
            raise InputError(
                f"every column must hold real numbers; found text {value!r:.60} at row {index[0]}, "
                f"column {column}. Leave that column out, or convert it."
            )


def refuse_twins(X: Any) -> None:
    """Columns that share a name cannot be told apart."""
    columns = getattr(X, "columns", None) if hasattr(type(X), "columns") else None
    if columns is None or len(set(columns)) == len(list(columns)):
        return
    twice = next(name for name, times in Counter(columns).items() if times > 1)
    raise InputError(
        f"X must have distinct column names; found {twice!r} twice. Rename the columns; two "
        "actions with the same names go to Comparisons.from_arrays(U, V, y)."
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _listed(names: list[str], most: int = 5) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def _some(names: Sequence[Any], most: int = 20) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(str, names[:most])) + more


def by_name(values: Any, names: Sequence[Any] | None, what: str) -> Any:
    """Return labelled values (a mapping or series) in the order of `names`, others unchanged."""
    is_mapping = isinstance(values, Mapping)
    if is_mapping:
        labels = list(values)
    elif hasattr(type(values), "iloc") and all(isinstance(i, str) for i in values.index):
        labels = list(values.index)
    else:
        return values
    if names is None:
        if not is_mapping:
            return values
        raise InputError(
            f"{what} by name must come with people who have names; found none. Pass utilities as "
            f"a data frame with named columns, or {what} as a list in the order of the columns."
        )
    given, known = set(labels), set(names)
    missing = [name for name in names if name not in given]
    unknown = [label for label in labels if label not in known]
    if missing or unknown or len(labels) != len(names):
        raise InputError(
            f"{what} must name each of {_some(names)} once; found "
            + (f"none for {missing[0]!r}" if missing else f"the unknown {(unknown or labels)[0]!r}")
            + f" among {len(labels)} names. Correct the names, or pass a list in that order."
        )
    return [values[name] for name in names]
