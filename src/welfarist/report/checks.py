"""Does the rule describe the decisions, and which of them surprise it."""

from __future__ import annotations

from typing import Any

from welfarist import plots
from welfarist.errors import InputError
from welfarist.report import words
from welfarist.report.facts import Facts
from welfarist.report.markup import NOTHING, Html, bullets, paragraph, section
from welfarist.report.pictures import drawn

_SURPRISES = 10


def description(facts: Facts) -> Html:
    """Calibration of comparisons or residuals of scores, and what speaks against the family."""
    result: Any = facts.result
    if not hasattr(result, "misfit"):
        return NOTHING
    parts = []
    try:
        parts.append(paragraph(result.misfit().verdict))
    except InputError as problem:
        parts.append(paragraph(f"Not checked: {problem}", "soft"))
    parts.append(_residuals(result) if result.accuracy is None else _calibration(result))
    return section("Does the rule describe the decisions?", *parts)


def _calibration(result: Any) -> Html:
    try:
        found = result.calibration()
    except InputError:
        return NOTHING
    return drawn(
        lambda axes: plots.calibration(found, axes),
        (5.4, 5.0),
        "How often the better action was chosen against how often the rule says it is; the mean "
        f"gap is {words.percent(found.gap)}.",
        "How often the action that the rule finds better was chosen, beside how often the rule "
        "says it is. Dots on the dashed line mean that its chances can be taken at their word.",
    )


def _residuals(result: Any) -> Html:
    try:
        found = result.residuals()
    except InputError:
        return NOTHING
    return drawn(
        lambda axes: plots.residuals(found, axes),
        (7.2, 4.2),
        "What the rule leaves of each score against what it predicts.",
        "Each dot is an action. A cloud without a shape means that the rule describes the scores.",
    )


def surprises(facts: Facts) -> Html:
    """The decisions that the rule least expected."""
    result: Any = facts.result
    if not hasattr(result, "surprises"):
        return NOTHING
    try:
        found = result.surprises(_SURPRISES)
    except InputError:
        return NOTHING
    if not len(found):
        return section("Surprises", paragraph("No decision went against the rule."))
    return section(
        "Surprises",
        paragraph(
            "The decisions that the rule least expected, the largest surprise first. They may be "
            "mistakes, or have reasons that the utilities do not show. Rows are counted from 0."
        ),
        bullets([words.sentence(str(surprise)) for surprise in found]),
    )
