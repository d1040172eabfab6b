"""An interview whose answers are in a file: begun, gone on with, answered, undone.

Before a question is there, all answers before it are on the disk. The file is all that is needed
to go on: questions follow from the seed and the answers, and are found by putting them again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from welfarist.app.ask_settings import AskSettings
from welfarist.app.asked import Learned, learned_from
from welfarist.app.decisions import TableOptions
from welfarist.app.made_up import MadeUp, beside
from welfarist.app.totals import totals_in
from welfarist.app.usage import RequestError, UsageError
from welfarist.asking.interview import Interview
from welfarist.asking.questions import Answer, Question
from welfarist.base.alone import alone_with
from welfarist.base.errors import InputError
from welfarist.base.half_written import settle
from welfarist.base.validation import FloatArray
from welfarist.base.whole_files import check_target, write_together
from welfarist.files import Actions, is_sketch, read_actions
from welfarist.files.answers import (
    BY,
    NEEDED,
    SETTINGS,
    TIME,
    AnswerFile,
    Row,
    check_format,
    refuse_word,
)
from welfarist.files.cells import listed, shown
from welfarist.files.choices import SKIPPED, TIES
from welfarist.files.sources import STANDARD_INPUT

# Actions with such names could not be told from answers.
_PREFERS = {"first", "second"}
_RESERVED = _PREFERS | TIES | SKIPPED


@dataclass(frozen=True)
class AskRequest:
    """Whom to ask about what, and where answers go.

    Attributes
    ----------
    actions : str
        The file of the actions.
    save : str
        The file of the answers.
    table : TableOptions
    by : str or None
        Whose answers they are, where several people answer.
    told : mapping
        Settings that were told, by name; others are as in the file, or as usual.
    shift : float
        A constant added to every utility; questions show utilities without it.
    """

    actions: str
    save: str
    table: TableOptions = field(default_factory=TableOptions)
    by: str | None = None
    told: Mapping[str, Any] = field(default_factory=dict)
    shift: float = 0.0


@dataclass(frozen=True, eq=False)
class Put:
    """A question as it is shown.

    Attributes
    ----------
    number, more : int
        Which question it is, and about how many come after it.
    names : pair of str
        The two actions; made-up outcomes have none.
    people : tuple of str
    outcomes : (2, d) array
        What everybody has.
    reason : str
        Why it is asked.
    """

    number: int
    more: int
    names: tuple[str, str]
    people: tuple[str, ...]
    outcomes: FloatArray
    reason: str


@contextmanager
def opened(request: AskRequest) -> Iterator[Session]:
    """Begin an interview, or go on with it; nobody else can with the same file in the meantime."""
    if request.actions == STANDARD_INPUT:
        raise UsageError(
            "{actions} must be a file, because answers come through standard input; found -."
        )
    request.table.check([request.actions])
    check_format(request.save)
    check_target(request.save)
    written = [os.path.realpath(path) for path in (request.save, beside(request.save))]
    if os.path.realpath(request.actions) in written:
        raise UsageError(
            "{save} must be another file than {actions}, and the table beside it, whose name ends "
            "in -actions, as well; found the same. Name another."
        )
    actions = actions_to_ask_about(request.actions, request.table, request.shift)
    with alone_with(request.save):
        yield Session(request, actions)


def actions_to_ask_about(path: str, table: TableOptions, shift: float = 0.0) -> Actions:
    """Read a table of actions, and refuse one that no interview could be about.

    Parameters
    ----------
    shift : float
        What will be added to all utilities.
    """
    if is_sketch(path):
        raise InputError(
            f"{path}: questions show what everybody has; found a sketch, which does not "
            "know. Give the table of actions."
        )
    actions = read_actions(path, least=-shift, **table.actions())
    wrong = [name for name in actions.names if name.lower() in _RESERVED]
    if wrong:
        raise RequestError(
            "{file}: actions must not be called as answers are; found {found}. Rename it, or "
            "number the actions: {numbered:True}",
            file=actions.file,
            found=shown(wrong[0]),
        )
    if len(actions) < 2 or len(actions.stakeholders) < 2:
        raise InputError(
            f"{actions.file}: an interview needs two actions and two people at least; found "
            f"{len(actions)} and {len(actions.stakeholders)}. Is it the right file?"
        )
    return actions


class Session:
    """An interview and the file of its answers; :func:`opened` makes one.

    Attributes
    ----------
    request : AskRequest
    actions : Actions
    settings : AskSettings
    interview : Interview
    others : bool
        Whether others have decided something in the same file.
    """

    def __init__(self, request: AskRequest, actions: Actions) -> None:
        self.request, self.actions = request, actions
        self._beside = beside(request.save)
        settle([request.save, self._beside])
        file = self._file()
        past = self._own(file)
        self.others = self._others_in(file)
        said = past[-1][SETTINGS] if past else ""
        self.settings = AskSettings.of_text(said).but(**request.told)
        self._made_up = MadeUp(actions, {})
        if self.settings.designed != "no" or self._names_in(file) - set(actions.names):
            table = request.table
            self._made_up = MadeUp.read(
                self._beside, actions, table.separator, table.encoding, -request.shift
            )
        self._places = {name: row for row, name in enumerate(actions.names)}
        self._called: dict[int, str] = {}  # outcomes that were made up, by row number
        told = self.settings.of_interview(actions.names)
        shifted = replace(actions, utilities=np.asarray(actions.utilities) + request.shift)
        self.interview = Interview(shifted.frame(), **told)
        self._replay(past)

    # --- going on --------------------------------------------------------------------------------

    def _replay(self, past: list[Row]) -> None:
        """Put questions again that were answered, as they were chosen as long as they agree."""
        agree = True
        for row in past:
            answer: Any = row.answer
            if answer is None:
                raise refuse_word(row, self.request.save)
            names = row["first"], row["second"]
            for name in names:
                if name not in self._places and name not in self._made_up.outcomes:
                    raise self._missing(row, name)
            question = self.interview.question if agree else None
            agree = question is not None and self._is_about(question, names)
            if question is not None and agree:
                self._call(question, names)
            else:
                first, second = map(self._row_of, names)
                if first == second:
                    raise InputError(
                        f"{self.request.save}, line {row.line}: a question must be about two "
                        f"actions; found {shown(names[0])} twice. Correct it."
                    )
                self.interview.ask(first, second)
            self.interview.answer(answer)

    def _missing(self, row: Row, name: str) -> RequestError:
        return RequestError(
            "{file}, line {line}: actions that were asked about must be in {actions_file}; found "
            "{found}, which is not there any more. Nothing was changed. Put it back into the "
            "table, or begin anew with another file: {save:FILE}",
            file=self.request.save,
            line=row.line,
            actions_file=self.actions.file,
            found=shown(name),
        )

    def _is_about(self, question: Question, names: tuple[str, str]) -> bool:
        """Whether a question is the one about actions, or made-up outcomes, of these names."""
        table = len(self._places)
        for row, name in zip((question.first, question.second), names, strict=True):
            if row < table or row in self._called:
                if self._name_of(row) != name:
                    return False
            elif name not in self._made_up.outcomes or not np.array_equal(
                self._made_up.outcomes[name], self._outcome(row)
            ):
                return False
        return True

    def _call(self, question: Question, names: tuple[str, str]) -> None:
        """Remember how outcomes that were made up for a question are called."""
        for row, name in zip((question.first, question.second), names, strict=True):
            if row >= len(self._places):
                self._called[row] = name

    def _name_of(self, row: int) -> str:
        return self.actions.names[row] if row < len(self._places) else self._called[row]

    def _row_of(self, name: str) -> int:
        if name in self._places:
            return self._places[name]
        for row, called in self._called.items():
            if called == name:
                return row
        row = self.interview.take_in(self._made_up.outcomes[name][None] + self.request.shift)[0]
        self._called[row] = name
        return row

    def _outcome(self, row: int) -> FloatArray:
        """What everybody has (d,), without the constant that is added."""
        if row < len(self._places):
            return np.asarray(self.actions.utilities[row], dtype=np.float64)
        found, shift = self.interview.actions[row], self.request.shift
        if shift:  # fewer digits than there are, or 8.3 would be 8.299999999999999
            found = np.array([float(f"{value - shift:.12g}") for value in found.tolist()])
        return np.asarray(found, dtype=np.float64)

    # --- asking ----------------------------------------------------------------------------------

    @property
    def notes(self) -> tuple[str, ...]:
        """What was guessed of the actions, in sentences."""
        return (*self.actions.notes, *totals_in(self.actions))

    @property
    def count(self) -> int:
        """How many questions were answered or skipped."""
        return len(self.interview.answers)

    @property
    def decided(self) -> bool:
        """Whether some answer prefers an action: else there is nothing to fit a rule to."""
        return bool(_PREFERS & set(self.interview.answers))

    @property
    def reason(self) -> str:
        """Why to stop asking; nothing if there is no reason to."""
        return self.interview.reason

    @property
    def question(self) -> Put:
        """The question that is put now."""
        rows = list(self.interview.next())
        question = self.interview.question
        assert question is not None
        made = [row >= len(self._places) for row in rows]
        one, other = ("" if up else self._name_of(row) for row, up in zip(rows, made, strict=True))
        return Put(
            self.count + 1, max(self.interview.about_more - 1, 0), (one, other),
            self.actions.stakeholders, np.array([self._outcome(row) for row in rows]),
            question.reason,
        )  # fmt: skip

    def answer(self, answer: Answer) -> None:
        """Take an answer in; it is on the disk when this is done."""
        rows, file = self.interview.next(), self._file()
        self.others = self._others_in(file)
        made_up, names, others = self._made_up, dict(self._called), self._names_in(file)
        for row in rows:
            if row < len(self._places):
                continue
            name = names.setdefault(row, made_up.new_name(others))
            made_up = made_up.with_outcome(name, self._outcome(row))
        cells = {
            **dict(zip(NEEDED, (*(names.get(row) or self._name_of(row) for row in rows), answer),
                       strict=True)),
            BY: self.request.by or "",
            TIME: datetime.now(UTC).isoformat(timespec="seconds"),
            SETTINGS: self.settings.text,
        }  # fmt: skip
        self._write(file.with_columns((TIME, SETTINGS)).with_row(cells), made_up)
        self._made_up, self._called = made_up, names
        self.interview.answer(answer)

    def undo(self) -> None:
        """Take the last answer back, out of the file as well; its question is put again."""
        if not self.count:
            raise InputError("there must be an answer to take back; found none.")
        question, said = self.interview.questions[-1], self.interview.answers[-1]
        file = self._file()
        own = self._own(file)
        last = own[-1] if own else None
        names = self._name_of(question.first), self._name_of(question.second)
        if last is None or (last["first"], last["second"], last.answer) != (*names, said):
            raise InputError(
                f"{self.request.save}: its last answer must be the one that was given last; found "
                "another, because somebody has changed the file. Leave, and go on from there."
            )
        left = file.without_row(last)
        gone = (set(names) & set(self._made_up.outcomes)) - self._names_in(left)
        made_up = self._made_up.without(gone)
        self._write(left, made_up)
        self._made_up = made_up
        self.interview.undo()
        self._called = {r: n for r, n in self._called.items() if r < len(self.interview.actions)}

    # --- the file --------------------------------------------------------------------------------

    def _file(self) -> AnswerFile:
        """The file as it is now: somebody may have written in it."""
        path, table = self.request.save, self.request.table
        by = () if self.request.by is None else (BY,)
        if not os.path.exists(path) or not os.path.getsize(path):
            columns = (*NEEDED, *by, TIME, SETTINGS)
            return AnswerFile.new(path, columns, table.separator, table.encoding)
        found = AnswerFile.read(path, table.separator, table.encoding)
        if found.rows:
            self._check_by(found)
        return found.with_columns(by)

    def _check_by(self, file: AnswerFile) -> None:
        """Require that it can be said whose answers these are."""
        if self.request.by is None and BY in file.columns:
            known = list(dict.fromkeys(row[BY] for row in file.rows if row[BY]))
            raise RequestError(
                "{file}: it must be said whose answers are asked for, because several people may "
                "answer; found those of {known}. Say who: {by:NAME}",
                file=file.name,
                known=listed(known) or "nobody by name",
            )
        if self.request.by is not None and BY not in file.columns:
            raise RequestError(
                "{file}: with {by}, every answer must be somebody's; found answers, and no column "
                "that says whose. Leave it out, or name another file.",
                file=file.name,
            )

    def _own(self, file: AnswerFile) -> list[Row]:
        """The rows that are answers of who is asked."""
        by = self.request.by
        return [row for row in file.rows if by is None or row[BY] == by]

    def _others_in(self, file: AnswerFile) -> bool:
        by = self.request.by
        return by is not None and any(
            row[BY] not in ("", by) and row.answer in _PREFERS for row in file.rows
        )

    @staticmethod
    def _names_in(file: AnswerFile) -> set[str]:
        """All actions and outcomes that somebody was asked about."""
        return {row[side] for row in file.rows for side in ("first", "second")}

    def _write(self, file: AnswerFile, made_up: MadeUp) -> None:
        contents: dict[str | Path, bytes] = {self.request.save: file.content()}
        if made_up.outcomes or self._made_up.outcomes:
            contents[self._beside] = made_up.content(file.separator, file.encoding)
        write_together(contents)

    # --- what was learned ------------------------------------------------------------------------

    @property
    def table_to_fit(self) -> str:
        """The table of actions that goes with the answers to whoever learns from them."""
        return str(self._beside) if self._made_up.outcomes else self.request.actions

    def learned(self) -> Learned:
        """What was learned."""
        return learned_from(self.interview, self.actions)
