"""The logarithm of the power mean together with its derivatives.

Solvers call :func:`log_mean_of_logs` once per step, on logarithms they keep in the layout people
by actions; :func:`log_power_mean_derivatives` is the same for utilities as users hold them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import (
    FloatArray,
    as_numbers,
    as_power,
    as_weights,
    check_lengths,
    normalised,
    one_row,
    place,
    utilities_error,
)
from welfarist.families.power_mean.formula_ranges import (
    LARGE_POWER,
    SMALL_POWER,
    ZERO_POWER,
    log_kept,
)
from welfarist.families.welfare import Welfare

# A person with weight 0 may be better off than the mean by any factor; their derivative is cut at
# e^200 so that sums of its square are still numbers. For those who count w_i R_i <= 1.
_LARGEST_EXPONENT = 200.0
_LARGEST_RATIO = exp(_LARGEST_EXPONENT)
# exp underflows to 0 below this, so a utility of 0 (log -inf) may stand here when p > 0.
_SMALLEST_EXPONENT = -745.0

# KL(q || w) as the sum of q_i log R_i loses a digit for every one it is smaller than the rounding
# of its terms, which is about p log u units in the last place; from here on 11 digits are left
# for |p log u| up to 100, and below the centred formula, which loses none, takes over.
_SMALL_DIVERGENCE = 1e-3
# As long as the mean exponent is no further from the largest, no term of that formula overflows.
_MODERATE_EXPONENT = 300.0

# phi(z) = (z e^z - expm1(z)) / z^2 = sum_k z^k (k + 1) / (k + 2)!; 14 terms leave less than 1e-17
# for |z| <= 0.5, where the closed form would lose digits as 1/z.
_SERIES_RADIUS = 0.5
_SERIES = [(k + 1) / factorial(k + 2) for k in range(14)]


@dataclass(frozen=True)
class LogMeanDerivatives:
    """log M of each action and its derivatives, in the layout of the utilities.

    Attributes
    ----------
    value : (...) array
        log M.
    by_weight : (..., d) array
        With respect to each weight, up to a constant per action, which the constraint that
        weights sum to 1 makes immaterial; its weighted sum over people is 0.
    by_power : (...) array
        With respect to p.
    by_utility : (..., d) array
        With respect to each utility.
    """

    value: FloatArray
    by_weight: FloatArray
    by_power: FloatArray
    by_utility: FloatArray


def log_power_mean_derivatives(
    utilities: npt.ArrayLike, p: float, weights: npt.ArrayLike | None = None
) -> LogMeanDerivatives:
    """Logarithm of the power mean with its derivatives by weights, power and utilities.

    Parameters
    ----------
    utilities : (..., d) array-like
        Positive, finite numbers; 0 is allowed for somebody whose weight is 0.
    p : float
        The power, in [-inf, inf].
    weights : (d,) array-like, optional
        Relative weights; equal if left out. The derivative is taken at the normalised weights.

    Returns
    -------
    LogMeanDerivatives

    Notes
    -----
    Formula: with ``R_i = (u_i / M)^p`` and ``q_i = w_i R_i``,
    ``d log M / d w_i = (R_i - 1) / p``, ``d log M / d p = KL(q || w) / p^2`` and
    ``d log M / d u_i = q_i / u_i``.

    Limits: at p = 0 they are ``log u_i - log M``, ``Var_w(log u) / 2`` and ``w_i / u_i``; at
    p = -inf and inf the first two are 0 and q is shared by the worst (best) off. Somebody with
    neither utility nor weight has the derivative by weight -1/p for p > 0 and -inf for p <= 0.

    Examples
    --------
    >>> found = log_power_mean_derivatives([1.0, 4.0], p=0.0)
    >>> found.by_weight.round(4)
    array([-0.6931,  0.6931])
    >>> found.by_utility
    array([0.5  , 0.125])
    """
    given = as_numbers(utilities, "utilities")
    table = given.astype(np.float64, copy=False)
    if table.size == 0 or table.ndim == 0:
        raise InputError(
            "utilities must hold at least one action with at least one person; found "
            f"an array of shape {table.shape}."
        )
    if not (table.min() >= 0 and table.max() < np.inf):
        raise utilities_error(given)
    people = table.shape[-1]
    relative = np.ones(people) if weights is None else one_row(as_weights(weights))
    check_lengths(people, len(relative))
    power, w = as_power(p), normalised(relative)
    zeros = table == 0
    counted_zeros = zeros & (w > 0)
    if counted_zeros.any():
        raise InputError(
            "utilities must be positive where derivatives are taken, for those who count; found 0"
            f"{place(counted_zeros)}. Leave that action out, or use a small positive utility."
        )
    found = _about_a_person(table.reshape(-1, people).T, w, power)
    by_weight = found.by_weight.T.reshape(table.shape)
    if zeros.any() and np.isfinite(power):
        by_weight = np.where(zeros, -1.0 / power if power > 0 else -np.inf, by_weight)
    return LogMeanDerivatives(
        value=found.value.reshape(table.shape[:-1]),
        by_weight=np.ascontiguousarray(by_weight),
        by_power=found.by_power.reshape(table.shape[:-1]),
        by_utility=found.by_utility.T.reshape(table.shape),
    )


def _about_a_person(utilities: FloatArray, w: FloatArray, p: float) -> LogMeanDerivatives:
    """Differentiate at utilities (d, N), measured relative to one person of each action.

    Utilities that are nearly equal keep the digits in which they differ: their difference is
    exact, their logarithms are not. Somebody with neither utility nor weight is set to the
    reference, where they change nothing.
    """
    counted = utilities[w > 0]
    reference = counted.max(axis=0) if p > 0 else counted.min(axis=0)
    utilities = np.where(utilities == 0, reference, utilities)
    gaps = utilities - reference
    near = np.abs(gaps) <= reference / 2
    logs = np.log(utilities)
    logs -= np.log(reference)
    logs[near] = np.log1p(gaps[near] / np.broadcast_to(reference, near.shape)[near])
    found = log_mean_of_logs(logs, w, p)
    with np.errstate(over="ignore"):  # a share of the smallest doubles: infinite, as it should
        by_utility = welfare_shares(logs, w, p) / utilities
    return LogMeanDerivatives(
        found.value + np.log(reference), found.by_weight, found.by_power, by_utility
    )


def log_mean_of_logs(
    logs: FloatArray,
    w: FloatArray,
    p: float,
    has_zeros: bool = False,
    ends: Ends | None = None,
) -> Welfare:
    """Log M and its derivatives by weight and power, from log utilities.

    Parameters
    ----------
    logs : (d, N) array
        Log utilities, people by actions; -inf is allowed if `has_zeros`.
    w : (d,) or (d, N) array
        Weights on the simplex; zeros allowed. Or such weights for each action.
    p : float
        The power; must be positive if `has_zeros`.
    has_zeros : bool
        Whether some utility is 0. Where nobody who counts has anything, log M is -inf and the
        derivatives are given as 0.
    ends : Ends, optional
        Those of the logarithms, if they are known and nobody has nothing.
    """
    if np.isinf(p):
        value = _extreme(logs, w, p)
        return Welfare(value, np.zeros_like(logs), np.zeros(logs.shape[1]))
    if abs(p) >= SMALL_POWER:
        if ends is not None and w.ndim == 1:
            if w.all():
                return _of_everybody(logs, w, float(p), *(ends.largest if p > 0 else ends.smallest))
            found = _of_those_who_count(logs, w, float(p))
            if found is not None:
                return found
        return _from_exponentials(logs, w, float(p), has_zeros)
    return _with_zeros(logs, w, p) if has_zeros else log_mean_about_centre(logs, w, p)


@dataclass(frozen=True)
class Ends:
    """The smallest and the largest logarithm of each action, of which many means are taken.

    Attributes
    ----------
    smallest, largest : (N,) array, (d, N) array
        The end, and the logarithms less it.
    """

    smallest: tuple[FloatArray, FloatArray]
    largest: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, logs: FloatArray) -> Ends:
        """Work out both from finite logarithms (d, N)."""
        least, most = logs.min(axis=0), logs.max(axis=0)
        return cls((least, logs - least), (most, logs - most))


def _extreme(logs: FloatArray, w: FloatArray, p: float) -> FloatArray:
    """The largest (p > 0) or smallest logarithm (N,) of those who count."""
    if w.ndim > 1:
        logs = np.where(w > 0, logs, -np.inf if p > 0 else np.inf)
    elif not w.all():
        logs = logs[w > 0]
    return np.asarray(logs.max(axis=0) if p > 0 else logs.min(axis=0))


def _of_everybody(
    logs: FloatArray, w: FloatArray, p: float, extreme: FloatArray, offsets: FloatArray
) -> Welfare:
    """Log M where everybody has something and counts, by weights (d,) that all actions share.

    `offsets` (d, N) are the logarithms less `extreme` (N,), the largest for p > 0.
    """
    exponents = offsets * min(max(p, -LARGE_POWER), LARGE_POWER)
    ratios = np.exp(exponents)
    total = w @ ratios
    log_total = np.log(total)
    ratios /= total  # R_i = (u_i / M)^p
    exponents -= log_total  # log R_i
    return _assembled(logs, w, p, extreme, exponents, ratios, log_total)


def _of_those_who_count(logs: FloatArray, w: FloatArray, p: float) -> Welfare | None:
    """The same where some weights (d,) are 0; None if that takes more care.

    Those who do not count may be better off by any factor, and are cut off at the largest.
    """
    extreme = _extreme(logs, w, p)
    exponents = logs - extreme
    exponents *= min(max(p, -LARGE_POWER), LARGE_POWER)
    np.minimum(exponents, _LARGEST_EXPONENT, out=exponents)
    ratios = np.exp(exponents)
    total = w @ ratios
    log_total = np.log(total)
    if log_total.min() < -_LARGEST_EXPONENT:  # the next step may overflow
        return None
    ratios /= total
    np.minimum(ratios, _LARGEST_RATIO, out=ratios)
    exponents -= log_total
    np.minimum(exponents, _LARGEST_EXPONENT, out=exponents)
    return _assembled(logs, w, p, extreme, exponents, ratios, log_total)


def _from_exponentials(logs: FloatArray, w: FloatArray, p: float, has_zeros: bool) -> Welfare:
    counts = w > 0
    everyone = counts.all()
    extreme = _extreme(logs, w, p)
    if has_zeros:
        dead = np.isneginf(extreme)
        extreme[dead] = 0.0
    exponents = logs - extreme
    exponents *= min(max(p, -LARGE_POWER), LARGE_POWER)
    if has_zeros:
        np.maximum(exponents, _SMALLEST_EXPONENT, out=exponents)
        exponents[:, dead] = 0.0
    if everyone:
        ratios = np.exp(exponents)
        total = weighted_sum(w, ratios)
        log_total = np.log(total)
        ratios /= total  # R_i = (u_i / M)^p
        exponents -= log_total  # log R_i
    else:
        if w.ndim > 1:
            log_total = np.log(weighted_sum(w, np.exp(np.where(counts, exponents, 0.0))))
        else:
            log_total = np.log(w[counts] @ np.exp(exponents[counts]))
        exponents -= log_total
        exponents[~counts] = np.minimum(exponents[~counts], _LARGEST_EXPONENT)
        ratios = np.exp(exponents)
    found = _assembled(logs, w, p, extreme, exponents, ratios, log_total)
    if has_zeros:
        _settle_nothing(found, dead)
    return found


def _assembled(
    logs: FloatArray,
    w: FloatArray,
    p: float,
    extreme: FloatArray,
    exponents: FloatArray,
    ratios: FloatArray,
    log_total: FloatArray,
) -> Welfare:
    """Log M and its derivatives from R (d, N), log R and log sum w u^p, which are overwritten."""
    exponents *= ratios
    divergence = weighted_sum(w, exponents)  # KL(q || w)
    ratios -= 1.0
    ratios /= p
    log_total /= p
    log_total += extreme
    found = Welfare(log_total, ratios, divergence / (p * p))
    if divergence.min() < _SMALL_DIVERGENCE:
        columns = np.flatnonzero(divergence < _SMALL_DIVERGENCE)
        own = w if w.ndim == 1 else w[:, columns]
        _refine(found, columns, logs[:, columns] - extreme[columns], own, p)
    return found


def _refine(
    found: Welfare, columns: npt.NDArray[np.intp], offsets: FloatArray, w: FloatArray, p: float
) -> None:
    """Replace the derivatives of `columns`, where q is close to w, by ones that keep their digits.

    `offsets` (d, m) are log(u_i / extreme); `found` is changed in place.
    """
    # Beyond the far ends of exp it does not matter how far.
    low, high = sorted((_SMALLEST_EXPONENT / p, _LARGEST_EXPONENT / p))
    offsets = np.clip(offsets, low, high)
    moderate = p * weighted_sum(w, offsets) >= -_MODERATE_EXPONENT
    columns = columns[moderate]
    own = w if w.ndim == 1 else w[:, moderate]
    better = log_mean_about_centre(offsets[:, moderate], own, p)
    found.by_weight[:, columns] = better.by_weight
    found.by_power[columns] = better.by_power
    np.maximum(found.by_power, 0.0, out=found.by_power)


def _settle_nothing(found: Welfare, dead: npt.NDArray[np.bool_]) -> None:
    """Write what holds where nobody who counts has anything."""
    found.value[dead] = -np.inf
    found.by_weight[:, dead] = 0.0
    found.by_power[dead] = 0.0


def _with_zeros(logs: FloatArray, w: FloatArray, p: float) -> Welfare:
    """Log M about the mean for p > 0 where some logarithms are -inf.

    Formula: those with nothing leave the others' mean, by the others' weights, times
    (the others' weight)^(1/p). Actions in which everybody has something are kept apart.
    """
    nothing = np.isneginf(logs)
    mixed = nothing.any(axis=0)
    if not mixed.any():
        return log_mean_about_centre(logs, w, p)
    found = Welfare(np.empty(logs.shape[1]), np.empty_like(logs), np.empty(logs.shape[1]))
    whole, partly = (w, w) if w.ndim == 1 else (w[:, ~mixed], w[:, mixed])
    for columns, part in (
        (~mixed, log_mean_about_centre(logs[:, ~mixed], whole, p)),
        (mixed, _without_nothing(logs[:, mixed], nothing[:, mixed], partly, p)),
    ):
        found.value[columns] = part.value
        found.by_weight[:, columns] = part.by_weight
        found.by_power[columns] = part.by_power
    return found


def _without_nothing(
    logs: FloatArray, nothing: npt.NDArray[np.bool_], w: FloatArray, p: float
) -> Welfare:
    dropped, kept = weighted_sum(w, nothing), weighted_sum(w, ~nothing)
    dead = kept == 0
    own = np.where(nothing, 0.0, w if w.ndim > 1 else w[:, None]) / np.where(dead, 1.0, kept)
    anybody = np.where(own > 0, logs, -np.inf).max(axis=0)
    anybody[dead] = 0.0
    others = log_mean_about_centre(np.where(nothing, anybody, logs), own, p)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        gone = log_kept(kept, dropped, p)
        by_weight = np.where(nothing, -1.0 / p, (others.by_weight + dropped / p) / kept)
        found = Welfare(others.value + gone, by_weight, others.by_power - gone / p)
    _settle_nothing(found, dead)
    return found


def log_mean_about_centre(logs: FloatArray, w: FloatArray, p: float) -> Welfare:
    """Log M about the weighted mean of the logarithms; `w` is (d,) or one column per action."""
    if abs(p) < ZERO_POWER:
        mean = weighted_sum(w, logs)
        offsets = logs - mean
        return Welfare(mean, offsets, weighted_sum(w, offsets * offsets) / 2)
    return log_mean_about(logs, w, p)


def log_mean_about(logs: FloatArray, w: FloatArray, p: float | FloatArray) -> Welfare:
    """Log M about the weighted mean of the logarithms for a power, or one an action, not near 0."""
    mean = weighted_sum(w, logs)
    offsets = logs - mean
    exponents = p * offsets
    if not w.all():
        # Of those who do not count: what somebody with a small weight has may be all there is.
        largest = np.where(w == 0, _LARGEST_EXPONENT, np.inf)
        np.minimum(exponents, largest if w.ndim > 1 else largest[:, None], out=exponents)
    grown = np.expm1(exponents)
    total = weighted_sum(w, grown)
    gain = np.log1p(total) / p
    offsets -= gain  # log(u_i / M)
    grown -= total
    grown /= (1.0 + total) * p  # (R_i - 1) / p
    return Welfare(mean + gain, grown, weighted_sum(w, offsets * offsets * _phi(p * offsets)))


def weighted_sum(w: FloatArray, values: npt.NDArray[Any]) -> FloatArray:
    """Sum over people of w, (d,) or (d, N), times values (d, N) -> (N,)."""
    return np.asarray(w @ values if w.ndim == 1 else np.einsum("ij,ij->j", w, values))


def _phi(z: FloatArray) -> FloatArray:
    """(z e^z - expm1(z)) / z^2, at least 0, with the limit 1/2 at z = 0."""
    near = np.abs(z) <= _SERIES_RADIUS
    small = z if near.all() else np.where(near, z, 0.0)
    series = np.full_like(z, _SERIES[-1])
    for coefficient in reversed(_SERIES[:-1]):
        series *= small
        series += coefficient
    if small is z:
        return series
    large = np.where(near, 1.0, np.minimum(z, _LARGEST_EXPONENT))
    closed = (large * np.exp(large) - np.expm1(large)) / (large * large)
    return np.where(near, series, closed)


def welfare_shares(logs: FloatArray, w: FloatArray, p: float) -> FloatArray:
    """Each person's marginal share of welfare, ``q_i = d log M / d log u_i`` (d, N).

    Shares are not negative and sum to 1 over people. Where welfare is 0 they are the limit as
    every utility is raised by the same small amount: those with nothing share it by weight.
    """
    w_column = w[:, None]
    if p == 0:
        return np.broadcast_to(w_column, logs.shape).copy()
    counts = w_column > 0
    anchored: Any = np.where(counts, logs, -np.inf if p > 0 else np.inf)
    extreme = anchored.max(axis=0) if p > 0 else anchored.min(axis=0)
    with np.errstate(invalid="ignore"):
        offsets = logs - extreme
    offsets[np.isnan(offsets)] = 0.0  # log 0 - log 0: equal utilities
    if np.isinf(p):
        ratios = np.where(offsets == 0, w_column, 0.0)
    else:
        exponents = min(max(p, -LARGE_POWER), LARGE_POWER) * offsets
        ratios = w_column * np.exp(np.minimum(exponents, 0.0))
    return np.asarray(ratios / ratios.sum(axis=0))
