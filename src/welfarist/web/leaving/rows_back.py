"""Questions and answers that come back: an interview can be made of them, or they are refused."""

from __future__ import annotations

from welfarist.web.leaving.plain import Plain
from welfarist.web.models import Answer, Choice, Ended, Respondent, Study

_MOST_ROWS = 5_000
_LONGEST_MS = 24 * 3600 * 1000
_SIDES = ("first", "second")


def answers_of(person: Respondent, study: Study, told: Plain) -> list[Answer]:
    """Return the rows of a respondent, checked one by one and as a whole."""
    plain = told.items(_MOST_ROWS)
    rows = [_answer(person, study, one) for one in plain]
    standing = sorted((row for row in rows if not row.ended), key=lambda row: row.number)
    if [row.number for row in standing] != list(range(1, len(standing) + 1)):
        told.refuse("have one question of every number that stands, from 1 on")
    if any(not row.choice for row in standing[:-1]):
        told.refuse("have answers to all questions that stand but the last")
    _check_made_up(study, standing, told)
    return rows


def _answer(person: Respondent, study: Study, told: Plain) -> Answer:
    people = len(study.stakeholders)
    last = len(study.actions) + 2 * _MOST_ROWS
    row = Answer(
        respondent=person,
        number=told["number"].whole(1, _MOST_ROWS),
        first=told["first"].whole(0, last),
        second=told["second"].whole(0, last),
        outcomes=told["outcomes"].or_none(lambda pair: _outcomes(pair, people)),
        about=[one.whole(0, people - 1) for one in told["about"].items(2)],
        bits=told["bits"].number(),
        reason=told["reason"].text(),
        left=told["left"].one_of(_SIDES),
        choice=told["choice"].one_of(Choice.values),
        asked_at=told["asked_at"].time(),
        answered_at=told["answered_at"].or_none(Plain.time),
        response_ms=told["response_ms"].or_none(lambda ms: ms.whole(0, _LONGEST_MS)),
        ended=told["ended"].one_of(Ended.values),
        ended_at=told["ended_at"].or_none(Plain.time),
    )
    if len(row.about) != 2 or row.first == row.second:
        told.refuse("be about two actions, and two people")
    if bool(row.choice) != (row.answered_at is not None):
        told.refuse("have a time if it has an answer, and none if it has not")
    if bool(row.ended) != (row.ended_at is not None):
        told.refuse("have the time of its end if it has ended, and none if it has not")
    if (row.outcomes is None) != (max(row.first, row.second) < len(study.actions)):
        told.refuse("have outcomes where some are made up, and none where none are")
    return row


def _outcomes(told: Plain, people: int) -> list[list[float]]:
    pair = [[cell.number(0.0) for cell in one.items(people)] for one in told.items(2)]
    if [len(one) for one in pair] != [people, people]:
        told.refuse(f"be two outcomes of {people} people")
    return pair


def _check_made_up(study: Study, standing: list[Answer], told: Plain) -> None:
    """Require outcomes that are numbered one after the other, each always the same."""
    known: dict[int, list[float]] = dict(enumerate(study.utilities))
    for row in standing:
        for place, outcome in zip((row.first, row.second), row.outcomes or (), strict=False):
            if known.setdefault(place, outcome) != outcome:
                told.refuse("have the same outcome under the same number")
    if max(known) != len(known) - 1:
        told.refuse("number outcomes that are made up one after the other")
