"""A real browser, real pages, and a look at whether everybody can use them."""

from __future__ import annotations

import importlib.util
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
from django.core.wsgi import get_wsgi_application
from waitress.wasyncore import close_all

from welfarist.web.accounts.local import local_analyst
from welfarist.web.accounts.one_time import DOOR
from welfarist.web.models import State
from welfarist.web.serving import ServeRequest, listening
from welfarist.web.studies.inviting import invite
from welfarist.web.studies.opening import open_study
from welfarist.web.studies.states import change_state

CHROMIUM = shutil.which("chromium")
NEEDED = ("playwright", "axe_playwright_python")
SCREENSHOTS = Path(__file__).parents[3] / "build" / "screenshots"
QUESTIONS = 12
# Milliseconds until a page has to be there; machines that test are busy.
PATIENCE = 120_000


def _table():
    rows = np.round(np.random.default_rng(4).uniform(1, 10, (30, 3)), 1)
    lines = [f"plan {i + 1}," + ",".join(map(str, row)) for i, row in enumerate(rows.tolist())]
    return "\n".join(["action,residents,shops,staff", *lines, ""]).encode()


TABLE = _table()


def why_not():
    """Why there is no browser, or nothing."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        return f"{missing[0]} is not installed"
    return "" if CHROMIUM else "chromium is not installed (apt-get install chromium)"


def pytest_collection_modifyitems(items):
    """Skip everything in this folder where there is no browser."""
    reason, here = why_not(), Path(__file__).parent
    for item in items:
        if reason and here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="package")
def browser(django_db_setup):
    """One for all tests here, and for no others: Playwright leaves a loop of events running."""
    from playwright.sync_api import sync_playwright

    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Django takes whatever runs beside a loop of events for a part of it, and refuses to work.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        # Root, who runs tests in containers, has no sandbox there.
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def site(browser, transactional_db):
    """The address of pages that waitress shows, as `welfarist serve` does."""
    server = listening(ServeRequest(port=0), get_wsgi_application())
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.effective_port}"
    server.trigger.pull_trigger(lambda: close_all(server._map))  # its loop ends without sockets
    thread.join(PATIENCE / 1000)
    server.task_dispatcher.shutdown()


class Visitor:
    """Somebody with a browser of their own, who notices what goes wrong in it."""

    def __init__(self, browser, site, **settings):
        self.site = site
        self.context = browser.new_context(base_url=site, **settings)
        self.context.set_default_timeout(PATIENCE)
        self.problems = []

    def tab(self):
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("requestfailed", self._failed)
        page.on("request", self._requested)
        return page

    def _requested(self, request):
        if not request.url.startswith((self.site, "data:", "blob:")):
            self.problems.append(f"from outside: {request.url}")

    def _failed(self, request):
        # Who leaves a page before all of it is there has aborted nothing of ours.
        if "ERR_ABORTED" not in (request.failure or ""):
            self.problems.append(f"{request.url}: {request.failure}")


@pytest.fixture
def visitor(browser, site):
    """Make visitors; nothing may have gone wrong with any of them."""
    made = []

    def come(**settings):
        made.append(Visitor(browser, site, **settings))
        return made[-1]

    yield come
    for one in made:
        one.context.close()
    assert [problem for one in made for problem in one.problems] == []


@pytest.fixture
def analyst(site):
    """Whoever runs the pages on their own machine."""
    return local_analyst()


@pytest.fixture
def study(analyst):
    """A study of twelve questions, whose respondents see what was learned."""
    made = open_study(
        analyst, TABLE, "plans.csv", title="Plans for the town", most=QUESTIONS, seed=1,
        respondents_see_result=True,
    )  # fmt: skip
    change_state(made, analyst, State.OPEN)
    return made


@pytest.fixture
def link(study, analyst, site):
    """The address that one respondent was sent."""
    return f"/ask/{invite(study, analyst, name='Grace').token}/"


@pytest.fixture
def door(site):
    """The address that is printed in the terminal."""
    return f"/enter/{DOOR.issue()}/"
