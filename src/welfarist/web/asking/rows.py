"""The rows of a respondent's interview that stand, and the right to change them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from welfarist.web.models import Answer, Ended, Respondent

# Answers never change once they are given, so that their row numbers say everything.
Fingerprint = tuple[int, ...]


@dataclass(frozen=True)
class Rows:
    """What stands of an interview.

    Attributes
    ----------
    answered : tuple of Answer
        In the order of their numbers.
    pending : Answer or None
        The question that was put and not answered.
    """

    answered: tuple[Answer, ...]
    pending: Answer | None

    @classmethod
    def of(cls, respondent: Respondent) -> Rows:
        """Read them."""
        return cls.among(respondent.answers.filter(ended=Ended.STANDS).order_by("number"))

    @classmethod
    def among(cls, answers: Iterable[Answer]) -> Rows:
        """Return those that stand among all rows of a respondent."""
        rows = sorted((row for row in answers if not row.ended), key=lambda row: row.number)
        answered = tuple(row for row in rows if row.choice)
        return cls(answered, next((row for row in rows if not row.choice), None))

    @property
    def fingerprint(self) -> Fingerprint:
        """What tells these answers from all others."""
        return tuple(row.pk for row in self.answered)


@contextmanager
def changing(respondent: Respondent) -> Iterator[Respondent]:
    """Have a respondent's rows to oneself; at the end they are on the disk, or as before.

    PostgreSQL locks the respondent; SQLite has one writer at a time anyway.
    """
    with transaction.atomic(durable=True):
        yield (
            Respondent.objects.select_for_update(of=("self",))
            .select_related("study", "invite", "invite__study")
            .get(pk=respondent.pk)
        )


def end(row: Answer, why: Ended) -> None:
    """Let a row stand no more."""
    row.ended, row.ended_at = why, timezone.now()
    row.save(update_fields=["ended", "ended_at"])


def put_again(row: Answer, choice: str = "") -> Answer:
    """Make a new row of the same question, which stands, with another answer or none."""
    now = timezone.now()
    return Answer.objects.create(
        respondent_id=row.respondent_id,
        number=row.number,
        first=row.first,
        second=row.second,
        outcomes=row.outcomes,
        about=row.about,
        bits=row.bits,
        reason=row.reason,
        left=row.left,
        choice=choice,
        asked_at=now,
        answered_at=now if choice else None,
    )
