"""Does the rule describe the decisions, and which of them surprise it."""

from __future__ import annotations

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.checks.axioms import Axiom
from welfarist.checks.surprises import Surprise, Surprises
from welfarist.comparing.choquet import interactions
from welfarist.results.caveats import reversal
from welfarist.results.record import FitResult
from welfarist.show import plots
from welfarist.show.report import words
from welfarist.show.report.facts import Facts
from welfarist.show.report.markup import NOTHING, Html, paragraph, section, table
from welfarist.show.report.menus import from_menus
from welfarist.show.report.pictures import WIDE, drawn
from welfarist.show.report.plain_words import plain
from welfarist.show.symbols import MINUS

_SURPRISES = 10
# Beyond so many decisions nobody waits for axioms that were not asked for.
_MOST_TESTED = 20_000
# Of at most this many people it is said what an action gives to each.
_FEW = 4
# Of so many pairs of people it is said how they count together.
_MOST_PAIRS = 10
_NAMELESS = ("the first action", "the second action")


def description(facts: Facts) -> Html:
    """Calibration of comparisons or residuals of scores, and what speaks against the family."""
    result, misfit = facts.result, facts.misfit
    parts = []
    if misfit is None:
        parts.append(paragraph("Not checked: the decisions are not part of this record.", "soft"))
    elif misfit.reason:
        parts.append(paragraph(plain(misfit.verdict)))
    else:
        verdict = words.lower(misfit.verdict)
        parts.append(paragraph(f"Compared with more flexible rules: {verdict}"))
    if misfit is not None and misfit.rounding is not None and misfit.rounding.expected > 0:
        parts.append(paragraph(str(misfit.rounding)))
    if misfit is not None and misfit.clear and result.kind != "scores":
        parts.extend(_together(facts))
    parts.append(_residuals(result) if result.kind == "scores" else _calibration(result))
    return section("Does the rule describe the decisions?", *parts)


_ABOUT_CIRCLES = (
    "Each line is a property that a rule may have, and whether some rule that has it can make all "
    "of the decisions, which are taken to be free of errors."
)
_ABOUT_AXIOMS = (
    "Each line is a property that a rule may have. A small p-value says that decisions like these "
    "would be rare if somebody followed a rule that has it: below 0.05 it is called rejected. The "
    "first two are asked of the best rule among those that have them, whatever family was fitted."
)


def _together(facts: Facts) -> list[Html]:
    """Who complements whom, where that is clearly more than the rule says."""
    assert facts.misfit is not None
    if not any(check.name == "pairs" and check.clear for check in facts.misfit.checks):
        return []
    try:
        found = interactions(facts.result)
    except InputError:
        return []
    rows = [
        [
            f"{one} and {other}",
            f"{value:.2f}".replace("-", MINUS),
            "complement each other" if value > 0 else "stand in for each other",
        ]
        for one, other, value in found.told[:_MOST_PAIRS]
    ]
    said = f"Looked at two by two: {words.lower(found.verdict)} {' '.join(found.notes)}"
    if not rows:
        return [paragraph(said)]
    explained = (
        "Above 0 a gap between two people costs welfare, below 0 it pays, beside what both have on "
        "average (interactions of a 2-additive Choquet integral)."
    )
    title = "Who complements whom"
    return [paragraph(f"{said} {explained}"), table(title, ["", "by", ""], rows, (0, 2))]


def axioms(facts: Facts) -> Html:
    """Which properties of a rule the decisions speak against."""
    result = facts.result
    if facts.utilities is None or result.decisions > _MOST_TESTED:
        return NOTHING
    if result.likelihood is None and result.exact is None:
        return NOTHING
    if reversal(result.caveats) is not None:  # of choices that no rule explains nothing is tested
        return NOTHING
    found = result.axioms()
    if result.likelihood is None and all(one.p_value is None for one in found):
        return NOTHING
    rows = [
        [
            one.name,
            one.null,
            "not tested"
            if one.p_value is None
            else "rejected"
            if one.rejected
            else words.COMPATIBLE,
            _why(one),
        ]
        for one in found
    ]
    intro = paragraph(_ABOUT_CIRCLES if result.likelihood is None else _ABOUT_AXIOMS)
    title = "Axioms, one by one"
    return section(
        "Which axioms hold?",
        intro,
        table(title, ["axiom", "it says", "verdict", "why"], rows, (0, 1, 2, 3)),
    )


def _why(one: Axiom) -> str:
    """The p-value of an axiom with the decisions that speak loudest, or why it has none."""
    if one.p_value is None:
        return plain(one.reason)
    if one.exact:
        said = words.sentence(one.distribution).removesuffix(".")
        numbers = ", ".join(str(number + 1) for number in one.loudest)
        return f"{said}: {numbers}" if numbers else said
    said = f"p-value {words.p_value(one.p_value)}"
    if one.loudest:
        loudest = ", ".join(str(number + 1) for number in one.loudest)
        said += f"; loudest against it: decisions {loudest}"
    return said


