"""Many rules at a glance: roughly how well each explains comparisons, for a fraction of a fit.

A search that begins with the best of many rules need not be lucky. What is asked of each is one
evaluation, or one on a coarse grid of the noise model's parameters: enough to rank rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.losses.decision_loss import DecisionLoss
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.noise.margins import differences
from welfarist.people.weighting import Weighting

# Below this |p| a power mean is a weighted mean of logarithms, as closely as a glance can tell.
_NEARLY_ZERO = 1e-4
# Steps in log tau from the temperature at which the mean margin is one: where errors depend on
# how close a case is, and where all that counts is on which side of it a rule is.
GENTLE = (-1.5, 0.0, 1.0, 2.0, 3.5)
STEEP = (6.0, 10.0)
# Two rules whose margins have a larger cosine are one start.
_ALIKE = 0.98
# Entries of the largest array that is made at a time.
_BLOCK = 1_000_000
# A margin that stands for an infinite one: an outcome against it is as good as impossible.
_NEVER = 1e6


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


@dataclass(frozen=True)
class Glance:
    """What many rules say of the pairs that were compared.

    Attributes
    ----------
    observed : ObservedPairs
    powers : (B,) array
    margins : (B, n) array
        Differences in log welfare; 0 where they are infinite.
    certain : (B, n) array or None
        The signs of infinite ones, 0 elsewhere; None if there are none.
    """

    observed: ObservedPairs
    powers: FloatArray
    margins: FloatArray
    certain: FloatArray | None = None

    @classmethod
    def at(cls, loss: DecisionLoss, log_weights: FloatArray, powers: FloatArray) -> Glance:
        """Look at rules with log free weights (B, k) and powers (B,)."""
        observed, table = loss.observed, loss.people.table
        assert isinstance(observed, ObservedPairs)
        assert table is not None
        with np.errstate(divide="ignore"):
            people = np.log(_to_people(loss.weighting, np.exp(log_weights)))
        values, pairs = log_means(table, people, powers), observed.graph.pairs
        margins = differences(values[:, pairs.first], values[:, pairs.second])
        infinite = np.isinf(margins)
        if not infinite.any():
            return cls(observed, powers, margins)
        certain = np.where(infinite, np.sign(margins), 0.0)
        return cls(observed, powers, np.where(infinite, 0.0, margins), certain)

    @cached_property
    def _votes(self) -> tuple[FloatArray, FloatArray]:
        """How often the first of each pair was preferred (n,), and the second (n,)."""
        pairs = self.observed.graph.pairs
        return (pairs.count + pairs.lead) / 2.0, (pairs.count - pairs.lead) / 2.0

    def losses(self, extras: FloatArray) -> FloatArray:
        """Return the mean losses (B,) with parameters (B, m) of the noise model."""
        observed, count = self.observed, self.observed.graph.pairs.count
        margins = z = self.margins * np.exp(extras[:, :1])
        if self.certain is not None:
            margins = np.where(self.certain == 0, z, _NEVER * self.certain)
            count = np.where(self.certain == 0, count, 0.0)
        lost = observed.noise.many_losses(margins, extras[:, 1:], *self._votes)
        if observed.restraint is not None:
            lost += observed.restraint.of_many_margins(z, count)
            lost += observed.restraint.of_many_powers(self.powers)
            lost += observed.restraint.of_temperature(extras[:, 0])[0]
        return lost / observed.total

    def best_extras(self, steps: Sequence[float]) -> tuple[FloatArray, FloatArray]:
        """Return roughly the least mean losses (B,), and parameters (B, m) for them.

        `steps` are the temperatures that are tried.
        """
        size = np.maximum(np.abs(self.margins).mean(axis=1), 1e-300)
        bounds = self.observed.bounds
        least = np.full(len(size), np.inf)
        best = np.empty((len(size), len(bounds[0])))
        for own in self.observed.noise.own_grid():
            for step in steps:
                extras = np.column_stack([step - np.log(size), np.tile(own, (len(size), 1))])
                extras = np.clip(extras, *bounds)
                loss = self.losses(extras)
                better = loss < least
                least[better], best[better] = loss[better], extras[better]
        return least, best

    def unlike(self, losses: FloatArray, most: int) -> list[int]:
        """Return up to `most` rules of low loss (B,) whose margins have different directions."""
        length = np.sqrt(np.square(self.margins).sum(axis=1))
        directions = self.margins / np.maximum(length, 1e-300)[:, None]
        left = np.isfinite(losses) & np.isfinite(length)
        chosen: list[int] = []
        for i in np.argsort(losses, kind="stable").tolist():
            if len(chosen) == most:
                break
            if left[i]:
                chosen.append(i)
                left &= directions @ directions[i] < _ALIKE
        return chosen


def _to_people(weighting: Weighting, free: FloatArray) -> FloatArray:
    """Weights per person (B, d) from many rules' free weights (B, k), in which they are affine."""
    k = weighting.free
    nobody = weighting.to_people(np.zeros(k))
    each = np.array([weighting.to_people(row) - nobody for row in np.eye(k)])
    return np.asarray(nobody + free @ each.reshape(k, len(nobody)))
