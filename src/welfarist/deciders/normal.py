"""A normal distribution of rules, whose mean may depend on what is known of people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.deciders.nodes import Nodes

# A spread below this is none: a tenth of asinh p, of a log ratio of weights or of log tau nobody
# would notice, and people of two kinds, who lie on a line, would lead to ever narrower ones.
LEAST_SPREAD = 0.1
LEAST_VARIANCE = LEAST_SPREAD**2


@dataclass(frozen=True, eq=False)
class NormalPopulation:
    """A normal distribution of rules whose mean may depend on what is known of people.

    Attributes
    ----------
    coefficients : (D, c) array
        B: the mean of decision maker i is ``B z_i``.
    covariance : (D, D) array
        Sigma.
    """

    coefficients: FloatArray
    covariance: FloatArray

    @cached_property
    def cholesky(self) -> FloatArray:
        """The lower Cholesky factor (D, D) of the covariance."""
        return np.asarray(np.linalg.cholesky(self.covariance))

    def scaled(self, factor: FloatArray) -> NormalPopulation:
        """Return the population of ``factor @ x``, from that of x; a lower triangle (D, D)."""
        moved = replace(self, coefficients=factor @ self.coefficients)
        return moved._with_factor(factor @ self.cholesky)

    def _with_factor(self, factor: FloatArray) -> NormalPopulation:
        made = replace(self, covariance=factor @ factor.T)
        # Kept: the product of a narrow one has lost digits, and may have no factor any more.
        made.__dict__["cholesky"] = factor
        return made

    @property
    def size(self) -> int:
        """How many numbers vary."""
        return len(self.covariance)

    @property
    def parameters(self) -> int:
        """How many numbers describe it."""
        return int(self.coefficients.size + self.size * (self.size + 1) // 2)

    def means(self, design: FloatArray) -> FloatArray:
        """The mean (G, D) of each decision maker's population, given what is known of them."""
        return np.asarray(design @ self.coefficients.T)

    def log_density(self, nodes: Nodes, design: FloatArray) -> FloatArray:
        """Log density (G, S) at nodes, or (1, S) where everybody has the same mean.

        Formula: the square of what is away from the mean, multiplied out, so that it is one product
        with the nodes' squares, which are worked out once.
        """
        rows = design[:1] if (design == design[:1]).all() else design
        inverse = np.linalg.inv(self.cholesky)
        precision, centre = inverse.T @ inverse, self.means(rows)
        level = np.log(np.diag(self.cholesky)).sum() + 0.5 * self.size * np.log(2.0 * np.pi)
        away = centre @ inverse.T
        constant = -0.5 * (away * away).sum(axis=1) - level
        i, j = np.tril_indices(self.size)
        squares = np.where(i == j, -0.5, -1.0) * precision[i, j]
        terms = np.hstack(
            [constant[:, None], centre @ precision, np.tile(squares, (len(centre), 1))]
        )
        return np.asarray(terms @ nodes.powers.T)

    def packed(self) -> FloatArray:
        """What describes it, as one row: B, log diagonal and lower triangle of the factor."""
        lower = self.cholesky[np.tril_indices(self.size, -1)]
        return np.concatenate([self.coefficients.ravel(), np.log(np.diag(self.cholesky)), lower])

    @classmethod
    def unpacked(cls, row: FloatArray, size: int, columns: int) -> NormalPopulation:
        """Return the population that a row describes."""
        cut = size * columns
        factor = np.zeros((size, size))
        factor[np.diag_indices(size)] = np.exp(row[cut : cut + size])
        factor[np.tril_indices(size, -1)] = row[cut + size :]
        return cls(row[:cut].reshape(size, columns), np.eye(size))._with_factor(factor)
