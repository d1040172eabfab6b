"""Menus: which actions there were to choose from, and how often each of them was chosen.

Menus differ in size. All their entries lie in one row of numbers, menu after menu, so that whatever
depends on utilities is worked out once per action and looked up once per entry.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

IntArray = npt.NDArray[np.intp]
# Of the numbers by which equal menus are known: any will do, but the same each time.
_SEED = 52
# Runs of menus of equal size are worked through one by one where they are few, or this long on
# average; else a segmented sum is faster.
_FEW_RUNS, _SHORT_RUN = 64, 64


def in_runs(first: IntArray, sizes: IntArray) -> IntArray:
    """Return the numbers of runs that begin at `first` (n,) and are so long (n,), run after run.

    Examples
    --------
    >>> in_runs(np.array([7, 0]), np.array([3, 2])).tolist()
    [7, 8, 9, 0, 1]
    """
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.repeat(first - (ends - sizes), sizes) + np.arange(total), dtype=np.intp)


@dataclass(frozen=True)
class Block:
    """Neighbouring menus of the same size.

    Attributes
    ----------
    menus, entries : slices
    size : int
    """

    menus: slice
    entries: slice
    size: int


@dataclass(frozen=True, eq=False)
class Menus:
    """Menus of actions, each with how often which was chosen.

    Attributes
    ----------
    starts : (m + 1,) array of int
        Where the entries of each menu begin.
    rows : (E,) array of int
        Action numbers.
    taken : (E,) array
        How often each entry was chosen.
    sign : (m,) array
        1 where the best was chosen, -1 where the worst was.
    stage : (m,) array of int
        The how manieth choice it is of those that were made in a row, from 0.
    """

    starts: IntArray
    rows: npt.NDArray[np.int32]
    taken: FloatArray
    sign: FloatArray
    stage: IntArray
    _taken_by_action: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)

    def __len__(self) -> int:
        return len(self.sign)

    @cached_property
    def sizes(self) -> IntArray:
        """How many actions each menu (m,) has."""
        return np.diff(self.starts)

    @cached_property
    def count(self) -> FloatArray:
        """How often was chosen from each menu (m,)."""
        return self.sums(self.taken)

    @cached_property
    def once(self) -> bool:
        """Whether was chosen once from every menu."""
        return bool((self.count == 1.0).all())

    @property
    def total(self) -> float:
        """How many choices were made."""
        return float(self.count.sum())

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Runs of menus of equal size: few where menus are in the order of their sizes."""
        if not len(self):
            return ()
        turns = np.flatnonzero(np.diff(self.sizes)) + 1
        ends = [0, *turns.tolist(), len(self)]
        return tuple(
            Block(slice(a, b), slice(int(self.starts[a]), int(self.starts[b])), int(self.sizes[a]))
            for a, b in pairwise(ends)
        )

    @cached_property
    def _scattered(self) -> bool:
        """Whether runs of menus of equal size are too short to be worth a step each."""
        turns = np.count_nonzero(np.diff(self.sizes))
        return bool(turns > _FEW_RUNS and turns * _SHORT_RUN > len(self))

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sums (m,) over each menu of values of the entries (E,)."""
        if self._scattered:
            return np.add.reduceat(values, self.starts[:-1], dtype=np.float64)
        found = np.empty(len(self))
        for block in self.blocks:
            part = values[block.entries].reshape(-1, block.size)
            # A product with ones adds up short rows several times as fast as a sum does.
            np.matmul(part, np.ones(block.size), out=found[block.menus])
        return found

    def taken_by_action(self, actions: int) -> FloatArray:
        """How often each of so many actions (N,) was chosen, from whatever menu."""
        if len(self._taken_by_action) != actions:
            found = np.bincount(self.rows, self.taken, minlength=actions).astype(np.float64)
            object.__setattr__(self, "_taken_by_action", found)
        return self._taken_by_action

    @cached_property
    def chosen(self) -> tuple[IntArray, IntArray]:
        """The entries that were chosen, however seldom, and the menu of each."""
        entries = np.flatnonzero(self.taken)
        return entries, np.searchsorted(self.starts, entries, side="right") - 1

    def largest(self, values: FloatArray) -> FloatArray:
        """Return the largest (m,) in each menu of values of the entries (E,)."""
        if self._scattered:
            return np.maximum.reduceat(values, self.starts[:-1])
        found = np.empty(len(self))
        for block in self.blocks:
            found[block.menus] = values[block.entries].reshape(-1, block.size).max(axis=1)
        return found

    def how_many_reach(self, values: FloatArray, levels: FloatArray) -> IntArray:
        """Return how many entries (m,) of each menu have values (E,) of its level (m,) or more."""
        if self._scattered:
            there = values >= np.repeat(levels, self.sizes)
            return np.add.reduceat(there, self.starts[:-1], dtype=np.intp)
        found = np.empty(len(self), dtype=np.intp)
        for block in self.blocks:
            part = values[block.entries].reshape(-1, block.size)
            found[block.menus] = np.count_nonzero(part >= levels[block.menus, None], axis=1)
        return found

    def spread(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return values of the menus (m,) for each of their entries (E,)."""
        if not self._scattered and len(self.blocks) == 1:
            return np.repeat(values, self.blocks[0].size)
        return np.repeat(values, self.sizes)

    def times_of(self, values: FloatArray, factors: FloatArray) -> FloatArray:
        """Return values of the entries (E,) times a factor of their menu (m,)."""
        if self._scattered:
            return np.asarray(values * np.repeat(factors, self.sizes))
        found = np.empty(len(values))
        for block in self.blocks:
            shape = (-1, block.size)
            part, into = values[block.entries].reshape(shape), found[block.entries].reshape(shape)
            np.multiply(part, factors[block.menus, None], out=into)
        return found

    def take(self, chosen: npt.NDArray[np.generic]) -> Menus:
        """Return some of the menus, by mask or number, in the order given."""
        numbers = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.intp)
        sizes = self.sizes[numbers]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
        entries = in_runs(self.starts[numbers], sizes)
        return Menus(
            starts, self.rows[entries], self.taken[entries], self.sign[numbers], self.stage[numbers]
        )

    def times(self, often: FloatArray) -> Menus:
        """Return the same menus, chosen from so many times (m,) as often."""
        return self.with_taken(self.times_of(self.taken, often))

    def with_taken(self, taken: FloatArray) -> Menus:
        """Return the same menus, of which each entry was chosen so often (E,)."""
        return replace(self, taken=taken, _taken_by_action=np.empty(0))

    def renumbered(self, actions: int) -> tuple[Menus, IntArray]:
        """Return the menus over the actions they mention only, and which those are."""
        mentioned = np.zeros(actions, dtype=bool)
        mentioned[self.rows] = True
        used = np.flatnonzero(mentioned)
        if len(used) == actions:
            return self, used
        number = np.zeros(actions, dtype=np.int32)
        number[used] = np.arange(len(used), dtype=np.int32)
        return replace(self, rows=number[self.rows], _taken_by_action=np.empty(0)), used

    def merged(self) -> tuple[Menus, IntArray]:
        """Return each menu once, in the order of their sizes, and the number (m,) of each there.

        Menus are the same that offer the same actions, in whatever order, for the same kind of
        choice. Menus from which nothing was chosen are kept.
        """
        if (np.diff(self.sizes) >= 0).all():
            order, sorted_out = np.arange(len(self)), self
        else:
            order = np.argsort(self.sizes, kind="stable")
            sorted_out = self.take(order)
        keys = _keys(sorted_out)
        ranked = np.sort(keys)
        if (ranked[1:] != ranked[:-1]).all():
            return sorted_out, np.argsort(order, kind="stable")
        first, number = np.unique(keys, return_index=True, return_inverse=True)[1:]
        number = number.reshape(-1)
        place = np.argsort(first, kind="stable")  # in the order in which they first came
        rank = np.empty(len(place), dtype=np.intp)
        rank[place] = np.arange(len(place))
        first, number = first[place], rank[number]
        once = _together(sorted_out, first, number)
        if once is None:
            return sorted_out, np.argsort(order, kind="stable")
        back = np.empty(len(order), dtype=np.intp)
        back[order] = number
        return once, back


