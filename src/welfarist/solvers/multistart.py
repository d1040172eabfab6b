"""Several starts: few where they agree on a well-determined optimum, many where they do not.

Hard problems (few actions, many people, much noise) have several local optima, in the weights at
one power as well as in the power. The schedule begins with equal weights at different powers;
if those agree and the data pin the power down, the search is over. Otherwise it goes on with
starts of three kinds: far out along the path on which large powers keep the same order of actions
(weights ``w_i ~ exp(p a_i)`` for fixed a), disturbed copies of the best point, and random ones,
until ten have all agreed or twenty in a row have found nothing better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from welfarist.losses import Loss, Point
from welfarist.simplex import onto_simplex
from welfarist.solvers.newton import LARGEST_POWER, Descent, descend, uncertainty_of_power
from welfarist.validation import FloatArray

StartCount = int | Literal["auto"]

_FIRST = 2  # starts that must agree before the search may end
_FIRST_POWERS = (1.0, -1.0)
_MORE_POWERS = (4.0, -4.0, 30.0, -30.0, 0.2)
_ENOUGH = 20  # starts in a row that found nothing better
_UNANIMOUS = 10  # starts that all agree, although the power is not pinned down
_MOST = 60
_AGREE = 1e-8  # relative difference in loss between starts that found the same optimum
_WIDE = 3.0  # reach of the first optimum where the data pin the power down
_PINNED = 0.1  # standard error of asinh(p) below which no other power is worth a look


@dataclass(frozen=True)
class Search:
    """What several starts found.

    Attributes
    ----------
    best : Descent
        The lowest loss.
    values : (n_starts,) array
        The loss each start reached, in the order they were made.
    n_iter : int
        Steps of all starts together.
    pinned : bool
        Whether the data determine the power so well that no other needs a look.
    """

    best: Descent
    values: FloatArray
    n_iter: int
    pinned: bool

    @property
    def agreeing(self) -> int:
        """How many starts reached the best loss."""
        slack = _AGREE * abs(self.best.value) + 1e-300
        return int((self.values <= self.best.value + slack).sum())


def search(
    loss: Loss,
    rng: np.random.Generator,
    *,
    p: float | None = None,
    n_starts: StartCount = "auto",
    max_iter: int = 200,
    tolerance: float = 1e-12,
    observations: float = 1.0,
) -> Search:
    """Minimise a loss from several starts.

    Parameters
    ----------
    loss : Loss
    rng : numpy.random.Generator
        For the random starts.
    p : float, optional
        The power, if it is not learned.
    n_starts : int or "auto"
        How many starts; "auto" stops when they agree.
    max_iter, tolerance
        Passed to :func:`~welfarist.solvers.newton.descend`.
    observations : float
        How many observations the mean loss stands for, to judge how well p is determined.
    """
    schedule = _Schedule(loss, rng, p)
    descents: list[Descent] = []
    best: Descent | None = None
    since_best, pinned = 0, False
    for start in schedule.starts():
        found = descend(
            loss,
            start,
            max_iter=max_iter,
            tolerance=tolerance,
            known=[d for d in descents if d.converged],
            reach=_WIDE if pinned else 1.0,
        )
        better = best is None or found.value < best.value - _AGREE * abs(best.value)
        since_best = 0 if better else since_best + 1
        if best is None or found.value < best.value:
            best = found
        schedule.best = best
        descents.append(found)
        if len(descents) == 1:
            pinned = _is_pinned(loss, best, observations)
        if n_starts != "auto":
            if len(descents) >= n_starts:
                break
            continue
        sure = pinned and len(descents) == _FIRST and _all_agree(descents)
        if sure or _settled(loss, descents, best, since_best):
            break
    assert best is not None
    values = np.array([d.value for d in descents])
    steps = sum(d.n_iter for d in descents)
    return Search(best, values, steps, pinned and _all_agree(descents))


def _is_pinned(loss: Loss, best: Descent, observations: float) -> bool:
    """Whether the data determine the power so well that no other needs a look."""
    if not loss.learn_power:
        return best.converged
    return best.converged and uncertainty_of_power(loss, best.point, observations) < _PINNED


def _all_agree(descents: list[Descent]) -> bool:
    values = [d.value for d in descents]
    slack = _AGREE * abs(min(values))
    return all(d.converged for d in descents) and max(values) <= min(values) + slack


def _settled(loss: Loss, descents: list[Descent], best: Descent, since_best: int) -> bool:
    """Whether more starts are not worth their time."""
    if loss.weighting.free == 0 and not loss.learn_power:
        return True
    if best.value <= loss.resolution or since_best >= _ENOUGH or len(descents) >= _MOST:
        return True
    return len(descents) == _UNANIMOUS and _all_agree(descents)


class _Schedule:
    """Where to start next, given the best point so far."""

    def __init__(self, loss: Loss, rng: np.random.Generator, p: float | None) -> None:
        self.best: Descent | None = None
        self._loss = loss
        self._rng = rng
        self._fixed = p

    def starts(self) -> Iterator[Point]:
        """Yield starting points without end."""
        equal = self._loss.weighting.start()
        if self._fixed is not None:
            yield self._at(equal, self._fixed)
            while True:
                yield self._at(self._random_weights(), self._fixed)
                yield self._disturbed(0.5)
        for power in _FIRST_POWERS:
            yield self._at(equal, power)
        yield self._far_out(30.0)
        for power in _MORE_POWERS:
            yield self._at(equal, power)
        while True:
            yield self._at(self._random_weights(), self._random_power())
            yield self._far_out(10.0)
            yield self._disturbed(0.5)
            yield self._at(self._random_weights(), self._random_power())
            yield self._far_out(60.0)
            yield self._disturbed(0.1)

    def _at(self, weights: FloatArray, p: float) -> Point:
        if self._loss.has_zeros and self._fixed is None:
            p = abs(p)
        return Point(weights, p, self._loss.starting_extras(weights, p))

    def _random_weights(self) -> FloatArray:
        k = self._loss.weighting.free
        if k == 0:
            return np.empty(0)
        return onto_simplex(self._rng.dirichlet(np.ones(k)) + 1e-12)

    def _random_power(self) -> float:
        return float(np.sinh(self._rng.uniform(-1.0, 1.0) * np.arcsinh(LARGEST_POWER) / 1.5))

    def _disturbed(self, share: float) -> Point:
        assert self.best is not None
        point = self.best.point
        k = len(point.weights)
        if k == 0:
            return self._at(point.weights, self._random_power())
        fresh = self._rng.dirichlet(np.full(k, 0.5))
        weights = onto_simplex((1.0 - share) * point.weights + share * fresh)
        return Point(weights, point.p, point.extras)

    def _far_out(self, power: float) -> Point:
        """The best point moved to a large power with the ratios a = log(w) / p kept."""
        assert self.best is not None
        point = self.best.point
        weights, p = point.weights, point.p
        if len(weights) == 0 or abs(p) < 0.5:
            return self._disturbed(0.5)
        far = float(np.copysign(power, p))
        counted = weights > 0
        a = np.log(np.where(counted, weights, 1.0)) / p
        # Who did not count joins as somebody who counts for a little less than the last one.
        last = a[counted].max() + 0.5 if p < 0 else a[counted].min() - 0.5
        exponents = far * np.where(counted, a, last)
        stretched = np.exp(np.maximum(exponents - exponents.max(), -600.0))
        return Point(onto_simplex(stretched), far, point.extras)
