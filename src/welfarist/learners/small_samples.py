"""Whether comparisons are so few, or so nearly certain, that certainty is charged for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from welfarist.base.errors import InputError
from welfarist.learners.assembly import Setup
from welfarist.losses import DecisionEvaluation, DecisionLoss, Point
from welfarist.losses.estimated.loss import EstimatedLoss
from welfarist.losses.observed_pairs import PairResponse
from welfarist.losses.restraint import Restraint
from welfarist.solvers.base import Optimum, Solver
from welfarist.solvers.descent import descend
from welfarist.solvers.newton import Newton

SmallSampleOption = Literal["auto", "none"]

# Decisions for each number that is learned, below which there are few.
FEW = 50.0
# Decisions in doubt for each number, below which choices are nearly certain. One whose outcome is
# a coin's counts as one, a certain one as none.
DOUBTFUL = 10.0
# Decisions of which a share is looked at first.
_PLENTY = 20_000
# How much more certain than a start of its own, in log tau, another start may be.
_MORE_CERTAIN = 2.0
# Steps in which a rule without errors is looked for, and how closely: on the way to one the loss
# falls by a large share at every step.
_LOOK, _ROUGHLY = 200, 1e-2


@dataclass(frozen=True)
class SampleSize:
    """How much there is to learn from.

    Attributes
    ----------
    decisions : float
        As many comparisons as they are worth: a choice among K is worth K - 1.
    numbers : int
        How many are learned.
    """

    decisions: float
    numbers: int

    @classmethod
    def of(cls, loss: DecisionLoss) -> SampleSize:
        """Count decisions, and what is learned from them."""
        weights = max(loss.weighting.free - 1, 0)
        numbers = weights + int(loss.learn_power) + len(loss.parameters)
        observed: Any = loss.observed
        return cls(observed.comparisons, numbers)

    @property
    def is_small(self) -> bool:
        """Whether there are few decisions for each number."""
        return self.decisions < FEW * self.numbers

    def leaves_no_doubt(self, loss: DecisionLoss, optimum: Optimum) -> bool:
        """Whether a fit leaves few decisions in doubt for each number."""
        held, few = loss.held_at(optimum.point), DOUBTFUL * self.numbers
        here: Any = optimum.evaluation
        if isinstance(here, DecisionEvaluation) and isinstance(here.response, PairResponse):
            if here.response.doubt(_PLENTY) >= few:  # some of many are in doubt enough, as a rule
                return False
            return bool(here.response.doubt() < few)
        known = loss.holding(optimum.weights)
        if loss.decisions > _PLENTY:
            part = known.share(_PLENTY / loss.decisions, np.random.default_rng(0))
            some: Any = part.evaluate(held).response
            if some.doubt() >= few:
                return False
        response: Any = known.evaluate(held).response
        return bool(response.doubt() < few)


def check_small_sample(value: object) -> SmallSampleOption:
    """Require one of the options."""
    if value not in get_args(SmallSampleOption):
        raise InputError(f'small_sample must be "auto" or "none"; found {value!r}.')
    return value  # type: ignore[return-value]


def restrained(loss: DecisionLoss) -> DecisionLoss:
    """Return a loss that charges for certainty."""
    observed: Any = loss.observed
    return loss.restrained(Restraint(SampleSize.of(loss).numbers - 1, observed.step))


def minimised(
    setup: Setup, loss: DecisionLoss, solver: Solver, option: SmallSampleOption
) -> tuple[DecisionLoss, Optimum]:
    """Find the best rule, and charge for certainty where decisions are few or leave no doubt.

    What is best without that is known in any case but the plainest, and is where to start.
    """
    size = SampleSize.of(loss)
    plain = option == "none" or size.numbers == 0 or isinstance(loss, EstimatedLoss)
    if plain or setup.concentration is not None or not isinstance(solver, Newton):
        return loss, setup.minimise(loss, solver)
    if size.is_small and loss.weighting.free > 1:
        loss = restrained(loss)
        return loss, setup.minimise(loss, solver)
    found = setup.minimise(loss, solver)
    if not size.is_small and not size.leaves_no_doubt(loss, found):
        return loss, found
    loss = restrained(loss)
    return loss, setup.minimise(loss, replace(solver, start=finite_start(loss, found)))


def finite_start(loss: DecisionLoss, found: Optimum) -> Point:
    """Return an optimum of the likelihood alone as a point from which to search.

    Where it has no noise the temperature is one at which there is some.
    """
    point = found.point
    largest = loss.search_range[1]
    p = float(np.clip(point.p, -largest, largest))
    extras = loss.starting_extras(point.weights, p) + _MORE_CERTAIN
    extras[: loss.leading] = np.inf  # they say nothing of certainty
    return Point(point.weights, p, np.minimum(point.extras, extras))


def explains_everything(loss: DecisionLoss, optimum: Optimum) -> bool:
    """Whether some rule near a restrained optimum is on the right side of every choice.

    The optimum itself may forgo a choice or two, where to bend to them costs more than they do.
    """
    plain = loss.unrestrained()
    point = optimum.point
    if np.isfinite(point.p):
        point = descend(plain, point, max_iter=_LOOK, tolerance=_ROUGHLY).point
    observed: Any = plain.observed
    return bool(observed.accuracy(plain.evaluate(point).response) == 1.0)
