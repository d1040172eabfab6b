"""How errors of utilities reach welfare: what everybody's log utility may still be, and with whom.

To second order log M at log utilities with mean m and covariance C has mean ``log M(m) + b`` and
covariance K over actions, by the welfare shares s of everybody in each action::

    b_a  = p/2 (sum_i s_ai C_aii - sum_ij s_ai s_aj C_aij)
    K_ab = sum_ij s_ai s_bj Cov(L_ai, L_bj)

Errors go together either among the people of an action, so that K is a diagonal, or among the
actions of a person.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray


@dataclass(frozen=True)
class Reach:
    """How uncertain errors make the welfare of actions.

    Attributes
    ----------
    variance : (N,) array
    known : (N,) or (N, N) array or None
        The covariance; variances alone where errors of different actions have nothing in common,
        and None where it has a factor.
    factor : (N, r) array or None
    """

    variance: FloatArray
    known: FloatArray | None
    factor: FloatArray | None = None

    @cached_property
    def covariance(self) -> FloatArray:
        """Variances (N,) of what has nothing in common, or the covariance (N, N)."""
        if self.known is not None:
            return self.known
        assert self.factor is not None
        return np.asarray(self.factor @ self.factor.T)


@dataclass(frozen=True, kw_only=True)
class Effects(Reach):
    """What errors do to the welfare of actions, at some shares.

    Attributes
    ----------
    bias : (N,) array
    bias_per_power : (N,) array
        The bias over p.
    bias_by_share, variance_by_share : (d, N) arrays
    spread : ByPerson or None
        Where errors of different actions go together.
    shares : (d, N) array or None
    """

    bias: FloatArray
    bias_per_power: FloatArray
    bias_by_share: FloatArray
    variance_by_share: FloatArray
    spread: ByPerson | None = None
    shares: FloatArray | None = None

    def pulled(self, by_covariance: FloatArray) -> FloatArray:
        """Return derivatives by shares (d, N) from those by the covariance, of its shape."""
        if self.spread is None or self.shares is None:
            return np.asarray(self.variance_by_share * by_covariance)
        spread, shares = self.spread, self.shares
        if spread.factors is not None and self.factor is not None:
            people, actions, rank = spread.factors.shape
            near = by_covariance @ self.factor[:, : people * rank]
            apart = near.reshape(actions, people, rank).transpose(1, 0, 2)
            found = (apart * spread.factors).sum(axis=2)
        else:
            assert spread.whole is not None
            pairs = zip(spread.whole, shares, strict=True)
            found = np.array([(by_covariance * own) @ one for own, one in pairs])
        if spread.common is not None:
            together = np.einsum("iac,ia->ac", spread.common, shares)
            found += ((by_covariance @ together) * spread.common).sum(axis=2)
        return np.asarray(2.0 * found)


class Spread(Protocol):
    """How uncertain log utilities are."""

    @property
    def variances(self) -> FloatArray:
        """Their variances (d, N)."""
        ...

    def directions(self) -> Iterator[FloatArray]:
        """Yield independent errors (d, N) of one standard deviation each, 0 almost everywhere."""
        ...

    def take(self, actions: npt.NDArray[Any]) -> Self:
        """Return some of the actions."""
        ...

    def people(self, columns: npt.NDArray[np.intp]) -> Self:
        """Return the people in another order."""
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

    @property
    def told(self) -> FloatArray:
        """The numbers that say everything of the errors."""
        return self.covariance

    @cached_property
    def variances(self) -> FloatArray:
        """Variances of log utilities (d, N)."""
        return np.ascontiguousarray(np.einsum("aii->ia", self.covariance))

    def take(self, actions: npt.NDArray[Any]) -> ByAction:
        """Return some of the actions."""
        return ByAction(self.covariance[actions])

    def people(self, columns: npt.NDArray[np.intp]) -> ByAction:
        """Return the people in another order."""
        return ByAction(self.covariance[:, columns[:, None], columns])

    def effects(self, shares: FloatArray, p: float) -> Effects:
        """Return what errors do to welfare at shares (d, N) of a power mean."""
        moved = np.matmul(self.covariance, shares.T[:, :, None])[:, :, 0].T
        variance = np.maximum((shares * moved).sum(axis=0), 0.0)
        per_power = 0.5 * ((shares * self.variances).sum(axis=0) - variance)
        return Effects(
            variance,
            variance,
            bias=p * per_power,
            bias_per_power=per_power,
            bias_by_share=p * (0.5 * self.variances - moved),
            variance_by_share=2.0 * moved,
        )

    def directions(self) -> Iterator[FloatArray]:
        """Yield independent errors (d, N) of one standard deviation each, 0 almost everywhere."""
        values, vectors = np.linalg.eigh(self.covariance)
        roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        actions, people = values.shape
        for a in range(actions):
            for j in range(people):
                found = np.zeros((people, actions))
                found[:, a] = roots[a, :, j]
                yield found

    def noise(self, rng: np.random.Generator) -> FloatArray:
        """Return errors (d, N), drawn."""
        values, vectors = np.linalg.eigh(self.covariance)
        standard = rng.normal(size=values.shape) * np.sqrt(np.maximum(values, 0.0))
        return np.asarray(np.matmul(vectors, standard[:, :, None])[:, :, 0].T)


@dataclass(frozen=True, eq=False)
class ByPerson:
    """Errors of a person may go together over actions; those of people are apart, or `common`.

    Attributes
    ----------
    whole : (d, N, N) array or None
        Covariances of what is apart; None where they have `factors`.
    factors : (d, N, r) array or None
        Of few columns, with which much is quicker.
    common : (d, N, c) array or None
        What the same c errors make of everybody's utilities, besides.
    """

    whole: FloatArray | None
    factors: FloatArray | None = None
    common: FloatArray | None = None

    @cached_property
    def covariance(self) -> FloatArray:
        """Covariances (d, N, N) of each person's errors."""
        found = self.whole
        if found is None:
            assert self.factors is not None
            found = self.factors @ self.factors.transpose(0, 2, 1)
        if self.common is not None:
            found = found + self.common @ self.common.transpose(0, 2, 1)
        return np.asarray(found)

    @property
    def within_actions(self) -> FloatArray:
        """Covariances (N, d, d) of errors about the same action."""
        people, actions = self.variances.shape
        found = np.zeros((actions, people, people))
        if self.common is not None:
            rows = self.common.transpose(1, 0, 2)
            found += rows @ rows.transpose(0, 2, 1)
        found[:, np.arange(people), np.arange(people)] = self.variances.T
        return found

    @property
    def told(self) -> FloatArray:
        """The numbers that say everything of the errors."""
        first = self.whole if self.factors is None else self.factors
        both = [part for part in (first, self.common) if part is not None]
        return np.concatenate(both, axis=2)

    @cached_property
    def variances(self) -> FloatArray:
        """Variances of log utilities (d, N)."""
        if self.factors is not None:
            return np.asarray(np.square(self.told).sum(axis=2))
        assert self.whole is not None
        found = np.einsum("iaa->ia", self.whole)
        common = 0.0 if self.common is None else np.square(self.common).sum(axis=2)
        return np.ascontiguousarray(found + common)

    def take(self, actions: npt.NDArray[Any]) -> ByPerson:
        """Return some of the actions."""
        if self.factors is not None:
            common = None if self.common is None else self.common[:, actions]
            return ByPerson(None, np.ascontiguousarray(self.factors[:, actions]), common)
        assert self.whole is not None
        chosen = np.arange(self.whole.shape[1])[actions]
        common = None if self.common is None else self.common[:, chosen]
        return ByPerson(np.ascontiguousarray(self.whole[:, chosen[:, None], chosen]), None, common)

    def people(self, columns: npt.NDArray[np.intp]) -> ByPerson:
        """Return the people in another order."""
        parts = (self.whole, self.factors, self.common)
        return ByPerson(*(None if part is None else part[columns] for part in parts))

    def moved(self, by: FloatArray) -> ByPerson:
        """Return errors of what matrices (d, N, N) make of log utilities, one a person."""
        whole = None if self.whole is None else by @ self.whole @ by.transpose(0, 2, 1)
        factors = None if self.factors is None else by @ self.factors
        return ByPerson(whole, factors, None if self.common is None else by @ self.common)

    def effects(self, shares: FloatArray, p: float) -> Effects:
        """Return what errors do to welfare at shares (d, N) of a power mean."""
        covariance = factor = None
        own = self.variances
        moved = shares * own  # what of the variances each share moves, over two
        together = np.zeros((shares.shape[1], 0))
        if self.common is not None:
            together = np.einsum("iac,ia->ac", self.common, shares)
            moved += (self.common * together).sum(axis=2)
            moved -= shares * np.square(self.common).sum(axis=2)
        if self.factors is not None:
            scaled = (self.factors * shares[:, :, None]).transpose(1, 0, 2)
            factor = np.hstack([scaled.reshape(shares.shape[1], -1), together])
            variance = np.square(factor).sum(axis=1)
        else:
            assert self.whole is not None
            covariance = together @ together.T
            for one, share in zip(self.whole, shares, strict=True):
                covariance += one * np.multiply.outer(share, share)
            variance = np.maximum(covariance.diagonal(), 0.0)
        per_power = 0.5 * ((shares * own).sum(axis=0) - variance)
        return Effects(
            variance,
            covariance,
            factor,
            bias=p * per_power,
            bias_per_power=per_power,
            bias_by_share=p * (0.5 * own - moved),
            variance_by_share=2.0 * moved,
            spread=self,
            shares=shares,
        )

    def directions(self) -> Iterator[FloatArray]:
        """Yield independent errors (d, N) of one standard deviation each, 0 almost everywhere."""
        for i, variances in enumerate(self.variances):
            if self.factors is not None:
                columns = self.factors[i].T
            else:
                assert self.whole is not None
                values, vectors = np.linalg.eigh(self.whole[i])
                columns = (vectors * np.sqrt(np.maximum(values, 0.0))).T
            for column in columns:
                found = np.zeros((len(self.variances), len(variances)))
                found[i] = column
                yield found
        if self.common is not None:
            yield from np.moveaxis(self.common, 2, 0)

    def noise(self, rng: np.random.Generator) -> FloatArray:
        """Return errors (d, N), drawn."""
        if self.factors is not None:
            people, _, rank = self.factors.shape
            found = np.matmul(self.factors, rng.normal(size=(people, rank, 1)))[:, :, 0]
        else:
            assert self.whole is not None
            found = np.empty(self.whole.shape[:2])
            for i, own in enumerate(self.whole):
                values, vectors = np.linalg.eigh(own)
                drawn = rng.normal(size=len(values)) * np.sqrt(np.maximum(values, 0.0))
                found[i] = vectors @ drawn
        if self.common is not None:
            found = found + self.common @ rng.normal(size=self.common.shape[2])
        return np.asarray(found)
