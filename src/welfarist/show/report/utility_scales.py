"""Utilities that are estimates: what their errors do, and what hangs on their scale."""

from __future__ import annotations

from welfarist.base.errors import InputError
from welfarist.inference.likelihood import is_estimated
from welfarist.inference.utility_errors import UtilityErrors
from welfarist.inference.utility_scales import ScaleTable
from welfarist.results.record import FitResult
from welfarist.show.report import words
from welfarist.show.report.facts import Facts
from welfarist.show.report.markup import NOTHING, Html, join, paragraph, section, table


def utilities(facts: Facts) -> Html:
    """How errors of utilities show, and other scales; nothing where utilities are exact."""
    result = facts.result
    if not is_estimated(result.likelihood):
        return NOTHING
    return section(
        "Utilities are estimates",
        paragraph(words.sentence(result.utility_errors.sentence)),
        _beside_naive(result.utility_errors),
        _scales(result),
    )


def _beside_naive(found: UtilityErrors) -> Html:
    rows = [
        [name, f"{one:.3g}", f"{other:.3g}"]
        for name, one, other in zip(
            found.names, found.corrected.tolist(), found.naive.tolist(), strict=True
        )
    ]
    header = ["number", "allowing for errors", "as if exact"]
    return table("What was learned, and what would be if utilities were exact", header, rows, (0,))


def _scales(result: FitResult) -> Html:
    """The rule under other scales; nothing of utilities whose scale is known."""
    try:
        found: ScaleTable = result.scales()
    except InputError:
        return NOTHING
    columns = zip(found.names, zip(*found.rows, strict=True), strict=True)
    rows = [[name, *(f"{value:.3g}" for value in row)] for name, row in columns]
    return join(
        paragraph(
            "Utilities were learned from answers. Answers tell what somebody wants more, and not "
            "whether one person wants it more than another does: that is stated, by how many "
            "times better everybody's best action is than their worst. What would be learned "
            "under other statements:"
        ),
        table("The rule under other scales", ["number", *found.scales], rows, (0,)),
    )
