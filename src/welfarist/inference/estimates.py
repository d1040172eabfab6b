"""All estimates at once, with standard errors and the intervals that can be had quickly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from welfarist.base.errors import InputError
from welfarist.inference.bootstrap import Bootstrap
from welfarist.inference.covariance import CovarianceName, face_of, variances_of
from welfarist.inference.intervals import (
    MethodName,
    beyond_wald,
    checked,
    interval,
    method_for,
    pieces,
    wald_intervals,
)
from welfarist.inference.likelihood import Likelihood, Quantity
from welfarist.inference.power_set import Pieces
from welfarist.inference.profile import undetermined_weights
from welfarist.inference.reference import allowed_deviance
from welfarist.losses.estimated.loss import EstimatedLoss

# One profile takes about as long as reading this many numbers takes, however small the data.
_SMALLEST_PROFILE = 10_000
# Where errors of actions go together a profile takes so many times longer.
_SHARED = 1_000
# Numbers read for which it is worth to wait seconds, where there is no other interval.
_PATIENCE = 1_500_000
# Numbers read that are worth the wait: half a second for p, tau, rho and scale, of which there are
# at most three; half of that for all weights together.
_AFFORDABLE, _AFFORDABLE_WEIGHTS = 250_000, 120_000


@dataclass(frozen=True)
class Estimate:
    """A number that was learned, and how sure it is.

    Attributes
    ----------
    quantity : Quantity
        What it is: "p", "weight of staff", "tau" and so on.
    value : float
    standard_error : float or None
        None where it was not asked for, was refused, or the estimate lies on an edge.
    low, high : float or None
        The ends of its interval.
    method : str or None
        How the interval was made.
    pieces : tuple of pairs
        The parts of the set of which `low` and `high` are the ends, where there are several.
    """

    quantity: Quantity
    value: float
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    method: MethodName | None = None
    pieces: Pieces = ()

    @property
    def name(self) -> str:
        """What it is called."""
        return self.quantity.name


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
    likelihood: Likelihood,
    level: float | None,
    method: MethodName | None,
    covariance: CovarianceName,
    resampled: Callable[[], Bootstrap],
) -> Estimates:
    """Return all estimates with standard errors and intervals, and reasons for what is missing.

    Parameters
    ----------
    likelihood : Likelihood
    level : float, optional
        Between 0 and 1; None leaves out standard errors and intervals.
    method : "profile", "wald" or "bootstrap", optional
        Left out, it is what goes with the covariance; "profile" only where that takes a fraction
        of a second, and "wald" for the weights or for everything where it does not.
    covariance : "fisher", "robust", "clustered" or "bootstrap"
    resampled : callable
        Gives the bootstrap if one is needed.
    """
    pairs = zip(likelihood.quantities, likelihood.estimates, strict=True)
    bare = tuple(Estimate(quantity, float(value)) for quantity, value in pairs)
    if level is None:
        return Estimates(bare)
    checked(level, method, covariance)
    try:
        likelihood.require_curvature()
    except InputError as refusal:
        return Estimates(bare, (f"No intervals: {refusal}",))
    refusals: list[str] = []
    errors = _standard_errors(likelihood, covariance, resampled, refusals)
    methods = _methods(likelihood, level, method, covariance)
    ends = _ends(likelihood, level, methods, covariance, resampled, refusals)
    rows = []
    for row, error, (low, high), how in zip(bare, errors, ends, methods, strict=True):
        made = None if low is None else how
        rows.append(replace(row, standard_error=error, low=low, high=high, method=made))
    rows = [_in_pieces(likelihood, row, level) for row in rows]
    return Estimates(tuple(rows), tuple(refusals))


def _in_pieces(likelihood: Likelihood, row: Estimate, level: float) -> Estimate:
    """The estimate with the parts of its set, where they are several."""
    if row.method != "profile" or not row.quantity.is_shape:
        return row
    found = pieces(likelihood, row.name, level)
    return replace(row, pieces=found) if len(found) > 1 else row


def _standard_errors(
    likelihood: Likelihood,
    covariance: CovarianceName,
    resampled: Callable[[], Bootstrap],
    refusals: list[str],
) -> list[float | None]:
    try:
        if covariance == "bootstrap":
            errors = np.sqrt(resampled().cov_params().diagonal())
        else:
            errors = np.sqrt(variances_of(likelihood, covariance))
    except InputError as refusal:
        refusals.append(f"No standard errors: {refusal}")
        return [None] * len(likelihood.names)
    edge = set(face_of(likelihood).on_edge)
    pairs = zip(likelihood.names, errors.tolist(), strict=True)
    return [None if name in edge else error for name, error in pairs]


def _methods(
    likelihood: Likelihood, level: float, method: MethodName | None, covariance: CovarianceName
) -> list[MethodName]:
    """How each interval is made: as asked for, or by profile where that is quick.

    Standard errors that do not take the likelihood at its word have Wald intervals; where none
    applies a profile takes their place if that takes no more than seconds. Under a prior every
    interval is that of the posterior.
    """
    if likelihood.prior is not None:
        return [method or "posterior"] * len(likelihood.names)
    usual = method_for(covariance)
    if method is None and likelihood.loss.in_parts:
        return ["wald"] * len(likelihood.names)
    if method is not None or usual == "bootstrap":
        return [method or usual] * len(likelihood.names)
    quick = _quick_methods(likelihood, level)
    if covariance == "fisher":
        return quick
    beyond = beyond_wald(likelihood, covariance)
    pairs = zip(likelihood.names, quick, strict=True)
    return [how if name in beyond else usual for name, how in pairs]


def _quick_methods(likelihood: Likelihood, level: float) -> list[MethodName]:
    """Profiles where they are quick, and standard errors elsewhere.

    What lies on an edge has no Wald interval and gets a profile if all of those together take no
    more than seconds: weights of 0, a p at the end of its search, and all weights there.
    """
    loss = likelihood.loss
    read = _SMALLEST_PROFILE + loss.people.size + (0 if loss.squared else loss.decisions)
    if isinstance(loss, EstimatedLoss):  # whose actions are integrated out together
        read += loss.people.actions**2 * (_SHARED if loss.estimated.is_shared else 1)
    weights = [i for i, quantity in enumerate(likelihood.quantities) if quantity.is_weight]
    others = len(likelihood.quantities) - len(weights)
    affordable = read * others <= _AFFORDABLE
    fallback: MethodName = "wald"
    found: list[MethodName] = ["profile" if affordable else fallback] * len(likelihood.quantities)
    if likelihood.only_who_counts:
        anything = _undetermined(likelihood, level)
        for i in weights:
            found[i] = "profile" if likelihood.quantities[i].person in anything else fallback
        return _but_for_edges(likelihood, found, read)
    edge = set(face_of(likelihood).on_edge)
    sure = loss.weighting.free > 0 and not likelihood.power_on_edge
    every = sure and read * loss.weighting.free <= _AFFORDABLE_WEIGHTS
    zeros = sum(likelihood.names[i] in edge for i in weights)
    few = sure and read * zeros <= _AFFORDABLE_WEIGHTS
    for i in weights:
        found[i] = "profile" if every or (few and likelihood.names[i] in edge) else fallback
    return _but_for_edges(likelihood, found, read)


def _but_for_edges(
    likelihood: Likelihood, methods: list[MethodName], read: int
) -> list[MethodName]:
    """The methods with profiles where Wald does not apply, if all of them together take seconds."""
    edge = set(face_of(likelihood).on_edge)
    places = {i for i, how in enumerate(methods) if how == "wald" and likelihood.names[i] in edge}
    if read * len(places) > _PATIENCE:
        return methods
    return ["profile" if i in places else how for i, how in enumerate(methods)]


def _undetermined(likelihood: Likelihood, level: float) -> set[int]:
    """The people whose weights have quick intervals, because they may be anything."""
    weighting = likelihood.loss.weighting
    if weighting.free <= 1:
        return set()
    if np.isinf(likelihood.point.p):
        free = np.ones(weighting.free)
    else:
        free = np.zeros(weighting.free)
        free[undetermined_weights(likelihood, allowed_deviance(likelihood, level))] = 1.0
    return set(np.flatnonzero(weighting.to_people(free) > 0).tolist())


def _ends(
    likelihood: Likelihood,
    level: float,
    methods: list[MethodName],
    covariance: CovarianceName,
    resampled: Callable[[], Bootstrap],
    refusals: list[str],
) -> list[tuple[float | None, float | None]]:
    """Both ends of each interval, or None; weights that are made alike share their work."""
    ends: list[tuple[float | None, float | None]] = [(None, None)] * len(methods)
    on_edge = set(face_of(likelihood).on_edge)
    beyond = [i for i, n in enumerate(likelihood.names) if methods[i] == "wald" and n in on_edge]
    if beyond:
        refusals.append(_beyond_wald(likelihood, [likelihood.names[i] for i in beyond]))
    for chosen in _alike(likelihood, methods, set(beyond)):
        name = "weights" if len(chosen) > 1 else likelihood.names[chosen[0]]
        how = methods[chosen[0]]
        errors = "fisher" if how == "profile" else covariance
        try:
            if how == "wald" and likelihood.prior is None:
                found = wald_intervals(likelihood.require(), chosen, level, errors, resampled)
            else:
                found = interval(likelihood, name, level, how, errors, resampled)
        except InputError as refusal:
            if f"No standard errors: {refusal}" not in refusals:
                refusals.append(f"No interval: {refusal}")
            continue
        for i, (low, high) in zip(chosen, found.tolist(), strict=True):
            ends[i] = low, high
    return ends


def _alike(likelihood: Likelihood, methods: list[MethodName], skipped: set[int]) -> list[list[int]]:
    """The numbers of the estimates whose intervals are made in one go."""
    weights = [i for i, quantity in enumerate(likelihood.quantities) if quantity.is_weight]
    every = {methods[i] for i in weights}
    if len(every) == 1 and not skipped & set(weights):
        parts = [weights]
    else:
        alone = [i for i in weights if i not in skipped]
        by_errors = [i for i in alone if methods[i] == "wald" and likelihood.prior is None]
        parts = [by_errors] if by_errors else []
        parts += [[i] for i in sorted(set(alone) - set(by_errors))]
    others = set(range(len(methods))) - set(weights) - skipped
    parts += [[i] for i in others]
    return sorted(parts)


def _beyond_wald(likelihood: Likelihood, names: list[str]) -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    where = "an estimate lies at the end of its range"
    shape = likelihood.loss.family.shape.name
    if likelihood.only_who_counts and shape not in names:
        where = f"weights only say who counts, as at p = {likelihood.point.p:.6g}"
    if likelihood.loss.in_parts:
        return f"No interval: Wald intervals do not apply where {where}, as for {shown}."
    return (
        f"No interval: Wald intervals do not apply where {where}, as for {shown}. Use "
        f'interval("{names[0]}", method="profile"), which may take seconds.'
    )
