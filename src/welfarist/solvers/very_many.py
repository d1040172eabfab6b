"""One start among so many weights that there is no room, or no time, for a matrix of them.

The steps are those of :mod:`~welfarist.solvers.descent`: a damped quadratic programme over the
simplex that sets weights to zero and releases them, with what is expected of the curvature far off
and with the Hessian near by. Only products with these are needed
(:mod:`~welfarist.solvers.conjugate`): two passes each over the derivatives of the values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionEvaluation, Evaluation, Loss, Point
from welfarist.losses.curvature_products import CurvatureProducts, has_products
from welfarist.solvers.conjugate import minimise_by_products, on_face
from welfarist.solvers.descent import Bowls, Descent, Walk, descend

# Free weights from which products take less time than a matrix.
VERY_MANY = 1500
# How closely the programme of a step is solved, far off and near by.
_ROUGHLY, _CLOSELY = 1e-2, 1e-4
# A step that promises a smaller share of the loss is near by.
_NEAR = 1e-2
_LEAST_DAMPING, _FIRST_DAMPING, _LARGEST_DAMPING = 1e-9, 1e-3, 1e10
_FLOOR = 1e-9  # relative damping that is always there: products have seven digits
# What of a move is tried one after the other, and how much of its promise it must keep.
_SHARES, _KEPT = (1.0, 0.4, 0.1), 0.1
_STEADY = 1e-8  # relative decrease that rounding may prevent
_ALL_DIGITS = 16
_LEAST = float(np.finfo(np.float64).tiny)


def are_very_many(loss: Loss) -> bool:
    """Whether a loss has so many weights that steps should do without a matrix, and can."""
    return loss.weighting.free >= VERY_MANY and has_products(loss)


class ProductWalk(Walk):
    """The current point of a loss with very many weights, and how far to trust its model."""

    end: Descent | None = None

    def __init__(self, loss: Loss, start: Point, tolerance: float, bowls: Bowls) -> None:
        super().__init__(loss, start, tolerance, near=False, borrowed=None, bowls=bowls)
        self._damping = _FIRST_DAMPING
        self._model: CurvatureProducts | None = None

    def step(self) -> float:
        """Take the best step found; return the decrease it promised."""
        assert isinstance(self._here, DecisionEvaluation)
        self._model = None  # its arrays can go before new ones come
        with np.errstate(over="ignore", invalid="ignore"):
            model = self._model = CurvatureProducts(self._here)
        if not (np.isfinite(model.gradient).all() and np.isfinite(model.diagonal).all()):
            self.stuck = True  # so far off that no step is to be had
            return np.inf
        before = self.value
        near = self._last_predicted <= _NEAR * abs(before)
        found = self._attempt(model, 0.0, exactly=True) if near else None
        exact = found is not None
        while found is None and self._damping <= _LARGEST_DAMPING and self.joined is None:
            found = self._attempt(model, self._damping, exactly=False)
            if found is None:
                self._damping = max(self._damping * 8.0, 1e-6)
        if found is None:
            self.stuck = self.joined is None
            return self._last_predicted
        point, evaluation, predicted, whole = found
        exact &= whole
        gain, promised = before - evaluation.value, max(predicted, _LEAST)
        if not exact and gain > 0.75 * promised:
            self._damping = max(self._damping * 0.1, _LEAST_DAMPING)
        elif not exact and gain < 0.25 * promised:
            self._damping *= 4.0
        if evaluation.value <= before:
            self._go(point, evaluation)
        return self._note(predicted, exact)

    def _attempt(
        self, model: CurvatureProducts, damping: float, *, exactly: bool
    ) -> tuple[Point, Evaluation, float, bool] | None:
        """Return where a step leads, the decrease it promises, and whether it is a whole one.

        None if there is none, or it does not lower the loss.
        """
        model.exactly = exactly
        move = self._move(model, damping)
        if move is None:
            return None
        slope, bend = float(model.gradient @ move), 0.5 * float(move @ model.product(move))
        if not -(slope + bend) >= 0.0:
            return None
        before = self.value
        for share in _SHARES:
            predicted = -(slope + share * bend) * share
            point = self._moved(share * move)
            self.joined = self._bowls.ahead(point, before, predicted)
            if self.joined is not None:
                return None
            evaluation = self.loss.evaluate(point)
            negligible = predicted <= self._tolerance * abs(before) + self._negligible
            if evaluation.value <= before - _KEPT * predicted or negligible:
                return point, evaluation, predicted, share == 1.0
        return None

    def _move(self, model: CurvatureProducts, damping: float) -> FloatArray | None:
        """Return the best move (q,) within the bounds, by a model that is damped."""
        lower, upper = self._bounds()
        scale = 1.0 / np.sqrt(model.diagonal)
        total = np.zeros(self.size)
        total[: self.weights] = self._units * scale[: self.weights]
        more = damping + _FLOOR

        def product(move: FloatArray) -> FloatArray:
            return np.asarray(model.product(move * scale) * scale + more * move)

        tolerance = _CLOSELY if model.exactly else _ROUGHLY
        with np.errstate(over="ignore", invalid="ignore"):
            found = minimise_by_products(
                model.gradient * scale, product, total, lower / scale, upper / scale, tolerance
            )
        if found is None or not np.isfinite(found[0]).all():
            return None
        move, held = found
        # To the bound itself: what is left of a weight would be its unit from then on.
        return np.where(held, lower, np.clip(move * scale, lower, upper))

    def digits(self, max_iter: int) -> Iterator[int]:
        """Take steps until none promises a lower loss; yield for each digit that is settled."""
        wanted, settled = digits_of(self._tolerance), 0
        for iteration in range(1, max_iter + 1):
            predicted = self.step()
            self.end = self._ending(iteration, predicted)
            size = max(abs(self.value), _LEAST)
            reached = wanted if self.end else digits_of(self.remaining / size)
            while settled < min(reached, wanted):
                settled += 1
                yield settled
            if self.end:
                return
        reason = f"{max_iter} steps were not enough"
        self.end = Descent(self.point, self.value, False, max_iter, reason)
        yield from range(settled + 1, wanted + 1)

    def _ending(self, iteration: int, predicted: float) -> Descent | None:
        """Return where the walk has ended, if it has."""
        if self.joined is not None:
            reason = "joined an optimum found before"
            return Descent(self.joined.point, self.joined.value, True, iteration, reason)
        value, reason = self.value, "no step promises a lower loss"
        if self.remaining <= self._tolerance * abs(value) + self.loss.resolution:
            spread = self._spread_of_power()
            here = self._here
            return Descent(
                self.point, value, True, iteration, reason, evaluation=here, spread_of_power=spread
            )
        if not self.stuck:
            return None
        steady = predicted <= _STEADY * abs(value)
        reason = "rounding hides any further decrease" if steady else "no step lowers the loss"
        spread = self._spread_of_power() if steady else None
        return Descent(self.point, value, steady, iteration, reason, spread_of_power=spread)

    def _spread_of_power(self) -> float | None:
        """Return what a unit of the loss leaves of the shape's t in doubt, next to the point.

        None if it is not learned, or the decisions do not determine it.
        """
        model = self._model
        if model is None or not self.loss.learn_power:
            return None
        model.exactly = False
        scale = 1.0 / np.sqrt(model.diagonal)
        total = np.zeros(self.size)
        total[: self.weights] = self._units * scale[: self.weights]
        aim = np.zeros(self.size)
        aim[self.weights] = -scale[self.weights]
        edge = np.full(self.size, np.inf)
        edge[: self.weights][~self._positive] = 0.0
        found = on_face(
            aim, lambda move: model.product(move * scale) * scale, total, edge > 0.0, _CLOSELY
        )
        return None if found is None else float(-aim @ found)


def digits_of(share: float) -> int:
    """How many digits a share of the loss leaves settled."""
    return max(int(-np.log10(max(share, _LEAST))), 0) if share > 0.0 else _ALL_DIGITS


def descend_from(
    loss: Loss,
    start: Point,
    *,
    max_iter: int,
    tolerance: float,
    known: Sequence[Descent] = (),
    reach: float = 1.0,
    beat: float = np.inf,
    progress: Progress | None = None,
) -> Descent:
    """Follow steps from `start` until none promises a lower loss, however many weights there are.

    See :func:`~welfarist.solvers.descent.descend`; where weights are very many `progress` has a bar
    of the digits that are settled.
    """
    if not are_very_many(loss):
        return descend(
            loss,
            start,
            max_iter=max_iter,
            tolerance=tolerance,
            known=known,
            reach=reach,
            beat=beat,
        )
    walk = ProductWalk(loss, start, tolerance, Bowls(loss, known, reach))
    if not np.isfinite(walk.value):
        return Descent(start, np.inf, False, 0, "the loss is infinite where it began")
    shown = Progress(False) if progress is None else progress
    what = f"{loss.weighting.free:,} weights, digits of the loss"
    for _ in shown.track(walk.digits(max_iter), digits_of(tolerance), what):
        pass
    assert walk.end is not None
    return walk.end
