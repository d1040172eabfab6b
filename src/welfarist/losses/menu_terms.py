"""How choices from menus move with what is learned: slopes and second derivatives, in few passes.

Derivatives by the values of entries are summed over actions, whose own derivatives are the rows of
a matrix that is small: nothing is as large as choices by people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from welfarist.base.validation import FloatArray
from welfarist.decisions.menus import Menus
from welfarist.losses.menu_extras import Extras
from welfarist.noise.menus import MenuChoice, Softmax

# Menus whose derivatives are held at a time.
_BLOCK = 2**13


class Menued(Protocol):
    """What is asked of choices from menus."""

    @property
    def menus(self) -> Menus:
        """Each menu once."""
        ...

    @property
    def extras(self) -> Extras:
        """What is learned beside the rule."""
        ...

    @property
    def tau_place(self) -> npt.NDArray[np.intp] | None:
        """Which of the temperatures each menu (m,) has; None if there is one."""
        ...

    @property
    def total(self) -> float:
        """How many choices were observed."""
        ...

    @property
    def actions(self) -> int:
        """How many actions there are, without none of these."""
        ...

    @property
    def graph(self) -> Any:
        """Every two actions of each menu."""
        ...

    def scales(self, extras: FloatArray) -> FloatArray:
        """What values are multiplied with in each menu (m,)."""
        ...


class MenuTerms(Protocol):
    """Slopes and second derivatives by rows of values, temperatures and rho."""

    def pulls(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the pull (N,) on each action, its parts (T, N) by temperature, and slopes (T,)."""
        ...

    def form(self) -> FloatArray:
        """Return second derivatives (a + T + r,) squared by rows, temperatures and rho."""
        ...


