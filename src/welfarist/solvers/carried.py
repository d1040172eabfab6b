"""Curvature that is carried along: steps with gradients alone, from close to an optimum.

Curvature of a random share of the decisions, or of everything at the optimum of a share, is nearly
that of everything at its optimum, and what two gradients say about the curvature between them
corrects it (a secant update, BFGS). So the way from the optimum of a share to that of everything
takes a few gradients, and second derivatives once at most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionEvaluation, Evaluation, Loss, Point, weight_units
from welfarist.solvers.coordinates import Curvature, minimiser
from welfarist.solvers.descent import Descent, Walk, descend
from welfarist.solvers.simplex import MANY

# Relative curvature that is always there, so that no programme is singular.
_FLOOR = 1e-13
# Steps whose gradients correct the curvature, and how much they may correct it along them.
_SECANTS, _FAR = 10, 10.0
# Where a decrease shrinks less than that from step to step, curvature is worked out anew; where it
# does not even shrink by so much, steps of another kind must do.
_SLOW, _HARDLY = 0.05, 0.5
_SLOW_OF_MANY = 0.4  # among very many weights, whose curvature costs as much as ten steps
# A share of the loss that a last step on a share may promise, and how much of that the step before:
# what is left then is less than a share's optimum is off by its sampling error.
_SHORT, _LONG = 0.005, 0.05
# What a move out of the simplex costs, where one of the same size in a weight costs 1.
_DEAR, _LEAST = 100.0, float(np.finfo(np.float64).tiny)
# Of a tolerance, what steps with curvature of their own must reach, of which none is on faith.
_WITHOUT_FAITH = 0.1
# Steps that are taken with carried curvature; it takes three or four where it serves at all.
_MOST = 8


class CarriedCurvature(Walk):
    """The current point of a loss, and curvature that was worked out elsewhere and is corrected."""

    curvature: Curvature

    def __init__(self, loss: Loss, start: Point, tolerance: float) -> None:
        super().__init__(loss, start, tolerance, near=True, borrowed=None)
        self._secants: list[tuple[FloatArray, FloatArray]] = []
        self.last = np.inf

    def _learn(self, before: Point, old: FloatArray, new: FloatArray) -> None:
        """Note how far the last step went, and how the gradient changed along it."""
        step = self._place(self.point) - self._place(before)
        change = self._by_place(new, self.point) - self._by_place(old, before)
        self._secants = [*self._secants[1 - _SECANTS :], (step, change)]
        self._correct(step, change)

    def _correct(self, step: FloatArray, change: FloatArray) -> None:
        hessian = self.curvature.hessian
        expected = hessian @ step
        along, found = float(step @ expected), float(step @ change)
        # Where the two disagree by far, one of them says nothing about this neighbourhood.
        if not 0.0 < along < _FAR * found < _FAR * _FAR * along:
            return
        fresh = hessian + np.outer(change, change) / found - np.outer(expected, expected) / along
        self.curvature = replace(self.curvature, hessian=fresh)

    def _place(self, point: Point) -> FloatArray:
        """Weights, the shape's t and extras in one row (q,)."""
        t = [self.loss.family.shape.coordinate.into(point.p)] if self.loss.learn_power else []
        return np.concatenate([point.weights, t, point.extras])

    def _by_place(self, gradient: FloatArray, point: Point) -> FloatArray:
        """A gradient by the weights themselves, from one in their units."""
        found = gradient.copy()
        found[: self.weights] /= weight_units(point.weights)
        return found

    def _move(self, gradient: FloatArray, damping: float) -> tuple[FloatArray | None, float]:
        """Return the best move, and how much it promises."""
        lower, upper = self._bounds()
        fisher, hessian = self.curvature.in_units_of(self.point)
        if damping == 0.0:
            move = self._face_move(gradient, hessian, lower, upper)
            if move is not None:
                return move, -0.5 * float(gradient @ move)
        firm = self._firm(fisher, hessian) if damping == 0.0 else None
        form = fisher.copy() if firm is None else firm
        diagonal = np.maximum(fisher.diagonal(), _FLOOR * float(fisher.diagonal().max()))
        places = np.arange(self.size)
        form[places, places] += (damping + _FLOOR) * diagonal
        units = weight_units(self.point.weights)
        move = self._programme.solve(gradient, form, lower, upper, units)
        if move is None:
            return None, 0.0
        return move, -float(gradient @ move + 0.5 * move @ (form @ move))

    def _firm(self, fisher: FloatArray, hessian: FloatArray) -> FloatArray | None:
        """Return a Hessian (q, q), convex where moves lead out of the simplex too; or None.

        None means that it is not convex among moves that keep the sum of the weights. What others
        cost does not matter, and they are made to cost more than most.
        """
        firm = hessian.copy()
        if self.weights:
            total = weight_units(self.point.weights)
            steep = np.maximum(fisher.diagonal()[: self.weights], _LEAST)
            cost = _DEAR / float(np.square(total) @ (1.0 / steep))
            firm[: self.weights, : self.weights] += cost * np.outer(total, total)
        return None if minimiser(firm, np.zeros(self.size)) is None else firm


