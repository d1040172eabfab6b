"""Actions in a file: one row an action, its name first, then one column a stakeholder."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.asking import RequestError, UsageError
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.files.cells import Number, Text, listed, shown
from welfarist.files.kept_rows import KeptRows, Maybe, read_rows
from welfarist.files.opening import FileTable, column_named, columns_named, open_table
from welfarist.files.plain_columns import PlainColumn
from welfarist.people.source import is_source

SCORE = "score"
# People whose typical utilities differ by more than this factor are hardly measured alike.
_ONE_MAGNITUDE = 10.0
# About so many actions show of which magnitude utilities are.
_ENOUGH = 1_000

_IF_ABSENT = "If it means that somebody is not affected, say {absent:True}"
_NO_STAKEHOLDER = "Correct it, or leave the column out: {ignore:COLUMN}"


@dataclass(frozen=True, eq=False)
class Actions:
    """Actions as a file gives them.

    Attributes
    ----------
    file : str
        What messages call the file.
    labels : polars.Series or PlainColumn
        The names, as they were read; see `names`.
    utilities : (N, d) array or Sketch
        In a sketch, stakeholders are groups of people.
    stakeholders : tuple of str
    scores : (N,) array or None
    notes : tuple of str
        What was guessed, in sentences.
    left_out : frozenset of str
        The names of actions that were left out because something is missing in their rows.
    unused : tuple of str
        Columns of the file that are neither names nor scores nor stakeholders.
    absent : bool
        Whether an empty utility, which is NaN, means that somebody is not affected.
    """

    file: str
    labels: Any = field(repr=False)
    utilities: Any = field(repr=False)
    stakeholders: tuple[str, ...]
    scores: FloatArray | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()
    unused: tuple[str, ...] = ()
    absent: bool = False

    def __len__(self) -> int:
        return len(self.utilities)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The actions' names (N,)."""
        return tuple(self.labels.to_list())

    def frame(self) -> Any:
        """The utilities as a data frame with the stakeholders as columns, or the sketch."""
        if is_source(self.utilities):
            return self.utilities
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
    drop_missing: bool = False,
    absent: bool = False,
    may_be_absent: bool = False,
    least: float = 0.0,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
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
        The columns of the utilities; all that hold numbers and have no other meaning if left out.
    ignore : list of str
        Columns to leave out.
    drop_missing : bool
        Whether actions of which something is missing are left out, in place of being refused.
    absent : bool
        Whether an empty utility means that somebody is not affected by an action.
    may_be_absent : bool
        Whether that may be said where it is not: messages about empty utilities name it.
    least : float
        The smallest that a utility may be: less than 0 where a constant will be added to all.
    separator, decimal, sheet, encoding
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
    reading = dict(separator=separator, decimal=decimal, sheet=sheet, encoding=encoding)
    return actions_of(
        open_table(path, **reading),
        name=name,
        numbered=numbered,
        score=score,
        stakeholders=stakeholders,
        ignore=ignore,
        drop_missing=drop_missing,
        absent=absent,
        may_be_absent=may_be_absent,
        least=least,
    )


def actions_of(
    table: FileTable,
    *,
    name: str | None = None,
    numbered: bool = False,
    score: str | None = None,
    stakeholders: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    drop_missing: bool = False,
    absent: bool = False,
    may_be_absent: bool = False,
    least: float = 0.0,
) -> Actions:
    """Return the actions in a table that is open; see :func:`read_actions`."""
    if numbered and name is not None:
        raise UsageError("{name} and {numbered} exclude each other; found both. Give one.")
    named = None if numbered else _name_column(table, name)
    scored = None if score is None else column_named(table, score, "the score")
    left_out = set(columns_named(table, ignore, "a column to ignore"))
    notes = list(table.notes)
    people = people_of(table, (named, scored), stakeholders, left_out, notes, scored is not None)
    number = utility(table, least, _NO_STAKEHOLDER, may_be_absent)
    cells: dict[str, Any] = dict.fromkeys(people, Maybe(number) if absent else number)
    if named is not None:
        cells[named] = Text("a name")
    if scored is not None:
        cells[scored] = Number("scores", decimal=table.decimal)
    read = read_rows(table, cells, drop_missing, "actions", notes, small=not absent)
    utilities = utilities_of(read.frame, people)
    if absent:
        refuse_nobody(read, utilities)
    if stakeholders is None:
        notes += of_another_magnitude(table.name, people, utilities)
    used = {*people, named, scored}
    return Actions(
        table.name,
        _labels(read, named),
        utilities,
        tuple(people),
        None if scored is None else read.frame[scored].to_numpy(),
        tuple(notes),
        _names_left_out(read, named),
        tuple(column for column in table.columns if column not in used),
        absent,
    )


def utility(
    table: FileTable,
    least: float = 0.0,
    way_out: str = "Correct it.",
    may_be_absent: bool = False,
) -> Number:
    """What a cell with a utility must hold; an empty one may mean that somebody is absent."""
    advice = "Correct it, or add a constant to every utility: {shift:NUMBER}"
    if least:
        advice = f"Correct it, or add more than {-least:g} to every utility: {{shift:NUMBER}}"
    if_empty = _IF_ABSENT if may_be_absent else ""
    return Number("utilities", least, advice, table.decimal, way_out, if_empty)


def _name_column(table: FileTable, name: str | None) -> str:
    return table.columns[0] if name is None else column_named(table, name, "the name")


