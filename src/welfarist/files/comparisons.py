"""Comparisons in a file, between actions that another file describes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.asking import UsageError
from welfarist.base.errors import InputError
from welfarist.base.validation import HandedOver
from welfarist.decisions import Comparisons
from welfarist.files.actions import Actions
from welfarist.files.answers import SETTINGS, TIME
from welfarist.files.cells import Number, Text, listed, shown
from welfarist.files.choices import SKIPPED, outcomes_by_name, outcomes_of_labels
from welfarist.files.kept_rows import KeptRows, read_rows
from welfarist.files.known_names import Known
from welfarist.files.opening import FileTable, open_table
from welfarist.files.roles import Roles, roles_of
from welfarist.files.taken_apart import menus_taken_apart

_TRUE = {"1", "true", "yes", "tie", "x"}
_FALSE = {"", "0", "false", "no"}
_MOST_UNKNOWN = 3


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
    drop_missing: bool = False,
    drop_unknown: bool = False,
    least: float = 0.0,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
) -> NamedComparisons:
    """Read comparisons between named actions from a file.

    Parameters
    ----------
    path : str or path
        With columns ``preferred,other`` or ``first,second,choice``, and perhaps ``count`` (how
        often), ``tie`` (neither was preferred) and ``by`` (who decided). Beside a column that
        tells the choice two others that hold names of actions are the first and the second. A
        choice of ``skip`` is left out.
    actions : Actions
    columns : mapping, optional
        Which column plays which of these roles, where they have other names.
    first_label : str, optional
        The label in `choice` that means that the first was preferred, where that is not clear.
    drop_missing : bool
        Whether comparisons in which something is missing are left out, in place of being refused.
    drop_unknown : bool
        Whether comparisons are left out that name an action which `actions` do not have. Those
        of actions that were left out because something is missing always are.
    least : float
        The smallest utility there may be, as in :func:`read_actions`.
    separator, decimal, sheet, encoding
        As in :func:`open_table`.
    """
    reading = dict(separator=separator, decimal=decimal, sheet=sheet, encoding=encoding)
    table = open_table(path, **reading)
    notes = list(table.notes)
    if actions.absent:
        raise UsageError(
            "{absent} is for choices from menus; found comparisons. Give pairs as menus of two: "
            "{choices:FILE}"
        )
    roles = roles_of(table, dict(columns or {}), actions.labels, notes)
    if first_label is not None and "choice" not in roles:
        raise UsageError(
            "{first_label} is for a column that tells the choice; found none. Leave it out."
        )
    left = [column for column in table.columns if column not in roles.values()]
    if "choice" in roles and {TIME, SETTINGS} <= set(left):  # answers to `welfarist ask`
        left = [column for column in left if column not in (TIME, SETTINGS)]
    if left:
        notes.append(f"{table.name}: nothing is made of {listed(left, 5)}.")
    one, other = ("first", "second") if "choice" in roles else ("preferred", "other")
    sides = roles[one], roles[other]
    known = Known(actions.labels, actions.file)
    lenient = drop_unknown or bool(actions.left_out)
    cells: dict[str, Any] = dict.fromkeys(sides, Text("an action") if lenient else known)
    if "choice" in roles:
        cells[roles["choice"]] = Text("a choice")
    cells |= optional_cells(table, roles)
    read = read_rows(table, cells, drop_missing, "comparisons", notes)
    if "choice" in roles:
        read = _answered(read, roles["choice"], actions, notes)
    if lenient:
        read = _known_part(read, sides, known, actions, drop_unknown, notes)
    frame = read.frame
    pairs = _pairs(read, *sides, actions)
    outcomes = _outcomes(read, roles, actions, first_label, notes)
    by, deciders = deciders_of(frame, roles)
    counts = counts_of(read, roles)
    name = table.name
    del table, read, frame  # what was read takes more memory than what is kept of it
    ones = np.ones(len(pairs), dtype=np.int8)
    made = Comparisons(actions.utilities, HandedOver(pairs), ones, counts, by, least=least)
    made.outcomes = outcomes  # a file says which are ties: 0 and +1 alone need no second look
    made.stakeholders, made.names = actions.stakeholders, actions.names
    notes += menus_taken_apart(name, made)
    return NamedComparisons(made, deciders, tuple(notes))


def _answered(read: KeptRows, column: str, actions: Actions, notes: list[str]) -> KeptRows:
    """The comparisons that were not skipped, unless that is what an action is called."""
    skipped = read.frame[column].str.to_lowercase().is_in(list(SKIPPED)).to_numpy()
    if not skipped.any() or SKIPPED & {name.lower() for name in actions.names}:
        return read
    if skipped.all():
        raise InputError(
            f"{read.name}, column {shown(column)}: at least one comparison must have been decided; "
            f"found that all {len(read)} were skipped."
        )
    notes.append(f"{read.name}: {int(skipped.sum())} of {len(read)} comparisons were skipped.")
    return read.only(~skipped)


def _known_part(
    read: KeptRows,
    sides: tuple[str, str],
    known: Known,
    actions: Actions,
    drop_unknown: bool,
    notes: list[str],
) -> KeptRows:
    """The comparisons between actions that are there, which are numbered; `notes` counts others.

    Those between actions that were left out are left out as well; of others only if that was
    asked for.
    """
    import polars as pl

    kept = np.ones(len(read), dtype=bool)
    strange: dict[str, None] = {}
    places = {}
    for column in sides:
        names = read.frame[column].to_list()
        places[column] = np.array(known.places(names), dtype=np.int32)
        for row in np.flatnonzero(places[column] < 0).tolist():
            if not drop_unknown and names[row] not in actions.left_out:
                where = f"{read.name}, {read.where(row)}, column {shown(column)}"
                raise known.unknown(names[row]).at(where)
            strange.setdefault(names[row])
        kept &= places[column] >= 0
    numbered = [pl.Series(column, numbers) for column, numbers in places.items()]
    found = KeptRows(read.table, read.frame.with_columns(numbered), read.rows)
    say_unknown(read, kept, list(strange), actions, "comparisons", notes)
    return found if kept.all() else found.only(kept)


def say_unknown(
    read: KeptRows,
    kept: npt.NDArray[np.bool_],
    strange: list[str],
    actions: Actions,
    what: str,
    notes: list[str],
) -> None:
    """Say how many decisions are left out that name other actions; not all may be."""
    if kept.all():
        return
    count, which = int((~kept).sum()), listed(strange, _MOST_UNKNOWN)
    if not kept.any():
        raise InputError(
            f"{read.name}: at least one of the {what} must be about actions of {actions.file} "
            f"alone; found other names in all {count}, such as {which}. Is it the right file?"
        )
    notes.append(
        f"{read.name}: {count} of {len(kept)} {what} were left out, which name actions that "
        f"are not, or not completely, in {actions.file}: {which}."
    )


def optional_cells(table: FileTable, roles: Roles) -> dict[str, Any]:
    """What the columns count, tie and by must hold, where there are any."""
    kinds: dict[str, Any] = {
        "count": Number("counts", 0.0, "Leave out that row.", table.decimal),
        "tie": Text("an answer", required=False),
        "by": Text("somebody who decided"),
    }
    return {roles[role]: kind for role, kind in kinds.items() if role in roles}


def counts_of(read: KeptRows, roles: Roles) -> Any:
    """How often each comparison was observed (n,), or None if nothing is said."""
    if "count" not in roles:
        return None
    counts = read.frame[roles["count"]].to_numpy()
    if not counts.any():
        raise InputError(
            f"{read.name}, column {shown(roles['count'])}: something must have been observed; "
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


def _tied(read: KeptRows, roles: Roles) -> npt.NDArray[np.bool_] | None:
    """Which comparisons (n,) ended in a tie, by a column of its own; None without one."""
    if "tie" not in roles:
        return None
    column, frame = roles["tie"], read.frame
    entries = frame[column].str.to_lowercase()
    strange = entries.is_in(list(_TRUE | _FALSE)).not_()
    if strange.any():
        row = int(strange.arg_max())
        raise InputError(
            f"{read.name}, {read.where(row)}, column {shown(column)}: a tie must be 1 or 0, yes "
            f"or no, or empty; found {shown(frame[column][row])}. Correct it."
        )
    return np.asarray(entries.is_in(list(_TRUE)).to_numpy())


def _pairs(read: KeptRows, one: str, other: str, actions: Actions) -> npt.NDArray[np.int32]:
    """Row numbers (n, 2) of the actions, small ones: there are often many comparisons."""
    pairs = np.empty((len(read), 2), dtype=np.int32)
    for side, column in enumerate((one, other)):
        pairs[:, side] = read.frame[column].to_numpy()
    same = pairs[:, 0] == pairs[:, 1]
    if same.any():
        row = int(np.argmax(same))
        raise InputError(
            f"{read.name}, {read.where(row)}: a comparison must be between two different "
            f"actions; found {shown(actions.labels[int(pairs[row, 0])])} twice. Leave out that row."
        )
    return pairs


def _outcomes(
    read: KeptRows, roles: Roles, actions: Actions, first_label: str | None, notes: list[str]
) -> npt.NDArray[np.int8]:
    frame = read.frame
    if "choice" in roles:
        labels = frame[roles["choice"]]
        named = None
        sides = roles["first"], roles["second"]
        if first_label is None:
            first, second = (actions.labels.gather(frame[column]) for column in sides)
            named = outcomes_by_name(read, roles["choice"], labels, first, second)
        if named is None:
            named, guesses = outcomes_of_labels(
                read, roles["choice"], labels, first_label, called=sides
            )
            notes += guesses
        outcomes = named
    else:
        outcomes = np.ones(len(frame), dtype=np.int8)
    return with_ties(read, roles, outcomes)


def with_ties(read: KeptRows, roles: Roles, outcomes: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Set the outcomes (n,) to 0 where a column says that there was a tie."""
    ties = _tied(read, roles)
    if ties is not None:
        outcomes = np.where(ties, np.int8(0), outcomes)
    if not outcomes.any():
        raise InputError(
            f"{read.name}: at least one comparison must end in a preference; found only ties, "
            "from which nothing can be learned."
        )
    return outcomes
