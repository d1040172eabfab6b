"""Interviews gone through once more, answer by answer, to see how something became known.

They are kept apart from those that questions are chosen with: whoever looks takes nobody's
interview away. The digits are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from welfarist.asking.interview import Interview
from welfarist.web.asking.live import Kept
from welfarist.web.asking.rebuilding import begun, made_up
from welfarist.web.asking.rows import Rows
from welfarist.web.learned.estimates import Estimate
from welfarist.web.models import Answer, Respondent

_MOST = 32


@dataclass(frozen=True, eq=False)
class Walk:
    """An interview, and what was believed of p on the way.

    Attributes
    ----------
    interview : Interview
    course : list of Estimate
        Before the first answer, and after each one.
    """

    interview: Interview
    course: list[Estimate]

    def answer(self, row: Answer) -> None:
        """Take in one more answer."""
        for place, outcome in zip((row.first, row.second), row.outcomes or (), strict=False):
            if place == len(self.interview.actions):
                self.interview.take_in([outcome])
        self.interview.ask(row.first, row.second)
        self.interview.answer(row.choice)  # type: ignore[arg-type]
        self.course.append(Estimate.of(self.interview.posterior, "p"))


WALKS: Kept[Walk] = Kept(_MOST)


def walked(respondent: Respondent, rows: Rows) -> Walk:
    """Return the interview of a respondent after the answers that stand."""
    kept = WALKS.take(respondent.pk)
    if kept is None or kept[0] != rows.fingerprint[: len(kept[0])]:
        kept = (), _begun(respondent, rows)
    known, walk = kept
    for row in rows.answered[len(known) :]:
        walk.answer(row)
    WALKS.keep(respondent.pk, rows.fingerprint, walk)
    return walk


def _begun(respondent: Respondent, rows: Rows) -> Walk:
    interview = begun(respondent)
    outcomes = made_up(rows.answered, len(respondent.study.actions))
    if outcomes:
        interview.take_in(outcomes)
    return Walk(interview, [Estimate.of(interview.posterior, "p")])
