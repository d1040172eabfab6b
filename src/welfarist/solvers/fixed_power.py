"""A loss at one power, for many weight vectors at once.

With p fixed, ``u^p`` is computed once; every evaluation is then a product of that table with the
weights of all starts. This is what Algorithm 1 of the paper descends on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from welfarist.errors import InputError
from welfarist.losses import ComparisonLoss, Loss, ScoreLoss
from welfarist.validation import FloatArray

# Closer to 0 the geometric mean is the power mean to all digits a gradient descent can use.
_NASH = 1e-9


@dataclass(frozen=True)
class Batch:
    """Losses (S,) of S starts and their derivatives by free weights (S, k) and log tau (S,)."""

    value: FloatArray
    by_weight: FloatArray
    by_log_tau: FloatArray


def require_plain(loss: Loss, solver: str) -> None:
    """Refuse what the paper's algorithms do not cover."""
    reason = None
    if not isinstance(loss, ScoreLoss | ComparisonLoss):
        reason = "a prior"
    elif isinstance(loss, ScoreLoss) and loss.scale:
        reason = "scale=True"
    elif isinstance(loss, ComparisonLoss) and loss.lapse:
        reason = 'noise="lapse"'
    if reason:
        raise InputError(
            f'solver="{solver}" is the method of the paper, which has no {reason}. '
            'Use solver="newton".'
        )


class FixedPower:
    """A score or comparison loss at a fixed, finite power."""

    def __init__(self, loss: ScoreLoss | ComparisonLoss, p: float) -> None:
        self._loss = loss
        self._p = p
        logs = loss.utilities.logs
        self._nash = abs(p) < _NASH
        if self._nash:
            self._top = np.zeros(logs.shape[1])
            powers = logs
        else:
            self._top = (p * logs).max(axis=0)
            powers = np.exp(p * logs - self._top)
        # By free weight: a group's column is the mean of its members' (N, k).
        self._powers = np.ascontiguousarray(self._by_free_weight(powers).T)
        if isinstance(loss, ComparisonLoss):
            pairs = loss.graph.pairs
            n = len(pairs)
            signs = np.tile([1.0, -1.0], n)
            columns = np.column_stack([pairs.first, pairs.second]).reshape(-1)
            starts = np.arange(0, 2 * n + 1, 2)
            self._incidence = csr_array((signs, columns, starts), shape=(n, loss.graph.actions))
            self._transposed = self._incidence.T.tocsr()

    def evaluate(self, weights: FloatArray, log_tau: FloatArray) -> Batch:
        """Losses and gradients for weights (S, k) and log temperatures (S,)."""
        total = self._powers @ weights.T
        if self._nash:
            log_mean, by_total = total, np.ones_like(total)
        else:
            log_mean = (self._top[:, None] + np.log(total)) / self._p
            by_total = 1.0 / (self._p * total)
        if isinstance(self._loss, ScoreLoss):
            value, pull, by_log_tau = self._scores(self._loss, log_mean)
        else:
            value, pull, by_log_tau = self._comparisons(self._loss, log_mean, log_tau)
        return Batch(value, (pull * by_total).T @ self._powers, by_log_tau)

    def _by_free_weight(self, powers: FloatArray) -> FloatArray:
        weighting = self._loss.weighting
        if weighting.fixed is not None:
            return (weighting.fixed @ powers)[None]
        return weighting.pull_back(powers)

    @staticmethod
    def _scores(loss: ScoreLoss, log_mean: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        welfare = np.exp(log_mean + loss.utilities.shift)
        residual = welfare - loss.scores[:, None]
        value = loss.sample_weight @ np.square(residual)
        pull = 2.0 * loss.sample_weight[:, None] * residual * welfare
        return value, pull, np.zeros(log_mean.shape[1])

    def _comparisons(
        self, loss: ComparisonLoss, log_mean: FloatArray, log_tau: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        tau = np.exp(log_tau)
        pairs = loss.graph.pairs
        z = (self._incidence @ log_mean) * tau
        count, lead = pairs.count[:, None], pairs.lead[:, None]
        decay = np.exp(-np.abs(z))
        likelihood = count * np.log1p(decay) + 0.5 * (count * np.abs(z) - lead * z)
        slope = 0.5 * (count * np.copysign((1.0 - decay) / (1.0 + decay), z) - lead) / loss.total
        pull = (self._transposed @ slope) * tau
        return likelihood.sum(axis=0) / loss.total, pull, (slope * z).sum(axis=0)
