"""Columns of choices from menus in files as numbers that can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.decisions.scanned.pair_columns import (
    action_numbers,
    counts_of,
    name_index,
    refuse_nulls,
    refuse_roles,
    require_names,
)
from welfarist.decisions.scanned.parquet import Files, Part, Place, batches


@dataclass(frozen=True)
class MenuBlock:
    """Some choices: menu i has the actions ``rows[starts[i] : starts[i + 1]]``.

    Attributes
    ----------
    starts : (n + 1,) array of int
    rows : (E,) array of int
    chosen : (n,) array of int
        The place in its menu of what was chosen.
    count : (n,) array or None
        How often each choice was observed.
    """

    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]
    chosen: npt.NDArray[np.int32]
    count: FloatArray | None

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many actions each menu (n,) has."""
        return np.diff(self.starts)

    @property
    def often(self) -> FloatArray:
        """How often each choice was observed (n,)."""
        return np.ones(len(self)) if self.count is None else self.count

    @property
    def total(self) -> float:
        """How many choices were observed."""
        return float(len(self)) if self.count is None else float(self.count.sum())

    @property
    def nothing(self) -> float:
        """What choosing at random loses."""
        return float(self.often @ np.log(self.sizes))

    def take(self, rows: npt.NDArray[np.intp]) -> MenuBlock:
        """Return some of them."""
        sizes = self.sizes[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
        entries = np.repeat(self.starts[rows], sizes) + within
        count = None if self.count is None else self.count[rows]
        return MenuBlock(starts, self.rows[entries], self.chosen[rows], count)

    def mention(self, seen: npt.NDArray[np.bool_]) -> None:
        """Mark the actions (N,) that are offered."""
        seen[self.rows] = True

    def flags(self) -> npt.NDArray[np.bool_]:
        """Nothing that matters beside what is refused."""
        return np.ones(1, dtype=bool)

    @staticmethod
    def joined(blocks: Sequence[MenuBlock]) -> MenuBlock:
        """Return several blocks as one."""
        sizes = np.concatenate([block.sizes for block in blocks])
        counted = blocks[0].count is not None
        return MenuBlock(
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate([block.rows for block in blocks]),
            np.concatenate([block.chosen for block in blocks]),
            np.concatenate([block.often for block in blocks]) if counted else None,
        )


@dataclass(frozen=True)
class MenuColumns:
    """Which columns hold menus and what was chosen, and of which actions.

    Attributes
    ----------
    menu, chosen : str
    count : str or None
    actions : int
    names : tuple of str or None
        The actions' names, where the files hold names.
    """

    menu: str
    chosen: str
    count: str | None
    actions: int
    names: tuple[str, ...] | None

    @classmethod
    def of(
        cls, files: Files, told: dict[str, str], actions: int, names: tuple[str, ...] | None
    ) -> MenuColumns:
        """Find the columns by the names of their roles, or by those that were told."""
        import pyarrow as pa

        refuse_roles(told, ("menu", "chosen", "count"))
        menu = files.require(told.get("menu", "menu"), "the list of actions to choose from")
        chosen = files.require(told.get("chosen", "chosen"), "the action that was chosen")
        count = told.get("count", "count" if "count" in files.types else None)
        if count is not None:
            files.require(count, "how often")
        kind = files.types[menu]
        if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
            raise Place(files.parts[0].path, 0, 0).says(
                f"column {menu!r} must hold lists of actions; found {kind}."
            )
        texts = not pa.types.is_integer(kind.value_type)
        return cls(menu, chosen, count, actions, require_names(names) if texts else None)

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        found = [self.menu, self.chosen]
        return found if self.count is None else [*found, self.count]

    def blocks(self, part: Part) -> Iterator[MenuBlock]:
        """Yield the choices of a part."""
        for place, batch in batches(part, self.columns):
            if len(batch):
                yield self._block(place, *batch.columns)

    def _block(self, place: Place, menu: Any, chosen: Any, count: Any = None) -> MenuBlock:
        refuse_nulls(menu, place, self.menu)
        offsets = menu.offsets.to_numpy().astype(np.int64)
        starts = offsets - offsets[0]
        sizes = np.diff(starts)
        if sizes.min() < 2:
            row = int(np.argmin(sizes))
            raise place.says(
                f"a menu must offer two actions or more; found {sizes[row]}. Leave it out.", row
            )
        rows = action_numbers(menu.flatten(), place, self.menu, self.actions, self._index)
        taken = action_numbers(chosen, place, self.chosen, self.actions, self._index)
        number = np.repeat(np.arange(len(sizes)), sizes)
        hits = np.flatnonzero(rows == taken[number])
        if len(hits) != len(sizes) or not np.array_equal(number[hits], np.arange(len(sizes))):
            once = np.bincount(number[hits], minlength=len(sizes)) == 1
            row = int(np.argmin(once))
            raise place.says(
                f"column {self.chosen!r} must be one action of the menu, which lists each once; "
                f"found {chosen[row].as_py()!r:.60} of {menu[row].as_py()!r:.80}.",
                row,
            )
        _refuse_twins(rows, number, self.actions, place)
        often = None if count is None else counts_of(count, place, str(self.count))
        return MenuBlock(starts, rows, (hits - starts[:-1]).astype(np.int32), often)

    @cached_property
    def _index(self) -> Any:
        return name_index(self.names)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_index"}


def _refuse_twins(
    rows: npt.NDArray[np.int32], number: npt.NDArray[np.intp], actions: int, place: Place
) -> None:
    """Require that a menu lists each action once."""
    keys = number * actions + rows
    if (np.diff(keys) > 0).all():  # menus in the order of their actions
        return
    keys.sort()
    twin = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twin):
        row, action = divmod(int(keys[twin[0]]), actions)
        raise place.says(f"a menu must list each action once; found {action} twice.", row)
