"""The power mean among those who are present, with weights shared among them.

With S the people present and W the sum of their weights::

    log M = (log sum_S w u^p - log W) / p,    d log M / d w_i = (R_i - 1) / (p W)

for i in S and 0 for others, where R_i = (u_i / M)^p as ever.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.curvature import contracted_curvature
from welfarist.families.power_mean.derivatives import log_mean_of_logs
from welfarist.families.welfare import Welfare

Presence = npt.NDArray[np.bool_]
# Derivatives by weights are over the sum of those present, and are squared in every step. However
# little those have, they share it exactly: only how steep that is has a limit.
_LEAST_SUM = 1e-150


def shared_weights(weights: FloatArray, present: Presence) -> tuple[FloatArray, FloatArray]:
    """Return everybody's share (d, N) among those present, and the sum (N,) of their weights.

    Where nobody present has a weight, all of them count the same; the sum is then infinite, so that
    no weight makes a difference. It is 1e-150 at least, so that what is divided by it has a square.
    """
    whole = weights @ present
    lost = whole == 0
    own = np.where(present, weights[:, None], 0.0) / np.where(lost, 1.0, whole)
    if lost.any():
        own[:, lost] = present[:, lost] / present[:, lost].sum(axis=0)
        whole = np.where(lost, np.inf, whole)
    return own, np.maximum(whole, _LEAST_SUM)


def log_mean_of_present(
    logs: FloatArray, present: Presence, weights: FloatArray, p: float, has_zeros: bool = False
) -> Welfare:
    """Return log M of those present and its derivatives, from log utilities (d, N)."""
    own, whole = shared_weights(weights, present)
    # Who is absent has what somebody has who counts, and no weight: it changes nothing.
    anybody = np.where(own > 0, logs, -np.inf).max(axis=0)
    found = log_mean_of_logs(np.where(present, logs, anybody), own, p, has_zeros)
    by_weight = np.where(present, found.by_weight, 0.0) / whole
    return Welfare(found.value, by_weight, found.by_power)


def bending_of_present(
    logs: FloatArray,
    present: Presence,
    weights: FloatArray,
    p: float,
    mean: Welfare,
    pull: FloatArray,
    has_zeros: bool = False,
) -> tuple[FloatArray, float]:
    """Return second derivatives that involve the power, summed over actions with `pull` (N,).

    They are those by each weight and the power (d,), and the one by the power twice.
    """
    own, whole = shared_weights(weights, present)
    finite = np.where(np.isinf(whole), 1.0, whole)
    alike = Welfare(mean.value, mean.by_weight * finite, mean.by_power)
    filled = np.where(present, logs, np.where(np.isfinite(mean.value), mean.value, 0.0))
    twice = contracted_curvature(filled, own, p, alike, pull, has_zeros)[1]
    part = pull / whole
    cross = contracted_curvature(filled, own, p, alike, part, has_zeros)[0]
    return cross - present @ (mean.by_power * part), twice
