"""What was learned over all respondents."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.safestring import SafeString

from welfarist.base.validation import FloatArray
from welfarist.web.asking.putting import label_of
from welfarist.web.asking.rows import Rows
from welfarist.web.learned.known import Known, at_hand, known_of
from welfarist.web.learned.one import percent
from welfarist.web.learned.powers import interval, written
from welfarist.web.models import Respondent, Study
from welfarist.web.pictures.everybody import Someone, everybody_picture

# Seconds that a page takes to work something out; what is left waits for the next time.
_SECONDS = 1.0
_TOP = 10
# Pairs of actions that are looked at; drawn where there are more.
_PAIRS = 20_000

Answered = list[tuple[Respondent, Rows]]


@dataclass(frozen=True)
class Line:
    """One respondent's row of the table."""

    number: int
    name: str
    answers: int
    power: str
    ends: str
    weights: tuple[str, ...]
    first: str


@dataclass(frozen=True)
class Agreement:
    """How far respondents agree, and what they would do together.

    Attributes
    ----------
    share : str
        Of pairs of actions that two respondents put in the same order.
    order : list of (str, str, int)
        Actions, the share of others that each is better than on average, and for how many it is
        the first.
    """

    share: str
    order: list[tuple[str, str, int]]


@dataclass(frozen=True)
class Everybody:
    """What was learned of all.

    Attributes
    ----------
    stakeholders : list of str
    people : list of Line
    picture : SafeString
    agreement : Agreement or None
    later : int
        Of how many respondents nothing is worked out yet.
    """

    stakeholders: list[str]
    people: list[Line]
    picture: SafeString
    agreement: Agreement | None
    later: int


def answered(study: Study) -> Answered:
    """Return the respondents who said something, with their answers, in two queries."""
    people = study.respondents.prefetch_related("answers")
    read = [(one, Rows.among(one.answers.all())) for one in people]
    return [(one, rows) for one, rows in read if any(row.choice != "skip" for row in rows.answered)]


def everybody_of(study: Study, people: Answered, seconds: float = _SECONDS) -> Everybody:
    """Return what was learned of all, as far as it is known or found out soon."""
    found, until = [], time.monotonic() + seconds
    for respondent, rows in people:
        respondent.study = study  # read once
        known = at_hand(respondent.pk, rows)
        if known is None and time.monotonic() < until:
            known = known_of(respondent, rows)
        if known is not None:
            found.append((respondent, known))
    some = [Someone(str(one), known.power, known.weights) for one, known in found]
    return Everybody(
        [label_of(person) for person in study.stakeholders],
        [_line(study, one, known) for one, known in found],
        everybody_picture(some) if some else SafeString(),
        _agreement(study, [known for _, known in found]) if len(found) > 1 else None,
        len(people) - len(found),
    )


def _line(study: Study, one: Respondent, known: Known) -> Line:
    power = known.power
    return Line(
        one.number,
        str(one),
        known.answers,
        written(power.middle),
        interval(power.low, power.high),
        tuple(percent(weight.middle) for weight in known.weights),
        label_of(study.actions[int(known.order.rows[0])]),
    )


def _agreement(study: Study, known: Sequence[Known]) -> Agreement:
    above = np.array([one.order.above for one in known])
    firsts = np.bincount([int(one.order.rows[0]) for one in known], minlength=len(study.actions))
    together = above.mean(axis=0)
    order = np.argsort(-together, kind="stable")[:_TOP].tolist()
    return Agreement(
        percent(concordance(above)),
        [(label_of(study.actions[i]), percent(together[i]), int(firsts[i])) for i in order],
    )


def concordance(scores: FloatArray) -> float:
    """Return the share of pairs of actions that two people put in the same order, on average.

    Parameters
    ----------
    scores : (R, N) array
        What everybody thinks of each action; equals count as half.

    Examples
    --------
    >>> concordance(np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0]])).__round__(3)
    0.667
    """
    people, actions = scores.shape
    if actions * (actions - 1) // 2 <= _PAIRS:
        first, second = np.triu_indices(actions, 1)
    else:
        rng = np.random.default_rng(0)
        first = rng.integers(0, actions, _PAIRS)
        second = (first + rng.integers(1, actions, _PAIRS)) % actions
    signs = np.sign(scores[:, first] - scores[:, second])
    sums, squares = signs.sum(axis=0), (signs**2).sum(axis=0)
    agreeing = (sums**2 - squares).mean() / (people * (people - 1))
    return float((1.0 + agreeing) / 2.0)
