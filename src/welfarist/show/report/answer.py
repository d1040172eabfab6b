"""The answer in one sentence, and what it means for gains and losses."""

from __future__ import annotations

import numpy as np

from welfarist.base.errors import (
    MisfitWarning,
    NotConvergedWarning,
    NotIdentifiedWarning,
    SearchRangeWarning,
    SeparationWarning,
)
from welfarist.base.wording import listed
from welfarist.counting.findings import as_far_as_searched
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.inference.reference import chance_beyond
from welfarist.results.caveats import reversal
from welfarist.results.learned import Remark
from welfarist.results.record import FitResult
from welfarist.show.report import words
from welfarist.show.report.facts import LOSSES, Ends, Facts, Gains, Tested
from welfarist.show.report.markup import NOTHING, Html, box, join, paragraph, section, table
from welfarist.show.report.menus import first_choices, from_menus
from welfarist.show.report.plain_words import plain
from welfarist.show.symbols import MINUS

# Stretches of powers that are named in a sentence.
_MOST_STRETCHES = 3
# Caveats after which the answer cannot stand alone, and how many of them are part of it.
_SERIOUS = (NotIdentifiedWarning, NotConvergedWarning, MisfitWarning)
_MOST_BUTS = 2
# Quartiles of what is asked for that are this many times apart deserve a word.
_APART = 2.0
# A gain beyond this is no number that anybody could imagine.
_MOST = 100.0
# Powers beyond this differ in nothing that anybody could see.
_FAR = 100.0


def answer(facts: Facts) -> Html:
    """The rule, what speaks against it, how sure it is, and which doctrines it is not."""
    but, more = _but(facts), f"{_right(facts)} {_doctrines(facts)}".strip()
    return join(
        box(
            paragraph(_rule(facts)),
            paragraph(but, "but") if but else NOTHING,
            *(paragraph(words.sentence(plain(said))) for said in _remarks(facts)),
        ),
        paragraph(more) if more else NOTHING,
    )


def _remarks(facts: Facts) -> list[str]:
    """What must be known of utilities that are estimates."""
    return [c.message for c in facts.result.caveats if issubclass(c.kind, Remark)]


def _but(facts: Facts) -> str:
    """What a reader of the rule must know in the same breath; empty if there is nothing."""
    turned = reversal(facts.result.caveats)
    # Whatever else is wrong is so because of that.
    found = [] if turned is None else [words.first_sentence(plain(turned.message))]
    if facts.misfit is not None and facts.misfit.clear:
        against = [check.finding for check in facts.misfit.checks if check.clear]
        more = words.counted(len(against) - 1, "other sign")
        found.append(
            f"no rule of this kind describes {_these(facts.result)} well: {against[0]}"
            + (f" (and {more})" if len(against) > 1 else "")
        )
    kinds = [caveat.kind for caveat in facts.result.caveats]
    if _is_unproven(facts.result):
        found.append("other weights, with another p, may make as few errors or fewer")
    shape = facts.result.family.shape
    if any(issubclass(kind, SeparationWarning) for kind in kinds):
        found.append(
            f"other rules explain {_these(facts.result)} as well: {shape.name} is uncertain"
        )
    if _rules_out_nothing(facts):
        rule_out = "rules out" if facts.result.decisions == 1 else "rule out"
        found.append(f"{_these(facts.result)} {rule_out} no {shape.name} at all")
    elif abs(facts.result.p) > _FAR and SearchRangeWarning in kinds:
        found.append(f"{shape.name} is as far out as the search went, which may be noise")
    elif _ends_there(facts.result) and SearchRangeWarning in kinds:
        found.append(f"{shape.name} is as far out as its range goes")
    found += [
        words.first_sentence(plain(caveat.message))
        for caveat in facts.result.caveats
        if issubclass(caveat.kind, _SERIOUS) and caveat is not turned
    ]
    if not found:
        return ""
    said = ". Also, ".join(found[:_MOST_BUTS])
    more = "; the caveats below say more" if facts.result.caveats else ""
    return f"But {said}. Take {shape.name} and the weights with caution{more}."


