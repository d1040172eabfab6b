"""The bootstrap: how much estimates differ between data sets drawn from the one that was observed.

It takes neither the noise model at its word nor, where whole decision makers are drawn, their
decisions as independent; and it needs no formula for estimates on an edge.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from welfarist.base.errors import InputError, NotConvergedWarning
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.seeds import seed_of
from welfarist.base.validation import FloatArray, check_count, check_level
from welfarist.families.power_mean.family import POWER
from welfarist.inference.covariance import require_squares
from welfarist.inference.likelihood import (
    AVERSIONS,
    Likelihood,
    Quantity,
    chosen_places,
    is_estimated,
    quantities_named,
)
from welfarist.inference.refits import Refit, refit
from welfarist.inference.refits_together import can_be_together_fitted, refits_together
from welfarist.inference.resampling import resampling_of, unit_of
from welfarist.losses.estimated.loss import EstimatedLoss
from welfarist.losses.observed import Resampling, UnitName

# How many resamples there are unless asked for: ends of 95% intervals are the 25th from each side.
RESAMPLES = 999
# Fewer estimates than this share of the resamples say nothing about the others.
_ENOUGH = 0.5
# Resamples that are fitted together where that can be, and others that are sent to a process at a
# time: a fit takes milliseconds, a message some.
_TOGETHER, _SENT = 100, 20


@dataclass(frozen=True, eq=False)  # arrays have no single answer to ==
class Bootstrap:
    """Estimates from resamples, with the covariance and the intervals that follow from them.

    Attributes
    ----------
    draws : (B, k) array
        One row per resample that has estimates; p may be infinite.
    quantities : tuple of Quantity
        What the columns are.
    estimates : (k,) array
        Those of the data that were observed.
    unit : "decisions" or "clusters"
        What was drawn.
    seed : int
    resamples : int
        How many there were.
    failed : int
        How many of them have no estimates: the solver did not converge, or some rule explains all
        comparisons of the resample, so that there is no noise to estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from welfarist import WelfareRegressor, power_mean
    >>> rng = np.random.default_rng(0)
    >>> utilities = rng.uniform(1, 10, (200, 2))
    >>> scores = power_mean(utilities, p=-1, weights=[0.6, 0.4]) + rng.normal(0, 0.3, 200)
    >>> result = WelfareRegressor().fit(utilities, scores).result_
    >>> bootstrap = result.bootstrap(199)
    >>> print(bootstrap)
    199 resamples of decisions, seed 0
    >>> low, high = bootstrap.interval("p")
    >>> low < -1 < high
    True
    """

    draws: FloatArray = field(repr=False)
    quantities: tuple[Quantity, ...] = field(repr=False)
    estimates: FloatArray = field(repr=False)
    unit: UnitName
    seed: int
    resamples: int
    failed: int

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "names" in state:  # of version 0.1.0, which had nothing else to go by
            kept = {name: entry for name, entry in state.items() if name != "names"}
            state = {**kept, "quantities": quantities_named(state["names"])}
        vars(self).update(state)

    def __str__(self) -> str:
        without = f"; {self.failed} without estimates" if self.failed else ""
        return f"{self.resamples} resamples of {self.unit}, seed {self.seed}{without}"

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are, as `param_names` of the result."""
        return tuple(quantity.name for quantity in self.quantities)

    @property
    def bse(self) -> FloatArray:
        """Standard errors (k,): the standard deviations of the draws."""
        return np.sqrt(self.cov_params().diagonal())

    def cov_params(self) -> FloatArray:
        """Return the covariance of the draws (k, k); refused where some of them are infinite."""
        infinite = int(np.isinf(self.draws).any(axis=1).sum())
        if infinite:
            raise InputError(
                "a covariance needs finite estimates; found an infinite p in "
                f'{infinite} of {len(self.draws)} resamples. Use interval("p"), whose ends may be '
                "infinite."
            )
        require_squares(self.names, np.abs(self.draws).max(axis=0))
        return np.atleast_2d(np.cov(self.draws, rowvar=False))

    def interval(self, name: str, level: float = 0.95) -> Any:
        """Return an interval made from the draws.

        For p, weights, rho and scale it leaves out equally many draws on both sides (percentile
        interval). An estimate of tau is too large on average, and draws are so once more: there
        the same share of draws is reflected about the estimate, in logarithms (basic interval).

        Parameters
        ----------
        name : str
            As in the `interval` of a result: "p", "epsilon", "tau", "weights" and so on.
        level : float
            Between 0 and 1.

        Returns
        -------
        pair of floats, or (d, 2) array for "weights"
        """
        share = check_level(level)
        if name in AVERSIONS and name not in self.names and POWER.name in self.names:
            low, high = self.interval(POWER.name, share)
            return 1.0 - high, 1.0 - low
        ends = np.array([self._ends(i, share) for i in chosen_places(self.quantities, name)])
        return ends if name == "weights" else (float(ends[0, 0]), float(ends[0, 1]))

    def _ends(self, column: int, level: float) -> tuple[float, float]:
        """Both ends for one estimate, from the sorted draws themselves: nothing in between."""
        tail = (len(self.draws) + 1) * (1.0 - level) / 2.0
        if tail < 1.0 - 1e-9:  # at level 0.9 nineteen draws are enough, whatever rounding says
            needed = int(np.ceil(2.0 / (1.0 - level) - 1.0 - 1e-9))
            raise InputError(
                f"a bootstrap interval of level {level:g} needs at least {needed} resamples with "
                f"estimates; found {len(self.draws)}. Draw more: bootstrap(resamples={needed})."
            )
        low, high = self._extremes(column)
        place = int(np.floor(tail + 1e-9)) - 1
        least, most = float(np.sort(low)[place]), float(np.sort(high)[len(high) - 1 - place])
        if self.quantities[column].parameter.skewed:
            square = float(self.estimates[column]) ** 2
            return square / most, square / least
        return least, most

    def _extremes(self, column: int) -> tuple[FloatArray, FloatArray]:
        """The least and the most (B,) that an estimate can be in each resample.

        They differ for the weights of people who count at an infinite p, where any positive
        weights are as good.
        """
        drawn = self.draws[:, column]
        shape = [i for i, found in enumerate(self.quantities) if found.is_shape]
        if not self.quantities[column].is_weight or not shape:
            return drawn, drawn
        anything = np.isinf(self.draws[:, shape[0]]) & (drawn > 0)
        return np.where(anything, 0.0, drawn), np.where(anything, 1.0, drawn)


