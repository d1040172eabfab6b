"""One round over choices from menus in files: what a part answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.decisions.menus import Menus
from welfarist.decisions.scanned.menu_columns import MenuBlock, MenuColumns
from welfarist.decisions.scanned.parquet import Part
from welfarist.losses.scanned.answers import Answer, chosen_kernel, key_of
from welfarist.noise.base import ChoiceNoise
from welfarist.noise.choices import LOGISTIC
from welfarist.noise.menus import EQUALLY_GOOD, Softmax


@dataclass(frozen=True)
class MenuRound:
    """Values of the actions and parameters of the noise, put before choices in files.

    Attributes
    ----------
    columns : MenuColumns
    noise : ChoiceNoise
        Logistic, or with lapses.
    values : (N,) array
        Of all actions of the table; -inf for nothing.
    extras : (m,) array
        The logarithm of the temperature, and rho where there are lapses.
    kernel : "compiled" or "numpy"
        The compiled one knows logistic noise and finite values.
    """

    columns: MenuColumns
    noise: ChoiceNoise
    values: FloatArray
    extras: FloatArray
    kernel: str

    def key(self) -> str:
        """A text that is the same for the same question."""
        return key_of(f"menus {self.noise!r} {self.kernel}", self.values, self.extras)

    def __call__(self, part: Part) -> Answer:
        """Return the sums over a part."""
        quick = (
            self.kernel == "compiled"
            and self.noise == LOGISTIC
            and bool(np.isfinite(self.values).all())
        )
        return self._compiled(part) if quick else self._numpy(part)

    def _compiled(self, part: Part) -> Answer:
        chosen_kernel(self.kernel)  # a worker of a cluster may lack it
        from welfarist.losses.scanned.compiled import add_menus

        tau = float(np.exp(self.extras[0]))
        values, pull = self.values * tau, np.zeros(len(self.values))
        loss = along = hits = 0.0
        for block in self.columns.blocks(part):
            given = block.rows.view(np.uint32), block.starts, block.chosen, block.often
            found = add_menus(*given, values, pull, EQUALLY_GOOD)
            loss, along, hits = loss + found[0], along + found[1], hits + found[2]
        pull *= tau
        return Answer(loss, hits, np.array([along]), pull)

    def _numpy(self, part: Part) -> Answer:
        tau, size = float(np.exp(self.extras[0])), len(self.values)
        pull, by_extras = np.zeros(size), np.zeros(len(self.extras))
        loss = hits = 0.0
        rho = float(self.extras[1]) if len(self.extras) > 1 else None
        for block in self.columns.blocks(part):
            menus = menus_of(block)
            here = Softmax.of(menus, self.values[menus.rows] * tau, True)
            loss += here.loss(rho or 0.0)
            hits += float(menus.count @ here.hits())
            choice = here.choice(rho)
            pull += np.bincount(menus.rows, choice.by_value, minlength=size)
            by_extras[0] += float(choice.by_value @ here.finite)
            if rho is not None:
                by_extras[1] += choice.by_own
        return Answer(loss, hits, by_extras, pull * tau)


def menus_of(block: MenuBlock) -> Menus:
    """Return choices as menus in the order of their sizes."""
    taken = np.zeros(len(block.rows))
    taken[block.starts[:-1] + block.chosen] = block.often
    size = len(block)
    menus = Menus(
        block.starts.astype(np.intp), block.rows, taken, np.ones(size), np.zeros(size, np.intp)
    )
    order = np.argsort(menus.sizes, kind="stable")
    return menus if (np.diff(menus.sizes) >= 0).all() else menus.take(order)
