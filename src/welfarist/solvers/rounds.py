"""From the optimum of a share to that of everything, in a few rounds over the files.

A round gives the loss and the gradient of all decisions; the Hessian is that of the share. Between
independent decisions of one kind the two Hessians differ by a thousandth or so, and every round
leaves about the square of that of what was left to gain: three or four are enough. Where that is
not so (weights leave or reach 0, the share's optimum was far off), the share's Hessian is worked
out again where the search has come to.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from welfarist.base.errors import InputError
from welfarist.losses import Loss, Point
from welfarist.solvers.base import Optimum
from welfarist.solvers.carried import CarriedCurvature
from welfarist.solvers.coordinates import Curvature

_MOST_ROUNDS = 20
# Relative decrease of the loss that is left when a fit is done: estimates move by less than 1e-8.
_FINE = 1e-17
# A decrease must shrink at least this much from round to round.
_TENFOLD = 0.1
# A relative decrease that is nothing but rounding.
_ROUNDING = 1e-14
# How much a step is damped where it has not lowered the loss.
_DAMPING = (0.0, 1e-2, 1.0, 100.0)
# A relative decrease so small that estimates are off by 1e-8 or so before the step is taken.
_DONE = 1e-16
# Log likelihood that one parameter alone may still gain where rounds have ended.
_WORTH_MORE = 0.01
_IMPOSSIBLE = (
    "every decision must be possible under the rule that a share of them suggests; found some "
    "that are not, such as a choice of nothing where there was something. Fit with "
    'noise="lapse", or leave them out.'
)


class Polish(CarriedCurvature):
    """The current point of a loss that is read from files, and the curvature of its share.

    What gradients of all decisions say corrects it, so that a small share takes a few rounds more
    and not many.
    """

    def __init__(self, loss: Loss, start: Point, share: Loss) -> None:
        super().__init__(loss, start, _FINE)
        self._share = share
        self.renew()

    def round(self) -> float:
        """Take a step; return the decrease that it promised."""
        assert self._here is not None
        gradient, before = self._here.gradient(), self.point
        for attempt, damping in enumerate(_DAMPING):
            move, predicted = self._move(gradient, damping)
            if move is None or predicted <= 0.0:
                if attempt == 0:
                    self.renew()
                continue
            point = self._moved(move)
            evaluation = self.loss.evaluate(point)
            if evaluation.value <= self.value + _ROUNDING * abs(self.value):
                self._go(point, evaluation)
                self._learn(before, gradient, evaluation.gradient())
                if predicted > _TENFOLD * self.last:
                    self.renew()
                factor = min(1.0, predicted / self.last) if np.isfinite(self.last) else 1.0
                self.remaining, self.last = predicted * factor, predicted
                return predicted
            self.renew()
        self.stuck = True
        return self.last

    def left_alone(self) -> float:
        """How much the shape or a parameter of the noise would gain with all else held.

        Beside weights that are next to nothing a step of all together may promise nothing, where
        one of these alone does: there the rounds have not ended.
        """
        assert self._here is not None
        gradient, (lower, upper) = self._here.gradient(), self._bounds()
        fisher, hessian = self.curvature.in_units_of(self.point)
        own = slice(self.weights, None)
        steep = np.maximum(fisher.diagonal()[own], np.abs(hessian.diagonal()[own]))
        step = -gradient[own] / np.maximum(steep, np.finfo(float).tiny)
        step = np.clip(step, lower[own], upper[own])
        gains = -(gradient[own] * step + 0.5 * steep * np.square(step))
        return float(gains.max(initial=0.0))

    def renew(self) -> None:
        """Work the share's curvature out again, here."""
        self.curvature = Curvature.of(self._share, self.point)
        for step, change in self._secants:
            self._correct(step, change)


def polish(loss: Loss, found: Optimum, rng: np.random.Generator) -> Optimum:
    """Go from the optimum of a share to that of all decisions.

    An interrupt from the keyboard ends the rounds, and the best point so far is kept.
    """
    share = loss.share(1.0, rng)
    point = found.point
    if np.isinf(point.p):  # weights only say who counts, and were searched on the share
        point = loss.data.held_at(point)
        loss, share = loss.data.holding(found.weights), share.data.holding(found.weights)
    walk: Polish | None = None
    rounds = 0
    try:
        walk = Polish(loss, point, share)
        if not np.isfinite(walk.value):
            raise InputError(_IMPOSSIBLE)
        rounds = 1
        converged, reason = walk.size == 0, "nothing to learn"
        while not converged and rounds < _MOST_ROUNDS:
            predicted = walk.round()
            rounds += 1
            if min(walk.remaining / _FINE, predicted / _DONE) <= abs(walk.value):
                converged, reason = True, "no round promises a lower loss"
            elif walk.stuck:
                converged = predicted <= _ROUNDING * abs(walk.value)
                reason = "rounding hides any further decrease" if converged else "no step lowers it"
                break
        else:
            reason = reason if converged else f"{_MOST_ROUNDS} rounds were not enough"
        if walk.left_alone() * loss.data.observed.total > _WORTH_MORE:
            converged, reason = False, "no step of everything together lowers it, of one alone does"
    except KeyboardInterrupt:
        if walk is None:
            raise
        converged = False
        reason = f"it was interrupted in round {rounds + 1}, and the best rule so far was kept"
    return _optimum(found, walk, loss, converged, reason, rounds)


def _optimum(
    found: Optimum, walk: Polish, loss: Loss, converged: bool, reason: str, rounds: int
) -> Optimum:
    """The optimum of everything, with what the search on the share says of its starts."""
    point, weights = walk.point, found.weights
    if np.isinf(point.p):
        point = replace(point, weights=found.point.weights)
    elif loss.weighting.fixed is None:
        weights = loss.weights_at(point)
    if np.isinf(point.p) and loss.weighting.people > 1 and found.point.weights.size > 1:
        reason = f"{reason}; who counts was searched on the share that is in memory"
    return replace(
        found,
        point=point,
        weights=weights,
        value=walk.value,
        converged=converged and found.converged,
        reason=reason if found.converged else found.reason,
        n_iter=found.n_iter + rounds,
        remedy=_remedy(reason) or found.remedy,
        evaluation=None,  # that of the share says nothing of everything
    )


def _remedy(reason: str) -> str:
    """What to do where rounds ended before their time; empty if they did not."""
    if "interrupted" in reason:
        return "Fit again with resume to go on."
    if "not enough" in reason or "no step" in reason:
        return "Scan with a larger share, from which the search begins."
    return ""
