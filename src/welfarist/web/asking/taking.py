"""Answers: taken once, taken back, revised. What is said here is on the disk when it returns."""

from __future__ import annotations

from enum import Enum

from django.utils import timezone

from welfarist.base.errors import InputError
from welfarist.web.asking.entering import require_open
from welfarist.web.asking.rows import Rows, changing, end, put_again
from welfarist.web.audit import note
from welfarist.web.models import Answer, Choice, Ended, Respondent

_CHOICES = tuple(choice for choice in Choice.values if choice)
# A page that was open for longer says nothing about how long somebody thought.
_LONGEST_MS = 24 * 3600 * 1000


class Taken(Enum):
    """What became of an answer, or of a change to one."""

    NOW = "now"
    BEFORE = "before"  # the same was said already, as by a second click
    NOT = "not"  # another question is put by now, or another answer was given: nothing changed


def take_answer(
    respondent: Respondent, number: int, key: str, choice: str, ms: int | None = None
) -> Taken:
    """Take an answer to the question that is put.

    Parameters
    ----------
    respondent : Respondent
    number, key
        Those of the question, as :class:`~welfarist.web.asking.putting.PutQuestion` has them.
    choice : "first", "second", "equal" or "skip"
    ms : int, optional
        How long it took.
    """
    _check(choice)
    with changing(respondent) as now:
        require_open(now.invite)
        row = _standing(now, number)
        if row is None or row.key != key:
            return Taken.NOT
        if row.choice:
            return Taken.BEFORE if row.choice == choice else Taken.NOT
        row.choice, row.answered_at = choice, timezone.now()
        row.response_ms = None if ms is None or not 0 <= ms <= _LONGEST_MS else ms
        row.save(update_fields=["choice", "answered_at", "response_ms"])
    return Taken.NOW


def undo(respondent: Respondent, number: int) -> Taken:
    """Take the last answer back, if it has this number; its question is put again."""
    with changing(respondent) as now:
        require_open(now.invite)
        rows = Rows.of(now)
        if not rows.answered or rows.answered[-1].number != number:
            was_last = rows.pending is not None and rows.pending.number == number
            return Taken.BEFORE if was_last else Taken.NOT
        _withdraw(rows)
        end(rows.answered[-1], Ended.UNDONE)
        put_again(rows.answered[-1])
        _go_on(now)
        note(now.study, now, "answer undone", number=number)
    return Taken.NOW


def revise(respondent: Respondent, number: int, choice: str) -> Taken:
    """Give another answer to an earlier question; later answers stay as they are."""
    _check(choice)
    with changing(respondent) as now:
        require_open(now.invite)
        row = _standing(now, number)
        if row is None or not row.choice:
            return Taken.NOT
        if row.choice == choice:
            return Taken.BEFORE
        _withdraw(Rows.of(now))
        end(row, Ended.REVISED)
        put_again(row, choice)
        _go_on(now)
        note(now.study, now, "answer revised", number=number)
    return Taken.NOW


def _check(choice: str) -> None:
    if choice not in _CHOICES:
        raise InputError(f"an answer must be one of {', '.join(_CHOICES)}; found {choice!r}.")


def _standing(respondent: Respondent, number: int) -> Answer | None:
    return respondent.answers.filter(number=number, ended=Ended.STANDS).first()


def _withdraw(rows: Rows) -> None:
    """The question that is put was chosen by answers that change."""
    if rows.pending is not None:
        end(rows.pending, Ended.WITHDRAWN)


def _go_on(respondent: Respondent) -> None:
    """There may be something to ask again."""
    respondent.finished_at, respondent.finished_because = None, ""
    respondent.save(update_fields=["finished_at", "finished_because"])
