"""Which column of comparisons plays which role: as told, or by names that leave no doubt."""

from __future__ import annotations

import re
from typing import Any

from welfarist.base.asking import RequestError, UsageError
from welfarist.files.cells import Text, listed, shown
from welfarist.files.opening import FileTable, column_named

Roles = dict[str, str]

# The names of columns whose meaning is clear, by role.
_PREFERRED = {
    "preferred": ("preferred", "winner", "chosen", "better"),
    "other": ("other", "loser", "rejected", "worse"),
}
CHOICES = ("choice", "chosen", "chose", "outcome", "preferred", "winner", "answer", "selected")
_CHOSEN = {"first": ("first",), "second": ("second",), "choice": CHOICES}
_OPTIONAL = ("count", "tie", "by")
# What the two actions of a comparison are called in the names of columns, the first one first.
MARKS = (
    ("x", "y"),
    ("u", "v"),
    ("a", "b"),
    ("0", "1"),
    ("1", "2"),
    ("left", "right"),
    ("first", "second"),
)


def roles_of(table: FileTable, told: Roles, actions: Any, notes: list[str]) -> Roles:
    """Return the column of each role; `actions` are the names that two of them hold.

    What was found by other names than the roles' own is said in `notes`.
    """
    roles = {role: column_named(table, column, role) for role, column in told.items()}
    for layout in (_PREFERRED, _CHOSEN):
        if not set(roles) <= {*layout, *_OPTIONAL}:
            continue
        found = roles | {
            role: column
            for role, names in layout.items()
            if role not in roles and (column := called(table, names)) is not None
        }
        if layout is _CHOSEN and "choice" in found:
            found |= _sides(table, found, actions)
        if set(layout) <= set(found):
            strange = [
                f"{shown(found[r])} ({r})"
                for r in layout
                if found[r].lower() != r and r not in told
            ]
            if strange:
                notes.append(f"{table.name}: columns were taken as {', '.join(strange)}.")
            refuse_shared(found)
            return found | optional_roles(table, found)
    raise _unclear(table, roles, actions)


def _sides(table: FileTable, found: Roles, actions: Any) -> Roles:
    """The columns of the first and the second action beside one that tells the choice.

    They are two whose names differ as those of two actions do, or the only two that hold names
    of actions.
    """
    missing = [role for role in ("first", "second") if role not in found]
    if len(missing) != 2:
        return {}
    free = [c for c in table.columns if c not in found.values() and c.lower() not in _OPTIONAL]
    pairs = [pair for marks in MARKS for pair in _marked(free, marks)]
    holding = _holding_names(table, free, actions)
    pairs = [pair for pair in pairs if set(pair) <= set(holding)]
    if len(pairs) != 1 and len(holding) == 2:
        pairs = [(holding[0], holding[1])]
    return dict(zip(missing, pairs[0], strict=True)) if len(pairs) == 1 else {}


def _marked(columns: list[str], marks: tuple[str, str]) -> list[tuple[str, str]]:
    """Pairs of columns whose names are the two marks, or differ by them alone."""
    called: dict[str, list[str]] = {}
    for column in columns:
        called.setdefault(column.lower(), []).append(column)
    found = []
    for column in columns:
        parts = re.split(r"([_. -])", column.lower())
        for place in (place for place, part in enumerate(parts) if part == marks[0]):
            other = "".join([*parts[:place], marks[1], *parts[place + 1 :]])
            found += [(column, c) for c in called.get(other, [])]
    return found


def _holding_names(table: FileTable, columns: list[str], actions: Any) -> list[str]:
    """The columns in which most of what stands are names of actions."""
    if not columns:
        return []
    frame, names = table.read(dict.fromkeys(columns, Text("a name", required=False))), set(actions)
    found = []
    for column in columns:
        there = [entry for entry in frame[column].to_list() if entry]
        if there and 2 * sum(entry in names for entry in there) >= len(there):
            found.append(column)
    return found


def refuse_shared(roles: Roles) -> None:
    """Require that no column plays two roles."""
    for column in roles.values():
        shared = [r for r, c in roles.items() if c == column]
        if len(shared) > 1:
            raise UsageError(
                "every column must have one meaning; found {column} as {shared}. Name another "
                "column.",
                column=shown(column),
                shared=" and ".join(shared),
            )


def _unclear(table: FileTable, roles: Roles, actions: Any) -> RequestError:
    """Say which columns there must be, and how to name those that are there."""
    chosen = "choice" in roles or called(table, CHOICES) is not None
    if table.other_sheets:
        hint = "Are they in another sheet, {sheets}? Name it after the file: {in_sheet}"
    elif len([name for name in table.columns[:2] if name in set(actions)]) == 2:
        hint = "Its first line names actions: add a line 'preferred,other' above it."
    elif called(table, ("menu",)) or called(table, ("third",)):
        hint = "For choices among more than two actions, say {choices:FILE}"
    elif chosen or {"first", "second"} & set(roles):
        hint = "Rename them, or say which is which: {first:COLUMN} {second:COLUMN} {choice:COLUMN}"
    else:
        hint = (
            "Rename them, or say which is which: {preferred:COLUMN} {other:COLUMN}, or, if a "
            "column tells the choice, {first:COLUMN} {second:COLUMN} {choice:COLUMN}"
        )
    return RequestError(
        "{name}, line 1: there must be the columns preferred and other, or first, second and "
        f"choice; found {{found}}. {hint}",
        name=table.name,
        found=listed(table.columns),
        sheets=listed(table.other_sheets),
        in_sheet=repr(f"{table.name}:{table.other_sheets[0]}") if table.other_sheets else "",
    )


def called(table: FileTable, names: tuple[str, ...]) -> str | None:
    """The one column with one of these names, of which the first leaves the least doubt."""
    for known in (names[:1], names):
        found = [column for column in table.columns if column.lower() in known]
        if len(found) == 1:
            return found[0]
    return None


def optional_roles(table: FileTable, told: Roles, roles: tuple[str, ...] = _OPTIONAL) -> Roles:
    """The columns called count, tie and by, where nothing else was told."""
    found = {role: called(table, (role,)) for role in roles if role not in told}
    return {role: c for role, c in found.items() if c is not None and c not in told.values()}
