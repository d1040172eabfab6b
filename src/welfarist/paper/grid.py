"""Algorithm 1 of the paper: a grid of powers, gradient descent on the weights at each.

[PSPS24, Appendix "Algorithm"]. The printed pseudocode starts the best value at 0 and never stores
p; what is meant is a start at infinity, with p kept beside the weights. The step is printed for
the gradient and meant for the weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from scipy.optimize import dual_annealing

from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionLoss, Loss, Point
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.noise.base import SMALLEST_TAU
from welfarist.paper.fixed_power import COVERS, FixedPower, refuse_infinite, require_plain
from welfarist.paper.unfinished import REMEDY, in_words, left_to_gain
from welfarist.solvers.base import Optimum
from welfarist.solvers.simplex import onto_simplex, project

# Entries of a gradient that differ by less, relative to their size, are nearly equal.
_NEARLY_EQUAL = 1e-6
# Weights whose sum is off by more have drifted from the simplex over many steps.
_DRIFTED = 1e-12
# The longest step whose square is a number.
_LARGEST_ROOT = 1e150


@dataclass(frozen=True)
class ClippedDescent:
    """Gradient descent whose step is at most the learning rate, as the paper describes it.

    ``w <- w - min(rate, |g|) g / |g|`` with g projected on the simplex's tangent; the exact
    projection follows only where a weight gets too small. The rate is halved when the best loss
    has not improved for `patience` steps; a start ends when its rate or the range of its recent
    losses is too small. g is the gradient of the summed loss: that of the mean is so short for
    comparisons that steps would never be clipped, and the descent would not arrive.

    Attributes
    ----------
    rate : float
        The first learning rate.
    patience : int
        Steps without improvement before the rate is halved.
    improvement : float
        Relative decrease that counts as one: a start that swings across a valley goes down a
        little with every swing and would never be slowed otherwise.
    smallest_rate : float
        The rate at which a start ends.
    range_tolerance : float
        Relative range of the last `patience` losses at which a start ends.
    smallest_weight : float
        Weights below this are projected back.
    max_iter : int
        Largest number of steps.
    """

    rate: float = 0.1
    patience: int = 20
    improvement: float = 1e-4
    smallest_rate: float = 1e-6
    range_tolerance: float = 1e-9
    smallest_weight: float = 1e-6
    max_iter: int = 5000

    def run(
        self,
        at: FixedPower,
        weights: FloatArray,
        log_tau: FloatArray,
        largest: float,
        observations: float,
    ) -> tuple[FloatArray, FloatArray, FloatArray, int]:
        """Descend from S starts (S, k), (S,) in parallel.

        Returns the best losses (S,), weights (S, k), log temperatures (S,) and the steps taken.
        """
        starts = len(weights)
        learn = weights.shape[1] > 1
        rate = np.full(starts, self.rate)
        best = np.full(starts, np.inf)
        best_weights, best_log_tau = weights.copy(), log_tau.copy()
        since = np.zeros(starts, dtype=int)
        recent = np.full((self.patience, starts), np.inf)
        active = np.ones(starts, dtype=bool)
        for step in range(1, self.max_iter + 1):
            batch = at.evaluate(weights, log_tau)
            better = batch.value < best
            clearly = batch.value < best * (1.0 - self.improvement)
            best = np.where(better, batch.value, best)
            best_weights[better], best_log_tau[better] = weights[better], log_tau[better]
            since = np.where(clearly, 0, since + 1)
            tired = since >= self.patience
            rate = np.where(tired, rate / 2, rate)
            since = np.where(tired, 0, since)
            recent[step % self.patience] = batch.value
            with np.errstate(invalid="ignore"):  # of infinite losses nothing is known
                flat = np.ptp(recent, axis=0) <= self.range_tolerance * np.abs(best)
            active &= ~((rate < self.smallest_rate) | ((step >= self.patience) & flat))
            if not active.any():
                break
            tangent = _tangent(batch.by_weight)
            tangent *= learn
            gradient = np.column_stack([tangent, batch.by_log_tau])
            length = _lengths(gradient)
            stride = np.minimum(rate, observations * length) / np.maximum(length, 1e-300) * active
            weights = weights - stride[:, None] * tangent
            log_tau = np.clip(
                log_tau - stride * batch.by_log_tau, np.log(SMALLEST_TAU), np.log(largest)
            )
            for start in np.flatnonzero((weights < self.smallest_weight).any(axis=1)):
                weights[start] = project(weights[start])
        return best, best_weights, best_log_tau, step


def _lengths(rows: FloatArray) -> FloatArray:
    """The Euclidean lengths (S,) of rows (S, k), also of those whose squares are beyond numbers."""
    largest = np.abs(rows).max(axis=1)
    unit = np.where(largest > _LARGEST_ROOT, largest, 1.0)
    return np.asarray(unit * np.sqrt(np.square(rows / unit[:, None]).sum(axis=1)))


def _tangent(gradient: FloatArray) -> FloatArray:
    """The part of gradients (S, k) that keeps the sum of the weights."""
    tangent = gradient - gradient.mean(axis=1, keepdims=True)
    # What rounding left of nearly equal entries has no sum of 0, and is centred again: steps are as
    # long as the learning rate however short a gradient is.
    small = np.abs(tangent).max(axis=1) < _NEARLY_EQUAL * np.abs(gradient).max(axis=1)
    tangent[small] -= tangent[small].mean(axis=1, keepdims=True)
    return np.asarray(tangent)


@dataclass(frozen=True)
class Grid:
    """The paper's search over p with gradient descent on the weights (and tau) at each.

    Parameters
    ----------
    lower, upper, step : float
        The grid of powers; the paper's is [-3.5, 3.5] in steps of 0.1.
    outer : "grid" or "annealing"
        Try every power of the grid, or search [lower, upper] by simulated annealing (SciPy's
        `dual_annealing`), which the paper names as the alternative.
    annealing_iter : int
        Rounds of annealing.
    descent : ClippedDescent
        How weights are found at each power.
    """

    lower: float = -3.5
    upper: float = 3.5
    step: float = 0.1
    outer: Literal["grid", "annealing"] = "grid"
    annealing_iter: int = 20
    descent: ClippedDescent = ClippedDescent()

    def powers(self) -> FloatArray:
        """The grid, both ends included, with 0 exactly 0."""
        count = round((self.upper - self.lower) / self.step)
        return np.round(self.lower + self.step * np.arange(count + 1), 12)

    def covers(self, feature: str) -> bool:
        """What the paper covers."""
        return feature in COVERS

    def check(self, loss: Loss) -> None:
        """Refuse what the paper's method does not cover."""
        require_plain(loss, "grid")
        if not (self.lower <= self.upper and self.step > 0):
            raise InputError(
                "the grid of powers must have lower <= upper and a positive step; found lower = "
                f"{self.lower:g}, upper = {self.upper:g}, step = {self.step:g}."
            )
        if loss.has_zeros and self.upper <= 0:
            raise InputError(
                "the grid of powers must reach above 0 where a utility is 0; found upper = "
                f"{self.upper:g}."
            )

    def minimise(
        self,
        loss: Loss,
        rng: np.random.Generator,
        *,
        p: float | None,
        observations: float,
        progress: Progress,
    ) -> Optimum:
        """Minimise a loss; see :class:`~welfarist.solvers.base.Solver`."""
        refuse_infinite(p, "grid")
        ends = (self.lower, self.upper) if p is None and self.lower < self.upper else None
        search = _PowerSearch(loss.data, self.descent, observations, ends)
        try:
            if p is not None:
                search.visit(p)
            elif self.outer == "annealing":
                self._anneal(search, rng, loss.has_zeros, progress)
            else:
                powers = self.powers()
                powers = powers[powers > 0] if loss.has_zeros else powers
                for power in progress.track(powers, len(powers), "powers"):
                    search.visit(float(power))
        except KeyboardInterrupt:
            return search.optimum(interrupted=True)
        return search.optimum(interrupted=False)

    def _anneal(
        self, search: _PowerSearch, rng: np.random.Generator, positive: bool, progress: Progress
    ) -> None:
        lower = max(self.lower, self.step) if positive else self.lower
        seed = int(rng.integers(2**31))
        rounds = iter(progress.track(range(10**9), 4 * self.annealing_iter, "annealing"))

        def value(x: Any) -> float:
            next(rounds)
            return search.visit(float(x[0]))

        dual_annealing(
            value,
            [(lower, self.upper)],
            maxiter=self.annealing_iter,
            rng=seed,
            no_local_search=True,
        )


