"""Interviews that are at hand, so that the next question comes quickly.

Each process keeps some. What is stored decides: one that is behind takes in the answers that it
lacks, and one that went another way, because an answer was undone or revised, is made anew.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from welfarist.asking.interview import Interview
from welfarist.web.asking.rebuilding import rebuilt
from welfarist.web.asking.rows import Fingerprint, Rows
from welfarist.web.models import Answer, Respondent

# One takes about a megabyte; one that is not at hand takes half a second to be made anew, so that
# all of a large meeting should be.
_MOST = 256
Work = TypeVar("Work")


class Kept(Generic[Work]):
    """Interviews, or what follows from them, by respondent: those that were used last.

    Whoever uses one has it to themselves, because an interview changes while it works: it is taken
    out, and put back afterwards.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._kept: OrderedDict[int, tuple[Fingerprint, Work]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, respondent: int) -> tuple[Fingerprint, Work] | None:
        """Take one out, if there is one."""
        with self._lock:
            return self._kept.pop(respondent, None)

    def keep(self, respondent: int, fingerprint: Fingerprint, work: Work) -> None:
        """Put one in; the one that was not used for longest goes."""
        with self._lock:
            self._kept[respondent] = fingerprint, work
            self._kept.move_to_end(respondent)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._kept.clear()


KEPT: Kept[Interview] = Kept()


@contextmanager
def interview_of(respondent: Respondent, rows: Rows | None = None) -> Iterator[Interview]:
    """Have the interview of a respondent as it is stored, to read and to choose questions with.

    Parameters
    ----------
    respondent : Respondent
    rows : Rows, optional
        What stands, where it was read already.
    """
    rows = rows or Rows.of(respondent)
    interview = _at_hand(respondent.pk, rows) or rebuilt(respondent, rows)
    yield interview
    KEPT.keep(respondent.pk, rows.fingerprint, interview)  # not after an error


def _at_hand(respondent: int, rows: Rows) -> Interview | None:
    """A kept interview that has these answers, or takes in those that it lacks."""
    kept = KEPT.take(respondent)
    if kept is None or kept[0] != rows.fingerprint[: len(kept[0])]:
        return None
    interview = kept[1]
    for row in rows.answered[len(kept[0]) :]:
        if not _is_put(interview, row):
            return None
        interview.answer(row.choice)  # type: ignore[arg-type]
    if rows.pending is not None and not _is_put(interview, rows.pending):
        return None
    return interview


def _is_put(interview: Interview, row: Answer) -> bool:
    """Whether an interview puts the very question of a row."""
    question = interview.question
    if question is None or (question.first, question.second) != (row.first, row.second):
        return False
    if row.outcomes is None:
        return True
    return bool(interview.actions[[row.first, row.second]].tolist() == row.outcomes)
