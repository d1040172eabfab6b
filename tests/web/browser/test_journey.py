"""From the link in the terminal to what was learned, in a real browser."""

from __future__ import annotations

import csv
import io
import re
from urllib.parse import urlsplit

import pytest

from tests.web.browser import pages
from tests.web.browser.conftest import QUESTIONS, TABLE
from welfarist.web.asking.putting import next_question
from welfarist.web.asking.taking import take_answer
from welfarist.web.models import Invite, Respondent, Study
from welfarist.web.studies.inviting import invite

CHOICES = ("first", "second", "first", "equal")


def looked_at(page, name):
    """Keep a picture of a page that everybody can use, whatever the width of their window."""
    page.wait_for_load_state("load")
    pages.screenshot(page, name)
    assert pages.serious_faults(page) == []
    assert not pages.wider_than_its_window(page)


def button(page, name):
    return page.get_by_role("button", name=name)


def set_up(page):
    """Make a study of twelve questions from a file, and open it."""
    page.get_by_role("link", name=re.compile("first study|New study")).click()
    looked_at(page, "new-study")
    page.get_by_label("Title").first.fill("Plans for the town")
    page.get_by_label("Table of actions").set_input_files(
        {"name": "plans.csv", "mimeType": "text/csv", "buffer": TABLE}
    )
    button(page, "Make the study").click()
    page.get_by_role("heading", name="Plans for the town").wait_for()
    looked_at(page, "study-draft")
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Number of questions at most").fill(str(QUESTIONS))
    page.get_by_label("Respondents see what was learned").check()
    looked_at(page, "settings")
    button(page, "Save").click()
    page.goto(f"/studies/{Study.objects.get().pk}/")
    button(page, re.compile("^Open")).click()


def sent_link(page):
    """Invite somebody by name, and return their link."""
    invited = page.get_by_role("group").filter(has_text="Invite people")
    if not invited.get_by_role("button", name="Make links").is_visible():
        page.get_by_text("Invite people", exact=True).click()
    page.get_by_label(re.compile("Names")).fill("Grace")
    button(page, "Make links").click()
    link = page.get_by_label("Link of Grace")
    link.wait_for()
    looked_at(page, "study-open")
    return urlsplit(link.input_value()).path


def answer_all(page, link):
    page.goto(link)
    for number in range(1, QUESTIONS + 1):
        pages.wait_for_question(page, number)
        if number in (1, 6):
            looked_at(page, f"question-{number}")
        pages.answer(page, CHOICES[number % 4])
    pages.wait_for_thanks(page)
    looked_at(page, "thanks")


def test_a_study_from_its_table_to_what_was_learned(visitor, door):
    analyst, respondent = visitor().tab(), visitor().tab()
    analyst.goto(door)
    looked_at(analyst, "first-time")
    set_up(analyst)
    answer_all(respondent, sent_link(analyst))
    assert Respondent.objects.get().finished_at is not None
    respondent.get_by_role("link", name="See what was learned").click()
    respondent.get_by_role("heading", name="What was learned").first.wait_for()
    looked_at(respondent, "result")
    analyst.reload()
    with analyst.expect_download() as taken:
        analyst.get_by_role("link", name="Decisions (CSV)").click()
    rows = list(csv.DictReader(io.StringIO(taken.value.path().read_text("utf-8"))))
    assert len(rows) == QUESTIONS


@pytest.fixture
def answered(study, link):
    """Grace, who answered all questions."""
    grace = Respondent.objects.get()
    while (question := next_question(grace)) is not None:
        take_answer(grace, question.number, question.key, CHOICES[question.number % 4])
    return grace


PLACES = {
    "studies": "/",
    "study": "/studies/{}/",
    "settings-frozen": "/studies/{}/edit/",
    "table": "/studies/{}/table/",
    "words-stakeholders": "/studies/{}/words/stakeholders/",
    "words-actions": "/studies/{}/words/actions/",
    "audit": "/studies/{}/audit/",
    "learned": "/studies/{}/learned/",
    "learned-respondent": "/studies/{}/learned/1/",
    "explore": "/studies/{}/explore/",
    "import": "/studies/import/",
    "activity": "/activity/",
    "delete-study": "/studies/{}/delete/",
    "delete-respondent": "/studies/{}/respondents/1/delete/",
}


@pytest.mark.parametrize("width", [1280, 400])
def test_everybody_can_use_every_page_of_the_analyst(visitor, door, study, answered, width):
    page = visitor(viewport={"width": width, "height": 900}).tab()
    page.goto(door)
    for name, place in PLACES.items():
        shown = page.goto(place.format(study.pk))
        assert shown.status == 200, place
        looked_at(page, name if width > 400 else f"{name}-narrow")