def _keys(menus: Menus) -> FloatArray:
    """One number per menu (m,), the same for the same actions in any order and kind of choice.

    It is the sum of numbers drawn for the actions, whole ones that add up exactly: of a million
    menus that differ, two have the same in one of a hundred cases.
    """
    largest = int(menus.sizes.max(initial=1)) + 1
    rng = np.random.default_rng(_SEED)
    drawn = rng.integers(1, 2**52 // largest, int(menus.rows.max(initial=0)) + 1)
    keys = menus.sums(drawn.astype(np.float64)[menus.rows])
    kind = 2 * menus.stage + (menus.sign < 0)
    if kind.any():
        keys += rng.integers(1, 2**52 // largest, int(kind.max()) + 1).astype(np.float64)[kind]
    return keys


def _together(menus: Menus, first: IntArray, number: IntArray) -> Menus | None:
    """Return the menus numbered `first`, with what was chosen from all that equal them.

    Entries are sorted by action, so that those of equal menus lie alike. None if two menus differ
    that are taken for equal.
    """
    order = np.lexsort((menus.rows, np.repeat(np.arange(len(menus)), menus.sizes)))
    alike = replace(
        menus, rows=menus.rows[order], taken=menus.taken[order], _taken_by_action=np.empty(0)
    )
    once = alike.take(first)
    place = in_runs(once.starts[number], menus.sizes)
    if not np.array_equal(once.rows[place], alike.rows):
        return None
    taken = np.bincount(place, alike.taken, minlength=len(once.rows))
    return once.with_taken(np.asarray(taken, dtype=np.float64))
