"""What a likelihood ratio follows under a null, by simulation from the best fit under it.

Where a null lies on an edge of the parameter space in several directions at once, or leaves some
of the parameters without meaning, no known distribution holds. A parametric bootstrap needs none:
decisions are drawn from the fitted null, and both rules are fitted to them as to the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy.special import xlogy

from welfarist.errors import InputError
from welfarist.inference.fitted import DataLoss, Fitted
from welfarist.inference.refits import from_the_estimates, refit
from welfarist.jobs import run_jobs
from welfarist.losses import ComparisonLoss, Point, ScoreLoss
from welfarist.noise import preference_probability
from welfarist.options import seed_of
from welfarist.progress import Progress, ProgressOption
from welfarist.solvers.base import Optimum
from welfarist.validation import FloatArray, check_count
from welfarist.weighting import Weighting

# How many samples a p-value rests on unless asked for: the smallest is then 1 in 200.
SAMPLES = 199
# Fewer fits than this share of the samples say nothing about the others.
_ENOUGH = 0.5


@dataclass(frozen=True)
class Simulation:
    """How samples are drawn for a p-value.

    Attributes
    ----------
    resamples : int
        How many.
    random_state : int, Generator or RandomState
        Each sample has a seed of its own, made from this one and its number.
    n_jobs : int, optional
        How many processes share the work; one if left out.
    progress : bool or "auto"
        Whether to show a progress bar.
    """

    resamples: int = SAMPLES
    random_state: Any = 0
    n_jobs: int | None = None
    progress: ProgressOption = "auto"


@dataclass(frozen=True)
class Reference:
    """What a statistic was compared with.

    Attributes
    ----------
    statistics : (B,) array
        Those of the samples; where it is plain on which side of the observed one they lie, a
        bound on that side.
    seed : int
    failed : int
        Samples to which a fit did not converge; they are left out.
    """

    statistics: FloatArray
    seed: int
    failed: int

    @property
    def smallest(self) -> float:
        """The smallest p-value that so many samples can give."""
        return 1 / (1 + len(self.statistics))

    def p_value(self, statistic: float) -> float:
        """Return the share of statistics that are as large, the observed one among them."""
        larger = int((self.statistics >= _reached(statistic)).sum())
        return (1 + larger) / (1 + len(self.statistics))

    def __str__(self) -> str:
        return f"parametric bootstrap, {len(self.statistics)} samples, seed {self.seed}"


class Sampler(Protocol):
    """Decisions that a rule makes about the actions that were observed."""

    @property
    def size(self) -> float:
        """How many decisions there are."""
        ...

    def draw(self, rng: np.random.Generator) -> Any:
        """Return new decisions."""
        ...

    def put(self, loss: DataLoss, drawn: Any) -> DataLoss:
        """Return a loss with new decisions in place of the observed ones."""
        ...

    def least_loss(self, drawn: Any) -> float:
        """Return a mean loss that no rule can have less of."""
        ...


@dataclass(frozen=True)
class ChoiceSampler:
    """Comparisons of the same pairs, as often as observed (n,), preferring the first (n,)."""

    count: FloatArray
    chance: FloatArray

    @property
    def size(self) -> float:
        """How many comparisons there are."""
        return float(self.count.sum())

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Return how much more often the first of each pair was preferred (n,)."""
        wins = rng.binomial(self.count.astype(np.int64), self.chance)
        return 2.0 * wins - self.count

    def put(self, loss: DataLoss, drawn: FloatArray) -> ComparisonLoss:
        """Return the loss of drawn comparisons."""
        assert isinstance(loss, ComparisonLoss)
        return loss.with_counts(self.count, drawn)

    def least_loss(self, drawn: FloatArray) -> float:
        """Return the mean loss if every pair had the chances that were observed."""
        counted = self.count > 0
        share = 0.5 * (1.0 + drawn[counted] / self.count[counted])
        surprise = -(xlogy(share, share) + xlogy(1.0 - share, 1.0 - share))
        return float(self.count[counted] @ surprise) / self.size


