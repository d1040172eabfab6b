"""Many starts that walk together, roughly: to tell the bowls of a loss apart.

Each walker takes damped Gauss-Newton steps in log weights, or far out in their ratios to p, in
t = asinh(p) and in the noise model's parameters. Who can no longer reach what others have found is
left behind. What comes of them is polished by :mod:`~welfarist.solvers.descent`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.losses import Loss, Point
from welfarist.solvers.scouts import on_simplex
from welfarist.solvers.terrain import Look, Terrain

_FIRST_DAMPING, _LARGEST_DAMPING = 1e-2, 1e8
_FLOOR = 1e-9  # of the typical curvature, for what the data do not determine
_LONGEST = 3.0  # step in a log weight
_LONGEST_RATIO = 1.0  # step in a ratio log(w) / p
_LONGEST_IN_POWER, _LONGEST_IN_EXTRA = 1.0, 2.0
_RATIO_POWER = 2.0  # |p| from which steps are in ratios
# Of log weights: who is there hardly counts, but whether they should is still to be seen.
_LOWEST, _LOWEST_FAR_OUT = -30.0, -600.0
_LIGHT, _RELEASED = -6.0, -3.5  # log weights of who may be let in again, and with what
_WORTH = 1e-4  # relative decrease that letting somebody in must promise
_RELEASES = 5
_NEARER = 20.0  # |p| below which weights are more than ratios
_DONE = 1e-6  # relative decrease that is not worth a step
_PATIENCE, _HOPE = 6, 30.0  # steps after which a walker must be able to reach the best
_ALIKE, _SAME_LOSS = 1e-3, 1e-4  # how near walkers of the same bowl come to each other


@dataclass
class Flock:
    """Rules: log weights (B, k), t = asinh(p) (B,), noise (B, m); and their losses (B,).

    `looks` is what the last look has told about them; `arrived` (B,) says who stopped because no
    step promised much.
    """

    logits: FloatArray
    t: FloatArray
    extras: FloatArray
    losses: FloatArray
    values: FloatArray
    arrived: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.t)

    def of(self, rows: npt.NDArray[np.intp]) -> Flock:
        """Return some of them."""
        return Flock(
            self.logits[rows],
            self.t[rows],
            self.extras[rows],
            self.losses[rows],
            self.values[rows],
            self.arrived[rows],
        )

    def points(self, loss: Loss) -> list[Point]:
        """Return them as points of a loss."""
        return [
            Point(on_simplex(row - row.max(), loss.interior), float(p), extras)
            for row, p, extras in zip(self.logits, np.sinh(self.t), self.extras, strict=True)
        ]

    def bowls(self) -> list[npt.NDArray[np.intp]]:
        """Return who stands in the same bowl, the lowest first."""
        order = np.argsort(self.losses, kind="stable")
        order = order[np.isfinite(self.losses[order])]
        found: list[list[int]] = []
        centred = self.values - self.values.mean(axis=1, keepdims=True)
        for i in order.tolist():
            for bowl in found:
                first = bowl[0]
                near = self.losses[i] - self.losses[first] <= _SAME_LOSS * self.losses[first]
                apart = centred[i] - centred[first]
                if near and apart @ apart <= _ALIKE * (centred[first] @ centred[first]):
                    bowl.append(i)
                    break
            else:
                found.append([i])
        return [np.array(bowl) for bowl in found]


def together(one: Flock, other: Flock) -> Flock:
    """Return both flocks as one."""
    pairs = zip(vars(one).values(), vars(other).values(), strict=True)
    return Flock(*(np.concatenate(pair) for pair in pairs))


def at(terrain: Terrain, logits: FloatArray, powers: FloatArray, extras: FloatArray) -> Flock:
    """Return a flock that has not moved."""
    look = terrain.look(logits, powers, extras, np.zeros(0, dtype=bool))
    there = np.zeros(len(powers), dtype=bool)
    return Flock(logits, np.arcsinh(powers), extras, look.losses, look.values, there)


def walk(
    terrain: Terrain,
    loss: Loss,
    flock: Flock,
    steps: int,
    best: float = np.inf,
) -> tuple[Flock, int]:
    """Return the flock after up to so many steps, and how many all of them made together.

    `best` is a loss that is known to be had.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # of walkers far off
        return _walked(terrain, loss, flock, steps, best)


