"""Choices drawn anew: by a rule from the same menus, or whole decisions with replacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.decisions.choices import Choices
from welfarist.decisions.menus import Menus


@dataclass(frozen=True)
class MenuSampler:
    """Choices from the same menus, as often as observed, with chances (E,)."""

    observed: Any
    chances: FloatArray

    actions = None

    @property
    def size(self) -> float:
        """How many choices there are."""
        return float(np.rint(self.observed.menus.count).sum())

    def draw(self, rng: np.random.Generator) -> Any:
        """Return new choices from the same menus."""
        menus = self.observed.menus
        taken = np.zeros(len(menus.rows))
        for block in menus.blocks:
            chances = self.chances[block.entries].reshape(-1, block.size)
            count = np.rint(menus.count[block.menus]).astype(np.int64)
            drawn = rng.multinomial(count, chances / chances.sum(axis=1, keepdims=True))
            taken[block.entries] = drawn.reshape(-1)
        return self.observed.with_taken(taken)


@dataclass(frozen=True)
class MenuResampling:
    """Whole decisions, or decision makers with all they decided, drawn with replacement.

    Attributes
    ----------
    observed : ObservedMenus
    taken : (E, c) sparse array
        How often each of c units chose each entry.
    chance : (c,) array
    draws : int
    """

    observed: Any
    taken: Any
    chance: FloatArray
    draws: int

    def draw(self, rng: np.random.Generator) -> Any:
        """Return a resample."""
        times = rng.multinomial(self.draws, self.chance).astype(np.float64)
        return self.observed.with_taken(np.asarray(self.taken @ times))


def tells(menus: Menus) -> npt.NDArray[np.bool_]:
    """Whether each menu (m,) says something: it was chosen from, and there was a choice."""
    return np.asarray((menus.count > 0) & (menus.sizes > 1))


def entry_places(decided: Choices) -> npt.NDArray[np.intp]:
    """The entry of the merged menus that each entry (E,) is counted in; -1 if it is left out."""
    merged, number = decided.merged
    kept = tells(merged)
    menu = np.full(len(merged), -1, dtype=np.intp)
    menu[kept] = np.arange(int(kept.sum()))
    once = merged if kept.all() else merged.take(kept)
    known, keys = _located(once, decided.actions + 1)
    menus = decided.menus
    owner = np.repeat(menu[number], menus.sizes)
    wanted = owner.astype(np.int64) * (decided.actions + 1) + menus.rows
    place = np.searchsorted(keys, wanted)
    found = known[np.minimum(place, len(known) - 1)]
    return np.asarray(np.where(owner >= 0, found, -1), dtype=np.intp)


def _located(menus: Menus, actions: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Entries in the order of menu and action, with the keys that say which they are."""
    owner = np.repeat(np.arange(len(menus)), menus.sizes)
    keys = owner.astype(np.int64) * actions + menus.rows
    order = np.argsort(keys, kind="stable")
    return order, keys[order]
