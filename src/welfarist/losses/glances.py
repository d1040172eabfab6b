"""Many rules at a glance: roughly how well each explains decisions, for a fraction of a fit.

A search that begins with the best of many rules need not be lucky. What is asked of each is one
evaluation, or one on a coarse grid of the noise model's parameters: enough to rank rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from welfarist.base.validation import FloatArray

# Steps in log tau from the temperature at which the mean margin is one: where errors depend on
# how close a case is, and where all that counts is on which side of it a rule is.
GENTLE = (-1.5, 0.0, 1.0, 2.0, 3.5)
STEEP = (6.0, 10.0)
# Two rules whose margins have a larger cosine are one start.
_ALIKE = 0.98
# A margin that stands for an infinite one: an outcome against it is as good as impossible.
NEVER = 1e6


class Glance(ABC):
    """What many rules say of decisions."""

    @abstractmethod
    def directions(self) -> FloatArray:
        """Return differences in log welfare (B, n) that decisions depend on; 0 if infinite."""

    @abstractmethod
    def losses(self, extras: FloatArray) -> FloatArray:
        """Return the mean losses (B,) with parameters (B, m) of the noise model."""

    @abstractmethod
    def tries(self, steps: Sequence[float]) -> Iterator[FloatArray]:
        """Yield parameters (B, m) that are worth a look, with each of the temperatures."""

    def best_extras(self, steps: Sequence[float]) -> tuple[FloatArray, FloatArray]:
        """Return roughly the least mean losses (B,), and parameters (B, m) for them.

        `steps` are the temperatures that are tried.
        """
        least, best = np.empty(0), np.empty(0)
        for extras in self.tries(steps):
            loss = self.losses(extras)
            if not len(least):
                least, best = loss, extras
                continue
            better = loss < least
            least[better], best[better] = loss[better], extras[better]
        return least, best

    def unlike(self, losses: FloatArray, most: int) -> list[int]:
        """Return up to `most` rules of low loss (B,) whose margins have different directions."""
        margins = self.directions()
        length = np.sqrt(np.square(margins).sum(axis=1))
        directions = margins / np.maximum(length, 1e-300)[:, None]
        left = np.isfinite(losses) & np.isfinite(length)
        chosen: list[int] = []
        for i in np.argsort(losses, kind="stable").tolist():
            if len(chosen) == most:
                break
            if left[i]:
                chosen.append(i)
                left &= directions @ directions[i] < _ALIKE
        return chosen
