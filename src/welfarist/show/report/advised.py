"""The report on a recommendation: which action to take, why, and what would change it."""

from __future__ import annotations

import numpy as np

from welfarist.base.exports import number, pair
from welfarist.recommending.advice import Advice
from welfarist.recommending.further import Further
from welfarist.recommending.raising import Raise
from welfarist.recommending.reasons import Why
from welfarist.recommending.recommendation import Recommendation
from welfarist.show.report.markup import (
    NOTHING,
    Html,
    box,
    bullets,
    paragraph,
    section,
    table,
)
from welfarist.show.report.next_action import actions_in_order, how_sure, read_the_table
from welfarist.show.report.page import Asked, Contents
from welfarist.show.report.sections import citation

_TITLE = "Which action to take?"
# People that tables show, those who pull most.
_SHOWN = 30


def advised(advice: Advice | Recommendation, asked: Asked) -> Contents:
    """Return what there is to say of a recommendation."""
    told = Advice.of(advice) if isinstance(advice, Recommendation) else advice
    said = told.said
    return Contents(
        _TITLE,
        "",
        box(paragraph(_answer(said)), *_families(said)),
        (
            section(
                "How sure that is",
                actions_in_order(said),
                read_the_table(said, but=_sentence(said)),
            ),
            _reasons(told),
            _rises(told.rises),
            _questions(told.further),
            _rule(said),
            section(
                "Data and method",
                table("What was judged", [], _data(said, asked), (0, 1)),
                asked.given.about_reading(),
            ),
            citation(),
        ),
        figures=False,
    )


def _answer(said: Recommendation) -> str:
    if len(said) == 1:
        return f"There is one action only, {said.best}."
    return f"Of {len(said)} actions it is {said.best}: {how_sure(said)}"


def _families(said: Recommendation) -> list[Html]:
    """Whether other families of rules would take the same."""
    if said.families is None or not said.families.sentence:
        return []
    return [paragraph(f"{_sentence(said)}.", "" if said.families.agree else "but")]


def _sentence(said: Recommendation) -> str:
    return "" if said.families is None else said.families.sentence


def _reasons(told: Advice) -> Html:
    if told.why is None:
        return section("Why", paragraph(told.why_not)) if told.why_not else NOTHING
    why = told.why
    nevertheless = NOTHING
    if why.names[0] != told.said.best and told.said.best in why.names and why.difference > 0:
        nevertheless = paragraph(
            f"{told.said.best} stands first nevertheless: over all rules that may be the right "
            "one, less is lost by taking it.",
            "soft",
        )
    return section(
        f"Why {why.names[0]} and not {why.names[1]}",
        paragraph(why.sentence),
        nevertheless,
        _people(why),
        bullets(
            [
                "Pull: what each person adds to the difference"
                + (" in log welfare" if why.is_ratio else " in welfare")
                + ", averaged over all orders in which people can be looked at (Shapley values"
                + (", with standard errors from sampled orders)." if _sampled(why) else ")."),
                "Turns at: the weight at which both would be equally good, the others in "
                "proportion.",
                *filter(None, [why.reason]),
            ]
        ),
    )


def _sampled(why: Why) -> bool:
    return why.pulls is not None and why.pulls.orders is not None


def _people(why: Why) -> Html:
    """What both actions give to whom, and who pulls which way."""
    pulls = np.zeros(len(why.people)) if why.pulls is None else why.pulls.values
    order = np.argsort(-np.abs(pulls), kind="stable")[:_SHOWN].tolist()
    rows = [
        [
            why.people[i],
            number(float(why.weights[i])),
            *(f"{u:g}" for u in why.utilities[:, i].tolist()),
            _pull(why, i),
            "never" if why.turning_weights[i] is None else number(float(why.turning_weights[i])),
        ]
        for i in order
    ]
    left = len(why.people) - len(order)
    caption = "Who pulls which way" + (f" (the first {len(order)})" if left else "")
    return table(caption, ["", "weight", *why.names, "pull", "turns at"], rows, (0,), cards=True)


def _pull(why: Why, person: int) -> str:
    if why.pulls is None:
        return ""
    value = number(float(why.pulls.values[person]))
    if why.pulls.orders is None:
        return value
    return f"{value} ± {number(float(why.pulls.errors[person]))}"


def _rises(rises: Raise | None) -> Html:
    if rises is None:
        return NOTHING
    rows = [
        [who, f"{now:g}", "no rise is enough" if need is None else f"{need:.4g}"]
        for who, now, need in zip(rises.people, rises.now.tolist(), rises.needed, strict=True)
    ]
    return section(
        "What would change it",
        table(
            f"What {rises.names[1]} must give one of them to be as good as {rises.names[0]}",
            ["", "now", "needed"], rows[:_SHOWN], (0,),
        ),
    )  # fmt: skip


def _questions(further: Further | None) -> Html:
    if further is None:
        return NOTHING
    return section("What more questions would be worth", paragraph(further.sentence))


def _rule(said: Recommendation) -> Html:
    """The rules that judge: their middle, and where most of them lie."""
    draws, ends = said.draws, (0.5, (1 - said.level) / 2, (1 + said.level) / 2)
    columns = [(draws.family.shape.name, draws.powers)] + [
        (f"weight of {who}", draws.weights[:, i]) for i, who in enumerate(draws.stakeholders)
    ]
    rows = []
    for name, values in columns[: _SHOWN + 1]:
        middle, low, high = np.quantile(values, ends, method="nearest")
        rows.append([name, number(float(middle)), " to ".join(pair(float(low), float(high)))])
    return section(
        "The rules that judge",
        table(
            f"{len(draws)} equally likely rules",
            ["", "middle", f"{100 * said.level:g}% of them"], rows, (0,),
        ),
    )  # fmt: skip


def _data(said: Recommendation, asked: Asked) -> list[list[str]]:
    return [
        ["actions", str(len(said))],
        ["people", ", ".join(said.draws.stakeholders[:_SHOWN])],
        ["rules", said.draws.in_words],
        *asked.given.rows(),
    ]
