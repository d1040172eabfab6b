"""The logarithm of the power mean together with its derivatives.

Solvers call :func:`log_mean_of_logs` once per step, on logarithms they keep in the layout people
by actions; :func:`log_power_mean_derivatives` is the same for utilities as users hold them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.errors import InputError
from welfarist.validation import (
    FloatArray,
    as_numbers,
    as_power,
    as_weights,
    check_lengths,
    normalised,
    utilities_error,
)

# The limits below are those of power_mean: exp serves from 0.25 on, expm1 below, and under 1e-30
# nothing can be told from p = 0.
_SMALL_POWER = 0.25
_ZERO_POWER = 1e-30

# A person with weight 0 may be better off than the mean by any factor; their derivative is cut at
# e^340 so that its square is still a number. Nobody who counts comes near: w_i R_i <= 1.
_LARGEST_EXPONENT = 340.0
# exp underflows to 0 below this, so a utility of 0 (log -inf) may stand here when p > 0.
_SMALLEST_EXPONENT = -745.0

# phi(z) = (z e^z - expm1(z)) / z^2 = sum_k z^k (k + 1) / (k + 2)!; 14 terms leave less than 1e-17
# for |z| <= 0.5, where the closed form would lose digits as 1/z.
_SERIES_RADIUS = 0.5
_SERIES = [(k + 1) / factorial(k + 2) for k in range(14)]


@dataclass(frozen=True)
class LogMean:
    """log M of N actions and its derivatives, people by actions.

    Attributes
    ----------
    value : (N,) array
        log M.
    by_weight : (d, N) array
        Derivative with respect to each weight, up to a constant along the all-ones direction,
        chosen so that the weighted sum over people is 0.
    by_power : (N,) array
        Derivative with respect to p; never negative [PSPS24, Lemma 2.1].
    """

    value: FloatArray
    by_weight: FloatArray
    by_power: FloatArray


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
        Positive, finite numbers.
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
    p = -inf and inf the first two are 0 and q is shared by the worst (best) off.

    Examples
    --------
    >>> found = log_power_mean_derivatives([1.0, 4.0], p=0.0)
    >>> found.by_weight.round(4)
    array([-0.6931,  0.6931])
    >>> found.by_utility
    array([0.5  , 0.125])
    """
    table = as_numbers(utilities, "utilities").astype(np.float64, copy=False)
    if table.size == 0 or table.ndim == 0:
        raise InputError(
            "utilities must hold at least one action with at least one person; found "
            f"an array of shape {table.shape}."
        )
    if not (table.min() >= 0 and table.max() < np.inf):
        raise utilities_error(table)
    if table.min() == 0:
        raise InputError(
            "utilities must be positive where derivatives are taken; found 0. "
            "Leave those actions out, or use a small positive utility."
        )
    people = table.shape[-1]
    relative = np.ones(people) if weights is None else as_weights(weights)
    check_lengths(people, relative)
    share_of_total = normalised(relative)
    power = as_power(p)
    logs = np.ascontiguousarray(np.log(table.reshape(-1, people)).T)
    found = log_mean_of_logs(logs, share_of_total, power)
    shares = welfare_shares(logs, share_of_total, power).T.reshape(table.shape)
    return LogMeanDerivatives(
        value=found.value.reshape(table.shape[:-1]),
        by_weight=np.ascontiguousarray(found.by_weight.T).reshape(table.shape),
        by_power=found.by_power.reshape(table.shape[:-1]),
        by_utility=shares / table,
    )


def log_mean_of_logs(logs: FloatArray, w: FloatArray, p: float, has_zeros: bool = False) -> LogMean:
    """Log M and its derivatives by weight and power, from log utilities.

    Parameters
    ----------
    logs : (d, N) array
        Log utilities, people by actions; -inf is allowed if `has_zeros`.
    w : (d,) array
        Weights on the simplex; zeros allowed.
    p : float
        The power; must be positive if `has_zeros`.
    has_zeros : bool
        Whether some utility is 0.
    """
    if np.isinf(p):
        counted = logs[w > 0]
        value = counted.max(axis=0) if p > 0 else counted.min(axis=0)
        return LogMean(value, np.zeros_like(logs), np.zeros(logs.shape[1]))
    if abs(p) >= _SMALL_POWER or has_zeros:
        return _from_exponentials(logs, w, p, has_zeros)
    if abs(p) < _ZERO_POWER:
        mean = w @ logs
        centred = logs - mean
        return LogMean(mean, centred, (w @ (centred * centred)) / 2)
    return _from_centred(logs, w, p)


def _from_exponentials(logs: FloatArray, w: FloatArray, p: float, has_zeros: bool) -> LogMean:
    counts = w > 0
    everyone = bool(counts.all())
    exponents = p * logs
    top = (exponents if everyone else exponents[counts]).max(axis=0)
    exponents -= top
    if has_zeros:
        np.maximum(exponents, _SMALLEST_EXPONENT, out=exponents)
    if not everyone:
        np.minimum(exponents, _LARGEST_EXPONENT, out=exponents)
    ratios = np.exp(exponents)
    total = w @ ratios
    log_total = np.log(total)
    ratios /= total  # R_i = (u_i / M)^p
    exponents -= log_total  # log R_i
    divergence = w @ (exponents * ratios)  # KL(q || w)
    ratios -= 1.0
    ratios /= p
    return LogMean((top + log_total) / p, ratios, np.maximum(divergence, 0.0) / (p * p))


def _from_centred(logs: FloatArray, w: FloatArray, p: float) -> LogMean:
    mean = w @ logs
    offsets = logs - mean
    grown = np.expm1(p * offsets)
    total = w @ grown
    gain = np.log1p(total) / p
    offsets -= gain  # log(u_i / M)
    grown -= total
    grown /= (1.0 + total) * p  # (R_i - 1) / p
    return LogMean(mean + gain, grown, w @ (offsets * offsets * _phi(p * offsets)))


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
        ratios = w_column * np.exp(np.minimum(p * offsets, 0.0))
    return np.asarray(ratios / ratios.sum(axis=0))
