"""Questions and answers without pages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction

from tests.web.conftest import TABLE
from welfarist.asking.interview import Interview
from welfarist.base.errors import InputError
from welfarist.web.asking.live import KEPT, Kept, interview_of
from welfarist.web.asking.putting import next_question
from welfarist.web.asking.rebuilding import rebuilt
from welfarist.web.asking.rows import Rows
from welfarist.web.asking.taking import Taken, revise, take_answer, undo
from welfarist.web.models import Answer, AuditEntry, State
from welfarist.web.studies.inviting import invite
from welfarist.web.studies.opening import open_study
from welfarist.web.studies.states import change_state

pytestmark = pytest.mark.django_db
CHOICES = ("first", "second", "equal", "skip", "first", "first", "second", "first")


@pytest.fixture(params=["no", "too", "only"])
def asked(request, analyst):
    """Somebody who is asked about actions, made-up outcomes, and earlier questions again."""
    study = open_study(
        analyst, TABLE, "plans.csv", designed=request.param, check_every=3, most=8, seed=2
    )
    change_state(study, analyst, State.OPEN)
    return invite(study, analyst).respondents.get()


def answered(respondent, choice):
    question = next_question(respondent)
    assert take_answer(respondent, question.number, question.key, choice) is Taken.NOW
    return question


def facts(question):
    return None if question is None else replace(question, key="")


def test_the_questions_are_those_of_an_interview_in_python(asked):
    study = asked.study
    settings = replace(study.ask_settings, seed=asked.seed)
    alone = Interview(study.table, **settings.of_interview(study.action_names))
    for choice in CHOICES:
        if alone.done:
            break
        answered(asked, choice)
        rows = Rows.of(asked).answered
        assert (rows[-1].first, rows[-1].second) == alone.next()
        alone.answer(choice)
    assert len(rows) > 3
    assert next_question(asked) is None


def test_another_process_puts_the_same_questions(asked):
    for choice in CHOICES[:5]:
        at_hand = next_question(asked)
        KEPT.clear()
        assert next_question(asked) == at_hand
        answered(asked, choice)
    with interview_of(asked) as live:
        anew = rebuilt(asked, Rows.of(asked))
        assert anew.to_dict()["asked"] == live.to_dict()["asked"]
        assert anew.question == live.question


@pytest.mark.parametrize("forget", [False, True])
def test_undone_and_revised_answers_leave_one_way_to_go_on(asked, forget):
    for choice in CHOICES[:4]:
        answered(asked, choice)
    _ = next_question(asked)
    assert undo(asked, 4) is Taken.NOW
    assert undo(asked, 4) is Taken.BEFORE
    assert revise(asked, 1, "second") is Taken.NOW
    if forget:
        KEPT.clear()
    put = next_question(asked)
    assert put.number == 4
    assert [row.choice for row in Rows.of(asked).answered] == ["second", "second", "equal"]
    with interview_of(asked) as live:
        assert live.answers == ["second", "second", "equal"]
    ended = {row.ended for row in asked.answers.all()}
    assert ended == {"", "undone", "revised", "withdrawn"}
    assert AuditEntry.objects.filter(what__startswith="answer").count() == 2


def test_the_same_answer_twice_is_one(respondent):
    question = next_question(respondent)
    said = (respondent, question.number, question.key)
    assert take_answer(*said, "first") is Taken.NOW
    assert take_answer(*said, "first") is Taken.BEFORE
    assert take_answer(*said, "second") is Taken.NOT
    assert take_answer(respondent, 2, question.key, "second") is Taken.NOT
    assert respondent.answers.count() == 1


def test_an_answer_to_a_question_that_was_put_anew_is_refused(respondent):
    question = answered(respondent, "first")
    undo(respondent, 1)
    assert take_answer(respondent, 1, question.key, "first") is Taken.NOT
    again = next_question(respondent)
    assert facts(again) == facts(question)
    assert take_answer(respondent, 1, again.key, "second") is Taken.NOW


def test_the_database_takes_one_standing_row_of_a_number(respondent):
    _ = next_question(respondent)
    row = respondent.answers.get()
    row.pk, row.key = None, "another"
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)
    assert Answer.objects.count() == 1


def test_an_undone_end_is_no_end(respondent):
    for choice in ("first", "second", "first", "second"):
        answered(respondent, choice)
    assert next_question(respondent) is None
    assert undo(respondent, 4) is Taken.NOW
    assert next_question(respondent).number == 4


@pytest.mark.parametrize("choice", ["", "both", "First"])
def test_other_words_are_no_answers(respondent, choice):
    question = next_question(respondent)
    with pytest.raises(InputError, match="an answer must be one of first, second, equal, skip"):
        take_answer(respondent, question.number, question.key, choice)


def test_those_used_last_are_kept():
    kept = Kept(most=2)
    for respondent in (1, 2, 3):
        kept.keep(respondent, (respondent,), object())
    assert kept.take(1) is None
    assert kept.take(3)[0] == (3,)
    assert kept.take(3) is None
