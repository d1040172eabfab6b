"""What every solver takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.losses import Evaluation, Loss, Point


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
    nothing_to_learn : bool
        Whether everything was given.
    remedy : str
        What to try where it did not converge.
    evaluation : Evaluation or None
        Of the loss that was minimised at the point, where it took long and is at hand.
    effort : str or None
        How hard it searched, if that could be asked for.
    """

    point: Point
    weights: FloatArray
    value: float
    converged: bool
    reason: str
    n_iter: int
    start_values: FloatArray
    agreeing: int
    nothing_to_learn: bool = False
    remedy: str = "Raise max_iter or n_starts."
    evaluation: Evaluation | None = None
    effort: str | None = None


class Guide(Protocol):
    """Another method that knows good places to begin, for losses that it understands."""

    def __call__(self, loss: Loss, rng: np.random.Generator, p: float | None) -> Sequence[Point]:
        """Return points of a loss, none where it is not understood; `p` if it is given."""
        ...


class Featured(Protocol):
    """Something that says what not every method covers."""

    @property
    def features(self) -> dict[str, str]:
        """What not every method covers, with what a user calls it."""
        ...


def uncovered(loss: Featured, covers: Callable[[str], bool]) -> str | None:
    """Return the first feature of a loss that a method does not cover, in words; None if none."""
    return next((words for name, words in loss.features.items() if not covers(name)), None)


class Solver(Protocol):
    """A way of minimising a loss.

    A loss lists its features, what not every method covers: learned weights, noise other than
    logistic, a prior, another family than the power mean, people who are not all in memory, errors
    that are counted. A solver declares which of them it covers, and refuses the others before any
    work.
    """

    def covers(self, feature: str) -> bool:
        """Whether this solver can deal with a feature of a loss."""
        ...

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
