"""Intervals that certainly contain the log power mean of a cell's people.

Domain: p in [-inf, inf]; cells of a tally, of which some have people in bins and some people one by
one. With n people who have something, s = (1/n) sum (u / r)^p relative to a power r of 2.

Formula: four errors are bounded one by one, and their sum E gives log M in
``log r + log(s^ -+ E) / p``. With u = 2^-53, m people in a bin with centre c, half width h = d c:

*interpolation*
    u^p in a bin is replaced by the polynomial of degree 5 through its nodes. The error at t is the
    sixth derivative somewhere in the bin, times a product of distances from nodes, over 6!:
    ``kappa |p (p-1) ... (p-5)| / 6! m d^6 c^p max((1-d)^(p-6), (1+d)^(p-6))``.
*sums*
    Each power of t was rounded to a multiple of 2^-32, by at most 2^-33 + 2^-50; their sums are
    exact. The polynomial's coefficient of t^j is at most ``|binom(p, j)| d^j + rho a_j`` times c^p:
    that of the Taylor polynomial, which interpolation leaves as it is, and what nodes make of the
    remainder, |remainder| <= rho; a_j is the sum of |A_kj| over nodes k.
*node weights*
    six products and sums, of numbers rounded once or twice: ``8 u m sum_k b_k x_k^p``, with b_k the
    sum of |A_kj| over j.
*evaluation*
    exp, expm1, log and log1p are taken to be right to 4 units in the last place, which the usual
    libraries keep by far. A sum of k terms in any order is off by at most k u times that of
    their sizes; sums go by bin, by octave and by cell, so that k is about 200.

All bounds are multiplied by 1.01 for their own rounding. For |p| < 0.25 the same is done to
``F = (s - 1) / p``, from expm1, and ``log M = log r + log1p(p F) / p``, good down to
p = 0.

Limits: log M is never outside the extremes, which are kept, and at large |p| within
``log(n) / |p|`` of one; so the interval shrinks to a point at both infinities.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial, inf, log

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.formula_ranges import SMALL_POWER, ZERO_POWER, log_kept
from welfarist.people.sketch.bins import (
    BIN_BITS,
    BINS,
    DEGREE,
    LARGEST_PRODUCT,
    SUMS,
    IntArray,
    bins_of_octave,
    node_weights,
    nodes_of_octave,
    octave_of,
)
from welfarist.people.sketch.tally import Tally, sums_as_numbers

_LN2 = log(2.0)
_U = 2.0**-53
_SAFETY = 1.01
# What a power of t was rounded by, at most.
_ROUNDED = 2.0**-33 + 2.0**-50
# Beyond this |p| six nodes a bin follow u^p too badly to be worth asking.
FAR_POWER = 500.0


@dataclass(frozen=True)
class Means:
    """Log power means of cells: a value, and what it certainly lies between, (cells,) each."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass
class _Sums:
    """Sums over the people of cells, with bounds on their errors, (cells,) each."""

    total: FloatArray
    error: FloatArray


def log_means(tally: Tally, p: float) -> Means:
    """Return the log power means of all cells, none of which may be empty."""
    kept, zeros = tally.in_people(tally.mass - tally.zeros), tally.in_people(tally.zeros)
    some = kept > 0
    found = _positive_means(tally, p, kept)
    if p <= 0:
        dead = zeros > 0
        return Means(*(np.where(dead, -inf, x) for x in (found.value, found.low, found.high)))
    if p == inf or not zeros.any():
        return Means(*(np.where(some, x, -inf) for x in (found.value, found.low, found.high)))
    with np.errstate(divide="ignore", over="ignore"):
        gone = np.where(some, log_kept(kept, zeros, p), 0.0)
    # A logarithm below all numbers is that of nothing.
    spread = np.where(np.isinf(gone), 0.0, 16 * _U * np.abs(gone))
    moved = (found.value + gone, found.low + gone - spread, found.high + gone + spread)
    return Means(*(np.where(some, x, -inf) for x in moved))


