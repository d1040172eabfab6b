"""How errors of utilities reach welfare: what everybody's log utility may still be, and with whom.

To second order log M at log utilities with mean m and covariance C has mean ``log M(m) + b`` and
covariance K over actions, by the welfare shares s of everybody in each action::

    b_a  = p/2 (sum_i s_ai C_aii - sum_ij s_ai s_aj C_aij)
    K_ab = sum_ij s_ai s_bj Cov(L_ai, L_bj)

Errors go together either among the people of an action, so that K is a diagonal, or among the
actions of a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray


@dataclass(frozen=True)
class Effects:
    """What errors do to the welfare of actions, at some shares.

    Attributes
    ----------
    bias : (N,) array
    bias_per_power : (N,) array
        The bias over p.
    variance : (N,) array
    covariance : (N,) or (N, N) array
        Variances alone where errors of different actions have nothing in common.
    bias_by_share, variance_by_share : (d, N) arrays
    spread : ByPerson or None
        Where errors of different actions go together.
    shares : (d, N) array or None
    factor : (N, r) array or None
        Of the covariance, if it is known.
    """

    bias: FloatArray
    bias_per_power: FloatArray
    variance: FloatArray
    covariance: FloatArray
    bias_by_share: FloatArray
    variance_by_share: FloatArray
    spread: ByPerson | None = None
    shares: FloatArray | None = None
    factor: FloatArray | None = None

    def pulled(self, by_covariance: FloatArray) -> FloatArray:
        """Return derivatives by shares (d, N) from those by the covariance, of its shape."""
        if self.spread is None or self.shares is None:
            return np.asarray(self.variance_by_share * by_covariance)
        found = np.empty_like(self.shares)
        for i, (own, shares) in enumerate(zip(self.spread.covariance, self.shares, strict=True)):
            found[i] = 2.0 * (by_covariance * own) @ shares
        return found


class Spread(Protocol):
    """How uncertain log utilities are."""

    @property
    def variances(self) -> FloatArray:
        """Their variances (d, N)."""
        ...

    def take(self, actions: npt.NDArray[Any]) -> Self:
        """Return some of the actions."""
        ...

    def effects(self, shares: FloatArray, p: float) -> Effects:
        """Return what errors do to welfare at shares (d, N) of a power mean."""
        ...

    def noise(self, rng: np.random.Generator) -> FloatArray:
        """Return errors (d, N), drawn."""
        ...


@dataclass(frozen=True, eq=False)
class ByAction:
    """Errors of people in the same action may go together; those of actions are apart.

    Attributes
    ----------
    covariance : (N, d, d) array
    """

    covariance: FloatArray

    @cached_property
    def variances(self) -> FloatArray:
        """Variances of log utilities (d, N)."""
        return np.ascontiguousarray(np.einsum("aii->ia", self.covariance))

    def take(self, actions: npt.NDArray[Any]) -> ByAction:
        """Return some of the actions."""
        return ByAction(self.covariance[actions])

    def effects(self, shares: FloatArray, p: float) -> Effects:
        """Return what errors do to welfare at shares (d, N) of a power mean."""
        moved = np.matmul(self.covariance, shares.T[:, :, None])[:, :, 0].T
        variance = np.maximum((shares * moved).sum(axis=0), 0.0)
        per_power = 0.5 * ((shares * self.variances).sum(axis=0) - variance)
        return Effects(
            p * per_power,
            per_power,
            variance,
            variance,
            p * (0.5 * self.variances - moved),
            2.0 * moved,
        )

    def noise(self, rng: np.random.Generator) -> FloatArray:
        """Return errors (d, N), drawn."""
        values, vectors = np.linalg.eigh(self.covariance)
        standard = rng.normal(size=values.shape) * np.sqrt(np.maximum(values, 0.0))
        return np.asarray(np.matmul(vectors, standard[:, :, None])[:, :, 0].T)


@dataclass(frozen=True, eq=False)
class ByPerson:
    """Errors of a person may go together over actions; those of people are apart.

    Attributes
    ----------
    covariance : (d, N, N) array
    """

    covariance: FloatArray

    @cached_property
    def variances(self) -> FloatArray:
        """Variances of log utilities (d, N)."""
        return np.ascontiguousarray(np.einsum("iaa->ia", self.covariance))

    def take(self, actions: npt.NDArray[Any]) -> ByPerson:
        """Return some of the actions."""
        chosen = np.arange(self.covariance.shape[1])[actions]
        return ByPerson(np.ascontiguousarray(self.covariance[:, chosen[:, None], chosen]))

    def effects(self, shares: FloatArray, p: float) -> Effects:
        """Return what errors do to welfare at shares (d, N) of a power mean."""
        covariance = np.zeros(self.covariance.shape[1:])
        for own, share in zip(self.covariance, shares, strict=True):
            covariance += own * np.multiply.outer(share, share)
        own = self.variances
        variance = np.maximum(covariance.diagonal(), 0.0)
        per_power = 0.5 * ((shares * own).sum(axis=0) - variance)
        return Effects(
            p * per_power,
            per_power,
            variance,
            covariance,
            p * (0.5 - shares) * own,
            2.0 * shares * own,
            self,
            shares,
        )

    def noise(self, rng: np.random.Generator) -> FloatArray:
        """Return errors (d, N), drawn."""
        found = np.empty(self.covariance.shape[:2])
        for i, own in enumerate(self.covariance):
            values, vectors = np.linalg.eigh(own)
            found[i] = vectors @ (rng.normal(size=len(values)) * np.sqrt(np.maximum(values, 0.0)))
        return found
