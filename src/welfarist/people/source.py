"""What may stand in the place of a table of utilities: people who know what a family sees of them.

Decisions take whatever answers these questions: sums over people who are not all in memory, or
utilities that are estimates. Where a method needs the table itself, and there is none, it refuses.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from welfarist.families.base import Family
from welfarist.families.columns import People
from welfarist.people.weighting import Weighting


class Source(Protocol):
    """People behind actions, seen through a family."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many actions, and how many people or groups of them, there are."""
        ...

    @property
    def stakeholders(self) -> tuple[str, ...] | None:
        """What the people, or groups, are called."""
        ...

    def __len__(self) -> int:
        """How many actions there are."""
        ...

    def __getitem__(self, actions: npt.NDArray[np.intp]) -> Any:
        """Return some of the actions."""
        ...

    def any(self) -> bool:
        """Whether anybody has anything."""
        ...

    def seen_by(self, family: Family, weighting: Weighting) -> People:
        """Return what a family sees of the people, given what is known about their weights."""
        ...


def is_source(utilities: object) -> TypeGuard[Source]:
    """Whether something stands in the place of a table: it knows what families see of it."""
    return hasattr(utilities, "seen_by")