def test_an_answer_can_be_revised_afterwards(visitor, link, answered):
    page = visitor().tab()
    page.goto(f"{link}result/")
    page.get_by_text(re.compile(r"Show the \d+ answers")).click()
    page.get_by_label("Another answer to question 2", exact=True).select_option("skip")
    page.get_by_role("row", name=re.compile("^2 ")).get_by_role("button", name="Revise").click()
    page.wait_for_load_state("networkidle")
    standing = answered.answers.get(number=2, ended="")
    assert standing.choice == "skip"
    assert answered.answers.filter(number=2, ended="revised").count() == 1


def test_sliders_show_what_other_rules_would_do(visitor, door, study):
    page = visitor().tab()
    page.goto(door)
    page.goto(f"/studies/{study.pk}/explore/")
    before = page.get_by_role("table").inner_text()
    page.get_by_role("slider").first.press("Home")
    page.wait_for_function(
        "before => document.querySelector('table').innerText !== before", arg=before
    )
    there = page.get_by_role("table").inner_text()
    again = page.context.new_page()
    again.goto(page.url)
    assert again.get_by_role("table").inner_text() == there


def test_a_revoked_link_lets_nobody_in(visitor, door, study, link):
    analyst, respondent = visitor().tab(), visitor().tab()
    respondent.goto(link)
    pages.wait_for_question(respondent, 1)
    analyst.goto(door)
    analyst.goto(f"/studies/{study.pk}/")
    button(analyst, re.compile("^Revoke")).click()
    analyst.get_by_text("revoked").first.wait_for()
    pages.answer(respondent)
    respondent.get_by_text("This link is no longer valid").wait_for()
    assert not Respondent.objects.get().answers.exclude(choice="").exists()


def test_a_double_click_makes_one_of_everything(visitor, door):
    page = visitor().tab()
    page.goto(door)
    page.goto("/studies/new/")
    page.get_by_label("Table of actions").set_input_files(
        {"name": "plans.csv", "mimeType": "text/csv", "buffer": TABLE}
    )
    button(page, "Make the study").dblclick(delay=5)
    page.get_by_role("heading", name="plans").wait_for()
    page.get_by_label(re.compile("Names")).fill("Grace")
    button(page, "Make links").dblclick(delay=5)
    page.get_by_label("Link of Grace").first.wait_for()
    page.go_back()  # whoever comes back can send the form again
    if not button(page, "Make links").is_visible():
        page.get_by_text("Invite people", exact=True).click()
    page.get_by_label(re.compile("Names")).fill("Ada")
    button(page, "Make links").click()
    page.get_by_label("Link of Ada").wait_for()
    assert Study.objects.count() == 1
    assert [invite.name for invite in Invite.objects.order_by("pk")] == ["Grace", "Ada"]


def test_a_file_that_is_too_large_is_not_even_sent(visitor, door):
    page = visitor().tab()
    page.goto(door)
    page.goto("/studies/new/")
    field = page.get_by_label("Table of actions")
    large = TABLE + b"#" * (10 << 20)
    for data, said in ((large, "10 megabytes at most; this one has 10.1"), (TABLE, "")):
        field.set_input_files({"name": "plans.csv", "mimeType": "text/csv", "buffer": data})
        assert said in field.evaluate("field => field.validationMessage")
        assert field.evaluate("field => field.validity.valid") == (data is TABLE)
    button(page, "Make the study").click()
    page.get_by_role("heading", name="plans").wait_for()


def test_names_are_words_wherever_they_are_shown(visitor, door, study, analyst):
    """Whoever calls themselves a script is shown as one."""
    study.title = "<script>document.title = 'taken'</script>"
    study.save()
    token = invite(study, analyst, Invite.Kind.PERSONAL, name="<img src=x onerror=alert(1)>").token
    page = visitor().tab()
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(door)
    for place in (f"/studies/{study.pk}/", f"/studies/{study.pk}/learned/", f"/ask/{token}/"):
        page.goto(place)
        assert page.title() != "taken"
        assert "<script>" in page.locator("body").inner_text()


def test_the_link_works_once_and_strangers_see_nothing(visitor, door, study):
    visitor().tab().goto(door)
    stranger = visitor().tab()
    stranger.goto(door)
    looked_at(stranger, "used-link")
    stranger.goto(f"/studies/{study.pk}/")
    assert study.title not in stranger.get_by_role("main").inner_text()
    stranger.goto("/no-such-page")
    looked_at(stranger, "no-such-page")
