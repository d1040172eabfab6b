"""What was decided, read from the files that somebody names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from welfarist.app.memory import require_address_space
from welfarist.app.scanned import is_folder, scanned
from welfarist.app.texts import listed
from welfarist.app.usage import UsageError
from welfarist.base.validation import FloatArray
from welfarist.files import (
    Actions,
    holds_people,
    is_sketch,
    open_table,
    read_actions,
    read_people,
    read_scores,
    read_sketch,
)
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
    absent: bool = False

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
            absent=self.absent,
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
    choices: str | None = None
    long: bool = False
    menu: str | None = None
    chosen: str | None = None
    action: str | None = None
    ranking: str | None = None
    menu_separator: str | None = None
    outside: bool = False

    @property
    def file(self) -> str | None:
        """The file of the decisions, if it is another than that of the actions."""
        return self.comparisons if self.choices is None else self.choices

    def roles(self, *names: str) -> dict[str, str]:
        """The columns that were named, by role."""
        told = {name: getattr(self, name) for name in names}
        return {name: column for name, column in told.items() if column is not None}


@dataclass(frozen=True)
class Decided:
    """Decisions as the learners take them.

    Attributes
    ----------
    X : Comparisons, Choices or Scores
    scores : (N,) array or None
        None for comparisons and choices.
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


# Options that say something about comparisons, about choices from menus, and what tables that hold
# utilities themselves make of the others.
_PAIRS = ("preferred", "other", "first", "second", "choice", "first_label", "tie")
_MENUS = ("menu", "chosen", "action", "ranking", "menu_separator", "outside")
_EITHER = ("count", "by", "drop_unknown")
_OF_ACTIONS = ("name", "numbered", "stakeholders", "ignore")


def read_decisions(
    path: str,
    table: TableOptions,
    decision: DecisionOptions,
    shift: float = 0.0,
    least: float | None = None,
) -> Decided:
    """Read scores, comparisons or choices; which must be said, or clear from the header.

    `shift` is what a learner will add to every utility, none of which may then be negative, unless
    the learner takes others: `least` is the smallest that it does.
    """
    ways = (decision.comparisons, decision.choices, decision.score)
    if sum(way is not None for way in ways) + decision.wide + decision.long > 1:
        raise UsageError(
            "give one of {comparisons}, {choices}, {score}, {wide} and {long}, not several."
        )
    require_address_space()
    table.check([path, decision.file])
    if is_sketch(path) or holds_people(path):
        return replace(_of_sketch(path, table, decision, shift), encoding=table.encoding)
    read = _reader_of(decision, table)
    found = read(path, table, decision, -shift if least is None else least)
    return replace(found, encoding=table.encoding)


def _of_sketch(path: str, table: TableOptions, decision: DecisionOptions, shift: float) -> Decided:
    """Decisions about the people of a sketch, whose utilities nobody can look at any more."""
    what = "a sketch" if is_sketch(path) else "people with errors"
    if decision.wide or decision.long:
        way = "wide" if decision.wide else "long"
        raise UsageError(
            f"{{{way}}} is for decisions that hold utilities themselves; found {{what}}, {{path}}. "
            "Give {comparisons} FILE or {choices} FILE.",
            path=path,
            what=what,
        )
    if decision.score is None and decision.file is None:
        raise UsageError(
            "say what was decided about {path}, which is {what}: {comparisons} FILE, {choices} "
            "FILE, or {score} FILE with a column of actions and one of scores.",
            path=path,
            what=what,
        )
    refuse_for_sketch(table, shift)
    read = _reader_of(decision, table)
    return (_scored_beside if read is _scored else read)(path, table, decision, 0.0)


def refuse_for_sketch(table: TableOptions, shift: float | None) -> None:
    """Refuse what would have to be asked when people were sketched."""
    _refuse(
        table,
        (*_OF_ACTIONS, "absent"),
        "is for a table of actions, not for a file that people were put in",
    )
    if shift:
        raise UsageError(
            "{shift} must be added before people are put in such a file, which has no table of "
            "utilities any more. Leave it out."
        )


def actions_in(
    path: str, table: TableOptions, least: float = 0.0, *, may_be_absent: bool = False
) -> Actions:
    """The actions of a table or of a sketch."""
    if is_sketch(path):
        return read_sketch(path)
    if holds_people(path):
        return read_people(path)
    return read_actions(path, least=least, may_be_absent=may_be_absent, **table.actions())


