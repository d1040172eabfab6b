"""What errors of utilities do to a fit, and second opinions by methods of their own.

The likelihood integrates errors out. Simulation-extrapolation (SIMEX, Cook and Stefanski 1994) adds
errors on purpose, sees how estimates move and follows them back to no error; multiple imputation
(Rubin 1987) fits the rule to utilities as they could be. Neither uses the likelihood's formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.seeds import seed_of
from welfarist.base.validation import FloatArray, check_count
from welfarist.families.power_mean.family import POWER
from welfarist.inference.covariance import covariance_of
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.refits import Refit, refit
from welfarist.inference.two_step import two_step_covariance
from welfarist.losses import DecisionLoss, Point
from welfarist.losses.estimated.loss import EstimatedLoss
from welfarist.noise.base import TAU
from welfarist.noise.scores import SIGMA

OpinionName = Literal["simex", "imputation", "two-step"]
# How many times the errors are added, in variance.
_ADDED = (0.5, 1.0, 1.5, 2.0)
# The variance of a logistic error with tau = 1.
_LOGISTIC = float(np.pi**2 / 3.0)


@dataclass(frozen=True, eq=False)
class UtilityErrors:
    """How errors of utilities show in a fit.

    Attributes
    ----------
    typical : float
        The typical standard error of a log utility, after shrinking.
    share : float
        The share of the noise in a typical decision that is the utilities', not the decision
        maker's.
    names : tuple of str
    corrected, naive : (k,) arrays
        The estimates, and what a fit that takes the utilities as exact says.
    """

    typical: float
    share: float
    names: tuple[str, ...]
    corrected: FloatArray
    naive: FloatArray

    @property
    def sentence(self) -> str:
        """What a reader of the estimates must know."""
        said = (
            f"utilities are estimates, with errors of about {self.typical:.2g} in logarithms, "
            f"which are allowed for: {self.share:.0%} of the noise in a typical decision is "
            "theirs, the rest the decision maker's"
        )
        if POWER.name in self.names:
            place = self.names.index(POWER.name)
            said += (
                f". Taken as exact they would give p = {self.naive[place]:.3g} in place of "
                f"{self.corrected[place]:.3g}"
            )
        return said + "."

    def to_frame(self) -> Any:
        """Return one row per estimate: corrected, and taking utilities as exact."""
        return to_frame(
            {
                "parameter": list(self.names),
                "estimate": self.corrected.tolist(),
                "naive": self.naive.tolist(),
            }
        )

    def __str__(self) -> str:
        width = max(map(len, self.names), default=0)
        rows = zip(self.names, self.corrected.tolist(), self.naive.tolist(), strict=True)
        lines = [f"  {name:<{width}}  {one:>10.4g}  {other:>10.4g}" for name, one, other in rows]
        head = f"  {'':<{width}}  {'estimate':>10}  {'naive':>10}"
        return "\n".join([self.sentence[0].upper() + self.sentence[1:], head, *lines])


@dataclass(frozen=True, eq=False)
class SecondOpinion:
    """Estimates by a method that knows nothing of the likelihood with errors.

    Attributes
    ----------
    method : "simex", "imputation" or "two-step"
    names : tuple of str
    estimates : (k,) array
    errors : (k,) array or None
        Standard errors, by Rubin's rules or those of two steps; None for SIMEX.
    note : str
        What it cannot do.
    seed : int
    """

    method: OpinionName
    names: tuple[str, ...]
    estimates: FloatArray
    errors: FloatArray | None
    note: str
    seed: int

    def __getitem__(self, name: str) -> float:
        """Return an estimate by its name."""
        if name not in self.names:
            known = ", ".join(self.names)
            raise InputError(f"an estimate must be one of: {known}; found {name!r:.60}.")
        return float(self.estimates[self.names.index(name)])

    def __str__(self) -> str:
        errors = np.full(len(self.names), np.nan) if self.errors is None else self.errors
        width = max(map(len, self.names), default=0)
        lines = [
            f"  {name:<{width}}  {value:>10.4g}" + ("" if np.isnan(e) else f"  ({e:.3g})")
            for name, value, e in zip(self.names, self.estimates, errors, strict=True)
        ]
        return "\n".join([f"Second opinion by {self.method}, seed {self.seed}", *lines, self.note])


def _loss_of(likelihood: Likelihood) -> EstimatedLoss:
    loss = likelihood.loss
    if not isinstance(loss, EstimatedLoss):
        raise InputError(
            "errors of utilities are known where decisions are about people with errors: "
            "welfarist.People(utilities, log_se=…); found utilities that are exact."
        )
    return loss


def utility_errors_of(likelihood: Likelihood) -> UtilityErrors:
    """Return what errors of utilities do to a fit."""
    loss = _loss_of(likelihood)
    naive = _fitted(likelihood, loss.with_logs(loss.source.logs_of_estimates))
    names, keep = _kept(likelihood)
    return UtilityErrors(
        loss.estimated.typical_error,
        _share_of_noise(loss, likelihood.point),
        names,
        likelihood.estimates[keep],
        naive[: len(names)],
    )


def _share_of_noise(loss: EstimatedLoss, point: Point) -> float:
    """The share of the variance in a typical decision that is made by errors of utilities."""
    judged = loss.judge(point)
    effects = loss.estimated.seen(judged.weights, point.p, judged.welfare).effects
    noise = loss.noise_at(point)
    names = [parameter.name for parameter in loss.observed.parameters]
    observed: Any = loss.observed
    if SIGMA.name in names:
        mean = np.exp(judged.values + observed.offset)
        if observed.scale:
            mean = mean * np.exp(noise[0])
        theirs = float((np.square(mean) * effects.variance).mean())
        own = float(np.exp(2.0 * noise[-1]))
    else:
        theirs = 2.0 * float(effects.variance.mean())
        own = _LOGISTIC / float(np.exp(2.0 * noise[names.index(TAU.name)]))
    return theirs / (theirs + own)


def _kept(likelihood: Likelihood) -> tuple[tuple[str, ...], list[int]]:
    """Names and places of the estimates that a fit to exact utilities has as well."""
    places = [i for i, name in enumerate(likelihood.names) if name != SIGMA.name]
    return tuple(likelihood.names[i] for i in places), places


def _exact_likelihood(likelihood: Likelihood, loss: DecisionLoss) -> Likelihood:
    """The likelihood of a loss of exact utilities, near the estimates."""
    point = likelihood.point
    size = len(loss.parameters)
    near = Point(point.weights, point.p, point.extras[:size])
    return Likelihood(
        loss, near, likelihood.weights, likelihood.stakeholders, None, likelihood.solver
    )


def _fit(likelihood: Likelihood, loss: DecisionLoss) -> tuple[Likelihood, Refit]:
    exact = _exact_likelihood(likelihood, loss)
    return exact, refit(exact, loss)


def _fitted(likelihood: Likelihood, loss: DecisionLoss) -> FloatArray:
    """Estimates (k,) of a loss of exact utilities."""
    exact, found = _fit(likelihood, loss)
    return exact.estimates_at(found.point, found.weights)


def second_opinion(
    likelihood: Likelihood,
    method: OpinionName = "simex",
    *,
    draws: int = 50,
    random_state: Any = 0,
) -> SecondOpinion:
    """Return estimates that allow for errors of utilities by another method.

    Parameters
    ----------
    likelihood : Likelihood
    method : "simex", "imputation" or "two-step"
    draws : int
        How many tables of utilities are drawn: for each size of errors that are added, or in all.
    random_state : int, Generator or RandomState
    """
    loss = _loss_of(likelihood)
    if method not in get_args(OpinionName):
        raise InputError(
            f'method must be "simex", "imputation" or "two-step"; found {method!r:.60}.'
        )
    times, seed = check_count(draws, "draws", 2), seed_of(random_state)
    made = {"simex": _simex, "imputation": _imputed, "two-step": _two_step}[method]
    return made(likelihood, loss, times, seed)


def _simex(likelihood: Likelihood, loss: EstimatedLoss, times: int, seed: int) -> SecondOpinion:
    """Add errors to the estimates as given, and follow what happens back to none."""
    names, keep = _kept(likelihood)
    into, back = _scales(likelihood, keep)
    source = loss.source
    size, rows = [0.0], [into(_fitted(likelihood, loss.with_logs(source.logs_of_estimates)))]
    for added in _ADDED:
        # The same errors, each way round, in every size: what chance does to them drops out.
        turns = ((sign, i) for i in range((times + 1) // 2) for sign in (1.0, -1.0))
        moved = [
            source.with_more_error(sign * np.sqrt(added), np.random.default_rng((seed, i)))
            for sign, i in turns
        ]
        found = [into(_fitted(likelihood, loss.with_logs(logs))) for logs in moved]
        finite = [row for row in found if np.isfinite(row).all()]
        if finite:
            size.append(added)
            rows.append(np.asarray(np.mean(finite, axis=0)))
    table = np.array(rows)
    degree = min(2, len(size) - 1)
    ahead = np.polynomial.polynomial.polyfit(np.array(size), table, degree)
    estimates = back(np.asarray(np.polynomial.polynomial.polyval(-1.0, ahead)))
    note = (
        "Estimates are followed back along a parabola, which removes most of the bias and not all "
        "of it where errors are large; there are no standard errors."
    )
    return SecondOpinion("simex", names, estimates, None, note, seed)


def _imputed(likelihood: Likelihood, loss: EstimatedLoss, times: int, seed: int) -> SecondOpinion:
    """Fit to utilities as they could be, and combine by Rubin's rules."""
    names, keep = _kept(likelihood)
    estimates, within = [], []
    for k in range(times):
        logs = loss.source.possible_logs(np.random.default_rng((seed, k)))
        exact, found = _fit(likelihood, loss.with_logs(logs))
        if not np.isfinite(found.point.p):
            continue
        there = Likelihood(
            exact.loss, found.point, found.weights, exact.stakeholders, None, exact.solver
        )
        try:
            within.append(covariance_of(there, "fisher").diagonal())
        except InputError:  # a draw without a maximum inside says nothing of its errors
            continue
        estimates.append(there.estimates)
    if len(estimates) < 2:
        raise InputError(
            "multiple imputation needs draws whose fits have standard errors; found fewer than two "
            f"among {times}. Draw more, or rely on the likelihood."
        )
    between = np.var(estimates, axis=0, ddof=1)
    total = np.mean(within, axis=0) + (1.0 + 1.0 / len(estimates)) * between
    note = (
        "Utilities are drawn without knowledge of the decisions, so that decisions seem noisier "
        "than they are: tau is too small, and p nearer to 0 than the truth."
    )
    del keep
    return SecondOpinion(
        "imputation", names, np.mean(estimates, axis=0), np.sqrt(total), note, seed
    )


