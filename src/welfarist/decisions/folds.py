"""Parts of decisions: those that count, and those that are held out together."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.decisions.scanned.decisions import refuse_scanned

Folds = npt.NDArray[np.intp]


class Decisions(Protocol):
    """What every kind of decisions answers for itself, whoever compares learners on it."""

    @property
    def kind(self) -> str:
        """What the decisions are: "scores", "comparisons"."""
        ...

    @property
    def measure(self) -> str:
        """In what it is measured how many are got right: "accuracy", "R squared"."""
        ...

    @property
    def unit(self) -> str:
        """What is held out as a whole, in words."""
        ...

    @property
    def counts(self) -> FloatArray:
        """How often each decision was observed (n,)."""
        ...

    @property
    def total(self) -> float:
        """How many decisions were observed, counts included, of those that were any."""
        ...

    @property
    def utilities(self) -> FloatArray:
        """What each person has in each action (N, d)."""
        ...

    @property
    def stakeholders(self) -> tuple[str, ...] | None:
        """The people's names."""
        ...

    @property
    def says_nothing(self) -> bool:
        """Whether no rule can be learned from them."""
        ...

    def __getitem__(self, chosen: Any) -> Decisions:
        """Return some of the decisions, by row numbers or mask."""
        ...

    def units(self) -> Folds:
        """The number (n,) of what each decision is held out with."""
        ...

    def share_right(self, gains: float) -> float | None:
        """How much is got right, from what all parts gained."""
        ...

    def same_as(self, other: object) -> bool:
        """Whether these are the same decisions, in the same order."""
        ...


def counted_part(data: Decisions) -> Decisions:
    """Return the decisions that were observed at least once."""
    refuse_scanned(data, "a comparison of rules or shifts")
    return data if data.counts.all() else data[data.counts > 0]


def folds_of(data: Decisions, folds: int, rng: np.random.Generator) -> Folds:
    """Return in which part (n,) each decision is held out.

    What belongs together is held out together: all decisions of one decision maker; where nobody
    knows who decided, all decisions on the same actions.
    """
    unit = data.units()
    different = int(unit.max()) + 1
    whole = isinstance(folds, int | np.integer) and not isinstance(folds, bool)
    if not whole or not 2 <= folds <= different:
        raise InputError(
            f"folds must be a whole number from 2 to the number of {data.unit}, {different}; "
            f"found {folds!r}. Use fewer, or folds=None to leave held-out decisions aside."
        )
    return np.asarray(rng.permutation(np.arange(different) % folds)[unit], dtype=np.intp)


def folds_within(who: Folds, folds: int, rng: np.random.Generator) -> Folds:
    """Return in which part (n,) each decision is held out, everybody's shared out over the parts.

    Parameters
    ----------
    who : (n,) array of int
        The number of who decided.
    folds : int
        How many parts; who decided less often is in some of them.
    rng : Generator
    """
    people = int(who.max()) + 1
    order = rng.permutation(len(who))
    order = order[np.argsort(who[order], kind="stable")]
    sizes = np.bincount(who, minlength=people)
    place = np.arange(len(who)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    # Parts would be of different size if everybody began with the first.
    begin = rng.permutation(np.arange(people) % folds)
    found = np.empty(len(who), dtype=np.intp)
    found[order] = (place + begin[who[order]]) % folds
    return found
