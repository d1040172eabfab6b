"""Where to start next: from the plainest rule to those that only a search at a glance finds.

The schedule begins with equal weights at different powers, and one start far out along the path on
which large powers keep the same order of actions (weights ``w_i ~ exp(p a_i)`` for fixed a). Who
goes on finds the places to which guides point, the best of many rules judged at a glance, and
their offspring. What cannot be judged so (scores, other families, much data) is searched by
disturbed copies of the best point and random ones. Where most starts miss the best, flocks of rough
starts go in between; of a handful of decisions, once all else is over.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.losses import Loss, Point
from welfarist.solvers.base import Guide
from welfarist.solvers.descent import Descent
from welfarist.solvers.effort import AUTO, Effort
from welfarist.solvers.herd import evolved, is_small
from welfarist.solvers.roaming import roamed_starts
from welfarist.solvers.scouts import can_be_scouted, scouted_starts
from welfarist.solvers.simplex import onto_simplex
from welfarist.solvers.terrain import can_be_roamed

_FARTHEST_DRAW = 3.5  # random shapes lie within this, in their coordinate
# Of random slopes, in half ranges of their attributes: weights differ by a factor of e or more.
_SPREAD_OF_SLOPES = 1.0
_RATIO_POWER = 2.0  # |p| from which weights matter through log(w) / p
# Rules judged at a glance that become starts, and parents of more; more of them where decision
# makers may slip, and how many of their offspring become starts.
_HERD, _HERD_OF_SLIPS = 12, 24
_BRED = 8
_BETWEEN_FLOCKS = 8  # starts by themselves
CREEPING = 1e-5  # relative decrease by going on where another start stopped


class Schedule:
    """Where to start next, given the best point so far.

    Attributes
    ----------
    best : Descent or None
        The best that was found so far, which the caller keeps up to date.
    scouted : bool
        Whether rules of this loss can be judged at a glance.
    roamed : bool
        Whether flocks of rules may walk together.
    disputed : bool
        Whether starts end in so many optima that flocks are worth it; the caller says so.
    went_on : bool
        Whether plain starts are over, and what was judged at a glance is tried.
    ending : bool
        Whether the caller is about to end the search; flocks that were waiting set out then.
    exhausted : bool
        Whether all that is promising has been tried.
    """

    def __init__(
        self,
        loss: Loss,
        rng: np.random.Generator,
        p: float | None,
        guides: Sequence[Guide] = (),
        effort: Effort = AUTO,
    ) -> None:
        self.best: Descent | None = None
        self.went_on = self.exhausted = self.disputed = self.ending = self._over = False
        self.scouted = can_be_scouted(loss)
        self.roamed = effort.flocks > 0 and can_be_roamed(loss)
        self._flocks = effort.flocks if self.roamed else 0  # that may still set out
        # Of a handful of decisions herds find what no slope does.
        self._patient = self.roamed and self.scouted and is_small(loss, _HERD + 1)
        self._effort = effort
        self._loss = loss
        self._rng = rng
        self._fixed = p
        self._guides = guides
        self._ratios = loss.family.ratios

    @property
    def gives_up(self) -> bool:
        """Whether paths that creep towards a higher loss than is known are not worth their time."""
        return self.scouted or (self.roamed and (self.disputed or self._effort.unprovoked))

    def starts(self) -> Iterator[Point]:
        """Yield starting points without end; where they are disputed, flocks go in between."""
        since = _BETWEEN_FLOCKS
        for point in self._alone():
            if self._over and not self.exhausted:
                if self.waits:
                    self.ending = True
                    yield from self._roamed()
                self.exhausted = True
            yield point
            since += 1
            due = self.ending if self._patient else since >= _BETWEEN_FLOCKS
            if due and self.disputed and self._flocks:
                yield from self._roamed()
                since = 0

    @property
    def waits(self) -> bool:
        """Whether there are flocks that set out when all else is over."""
        return self._patient and self.disputed and self._flocks > 0

    def _alone(self) -> Iterator[Point]:
        """Yield starting points without end, one by one."""
        equal = self._loss.weighting.start()
        if self._fixed is not None:
            yield self._at(equal, self._fixed)
            yield from self._promising()
            while True:
                yield self._anywhere()
                yield self._disturbed(0.5)
        first, *others = self._loss.family.starts
        further, *more = self._loss.family.more_starts
        yield self._at(equal, first)
        plain = others and further > first and self._loss.data.restraint is None
        if plain and self._best_point().p > first:
            # From the other side of what the first has found.
            others[0], further = further, others[0]
        for power in others:
            # The noise is known by now, and so much the same wherever the rule is sought.
            yield Point(equal, self._allowed(power), self._best_point().extras)
        yield self._far_out(30.0)
        yield self._at(equal, further)
        yield self._random_ratios()
        yield from self._promising()
        for power in more:
            yield self._at(equal, power)
            yield self._random_ratios()
        while True:
            yield self._random_ratios()
            yield self._anywhere()
            yield self._random_ratios()
            yield self._disturbed(0.5)
            yield self._random_ratios()
            yield self._far_out(10.0)
            yield self._random_ratios()
            yield self._disturbed(0.1)

    def _promising(self) -> Iterator[Point]:
        """Yield places that guides, glances and flocks recommend; and what comes of them."""
        if not self._effort.looks_further:
            self._over = True
            return
        bred = yield from self._glanced()
        while self._flocks and self._effort.unprovoked:
            yield from self._roamed()
        self._over = bred

    def _roamed(self) -> Iterator[Point]:
        """Yield what flocks find; more of them at once if they are the last, or found more."""
        while self._flocks:
            before, budget = self._best_value(), self._effort.roaming
            self._flocks -= 1
            self.went_on = True
            yield from roamed_starts(self._loss, self._rng, self._fixed, self._best_point(), budget)
            if not self.ending and self._best_value() >= before - CREEPING * abs(before):
                break

    def _glanced(self) -> Generator[Point, None, bool]:
        """Yield what guides and glances recommend; return whether herds have found nothing more."""
        loss, rng, p = self._loss, self._rng, self._fixed
        guided = [point for guide in self._guides for point in guide(loss, rng, p)]
        if not self.scouted:
            yield from guided
            return False
        self.went_on = True
        slips = len(loss.data.observed.parameters) > 1
        found = [*guided, *scouted_starts(loss, rng, p, _HERD_OF_SLIPS if slips else _HERD)]
        small = is_small(loss, len(found) + 1)
        if slips and small:
            yield from evolved(loss, rng, p, [*found, self._best_point()], _BRED)
        yield from found[: _HERD // 2 if slips and small else _HERD]
        barren = 0
        while small and barren < self._effort.barren:
            before = self._best_value()
            yield from evolved(loss, rng, p, [*found, self._best_point()], _BRED)
            barren = barren + 1 if self._best_value() >= before - CREEPING * abs(before) else 0
        return small

    def _at(self, weights: FloatArray, p: float) -> Point:
        p = self._allowed(p)
        return Point(weights, p, self._loss.starting_extras(weights, p))

    def _allowed(self, p: float) -> float:
        """A power like this one that may be searched; a given one is taken as it is."""
        return self._loss.allowed(p) if self._fixed is None else p

    def _best_point(self) -> Point:
        assert self.best is not None
        return self.best.point

    def _best_value(self) -> float:
        assert self.best is not None
        return self.best.value

    def _anywhere(self) -> Point:
        """Random weights, or random slopes from which weights follow, at a random power."""
        weights = self._random_weights()
        start = self._at(weights, self._random_power() if self._fixed is None else self._fixed)
        leading = self._loss.data.leading
        if not leading:
            return start
        drawn = _SPREAD_OF_SLOPES * self._rng.normal(size=leading)
        extras = np.clip(np.concatenate([drawn, start.extras[leading:]]), *self._loss.extra_bounds)
        return Point(start.weights, start.p, extras)

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
            return self._anywhere()
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
            return self._anywhere()
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
