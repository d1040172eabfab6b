"""What every solver takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from welfarist.losses import Loss, Point
from welfarist.progress import Progress
from welfarist.validation import FloatArray


@dataclass(frozen=True)
class Optimum:
    """The outcome of a fit, before it is given its names.

    Attributes
    ----------
    point : Point
        Free weights, power and extras; at an infinite power the weights say who counts.
    weights : (d,) array
        One weight per person.
    value : float
        The loss that was minimised, with the prior if there is one.
    converged : bool
    reason : str
        Why the solver stopped.
    n_iter : int
        Steps taken, all starts together.
    start_values : (n_starts,) array
        The loss each start reached.
    agreeing : int
        How many starts reached the best loss.
    """

    point: Point
    weights: FloatArray
    value: float
    converged: bool
    reason: str
    n_iter: int
    start_values: FloatArray
    agreeing: int


class Solver(Protocol):
    """A way of minimising a loss."""

    def check(self, loss: Loss) -> None:
        """Refuse, before any work, a loss this solver cannot minimise."""
        ...

    def minimise(
        self,
        loss: Loss,
        rng: np.random.Generator,
        *,
        p: float | None,
        observations: float,
        progress: Progress,
    ) -> Optimum:
        """Minimise a loss; `p` is the power if it is fixed.

        `observations` is how many observations the mean loss stands for. An interrupt from the
        keyboard ends the search, which then gives the best it has found.
        """
        ...
