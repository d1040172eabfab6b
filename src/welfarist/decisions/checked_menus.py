"""Menus and choices as callers pass them, turned into arrays, or a message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from welfarist.base.errors import InputError
from welfarist.base.validation import as_numbers
from welfarist.decisions.action_numbers import NOBODY, ActionNumbers, without_padding

IntArray = npt.NDArray[np.intp]


def as_menus(menus: object, actions: ActionNumbers | int) -> tuple[IntArray, npt.NDArray[np.int32]]:
    """Return where each menu begins (n + 1,), and the row numbers of all their actions (E,).

    Menus are lists of row numbers or names, a table of them in which -1 or NaN stands for nothing,
    or a pair of arrays: where each menu begins, and the actions one after another.
    """
    known = actions if isinstance(actions, ActionNumbers) else ActionNumbers(actions)
    if issparse(menus):
        raise InputError(
            "menus must be lists of row numbers, a table of them, or a pair of arrays; found a "
            "sparse array. Where the columns it stores are the actions that were there, pass "
            "(array.indptr, array.indices)."
        )
    if _is_csr(menus):
        starts, rows = _of_csr(menus, known)
    elif isinstance(menus, np.ndarray) and menus.ndim == 2 and menus.dtype.kind in "iuf":
        starts, rows = _of_table(menus)
    else:
        starts, rows = _of_lists(menus, known)
    if len(starts) < 2:
        raise InputError("there must be at least one menu; found none.")
    _refuse_bad(starts, rows, known.size)
    return starts, rows.astype(np.int32)


def _is_csr(menus: object) -> bool:
    """Whether menus are a pair of arrays; two lists that could be one are refused."""
    if not isinstance(menus, tuple) or len(menus) != 2:
        return False
    arrays = [isinstance(part, np.ndarray) and part.ndim == 1 for part in menus]
    lists = [isinstance(part, list | tuple) for part in menus]
    if not all(map(any, zip(arrays, lists, strict=True))) or len(menus[0]) < 2:
        return False
    first, last = menus[0][0], menus[0][-1]
    if isinstance(first, str) or isinstance(last, str):
        return False
    fits = bool(np.all(first == 0) and np.all(last == len(menus[1])))
    if fits and any(lists):
        raise InputError(
            "menus could be two menus, or where menus begin and what they hold; found a tuple of "
            "two lists that is either. Pass a list of lists for menus, NumPy arrays for the other."
        )
    return fits


def _of_csr(menus: Any, actions: ActionNumbers) -> tuple[IntArray, npt.NDArray[Any]]:
    starts, rows = menus
    if (np.diff(starts) < 0).any():
        row = int(np.argmax(np.diff(starts) < 0))
        raise InputError(
            f"menus must begin one after another; found one that ends before it begins, at row "
            f"{row}."
        )
    if rows.dtype.kind in "OUT":
        return _of_lists(np.split(rows, starts.astype(np.intp)[1:-1]), actions)
    return starts.astype(np.intp), _whole(rows, starts.astype(np.intp))


def _of_table(table: npt.NDArray[Any]) -> tuple[IntArray, npt.NDArray[Any]]:
    there = ~np.isnan(table) & (table != NOBODY) if table.dtype.kind == "f" else table != NOBODY
    starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.intp)
    return starts, _whole(table[there], starts)


def _of_lists(menus: object, actions: ActionNumbers) -> tuple[IntArray, npt.NDArray[Any]]:
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
        lists.append(_numbers(menu, row, actions))
    starts = np.concatenate([[0], np.cumsum([len(menu) for menu in lists])]).astype(np.intp)
    rows = np.concatenate(lists) if lists else np.empty(0)
    return starts, _whole(rows, starts)


def _numbers(menu: Iterable[Any], row: int, actions: ActionNumbers) -> npt.NDArray[Any]:
    """The row numbers of one menu, which may be empty."""
    entries = actions.known(without_padding(menu), row, "menus")
    if not len(entries):
        return np.empty(0)
    try:
        found = as_numbers(entries, "menus")
    except InputError as problem:
        raise InputError(
            f"{problem} The menu at row {row} must hold row numbers of the table of actions, "
            "counted from 0, or their names."
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
    actions: ActionNumbers | None = None,
) -> IntArray:
    """Return the entry (n,) of what was chosen from each menu; -1 where none of it was."""
    values = _or_nobody(chosen, what, actions)
    size = len(starts) - 1
    if values.shape != (size,):
        raise InputError(
            f"{what} must have one row number for each of the {size} menus; found shape "
            f"{values.shape}."
        )
    if not (values == np.floor(values)).all():
        row = int(np.argmin(values == np.floor(values)))
        raise InputError(f"{what} must be whole row numbers; found {values[row]:g} at row {row}.")
    none = values == NOBODY
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


def _or_nobody(chosen: object, what: str, actions: ActionNumbers | None) -> npt.NDArray[np.float64]:
    """Row numbers (n,), -1 for None and NaN."""
    given: Any = chosen
    if not isinstance(given, list | tuple):
        given = np.asarray(given)
    if actions is not None and np.ndim(given) == 1:
        given = actions.known(given, None, what)
    if isinstance(given, list | tuple) or given.dtype == object:
        given = [NOBODY if one is None else one for one in given]
    values = as_numbers(given, what).astype(np.float64)
    return np.where(np.isnan(values), NOBODY, values)
