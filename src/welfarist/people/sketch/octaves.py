"""A sketch as a fit sees it: few points an octave with signed weights, which any p can use.

Between 2^k and 2^(k + 1) the power u^p = e^(p log u) is followed by the polynomial in log u through
32 Chebyshev points: for |p| <= 25 to 4e-12 of log M. Which weights the points have does not depend
on p and is worked out once. Beyond, up to |p| = 100, the six nodes of each bin are used, and still
further out each bin's people are taken to have what they have on average.

All sums go by *pairs*: an octave of a cell. In a pair x = middle + y, with |y| <= log(2) / 2, so
that e^(p y) is the same for all octaves, and no power of a utility over- or underflows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from math import log, pi

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.people.sketch.bins import (
    BIN_BITS,
    BINS,
    SUMS,
    IntArray,
    bins_of_octave,
    node_weights,
    nodes_of_octave,
    octave_of,
)
from welfarist.people.sketch.enclosures import log_extremes
from welfarist.people.sketch.tally import Tally, sums_as_numbers

POINTS = 32
# Up to this |p| the points serve, and up to the next the nodes of all bins.
NEAR_POWER = 25.0
LARGEST_POWER = 100.0
_LN2 = log(2.0)
# Octaves of all cells, 2^11 apart.
_OCTAVE_BITS = 12
_OFFSET = 2048
# Pairs whose sums are laid out at a time: 4096 times 384 doubles are 12 MB.
_BATCH = 4096


@cache
def points() -> FloatArray:
    """Return Chebyshev's points (32,) in log2 of utilities from 1 to 2."""
    return np.asarray((1.0 - np.cos((2 * np.arange(POINTS) + 1) * pi / (2 * POINTS))) / 2)


def point_weights(places: FloatArray) -> FloatArray:
    """Return how people at places (n,) in log2, from 0 to 1, are shared among points (n, 32)."""
    angles = (2 * np.arange(POINTS) + 1) * pi / (2 * POINTS)
    barycentric = np.where(np.arange(POINTS) % 2, -1.0, 1.0) * np.sin(angles)
    gaps = places[:, None] - points()
    at = gaps == 0
    terms = barycentric / np.where(at, 1.0, gaps)
    found = terms / terms.sum(axis=1, keepdims=True)
    return np.asarray(np.where(at.any(axis=1, keepdims=True), at.astype(np.float64), found))


@cache
def _from_sums() -> FloatArray:
    """Return what the sums of an octave's bins add to its points (64 * 6, 32)."""
    shared = point_weights(np.log2(nodes_of_octave()).reshape(-1)).reshape(BINS, SUMS, POINTS)
    found = np.einsum("kj,iks->ijs", node_weights(), shared)
    return np.asarray(found.reshape(BINS * SUMS, POINTS))


