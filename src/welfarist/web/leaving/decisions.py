"""Answers and actions as the text files that commands read.

Names go through :func:`welfarist.base.inert.in_csv`: what a spreadsheet would take for a formula
gets an apostrophe, which readers of this package take away again. Both files name the same made-up
outcomes, and answers stand with the settings by which questions were chosen, so that
``welfarist fit`` learns from them and ``welfarist ask`` goes on with them.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from welfarist.app.made_up import MadeUp
from welfarist.base.errors import InputError
from welfarist.base.inert import in_csv
from welfarist.files import Actions
from welfarist.web.asking.rows import Rows
from welfarist.web.models import Answer, Respondent, Study

COLUMNS = ("first", "second", "choice", "by", "time", "settings", "side", "response ms")


class _Names(list[str]):
    """Names, as columns of tables give them."""

    def to_list(self) -> list[str]:
        return list(self)


@dataclass(frozen=True, eq=False)
class Taken:
    """Answers with the names that they have in files.

    Attributes
    ----------
    study : Study
    rows : tuple of (Respondent, Answer)
        Answers that stand, by respondent.
    made_up : MadeUp
        The table, with outcomes that were made up.
    called : dict
        Names of these outcomes by respondent and row number.
    """

    study: Study
    rows: tuple[tuple[Respondent, Answer], ...]
    made_up: MadeUp
    called: dict[tuple[int, int], str]

    @property
    def decisions(self) -> bytes:
        """The answers as CSV, as ``welfarist fit --comparisons`` reads them."""
        known = self.study.action_names
        people = names_of(self.study.respondents.all())
        held = io.StringIO()
        writer = csv.writer(held, lineterminator="\n")
        writer.writerow(COLUMNS)
        for who, row in self.rows:
            pair = (
                known[place] if place < len(known) else self.called[who.pk, place]
                for place in (row.first, row.second)
            )
            writer.writerow([in_csv(cell) for cell in (*pair, *_facts(who, people[who.pk], row))])
        return held.getvalue().encode()

    @property
    def actions(self) -> bytes:
        """The table as CSV: numbers come back as they are, to the last digit."""
        return self.made_up.content(",", "utf-8")


def taken_from(study: Study, respondents: Iterable[Respondent] | None = None) -> Taken:
    """Return the answers of some respondents, or of everybody."""
    who = study.respondents.all() if respondents is None else respondents
    rows = tuple((person, row) for person in who for row in Rows.of(person).answered)
    made_up, called = MadeUp(_table(study), {}), dict[tuple[int, int], str]()
    for person, row in rows:
        for place, outcome in zip((row.first, row.second), row.outcomes or (), strict=False):
            if place < len(study.actions) or (person.pk, place) in called:
                continue
            name = made_up.new_name(set())
            called[person.pk, place] = name
            made_up = made_up.with_outcome(name, np.array(outcome, dtype=np.float64))
    return Taken(study, rows, made_up, called)


def require_some(taken: Taken) -> None:
    """Refuse to learn from answers none of which prefers anything."""
    if not any(row.choice in ("first", "second") for _, row in taken.rows):
        raise InputError(
            "there must be an answer that prefers something, to learn a rule from; found none. "
            "Wait until somebody has answered."
        )


def names_of(respondents: Iterable[Respondent]) -> dict[int, str]:
    """Return what files call everybody: their name, or number, and both where names are equal."""
    people = list(respondents)
    often = Counter(str(person) for person in people)
    return {
        person.pk: f"{person} ({person.number})" if often[str(person)] > 1 else str(person)
        for person in people
    }


def _facts(who: Respondent, name: str, row: Answer) -> Sequence[str]:
    time = "" if row.answered_at is None else row.answered_at.isoformat(timespec="seconds")
    settings = replace(who.study.ask_settings, seed=who.seed).text
    took = "" if row.response_ms is None else str(row.response_ms)
    return row.choice, name, time, settings, row.left, took


def _table(study: Study) -> Actions:
    names = _Names(study.action_names)
    return Actions(study.file_name or "actions.csv", names, study.table, study.stakeholder_names)
