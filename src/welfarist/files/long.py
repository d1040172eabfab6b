"""Choices with utilities in the same rows: one per action and menu, as for discrete choice."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from welfarist.base.asking import RequestError
from welfarist.base.errors import InputError
from welfarist.decisions import Choices
from welfarist.decisions.choices import NoChoiceError
from welfarist.decisions.long_tables import is_no_person, long_table
from welfarist.files.actions import (
    of_another_magnitude,
    people_of,
    refuse_never,
    refuse_nobody,
    utilities_of,
    utility,
)
from welfarist.files.cells import Text, listed
from welfarist.files.comparisons import counts_of, deciders_of, optional_cells
from welfarist.files.kept_rows import Maybe, read_rows
from welfarist.files.menu_layouts import OPTIONAL, named_roles, say_other_names
from welfarist.files.menus import NamedChoices, flags_of, whole_menus
from welfarist.files.opening import FileTable, column_named, columns_named, open_table
from welfarist.files.roles import Roles, optional_roles, refuse_shared


def read_long_choices(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    stakeholders: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    outside: bool = False,
    absent: bool = False,
    drop_missing: bool = False,
    least: float = 0.0,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
) -> NamedChoices:
    r"""Read choices that hold the utilities of each action of a menu in a row.

    Parameters
    ----------
    path : str or path
        With the columns ``menu`` and ``chosen`` (1 or 0), and those of the people.
    columns : mapping, optional
        Which column is the ``menu``, the ``chosen``, the ``count`` or ``by``, where they have other
        names; and the ``action``, which names actions that are the same in every menu.
    stakeholders, ignore, absent, drop_missing, least
        As in :func:`read_actions`; menus of which something is missing are left out as a whole.
    outside : bool
        Whether none of these could be chosen: of such a menu no row is 1.
    separator, decimal, sheet, encoding
        As in :func:`open_table`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> text = "menu,chosen,staff,patients\n1,0,4,1\n1,1,2,2\n1,0,1,1\n2,0,2,2\n2,1,1,9\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "long.csv"
    ...     _ = path.write_text(text)
    ...     read = read_long_choices(path)
    >>> read.decisions
    Choices(2 from menus of 2 to 3 of 4 actions, 2 people)
    """
    reading = dict(separator=separator, decimal=decimal, sheet=sheet, encoding=encoding)
    table = open_table(path, **reading)
    notes = list(table.notes)
    roles = _roles(table, dict(columns or {}), notes)
    left_out = set(columns_named(table, ignore, "a column to ignore"))
    if stakeholders is None:
        left_out |= _no_people(table, {*roles.values(), *left_out}, notes)
    people = people_of(table, tuple(roles.values()), stakeholders, left_out, notes)
    number = utility(table, least, may_be_absent=True)
    cells: dict[str, Any] = dict.fromkeys(people, Maybe(number) if absent else number)
    cells |= {roles["menu"]: Text("a menu"), roles["chosen"]: Text("1 or 0")}
    if "action" in roles:
        cells[roles["action"]] = Text("an action")
    cells |= optional_cells(table, roles)
    read = read_rows(table, cells, drop_missing, "rows", notes)
    read = whole_menus(table, read, roles["menu"])
    utilities = utilities_of(read.frame, people)
    if stakeholders is None:
        notes.append(f"{table.name}: the people are {listed(people)}.")
        notes += of_another_magnitude(table.name, people, utilities)
    if absent:
        refuse_nobody(read, utilities)
        refuse_never(table.name, people, utilities)
    parts = {
        "menu": read.frame[roles["menu"]].to_numpy(),
        "chosen": flags_of(read, roles["chosen"]),
    }
    if "action" in roles:
        parts["action"] = read.frame[roles["action"]].to_numpy()
    by, deciders = deciders_of(read.frame, roles)
    told = {"counts": counts_of(read, roles), "by": by}
    parts |= {role: values for role, values in told.items() if values is not None}
    try:
        found = long_table(parts, np.array(utilities), tuple(people), outside, read.where)
        made = Choices(
            found.utilities, found.menus, found.chosen, found.counts, found.by, found.names,
            outside=outside, absent=absent, least=least,
        )  # fmt: skip
    except RequestError as problem:
        raise problem.at(table.name) from None
    except NoChoiceError as problem:
        raise InputError(f"{table.name}: {problem}") from None
    made.stakeholders, made.labels = found.stakeholders, found.labels
    made.numbered = False
    if found.names is None and made.actions < len(read):
        notes.append(
            f"{table.name}: rows with the same utilities were taken for one action, which leaves "
            f"{made.actions} of {len(read)}."
        )
    return NamedChoices(made, deciders, tuple(notes))


def _no_people(table: FileTable, taken: set[str], notes: list[str]) -> set[str]:
    """The columns that are by their names something else than people's, which `notes` says."""
    found = [c for c in table.columns if c not in taken and is_no_person(c)]
    if found:
        were = "was" if len(found) == 1 else "were"
        notes.append(
            f"{table.name}: {listed(found)} {were} not taken for people; say stakeholders=… if so."
        )
    return set(found)


def _roles(table: FileTable, told: Roles, notes: list[str]) -> Roles:
    """The columns of the menu and of what was chosen, as told or by their names.

    A column of actions must be told: the car of one menu is often not that of another.
    """
    roles = {role: column_named(table, column, role) for role, column in told.items()}
    found = {**named_roles(table, ("menu", "chosen"), roles), **roles}
    if not {"menu", "chosen"} <= set(found):
        raise RequestError(
            "{name}, line 1: there must be the columns menu and chosen; found {found}. Say which "
            "they are: {menu:COLUMN} {chosen:COLUMN}",
            name=table.name,
            found=listed(table.columns),
        )
    found |= optional_roles(table, found, OPTIONAL)
    refuse_shared(found)
    say_other_names(table, found, told, notes)
    return found
