"""Choices in long tables: one row per action and menu, and a column of 0 and 1 that tells which.

This is how packages for discrete choice lay out their data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.asking import RequestError
from welfarist.base.data_frames import in_memory
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.decisions.checked_columns import missing_labels
from welfarist.decisions.labels import numbered
from welfarist.people.presence import as_present_table
from welfarist.people.utility_tables import distinct_rows

IntArray = npt.NDArray[np.intp]
# How a row is called in messages.
Where = Callable[[int], str]


# What columns of such tables are called that number rows, alternatives, times or respondents.
_NO_PEOPLE = {
    "alt", "altid", "alternative", "alternatives", "availability", "case", "caseid", "chid",
    "choiceid", "choicesituation", "customid", "date", "day", "id", "index", "month", "obs",
    "obsid", "panel", "panelid", "period", "personid", "pid", "respondent", "respondentid",
    "row", "rowid", "session", "setid", "situation", "surveyid", "task", "time", "unnamed0",
    "userid", "wave", "year",
}  # fmt: skip


def is_no_person(column: str) -> bool:
    """Whether a column is by its name something else than somebody's utilities.

    Examples
    --------
    >>> is_no_person("alt"), is_no_person("Person ID"), is_no_person("staff")
    (True, True, False)
    """
    return re.sub(r"[^a-z0-9]", "", column.lower()) in _NO_PEOPLE


def at_row(row: int) -> str:
    """A row of a table in memory."""
    return f"row {row}"


@dataclass(frozen=True, eq=False)
class LongMenus:
    """The menus in a long table, in the order in which they begin.

    Attributes
    ----------
    number : (E,) array of int
        The menu of each row.
    order : (E,) array of int
        The rows, menu by menu.
    starts : (n + 1,) array of int
        Where each menu begins in that order.
    chosen : (n,) array of int
        The row that was chosen from each; -1 for none of these.
    """

    number: IntArray
    order: IntArray
    starts: IntArray
    chosen: IntArray

    def __len__(self) -> int:
        return len(self.chosen)

    def once(self, values: npt.NDArray[Any], what: str, where: Where = at_row) -> Any:
        """Return what a column (E,) says of each menu (n,), the same in all its rows."""
        first = self.order[self.starts[:-1]]
        differs = np.asarray(values != values[first][self.number])
        if differs.any():
            row = int(np.argmax(differs))
            before = int(first[self.number[row]])
            raise RequestError(
                "{what} must be the same in all rows of a menu; found {one} at {here} and {other} "
                "at {there}. Correct it, or give each choice a menu of its own.",
                what=what,
                one=_plain(values[row]),
                here=where(row),
                other=_plain(values[before]),
                there=where(before),
            )
        return values[first]


def menus_in(
    labels: npt.NDArray[Any],
    taken: npt.NDArray[np.bool_],
    outside: bool,
    where: Where = at_row,
) -> LongMenus:
    """Return the menus of rows labelled (E,), of which some (E,) were chosen.

    One of each must be, unless none of these could be chosen as well (`outside`).
    """
    number = by_appearance(numbered(labels))
    order = np.argsort(number, kind="stable")
    count = int(number.max()) + 1
    starts = np.searchsorted(number[order], np.arange(count + 1)).astype(np.intp)
    often = np.bincount(number[taken], minlength=count)
    if (often > 1).any():
        menu = int(np.argmax(often > 1))
        one, other = np.flatnonzero(taken & (number == menu))[:2].tolist()
        raise RequestError(
            "one action must be chosen from each menu; found {often} in menu {menu}, at {one} and "
            "{other}. If these are several choices, give each a menu of its own; rankings are "
            "read in another way.",
            often=often[menu],
            menu=_plain(labels[one]),
            one=where(one),
            other=where(other),
        )
    if not (often.all() or outside):
        row = int(order[starts[int(np.argmin(often))]])
        raise RequestError(
            "one action must be chosen from each menu; found none in menu {menu}, which begins at "
            "{here}. Where none of these could be chosen, say {outside:True}; else leave that "
            "menu out.",
            menu=_plain(labels[row]),
            here=where(row),
        )
    chosen = np.full(count, -1, dtype=np.intp)
    chosen[number[taken]] = np.flatnonzero(taken)
    return LongMenus(number, order, starts, chosen)


def _flags_of(flags: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which rows (E,) were chosen, told by 0 and 1, or by booleans."""
    try:
        values = flags.astype(np.float64)
        wrong = ~((values == 0) | (values == 1))
    except (TypeError, ValueError):
        allowed = (0, 1, True, False)
        wrong = np.array([flag not in allowed for flag in flags.tolist()])
        values = np.zeros(len(flags))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            "chosen must be 1 for what was chosen and 0 for what was not; found "
            f"{_plain(flags[row])} at {at_row(row)}. Correct it."
        )
    return np.asarray(values == 1)


