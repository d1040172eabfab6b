"""Choices from menus that stay in their files."""

from __future__ import annotations

from typing import Any

from welfarist.base.engines import Engine
from welfarist.base.progress import Progress
from welfarist.decisions.scanned.decisions import ScannedDecisions
from welfarist.decisions.scanned.menu_columns import MenuBlock, MenuColumns


class ScannedChoices(ScannedDecisions):
    """Choices in Parquet files; see :meth:`welfarist.Choices.scan`."""

    kind = "choices"
    block = MenuBlock
    outside = False
    columns: MenuColumns

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
        self.columns = MenuColumns.of(self.files, dict(columns or {}), self.actions, self.names)

    def drawn(self, engine: Engine, progress: Progress) -> MenuBlock:
        """The random share that is held in memory."""
        return MenuBlock.joined(self.seen(engine, progress).drawn)
