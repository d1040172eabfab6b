"""What was decided, read from the files that somebody names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from welfarist.app.memory import require_address_space
from welfarist.app.texts import listed
from welfarist.app.usage import UsageError
from welfarist.base.validation import FloatArray
from welfarist.files import open_table, read_actions
from welfarist.files.actions import SCORE, actions_of
from welfarist.files.opening import FileTable
from welfarist.files.sources import FORMATS, STANDARD_INPUT, file_and_sheet


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
    encoding: str | None = None
    drop_missing: bool = False

    def check(self, paths: list[str | None]) -> None:
        """Refuse what says nothing about these files."""
        formats = {_format(path) for path in paths if path is not None} - {None}
        if self.sheet is not None and formats and "excel" not in formats:
            raise UsageError("{sheet} is for workbooks; found none. Leave it out.")
        books = [p for p in paths if p is not None and _format(p) == "excel"]
        if self.sheet is not None and all(file_and_sheet(path)[1] for path in books):
            raise UsageError(
                "{sheet} is for workbooks that are named without a sheet; found {books}. Leave it "
                "out.",
                books=" and ".join(books),
            )
        for name in ("separator", "decimal", "encoding"):
            if getattr(self, name) is not None and formats and "text" not in formats:
                raise UsageError(
                    f"{{{name}}} is for text files such as CSV; found none. Leave it out."
                )

    def text(self) -> dict[str, Any]:
        """What holds for every table."""
        return dict(
            separator=self.separator,
            decimal=self.decimal,
            sheet=self.sheet,
            encoding=self.encoding,
        )

    def columns(self) -> dict[str, Any]:
        """What the columns of a table of actions mean."""
        return dict(
            name=self.name,
            numbered=self.numbered,
            stakeholders=listed(self.stakeholders),
            ignore=listed(self.ignore) or (),
            drop_missing=self.drop_missing,
        )

    def actions(self) -> dict[str, Any]:
        """What holds for a table of actions."""
        return {**self.columns(), **self.text()}


def _format(path: str) -> str | None:
    """What the ending of a name says; None where it says nothing."""
    file = file_and_sheet(path)[0]
    return FORMATS.get(".csv" if path == STANDARD_INPUT else Path(file).suffix.lower())


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
    drop_unknown: bool = False

    def roles(self, *names: str) -> dict[str, str]:
        """The columns that were named, by role."""
        told = {name: getattr(self, name) for name in names}
        return {name: column for name, column in told.items() if column is not None}


@dataclass(frozen=True)
class Decided:
    """Decisions as the learners take them.

    Attributes
    ----------
    X : Comparisons or Scores
    scores : (N,) array or None
        None for comparisons.
    people : tuple of str
        The stakeholders.
    notes : tuple of str
        What was guessed.
    deciders : tuple of str
        Who decided; empty if nobody said.
    encoding : str or None
        How text files are written, those of weights and groups among them.
    """

    X: Any
    scores: FloatArray | None
    people: tuple[str, ...]
    notes: tuple[str, ...]
    deciders: tuple[str, ...] = ()
    encoding: str | None = None

    @property
    def kind(self) -> str:
        """What kind of decisions these are."""
        return str(self.X.kind)


# Options that say something about comparisons, and what wide tables make of the others.
_COMPARED = (
    "preferred", "other", "first", "second", "choice", "first_label", "count", "tie", "by",
    "drop_unknown",
)  # fmt: skip
_NAMED = ("preferred", "other", "drop_unknown")
_OF_ACTIONS = ("name", "numbered", "stakeholders", "ignore")


def read_decisions(
    path: str, table: TableOptions, decision: DecisionOptions, shift: float = 0.0
) -> Decided:
    """Read scores or comparisons; which of them must be said, or clear from the header.

    `shift` is what a learner will add to every utility, none of which may then be negative.
    """
    told = [decision.comparisons is not None, decision.score is not None, decision.wide]
    if sum(told) > 1:
        raise UsageError("give one of {comparisons}, {score} and {wide}, not several.")
    require_address_space()
    table.check([path, decision.comparisons])
    if decision.wide:
        _refuse(decision, _NAMED, "is for {comparisons}, not for {wide}")
        _refuse(table, _OF_ACTIONS, "is for a table of actions, not for {wide}")
        return replace(_wide(path, table, decision, -shift), encoding=table.encoding)
    if decision.comparisons is None:
        _refuse(decision, _COMPARED, "is for comparisons, not for scores")
        return replace(_scored(path, table, decision.score, -shift), encoding=table.encoding)
    read = _compared(path, table, decision, decision.comparisons, -shift)
    return replace(read, encoding=table.encoding)


def _refuse(options: Any, names: tuple[str, ...], why: str) -> None:
    """Refuse options that would have no effect."""
    for name in names:
        if getattr(options, name):
            raise UsageError(f"{{{name}}} {why}. Leave it out.")


def _compared(
    path: str, table: TableOptions, decision: DecisionOptions, comparisons: str, least: float
) -> Decided:
    if path == comparisons == STANDARD_INPUT:
        raise UsageError("standard input (-) can be read once: name a file for the other.")
    from welfarist.files import read_comparisons  # which actions alone do not need

    actions = read_actions(path, least=least, **table.actions())
    read = read_comparisons(
        comparisons,
        actions,
        columns=decision.roles(
            "preferred", "other", "first", "second", "choice", "count", "tie", "by"
        ),
        first_label=decision.first_label,
        drop_missing=table.drop_missing,
        drop_unknown=decision.drop_unknown,
        least=least,
        **table.text(),
    )
    notes = (*actions.notes, *read.notes)
    return Decided(read.decisions, None, actions.stakeholders, notes, read.deciders)


def _wide(path: str, table: TableOptions, decision: DecisionOptions, least: float) -> Decided:
    from welfarist.files import read_wide_comparisons

    read = read_wide_comparisons(
        path,
        first=listed(decision.first),
        second=listed(decision.second),
        columns=decision.roles("choice", "count", "tie", "by"),
        first_label=decision.first_label,
        drop_missing=table.drop_missing,
        least=least,
        **table.text(),
    )
    people = read.decisions.stakeholders
    assert people is not None
    return Decided(read.decisions, None, people, read.notes, read.deciders)


def _scored(path: str, table: TableOptions, score: str | None, least: float) -> Decided:
    from welfarist.decisions import Scores

    notes = []
    opened = open_table(path, **table.text())
    if score is None:
        score = _score_column(opened)
        notes.append(f"{opened.name}: the scores are in the column {score!r}.")
    actions = actions_of(opened, score=score, least=least, **table.columns())
    people = actions.stakeholders
    names = None if table.numbered else actions.names
    scores = Scores.of(actions.frame(), actions.scores, names=names, least=least)
    return Decided(scores, actions.scores, people, (*notes, *actions.notes))


def _score_column(table: FileTable) -> str:
    """The column that is called score, if there is one."""
    for column in table.columns:
        if column.lower() == SCORE:
            return column
    raise UsageError(
        "say what was decided: {comparisons} FILE, {score} COLUMN, or {wide} if {actions} holds "
        "comparisons itself."
    )
