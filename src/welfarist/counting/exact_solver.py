"""The fewest wrong decisions: exact minimisation of the 0-1 loss.

With known weights the minimum over all powers is found and proven: the crossings of every
comparison are isolated and walked over once. With learned weights the rules that explain every
decision are searched by linear programmes; where there are none, exact sweeps over weights and
powers improve on the logistic fit until none does, and for small data a mixed-integer programme
bounds how far that can be from the best.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray, is_real
from welfarist.counting.consistent import ConsistentRules, find_consistent
from welfarist.counting.crossings import Crossings, Kernel
from welfarist.counting.fewest_errors import SweepResult, improve
from welfarist.counting.loss_steps import LossSteps, PowerInterval
from welfarist.counting.lower_bounds import MOST_PAIRS, proven_gap, proven_minimum
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.losses import Point
from welfarist.proofs.certificate import Certificate
from welfarist.solvers.base import Featured, Optimum, uncovered


@dataclass(frozen=True)
class PowerSweep:
    """The 0-1 loss of given weights at every power.

    Attributes
    ----------
    steps : LossSteps
    crossings : Crossings
    """

    steps: LossSteps
    crossings: Crossings

    @property
    def p(self) -> float:
        """The middle of the widest optimal interval, on the scale p / (1 + |p|)."""
        return self.steps.widest.middle

    def lower_bound(self, loss: ZeroOneLoss) -> float:
        """A loss that no power can beat, whatever rounding hides.

        A pair whose two welfares agree up to rounding in some interval may be decided either way
        there; where crossings are too close to be ordered, any order may be the true one.
        """
        bound = self.steps.proven
        undecided = self.crossings.undecided
        if len(undecided):
            pairs = np.unique(undecided[:, 0]).astype(np.intp)
            doubt = loss.in_doubt(pairs)
            least = min(self.steps.least_between(low, high) for _, low, high in undecided)
            bound = min(bound, least - doubt)
        return max(bound, loss.unavoidable)


def sweep_powers(loss: ZeroOneLoss, weights: FloatArray, kernel: Kernel = "auto") -> PowerSweep:
    """Return the loss at every power under weights (d,)."""
    crossings = loss.crossings(weights, kernel)
    return PowerSweep(loss.steps(crossings), crossings)


@dataclass(frozen=True)
class ExactOptimum(Optimum):
    """Weights and power with the fewest wrong decisions, and how that is known.

    Attributes
    ----------
    sweep : PowerSweep or None
        The loss at every power under these weights; None where p was given.
    certificate : Certificate
        How much lower the loss of any other rule could be.
    explanations : ConsistentRules or None
        With learned weights, all rules that explain every decision, where there are any.
    """

    certificate: Certificate = field(kw_only=True)
    sweep: PowerSweep | None = field(default=None, kw_only=True)
    explanations: ConsistentRules | None = field(default=None, kw_only=True)

    @property
    def p(self) -> float:
        """The power."""
        return self.point.p

    @property
    def intervals(self) -> tuple[PowerInterval, ...]:
        """All powers that are as good with these weights, or the one that was given."""
        if self.sweep is None:
            return (PowerInterval(self.p, self.p, True, True),)
        return self.sweep.steps.optimal


@dataclass(frozen=True)
class Exact:
    """Exact minimisation of the 0-1 loss, for ``noise="none"`` and ``noise="flip"``.

    With known weights the result is proven. With learned ones it is if some rule explains every
    decision; otherwise a search gives the rule and, for up to 300 different pairs (or choices from
    menus) and 20 weights, mixed-integer programmes a bound on how few errors any rule could make.
    With three or four people the bound often meets the rule; with more it seldom comes near.

    Parameters
    ----------
    kernel : "auto", "compiled" or "numpy"
        Compiled loops (extra `fast`) or NumPy; "auto" takes the faster one that is there.
    time_limit : float
        Seconds to spend on mixed-integer programmes, where weights are learned and no rule
        explains everything: what has been found and proven by then is reported, and the
        certificate says that time was short. The search before them takes as many sweeps as it
        needs, whatever the clock says.

    Examples
    --------
    >>> from welfarist import ComparisonClassifier
    >>> X = [[1.0, 9.0, 3.0, 3.0], [1.0, 9.0, 4.0, 4.0]]  # (1, 9) beats (3, 3), not (4, 4)
    >>> est = ComparisonClassifier(noise="none", weights="equal", solver=Exact(kernel="numpy"))
    >>> print(est.fit(X, [1, -1]).result_.exact.intervals[0])
    (0, 0.5)
    """

    kernel: Kernel = "auto"
    time_limit: float = 2.0

    def __post_init__(self) -> None:
        if self.kernel not in get_args(Kernel):
            known = ", ".join(f'"{name}"' for name in get_args(Kernel))
            raise InputError(f"kernel must be one of {known}; found {self.kernel!r}.")
        if not is_real(self.time_limit) or not 0 <= self.time_limit < np.inf:
            raise InputError(
                "time_limit must be a number of seconds, 0 for no proof; found "
                f"{self.time_limit!r}."
            )

    def covers(self, feature: str) -> bool:
        """It counts errors, under known weights and learned ones."""
        return feature in ("errors", "weights")

    def check(self, loss: Featured) -> None:
        """Refuse, before any work, a loss that does not count errors."""
        if "errors" not in loss.features or uncovered(loss, self.covers):
            raise InputError(
                'solver="exact" finds the fewest wrong decisions and needs comparisons with '
                'noise="none" or noise="flip"; found another noise, or scores. Change one of the '
                "two."
            )

    def minimise(
        self,
        loss: ZeroOneLoss,
        rng: np.random.Generator,
        *,
        p: float | None,
        observations: float = 0.0,
        progress: Progress | None = None,
    ) -> ExactOptimum:
        """Minimise the 0-1 loss; `p` is the power if it is given.

        Where weights are learned, the search begins with the loss's own first guess.
        """
        del observations, progress
        if loss.weighting.fixed is not None:
            return self._known(loss, loss.weighting.fixed, p)
        first = loss.first_guess(rng)
        explanations = _explaining(loss, first, p)
        if explanations is not None:
            return self._explained(loss, explanations, p)
        return self._fewest(loss, rng, first, p)

    def sketch(self, loss: ZeroOneLoss, rng: np.random.Generator, p: float | None) -> ExactOptimum:
        """Find a rule with few errors, without proof: for folds, of which there are many.

        Rules that explain everything are looked for at the power of the first guess alone, where
        they are next to always if there are any; over the whole line that takes as long as all
        the rest.
        """
        quick = replace(self, time_limit=0.0)
        if loss.weighting.fixed is not None:
            return quick.minimise(loss, rng, p=p)
        first = loss.first_guess(rng)
        explanations = _explaining(loss, first, first[1] if p is None else p)
        if explanations is not None:
            return quick._explained(loss, explanations, p)
        return quick._fewest(loss, rng, first, p)

    def _known(self, loss: ZeroOneLoss, weights: FloatArray, p: float | None) -> ExactOptimum:
        if p is not None:
            value = loss.value(weights, p)
            given = Certificate(value, value, "nothing was left to learn")
            plain = _optimum(loss, weights, p, value, given, "nothing to learn", 0)
            return replace(plain, nothing_to_learn=True)
        sweep = sweep_powers(loss, weights, self.kernel)
        found = len(sweep.crossings.power)
        certificate = Certificate(
            sweep.steps.minimum,
            sweep.lower_bound(loss),
            f"every power at which a comparison turns was examined, {found} in all",
        )
        made = _optimum(
            loss, weights, sweep.p, sweep.steps.minimum, certificate, certificate.method, found
        )
        return replace(made, sweep=sweep)

    def _explained(
        self, loss: ZeroOneLoss, rules: ConsistentRules, p: float | None
    ) -> ExactOptimum:
        value = loss.unavoidable
        sweep = None if p is not None else sweep_powers(loss, rules.weights, self.kernel)
        certificate = Certificate(
            value, value, "every decision that a rule can explain is explained"
        )
        made = _optimum(loss, rules.weights, rules.p, value, certificate, certificate.method, 1)
        return replace(made, sweep=sweep, explanations=rules)

    def _fewest(
        self,
        loss: ZeroOneLoss,
        rng: np.random.Generator,
        start: tuple[FloatArray, float],
        p: float | None,
    ) -> ExactOptimum:
        def best_power(weights: FloatArray) -> tuple[float, float]:
            sweep = sweep_powers(loss, weights, self.kernel)
            return sweep.p, sweep.steps.minimum

        found, late = improve(loss, *start, best_power, rng, p_fixed=p), False
        deadline = time.monotonic() + self.time_limit
        small = len(loss.stakes) <= MOST_PAIRS
        if small and np.isfinite(found.p) and self.time_limit > 0:
            # At one power a programme often proves the optimum, and sometimes finds a better one.
            tried = proven_minimum(loss, found.p, self.time_limit / 5.0, found.value)
            late = tried.time_limit_hit
            if tried.weights is not None:
                found = improve(loss, tried.weights, found.p, best_power, rng, p_fixed=p, kicks=0)
        found = _prefer_plain(loss, found, p)
        sweep = None if p is not None else sweep_powers(loss, found.weights, self.kernel)
        power = found.p if sweep is None else sweep.p
        left = max(deadline - time.monotonic(), 0.0)
        certificate = proven_gap(loss, found.value, p, left, late=late)
        reason = f"no sweep over weights or powers improves ({found.n_sweeps} sweeps)"
        made = _optimum(
            loss, found.weights, power, found.value, certificate, reason, found.n_sweeps
        )
        return replace(made, sweep=sweep)


def _explaining(
    loss: ZeroOneLoss, start: tuple[FloatArray, float], p: float | None
) -> ConsistentRules | None:
    """The rules that explain every decision, where there are any."""
    pairs = loss.as_pairs()
    return None if pairs is None else find_consistent(pairs, start, p)


def _optimum(
    loss: ZeroOneLoss,
    weights: FloatArray,
    p: float,
    value: float,
    certificate: Certificate,
    reason: str,
    n_iter: int,
) -> ExactOptimum:
    point = Point(loss.weighting.gather(weights), p, np.empty(0))
    values = np.array([value])
    return ExactOptimum(
        point, weights, value, True, reason, n_iter, values, 1, certificate=certificate
    )


def _prefer_plain(loss: ZeroOneLoss, found: SweepResult, p: float | None) -> SweepResult:
    """Report equal weights where no weights explain more."""
    people = loss.weighting.people
    plain = np.full(people, 1.0 / people)
    power = 1.0 if p is None else p
    if loss.value(plain, power) > found.value:
        return found
    return replace(found, weights=plain, p=power)
