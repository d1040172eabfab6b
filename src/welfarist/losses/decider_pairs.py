"""Comparisons apart by who decided: what mixtures of rules, and resamples of people, need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from welfarist.base.validation import FloatArray
from welfarist.losses.graph import ComparisonGraph
from welfarist.noise.base import ChoiceNoise
from welfarist.noise.certain import log_chances


class Merged(Protocol):
    """What is known of the comparisons once those of the same pair are merged."""

    @property
    def noise(self) -> ChoiceNoise:
        """The noise model."""
        ...

    @property
    def graph(self) -> ComparisonGraph:
        """Each compared pair once."""
        ...

    @property
    def rows(self) -> int:
        """How many distinct pairs there are."""
        ...

    @property
    def total(self) -> float:
        """How many comparisons were observed."""
        ...

    def with_counts(self, count: FloatArray, lead: FloatArray) -> Any:
        """Return the same pairs, compared another number of times."""
        ...


@dataclass(frozen=True)
class PairsByDecider:
    """The comparisons of each decision maker, over the merged pairs.

    Attributes
    ----------
    observed : ObservedPairs
        Everybody's comparisons.
    first, second : (G, n) sparse arrays
        How often each of G decision makers preferred the first of each pair, and the second; a tie
        is half of each.
    """

    observed: Merged
    first: Any
    second: Any

    @classmethod
    def of(
        cls,
        observed: Merged,
        pair: npt.NDArray[np.intp],
        outcome: FloatArray,
        who: npt.NDArray[np.intp],
        counts: FloatArray,
    ) -> PairsByDecider:
        """Take comparisons (n,) apart: of which merged pair, with what outcome, by whom."""
        shape = (int(who.max()) + 1, observed.rows)

        def table(often: FloatArray) -> Any:
            there = often > 0  # what never happened must not meet an infinite loss
            return csr_array((often[there], (who[there], pair[there])), shape=shape)

        return cls(
            observed, table(counts * (1.0 + outcome) / 2.0), table(counts * (1.0 - outcome) / 2.0)
        )

    @property
    def people(self) -> int:
        """How many decision makers there are."""
        return int(self.first.shape[0])

    @property
    def counts(self) -> FloatArray:
        """How many comparisons each of them (G,) made."""
        return np.asarray(self.first.sum(axis=1) + self.second.sum(axis=1)).reshape(-1)

    @property
    def answers(self) -> Any:
        """What each of them said of each pair (G, n), sparse: how much more often the first."""
        return self.first - self.second

    def weighted(self, times: FloatArray) -> Any:
        """Return everybody's comparisons, those of each decision maker so many times (G,)."""
        first, second = times @ self.first, times @ self.second
        return self.observed.with_counts(first + second, first - second)

    def draw(self, rng: np.random.Generator) -> Any:
        """Return as many decision makers, drawn with replacement."""
        chance = np.full(self.people, 1.0 / self.people)
        return self.weighted(rng.multinomial(self.people, chance).astype(np.float64))

    def log_likelihoods(
        self, values: FloatArray, extras: FloatArray, has_zeros: bool
    ) -> FloatArray:
        """Return each decision maker's log likelihood (G, B) under B rules.

        Parameters
        ----------
        values : (B, N) array
            What each rule makes of the actions.
        extras : (B, m) array
            The noise model's parameters.
        has_zeros : bool
            Whether some value may be -inf.
        """
        logs = np.empty((2, self.observed.rows, len(values)))
        for b, (value, extra) in enumerate(zip(values, extras, strict=True)):
            z = self.observed.graph.differences(value, has_zeros) * np.exp(extra[0])
            logs[0, :, b], logs[1, :, b] = log_chances(self.observed.noise, z, extra[1:])
        return np.asarray(self.first @ logs[0] + self.second @ logs[1])
