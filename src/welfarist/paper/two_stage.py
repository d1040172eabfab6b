"""The method of the paper's simulations: random sampling, then gradient descent from the best.

[PSPS24, Appendix "Simulations"]: p is drawn from [-10, 10], weights uniformly from the simplex and
tau up to 50; the number of draws grows linearly with the number of people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.losses import Loss, Point, weight_units
from welfarist.paper.fixed_power import COVERS, refuse_infinite, require_plain
from welfarist.paper.unfinished import REMEDY, in_words, left_to_gain
from welfarist.solvers.base import Optimum
from welfarist.solvers.simplex import project


@dataclass(frozen=True)
class TwoStage:
    """Random sampling of all parameters, then gradient descent from the best sample.

    Parameters
    ----------
    largest_power : float
        Powers are drawn uniformly from [-largest_power, largest_power].
    largest_tau : float
        Temperatures are drawn uniformly from (0, largest_tau].
    samples_per_person : int
        Draws per person.
    descent_iter : int
        Steps of gradient descent.
    rate : float
        First learning rate: no step is longer.
    patience : int
        Steps without improvement before the rate is halved.
    """

    largest_power: float = 10.0
    largest_tau: float = 50.0
    samples_per_person: int = 200
    descent_iter: int = 2000
    rate: float = 0.1
    patience: int = 20

    def covers(self, feature: str) -> bool:
        """What the paper covers."""
        return feature in COVERS

    def check(self, loss: Loss) -> None:
        """Refuse what the paper's method does not cover."""
        require_plain(loss, "two_stage")

    def minimise(
        self,
        loss: Loss,
        rng: np.random.Generator,
        *,
        p: float | None,
        observations: float,  # noqa: ARG002 - the paper's search does not depend on it
        progress: Progress,
    ) -> Optimum:
        """Minimise a loss; see :class:`~welfarist.solvers.base.Solver`."""
        refuse_infinite(p, "two_stage")
        walk = _Walk(loss, p)
        count = self.samples_per_person * loss.weighting.people
        finished = False
        try:
            for _ in progress.track(range(count), count, "random samples"):
                walk.try_point(self._sample(loss, rng, p))
            steps = range(self.descent_iter)
            for _ in progress.track(steps, self.descent_iter, "gradient descent"):
                if not walk.descend(self.rate, self.patience):
                    break
            finished = True
        except KeyboardInterrupt:
            if walk.point is None:
                raise
        return walk.optimum(finished)

    def _sample(self, loss: Loss, rng: np.random.Generator, p: float | None) -> Point:
        k = loss.weighting.free
        weights = rng.dirichlet(np.ones(k)) if k else np.empty(0)
        lowest = loss.search_range[0] if loss.has_zeros else -self.largest_power
        power = float(rng.uniform(lowest, self.largest_power)) if p is None else p
        extras = np.empty(0)
        if loss.parameters:  # a temperature
            tau = self.largest_tau * (1.0 - rng.random())
            extras = np.minimum(np.log([tau]), loss.extra_bounds[1])
        return Point(weights, power, extras)


class _Walk:
    """The best point so far, and the learning rate from there."""

    def __init__(self, loss: Loss, p: float | None) -> None:
        self._loss = loss
        self._learn_power = p is None
        self.point: Point | None = None
        self._here: Point | None = None
        self.value = np.inf
        self._shrink = 1.0
        self._since = 0
        self._steps = 0
        self._sampled: list[float] = []

    def try_point(self, point: Point) -> None:
        """Keep a random sample if it is the best."""
        value = self._loss.evaluate(point).value
        self._sampled.append(value)
        if value < self.value or self.point is None:
            self.point, self.value = point, value

    def descend(self, rate: float, patience: int) -> bool:
        """Take one clipped gradient step; return whether another is worth taking."""
        assert self.point is not None
        here = self._here or self.point
        moved = self._moved(here, rate * self._shrink)
        value = self._loss.evaluate(moved).value
        self._here = moved
        self._steps += 1
        self._since += 1
        if value < self.value:
            self.point, self.value, self._since = moved, value, 0
        if self._since >= patience:
            self._shrink, self._since, self._here = self._shrink / 2, 0, self.point
        return self._shrink > 1e-7

    def _moved(self, here: Point, rate: float) -> Point:
        gradient = self._loss.evaluate(here).gradient()
        k = len(here.weights)
        by_weight = gradient[:k] / weight_units(here.weights)
        by_weight = by_weight - by_weight.mean() if k else by_weight
        by_power = gradient[k] / np.hypot(1.0, here.p) if self._learn_power else 0.0
        by_extra = gradient[len(gradient) - len(here.extras) :]
        length = float(np.sqrt(by_weight @ by_weight + by_power**2 + by_extra @ by_extra))
        stride = min(rate, length) / max(length, 1e-300)
        weights = _back(here.weights - stride * by_weight) if k else here.weights
        p = here.p - stride * by_power
        p = max(p, self._loss.search_range[0]) if self._loss.has_zeros else p
        lower, upper = self._loss.extra_bounds
        return Point(weights, float(p), np.clip(here.extras - stride * by_extra, lower, upper))

    def optimum(self, finished: bool) -> Optimum:
        """Return the best point found."""
        assert self.point is not None
        reason = f"{len(self._sampled)} samples and {self._steps} gradient steps"
        reason = reason if finished else f"interrupted after {reason}"
        left = left_to_gain(
            self._loss.data, self.point, self.value, hold_power=not self._learn_power
        )
        return Optimum(
            self.point,
            self._loss.weighting.to_people(self.point.weights),
            self.value,
            converged=finished and not left,
            reason=f"{reason}, after which {in_words(left)}" if left else reason,
            n_iter=self._steps,
            start_values=np.array([self.value]),
            agreeing=1,
            remedy=REMEDY,
        )


def _back(weights: FloatArray) -> FloatArray:
    return project(weights) if (weights < 1e-6).any() else weights
