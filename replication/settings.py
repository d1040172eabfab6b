"""Which levels are run, and how often: the paper's, or one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Settings:
    """What the experiments are run with; None is what the experiment says.

    Attributes
    ----------
    quick : bool
        Fewer sizes, levels and repetitions.
    d : tuple of int or None
        Numbers of people, of the synthetic experiments (the charity has its 18).
    tau : tuple of float or None
        Temperatures, of all experiments on comparisons.
    nu : tuple of float or None
        Noise levels, of all experiments on scores.
    repetitions : int or None
        How often each setting is run.
    method_repetitions : int or None
        How often the paper's own methods are run, which take minutes; 0 leaves them out.
    """

    quick: bool = False
    d: tuple[int, ...] | None = None
    tau: tuple[float, ...] | None = None
    nu: tuple[float, ...] | None = None
    repetitions: int | None = None
    method_repetitions: int | None = None

    @property
    def own(self) -> bool:
        """Whether anything but the paper's settings was asked for."""
        return replace(self, quick=False) != Settings()

    def times(self, full: int, quick: int) -> int:
        """Repetitions of an experiment that has so many of its own."""
        usual = quick if self.quick else full
        return usual if self.repetitions is None else self.repetitions

    def method_times(self, full: int, quick: int) -> int:
        """Repetitions of the paper's own methods, never more than of the optimum beside them."""
        usual = quick if self.quick else full
        wanted = usual if self.method_repetitions is None else self.method_repetitions
        return wanted if self.repetitions is None else min(wanted, self.repetitions)


def middle(levels: Sequence[T]) -> T:
    """The level at which the paper's own methods are run, which are too slow for all of them."""
    return sorted(levels)[len(levels) // 2]  # type: ignore[type-var]
