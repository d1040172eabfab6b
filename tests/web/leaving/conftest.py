"""Studies that were answered."""

from __future__ import annotations

import pytest

from tests.web.conftest import TABLE
from welfarist.web.asking.putting import next_question
from welfarist.web.asking.taking import revise, take_answer, undo
from welfarist.web.models import State
from welfarist.web.studies.inviting import invite
from welfarist.web.studies.opening import open_study
from welfarist.web.studies.states import change_state

CHOICES = ("first", "second", "first", "equal", "skip")


def answer(respondent, choices):
    for choice in choices:
        question = next_question(respondent)
        take_answer(respondent, question.number, question.key, choice, 1200)


def made(analyst, choices, **told):
    """A study that two people answered."""
    study = open_study(analyst, TABLE, "plans.csv", title="Plans", seed=3, **told)
    change_state(study, analyst, State.OPEN)
    for name in ("=Ann", "Bob"):
        answer(invite(study, analyst, name=name).respondents.get(), choices)
    return study


@pytest.fixture
def answered(analyst):
    """Answers some of which were undone or revised, about made-up outcomes too, one still open."""
    study = made(analyst, CHOICES, designed="too", most=9, check_every=3, description="Which?")
    for person in study.respondents.all():
        undo(person, 5)
        revise(person, 1, "second")
        answer(person, ["first"])
    next_question(person)
    invite(study, analyst, "open", name="everybody")
    return study


@pytest.fixture
def briefly(analyst):
    """Few answers, quickly given."""
    study = made(analyst, ["first", "second"])
    person = study.respondents.first()
    undo(person, 2)
    answer(person, ["first"])
    return study
