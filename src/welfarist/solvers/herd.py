"""Rules that evolve, for losses with more optima than can be descended to one by one.

Where decision makers may slip, a decision that a rule does not explain costs no more than a slip:
the loss is nearly a count of errors, and has a local optimum wherever no small move turns one of
them. Derivatives know nothing of what lies beyond. Each rule of the herd has offspring at all
distances, whose losses cost a glance, and the best of them takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionLoss, Loss, Point
from welfarist.solvers.scouts import normalised, on_simplex, spread_of

_GENERATIONS = 30
_OFFSPRING = 40
# How many numbers a herd may look at in all: with more data there are fewer optima.
_BUDGET = 4e7
# Offspring are between a thousandth of a step and a whole one away.
_CLOSEST = -3.0
# The share of offspring whose power, weights and noise differ, and whose one weight does.
_MOVE_POWER, _MOVE_WEIGHTS, _MOVE_EXTRAS, _MOVE_ONE = 0.6, 0.7, 0.5, 0.5
_WIDEST = 20.0  # of the noise model's ranges, of which a tenth is a step
_JOINS = -5.0  # log weight, times how far out p is, at which somebody joins who did not count


def is_small(loss: Loss, size: int) -> bool:
    """Whether a herd of so many rules is worth its time."""
    cost = loss.data.people.size + 3 * loss.decisions
    return cost * size * _OFFSPRING * _GENERATIONS <= _BUDGET


def evolved(
    loss: Loss,
    rng: np.random.Generator,
    p: float | None,
    points: Sequence[Point],
    most: int,
) -> list[Point]:
    """Return up to `most` rules that differ and come from points, the best first."""
    herd = _Herd(loss.data, rng, p, points)
    for _ in range(_GENERATIONS):
        herd.breed()
    return herd.best(most, loss.interior)


class _Herd:
    """Log weights (h, k), powers (h,) and the noise model's parameters (h, m) of some rules."""

    def __init__(
        self,
        loss: DecisionLoss,
        rng: np.random.Generator,
        p: float | None,
        points: Sequence[Point],
    ) -> None:
        self._loss, self._rng, self._p = loss, rng, p
        self._spread = spread_of(loss)
        with np.errstate(divide="ignore"):
            self._logs = np.log(np.array([point.weights for point in points]))
        self._powers = np.array([point.p for point in points])
        self._extras = np.array([point.extras for point in points])
        self._losses = loss.glance(self._logs, self._powers).losses(self._extras)

    def breed(self) -> None:
        """Let every rule have offspring, and keep the best of them if it is no worse."""
        size = len(self._powers)
        parents = np.repeat(np.arange(size), _OFFSPRING)
        scale = 10.0 ** self._rng.uniform(_CLOSEST, 0.0, len(parents))
        logs, powers = self._moved_powers(parents, scale)
        logs = self._moved_weights(logs, powers, scale)
        extras = self._moved_extras(parents, scale)
        losses = self._loss.glance(logs, powers).losses(extras)
        best = losses.reshape(size, _OFFSPRING).argmin(axis=1) + np.arange(size) * _OFFSPRING
        better = losses[best] <= self._losses
        kept = best[better]
        self._logs[better], self._powers[better] = logs[kept], powers[kept]
        self._extras[better], self._losses[better] = extras[kept], losses[kept]

    def best(self, most: int, interior: bool) -> list[Point]:
        """Return up to `most` of them that differ, the best first."""
        chosen = self._loss.glance(self._logs, self._powers).unlike(self._losses, most)
        return [
            Point(on_simplex(self._logs[i], interior), float(self._powers[i]), self._extras[i])
            for i in chosen
        ]

    def _moved_powers(
        self, parents: npt.NDArray[np.intp], scale: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Powers (B,) moved in asinh(p spread), and weights, some with their ratios kept."""
        logs, powers = self._logs[parents], self._powers[parents]
        if self._p is not None:
            return logs, powers
        rng, size = self._rng, len(parents)
        steps = (rng.random(size) < _MOVE_POWER) * scale * rng.normal(size=size)
        t = np.arcsinh(powers * self._spread) + steps
        fresh = np.clip(np.sinh(t) / self._spread, *self._loss.search_range)
        stretched = (rng.random(size) < 0.5) & (np.abs(powers) * self._spread > 1.0)
        stretched &= fresh * powers > 0
        factor = np.divide(fresh, powers, out=np.ones(size), where=stretched)
        return normalised(logs * factor[:, None]) if logs.shape[1] else logs, fresh

    def _moved_weights(self, logs: FloatArray, powers: FloatArray, scale: FloatArray) -> FloatArray:
        """Log weights (B, k) of which one has moved, or all; far out they move further."""
        rng, (size, k) = self._rng, logs.shape
        if k <= 1:
            return logs
        far = np.maximum(1.0, np.abs(powers) * self._spread)[:, None]
        one = rng.random((size, 1)) < _MOVE_ONE
        moving = np.where(one, rng.integers(k, size=(size, 1)) == np.arange(k), True)
        moving &= rng.random((size, 1)) < _MOVE_WEIGHTS
        joining = np.isneginf(logs) & moving & one
        logs = np.where(joining, _JOINS * far, logs)
        steps = np.where(one, 2.0, 1.0) * scale[:, None] * far * rng.normal(size=(size, k))
        return normalised(logs + np.where(moving, steps, 0.0))

    def _moved_extras(self, parents: npt.NDArray[np.intp], scale: FloatArray) -> FloatArray:
        """Parameters (B, m) of the noise model, some of them moved."""
        rng, extras = self._rng, self._extras[parents]
        lower, upper = self._loss.extra_bounds
        unit = np.minimum(upper - lower, _WIDEST) / 10.0
        moving = rng.random(extras.shape) < _MOVE_EXTRAS
        steps = moving * scale[:, None] * unit * rng.normal(size=extras.shape)
        return np.asarray(np.clip(extras + steps, lower, upper))
