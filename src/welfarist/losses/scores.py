"""Squared loss of scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from welfarist.decisions import Scores
from welfarist.derivatives import LogMean, log_mean_of_logs
from welfarist.losses.base import Point, QuadraticModel, Utilities, action_rows, bending
from welfarist.validation import FloatArray
from welfarist.weighting import Weighting

# M carries a relative rounding error of about 1e-15; its square, with headroom for the sum.
_ROUNDING = 1e-28


@dataclass(frozen=True)
class ScoreLoss:
    """Mean squared difference between welfare and scores, in units of the scores' own size.

    Domain: scores y real with root mean square 1, after division by `unit`; sample weights s not
    negative and summing to 1.

    Formula: ``sum_a s_a (c M(u_a; w, p) - y_a)^2``, with c = 1 or learned as exp(log_scale).
    """

    utilities: Utilities
    scores: FloatArray
    sample_weight: FloatArray
    weighting: Weighting
    learn_power: bool
    scale: bool
    unit: float = 1.0
    extra_limits: tuple[FloatArray, FloatArray] | None = None
    interior: bool = False
    squared: bool = True

    @classmethod
    def of(cls, scores: Scores, weighting: Weighting, learn_power: bool, scale: bool) -> ScoreLoss:
        """Build the loss of checked scores; those with weight 0 are left out."""
        table, values, counts = scores.utilities, scores.values, scores.counts
        if not counts.all():
            kept = counts > 0
            table, values, counts = table[kept], values[kept], counts[kept]
        share = counts / counts.max()
        share /= share.sum()
        largest = float(np.abs(values).max())
        unit = largest * float(np.sqrt(share @ np.square(values / largest))) if largest else 1.0
        utilities = Utilities.of(table, weighting)
        inner = replace(utilities, shift=utilities.shift - float(np.log(unit)))
        return cls(inner, values / unit, share, weighting, learn_power, scale, unit)

    @property
    def has_zeros(self) -> bool:
        """Whether some utility is 0."""
        return self.utilities.has_zeros

    @property
    def largest_power(self) -> float:
        """The largest |p| that is searched."""
        return self.utilities.largest_power

    @property
    def decisions(self) -> int:
        """How many scores there are."""
        return len(self.scores)

    @property
    def extra_names(self) -> tuple[str, ...]:
        """The logarithm of the scale, if it is learned."""
        return ("log_scale",) if self.scale else ()

    @cached_property
    def extra_bounds(self) -> tuple[FloatArray, FloatArray]:
        """The scale is positive, and otherwise free; `extra_limits` if it was narrowed."""
        if self.extra_limits is not None:
            return self.extra_limits
        edge = np.full(len(self.extra_names), np.inf)
        return -edge, edge

    @property
    def resolution(self) -> float:
        """What rounding leaves of a perfect fit."""
        return _ROUNDING

    def is_perfect(self, value: float) -> bool:
        """Whether a loss is nothing but rounding."""
        return value <= self.resolution

    def evaluate(self, point: Point) -> ScoreEvaluation:
        """Return the mean squared error at a point."""
        weights = self.weighting.to_people(point.weights)
        mean = log_mean_of_logs(self.utilities.logs, weights, point.p, self.has_zeros)
        offset = self.utilities.shift + (float(point.extras[0]) if self.scale else 0.0)
        welfare = np.exp(mean.value + offset)
        residual = welfare - self.scores
        value = float(self.sample_weight @ np.square(residual))
        return ScoreEvaluation(value, self, point, mean, welfare, residual)

    def starting_extras(self, weights: FloatArray, p: float) -> FloatArray:
        """Return the scale that fits best for given weights and power."""
        if not self.scale:
            return np.empty(0)
        welfare = self.evaluate(Point(weights, p, np.zeros(1))).welfare
        weighted = self.sample_weight * welfare
        size = float(weighted @ welfare)
        ratio = float(weighted @ self.scores) / size if size > 0 else 1.0
        return np.array([np.log(max(ratio, np.finfo(np.float64).tiny))])

    def share(self, fraction: float, rng: np.random.Generator) -> ScoreLoss:
        """Return the loss of a random share of the scored actions."""
        size = max(1, round(fraction * len(self.scores)))
        rows = np.sort(rng.choice(len(self.scores), size, replace=False))
        part = self.sample_weight[rows]
        return replace(
            self,
            utilities=self.utilities.take(rows),
            scores=self.scores[rows],
            sample_weight=part / part.sum(),
        )


@dataclass(frozen=True)
class ScoreEvaluation:
    """The squared loss at a point.

    Attributes
    ----------
    value : float
    mean : LogMean
        log M of the actions, less the utilities' shift, with derivatives.
    welfare : (N,) array
        Predicted scores.
    residual : (N,) array
        Predicted less stated scores.
    """

    value: float
    loss: ScoreLoss
    point: Point
    mean: LogMean
    welfare: FloatArray
    residual: FloatArray

    def gradient(self) -> FloatArray:
        """Return the gradient."""
        return np.asarray(self._rows() @ self._pull())

    def model(self) -> QuadraticModel:
        """Return gradient and Gauss-Newton matrix."""
        rows = self._rows()
        gradient = rows @ self._pull()
        rows *= np.sqrt(2.0 * self.loss.sample_weight) * self.welfare
        return QuadraticModel(gradient, rows @ rows.T)  # half the work: NumPy sees the symmetry

    def remainder(self) -> FloatArray:
        """Return residuals times second derivatives, which Gauss-Newton leaves out."""
        loss, rows, pull = self.loss, self._rows(), self._pull()
        q = len(rows) - len(loss.extra_names)
        left = np.zeros((len(rows), len(rows)))
        # The loss bends twice in log M, as a square and through exp; the latter adds pull g g'.
        left[:q, :q] = bending(loss, loss.utilities, self.point, self.mean, rows[:q], pull, 1.0)
        k = loss.weighting.free
        others = (rows[k:] * pull) @ rows.T
        left[k:] += others
        left[:k, k:] += others[:, :k].T
        return left

    def _rows(self) -> FloatArray:
        """Derivatives of the log of predicted scores by every parameter (q, N)."""
        loss = self.loss
        rows = action_rows(self.mean, self.point, loss.weighting, loss.learn_power)
        return np.vstack([rows, np.ones_like(self.welfare)]) if loss.scale else rows

    def _pull(self) -> FloatArray:
        """Derivative of the loss by the log of each predicted score (N,)."""
        return np.asarray(2.0 * self.loss.sample_weight * self.residual * self.welfare)