def follow(
    loss: Loss,
    start: Point,
    *,
    max_iter: int,
    tolerance: float,
    curvature: Curvature | None = None,
) -> Descent:
    """Go from the optimum of a share to that of a loss, with curvature that was worked out once.

    It is the expected one, which is nearer to the Hessian at the optimum than the Hessian at the
    start is; that of a large share serves as well as that of everything. Where steps do not shrink
    as they should (weights leave or reach 0, the start was far off), steps with curvature of their
    own take over.

    Parameters
    ----------
    loss : Loss
    start : Point
    max_iter : int
        Largest number of steps.
    tolerance : float
        A step that promises a smaller share of the loss is the last one. It is taken on faith: what
        it leaves is a hundredth of that or less, and so is what the loss may differ by.
    curvature : Curvature, optional
        That of a large share close to the start; worked out there on everything if left out.
    """
    walk = _Following(loss, start, tolerance)
    taken = 0
    if walk.carries:
        if curvature is not None:
            walk.borrow(curvature)
        for taken in range(1, min(_MOST, max_iter) + 1):
            proposed = walk.propose()
            if proposed is None or proposed[1] > _HARDLY * walk.last:
                break
            point, promised = proposed
            if promised <= tolerance * abs(walk.value) + loss.resolution:
                reason, value = "no step promises a lower loss", walk.value - promised
                fisher, _ = walk.curvature.in_units_of(point)
                return Descent(point, value, True, taken, reason, fisher, evaluation=walk.here)
            if not walk.go_on(point, promised):
                break
    tolerance *= _WITHOUT_FAITH
    rest = descend(loss, walk.point, max_iter=max_iter, tolerance=tolerance, near=True)
    return replace(rest, n_iter=rest.n_iter + taken)


def few_steps(loss: Loss, start: Point) -> Point | None:
    """Return where a step or two from the optimum of a smaller share lead; None if they are long.

    The loss there is not worked out: what follows is a larger share, on which it is no optimum.
    """
    walk = _Following(loss, start, 0.0)
    proposed = walk.propose() if walk.carries else None
    if proposed is not None and proposed[1] > _SHORT * abs(walk.value) >= _LONG * proposed[1]:
        proposed = walk.propose() if walk.go_on(*proposed) else None
    if proposed is None or proposed[1] > _SHORT * abs(walk.value):
        return None
    return proposed[0]


def expected_curvature(loss: Loss, point: Point) -> Curvature:
    """Return the expected curvature of a loss at a point, to six digits or so, in both places."""
    return _expected(loss.evaluate(point), point)[1]


def _expected(
    here: Evaluation, point: Point, *, bent: bool = False
) -> tuple[FloatArray, Curvature]:
    """Gradient and expected curvature where a loss was evaluated.

    If `bent`, what the power's own bending adds to it is part of the Hessian, all but what two
    weights do together.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if not isinstance(here, DecisionEvaluation):
            model = here.model()
            return model.gradient, Curvature.at(point, model.curvature, model.curvature)
        model, hessian = here.rough_model(bent=bent)
        return model.gradient, Curvature.at(point, model.curvature, hessian)


def near_an_optimum(
    loss: Loss, start: Point, curvature: Curvature, enough: Callable[[float, float], bool]
) -> Descent | None:
    """Return the optimum near a start, by steps with curvature of a similar loss, if they do.

    Parameters
    ----------
    loss : Loss
    start : Point
    curvature : Curvature
    enough : callable
        Says of a loss, and of the decrease that a step promises, whether that is not worth a step.
    """
    walk = _Following(loss, start, 0.0)
    if not walk.carries:
        return None
    walk.borrow(curvature)
    for taken in range(_MOST):
        proposed = walk.propose()
        if proposed is None or proposed[1] > _HARDLY * walk.last:
            return None
        if enough(walk.value, proposed[1]):
            return Descent(walk.point, walk.value - proposed[1], True, taken, "nearly nothing left")
        if not walk.go_on(*proposed):
            return None
    return None


class _Following(CarriedCurvature):
    """A walk with the curvature of its start, for as long as it serves."""

    def __init__(self, loss: Loss, start: Point, tolerance: float) -> None:
        super().__init__(loss, start, tolerance)
        self._before: tuple[Point, FloatArray] | None = None
        self._anew = True
        self._many, self._bent = self.weights >= MANY, False
        self.carries = self.size > 0 and np.isfinite(self.value) and Curvature.can_be_carried(start)

    def borrow(self, curvature: Curvature) -> None:
        """Take over curvature of a similar loss."""
        self.curvature, self._anew = curvature, False

    def propose(self) -> tuple[Point, float] | None:
        """Return the point to go to and the decrease it promises; None if there is none."""
        gradient = self._seen()
        self._before = self.point, gradient
        if not self.curvature.is_finite:
            return None
        move, predicted = self._move(gradient, 0.0)
        return None if move is None or not predicted >= 0.0 else (self._moved(move), predicted)

    def _seen(self) -> FloatArray:
        """Return the gradient, and note what it says of the curvature, or work that out anew."""
        assert self._here is not None
        if not self._anew:
            gradient = self._here.gradient()
            if self._before is not None:
                self._learn(*self._before, gradient)
            return gradient
        # Among very many weights the second point is close, and steps of the power would hardly
        # shrink without its bending, which costs little beside the rest.
        bent = self._many and np.isfinite(self.last)
        gradient, self.curvature = _expected(self._here, self.point, bent=bent)
        self._anew, self._bent = False, bent
        return gradient

    def go_on(self, point: Point, predicted: float) -> bool:
        """Go to a point that promised a decrease; say whether it keeps the promise."""
        enough = _SLOW_OF_MANY if self._many else _SLOW
        slow = np.isfinite(self.last) and predicted > enough * self.last
        self._anew = bool(slow) or (self._many and not self._bent)
        self._here = None  # the arrays can go before new ones come
        evaluation = self.loss.evaluate(point)
        if not evaluation.value <= self.value + self._tolerance * abs(self.value):
            return False
        self._go(point, evaluation)
        self.last = predicted
        return True
