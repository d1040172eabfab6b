"""From the link in the terminal to what was learned, in a real browser."""

from __future__ import annotations

from tests.web.browser import pages
from tests.web.browser.conftest import QUESTIONS
from welfarist.web.models import Respondent


def looked_at(page, name):
    """Keep a picture of a page that everybody can use."""
    pages.screenshot(page, name)
    assert pages.serious_faults(page) == []


def test_an_analyst_sends_a_link_and_somebody_answers(visitor, door, study, link):
    analyst = visitor().tab()
    analyst.goto(door)
    looked_at(analyst, "studies")
    analyst.get_by_role("link", name=study.title).click()
    looked_at(analyst, "study")
    assert link in analyst.get_by_role("main").inner_html()
    respondent = visitor().tab()
    respondent.goto(link)
    for number in range(1, QUESTIONS + 1):
        pages.wait_for_question(respondent, number)
        if number in (1, 6):
            looked_at(respondent, f"question-{number}")
        pages.answer(respondent, ("first", "second", "first", "equal")[number % 4])
    pages.wait_for_thanks(respondent)
    looked_at(respondent, "thanks")
    assert Respondent.objects.get().finished_at is not None


def test_the_link_works_once_and_strangers_see_nothing(visitor, door, study):
    visitor().tab().goto(door)
    stranger = visitor().tab()
    stranger.goto(door)
    looked_at(stranger, "used-link")
    stranger.goto(f"/studies/{study.pk}/")
    assert study.title not in stranger.get_by_role("main").inner_text()
    stranger.goto("/no-such-page")
    looked_at(stranger, "no-such-page")
