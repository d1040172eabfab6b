"""The pages of a question, as browsers see them."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from tests.web.journeys import answer_all, assert_harmless, make_hostile
from welfarist.web.asking.cards import cards_of
from welfarist.web.asking.live import KEPT
from welfarist.web.asking.putting import Person, PutQuestion, Side, next_question
from welfarist.web.models import AuditEntry, State
from welfarist.web.studies.states import change_state

pytestmark = pytest.mark.django_db


@pytest.fixture
def pages(client, invited):
    """The addresses of a respondent."""
    return lambda name: reverse(name, args=[invited.token])


@pytest.fixture
def shown(study):
    study.respondents_see_result = True
    study.save()


def put(people, left="first"):
    sides = Side("park", "", False), Side("", "", True)
    return PutQuestion(1, "key", 5, *sides, tuple(people), "why", left)


def hidden_fields(page):
    page, _, _ = page.partition("</form>")  # the next one takes the answer before back
    return dict(re.findall(r'type="hidden" name="(number|key)" value="(\w+)"', page))


def choices(respondent):
    standing = respondent.answers.filter(ended="").exclude(choice="").order_by("number")
    return [row.choice for row in standing]


def test_a_page_without_scripts_can_be_answered(client, pages, respondent):
    """By what the form holds alone."""
    for number, choice in enumerate(("equal", "skip", "second", "first"), 1):
        page = client.get(pages("ask")).content.decode()
        assert f"Question {number};" in page
        assert f'name="choice" value="{choice}"' in page
        client.post(pages("ask-answer"), {**hidden_fields(page), "choice": choice, "ms": ""})
    assert choices(respondent) == ["equal", "skip", "second", "first"]
    assert "Thank you" in client.get(pages("ask")).content.decode()
    assert not respondent.answers.exclude(response_ms=None).exists()


def test_keys_are_said_where_they_work(client, pages, respondent):
    answer_all(respondent, most=1)
    page = client.get(pages("ask")).content.decode()
    assert re.findall(r'data-key="(\w)"', page) == ["1", "2", "0", "s", "u"]
    assert re.findall(r"<kbd>(\w)</kbd>", page) == ["1", "2", "0", "s", "u"]


def test_a_reader_hears_that_it_was_saved_and_what_is_asked(client, pages, respondent):
    assert 'data-say="Question 1:' in client.get(pages("ask")).content.decode()
    answer_all(respondent, most=1)
    page = client.get(pages("ask")).content.decode()
    assert 'role="status" aria-live="polite"' in page
    assert 'data-say="Saved. Question 2:' in page


@pytest.mark.parametrize("on_demand", [False, True])
def test_numbers_come_on_demand_where_the_study_says_so(client, pages, study, on_demand):
    study.numbers_on_demand = on_demand
    study.save()
    page = client.get(pages("ask")).content.decode()
    assert ('id="numbers"' in page) == on_demand
    assert ('class="ask on-demand"' in page) == on_demand


def test_bars_are_on_one_scale_and_say_who_has_more():
    people = [Person("a", "", 4.0, 8.0), Person("b", "", 2.5, 2.5), Person("c", "", 3.0, 0.0)]
    found = cards_of(put(people))
    one, other = found.cards
    assert found.scale == "8"
    assert [has.sign for has in one.differs] == ["less", "same", "more"]
    assert [has.value for has in other.differs] == ["8.0", "2.5", "0.0"]
    assert 'width="50.00%"' in one.differs[0].picture
    assert 'class="missing"' in one.differs[0].picture
    assert 'class="more"' in other.differs[0].picture
    assert (one.title, other.title) == ("park", "Another outcome")


def test_the_left_card_is_the_one_that_was_drawn():
    found = cards_of(put([Person("a", "", 1.0, 2.0)], left="second"))
    assert [(card.choice, card.key) for card in found.cards] == [("second", "1"), ("first", "2")]
    assert found.cards[1].title == "park"


def test_of_many_people_those_with_the_same_are_put_together():
    people = [Person(f"person {k}", "", 1.0, 2.0 if k < 2 else 1.0) for k in range(12)]
    for card in cards_of(put(people)).cards:
        assert (len(card.differs), len(card.same)) == (2, 10)


def test_where_nobody_has_anything_there_is_a_question_still():
    assert cards_of(put([Person("a", "", 0.0, 0.0)])).scale == "0"


def test_names_are_no_scripts(client, pages, study, respondent, shown):
    make_hostile(study, respondent)
    assert_harmless(client.get(pages("ask")))
    answer_all(respondent, slips=(2,))
    assert_harmless(client.get(pages("ask")))
    assert_harmless(client.get(pages("ask-result")))
    change_state(study, study.owner, State.PAUSED)
    assert client.get(pages("ask")).status_code == 403
    assert_harmless(client.get(pages("ask-result")))


def test_a_guess_of_what_is_left_comes_with_its_bound(client, pages, study, respondent):
    study.most = 40
    study.save()
    more = next_question(respondent).more
    assert 0 < more < 39
    page = client.get(pages("ask")).content.decode()
    assert f"Question 1; about {more} more, 39 at most" in page
    study.most = 2
    study.save()
    KEPT.clear()
    page = client.get(pages("ask")).content.decode()
    assert "Question 1; about 1 more</p>" in page


def test_a_late_answer_is_refused_kindly(client, pages, respondent):
    form = {"number": 1, "key": next_question(respondent).key, "choice": "first"}
    client.post(pages("ask-answer"), form)
    late = client.post(pages("ask-answer"), {**form, "choice": "equal"})
    assert late.status_code == 409
    assert "Nothing was changed" in late.content.decode()
    assert choices(respondent) == ["first"]


@pytest.mark.parametrize("number", ["", "-1", "1.5", "x", "9" * 30, "²"])
@pytest.mark.parametrize("name", ["ask-answer", "ask-undo", "ask-revise"])
def test_numbers_that_are_none_are_told_so(client, pages, respondent, name, number):
    key = next_question(respondent).key
    done = client.post(pages(name), {"number": number, "key": key, "choice": "first"})
    assert done.status_code == 400
    assert "Back to the question" in done.content.decode()


def test_the_last_answer_can_be_undone_after_the_end(client, pages, respondent):
    answer_all(respondent)
    assert "Undo" in client.get(pages("ask")).content.decode()
    client.post(pages("ask-undo"), {"number": 4})
    assert "Question 4;" in client.get(pages("ask")).content.decode()


def test_a_result_is_shown_where_it_is_allowed(client, pages, study, respondent):
    answer_all(respondent)
    assert client.get(pages("ask-result")).status_code == 404
    assert pages("ask-result") not in client.get(pages("ask")).content.decode()
    study.respondents_see_result = True
    study.save()
    assert pages("ask-result") in client.get(pages("ask")).content.decode()
    page = client.get(pages("ask-result")).content.decode()
    assert "After 4 answers" in page
    assert page.count('role="img"') == 3
    change_state(study, study.owner, State.CLOSED)
    closed = client.get(pages("ask-result")).content.decode()
    assert "After 4 answers" in closed
    assert "ask-revise" not in closed
    assert pages("ask-revise") not in closed


def test_a_result_without_answers_says_so(client, pages, shown, respondent):
    assert "no answer yet" in client.get(pages("ask-result")).content.decode()


def test_who_revises_after_the_end_has_finished_still(client, pages, shown, respondent):
    before = answer_all(respondent)
    other = "second" if before[1] == "first" else "first"
    client.post(pages("ask-revise"), {"number": 2, "choice": other})
    respondent.refresh_from_db()
    assert respondent.finished_at is not None
    assert "Go on answering" not in client.get(pages("ask-result")).content.decode()


def test_an_answer_can_be_revised_and_that_is_recorded(client, pages, shown, respondent):
    before = answer_all(respondent)
    other = "second" if before[1] == "first" else "first"
    for _ in range(2):  # a second click changes nothing
        done = client.post(pages("ask-revise"), {"number": 2, "choice": other})
        assert (done.status_code, done["Location"]) == (302, pages("ask-result"))
    assert choices(respondent)[1] == other
    assert respondent.answers.filter(ended="revised").count() == 1
    assert AuditEntry.objects.filter(what="answer revised").count() == 1
    assert client.post(pages("ask-revise"), {"number": 2, "choice": "no"}).status_code == 400
    assert client.post(pages("ask-revise"), {"number": 77, "choice": other}).status_code == 409