def _positive_means(tally: Tally, p: float, mass: FloatArray) -> Means:
    """Return the means of those who have something; 0 in cells in which nobody has."""
    low, high = log_extremes(tally)
    low, high = (np.where(tally.high_end == 0, 0.0, end) for end in (low, high))
    slack = 8 * _U * (np.abs(low) + np.abs(high))
    if abs(p) == inf:
        end = high if p > 0 else low
        off = 8 * _U * np.abs(end)
        return Means(end, end - off, end + off)
    floor, ceiling = _between_ends(low, high, mass / tally.unit, p)
    floor, ceiling = floor - slack, ceiling + slack
    if abs(p) > FAR_POWER:
        return Means(_within(floor, ceiling, _by_mean_points(tally, p, mass)), floor, ceiling)
    entries = _Entries.of(tally, p, mass)
    found = entries.near_zero(p) if abs(p) < SMALL_POWER else entries.far_from_zero(p)
    lower = np.clip(np.where(np.isnan(found.low), -inf, found.low), floor, ceiling)
    upper = np.clip(np.where(np.isnan(found.high), inf, found.high), floor, ceiling)
    return Means(_within(lower, upper, found.value), lower, upper)


def _within(low: FloatArray, high: FloatArray, value: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):
        middle = low + (high - low) / 2
    return np.clip(np.where(np.isfinite(value), value, middle), low, high)


def log_extremes(tally: Tally) -> tuple[FloatArray, FloatArray]:
    """Return the logarithms of smallest and largest positive utilities; -inf without any."""
    nobody = tally.high_end == 0
    with np.errstate(divide="ignore"):
        high = np.log(tally.high_end.view(np.float64))
    low = np.where(nobody, np.uint64(1), tally.low).view(np.float64)
    return np.where(nobody, -inf, np.log(np.where(nobody, 1.0, low))), high


def _between_ends(
    low: FloatArray, high: FloatArray, people: FloatArray, p: float
) -> tuple[FloatArray, FloatArray]:
    """Return bounds by the extremes: whoever has one counts at least one unit of all `people`."""
    if abs(p) < ZERO_POWER:
        return low, high
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        off = np.log(np.maximum(people, 1.0)) * (1 + 16 * _U) / abs(p)
        if p > 0:
            return np.maximum(low, high - off), high
        return low, np.minimum(high, low + off)


def _by_mean_points(tally: Tally, p: float, mass: FloatArray) -> FloatArray:
    """Return roughly log M at large |p|: each bin's people have what they have on average."""
    number, sums = tally.keys & (2**BIN_BITS - 1), sums_as_numbers(tally)
    centre, half = (x[number % BINS] for x in bins_of_octave())
    own = np.log(centre + half * sums[:, 1] / np.maximum(sums[:, 0], 1e-300))
    logs = np.append(own + octave_of(number) * _LN2, np.log(tally.value))
    people = np.append(sums[:, 0], tally.in_people(tally.count))
    cell = np.append(tally.keys >> BIN_BITS, tally.cell)
    end = np.full(tally.cells, -inf if p > 0 else inf)
    (np.maximum if p > 0 else np.minimum).at(end, cell, logs)
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        terms = people * np.exp(p * (logs - end[cell]))
        total = np.bincount(cell, terms, minlength=tally.cells)
        return np.asarray(end + np.log(total / mass) / p)


