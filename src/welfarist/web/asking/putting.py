"""The question that is put to a respondent now."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from welfarist.asking.interview import Interview
from welfarist.web.asking.entering import require_open
from welfarist.web.asking.live import interview_of
from welfarist.web.asking.rows import Rows, changing
from welfarist.web.models import Answer, Respondent, Study
from welfarist.web.models.studies import Described


@dataclass(frozen=True)
class Side:
    """One of the two actions: what it is called, and what is known of it.

    Attributes
    ----------
    label, description : str
        Nothing where it was made up.
    made_up : bool
    """

    label: str
    description: str
    made_up: bool


@dataclass(frozen=True)
class Person:
    """What one stakeholder has in both actions."""

    label: str
    description: str
    first: float
    second: float


@dataclass(frozen=True)
class PutQuestion:
    """A question as it is shown.

    Attributes
    ----------
    number : int
        From 1 on.
    key : str
        What an answer has to name, together with the number.
    more : int
        About how many questions come after it.
    first, second : Side
    people : tuple of Person
    reason : str
        Why it is asked.
    left : "first" or "second"
        Which one stands on the left, or on top.
    """

    number: int
    key: str
    more: int
    first: Side
    second: Side
    people: tuple[Person, ...]
    reason: str
    left: str


def next_question(respondent: Respondent) -> PutQuestion | None:
    """Return the question that is put now, or None if there is nothing more to ask.

    It stays the same until it is answered, whoever asks for it and how often; all answers before
    it are on the disk.
    """
    require_open(respondent.invite)
    while True:
        respondent.refresh_from_db(fields=["finished_at", "finished_because"])
        if respondent.finished_at is not None:
            return None
        rows = Rows.of(respondent)
        with interview_of(respondent, rows) as interview:
            if rows.pending is None and interview.done:
                _finish(respondent, rows, interview.reason)
            elif (put := rows.pending or _put(respondent, rows, interview)) is not None:
                return _shown(respondent.study, put, interview)
        # Somebody was quicker, or it is finished: look again.


def _finish(respondent: Respondent, rows: Rows, reason: str) -> None:
    with changing(respondent) as now:
        if Rows.of(now) == rows:
            now.finished_at, now.finished_because = timezone.now(), reason
            now.save(update_fields=["finished_at", "finished_because"])


def _put(respondent: Respondent, rows: Rows, interview: Interview) -> Answer | None:
    """Write down which question is put; None if the answers have changed in the meantime."""
    chosen = interview.to_dict()["pending"]
    pair = chosen["first"], chosen["second"]
    made_up = max(pair) >= len(respondent.study.actions)
    with changing(respondent) as now:
        require_open(now.invite)  # a study that was closed meanwhile may have another table now
        if Rows.of(now) != rows:
            return None
        return Answer.objects.create(
            respondent=now,
            number=len(rows.answered) + 1,
            outcomes=interview.actions[list(pair)].tolist() if made_up else None,
            asked_at=timezone.now(),
            **{name: chosen[name] for name in ("first", "second", "about", "bits", "reason")},
        )


def _shown(study: Study, row: Answer, interview: Interview) -> PutQuestion:
    first, second = interview.actions[[row.first, row.second]].tolist()
    return PutQuestion(
        row.number,
        row.key,
        max(interview.about_more - 1, 0),
        _side(study, row.first),
        _side(study, row.second),
        tuple(
            Person(label_of(person), person["description"], one, other)
            for person, one, other in zip(study.stakeholders, first, second, strict=True)
        ),
        row.reason,
        row.left,
    )


def _side(study: Study, row: int) -> Side:
    if row >= len(study.actions):
        return Side("", "", True)
    action = study.actions[row]
    return Side(label_of(action), action["description"], False)


def label_of(described: Described) -> str:
    """Return what respondents call an action or a stakeholder."""
    return described["label"] or described["name"]
