"""How a file lays out choices from menus: as told, or by names of columns that leave no doubt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from welfarist.base.asking import RequestError, UsageError
from welfarist.files.cells import listed, shown
from welfarist.files.opening import FileTable, column_named, columns_named
from welfarist.files.roles import CHOICES, Roles, called, optional_roles, refuse_shared

LayoutName = Literal["long", "listed", "ranked", "best_worst"]

# The names of columns whose meaning is clear, by role.
_NAMES = {
    "menu": ("menu", "choice_set"),
    "action": ("action", "alternative"),
    "chosen": ("chosen", "choice"),
    "best": ("best",),
    "worst": ("worst",),
}
OPTIONAL = ("count", "by")
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
_NUMBERED = re.compile(r"(rank|place)[_. -]?(\d{1,3})")
_FEWEST_PLACES = 2


@dataclass(frozen=True)
class MenuLayout:
    """Which columns hold choices from menus.

    Attributes
    ----------
    name : "long", "listed", "ranked" or "best_worst"
        One row per action and menu; one per choice, with a list of the menu; one per ranking; one
        per menu of which the best and the worst were named.
    roles : dict of str
        The columns by role: menu, action, chosen, best, worst, count, by.
    places : tuple of str
        The columns of a ranking, best first.
    """

    name: LayoutName
    roles: Roles
    places: tuple[str, ...] = ()

    @property
    def lists_menus(self) -> bool:
        """Whether a column lists the actions of a menu."""
        return self.name != "long" and "menu" in self.roles

    @property
    def columns(self) -> set[str]:
        """All that are used."""
        return {*self.roles.values(), *self.places}


def layout_of(
    table: FileTable, told: Roles, ranking: Sequence[str] | None, notes: list[str]
) -> MenuLayout:
    """Return the layout of a file of choices; what was guessed is said in `notes`."""
    roles = {role: column_named(table, column, role) for role, column in told.items()}
    if ranking is not None:
        _refuse_beside_ranking(roles)
        places = tuple(columns_named(table, ranking, "a place of the ranking"))
        return _checked(table, "ranked", roles, places, notes)
    found = {**named_roles(table, tuple(_NAMES), roles), **roles}
    possible: list[MenuLayout] = []
    if {"menu", "action", "chosen"} <= set(found):
        possible.append(MenuLayout("long", found))
    elif {"menu", "chosen"} <= set(found):
        possible.append(MenuLayout("listed", found))
    if {"best", "worst"} <= set(found):
        kept = {r: c for r, c in found.items() if r in ("menu", "best", "worst", *OPTIONAL)}
        possible.append(MenuLayout("best_worst", kept))
    places = _places(table)
    told_otherwise = {"action", "chosen"} & set(roles)
    # Beside a column that tells the choice, first and second are two actions to choose from.
    if places and not told_otherwise and (possible or called(table, CHOICES) is None):
        kept = {role: column for role, column in found.items() if role in ("menu", *OPTIONAL)}
        possible.append(MenuLayout("ranked", kept, places))
    if len(possible) != 1:
        raise _unclear(table, bool(possible))
    layout = possible[0]
    say_other_names(table, layout.roles, told, notes)
    if layout.places:
        notes.append(f"{table.name}: rankings are in {listed(layout.places)}, best first.")
    return _checked(table, layout.name, layout.roles, layout.places, notes)


def named_roles(table: FileTable, wanted: Sequence[str], told: Roles) -> Roles:
    """The columns of roles by their names, where nothing else was told."""
    used = set(told.values())
    found = {role: called(table, _NAMES[role]) for role in wanted if role not in told}
    return {role: c for role, c in found.items() if c is not None and c not in used}


def say_other_names(table: FileTable, roles: Roles, told: Roles, notes: list[str]) -> None:
    """Say which columns were found by other names than the roles' own."""
    strange = [
        f"{shown(column)} ({role})"
        for role, column in roles.items()
        if role not in told and column.lower() != role
    ]
    if strange:
        notes.append(f"{table.name}: columns were taken as {', '.join(strange)}.")


def _checked(
    table: FileTable, name: LayoutName, roles: Roles, places: tuple[str, ...], notes: list[str]
) -> MenuLayout:
    """The layout with its optional columns, each with one meaning; others are said to be left."""
    roles = roles | optional_roles(table, roles, OPTIONAL)
    numbered = {f"place {place}": column for place, column in enumerate(places, 1)}
    refuse_shared({**roles, **numbered})
    layout = MenuLayout(name, roles, places)
    left = [column for column in table.columns if column not in layout.columns]
    if left:
        notes.append(f"{table.name}: nothing is made of {listed(left, 5)}.")
    return layout


def _refuse_beside_ranking(roles: Roles) -> None:
    for role in ("action", "chosen"):
        if role in roles:
            raise UsageError(
                f"{{ranking}} and {{{role}}} are of different layouts; found both. Give one."
            )


def _places(table: FileTable) -> tuple[str, ...]:
    """The columns called first, second, third, …, or rank 1, rank 2, …; none if that is unclear."""
    by_name = {column.lower(): column for column in table.columns}
    ordinals: list[str] = []
    for name in ORDINALS:
        if name not in by_name:
            break
        ordinals.append(by_name[name])
    numbered: dict[str, dict[int, str]] = {}
    for column in table.columns:
        match = _NUMBERED.fullmatch(column.lower())
        if match:
            numbered.setdefault(match[1], {})[int(match[2])] = column
    found = [tuple(ordinals)]
    for places in numbered.values():
        count = len(places)
        found.append(tuple(places[i] for i in range(1, count + 1)) if count in places else ())
    found = [places for places in found if len(places) >= _FEWEST_PLACES]
    return found[0] if len(found) == 1 else ()


def _unclear(table: FileTable, several: bool) -> RequestError:
    """Say which columns there must be, and how to name those that are there."""
    pairs = {"preferred", "winner", "second"} & {column.lower() for column in table.columns}
    hint = " For choices between two, say {comparisons:FILE}" if pairs and not several else ""
    return RequestError(
        "{name}, line 1: there must be the columns menu, action and chosen (a row for each action "
        "of a menu), menu and chosen (a list of actions, and one of them), first, second, third, … "
        "(a ranking), or best and worst; found {what}{found}. Say which is which: {menu:COLUMN} "
        "{chosen:COLUMN}, with {action:COLUMN} where each row is one action, or "
        "{ranking:COLUMN,COLUMN}." + hint,
        name=table.name,
        what="more than one of these in " if several else "",
        found=listed(table.columns),
    )
