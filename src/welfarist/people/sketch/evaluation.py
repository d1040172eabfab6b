"""Log power means of groups with their derivatives by p, from sums over octaves.

Formula, with psi(p) = log(S(p) / n) and L = psi / p the log power mean of a group:

for |p| >= 0.25
    ``psi' = S'/S``, ``psi'' = S''/S - psi'^2`` and ``L' = (psi' - L) / p``;
for |p| < 0.25
    ``F = sum w expm1(p x) / p``, ``F' = sum w x^2 phi(p x)``, ``F'' = sum w x^3 phi'(p x)``,
    y = p F, ``L = log1p(y) / p``, ``L' = F'/(1 + y) - F^2 r(y)``, ``psi' = (F + p F')/(1 + y)``,
    ``psi'' = (2 F' + p F'')/(1 + y) - psi'^2``, with ``phi(z) = (z e^z - expm1 z) / z^2`` and
    ``r(y) = (log1p(y) - y/(1 + y)) / y^2``; unless everybody is so far from the common unit that
    the first forms lose fewer digits.

Who has nothing, at p > 0, adds log(share of the others) to psi.

Limits: at p = 0, L is the mean logarithm, L' half and psi'' all of its variance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.formula_ranges import SMALL_POWER, ZERO_POWER, log_kept
from welfarist.people.sketch.octaves import Pairs, points

_LN2 = float(np.log(2.0))
# Series are used up to here; 24 terms leave less than 1e-17 of them.
_RADIUS = 1.0
_TERMS = 24
# A group whose log(S / n) is larger has digits enough in the forms for larger p.
_FAR = 1.0


@dataclass(frozen=True)
class GroupMeans:
    """Log power means of cells, less the shift, and how they move with p, (cells,) each.

    Attributes
    ----------
    value : array
        L; -inf where nobody has anything.
    slope : array
        L'.
    bend : array
        psi''.
    """

    value: FloatArray
    slope: FloatArray
    bend: FloatArray


def group_means(pairs: Pairs, p: float) -> GroupMeans:
    """Return log power means of all cells at a finite p, positive if somebody has nothing."""
    dead = pairs.mass == 0
    mass = np.where(dead, 1.0, pairs.mass)
    if abs(p) >= SMALL_POWER:
        value, slope, bend = _from_powers(pairs, mass, p)
    else:
        value, slope, bend = _about_zero(pairs, mass, p)
    if p > 0 and pairs.zeros.any():
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            gone = log_kept(pairs.mass, pairs.zeros, p)
            value, slope = value + gone, slope - gone / p
    if dead.any():
        value = np.where(dead, -np.inf, value)
        slope, bend = np.where(dead, 0.0, slope), np.where(dead, 0.0, bend)
    return GroupMeans(value, slope, bend)


def third_moments(pairs: Pairs) -> FloatArray:
    """Return the third central moment of the logarithms of each cell (cells,)."""
    mass = np.where(pairs.mass == 0, 1.0, pairs.mass)
    powers = _summed(pairs, lambda x: np.column_stack([x, x * x, x**3])) / mass[:, None]
    first, second, third = powers.T
    return np.asarray(third - 3.0 * first * second + 2.0 * first**3)


def _from_powers(
    pairs: Pairs, mass: FloatArray, p: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    cell, middle, size = pairs.cell, pairs.middle, pairs.cells
    zeroth, first, second = pairs.powers(p).T
    end = np.full(size, -np.inf)
    np.maximum.at(end, cell, p * middle)
    end[np.isneginf(end)] = 0.0
    with np.errstate(under="ignore"):
        grown = np.exp(p * middle - end[cell])
    total = np.bincount(cell, grown * zeroth, minlength=size)
    total = np.where(total > 0, total, 1.0)
    steep = np.bincount(cell, grown * (middle * zeroth + first), minlength=size) / total
    off = middle - steep[cell]
    squares = off * off * zeroth + 2.0 * off * first + second
    bend = np.bincount(cell, grown * squares, minlength=size) / total
    value = (end + np.log(total / mass)) / p
    return value, (steep - value) / p, bend


def _about_zero(
    pairs: Pairs, mass: FloatArray, p: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    found = _summed(pairs, lambda x: _gains(p, x)) / mass[:, None]
    gain, first, second = found.T
    y = np.maximum(p * gain, -1.0 + 1e-16)
    log_total = np.log1p(y)
    value = gain if abs(p) < ZERO_POWER else log_total / p
    slope = first / (1.0 + y) - gain * gain * _r(y)
    steep = (gain + p * first) / (1.0 + y)
    bend = (2.0 * first + p * second) / (1.0 + y) - steep * steep
    far = np.abs(log_total) > _FAR
    if far.any():
        other = _from_powers(pairs, mass, p)
        value, slope, bend = (
            np.where(far, better, own)
            for better, own in zip(other, (value, slope, bend), strict=True)
        )
    return value, slope, bend


def _summed(pairs: Pairs, of_points: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return sums over all points of functions of x, which give (32, k), as (cells, k)."""
    parts = []
    for middle, run in pairs.octaves:
        x = middle + (points() - 0.5) * _LN2
        parts.append(pairs.weights[run] @ of_points(x))
    if not parts:
        return np.zeros((pairs.cells, 3))
    whole = np.vstack(parts)
    columns = [
        np.bincount(pairs.cell, whole[:, j], minlength=pairs.cells) for j in range(whole.shape[1])
    ]
    return np.column_stack(columns)


def _gains(p: float, x: FloatArray) -> FloatArray:
    """Return expm1(px)/p, x^2 phi(px) and x^3 phi'(px) at points (32,), as (32, 3)."""
    z = p * x
    gain = x if abs(p) < ZERO_POWER else np.expm1(z) / p
    phi, steep = _phi(z)
    return np.column_stack([gain, x * x * phi, x**3 * steep])


def _phi(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (z e^z - expm1(z)) / z^2 and its derivative, by their series near 0."""
    near = np.abs(z) <= _RADIUS
    small = np.where(near, z, 0.0)
    series = [(k + 1) / factorial(k + 2) for k in range(_TERMS)]
    value = np.polynomial.polynomial.polyval(small, series)
    slope = np.polynomial.polynomial.polyval(small, [k * c for k, c in enumerate(series)][1:])
    large = np.where(near, 1.0, z)
    closed = (large * np.exp(large) - np.expm1(large)) / (large * large)
    steep = (np.exp(large) - 2.0 * closed) / large
    return np.where(near, value, closed), np.where(near, slope, steep)


def _r(y: FloatArray) -> FloatArray:
    """Return (log1p(y) - y / (1 + y)) / y^2, 1/2 at 0, by its series near 0."""
    near = np.abs(y) <= 0.1
    small = np.where(near, y, 0.0)
    # log1p(y) - y/(1+y) = sum_k (-1)^k y^k (1 - 1/k), k >= 2
    series = [(-1.0) ** k * (1.0 - 1.0 / k) for k in range(2, 2 + _TERMS)]
    value = np.polynomial.polynomial.polyval(small, series)
    large = np.where(near, 1.0, y)
    closed = (np.log1p(large) - large / (1.0 + large)) / (large * large)
    return np.where(near, value, closed)
