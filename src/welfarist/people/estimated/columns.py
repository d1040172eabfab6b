"""Estimated utilities as a power mean sees them: the best guess, and how uncertain it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns
from welfarist.families.power_mean.derivatives import welfare_shares
from welfarist.families.welfare import Welfare
from welfarist.people.estimated.points import MOST_PEOPLE, Points, WelfareAtPoints
from welfarist.people.estimated.spread import ByAction, ByPerson, Effects, Reach, Spread

# Where |p| times a standard error of a log utility is larger, two terms of a series say little.
_LONGEST = 3.0


def _nothing() -> Spread:
    """Return errors of nobody."""
    return ByAction(np.empty((0, 0, 0)))


@dataclass(frozen=True)
class EstimatedColumns(Columns):
    """People whose utilities are estimates.

    Attributes
    ----------
    spread_of_errors : Spread
        How uncertain their log utilities are.
    """

    spread_of_errors: Spread = field(default_factory=_nothing)

    called = "utilities with errors"

    @cached_property
    def typical_error(self) -> float:
        """The root mean square of the standard errors of log utilities."""
        return float(np.sqrt(self.spread_of_errors.variances.mean()))

    @cached_property
    def largest_power(self) -> float:
        """The largest |p| at which errors are small enough for what is made of them."""
        largest = Columns(self.logs, self.shift, self.has_zeros).largest_power
        return min(largest, _LONGEST / max(self.typical_error, 1e-12))

    @property
    def is_shared(self) -> bool:
        """Whether errors of different actions go together."""
        return isinstance(self.spread_of_errors, ByPerson)

    def take(self, actions: npt.NDArray[Any]) -> EstimatedColumns:
        """Return some of the actions, on the same unit."""
        logs = np.ascontiguousarray(self.logs[:, actions])
        spread = self.spread_of_errors.take(actions)
        return EstimatedColumns(logs, self.shift, self.has_zeros, spread)

    def without_errors(self) -> Columns:
        """Return the best guess, taken as exact."""
        return Columns(self.logs, self.shift, self.has_zeros)

    @cached_property
    def _points(self) -> Points | None:
        """Where log utilities may be, if there are few people."""
        errors = self.spread_of_errors
        if len(self.logs) > MOST_PEOPLE or not isinstance(errors, ByAction | ByPerson):
            return None
        own = ByAction(errors.within_actions) if isinstance(errors, ByPerson) else errors
        return Points.of(self.logs, own, self.shift)

    def seen(self, weights: FloatArray, p: float, welfare: Welfare) -> Uncertain:
        """Return what errors do to the welfare of actions under a rule."""
        if self._points is None or np.isinf(p):
            return self._by_series(weights, p, welfare)
        found = self._points.seen(weights, p)
        return (
            SharedAtPoints(found, self._by_series(weights, p, welfare))
            if (self.is_shared)
            else found
        )

    def _by_series(self, weights: FloatArray, p: float, welfare: Welfare) -> UncertainWelfare:
        """What errors do by two terms of a series."""
        if np.isinf(p):
            shares, ratios = welfare_shares(self.logs, weights, p), None
        else:
            ratios = 1.0 + p * welfare.by_weight
            shares = weights[:, None] * ratios
        effects = self.spread_of_errors.effects(shares, 0.0 if np.isinf(p) else p)
        return UncertainWelfare(self.logs, ratios, shares, effects)


@dataclass(frozen=True)
class UncertainWelfare:
    """How errors make the welfare of actions biased and uncertain under a rule.

    Attributes
    ----------
    logs : (d, N) array
    ratios : (d, N) array or None
        The shares over the weights; None at infinite powers, where nothing moves shares.
    shares : (d, N) array
    effects : Effects
    """

    logs: FloatArray
    ratios: FloatArray | None
    shares: FloatArray
    effects: Effects

    def moved(self, by_share: FloatArray) -> Welfare:
        """Return derivatives by weights and power of something with derivatives by shares (d, N).

        Shares are ``w_i u_i^p / sum w u^p``.
        """
        mean = (self.shares * by_share).sum(axis=0)
        if self.ratios is None:
            return Welfare(mean, np.zeros_like(by_share), np.zeros_like(mean))
        own = by_share - mean
        centred = self.logs - (self.shares * self.logs).sum(axis=0)
        return Welfare(mean, self.ratios * own, (self.shares * by_share * centred).sum(axis=0))

    def biased(self, welfare: Welfare) -> Welfare:
        """Return the mean welfare of actions, with derivatives."""
        effects = self.effects
        moved = self.moved(effects.bias_by_share)
        by_power = welfare.by_power + moved.by_power
        if self.ratios is not None:
            by_power = by_power + effects.bias_per_power
        return Welfare(welfare.value + effects.bias, welfare.by_weight + moved.by_weight, by_power)

    def variance(self) -> Welfare:
        """Return the variances of the welfare of actions, with derivatives."""
        moved = self.moved(self.effects.variance_by_share)
        return Welfare(self.effects.variance, moved.by_weight, moved.by_power)

    def pulled(self, by_covariance: FloatArray) -> Welfare:
        """Return derivatives (d, N) whose sum over actions is that through the covariance."""
        return self.moved(self.effects.pulled(by_covariance))


@dataclass(frozen=True)
class SharedAtPoints:
    """Welfare whose errors go together over actions: as sure as at points, together as by series.

    With variances v by points and a covariance K' by series, whose diagonal is k, the covariance is
    ``r K' r`` with ``r = sqrt(v / k)``.

    Attributes
    ----------
    points : WelfareAtPoints
    series : UncertainWelfare
    """

    points: WelfareAtPoints
    series: UncertainWelfare

    @cached_property
    def _ratios(self) -> FloatArray:
        """R (N,)."""
        own, known = self.series.effects.variance, self.points.spread.value
        return np.sqrt(np.divide(known, own, out=np.ones_like(own), where=own > 0))

    @cached_property
    def effects(self) -> Reach:
        """Variances of the welfare of actions, and what they have in common."""
        known, r = self.series.effects, self._ratios
        if known.factor is not None:
            return Reach(self.points.spread.value, None, known.factor * r[:, None])
        return Reach(self.points.spread.value, known.covariance * r * r[:, None])

    def biased(self, welfare: Welfare) -> Welfare:
        """Return the mean welfare of actions, with derivatives, whatever it is without errors."""
        return self.points.biased(welfare)

    def variance(self) -> Welfare:
        """Return the variances of the welfare of actions, with derivatives."""
        return self.points.spread

    def pulled(self, by_covariance: FloatArray) -> Welfare:
        """Return derivatives (d, N) whose sum over actions is that through the covariance."""
        known, r, own = self.points.spread, self._ratios, self.series.effects.variance
        along = (by_covariance * self.effects.covariance).sum(axis=1)
        by_series = by_covariance * r * r[:, None]
        sure = own > 0
        by_series[np.diag_indices_from(by_series)] -= np.divide(
            along, own, out=np.zeros_like(own), where=sure
        )
        moved = self.series.pulled(by_series)
        share = np.divide(along, known.value, out=np.zeros_like(own), where=sure)
        return Welfare(
            moved.value + known.value * share,
            moved.by_weight + known.by_weight * share,
            moved.by_power + known.by_power * share,
        )


Uncertain = UncertainWelfare | WelfareAtPoints | SharedAtPoints
