"""The report as a page, and as a file."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from typing import Any

from welfarist.base.errors import InputError
from welfarist.base.version import __version__
from welfarist.base.whole_files import check_target, write_whole
from welfarist.inference.intervals import MethodName, checked, kind_for
from welfarist.results.record import FitResult
from welfarist.show.report import answer, checks, menus, sections
from welfarist.show.report.attributes import attributes
from welfarist.show.report.facts import Facts
from welfarist.show.report.given import Given
from welfarist.show.report.markup import NOTHING, Html, join, paragraph, text
from welfarist.show.report.people import bargains, checked_people, who_counts
from welfarist.show.report.pictures import can_draw
from welfarist.show.report.plain_facts import plain_facts
from welfarist.show.report.style import STYLE

_TITLE = "Which welfare function explains these decisions?"


def write_report(
    result: FitResult,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    level: float = 0.95,
    method: MethodName | None = None,
    people: tuple[Any, Any] | None = None,
    note: str | None = None,
    unit: str | None = None,
    files: Sequence[str] = (),
    date: str | datetime.date | None = None,
    remarks: Sequence[str] = (),
) -> None:
    """Write a report on a fit as one HTML file, for readers who know nothing of the method.

    The file needs nothing else: figures are part of it, and nothing is loaded from elsewhere. The
    same fit gives the same bytes. It is written whole or not at all. Without matplotlib (extra
    ``plots``) there are no figures, and the report says so.

    Parameters
    ----------
    result : FitResult
        A fit's ``result_``.
    path : str or path
        Where to write; an old file is replaced.
    title : str, optional
        The heading.
    level : float
        Of all intervals, between 0 and 1.
    method : "profile", "wald" or "bootstrap", optional
        How intervals are made, as in :meth:`welfarist.FitResult.summary`, which shows the same.
        Standard errors and tests are those of the result's covariance; see
        :meth:`welfarist.FitResult.with_covariance`.
    people : pair of names or numbers, optional
        Whose gains are set against each other; left out, the two with the largest weights, of
        different groups where there are groups.
    note : str, optional
        Printed under the heading: where the data come from, who asked.
    unit : str, optional
        What utilities are measured in, such as "euros a month".
    files : sequence of str
        Names of the files that hold the data; a name may be text of any kind.
    date : str or datetime.date, optional
        A day such as ``"2026-01-31"``, or "today". Left out, the report has no date, so that it is
        the same whenever it is made.
    remarks : sequence of str
        What happened when the data were read, such as rows that were left out; shown with the data.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import welfarist as wf
    >>> utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0], [3.0, 3.0]]
    >>> result = wf.WelfareRegressor().fit(utilities, [2.1, 3.0, 4.0, 3.9, 3.0, 3.1]).result_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "report.html"
    ...     wf.write_report(result, path, title="The charity's rule")
    ...     "<h1>The charity&#x27;s rule</h1>" in path.read_text()
    True
    """
    check_target(path)
    page = report_html(
        result, title=title, level=level, method=method, people=people, note=note, unit=unit,
        files=files, date=date, remarks=remarks,
    )  # fmt: skip
    write_whole(path, page)


def report_html(
    result: FitResult,
    *,
    title: str | None = None,
    level: float = 0.95,
    method: MethodName | None = None,
    people: tuple[Any, Any] | None = None,
    note: str | None = None,
    unit: str | None = None,
    files: Sequence[str] = (),
    date: str | datetime.date | None = None,
    remarks: Sequence[str] = (),
) -> str:
    """Return the report of :func:`write_report` as text."""
    if not isinstance(result, FitResult):
        raise InputError(
            "a report needs the record of a fit, such as learner.result_; found "
            f"{type(result).__name__}."
        )
    given = Given.of(title, note, unit, files, date, remarks)
    checked_people(result, people)
    level, _ = checked(level, method, kind_for(method, None, result.covariance))
    facts = plain_facts(Facts.of(result, level, method))
    heading = text(_TITLE if given.title is None else given.title)
    top = join(
        _warning(facts.result),
        Html(f"<h1>{heading}</h1>"),
        given.below_the_heading(),
        answer.answer(facts),
        _no_figures(),
    )
    body = join(
        Html(f"<header>\n{top}\n</header>"),
        answer.consequences(facts),
        sections.power(facts),
        who_counts(facts),
        attributes(facts),
        bargains(facts, people, given.unit),
        sections.doctrines(facts),
        menus.menus(facts),
        checks.description(facts),
        checks.surprises(facts, given.unit),
        sections.caveats(facts),
        sections.data_and_method(facts, given.rows(), given.about_reading()),
        sections.citation(),
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<main>\n{body}\n</main>\n"
        f"<footer>Made with welfarist {text(__version__)}.</footer>\n</body>\n</html>\n"
    )


def _warning(result: FitResult) -> Html:
    """What comes before everything else: that the search did not end well."""
    if result.converged:
        return NOTHING
    return paragraph(
        f"Warning: the search for the rule did not end well ({result.reason}). The numbers in this "
        "report are the best that was found, and may be far from the best there is.",
        "warning",
    )


def _no_figures() -> Html:
    if can_draw():
        return NOTHING
    return paragraph(
        "The figures are left out, because the package matplotlib is not installed.", "soft"
    )
