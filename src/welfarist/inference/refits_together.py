"""Fits to many resamples at once, all of which begin at the estimates.

Resamples of a data set share its pairs: they differ in how often each was compared. Where a data
set is small a fit of its own costs what handling arrays costs, which many fits can share. A
resample whose fit is not of the plainest kind (a weight that reaches 0, a power that is not pinned
down, an edge) is left to :func:`~welfarist.inference.refits.refit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.power_mean.together import can_be_together, log_means_together
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.refits import Refit
from welfarist.losses import Point
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.noise.choices import LOGISTIC
from welfarist.people.weighting import Weighting
from welfarist.solvers.multistart import PINNED
from welfarist.solvers.newton import FAR

# Numbers that one step of one fit works on, up to which handling arrays is most of its cost, and
# those of all fits that are worked on at a time.
_SMALL, _AT_A_TIME = 2**15, 2**20
_MOST_STEPS = 20
# The longest step in asinh(p) and in log tau that is taken from the estimates.
_LONGEST = 1.0
# A relative rise of the loss that is nothing but rounding.
_ROUNDING = 1e-13


def can_be_together_fitted(likelihood: Likelihood) -> bool:
    """Whether fits to resamples are of the kind, and so small, that they are quicker together."""
    loss, point = likelihood.loss, likelihood.point
    observed, people = loss.observed, loss.people
    if not (isinstance(observed, ObservedPairs) and type(people) is Columns):
        return False
    plain = observed.noise == LOGISTIC and observed.restraint is None and not people.has_zeros
    known = loss.family == POWER_MEAN and loss.learn_power and type(loss.weighting) is Weighting
    if not (plain and known and loss.weighting.free > 1 and abs(point.p) < FAR):
        return False
    return _size(likelihood) <= _SMALL and bool((point.weights > 0.0).all())


def refits_together(likelihood: Likelihood, samples: Sequence[ObservedPairs]) -> list[Refit | None]:
    """Fit the rule to resamples; None for those that need a fit of their own."""
    step = max(_AT_A_TIME // _size(likelihood), 1)
    found: list[Refit | None] = []
    for start in range(0, len(samples), step):
        found.extend(_Together(likelihood, samples[start : start + step]).fitted())
    return found


def _size(likelihood: Likelihood) -> int:
    loss = likelihood.loss
    q = loss.weighting.free + 2
    return int(loss.people.size + q * (loss.people.actions + 2 * loss.decisions) + q * q)


@dataclass
class _Seen:
    """Loss (B,), gradient (B, q) and Fisher matrix (B, q, q) of every fit where it is."""

    value: FloatArray
    gradient: FloatArray
    fisher: FloatArray


class _Together:
    """Fits that step together.

    Their coordinates are moves of all weights but the heaviest, which takes what these leave,
    asinh(p) and log tau.
    """

    def __init__(self, likelihood: Likelihood, samples: Sequence[ObservedPairs]) -> None:
        self._likelihood, self._loss = likelihood, likelihood.loss
        self._pairs = samples[0].graph.pairs
        self._count = np.array([sample.graph.pairs.count for sample in samples])
        self._lead = np.array([sample.graph.pairs.lead for sample in samples])
        self._total = self._count.sum(axis=1)
        point, fits = likelihood.point, len(samples)
        self._weights = np.tile(point.weights, (fits, 1))
        self._t = np.full(fits, np.arcsinh(point.p))
        self._log_tau = np.full(fits, float(point.extras[0]))
        k = len(point.weights)
        absorber = int(np.argmax(point.weights))
        self._basis = np.delete(np.eye(k), absorber, axis=0)
        self._basis[:, absorber] = -1.0
        self._done = np.zeros(fits, dtype=bool)
        self._uncertain = np.full(fits, np.inf)
        self._value = np.full(fits, np.inf)

    def fitted(self) -> list[Refit | None]:
        """Return what each fit comes to, None for those that are not plain."""
        active = np.arange(len(self._t))
        for _ in range(_MOST_STEPS):
            if not len(active):
                break
            active = self._stepped(active)
        plain = self._done & (self._uncertain < PINNED) & (np.abs(np.sinh(self._t)) < FAR)
        return [self._refit(i) if plain[i] else None for i in range(len(plain))]

    def _refit(self, i: int) -> Refit:
        extras = np.array([self._log_tau[i]])
        point = Point(self._weights[i], float(np.sinh(self._t[i])), extras)
        return Refit(point, self._loss.weights_at(point), float(self._value[i]), True)

    def _stepped(self, active: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Take a step of every active fit; return those that are to go on."""
        if not can_be_together(self._loss.people.table, np.sinh(self._t[active])):  # type: ignore[arg-type]
            return active[:0]
        seen = self._look(active)
        risen = seen.value > self._value[active] * (1.0 + _ROUNDING)
        sound = ~risen & np.isfinite(seen.fisher).all(axis=(1, 2))
        active, seen = active[sound], _Seen(*(a[sound] for a in vars(seen).values()))
        move, variance, solved = _solved(seen)
        promised = -0.5 * np.einsum("bi,bi->b", seen.gradient, move)
        inside = self._go(active, move) & solved & (promised >= 0.0)
        self._value[active] = seen.value
        tolerance = self._likelihood.solver.tolerance
        there = inside & (promised <= tolerance * seen.value + self._loss.resolution)
        self._done[active] = there
        self._uncertain[active] = np.sqrt(variance / self._likelihood.observations)
        return np.asarray(active[inside & ~there])

    def _go(self, active: npt.NDArray[np.intp], move: FloatArray) -> npt.NDArray[np.bool_]:
        """Move the active fits; say which of them stay well inside their ranges."""
        free = len(self._basis)
        weights = self._weights[active] + move[:, :free] @ self._basis
        t = self._t[active] + move[:, free]
        log_tau = self._log_tau[active] + move[:, free + 1]
        (smallest,), (largest,) = self._loss.extra_bounds
        inside = (weights > 0.0).all(axis=1) & (np.abs(move[:, free:]) <= _LONGEST).all(axis=1)
        inside &= (log_tau > smallest) & (log_tau < largest)
        moved = active[inside]
        self._weights[moved] = weights[inside]
        self._t[moved], self._log_tau[moved] = t[inside], log_tau[inside]
        return np.asarray(inside)

    def _look(self, active: npt.NDArray[np.intp]) -> _Seen:
        """Work out the loss, and its derivatives, of all active fits."""
        loss, pairs, fits = self._loss, self._pairs, len(active)
        p = np.sinh(self._t[active])
        free = self._weights[active]
        people = np.array([loss.weighting.to_people(row) for row in free])
        welfare = log_means_together(loss.people.table, people, p)  # type: ignore[arg-type]
        by_weight = self._basis @ loss.weighting.pull_back(welfare.by_weight)
        by_t = welfare.by_power * np.repeat(np.hypot(1.0, p), loss.people.actions)
        rows = np.vstack([welfare.value, by_weight, by_t]).reshape(-1, fits, loss.people.actions)
        tau = np.exp(self._log_tau[active])[:, None]
        apart = tau * (rows[..., pairs.first] - rows[..., pairs.second])  # (q, B, n)
        z = apart[0]
        design = np.concatenate([apart[1:], apart[:1]])  # log tau moves a margin by itself
        count, lead = self._count[active], self._lead[active]
        total = self._total[active]
        decay = np.exp(-np.abs(z))
        larger = 1.0 / (1.0 + decay)
        lost = count * np.log1p(decay) + 0.5 * (count * np.abs(z) - lead * z)
        pull = 0.5 * (np.copysign((1.0 - decay) * larger, z) * count - lead)
        information = count * decay * larger * larger
        design = np.ascontiguousarray(design.transpose(1, 0, 2))
        gradient = np.matmul(design, pull[:, :, None])[:, :, 0]
        fisher = np.matmul(design * information[:, None, :], design.transpose(0, 2, 1))
        per = 1.0 / total
        return _Seen(lost.sum(axis=1) * per, gradient * per[:, None], fisher * per[:, None, None])


def _solved(seen: _Seen) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
    """Fisher steps (B, q), the variance (B,) of asinh(p) times decisions, and which are good."""
    fits, q = seen.gradient.shape
    diagonal = np.einsum("bii->bi", seen.fisher)
    good = (diagonal > 0.0).all(axis=1)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    scaled = seen.fisher * scale[:, :, None] * scale[:, None, :]
    scaled[~good] = np.eye(q)
    wanted = np.zeros((fits, q, 2))
    wanted[:, :, 0] = -seen.gradient * scale
    wanted[:, q - 2, 1] = 1.0
    try:
        found = np.linalg.solve(scaled, wanted)
    except np.linalg.LinAlgError:
        return np.zeros((fits, q)), np.full(fits, np.inf), np.zeros(fits, dtype=bool)
    move = found[:, :, 0] * scale
    variance = found[:, q - 2, 1] * scale[:, q - 2] ** 2
    good &= np.isfinite(found).all(axis=(1, 2)) & (variance > 0.0)
    return move, np.where(good, variance, np.inf), good
