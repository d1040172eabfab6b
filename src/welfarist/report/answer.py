"""The answer in one sentence, and what it means for gains and losses."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from welfarist.fit import FitResult
from welfarist.plots.power_axis import MINUS
from welfarist.report import words
from welfarist.report.facts import LOSSES, Facts, Gains, Tested
from welfarist.report.markup import NOTHING, Html, join, paragraph, section, table

# Stretches of powers that are named in a sentence.
_MOST_STRETCHES = 3


def answer(facts: Facts) -> Html:
    """The rule, how sure it is, and which doctrines it is not."""
    return join(
        paragraph(_rule(facts), "answer"),
        paragraph(f"{_right(facts)} {_doctrines(facts)}".strip()),
    )


def _rule(facts: Facts) -> str:
    result = facts.result
    what = words.counted(result.decisions, "decision")
    p, name = words.power(result.p), words.doctrine(result.p)
    meaning = words.meaning(result.p)
    if "p" in result.given:
        return f"These {what} were explained with p = {p} as given ({name}): {meaning}."
    if result.exact is not None:
        return f"{_exactly(facts, what)} At p = {p}, {name}, {meaning}."
    known = ""
    if facts.profile is not None:
        within = facts.profile.interval
        p, low, high = (words.power(end, within) for end in (result.p, *within))
        known = f" ({facts.percent} interval {low} to {high})"
    return f"These {what} look like those of somebody with p = {p}{known}, {name}: {meaning}."


def _exactly(facts: Facts, what: str) -> str:
    """What is as good, where errors were counted."""
    exact = facts.result.exact
    assert exact is not None
    if exact.explanations is not None:
        powers = [_from_to(a, b) for a, b in exact.explanations.power_intervals[:_MOST_STRETCHES]]
        explained = (
            f"the majority on every pair of actions in these {what}"
            if exact.counted.contradictions
            else f"every one of these {what}"
        )
        return f"Rules with p from {words.listed(powers)} explain {explained}."
    powers = [_from_to(i.low, i.high) for i in exact.intervals[:_MOST_STRETCHES]]
    return (
        f"These {what} are explained with the fewest errors found by p from {words.listed(powers)}."
    )


def _from_to(low: float, high: float) -> str:
    """A stretch of powers, with as many digits as it takes to tell its ends apart."""
    ends = words.power(low), words.power(high)
    if ends[0] == ends[1] and np.isfinite([low, high]).all():
        ends = f"{low:.5g}".replace("-", MINUS), f"{high:.5g}".replace("-", MINUS)
    return f"{ends[0]} to {ends[1]}" if ends[0] != ends[1] else ends[0]


def _right(facts: Facts) -> str:
    result = facts.result
    if result.accuracy is not None:
        return f"The learned rule gets {words.percent(result.accuracy)} of the decisions right."
    if result.r_squared is not None and result.r_squared > 0:
        return f"The learned rule explains {words.percent(result.r_squared)} of how scores vary."
    return ""


def _doctrines(facts: Facts) -> str:
    """Which doctrines are rejected and which are not, in a sentence each."""
    by_verdict: dict[str, list[str]] = {}
    for tested in facts.tests:
        by_verdict.setdefault(verdict_of(facts, tested)[0], []).append(tested.name)
    parts = []
    for verdict in ("rejected", "doubtful", "compatible with the decisions"):
        names = by_verdict.get(verdict, [])
        if names:
            be = "is" if len(names) == 1 and names[0] != "equal weights" else "are"
            parts.append(words.sentence(f"{words.listed(names)} {be} {verdict}"))
    return " ".join(parts)


def verdict_of(facts: Facts, tested: Tested) -> tuple[str, str]:
    """Return a verdict on a doctrine and the reason for it.

    The statistic of an egalitarian null with learned weights has no known distribution. Measured in
    simulations it is below chi-squared with a degree for p and one for each free weight, or close
    to it.
    """
    if tested.test is not None:
        value = tested.test.p_value
        return words.verdict(value), f"p-value {words.p_value(value)}"
    lost = None if facts.profile is None else facts.profile.at_limits[0]
    if tested.name == "egalitarian" and lost is not None:  # None: only positive powers were tried
        value = float(chi2.sf(lost, _given_up(facts.result)))
        return words.verdict(value), f"p-value {words.p_value(value)}, roughly"
    return "not tested", tested.reason


def _given_up(result: FitResult) -> int:
    """How many learned numbers lose their meaning at p = -inf: p and the free weights."""
    fitted = result.fitted
    return fitted.loss.weighting.free if fitted is not None and fitted.learned_weights else 1


def consequences(facts: Facts) -> Html:
    """What the rule asks in return for a loss to the worst off, beside doctrines."""
    gains = facts.gains
    if gains is None:
        return NOTHING
    shown = sorted(range(len(LOSSES)), key=lambda i: LOSSES[i])
    rows = [[f"{100 * LOSSES[i]:g}%", *(_needed(float(x)) for x in gains.median[i])] for i in shown]
    header = [
        "loss",
        *gains.rules,
    ]
    return section(
        "What this means for gains and losses",
        paragraph(_bargain(gains)),
        paragraph(
            "How this was worked out: in every action of the data those who are worst off lose the "
            "stated share of what they have, and everybody else gains the same percentage, just "
            "so much that the rule finds the change neither better nor worse. The numbers are "
            "medians over the actions.",
            "soft",
        ),
        table(
            f"Gain to everybody else that makes up for a loss to {_losers(gains)}; the doctrines "
            "have the same weights (never: no gain is enough)",
            header,
            rows,
        ),
    )


def _needed(gain: float) -> str:
    return "never" if gain == float("inf") else words.percent(gain)


def _bargain(gains: Gains) -> str:
    loss, needed = words.percent(LOSSES[0]), float(gains.median[0, 0])
    who = _losers(gains)
    if needed == float("inf"):
        return (
            f"In a typical action a loss of {loss} to {who} outweighs everything: no gain to the "
            "others, however large, makes up for it."
        )
    if needed < words.TRIFLE:
        return (
            f"In a typical action a loss of {loss} to {who} hardly counts for this rule: next to "
            "no gain to the others makes up for it."
        )
    plain = float(gains.median[0, gains.rules.index("utilitarian")])
    beside = (
        f" Adding up utilities with the same weights would ask for {words.percent(plain)}."
        if words.percent(plain) != words.percent(needed)
        else " Adding up utilities with the same weights would ask for the same."
    )
    return (
        f"In a typical action a loss of {loss} to {who} outweighs any gain to everybody else of "
        f"less than {words.percent(needed)}.{beside}"
    )


def _losers(gains: Gains) -> str:
    if gains.people == 2:
        return "the worse off of the two"
    if gains.losing == 1:
        return f"the worst off of the {gains.people} people"
    return f"the worst-off third ({gains.losing} of {gains.people} people)"
