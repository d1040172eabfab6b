"""Choices from menus in a file, of actions that another file describes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.asking import RequestError, UsageError
from welfarist.base.errors import InputError
from welfarist.decisions import Choices
from welfarist.decisions.choices import NoChoiceError
from welfarist.decisions.long_tables import menus_in, refuse_twice
from welfarist.files.actions import Actions, refuse_never
from welfarist.files.cells import Text, shown
from welfarist.files.comparisons import counts_of, deciders_of, optional_cells, say_unknown
from welfarist.files.kept_rows import KeptRows, read_rows
from welfarist.files.known_names import Known
from welfarist.files.menu_layouts import MenuLayout, layout_of
from welfarist.files.opening import FileTable, open_table
from welfarist.people.source import is_source

# What may stand between the actions of a menu without being told.
_SEPARATORS = (";", "|")
_CHOSEN, _NOT_CHOSEN = {"1", "true", "yes"}, {"0", "false", "no"}
_NOWHERE = -1
# A cell with what was chosen, and one that is empty where it was none of these.
_CHOICE = Text("what was chosen", if_empty="If it was none of these, say {outside:True}")
_OR_NONE = Text("what was chosen", required=False)
WHAT = "choices"


@dataclass(frozen=True, eq=False)
class NamedChoices:
    """Choices from menus as files give them.

    Attributes
    ----------
    decisions : Choices
        Their stakeholders are the columns of the actions' file.
    deciders : tuple of str
        Who decided; empty if nobody said.
    notes : tuple of str
        What was guessed, in sentences.
    """

    decisions: Choices
    deciders: tuple[str, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()


def read_choices(
    path: str | os.PathLike[str],
    actions: Actions,
    *,
    columns: Mapping[str, str] | None = None,
    ranking: Sequence[str] | None = None,
    menu_separator: str | None = None,
    outside: bool = False,
    drop_missing: bool = False,
    drop_unknown: bool = False,
    least: float = 0.0,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
) -> NamedChoices:
    r"""Read choices from menus of named actions from a file.

    Parameters
    ----------
    path : str or path
        With columns ``menu,action,chosen``, a row for each action of a menu and 1 where it was
        chosen; or ``menu,chosen``, a list of actions with ; or | between them and one of these;
        or ``first,second,third``, a ranking, best first, of the actions in ``menu`` or of all;
        or ``best,worst``, those of the actions in ``menu`` or of all.
        Perhaps ``count`` (how often) and ``by`` (who decided).
    actions : Actions
    columns : mapping, optional
        Which column plays which of these roles, where they have other names.
    ranking : list of str, optional
        The columns of a ranking, best first. Empty cells at its end are places nobody has.
    menu_separator : str, optional
        What stands between the actions of a menu; ; or | if left out, when that is clear.
    outside : bool
        Whether none of these could be chosen: the chosen cell is empty, or no row is 1.
    drop_missing : bool
        Whether choices in which something is missing are left out, in place of being refused.
    drop_unknown : bool
        Whether choices are left out whose menu has an action that `actions` do not have.
    least, separator, decimal, sheet, encoding
        As in :func:`read_actions`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from welfarist.files import read_actions
    >>> with TemporaryDirectory() as folder:
    ...     table, asked = Path(folder) / "actions.csv", Path(folder) / "menus.csv"
    ...     _ = table.write_text("action,donors,recipients\na,9,2\nb,5,6\nc,3,9\n")
    ...     _ = asked.write_text("menu,chosen\na;b;c,b\nb;c,c\n")
    ...     read = read_choices(asked, read_actions(table))
    >>> read.decisions
    Choices(2 from menus of 2 to 3 of 3 actions, 2 people)
    """
    reading = dict(separator=separator, decimal=decimal, sheet=sheet, encoding=encoding)
    table = open_table(path, **reading)
    notes = list(table.notes)
    layout = layout_of(table, dict(columns or {}), ranking, notes)
    if menu_separator is not None and not layout.lists_menus:
        raise UsageError(
            "{menu_separator} is for a column that lists the actions of a menu; found none. Leave "
            "it out."
        )
    if not is_source(actions.utilities):  # in which everybody is affected by everything
        refuse_never(actions.file, actions.stakeholders, actions.utilities)
    names = Names(Known(actions.labels, actions.file, WHAT), actions, drop_unknown)
    reader = _Reader(table, layout, names, menu_separator, outside, drop_missing, least, notes)
    try:
        made, deciders = _READERS[layout.name](reader)
    except NoChoiceError as problem:
        raise InputError(f"{table.name}: {problem}") from None
    made.stakeholders, made.names = actions.stakeholders, actions.names
    return NamedChoices(made, deciders, tuple(notes))


class Names:
    """The numbers of actions by their names; -1 for those that are left out."""

    def __init__(self, known: Known, actions: Actions, drop_unknown: bool) -> None:
        self.known, self.actions, self._drop_unknown = known, actions, drop_unknown
        self.strange: dict[str, None] = {}

    def number(self, name: str, where: Callable[[], str]) -> int:
        """The number of an action; one that is unknown is refused, or left out if that was said."""
        place = self.known.places([name])[0]
        if place < 0:
            if not self._drop_unknown and name not in self.actions.left_out:
                raise self.known.unknown(name).at(where())
            self.strange.setdefault(name)
        return place

    def numbers(self, names: Sequence[str], where: Callable[[int], str]) -> npt.NDArray[np.intp]:
        """The numbers (n,) of many names; `where` says where one stands."""
        found = np.array(self.known.places(names), dtype=np.intp)
        for row in np.flatnonzero(found < 0).tolist():
            self.number(names[row], lambda row=row: where(row))  # type: ignore[misc]
        return found


@dataclass(frozen=True, eq=False)
class _Reader:
    """What the readers of all layouts know."""

    table: FileTable
    layout: MenuLayout
    names: Names
    separator: str | None
    outside: bool
    drop_missing: bool
    least: float
    notes: list[str]

    @property
    def utilities(self) -> Any:
        return self.names.actions.utilities

    @property
    def roles(self) -> dict[str, str]:
        return self.layout.roles

    def rows(self, cells: Mapping[str, Any]) -> KeptRows:
        """Read columns, and those of counts and deciders."""
        cells = {**cells, **optional_cells(self.table, self.roles)}
        return read_rows(self.table, cells, self.drop_missing, WHAT, self.notes)

    def known_part(self, read: KeptRows, kept: npt.NDArray[np.bool_]) -> KeptRows:
        """The rows of actions that are there; `notes` counts the others."""
        found = self.names
        say_unknown(read, kept, list(found.strange), found.actions, WHAT, self.notes)
        return read if kept.all() else read.only(kept)

    def options(self) -> dict[str, Any]:
        """What holds for the choices of every layout."""
        return dict(absent=self.names.actions.absent, least=self.least)


Made = tuple[Choices, tuple[str, ...]]


def _place(read: KeptRows, row: int, column: str) -> str:
    """Where a cell stands: file, line and column."""
    return f"{read.name}, {read.where(row)}, column {shown(column)}"


def _listed(reader: _Reader) -> Made:
    """A row per choice: a list of the menu, and which of it was chosen."""
    menu, chosen = reader.roles["menu"], reader.roles["chosen"]
    cells = {menu: Text("a menu"), chosen: _CHOICE if not reader.outside else _OR_NONE}
    read = reader.rows(cells)
    menus = _menus(reader, read)
    entries = read.frame[chosen].to_list()
    taken = [
        _chosen(reader, read, row, name, menus[row], chosen) for row, name in enumerate(entries)
    ]
    # Who chose something that is left out did not choose none of these.
    kept = np.array(
        [
            rows.min() >= 0 and (number >= 0 or not name)
            for rows, number, name in zip(menus, taken, entries, strict=True)
        ]
    )
    read = reader.known_part(read, kept)
    lists = [rows for rows, is_kept in zip(menus, kept, strict=True) if is_kept]
    by, deciders = deciders_of(read.frame, reader.roles)
    made = Choices(
        reader.utilities, lists, np.array(taken)[kept], counts_of(read, reader.roles), by,
        outside=reader.outside, **reader.options(),
    )  # fmt: skip
    return made, deciders


def _chosen(
    reader: _Reader,
    read: KeptRows,
    row: int,
    name: str,
    menu: npt.NDArray[np.intp],
    column: str,
) -> int:
    """The number of what a column names of a menu; -1 for none of these."""
    if not name:
        return _NOWHERE
    number = reader.names.number(name, lambda: _place(read, row, column))
    if number >= 0 and number not in menu:
        raise InputError(
            f"{_place(read, row, column)}: what was chosen must be in the menu; found "
            f"{shown(name)}, which is not. Correct one of the two."
        )
    return number


def _menus(reader: _Reader, read: KeptRows) -> list[npt.NDArray[np.intp]]:
    """The menu of each row, -1 for actions that are left out."""
    column = reader.roles["menu"]
    texts = read.frame[column].to_list()
    mark = _separator(reader, texts)
    known: dict[str, npt.NDArray[np.intp]] = {}
    for row, text in enumerate(texts):
        if text in known:
            continue
        parts = [part.strip() for part in text.split(mark) if part.strip()]

        def where(_: int, row: int = row) -> str:
            return _place(read, row, column)

        if not parts:
            raise InputError(
                f"{where(0)}: a menu must hold at least one action; found none. Leave out that row."
            )
        known[text] = reader.names.numbers(parts, where)
        again = next((part for part in parts if parts.count(part) > 1), None)
        if again is not None:
            raise InputError(
                f"{where(0)}: a menu must hold each action once; found {shown(again)} twice. Leave "
                "out the second."
            )
    return [known[text] for text in texts]


def _separator(reader: _Reader, texts: list[str]) -> str:
    """What stands between the actions of menus: as told, or ; or |, whichever is there."""
    if reader.separator is not None:
        return reader.separator
    found = [mark for mark in _SEPARATORS if any(mark in text for text in texts)]
    if len(found) > 1:  # one of them is part of names
        names = reader.names.known
        found = [
            mark
            for mark in found
            if all(min(names.places([p.strip() for p in t.split(mark)])) >= 0 for t in texts)
        ]
    if len(found) == 1:
        return found[0]
    raise RequestError(
        "{name}, column {column}: it must be clear what stands between the actions of a menu, ; or "
        "|; found {what}, such as {text}. Say what it is: {menu_separator:MARK}. Where each action "
        "has a row of its own, say which column names it: {action:COLUMN}",
        name=reader.table.name,
        column=shown(reader.roles["menu"]),
        what="neither" if not any(m in t for m in _SEPARATORS for t in texts) else "both",
        text=shown(texts[0]),
    )


def _ranked(reader: _Reader) -> Made:
    """A row per ranking: the best first, then the second, as far as it goes."""
    if reader.outside:
        raise UsageError("{outside} is for single choices; found rankings. Leave it out.")
    places = reader.layout.places
    cells: dict[str, Any] = dict.fromkeys(places[1:], Text("an action", required=False))
    cells[places[0]] = Text("the best action")
    menus = None
    if "menu" in reader.roles:
        cells[reader.roles["menu"]] = Text("a menu")
    else:
        reader.notes.append(
            f"{reader.table.name}: every ranking was taken to be of all {len(reader.utilities)} "
            "actions, those that are not named below those that are."
        )
    read = reader.rows(cells)
    if "menu" in reader.roles:
        menus = _menus(reader, read)
    columns = [read.frame[place].to_list() for place in places]
    rankings = [
        _ranking(reader, read, row, names) for row, names in enumerate(zip(*columns, strict=True))
    ]
    kept = np.array([min(ranking) >= 0 for ranking in rankings])
    if menus is not None:
        kept &= np.array([menu.min() >= 0 for menu in menus])
        _refuse_outside_menu(reader, read, rankings, menus, kept)
    read = reader.known_part(read, kept)
    by, deciders = deciders_of(read.frame, reader.roles)
    kept_rows = np.flatnonzero(kept).tolist()
    everything = np.arange(len(reader.utilities))
    made = Choices.from_rankings(
        reader.utilities,
        [rankings[row] for row in kept_rows],
        [everything if menus is None else menus[row] for row in kept_rows],
        counts_of(read, reader.roles),
        by,
        **reader.options(),
    )
    return made, deciders


def _ranking(reader: _Reader, read: KeptRows, row: int, names: Sequence[str]) -> list[int]:
    """The numbers of one ranking, best first."""
    there = [bool(name) for name in names]
    count = sum(there)
    if not all(there[:count]):
        column = reader.layout.places[there.index(False)]
        raise InputError(
            f"{_place(read, row, column)}: a ranking must not have gaps; found an empty cell "
            "before others that are filled. Move them up, or leave out that row."
        )
    found: list[int] = []
    for column, name in zip(reader.layout.places, names[:count], strict=False):

        def where(column: str = column) -> str:
            return _place(read, row, column)

        if name in names[: len(found)]:
            raise InputError(
                f"{where()}: a ranking must hold each action once; found {shown(name)} twice. "
                "Correct it."
            )
        found.append(reader.names.number(name, where))
    return found


def _refuse_outside_menu(
    reader: _Reader,
    read: KeptRows,
    rankings: list[list[int]],
    menus: list[npt.NDArray[np.intp]],
    kept: npt.NDArray[np.bool_],
) -> None:
    """Require that rankings hold actions of their menus."""
    for row in np.flatnonzero(kept).tolist():
        offered = set(menus[row].tolist())
        for place, number in enumerate(rankings[row]):
            if number not in offered:
                name = reader.names.actions.labels[number]
                raise InputError(
                    f"{_place(read, row, reader.layout.places[place])}: a ranking must hold "
                    f"actions of its menu; found {shown(name)}, which is not in it. Correct one "
                    "of the two."
                )


def _best_and_worst(reader: _Reader) -> Made:
    """A row per menu: which of it is best, and which is worst."""
    if reader.outside:
        raise UsageError("{outside} is for single choices; found best and worst. Leave it out.")
    roles = reader.roles
    cells = {roles["best"]: Text("the best action"), roles["worst"]: Text("the worst action")}
    if "menu" in roles:
        cells[roles["menu"]] = Text("a menu")
    else:
        reader.notes.append(
            f"{reader.table.name}: every best and worst was taken to be of all "
            f"{len(reader.utilities)} actions."
        )
    read = reader.rows(cells)
    everything = np.arange(len(reader.utilities))
    menus = _menus(reader, read) if "menu" in roles else [everything] * len(read)
    named = [
        [_chosen(reader, read, row, name, menus[row], roles[role]) for row, name in entries]
        for role in ("best", "worst")
        for entries in [enumerate(read.frame[roles[role]].to_list())]
    ]
    best, worst = np.array(named, dtype=np.intp)
    _refuse_both(reader, read, best, worst)
    kept = (best >= 0) & (worst >= 0) & np.array([menu.min() >= 0 for menu in menus])
    read = reader.known_part(read, kept)
    by, deciders = deciders_of(read.frame, roles)
    lists = [menus[row] for row in np.flatnonzero(kept).tolist()]
    made = Choices.from_best_worst(
        reader.utilities, lists, best[kept], worst[kept], counts_of(read, roles), by,
        **reader.options(),
    )  # fmt: skip
    return made, deciders


def _refuse_both(
    reader: _Reader, read: KeptRows, best: npt.NDArray[np.intp], worst: npt.NDArray[np.intp]
) -> None:
    """Require that best and worst are two actions."""
    same = (best == worst) & (best >= 0)
    if same.any():
        row = int(np.argmax(same))
        name = reader.names.actions.labels[int(best[row])]
        raise InputError(
            f"{_place(read, row, reader.roles['worst'])}: best and worst must be two actions; "
            f"found {shown(name)} as both. Correct one of them."
        )


def _long(reader: _Reader) -> Made:
    """A row per action and menu."""
    roles = reader.roles
    cells = {
        roles["menu"]: Text("a menu"),
        roles["action"]: Text("an action"),
        roles["chosen"]: Text("1 or 0"),
    }
    read = whole_menus(reader.table, reader.rows(cells), roles["menu"])
    names = read.frame[roles["action"]].to_list()
    number = reader.names.numbers(names, lambda row: _place(read, row, roles["action"]))
    labels = read.frame[roles["menu"]].to_numpy()
    left = set(labels[number < 0].tolist())
    kept = np.array([label not in left for label in labels.tolist()])
    read, number, labels = reader.known_part(read, kept), number[kept], labels[kept]
    taken = flags_of(read, roles["chosen"])
    try:
        found = menus_in(labels, taken, reader.outside, read.where)
        refuse_twice(found, number, read.frame[roles["action"]].to_numpy(), read.where)
        by, deciders = deciders_of(read.frame, roles)
        by = None if by is None else found.once(by, "by", read.where)
        counts = counts_of(read, roles)
        counts = None if counts is None else found.once(counts, "count", read.where)
    except RequestError as problem:
        raise problem.at(read.name) from None
    made = Choices(
        reader.utilities,
        (found.starts, number[found.order]),
        np.where(found.chosen < 0, _NOWHERE, number[found.chosen]),
        counts,
        by,
        outside=reader.outside,
        **reader.options(),
    )
    made.labels = labels[found.order[found.starts[:-1]]]
    return made, deciders


_READERS: dict[str, Callable[[_Reader], Made]] = {
    "long": _long,
    "listed": _listed,
    "ranked": _ranked,
    "best_worst": _best_and_worst,
}


def flags_of(read: KeptRows, column: str) -> npt.NDArray[np.bool_]:
    """Which rows were chosen (E,), by a column of 1 and 0."""
    entries = read.frame[column].str.to_lowercase()
    strange = entries.is_in(list(_CHOSEN | _NOT_CHOSEN)).not_()
    if strange.any():
        row = int(strange.arg_max())
        raise InputError(
            f"{_place(read, row, column)}: it must be 1 where the action was chosen and 0 where "
            f"it was not; found {shown(read.frame[column][row])}. Correct it."
        )
    return np.asarray(entries.is_in(list(_CHOSEN)).to_numpy())


def whole_menus(table: FileTable, read: KeptRows, menu: str) -> KeptRows:
    """Rows of menus of which nothing is missing: one row less would be another menu."""
    if read.rows is None:
        return read
    every = table.read({menu: Text("a menu", required=False)})[menu].to_list()
    kept = set(read.rows.tolist())
    broken = {label for row, label in enumerate(every) if row not in kept}
    whole = np.array([label not in broken for label in read.frame[menu].to_list()])
    if not whole.any():
        raise InputError(
            f"{table.name}: at least one menu must be complete; found something missing in all. "
            "Fill it in."
        )
    return read.only(whole)
