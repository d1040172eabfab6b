"""What there is to say about a fit, worked out once; where something is missing, why."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.checks.misfit import Misfit
from welfarist.families.named import Doctrine
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.inference import DoctrineTest, Profile
from welfarist.inference.covariance import flat_weights
from welfarist.inference.delta import delta_interval
from welfarist.inference.intervals import MethodName
from welfarist.people.attribute_weighting import theta_name
from welfarist.people.source import heads_of
from welfarist.people.tradeoffs import WorstOff, required_gain, third, turns_of, worst_off
from welfarist.results.learned_from import judged_utilities
from welfarist.results.record import FitResult
from welfarist.show.plots.indifference_curves import doctrines_beside
from welfarist.show.plots.power_axis import reached_doctrines
from welfarist.show.plots.power_figures import own_profile
from welfarist.show.report.plain_words import plain
from welfarist.show.symbols import in_symbols

# Losses to the worst off for which gains are worked out; the first is the one in the text.
LOSSES = (0.1, 0.01, 0.25, 0.5)
# Doctrines that are tested; of another family all are.
TESTED = ("utilitarian", "Nash", "harmonic", "egalitarian")
# More actions than these do not make a median more typical; of another family every action takes
# a search.
_ENOUGH, _ENOUGH_SEARCHED = 10_000, 1_000
# How many utilities may be looked at to see how gains move with the rule, and at least how many
# actions there are.
_AFFORDABLE, _FEWEST_MOVED = 500_000, 50
# The work grows with the square of how many people there are.
_MOST_MOVED = 1_000
# A share of the actions that differs by no more than this is the same: turns are fractions.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Tested:
    """A doctrine and how it fared: a test, or the reason why there is none."""

    name: str
    null: str
    test: DoctrineTest | None
    reason: str = ""


Ends = tuple[float, float]


@dataclass(frozen=True)
class Taken:
    """Of which actions medians are taken.

    Attributes
    ----------
    actions : int
        How many there are.
    without : int
        How many are left out, because somebody has nothing in them, or is not affected.
    used : int
        How many are looked at; fewer than the others where they are too many.
    tied : int
        In how many of these equal people take turns at being worst off.
    absent : int
        How many of those left out do not affect everybody.
    """

    actions: int
    without: int
    used: int
    tied: int
    absent: int = 0


@dataclass(frozen=True, eq=False)
class Gains:
    """What the others must gain to make up for losses to the worst-off third.

    Attributes
    ----------
    rules : tuple of str
        "learned" and the doctrines beside it.
    median : (losses, rules) array
        Medians over the actions; inf where no gain is enough.
    middle : pair of floats
        Quartiles over the actions of what the learned rule asks for the first of the losses.
    plain : float
        What adding up utilities with the same weights asks for it, a median.
    people, losing : int
        How many people there are, and how many of them lose.
    within : tuple of pairs or None
        For each of the losses the interval of what the learned rule asks for, by the delta method
        in the median action; None where there is none.
    why_not : str
        Why there are no intervals; empty if there are, or nothing was learned.
    taken : Taken
        Of which actions all this is true.
    """

    rules: tuple[str, ...]
    median: FloatArray
    middle: Ends
    plain: float
    people: int
    losing: int
    within: tuple[Ends | None, ...]
    why_not: str
    taken: Taken


_WHAT_IS_MISSING = re.compile("^No (intervals?|standard errors): ")


@dataclass(frozen=True)
class Certainty:
    """The intervals of a result's summary: the same numbers from the same source.

    Attributes
    ----------
    power : pair of floats or None
    weights : tuple of pairs or None
        One per person, None for a weight that has none; empty if there are none at all.
    methods : tuple of str
        How they were made: "profile", "wald", "bootstrap".
    reasons : tuple of str
        Why some are missing.
    slopes : mapping
        Of the thetas of attributes, by name.
    """

    power: Ends | None = None
    weights: tuple[Ends | None, ...] = ()
    methods: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    slopes: Mapping[str, Ends | None] = field(default_factory=dict)

    @property
    def why_missing(self) -> str:
        """Why some are missing, in sentences."""
        said = dict.fromkeys(_WHAT_IS_MISSING.sub("", reason) for reason in self.reasons)
        return " ".join(said)

    @classmethod
    def of(cls, result: FitResult, level: float, method: MethodName | None) -> Certainty:
        """Ask a result for its intervals."""
        found, refused = _attempt(lambda: result.estimates(level, method))
        if found is None:
            return cls(reasons=(refused,))
        ends = [
            (row.quantity, None if row.low is None or row.high is None else (row.low, row.high))
            for row in found.rows
        ]
        weights = tuple(pair for quantity, pair in ends if quantity.is_weight)
        return cls(
            next((pair for quantity, pair in ends if quantity.is_shape), None),
            weights if any(weights) else (),
            tuple(dict.fromkeys(row.method for row in found.rows if row.method is not None)),
            tuple(map(plain, found.refusals)),
            {q.name: pair for q, pair in ends if q.attribute is not None},
        )


@dataclass(frozen=True, eq=False)
class Facts:
    """What a report is made of.

    Attributes
    ----------
    result : FitResult
    level : float
        Of all intervals.
    sure : Certainty
        The intervals of the summary.
    profile : Profile or None
        Of the power, with the interval of the summary.
    tests : tuple of Tested
    misfit : Misfit or None
        What speaks against the family of rules.
    gains : Gains or None
    utilities : (N, d) array or None
        Of the actions that were judged.
    flat : frozenset of int
        Whose weights the data do not determine.
    attributes : tuple of Tested
        Whether each attribute matters, where weights follow from some.
    """

    result: FitResult
    level: float
    sure: Certainty
    profile: Profile | None
    tests: tuple[Tested, ...]
    misfit: Misfit | None
    gains: Gains | None
    utilities: FloatArray | None
    flat: frozenset[int] = frozenset()
    attributes: tuple[Tested, ...] = ()

    @property
    def heads(self) -> FloatArray | None:
        """How many people stand behind each weight (d,), where they are groups of a sketch."""
        return heads_of(getattr(self.result.decided, "utilities", None))

    @classmethod
    def of(cls, result: FitResult, level: float, method: MethodName | None = None) -> Facts:
        """Work out everything about a fit that can be."""
        profile, _ = _attempt(lambda: own_profile(result, level, method))
        utilities, _ = _attempt(lambda: judged_utilities(result))
        misfit, _ = _attempt(result.misfit)
        return cls(
            result,
            level,
            Certainty.of(result, level, method),
            profile,
            _tests(result),
            misfit,
            None if utilities is None else gains_of(result, utilities, level),
            utilities,
            frozenset() if result.likelihood is None else flat_weights(result.likelihood),
            _tests_of_attributes(result),
        )

    @property
    def percent(self) -> str:
        """The level of the intervals in words."""
        return f"{100 * self.level:g}%"


def _attempt(work: Any) -> tuple[Any, str]:
    """What some work gives, or None and why it is refused."""
    try:
        return work(), ""
    except InputError as problem:
        return None, plain(str(problem))


def _tests(result: FitResult) -> tuple[Tested, ...]:
    """Tests of the doctrines and of equal weights, as far as these were learned.

    They use the result's own standard errors where those are not the likelihood's and a Wald test
    applies.
    """
    found = []
    if "p" not in result.given:
        for doctrine in _tested(result):
            test, reason = _attempt(lambda name=doctrine.name: result.test(name, resamples=None))
            null = f"{result.family.shape.name} = {in_symbols(doctrine.p)}"
            found.append(Tested(doctrine.name, null, test, reason))
    if result.theta:
        test, reason = _attempt(lambda: result.test(theta=0, resamples=None))
        found.append(Tested("equal weights", "every head counts the same", test, reason))
    elif "weights" not in result.given and len(result.weights) > 1:
        test, reason = _attempt(lambda: result.test(weights="equal", resamples=None))
        found.append(Tested("equal weights", "everybody counts the same", test, reason))
    return tuple(found)


def _tests_of_attributes(result: FitResult) -> tuple[Tested, ...]:
    """Whether each attribute matters: tests that its theta is 0."""
    found = []
    for name in result.theta:
        test, reason = _attempt(lambda name=name: result.test(theta=[name], resamples=None))
        found.append(Tested(name, f"{theta_name(name)} = 0", test, reason))
    return tuple(found)


def _tested(result: FitResult) -> list[Doctrine]:
    """The doctrines that are tested."""
    reached = reached_doctrines(result.family)
    if result.family != POWER_MEAN:
        return reached
    named = {doctrine.name: doctrine for doctrine in reached}
    return [named[name] for name in TESTED]


def gains_of(result: FitResult, utilities: FloatArray, level: float = 0.95) -> Gains | None:
    """What the others must gain in a typical action; None where that has no meaning.

    In every action the worst-off third loses; medians are taken over the actions. Actions in
    which somebody has nothing are left out: nothing has no percentages.
    """
    people = utilities.shape[1]
    if result.family.least < 0 and utilities.min() < 0:  # of what is below 0 there are no percents
        return None
    table = utilities[(utilities > 0).all(axis=1)]
    # Far out weights are next to nothing, and so are gains and losses of those who have them.
    if people < 2 or not len(table) or result.weights_mislead:
        return None
    family, without = result.family, len(utilities) - len(table)
    enough = _ENOUGH if family == POWER_MEAN else _ENOUGH_SEARCHED
    table = _spread_out(table, enough)
    # Turns of equal people are worked out as actions are.
    table = _spread_out(table, enough * len(table) // int(turns_of(table).sum()))
    worst = worst_off(table, result.weights)
    shapes = {"learned": result.p, **doctrines_beside(result)}
    rules = [family.rule(p, result.weights) for p in shapes.values()]

    def asked(rule: Any, loss: float) -> FloatArray:
        return required_gain(rule, table[worst.actions], worst.losing, loss)

    def typical(rule: Any, loss: float) -> float:
        return _median(asked(rule, loss), worst.counts)

    median = np.array([[typical(rule, loss) for rule in rules] for loss in LOSSES])
    within, why_not = _gains_within(result, table[worst.actions], worst, level)
    return Gains(
        tuple(shapes),
        median,
        _quartiles(asked(rules[0], LOSSES[0]), worst.counts),
        typical(POWER_MEAN.rule(1.0, result.weights), LOSSES[0]),
        people,
        third(people),
        within,
        why_not,
        Taken(
            len(utilities),
            without,
            len(table),
            int((turns_of(table) > 1).sum()),
            int(np.isnan(utilities).any(axis=1).sum()),
        ),
    )


def _spread_out(table: FloatArray, enough: int) -> FloatArray:
    """At most so many actions, evenly from the first to the last."""
    if len(table) <= enough:
        return table
    return table[np.linspace(0, len(table) - 1, max(enough, 1)).round().astype(np.intp)]


def _gains_within(
    result: FitResult, table: FloatArray, worst: WorstOff, level: float
) -> tuple[tuple[Ends | None, ...], str]:
    """Intervals of what the learned rule asks for each of the losses, or why there are none."""
    if result.likelihood is None or {"p", "weights"} <= set(result.given):
        return (), ""
    people = table.shape[1]
    if people > _MOST_MOVED:
        return (), f"for more than {_MOST_MOVED:,} people that would take very long."
    enough = max(_FEWEST_MOVED, _AFFORDABLE // (people * (people + 1)))
    found, reasons = [], []
    for loss in LOSSES:
        ends, reason = _attempt(
            lambda loss=loss: _within(result, table, worst, loss, enough, level)
        )
        found.append(ends)
        reasons.append(reason)
    return (tuple(found), "") if any(found) else ((), reasons[0])


def _within(
    result: FitResult,
    table: FloatArray,
    worst: WorstOff,
    loss: float,
    enough: int,
    level: float,
) -> Ends:
    """The interval of the median gain, by the delta method.

    Of many actions some are taken, spread evenly over what the rule asks in them; what is lost of
    the median by that is put right.
    """
    assert result.likelihood is not None
    rule = result.family.rule
    asked = required_gain(rule(result.p, result.weights), table, worst.losing, loss)
    order = np.argsort(asked, kind="stable")
    if len(order) > enough:
        order = order[np.linspace(0, len(order) - 1, enough).round().astype(np.intp)]
    part, who, counts = table[order], worst.losing[order], worst.counts[order]

    def gain(p: float, weights: FloatArray) -> float:
        return _median(required_gain(rule(p, weights), part, who, loss), counts)

    low, high = delta_interval(result.likelihood, result.cov_params(), gain, level)
    share = _median(asked, worst.counts) / gain(result.p, result.weights)
    return share * low, share * high


def _median(gains: FloatArray, counts: FloatArray) -> float:
    """The lower of two middle ones: between a number and infinity there is nothing."""
    return _lowest_share(gains, counts, 0.5)


def _quartiles(gains: FloatArray, counts: FloatArray) -> Ends:
    """The middle half, and no less of it."""
    return _lowest_share(gains, counts, 0.25), -_lowest_share(-gains, counts, 0.25)


def _lowest_share(gains: FloatArray, counts: FloatArray, share: float) -> float:
    """The smallest gain up to which there is this share of the actions."""
    order = np.argsort(gains, kind="stable")
    reached = np.cumsum(counts[order])
    return float(gains[order[np.searchsorted(reached, (share - _ROUNDING) * reached[-1])]])
