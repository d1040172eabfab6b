"""Which of some actions to take, for a report: the order, how sure it is, and why."""

from __future__ import annotations

from welfarist.base.errors import InputError
from welfarist.base.exports import number, pair
from welfarist.recommending.advice import Advice
from welfarist.recommending.recommendation import Recommendation
from welfarist.results.record import FitResult
from welfarist.show.report import words
from welfarist.show.report.markup import NOTHING, Html, bullets, join, paragraph, section, table
from welfarist.show.report.plain_words import plain

# Actions that a report shows.
_SHOWN = 10


def checked_recommendation(result: FitResult, said: object) -> None:
    """Require a recommendation about the people of a fit, or none."""
    if said is None:
        return
    if not isinstance(said, Recommendation):
        raise InputError(
            f"recommendation must be what welfarist.recommend returns; found {type(said).__name__}."
        )
    if said.draws.stakeholders != result.stakeholders:
        raise InputError(
            "recommendation must be about the people of the fit, "
            f"{', '.join(result.stakeholders[:5])}; found "
            f"{', '.join(said.draws.stakeholders[:5])}."
        )


def next_action(said: Recommendation | None) -> Html:
    """The recommended order and why the first is better than the second; nothing without one."""
    if said is None:
        return NOTHING
    return section(
        "Which action to take",
        paragraph(f"Of {len(said)} actions it is {said.best}: {how_sure(said)}"),
        actions_in_order(said),
        _why(said),
        read_the_table(said),
    )


def how_sure(said: Recommendation) -> str:
    """How likely the first action is the best, and what is lost by taking it, to a full stop."""
    first = int(said.order[0])
    if said.regret[first] == 0:
        return f"none of {len(said.draws)} rules that may be the right one finds another better."
    return (
        f"the best with probability {chance(said.p_best[first])}, and on average "
        f"{lost(said, first)} are lost by taking it, because the rule is known up to a point only."
    )


def actions_in_order(said: Recommendation) -> Html:
    """The first actions, in order of what is lost by taking them."""
    shown = min(len(said), _SHOWN)
    caption = f"The {len(said)} actions" if shown == len(said) else f"The first {shown} actions"
    return table(
        f"{caption} in order of what is lost by taking them",
        ["action", "welfare", f"{100 * said.level:g}% of what is believed",
         "probability of being best", "expected loss", "mark"],
        [_row(said, place) for place in range(shown)],
        (0, 5),
        cards=True,
    )  # fmt: skip


def read_the_table(said: Recommendation, but: str = "") -> Html:
    """What must be known to read it, but for what stands elsewhere."""
    lines = [line for line in said.lines()[1:] if line != but]
    return bullets([words.sentence(plain(line)) for line in lines])


def lost(said: Recommendation, row: int) -> str:
    """What is lost on average by taking an action."""
    unit = "% of welfare" if said.regret_in == "percent" else " units of welfare"
    return f"{said.regret[row]:.2g}{unit}"


def _row(said: Recommendation, place: int) -> list[str]:
    row = int(said.order[place])
    mark = "never best" if said.never_best[row] else ""
    return [
        said.names[row],
        number(said.welfare[row]),
        " to ".join(pair(said.low[row], said.high[row])),
        chance(said.p_best[row]),
        f"{said.regret[row]:.2f}%" if said.regret_in == "percent" else number(said.regret[row]),
        "dominated" if said.dominated[row] else mark,
    ]


def chance(share: float) -> str:
    """A probability that was worked out from some hundred rules."""
    if 0.0 < share < 0.01:
        return "below 1%"
    return "above 99%" if 0.99 < share < 1.0 else f"{share:.0%}"


def _why(said: Recommendation) -> Html:
    """Why the first is better than the second by the rule itself."""
    if len(said) < 2:
        return NOTHING
    advice = Advice.of(said)
    if advice.why is None:
        return paragraph(advice.why_not)
    why = advice.why
    told = [paragraph(f"Why: {why.sentence}")]
    if why.names[0] != said.best and why.difference > 0:
        told.append(
            paragraph(
                f"{said.best} stands first nevertheless: over all rules that may be the right one, "
                "less is lost by taking it.",
                "soft",
            )
        )
    return join(*told)
