"""Scores: welfare as the decision maker stated it for each action."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.decisions.checked_columns import as_column, as_counts
from welfarist.people.utility_tables import as_utility_table, shifted_table


@dataclass(frozen=True)
class Scores:
    """Welfare as the decision maker stated it for each action.

    Attributes
    ----------
    utilities : (N, d) array
    values : (N,) array
        The scores.
    counts : (N,) array
        How much each score counts; ones if not given.
    stakeholders : tuple of str or None
    """

    utilities: FloatArray
    values: FloatArray
    counts: FloatArray
    stakeholders: tuple[str, ...] | None = None

    kind = "scores"
    by_hint = "Give Comparisons(…, by=…), or by=… to Comparisons.from_arrays, and fit to that."
    measure = "R squared"
    unit = "actions"
    by = None
    says_nothing = False
    how_numbered = "They are numbered in the order of the data: the first scored action is 1."

    @classmethod
    def of(
        cls,
        utilities: object,
        scores: object,
        sample_weight: object = None,
        least: float = 0.0,
    ) -> Scores:
        """Check and take over utilities (N, d), scores (N,) and optional weights (N,).

        No utility may be below `least`.
        """
        table, names = as_utility_table(utilities, least)
        values = as_column(scores, "scores", len(table))
        bad = ~np.isfinite(values)
        if bad.any():
            found = "NaN" if np.isnan(values[bad][0]) else "an infinite one"
            raise InputError(
                f"scores must be finite; found {found} at row {int(np.argmax(bad))}. "
                "Leave out the actions that were not scored."
            )
        return cls(table, values, as_counts(sample_weight, "sample_weight", len(table)), names)

    @property
    def people(self) -> int:
        """Number of people."""
        return int(self.utilities.shape[1])

    def __getitem__(self, chosen: Any) -> Scores:
        """Return some of the scores, by row numbers or mask."""
        return replace(
            self,
            utilities=self.utilities[chosen],
            values=self.values[chosen],
            counts=self.counts[chosen],
        )

    def shifted(self, shift: float, offset: float = 0.0) -> Scores:
        """Return the same with a constant added to every utility, and another to the scores."""
        table = shifted_table(self.utilities, shift)
        return replace(self, utilities=table, values=self.values + offset) if shift else self

    def units(self) -> npt.NDArray[np.intp]:
        """The number (N,) of what each score is held out with: every action is on its own."""
        return np.arange(len(self.values))

    def share_right(self, gains: float) -> float | None:
        """R squared about the mean, from minus the sum of squared errors; None without spread."""
        mean = np.average(self.values, weights=self.counts)
        spread = float(self.counts @ np.square(self.values - mean))
        return 1.0 + gains / spread if spread > 0 else None

    def same_as(self, other: object) -> bool:
        """Whether these are the same scores of the same actions, in the same order."""
        return self is other or (
            isinstance(other, Scores)
            and np.array_equal(self.utilities, other.utilities)
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.counts, other.counts)
        )
