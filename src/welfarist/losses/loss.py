"""What a solver minimises, whatever it is made of."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.losses.decision_loss import DecisionLoss
from welfarist.losses.point import Point, QuadraticModel
from welfarist.people.weighting import Weighting


class Evaluation(Protocol):
    """A loss at a point; what a step needs is worked out only when asked for."""

    @property
    def value(self) -> float:
        """The loss."""
        ...

    def gradient(self) -> FloatArray:
        """Return the gradient at the point (q,), at a fraction of the cost of the model."""
        ...

    def model(self) -> QuadraticModel:
        """Return gradient and positive semidefinite curvature at the point."""
        ...

    def remainder(self) -> FloatArray:
        """Return what the curvature lacks of the Hessian along moves that keep the sum (q, q)."""
        ...


class Loss(Protocol):
    """What a solver minimises."""

    @property
    def data(self) -> DecisionLoss:
        """The loss of the decisions alone, without a prior."""
        ...

    @property
    def family(self) -> Family:
        """The family of rules."""
        ...

    @property
    def weighting(self) -> Weighting:
        """What is free in the weights."""
        ...

    @property
    def learn_power(self) -> bool:
        """Whether the family's shape is learned."""
        ...

    @property
    def search_range(self) -> tuple[float, float]:
        """The smallest and the largest shape that are searched."""
        ...

    @property
    def limits(self) -> tuple[float, ...]:
        """Infinite shapes that are compared for themselves."""
        ...

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What is learned on the line: slopes of the weights, and the noise model's parameters."""
        ...

    @property
    def extra_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Their smallest and largest values, in their coordinates, (m,) each."""
        ...

    @property
    def has_zeros(self) -> bool:
        """Whether somebody has nothing in some action."""
        ...

    @property
    def resolution(self) -> float:
        """A difference in loss that is nothing but rounding."""
        ...

    def is_perfect(self, value: float) -> bool:
        """Whether no loss can be lower by more than rounding."""
        ...

    def allowed(self, p: float) -> float:
        """Return a shape like this one that may be searched."""
        ...

    @property
    def squared(self) -> bool:
        """Whether the loss is a squared error rather than a negative log likelihood."""
        ...

    @property
    def interior(self) -> bool:
        """Whether weights must stay positive, because the loss is infinite at 0."""
        ...

    @property
    def features(self) -> dict[str, str]:
        """What not every method covers, with what a user calls it."""
        ...

    def evaluate(self, point: Point) -> Evaluation:
        """Return the loss at a point."""
        ...

    def weights_at(self, point: Point) -> FloatArray:
        """Return one weight per person (d,) at a point."""
        ...

    def starting_extras(self, weights: FloatArray, p: float) -> FloatArray:
        """Return extras (m,) that go well with these weights and shape."""
        ...

    def share(self, fraction: float, rng: np.random.Generator) -> Loss:
        """Return the loss of a random share of the decisions."""
        ...

    @property
    def decisions(self) -> int:
        """How many rows of data one evaluation passes over."""
        ...


def within_search(p: float | None, loss: Loss) -> float | None:
    """Return the shape at which a given one is fitted: itself, but for powers far out.

    Beyond the largest power of a search weights that make the same rule, ``log(w)`` in proportion
    to p, soon are smaller than the smallest number there is: no search finds them. Known weights,
    and infinite powers, are taken as they are.
    """
    if not loss.family.ratios:
        return p
    largest = loss.search_range[1]
    if p is None or np.isinf(p) or abs(p) <= largest or loss.weighting.free <= 1:
        return p
    return float(np.copysign(largest, p))