@dataclass
class _Entries:
    """Bins and people of all cells, measured from a power of 2 in each cell.

    Attributes
    ----------
    cells : int
    mass : (cells,) array
        How many have something.
    reference : (cells,) array
        log r.
    bin_cell : (m,) array of int
    people : (m,) array
        How many a bin holds.
    weights : (m, 6) array
        Of its nodes.
    x, centre : (m, 6) and (m,) arrays
        log(u / r) of nodes and centres.
    d : (m,) array
        Half widths over centres.
    runs : (c,) array of int
        Where octaves begin.
    terms : float
        How many terms a sum has, at most, one level after the other.
    cell, own, own_x : (k,) arrays
        People who are kept, how many and log(u / r).
    """

    cells: int
    mass: FloatArray
    reference: FloatArray
    bin_cell: IntArray
    people: FloatArray
    weights: FloatArray
    x: FloatArray
    centre: FloatArray
    d: FloatArray
    runs: IntArray
    terms: float
    cell: IntArray
    own: FloatArray
    own_x: FloatArray

    @classmethod
    def of(cls, tally: Tally, p: float, mass: FloatArray) -> _Entries:
        number = tally.keys & (2**BIN_BITS - 1)
        bin_cell, octave = tally.keys >> BIN_BITS, octave_of(number)
        sums = sums_as_numbers(tally)
        mantissa, exponent = np.frexp(tally.value)
        own = tally.in_people(tally.count)
        reference = _reference(tally, p, (bin_cell, octave, sums[:, 0]), (exponent, own))
        up = (octave - reference[bin_cell]) * _LN2
        centre, half = (x[number % BINS] for x in bins_of_octave())
        pair = bin_cell * 4096 + octave
        runs = np.flatnonzero(np.append(True, np.diff(pair) != 0)) if len(pair) else number
        octaves = np.bincount(bin_cell[runs]).max(initial=0) if len(pair) else 0
        few = np.bincount(tally.cell).max(initial=0) if len(tally.cell) else 0
        return cls(
            tally.cells, np.maximum(mass, 1e-300), reference.astype(np.float64) * _LN2, bin_cell,
            sums[:, 0],
            sums @ node_weights().T, np.log(nodes_of_octave())[number % BINS] + up[:, None],
            np.log(centre) + up, half / centre, runs, float(SUMS + BINS + octaves + few + 4),
            tally.cell, own, np.log(mantissa) + (exponent - reference[tally.cell]) * _LN2,
        )  # fmt: skip

    def far_from_zero(self, p: float) -> Means:
        """Return the means where |p| >= 0.25."""
        with np.errstate(under="ignore"):
            grown, own = np.exp(p * self.x), np.exp(p * self.own_x)
            wide = np.exp(p * self.centre)
        relative = 8 * _U + abs(p) * _argument_error(self.x) + self.terms * _U
        error = (np.abs(self.weights) * grown * relative).sum(axis=1)
        error += 8 * _U * self.people * (grown @ _node_sizes())
        error += abs(p) * self.people * wide * (_interpolation(p, self.d) + _sums(p, self.d))
        few = self.own * own
        few_error = few * (8 * _U + abs(p) * _argument_error(self.own_x) + self.terms * _U)
        total = self._added((self.weights * grown).sum(axis=1), few) / self.mass
        off = _SAFETY * self._added(error, few_error) / self.mass
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(total > 0, off / total, inf)
            value = np.log(total) / p
            up, down = np.log1p(ratio) / p, np.log1p(-np.minimum(ratio, 1.0)) / p
            ends = (value + up, value + down)
        return self._settled(value, np.minimum(*ends), np.maximum(*ends))

    def near_zero(self, p: float) -> Means:
        """Return the means where |p| < 0.25: from (u^p - 1) / p, which is log u at p = 0."""
        gain, own_gain = _gain(p, self.x), _gain(p, self.own_x)
        relative = 16 * _U + self.terms * _U
        moved = np.exp(p * self.x) * _argument_error(self.x)
        error = (np.abs(self.weights) * (np.abs(gain) * relative + moved)).sum(axis=1)
        error += 8 * _U * self.people * (np.abs(gain) @ _node_sizes())
        wide = np.exp(p * self.centre)
        error += self.people * wide * (_interpolation(p, self.d) + _sums(p, self.d))
        own_moved = np.exp(p * self.own_x) * _argument_error(self.own_x)
        few_error = self.own * (np.abs(own_gain) * relative + own_moved)
        total = self._added((self.weights * gain).sum(axis=1), self.own * own_gain) / self.mass
        off = _SAFETY * self._added(error, few_error) / self.mass
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._settled(*(_undone(p, total + move) for move in (0.0, -off, off)))

    def _added(self, by_bin: FloatArray, by_person: FloatArray) -> FloatArray:
        """Return sums (cells,) over bins (m,), octave by octave, and people (k,)."""
        found = np.bincount(self.cell, by_person, minlength=self.cells)
        if len(by_bin):
            octaves = np.add.reduceat(by_bin, self.runs)
            found = found + np.bincount(self.bin_cell[self.runs], octaves, minlength=self.cells)
        return np.asarray(found, dtype=np.float64)

    def _settled(self, value: FloatArray, low: FloatArray, high: FloatArray) -> Means:
        """Return means on the people's own unit, with what that rounds."""
        with np.errstate(invalid="ignore"):
            off = 16 * _U * (np.abs(value) + np.abs(self.reference) + _U)
            return Means(
                value + self.reference, low + self.reference - off, high + self.reference + off
            )


