"""Actions in a file: one row an action, its name first, then one column a stakeholder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.files.cells import Number, Text, listed, shown
from welfarist.files.opening import FileTable, column_named, open_table
from welfarist.files.plain_columns import PlainColumn

SCORE = "score"
NEGATIVE_ADVICE = "Correct it, or shift the scale so that 0 is the worst that can happen."

_NO_STAKEHOLDER = "Correct it, or leave the column out with --ignore."


@dataclass(frozen=True, eq=False)
class Actions:
    """Actions as a file gives them.

    Attributes
    ----------
    file : str
        What messages call the file.
    labels : polars.Series or PlainColumn
        The names, as they were read; see `names`.
    utilities : (N, d) array
    stakeholders : tuple of str
    scores : (N,) array or None
    notes : tuple of str
        What was guessed, in sentences.
    """

    file: str
    labels: Any = field(repr=False)
    utilities: FloatArray = field(repr=False)
    stakeholders: tuple[str, ...]
    scores: FloatArray | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.utilities)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The actions' names (N,)."""
        return tuple(self.labels.to_list())

    def frame(self) -> Any:
        """The utilities as a data frame with the stakeholders as columns."""
        import polars as pl

        return pl.DataFrame(self.utilities, schema=list(self.stakeholders))


def read_actions(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    numbered: bool = False,
    score: str | None = None,
    stakeholders: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
) -> Actions:
    r"""Read actions from a file: CSV, TSV, Parquet, Feather, Excel, Stata, or "-".

    Parameters
    ----------
    path : str or path
    name : str, optional
        The column of the actions' names; the first if left out.
    numbered : bool
        Whether the actions have no names and are called by their numbers, from 1 on.
    score : str, optional
        The column of the scores. Left out, a column called "score" is no stakeholder either.
    stakeholders : list of str, optional
        The columns of the utilities; all that have no other meaning if left out.
    ignore : list of str
        Columns to leave out.
    separator, decimal, sheet
        As in :func:`open_table`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "actions.csv"
    ...     _ = path.write_text("action,donors,recipients\npantry,9,2\nshelter,5,6\n")
    ...     actions = read_actions(path)
    >>> actions.names, actions.stakeholders
    (('pantry', 'shelter'), ('donors', 'recipients'))
    >>> actions.utilities
    array([[9., 2.],
           [5., 6.]])
    """
    table = open_table(path, separator=separator, decimal=decimal, sheet=sheet)
    if numbered and name is not None:
        raise InputError("--name and --numbered exclude each other; found both. Give one.")
    named = None if numbered else _name_column(table, name)
    scored = None if score is None else column_named(table, score, "the score")
    left_out = {column_named(table, column, "a column to ignore") for column in ignore}
    notes = list(table.notes)
    people = _people(table, named, scored, stakeholders, left_out, notes)
    number = Number("utilities", 0.0, NEGATIVE_ADVICE, table.decimal, _NO_STAKEHOLDER)
    cells: dict[str, Any] = dict.fromkeys(people, number)
    if named is not None:
        cells[named] = Text("a name")
    if scored is not None:
        cells[scored] = Number("scores", decimal=table.decimal)
    frame: Any = table.read_small(cells)
    if frame is None:
        frame = table.read(cells)
    labels = _labels(table, frame, named)
    scores = None if scored is None else frame[scored].to_numpy()
    utilities = utilities_of(frame, people)
    return Actions(table.name, labels, utilities, tuple(people), scores, tuple(notes))


def _name_column(table: FileTable, name: str | None) -> str:
    return table.columns[0] if name is None else column_named(table, name, "the name")


def _people(
    table: FileTable,
    named: str | None,
    scored: str | None,
    stakeholders: Sequence[str] | None,
    left_out: set[str],
    notes: list[str],
) -> list[str]:
    """Which columns are stakeholders; says in `notes` what was decided without being told."""
    if stakeholders is not None:
        people = [column_named(table, person, "a stakeholder") for person in stakeholders]
        twice = [person for i, person in enumerate(people) if person in people[:i]]
        wrong = [*twice, *(person for person in people if person in (named, scored))]
        if wrong:
            raise InputError(
                f"{table.name}: stakeholders must be columns of their own; found {shown(wrong[0])} "
                "twice, or as the name or score as well. Name each column once."
            )
        return people
    left = [c for c in table.columns if c not in (named, scored) and c not in left_out]
    unscored = [c for c in left if c.lower() == SCORE] if scored is None else []
    if unscored:
        notes.append(
            f"{table.name}: the column {shown(unscored[0])} was not taken for a stakeholder."
        )
    people = [c for c in left if c not in unscored]
    if not people:
        raise InputError(
            f"{table.name}, line 1: there must be a column of names and one column per "
            f"stakeholder; found only {listed(table.columns)}. Say what separates the "
            "columns, such as --separator ';'"
        )
    return people


def _labels(table: FileTable, frame: Any, named: str | None) -> Any:
    """The actions' names, all different."""
    if named is None:
        return PlainColumn("action", [str(number) for number in range(1, len(frame) + 1)])
    labels = frame[named]
    if labels.n_unique() == len(labels):
        return labels
    again = labels.is_first_distinct().arg_min()
    first = (labels == labels[again]).arg_max()
    raise InputError(
        f"{table.name}, {table.where(again)}, column {shown(named)}: actions must have different "
        f"names; found {shown(labels[again])} in {table.where(first)} as well. Rename one, "
        "choose the column of names with --name, or number the actions with --numbered."
    )


def utilities_of(frame: Any, people: list[str]) -> FloatArray:
    """The columns of the people side by side (N, d), stored column by column as they came."""
    return np.asarray(frame.select(people).to_numpy(), dtype=np.float64)
