"""Nodes: the rules over which a population is integrated, the same for everybody.

An integral over rules becomes a sum over nodes, ``∫ f(x) dx ≈ sum_s exp(log_volume_s) f(x_s)``.
Nodes are quasi-random points from a mixture of Student distributions: a wide one, where the
population is, and narrow ones, where everybody's own rule is likely. Lattices of as many nodes are
no better: who hardly errs has a likelihood with steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import lgamma

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import logsumexp
from scipy.stats import t as student
from scipy.stats.qmc import Sobol

from welfarist.base.validation import FloatArray

# Degrees of freedom of the distributions that points are drawn from: tails that are heavy enough.
_FREEDOM = 8.0
# The share of points that are drawn where the population is, not where single people are.
_WIDE = 0.4


@dataclass(frozen=True, eq=False)
class Nodes:
    """Points of integration.

    Attributes
    ----------
    points : (S, D) array
    log_volume : (S,) array
        The logarithm of the volume that each stands for.
    """

    points: FloatArray
    log_volume: FloatArray

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def powers(self) -> FloatArray:
        """One, the numbers, and the products of two of them (S, 1 + D + D (D + 1) / 2)."""
        rows, columns = np.tril_indices(self.points.shape[1])
        ones = np.ones((len(self), 1))
        return np.hstack([ones, self.points, self.points[:, rows] * self.points[:, columns]])

    def in_units_of(self, factor: FloatArray) -> Nodes:
        """Return the same points as ``factor @ x``, by x; the factor is a lower triangle (D, D)."""
        points = solve_triangular(factor, self.points.T, lower=True).T
        smaller = float(np.log(np.diag(factor)).sum())
        return Nodes(np.ascontiguousarray(points), self.log_volume - smaller)


def _axes(covariance: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 1e-12)))


def quasi_random(
    count: int,
    mean: FloatArray,
    covariance: FloatArray,
    seed: int,
    means: FloatArray | None = None,
    covariances: FloatArray | None = None,
) -> Nodes:
    """Return points from a mixture of a wide distribution and one around every posterior.

    Parameters
    ----------
    count : int
        How many, a power of two.
    mean, covariance : (D,), (D, D) arrays
        Of the wide distribution.
    seed : int
    means, covariances : (G, D), (G, D, D) arrays, optional
        Of everybody's posterior.
    """
    size = len(mean)
    wide = count if means is None else int(_WIDE * count)
    drawn = [_students(Sobol(size, seed=seed).random(count)[:wide], mean, covariance)]
    shares = [wide / count]
    parts = [(mean, covariance)]
    if means is not None and covariances is not None:
        uniform = Sobol(size + 1, seed=seed + 1).random(count)[: count - wide]
        who = np.minimum((uniform[:, -1] * len(means)).astype(int), len(means) - 1)
        drawn += [
            _students(uniform[who == g, :-1], means[g], covariances[g]) for g in range(len(means))
        ]
        shares += [(1.0 - wide / count) / len(means)] * len(means)
        parts += list(zip(means, covariances, strict=True))
    points = np.concatenate(drawn)
    logs = np.array([_log_student(points, *part) for part in parts])
    density = logsumexp(logs + np.log(shares)[:, None], axis=0)
    return Nodes(points, -density - np.log(len(points)))


def _students(uniform: FloatArray, mean: FloatArray, covariance: FloatArray) -> FloatArray:
    """Points (S, D) with Student's margins along the main axes, from uniform numbers."""
    inside = np.clip(uniform, 1e-9, 1.0 - 1e-9)
    return np.asarray(mean + student.ppf(inside, _FREEDOM) @ _axes(covariance).T)


def _log_student(points: FloatArray, mean: FloatArray, covariance: FloatArray) -> FloatArray:
    """Log density (S,) of points whose main axes are independent Students."""
    axes = _axes(covariance)
    away = np.linalg.inv(axes) @ (points - mean).T
    _, size = np.linalg.slogdet(axes)
    nu = _FREEDOM
    level = lgamma((nu + 1) / 2) - lgamma(nu / 2) - 0.5 * np.log(nu * np.pi)
    each = level - (nu + 1) / 2 * np.log1p(away * away / nu)
    return np.asarray(each.sum(axis=0) - size)
