"""What was learned from an interview: the rule, and what it would decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from welfarist.asking.interview import Interview
from welfarist.base.exports import Table, number, pair, strict
from welfarist.families.power_mean.doctrines import close_doctrine_of
from welfarist.files import Actions

# Actions that are shown, the likeliest to be the best first.
_TOP = 5
# Less likely ones are not.
_LEAST = 0.01
_LEVEL = 0.95

Estimate = tuple[float, float, float]


@dataclass(frozen=True)
class Learned:
    """What is believed after an interview.

    Attributes
    ----------
    answers : int
        How many questions were answered, skipped ones left out.
    reason : str
        Why it ended; nothing if it did not.
    power : tuple of float
        Its median, and the ends between which it lies with probability 0.95.
    weights : dict
        The same of everybody's weight, by name.
    best : list of tuples
        Actions and how likely each is the best of those that are looked at, likeliest first.
    among : int
        How many these are.
    consistency : float or None
        Share of repeated questions that were answered as before.
    """

    answers: int
    reason: str
    power: Estimate
    weights: dict[str, Estimate]
    best: list[tuple[str, float]]
    among: int
    consistency: float | None

    @property
    def doctrine(self) -> str:
        """The power in words."""
        return close_doctrine_of(self.power[0], 2)

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        found = strict({
            "answers": self.answers, "reason": self.reason, "level": _LEVEL,
            "p": _record(self.power), "doctrine": self.doctrine,
            "weights": {who: _record(weight) for who, weight in self.weights.items()},
            "best": [{"action": name, "probability": chance} for name, chance in self.best],
            "among": self.among, "consistency": self.consistency,
        })  # fmt: skip
        return dict(found)

    def tables(self) -> tuple[Table, ...]:
        """What people read: the rule, and what it would decide."""
        rows = [("p", *_row(self.power))]
        rows += [(f"weight of {who}", *_row(weight)) for who, weight in self.weights.items()]
        lines = [f"p: {self.doctrine}"]
        if self.consistency is not None:
            lines.append(f"repeated questions answered as before: {self.consistency:.0%}")
        many = "s" * (self.answers != 1)
        rule = Table(
            f"The rule, after {self.answers} answer{many}",
            ("", "median", f"{_LEVEL:.0%} of what is believed"),
            tuple(rows), ("left", "right", "right"), tuple(lines),
        )  # fmt: skip
        decided = Table(
            f"Which of {self.among} actions is the best",
            ("action", "probability"),
            tuple((name, f"{chance:.0%}") for name, chance in self.best), ("left", "right"),
        )  # fmt: skip
        return rule, decided


def learned_from(interview: Interview, actions: Actions) -> Learned:
    """Return what is believed now, with more digits than questions are chosen by."""
    told = len(interview.answers) - interview.answers.count("skip")
    belief = interview.posterior.refined() if told else interview.posterior
    rows = np.arange(len(actions)) if interview.aim is None else np.array(interview.aim)
    chances = belief.best(interview.actions[rows])
    order = np.argsort(-chances, kind="stable")[:_TOP]
    shown = [i for place, i in enumerate(order.tolist()) if not place or chances[i] >= _LEAST]

    def estimate(name: str) -> Estimate:
        return belief.estimate(name), *belief.interval(name, _LEVEL)

    return Learned(
        told, interview.reason, estimate("p"),
        {who: estimate(f"weight of {who}") for who in actions.stakeholders},
        [(actions.names[rows[i]], float(chances[i])) for i in shown], len(rows),
        interview.consistency,
    )  # fmt: skip


def _record(estimate: Estimate) -> dict[str, float]:
    return dict(zip(("median", "low", "high"), estimate, strict=True))


def _row(estimate: Estimate) -> tuple[str, str]:
    middle, low, high = estimate
    return number(middle, 2), " to ".join(pair(low, high, 2))
