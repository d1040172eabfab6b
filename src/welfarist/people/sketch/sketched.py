"""What a power mean sees of people in a sketch: groups whose means move with p.

The power mean of everybody is the power mean over groups, by their weights W, of the groups' power
means L_g(p). With A = log M, l_g = L_g - A, g_g = (e^(p l_g) - 1)/p and q_g = W_g (1 + p g_g)::

    dA/dW_g      = g_g
    dA/dp        = KL(q || W) / p^2 + sum q_g L_g'
    d2A/dW_g dp  = ((1 + p g_g)(l_g + p L_g' - p A_p) - g_g) / p
    d2A/dp2      = (Var_q(l_g + p L_g') + sum q_g psi_g'' - 2 A_p) / p

Limits: at p = 0 the last two are ``l_g^2/2 + L_g' - A_p`` and a third of the third central moment
of everybody's logarithms; at p = -inf and inf only the groups' extremes count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.derivatives import log_mean_of_logs
from welfarist.families.power_mean.many_means import log_means
from welfarist.families.welfare import Welfare
from welfarist.people.sketch.evaluation import GroupMeans, group_means, third_moments
from welfarist.people.sketch.octaves import LARGEST_POWER, Pairs

# Below this power differences lose more digits than the first term of the series is off.
_NEARLY_NASH = 1e-6
_LARGEST_EXPONENT = 690.0


@dataclass(frozen=True)
class SketchedPeople:
    """Groups of people, as a power mean sees them.

    Attributes
    ----------
    pairs : Pairs
        Of the cells, action after action.
    counts : (groups,) array of bool
        Whose groups count; what others have is replaced by ones.
    """

    pairs: Pairs
    counts: npt.NDArray[np.bool_]
    _last: dict[float, GroupMeans] = field(default_factory=dict, repr=False, compare=False)

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.counts)

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return self.pairs.cells // self.groups

    @property
    def shift(self) -> float:
        """What was taken out of all logarithms."""
        return self.pairs.shift

    @property
    def has_zeros(self) -> bool:
        """Whether somebody who counts has nothing in some action."""
        return bool(self._laid_out(self.pairs.zeros)[self.counts].any())

    @property
    def size(self) -> int:
        """How many numbers one evaluation reads."""
        return int(self.pairs.weights.size)

    @property
    def table(self) -> None:
        """None: there is no table of all people."""
        return

    @property
    def largest_power(self) -> float:
        """The largest size of p worth a search; beyond 100 bins are too wide."""
        low, high = self._ends()
        there = np.isfinite(high)
        span = float(high[there].max() - low[there].min()) if there.any() else 0.0
        enough = min(max(_LARGEST_EXPONENT / max(span, 1e-12), LARGEST_POWER), 1e5)
        return enough if self.pairs.all_kept else LARGEST_POWER

    def at(self, p: float) -> GroupMeans:
        """Return the groups' log power means at a finite p, with derivatives (cells,)."""
        found = self._last.get(p)
        if found is None:
            found = group_means(self.pairs, p)
            self._last.clear()
            self._last[p] = found
        return found

    @cached_property
    def spread(self) -> float:
        """The standard deviation of everybody's logarithms, by which powers are measured."""
        if self.has_zeros:  # logarithms of nothing: what groups have in the mean
            levels = self.logs_at(1.0)[self.counts]
            levels = levels[np.isfinite(levels)]
            return max(float(levels.std()) if levels.size else 0.0, 1e-6)
        levels, within = self.logs_at(0.0)[self.counts], self._laid_out(self.at(0.0).bend)
        return max(float(np.sqrt(levels.var() + within[self.counts].mean())), 1e-6)

    @property
    def looked_at(self) -> int:
        """How many numbers each of many rules with the same power reads."""
        return self.pairs.cells

    def logs_at(self, p: float) -> FloatArray:
        """Return the groups' log power means (groups, N)."""
        return self._counted(group_means(self.pairs, p).value, 0.0)

    def log_means(self, log_weights: FloatArray, powers: FloatArray) -> FloatArray:
        """Return roughly the log power means (B, N) of B rules, from log weights (B, groups)."""
        found = np.empty((len(powers), self.actions))
        for power in np.unique(powers).tolist():
            same = powers == power
            found[same] = log_means(self.logs_at(power), log_weights[same], powers[same])
        return found

    def log_mean(self, weights: FloatArray, p: float) -> Welfare:
        """Return the log power mean of everybody less the shift, with derivatives."""
        if np.isinf(p):
            low, high = self._ends()
            return log_mean_of_logs(high if p > 0 else low, weights, p, self.has_zeros)
        levels, slopes = self._moving(p)
        found = log_mean_of_logs(levels, weights, p, self.has_zeros)
        shares = weights[:, None] * (1.0 + p * found.by_weight)
        dead = np.isneginf(found.value)
        moved = np.where(dead, 0.0, (shares * slopes).sum(axis=0))
        return Welfare(found.value, found.by_weight, found.by_power + moved)

    def log_mean_bending(
        self, weights: FloatArray, p: float, mean: Welfare, pull: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return its second derivatives that involve p, summed over actions with `pull` (N,)."""
        levels, slopes = self._moving(p)
        bends = self._counted(self.at(p).bend, 0.0)
        with np.errstate(invalid="ignore"):
            off = levels - mean.value
        off[~np.isfinite(off)] = 0.0
        if abs(p) < _NEARLY_NASH:
            return self._bending_at_zero(weights, off, slopes, bends, mean, pull)
        g, by_power = mean.by_weight, mean.by_power
        moving = off + p * slopes
        ratios = 1.0 + p * g
        with np.errstate(over="ignore", invalid="ignore"):
            cross = (ratios * (moving - p * by_power) - g) @ pull / p
        shares = weights[:, None] * ratios
        centre = (shares * moving).sum(axis=0)
        variance = (shares * np.square(moving - centre)).sum(axis=0)
        twice = (variance + (shares * bends).sum(axis=0) - 2.0 * by_power) / p
        return np.asarray(cross), float(twice @ pull)

    def _bending_at_zero(
        self,
        weights: FloatArray,
        off: FloatArray,
        slopes: FloatArray,
        bends: FloatArray,
        mean: Welfare,
        pull: FloatArray,
    ) -> tuple[FloatArray, float]:
        cross = (off * off / 2.0 + slopes - mean.by_power) @ pull
        own = self._counted(third_moments(self.pairs), 0.0)
        third = weights @ (own + 3.0 * bends * off + off**3)
        return np.asarray(cross), float(third @ pull) / 3.0

    def take(self, actions: npt.NDArray[Any]) -> SketchedPeople:
        """Return some of the actions, on the same unit."""
        cells = np.asarray(actions)[:, None] * self.groups + np.arange(self.groups)
        return SketchedPeople(self.pairs.take(cells.reshape(-1)), self.counts)

    def _ends(self) -> tuple[FloatArray, FloatArray]:
        """Logarithms of what the worst and best off in each group have (groups, N)."""
        low = np.where(self.pairs.zeros > 0, -np.inf, self.pairs.low - self.shift)
        return self._counted(low, 0.0), self._counted(self.pairs.high - self.shift, 0.0)

    def _moving(self, p: float) -> tuple[FloatArray, FloatArray]:
        """The groups' log means and their slopes, (groups, N)."""
        means = self.at(p)
        return self._counted(means.value, 0.0), self._counted(means.slope, 0.0)

    def _laid_out(self, cells: FloatArray) -> FloatArray:
        """Numbers by cell as (groups, N)."""
        return np.asarray(cells.reshape(-1, self.groups).T)

    def _counted(self, cells: FloatArray, otherwise: float) -> FloatArray:
        """Those of groups that count, (groups, N)."""
        return np.where(self.counts[:, None], self._laid_out(cells), otherwise)
