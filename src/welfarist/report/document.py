"""The report as a page, and as a file."""

from __future__ import annotations

import os
from typing import Any

from welfarist import __version__
from welfarist.errors import InputError
from welfarist.files.writing import check_target, write_whole
from welfarist.fit import FitResult
from welfarist.report import answer, checks, sections
from welfarist.report.facts import Facts
from welfarist.report.markup import NOTHING, Html, join, paragraph, text
from welfarist.report.pictures import can_draw
from welfarist.report.style import STYLE
from welfarist.validation import is_real

_TITLE = "Which welfare function explains these decisions?"


def write_report(
    result: FitResult,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    level: float = 0.95,
    people: tuple[Any, Any] | None = None,
) -> None:
    """Write a report on a fit as one HTML file, for readers who know nothing of the method.

    The file needs nothing else: figures are part of it, and nothing is loaded from elsewhere. The
    same fit gives the same bytes. It is written whole or not at all. Without matplotlib there
    are no figures, and the report says so.

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
    people : pair of names or numbers, optional
        Whose gains are set against each other; left out, the two with the largest weights.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import welfarist as wf
    >>> from welfarist.demo import past_decisions
    >>> result = wf.ComparisonClassifier().fit(past_decisions()).result_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "report.html"
    ...     wf.write_report(result, path, title="The charity's rule")
    ...     "<h1>The charity&#x27;s rule</h1>" in path.read_text()
    True
    """
    check_target(path)
    write_whole(path, report_html(result, title=title, level=level, people=people))


def report_html(
    result: FitResult,
    *,
    title: str | None = None,
    level: float = 0.95,
    people: tuple[Any, Any] | None = None,
) -> str:
    """Return the report of :func:`write_report` as text."""
    if not isinstance(result, FitResult):
        raise InputError(
            "a report needs the record of a fit, such as learner.result_; found "
            f"{type(result).__name__}."
        )
    if title is not None and not isinstance(title, str):
        raise InputError(f"title must be text; found {title!r}.")
    sections.checked_people(result, people)
    if not is_real(level) or not 0 < level < 1:
        raise InputError(f"level must be a number between 0 and 1, such as 0.95; found {level!r}.")
    facts = Facts.of(result, float(level))
    heading = text(_TITLE if title is None else title)
    body = join(
        Html(f"<header>\n<h1>{heading}</h1>\n{answer.answer(facts)}\n{_no_figures()}\n</header>"),
        answer.consequences(facts),
        sections.power(facts),
        sections.people(facts),
        sections.bargains(facts, people),
        sections.doctrines(facts),
        checks.description(facts),
        checks.surprises(facts),
        sections.caveats(facts),
        sections.data_and_method(facts),
        sections.citation(),
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<main>\n{body}\n</main>\n"
        f"<footer>Made with welfarist {text(__version__)}.</footer>\n</body>\n</html>\n"
    )


def _no_figures() -> Html:
    if can_draw():
        return NOTHING
    return paragraph(
        "The figures are left out, because the package matplotlib is not installed. "
        'pip install "welfarist[plots]" brings it.',
        "soft",
    )