@dataclass(frozen=True)
class ActionTerms:
    """The same where every menu has the same temperature, and nobody slips.

    There what an entry does, its action does: log tau is one more row, the value itself.

    Attributes
    ----------
    observed : ObservedMenus
    here : Softmax
        By action.
    tau : float
    rows : (a, N) array
        How the values of actions move.
    expected : (N,) array
        How often each action should have been chosen.
    """

    observed: Menued
    here: Softmax
    tau: float
    rows: FloatArray
    expected: FloatArray

    @property
    def _surplus(self) -> FloatArray:
        """How much more often each action (N,) should have been chosen than it was."""
        return self.expected - self.here.menus.taken_by_action(len(self.expected))

    def pulls(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the pull (N,) on each action, its parts (1, N), and the slope (1,) by log tau."""
        assert self.here.by_action is not None
        surplus = self._surplus
        pull = surplus * self.tau
        return pull, pull[None], np.array([surplus @ self.here.by_action])

    def form(self) -> FloatArray:
        """Return second derivatives (a + 1, a + 1)."""
        assert self.here.by_action is not None
        value = self.here.by_action - self.here.by_action.mean()
        rows = np.vstack([self.tau * self.rows, value])
        found = (rows * self.expected) @ rows.T
        columns, menus = np.ascontiguousarray(rows.T), self.here.menus
        shares = self.here.shares()
        for start in range(0, len(menus), _BLOCK):
            part = slice(start, min(start + _BLOCK, len(menus)))
            begin, end = int(menus.starts[part.start]), int(menus.starts[part.stop])
            known = (
                shares[begin:end],
                menus.rows[begin:end],
                menus.starts[start : part.stop + 1] - begin,
            )
            means = csr_array(known, shape=(part.stop - start, len(columns))) @ columns
            if not menus.once:
                means *= np.sqrt(menus.count[part, None])
            found -= means.T @ means  # of whose halves one is worked out
        return np.asarray(found)


@dataclass(frozen=True)
class EntryTerms:
    """How the values of entries move with the rule and with each temperature, entry by entry.

    Attributes
    ----------
    observed : ObservedMenus
    choice : MenuChoice
        Derivatives of the loss by the values of the entries.
    z : (E,) array
        The values themselves, 0 where infinite: their derivatives by log tau.
    scale : (m,) array
        What a move of an action's value is multiplied with.
    rows : (a, N) array
        How the values of actions move.
    """

    observed: Menued
    choice: MenuChoice
    z: FloatArray
    scale: FloatArray
    rows: FloatArray

    def pulls(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What derivatives by entries come to: see :meth:`_pulls`."""
        return self._pulls(self.choice.by_value)

    def _scatter(self, by_entry: FloatArray) -> FloatArray:
        """Return sums over entries (E,) for each action (N,)."""
        size = self.rows.shape[1]
        return np.bincount(self.observed.menus.rows, by_entry, minlength=size).astype(np.float64)

    def _pulls(self, by_value: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What derivatives by entries (E,) come to.

        Returns the pull (N,) on each action, the parts (T, N) of it that go with each temperature,
        and the derivatives (T,) by these.
        """
        menus, place = self.observed.menus, self.observed.tau_place
        scaled = menus.times_of(by_value, self.scale)
        if place is None:
            pull = self._scatter(scaled)
            return pull, pull[None], np.array([by_value @ self.z])
        along_z = by_value * self.z
        whose = menus.spread(place)
        taus, size = len(self.observed.extras.taus), self.rows.shape[1]
        each = np.bincount(whose * size + menus.rows, scaled, minlength=taus * size)
        parts = each.reshape(taus, size).astype(np.float64)
        sums = np.bincount(whose, along_z, minlength=taus).astype(np.float64)
        return parts.sum(axis=0), parts, sums

    def form(self) -> FloatArray:
        """Second derivatives (a + T + r,) squared by rows, temperatures and rho."""
        menus, observed, choice = self.observed.menus, self.observed, self.choice
        taus, own = len(observed.extras.taus), int(observed.extras.rho is not None)
        a = len(self.rows)
        found = np.zeros((a + taus + own,) * 2)
        alone = self._scatter(menus.times_of(choice.alone, np.square(self.scale)))
        found[:a, :a] = (self.rows * alone) @ self.rows.T
        place = (
            np.zeros(len(menus), dtype=np.intp)
            if observed.tau_place is None
            else observed.tau_place
        )
        _, parts, twice = self._pulls(choice.alone * self.z)
        found[:a, a : a + taus] = self.rows @ parts.T
        found[range(a, a + taus), range(a, a + taus)] = twice
        if own:
            assert choice.by_own_and_value is not None
            pull, _, by_tau = self._pulls(choice.by_own_and_value)
            found[:a, -1], found[a:-1, -1] = self.rows @ pull, by_tau
            found[-1, -1] = choice.own_twice
        found[a:, :a] = found[:a, a:].T
        if own:
            found[-1, a:-1] = found[a:-1, -1]
        columns = np.ascontiguousarray(self.rows.T)
        for start in range(0, len(menus), _BLOCK):
            part = slice(start, min(start + _BLOCK, len(menus)))
            first = self._by_menu(choice.first, part, columns)
            whose = place[part]
            inner = found[: a + taus, : a + taus]
            inner += _outer(first, first, choice.even[part], whose, taus)
            if choice.second is not None and choice.mixed is not None:
                second = self._by_menu(choice.second, part, columns)
                mixed = _outer(first, second, choice.mixed[part], whose, taus)
                inner += mixed + mixed.T
        return found

    def _by_menu(self, weights: FloatArray, part: slice, columns: FloatArray) -> FloatArray:
        """Sums over the entries of some menus, with weights (E,), of how each moves (b, a + 1).

        The last is how they move with the temperature of their menu.
        """
        menus = self.observed.menus
        begin, end = int(menus.starts[part.start]), int(menus.starts[part.stop])
        own, size = weights[begin:end], part.stop - part.start
        starts = menus.starts[part.start : part.stop + 1] - begin
        sums = csr_array((own, menus.rows[begin:end], starts), shape=(size, len(columns)))
        a = columns.shape[1]
        found = np.empty((size, a + 1))
        np.multiply(sums @ columns, self.scale[part, None], out=found[:, :a])
        found[:, a] = np.add.reduceat(own * self.z[begin:end], starts[:-1])
        return found


def _outer(
    first: FloatArray,
    second: FloatArray,
    weights: FloatArray,
    whose: npt.NDArray[np.intp],
    taus: int,
) -> FloatArray:
    """Sum weighted outer products of rows (b, a + 1) whose last is by the menu's temperature.

    Returns an array (a + T, a + T). A menu has one of the T temperatures, so that the rows need not
    be made as wide: temperatures meet themselves alone.
    """
    a = first.shape[1] - 1
    if taus == 1:
        return np.asarray((first.T * weights) @ second)
    found = np.zeros((a + taus,) * 2)
    found[:a, :a] = (first[:, :a].T * weights) @ second[:, :a]
    menu = np.arange(len(whose))
    shape = (taus, len(whose))
    found[a:, :a] = csr_array((weights * first[:, a], (whose, menu)), shape) @ second[:, :a]
    found[:a, a:] = (csr_array((weights * second[:, a], (whose, menu)), shape) @ first[:, :a]).T
    alone = np.bincount(whose, weights * first[:, a] * second[:, a], minlength=taus)
    found[range(a, a + taus), range(a, a + taus)] = alone
    return found
