"""What people do on pages, by what they read there."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.web.browser.conftest import PATIENCE, SCREENSHOTS

expect.set_options(timeout=PATIENCE)
QUESTION = re.compile(r"Question (\d+)")


def choice(page, answer):
    """The button of an answer."""
    return page.locator(f'button[name="choice"][value="{answer}"]')


def number_of(page):
    """Which question is shown."""
    return int(QUESTION.search(page.get_by_role("main").inner_text())[1])


def wait_for_question(page, number):
    """Wait until a question is shown whose buttons can be pressed."""
    expect(page.get_by_role("main")).to_contain_text(re.compile(rf"Question {number}\b"))
    expect(choice(page, "first")).to_be_enabled()


def wait_for_thanks(page):
    """Wait for the end."""
    expect(page.get_by_role("heading", name=re.compile("thank", re.IGNORECASE))).to_be_visible()


def answer(page, said="first"):
    """Press the button of an answer."""
    choice(page, said).click()


def screenshot(page, name):
    """Keep what a page looks like."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)


def serious_faults(page):
    """What keeps somebody from using a page, as axe-core finds it."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {fault['help']}: {fault['nodes'][0]['html']}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]


def wider_than_its_window(page):
    """Whether one has to scroll to the side."""
    return page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )


def undo_button(page):
    """The button that takes the last answer back."""
    return page.get_by_role("button", name=re.compile("back|undo", re.IGNORECASE)).first


def press_button(page, button, most=40):
    """Go to a button with the Tab key alone, and press it."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if button.evaluate("one => one === document.activeElement"):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"the Tab key does not lead to {button}")
