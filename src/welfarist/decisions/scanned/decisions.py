"""Decisions that stay in their files: what is known of them, and what is read when it is needed."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any, Self

import numpy as np

from welfarist.base.data_frames import row_names
from welfarist.base.engines import Engine
from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.base.seeds import seed_of
from welfarist.base.validation import FloatArray
from welfarist.decisions.checked_columns import as_action_names
from welfarist.decisions.digests import digest_of, parts_of
from welfarist.decisions.scanned.parquet import Files, open_files
from welfarist.decisions.scanned.survey import Seen, surveyed
from welfarist.people.source import is_source, source_digest
from welfarist.people.utility_tables import as_utility_table, shifted_table

# Decisions that are held in memory: what is learned from more is learned in passes over files.
SHARE = 1_000_000
_LEAST_SHARE = 100


class ScannedDecisions:
    """Decisions in Parquet files about a table of actions.

    Only the files' footers are read here. A fit passes over the files: once to check everything and
    to draw a random share, which is held in memory, and then once for each round.

    Attributes
    ----------
    utilities : (N, d) array
    stakeholders, names : tuple of str or None
    files : Files
    columns : Columns
        How columns become decisions.
    share : int
        How many decisions are drawn at random.
    seed : int
        Of the draw.
    """

    kind: str
    block: Any
    by = None
    numbered = True
    absent = False
    utilities: FloatArray
    columns: Any

    def __init__(
        self,
        files: object,
        actions: object,
        names: object,
        share: object,
        random_state: Any,
        least: float,
    ) -> None:
        self.utilities, self.stakeholders = as_utility_table(actions, least, copy=True)
        given = row_names(actions) if names is None else names
        self.names = None if given is None else as_action_names(given, len(self.utilities))
        self.files: Files = open_files(files)
        self.share = _as_share(share)
        self.seed = seed_of(0 if random_state is None else random_state)
        self._seen: Seen | None = None

    def __len__(self) -> int:
        return self.files.rows

    @property
    def shape(self) -> tuple[int]:
        """Number of rows in the files."""
        return (len(self),)

    @property
    def actions(self) -> int:
        """Number of actions in the table."""
        return len(self.utilities)

    @property
    def people(self) -> int:
        """Number of people."""
        return int(self.utilities.shape[1])

    def __repr__(self) -> str:
        files = len(self.files.stamps)
        return (
            f"{type(self).__name__}({len(self)} in {files} file{'' if files == 1 else 's'}, of "
            f"{self.actions} actions, {self.people} people)"
        )

    def shifted(self, shift: float, *, least: float = 0.0) -> Self:
        """Return the same decisions with a constant added to all utilities, none below `least`."""
        table = shifted_table(self.utilities, shift, least)
        if not shift:
            return self
        moved = copy(self)
        moved.utilities = table
        return moved

    def seen(self, engine: Engine, progress: Progress) -> Seen:
        """What a first pass over the files saw; they are passed over when this is first asked."""
        if self._seen is None:
            self.remember(
                surveyed(self.files, self.columns, self.share, self.seed, engine, progress)
            )
        assert self._seen is not None
        return self._seen

    def remember(self, seen: Seen) -> None:
        """Take over what a first pass saw."""
        self._check(seen)
        self._seen = seen

    @property
    def total(self) -> float:
        """How many decisions were observed, once a first pass has been made."""
        assert self._seen is not None
        return self._seen.total

    @property
    def was_seen(self) -> bool:
        """Whether a first pass has been made."""
        return self._seen is not None

    def _check(self, seen: Seen) -> None:
        """Refuse decisions from which nothing can be learned."""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_seen": None}

    def digest(self) -> str:
        """A text that is the same for the same columns of the same files about the same actions."""
        said = repr(
            (self.kind, self.columns, [Path(path).name for path, _, _ in self.files.stamps])
        )
        words = np.frombuffer(said.encode(), dtype=np.uint8).astype(np.float64)
        stamps = [np.array([size, time], dtype=np.float64) for _, size, time in self.files.stamps]
        own = np.array([self.share, self.seed, *self.utilities.shape], dtype=np.float64)
        table = (
            source_digest(self.utilities) if is_source(self.utilities) else parts_of(self.utilities)
        )
        return digest_of([words, own, *stamps, *table])

    def same_as(self, other: object) -> bool:
        """Whether these are the same files about the same actions."""
        return self is other or (type(self) is type(other) and self.digest() == other.digest())


def _as_share(share: object) -> int:
    whole = isinstance(share, int | np.integer) and not isinstance(share, bool)
    if not whole or int(share) < _LEAST_SHARE:  # type: ignore[call-overload]
        raise InputError(
            f"share must be a whole number of decisions, {_LEAST_SHARE} at least; found {share!r}."
        )
    return int(share)  # type: ignore[call-overload, no-any-return]


def refuse_scanned(decided: object, what: str) -> None:
    """Refuse decisions that stay in their files where they must be in memory."""
    if is_scanned(decided):
        raise InputError(
            f"{what} must have decisions in memory; found decisions that stay in their files. Read "
            "a part of them, such as one file."
        )


def is_scanned(decided: object) -> bool:
    """Whether decisions stay in their files."""
    return isinstance(decided, ScannedDecisions)
