"""All estimates at once, with standard errors and the intervals that can be had quickly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import chi2

from welfarist.errors import InputError
from welfarist.inference.bootstrap import Bootstrap
from welfarist.inference.covariance import CovarianceName, covariance_of, face_of
from welfarist.inference.fitted import Fitted
from welfarist.inference.intervals import MethodName, checked, interval, method_for
from welfarist.inference.naming import kind_of
from welfarist.inference.profile import undetermined_weights
from welfarist.losses import ComparisonLoss

# One profile takes about as long as reading this many numbers takes, however small the data.
_SMALLEST_PROFILE = 10_000
# Numbers read that are worth the wait: half a second for p, tau, rho and scale, of which there are
# at most three; half of that for all weights together.
_AFFORDABLE, _AFFORDABLE_WEIGHTS = 250_000, 120_000


@dataclass(frozen=True)
class Estimate:
    """A number that was learned, and how sure it is.

    Attributes
    ----------
    name : str
        "p", "weight of staff", "tau" and so on.
    value : float
    standard_error : float or None
        None where it was not asked for, was refused, or the estimate lies on an edge.
    low, high : float or None
        The ends of its interval.
    method : str or None
        How the interval was made.
    """

    name: str
    value: float
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    method: MethodName | None = None


@dataclass(frozen=True)
class Estimates:
    """Everything that was learned, and why something about it cannot be said.

    Attributes
    ----------
    rows : tuple of Estimate
    refusals : tuple of str
        Why standard errors or intervals are missing, a sentence each.
    """

    rows: tuple[Estimate, ...]
    refusals: tuple[str, ...] = ()


def estimates(
    fitted: Fitted,
    level: float | None,
    method: MethodName | None,
    covariance: CovarianceName,
    resampled: Callable[[], Bootstrap],
) -> Estimates:
    """Return all estimates with standard errors and intervals, and reasons for what is missing.

    Parameters
    ----------
    fitted : Fitted
    level : float, optional
        Between 0 and 1; None leaves out standard errors and intervals.
    method : "profile", "wald" or "bootstrap", optional
        Left out, it is what goes with the covariance; "profile" only where that takes a fraction
        of a second, and "wald" for the weights or for everything where it does not.
    covariance : "fisher", "robust", "clustered" or "bootstrap"
    resampled : callable
        Gives the bootstrap if one is needed.
    """
    bare = tuple(Estimate(n, float(v)) for n, v in zip(fitted.names, fitted.estimates, strict=True))
    if level is None:
        return Estimates(bare)
    checked(level, method, covariance)
    try:
        fitted.require()
    except InputError as refusal:
        return Estimates(bare, (f"No intervals: {refusal}",))
    refusals: list[str] = []
    errors = _standard_errors(fitted, covariance, resampled, refusals)
    methods = _methods(fitted, level, method, covariance)
    ends = _ends(fitted, level, methods, covariance, resampled, refusals)
    rows = []
    for row, error, (low, high), how in zip(bare, errors, ends, methods, strict=True):
        made = None if low is None else how
        rows.append(replace(row, standard_error=error, low=low, high=high, method=made))
    return Estimates(tuple(rows), tuple(refusals))


def _standard_errors(
    fitted: Fitted,
    covariance: CovarianceName,
    resampled: Callable[[], Bootstrap],
    refusals: list[str],
) -> list[float | None]:
    try:
        if covariance == "bootstrap":
            errors = np.sqrt(resampled().cov_params().diagonal())
        else:
            errors = np.sqrt(covariance_of(fitted, covariance).diagonal())
    except InputError as refusal:
        refusals.append(f"No standard errors: {refusal}")
        return [None] * len(fitted.names)
    edge = set(face_of(fitted).on_edge)
    pairs = zip(fitted.names, errors.tolist(), strict=True)
    return [None if name in edge else error for name, error in pairs]


def _methods(
    fitted: Fitted, level: float, method: MethodName | None, covariance: CovarianceName
) -> list[MethodName]:
    """How each interval is made: as asked for, or by profile where that is quick.

    A weight of 0 has no Wald interval and gets a profile if all such weights together are quick.
    Where p is infinite or at the end of its search there are no Wald intervals of weights, and
    profiles, which move p as well, take seconds, but for weights that may be anything.
    """
    if method is not None or covariance != "fisher":
        return [method or method_for(covariance)] * len(fitted.names)
    loss = fitted.loss
    read = _SMALLEST_PROFILE + loss.utilities.logs.size
    read += len(loss.graph.pairs) if isinstance(loss, ComparisonLoss) else 0
    kinds = [kind_of(name) for name in fitted.names]
    others = sum(kind != "weights" for kind in kinds)
    affordable = read * others <= _AFFORDABLE
    fallback: MethodName = "wald"
    found: list[MethodName] = ["profile" if affordable else fallback] * len(kinds)
    if fitted.only_who_counts:
        anything = _undetermined(fitted, level)
        for i, kind in enumerate(kinds):
            if kind == "weights":
                found[i] = "profile" if fitted.names[i] in anything else fallback
        return found
    edge = set(face_of(fitted).on_edge)
    sure = loss.weighting.free > 0 and not fitted.power_on_edge
    every = sure and read * loss.weighting.free <= _AFFORDABLE_WEIGHTS
    zeros = sum(kind_of(name) == "weights" for name in edge)
    few = sure and read * zeros <= _AFFORDABLE_WEIGHTS
    for i, kind in enumerate(kinds):
        if kind == "weights":
            found[i] = "profile" if every or (few and fitted.names[i] in edge) else fallback
    return found


def _undetermined(fitted: Fitted, level: float) -> set[str]:
    """The names of weights whose intervals are quick, because they may be anything."""
    weighting, people = fitted.loss.weighting, len(fitted.weights)
    if weighting.free <= 1:
        return set()
    if np.isinf(fitted.point.p):
        free = np.ones(weighting.free)
    else:
        free = np.zeros(weighting.free)
        free[undetermined_weights(fitted, float(chi2.ppf(level, 1)))] = 1.0
    chosen = weighting.to_people(free)
    return {f"weight of {fitted.stakeholders[i]}" for i in range(people) if chosen[i] > 0}


def _ends(
    fitted: Fitted,
    level: float,
    methods: list[MethodName],
    covariance: CovarianceName,
    resampled: Callable[[], Bootstrap],
    refusals: list[str],
) -> list[tuple[float | None, float | None]]:
    """Both ends of each interval, or None; weights that are made alike share their work."""
    ends: list[tuple[float | None, float | None]] = [(None, None)] * len(methods)
    on_edge = set(face_of(fitted).on_edge)
    beyond = [i for i, n in enumerate(fitted.names) if methods[i] == "wald" and n in on_edge]
    if beyond:
        refusals.append(_beyond_wald(fitted, [fitted.names[i] for i in beyond]))
    for chosen in _alike(fitted, methods, set(beyond)):
        name = "weights" if len(chosen) > 1 else fitted.names[chosen[0]]
        try:
            found = interval(fitted, name, level, methods[chosen[0]], covariance, resampled)
        except InputError as refusal:
            if f"No standard errors: {refusal}" not in refusals:
                refusals.append(f"No interval: {refusal}")
            continue
        for i, (low, high) in zip(chosen, found.tolist(), strict=True):
            ends[i] = low, high
    return ends


def _alike(fitted: Fitted, methods: list[MethodName], skipped: set[int]) -> list[list[int]]:
    """The numbers of the estimates whose intervals are made in one go."""
    weights = [i for i, name in enumerate(fitted.names) if kind_of(name) == "weights"]
    together = not skipped & set(weights) and len({methods[i] for i in weights}) == 1
    parts = [weights] if together else [[i] for i in weights]
    parts += [[i] for i in range(len(methods)) if i not in weights]
    return sorted(part for part in parts if not skipped & set(part))


def _beyond_wald(fitted: Fitted, names: list[str]) -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    where = "an estimate lies at the end of its range"
    if fitted.only_who_counts and "p" not in names:
        where = f"weights only say who counts, as at p = {fitted.point.p:.6g}"
    return (
        f"No interval: Wald intervals do not apply where {where}, as for {shown}. Use "
        f'interval("{names[0]}", method="profile"), which may take seconds.'
    )
