"""Choices from menus under logistic noise and lapses: loss and derivatives by the entries' values.

With values z of the entries of a menu of K actions::

    P(a) = (1 - 2 rho) exp(z_a) / sum_b exp(z_b) + 2 rho / K

rho = 0 is logistic noise; a menu of two has the noise of comparisons, see
:mod:`welfarist.noise.choices`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.decisions.menus import Menus
from welfarist.noise.base import CERTAIN, STEEPEST

_TINY = float(np.finfo(np.float64).tiny)
# Values no further apart keep their digits whichever number is taken from all of them.
_FAR = 100.0
# Values this close have chances that agree to nine digits: equal means are not computed to all.
EQUALLY_GOOD = 1e-9


@dataclass(slots=True)  # made at every step: freezing it would take a microsecond
class MenuChoice:
    """Derivatives of the loss of choices by the values of the entries.

    Second derivatives are those of each entry alone, and between the entries of a menu::

        diag(alone) + even first first' + mixed (first second' + second first')

    Attributes
    ----------
    by_value, alone, first : (E,) arrays
    second : (E,) array or None
        None if nothing is mixed.
    even, mixed : (m,) arrays
        One number per menu.
    by_own, own_twice : float
        First and second derivative by rho; 0 where it is not learned.
    by_own_and_value : (E,) array or None
        Second derivatives by rho and the values.
    """

    by_value: FloatArray
    alone: FloatArray
    first: FloatArray
    even: FloatArray
    second: FloatArray | None = None
    mixed: FloatArray | None = None
    by_own: float = 0.0
    own_twice: float = 0.0
    by_own_and_value: FloatArray | None = None


@dataclass(frozen=True)
class Softmax:
    """How the entries of menus compare.

    Attributes
    ----------
    menus : Menus
    grown : (E,) array
        Exponentials of the values, less a number that all of a menu have in common.
    sums : (m,) array
        Their sums.
    by_entry : (E,) array or None
        Those values: -inf where something else is infinitely better. None if they are the same in
        every menu.
    by_action : (N,) array or None
        Values of the actions, where they are.
    certain : bool
        Whether some value may be infinite.
    """

    menus: Menus
    grown: FloatArray
    sums: FloatArray
    by_entry: FloatArray | None = None
    by_action: FloatArray | None = None
    certain: bool = False

    @classmethod
    def of(cls, menus: Menus, z: FloatArray, unbounded: bool = False) -> Softmax:
        """Compare values (E,), which are overwritten; infinite ones are allowed if `unbounded`."""
        highest, lowest = float(z.max()), float(z.min())
        near = np.isfinite(highest - lowest) and highest - lowest < _FAR
        if near:  # no exponential is too small to be a number
            z -= highest
        else:
            top = menus.largest(z)
            if unbounded:
                _settle_infinite(menus, z, top)
            z -= menus.spread(top)
        grown = np.exp(z)
        return cls(menus, grown, menus.sums(grown), z, None, unbounded and not near)

    @classmethod
    def of_actions(cls, menus: Menus, values: FloatArray, unbounded: bool = False) -> Softmax:
        """Compare entries whose values are those of their actions (N,), in every menu alike."""
        highest, lowest = float(values.max()), float(values.min())
        if not (np.isfinite(highest - lowest) and highest - lowest < _FAR):
            return cls.of(menus, values[menus.rows], unbounded)
        values = values - highest
        grown = np.exp(values)[menus.rows]
        return cls(menus, grown, menus.sums(grown), None, values)

    @property
    def z(self) -> FloatArray:
        """Values of the entries (E,), less a number that all of a menu have in common."""
        if self.by_entry is not None:
            return self.by_entry
        assert self.by_action is not None
        return np.asarray(self.by_action[self.menus.rows])

    def expected_by_action(self) -> FloatArray:
        """How often each action (N,) should have been chosen, under logistic noise."""
        assert self.by_action is not None
        menus = self.menus
        often = menus.times_of(self.grown, menus.count / self.sums)
        found = np.bincount(menus.rows, often, minlength=len(self.by_action))
        return np.asarray(found, dtype=np.float64)

    @property
    def finite(self) -> FloatArray:
        """The values (E,), 0 where they are infinite: what multiplies a derivative that is 0."""
        z = self.z
        return np.where(np.isinf(z), 0.0, z) if self.certain else z

    def best(self) -> npt.NDArray[np.bool_]:
        """Which entries (E,) are the best of their menu; several if they are equally good."""
        z = self.z
        return np.asarray(z >= self.menus.spread(self.menus.largest(z) - EQUALLY_GOOD))

    def hits(self) -> FloatArray:
        """The share (m,) of what was chosen from each menu that is best; of equals each has one."""
        menus, z = self.menus, self.z
        good = menus.largest(z) - EQUALLY_GOOD
        entries, whose = menus.chosen
        right = z[entries] >= good[whose]
        found: FloatArray = np.zeros(len(menus))
        np.add.at(found, whose[right], menus.taken[entries[right]])
        found /= menus.how_many_reach(z, good)
        return np.divide(found, menus.count, out=np.zeros(len(menus)), where=menus.count > 0)

    def shares(self) -> FloatArray:
        """The share (E,) of each entry in its menu: its chance under logistic noise."""
        return self.menus.times_of(self.grown, 1.0 / self.sums)

    def chances(self, rho: float, shares: FloatArray | None = None) -> FloatArray:
        """How likely each entry (E,) is chosen, from their `shares` if those are known."""
        shares = self.shares() if shares is None else shares
        if not rho:
            return shares
        slips = self.menus.spread(2.0 * rho / self.menus.sizes)
        return np.asarray((1.0 - 2.0 * rho) * shares + slips)

    def log_chances(self, rho: float) -> FloatArray:
        """The logarithm of how likely each entry (E,) is chosen; -inf where it cannot be."""
        if not rho:
            return np.asarray(self.z - self.menus.spread(np.log(self.sums)))
        return np.log(np.maximum(self.chances(rho), _TINY))

    def tilt(self, shares: FloatArray | None = None) -> FloatArray:
        """How the chance of each entry (E,) grows with rho."""
        shares = self.shares() if shares is None else shares
        return np.asarray(2.0 * (self.menus.spread(1.0 / self.menus.sizes) - shares))

    def loss(self, rho: float) -> float:
        """Minus the log likelihood of what was chosen; infinite if that cannot be."""
        menus = self.menus
        if not rho:
            lost = np.log(self.sums)
            if self.by_action is not None:
                taken = menus.taken_by_action(len(self.by_action))
                return float(menus.count @ lost - taken @ self.by_action)
            if not self.certain:
                return float(menus.count @ lost - menus.taken @ self.z)
            chosen = menus.taken > 0
            return float(menus.count @ lost - menus.taken[chosen] @ self.z[chosen])
        chances = np.maximum(self.chances(rho), _TINY)
        return -float(menus.taken @ np.log(chances))

    def choice(self, rho: float | None, observed: bool = False) -> MenuChoice:
        """Derivatives of the loss; `rho` is None where it is 0 and not learned.

        Second derivatives are expected ones unless they are to be `observed`.
        """
        if rho is None:
            shares, count = self.shares(), self.menus.count
            expected = shares if self.menus.once else self.menus.times_of(shares, count)
            return MenuChoice(expected - self.menus.taken, expected, shares, -count)
        return self._with_lapses(rho, observed)

    def _with_lapses(self, rho: float, observed: bool) -> MenuChoice:
        """Derivatives where a choice may be a slip.

        Formula, with pi the shares, P the chances, t how often each was chosen, n their sum, and
        d = dP / d rho = 2 (1 / K - pi): the slope by z is ``-s + pi sum(s)`` with
        s = t (1 - 2 rho) pi / P. Expected second derivatives are those of chances over P; observed
        ones follow from ``-log P`` itself.
        """
        menus, steep = self.menus, 1.0 - 2.0 * rho
        pi, count, taken = self.shares(), menus.count, menus.taken
        chances, tilt = np.maximum(self.chances(rho, pi), _TINY), self.tilt(pi)
        part = steep * pi / chances  # the share of such choices that are no slips
        drawn = taken * part
        by_value = pi * menus.spread(menus.sums(drawn)) - drawn
        by_own = -float(taken @ (tilt / np.maximum(chances, STEEPEST)))
        wary = np.maximum(chances, np.sqrt(CERTAIN) if observed else CERTAIN)
        if observed:
            second = drawn * (1.0 - part)
            total, even = menus.sums(drawn), menus.sums(second)
            alone = pi * menus.spread(total) - second
            cross = taken * pi / chances * (2.0 + steep * tilt / np.maximum(chances, STEEPEST))
            twice = float(taken @ np.square(tilt / wary))
            even, mixed = -(total + even), np.ones(len(menus))
        else:
            second = steep * pi * part * menus.spread(count)
            alone, even = second, menus.sums(second)
            cross = steep * pi * tilt / chances * menus.spread(count)
            twice = float(menus.spread(count) @ (np.square(tilt) / wary))
            mixed = np.full(len(menus), -1.0)
        cross = cross - pi * menus.spread(menus.sums(cross))
        return MenuChoice(by_value, alone, pi, even, second, mixed, by_own, twice, cross)


def _settle_infinite(menus: Menus, z: FloatArray, top: FloatArray) -> None:
    """Make finite what is largest of each menu: who are infinitely better are equally good."""
    if not np.isinf(top).any():
        return
    above, below = menus.spread(np.isposinf(top)), menus.spread(np.isneginf(top))
    best = np.isposinf(z)
    z[above & best] = 0.0
    z[above & ~best] = -np.inf
    z[below] = 0.0
    top[np.isinf(top)] = 0.0
