"""Answers that do not go with the others: slips, perhaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from welfarist.asking.interview import Interview
from welfarist.asking.posterior import Posterior
from welfarist.asking.welfares import Outcomes
from welfarist.base.validation import FloatArray

# An answer is surprising where at most this share of what is believed agrees with it.
_SHARE = 0.2


@dataclass(frozen=True)
class Surprise:
    """An answer with which few of the rules agree that go with all answers.

    Attributes
    ----------
    number : int
        Of the question, from 1 on.
    preferred, other : int
        Row numbers: which one was said to be better, and which one was not.
    share : float
        How likely it is that this decision maker's rule agrees.
    """

    number: int
    preferred: int
    other: int
    share: float


def surprises_in(interview: Interview) -> tuple[Surprise, ...]:
    """Return the answers that surprise, the most surprising first."""
    told = [k for k, said in enumerate(interview.answers) if said in ("first", "second")]
    if not told:
        return ()
    sides = [_sides(interview, k) for k in told]
    agree = _agreeing(interview.posterior, interview.actions, sides)
    found = [
        Surprise(k + 1, one, other, share)
        for k, (one, other), share in zip(told, sides, agree.tolist(), strict=True)
        if share <= _SHARE
    ]
    return tuple(sorted(found, key=lambda surprise: surprise.share))


def _sides(interview: Interview, k: int) -> tuple[int, int]:
    """What was preferred, and what was not."""
    question = interview.questions[k]
    both = question.first, question.second
    return both if interview.answers[k] == "first" else both[::-1]


def _agreeing(
    belief: Posterior, actions: FloatArray, sides: Sequence[tuple[int, int]]
) -> FloatArray:
    """The share of rules by which each preferred action is better, those without a view halved."""
    rules, shares = belief.rules, belief.state.cloud.shares
    pairs = np.array(sides)
    one, other = (
        Outcomes(actions[pairs[:, j]]).log_welfare(rules.weights, rules.powers) for j in (0, 1)
    )
    return np.asarray(shares @ np.where(one == other, 0.5, one > other))
