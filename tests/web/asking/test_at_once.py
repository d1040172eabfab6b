"""Several tabs, threads and workers at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from welfarist.web.asking.live import KEPT
from welfarist.web.asking.putting import next_question
from welfarist.web.asking.taking import Taken, take_answer
from welfarist.web.models import Respondent

pytestmark = pytest.mark.django_db(transaction=True)
TABS = 6


def at_once(work):
    def run(i):
        try:
            return work(i)
        finally:
            connection.close()

    with ThreadPoolExecutor(TABS) as pool:
        return list(pool.map(run, range(TABS)))


def test_all_tabs_see_one_question_and_one_answer_is_taken(respondent):
    def tab(i):
        if i % 2:
            KEPT.clear()
        own = Respondent.objects.select_related("study", "invite").get(pk=respondent.pk)
        return next_question(own)

    assert len({question.key for question in at_once(tab)}) == 1
    question = next_question(respondent)
    choices = ("first", "second")
    taken = at_once(
        lambda i: take_answer(respondent, question.number, question.key, choices[i % 2])
    )
    assert taken.count(Taken.NOW) == 1
    assert taken.count(Taken.BEFORE) == TABS // 2 - 1
    assert respondent.answers.exclude(choice="").count() == 1
