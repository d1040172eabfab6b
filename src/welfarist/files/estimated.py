"""People with errors in the place of a table of actions, and what stakeholders answered."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.files.actions import Actions, read_actions
from welfarist.files.cells import Text, listed
from welfarist.files.opening import open_table
from welfarist.files.plain_columns import PlainColumn
from welfarist.files.sources import STANDARD_INPUT
from welfarist.people.estimated.people import People
from welfarist.people.estimated.saved import is_people, load_people

# The columns of answers, in the layouts that are known.
LAYOUTS = (
    ("stakeholder", "first", "second", "choice"),
    ("stakeholder", "ranking", "action", "rank"),
    ("stakeholder", "action", "rating"),
)


def holds_people(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds people with errors, by what it says of itself."""
    return os.fspath(path) != STANDARD_INPUT and is_people(path)


def read_people(path: str | os.PathLike[str]) -> Actions:
    """Return the actions of people with errors."""
    people = load_people(path, People)
    names = people.row_names or tuple(str(i + 1) for i in range(len(people)))
    stakeholders = people.stakeholders or tuple(f"person {i}" for i in range(people.shape[1]))
    utilities = people.utilities if people.are_exact else people
    labels = PlainColumn("action", list(names))
    return Actions(os.fspath(path), labels, utilities, stakeholders)


def read_features(path: str, **reading: Any) -> dict[str, list[Any]]:
    """Return what is known of actions, by column, their names in the one called action."""
    read = read_actions(path, least=-np.inf, **reading)
    columns = dict(zip(read.stakeholders, read.utilities.T.tolist(), strict=True))
    return {"action": list(read.names), **columns}


def read_answers(path: str, **reading: Any) -> dict[str, list[str]]:
    """Return what stakeholders answered, by column; capitals of the names need not be right."""
    table = open_table(path, **reading)
    by_name = {column.lower(): column for column in table.columns}
    layout = next((one for one in LAYOUTS if set(one) <= set(by_name)), None)
    if layout is None:
        wanted = "; or ".join(", ".join(one) for one in LAYOUTS)
        raise InputError(
            f"{table.name}, line 1: answers must have columns {wanted}; found "
            f"{listed(table.columns)}. Rename them."
        )
    frame = table.read({by_name[name]: Text(f"a {name}") for name in layout})
    return {name: frame[by_name[name]].to_list() for name in layout}
