"""The terms of pairs of actions, of people who may be absent from some of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.crossings.terms import (
    SignedTerms,
    masses_of,
    shared_masses,
    signed_terms,
)

Actions = npt.NDArray[np.integer]


@dataclass(frozen=True)
class PairTerms:
    """What people have in every action, and how much they count there.

    Attributes
    ----------
    columns : (N, k) array
        Log utilities of those who count.
    masses : (k,) or (N, k) array
        Their weights; or those of each action, 0 for who is absent from it.
    """

    columns: FloatArray
    masses: FloatArray

    @classmethod
    def of(cls, logs: FloatArray, weights: FloatArray) -> PairTerms:
        """Leave out who does not count, from log utilities (d, N) and weights (d,) or (d, N)."""
        if weights.ndim == 1:
            counts = weights > 0
            return cls(np.ascontiguousarray(logs[counts].T), masses_of(weights[counts]))
        counts = np.asarray((weights > 0).any(axis=1))
        logs, weights = logs[counts], weights[counts]
        # Who is absent has what somebody has who counts, and no weight: it changes nothing.
        anybody = np.where(weights > 0, logs, -np.inf).max(axis=0)
        filled = np.where(weights > 0, logs, anybody)
        return cls(np.ascontiguousarray(filled.T), np.ascontiguousarray(weights.T))

    def terms(self, first: Actions, second: Actions) -> SignedTerms:
        """Return the exponential sums of pairs (n,) of actions."""
        one, other = self.columns[first], self.columns[second]
        if self.masses.ndim == 1:
            return signed_terms(one, other, self.masses)
        return signed_terms(one, other, *shared_masses(self.masses[first], self.masses[second]))
