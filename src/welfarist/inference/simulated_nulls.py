"""What a likelihood ratio follows under a null, by simulation from the best fit under it.

Where a null lies on an edge of the parameter space in several directions at once, or leaves some
of the parameters without meaning, no known distribution holds. A parametric bootstrap needs none:
decisions are drawn from the fitted null, and both rules are fitted to them as to the data.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.seeds import seed_of
from welfarist.base.validation import FloatArray, check_count
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.refits import from_many_rules, from_the_estimates, refit
from welfarist.losses import DecisionLoss
from welfarist.losses.observed import Sampler
from welfarist.solvers.base import Optimum

# How many samples a p-value rests on unless asked for: the smallest is then 1 in 200.
SAMPLES = 199
# Fewer fits than this share of the samples say nothing about the others.
_ENOUGH = 0.5
# By how much a search of all starts might raise a likelihood ratio beyond that of many rules.
# In 77 samples of small data whose ratio was near the observed one it raised none by 0.001.
_OUT_OF_REACH = 1.0
# As soon as so many samples are as large, the p-value is known well enough (Besag and Clifford,
# Biometrika 78, 1991): it is their share of those that were drawn.
_LARGE_ENOUGH = 20


@dataclass(frozen=True)
class Simulation:
    """How samples are drawn for a p-value.

    Attributes
    ----------
    resamples : int
        How many at most.
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
    settled : bool
        Whether drawing ended early, with a sample that is as large: enough of them were.
    """

    statistics: FloatArray
    seed: int
    failed: int
    settled: bool = False

    @property
    def smallest(self) -> float:
        """The smallest p-value that so many samples can give."""
        return 1 / (1 + len(self.statistics))

    def p_value(self, statistic: float) -> float:
        """Return the share of statistics that are as large, the observed one among them.

        Where drawing ended early it is that of the samples.
        """
        larger = int((self.statistics >= _reached(statistic)).sum())
        if self.settled:
            return larger / len(self.statistics)
        return (1 + larger) / (1 + len(self.statistics))

    def __str__(self) -> str:
        return f"parametric bootstrap, {len(self.statistics)} samples, seed {self.seed}"


def reference_under(
    likelihood: Likelihood,
    null: DecisionLoss,
    best: Optimum,
    statistic: float,
    simulation: Simulation,
) -> Reference:
    """Return statistics of decisions that are drawn from the best fit under a null.

    Parameters
    ----------
    likelihood : Likelihood
    null : DecisionLoss
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
    sampler = sampler_of(null, best)
    if sampler.size == 0:
        raise InputError(
            "samples are drawn as often as decisions were observed; found counts or sample weights "
            "that all round to 0. Scale them so that they say how often."
        )
    shared = likelihood, null, best.point.p, sampler, _reached(statistic)
    jobs = [(seed, i) for i in range(times)]
    outcomes = run_jobs(_statistic, shared, jobs, processes, option="n_jobs", together=5)
    shown = Progress(simulation.progress).track(outcomes, times, "samples under the null")
    kept, large, drawn = [], 0, 0
    with closing(shown):
        for value in shown:
            drawn += 1
            if value is not None:
                kept.append(value)
                large += value >= _reached(statistic)
            if large == _LARGE_ENOUGH:
                break
    if len(kept) < _ENOUGH * drawn:
        raise InputError(
            f"a p-value by simulation needs fits that converge; found none to {drawn - len(kept)} "
            f"of {drawn} samples. Allow more steps (max_iter), or fit fewer numbers."
        )
    settled = large == _LARGE_ENOUGH and drawn < times
    return Reference(np.array(kept), seed, drawn - len(kept), settled)


def sampler_of(null: DecisionLoss, best: Optimum) -> Sampler:
    """Return what draws decisions from the best fit under a null; counts are rounded."""
    point = null.held_at(best.point)
    judged = null.holding(best.weights).judge(point)
    return null.observed.sampler(judged, null.noise_at(best.point), best.value)


def _reached(statistic: float) -> float:
    """What counts as reaching a statistic: two zeros are equal up to rounding."""
    return statistic - 1e-9 * (1.0 + statistic)


def _statistic(
    shared: tuple[Likelihood, DecisionLoss, float, Sampler, float], job: tuple[int, int]
) -> float | None:
    """The likelihood ratio of one sample; None if a fit to it does not converge.

    A search of all starts is what takes time. It is spared where the best chances of all could
    not reach the observed statistic, where the way from the estimates, or from the best of many
    rules, has reached it already, and where it is far from reaching it.
    """
    likelihood, null, p, sampler, reached = shared
    drawn = sampler.draw(np.random.default_rng(job))
    under = likelihood.solver.minimise(
        drawn_under(null, drawn, sampler),
        np.random.default_rng(0),
        p=None if null.learn_power else p,
        observations=sampler.size,
        progress=Progress(False),
    )
    if not under.converged:
        return None
    most = _ratio(drawn, under.value, drawn.least_loss())
    if most < reached:
        return most
    if reached <= 0.0:  # which every sample does
        return 0.0
    loss = drawn_under(likelihood.loss, drawn, sampler)
    near = from_the_estimates(likelihood, loss)
    if near is not None and near.converged:
        least = _ratio(drawn, under.value, near.value)
        if least >= reached:
            return least
    low = from_many_rules(likelihood, loss, near)
    if low is not None:
        least = _ratio(drawn, under.value, low.value)
        if least >= reached or least < reached - _OUT_OF_REACH:
            return least
    freely = refit(likelihood, loss, near)
    return _ratio(drawn, under.value, freely.value) if freely.converged else None


def drawn_under(loss: DecisionLoss, drawn: Any, sampler: Sampler) -> DecisionLoss:
    """Return a loss with drawn decisions in place of the observed ones."""
    people = loss.people if sampler.actions is None else loss.people.take(sampler.actions)
    return replace(loss, people=people, observed=drawn)


def _ratio(drawn: Any, under: float, freely: float) -> float:
    """The likelihood ratio of mean losses under the null and of the best rule, at least 0."""
    if freely <= 0.0 and drawn.squared:
        return np.inf
    return float(drawn.deviance(max(under, freely), freely))
