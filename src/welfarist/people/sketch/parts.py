"""People as they come: parts of a table in memory, of a stream, or of files.

A part has a column of utilities for each action, or in the long layout one for all, and may have
labels of groups and counts. It knows how to name the place of a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import collected
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray

# People who are looked at together: enough to keep an action's table in the cache for a while.
ROWS = 2**20


@dataclass(frozen=True)
class Labels:
    """Labels of rows: which of `names` each has.

    Attributes
    ----------
    codes : (n,) array of int
    names : tuple of str
    """

    codes: npt.NDArray[Any]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """Some of the people.

    Attributes
    ----------
    size : int
        How many rows.
    utilities : function
        From the number of an action to its column (n,).
    groups, actions : Labels or None
        The rows' groups, and in the long layout their actions.
    counts : (n,) array or None
        How many people each row stands for.
    where : function
        From a row to words for its place.
    """

    size: int
    utilities: Callable[[int], FloatArray]
    groups: Labels | None
    actions: Labels | None
    counts: FloatArray | None
    where: Callable[[int], str]


@dataclass(frozen=True)
class Columns:
    """Which columns mean what.

    Attributes
    ----------
    groups, counts : str or None
        The columns of groups and of counts.
    actions : tuple of str or None
        Those of the actions; all other numbers if None.
    action, utility : str or None
        The columns of the long layout.
    """

    groups: str | None = None
    counts: str | None = None
    actions: tuple[str, ...] | None = None
    action: str | None = None
    utility: str | None = None

    @property
    def is_long(self) -> bool:
        """Whether each row is one person in one action."""
        return self.action is not None

    def of_utilities(self, names: Sequence[str], numeric: Sequence[bool], whose: str) -> list[str]:
        """Return the columns of utilities among those there are, or say what is missing."""
        asked = [self.groups, self.counts, self.action, self.utility, *(self.actions or ())]
        for name in asked:
            if name is not None and name not in names:
                raise InputError(
                    f"{whose} must have a column {name!r}; found {_some(names)}. Correct the name."
                )
        if self.is_long:
            assert self.utility is not None
            return [self.utility]
        if self.actions is not None:
            return list(self.actions)
        left = [name for name in names if name not in (self.groups, self.counts)]
        texts = [name for name in left if not numeric[list(names).index(name)]]
        if texts:
            raise InputError(
                f"{whose} must have numbers in every column of utilities; found {texts[0]!r} "
                "without. Name the columns of the actions: actions=[...]."
            )
        if not left:
            raise InputError(f"{whose} must have a column for each action; found {_some(names)}.")
        return left


def _some(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return (shown or "none") + (f" and {len(names) - most} more" if len(names) > most else "")


def as_labels(values: Any, what: str) -> Labels:
    """Return labels (n,) of any kind as numbers and names."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{what} must be one label a person; found shape {array.shape}.")
    if array.dtype.kind in "iu" and len(array):
        low, high = int(array.min()), int(array.max())
        if high - low < max(2**16, len(array)):
            return _close_numbers(array, low, high)
    try:
        names, codes = np.unique(array, return_inverse=True)
    except TypeError:
        raise InputError(
            f"{what} must be labels of one kind, all text or all numbers; found several kinds, or "
            "missing ones. Give everybody a label."
        ) from None
    return Labels(codes.reshape(-1), tuple(label_of(name, what) for name in names.tolist()))


def _close_numbers(array: npt.NDArray[Any], low: int, high: int) -> Labels:
    there = np.zeros(high - low + 1, dtype=bool)
    offsets = array.astype(np.int64) - low
    there[offsets] = True
    numbers = np.flatnonzero(there)
    place = np.cumsum(there) - 1
    codes = offsets if there.all() else place[offsets]
    return Labels(codes, tuple(str(low + number) for number in numbers.tolist()))


def label_of(value: Any, what: str) -> str:
    """Return the name of a label."""
    if value is None or value != value:
        raise InputError(f"{what} must have a label in every row; found a missing one. Fill it in.")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def as_utilities(values: Any, what: str) -> FloatArray:
    """Return a column of utilities (n,) as doubles side by side; what is missing is NaN."""
    array = np.asarray(values)
    if array.dtype.kind == "O":  # what is missing may be None
        with suppress(TypeError, ValueError):
            array = np.array([np.nan if x is None else x for x in array], dtype=np.float64)
    if array.dtype.kind not in "fiu":
        raise InputError(
            f"utilities must be numbers; found {array.dtype} in {what}. Leave that column out, or "
            "convert it."
        )
    return np.ascontiguousarray(array, dtype=np.float64)


def of_array(table: npt.NDArray[Any], groups: Any, counts: Any) -> Iterator[Part]:
    """Yield the parts of an array (people, actions), with labels and counts (people,)."""
    labels = None if groups is None else as_labels(groups, "groups")
    numbers = None if counts is None else as_utilities(counts, "counts")
    codes = None if labels is None else labels.codes
    for given, what in ((codes, "groups"), (numbers, "counts")):
        if given is not None and len(given) != len(table):
            raise InputError(
                f"{what} must hold one entry a person, {len(table)} in all; found {len(given)}."
            )
    for start in range(0, len(table), ROWS):
        part = table[start : start + ROWS]
        yield Part(
            len(part),
            lambda action, part=part: as_utilities(part[:, action], f"column {action}"),  # type: ignore[misc]
            None if labels is None else Labels(labels.codes[start : start + ROWS], labels.names),
            None,
            None if numbers is None else numbers[start : start + ROWS],
            lambda row, start=start: f"row {start + row}",  # type: ignore[misc]
        )


def of_frame(frame: Any, columns: Columns, utilities: Sequence[str]) -> Iterator[Part]:
    """Yield the parts of a data frame as narwhals knows it."""
    labels = {
        name: as_labels(frame[name].to_numpy(), f"column {name!r}")
        for name in (columns.groups, columns.action)
        if name is not None
    }
    for start in range(0, len(frame), ROWS):
        part = frame[start : start + ROWS]
        stop = start + len(part)
        own = {name: Labels(all_.codes[start:stop], all_.names) for name, all_ in labels.items()}
        counts = None if columns.counts is None else part[columns.counts].to_numpy()
        yield Part(
            len(part),
            lambda action, part=part: as_utilities(  # type: ignore[misc]
                part[utilities[action]].to_numpy(), f"column {utilities[action]!r}"
            ),
            own.get(columns.groups or ""),
            own.get(columns.action or ""),
            None if counts is None else as_utilities(counts, f"column {columns.counts!r}"),
            lambda row, start=start: f"row {start + row}",  # type: ignore[misc]
        )


def eager_frame(source: Any) -> Any:
    """Return a data frame of any library as narwhals knows it; None if it is none."""
    if isinstance(source, np.ndarray | list | tuple) or not hasattr(type(source), "columns"):
        return None
    import narwhals as nw

    frame = nw.from_native(collected(source), eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None