def _reference(
    tally: Tally,
    p: float,
    bins: tuple[IntArray, IntArray, FloatArray],
    few: tuple[IntArray, FloatArray],
) -> IntArray:
    """Return log2 r of each cell: near the extreme that counts most, or the middle near p = 0."""
    bin_cell, octave, people = bins
    exponent, own = few
    if abs(p) >= SMALL_POWER:
        end = tally.high_end if p > 0 else tally.low
        empty = tally.high_end == 0
        found = np.frexp(np.where(empty, np.uint64(1), end).view(np.float64))[1].astype(np.int64)
        return np.where(empty, 0, found if p > 0 else found - 1)
    total = np.bincount(bin_cell, people, minlength=tally.cells)
    total = total + np.bincount(tally.cell, own, minlength=tally.cells)
    found = np.bincount(bin_cell, people * octave, minlength=tally.cells)
    found = found + np.bincount(tally.cell, own * exponent, minlength=tally.cells)
    return np.asarray(np.rint(found / np.maximum(total, 1e-300)), dtype=np.int64)


def _argument_error(x: FloatArray) -> FloatArray:
    """Bound what x = log(u / r) is off by, in the node, the logarithms and their sum."""
    return np.asarray(_U * (12.0 + 4.0 * np.abs(x)))


def _gain(p: float, x: FloatArray) -> FloatArray:
    return x if abs(p) < ZERO_POWER else np.asarray(np.expm1(p * x) / p)


def _undone(p: float, gain: FloatArray) -> FloatArray:
    return gain if abs(p) < ZERO_POWER else np.asarray(np.log1p(np.maximum(p * gain, -1.0)) / p)


def _node_sizes() -> FloatArray:
    """Bound the sums of |A_kj| over j (6,), with which the rounding of node weights grows."""
    return np.asarray(np.abs(node_weights()).sum(axis=1))


def _interpolation(p: float, d: FloatArray) -> FloatArray:
    """Bound the error of six nodes, over |p| c^p, in bins of relative half width d (m,)."""
    return np.asarray(LARGEST_PRODUCT * _remainder(p, d))


def _remainder(p: float, d: FloatArray) -> FloatArray:
    """Bound the sixth term of the Taylor series about the centre, over |p| c^p."""
    steep = abs(np.prod([p - j for j in range(1, SUMS)])) / factorial(SUMS)
    ends = np.maximum((1.0 - d) ** (p - SUMS), (1.0 + d) ** (p - SUMS))
    return np.asarray(steep * d**SUMS * ends)


def _sums(p: float, d: FloatArray) -> FloatArray:
    """Bound what the rounding of powers of t does, over |p| c^p."""
    found = np.zeros_like(d)
    remainder, by_power = _remainder(p, d), np.abs(node_weights()).sum(axis=0)
    for j in range(1, DEGREE + 1):
        series = abs(np.prod([p - i for i in range(1, j)])) / factorial(j)
        found += series * d**j + remainder * by_power[j]
    return np.asarray(_ROUNDED * found)
