"""What every loss shares: where a solver stands, and how log M answers there.

The power enters as ``t = asinh(p)``, so that a step of one is a sensible step both near 0 and far
out, where the loss changes with log |p|.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from welfarist.curvature import contracted_curvature
from welfarist.derivatives import LogMean
from welfarist.validation import FloatArray
from welfarist.weighting import Weighting

_LARGEST_EXPONENT = 690.0  # e^690 is near the largest double


@dataclass(frozen=True)
class Point:
    """Where a solver stands.

    Attributes
    ----------
    weights : (k,) array
        Free weights on the simplex (empty when weights are known).
    p : float
        The power.
    extras : (m,) array
        The loss's own parameters, in the order of its `extra_names`.
    """

    weights: FloatArray
    p: float
    extras: FloatArray


@dataclass(frozen=True)
class QuadraticModel:
    """Gradient (q,) and Fisher or Gauss-Newton matrix (q, q) at a point.

    The order is: free weights, the power's t (if learned), the extras. Moves of a weight are
    measured in units of the weight itself (see :func:`weight_units`).
    """

    gradient: FloatArray
    curvature: FloatArray


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
    def weighting(self) -> Weighting:
        """What is free in the weights."""
        ...

    @property
    def learn_power(self) -> bool:
        """Whether p is learned."""
        ...

    @property
    def extra_names(self) -> tuple[str, ...]:
        """The names of the loss's own parameters."""
        ...

    @property
    def extra_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest values of the loss's own parameters, (m,) each."""
        ...

    @property
    def has_zeros(self) -> bool:
        """Whether some utility is 0, so that only p > 0 gives positive welfare."""
        ...

    @property
    def largest_power(self) -> float:
        """The largest |p| that is searched."""
        ...

    @property
    def resolution(self) -> float:
        """A difference in loss that is nothing but rounding."""
        ...

    def is_perfect(self, value: float) -> bool:
        """Whether no loss can be lower by more than rounding."""
        ...

    @property
    def squared(self) -> bool:
        """Whether the loss is a squared error rather than a negative log likelihood."""
        ...

    @property
    def interior(self) -> bool:
        """Whether weights must stay positive, because the loss is infinite at 0."""
        ...

    def evaluate(self, point: Point) -> Evaluation:
        """Return the loss at a point."""
        ...

    def starting_extras(self, weights: FloatArray, p: float) -> FloatArray:
        """Return extras (m,) that go well with these weights and power."""
        ...

    def share(self, fraction: float, rng: np.random.Generator) -> Loss:
        """Return the loss of a random share of the decisions."""
        ...

    @property
    def decisions(self) -> int:
        """How many rows of data one evaluation passes over."""
        ...


@dataclass(frozen=True)
class Utilities:
    """The actions' utilities as solvers use them.

    Attributes
    ----------
    logs : (d, N) array
        Log utilities less `shift`, people by actions.
    shift : float
        The mean log utility; taking it out makes every fit independent of the unit of utility.
    has_zeros : bool
        Whether some utility is 0.
    """

    logs: FloatArray
    shift: float
    has_zeros: bool

    @classmethod
    def of(cls, utilities: FloatArray, weighting: Weighting) -> Utilities:
        """Take the logarithms of utilities (N, d).

        What people have who are known not to count is replaced by ones: it changes nothing, and
        their zeros restrict nothing.
        """
        with np.errstate(divide="ignore"):
            logs = np.array(utilities.T, order="C")
            if weighting.fixed is not None:
                logs[weighting.fixed == 0] = 1.0
            np.log(logs, out=logs)
        has_zeros = bool(np.isneginf(logs.min()))
        finite = logs[np.isfinite(logs)] if has_zeros else logs
        shift = float(finite.mean()) if finite.size else 0.0
        logs -= shift
        return cls(logs, shift, has_zeros)

    @cached_property
    def largest_power(self) -> float:
        """The largest |p| worth a search: beyond it the limits themselves are compared.

        There a power mean is its extreme to within 1% where log utilities span 7, as from 1 to
        1000; where they span less, larger powers are needed for the same.
        """
        finite = self.logs[np.isfinite(self.logs)] if self.has_zeros else self.logs
        span = float(finite.max() - finite.min()) if finite.size else 0.0
        return min(max(_LARGEST_EXPONENT / max(span, 1e-12), 100.0), 1e5)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of log utilities, by which powers are measured; never 0."""
        finite = self.logs[np.isfinite(self.logs)] if self.has_zeros else self.logs
        return max(float(finite.std()) if finite.size else 0.0, 1e-6)

    def take(self, actions: npt.NDArray[np.intp]) -> Utilities:
        """Return some of the actions, on the same unit."""
        return Utilities(np.ascontiguousarray(self.logs[:, actions]), self.shift, self.has_zeros)


def within_search(p: float | None, loss: Loss) -> float | None:
    """Return the power at which a given one is fitted.

    Beyond the largest power of a search weights that make the same rule, ``log(w)`` in proportion
    to p, soon are smaller than the smallest number there is: no search finds them. Known weights,
    and infinite powers, are taken as they are.
    """
    if p is None or np.isinf(p) or abs(p) <= loss.largest_power or loss.weighting.free <= 1:
        return p
    return float(np.copysign(loss.largest_power, p))


def weight_units(weights: FloatArray) -> FloatArray:
    """The unit (k,) in which a solver measures the move of each weight: the weight itself.

    The derivative by a weight of 1e-60 can be 1e60, its square more than a double holds; by the
    logarithm of a weight it is never large. A weight of 0 is measured in ones.
    """
    return np.where(weights > 0, weights, 1.0)


def action_rows(mean: LogMean, point: Point, weighting: Weighting, learn_power: bool) -> FloatArray:
    """Derivatives of log M (k + 1 or k, N): by free weight, then by t = asinh(p)."""
    k = weighting.free
    rows = np.empty((k + learn_power, len(mean.value)))
    if k:
        units = weight_units(point.weights)[:, None]
        np.multiply(weighting.pull_back(mean.by_weight), units, out=rows[:k])
    if learn_power:
        np.multiply(mean.by_power, np.hypot(1.0, point.p), out=rows[k])
    return rows


def bending(
    loss: Loss,
    utilities: Utilities,
    point: Point,
    mean: LogMean,
    rows: FloatArray,
    pull: FloatArray,
    extra: float = 0.0,
) -> FloatArray:
    """Sum over actions of `pull` (N,) times the second derivatives of log M by weights and t.

    By two weights that is ``-p g g'``; `extra` times ``g g'`` is added there, in the same pass.
    """
    k, p = loss.weighting.free, point.p
    bent = np.zeros((len(rows), len(rows)))
    if k:
        by_weight = rows[:k]
        bent[:k, :k] = (by_weight * ((extra - p) * pull)) @ by_weight.T
    if loss.learn_power:
        weights = loss.weighting.to_people(point.weights)
        cross, twice = contracted_curvature(
            utilities.logs, weights, p, mean, pull, utilities.has_zeros
        )
        steep = np.hypot(1.0, p)  # dp / dt, whose own derivative by t is p
        if k:
            units = weight_units(point.weights)
            bent[:k, k] = loss.weighting.pull_back(cross[:, None])[:, 0] * units * steep
            bent[k, :k] = bent[:k, k]
        bent[k, k] = twice * steep * steep + p * float(mean.by_power @ pull)
    return bent