@dataclass(frozen=True)
class Pairs:
    """Octaves of cells, with what is known of the people there.

    Attributes
    ----------
    cells : int
    mass : (cells,) array
        How many have something.
    zeros : (cells,) array
        How many have nothing.
    low, high : (cells,) arrays
        Logarithms of smallest and largest positive utilities; -inf where nobody has anything.
    keys : (q,) array of int
        Octave and cell of each pair, octave after octave.
    weights : (q, 32) array
        Of the points.
    tally : Tally
        From which sums for large |p| are taken.
    shift : float
        The mean log utility of everybody in all actions, from which logarithms are measured.
    """

    cells: int
    mass: FloatArray
    zeros: FloatArray
    low: FloatArray
    high: FloatArray
    keys: IntArray
    weights: FloatArray
    shift: float
    tally: Tally = field(repr=False)

    @classmethod
    def of(cls, tally: Tally) -> Pairs:
        """Return the pairs of a tally, with the weights of their points."""
        octave, cell = octave_of(tally.keys & (2**BIN_BITS - 1)), tally.keys >> BIN_BITS
        own = np.frexp(tally.value)[1].astype(np.int64) - 1
        by_bin, by_person = _pair_key(octave, cell), _pair_key(own, tally.cell)
        keys = np.unique(np.append(by_bin, by_person))
        weights = _binned_weights(tally, by_bin, keys)
        places = np.asarray(np.log2(tally.value) - own, dtype=np.float64)
        counted = point_weights(places) * tally.in_people(tally.count)[:, None]
        np.add.at(weights, np.searchsorted(keys, by_person), counted)
        low, high = log_extremes(tally)
        mass = tally.in_people(tally.mass - tally.zeros)
        middle = ((keys >> 32) - _OFFSET + points()[:, None]).T * _LN2
        total = float(mass.sum())
        shift = float((weights * middle).sum()) / total if total else 0.0
        return cls(
            tally.cells, mass, tally.in_people(tally.zeros), low, high, keys, weights, shift, tally
        )

    @cached_property
    def cell(self) -> IntArray:
        """The cell of each pair (q,)."""
        return np.asarray(self.keys & (2**32 - 1))

    @cached_property
    def middle(self) -> FloatArray:
        """Log of the middle of each pair's octave (q,), less the shift."""
        return np.asarray(((self.keys >> 32) - _OFFSET + 0.5) * _LN2 - self.shift)

    @cached_property
    def octaves(self) -> list[tuple[float, slice]]:
        """The middle of each octave, and the run of its pairs."""
        octave = self.keys >> 32
        starts = np.flatnonzero(np.append(True, np.diff(octave) != 0)) if len(octave) else octave
        ends = np.append(starts[1:], len(octave))
        return [
            (float(self.middle[start]), slice(int(start), int(end)))
            for start, end in zip(starts, ends, strict=True)
        ]

    @cached_property
    def all_kept(self) -> bool:
        """Whether everybody is kept one by one, so that no power is too large."""
        return not len(self.tally.keys)

    def take(self, cells: IntArray) -> Pairs:
        """Return the pairs of some cells (c,), in the order given, on the same shift."""
        order = np.argsort(self.cell, kind="stable")
        starts = np.searchsorted(self.cell[order], cells)
        ends = np.searchsorted(self.cell[order], cells + 1)
        sizes = ends - starts
        new = np.repeat(np.arange(len(cells)), sizes)
        before = np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows = order[np.arange(len(new)) - before + starts[new]]
        keys = (self.keys[rows] >> 32 << 32) | new
        place = np.argsort(keys, kind="stable")
        return Pairs(
            len(cells), self.mass[cells], self.zeros[cells], self.low[cells], self.high[cells],
            keys[place], self.weights[rows[place]], self.shift, self.tally.only(cells),
        )  # fmt: skip

    def powers(self, p: float) -> FloatArray:
        """Return sums of e^(py), y e^(py) and y^2 e^(py) over the people of each pair (q, 3)."""
        if abs(p) <= NEAR_POWER:
            return np.asarray(self.weights @ _grown(p, (points() - 0.5) * _LN2))
        found = np.zeros((len(self.keys), 3))
        mantissa, exponent = np.frexp(self.tally.value)
        pair = np.searchsorted(self.keys, _pair_key(exponent.astype(np.int64) - 1, self.tally.cell))
        y = np.log(mantissa) + _LN2 / 2
        people = self.tally.in_people(self.tally.count)[:, None]
        np.add.at(found, pair, people * _grown(p, y))
        return found + (self._of_nodes(p) if abs(p) <= LARGEST_POWER else self._of_bins(p))

    def _of_nodes(self, p: float) -> FloatArray:
        """Those of people in bins, from the six nodes of each."""
        bins = self._bins
        grown = _grown(p, np.log(nodes_of_octave()) - _LN2 / 2)  # (64, 6, 3)
        found = np.empty((len(bins.pair), 3))
        for place, part in enumerate(bins.runs):
            found[part] = bins.weights[part] @ grown[place]
        return self._gathered(found)

    def _of_bins(self, p: float) -> FloatArray:
        """Those of people in bins, taken to have what they have on average."""
        bins = self._bins
        return self._gathered(bins.people[:, None] * _grown(p, bins.mean))

    def _gathered(self, found: FloatArray) -> FloatArray:
        pair, size = self._bins.pair, len(self.keys)
        columns = [np.bincount(pair, found[:, j], minlength=size) for j in range(3)]
        return np.column_stack(columns)

    @cached_property
    def _bins(self) -> _Bins:
        return _Bins.of(self.tally, self.keys)


@dataclass(frozen=True)
class _Bins:
    """The bins of all pairs, by their place in the octave.

    Attributes
    ----------
    pair : (m,) array of int
    people, mean : (m,) arrays
        How many, and the y of what they have on average.
    weights : (m, 6) array
        Of the nodes.
    runs : list of slice
        The bins at each of the 64 places.
    """

    pair: IntArray
    people: FloatArray
    mean: FloatArray
    weights: FloatArray
    runs: list[slice]

    @classmethod
    def of(cls, tally: Tally, keys: IntArray) -> _Bins:
        number = tally.keys & (2**BIN_BITS - 1)
        order = np.argsort(number % BINS, kind="stable")
        number, cell = number[order], tally.keys[order] >> BIN_BITS
        place = number % BINS
        sums = sums_as_numbers(tally)[order]
        centre, half = (x[place] for x in bins_of_octave())
        ends = np.searchsorted(place, np.arange(BINS + 1))
        return cls(
            np.searchsorted(keys, _pair_key(octave_of(number), cell)),
            sums[:, 0],
            np.log(centre + half * sums[:, 1] / sums[:, 0]) - _LN2 / 2,
            sums @ node_weights().T,
            [slice(int(a), int(b)) for a, b in pairwise(ends)],
        )


def _pair_key(octave: IntArray, cell: IntArray) -> IntArray:
    return np.asarray(((octave + _OFFSET) << 32) | cell)


def _grown(p: float, y: FloatArray) -> FloatArray:
    """Return e^(py), y e^(py) and y^2 e^(py), in a last axis of three."""
    grown = np.exp(p * y)
    return np.stack([grown, y * grown, y * y * grown], axis=-1)


def _binned_weights(tally: Tally, by_bin: IntArray, keys: IntArray) -> FloatArray:
    """Return the weights of points (q, 32) of people in bins."""
    found = np.zeros((len(keys), POINTS))
    pair = np.searchsorted(keys, by_bin)
    order = np.argsort(pair, kind="stable")
    place, pair = (tally.keys[order] & (2**BIN_BITS - 1)) % BINS, pair[order]
    sums = sums_as_numbers(tally)[order]
    for start in range(0, len(keys), _BATCH):
        stop = min(start + _BATCH, len(keys))
        part = slice(*np.searchsorted(pair, [start, stop]))
        laid = np.zeros((stop - start, BINS, SUMS))
        laid[pair[part] - start, place[part]] = sums[part]
        found[start:stop] = laid.reshape(stop - start, -1) @ _from_sums()
    return found