def people_of(
    table: FileTable,
    taken: Sequence[str | None],
    stakeholders: Sequence[str] | None,
    left_out: set[str],
    notes: list[str],
    scored: bool = False,
) -> list[str]:
    """Which columns are stakeholders; says in `notes` what was decided without being told.

    Columns that are `taken` mean something else. If nothing is `scored`, one that is called so is
    no stakeholder either.
    """
    if stakeholders is not None:
        people = columns_named(table, stakeholders, "a stakeholder")
        twice = [person for person, times in Counter(people).items() if times > 1]
        wrong = [*twice, *(person for person in people if person in taken)]
        if wrong:
            raise UsageError(
                "{stakeholders} must name columns of their own; found {found} twice, or as the "
                "name or score as well. Name each column once.",
                found=shown(wrong[0]),
            )
        return people
    left = [c for c in table.columns if c not in taken and c not in left_out]
    unscored = [] if scored else [c for c in left if c.lower() == SCORE]
    if unscored:
        notes.append(
            f"{table.name}: the column {shown(unscored[0])} was not taken for a stakeholder."
        )
    numbers = [c for c in left if c not in unscored]
    texts = table.texts(numbers)
    left_out = set(texts)
    people = [c for c in numbers if c not in left_out]
    if not people:
        hint = "Say what separates the columns, such as {separator:';'}"
        raise RequestError(
            "{name}, line 1: there must be a column of names and one column per stakeholder, which "
            "holds numbers; found only {found}. "
            + ("Correct them, or name the columns: {stakeholders:a,b}" if texts else hint),
            name=table.name,
            found=f"texts in {listed(texts)}" if texts else listed(table.columns),
        )
    if texts:
        held = "it holds" if len(texts) == 1 else "they hold"
        notes.append(f"{table.name}: left out {listed(texts)}, because {held} texts.")
    return people


def far_smaller(utilities: FloatArray) -> npt.NDArray[np.bool_]:
    """Whose utilities (N, d) are typically of a smaller magnitude than somebody else's (d,)."""
    if not np.isnan(utilities).any():
        typical = np.median(np.abs(utilities), axis=0)
    else:
        there = [column[~np.isnan(column)] for column in utilities.T]
        typical = np.array([np.median(np.abs(c)) if len(c) else np.nan for c in there])
    with np.errstate(over="ignore"):  # what is beyond all numbers is not smaller
        return np.asarray(typical * _ONE_MAGNITUDE < np.nanmax(typical))


def of_another_magnitude(file: str, people: list[str], utilities: FloatArray) -> list[str]:
    """Say which columns may be no stakeholders, such as a year beside points from 0 to 10."""
    smaller = far_smaller(utilities[:: max(1, len(utilities) // _ENOUGH)])
    few = smaller if 2 * smaller.sum() <= len(people) else ~smaller
    if not smaller.any():
        return []
    odd = [person for person, is_odd in zip(people, few, strict=True) if is_odd]
    are, them, ones = (
        ("is", "it", "a stakeholder") if len(odd) == 1 else ("are", "them", "stakeholders")
    )
    return [
        f"{file}: {listed(odd)} {are} of another magnitude than the other columns; leave {them} "
        f"out (ignore=…) unless {ones}, measured like everybody else."
    ]


def refuse_nobody(read: KeptRows, utilities: FloatArray) -> None:
    """Require that every action (N, d) affects somebody."""
    nobody = np.isnan(utilities).all(axis=1)
    if nobody.any():
        raise InputError(
            f"{read.name}, {read.where(int(np.argmax(nobody)))}: every action must affect "
            "somebody; found one without any utility. Leave out that row."
        )


def refuse_never(file: str, people: Sequence[str], utilities: FloatArray) -> None:
    """Require that everybody is affected by some action (N, d), to learn how much they count."""
    never = np.isnan(utilities).all(axis=0)
    if never.any():
        raise RequestError(
            "{name}, column {column}: everybody must be affected by some action; found nothing in "
            "the whole column. Leave it out: {ignore:COLUMN}",
            name=file,
            column=shown(people[int(np.argmax(never))]),
        )


def _labels(read: KeptRows, named: str | None) -> Any:
    """The actions' names, all different; those without names have the numbers of their rows."""
    if named is None:
        numbers = range(len(read)) if read.rows is None else read.rows.tolist()
        return PlainColumn("action", [str(number + 1) for number in numbers])
    labels = read.frame[named]
    if labels.n_unique() == len(labels):
        return labels
    again = labels.is_first_distinct().arg_min()
    first = (labels == labels[again]).arg_max()
    raise RequestError(
        "{file}, {where}, column {column}: actions must have different names; found {found} in "
        "{first} as well. Rename one, choose the column of names with {name}, or number the "
        "actions with {numbered:True}.",
        file=read.name,
        where=read.where(again),
        column=shown(named),
        found=shown(labels[again]),
        first=read.where(first),
    )


def _names_left_out(read: KeptRows, named: str | None) -> frozenset[str]:
    """The names of the actions that were left out."""
    if read.rows is None or named is None:
        return frozenset()
    every = read.table.read({named: Text("a name", required=False)})[named].to_list()
    kept = set(read.rows.tolist())
    return frozenset(name for row, name in enumerate(every) if row not in kept and name)


def utilities_of(frame: Any, people: list[str]) -> FloatArray:
    """The columns of the people side by side (N, d), stored column by column as they came."""
    return np.asarray(frame.select(people).to_numpy(), dtype=np.float64)