class _PowerSearch:
    """The best point so far, over the powers visited."""

    def __init__(
        self,
        loss: DecisionLoss,
        descent: ClippedDescent,
        observations: float,
        ends: tuple[float, float] | None,
    ) -> None:
        self._loss = loss
        self._ends = ends
        self._observations = observations
        self._descent = descent
        self._best: tuple[float, Point] | None = None
        self._values: list[float] = []
        self._steps = 0

    def visit(self, p: float) -> float:
        """Find the best weights at one power from d + 1 starts; return their loss."""
        loss = self._loss
        at = FixedPower(loss, p)
        weights = near_vertices(loss.weighting.free)
        tau_start, largest = 0.0, 1.0
        comparisons = not loss.squared
        if comparisons:
            tau_start = float(loss.starting_extras(loss.weighting.start(), p)[0])
            largest = cast(ObservedPairs, loss.observed).tau_max
        log_tau = np.full(len(weights), tau_start)
        values, found, log_taus, steps = self._descent.run(
            at, weights, log_tau, largest, self._observations
        )
        k = int(np.argmin(values))
        free = found[k] if loss.weighting.free else np.empty(0)
        if loss.weighting.free and abs(free.sum() - 1.0) > _DRIFTED:
            free = onto_simplex(free)
        extras = log_taus[k : k + 1] if comparisons else np.empty(0)
        self._values.append(float(values[k]))
        self._steps += steps
        if self._best is None or values[k] < self._best[0]:
            self._best = (float(values[k]), Point(free, p, extras))
        return float(values[k])

    def _searched(self) -> str:
        return f"searched {len(self._values)} power{'' if len(self._values) == 1 else 's'}"

    def optimum(self, interrupted: bool) -> Optimum:
        """Return the best point, or pass the interrupt on if there is none yet."""
        if self._best is None:
            raise KeyboardInterrupt
        value, point = self._best
        values = np.array(self._values)
        reason = f"interrupted after {len(values)} powers" if interrupted else self._searched()
        # The powers of a grid are what was asked for; the weights at the best of them are not.
        left = left_to_gain(self._loss, point, value, hold_power=True)
        at_end = self._ends is not None and point.p in self._ends
        said = [f"at the best of which {in_words(left)}"] if left else []
        said += [f"of which the best, {point.p:g}, is where the search ends"] if at_end else []
        return Optimum(
            point,
            self._loss.weighting.to_people(point.weights),
            value,
            converged=not (interrupted or left or at_end),
            reason=", ".join([reason, *said]),
            n_iter=self._steps,
            start_values=values,
            agreeing=int((values <= value).sum()),
            remedy=REMEDY,
        )


def near_vertices(k: int) -> FloatArray:
    """The paper's k + 1 starts: the centroid, and points close to each vertex (k + 1, k)."""
    if k == 0:
        return np.ones((1, 1))
    almost_one_hot = np.full((k, k), 0.1 / k) + 0.9 * np.eye(k)
    return np.vstack([np.full(k, 1.0 / k), almost_one_hot]) if k > 1 else np.ones((1, 1))