def _rules_out_nothing(facts: Facts) -> bool:
    """Whether the interval of the shape is all that there is, or all that was searched."""
    family, within = facts.result.family, facts.sure.power
    if facts.profile is not None and facts.profile.pieces:
        return False
    if within == (family.shape.lowest, family.shape.highest):
        return True
    if family.ratios or facts.profile is None:
        return False
    return within == (facts.profile.p[0], facts.profile.p[-1])


def _ends_there(result: FitResult) -> bool:
    """Whether a shape was learned that is where its range ends, and has no name."""
    likelihood = result.likelihood
    if likelihood is None or not likelihood.loss.learn_power or likelihood.loss.limits:
        return False
    named = [doctrine.p for doctrine in result.family.doctrines]
    return likelihood.power_on_edge and not np.isclose(named, result.p, rtol=1e-3).any()


def _is_unproven(result: FitResult) -> bool:
    """Whether errors were counted and nobody knows that there is no better rule."""
    if result.exact is None or result.exact.explanations is not None:
        return False
    proof = result.certificate
    return "weights" not in result.given and (proof is None or proof.gap > words.TRIFLE)


def _rule(facts: Facts) -> str:
    result, family = facts.result, facts.result.family
    one, these = result.decisions == 1, _these(result)
    p = words.power(result.p, family=family)
    if "p" in result.given:
        were = "was" if one else "were"
        by = "with" if family == POWER_MEAN else f"by a {family.noun} with"
        name, meaning = words.doctrine(result.p, family), words.meaning(result.p, family)
        said = f"{these} {were} explained {by} {family.shape.name} = {p} as given"
        said += f" ({name})" if name else ""
        return words.sentence(said + (f": {meaning}" if meaning else ""))
    if result.exact is not None:
        at = f"At p = {p}, {words.doctrine(result.p)}, {words.meaning(result.p)}."
        return f"{_exactly(facts)} {at}"
    known, within = "", facts.sure.power
    if within is not None:
        p, low, high = (words.power(end, within, family) for end in (result.p, *within))
        known = f" ({facts.percent} interval {low} to {high})"
    look = "looks like that" if one else "look like those"
    who = "somebody" if family == POWER_MEAN else f"somebody who follows a {family.noun}"
    rule = words.rule(p, result.p, family, known)
    return words.sentence(f"{these} {look} of {who} with {rule}")


def _these(result: FitResult) -> str:
    one = result.decisions == 1
    if not one and from_menus(result):
        return f"these {result.decisions:,g} {result.decided.in_words}"
    return "this decision" if one else f"these {words.counted(result.decisions, 'decision')}"


def _exactly(facts: Facts) -> str:
    """What is as good, where errors were counted."""
    these, one = _these(facts.result), facts.result.decisions == 1
    exact = facts.result.exact
    assert exact is not None
    if exact.explanations is not None:
        powers = [_from_to(a, b) for a, b in exact.explanations.power_intervals[:_MOST_STRETCHES]]
        explained = (
            f"the majority {exact.counted.where} in {these}"
            if exact.counted.contradictions
            else these
            if one
            else f"every one of {these}"
        )
        searched = as_far_as_searched(exact.explanations.search_ends)
        return f"Rules with p from {listed(powers)} explain {explained}{searched}."
    powers = [_from_to(i.low, i.high) for i in exact.intervals[:_MOST_STRETCHES]]
    be = "is" if one else "are"
    weights = "the given weights" if "weights" in facts.result.given else "the learned weights"
    said = f"with {weights} {these} {be} explained with the fewest errors by p from "
    return words.sentence(said + listed(powers))


def _from_to(low: float, high: float) -> str:
    """A stretch of powers, with as many digits as it takes to tell its ends apart."""
    ends = words.power(low), words.power(high)
    if ends[0] == ends[1] and np.isfinite([low, high]).all():
        ends = f"{low:.5g}".replace("-", MINUS), f"{high:.5g}".replace("-", MINUS)
    return f"{ends[0]} to {ends[1]}" if ends[0] != ends[1] else ends[0]


