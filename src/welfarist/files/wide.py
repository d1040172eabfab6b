"""Comparisons with the utilities of both actions in one row, as experiments record them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.asking import RequestError, UsageError
from welfarist.base.validation import FloatArray
from welfarist.decisions import Comparisons
from welfarist.decisions.paired_columns import paired_stems
from welfarist.files.actions import far_smaller, utilities_of, utility
from welfarist.files.cells import Text, listed
from welfarist.files.choices import outcomes_of_labels
from welfarist.files.comparisons import (
    NamedComparisons,
    counts_of,
    deciders_of,
    optional_cells,
    with_ties,
)
from welfarist.files.kept_rows import read_rows
from welfarist.files.opening import FileTable, column_named, columns_named, open_table
from welfarist.files.roles import CHOICES, MARKS, Roles, optional_roles


def read_wide_comparisons(
    path: str | os.PathLike[str],
    *,
    first: Sequence[str] | None = None,
    second: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    first_label: str | None = None,
    drop_missing: bool = False,
    least: float = 0.0,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
) -> NamedComparisons:
    r"""Read comparisons that hold the utilities of both actions in one row.

    Parameters
    ----------
    path : str or path
        With columns such as ``self_x, other_x, self_y, other_y, choice_x``; other columns are
        left alone.
    first, second : list of str, optional
        The columns of the first and of the second action, people in the same order; found by
        their beginnings or endings (x and y, 1 and 2, left and right, …) if left out, where all
        of them hold positive numbers of one magnitude.
    columns : mapping, optional
        Which column is the ``choice``, the ``count``, the ``tie`` or ``by``, where they have
        other names.
    first_label : str, optional
        The label in the choice that means that the first was preferred, where that is not clear.
    drop_missing : bool
        Whether comparisons in which something is missing are left out, in place of being refused.
    least : float
        The smallest utility there may be, as in :func:`read_actions`.
    separator, decimal, sheet, encoding
        As in :func:`open_table`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> text = "self_x,other_x,self_y,other_y,choice_x\n4,4,9,1,1\n2,8,5,5,0\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "choices.csv"
    ...     _ = path.write_text(text)
    ...     read = read_wide_comparisons(path)
    >>> read.decisions.stakeholders, read.decisions.outcomes.tolist()
    (('self', 'other'), [1, -1])
    """
    reading = dict(separator=separator, decimal=decimal, sheet=sheet, encoding=encoding)
    table = open_table(path, **reading)
    notes = list(table.notes)
    roles = {role: column_named(table, c, role) for role, c in dict(columns or {}).items()}
    sides = _sides(table, first, second, roles, notes)
    choice, flipped = _choice(table, roles, sides, notes)
    roles = {**roles, "choice": choice}
    roles |= optional_roles(table, roles)
    left = [c for c in table.columns if c not in sides.used and c not in roles.values()]
    if left:
        notes.append(f"{table.name}: nothing is made of {listed(left)}.")
    number = utility(table, least)
    cells: dict[str, Any] = {column: number for side in sides.columns for column in side}
    cells |= {choice: Text("a choice"), **optional_cells(table, roles)}
    read = read_rows(table, cells, drop_missing, "comparisons", notes)
    frame = read.frame
    one, other = (utilities_of(frame, side) for side in sides.columns)
    if first is None:
        _require_alike(table, sides, one, other)
    outcomes, guesses = outcomes_of_labels(
        read, choice, frame[choice], first_label, flipped, sides.marks
    )
    notes += guesses
    outcomes = with_ties(read, roles, outcomes)
    by, deciders = deciders_of(frame, roles)
    counts = counts_of(read, roles)
    made = Comparisons.from_arrays(one, other, outcomes != 0, counts, by, least=least)
    made.outcomes = outcomes  # a file says which are ties: 0 and +1 alone need no second look
    made.stakeholders = sides.people
    return NamedComparisons(made, deciders, tuple(notes))


def _require_alike(table: FileTable, sides: _Sides, one: FloatArray, other: FloatArray) -> None:
    """Require of columns that were guessed to be people's that nothing speaks against it.

    Indicators, ranks and identifiers come in pairs as well: they hold zeros, or are of another
    magnitude than money.
    """
    values = np.concatenate([one, other])
    strange = np.asarray((values <= 0).any(axis=0))
    why = "{strange} hold zeros or less"
    if not strange.any():
        strange = far_smaller(values)
        why = "{strange} are of another magnitude than {others}"
    if not strange.any():
        return
    firsts, seconds = sides.columns
    others = _without(firsts, strange)
    raise RequestError(
        "{name}: columns are taken for people's only where all of them hold positive numbers of "
        f"one magnitude; found that {why}. Say which are the people's utilities, such as "
        "{first:{firsts}} {second:{seconds}}",
        name=table.name,
        strange=listed(_without(firsts, ~strange)),
        others=listed(others),
        firsts=_typed(others or firsts),
        seconds=_typed(_without(seconds, strange) or seconds),
    )


def _without(columns: list[str], strange: npt.NDArray[np.bool_]) -> list[str]:
    return [column for column, is_strange in zip(columns, strange, strict=True) if not is_strange]


def _typed(columns: Sequence[str]) -> str:
    """Columns as they are typed."""
    text = ",".join(columns)
    return f"'{text}'" if re.search(r"[^\w,.-]", text) else text


class _Sides:
    """The columns of both actions, the people in the same order, and what marks each action."""

    def __init__(
        self,
        first: Sequence[str],
        second: Sequence[str],
        people: tuple[str, ...],
        marks: tuple[str, str] = ("", ""),
    ) -> None:
        self.columns = (list(first), list(second))
        self.people = people
        self.marks = marks
        self.used = {*first, *second}


def _sides(
    table: FileTable,
    first: Sequence[str] | None,
    second: Sequence[str] | None,
    roles: Roles,
    notes: list[str],
) -> _Sides:
    if first is not None and second is not None:
        return _told(table, first, second)
    if first is not None or second is not None:
        raise UsageError("{first} and {second} belong together; found one of them. Give both.")
    free = [c for c in table.columns if c not in roles.values() and not _is_choice(c)]
    texts = set(table.texts(free))
    free = [c for c in free if c not in texts]
    found = [
        sides
        for marks in MARKS
        for ending in (True, False)
        if (sides := _marked(free, marks, ending)) is not None
    ]
    # a_x, b_x, c_x could be about the actions a and b, but then c would be left over.
    found = [one for one in found if not any(one.used < more.used for more in found)]
    if len(found) != 1:
        raise RequestError(
            "{name}, line 1: the utilities of both actions must be in columns such as self_x, "
            "other_x, self_y, other_y; found {what} among {columns}. Say which they are: "
            "{first:self_x,other_x} {second:self_y,other_y}",
            name=table.name,
            what="none that fit" if not found else "more than one way to read them",
            columns=listed(table.columns),
        )
    shown = (", ".join(side) for side in found[0].columns)
    notes.append(f"{table.name}: the first action is in {' and the second in '.join(shown)}.")
    return found[0]


def _told(table: FileTable, first: Sequence[str], second: Sequence[str]) -> _Sides:
    one, other = (columns_named(table, side, "a utility") for side in (first, second))
    if len(one) != len(other) or not one or len({*one, *other}) < 2 * len(one):
        raise UsageError(
            "{first} and {second} must name as many different columns each; found {one} and "
            "{other}. Name the people in the same order.",
            one=listed(one),
            other=listed(other),
        )
    return _Sides(one, other, paired_stems(one, other) or tuple(one))


def _marked(columns: Sequence[str], marks: tuple[str, str], ending: bool) -> _Sides | None:
    """The columns that differ by the two marks alone, if every marked one has its partner."""
    sides = [_stems(columns, mark, ending) for mark in marks]
    if not sides[0] or set(sides[0]) != set(sides[1]):
        return None
    people = tuple(sides[0])
    first, second = ([side[person] for person in people] for side in sides)
    return _Sides(first, second, people, marks)


def _stems(columns: Sequence[str], mark: str, ending: bool) -> dict[str, str]:
    """The columns with a mark at one end, by what is left of their names."""
    pattern = rf"(.+)[_. -]{mark}" if ending else rf"{mark}[_. -](.+)"
    matches = ((re.fullmatch(pattern, column, re.IGNORECASE), column) for column in columns)
    return {match[1]: column for match, column in matches if match}


def _is_choice(column: str) -> bool:
    return bool(set(re.split("[_. -]", column.lower())) & set(CHOICES))


def _choice(table: FileTable, roles: Roles, sides: _Sides, notes: list[str]) -> tuple[str, bool]:
    """The column that tells the choice, and whether it is about the second action."""
    used = sides.used | set(roles.values())
    column = roles.get("choice")
    if column is None:
        found = [c for c in table.columns if c not in used and _is_choice(c)]
        if len(found) != 1:
            raise RequestError(
                "{name}, line 1: one column must tell the choice, such as choice_x; found {found} "
                "among {columns}. Say which: {choice:COLUMN}",
                name=table.name,
                found=listed(found) if found else "none",
                columns=listed(table.columns),
            )
        column = found[0]
        notes.append(f"{table.name}: the choice is in {column!r}.")
    parts = re.split("[_. -]", column.lower())
    return column, bool(sides.marks[1]) and sides.marks[1] in parts
