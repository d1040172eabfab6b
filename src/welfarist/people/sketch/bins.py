"""Where utilities fall: bins cut out of the bits of doubles, and nodes that stand for their people.

Positive doubles are ordered like their bits, so the top of the bit pattern is a bin and the rest
says where in it: no logarithm is taken. There are 64 bins an octave, from u to 2 u.

Within a bin ``u = c + t h``, with centre c, half width h and t in [-1, 1). Six sums of powers of t
determine the mean over the bin's people of every polynomial of degree 5, and of u^p as closely as
such a polynomial follows it; the polynomial through six *nodes* follows it well. The outer two
nodes are the ends of the bin, which neighbours share.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import cos, pi

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

IntArray = npt.NDArray[np.int64]

# 2^6 bins an octave and polynomials of degree 5: an error of 1e-10 at |p| = 20, before any data.
BITS = 6
BINS = 2**BITS
DEGREE = 5
SUMS = DEGREE + 1
# A bin's number is what is left of the bits to the left of this many.
REST = 52 - BITS
# Powers of t are rounded to multiples of 2^-32: sums of multiples are exact in any order.
GRID = 32
# Adding and taking away this number rounds to multiples of 2^-32, as 1.5 2^20 has units of 2^-32.
ROUNDER = 1.5 * 2.0**20
# Counts are multiples of 2^-20; `high` and `low` are cut at 2^40.
COUNT_BITS = 20
LOW_BITS = 40
# The count is cut in two numbers of 26 bits for the product with a power.
HALF_COUNT = 26
# Bins from that of the smallest normal double to that of the largest; numbers need 17 bits.
FIRST_BIN, LAST_BIN = 1 * BINS, 2047 * BINS - 1
BIN_BITS = 17
# The octave of utilities from 1 to 2.
_UNIT_OCTAVE = 1023


def nodes_in_bin() -> FloatArray:
    """Return Chebyshev's nodes (6,) for t, stretched so that the outer two are -1 and 1."""
    inner = [-cos((2 * j + 1) * pi / (2 * SUMS)) / cos(pi / (2 * SUMS)) for j in range(SUMS)]
    inner[0], inner[-1] = -1.0, 1.0
    return np.array(inner)


# The largest product of distances from all nodes, |(t - t_0)...(t - t_5)|, for t in [-1, 1]. A bit
# more than that of exact nodes: those above are rounded.
LARGEST_PRODUCT = 2.0**-DEGREE / cos(pi / (2 * SUMS)) ** SUMS * (1 + 1e-12)


@cache
def node_weights() -> FloatArray:
    """Return what each power sum adds to the weight of each node, (nodes, sums) = (6, 6).

    Row k holds the coefficients of the polynomial that is 1 at node k and 0 at the others. They
    are worked out in fractions: each is the double nearest to the truth.
    """
    nodes = [Fraction(node) for node in nodes_in_bin().tolist()]
    rows = []
    for k, own in enumerate(nodes):
        coefficients = [Fraction(1)]
        for other in nodes[:k] + nodes[k + 1 :]:
            shifted = [Fraction(0), *coefficients]
            kept = [*(-other * c for c in coefficients), Fraction(0)]
            coefficients = [(a + b) / (own - other) for a, b in zip(shifted, kept, strict=True)]
        rows.append([float(c) for c in coefficients])
    return np.array(rows)


def bin_of(utilities: FloatArray) -> IntArray:
    """Return the bins (n,) of positive utilities (n,)."""
    return (np.ascontiguousarray(utilities).view(np.uint64) >> np.uint64(REST)).astype(np.int64)


def octave_of(bins: IntArray) -> IntArray:
    """Return k, where bins (n,) hold utilities from 2^k to below 2^(k + 1)."""
    return (bins >> BITS) - _UNIT_OCTAVE


@cache
def bins_of_octave() -> tuple[FloatArray, FloatArray]:
    """Return centres and half widths (64,) of the bins from 1 to 2; both are exact."""
    half = 0.5 / BINS
    return 1.0 + (2.0 * np.arange(BINS) + 1.0) * half, np.full(BINS, half)


@cache
def nodes_of_octave() -> FloatArray:
    """Return the nodes (64, 6) of the bins from 1 to 2."""
    centre, half = bins_of_octave()
    nodes = centre[:, None] + nodes_in_bin() * half[:, None]
    nodes[:, 0], nodes[:, -1] = centre - half, centre + half
    return nodes
