"""A rule and its noise as a row of numbers on the line, in which particles move.

They are orthonormal logits of the weights, t = asinh p, log tau, logit rho where lapses are learned
and the logarithm of the indifference band where ties are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.noise.choices import LARGEST_RHO


@dataclass(frozen=True, eq=False)
class Rules:
    """Many rules with their noise.

    Attributes
    ----------
    weights : (S, d) array
    powers, taus, rhos, bands : (S,) arrays
        Flip probabilities and bands are 0 where they are not learned.
    """

    weights: FloatArray
    powers: FloatArray
    taus: FloatArray
    rhos: FloatArray
    bands: FloatArray

    def __len__(self) -> int:
        return len(self.powers)


@dataclass(frozen=True)
class Coordinates:
    """How rules become numbers on the line, and back.

    Attributes
    ----------
    people : int
        d.
    lapses, ties : bool
        Whether a flip probability is learned, and a band within which actions are called equal.

    Examples
    --------
    >>> line = Coordinates(people=3, lapses=False, ties=False)
    >>> line.size
    4
    >>> line.rules(np.array([[0.0, 0.0, 0.0, np.log(20.0)]])).weights.round(3).tolist()
    [[0.333, 0.333, 0.333]]
    """

    people: int
    lapses: bool
    ties: bool

    @property
    def power(self) -> int:
        """The column of t = asinh p."""
        return self.people - 1

    @property
    def size(self) -> int:
        """How many numbers a rule has."""
        return self.people + 1 + self.lapses + self.ties

    @property
    def noise(self) -> slice:
        """The columns of what says how a decision maker errs: log tau and what follows."""
        return slice(self.people, self.size)

    @cached_property
    def basis(self) -> FloatArray:
        """Orthonormal rows (d - 1, d), each of which sums to 0."""
        made = np.zeros((self.people - 1, self.people))
        for i in range(1, self.people):
            made[i - 1, :i] = 1.0
            made[i - 1, i] = -float(i)
            made[i - 1] /= np.sqrt(i * (i + 1.0))
        return made

    def log_weights(self, theta: FloatArray) -> FloatArray:
        """Return the logarithms of the weights (S, d) at rows of numbers (S, size)."""
        logs = theta[:, : self.people - 1] @ self.basis
        logs -= logs.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return np.asarray(logs)

    def rules(self, theta: FloatArray) -> Rules:
        """Return the rules at rows of numbers (S, size)."""
        return self._rules(theta, np.exp(self.log_weights(theta)))

    def noise_alone(self, theta: FloatArray) -> Rules:
        """Return the same without weights, for whom welfares are known."""
        return self._rules(theta, np.empty((len(theta), 0)))

    def _rules(self, theta: FloatArray, weights: FloatArray) -> Rules:
        none, at = np.zeros(len(theta)), self.people
        with np.errstate(over="ignore"):  # a proposal may lie anywhere; the prior refuses it
            rhos = 1.0 / (1.0 + np.exp(-theta[:, at + 1])) if self.lapses else none
            bands = np.exp(theta[:, self.size - 1]) if self.ties else none
            taus, powers = np.exp(theta[:, at]), np.sinh(theta[:, at - 1])
        return Rules(weights, powers, taus, np.minimum(rhos, LARGEST_RHO), bands)

    def numbers(
        self, log_weights: FloatArray, t: FloatArray, noise: list[FloatArray]
    ) -> FloatArray:
        """Return rows of numbers (S, size) from logarithms of weights (S, d), t (S,) and noise."""
        return np.column_stack([log_weights @ self.basis.T, t, *noise])
