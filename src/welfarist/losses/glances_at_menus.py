"""Many rules at a glance, by choices from menus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.decisions.menus import Block, Menus
from welfarist.losses.glances import NEVER, Glance
from welfarist.losses.graph import ComparisonGraph
from welfarist.losses.menu_extras import Extras
from welfarist.losses.restraint import Restraint
from welfarist.noise.margins import differences

# Entries of the largest array that is made at a time: 256 KiB, which stay near the processor.
_BLOCK = 2**15
# Size effects that are tried: means are compared, or totals.
_SIZE_EFFECTS = (0.0, 1.0)
_TINY = float(np.finfo(np.float64).tiny)


class GlancedMenus(Protocol):
    """What a glance asks of choices from menus under a noise model."""

    @property
    def menus(self) -> Menus:
        """Each menu once."""
        ...

    @property
    def total(self) -> float:
        """How many choices were observed."""
        ...

    @property
    def extras(self) -> Extras:
        """What is learned beside the rule."""
        ...

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest values of that, (m,) each."""
        ...

    @property
    def restraint(self) -> Restraint | None:
        """What is charged for certainty."""
        ...

    @property
    def graph(self) -> ComparisonGraph:
        """Every two actions of each menu."""
        ...

    def many_scales(self, extras: FloatArray) -> FloatArray:
        """What values are multiplied with in each menu (B, m)."""
        ...


@dataclass(frozen=True)
class MenuGlance(Glance):
    """What many rules say of the menus from which was chosen.

    Attributes
    ----------
    observed : GlancedMenus
    powers : (B,) array
    values : (B, N) array
        Log welfare of the actions.
    """

    observed: GlancedMenus
    powers: FloatArray
    values: FloatArray

    @cached_property
    def _apart(self) -> tuple[FloatArray, FloatArray]:
        """How far entries (B, E) are from their menu's mean, and a typical menu's span (B,)."""
        menus, rules = self.observed.menus, len(self.values)
        known = np.where(np.isfinite(self.values), self.values, np.nan)
        if self.observed.extras.outside is not None:  # worth whatever goes well with a rule
            known = np.column_stack([known, np.full(rules, np.nan)])
        margins, span = np.zeros((rules, len(menus.rows))), np.zeros(rules)
        for block in menus.blocks:
            part = known[:, _by_place(menus.rows, block)]
            there = ~np.isnan(part)
            middle = np.where(there, part, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
            apart = np.where(there, part - middle[:, None], 0.0)
            margins[:, block.entries] = apart.reshape(rules, -1)
            span += (apart.max(axis=1) - apart.min(axis=1)).sum(axis=1)
        return margins, np.maximum(span / len(menus), 1e-300)

    def directions(self) -> FloatArray:
        """Return log welfare (B, E) of the entries, less the mean of their menu; 0 if infinite."""
        return self._apart[0]

    def losses(self, extras: FloatArray) -> FloatArray:
        """Return the mean losses (B,) with parameters (B, m) of choices."""
        observed = self.observed
        found = np.empty(len(extras))
        widest = len(observed.menus.rows)
        if observed.restraint is not None:
            widest = max(widest, len(observed.graph.pairs.count))
        rules = max(1, _BLOCK // widest)
        for start in range(0, len(extras), rules):
            part = slice(start, start + rules)
            seen = observed.extras.many_values(self.values[part], extras[part])
            found[part] = self._lost(seen, extras[part])
            if observed.restraint is not None:
                found[part] += self._charged(seen, extras[part], self.powers[part])
        return found / observed.total

    def _lost(self, seen: FloatArray, extras: FloatArray) -> FloatArray:
        """Minus the log likelihoods (B,) at values (B, N) as choices see them."""
        observed, menus = self.observed, self.observed.menus
        scales, place = observed.many_scales(extras), observed.extras.rho
        certain = not np.isfinite(seen).all()
        lost = np.zeros(len(seen))
        for block in menus.blocks:
            z = seen[:, _by_place(menus.rows, block)] * scales[:, None, block.menus]
            if certain:
                z = np.clip(z, -NEVER, NEVER)
            if place is None:
                lost += self._surely(block, z)
            else:
                lost += self._with_slips(block, z, extras[:, place])
        return lost

    def _surely(self, block: Block, z: FloatArray) -> FloatArray:
        """What choices (B,) lose under logistic noise, at values (B, K, menus) of the entries."""
        menus = self.observed.menus
        z -= z.max(axis=1, keepdims=True)
        chosen = z.reshape(len(z), -1) @ _by_place(menus.taken, block).reshape(-1)
        sums = np.exp(z, out=z).sum(axis=1)
        return np.asarray(np.log(sums, out=sums) @ menus.count[block.menus] - chosen)

    def _with_slips(self, block: Block, z: FloatArray, rho: FloatArray) -> FloatArray:
        """The same (B,) where a choice may be a slip, with probability 2 rho (B,)."""
        z -= z.max(axis=1, keepdims=True)
        np.exp(z, out=z)
        slips = 2.0 * rho[:, None, None]
        z *= (1.0 - slips) / z.sum(axis=1, keepdims=True)
        z += slips / block.size
        logs = np.log(np.maximum(z, _TINY, out=z), out=z)
        taken = _by_place(self.observed.menus.taken, block).reshape(-1)
        return np.asarray(-(logs.reshape(len(z), -1) @ taken))

    def _charged(self, seen: FloatArray, extras: FloatArray, powers: FloatArray) -> FloatArray:
        """What is charged (B,) for certainty, as if each pair of a menu had been compared."""
        restraint, pairs = self.observed.restraint, self.observed.graph.pairs
        assert restraint is not None
        z = differences(seen[:, pairs.first], seen[:, pairs.second]) * np.exp(extras[:, :1])
        count = np.where(np.isfinite(z), pairs.count, 0.0)
        z = np.where(np.isfinite(z), z, 0.0)
        return restraint.of_many(z, count, powers, extras[:, 0])

    def tries(self, steps: Sequence[float]) -> Iterator[FloatArray]:
        """Yield parameters (B, m): temperatures, slips, size effects and what nothing is worth."""
        observed = self.observed
        kept = observed.extras
        extras = np.zeros((len(self.values), len(kept.parameters)))
        effects = (0.0,) if kept.sizes is None else _SIZE_EFFECTS
        if kept.outside is not None:
            finite = np.where(np.isfinite(self.values), self.values, np.nan)
            extras[:, kept.of_actions[-1]] = np.nanmean(finite, axis=1) + kept.shift
        for own in kept.noise.own_grid():
            extras[:, 1 : 1 + len(own)] = own
            for effect in effects:
                if kept.sizes is not None:
                    extras[:, kept.of_actions[0]] = effect
                for step in steps:
                    extras[:, kept.taus] = (step - np.log(self._apart[1]))[:, None]
                    yield np.clip(extras, *observed.bounds)


def _by_place(entries: npt.NDArray[Any], block: Block) -> npt.NDArray[Any]:
    """Numbers (K, menus) of the entries of a block: sums over few places are long, and quick."""
    return entries[block.entries].reshape(-1, block.size).T
