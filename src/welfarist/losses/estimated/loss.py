"""The loss of decisions about people whose utilities are estimates.

Values of actions are random: their mean is the welfare of the best guess and the bias that errors
make, their covariance is that of the errors by the welfare shares. What decisions say is worked out
by what was observed, which integrates them out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns
from welfarist.losses.decision_loss import DecisionEvaluation, DecisionLoss
from welfarist.losses.estimated.secants import Trail, corrected
from welfarist.losses.judgement import Judgement
from welfarist.losses.point import Point, QuadraticModel, weight_units
from welfarist.people.estimated.columns import EstimatedColumns, Uncertain

# Steps of the differences of gradients that make the Hessian, in units of weights, t and extras.
_STEP = 2e-4
# How much surer than a typical margin of one choices are where a search may begin, in log tau.
_CERTAIN = 2.0


@dataclass(frozen=True)
class EstimatedLoss(DecisionLoss):
    """Mean negative log likelihood of decisions about actions whose values are uncertain.

    `people` are :class:`~welfarist.people.estimated.columns.EstimatedColumns`, and what was
    observed can `integrate`; `source` are the people behind the actions that were decided about.
    """

    source: Any = None

    can_be_glanced = False
    can_be_counted = False

    @property
    def limits(self) -> tuple[float, ...]:
        """None: errors are followed to second order, which says nothing of extremes."""
        return ()

    @property
    def estimated(self) -> EstimatedColumns:
        """The people."""
        assert isinstance(self.people, EstimatedColumns)
        return self.people

    def without_errors(self) -> DecisionLoss:
        """Return the loss of the best guess of utilities, taken as exact."""
        return self._exactly(self.estimated.without_errors())

    def with_logs(self, logs: FloatArray) -> DecisionLoss:
        """Return the loss where these log utilities (d, N) are taken as exact."""
        return self._exactly(Columns.of_logs(np.array(logs)))

    def _exactly(self, people: Columns) -> DecisionLoss:
        observed: Any = self.observed
        known = observed.moved(people.shift - self.people.shift).without_errors()
        return DecisionLoss(self.family, people, known, self.weighting, self.learn_power)

    def redrawn(self, point: Point, rng: np.random.Generator) -> EstimatedLoss:
        """Return the loss of new decisions by the rule at a point, of utilities measured anew."""
        true, source = self.source.redrawn(rng)
        observed: Any = self.observed
        welfare = self.family.welfare(Columns(true), self.weights_at(point), point.p)
        made = observed.moved(-self.people.shift).drawn(welfare.value, self.noise_at(point), rng)
        people = source.seen_by(self.family, self.weighting)
        return replace(self, people=people, observed=made.moved(people.shift), source=source)

    def effects_at(self, point: Point) -> float:
        """Return the mean variance of actions' values at a point."""
        judged = self.judge(point)
        seen = self.estimated.seen(judged.weights, point.p, judged.welfare)
        return float(seen.effects.variance.mean())

    def highest_start(self, weights: FloatArray, p: float) -> FloatArray:
        """Return extras (m,) above which no search begins: choices there are nearly certain."""
        highest = self.starting_extras(weights, p) + _CERTAIN
        highest[: self.slopes] = np.inf
        return np.asarray(highest)

    def evaluate(self, point: Point) -> EstimatedEvaluation:
        """Return the mean loss at a point."""
        return self._evaluated(point, exact=False)

    def evaluate_exactly(self, point: Point) -> EstimatedEvaluation:
        """Return the same, whose remainder makes the curvature the Hessian."""
        return self._evaluated(point, exact=True)

    def _evaluated(self, point: Point, *, exact: bool) -> EstimatedEvaluation:
        judged = self.judge(point)
        uncertain = self.estimated.seen(judged.weights, point.p, judged.welfare)
        mean = uncertain.biased(judged.welfare)
        observed: Any = self.observed
        noise = self.noise_at(point)
        found = observed.integrate(mean.value, uncertain.effects, noise, exact=exact)
        value = found.value / observed.total
        response: Any = EstimatedResponse(value, self, mean.value, found.effects, noise)
        return EstimatedEvaluation(
            value,
            replace(judged, welfare=mean),
            response,
            integrated=found,
            uncertain=uncertain,
            loss=self,
            exact=exact,
        )


@dataclass(slots=True)
class EstimatedResponse:
    """How well uncertain values explain decisions.

    Attributes
    ----------
    value : float
    loss : EstimatedLoss
    means : (N,) array
        Values of the actions, before decisions were seen.
    effects : (N,) array
        By how much values seem to differ from these, given the decisions.
    extras : (m,) array
        Parameters of the noise.
    """

    value: float
    loss: EstimatedLoss
    means: FloatArray
    effects: FloatArray
    extras: FloatArray

    @property
    def here(self) -> Any:
        """How the entries of each menu compare by the best guess."""
        observed: Any = self.loss.observed
        return observed.compare(self.means, self.extras, False)

    @property
    def of_decisions(self) -> float:
        """The loss of the decisions alone: there is no other."""
        return self.value

    @property
    def signs(self) -> FloatArray:
        """Which action of each pair is better by the best guess (n,)."""
        observed: Any = self.loss.observed
        return np.asarray(np.sign(observed.graph.differences(self.means)))

    def doubt(self, most: int | None = None) -> float:
        """How many decisions are in doubt: all, because utilities are."""
        del most
        return float(self.loss.observed.total)


