"""Decided comparisons as inequalities that are linear in the weights.

Domain: finite p (p > 0 where a utility is 0), weights on the simplex.

Formula: with a the preferred action and b the other, M(a) > M(b) exactly if the weighted sum over
people of ``(a_i^p - b_i^p) / p`` is positive. That number is the integral of ``e^(p s)`` from
``log b_i`` to ``log a_i``, which keeps its digits as p -> 0, where it is ``log(a_i / b_i)``, and
whose logarithm is convex in p.

Limits: a row may be multiplied by any positive number; each is given relative to the power p of a
level of its own, usually its two welfares under a rule near by, so that nothing overflows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.families.columns import Columns
from welfarist.families.power_mean.derivatives import log_mean_of_logs
from welfarist.families.power_mean.formula_ranges import SMALL_POWER
from welfarist.noise.margins import differences
from welfarist.people.weighting import Weighting

IntArray = npt.NDArray[np.intp]

# 1/z - 1/(e^z - 1) loses a digit for every one z is smaller than 1; below this three terms of its
# series leave less than 1e-16.
_SMALL = 1e-2
_SMALLEST_WEIGHT = 1e-280
# |p| times the span of log utilities up to which u^p may be tabulated: for small p, as a sum about
# 1 that must not cancel, and otherwise as one that must not underflow.
_SMALL_SPREAD = 3.0
_LARGE_SPREAD = 600.0
# A row of smaller numbers cannot be made larger without overflow.
_TINY = 1e-300


@dataclass(frozen=True)
class Rows:
    """Inequalities ``x . w > 0`` at one power.

    Attributes
    ----------
    values : (k, m) array
        What each free weight contributes to each row, in units of exp(`log_units`).
    slopes : (k, m) array
        Derivatives by p, in the same units.
    log_units : (k,) array
        Logarithm of the unit of each free weight.
    levels : (m,) array
        The log welfare each row is relative to.
    """

    values: FloatArray
    slopes: FloatArray
    log_units: FloatArray
    levels: FloatArray

    @property
    def scale(self) -> FloatArray:
        """Factors (m,) that make the largest value of each row 1; 1 where all are 0."""
        largest = np.abs(self.values).max(axis=0)
        return np.asarray(1.0 / np.where(largest > _TINY, largest, 1.0))


@dataclass(frozen=True)
class Preferences:
    """The comparisons that were decided, each from the side of the preferred action.

    Attributes
    ----------
    loss : ZeroOneLoss
    winner, loser : (n,) arrays of int
        Action numbers.
    """

    loss: ZeroOneLoss
    winner: IntArray
    loser: IntArray
    _tables: dict[float, _PowerTable] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, loss: ZeroOneLoss) -> Preferences:
        """Take the pairs in which one action was preferred more often than the other."""
        pairs = loss.pairs.take(loss.pairs.lead != 0)
        first = pairs.lead > 0
        winner = np.where(first, pairs.first, pairs.second).astype(np.intp)
        loser = np.where(first, pairs.second, pairs.first).astype(np.intp)
        return cls(loss, winner, loser)

    def take(self, chosen: IntArray) -> Preferences:
        """Return some of the comparisons, over the actions they mention."""
        decided = np.flatnonzero(self.loss.pairs.lead != 0)
        utilities = self.loss.utilities
        pairs, used = self.loss.pairs.take(decided[chosen]).renumbered(utilities.logs.shape[1])
        return Preferences.of(ZeroOneLoss(utilities.take(used), pairs, self.weighting))

    @property
    def weighting(self) -> Weighting:
        """What is known about the weights."""
        return self.loss.weighting

    @cached_property
    def rounding(self) -> FloatArray:
        """How far rounding may move the difference of two log welfares (n,)."""
        return np.asarray(self.loss.rounding[self.loss.pairs.lead != 0])

    def margins(self, weights: FloatArray, p: float) -> FloatArray:
        """By how much each preferred action is better, in log welfare (n,); 0 for a tie."""
        log_means = self._table(p).log_means(weights)
        return differences(log_means[self.winner], log_means[self.loser])

    def welfares(
        self, chosen: IntArray, weights: FloatArray, p: float
    ) -> tuple[FloatArray, FloatArray]:
        """Log welfare of the preferred and of the other action of some comparisons, (m,) each."""
        if not len(chosen):
            return np.empty(0), np.empty(0)
        utilities = self.loss.utilities
        actions = np.concatenate([self.winner[chosen], self.loser[chosen]])
        found = log_mean_of_logs(utilities.logs[:, actions], weights, p, utilities.has_zeros)
        return found.value[: len(chosen)], found.value[len(chosen) :]

    def margins_of(self, chosen: IntArray, weights: FloatArray, p: float) -> FloatArray:
        """Return the margins of some comparisons (m,), at a cost that grows with their number."""
        return differences(*self.welfares(chosen, weights, p))

    def _table(self, p: float) -> _PowerTable:
        """Return the table of the power asked for last, or a new one."""
        if p not in self._tables:
            self._tables.clear()
            self._tables[p] = _PowerTable(self.loss.utilities, p)
        return self._tables[p]

    def explained_by(self, weights: FloatArray, p: float) -> bool:
        """Whether every decision is what weights (d,) and power p say."""
        lead = self.loss.pairs.lead
        right = self.loss.signs(weights, p) == np.sign(lead)
        return bool((right | (lead == 0)).all())

    def levels(self, chosen: IntArray, weights: FloatArray, p: float) -> FloatArray:
        """Return a finite log welfare near both actions of some comparisons (m,)."""
        better, worse = self.welfares(chosen, weights, p)
        high, low = np.maximum(better, worse), np.minimum(better, worse)
        levels = np.where(np.isneginf(low), high, 0.5 * high + 0.5 * low)
        nothing = np.isneginf(levels)
        if nothing.any():
            logs = self.loss.utilities.logs
            best = np.maximum(logs[:, self.winner[chosen]], logs[:, self.loser[chosen]]).max(axis=0)
            levels = np.where(nothing, np.where(np.isneginf(best), 0.0, best), levels)
        return np.asarray(levels)

    def rows(self, chosen: IntArray, p: float, levels: FloatArray, lead: float = 0.0) -> Rows:
        """Return the inequalities of some comparisons (m,): better by more than `lead`.

        The unit of a free weight is that with which it makes up the whole of one of the rows'
        welfares, at most 1, so that all values are of the size of 1 or less.
        """
        logs = self.loss.utilities.logs
        better = logs[:, self.winner[chosen]] - (levels + 0.5 * lead)
        worse = logs[:, self.loser[chosen]] - (levels - 0.5 * lead)
        sign = np.where(better >= worse, 1.0, -1.0)
        low, high = np.minimum(better, worse), np.maximum(better, worse)
        log_size, mean = segment(low, high, p)
        tops = p * (high if p > 0 else low)
        largest = self._largest_in_group(tops.max(axis=1, initial=-np.inf))
        log_units = np.minimum(-largest, 0.0)  # no weight exceeds 1
        by_person = log_units if self.weighting.group_of is None else self._spread(log_units)
        values = sign * np.exp(log_size + by_person[:, None])
        slopes = np.where(values == 0, 0.0, values * mean)
        pull_back = self.weighting.pull_back
        return Rows(pull_back(values), pull_back(slopes), log_units, levels)

    def to_people(self, amounts: FloatArray, log_units: FloatArray) -> FloatArray:
        """Weights (d,) that sum to 1, from free weights in units of exp(`log_units`), (k,) each."""
        with np.errstate(divide="ignore"):
            return self.weighting.to_people(simplex_of_logs(np.log(amounts) + log_units))

    def _largest_in_group(self, values: FloatArray) -> FloatArray:
        if self.weighting.group_of is None:
            return values
        largest = np.full(self.weighting.free, -np.inf)
        np.maximum.at(largest, self.weighting.group_of, values)
        return largest

    def _spread(self, by_group: FloatArray) -> FloatArray:
        assert self.weighting.group_of is not None
        return np.asarray(by_group[self.weighting.group_of])


class _PowerTable:
    """Columns to one power, so that the welfare of all actions is one product with weights."""

    def __init__(self, utilities: Columns, p: float) -> None:
        self._utilities, self._p = utilities, p
        logs = utilities.logs
        spread = abs(p) * _span(logs)
        self._small = abs(p) < SMALL_POWER
        self._quick = spread < (_SMALL_SPREAD if self._small else _LARGE_SPREAD)
        if not self._quick:
            return
        extreme = logs.max(axis=0) if p > 0 else logs.min(axis=0)
        self._origin = np.where(np.isneginf(extreme), 0.0, extreme)
        offsets = logs - self._origin
        if self._small:
            self._table = np.expm1(p * offsets) / p if p else offsets
        else:
            self._table = np.exp(p * offsets)

    def log_means(self, weights: FloatArray) -> FloatArray:
        """Log welfare of every action (N,) under weights (d,)."""
        utilities, p = self._utilities, self._p
        if not self._quick:
            return log_mean_of_logs(utilities.logs, weights, p, utilities.has_zeros).value
        total = weights @ self._table
        if p == 0:
            return np.asarray(self._origin + total)
        with np.errstate(divide="ignore"):  # nobody who counts has anything
            logs = np.log1p(np.maximum(p * total, -1.0)) if self._small else np.log(total)
        return np.asarray(self._origin + logs / p)


def _span(logs: FloatArray) -> float:
    finite = logs[np.isfinite(logs)]
    return float(finite.max() - finite.min()) if finite.size else 0.0


def simplex_of_logs(logs: FloatArray) -> FloatArray:
    """Weights (k,) that sum to 1, from their logarithms up to a constant (k,).

    Weights so small that derivatives by them would overflow are 0.
    """
    weights = np.exp(logs - logs.max())
    weights[weights < _SMALLEST_WEIGHT] = 0.0
    return np.asarray(weights / weights.sum())


def segment(low: FloatArray, high: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
    """Logarithm of the integral of ``e^(p s)`` from `low` to `high`, and the mean of s under it.

    `low` <= `high`, any shape; `low` may be -inf if p > 0. An empty segment has size 0; its mean
    is given as 0.
    """
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        width = high - low
        width[~(width > 0)] = 0.0  # also -inf to -inf
        z = abs(p) * width
        top = high if p >= 0 else low
        share = np.where(z > 0, -np.expm1(-z) / z, 1.0)
        unbounded = np.isinf(width)
        size = np.where(unbounded, 1.0 / abs(p) if p else np.inf, width * share)
        log_size = np.where(size > 0, p * top + np.log(size), -np.inf)
        # Distance of the mean from the end that counts most, as a share of the width.
        near = 0.5 - z / 12.0 + z**3 / 720.0
        distance = np.where(z < _SMALL, near, 1.0 / z - 1.0 / np.expm1(z)) * width
        distance = np.where(unbounded, 1.0 / abs(p) if p else np.inf, distance)
        mean = np.where(size > 0, top - np.copysign(distance, p), 0.0)
    return log_size, mean
