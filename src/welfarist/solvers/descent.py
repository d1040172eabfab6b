"""Joint second-order steps in weights, power and noise, from one start.

Three kinds of step share one gradient and one curvature matrix per iteration:

* the *Fisher step*, a quadratic programme over the simplex with Levenberg damping: it may set
  weights to zero and release them again, and works from anywhere;
* the *face step*, exact Newton among the weights that are positive: near an optimum it converges
  quadratically where the Fisher step only gains a constant factor;
* the *ratio step*, in ``a_i = log(w_i) / p`` instead of w_i. For large |p| welfare is nearly
  ``max_i u_i exp(a_i)`` (or min), which depends on tiny weights through their logarithm: what is
  a straight line in a is a path that hugs the simplex's edge in w.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.losses import Evaluation, Loss, Point, QuadraticModel, weight_units
from welfarist.solvers.coordinates import Curvature, Ratios, keeping_the_sum, minimiser
from welfarist.solvers.simplex import QuadraticStep, all_finite, onto_simplex

_LONGEST_IN_POWER = 1.0  # step in the shape's t, for a power mean asinh(p)
_LONGEST_IN_EXTRA = 2.0  # step in log tau or log scale
_FLAT = 1e-16  # curvature of what the data do not determine, relative to the typical one
_FLOOR = 1e-13  # relative damping that is always there, so that no programme is singular
_FIRST_DAMPING = 1e-3
_LARGEST_DAMPING = 1e10
_LOCAL = 1e-2  # predicted relative decrease from which the exact Hessian is worth its cost
_SLOW = 0.3  # a step that predicts this share of the last one's gain is a slow one
_BORROWED = 0.1  # curvature of another point must make steps shrink this fast
_RATIO_POWER = 2.0  # |p| from which the ratio step can help
_RATIO_ATTEMPTS = (
    ("exact", 1e-9),
    ("exact", 1e-2),
    ("exact", 1.0),
    ("fisher", 1e-8),
    ("fisher", 1e-3),
    ("fisher", 1e-1),
    ("fisher", 10.0),
)
_LOWEST_LOG_WEIGHT = -660.0  # e^-660 is 1e-287: positive, and its inverse is a number
# After this many steps a path is given up that would need so many more like its last one.
_PATIENCE, _HOPE = 12, 50.0
# A step that would lead into the bowl of a known optimum, this much wider, is not taken where the
# decrease that it promises is that to the optimum's loss, up to this share.
_AHEAD, _FORETOLD = 2.5, 0.25
_STEADY = 1e-8  # relative decrease that rounding may prevent
_LEAST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Descent:
    """Where one start led.

    Attributes
    ----------
    point : Point
    value : float
        The loss there.
    converged : bool
    n_iter : int
    reason : str
        Why it stopped, in words.
    fisher : (q, q) array or None
        The Fisher or Gauss-Newton matrix of the last step, next to the point.
    nothing_to_learn : bool
        Whether no number could move.
    evaluation : Evaluation or None
        Of the loss at the point, where it is at hand.
    spread_of_power : float or None
        What a unit of the loss leaves of the shape's t in doubt, where no Fisher matrix was made.
    """

    point: Point
    value: float
    converged: bool
    n_iter: int
    reason: str
    fisher: FloatArray | None = None
    nothing_to_learn: bool = False
    evaluation: Evaluation | None = None
    spread_of_power: float | None = None


def descend(
    loss: Loss,
    start: Point,
    *,
    max_iter: int = 200,
    tolerance: float = 1e-12,
    known: Sequence[Descent] = (),
    reach: float = 1.0,
    near: bool = False,
    borrowed: Curvature | None = None,
    beat: float = np.inf,
    patience: int = _PATIENCE,
) -> Descent:
    """Follow second-order steps from `start` until no step promises a lower loss.

    Parameters
    ----------
    loss : Loss
    start : Point
    max_iter : int
        Largest number of steps.
    tolerance : float
        Stop when the predicted decrease is below this share of the loss.
    known : sequence of Descent
        Optima found before; a path that enters the bowl of one of them stops there.
    reach : float
        How wide those bowls are taken to be; wider where the data determine everything well.
    near : bool
        Whether the start is known to be close to an optimum, so that exact steps come first.
    borrowed : Curvature, optional
        That of a very similar loss near `start`, for a first step without curvature of its own.
    beat : float
        A loss that was reached elsewhere; a path that creeps towards a higher one is given up.
    patience : int
        After how many steps that may happen.
    """
    walk = Walk(loss, start, tolerance, near, borrowed, Bowls(loss, known, reach))
    if not np.isfinite(walk.value):
        reason = "the loss is infinite where it began"
        return Descent(start, np.inf, False, 0, reason)
    if walk.size == 0:
        reason = "nothing to learn"
        return Descent(start, walk.value, True, 0, reason, nothing_to_learn=True)
    for iteration in range(1, max_iter + 1):
        predicted = walk.step()
        value = walk.value
        joined = walk.joined
        if joined is not None:
            reason = "joined an optimum found before"
            return Descent(joined.point, joined.value, True, iteration, reason)
        if walk.remaining <= tolerance * abs(value) + loss.resolution:
            reason = "no step promises a lower loss"
            return Descent(
                walk.point, value, True, iteration, reason, walk.fisher, evaluation=walk.here
            )
        if walk.stuck:
            steady = predicted <= _STEADY * abs(value)
            reason = "rounding hides any further decrease" if steady else "no step lowers the loss"
            return Descent(walk.point, value, steady, iteration, reason, walk.fisher)
        if iteration >= patience and value - beat > _HOPE * predicted:
            reason = "a lower loss is known"
            return Descent(walk.point, value, False, iteration, reason, walk.fisher)
    return Descent(walk.point, walk.value, False, max_iter, f"{max_iter} steps were not enough")


def uncertainty_of_power(loss: Loss, found: Descent, observations: float) -> float:
    """Return the standard error of the shape's t, from the Fisher matrix on the active face.

    Infinite where the matrix is singular: the data do not determine it.
    """
    # A squared error becomes a log likelihood per observation when divided by twice its mean.
    spread = 2.0 * found.value if loss.squared else 1.0
    if found.spread_of_power is not None:
        return float(np.sqrt(max(found.spread_of_power, 0.0) * spread / observations))
    if found.fisher is None:
        return float("inf")
    k, weights = loss.weighting.free, found.point.weights
    rows = np.concatenate([np.flatnonzero(weights > 0), np.arange(k, len(found.fisher))])
    positive = weights[weights > 0]
    basis = keeping_the_sum(positive, len(rows)) if k else np.eye(len(rows))
    information = basis @ found.fisher[np.ix_(rows, rows)] @ basis.T
    direction = np.zeros(len(rows))
    direction[len(positive)] = 1.0
    reduced = basis @ direction
    solved = minimiser(information, -reduced)
    if solved is None:
        return float("inf")
    return float(np.sqrt(max(float(reduced @ solved), 0.0) * spread / observations))


@dataclass(frozen=True)
class Bowls:
    """The optima that are known, into which a path may lead.

    Attributes
    ----------
    loss : Loss
    known : sequence of Descent
    reach : float
        How wide the bowls are taken to be.
    """

    loss: Loss
    known: Sequence[Descent] = ()
    reach: float = 1.0

    def around(self, point: Point, value: float) -> Descent | None:
        """Return the optimum in whose bowl a point lies: all parameters and the loss agree."""
        share = 1e-3 * self.reach * self.reach
        for optimum in self.known:
            close = 0 <= value - optimum.value <= share * abs(optimum.value)
            if close and self._is_near(point, optimum.point, self.reach):
                return optimum
        return None

    def ahead(self, point: Point, before: float, predicted: float) -> Descent | None:
        """Return the optimum to which the next step of a path leads, from a loss `before`.

        A quadratic model of the loss at some other place knows nothing of it: if its minimum is
        close to a known optimum, both in place and in loss, the way there is as good as gone.
        """
        for optimum in self.known:
            gain = before - optimum.value
            foretold = gain > 0 and abs(predicted - gain) <= _FORETOLD * gain
            if foretold and self._is_near(point, optimum.point, _AHEAD * self.reach):
                return optimum
        return None

    def _is_near(self, point: Point, there: Point, reach: float) -> bool:
        """Whether two points agree in all parameters."""
        into = self.loss.family.shape.coordinate.into
        far_out = self.loss.family.ratios and abs(point.p) >= _RATIO_POWER
        return bool(
            abs(into(point.p) - into(there.p)) <= 0.1 * reach
            and np.abs(point.weights - there.weights).max(initial=0.0) <= 0.02 * reach
            and np.abs(point.extras - there.extras).max(initial=0.0) <= 0.1 * reach
            and (not far_out or _same_ratios(point, there, 0.05 * reach))
        )


def _same_ratios(one: Point, other: Point, slack: float) -> bool:
    """Whether log(w) / p agree, which tell weights apart that are all but 0 far out."""
    counted = one.weights > 0
    if not np.array_equal(counted, other.weights > 0):
        return False
    ratios = [np.log(point.weights[counted]) / point.p for point in (one, other)]
    return bool(np.abs(ratios[0] - ratios[1]).max(initial=0.0) <= slack)


class Walk:
    """The current point and what the last steps taught about how far to trust the model."""

    _here: Evaluation | None

    def __init__(
        self,
        loss: Loss,
        start: Point,
        tolerance: float,
        near: bool,
        borrowed: Curvature | None,
        bowls: Bowls | None = None,
    ) -> None:
        self.loss = loss
        self.stuck = False
        self.joined: Descent | None = None
        self._bowls = Bowls(loss) if bowls is None else bowls
        self.remaining = np.inf
        self.fisher: FloatArray | None = None
        self.weights = loss.weighting.free
        others = int(loss.learn_power) + len(loss.parameters)
        self.size = self.weights + others
        self._programme = QuadraticStep(self.weights, others)
        self._interior, self._ratios = loss.interior, loss.family.ratios
        self._coordinate = loss.family.shape.coordinate
        self._range = loss.search_range if loss.learn_power else (-np.inf, np.inf)
        self._ends = tuple(map(self._coordinate.into, self._range)) if loss.learn_power else ()
        self._extra_bounds = loss.extra_bounds
        self._negligible = loss.resolution
        self._tolerance = tolerance
        self._damping = 1e-9 if near else _FIRST_DAMPING
        self._last_predicted = np.inf
        self._exact_steps = 0
        self._slow_steps = 0
        self._near = self._local = near
        self.borrowed = borrowed
        self._foreign = borrowed is not None
        self._go(start, loss.evaluate(start))

    @property
    def here(self) -> Evaluation | None:
        """The loss where the walk is."""
        return self._here

    def step(self) -> float:
        """Take the best step found; return the decrease it promised."""
        lower, upper = self._bounds()
        if self.borrowed is not None:
            predicted = self._borrowed_step(lower, upper)
            if predicted is not None:
                return predicted
        assert self._here is not None
        with np.errstate(over="ignore", invalid="ignore"):
            model = self._here.model()
            finite = all_finite(model.curvature)
        if not finite:  # so far off that no step is to be had
            self.stuck = True
            return np.inf
        self.fisher = model.curvature
        far_out = self.weights > 0 and self._ratios and abs(self.point.p) >= _RATIO_POWER
        ratio = far_out and self._slow_steps >= 2 and not self._interior
        hessian = None
        local = self._local and self._on_its_face(model.gradient)
        if local or ratio:
            with np.errstate(over="ignore", invalid="ignore"):
                hessian = model.curvature + self._here.remainder()
                finite = all_finite(hessian)
            if not finite:  # the Fisher matrix alone is good enough
                hessian, local, ratio = None, False, False
        if hessian is not None and self._near and Curvature.can_be_carried(self.point):
            # Good for the next steps too, which then need gradients only.
            carried = Curvature.at(self.point, model.curvature, hessian)
            self.borrowed = carried if carried.is_finite else None
        self._here = None  # all that a step needs is known; the arrays can go before new ones come
        predicted = None
        if local and hessian is not None:
            predicted = self._face_step(model.gradient, hessian, lower, upper)
        exact = predicted is not None
        if predicted is None:
            predicted = self._robust_step(model, hessian if ratio else None, lower, upper)
        return self._note(predicted, exact)

    def _borrowed_step(self, lower: FloatArray, upper: FloatArray) -> float | None:
        """Take a step with borrowed curvature; give it back if that does not work."""
        assert self._here is not None
        assert self.borrowed is not None
        gradient = self._here.gradient()
        self._here = None
        fisher, hessian = self.borrowed.in_units_of(self.point)
        predicted = self._face_step(gradient, hessian, lower, upper)
        exact = predicted is not None
        if predicted is None:
            step = self._fisher_step(QuadraticModel(gradient, fisher), lower, upper, hurry=True)
            if step is not None and step[1].value <= self.value:
                self._go(step[0], step[1])
                predicted = step[2]
        # That of another loss is good for one step; one's own, for as long as it works.
        if self._foreign or predicted is None or predicted > _BORROWED * self._last_predicted:
            self.borrowed, self._foreign = None, False
        if predicted is None:
            self._stay()
            return None
        return self._note(predicted, exact)

    def _note(self, predicted: float, exact: bool) -> float:
        """Learn from a step how fast the walk converges."""
        if self.joined is None:
            self.joined = self._bowls.around(self.point, self.value)
        self._exact_steps = self._exact_steps + 1 if exact else 0
        # Exact steps converge at least as fast as the last two: the same factor again is left.
        factor = min(1.0, predicted / self._last_predicted) if self._exact_steps > 1 else 1.0
        self.remaining = predicted * factor
        self._slow_steps = self._slow_steps + 1 if predicted > _SLOW * self._last_predicted else 0
        self._last_predicted = predicted
        return predicted

    def _bounds(self) -> tuple[FloatArray, FloatArray]:
        """How far each parameter may move (q,), (q,)."""
        point, k = self.point, self.weights
        lower, upper = np.empty(self.size), np.full(self.size, np.inf)
        # A weight may fall to 0, that is by its own unit; under a prior it may only come close.
        lower[:k] = -0.99 if self._interior else -1.0
        if not self._everybody:
            lower[:k][~self._positive] = 0.0
        if self._ends:
            t, (floor, edge) = self._coordinate.into(point.p), self._ends
            lower[k] = max(-_LONGEST_IN_POWER, floor - t)
            upper[k] = min(_LONGEST_IN_POWER, edge - t)
        if len(point.extras):
            smallest, largest = self._extra_bounds
            tail = slice(self.size - len(point.extras), None)
            lower[tail] = np.maximum(smallest - point.extras, -_LONGEST_IN_EXTRA)
            upper[tail] = np.minimum(largest - point.extras, _LONGEST_IN_EXTRA)
        return lower, upper

    def _moved(self, move: FloatArray) -> Point:
        k, weights = self.weights, self.point.weights
        if k:
            weights = onto_simplex(weights + self._units * move[:k])
        return self._with_others(weights, move[k:])

    def _with_others(self, weights: FloatArray, move: FloatArray) -> Point:
        """Return the point with new weights and the power and extras moved (m,)."""
        p = self.point.p
        if self._ends:
            coordinate, (low, high) = self._coordinate, self._range
            p = min(max(coordinate.back(coordinate.into(p) + float(move[0])), low), high)
        extras = self.point.extras
        if len(extras):
            smallest, largest = self._extra_bounds
            moved = extras + move[len(move) - len(extras) :]
            extras = np.minimum(np.maximum(moved, smallest), largest)
        return Point(weights, p, extras)

    def _go(self, point: Point, evaluation: Evaluation) -> None:
        self.point, self.value = point, evaluation.value
        self._here = evaluation
        self._positive = point.weights > 0
        self._everybody = bool(self._positive.all())
        self._units = point.weights if self._everybody else weight_units(point.weights)

    def _stay(self) -> None:
        self._here = self.loss.evaluate(self.point)

    def _robust_step(
        self,
        model: QuadraticModel,
        hessian: FloatArray | None,
        lower: FloatArray,
        upper: FloatArray,
    ) -> float:
        """Take a Fisher step, or a ratio step (for which the Hessian is given) if it is better."""
        before = self.value
        ratio = None
        if hessian is not None:
            ratio = self._ratio_step(model, hessian, lower, upper)
        fisher = self._fisher_step(model, lower, upper, hurry=ratio is not None)
        if ratio is not None and (fisher is None or ratio[1].value < fisher[1].value):
            self._go(*ratio)
            return before - self.value
        if fisher is None:
            if self.joined is None:
                self.stuck = True
                self._stay()
            return self._last_predicted
        point, evaluation, predicted = fisher
        # Compared, not divided: what was promised may be next to nothing.
        gain, promised = before - evaluation.value, max(predicted, _LEAST)
        if gain > 0.75 * promised:
            self._damping = max(self._damping * 0.1, 1e-9)
        elif gain < 0.25 * promised:
            self._damping *= 4.0
        self._local = predicted < _LOCAL * abs(before)
        if evaluation.value <= before:
            self._go(point, evaluation)
        else:
            self._stay()
        return predicted

    def _fisher_step(
        self, model: QuadraticModel, lower: FloatArray, upper: FloatArray, hurry: bool
    ) -> tuple[Point, Evaluation, float] | None:
        """Minimise the damped Fisher model; damp more until the loss falls.

        In a `hurry` (there is another step to fall back on) only one attempt is made.
        """
        curvature = model.curvature
        diagonal = curvature.diagonal()
        # What the data do not determine gets a little curvature of its own.
        ordinary = diagonal if self._everybody else diagonal[self._ordinary()]
        typical = max(float(np.add.reduce(ordinary)) / len(ordinary), 0.0)  # rounding may go below
        diagonal = np.maximum(diagonal, _FLAT * typical + 1e-300)
        before = self.value
        while self._damping <= _LARGEST_DAMPING:
            damped = curvature.copy()
            with np.errstate(over="ignore"):  # no step is found then
                damped.reshape(-1)[:: self.size + 1] = diagonal * (1.0 + self._damping + _FLOOR)
            move = self._programme.solve(model.gradient, damped, lower, upper, self._units)
            if move is not None:
                predicted = -float(model.gradient @ move + 0.5 * move @ (curvature @ move))
                point = self._moved(move)
                self.joined = None if hurry else self._bowls.ahead(point, before, predicted)
                if self.joined is not None:
                    return None
                evaluation = self.loss.evaluate(point)
                negligible = predicted <= self._tolerance * abs(before) + self._negligible
                if evaluation.value <= before or negligible:
                    return point, evaluation, predicted
                self._last_predicted = predicted
                if hurry:
                    return None
            self._damping = max(self._damping * 8.0, 1e-6)
        return None

    def _on_its_face(self, gradient: FloatArray) -> bool:
        """Whether no weight wants to leave 0."""
        if self._everybody:
            return True
        by_weight, positive = gradient[: self.weights], self._positive
        common = by_weight[positive].sum()  # the multiplier of the sum
        return not bool((by_weight[~positive] < common).any())

    def _ordinary(self) -> npt.NDArray[np.bool_]:
        """Parameters whose curvature is of ordinary size: all but the weights that are 0 (q,)."""
        ordinary = np.ones(self.size, dtype=bool)
        ordinary[: self.weights] = self._positive
        return ordinary

    def _face_step(
        self, gradient: FloatArray, hessian: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> float | None:
        """Take an exact Newton step among the positive weights, if it stays there and pays."""
        move = self._face_move(gradient, hessian, lower, upper)
        if move is None:
            return None
        predicted = -0.5 * float(gradient @ move)
        point = self._moved(move)
        evaluation = self.loss.evaluate(point)
        enough = 0.0 if predicted <= _STEADY * abs(self.value) else 0.1 * predicted
        if not evaluation.value <= self.value - enough:
            return None
        self._go(point, evaluation)
        return predicted

    def _face_move(
        self, gradient: FloatArray, hessian: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> FloatArray | None:
        k, weights = self.weights, self.point.weights
        free = self._ordinary()
        outward = ((lower >= 0) & (gradient > 0)) | ((upper <= 0) & (gradient < 0))
        free[k:] &= ~outward[k:]
        if not self._on_its_face(gradient):
            return None
        rows = np.flatnonzero(free)
        basis = keeping_the_sum(weights[free[:k]], len(rows)) if k else np.eye(len(rows))
        on_face = basis @ hessian[np.ix_(rows, rows)] @ basis.T
        reduced = minimiser(on_face, basis @ gradient[rows])
        if reduced is None:
            return None
        move = np.zeros(self.size)
        move[rows] = basis.T @ reduced
        return None if (move < lower).any() or (move > upper).any() else move

    def _ratio_step(
        self, model: QuadraticModel, hessian: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> tuple[Point, Evaluation] | None:
        """Take a damped Newton step in a = log(w) / p, power and extras.

        People with weight 0 keep it. The exact Hessian is tried first, then the Fisher matrix.
        """
        k, weights = self.weights, self.point.weights
        support = np.flatnonzero(weights > 0)
        s = len(support)
        kept = np.concatenate([support, np.arange(k, self.size)])
        square = np.ix_(kept, kept)
        change = Ratios(weights[support], self.point.p, self.loss.learn_power, len(kept))
        gradient = change.matrix @ model.gradient[kept]
        fisher = change.matrix @ model.curvature[square] @ change.matrix.T
        exact = change.matrix @ hessian[square] @ change.matrix.T
        exact += change.bending(model.gradient[kept])
        diagonal = np.diag(fisher) + 1e-10 * np.diag(fisher).max()
        for curvature, damping in _RATIO_ATTEMPTS:
            damped = (exact if curvature == "exact" else fisher).copy()
            damped[np.diag_indices(len(kept))] += damping * diagonal
            move = minimiser(damped, gradient)
            if move is None:
                continue
            np.clip(move[:s], -1.0, 1.0, out=move[:s])
            np.clip(move[s:], lower[k:], upper[k:], out=move[s:])
            moved = self._with_others(weights, move[s:])
            exponents = moved.p * (change.a + move[:s])
            fresh = np.zeros(k)
            fresh[support] = np.exp(np.maximum(exponents - exponents.max(), _LOWEST_LOG_WEIGHT))
            point = Point(onto_simplex(fresh), moved.p, moved.extras)
            evaluation = self.loss.evaluate(point)
            if evaluation.value < self.value:
                return point, evaluation
        return None
