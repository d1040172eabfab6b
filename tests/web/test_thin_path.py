"""From a table to thanks: the shortest way through all pages."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from welfarist.web.asking.putting import next_question
from welfarist.web.headers import POLICY
from welfarist.web.models import Invite, Respondent, State
from welfarist.web.studies.inviting import invite, revoke
from welfarist.web.studies.states import change_state

pytestmark = pytest.mark.django_db


def answers_of(respondent):
    return list(respondent.answers.filter(ended="", answered_at__isnull=False))


def posted(question, choice="first", **more):
    return {"number": question.number, "key": question.key, "choice": choice, **more}


def test_a_respondent_answers_all_questions_and_is_thanked(client, invited, respondent):
    page = reverse("ask", args=[invited.token])
    assert "Question 1;" in client.get(page).content.decode()
    for number in range(1, 5):
        question = next_question(respondent)
        assert question.number == number
        done = client.post(reverse("ask-answer", args=[invited.token]), posted(question, ms=1500))
        assert (done.status_code, done["Location"]) == (302, page)
        assert len(answers_of(respondent)) == number
    assert "Thank you" in client.get(page).content.decode()
    respondent.refresh_from_db()
    assert respondent.finished_because == "4 questions were answered, the most there should be"
    assert {row.response_ms for row in answers_of(respondent)} == {1500}


def test_an_answer_needs_the_token_of_its_form(invited, respondent):
    guarded = Client(enforce_csrf_checks=True)
    done = guarded.post(
        reverse("ask-answer", args=[invited.token]), posted(next_question(respondent))
    )
    assert done.status_code == 403
    assert not answers_of(respondent)


def test_a_second_tab_is_shown_what_is_asked_now(client, invited, respondent):
    address = reverse("ask-answer", args=[invited.token])
    form = posted(next_question(respondent))
    assert client.post(address, form).status_code == 302
    assert client.post(address, form).status_code == 302  # a second click
    other = client.post(address, {**form, "choice": "second"})
    assert other.status_code == 409
    assert "Question 2;" in other.content.decode()
    assert [row.choice for row in answers_of(respondent)] == ["first"]


@pytest.mark.parametrize("missing", ["number", "key", "choice"])
def test_what_is_incomplete_is_refused(client, invited, respondent, missing):
    form = posted(next_question(respondent))
    del form[missing]
    assert client.post(reverse("ask-answer", args=[invited.token]), form).status_code == 400


def test_an_open_link_gives_everybody_one_of_their_own(client, study, analyst):
    made = invite(study, analyst, Invite.Kind.OPEN)
    page = reverse("ask", args=[made.token])
    assert "Begin" in client.get(page).content.decode()
    assert not Respondent.objects.exists()
    places = [
        client.post(reverse("ask-begin", args=[made.token]), {"name": name})["Location"]
        for name in ("Grace", "")
    ]
    assert len({page, *places}) == 3
    assert "Question 1;" in client.get(places[1]).content.decode()
    assert [(r.number, r.name) for r in Respondent.objects.all()] == [(1, "Grace"), (2, "")]


@pytest.mark.parametrize(
    ("name", "kept"), [("a\0b", "ab"), ("\0", ""), (" Grace ", "Grace"), ("x" * 10_000, "x" * 200)]
)
def test_whatever_name_somebody_writes_they_can_begin(client, study, analyst, name, kept):
    made = invite(study, analyst, Invite.Kind.OPEN)
    assert client.post(reverse("ask-begin", args=[made.token]), {"name": name}).status_code == 302
    assert Respondent.objects.get().name == kept


def test_nobody_answers_by_a_link_that_is_no_more(client, study, analyst, invited):
    page = reverse("ask", args=[invited.token])
    change_state(study, analyst, State.PAUSED)
    assert "paused" in client.get(page).content.decode()
    change_state(study, analyst, State.OPEN)
    revoke(invited, analyst)
    done = client.get(page)
    assert (done.status_code, "no longer valid" in done.content.decode()) == (403, True)
    assert client.get(reverse("ask", args=["something-else"])).status_code == 404


def test_the_answer_before_can_be_taken_back(client, invited, respondent):
    question = next_question(respondent)
    client.post(reverse("ask-answer", args=[invited.token]), posted(question))
    for _ in range(2):
        done = client.post(reverse("ask-undo", args=[invited.token]), {"number": 1})
        assert done.status_code == 302
    again = next_question(respondent)
    assert (again.number, again.people) == (1, question.people)
    assert again.key != question.key


def test_analysts_see_their_own_studies_alone(client, django_user_model, study):
    assert client.get("/")["Location"].startswith("/login/")
    client.force_login(django_user_model.objects.create_user("eve"))
    assert client.get(reverse("study", args=[study.pk])).status_code == 404
    assert "Plans" not in client.get("/").content.decode()
    client.force_login(study.owner)
    assert "Plans" in client.get("/").content.decode()
    assert client.get(reverse("study", args=[study.pk])).status_code == 200


def test_every_page_says_what_browsers_may_do(client, invited):
    for page in (reverse("ask", args=[invited.token]), "/login/", "/health", "/no-such-page"):
        headers = client.get(page).headers
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"


def test_pages_have_nothing_inline_and_nothing_from_outside(client, invited):
    page = client.get(reverse("ask", args=[invited.token])).content.decode()
    for forbidden in ("<style", "style=", "onclick", "http://", "https://", "<script>"):
        assert forbidden not in page


def test_style_sheets_have_names_that_change_with_them(client, invited):
    page = client.get(reverse("ask", args=[invited.token])).content.decode()
    (name,) = (part for part in page.split('"') if part.startswith("/static/web/app."))
    assert name != "/static/web/app.css"
    found = client.get(name)
    assert found.status_code == 200
    assert "immutable" in found["Cache-Control"]
    assert found["Content-Security-Policy"] == POLICY
    b"".join(found.streaming_content)
    found.close()


def test_the_watch_hears_that_the_database_answers(client, db):
    assert client.get("/health").json() == {"database": "answers"}
