"""What was decided, read from the files that somebody names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from welfarist.app.texts import listed
from welfarist.app.usage import UsageError
from welfarist.base.validation import FloatArray
from welfarist.files import open_table, read_actions
from welfarist.files.actions import SCORE
from welfarist.files.sources import FORMATS, STANDARD_INPUT


@dataclass(frozen=True)
class TableOptions:
    """How a table of actions is to be read; `welfarist.files.read_actions` says what it means.

    Lists of columns are texts with commas between the names.
    """

    name: str | None = None
    numbered: bool = False
    stakeholders: str | None = None
    ignore: str | None = None
    separator: str | None = None
    decimal: str | None = None
    sheet: str | None = None

    def check(self, paths: list[str | None]) -> None:
        """Refuse what says nothing about these files."""
        formats = {_format(path) for path in paths if path is not None} - {None}
        if self.sheet is not None and formats and "excel" not in formats:
            raise UsageError("{sheet} is for workbooks; found none. Leave it out.")
        for name in ("separator", "decimal"):
            if getattr(self, name) is not None and formats and "text" not in formats:
                raise UsageError(
                    f"{{{name}}} is for text files such as CSV; found none. Leave it out."
                )

    def text(self) -> dict[str, Any]:
        """What holds for every table."""
        return dict(separator=self.separator, decimal=self.decimal, sheet=self.sheet)

    def actions(self) -> dict[str, Any]:
        """What holds for a table of actions."""
        return dict(
            name=self.name,
            numbered=self.numbered,
            stakeholders=listed(self.stakeholders),
            ignore=listed(self.ignore) or (),
            **self.text(),
        )


def _format(path: str) -> str | None:
    """What the ending of a name says; None where it says nothing."""
    return FORMATS.get(".csv" if path == STANDARD_INPUT else Path(path).suffix.lower())


@dataclass(frozen=True)
class DecisionOptions:
    """Where decisions are, and which columns say what."""

    comparisons: str | None = None
    score: str | None = None
    wide: bool = False
    preferred: str | None = None
    other: str | None = None
    first: str | None = None
    second: str | None = None
    choice: str | None = None
    first_label: str | None = None
    count: str | None = None
    tie: str | None = None
    by: str | None = None

    def roles(self, *names: str) -> dict[str, str]:
        """The columns that were named, by role."""
        told = {name: getattr(self, name) for name in names}
        return {name: column for name, column in told.items() if column is not None}


@dataclass(frozen=True)
class Decided:
    """Decisions as the learners take them.

    Attributes
    ----------
    X : Comparisons or data frame
    scores : (N,) array or None
        None for comparisons.
    people : tuple of str
        The stakeholders.
    notes : tuple of str
        What was guessed.
    deciders : tuple of str
        Who decided; empty if nobody said.
    """

    X: Any
    scores: FloatArray | None
    people: tuple[str, ...]
    notes: tuple[str, ...]
    deciders: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """What kind of decisions these are."""
        return "scores" if self.scores is not None else str(self.X.kind)


# Options that say something about comparisons, and what wide tables make of the others.
_COMPARED = (
    "preferred", "other", "first", "second", "choice", "first_label", "count", "tie", "by",
)  # fmt: skip
_NAMED = ("preferred", "other")
_OF_ACTIONS = ("name", "numbered", "stakeholders", "ignore")


def read_decisions(path: str, table: TableOptions, decision: DecisionOptions) -> Decided:
    """Read scores or comparisons; which of them must be said, or clear from the header."""
    told = [decision.comparisons is not None, decision.score is not None, decision.wide]
    if sum(told) > 1:
        raise UsageError("give one of {comparisons}, {score} and {wide}, not several.")
    table.check([path, decision.comparisons])
    if decision.wide:
        _refuse(decision, _NAMED, "is for {comparisons}, not for {wide}")
        _refuse(table, _OF_ACTIONS, "is for a table of actions, not for {wide}")
        return _wide(path, table, decision)
    if decision.comparisons is None:
        _refuse(decision, _COMPARED, "is for comparisons, not for scores")
        return _scored(path, table, decision.score)
    return _compared(path, table, decision, decision.comparisons)


def _refuse(options: Any, names: tuple[str, ...], why: str) -> None:
    """Refuse options that would have no effect."""
    for name in names:
        if getattr(options, name):
            raise UsageError(f"{{{name}}} {why}. Leave it out.")


def _compared(
    path: str, table: TableOptions, decision: DecisionOptions, comparisons: str
) -> Decided:
    if path == comparisons == STANDARD_INPUT:
        raise UsageError("standard input (-) can be read once: name a file for the other.")
    from welfarist.files import read_comparisons  # which actions alone do not need

    actions = read_actions(path, **table.actions())
    read = read_comparisons(
        comparisons,
        actions,
        columns=decision.roles(
            "preferred", "other", "first", "second", "choice", "count", "tie", "by"
        ),
        first_label=decision.first_label,
        **table.text(),
    )
    notes = (*actions.notes, *read.notes)
    return Decided(read.decisions, None, actions.stakeholders, notes, read.deciders)


def _wide(path: str, table: TableOptions, decision: DecisionOptions) -> Decided:
    from welfarist.files import read_wide_comparisons

    read = read_wide_comparisons(
        path,
        first=listed(decision.first),
        second=listed(decision.second),
        columns=decision.roles("choice", "count", "tie", "by"),
        first_label=decision.first_label,
        **table.text(),
    )
    people = read.decisions.stakeholders
    assert people is not None
    return Decided(read.decisions, None, people, read.notes, read.deciders)


def _scored(path: str, table: TableOptions, score: str | None) -> Decided:
    notes = []
    if score is None:
        score = _score_column(path, table)
        notes.append(f"{path}: the scores are in the column {score!r}.")
    actions = read_actions(path, score=score, **table.actions())
    people = actions.stakeholders
    return Decided(actions.frame(), actions.scores, people, (*notes, *actions.notes))


def _score_column(path: str, table: TableOptions) -> str:
    """The column that is called score, if there is one."""
    if path != STANDARD_INPUT:  # which can be read once
        for column in open_table(path, **table.text()).columns:
            if column.lower() == SCORE:
                return column
    raise UsageError(
        "say what was decided: {comparisons} FILE, {score} COLUMN, or {wide} if {actions} holds "
        "comparisons itself."
    )
