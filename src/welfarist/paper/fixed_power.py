"""A loss at one power, for many weight vectors at once.

With p fixed, ``u^p`` is computed once; every evaluation is then a product of that table with the
weights of all starts. This is what Algorithm 1 of the paper descends on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.sparse import csr_array

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionLoss, Loss
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.losses.observed_scores import ObservedScores
from welfarist.noise.margins import differences
from welfarist.solvers.base import uncovered

# Closer to 0 the geometric mean is the power mean to all digits a gradient descent can use.
_NASH = 1e-9
# A sum of powers below this has no inverse that could be multiplied with anything.
_LEAST = 1e-280


@dataclass(frozen=True)
class Batch:
    """Losses (S,) of S starts and their derivatives by free weights (S, k) and log tau (S,)."""

    value: FloatArray
    by_weight: FloatArray
    by_log_tau: FloatArray


# Features of losses that the paper's algorithms cover.
COVERS = frozenset({"weights"})


def require_plain(loss: Loss, solver: str) -> None:
    """Refuse what the paper's algorithms do not cover."""
    reason = uncovered(loss, COVERS.__contains__)
    if reason:
        raise InputError(
            f'solver="{solver}" is the method of the paper, which has no {reason}. '
            'Use solver="newton".'
        )


def refuse_infinite(p: float | None, solver: str) -> None:
    """Refuse an infinite power, at which there is nothing to descend on."""
    if p is not None and np.isinf(p):
        raise InputError(
            f'solver="{solver}" is the method of the paper, which has no infinite powers; found '
            f'p = {p:g}. Use solver="newton".'
        )


class FixedPower:
    """A loss of scores or comparisons at a fixed, finite power."""

    def __init__(self, loss: DecisionLoss, p: float) -> None:
        self._loss = loss
        self._p = p
        logs = loss.people.table
        assert logs is not None
        fixed = loss.weighting.fixed
        if fixed is not None:  # who counts for nothing sets no unit either
            logs, fixed = logs[fixed > 0], fixed[fixed > 0]
        self._nash = abs(p) < _NASH
        if self._nash:
            self._top = np.zeros(logs.shape[1])
            powers = logs
        else:
            self._top = (p * logs).max(axis=0)
            self._top[np.isneginf(self._top)] = 0.0  # nobody has anything
            powers = np.exp(p * logs - self._top)
        # By free weight: a group's column is the mean of its members' (N, k).
        by_weight = loss.weighting.pull_back(powers) if fixed is None else (fixed @ powers)[None]
        self._powers = np.ascontiguousarray(by_weight.T)
        if not loss.squared:
            graph = cast(ObservedPairs, loss.observed).graph
            pairs = graph.pairs
            n = len(pairs)
            signs = np.tile([1.0, -1.0], n)
            columns = np.column_stack([pairs.first, pairs.second]).reshape(-1)
            starts = np.arange(0, 2 * n + 1, 2)
            incidence = csr_array((signs, columns, starts), shape=(n, graph.actions))
            self._transposed = incidence.T.tocsr()

    def evaluate(self, weights: FloatArray, log_tau: FloatArray) -> Batch:
        """Losses and gradients for weights (S, k) and log temperatures (S,)."""
        total = self._powers @ weights.T
        if self._nash:
            log_mean, by_total = total, np.ones_like(total)
        else:
            with np.errstate(divide="ignore"):  # where nobody who counts has anything
                log_mean = (self._top[:, None] + np.log(total)) / self._p
                by_total = np.where(total > 0, 1.0 / (self._p * np.maximum(total, _LEAST)), 0.0)
        observed = self._loss.observed
        if self._loss.squared:
            found = self._scores(cast(ObservedScores, observed), log_mean)
        else:
            found = self._comparisons(cast(ObservedPairs, observed), log_mean, log_tau)
        value, pull, by_log_tau = found
        return Batch(value, (pull * by_total).T @ self._powers, by_log_tau)

    @staticmethod
    def _scores(
        loss: ObservedScores, log_mean: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        welfare = np.exp(log_mean + loss.offset)
        residual = welfare - loss.scores[:, None]
        value = loss.sample_weight @ np.square(residual)
        pull = 2.0 * loss.sample_weight[:, None] * residual * welfare
        return value, pull, np.zeros(log_mean.shape[1])

    def _comparisons(
        self, loss: ObservedPairs, log_mean: FloatArray, log_tau: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        tau = np.exp(log_tau)
        pairs = loss.graph.pairs
        z = differences(log_mean[pairs.first], log_mean[pairs.second]) * tau
        count, lead = pairs.count[:, None], pairs.lead[:, None]
        # Something against nothing is certain: it costs nothing, or was impossible.
        certain = np.isinf(z)
        impossible = (certain & (np.sign(z) * lead < count)).any(axis=0)
        z[certain] = 0.0
        decay = np.exp(-np.abs(z))
        likelihood = count * np.log1p(decay) + 0.5 * (count * np.abs(z) - lead * z)
        slope = 0.5 * (count * np.copysign((1.0 - decay) / (1.0 + decay), z) - lead) / loss.total
        likelihood[certain], slope[certain] = 0.0, 0.0
        pull = (self._transposed @ slope) * tau
        value = np.where(impossible, np.inf, likelihood.sum(axis=0) / loss.total)
        return value, pull, (slope * z).sum(axis=0)