def _right(facts: Facts) -> str:
    result = facts.result
    if result.decisions == 1:
        return ""
    if result.accuracy is not None:
        if from_menus(result):
            return first_choices(result)
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
    for verdict in ("rejected", words.COMPATIBLE):
        names = by_verdict.get(verdict, [])
        if names:
            be = "is" if len(names) == 1 and names[0] != "equal weights" else "are"
            parts.append(words.sentence(f"{listed(names)} {be} {verdict}"))
    return " ".join(parts)


def verdict_of(facts: Facts, tested: Tested) -> tuple[str, str]:
    """Return a verdict on a doctrine and the reason for it.

    The statistic of an egalitarian null with learned weights has no known distribution. Measured in
    simulations it is below chi-squared with a degree for p and one for each free weight, or close
    to it. Where better and worse may have been mixed up, no rule counts as compatible.
    """
    verdict, reason = _tested_verdict(facts, tested)
    if verdict == words.COMPATIBLE and reversal(facts.result.caveats) is not None:
        what = "scores" if facts.result.kind == "scores" else "choices"
        return "no verdict", f"the {what} look reversed"
    return verdict, reason


def _tested_verdict(facts: Facts, tested: Tested) -> tuple[str, str]:
    if tested.test is not None:
        value = tested.test.p_value
        stands_in = facts.result.covariance != "fisher" and tested.test.kind != "Wald"
        independent = ", taking decisions as independent" if stands_in else ""
        return words.verdict(value), f"p-value {words.p_value(value)}{independent}"
    lost = None if facts.profile is None else facts.profile.at_limits[0]
    if not facts.result.family.ratios:  # of other families nothing was measured
        lost = None
    if tested.name == "egalitarian" and lost is not None:  # None: only positive powers were tried
        likelihood = facts.result.likelihood
        assert likelihood is not None  # which a profile is made of
        value = chance_beyond(likelihood, lost, _given_up(facts.result))
        independent = (
            "" if facts.result.covariance == "fisher" else ", taking decisions as independent"
        )
        return words.verdict(value), f"p-value {words.p_value(value)}, roughly{independent}"
    return "not tested", tested.reason


def _given_up(result: FitResult) -> int:
    """How many learned numbers lose their meaning at p = -inf: p and the weights, or thetas."""
    likelihood = result.likelihood
    if likelihood is not None and result.theta:
        return 1 + len(result.theta)
    if likelihood is None or not likelihood.learned_weights:
        return 1
    return likelihood.loss.weighting.free


def consequences(facts: Facts) -> Html:
    """What the rule asks in return for a loss to the worst off, beside doctrines."""
    gains = facts.gains
    if gains is None:
        return NOTHING
    shown = sorted(range(len(LOSSES)), key=lambda i: LOSSES[i])
    rows = [[f"{100 * LOSSES[i]:g}%", *(_needed(float(x)) for x in gains.median[i])] for i in shown]
    rules = list(gains.rules)
    if gains.within:
        rules.insert(1, f"{facts.percent} interval")
        for i, row in zip(shown, rows, strict=True):
            row.insert(2, _between(gains.within[i]))
    others = _others(gains)
    beside = "; the doctrines have the same weights" if len(gains.rules) > 1 else ""
    lose = "whoever is worse off loses" if gains.people == 2 else "those who are worst off lose"
    turns = ""
    if gains.taken.tied:
        turns = " Where people are equally badly off, they take turns, and an action counts once."
    return section(
        "What this means for gains and losses",
        paragraph(_bargain(gains, facts.result.family.ratios, facts.percent)),
        paragraph(
            f"How this was worked out: in {_looked_at(gains)} {lose} the stated share of what "
            f"they have, and {others} {_gain(gains)}, just so much that the "
            "rule finds the change neither better nor worse. The numbers are medians over the "
            f"actions.{turns}{_about_within(gains, facts.result.family.shape.name)}",
            "soft",
        ),
        table(
            f"Gain to {others} that makes up for a loss to {_losers(gains)}{beside} "
            "(never: no gain is enough)",
            ["loss", *rules],
            rows,
            cards=True,
        ),
    )


