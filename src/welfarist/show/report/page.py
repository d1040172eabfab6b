"""What every report is made of: what was asked for, a title and a body, and the frame of a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from welfarist.base.version import __version__
from welfarist.inference.intervals import MethodName
from welfarist.recommending.recommendation import Recommendation
from welfarist.show.report.given import Given
from welfarist.show.report.markup import NOTHING, Html, join, paragraph, text
from welfarist.show.report.pictures import can_draw
from welfarist.show.report.style import STYLE


@dataclass(frozen=True)
class Asked:
    """What whoever makes a report asked for.

    Attributes
    ----------
    given : Given
        What is added to it.
    level : float
        Of all intervals.
    method : str or None
        How intervals are made; None leaves it to the fit.
    people : pair or None
        Whose gains are set against each other.
    recommendation : Recommendation or None
        What is said of some actions.
    """

    given: Given
    level: float
    method: MethodName | None = None
    people: tuple[Any, Any] | None = None
    recommendation: Recommendation | None = None


@dataclass(frozen=True)
class Contents:
    """What a report says.

    Attributes
    ----------
    title : str
        The heading if none was given.
    warning : str
        What comes before everything else; empty if nothing must.
    answer : Html
        What stands below the heading.
    sections : tuple of Html
    figures : bool
        Whether there are any where they can be drawn.
    """

    title: str
    warning: str
    answer: Html
    sections: tuple[Html, ...]
    figures: bool = True


# How the report of a kind of result is made.
Made = Callable[[Any, Asked], Contents]


def page_of(contents: Contents, given: Given) -> str:
    """Return a report as a page that needs nothing else."""
    heading = text(contents.title if given.title is None else given.title)
    top = join(
        paragraph(contents.warning, "warning") if contents.warning else NOTHING,
        Html(f"<h1>{heading}</h1>"),
        given.below_the_heading(),
        contents.answer,
        _no_figures() if contents.figures else NOTHING,
    )
    body = join(Html(f"<header>\n{top}\n</header>"), *contents.sections)
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
        "The figures are left out, because the package matplotlib is not installed.", "soft"
    )
