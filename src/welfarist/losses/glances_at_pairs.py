"""Many rules at a glance, by comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.decisions.merged_pairs import MergedPairs
from welfarist.losses.glances import NEVER, Glance
from welfarist.losses.restraint import Restraint
from welfarist.noise.base import ChoiceNoise
from welfarist.noise.margins import differences

# Entries of the largest array that is made at a time: 256 KiB, which stay near the processor.
_BLOCK = 2**15


@dataclass(frozen=True)
class PairGlance(Glance):
    """What many rules say of the pairs that were compared.

    Attributes
    ----------
    pairs : MergedPairs
    noise : ChoiceNoise
    bounds : (m,) array, (m,) array
        The smallest and largest values of its parameters.
    restraint : Restraint or None
        What is charged for certainty.
    powers : (B,) array
    margins : (B, n) array
        Differences in log welfare; 0 where they are infinite.
    certain : (B, n) array or None
        The signs of infinite ones, 0 elsewhere; None if there are none.
    """

    pairs: MergedPairs
    noise: ChoiceNoise
    bounds: tuple[FloatArray, FloatArray]
    restraint: Restraint | None
    powers: FloatArray
    margins: FloatArray
    certain: FloatArray | None = None

    @classmethod
    def at(
        cls,
        pairs: MergedPairs,
        noise: ChoiceNoise,
        bounds: tuple[FloatArray, FloatArray],
        restraint: Restraint | None,
        values: FloatArray,
        powers: FloatArray,
    ) -> PairGlance:
        """Look at the values (B, N) that rules with these powers (B,) give to the actions."""
        first, second = pairs.first.astype(np.intp), pairs.second.astype(np.intp)
        if np.isfinite(values).all():
            margins = values.take(first, axis=1)
            margins -= values.take(second, axis=1)
            return cls(pairs, noise, bounds, restraint, powers, margins)
        margins = differences(values[:, first], values[:, second])
        infinite = np.isinf(margins)
        if not infinite.any():
            return cls(pairs, noise, bounds, restraint, powers, margins)
        certain = np.where(infinite, np.sign(margins), 0.0)
        margins = np.where(infinite, 0.0, margins)
        return cls(pairs, noise, bounds, restraint, powers, margins, certain)

    @cached_property
    def _votes(self) -> tuple[FloatArray, FloatArray]:
        """How often the first of each pair was preferred (n,), and the second (n,)."""
        count, lead = self.pairs.count, self.pairs.lead
        return (count + lead) / 2.0, (count - lead) / 2.0

    def directions(self) -> FloatArray:
        """Return the margins (B, n)."""
        return self.margins

    def losses(self, extras: FloatArray) -> FloatArray:
        """Return the mean losses (B,) with parameters (B, m) of the noise model."""
        found = np.empty(len(extras))
        rules = max(1, _BLOCK // max(self.margins.shape[1], 1))
        for start in range(0, len(extras), rules):
            part = slice(start, start + rules)
            found[part] = self._losses(part, extras[part])
        found /= self.pairs.total
        return found

    def _losses(self, part: slice, extras: FloatArray) -> FloatArray:
        """Minus the log likelihoods of some of the rules, with what is charged for certainty."""
        count = self.pairs.count
        margins = z = self.margins[part] * np.exp(extras[:, :1])
        if self.certain is not None:
            certain = self.certain[part]
            margins = np.where(certain == 0, z, NEVER * certain)
            count = np.where(certain == 0, count, 0.0)
        lost = self.noise.many_losses(margins, extras[:, 1:], *self._votes)
        if self.restraint is not None:
            lost += self.restraint.of_many(z, count, self.powers[part], extras[:, 0])
        return lost

    def tries(self, steps: Sequence[float]) -> Iterator[FloatArray]:
        """Yield parameters (B, m): temperatures, with the noise model's own on a coarse grid."""
        size = np.maximum(np.abs(self.margins).mean(axis=1), 1e-300)
        for own in self.noise.own_grid():
            for step in steps:
                extras = np.column_stack([step - np.log(size), np.tile(own, (len(size), 1))])
                yield np.clip(extras, *self.bounds)
