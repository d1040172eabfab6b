"""What there is to say about a fit, worked out once; where something is missing, why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from welfarist.doctrines import DOCTRINES
from welfarist.errors import InputError
from welfarist.fit import FitResult
from welfarist.goodness.misfit import Misfit
from welfarist.inference import DoctrineTest, Profile
from welfarist.judged import judged_utilities
from welfarist.plots.power_axis import in_symbols
from welfarist.tradeoffs import required_gain, worst_off
from welfarist.validation import FloatArray
from welfarist.welfare import WelfareFunction

# Losses to the worst off for which gains are worked out; the first is the one in the text.
LOSSES = (0.1, 0.01, 0.25, 0.5)
# Doctrines beside the learned rule, and those that are tested.
BESIDE = ("utilitarian", "Nash", "egalitarian")
TESTED = ("utilitarian", "Nash", "harmonic", "egalitarian")
# More actions than these do not make a median more typical.
_ENOUGH = 10_000


@dataclass(frozen=True)
class Tested:
    """A doctrine and how it fared: a test, or the reason why there is none."""

    name: str
    null: str
    test: DoctrineTest | None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Gains:
    """What the others must gain to make up for losses to the worst-off third.

    Attributes
    ----------
    rules : tuple of str
        "learned" and the doctrines beside it.
    median : (losses, rules) array
        Medians over the actions; inf where no gain is enough.
    people, losing : int
        How many people there are, and how many of them lose.
    """

    rules: tuple[str, ...]
    median: FloatArray
    people: int
    losing: int


@dataclass(frozen=True, eq=False)
class Facts:
    """What a report is made of.

    Attributes
    ----------
    result : FitResult
    level : float
        Of all intervals.
    profile : Profile or None
        Of the power, with the interval that goes with the result's standard errors.
    no_profile : str
        Why there is none.
    weight_intervals : (d, 2) array or None
    no_weight_intervals : str
        Why there are none.
    tests : tuple of Tested
    misfit : Misfit or None
        What speaks against the family of rules.
    gains : Gains or None
    utilities : (N, d) array or None
        Of the actions that were judged.
    """

    result: FitResult
    level: float
    profile: Profile | None
    no_profile: str
    weight_intervals: FloatArray | None
    no_weight_intervals: str
    tests: tuple[Tested, ...]
    misfit: Misfit | None
    gains: Gains | None
    utilities: FloatArray | None

    @classmethod
    def of(cls, result: FitResult, level: float) -> Facts:
        """Work out everything about a fit that can be."""
        profile, no_profile = _attempt(lambda: _profile(result, level))
        intervals, no_intervals = _attempt(lambda: result.interval("weights", level))
        utilities, _ = _attempt(lambda: judged_utilities(result))
        misfit, _ = _attempt(result.misfit)
        return cls(
            result,
            level,
            profile,
            no_profile,
            intervals,
            no_intervals,
            _tests(result),
            misfit,
            None if utilities is None else gains_of(result, utilities),
            utilities,
        )

    @property
    def percent(self) -> str:
        """The level of the intervals in words."""
        return f"{100 * self.level:g}%"


def _profile(result: FitResult, level: float) -> Profile:
    """The profile of the power, with the interval that goes with the result's standard errors."""
    found = result.profile(level=level)
    if result.covariance == "fisher":
        return found
    return replace(found, interval=result.interval("p", level))


def _attempt(work: Any) -> tuple[Any, str]:
    """What some work gives, or None and why it is refused."""
    try:
        return work(), ""
    except InputError as problem:
        return None, str(problem)


def _tests(result: FitResult) -> tuple[Tested, ...]:
    """Tests of the doctrines and of equal weights, as far as these were learned.

    They use the result's own standard errors where others than the likelihood's were chosen.
    """
    found = []
    chosen = None if result.covariance == "fisher" else result.covariance
    if "p" not in result.given:
        powers = {doctrine.name: doctrine.p for doctrine in DOCTRINES}
        for name in TESTED:
            test, reason = _attempt(
                lambda name=name: result.test(name, covariance=chosen, resamples=None)
            )
            found.append(Tested(name, f"p = {in_symbols(powers[name])}", test, reason))
    if "weights" not in result.given and len(result.weights) > 1:
        test, reason = _attempt(
            lambda: result.test(weights="equal", covariance=chosen, resamples=None)
        )
        found.append(Tested("equal weights", "everybody counts the same", test, reason))
    return tuple(found)


def gains_of(result: FitResult, utilities: FloatArray) -> Gains | None:
    """What the others must gain in a typical action; None where that has no meaning.

    In every action the worst-off third loses; medians are taken over the actions. Actions in
    which somebody has nothing are left out: nothing has no percentages.
    """
    people = utilities.shape[1]
    table = utilities[(utilities > 0).all(axis=1)]
    if people < 2 or not len(table):
        return None
    if len(table) > _ENOUGH:
        table = table[np.linspace(0, len(table) - 1, _ENOUGH).round().astype(np.intp)]
    losing = worst_off(table)
    powers = {doctrine.name: doctrine.p for doctrine in DOCTRINES}
    rules = {"learned": result.p, **{name: powers[name] for name in BESIDE}}
    median = np.array(
        [
            [
                # The lower of two middle ones: between a number and infinity there is nothing.
                np.quantile(required_gain(rule, table, losing, loss), 0.5, method="lower")
                for rule in (WelfareFunction(p, result.weights) for p in rules.values())
            ]
            for loss in LOSSES
        ]
    )
    return Gains(tuple(rules), median, people, int(losing[0].sum()))
