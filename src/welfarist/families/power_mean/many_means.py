"""Power means of many rules at once, without derivatives: roughly, to rank rules, or closely."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.derivatives import log_mean_of_logs

# Below this |p| a power mean is a weighted mean of logarithms, as closely as a glance can tell.
_NEARLY_ZERO = 1e-4
# Below this |p| a mean is close to that of the logarithms, from which it is worked out.
_SMALL = 0.05
# A weight that is smaller, or a power that is larger, is left to the formulas for single rules.
_LIGHT, _LARGE = 1e-12, 1e6
# A sum of exponentials that is smaller may have lost digits.
_UNDERFLOWS = 1e-280
# Entries of the largest array that is made at a time: 256 KiB, which stay near the processor.
_BLOCK = 2**15


def log_means(logs: FloatArray, log_weights: FloatArray, powers: FloatArray) -> FloatArray:
    """Return the log power means (B, N) of logs (d, N) under B rules.

    Domain: log weights (B, d), -inf for who does not count, and powers (B,), finite; positive where
    a log utility is -inf.

    Formula: ``log(sum_i exp(log w_i + p log u_i)) / p``; the mean of the logarithms near p = 0.
    """
    away = np.where(np.abs(powers) < _NEARLY_ZERO, _NEARLY_ZERO, powers)
    if not np.isfinite(logs).all():
        return _from_largest_terms(logs, log_weights, away)
    found = np.empty((len(powers), logs.shape[1]))
    for positive in (True, False):
        there = np.flatnonzero((away > 0) == positive)
        if len(there):
            found[there] = _from_extremes(logs, log_weights[there], away[there], positive)
    lost = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(lost):
        found[lost] = _from_largest_terms(logs, log_weights[lost], away[lost])
    near = np.flatnonzero(np.abs(powers) < _NEARLY_ZERO)
    if len(near):
        found[near] = np.exp(log_weights[near]) @ logs
    return found


def _from_extremes(
    logs: FloatArray, log_weights: FloatArray, powers: FloatArray, positive: bool
) -> FloatArray:
    """Log power means (B, N) about the largest or smallest logarithm, whoever it is who has that.

    Where nobody who counts has nearly as much, no digits are left: the mean is infinite then.
    """
    extreme = logs.max(axis=0) if positive else logs.min(axis=0)
    offsets, weights = logs - extreme, np.exp(log_weights)[:, None, :]
    found = np.empty((len(powers), logs.shape[1]))
    rows = max(1, _BLOCK // logs.size)
    for start in range(0, len(powers), rows):
        part = slice(start, start + rows)
        grown = powers[part, None, None] * offsets
        np.exp(grown, out=grown)
        np.matmul(weights[part], grown, out=found[part, None])
    with np.errstate(divide="ignore"):
        np.log(np.where(found < _UNDERFLOWS, 0.0, found), out=found)
    found /= powers[:, None]
    found += extreme
    return found


def _from_largest_terms(
    logs: FloatArray, log_weights: FloatArray, powers: FloatArray
) -> FloatArray:
    """Log power means (B, N) about the largest term of each sum; log utilities may be -inf."""
    found = np.empty((len(powers), logs.shape[1]))
    rows = max(1, _BLOCK // logs.size)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for start in range(0, len(powers), rows):
            part = slice(start, start + rows)
            terms = powers[part, None, None] * logs
            terms += log_weights[part, :, None]
            anchor = terms.max(axis=1)
            anchor[~np.isfinite(anchor)] = 0.0
            terms -= anchor[:, None]
            total = np.log(np.exp(terms, out=terms).sum(axis=1))
            total += anchor
            np.divide(total, powers[part, None], out=found[part])
    return found


def close_log_means(logs: FloatArray, weights: FloatArray, powers: FloatArray) -> FloatArray:
    """Return the log power means (B, N) of logs (d, N) under B rules, to the last digits.

    Domain: finite logs, weights (B, d) that sum to 1, and powers (B,), which may be infinite.

    Formula: ``e + log(sum_i w_i exp(p (log u_i - e))) / p`` with e the largest log utility where
    p > 0 and the smallest where p < 0; about the weighted mean of the logarithms near p = 0.
    """
    found = np.empty((len(powers), logs.shape[1]))
    odd = (weights.min(axis=1) < _LIGHT) | (np.abs(powers) > _LARGE)
    with np.errstate(over="ignore", invalid="ignore"):  # of derivatives, which nobody asks for
        for b in np.flatnonzero(odd).tolist():
            found[b] = log_mean_of_logs(logs, weights[b], float(powers[b]), False).value
    rows = max(1, _BLOCK // logs.size)
    for way in (-1, 0, 1):
        there = np.flatnonzero(
            ~odd & (np.where(np.abs(powers) < _SMALL, 0, np.sign(powers)) == way)
        )
        for start in range(0, len(there), rows):
            part = there[start : start + rows]
            found[part] = _close(logs, weights[part], powers[part, None], way)
    return found


def _close(logs: FloatArray, weights: FloatArray, powers: FloatArray, way: int) -> FloatArray:
    """The same for powers (B, 1) that are all near 0, or on one side of it."""
    if way:
        extreme = logs.max(axis=0) if way > 0 else logs.min(axis=0)
        grown = np.exp(powers[:, :, None] * (logs - extreme))
        return np.asarray(extreme + np.log(np.einsum("bd,bdn->bn", weights, grown)) / powers)
    centre = weights @ logs
    grown = np.expm1(powers[:, :, None] * (logs - centre[:, None, :]))
    gain = np.log1p(np.einsum("bd,bdn->bn", weights, grown))
    return np.asarray(centre + np.divide(gain, powers, out=np.zeros_like(gain), where=powers != 0))


def log_means_of_present(
    logs: FloatArray,
    present: npt.NDArray[np.bool_],
    log_weights: FloatArray,
    powers: FloatArray,
) -> FloatArray:
    """Return the same among those present (d, N), by whom weights are shared.

    Where nobody present has a weight, all of them count the same.
    """
    found = np.empty((len(powers), logs.shape[1]))
    # Actions that affect the same people have the same shares.
    kinds, kind_of = np.unique(present, axis=1, return_inverse=True)
    for kind, there in enumerate(kinds.T):
        actions = np.flatnonzero(kind_of.reshape(-1) == kind)
        own = log_weights[:, there]
        own = np.where(np.isneginf(own).all(axis=1, keepdims=True), 0.0, own)
        own = own - np.log(np.exp(own).sum(axis=1, keepdims=True))
        found[:, actions] = log_means(logs[np.ix_(there, actions)], own, powers)
    return found
