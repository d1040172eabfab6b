"""What was learned of one respondent, as a page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from welfarist.web.asking.cards import plain
from welfarist.web.asking.putting import label_of
from welfarist.web.asking.rows import Rows
from welfarist.web.learned.estimates import Estimate
from welfarist.web.learned.known import Known, known_of
from welfarist.web.learned.powers import interval, meaning, written
from welfarist.web.models import Answer, Respondent, Study
from welfarist.web.pictures.course import course_picture
from welfarist.web.pictures.power import power_picture
from welfarist.web.pictures.weights import weights_picture

_TOP = 10
_SAID = {"equal": "equally good", "skip": "skipped"}
# Some hundred rules are looked at: what is best by none of them may still be the best.
_UNSEEN = 1e-9
# Of people whom a slip is explained by, no more than these are named.
_NAMED = 3


@dataclass(frozen=True)
class Slip:
    """An answer that surprises, with why.

    Attributes
    ----------
    number : int
    preferred, other : str
    better, worse : str
        Who has more in what was preferred, and who has less, with numbers.
    share : str
    instead : "first" or "second"
        The answer that would not surprise.
    """

    number: int
    preferred: str
    other: str
    better: str
    worse: str
    share: str
    instead: str


@dataclass(frozen=True)
class Said:
    """One answer: the question's number, both actions, and what was said."""

    number: int
    first: str
    second: str
    choice: str
    words: str


@dataclass(frozen=True)
class Page:
    """What was learned, in words, tables and pictures.

    Attributes
    ----------
    answers : int
    meaning, doctrine, power : str
        What it comes to, in a sentence; the power by its neighbours; and in numbers.
    guessed : bool
        Whether rules that mean something else are likely enough as well.
    pictures : dict
        By name: "power", "weights", "course".
    regions, weights, course, order : lists of tuples of str
        The tables beside the pictures, and of the recommended actions.
    slips : list of Slip
    said : list of Said
    why : str
        Why the first action is better than the second.
    consistency : str
        Nothing where no question was put twice.
    actions : int
        How many there are.
    """

    answers: int
    meaning: str
    doctrine: str
    power: str
    guessed: bool
    pictures: dict[str, SafeString]
    regions: list[tuple[str, str]]
    weights: list[tuple[str, str, str]]
    course: list[tuple[str, str, str]]
    order: list[tuple[str, str, str]]
    slips: list[Slip]
    said: list[Said]
    why: str
    consistency: str
    actions: int


def page_of(respondent: Respondent) -> Page | None:
    """Return what was learned of a respondent; None as long as they preferred nothing."""
    rows = Rows.of(respondent)
    if not any(row.choice != "skip" for row in rows.answered):
        return None
    return _page(respondent.study, rows, known_of(respondent, rows))


def _page(study: Study, rows: Rows, known: Known) -> Page:
    people = [label_of(person) for person in study.stakeholders]
    heaviest = sorted(range(len(people)), key=lambda i: -known.weights[i].middle)
    names, weights = [people[i] for i in heaviest], [known.weights[i] for i in heaviest]
    return Page(
        known.answers,
        meaning(known.power.middle),
        known.doctrine,
        in_words(known.power),
        meaning(known.power.low) != meaning(known.power.high),
        {
            "power": power_picture(known.heights, known.power),
            "weights": weights_picture(names, weights),
            "course": course_picture(known.course),
        },
        [(where, percent(share)) for where, share in known.regions],
        [
            (name, percent(one.middle), f"{percent(one.low)} to {percent(one.high)}")
            for name, one in zip(names, weights, strict=True)
        ],
        [_step(k, one) for k, one in enumerate(known.course)],
        _order(study, known),
        [_slip(study, rows.answered[one.number - 1], one.share) for one in known.surprises],
        [_said(study, row) for row in rows.answered],
        known.why,
        "" if known.consistency is None else percent(known.consistency),
        len(study.actions),
    )


def _step(k: int, power: Estimate) -> tuple[str, str, str]:
    return str(k) if k else "before", written(power.middle), interval(power.low, power.high)


def _order(study: Study, known: Known) -> list[tuple[str, str, str]]:
    order = known.order
    return [
        (label_of(study.actions[i]), percent(max(order.best[i], _UNSEEN)), percent(order.above[i]))
        for i in order.rows[:_TOP].tolist()
    ]


def _slip(study: Study, row: Answer, share: float) -> Slip:
    rows = (row.first, row.second) if row.choice == "first" else (row.second, row.first)
    one, other = (outcome_of(study, row, place) for place in rows)
    return Slip(
        row.number,
        name_of(study, rows[0]),
        name_of(study, rows[1]),
        _differing(study, one, other),
        _differing(study, other, one),
        percent(share),
        "second" if row.choice == "first" else "first",
    )


def _differing(study: Study, one: Sequence[float], other: Sequence[float]) -> str:
    """Who has more in one than in the other, those with the largest difference first."""
    gains = sorted(
        ((mine - yours, label_of(person), mine, yours)
         for person, mine, yours in zip(study.stakeholders, one, other, strict=True)
         if mine > yours),
        key=lambda gain: -gain[0],
    )  # fmt: skip
    named = [f"{who} ({plain(mine)} against {plain(yours)})" for _, who, mine, yours in gains]
    more = len(named) - _NAMED
    return ", ".join([*named[:_NAMED], *([f"{more} more"] if more > 0 else [])])


def _said(study: Study, row: Answer) -> Said:
    first, second = name_of(study, row.first), name_of(study, row.second)
    words = {"first": first, "second": second, **_SAID}[row.choice]
    return Said(row.number, first, second, row.choice, words)


def name_of(study: Study, place: int) -> str:
    """Return what an action is called, or that it was made up."""
    if place < len(study.actions):
        return label_of(study.actions[place])
    return f"made-up outcome {place - len(study.actions) + 1}"


def outcome_of(study: Study, row: Answer, place: int) -> list[float]:
    """Return what everybody has in one of the actions of a question."""
    if row.outcomes is None:
        return study.utilities[place]
    return row.outcomes[0 if place == row.first else 1]


def in_words(power: Estimate) -> str:
    """Return a power with its interval."""
    return f"p = {written(power.middle)}; with probability 95%: {interval(power.low, power.high)}"


def percent(share: float) -> str:
    """Return a share as people write it.

    Examples
    --------
    >>> percent(0.123), percent(0.001), percent(0.9999), percent(1.0)
    ('12%', 'below 1%', 'above 99%', '100%')
    """
    if 0.0 < share < 0.005:
        return "below 1%"
    if 0.995 < share < 1.0:
        return "above 99%"
    return f"{share:.0%}"
