"""Does the rule describe the decisions, and which of them surprise it."""

from __future__ import annotations

import numpy as np

from welfarist import plots
from welfarist.errors import InputError
from welfarist.fit import FitResult
from welfarist.goodness.surprises import Surprise, Surprises
from welfarist.plots.power_axis import MINUS
from welfarist.report import words
from welfarist.report.facts import Facts
from welfarist.report.markup import NOTHING, Html, paragraph, section, table
from welfarist.report.pictures import drawn

_SURPRISES = 10
# Stands for the change from nothing to something.
_LARGEST = 1e300


def description(facts: Facts) -> Html:
    """Calibration of comparisons or residuals of scores, and what speaks against the family."""
    result, misfit = facts.result, facts.misfit
    parts = []
    if misfit is None:
        parts.append(paragraph("Not checked: the decisions are not part of this record.", "soft"))
    elif misfit.reason:
        parts.append(paragraph(misfit.verdict))
    else:
        verdict = misfit.verdict[:1].lower() + misfit.verdict[1:]
        parts.append(paragraph(f"Compared with more flexible rules: {verdict}"))
    if misfit is not None and misfit.rounding is not None and misfit.rounding.expected > 0:
        parts.append(paragraph(str(misfit.rounding)))
    parts.append(_residuals(result) if result.accuracy is None else _calibration(result))
    return section("Does the rule describe the decisions?", *parts)


def _calibration(result: FitResult) -> Html:
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


def _residuals(result: FitResult) -> Html:
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
    result = facts.result
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
        _scores(found) if result.accuracy is None else _choices(found),
    )


def _choices(found: Surprises) -> Html:
    """Comparisons that were decided against the rule; columns that nobody filled are left out."""
    columns: dict[str, list[str]] = {"row": [], "who": [], "chose": [], "chance of that": []}
    columns |= {"welfare": [], "most in favour": []}
    for surprise in found:
        often = "" if surprise.count == 1 else f" ({surprise.count:g} times)"
        chance = "" if surprise.probability is None else words.percent(surprise.probability)
        entries = (
            str(surprise.row),
            "" if surprise.by is None else str(surprise.by),
            f"{surprise.chosen} over {surprise.other}{often}",
            chance,
            f"{words.amount(surprise.welfare)} against {words.amount(surprise.other_welfare)}",
            _in_favour(surprise),
        )
        for column, entry in zip(columns.values(), entries, strict=True):
            column.append(entry)
    filled = {name: column for name, column in columns.items() if any(column)}
    total = words.counted(found.total, "decision")
    return table(
        f"{total} went against the rule; those it least expected",
        list(filled),
        list(zip(*filled.values(), strict=True)),
        range(len(filled)),
    )


def _in_favour(surprise: Surprise) -> str:
    """Who gains most by the choice, in the eyes of the rule."""
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.log(surprise.utilities) - np.log(surprise.other_utilities)
    gain = np.clip(np.nan_to_num(change), -_LARGEST, _LARGEST)
    gain *= surprise.shares + surprise.other_shares
    person = int(np.argmax(gain))
    if gain[person] <= 0:
        return "nobody"
    mine, other = surprise.utilities[person], surprise.other_utilities[person]
    return f"{surprise.stakeholders[person]}, {words.amount(mine)} against {words.amount(other)}"


def _scores(found: Surprises) -> Html:
    """Scores far from what the rule says."""
    rows = [
        [
            str(surprise.row),
            f"{surprise.score:.4g}",
            f"{surprise.fitted:.4g}",
            f"{surprise.standardised:+.1f}".replace("-", MINUS),
        ]
        for surprise in found
    ]
    header = ["row", "score", "the rule says", "times the usual difference"]
    return table("Scores that are furthest from the rule", header, rows)
