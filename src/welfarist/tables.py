"""Data frames of any library: their numbers, and the names of their columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.errors import InputError

_SEPARATORS = "[_. -]"
# What the two actions of a comparison are often called in the names of columns.
_ACTION_MARKS = [
    {"x", "y"},
    {"u", "v"},
    {"a", "b"},
    {"0", "1"},
    {"1", "2"},
    {"left", "right"},
    {"first", "second"},
]


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
    # The type is asked, not the table: a lazy frame may have to be computed to know its columns.
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


def order_by_name(names: tuple[str, ...], stakeholders: tuple[str, ...]) -> npt.NDArray[np.intp]:
    """Return, for each column of a data frame, the number of the stakeholder it names (d,)."""
    missing = [name for name in stakeholders if name not in set(names)]
    unknown = [name for name in names if name not in set(stakeholders)]
    if missing or unknown:
        lacks = f"no column {_listed(missing)}" if missing else ""
        extra = f"the unknown {_listed(unknown)}" if unknown else ""
        raise InputError(
            "utilities must have one column per stakeholder, by name; found "
            f"{' and '.join(part for part in (lacks, extra) if part)}. "
            "Rename or select the columns, or pass an array in the order of the stakeholders."
        )
    number = {name: i for i, name in enumerate(stakeholders)}
    return np.array([number[name] for name in names], dtype=np.intp)


def paired_stems(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...] | None:
    """What the columns of two actions have in common, position by position.

    None if they are not named alike but for one beginning or ending per action.

    Examples
    --------
    >>> paired_stems(["self_first", "other_first"], ["self_second", "other_second"])
    ('self', 'other')
    >>> paired_stems(["a_self", "a_other"], ["b_self", "b_other"])
    ('self', 'other')
    >>> paired_stems(["self_x", "other_x"], ["other_y", "self_y"]) is None
    True
    """
    endings = _stems_before_endings(first, second)
    if endings is not None:
        return endings
    turned = _stems_before_endings([n[::-1] for n in first], [n[::-1] for n in second])
    return None if turned is None else tuple(stem[::-1] for stem in turned)


def same_people_in_another_order(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two actions' columns name the same people, but not in the same order.

    Examples
    --------
    >>> same_people_in_another_order(["self_x", "other_x"], ["other_y", "self_y"])
    True
    """
    for turn in (1, -1):
        one, other = (_without_ending([n[::turn] for n in names]) for names in (first, second))
        if one != other and sorted(one) == sorted(other):
            return True
    return False


def look_interleaved(names: Sequence[str]) -> bool:
    """Whether columns come person by person, such as self_x, self_y, other_x, other_y.

    With two people the same pattern is also that of x_self, x_other, y_self, y_other, which is
    in order: what tells them apart is which part looks like the name of an action.
    """
    if len(names) < 4 or len(names) % 2:
        return False
    even, odd = names[0::2], names[1::2]
    if _stems_before_endings(even, odd) is None:
        return False
    half = len(names) // 2
    if paired_stems(names[:half], names[half:]) is None:
        return True
    marks = {re.split(_SEPARATORS, name)[-1].lower() for name in (even[0], odd[0])}
    return marks in _ACTION_MARKS


def _stems_before_endings(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...] | None:
    common = [_beginning([a, b]) for a, b in zip(first, second, strict=True)]
    endings = [
        {name[len(stem) :] for name, stem in zip(names, common, strict=True)}
        for names in (first, second)
    ]
    if len(endings[0]) != 1 or len(endings[1]) != 1 or endings[0] == endings[1]:
        return None
    stems = tuple(_without_ending(common))
    return stems if all(stems) and len(set(stems)) == len(stems) else None


def _without_ending(names: Sequence[str]) -> list[str]:
    """Cut what all names end in, from its first separator on; one name has no such ending."""
    if len(names) > 1:
        ending = _beginning([name[::-1] for name in names])[::-1]
        mark = re.search(_SEPARATORS, ending)
        if mark:
            cut = len(ending) - mark.start()
            names = [name[:-cut] for name in names]
    return [re.sub(f"{_SEPARATORS}+$", "", name) for name in names]


def _beginning(names: Sequence[str]) -> str:
    """The letters that all names begin with."""
    same = [len(set(letters)) == 1 for letters in zip(*names, strict=False)]
    return names[0][: [*same, False].index(False)]


def _listed(names: list[str], most: int = 5) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