@dataclass(frozen=True)
class ScoreSampler:
    """Scores of the same actions (N,), as often as observed, with Gaussian noise.

    `rows` are the actions of single scores, `welfare` what the rule says of these.
    """

    rows: Any
    welfare: FloatArray
    deviation: float

    @property
    def size(self) -> float:
        """How many scores there are."""
        return float(len(self.welfare))

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Return one score (N,) per observation."""
        return self.welfare + self.deviation * rng.normal(size=len(self.welfare))

    def put(self, loss: DataLoss, drawn: FloatArray) -> ScoreLoss:
        """Return the loss of drawn scores."""
        assert isinstance(loss, ScoreLoss)
        weights = np.full(len(drawn), 1.0 / len(drawn))
        utilities = loss.utilities.take(self.rows)
        return replace(loss, utilities=utilities, scores=drawn, sample_weight=weights)

    def least_loss(self, drawn: FloatArray) -> float:  # noqa: ARG002 - the same for all
        """Return 0: scores could be explained exactly."""
        return 0.0


def reference_under(
    fitted: Fitted, null: DataLoss, best: Optimum, statistic: float, simulation: Simulation
) -> Reference:
    """Return statistics of decisions that are drawn from the best fit under a null.

    Parameters
    ----------
    fitted : Fitted
    null : ScoreLoss or ComparisonLoss
        The loss of the observed decisions, with what the null fixes.
    best : Optimum
        Its best fit.
    statistic : float
        The one that was observed. A sample is fitted only as closely as it takes to tell whether
        its own is as large.
    simulation : Simulation
    """
    times = check_count(simulation.resamples, "resamples", 1)
    given = simulation.n_jobs
    processes = 1 if given is None else check_count(given, "n_jobs", 1)
    seed = seed_of(simulation.random_state)
    sampler = sampler_of(fitted, null, best)
    if sampler.size == 0:
        raise InputError(
            "samples are drawn as often as decisions were observed; found counts or sample weights "
            "that all round to 0. Scale them so that they say how often."
        )
    shared = fitted, null, best.point.p, sampler, _reached(statistic)
    jobs = [(seed, i) for i in range(times)]
    outcomes = run_jobs(_statistic, shared, jobs, processes, option="n_jobs", together=5)
    shown = Progress(simulation.progress)
    found = list(shown.track(outcomes, times, "samples under the null"))
    kept = np.array([value for value in found if value is not None])
    if len(kept) < _ENOUGH * times:
        raise InputError(
            f"a p-value by simulation needs fits that converge; found none to {times - len(kept)} "
            f"of {times} samples. Allow more steps (max_iter), or fit fewer numbers."
        )
    return Reference(kept, seed, times - len(kept))


def sampler_of(fitted: Fitted, null: DataLoss, best: Optimum) -> Sampler:
    """Return what draws decisions from the best fit under a null; counts are rounded."""
    known = Weighting(len(best.weights), fixed=best.weights)
    point = Point(np.empty(0), best.point.p, best.point.extras)
    here: Any = replace(null, weighting=known, learn_power=False).evaluate(point)
    if isinstance(null, ComparisonLoss):
        rho = float(point.extras[1]) if null.lapse else 0.0
        return ChoiceSampler(
            np.rint(null.graph.pairs.count), preference_probability(here.margins, rho)
        )
    counts = np.rint(null.sample_weight * fitted.observations).astype(np.intp)
    rows = np.repeat(np.arange(len(counts)), counts)
    return ScoreSampler(rows, here.welfare[rows], float(np.sqrt(best.value)))


def _reached(statistic: float) -> float:
    """What counts as reaching a statistic: two zeros are equal up to rounding."""
    return statistic - 1e-9 * (1.0 + statistic)


def _statistic(
    shared: tuple[Fitted, DataLoss, float, Sampler, float], job: tuple[int, int]
) -> float | None:
    """The likelihood ratio of one sample; None if a fit to it does not converge.

    A search of all starts is what takes time. It is spared where the best chances of all could
    not reach the observed statistic, or where the way from the estimates has reached it already.
    """
    fitted, null, p, sampler, reached = shared
    drawn = sampler.draw(np.random.default_rng(job))
    under = fitted.solver.minimise(
        sampler.put(null, drawn),
        np.random.default_rng(0),
        p=None if null.learn_power else p,
        observations=sampler.size,
        progress=Progress(False),
    )
    if not under.converged:
        return None
    most = _ratio(null, sampler.size, under.value, sampler.least_loss(drawn))
    if most < reached:
        return most
    if reached <= 0.0:  # which every sample does
        return 0.0
    loss = sampler.put(fitted.loss, drawn)
    near = from_the_estimates(fitted, loss)
    if near is not None and near.converged:
        least = _ratio(null, sampler.size, under.value, near.value)
        if least >= reached:
            return least
    freely = refit(fitted, loss, near)
    return _ratio(null, sampler.size, under.value, freely.value) if freely.converged else None


def _ratio(null: DataLoss, size: float, under: float, freely: float) -> float:
    """The likelihood ratio of mean losses under the null and of the best rule, at least 0."""
    if not isinstance(null, ScoreLoss):
        return float(2.0 * size * max(under - freely, 0.0))
    return float(size * np.log(under / min(freely, under))) if freely > 0 else np.inf