def bootstrap(
    likelihood: Likelihood,
    resamples: int = RESAMPLES,
    *,
    unit: UnitName | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: ProgressOption = "auto",
) -> Bootstrap:
    """Draw the decisions again and again, with replacement, and fit each time.

    Parameters
    ----------
    likelihood : Likelihood
    resamples : int
    unit : "decisions" or "clusters", optional
        What is drawn; left out, whole decision makers where it is known who decided.
    random_state : int, Generator or RandomState
        Each resample has a seed of its own, made from this one and its number.
    n_jobs : int, optional
        How many processes share the work; one if left out.
    progress : bool or "auto"
        Whether to show a progress bar.
    """
    likelihood.require()
    if is_estimated(likelihood) and unit == "clusters":
        raise InputError(
            "of utilities with errors the bootstrap draws utilities and decisions anew from the "
            'rule; found unit="clusters". Leave unit out.'
        )
    if not len(likelihood.names):
        raise InputError("a bootstrap needs something that was learned; found that all was given.")
    if round(likelihood.observations) <= likelihood.parameters:
        raise InputError(
            "a bootstrap draws as many decisions as were observed, and needs more than learned "
            f"numbers, {likelihood.parameters}; found counts or sample weights that sum to "
            f"{likelihood.observations:.4g}. Scale them so that they say how often."
        )
    times = check_count(resamples, "resamples", 2)
    processes = 1 if n_jobs is None else check_count(n_jobs, "n_jobs", 1)
    drawn = unit_of(likelihood, unit)
    seed = seed_of(random_state)
    both = is_estimated(likelihood)  # utilities and decisions are drawn anew by the rule
    shared = likelihood, BothStages(likelihood) if both else resampling_of(likelihood, drawn)
    size = _TOGETHER if can_be_together_fitted(likelihood) else 1
    jobs = [(seed, i, min(i + size, times)) for i in range(0, times, size)]
    sent = 1 if size > 1 else min(_SENT, times)
    batches = run_jobs(_estimates, shared, jobs, processes, option="n_jobs", together=sent)
    outcomes = chain.from_iterable(batches)
    found = list(Progress(progress).track(outcomes, times, f"resamples of {drawn}"))
    draws = [row for row in found if row is not None]
    _check_failures(times - len(draws), times)
    return Bootstrap(
        np.array(draws),
        likelihood.quantities,
        likelihood.estimates.copy(),
        drawn,
        seed,
        times,
        times - len(draws),
    )


@dataclass(frozen=True)
class BothStages:
    """Utilities and decisions drawn anew: as they could be, be measured, and be decided about."""

    likelihood: Likelihood

    def draw(self, rng: np.random.Generator) -> EstimatedLoss:
        """Return the loss of a data set like the one that was observed."""
        loss = self.likelihood.loss
        assert isinstance(loss, EstimatedLoss)
        return loss.redrawn(self.likelihood.point, rng)


def _estimates(
    shared: tuple[Likelihood, Resampling | BothStages], job: tuple[int, int, int]
) -> list[FloatArray | None]:
    """The estimates (k,) of some resamples, each with a seed of its own; None if one has none."""
    (likelihood, resampling), (seed, first, beyond) = shared, job
    generators = (np.random.default_rng((seed, i)) for i in range(first, beyond))
    samples: list[Any] = [resampling.draw(rng) for rng in generators]
    fits: list[Refit | None] = [None] * len(samples)
    both = isinstance(resampling, BothStages)
    if can_be_together_fitted(likelihood):
        fits = refits_together(likelihood, samples)
    rows: list[FloatArray | None] = []
    for sample, fit in zip(samples, fits, strict=True):
        if fit is None:
            loss = sample if both else likelihood.loss.of_decisions(sample)
            fit = refit(likelihood, loss)
        found = fit
        noisy = found.converged and likelihood.has_noise(found.point, found.value)
        rows.append(likelihood.estimates_at(found.point, found.weights) if noisy else None)
    return rows


def _check_failures(failed: int, times: int) -> None:
    """Say how many resamples have no estimates; refuse to go on with few that have."""
    if not failed:
        return
    why = (
        "the solver did not converge, or a rule explains all comparisons of the resample, so that "
        "there is no noise to estimate"
    )
    if failed > (1.0 - _ENOUGH) * times:
        raise InputError(
            f"a bootstrap needs resamples with estimates; found none in {failed} of {times}: "
            f"{why}. There are too few decisions, or too little noise."
        )
    message = (
        f"{failed} of {times} resamples have no estimates: {why}. They are left out, so that "
        "intervals may be too short."
    )
    warnings.warn(message, NotConvergedWarning, stacklevel=3)
