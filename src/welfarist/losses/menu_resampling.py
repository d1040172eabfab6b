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
        return self.weighted(rng.multinomial(self.draws, self.chance).astype(np.float64))

    @property
    def people(self) -> int:
        """How many units there are."""
        return len(self.chance)

    @property
    def counts(self) -> FloatArray:
        """How many choices each unit (c,) made."""
        return np.asarray(self.taken.sum(axis=0)).reshape(-1)

    @property
    def answers(self) -> Any:
        """How often each unit chose each entry (c, E), sparse."""
        return self.taken.T

    def weighted(self, times: FloatArray) -> Any:
        """Return the choices of all units, those of each so many times (c,)."""
        return self.observed.with_taken(np.asarray(self.taken @ times))

    def log_likelihoods(
        self, values: FloatArray, extras: FloatArray, has_zeros: bool
    ) -> FloatArray:
        """Return each unit's log likelihood (c, B) under B rules.

        `values` (B, N) are what each rule makes of the actions, `extras` (B, m) what is learned
        beside it.
        """
        place, by_unit = self.observed.extras.rho, self.taken.T.tocsr()
        found = np.empty((by_unit.shape[0], len(values)))
        for b, (value, extra) in enumerate(zip(values, extras, strict=True)):
            here = self.observed.compare(value, extra, has_zeros)
            logs = here.log_chances(0.0 if place is None else float(extra[place]))
            found[:, b] = by_unit @ logs
        return found


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