@dataclass(slots=True, kw_only=True)
class EstimatedEvaluation(DecisionEvaluation):
    """The loss of decisions at a point, with values integrated out.

    Attributes
    ----------
    integrated : Any
        Derivatives by mean values, covariance and noise.
    uncertain : Uncertain
    loss : EstimatedLoss
    exact : bool
        Whether the remainder is that of differences.
    known : QuadraticModel or None
        The model, once it was asked for.
    """

    integrated: Any
    uncertain: Uncertain
    loss: EstimatedLoss
    exact: bool = False
    known: QuadraticModel | None = None

    def _rows(self, welfare: Any) -> FloatArray:
        """Derivatives (q, N) by free weight, t and slope of something with others by weight."""
        return replace(self.judged, welfare=welfare).rows()

    def gradient(self) -> FloatArray:
        """Return the gradient at the point (q,)."""
        found, total = self.integrated, self.loss.observed.total
        through = self.uncertain.pulled(found.by_covariance)
        by_rule = self.judged.rows() @ found.by_values + self._rows(through).sum(axis=1)
        return np.concatenate([by_rule, found.by_extras]) / total

    def model(self) -> QuadraticModel:
        """Return gradient and positive semidefinite curvature at the point."""
        if self.known is None:
            rows, variances = self.judged.rows(), self._rows(self.uncertain.variance())
            curvature = self.integrated.curvature(rows, variances) / self.loss.observed.total
            gradient = self.gradient()
            if not self.exact:
                self._trail.note(self._kind, *self._raw(gradient))
                curvature = self._corrected(curvature)
            self.known = QuadraticModel(gradient, curvature)
        return self.known

    def _corrected(self, curvature: FloatArray) -> FloatArray:
        """What the gradients on the way here make of the curvature (q, q)."""
        passed = self._trail.moves(self._kind)
        if not passed:
            return curvature
        units = np.ones(len(curvature))
        units[: self.judged.weighting.free] = weight_units(self.judged.point.weights)
        basis = _moves(self.judged, len(curvature), leave=True)
        moves = [(basis @ (move / units), basis @ (change * units)) for move, change in passed]
        found = corrected(basis @ curvature @ basis.T, moves)
        # Across, no step leads, and any positive curvature will do.
        across = np.eye(len(curvature)) - basis.T @ basis
        return np.asarray(basis.T @ found @ basis + across * float(found.diagonal().mean()))

    @property
    def _trail(self) -> Trail:
        """The points that were passed on the way here."""
        observed: Any = self.loss.observed
        found: Trail = observed.last.setdefault("trail", Trail())
        return found

    @property
    def _kind(self) -> object:
        """What points have in common whose gradients can be compared."""
        judged = self.judged
        p = None if judged.learn_power else judged.point.p
        return p, judged.weighting.free

    def _raw(self, gradient: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The point's coordinates (q,), and the gradient by weights themselves, t and extras."""
        judged, point = self.judged, self.judged.point
        k = judged.weighting.free
        raw = gradient.copy()
        raw[:k] /= weight_units(point.weights)
        shape = [judged.family.shape.coordinate.into(point.p)] if judged.learn_power else []
        return np.concatenate([point.weights, shape, point.extras]), raw

    def rough_model(self, *, bent: bool = False) -> tuple[QuadraticModel, FloatArray]:
        """Return :meth:`model`, and its curvature in the place of the Hessian."""
        del bent
        model = self.model()
        return model, model.curvature

    def remainder(self) -> FloatArray:
        """Return what the curvature lacks of the Hessian along moves that keep the sum (q, q).

        By central differences of gradients where it is asked for exactly; nothing on the way to an
        optimum.
        """
        model = self.model()
        if not self.exact:
            return np.zeros_like(model.curvature)
        basis = _moves(self.judged, len(model.gradient))
        hessian = np.array([self._bent(move) for move in basis]) @ basis.T
        inside = basis @ model.curvature @ basis.T
        return np.asarray(basis.T @ (0.5 * (hessian + hessian.T) - inside) @ basis)

    def _bent(self, move: FloatArray) -> FloatArray:
        """The change (q,) of the gradient along a move, in units of the weights at the point."""
        point, k = self.judged.point, self.judged.weighting.free
        units = weight_units(point.weights)

        def slope(sign: float) -> FloatArray:
            moved = self._moved(point, sign * _STEP * move)
            gradient = self.loss.evaluate_exactly(moved).gradient()
            gradient[:k] *= units / weight_units(moved.weights)
            return gradient

        return np.asarray((slope(1.0) - slope(-1.0)) / (2.0 * _STEP))

    def _moved(self, point: Point, move: FloatArray) -> Point:
        """The point after a move (q,)."""
        k, power = self.judged.weighting.free, int(self.judged.learn_power)
        weights = point.weights + weight_units(point.weights) * move[:k]
        p = point.p
        if power:
            coordinate = self.loss.family.shape.coordinate
            p = coordinate.back(coordinate.into(p) + float(move[k]))
        return Point(weights, p, point.extras + move[k + power :])


def _moves(judged: Judgement, size: int, *, leave: bool = False) -> FloatArray:
    """Moves (m, size) that keep the sum of the weights, orthonormal.

    Weights at 0 stay there, unless they may `leave`.
    """
    weights = judged.point.weights
    k = len(weights)
    fixed = np.zeros((1 + k, size))
    fixed[0, :k] = weights  # moves are in units of the weights
    if leave:
        fixed[0, :k] = weight_units(weights)
    else:
        fixed[1:, :k] = np.diag((weights <= 0).astype(np.float64))
    fixed = fixed[np.abs(fixed).sum(axis=1) > 0]
    if not len(fixed):
        return np.eye(size)
    _, values, rows = np.linalg.svd(fixed)
    return np.asarray(rows[int((values > 1e-12 * values[0]).sum()) :])
