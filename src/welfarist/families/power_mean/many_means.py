"""Power means of many rules at once, roughly: enough to rank rules, for a fraction of the cost."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

# Below this |p| a power mean is a weighted mean of logarithms, as closely as a glance can tell.
_NEARLY_ZERO = 1e-4
# Entries of the largest array that is made at a time.
_BLOCK = 1_000_000


def log_means(logs: FloatArray, log_weights: FloatArray, powers: FloatArray) -> FloatArray:
    """Return the log power means (B, N) of logs (d, N) under B rules.

    Domain: log weights (B, d), -inf for who does not count, and powers (B,), finite; positive where
    a log utility is -inf.

    Formula: ``log(sum_i exp(log w_i + p log u_i)) / p``; the mean of the logarithms near p = 0.
    """
    found = np.empty((len(powers), logs.shape[1]))
    rows = max(1, _BLOCK // logs.size)
    away = np.where(np.abs(powers) < _NEARLY_ZERO, _NEARLY_ZERO, powers)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for start in range(0, len(powers), rows):
            part = slice(start, start + rows)
            terms = log_weights[part, :, None] + away[part, None, None] * logs
            top = terms.max(axis=1)
            anchor = np.where(np.isfinite(top), top, 0.0)
            total = np.log(np.exp(terms - anchor[:, None]).sum(axis=1)) + anchor
            found[part] = total / away[part, None]
    near = np.flatnonzero(np.abs(powers) < _NEARLY_ZERO)
    if len(near) and np.isfinite(logs).all():
        found[near] = np.exp(log_weights[near]) @ logs
    return found


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
