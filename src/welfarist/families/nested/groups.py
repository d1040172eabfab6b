"""People in groups, as a family of means of means sees them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import ZerosError
from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns
from welfarist.families.welfare import Welfare


def _nobody() -> tuple[npt.NDArray[np.intp], ...]:
    return ()


@dataclass(frozen=True)
class Grouped(Columns):
    """People who are all in memory, in groups.

    Attributes
    ----------
    logs : (d, N) array
        Log utilities, less `shift`.
    members : tuple of (m,) arrays of int
        The rows of each group.
    """

    members: tuple[npt.NDArray[np.intp], ...] = field(default_factory=_nobody)

    @classmethod
    def of(cls, logs: FloatArray, group_of: npt.NDArray[np.intp]) -> Grouped:
        """Take over logarithms (d, N), less their mean; the group of each row is a number (d,)."""
        seen = Columns.of_logs(logs)
        if seen.has_zeros:
            raise ZerosError(
                "utilities must be positive for means of groups, because a group with a 0 could be "
                "worth 0 whatever the others have; found 0. Add a constant to every utility (such "
                "as shift=1), or leave those actions out."
            )
        rows = tuple(np.flatnonzero(group_of == g) for g in range(int(group_of.max()) + 1))
        return cls(seen.logs, seen.shift, False, rows)

    def shares_within(self, weights: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return the weight of each group (G,), and each member's share of it.

        In a group of no weight everybody has the same share.
        """
        totals = np.array([weights[rows].sum() for rows in self.members])
        pairs = zip(self.members, totals.tolist(), strict=True)
        return totals, [
            weights[rows] / total if total > 0 else np.full(len(rows), 1.0 / len(rows))
            for rows, total in pairs
        ]

    def within(self, shares: list[FloatArray], q: float) -> list[Welfare]:
        """Return the log power mean of each group, with derivatives by the shares and q."""
        pairs = zip(self.members, shares, strict=True)
        return [Columns(self.logs[rows]).log_mean(share, q) for rows, share in pairs]

    def take(self, actions: npt.NDArray[Any]) -> Grouped:
        """Return some of the actions, on the same unit."""
        logs = np.ascontiguousarray(self.logs[:, actions])
        return Grouped(logs, self.shift, False, self.members)
