"""Columns of a small table, which need no polars: it takes longer to import than they to read.

Whatever else is asked of them, they answer as polars does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

# Files of more bytes than these are read faster by polars, its import included.
SMALL = 2**18


@dataclass(frozen=True, eq=False)
class PlainColumn:
    """Numbers or texts, one a row."""

    name: str
    values: Sequence[Any]

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __getitem__(self, row: int) -> Any:
        return self.values[row]

    def __eq__(self, other: object) -> Any:
        return self._series == other

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what Python itself looks for, such as when it copies
            raise AttributeError(name)
        return getattr(self._series, name)

    def to_list(self) -> list[Any]:
        """Return the entries."""
        return list(self.values)

    def to_numpy(self) -> npt.NDArray[Any]:
        """Return the entries as an array (n,)."""
        return np.array(self.values)

    def n_unique(self) -> int:
        """Return how many different ones there are."""
        return len(set(self.values))

    def index_of(self, entry: Any) -> int | None:
        """Return the row of an entry; None if there is none."""
        return self.values.index(entry) if entry in self.values else None

    @cached_property
    def _series(self) -> Any:
        import polars as pl

        return pl.Series(self.name, list(self.values))


@dataclass(frozen=True, eq=False)
class PlainFrame:
    """Columns by name, all of one length."""

    columns: Mapping[str, Sequence[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __iter__(self) -> Iterator[PlainColumn]:
        return (self[name] for name in self.columns)

    def __getitem__(self, name: str) -> PlainColumn:
        return PlainColumn(name, self.columns[name])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._frame, name)

    def select(self, names: Sequence[str]) -> PlainFrame:
        """Return some of the columns."""
        return PlainFrame({name: self.columns[name] for name in names})

    def to_numpy(self) -> npt.NDArray[Any]:
        """Return the entries (n, columns), stored column by column as polars does."""
        return np.array(list(self.columns.values())).T

    @cached_property
    def _frame(self) -> Any:
        import polars as pl

        return pl.DataFrame({name: list(values) for name, values in self.columns.items()})
