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

from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.losses import Loss, Point
from welfarist.solvers.descent import Descent, descend, uncertainty_of_power
from welfarist.solvers.simplex import onto_simplex

StartCount = int | Literal["auto"]

_FIRST = 2  # starts that must agree before the search may end
_ENOUGH = 20  # starts in a row that found nothing better
_UNANIMOUS = 10  # starts that all agree are convincing, although the power is not pinned down
_NEARLY_UNANIMOUS = 5  # if the power is roughly known
_MOST = 60
_AGREE = 1e-8  # relative difference in loss between starts that found the same optimum
# Standard error of asinh(p) below which no other power is worth a look, and below which fewer
# agreeing starts are convincing.
PINNED = 0.1
_KNOWN = 0.5
_GUESSED = 2.0
_PLENTY = 10  # decisions per weight below which problems tend to have several optima
_FARTHEST_DRAW = 3.5  # random shapes lie within this, in their coordinate
_RATIO_POWER = 2.0  # |p| from which weights matter through log(w) / p


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
    start: Point | None = None,
    progress: Progress | None = None,
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
        Passed to :func:`~welfarist.solvers.descent.descend`.
    observations : float
        How many observations the mean loss stands for, to judge how well p is determined.
    start : Point, optional
        Where to look beside the starts of the schedule: all that is asked of those is asked as
        well, but they end where they run into the solution found from here.
    progress : Progress, optional
        Told of every start.
    """
    schedule = _Schedule(loss, rng, p)
    descents: list[Descent] = []
    best: Descent | None = None
    warm: list[Descent] = []
    if start is not None:
        warm = [descend(loss, start, max_iter=max_iter, tolerance=tolerance)]
        best = schedule.best = warm[0]
        _tell(progress, loss, "warm start", best)
    since_best, doubt = 0, np.inf
    for place in schedule.starts():
        found = descend(
            loss,
            place,
            max_iter=max_iter,
            tolerance=tolerance,
            known=[d for d in (*warm, *descents) if d.converged],
            reach=_reach(doubt),
        )
        _tell(progress, loss, f"start {len(descents) + 1}", found)
        better = best is None or found.value < best.value - _AGREE * abs(best.value)
        since_best = 0 if better else since_best + 1
        if best is None or found.value < best.value:
            best = found
        schedule.best = best
        descents.append(found)
        if len(descents) == 1:
            doubt = _doubt(loss, best, observations)
        if n_starts != "auto":
            if len(descents) >= n_starts:
                break
        # A solution that was known before must not be missed by all of them.
        elif since_best >= _ENOUGH or (
            _settled(loss, descents, best, doubt) and _found_again(best, descents)
        ):
            break
    assert best is not None
    every = [*warm, *descents]
    values = np.array([d.value for d in every])
    steps = sum(d.n_iter for d in every)
    pinned = doubt < PINNED and _all_agree(descents) and _found_again(best, descents)
    return Search(best, values, steps, pinned)


def _tell(progress: Progress | None, loss: Loss, what: str, found: Descent) -> None:
    if progress is not None:
        progress.say(
            f"{what}: loss {found.value:.10g} at {loss.family.shape.name} = {found.point.p:.6g} "
            f"after {found.n_iter} step{'' if found.n_iter == 1 else 's'}, {found.reason}"
        )


def _found_again(best: Descent, descents: list[Descent]) -> bool:
    """Whether some start of the schedule has reached the best loss."""
    return min(d.value for d in descents) <= best.value + _AGREE * abs(best.value)


def _reach(doubt: float) -> float:
    """How wide the bowl of an optimum is taken to be; narrow where optima lie close together."""
    if doubt < PINNED:
        return 3.0
    return 1.0 if doubt < _KNOWN else 0.2


def _doubt(loss: Loss, best: Descent, observations: float) -> float:
    """Standard error of asinh(p) at the first optimum; none if p is not learned."""
    if not best.converged:
        return float("inf")
    return uncertainty_of_power(loss, best, observations) if loss.learn_power else 0.0


def _all_agree(descents: list[Descent]) -> bool:
    values = [d.value for d in descents]
    slack = _AGREE * abs(min(values))
    return all(d.converged for d in descents) and max(values) <= min(values) + slack


def _settled(loss: Loss, descents: list[Descent], best: Descent, doubt: float) -> bool:
    """Whether more starts are not worth their time."""
    starts = len(descents)
    if loss.weighting.free == 0 and not loss.learn_power:
        return True
    if loss.is_perfect(best.value) or starts >= _MOST:
        return True
    plenty = loss.decisions >= _PLENTY * (loss.weighting.free + 1)
    if doubt < PINNED and plenty:
        convincing = _FIRST
    elif doubt < _KNOWN and plenty:
        convincing = _NEARLY_UNANIMOUS
    else:
        convincing = _UNANIMOUS if doubt < _GUESSED else _MOST
    return starts == convincing and _all_agree(descents)


class _Schedule:
    """Where to start next, given the best point so far."""

    def __init__(self, loss: Loss, rng: np.random.Generator, p: float | None) -> None:
        self.best: Descent | None = None
        self._loss = loss
        self._rng = rng
        self._fixed = p
        self._ratios = loss.family.ratios

    def starts(self) -> Iterator[Point]:
        """Yield starting points without end."""
        equal = self._loss.weighting.start()
        if self._fixed is not None:
            yield self._at(equal, self._fixed)
            while True:
                yield self._at(self._random_weights(), self._fixed)
                yield self._disturbed(0.5)
        first, *others = self._loss.family.starts
        yield self._at(equal, first)
        for power in others:
            # The noise is known by now, and so much the same wherever the rule is sought.
            yield Point(equal, self._allowed(power), self._best_point().extras)
        yield self._far_out(30.0)
        for power in self._loss.family.more_starts:
            yield self._at(equal, power)
            yield self._random_ratios()
        while True:
            yield self._random_ratios()
            yield self._at(self._random_weights(), self._random_power())
            yield self._random_ratios()
            yield self._disturbed(0.5)
            yield self._random_ratios()
            yield self._far_out(10.0)
            yield self._random_ratios()
            yield self._disturbed(0.1)

    def _at(self, weights: FloatArray, p: float) -> Point:
        p = self._allowed(p)
        return Point(weights, p, self._loss.starting_extras(weights, p))

    def _allowed(self, p: float) -> float:
        """A power like this one that may be searched; a given one is taken as it is."""
        return self._loss.allowed(p) if self._fixed is None else p

    def _best_point(self) -> Point:
        assert self.best is not None
        return self.best.point

    def _random_weights(self) -> FloatArray:
        k = self._loss.weighting.free
        if k == 0:
            return np.empty(0)
        return onto_simplex(self._rng.dirichlet(np.ones(k)) + 1e-12)

    def _random_power(self) -> float:
        draw = self._rng.uniform(-1.0, 1.0)
        if self._ratios:
            return float(np.sinh(draw * _FARTHEST_DRAW))
        coordinate = self._loss.family.shape.coordinate
        ends = np.array([coordinate.into(end) for end in self._loss.search_range])
        low, high = np.clip(ends, -_FARTHEST_DRAW, _FARTHEST_DRAW)
        return coordinate.back(float(low + (high - low) * (draw + 1.0) / 2.0))

    def _disturbed(self, share: float) -> Point:
        """The best point with a share of its weights drawn anew; far out, with its ratios moved."""
        point = self._best_point()
        k = len(point.weights)
        if k == 0:
            return self._at(point.weights, self._random_power())
        if self._fixed is None and self._ratios and abs(point.p) >= _RATIO_POWER:
            return self._stretched(point.p * self._rng.uniform(0.2, 1.0), share)
        fresh = self._rng.dirichlet(np.full(k, 0.5))
        weights = onto_simplex((1.0 - share) * point.weights + share * fresh)
        return Point(weights, point.p, point.extras)

    def _random_ratios(self) -> Point:
        """Far out on the side of the best point, ratios a = log(w) / p of the size of log u."""
        best = self._best_point()
        k = len(best.weights)
        if k == 0 or not self._ratios or abs(best.p) < _RATIO_POWER:
            return self._at(self._random_weights(), self._random_power())
        power = float(np.copysign(self._rng.choice([10.0, 30.0, 60.0]), best.p))
        spread = self._rng.choice([0.3, 1.0])
        exponents = power * spread * self._rng.normal(size=k)
        weights = onto_simplex(np.exp(np.maximum(exponents - exponents.max(), -600.0)))
        return Point(weights, power, best.extras)

    def _far_out(self, power: float) -> Point:
        """The best point moved to a large power with its ratios kept."""
        point = self._best_point()
        if len(point.weights) == 0 or not self._ratios or abs(point.p) < 0.5:
            return self._disturbed(0.5)
        return self._stretched(float(np.copysign(power, point.p)), 0.0)

    def _stretched(self, power: float, noise: float) -> Point:
        """The best point at another power, its ratios a = log(w) / p kept up to some noise."""
        point = self._best_point()
        weights, p = point.weights, point.p
        counted = weights > 0
        a = np.log(np.where(counted, weights, 1.0)) / p
        # Who did not count joins as somebody who counts for a little less than the last one.
        last = a[counted].max() + 0.5 if p < 0 else a[counted].min() - 0.5
        a = np.where(counted, a, last) + noise * self._rng.normal(size=len(weights))
        exponents = power * a
        stretched = np.exp(np.maximum(exponents - exponents.max(), -600.0))
        return Point(onto_simplex(stretched), float(power), point.extras)
