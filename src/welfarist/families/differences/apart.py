"""People as rules see them whose welfare is compared by differences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.families.columns import Columns
from welfarist.families.kolm_pollak.levels import unit_of
from welfarist.families.needs.zero import Beyond


def _nobody() -> Columns:
    return Columns(np.empty((0, 0)))


@dataclass(frozen=True)
class Apart(Columns):
    """People who are all in memory, with what another family sees of them.

    Attributes
    ----------
    logs : (d, N) array
        What each person has, as the other family keeps it.
    shift : float
        0: welfare is not measured from anywhere else.
    seen : Columns
        The same as the family sees it whose values are logarithms of welfare.
    step : float
        A power of 2 that is about the standard deviation of what people have.
    """

    seen: Columns = field(default_factory=_nobody)
    step: float = 1.0

    @classmethod
    def of(cls, seen: Columns) -> Apart:
        """Take over logarithms of what people have, as another family has them."""
        levels = seen.logs if isinstance(seen, Beyond) else np.exp(seen.logs + seen.shift)
        step = unit_of(levels) if levels.size else 1.0
        return cls(seen.logs, 0.0, seen.has_zeros, seen, step)

    def take(self, actions: npt.NDArray[Any]) -> Apart:
        """Return some of the actions, on the same unit."""
        seen = self.seen.take(actions)
        return Apart(seen.logs, 0.0, self.has_zeros, seen, self.step)
