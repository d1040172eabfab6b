"""What may stand in the place of a table of utilities: people who know what a family sees of them.

Decisions take whatever answers these questions: sums over people who are not all in memory, or
utilities that are estimates. Where a method needs the table itself, and there is none, it refuses.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
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


def heads_of(utilities: object) -> FloatArray | None:
    """Return how many people stand behind each column (d,), if a source of groups says so."""
    return getattr(utilities, "heads", None) if is_source(utilities) else None


def extremes_of(utilities: object) -> tuple[FloatArray, FloatArray] | None:
    """Return the smallest and the largest utility in each entry (N, d), if a source knows them."""
    found = [getattr(utilities, name, None) for name in ("lowest", "highest")]
    return None if found[0] is None or found[1] is None else (found[0], found[1])


def table_at(utilities: Any, p: float) -> Any:
    """Return a table (N, d) in which each group is one person with its power mean at p.

    Utilities that are a table themselves, or people who know of none, are returned as they came.
    """
    found = getattr(utilities, "seen_at", None)
    return utilities if found is None else found(p)


def has_errors(utilities: object) -> bool:
    """Whether utilities are estimates, with errors that are known and not all 0."""
    return is_source(utilities) and not getattr(utilities, "are_exact", True)


def in_its_place(utilities: object) -> str:
    """Return what stands in the place of a table, as messages say it."""
    if has_errors(utilities):
        return "utilities that are estimates, with errors"
    return "people who are not all in memory"


def refuse_source(utilities: object, what: str, advice: str = "") -> None:
    """Refuse what stands in the place of a table, where `what` needs one.

    `advice` is what else to do; the best guess may be taken as exact at any time.
    """
    if not is_source(utilities):
        return
    if has_errors(utilities):
        advice += (
            " Pass the best guess, people.utilities, to take it as exact: errors are not allowed "
            "for then."
        )
    raise InputError(f"{what} needs a table of utilities; found {in_its_place(utilities)}.{advice}")


def same_utilities(one: object, other: object) -> bool:
    """Whether two tables, or what stands in their place, hold the same."""
    if is_source(one) != is_source(other):
        return False
    if is_source(one):
        return bool(one == other)
    return np.array_equal(one, other, equal_nan=True)  # type: ignore[arg-type]


def source_digest(utilities: Source) -> list[Any]:
    """Return what tells a source from others: its digest, or at least its shape."""
    own = getattr(utilities, "digest", None)
    return [list(utilities.shape)] if own is None else [[float(b) for b in bytes.fromhex(own)]]


def is_source(utilities: object) -> TypeGuard[Source]:
    """Whether something stands in the place of a table: it knows what families see of it."""
    return hasattr(utilities, "seen_by")