def by_appearance(number: IntArray) -> IntArray:
    """The same groups (E,), numbered in the order in which they first appear."""
    first = np.unique(number, return_index=True)[1]
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number]


@dataclass(frozen=True, eq=False)
class LongTable:
    """A long table as arrays, in the words of :class:`Choices`.

    Attributes
    ----------
    utilities : (N, d) array
        Each action once.
    stakeholders : tuple of str
    names : list of str or None
    menus : pair of arrays
        Where each menu begins, and the row numbers of all.
    chosen : (n,) array of int
    counts, by : (n,) array or None
    labels : (n,) array
        What the menus are called.
    """

    utilities: FloatArray
    stakeholders: tuple[str, ...]
    names: list[str] | None
    menus: tuple[IntArray, IntArray]
    chosen: IntArray
    counts: Any
    by: Any
    labels: npt.NDArray[Any]


def read_long(
    table: Any,
    menu: str,
    chosen: str,
    people: Sequence[str] | None,
    action: str | None,
    counts: str | None,
    by: str | None,
    outside: bool,
    absent: bool,
    least: float,
) -> LongTable:
    """Return what a data frame in the long layout holds; see :meth:`Choices.from_long`."""
    frame = in_memory(table)
    roles = {"menu": menu, "chosen": chosen, "action": action, "counts": counts, "by": by}
    told = {role: _known(frame, column, role) for role, column in roles.items() if column}
    if not len(frame):
        raise InputError("there must be at least one menu; found a table without rows.")
    stakeholders = _people(frame, people, told)
    utilities = as_present_table(frame.select(stakeholders).to_native(), least, absent)[0]
    columns = {role: _entries(frame, column) for role, column in told.items()}
    columns["chosen"] = _flags_of(columns["chosen"])
    return long_table(columns, utilities, tuple(stakeholders), outside)


def long_table(
    columns: Mapping[str, npt.NDArray[Any]],
    utilities: FloatArray,
    stakeholders: tuple[str, ...],
    outside: bool,
    where: Where = at_row,
) -> LongTable:
    """Return the choices in columns (E,) by role, beside utilities (E, d); ``chosen`` is flags."""
    found = menus_in(columns["menu"], columns["chosen"], outside, where)
    names = None
    if "action" in columns:
        number, names = _named(columns["action"], utilities, where)
        refuse_twice(found, number, columns["action"], where)
    else:
        number = _alike(utilities, found)
    once = {
        role: found.once(columns[role], role, where) if role in columns else None
        for role in ("counts", "by")
    }
    return LongTable(
        utilities[np.unique(number, return_index=True)[1]],
        stakeholders,
        names,
        (found.starts, number[found.order]),
        np.where(found.chosen < 0, -1, number[found.chosen]),
        labels=columns["menu"][found.order[found.starts[:-1]]],
        **once,
    )


def refuse_twice(
    found: LongMenus, number: IntArray, names: npt.NDArray[Any], where: Where = at_row
) -> None:
    """Require that a menu holds each action once; `number` (E,) and `names` (E,) say which."""
    order = np.lexsort((np.arange(len(number)), number, found.number))
    same = (np.diff(found.number[order]) == 0) & (np.diff(number[order]) == 0)
    if same.any():
        at = int(np.argmax(same))
        one, other = (int(row) for row in order[at : at + 2])
        raise RequestError(
            "a menu must hold each action once; found {action} at {one} and {other}. Leave out "
            "one of the rows, or give each choice a menu of its own.",
            action=_plain(names[one]),
            one=where(one),
            other=where(other),
        )


