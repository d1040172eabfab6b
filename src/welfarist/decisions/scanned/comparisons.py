"""Comparisons that stay in their files."""

from __future__ import annotations

from typing import Any

from welfarist.base.engines import Engine
from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.decisions.scanned.decisions import ScannedDecisions
from welfarist.decisions.scanned.pair_columns import PairBlock, PairColumns
from welfarist.decisions.scanned.repeated_pairs import counted_pairs, repeats
from welfarist.decisions.scanned.survey import Seen


class ScannedComparisons(ScannedDecisions):
    """Comparisons in Parquet files; see :meth:`welfarist.Comparisons.scan`."""

    kind = "comparisons"
    block = PairBlock
    columns: PairColumns

    def __init__(
        self,
        files: object,
        actions: object,
        columns: dict[str, str] | None,
        names: object,
        share: object,
        random_state: Any,
        least: float,
    ) -> None:
        super().__init__(files, actions, names, share, random_state, least)
        self.columns = PairColumns.of(self.files, dict(columns or {}), self.actions, self.names)

    def _check(self, seen: Seen) -> None:
        second, tie, first = seen.flags.tolist()
        where = self.files.parts[0].path
        if not (first or second):
            raise InputError(
                f"{where}: at least one outcome must be a preference; found only ties, from which "
                "nothing can be learned."
            )
        if tie and not second:
            raise InputError(
                f"{where}: outcomes must be 1 (the first was preferred), -1 (the second) or 0 (a "
                "tie); found only 0 and 1. If 0 means that the second was preferred, write true "
                "and false, or 2 * y - 1."
            )

    def drawn(self, engine: Engine, progress: Progress) -> PairBlock:
        """The random share that is held in memory."""
        return PairBlock.joined(self.seen(engine, progress).drawn)

    def in_memory(self, engine: Engine, progress: Progress) -> PairBlock | None:
        """All comparisons, where they are few or repeat so often that counts say the same.

        None where they stay in their files.
        """
        share = self.drawn(engine, progress)
        if len(share) == len(self):
            return share
        if repeats(share, self.actions, len(self)):
            return counted_pairs(self.files, self.columns, engine, progress)
        return None
