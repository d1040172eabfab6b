"""People with errors in the place of a table of actions, and what stakeholders answered."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from welfarist.base.asking import RequestError
from welfarist.base.errors import InputError
from welfarist.files.actions import Actions, read_actions
from welfarist.files.cells import Cell, Text, listed
from welfarist.files.kept_rows import KeptRows, read_rows
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


def read_features(path: str, **reading: Any) -> tuple[dict[str, list[Any]], Actions]:
    """Return what is known of actions, by column, and how it was read.

    Their names are in the column called action.
    """
    try:
        read = read_actions(path, least=-np.inf, **reading)
    except RequestError as problem:
        raise _of_features(problem) from None
    columns = dict(zip(read.stakeholders, read.utilities.T.tolist(), strict=True))
    return {"action": list(read.names), **columns}, read


def _of_features(problem: RequestError) -> RequestError:
    """The same problem in words of features, which are no utilities."""
    said = str(problem.args[0]).replace("utilities must", "features must")
    said = said.replace("one column per stakeholder", "one column per feature")
    return type(problem)(
        said.replace(", or name the columns: {stakeholders:a,b}", ""), **problem.found
    )


@dataclass(frozen=True, eq=False)
class ReadAnswers:
    """Answers as a file has them.

    Attributes
    ----------
    columns : dict of lists of str
    rows : KeptRows
        Where each stands.
    notes : tuple of str
    """

    columns: dict[str, list[str]]
    rows: KeptRows
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.columns["stakeholder"])

    def at_its_line(self, problem: InputError) -> InputError:
        """The same problem, with the line of the file in the place of a row's number."""
        found = re.search(r" in row (\d+)", str(problem))
        if found is None or isinstance(problem, RequestError):
            return problem
        said = str(problem).replace(found.group(0), "", 1)
        return InputError(f"{self.rows.name}, {self.rows.where(int(found.group(1)))}: {said}")


def read_answers(
    path: str, *, drop_missing: bool = False, without: frozenset[str] = frozenset(), **reading: Any
) -> ReadAnswers:
    """Return what stakeholders answered, by column; capitals of the names need not be right.

    If `drop_missing`, rows in which something is missing are left out, and those about actions
    `without` features.
    """
    table = open_table(path, **reading)
    by_name = {column.lower(): column for column in table.columns}
    layout = next((one for one in LAYOUTS if set(one) <= set(by_name)), None)
    if layout is None:
        wanted = "; or ".join(", ".join(one) for one in LAYOUTS)
        raise InputError(
            f"{table.name}, line 1: answers must have columns {wanted}; found "
            f"{listed(table.columns)}. Rename them."
        )
    notes: list[str] = []
    cells: dict[str, Cell] = {by_name[name]: Text(f"a {name}") for name in layout}
    rows = read_rows(table, cells, drop_missing, "answers", notes)
    columns = {name: rows.frame[by_name[name]].to_list() for name in layout}
    if without:
        about = [columns[name] for name in layout if name in ("first", "second", "action")]
        kept = np.array([without.isdisjoint(named) for named in zip(*about, strict=True)])
        if not kept.all():
            notes.append(
                f"{table.name}: {int((~kept).sum())} of {len(kept)} answers were left out, about "
                "actions that were left out."
            )
        rows = rows.only(kept)
        columns = {name: rows.frame[by_name[name]].to_list() for name in layout}
    return ReadAnswers(columns, rows, tuple(notes))
