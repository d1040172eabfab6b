"""A respondent in a real browser: answers are saved once, whatever hands and networks do."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.web.browser import pages
from tests.web.browser.conftest import QUESTIONS
from welfarist.web.models import Invite, Respondent, State
from welfarist.web.studies.inviting import invite
from welfarist.web.studies.opening import open_study
from welfarist.web.studies.states import change_state

SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 20_000}
NARROW = {"width": 400, "height": 800}


def stored():
    """Answers that stand, in order."""
    rows = Respondent.objects.get().answers.filter(ended="").exclude(choice="")
    return [(row.number, row.choice) for row in rows.order_by("number", "pk")]


@pytest.fixture
def page(visitor, link):
    """A tab with the first question."""
    opened = visitor().tab()
    opened.goto(link)
    pages.wait_for_question(opened, 1)
    return opened


def test_everything_works_in_a_narrow_window(visitor, link):
    page = visitor(viewport=NARROW, has_touch=True).tab()
    page.goto(link)
    for number in range(1, 4):
        pages.wait_for_question(page, number)
        assert not pages.wider_than_its_window(page)
        pages.answer(page, "second")
    pages.wait_for_question(page, 4)
    pages.screenshot(page, "question-narrow")
    assert stored() == [(1, "second"), (2, "second"), (3, "second")]


def test_large_numbers_and_long_names_fit_a_narrow_window(visitor, door, analyst):
    names = f"residents,{'x' * 120},Teilzeitbeschäftigungsverhältnisse"
    rows = "\n".join(f"{'plan ' * 30}{i},{i}015934,{9 - i}.852e12,{i % 3}e-7" for i in range(1, 9))
    study = open_study(analyst, f"action,{names}\n{rows}\n".encode(), "odd.csv")
    change_state(study, analyst, State.OPEN)
    page = visitor(viewport=NARROW).tab()
    page.goto(door)
    link = f"/ask/{invite(study, analyst, name='x' * 200).token}/"
    for place in (link, f"/studies/{study.pk}/explore/", f"/studies/{study.pk}/table/"):
        page.goto(place)
        assert not pages.wider_than_its_window(page), place


def test_a_slow_network_doubles_nothing(visitor, link):
    somebody = visitor()
    page = somebody.tab()
    somebody.context.new_cdp_session(page).send("Network.emulateNetworkConditions", SLOW)
    page.goto(link)
    pages.wait_for_question(page, 1)
    for number in (1, 2):
        pages.choice(page, "first").dblclick(no_wait_after=True)
        pages.wait_for_question(page, number + 1)
    assert stored() == [(1, "first"), (2, "first")]


def test_double_clicks_answer_once(page):
    for number in (1, 2, 3):
        pages.choice(page, "second").dblclick(delay=5)
        pages.wait_for_question(page, number + 1)
        assert stored() == [(i, "second") for i in range(1, number + 1)]


def test_two_tabs_are_one_interview(page):
    other = page.context.new_page()
    other.goto(page.url)
    pages.wait_for_question(other, 1)
    pages.answer(page, "first")
    pages.wait_for_question(page, 2)
    pages.answer(other, "second")  # of a question that was answered in the meantime
    pages.wait_for_question(other, 2)
    assert "answered already" in other.get_by_role("main").inner_text()
    pages.answer(other, "second")
    pages.wait_for_question(other, 3)
    page.reload()
    pages.wait_for_question(page, 3)
    assert stored() == [(1, "first"), (2, "second")]


def test_the_back_button_and_reloading_lose_nothing(page):
    pages.answer(page, "first")
    pages.wait_for_question(page, 2)
    page.go_back()
    page.reload()
    pages.wait_for_question(page, 2)
    pages.answer(page, "equal")
    pages.wait_for_question(page, 3)
    page.reload()
    pages.wait_for_question(page, 3)
    assert stored() == [(1, "first"), (2, "equal")]


def test_another_device_goes_on(page, visitor, link):
    pages.answer(page, "first")
    pages.wait_for_question(page, 2)
    other = visitor(viewport=NARROW).tab()
    other.goto(link)
    pages.wait_for_question(other, 2)
    pages.answer(other, "skip")
    pages.wait_for_question(other, 3)
    assert stored() == [(1, "first"), (2, "skip")]


def test_an_answer_can_be_taken_back(page):
    pages.answer(page, "first")
    pages.wait_for_question(page, 2)
    pages.undo_button(page).click()
    pages.wait_for_question(page, 1)
    assert stored() == []
    pages.answer(page, "second")
    pages.wait_for_question(page, 2)
    assert stored() == [(1, "second")]


def test_a_link_that_expired_says_so_and_takes_nothing(page):
    Invite.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    pages.answer(page, "first")
    page.get_by_text("This link has expired").wait_for()
    pages.screenshot(page, "expired")
    assert pages.serious_faults(page) == []
    assert stored() == []


def test_an_open_link_asks_for_a_name_and_remembers_who_it_is(visitor, study, analyst):
    page = visitor().tab()
    page.goto(f"/ask/{invite(study, analyst, Invite.Kind.OPEN).token}/")
    pages.screenshot(page, "begin")
    assert pages.serious_faults(page) == []
    page.get_by_role("textbox").fill("Grace <b>Hopper</b>")
    page.get_by_role("button", name="Begin").click()
    pages.wait_for_question(page, 1)
    assert Respondent.objects.get().name == "Grace <b>Hopper</b>"


def test_a_keyboard_is_enough(page):
    for number in range(1, QUESTIONS + 1):
        pages.wait_for_question(page, number)
        pages.press_button(page, pages.choice(page, ("first", "second")[number % 2]))
    pages.wait_for_thanks(page)
    assert [number for number, _ in stored()] == list(range(1, QUESTIONS + 1))


def test_one_key_is_one_answer(page):
    """What is on the left is 1, on the right 2; 0 is equal, s skips, and u takes it back."""
    for number, key in enumerate("120s", start=1):
        pages.wait_for_question(page, number)
        page.keyboard.press(key)
    pages.wait_for_question(page, 5)
    said = [choice for _, choice in stored()]
    assert {*said[:2]} <= {"first", "second"}
    assert said[2:] == ["equal", "skip"]
    page.keyboard.press("u")
    pages.wait_for_question(page, 4)
    assert len(stored()) == 3
