"""Menus, choices and rankings as callers pass them, turned into arrays, or a message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import as_numbers

IntArray = npt.NDArray[np.intp]

# What stands in the place of an action that is not there, in a table of menus of different sizes.
_NOBODY = -1


def as_menus(menus: object, actions: int) -> tuple[IntArray, npt.NDArray[np.int32]]:
    """Return where each menu begins (n + 1,), and the row numbers of all their actions (E,).

    Menus are lists of row numbers, a table of them in which -1 or NaN stands for nothing, or a pair
    of arrays: where each menu begins, and the row numbers one after another.
    """
    if _is_csr(menus):
        starts, rows = _of_csr(*menus)  # type: ignore[misc]
    elif isinstance(menus, np.ndarray) and menus.ndim == 2 and menus.dtype.kind in "iuf":
        starts, rows = _of_table(menus)
    else:
        starts, rows = _of_lists(menus)
    if len(starts) < 2:
        raise InputError("there must be at least one menu; found none.")
    _refuse_bad(starts, rows, actions)
    return starts, rows.astype(np.int32)


def _is_csr(menus: object) -> bool:
    return (
        isinstance(menus, tuple)
        and len(menus) == 2
        and all(isinstance(part, np.ndarray) and part.ndim == 1 for part in menus)
        and len(menus[0]) > 1
        and menus[0][0] == 0
        and menus[0][-1] == len(menus[1])
    )


def _of_csr(starts: npt.NDArray[Any], rows: npt.NDArray[Any]) -> tuple[IntArray, npt.NDArray[Any]]:
    if (np.diff(starts) < 0).any():
        row = int(np.argmax(np.diff(starts) < 0))
        raise InputError(
            f"menus must begin one after another; found one that ends before it begins, at row "
            f"{row}."
        )
    return starts.astype(np.intp), _whole(rows, starts.astype(np.intp))


def _of_table(table: npt.NDArray[Any]) -> tuple[IntArray, npt.NDArray[Any]]:
    there = ~np.isnan(table) & (table != _NOBODY) if table.dtype.kind == "f" else table != _NOBODY
    starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.intp)
    return starts, _whole(table[there], starts)


def _of_lists(menus: object) -> tuple[IntArray, npt.NDArray[Any]]:
    if isinstance(menus, str | bytes) or not isinstance(menus, Iterable):
        raise InputError(
            "menus must be a list of lists of row numbers, one for each choice; found "
            f"{menus!r:.60}."
        )
    lists = []
    for row, menu in enumerate(menus):
        if isinstance(menu, str | bytes) or not isinstance(menu, Iterable):
            raise InputError(
                "a menu must be a list of row numbers of the table of actions; found "
                f"{menu!r:.60} at row {row}."
            )
        lists.append(_numbers(menu, row))
    starts = np.concatenate([[0], np.cumsum([len(menu) for menu in lists])]).astype(np.intp)
    rows = np.concatenate(lists) if lists else np.empty(0)
    return starts, _whole(rows, starts)


def _numbers(menu: Iterable[Any], row: int, what: str = "menu") -> npt.NDArray[Any]:
    """The row numbers of one menu, or one of `what`, which may be empty."""
    entries = menu if isinstance(menu, np.ndarray) else list(menu)
    if not len(entries):
        return np.empty(0)
    try:
        found = as_numbers(entries, f"{what}s")
    except InputError as problem:
        raise InputError(
            f"{problem} The {what} at row {row} must hold row numbers of the table of actions, "
            "counted from 0; where actions have names, df.index.get_indexer(names) gives them."
        ) from None
    if found.ndim != 1:
        raise InputError(
            f"a menu must be a list of row numbers; found one with {found.ndim} axes at row {row}."
        )
    return found


def _whole(rows: npt.NDArray[Any], starts: IntArray) -> npt.NDArray[Any]:
    """Require whole numbers."""
    if rows.dtype.kind == "f" and len(rows) and not (rows == np.floor(rows)).all():
        at = int(np.argmin(rows == np.floor(rows)))
        raise InputError(
            f"menus must hold whole row numbers; found {rows[at]:g} at row {_menu_of(at, starts)}."
        )
    return rows


def _menu_of(entry: int, starts: IntArray) -> int:
    return int(np.searchsorted(starts, entry, side="right")) - 1


def _refuse_bad(starts: IntArray, rows: npt.NDArray[Any], actions: int) -> None:
    """Require menus of actions of the table, none of them empty, none with an action twice."""
    sizes = np.diff(starts)
    if not sizes.all():
        raise InputError(
            f"a menu must hold at least one action; found none at row {int(np.argmin(sizes))}. "
            "Leave that choice out."
        )
    outside = (rows < 0) | (rows >= actions)
    if outside.any():
        at = int(np.argmax(outside))
        raise InputError(
            f"menus must point into the table of {actions} actions, from 0 to {actions - 1}; found "
            f"{rows[at]:g} at row {_menu_of(at, starts)}. Row numbers start at 0."
        )
    owner = np.repeat(np.arange(len(sizes)), sizes)
    keys = owner.astype(np.int64) * actions + rows.astype(np.int64)
    order = np.argsort(keys, kind="stable")
    twice = np.diff(keys[order]) == 0
    if twice.any():
        at = int(order[int(np.argmax(twice))])
        raise InputError(
            f"a menu must hold each action once; found action {rows[at]:g} twice at row "
            f"{_menu_of(at, starts)}. Leave the second out."
        )


def as_chosen(
    chosen: object,
    starts: IntArray,
    rows: npt.NDArray[np.int32],
    outside: bool,
    what: str = "chosen",
) -> IntArray:
    """Return the entry (n,) of what was chosen from each menu; -1 where none of it was."""
    values = _or_nobody(chosen)
    size = len(starts) - 1
    if values.shape != (size,):
        raise InputError(
            f"{what} must have one row number for each of the {size} menus; found shape "
            f"{values.shape}."
        )
    if not (values == np.floor(values)).all():
        row = int(np.argmin(values == np.floor(values)))
        raise InputError(f"{what} must be whole row numbers; found {values[row]:g} at row {row}.")
    none = values == _NOBODY
    if none.any() and not outside:
        row = int(np.argmax(none))
        none_of_these = "Where none of these could be chosen, say outside=True; else leave"
        raise InputError(
            f"{what} must be an action of its menu; found none at row {row}. "
            f"{none_of_these if what == 'chosen' else 'Leave'} that menu out."
        )
    owner = np.repeat(np.arange(size), np.diff(starts))
    hit = np.flatnonzero(rows == values[owner])
    entry = np.full(size, -1, dtype=np.intp)
    entry[owner[hit]] = hit
    missing = (entry < 0) & ~none
    if missing.any():
        row = int(np.argmax(missing))
        menu = ", ".join(str(action) for action in rows[starts[row] : starts[row + 1]][:10])
        raise InputError(
            f"{what} must be an action of its menu; found {values[row]:g} at row {row}, whose menu "
            f"is {menu}{', …' if starts[row + 1] - starts[row] > 10 else ''}."
        )
    return entry


def _or_nobody(chosen: object) -> npt.NDArray[np.float64]:
    """Row numbers (n,), -1 for None and NaN."""
    if isinstance(chosen, Sequence) and not isinstance(chosen, str | bytes):
        chosen = [_NOBODY if one is None else one for one in chosen]
    array = np.asarray(chosen)
    if array.dtype == object:
        array = np.array([_NOBODY if one is None else one for one in array.tolist()])
    values = as_numbers(array, "chosen").astype(np.float64)
    return np.where(np.isnan(values), _NOBODY, values)


def ranked_levels(ranking: object, row: int, actions: int) -> list[IntArray]:
    """Return the actions of a ranking, best first: one array for those that are tied."""
    what = "rankings"
    if isinstance(ranking, str | bytes) or not isinstance(ranking, Iterable):
        raise InputError(
            f"{what} must be lists of row numbers, best first; found {ranking!r:.60} at row {row}."
        )
    levels = []
    for place in _filled(ranking):
        tied = isinstance(place, Iterable) and not isinstance(place, str | bytes)
        numbers = _numbers(list(place) if tied else [place], row, "ranking")
        if not len(numbers):
            raise InputError(f"{what} must name an action at each place; found none at row {row}.")
        levels.append(numbers)
    if not levels:
        raise InputError(f"{what} must hold at least one action; found none at row {row}.")
    every = np.concatenate(levels)
    bad = (every != np.floor(every)) | (every < 0) | (every >= actions)
    if bad.any():
        raise InputError(
            f"{what} must point into the table of {actions} actions, from 0 to {actions - 1}, and "
            f"have nothing missing before their ends; found {every[bad][0]:g} at row {row}."
        )
    named, often = np.unique(every, return_counts=True)
    if (often > 1).any():
        raise InputError(
            f"{what} must hold each action once; found action {named[often > 1][0]:g} twice at "
            f"row {row}."
        )
    return [level.astype(np.intp) for level in levels]


def _filled(ranking: Iterable[Any]) -> list[Any]:
    """The places of a ranking without those at its end that nobody has, which are None or NaN."""
    places = list(ranking)
    while places and (places[-1] is None or (np.isscalar(places[-1]) and places[-1] != places[-1])):
        places.pop()
    return places


def exploded(
    levels: list[IntArray], rest: IntArray, listed: IntArray | None = None
) -> list[tuple[IntArray, IntArray, int]]:
    """Return a ranking as choices: menu, which of it was chosen, the how manieth choice it is.

    The first is chosen from all, the second from all but the first, and so on; `rest` were there
    and not ranked. Tied actions share one choice, after which all of them are out. Menus are in the
    order in which actions were `listed`, or by their row numbers.
    """
    found = []
    left = np.sort(np.concatenate([*levels, rest])) if listed is None else listed
    for stage, level in enumerate(levels):
        found.append((left, level, stage))
        left = left[~np.isin(left, level)]
    real = [one for one in found if len(one[0]) > 1]
    return real or found[:1]  # a menu of one is kept, so that every decision has a menu
