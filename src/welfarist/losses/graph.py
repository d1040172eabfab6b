"""Compared pairs as a graph: actions as nodes, pairs as edges."""

from __future__ import annotations

from dataclasses import replace
from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from welfarist.base.validation import FloatArray
from welfarist.decisions.merged_pairs import MergedPairs
from welfarist.noise.margins import differences

# Actions whose edges are worked on at a time.
_BLOCK = 2**14
# Pairs from which sums over those with the same first action are left to the sparse matrix.
_MANY = 2**16
# Up to so many numbers a table of differences costs less than what it takes to do without.
_SMALL = 10_000
# Row numbers of the processor's own width are read without conversion, at twice the memory.
_MOST_WIDE = 2**16


class _Adjacency:
    """Which actions are joined by pairs, as a sparse matrix that takes any weights.

    Making a sparse matrix takes as long as using it on data of ordinary size. One is kept for each
    thread: graphs of resamples share it, and several threads may work on them at once.
    """

    def __init__(self, second: npt.NDArray[np.int32], starts: npt.NDArray[np.int32]) -> None:
        self._second, self._starts = second, starts
        self._mine = local()

    def __reduce__(self) -> tuple[type[_Adjacency], tuple[npt.NDArray[np.int32], ...]]:
        return _Adjacency, (self._second, self._starts)

    def with_weights(self, weights: FloatArray) -> Any:
        """Return the matrix with weights (n,) of the pairs; good until this thread's next call."""
        try:
            matrix = self._mine.matrix
        except AttributeError:
            size = len(self._starts) - 1
            pattern = (weights, self._second, self._starts)
            matrix = self._mine.matrix = csr_array(pattern, shape=(size, size))
        matrix.data = weights
        return matrix

    def in_single_precision(self, weights: FloatArray) -> Any:
        """Return the matrix with weights (n,) of the pairs, in single precision."""
        size = len(self._starts) - 1
        pattern = (weights.astype(np.float32), self._second, self._starts)
        return csr_array(pattern, shape=(size, size))

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of the values (n,) of the pairs of each first action (N,)."""
        matrix = self.with_weights(values)
        return np.asarray(matrix @ np.ones(matrix.shape[1]))


class ComparisonGraph:
    """Actions as nodes, compared pairs as edges.

    Sums over pairs of anything that is a difference between two actions become products with the
    graph's Laplacian: their cost is that of the pairs plus that of the actions, and no array with
    one row per pair and one column per person exists.
    """

    def __init__(self, pairs: MergedPairs, actions: int) -> None:
        self.pairs = pairs
        self.actions = actions
        starts = np.zeros(actions + 1, dtype=np.int32)
        np.cumsum(np.bincount(pairs.first, minlength=actions), out=starts[1:])
        self._adjacency = _Adjacency(pairs.second, starts)
        kind = np.intp if len(pairs) <= _MOST_WIDE else np.int32
        self._first: npt.NDArray[Any] = pairs.first.astype(kind, copy=False)
        self._second: npt.NDArray[Any] = pairs.second.astype(kind, copy=False)

    def with_counts(self, count: FloatArray, lead: FloatArray) -> ComparisonGraph:
        """Return the same graph, with its pairs (n,) compared another number of times."""
        other = object.__new__(ComparisonGraph)
        other.pairs = replace(self.pairs, count=count, lead=lead)
        other.actions = self.actions
        other._adjacency = self._adjacency  # which pairs there are need not be worked out again
        other._first, other._second = self._first, self._second
        return other

    def differences(self, values: FloatArray, has_zeros: bool = False) -> FloatArray:
        """Return first less second for every pair (n,), from values of the actions (N,).

        If `has_zeros`, some values may be -inf.
        """
        if has_zeros:
            return differences(values[self._first], values[self._second])
        margins = values[self._first]
        margins -= values[self._second]
        return np.asarray(margins)

    def table(self, rows: FloatArray) -> FloatArray | None:
        """Return first less second of rows (q, N) for every pair (q, n); None if it were large."""
        if len(rows) * len(self._first) > _SMALL:
            return None
        table = rows.take(self._first, axis=1, mode="clip")
        table -= rows.take(self._second, axis=1, mode="clip")
        return table

    def scatter(self, values: FloatArray) -> FloatArray:
        """Return the transpose of :meth:`differences`: values of pairs (n,) to actions (N,)."""
        at_first, at_second = self.ends(values)
        return at_first - at_second

    def laplacian_form(self, rows: FloatArray, edge_weights: FloatArray) -> FloatArray:
        """Return rows @ Laplacian @ rows.T (q, q) for rows (q, N) and weights of the pairs (n,).

        Equals the sum over pairs of weight times the outer square of the difference of their
        columns. Rows should be centred: what is common to all actions cancels in the
        differences, but only up to rounding in the products.
        """
        at_first, at_second = self.ends(edge_weights)
        at_first += at_second
        adjacency = self._adjacency.with_weights(edge_weights)
        columns = np.ascontiguousarray(rows.T)
        form = np.zeros((len(rows), len(rows)))
        for start in range(0, self.actions, _BLOCK):  # one pass, and no second copy of the rows
            part = slice(start, start + _BLOCK)
            nearby = adjacency if self.actions <= _BLOCK else adjacency[part]
            joined = rows[:, part] @ (nearby @ columns)
            form += (rows[:, part] * at_first[part]) @ columns[part]
            form -= joined
            form -= joined.T
        return form

    def rough_form(self, rows: FloatArray, edge_weights: FloatArray) -> FloatArray:
        """Return :meth:`laplacian_form` to about six digits, which are enough for a step.

        What joins the actions is worked out in single precision, half as much to move about.
        """
        at_first, at_second = self.ends(edge_weights)
        at_first += at_second
        adjacency = self._adjacency.in_single_precision(edge_weights)
        columns = np.ascontiguousarray(rows.T, dtype=np.float32)
        joined = rows.astype(np.float32) @ (adjacency @ columns)
        form = (rows * at_first) @ rows.T
        form -= joined
        form -= joined.T
        return np.asarray(form)

    def ends(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums of values (n,) of the pairs by first and by second action (N,)."""
        if len(values) < _MANY:
            at_first = np.asarray(
                np.bincount(self._first, values, minlength=self.actions), dtype=np.float64
            )
        else:
            at_first = self._adjacency.sums(values)
        at_second = np.bincount(self._second, values, minlength=self.actions)
        return at_first, np.asarray(at_second, dtype=np.float64)
