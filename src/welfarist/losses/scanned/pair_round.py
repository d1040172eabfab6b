"""One round over comparisons in files: what a part answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.decisions.scanned.pair_columns import PairBlock, PairColumns
from welfarist.decisions.scanned.parquet import Part
from welfarist.losses.scanned.answers import Answer, chosen_kernel, key_of
from welfarist.noise.base import ChoiceNoise
from welfarist.noise.certain import choice_of
from welfarist.noise.choices import LOGISTIC
from welfarist.noise.margins import differences


@dataclass(frozen=True)
class PairRound:
    """Values of the actions and parameters of the noise, put before comparisons in files.

    Attributes
    ----------
    columns : PairColumns
    noise : ChoiceNoise
    values : (N,) array
        Of all actions of the table; -inf for nothing.
    extras : (m,) array
        The logarithm of the temperature, and the noise model's own parameters.
    kernel : "compiled" or "numpy"
        The compiled one knows logistic noise and finite values.
    """

    columns: PairColumns
    noise: ChoiceNoise
    values: FloatArray
    extras: FloatArray
    kernel: str

    def key(self) -> str:
        """A text that is the same for the same question."""
        return key_of(f"pairs {self.noise!r} {self.kernel}", self.values, self.extras)

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
        from welfarist.losses.scanned.compiled import add_counted_pairs, add_pairs

        tau = float(np.exp(self.extras[0]))
        values, pull = self.values * tau, np.zeros(len(self.values))
        loss = along = ahead = total = 0.0
        for block in self.columns.blocks(part):
            given = block.first.view(np.uint32), block.second.view(np.uint32), block.outcome
            if block.count is None:
                found = add_pairs(*given, values, pull)
            else:
                found = add_counted_pairs(*given, block.count, values, pull)
            loss, along, ahead = loss + found[0], along + found[1], ahead + found[2]
            total += block.total
        pull *= tau
        return Answer(loss, 0.5 * (total + ahead), np.array([along]), pull)

    def _numpy(self, part: Part) -> Answer:
        tau, size = float(np.exp(self.extras[0])), len(self.values)
        pull, by_extras = np.zeros(size), np.zeros(len(self.extras))
        loss = right = 0.0
        for block in self.columns.blocks(part):
            count, lead = _counts(block)
            z = differences(self.values[block.first], self.values[block.second]) * tau
            right += 0.5 * float(count.sum() + np.sign(z) @ lead)
            choice, z = choice_of(self.noise, z, self.extras[1:], count, lead)
            loss += choice.loss
            pull += np.bincount(block.first, choice.by_margin, minlength=size)
            pull -= np.bincount(block.second, choice.by_margin, minlength=size)
            by_extras[0] += choice.by_margin @ z
            if choice.own is not None:
                by_extras[1:] += choice.own.by_own.sum(axis=-1)
        return Answer(loss, right, by_extras, pull * tau)


def _counts(block: PairBlock) -> tuple[FloatArray, FloatArray]:
    """How often each pair (n,) was compared, and how much more often the first was preferred."""
    count = np.ones(len(block)) if block.count is None else block.count
    return count, count * block.outcome
