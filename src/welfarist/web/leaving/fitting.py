"""Models and reports: learned by what ``welfarist fit`` does, from the files that are exported."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from welfarist.app.decisions import DecisionOptions, TableOptions
from welfarist.app.fitting import FitRequest, Fitted, fit, read
from welfarist.app.pages import PageOptions
from welfarist.app.warned import heard
from welfarist.base.errors import InputError, WelfaristError
from welfarist.web.leaving.decisions import Taken, require_some
from welfarist.web.words import message_of

DECISIONS, ACTIONS = "decisions.csv", "actions.csv"
# Figures are drawn by a library that knows one drawer, and fits are for one core at a time.
_ALONE = threading.Lock()


def fitted(taken: Taken, title: str | None = None) -> Fitted:
    """Learn one rule from answers, or say why that cannot be done."""
    require_some(taken)
    with tempfile.TemporaryDirectory(prefix="welfarist-") as folder:
        asked = request_for(taken, Path(folder), title)
        try:
            with _ALONE, heard():  # what learners warn of is among the caveats
                return fit(asked, read(asked))
        except WelfaristError as problem:
            raise InputError(message_of(problem).replace(folder, "")) from None


def request_for(taken: Taken, folder: Path, title: str | None = None) -> FitRequest:
    """Write both files to a folder, and return what is to be learned from them."""
    (folder / DECISIONS).write_bytes(taken.decisions)
    (folder / ACTIONS).write_bytes(taken.actions)
    return FitRequest(
        str(folder / ACTIONS),
        TableOptions(separator=",", decimal="."),
        DecisionOptions(comparisons=str(folder / DECISIONS)),
        page=PageOptions(title=title),
        allow_unconverged=True,
        report=str(folder / "report.html") if title else None,
    )


def report_of(learned: Fitted) -> str:
    """Return the report as a page of its own."""
    with _ALONE, heard():
        return learned.page()
