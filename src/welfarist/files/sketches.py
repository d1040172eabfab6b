"""Sketches of people in the place of a table of actions, and what is decided beside them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.files.actions import SCORE, Actions
from welfarist.files.cells import Number, listed
from welfarist.files.kept_rows import read_rows
from welfarist.files.known_names import Known
from welfarist.files.opening import FileTable, open_table
from welfarist.files.plain_columns import PlainColumn
from welfarist.files.sources import STANDARD_INPUT
from welfarist.people.sketch.header import is_saved


def is_sketch(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a sketch, by what it says of itself and not by its name."""
    return os.fspath(path) != STANDARD_INPUT and is_saved(path)


def read_sketch(path: str | os.PathLike[str]) -> Actions:
    """Return the actions of a sketch; its groups stand where stakeholders stand in a table."""
    from welfarist.people.sketch.sketch import Sketch  # which tables do not need

    sketch = Sketch.load(path)
    labels = PlainColumn("action", list(sketch.actions))
    return Actions(os.fspath(path), labels, sketch, sketch.stakeholders)


def read_scores(
    path: str | os.PathLike[str],
    actions: Actions,
    *,
    drop_missing: bool = False,
    notes: list[str],
    **reading: Any,
) -> tuple[npt.NDArray[np.intp], FloatArray]:
    """Return which actions were scored (n,), and their scores (n,), from a file of both.

    The first column has the names of actions; the scores are in one called "score", or in the
    only other.
    """
    table = open_table(path, **reading)
    named, scored = table.columns[0], _score_column(table)
    known = Known(actions.labels, actions.file, "scores")
    cells: dict[str, Any] = {named: known, scored: Number("scores", decimal=table.decimal)}
    read = read_rows(table, cells, drop_missing, "scores", notes)
    notes[:0] = table.notes
    left = [column for column in table.columns if column not in (named, scored)]
    if left:
        notes.append(f"{table.name}: nothing is made of {listed(left, 5)}.")
    rows = read.frame[named].to_numpy().astype(np.intp)
    return rows, np.asarray(read.frame[scored].to_numpy(), dtype=np.float64)


def _score_column(table: FileTable) -> str:
    others = table.columns[1:]
    called = [column for column in others if column.lower() == SCORE]
    if called:
        return called[0]
    if len(others) != 1:
        raise InputError(
            f"{table.name}, line 1: there must be a column of actions' names and one called score; "
            f"found {listed(table.columns)}. Rename the column of the scores."
        )
    return others[0]
