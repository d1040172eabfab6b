"""Covariances of actions' effects by a factor S, through which nothing is divided by errors.

With W the curvature of decisions, the covariance of effects given the decisions is::

    Sigma = (K^-1 + W)^-1 = S A^-1 S',   A = I + S' W S,   K = S S'
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri

from welfarist.base.validation import FloatArray
from welfarist.people.estimated.spread import Reach

# What a covariance gains on its diagonal, relative to its mean, so that it has a root.
_NUDGE = 1e-10


@dataclass(frozen=True, eq=False)
class Root:
    """A factor S (N, r) of a covariance, or errors (N,) that have nothing in common."""

    factor: FloatArray

    @classmethod
    def of(cls, covariance: FloatArray) -> Root:
        """Take the root of a covariance (N, N), or of variances (N,)."""
        if covariance.ndim == 1:
            return cls(np.sqrt(covariance))
        nudge = _NUDGE * float(covariance.diagonal().mean()) + np.finfo(np.float64).tiny
        whole = covariance + nudge * np.eye(len(covariance))
        return cls(cholesky(whole, lower=True, check_finite=False))

    @classmethod
    def of_reach(cls, reach: Reach) -> Root:
        """Take the root of what errors make of welfare."""
        return cls.of(reach.covariance) if reach.factor is None else cls(reach.factor)

    @property
    def apart(self) -> bool:
        """Whether effects of actions have nothing in common."""
        return self.factor.ndim == 1

    @property
    def rank(self) -> int:
        """How many white effects there are."""
        return int(self.factor.shape[-1])

    def of_white(self, white: FloatArray) -> FloatArray:
        """Return S times white effects (r,)."""
        return np.asarray(self.factor * white if self.apart else self.factor @ white)

    def to_white(self, values: FloatArray) -> FloatArray:
        """Return S' times values (N,)."""
        return np.asarray(self.factor * values if self.apart else self.factor.T @ values)

    def inside(self, curvature: FloatArray) -> FloatArray:
        """Return the factor (r, r) of A, of which the upper triangle means nothing."""
        if self.apart:
            whole = curvature * self.factor[:, None]
            whole *= self.factor
        else:
            whole = self.factor.T @ (curvature @ self.factor)
        whole.reshape(-1)[:: len(whole) + 1] += 1.0
        # the transpose of what is symmetric, laid out as LAPACK has it
        found, failed = dpotrf(whole.T, lower=1, clean=0, overwrite_a=1)
        if failed:
            raise np.linalg.LinAlgError("curvature of decisions is not positive")
        return np.asarray(found)

    def posterior(self, inside: FloatArray) -> FloatArray:
        """Return Sigma (N, N); of effects that are apart in its lower triangle alone."""
        if self.apart:
            lower, _ = dpotri(inside, lower=1)
            lower *= self.factor[:, None]
            lower *= self.factor
            return np.asarray(lower)
        rows = solve_triangular(inside, self.factor.T, lower=True, check_finite=False)
        return np.asarray(rows.T @ rows)


def whole_of(lower: FloatArray) -> FloatArray:
    """Return a symmetric matrix (N, N) from its lower triangle."""
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)
