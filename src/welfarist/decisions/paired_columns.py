"""Two actions side by side in one table: whose column is whose.

A row of such a table is a comparison: the utilities of the first action, then of the second.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from welfarist.base.errors import InputError

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


def refuse_layout(X: Any, y: Any) -> None:
    """Catch the layouts of comparisons that are tried first, and say what to do."""
    layout = (
        "Pass Comparisons.from_arrays(U, V, y), or X of shape (n, 2 d) with the utilities of the "
        "first action and then of the second, and y."
    )
    two_tables = isinstance(X, tuple | list) and [len(getattr(x, "shape", ())) for x in X] == [2, 2]
    if two_tables or getattr(X, "ndim", 2) > 2:
        found = "found two tables" if two_tables else f"Found array with dim {X.ndim}"
        raise InputError(f"X must be one table with one row per comparison; {found}. {layout}")
    if y is None:
        raise InputError(
            "ComparisonClassifier requires y to be passed, but the target y is None: who was "
            f"preferred must be known. {layout}"
        )


def people_of(columns: Any) -> tuple[str, ...] | None:
    """Stakeholders from column names such as self_x, other_x, self_y, other_y."""
    if columns is None:
        return None
    half = len(columns) // 2
    names = [str(name) for name in columns]
    first, second = names[:half], names[half:]
    if same_people_in_another_order(first, second) or look_interleaved(names):
        raise InputError(
            "X must hold all utilities of the first action and then those of the second, people "
            "in the same order (self_x, other_x, self_y, other_y); found columns "
            f"{', '.join(map(repr, names[:6]))}{', …' if len(names) > 6 else ''}. Reorder the "
            "columns, or pass Comparisons.from_arrays(U, V, y)."
        )
    return paired_stems(first, second) or tuple(first)


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