def _calibration(result: FitResult) -> Html:
    try:
        found = result.calibration()
    except InputError:
        return NOTHING
    which = "best" if found.from_menus else "better"
    return drawn(
        lambda axes: plots.calibration(found, axes),
        (4.6, 3.4),
        f"How often the {which} action was chosen against how often the rule says it is; the mean "
        f"gap is {words.percent(found.gap)}.",
        f"How often the action that the rule finds {which} was chosen, beside how often the rule "
        "says it is. Dots on the dashed line mean that its chances can be taken at their word.",
    )


def _residuals(result: FitResult) -> Html:
    try:
        found = result.residuals()
    except InputError:
        return NOTHING
    return drawn(
        lambda axes: plots.residuals(found, axes),
        WIDE,
        "What the rule leaves of each score against what it predicts.",
        "Each dot is an action. A cloud without a shape means that the rule describes the scores.",
    )


def surprises(facts: Facts, unit: str | None = None) -> Html:
    """The decisions that the rule least expected; `unit` is that of utilities."""
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
            "mistakes, or have reasons that the utilities do not show. "
            + result.decided.how_numbered
            + (f" Utilities and welfare are in {unit}." if unit and result.kind != "scores" else "")
        ),
        _scores(found) if result.kind == "scores" else _choices(found, _other(result)),
    )


def _other(result: FitResult) -> str:
    """What the action is called that was not chosen."""
    if not from_menus(result):
        return "over"
    worst = (result.decided.menus.sign < 0).any()  # for which the rule has another choice
    return "the rule's choice" if worst else "the rule's best"


def _choices(found: Surprises, other: str) -> Html:
    """Decisions against the rule; columns that nobody filled are left out."""
    few = len(found[0].stakeholders) <= _FEW
    columns: dict[str, list[str]] = {}
    for surprise in found:
        for name, entry in _entries(surprise, few, other).items():
            columns.setdefault(name, []).append(entry)
    filled = {name: column for name, column in columns.items() if any(column)}
    observed = words.counted(found.observed, "decision" if other == "over" else "choice")
    return table(
        f"{found.total:,g} of {observed} went against the rule"
        + (f"; the {len(found)} it expected least" if found.total > 1 else ""),
        list(filled),
        list(zip(*filled.values(), strict=True)),
        range(len(filled)),
        cards=True,
    )


def _entries(surprise: Surprise, few: bool, called: str) -> dict[str, str]:
    """What the table says of a decision: of a few people what each has, of many who is concerned.

    People of whom there are many are not listed; the two who gain and lose most are.
    """
    often = "" if surprise.count == 1 else f" ({surprise.count:g} times)"
    chosen = _action(surprise, surprise.chosen, surprise.utilities, few)
    other = _action(surprise, surprise.other, surprise.other_utilities, few)
    welfare = surprise.worth if surprise.gamma else (surprise.welfare, surprise.other_welfare)
    found = {
        "number": str(surprise.row + 1) if surprise.label is None else "",
        "menu": "" if surprise.label is None else surprise.label,
        "choice": surprise.choice,
        "who": "" if surprise.by is None else str(surprise.by),
        "chose": chosen + often,
        called: other,
        "chance of that": ""
        if surprise.probability is None
        else words.percent(surprise.probability),
        _welfare(surprise): " against ".join(map(words.amount, welfare)),
    }
    if not few:
        found["most in favour"] = _concerned(surprise, 1.0)
        found["most against"] = _concerned(surprise, -1.0)
    return found


def _welfare(surprise: Surprise) -> str:
    """What the column of welfares is called: utilities beside it are as they were given."""
    sized = " with the size effect" if surprise.gamma else ""
    added = f" ({words.amount(surprise.shift)} added to every utility)" if surprise.shift else ""
    return f"welfare{sized}{added}"


def _action(surprise: Surprise, name: str, utilities: FloatArray, few: bool) -> str:
    """An action by its name, and what it gives to each of a few people."""
    if not few:
        return name
    named = zip(surprise.stakeholders, utilities.tolist(), strict=True)
    there = [(person, utility) for person, utility in named if not np.isnan(utility)]
    gives = ", ".join(f"{person}: {words.amount(utility)}" for person, utility in there)
    return gives if name in _NAMELESS else f"{name} ({gives})" if gives else name


def _concerned(surprise: Surprise, sign: float) -> str:
    """Who gains (or with a sign of -1 loses) most by the choice, in the eyes of the rule."""
    gain = sign * surprise.log_change * (surprise.shares + surprise.other_shares)
    person = int(np.argmax(gain))
    if gain[person] <= 0:
        return "nobody"
    mine, other = surprise.utilities[person], surprise.other_utilities[person]
    return f"{surprise.stakeholders[person]}, {words.amount(mine)} against {words.amount(other)}"


def _scores(found: Surprises) -> Html:
    """Scores far from what the rule says."""
    named = any(surprise.name is not None for surprise in found)
    rows = [
        [
            str(surprise.row + 1),
            *([surprise.action] if named else []),
            words.amount(surprise.score, 4),
            words.amount(surprise.fitted, 4),
            f"{surprise.standardised:+.1f}".replace("-", MINUS),
        ]
        for surprise in found
    ]
    header = [
        "number",
        *(["action"] if named else []),
        "score",
        "the rule says",
        "times the usual difference",
    ]
    words_in = (0, 1) if named else (0,)
    return table("Scores that are furthest from the rule", header, rows, words_in)
