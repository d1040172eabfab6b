"""People whom some actions do not affect: weights are shared among those who are present.

The mean of those present, by their weights, is what an action is worth: copying everybody changes
nothing, so that groups of different size can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns
from welfarist.families.kolm_pollak.levels import unit_of
from welfarist.families.power_mean.many_means import log_means_of_present
from welfarist.families.power_mean.present import (
    bending_of_present,
    log_mean_of_present,
    shared_weights,
)
from welfarist.families.welfare import Welfare


def _everybody() -> npt.NDArray[np.bool_]:
    return np.ones((1, 1), dtype=bool)


@dataclass(frozen=True)
class PartlyPresent(Columns):
    """People of whom each action affects some.

    Attributes
    ----------
    logs : (d, N) array
        As in :class:`Columns`; 0 where somebody is absent, which is never read.
    present : (d, N) array of bool
        Who is affected by what.
    unit : float
        What one in `logs` stands for, where these are levels and no logarithms.
    """

    present: npt.NDArray[np.bool_] = field(default_factory=_everybody)
    unit: float = 1.0

    @classmethod
    def of(cls, utilities: FloatArray) -> PartlyPresent:
        """Take over utilities (d, N), NaN where somebody is absent."""
        present = ~np.isnan(utilities)
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(present, utilities, 1.0))
        finite = logs[present & np.isfinite(logs)]
        shift = float(finite.mean()) if finite.size else 0.0
        logs -= shift
        logs[~present] = 0.0
        return cls(logs, shift, bool(np.isneginf(logs).any()), present)

    @classmethod
    def of_levels(cls, utilities: FloatArray) -> PartlyPresent:
        """Take over utilities (d, N) of a family that looks at differences."""
        present = ~np.isnan(utilities)
        known = utilities[present]
        unit, shift = unit_of(known), float((known / known.size).sum())
        levels = np.where(present, (utilities - shift) / unit, 0.0)
        return cls(levels, shift, False, present, unit)

    @property
    def table(self) -> Any:
        """None: there is no table in which every entry counts."""
        return None

    @cached_property
    def spread(self) -> float:
        """The standard deviation of what those present have, by which powers are measured."""
        known = self.logs[self.present & np.isfinite(self.logs)]
        return max(float(known.std()) if known.size else 0.0, 1e-6)

    def log_mean(self, weights: FloatArray, p: float) -> Welfare:
        """Return the log power mean among those present, with derivatives."""
        return log_mean_of_present(self.logs, self.present, weights, p, self.has_zeros)

    def log_mean_bending(
        self, weights: FloatArray, p: float, mean: Welfare, pull: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return its second derivatives that involve p, summed over actions with `pull` (N,)."""
        known = self.logs, self.present, weights
        return bending_of_present(*known, p, mean, pull, self.has_zeros)

    def log_means(self, log_weights: FloatArray, powers: FloatArray) -> FloatArray:
        """Return roughly the log power means (B, N) among those present, of B rules."""
        return log_means_of_present(self.logs, self.present, log_weights, powers)

    def around(self, values: FloatArray) -> FloatArray:
        """Return the columns (d, N), with the action's value where somebody is absent."""
        return np.where(self.present, self.logs, values)

    def shared(self, weights: FloatArray) -> FloatArray:
        """Return who is present (d, N), over the weight of all who are."""
        return np.asarray(self.present / shared_weights(weights, self.present)[1])

    def weights_in_each(self, weights: FloatArray) -> FloatArray:
        """Return everybody's share (d, N) among those present in each action."""
        return shared_weights(weights, self.present)[0]

    def take(self, actions: npt.NDArray[Any]) -> PartlyPresent:
        """Return some of the actions, on the same unit."""
        return PartlyPresent(
            np.ascontiguousarray(self.logs[:, actions]), self.shift, self.has_zeros,
            np.ascontiguousarray(self.present[:, actions]), self.unit,
        )  # fmt: skip