def _two_step(likelihood: Likelihood, loss: EstimatedLoss, times: int, seed: int) -> SecondOpinion:
    """Fit to the best guess, with standard errors that know how uncertain it is."""
    del times
    exact, found = _fit(likelihood, loss.without_errors())
    there = Likelihood(
        exact.loss, found.point, found.weights, exact.stakeholders, None, exact.solver
    )
    covariance = two_step_covariance(there, loss.estimated.spread_of_errors.directions())
    note = (
        "The best guess of utilities is taken as exact, with standard errors that know how "
        "uncertain it is (Murphy and Topel): good for p and weights where errors go together over "
        "actions; tau is too small."
    )
    errors = np.sqrt(covariance.diagonal())
    return SecondOpinion("two-step", there.names, there.estimates, errors, note, seed)


def _scales(
    likelihood: Likelihood, keep: list[int]
) -> tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]]:
    """From estimates to the coordinates in which they move along nearly straight lines, and back.

    Weights are kept as they are: what is followed back may be below 0, and is cut off there.
    """
    quantities = [likelihood.quantities[i] for i in keep]

    def into(row: FloatArray) -> FloatArray:
        pairs = zip(quantities, row.tolist(), strict=True)
        return np.array([v if q.is_weight else q.parameter.coordinate.into(v) for q, v in pairs])

    def back(row: FloatArray) -> FloatArray:
        pairs = zip(quantities, row.tolist(), strict=True)
        found = np.array(
            [max(v, 0.0) if q.is_weight else q.parameter.coordinate.back(v) for q, v in pairs]
        )
        weights = np.array([q.is_weight for q in quantities])
        if weights.any() and found[weights].sum() > 0:
            found[weights] /= found[weights].sum()
        return found

    return into, back
