"""A Dirichlet prior on the weights, which makes the estimate a posterior mode (MAP)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import xlogy

from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.losses.decision_loss import DecisionEvaluation, DecisionLoss
from welfarist.losses.loss import Loss
from welfarist.losses.point import Point, QuadraticModel
from welfarist.people.weighting import Weighting


@dataclass(frozen=True)
class PenalisedLoss:
    """A loss plus minus the log density of a Dirichlet prior on the free weights.

    Domain: concentrations alpha > 1, weights positive.

    Formula: per observation, ``data - sum_i (alpha_i - 1) log w_i / n``. The data term is the
    mean negative log likelihood: for comparisons the loss itself, for scores the Gaussian one
    with its variance at its best, ``log(loss) / 2``.

    Limits: infinite where a weight is 0, so that no estimated weight ever is.
    """

    data: DecisionLoss
    concentration: FloatArray
    observations: float

    @property
    def weighting(self) -> Weighting:
        """What is free in the weights."""
        return self.data.weighting

    @property
    def learn_power(self) -> bool:
        """Whether p is learned."""
        return self.data.learn_power

    @property
    def family(self) -> Family:
        """The family of rules."""
        return self.data.family

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the data term."""
        return self.data.parameters

    @property
    def extra_bounds(self) -> tuple[FloatArray, FloatArray]:
        """The bounds of the data term's own parameters."""
        return self.data.extra_bounds

    @property
    def has_zeros(self) -> bool:
        """Whether some utility is 0."""
        return self.data.has_zeros

    @property
    def search_range(self) -> tuple[float, float]:
        """The smallest and the largest shape that are searched."""
        return self.data.search_range

    @property
    def limits(self) -> tuple[float, ...]:
        """None: under a prior everybody counts, and nobody goes to a limit."""
        return ()

    def allowed(self, p: float) -> float:
        """Return a shape like this one that may be searched."""
        return self.data.allowed(p)

    @property
    def features(self) -> dict[str, str]:
        """A prior is not covered by every method."""
        return {**self.data.features, "prior": "a prior"}

    @property
    def decisions(self) -> int:
        """How many rows of data one evaluation passes over."""
        return self.data.decisions

    @property
    def resolution(self) -> float:
        """Log likelihoods per observation are compared to this."""
        return 1e-13

    def is_perfect(self, value: float) -> bool:  # noqa: ARG002
        """A log likelihood has no smallest value."""
        return False

    @property
    def squared(self) -> bool:
        """A log likelihood, whatever the data term."""
        return False

    @property
    def interior(self) -> bool:
        """Weights stay positive."""
        return True

    def evaluate(self, point: Point) -> PenalisedEvaluation:
        """Return the penalised loss at a point."""
        data = self.data.evaluate(point)
        logarithmic = self.data.squared
        base = data.value
        if logarithmic:
            base = 0.5 * np.log(max(data.value, self.data.resolution))
        pull = (self.concentration - 1.0) / self.observations
        # A weight too small to be a number is one that the prior rules out.
        value = float(base - xlogy(pull, point.weights).sum())
        return PenalisedEvaluation(value, data, pull, point.weights, logarithmic)

    def weights_at(self, point: Point) -> FloatArray:
        """Return one weight per person (d,) at a point."""
        return self.data.weights_at(point)

    def starting_extras(self, weights: FloatArray, p: float) -> FloatArray:
        """Return extras (m,) that go well with these weights and power."""
        return self.data.starting_extras(weights, p)

    def share(self, fraction: float, rng: np.random.Generator) -> PenalisedLoss:
        """Return the loss of a random share of the decisions, under the same prior."""
        part = self.data.share(fraction, rng)
        return replace(self, data=part, observations=self.observations * fraction)


@dataclass(frozen=True)
class PenalisedEvaluation:
    """A penalised loss at a point; `data` is the evaluation of the data term."""

    value: float
    data: DecisionEvaluation
    pull: FloatArray
    weights: FloatArray
    logarithmic: bool

    def gradient(self) -> FloatArray:
        """Return the gradient of both terms."""
        return self._with_pull(self.data.gradient())

    def model(self) -> QuadraticModel:
        """Return gradient and curvature of both terms."""
        model = self.data.model()
        gradient, curvature = self._with_pull(model.gradient), model.curvature * self._scale()
        k = len(self.weights)
        curvature[np.arange(k), np.arange(k)] += self.pull
        return QuadraticModel(gradient, curvature)

    def remainder(self) -> FloatArray:
        """Return what the curvature lacks of the Hessian; the prior's share is exact already."""
        left = self.data.remainder() * self._scale()
        if self.logarithmic:
            gradient = self.data.gradient() * self._scale()
            left -= 2.0 * np.outer(gradient, gradient)
        return np.asarray(left)

    def _with_pull(self, gradient: FloatArray) -> FloatArray:
        gradient = gradient * self._scale()
        gradient[: len(self.weights)] -= self.pull  # pull / w, in units of the weight itself
        return gradient

    def _scale(self) -> float:
        return 0.5 / max(self.data.value, 1e-300) if self.logarithmic else 1.0


def with_prior(loss: DecisionLoss, prior: FloatArray | None, observations: float) -> Loss:
    """Return the loss under a Dirichlet prior (k,), or the loss itself without one."""
    if prior is None or loss.weighting.free == 0:
        return loss
    return PenalisedLoss(loss, prior, observations)
