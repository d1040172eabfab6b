"""Choices from menus at values of the actions, under logistic noise: derivatives to third order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.decisions.menus import Block, Menus


@dataclass(frozen=True)
class MenuDecisions:
    """Choices from menus as functions of values: see :class:`~.laplace.Decided`."""

    menus: Menus
    actions: int

    def at(self, values: FloatArray, extras: FloatArray) -> MenuOutcomes:
        """Return the choices at values (N,) and log tau."""
        return MenuOutcomes(self.menus, self.actions, values, float(np.exp(extras[0])))


class MenuOutcomes:
    """Choices from menus at values of the actions."""

    def __init__(self, menus: Menus, actions: int, values: FloatArray, tau: float) -> None:
        self._menus, self._actions, self._tau = menus, actions, tau
        self._scale = menus.spread(menus.sign * tau)
        self._z = self._scale * values[menus.rows]
        largest = menus.largest(self._z)
        grown = np.exp(self._z - menus.spread(largest))
        sums = menus.sums(grown)
        self._chance = grown / menus.spread(sums)
        self.value = float(menus.count @ (largest + np.log(sums)) - menus.taken @ self._z)

    @cached_property
    def _count(self) -> FloatArray:
        return self._menus.spread(self._menus.count)

    @cached_property
    def _slopes(self) -> FloatArray:
        """Derivatives (E,) by the entries' values times tau."""
        return np.asarray(self._count * self._chance - self._menus.taken)

    def _scatter(self, entries: FloatArray) -> FloatArray:
        """Sums (N,) over the entries of each action, times what values are multiplied with."""
        rows = self._menus.rows
        found = np.bincount(rows, entries * self._scale, minlength=self._actions)
        return np.asarray(found, dtype=np.float64)

    @cached_property
    def slope(self) -> FloatArray:
        """Derivatives by the values (N,)."""
        return self._scatter(self._slopes)

    def _parts(self, block: Block) -> tuple[npt.NDArray[np.intp], FloatArray, FloatArray]:
        """Actions, chances (n, K) and counts (n, 1) of menus of equal size."""
        shape = (-1, block.size)
        rows = self._menus.rows[block.entries].reshape(shape).astype(np.intp)
        chance = self._chance[block.entries].reshape(shape)
        return rows, chance, self._menus.count[block.menus][:, None]

    @cached_property
    def curvature(self) -> FloatArray:
        """Second derivatives by the values (N, N)."""
        size = self._actions
        found = np.zeros(size * size)
        for block in self._menus.blocks:
            rows, chance, count = self._parts(block)
            place = rows[:, :, None] * size + rows[:, None, :]
            joint = (count * chance)[:, :, None] * chance[:, None, :]
            found -= np.bincount(place.reshape(-1), joint.reshape(-1), minlength=size * size)
        whole = found.reshape(size, size)
        own = np.bincount(self._menus.rows, self._count * self._chance, minlength=size)
        whole[np.diag_indices(size)] += own
        return np.asarray(whole * (self._tau * self._tau))

    def curved(self, matrix: FloatArray) -> FloatArray:
        """Return the second derivatives times a matrix (N, r)."""
        return np.asarray(self.curvature @ matrix)

    @property
    def by_extras(self) -> FloatArray:
        """The derivative by log tau (1,)."""
        return np.array([float(self._slopes @ self._z)])

    @property
    def cross(self) -> FloatArray:
        """Derivatives of the slope by log tau (1, N)."""
        menus, chance = self._menus, self._chance
        mean = menus.spread(menus.sums(chance * self._z))
        return (self.slope + self._scatter(self._count * chance * (self._z - mean)))[None, :]

    def tilt(self, covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return derivatives of half the trace of covariance times curvature: (N,), (1,)."""
        half = 0.5 * self._tau * self._tau
        moved, trace = np.empty_like(self._z), 0.0
        for block in self._menus.blocks:
            rows, chance, count = self._parts(block)
            inside = covariance[rows[:, :, None], rows[:, None, :]]
            own = np.einsum("mii->mi", inside)
            met = np.matmul(inside, chance[:, :, None])[:, :, 0]
            alone = (chance * own).sum(axis=1, keepdims=True)
            joint = (chance * met).sum(axis=1, keepdims=True)
            part = count * chance * ((own - alone) - 2.0 * (met - joint))
            moved[block.entries] = half * part.reshape(-1)
            trace += half * float((count * (alone - joint)).sum())
        return self._scatter(moved), np.array([2.0 * trace + float(moved @ self._z)])
