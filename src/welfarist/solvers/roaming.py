"""Where optima are many: flocks on both far sides and between, and what comes of the best of them.

Far out a rule is nearly ``max_i u_i exp(a_i)``: who counts, and how far, is a question of choice,
with an optimum wherever no small change helps. So three flocks search apart, for p far below, about
and far above 0, and none is given up because another found something good early. Then the best of
each have offspring: one person's weight moved to another valley of its own profile, people
exchanged, two rules crossed, powers moved along paths that keep the ratios log(w) / p. It goes on
as long as that finds something better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionLoss, Loss, Point
from welfarist.losses.glances import GENTLE
from welfarist.solvers.exchanges import exchanged
from welfarist.solvers.flock import Flock, at, together, walk
from welfarist.solvers.scouts import levels_of, normalised, spread_of
from welfarist.solvers.terrain import Terrain

_FURTHEST = 4.35  # asinh(p spread), as far as scouts look
_FAR = 4.0  # |p| times the spread of log utilities where the far sides begin
_RATIOS = (0.3, 1.0, 2.0)  # how far ratios are drawn from 0, in units of the spread
_ABOUT = 1.5  # |p| spread from which ratios log(w) / p are drawn rather than weights
_CONCENTRATION = 0.5
_LEAST = -600.0  # of log weights
# Walkers of a side: so many, and so many more per free weight; rules drawn for each of them.
_FEW, _PER_WEIGHT, _DRAWN = 6, 0.8, 8
_MOST = 32
_FIRST_STEPS, _STEPS = 30, 20
# Offspring that are looked at, and that walk, in a generation; parents of a side.
_LOOKED_AT, _WALKING, _PARENTS = 80, 8, 10
_SCANNED, _EXCHANGED = 1, 8  # parents whose people are exchanged one by one; exchanges that walk
_CHOSEN_BY_RANK = 0.3
_BARREN = 2  # generations of a side in a row without a better rule
_BETTER = 1e-4  # relative decrease of the loss by a generation that lets a side go on
# Relative difference in loss above which a side is not worth offspring.
_BEHIND = 0.3
# How many operations, roughly, all of it may take, the first walk and each generation at most.
BUDGET = 6e8
# How many numbers about people, and how many pairs, walkers look at: of more, a random share.
_MOST_NUMBERS, _MOST_ROWS = 12_000, 2_500
_POLISHED = 3  # rules that become starts, at most
_NEAR_BEST = 0.02  # relative difference in loss above which they are not worth it


def roamed_starts(
    loss: Loss, rng: np.random.Generator, p: float | None, best: Point, budget: float = BUDGET
) -> list[Point]:
    """Return starts that differ, the most promising first; `best` is the best point so far."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # of walkers far off
        search = _Roaming(loss, rng, p, budget)
        search.begin(best)
        while search.go_on():
            pass
        return search.starts()


def _share(loss: Loss, rng: np.random.Generator) -> DecisionLoss:
    """The loss of the decisions, of a random share if they are many."""
    data = loss.data
    share = min(_MOST_NUMBERS / data.people.size, _MOST_ROWS / data.decisions)
    return data if share >= 1.0 else data.share(share, rng)


@dataclass
class _Side:
    """One of the three sides: its flock, the lowest first, and generations without a better one."""

    flock: Flock
    barren: int = 0


