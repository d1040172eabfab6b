"""The report as a page, and as a file."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from typing import Any

from welfarist.base.errors import InputError
from welfarist.base.whole_files import check_target, write_whole
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.deciders.types_result import TypesResult
from welfarist.inference.intervals import MethodName
from welfarist.recommending.advice import Advice
from welfarist.recommending.recommendation import Recommendation
from welfarist.results.record import FitResult
from welfarist.show.report.advised import advised
from welfarist.show.report.crowd import crowd
from welfarist.show.report.given import Given
from welfarist.show.report.one_rule import one_rule
from welfarist.show.report.page import Asked, Made, page_of
from welfarist.show.report.typed import typed

# How the report of each kind of result is made.
_KINDS: dict[type, Made] = {
    FitResult: one_rule, TypesResult: typed, DecidersResult: crowd,
    Recommendation: advised, Advice: advised,
}  # fmt: skip


def write_report(
    result: FitResult | TypesResult | DecidersResult | Recommendation | Advice,
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
    recommendation: Recommendation | None = None,
) -> None:
    """Write a report on a fit as one HTML file, for readers who know nothing of the method.

    The file needs nothing else: figures are part of it, and nothing is loaded from elsewhere. The
    same fit gives the same bytes. It is written whole or not at all. Without matplotlib (extra
    ``plots``) there are no figures, and the report says so.

    Parameters
    ----------
    result : FitResult, TypesResult, DecidersResult or Recommendation
        A fit's ``result_``: of one rule, of types of decision makers, or of everybody's own rule;
        or what :func:`welfarist.recommend` says of new actions, alone.
    path : str or path
        Where to write; an old file is replaced.
    title : str, optional
        The heading.
    level : float
        Of all intervals, between 0 and 1.
    method : "profile", "wald" or "bootstrap", optional
        How intervals are made, as in :meth:`welfarist.FitResult.summary`, which shows the same.
        Standard errors and tests are those of the result's covariance; see
        :meth:`welfarist.FitResult.with_covariance`. Of one rule only.
    people : pair of names or numbers, optional
        Whose gains are set against each other; left out, the two with the largest weights, of
        different groups where there are groups. Of one rule only.
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
    recommendation : Recommendation, optional
        What :func:`welfarist.recommend` says of some actions by this fit: the report then shows
        their order, how sure it is, and why the first is better than the second. Of one rule only.

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
        files=files, date=date, remarks=remarks, recommendation=recommendation,
    )  # fmt: skip
    write_whole(path, page)


def report_html(
    result: FitResult | TypesResult | DecidersResult | Recommendation | Advice,
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
    recommendation: Recommendation | None = None,
) -> str:
    """Return the report of :func:`write_report` as text."""
    given = Given.of(title, note, unit, files, date, remarks)
    made = next((made for kind, made in _KINDS.items() if isinstance(result, kind)), None)
    if made is None:
        raise InputError(
            "a report needs the record of a fit, such as learner.result_; found "
            f"{type(result).__name__}."
        )
    asked = Asked(given, level, method, people, recommendation)
    return page_of(made(result, asked), given)