def _looked_at(gains: Gains) -> str:
    """Of which actions the medians are, and which were left out."""
    taken = gains.taken
    left = taken.actions - taken.without
    all_of = "every action" if not taken.without else f"each of the {left:,} actions"
    if taken.used < left:
        all_of = f"each of {taken.used:,} of the {left:,} actions"
    if not taken.without:
        return f"{all_of} of the data"
    return f"{all_of} of the data in which everybody has something ({_left_out(gains)})"


def _left_out(gains: Gains) -> str:
    """Why some actions were left out."""
    taken = gains.taken
    if taken.absent:
        are = "is" if taken.without == 1 else "are"
        nothing = ", or give somebody nothing" if taken.without > taken.absent else ""
        return f"{taken.without:,} that do not concern everybody{nothing} {are} left out"
    others = "1 other, in which somebody has nothing, is"
    if taken.without > 1:
        others = f"{taken.without:,} others, in which somebody has nothing, are"
    return f"{others} left out: nothing has no percentages"


def _needed(gain: float) -> str:
    return "never" if gain == float("inf") else words.percent(gain)


def _between(ends: Ends | None) -> str:
    if ends is None:
        return "not known"
    return " to ".join(
        f"over {words.percent(_MOST)}" if e > _MOST else words.percent(e) for e in ends
    )


def _about_within(gains: Gains, shape: str) -> str:
    """Where the intervals of the gains come from, or why there are none; as it goes on."""
    if gains.within:
        return (
            f" Intervals follow from how sure {shape} and the weights are, by their standard "
            "errors (delta method)."
        )
    return f" They have no interval: {gains.why_not}" if gains.why_not else ""


def _bargain(gains: Gains, ratios: bool, level: str) -> str:
    loss, needed = words.percent(LOSSES[0]), float(gains.median[0, 0])
    who = _losers(gains)
    which = " in which everybody has something" if gains.taken.without else ""
    if needed == float("inf"):
        return (
            f"In a typical action{which} a loss of {loss} to {who} outweighs everything: no gain "
            f"to {_others(gains)}, however large, makes up for it."
        )
    if needed < words.TRIFLE:
        return (
            f"In a typical action{which} a loss of {loss} to {who} hardly counts for this rule: "
            f"next to no gain to {_others(gains)} makes up for it."
        )
    plain = gains.plain
    beside = (
        f" Adding up utilities with the same weights would ask for {words.percent(plain)}."
        if words.percent(plain) != words.percent(needed)
        else " Adding up utilities with the same weights would ask for the same."
    )
    spread = _spread(gains, ratios)
    where = f"at least half of the actions{which}" if spread else f"a typical action{which}"
    ends = gains.within[0] if gains.within else None
    sure = "" if ends is None else f" ({level} interval {_between(ends)})"
    return (
        f"In {where} a loss of {loss} to {who} outweighs any gain to {_others(gains)} of "
        f"less than {words.percent(needed)}{sure}.{beside}{spread}"
    )


def _spread(gains: Gains, ratios: bool) -> str:
    """Say so where actions differ much; under power means somebody else is worst off in them."""
    low, high = gains.middle
    if high <= _APART * low:
        return ""
    upper = "no gain being enough" if high == float("inf") else words.percent(high)
    because = ", because the worst off are not always the same people" if ratios else ""
    return (
        f" Actions differ{because}: in the middle half "
        f"of them it is from {words.percent(low)} to {upper}."
    )


def _others(gains: Gains) -> str:
    return "the other" if gains.people == 2 else "everybody else"


def _gain(gains: Gains) -> str:
    return "gains" if gains.people == 2 else "gains the same percentage"


def _losers(gains: Gains) -> str:
    if gains.people == 2:
        return "the worse off of the two"
    if gains.losing == 1:
        return f"the worst off of the {gains.people} people"
    return f"the worst-off third ({gains.losing} of {gains.people} people)"
