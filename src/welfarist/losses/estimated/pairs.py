"""Comparisons at values of the actions, under logistic noise: derivatives to the third order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.special import expit

from welfarist.base.validation import FloatArray
from welfarist.losses.graph import ComparisonGraph

# A sparse product costs so many times more for each number than a dense one.
_SPARSE = 10


@dataclass(frozen=True)
class Pairs:
    """Merged comparisons as functions of values: see :class:`~.laplace.Decided`."""

    graph: ComparisonGraph

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return self.graph.actions

    def at(self, values: FloatArray, extras: FloatArray) -> PairOutcomes:
        """Return the comparisons at values (N,) and log tau."""
        return PairOutcomes(self.graph, values, float(np.exp(extras[0])))


class PairOutcomes:
    """Comparisons at values of the actions."""

    def __init__(self, graph: ComparisonGraph, values: FloatArray, tau: float) -> None:
        self._graph, self._tau = graph, tau
        self._values = values
        self._z = tau * graph.differences(values)
        count, lead = graph.pairs.count, graph.pairs.lead
        size = np.abs(self._z)
        self.value = float(
            count @ (0.5 * size + np.log1p(np.exp(-size))) - 0.5 * float(lead @ self._z)
        )

    @cached_property
    def _chance(self) -> FloatArray:
        return np.asarray(expit(self._z))

    @cached_property
    def _slopes(self) -> FloatArray:
        """Derivatives (n,) by the margins."""
        pairs = self._graph.pairs
        return np.asarray(pairs.count * (self._chance - 0.5) - 0.5 * pairs.lead)

    @cached_property
    def _spread(self) -> FloatArray:
        return np.asarray(self._graph.pairs.count * self._chance * expit(-self._z))

    @cached_property
    def slope(self) -> FloatArray:
        """Derivatives by the values (N,)."""
        return self._tau * self._graph.scatter(self._slopes)

    @cached_property
    def curvature(self) -> FloatArray:
        """Second derivatives by the values (N, N): a graph's Laplacian."""
        pairs, size = self._graph.pairs, self._graph.actions
        found = np.zeros((size, size))
        found[pairs.first, pairs.second] = -self._weights  # each pair is there once
        found += found.T
        found[np.diag_indices(size)] -= found.sum(axis=0)
        return found

    @cached_property
    def _weights(self) -> FloatArray:
        return np.asarray(self._spread * (self._tau * self._tau))

    def curved(self, matrix: FloatArray) -> FloatArray:
        """Return the second derivatives times a matrix (N, r)."""
        pairs, size = self._graph.pairs, self._graph.actions
        if len(pairs) * _SPARSE > size * size:
            return np.asarray(self.curvature @ matrix)
        joined = coo_array((self._weights, (pairs.first, pairs.second)), shape=(size, size))
        rows = joined.tocsr()
        own = self.curvature.diagonal()[:, None] * matrix
        return np.asarray(own - rows @ matrix - rows.T @ matrix)

    @property
    def by_extras(self) -> FloatArray:
        """The derivative by log tau (1,)."""
        return np.array([float(self._slopes @ self._z)])

    @property
    def cross(self) -> FloatArray:
        """Derivatives of the slope by log tau (1, N)."""
        moved = self._graph.scatter(self._spread * self._z)
        return np.asarray((self.slope + self._tau * moved)[None, :])

    def tilt(self, covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return derivatives of half the trace of covariance times curvature: (N,), (1,)."""
        pairs = self._graph.pairs
        own = covariance.diagonal()
        first, second = pairs.first, pairs.second
        apart = own[first] + own[second] - 2.0 * covariance[first, second]
        third = self._spread * (1.0 - 2.0 * self._chance)
        half = 0.5 * self._tau * self._tau * apart
        by_value = self._tau * self._graph.scatter(half * third)
        by_tau = float(half @ (2.0 * self._spread + third * self._z))
        return by_value, np.array([by_tau])
