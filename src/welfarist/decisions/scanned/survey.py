"""The first pass over the files: everything is checked and counted, and a random share is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from welfarist.base.engines import Engine
from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.decisions.scanned.parquet import Files, Part


class Block(Protocol):
    """Some decisions as arrays."""

    def __len__(self) -> int: ...

    @property
    def total(self) -> float:
        """How many decisions were observed."""
        ...

    @property
    def nothing(self) -> float:
        """What knowing nothing of the actions loses."""
        ...

    def take(self, rows: npt.NDArray[np.intp]) -> Any:
        """Return some of them."""
        ...

    def mention(self, seen: npt.NDArray[np.bool_]) -> None:
        """Mark the actions (N,) that are mentioned."""
        ...

    def flags(self) -> npt.NDArray[np.bool_]:
        """What is found in them, of a few things that matter (f,)."""
        ...


class Columns(Protocol):
    """How columns of files become decisions."""

    @property
    def actions(self) -> int:
        """How many actions there are."""
        ...

    def blocks(self, part: Part) -> Iterator[Any]:
        """Yield the decisions of a part."""
        ...


@dataclass(frozen=True)
class Seen:
    """What a first pass saw of decisions, or of a part of them.

    Attributes
    ----------
    total : float
        How many decisions were observed.
    nothing : float
        What knowing nothing of the actions loses.
    mentioned : (N,) array of bool
        Which actions they are about.
    flags : (f,) array of bool
    drawn : tuple of blocks
        A random share of the decisions.
    """

    total: float
    nothing: float
    mentioned: npt.NDArray[np.bool_]
    flags: npt.NDArray[np.bool_]
    drawn: tuple[Any, ...]


@dataclass(frozen=True)
class Survey:
    """Look at a part, and draw its rows among those that are wanted.

    Attributes
    ----------
    columns : Columns
    wanted : (m,) array of int
        Row numbers among all files, in order.
    """

    columns: Columns
    wanted: npt.NDArray[np.int64]

    def __call__(self, part: Part) -> Seen:
        """Return what is seen of a part."""
        mentioned = np.zeros(self.columns.actions, dtype=bool)
        total = nothing = 0.0
        drawn, flags = [], np.zeros(0, dtype=bool)
        start = part.start
        for block in self.columns.blocks(part):
            total += block.total
            nothing += block.nothing
            block.mention(mentioned)
            found = block.flags()
            flags = found if not len(flags) else flags | found
            low, high = np.searchsorted(self.wanted, [start, start + len(block)])
            if high > low:
                drawn.append(block.take(self.wanted[low:high] - start))
            start += len(block)
        return Seen(total, nothing, mentioned, flags, tuple(drawn))


def wanted_rows(rows: int, share: int, seed: int) -> npt.NDArray[np.int64]:
    """Return the row numbers of a random share, in order; all where there are no more.

    Examples
    --------
    >>> wanted_rows(3, 5, 0)
    array([0, 1, 2])
    """
    if rows <= share:
        return np.arange(rows)
    drawn = np.random.default_rng(seed).choice(rows, share, replace=False)
    return np.sort(drawn).astype(np.int64)


def surveyed(
    files: Files, columns: Columns, share: int, seed: int, engine: Engine, progress: Progress
) -> Seen:
    """Pass over all files; return what was seen of them together."""
    survey = Survey(columns, wanted_rows(files.rows, share, seed))
    seen = engine.in_order(survey, files.parts)
    shown = progress.track(seen, len(files.parts), "Checking and drawing a share")
    found = _together(list(shown))
    if not found.total:
        raise InputError(
            f"{files.parts[0].path}: counts must not all be zero; found nothing that counts."
        )
    if not sum(block.total for block in found.drawn):
        raise InputError(
            f"{files.parts[0].path}: a random share of the decisions must hold some that count; "
            f"found counts of 0 in all {min(share, files.rows)} that were drawn. Take a larger "
            "share, or leave out rows with counts of 0."
        )
    return found


def _together(parts: Sequence[Seen]) -> Seen:
    first = parts[0]
    mentioned, flags = first.mentioned.copy(), first.flags.copy()
    total = nothing = 0.0
    for part in parts:
        mentioned |= part.mentioned
        flags |= part.flags
        total += part.total
        nothing += part.nothing
    drawn = tuple(block for part in parts for block in part.drawn)
    return Seen(total, nothing, mentioned, flags, drawn)