class _Roaming:
    """Three flocks, and what is left to be spent."""

    def __init__(
        self, loss: Loss, rng: np.random.Generator, p: float | None, budget: float
    ) -> None:
        self._loss, self._rng, self._p = loss, rng, p
        self._data = _share(loss, rng)
        self._terrain = Terrain(self._data)
        self._spread = spread_of(self._data)
        self._left = budget
        self._scanned: set[float] = set()
        self._sides: dict[int, _Side] = {}

    def begin(self, best: Point) -> None:
        """Draw flocks for all sides, and let them walk."""
        k = self._terrain.weights
        walkers = int(min(_FEW + _PER_WEIGHT * k, _MOST))
        affordable = self._left / (3.0 * 3.0 * _FIRST_STEPS * self._terrain.numbers)
        walkers = int(max(min(walkers, affordable), _FEW))
        sides = (0, -1, 1) if self._p is None else (0,)
        flocks = [self._first(side, walkers) for side in sides]
        with np.errstate(divide="ignore"):
            known = np.maximum(np.log(best.weights), _LEAST)[None]
        flocks.append(at(self._terrain, known, np.array([best.p]), best.extras[None]))
        self._regroup(flocks, {})

    def go_on(self) -> bool:
        """Let the sides have offspring that are worth it; whether there are more to come."""
        best = min(side.flock.losses[0] for side in self._sides.values())
        live = {
            name: side
            for name, side in self._sides.items()
            if side.barren < _BARREN and side.flock.losses[0] <= best + _BEHIND * abs(best)
        }
        if not live or self._left <= 0:
            return False
        born = [self._offspring(side.flock) for side in live.values()]
        before = {name: float(side.flock.losses[0]) for name, side in live.items()}
        self._regroup([*(side.flock for side in self._sides.values()), *born], before)
        return True

    def starts(self) -> list[Point]:
        """Return what is worth a closer look."""
        every = self._all([side.flock for side in self._sides.values()])
        order = np.argsort(every.losses, kind="stable")[:_POLISHED]
        least = every.losses[order[0]]
        kept = order[every.losses[order] <= least + _NEAR_BEST * abs(least)]
        return every.of(kept).points(self._loss)

    def _first(self, side: int, walkers: int) -> Flock:
        """A flock of this side that has walked; each begins at the best of several draws."""
        logits, powers = self._drawn(side, walkers * _DRAWN)
        losses, extras = self._fitted(logits, powers)
        kept = losses.reshape(walkers, _DRAWN).argmin(axis=1) + np.arange(walkers) * _DRAWN
        flock = at(self._terrain, logits[kept], powers[kept], extras[kept])
        return self._walked(flock, _FIRST_STEPS, np.inf)

    def _walked(self, flock: Flock, steps: int, best: float) -> Flock:
        walked, made = walk(self._terrain, self._loss, flock, steps, best)
        self._left -= made * self._terrain.numbers
        return walked

    def _fitted(self, logits: FloatArray, powers: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Losses (B,), and the noise model's parameters (B, m) that roughly fit."""
        if self._data.squared:
            extras = self._terrain.scales(logits, powers)
            return self._terrain.losses(logits, powers, extras), extras
        with np.errstate(over="ignore"):
            return self._data.glance(normalised(logits), powers).best_extras(GENTLE)

    def _drawn(self, side: int, count: int) -> tuple[FloatArray, FloatArray]:
        """Log weights (count, k) and powers (count,) of rules of a side."""
        rng, k, spread = self._rng, self._terrain.weights, self._spread
        low, high = self._loss.search_range
        begins = float(np.arcsinh(_FAR))
        ends = max(min(float(np.arcsinh(high * spread)), _FURTHEST), begins)
        if self._p is not None:
            powers = np.full(count, self._p)
        elif side:
            powers = side * np.sinh(rng.uniform(begins, ends, count)) / spread
        else:
            powers = np.sinh(rng.uniform(-begins, begins, count)) / spread
        powers = np.clip(powers, low, high) if self._p is None else powers
        shares = rng.dirichlet(np.full(k, _CONCENTRATION), count)
        logits = np.log(np.maximum(shares, 1e-300))
        sizes = (powers * spread * rng.choice(_RATIOS, count))[:, None]
        ratios = sizes * rng.normal(size=(count, k))
        drawn = (np.abs(powers) * spread > _ABOUT) & (rng.random(count) < 0.75)
        logits = np.where(drawn[:, None], ratios, logits)
        of_welfare = rng.random(count) < 0.5
        logits = np.where(of_welfare[:, None], logits - self._levels(powers), logits)
        logits -= logits.max(axis=1, keepdims=True)
        return np.maximum(logits, _LEAST), powers

    def _levels(self, powers: FloatArray) -> FloatArray:
        """What a free weight contributes to a typical action (B, k), at powers roughly these."""
        steps, places = np.unique(
            np.round(np.arcsinh(powers * self._spread) * 4.0), return_inverse=True
        )
        at_steps = np.sinh(steps / 4.0) / self._spread
        levels = np.array([levels_of(self._data, p) for p in at_steps.tolist()])
        return np.asarray(levels[places])

    def _all(self, flocks: list[Flock]) -> Flock:
        """The lowest of each bowl."""
        every = flocks[0]
        for flock in flocks[1:]:
            every = together(every, flock)
        return every.of(np.array([bowl[0] for bowl in every.bowls()]))

    def _regroup(self, flocks: list[Flock], before: dict[int, float]) -> None:
        """Share out all rules among the sides, on which they may have met."""
        every = self._all(flocks)
        far = np.sinh(every.t) * self._spread
        name = np.where(np.abs(far) > _FAR, np.sign(far), 0).astype(int)
        barren = {side: found.barren for side, found in self._sides.items()}
        self._sides = {}
        for side in (0, -1, 1):
            rows = np.flatnonzero(name == side)[:_PARENTS]
            if not len(rows):
                continue
            flock = every.of(rows)
            count = barren.get(side, 0)
            if side in before:
                slack = _BETTER * abs(before[side])
                count = 0 if flock.losses[0] < before[side] - slack else count + 1
            self._sides[side] = _Side(flock, count)

    def _offspring(self, parents: Flock) -> Flock:
        """Offspring of the rules of a side, after a walk."""
        logits, powers, extras, walking = self._bred(parents)
        fresh, moved, noise = self._exchanges(parents)
        looked = at(self._terrain, logits, powers, extras)
        order = np.argsort(looked.losses, kind="stable")
        half = walking // 2
        others = self._rng.choice(order[half:], walking - half, replace=False)
        kept = looked.of(np.concatenate([order[:half], others]))
        if len(moved):
            kept = together(kept, at(self._terrain, fresh, moved, noise))
        return self._walked(kept, _STEPS, float(parents.losses[0]))

    def _exchanges(self, parents: Flock) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rules in which one person's weight has moved to another valley of its profile."""
        logits, powers, extras = [], [], []
        scanned = 0
        for i in range(len(parents)):
            if scanned == _SCANNED:
                break
            key = float(parents.losses[i])
            if key in self._scanned:
                continue
            self._scanned.add(key)
            scanned += 1
            p = float(np.sinh(parents.t[i]))
            rules = exchanged(
                self._terrain, parents.logits[i], p, parents.extras[i], self._spread, _EXCHANGED
            )
            self._left -= 0.5 * self._terrain.weights * self._terrain.numbers
            logits += rules
            powers += [p] * len(rules)
            extras += [parents.extras[i]] * len(rules)
        size = len(powers)
        shape = (size, self._terrain.weights), (size, self._terrain.extras)
        return np.reshape(logits, shape[0]), np.array(powers), np.reshape(extras, shape[1])

    def _bred(self, parents: Flock) -> tuple[FloatArray, FloatArray, FloatArray, int]:
        """Log weights, powers and noise of random offspring, and how many of them are to walk."""
        rng, count = self._rng, _LOOKED_AT
        one = self._picked(parents, count)
        logits, powers = parents.logits[one], np.sinh(parents.t[one])
        logits = logits - logits.max(axis=1, keepdims=True)
        far = np.abs(powers) >= 2.0
        unit = np.where(far, powers, 1.0)[:, None]
        reach = np.where(far, self._spread, 1.0)[:, None]
        kinds = rng.choice(4, count, p=(0.4, 0.15, 0.25, 0.2))
        if self._p is not None:
            kinds = np.where(kinds == 1, 0, kinds)
        moved = self._swapped(logits, unit, np.where(far, self._spread, 3.0)[:, None])
        crossed = self._crossed(parents, logits, powers, far)
        steps = 10.0 ** rng.uniform(-1.0, 0.0, (count, 1)) * rng.normal(size=logits.shape)
        stirred = logits + unit * reach * steps
        low, high = self._loss.search_range
        elsewhere = np.clip(powers * np.exp(rng.normal(size=count)), low, high)
        factor = np.where(far, elsewhere / np.where(far, powers, 1.0), 1.0)
        choices = [moved, logits * factor[:, None], crossed, stirred]
        logits = np.choose(kinds[:, None], choices)
        powers = np.where(kinds == 1, elsewhere, powers)
        logits -= logits.max(axis=1, keepdims=True)
        extras = parents.extras[one]
        return np.maximum(logits, _LEAST), powers, extras, _WALKING

    def _picked(self, parents: Flock, count: int) -> npt.NDArray[np.intp]:
        """Parents, better ones more often."""
        ranks = self._rng.geometric(_CHOSEN_BY_RANK, count) - 1
        return np.minimum(ranks, len(parents) - 1)

    def _swapped(self, logits: FloatArray, unit: FloatArray, reach: FloatArray) -> FloatArray:
        """One person or a few drawn anew, or left out."""
        rng, shape = self._rng, logits.shape
        share = rng.geometric(0.5, (shape[0], 1)) / shape[1]
        chosen = rng.random(shape) < share
        chosen[np.arange(shape[0]), rng.integers(0, shape[1], shape[0])] = True
        counted = logits > -500.0
        out = chosen & counted & (rng.random(shape) < 0.4)
        out &= ~out.all(axis=1, keepdims=True)
        middle = np.nanmedian(np.where(counted, logits / unit, np.nan), axis=1, keepdims=True)
        fresh = unit * (middle + reach * rng.normal(size=shape))
        return np.where(out, _LEAST, np.where(chosen, fresh, logits))

    def _crossed(
        self,
        parents: Flock,
        logits: FloatArray,
        powers: FloatArray,
        far: npt.NDArray[np.bool_],
    ) -> FloatArray:
        """Each person's weight from one of two rules; far out their ratios."""
        other = self._picked(parents, len(powers))
        theirs = np.sinh(parents.t[other])
        same = far & (np.abs(theirs) >= 2.0) & (theirs * powers > 0)
        factor = np.where(same, powers / np.where(theirs == 0, 1.0, theirs), 1.0)
        given = parents.logits[other]
        given = (given - given.max(axis=1, keepdims=True)) * factor[:, None]
        return np.where(self._rng.random(logits.shape) < 0.5, given, logits)
