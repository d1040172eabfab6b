"""Choices from menus: how often chance would be right, later choices, none of these, sizes."""

from __future__ import annotations

import numpy as np

from welfarist.base.errors import InputError
from welfarist.decisions import Choices
from welfarist.inference.stages import Stages, place_of
from welfarist.people.source import is_source
from welfarist.results.record import FitResult
from welfarist.show.report import words
from welfarist.show.report.facts import Ends, Facts
from welfarist.show.report.markup import NOTHING, Html, paragraph, section, table

# One temperature for all choices of a ranking is given up below this p-value.
_REJECTED = 0.01


def from_menus(result: FitResult) -> bool:
    """Whether a fit was made to choices from menus, and these are at hand."""
    return isinstance(result.decided, Choices)


def first_choices(result: FitResult) -> str:
    """How often the rule's best action was chosen, beside how often one at random is."""
    assert result.accuracy is not None
    right, chance = words.percent(result.accuracy), words.percent(result.decided.chance)
    chosen = "chosen"
    if result.decided.in_stages:
        chosen = "found best" if _names_worst(result.decided) else "chosen first"
    return (
        f"In {right} of the cases the action that was {chosen} is the one that the learned "
        f"rule finds best; an action picked at random would be in {chance}."
    )


def menus(facts: Facts) -> Html:
    """What the menus were, and what was learned from them beside the rule."""
    result = facts.result
    if not from_menus(result):
        return NOTHING
    about = [_offered(result), _about_absent(result), _about_sizes(facts), _about_none(facts)]
    said = [paragraph(words_) for words_ in about if words_]
    return section("Choosing from menus", *said, *_stages(facts))


def _names_worst(decided: Choices) -> bool:
    """Whether of each menu the best was named, and then the worst."""
    return bool((decided.menus.sign < 0).any())


def _offered(result: FitResult) -> str:
    decided: Choices = result.decided
    said = f"Each time there were {decided.offered} actions to choose from"
    said += ", and it could be none of these" if decided.outside else ""
    if _names_worst(decided):
        return f"{said}. The best of all was named, and the worst of what was left."
    if decided.in_stages:
        return (
            f"{said}. A ranking is read as one choice after another: the first from all, the "
            "second from what is left, and so on. Actions that were tied share one choice."
        )
    if result.exact is not None:
        return f"{said}. Each time that another was chosen than the rule's best is one error."
    return f"{said}. The closer the welfare of two of them, the less sure it is which is chosen."


def _about_absent(result: FitResult) -> str:
    utilities = result.decided.utilities
    if is_source(utilities) or not np.isnan(utilities).any():
        return ""
    said = (
        "Not every action affects everybody. The welfare of one is the mean over those whom it "
        "does affect, who share the weights"
    )
    sized = "gamma" in result.extras  # what that adds is said next
    return f"{said}." if sized else f"{said}: a larger group counts no more than a smaller one."


def _about_sizes(facts: Facts) -> str:
    gamma = facts.result.extras.get("gamma")
    if gamma is None:
        return ""
    return (
        f"How many people an action affects counts for itself, with an exponent of {gamma:.2f}"
        f"{_within(facts, 'gamma')}: at 0 means are compared, however many share them, at 1 totals."
    )


def _about_none(facts: Facts) -> str:
    level = facts.result.extras.get("outside")
    if level is None:
        return ""
    decided = facts.result.decided
    none = decided.menus.taken[decided.menus.rows == decided.actions]
    share = float(np.average(none, weights=decided.counts))
    return (
        f"In {words.percent(share)} of the cases it was none of these, which is as good as an "
        f"action with a welfare of {words.amount(level)}{_within(facts, 'outside')}."
    )


def _within(facts: Facts, name: str) -> str:
    """The interval of a number, in brackets; empty if there is none."""
    try:
        ends: Ends = facts.result.interval(name, facts.level)
    except InputError:
        return ""
    low, high = (words.amount(end) for end in ends)
    return f" ({facts.percent} interval {low} to {high})"


def _stages(facts: Facts) -> list[Html]:
    """How sure the first choices are and those after them, and whether that differs."""
    try:
        found = facts.result.stages()
    except InputError:
        return []
    decided = facts.result.decided
    kept = decided.menus.sizes > 1
    often = np.bincount(decided.menus.stage[kept], decided.counts[decided.decision[kept]])
    named = (
        ["of the best", "of the worst"]
        if _names_worst(decided)
        else map(place_of, range(len(found.taus)))
    )
    rows = [
        [name, f"{often[i]:,.6g}", f"{tau:.3g}"]
        for i, (name, tau) in enumerate(zip(named, found.taus, strict=True))
    ]
    title = "Temperature of each choice: the higher, the more often the better action is chosen"
    return [
        paragraph(_verdict(found)),
        table(title, ["choice", "how many", "temperature"], rows, (0,)),
    ]


def _verdict(found: Stages) -> str:
    chance = words.p_value(found.test.p_value)
    if found.test.p_value >= _REJECTED:
        return f"There is no clear sign that later choices err in another way (p-value {chance})."
    how = "noisier than" if found.ratio < 1 else "surer than"
    return (
        f"Later choices are {how} the first: one temperature for all is rejected (p-value "
        f"{chance}). With a temperature for each p is {words.power(found.p)}, with one for all "
        f"{words.power(found.shared_p)}."
    )