def _known(frame: Any, column: str, role: str) -> str:
    if column in frame.columns:
        return column
    raise InputError(
        f"{role} must be a column of the table; found no {column!r} among "
        f"{', '.join(map(repr, frame.columns[:20]))}. Say {role}=… with the column's name."
    )


def _people(frame: Any, people: Sequence[str] | None, told: dict[str, str]) -> list[str]:
    """The columns of utilities: those named, or all that have no other meaning."""
    if people is None:
        found = [column for column in frame.columns if column not in told.values()]
        texts = [column for column in found if not frame.schema[column].is_numeric()]
        if texts or not found:
            what = f"no numbers in {texts[0]!r}" if texts else "no other columns"
            raise InputError(
                "columns without another meaning are people's utilities, which are numbers; found "
                f"{what}. Name the people's columns: people=[…]"
            )
        _refuse_no_people(found)
        return found
    names = [people] if isinstance(people, str) else list(people)
    found = [_known(frame, column, "people") for column in names]
    shared = [c for c in found if c in told.values() or found.count(c) > 1]
    if shared or not found:
        raise InputError(
            "people must be columns of their own, each named once; found "
            f"{repr(shared[0]) + ' twice' if shared else 'none'}."
        )
    return found


def _refuse_no_people(columns: list[str]) -> None:
    """Refuse to take for people what has the name of something else."""
    strange = [column for column in columns if is_no_person(column)]
    if strange:
        raise InputError(
            "columns without another meaning are people's utilities; found "
            f"{listed([repr(column) for column in strange])}, which by the name is something else. "
            f"Name the people's columns: people={[c for c in columns if c not in strange]}"
        )


def _entries(frame: Any, column: str) -> npt.NDArray[Any]:
    """A column (E,) in which nothing is missing."""
    values = np.asarray(frame[column].to_numpy())
    missing = missing_labels(values)
    if missing:
        raise InputError(
            f"the column {column!r} must be complete; found nothing at row {missing[0]}, and in "
            f"{len(missing)} rows in all. Leave those menus out, or fill it in."
        )
    return values


def _alike(utilities: FloatArray, found: LongMenus) -> IntArray:
    """The action (E,) of each row: rows with the same utilities are one, in the order they come.

    A menu may offer two actions that are worth the same to everybody: they stay two.
    """
    table = np.where(np.isnan(utilities), -np.inf, utilities)
    same = distinct_rows(table)[1].reshape(-1)
    order = np.lexsort((np.arange(len(same)), same, found.number))
    keys = found.number[order], same[order]
    new = np.concatenate([[True], (np.diff(keys[0]) != 0) | (np.diff(keys[1]) != 0)])
    begin = np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))
    again = np.empty(len(same), dtype=np.intp)
    again[order] = np.arange(len(new)) - begin
    return by_appearance(numbered(same * (int(again.max()) + 1) + again))


def _named(
    names: npt.NDArray[Any], utilities: FloatArray, where: Where
) -> tuple[IntArray, list[str]]:
    """The action (E,) of each row by its name, and the names; each has the same utilities."""
    number = by_appearance(numbered(names))
    first = np.unique(number, return_index=True)[1]
    before = utilities[first][number]
    differs = ~((utilities == before) | (np.isnan(utilities) & np.isnan(before))).all(axis=1)
    if differs.any():
        row = int(np.argmax(differs))
        raise RequestError(
            "an action must have the same utilities in every menu; found {name} with others at "
            "{here} than at {there}. Leave out {action}: rows with the same utilities are then "
            "one action, and others are others.",
            name=_plain(names[row]),
            here=where(row),
            there=where(int(first[number[row]])),
        )
    return number, [str(name) for name in names[first].tolist()]


def _plain(value: Any) -> str:
    """An entry as its owner would write it."""
    return repr(value.item() if isinstance(value, np.generic) else value)
