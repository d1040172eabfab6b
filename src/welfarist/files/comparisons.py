"""Comparisons in a file, between actions that another file describes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.decisions import Comparisons
from welfarist.files.actions import Actions
from welfarist.files.cells import Known, Number, Text, listed, shown
from welfarist.files.choices import outcomes_by_name, outcomes_of_labels
from welfarist.files.opening import FileTable, column_named, open_table

# The names of columns whose meaning is clear, by role.
_PREFERRED = {
    "preferred": ("preferred", "winner", "chosen", "better"),
    "other": ("other", "loser", "rejected", "worse"),
}
_CHOSEN = {"first": ("first",), "second": ("second",), "choice": ("choice", "outcome")}
_OPTIONAL = ("count", "tie", "by")
_TRUE = {"1", "true", "yes", "tie", "x"}
_FALSE = {"", "0", "false", "no"}

Roles = dict[str, str]


@dataclass(frozen=True, eq=False)
class NamedComparisons:
    """Comparisons as files give them.

    Attributes
    ----------
    decisions : Comparisons
        Their stakeholders are the columns of the actions' file.
    deciders : tuple of str
        Who decided, in the order of the numbers in ``decisions.by``; empty if nobody said.
    notes : tuple of str
        What was guessed, in sentences.
    """

    decisions: Comparisons
    deciders: tuple[str, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()


def read_comparisons(
    path: str | os.PathLike[str],
    actions: Actions,
    *,
    columns: Mapping[str, str] | None = None,
    first_label: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
) -> NamedComparisons:
    """Read comparisons between named actions from a file.

    Parameters
    ----------
    path : str or path
        With columns ``preferred,other`` or ``first,second,choice``, and perhaps ``count`` (how
        often), ``tie`` (neither was preferred) and ``by`` (who decided).
    actions : Actions
    columns : mapping, optional
        Which column plays which of these roles, where they have other names.
    first_label : str, optional
        The label in `choice` that means that the first was preferred, where that is not clear.
    separator, decimal, sheet
        As in :func:`open_table`.
    """
    table = open_table(path, separator=separator, decimal=decimal, sheet=sheet)
    notes = list(table.notes)
    roles = _roles(table, dict(columns or {}), actions, notes)
    left = [column for column in table.columns if column not in roles.values()]
    if left:
        notes.append(f"{table.name}: nothing is made of {listed(left, 5)}.")
    known = Known(actions.labels, actions.file)
    one, other = ("first", "second") if "choice" in roles else ("preferred", "other")
    cells: dict[str, Any] = {roles[one]: known, roles[other]: known}
    if "choice" in roles:
        cells[roles["choice"]] = Text("a choice")
    cells |= optional_cells(table, roles)
    frame = table.read(cells)
    pairs = _pairs(table, frame, roles[one], roles[other], actions)
    outcomes = _outcomes(table, frame, roles, actions, first_label, notes)
    by, deciders = deciders_of(frame, roles)
    counts = counts_of(table, frame, roles)
    made = Comparisons(actions.utilities, pairs, np.ones(len(pairs), dtype=np.int8), counts, by)
    made.outcomes = outcomes  # a file says which are ties: 0 and +1 alone need no second look
    made.stakeholders, made.names = actions.stakeholders, actions.names
    return NamedComparisons(made, deciders, tuple(notes))


def _roles(table: FileTable, told: Roles, actions: Actions, notes: list[str]) -> Roles:
    """Which column plays which role: as told, or by names that leave no doubt."""
    roles = {role: column_named(table, column, role) for role, column in told.items()}
    for layout in (_PREFERRED, _CHOSEN):
        if not set(roles) <= {*layout, *_OPTIONAL}:
            continue
        found = roles | {
            role: column
            for role, names in layout.items()
            if role not in roles and (column := _called(table, names)) is not None
        }
        if set(layout) <= set(found):
            strange = [
                f"{shown(found[r])} ({r})"
                for r in layout
                if found[r].lower() != r and r not in told
            ]
            if strange:
                notes.append(f"{table.name}: columns were taken as {', '.join(strange)}.")
            _refuse_shared(table, found)
            return found | optional_roles(table, found)
    header = [name for name in table.columns[:2] if name in set(actions.labels)]
    hint = (
        "Its first line names actions: add a line 'preferred,other' above it."
        if len(header) == 2
        else "Rename them, or say which is which: --preferred COLUMN --other COLUMN"
    )
    raise InputError(
        f"{table.name}, line 1: there must be the columns preferred and other, or first, second "
        f"and choice; found {listed(table.columns)}. {hint}"
    )


def _refuse_shared(table: FileTable, roles: Roles) -> None:
    for role, column in roles.items():
        shared = [r for r, c in roles.items() if c == column]
        if len(shared) > 1:
            raise InputError(
                f"{table.name}: every column must have one meaning; found {shown(column)} as "
                f"{' and '.join(shared)} ({role}). Name another column."
            )


def _called(table: FileTable, names: tuple[str, ...]) -> str | None:
    """The one column with one of these names."""
    found = [column for column in table.columns if column.lower() in names]
    return found[0] if len(found) == 1 else None


def optional_roles(table: FileTable, told: Roles) -> Roles:
    """The columns called count, tie and by, where nothing else was told."""
    found = {role: _called(table, (role,)) for role in _OPTIONAL if role not in told}
    return {role: c for role, c in found.items() if c is not None and c not in told.values()}


def optional_cells(table: FileTable, roles: Roles) -> dict[str, Any]:
    """What the columns count, tie and by must hold, where there are any."""
    kinds: dict[str, Any] = {
        "count": Number("counts", 0.0, "Leave out that row.", table.decimal),
        "tie": Text("an answer", required=False),
        "by": Text("somebody who decided"),
    }
    return {roles[role]: kind for role, kind in kinds.items() if role in roles}


def counts_of(table: FileTable, frame: Any, roles: Roles) -> Any:
    """How often each comparison was observed (n,), or None if nothing is said."""
    if "count" not in roles:
        return None
    counts = frame[roles["count"]].to_numpy()
    if not counts.any():
        raise InputError(
            f"{table.name}, column {shown(roles['count'])}: something must have been observed; "
            "found only counts of 0. Correct them, or leave the column out."
        )
    return counts


def deciders_of(frame: Any, roles: Roles) -> tuple[Any, tuple[str, ...]]:
    """Who decided each comparison (n,), and the names once each; None without any."""
    import polars as pl

    if "by" not in roles:
        return None, ()
    names = frame[roles["by"]].unique(maintain_order=True)
    numbers = frame[roles["by"]].cast(pl.Enum(names)).to_physical().to_numpy()
    known = tuple(names.to_list())
    return np.array(known, dtype=object)[numbers], known  # each name is held once


def _tied(table: FileTable, frame: Any, roles: Roles) -> npt.NDArray[np.bool_] | None:
    """Which comparisons (n,) ended in a tie, by a column of its own; None without one."""
    if "tie" not in roles:
        return None
    column = roles["tie"]
    entries = frame[column].str.to_lowercase()
    strange = entries.is_in(list(_TRUE | _FALSE)).not_()
    if strange.any():
        row = int(strange.arg_max())
        raise InputError(
            f"{table.name}, {table.where(row)}, column {shown(column)}: a tie must be 1 or 0, yes "
            f"or no, or empty; found {shown(frame[column][row])}. Correct it."
        )
    return np.asarray(entries.is_in(list(_TRUE)).to_numpy())


def _pairs(
    table: FileTable, frame: Any, one: str, other: str, actions: Actions
) -> npt.NDArray[np.int32]:
    """Row numbers (n, 2) of the actions, small ones: there are often many comparisons."""
    pairs = np.empty((len(frame), 2), dtype=np.int32)
    for side, column in enumerate((one, other)):
        pairs[:, side] = frame[column].to_numpy()
    same = pairs[:, 0] == pairs[:, 1]
    if same.any():
        row = int(np.argmax(same))
        raise InputError(
            f"{table.name}, {table.where(row)}: a comparison must be between two different "
            f"actions; found {shown(actions.labels[int(pairs[row, 0])])} twice. Leave out that row."
        )
    return pairs


def _outcomes(
    table: FileTable,
    frame: Any,
    roles: Roles,
    actions: Actions,
    first_label: str | None,
    notes: list[str],
) -> npt.NDArray[np.int8]:
    if "choice" in roles:
        labels = frame[roles["choice"]]
        named = None
        if first_label is None:
            first, second = (actions.labels.gather(frame[roles[r]]) for r in ("first", "second"))
            named = outcomes_by_name(table, roles["choice"], labels, first, second)
        if named is None:
            named, guesses = outcomes_of_labels(table, roles["choice"], labels, first_label)
            notes += guesses
        outcomes = named
    else:
        outcomes = np.ones(len(frame), dtype=np.int8)
    return with_ties(table, frame, roles, outcomes)


def with_ties(
    table: FileTable, frame: Any, roles: Roles, outcomes: npt.NDArray[np.int8]
) -> npt.NDArray[np.int8]:
    """Set the outcomes (n,) to 0 where a column says that there was a tie."""
    ties = _tied(table, frame, roles)
    if ties is not None:
        outcomes = np.where(ties, np.int8(0), outcomes)
    if not outcomes.any():
        raise InputError(
            f"{table.name}: at least one comparison must end in a preference; found only ties, "
            "from which nothing can be learned."
        )
    return outcomes