def _reader_of(decision: DecisionOptions, table: TableOptions) -> Callable[..., Decided]:
    """What reads decisions of this kind; options of other kinds are refused."""
    if decision.choices is not None or decision.long:
        _refuse(decision, _PAIRS, "is for comparisons, not for choices from menus")
        if not decision.long:
            return _chosen
        _refuse(decision, ("ranking", "menu_separator", "drop_unknown"), "is not for {long}")
        _refuse(table, ("name", "numbered"), "is for a table of actions, not for {long}")
        return _long
    _refuse(decision, _MENUS, "is for choices from menus: {choices} FILE or {long}")
    _refuse(table, ("absent",), "is for choices from menus: {choices} FILE or {long}")
    if decision.wide:
        _refuse(decision, ("preferred", "other", "drop_unknown"), _NOT_WIDE)
        _refuse(table, _OF_ACTIONS, "is for a table of actions, not for {wide}")
        return _wide
    if decision.comparisons is None:
        _refuse(decision, (*_PAIRS, *_EITHER), "is for comparisons, not for scores")
        return _scored
    return _compared


_NOT_WIDE = "is for {comparisons}, not for {wide}"


def _refuse(options: Any, names: tuple[str, ...], why: str) -> None:
    """Refuse options that would have no effect."""
    for name in names:
        if getattr(options, name):
            raise UsageError(f"{{{name}}} {why}. Leave it out.")


def _refuse_one_input(path: str, decisions: str) -> None:
    if path == decisions == STANDARD_INPUT:
        raise UsageError("standard input (-) can be read once: name a file for the other.")


def _compared(path: str, table: TableOptions, decision: DecisionOptions, least: float) -> Decided:
    comparisons = decision.comparisons
    assert comparisons is not None
    _refuse_one_input(path, comparisons)
    from welfarist.files import read_comparisons  # which actions alone do not need

    actions = actions_in(path, table, least)
    if is_folder(comparisons):
        from welfarist.decisions import Comparisons

        found = scanned(comparisons, Comparisons, actions, decision, table.numbered, least)
        return Decided(found, None, actions.stakeholders, actions.notes)
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


def _chosen(path: str, table: TableOptions, decision: DecisionOptions, least: float) -> Decided:
    choices = decision.choices
    assert choices is not None
    _refuse_one_input(path, choices)
    from welfarist.files import read_choices

    actions = actions_in(path, table, least, may_be_absent=True)
    if is_folder(choices):
        from welfarist.decisions import Choices

        found = scanned(choices, Choices, actions, decision, table.numbered, least)
        return Decided(found, None, actions.stakeholders, actions.notes)
    read = read_choices(
        choices,
        actions,
        columns=decision.roles("menu", "chosen", "action", "count", "by"),
        ranking=listed(decision.ranking),
        menu_separator=decision.menu_separator,
        outside=decision.outside,
        drop_missing=table.drop_missing,
        drop_unknown=decision.drop_unknown,
        least=least,
        **table.text(),
    )
    notes = (*actions.notes, *read.notes)
    return Decided(read.decisions, None, actions.stakeholders, notes, read.deciders)


def _long(path: str, table: TableOptions, decision: DecisionOptions, least: float) -> Decided:
    from welfarist.files import read_long_choices

    read = read_long_choices(
        path,
        columns=decision.roles("menu", "chosen", "action", "count", "by"),
        stakeholders=listed(table.stakeholders),
        ignore=listed(table.ignore) or (),
        outside=decision.outside,
        absent=table.absent,
        drop_missing=table.drop_missing,
        least=least,
        **table.text(),
    )
    people = read.decisions.stakeholders
    assert people is not None
    return Decided(read.decisions, None, people, read.notes, read.deciders)


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


def _scored(path: str, table: TableOptions, decision: DecisionOptions, least: float) -> Decided:
    from welfarist.decisions import Scores

    score, notes = decision.score, []
    opened = open_table(path, **table.text())
    if score is None:
        score = _score_column(opened)
        notes.append(f"{opened.name}: the scores are in the column {score!r}.")
    actions = actions_of(opened, score=score, least=least, **table.columns())
    people = actions.stakeholders
    names = None if table.numbered else actions.names
    scores = Scores.of(actions.frame(), actions.scores, names=names, least=least)
    return Decided(scores, actions.scores, people, (*notes, *actions.notes))


def _scored_beside(
    path: str, table: TableOptions, decision: DecisionOptions, least: float
) -> Decided:
    """Scores in a file beside a sketch, which has no columns."""
    from welfarist.decisions import Scores

    assert decision.score is not None
    actions = actions_in(path, table)
    notes = list(actions.notes)
    rows, values = read_scores(
        decision.score, actions, drop_missing=table.drop_missing, notes=notes, **table.text()
    )
    names = [actions.names[row] for row in rows]
    scores = Scores.of(actions.utilities[rows], values, names=names, least=least)
    return Decided(scores, values, actions.stakeholders, tuple(notes))


def _score_column(table: FileTable) -> str:
    """The column that is called score, if there is one."""
    for column in table.columns:
        if column.lower() == SCORE:
            return column
    raise UsageError(
        "say what was decided: {comparisons} FILE, {choices} FILE, {score} COLUMN, or, if "
        "{actions} holds decisions itself, {wide} (comparisons) or {long} (choices from menus)."
    )