def _walked(
    terrain: Terrain, loss: Loss, flock: Flock, steps: int, best: float
) -> tuple[Flock, int]:
    walkers, made = _Walkers(terrain, loss, flock), len(flock)
    for step in range(steps):
        left = walkers.move()
        made += len(left)
        best = min(best, float(flock.losses.min()))
        hopeless = (step >= _PATIENCE) & (flock.losses[left] - best > _HOPE * walkers.promised)
        if not walkers.keep(~hopeless):
            break
    return flock, made


class _Walkers:
    """Those of a flock who still walk; the flock is kept up to date."""

    def __init__(self, terrain: Terrain, loss: Loss, flock: Flock) -> None:
        self._terrain, self._flock = terrain, flock
        self._rows = np.flatnonzero(np.isfinite(flock.losses))
        self._damping = np.full(len(self._rows), _FIRST_DAMPING)
        self._edges = np.arcsinh(loss.search_range)
        self._bounds = loss.extra_bounds
        self.promised = np.full(len(self._rows), np.inf)
        self._releases = np.zeros(len(self._rows), dtype=np.intp)
        self._ratios = self._far_out()
        self._look = self._looked(self._rows, self._ratios)

    def _far_out(self) -> npt.NDArray[np.bool_]:
        return np.asarray(np.abs(np.sinh(self._flock.t[self._rows])) >= _RATIO_POWER)

    def _looked(self, rows: npt.NDArray[np.intp], ratios: npt.NDArray[np.bool_]) -> Look:
        flock = self._flock
        return self._terrain.look(
            flock.logits[rows], np.sinh(flock.t[rows]), flock.extras[rows], ratios
        )

    def move(self) -> npt.NDArray[np.intp]:
        """Let everybody try a step; return who they are."""
        flock, rows, look = self._flock, self._rows, self._look
        moves, self.promised = self._steps()
        logits, t, extras = self._moved(moves)
        ratios = np.abs(np.sinh(t)) >= _RATIO_POWER
        fresh = self._terrain.look(logits, np.sinh(t), extras, ratios)
        gain = look.losses - fresh.losses
        better = gain > 0
        there = rows[better]
        flock.logits[there], flock.t[there] = logits[better], t[better]
        flock.extras[there], flock.losses[there] = extras[better], fresh.losses[better]
        flock.values[there] = fresh.values[better]
        for name in ("losses", "gradients", "curvatures"):
            getattr(look, name)[better] = getattr(fresh, name)[better]
        self._ratios = np.where(better, ratios, self._ratios)
        good, poor = gain > 0.7 * self.promised, ~(gain > 0.2 * self.promised)
        self._damping = np.where(good, 0.15 * self._damping, self._damping)
        self._damping = np.where(poor, 4.0 * self._damping, self._damping)
        self._damping = np.where(better, self._damping, 2.0 * self._damping)
        flock.arrived[rows] = self.promised <= _DONE * np.abs(look.losses)
        self._release()
        return rows

    def _release(self) -> None:
        """Let in again who was left out on the way, where that lowers the loss.

        In log weights nobody comes back who hardly counts: the slope is in proportion to a weight.
        """
        flock, look, k = self._flock, self._look, self._terrain.weights
        powers = np.sinh(flock.t[self._rows])
        waiting = flock.arrived[self._rows] & (np.abs(powers) < _NEARER)
        waiting &= self._releases < _RELEASES
        for b in np.flatnonzero(waiting).tolist():
            row = self._rows[b]
            logs = flock.logits[row] - np.log(np.exp(flock.logits[row]).sum())
            slopes = look.gradients[b, :k] * np.exp(-np.maximum(logs, _LOWEST_FAR_OUT))
            slopes /= powers[b] if self._ratios[b] else 1.0
            gains = -slopes * np.exp(_RELEASED)
            wanted = (logs < _LIGHT) & (gains > _WORTH * np.abs(look.losses[b]))
            if wanted.any():
                self._let_in(b, logs, int(np.argmax(np.where(wanted, gains, -np.inf))))

    def _let_in(self, b: int, logs: FloatArray, who: int) -> None:
        """Go on with somebody who counts again, if the loss is no higher then."""
        flock, look, row = self._flock, self._look, self._rows[b]
        self._releases[b] += 1
        part = slice(b, b + 1)
        for released in _RELEASED, 2.0 * _RELEASED:
            logs = logs.copy()
            logs[who] = released
            fresh = self._terrain.look(
                logs[None], np.sinh(flock.t[[row]]), flock.extras[[row]], self._ratios[part]
            )
            if fresh.losses[0] < look.losses[b]:
                flock.logits[row] = logs
                flock.losses[row], flock.values[row] = fresh.losses[0], fresh.values[0]
                for name in ("losses", "gradients", "curvatures"):
                    getattr(look, name)[b] = getattr(fresh, name)[0]
                flock.arrived[row] = False
                self._damping[b] = _FIRST_DAMPING
                return

    def keep(self, going: npt.NDArray[np.bool_]) -> bool:
        """Keep who has not arrived, is not stuck, and may get far; return whether any is left."""
        going = going & ~self._flock.arrived[self._rows] & (self._damping < _LARGEST_DAMPING)
        self._rows, self._damping = self._rows[going], self._damping[going]
        self._ratios, self._releases = self._ratios[going], self._releases[going]
        look = self._look
        self._look = Look(
            look.losses[going],
            look.values[going],
            look.gradients[going],
            look.curvatures[going],
        )
        return bool(going.any())

    def _steps(self) -> tuple[FloatArray, FloatArray]:
        """Damped steps (B, q), and the decreases (B,) that they promise."""
        look = self._look
        size = look.gradients.shape[1]
        on_diagonal = np.arange(size)
        diagonal = look.curvatures[:, on_diagonal, on_diagonal]
        least = _FLOOR * diagonal.mean(axis=1, keepdims=True) + 1e-300
        damped = look.curvatures.copy()
        damped[:, on_diagonal, on_diagonal] += (
            self._damping[:, None] * np.maximum(diagonal, least) + least
        )
        usable = np.isfinite(damped.sum(axis=(1, 2)) + look.gradients.sum(axis=1))
        damped[~usable] = np.eye(size)
        gradients = np.where(usable[:, None], look.gradients, 0.0)
        try:
            moves = np.asarray(-np.linalg.solve(damped, gradients[:, :, None])[:, :, 0], float)
        except np.linalg.LinAlgError:  # of one of them: everybody else can wait a step
            moves = np.zeros_like(gradients)
            usable[:] = False
        moves = self._shortened(moves)
        bent = (look.curvatures @ moves[:, :, None])[:, :, 0]
        promised = -(gradients * moves).sum(axis=1) - 0.5 * (bent * moves).sum(axis=1)
        promised[~usable] = np.inf
        self._damping[~usable] = np.maximum(self._damping[~usable], 1.0)
        return moves, promised

    def _shortened(self, moves: FloatArray) -> FloatArray:
        """No move is longer than it may be."""
        k, terrain = self._terrain.weights, self._terrain
        longest = np.where(self._ratios, _LONGEST_RATIO, _LONGEST)[:, None]
        moves[:, :k] = np.clip(moves[:, :k], -longest, longest)
        if terrain.learn_power:
            t = self._flock.t[self._rows]
            low = np.maximum(self._edges[0] - t, -_LONGEST_IN_POWER)
            high = np.minimum(self._edges[1] - t, _LONGEST_IN_POWER)
            moves[:, k] = np.clip(moves[:, k], low, high)
        if terrain.extras:
            tail = slice(moves.shape[1] - terrain.extras, None)
            moves[:, tail] = np.clip(moves[:, tail], -_LONGEST_IN_EXTRA, _LONGEST_IN_EXTRA)
        return moves

    def _moved(self, moves: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Log weights, t and extras after moves (B, q)."""
        flock, rows, terrain = self._flock, self._rows, self._terrain
        k = terrain.weights
        t, extras = flock.t[rows], flock.extras[rows]
        fresh = t + moves[:, k] if terrain.learn_power else t
        # In ratios nobody crosses 0.
        fresh = np.where(self._ratios & (fresh * t <= 0), t / 2.0, fresh)
        before, after = np.sinh(t), np.sinh(fresh)
        factor = np.where(self._ratios, after / np.where(before == 0, 1.0, before), 1.0)
        unit = np.where(self._ratios, after, 1.0)
        logits = flock.logits[rows] * factor[:, None] + unit[:, None] * moves[:, :k]
        logits -= logits.max(axis=1, keepdims=True)
        lowest = np.where(self._ratios, _LOWEST_FAR_OUT, _LOWEST)[:, None]
        np.maximum(logits, lowest, out=logits)
        if terrain.extras:
            moved = extras + moves[:, moves.shape[1] - terrain.extras :]
            extras = np.clip(moved, *self._bounds)
        return logits, fresh, extras
