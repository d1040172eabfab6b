"""Walk a table of utilities in blocks that fit the processor's cache.

A block is laid out people by actions, so that every reduction over people runs along memory, and
no temporary is as large as the input, however long or wide that is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

# Utilities worked on at a time: 65,536 doubles are 512 KiB, which with one scratch copy stays
# inside a core's level-2 cache.
BLOCK = 2**16


class BadUtilityError(Exception):
    """A block holds a utility that is not allowed; the caller knows how to name its place."""


class Rows:
    """The rows of an array (..., d), by number, without copying more than was asked for."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self._array = array
        self._flat = array.reshape(-1, array.shape[-1]) if _flattens(array) else None

    def __len__(self) -> int:
        return int(np.prod(self._array.shape[:-1]))

    def __getitem__(self, part: slice) -> npt.NDArray[Any]:
        """Return a run of rows (m, d): a view where the layout allows, otherwise gathered."""
        if self._flat is not None:
            return self._flat[part]
        numbers = np.arange(*part.indices(len(self)))
        found: npt.NDArray[Any] = self._array[np.unravel_index(numbers, self._array.shape[:-1])]
        return found


def _flattens(array: npt.NDArray[Any]) -> bool:
    """Whether the axes before the last are one even walk through memory."""
    pairs = zip(array.shape[:-1], array.strides[:-1], strict=True)
    walk = [(length, stride) for length, stride in pairs if length > 1]
    return all(
        stride == next_length * next_stride
        for (_, stride), (next_length, next_stride) in pairwise(walk)
    )


class Block:
    """A few actions whose people are read one cache-sized part at a time, people first.

    Parameters
    ----------
    rows : (m, d) array
        Utilities.
    weights : None, (d,) or (m, d) array
        Relative weights. People whom shared weights leave out are dropped before anything is
        computed, so that no product of zero and infinity can arise.
    scratch : (2, at least min(m * d, max(m, BLOCK))) array
        Room for the utilities and for their logarithms, so that walking a table does not
        allocate it anew per block.
    """

    def __init__(
        self, rows: npt.NDArray[Any], weights: npt.NDArray[Any] | None, scratch: FloatArray
    ) -> None:
        # A NaN makes both comparisons false, so two reductions find all that is not allowed.
        if not (rows.min() >= 0 and rows.max() < np.inf):
            raise BadUtilityError
        self._rows = rows
        self._weights = weights
        self._scale: Any = 1.0 if weights is None else _scale(weights)
        self._utilities, self._logs = scratch
        people, step = rows.shape[1], max(1, BLOCK // len(rows))
        self._parts = [slice(start, start + step) for start in range(0, people, step)]
        # Most blocks are a single part, which need not be read again for every pass.
        self._only = self._read(self._parts[0]) if len(self._parts) == 1 else None

    def __len__(self) -> int:
        return len(self._rows)

    def parts(self) -> Iterator[tuple[FloatArray, FloatArray | None]]:
        """Yield utilities (k, m) and their weights: None for equal, (k,) or (k, m)."""
        for part in self._parts:
            values, weights = self._read(part) if self._only is None else self._only
            if len(values):
                yield values, weights

    def extreme(self, largest: bool) -> FloatArray:
        """Return the largest or smallest utility among the people who count (m,)."""
        reduce, neutral = (np.maximum, -np.inf) if largest else (np.minimum, np.inf)
        found = np.full(len(self), neutral)
        for values, weights in self.parts():
            if weights is not None and weights.ndim > 1:
                values = np.where(weights > 0, values, neutral)
            found = reduce(found, reduce.reduce(values, axis=0))
        return found

    def weight_of_zeros(self) -> FloatArray:
        """Return the weight of those with utility 0 (m,), exactly 0 where there are none."""
        found = np.zeros(len(self))
        for values, weights in self.parts():
            if values.min() == 0:
                found += total(weights, (values == 0).astype(np.float64))
        return found

    def offsets(
        self, log_extreme: FloatArray, drop_zeros: bool = False
    ) -> Iterator[tuple[FloatArray, FloatArray | None]]:
        """Yield log(utility / extreme) (k, m) and weights; who does not count is at 0."""
        for values, weights in self.parts():
            logs = self._logs[: values.size].reshape(values.shape)
            np.log(values, out=logs)
            logs -= log_extreme
            ignored = weights == 0 if weights is not None and weights.ndim > 1 else None
            if drop_zeros and np.isneginf(logs.min()):
                zeros = np.isneginf(logs)
                ignored = zeros if ignored is None else ignored | zeros
                shared = np.ones(len(values)) if weights is None else weights
                weights = np.where(zeros, 0.0, shared[:, None] if shared.ndim == 1 else shared)
            if ignored is not None:
                logs[ignored] = 0.0
            yield logs, weights

    def _read(self, part: slice) -> tuple[FloatArray, FloatArray | None]:
        rows = self._rows[:, part]
        weights = None
        if self._weights is not None:
            relative = self._weights[..., part].astype(np.float64, copy=False) * self._scale
            if relative.ndim == 1 and not relative.all():
                counted = np.flatnonzero(relative)
                rows, relative = rows[:, counted], relative[counted]
            weights = np.ascontiguousarray(relative.T)
        values = self._utilities[: rows.size].reshape(rows.T.shape)
        np.copyto(values, rows.T, casting="same_kind")
        return values, weights


def _scale(weights: npt.NDArray[Any]) -> Any:
    """Return a factor, or one per action (m, 1), that brings the largest weight near 1.

    It is a power of two, which changes no digit of a weight.
    """
    largest = weights.max(axis=-1, keepdims=weights.ndim > 1).astype(np.float64)
    exponents = np.frexp(largest)[1]
    return np.ldexp(1.0, -np.clip(exponents, -1000, None))  # beyond, the factor would overflow


def mass(weights: FloatArray | None, values: FloatArray) -> Any:
    """Sum over people of the weights of `values` (k, m): a number, or one per action (m,)."""
    return len(values) if weights is None else weights.sum(axis=0)


def total(weights: FloatArray | None, values: FloatArray) -> FloatArray:
    """Sum over people of weights times values (k, m) -> (m,)."""
    if weights is None:
        return np.asarray(values.sum(axis=0))
    if weights.ndim == 1:
        return np.asarray(weights @ values)
    return np.asarray(np.einsum("km,km->m", weights, values))
