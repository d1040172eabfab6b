"""The names of actions in other tables: each must be known, and is read as a number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from welfarist.files.cells import CellError, as_text, nearest, shown
from welfarist.files.name_index import NameIndex


@dataclass(frozen=True)
class Known:
    """One of the names of the actions, read as its number.

    Attributes
    ----------
    names : polars.Series
        The names, all different.
    file : str
        Where they come from.
    what : str
        What messages call the rows that name them.
    """

    names: Any = field(repr=False)
    file: str
    what: str = "comparisons"

    @property
    def number(self) -> bool:
        """It is a name, even one such as 1.5."""
        return False

    @property
    def by_hash(self) -> bool:
        """Names are found by these."""
        return True

    def dtype(self) -> Any:
        """Text."""
        import polars as pl

        return pl.String

    @cached_property
    def _index(self) -> NameIndex:
        return NameIndex(self.names)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names.to_list())}

    def taken(self, column: Any) -> Any:
        """The numbers of the names in a column, or of their hash values, if all are known."""
        import polars as pl

        rows = None if column.null_count() else self._index.rows(column)
        return None if rows is None else pl.Series(column.name, rows)

    def together(self, frame: Any) -> None:
        """Each is looked at."""
        del frame

    def made(self, name: str, values: list[Any]) -> Any:
        """Parsed values as a column."""
        import polars as pl

        return pl.Series(name, values, dtype=pl.Int32)

    def doubtful(self, entries: Any) -> Any:
        """Texts that are none of the names."""
        return ~entries.fill_null("").is_in(self.names.implode())

    def parse(self, value: Any) -> int:
        """The number of the name in a cell, if it is known."""
        name = "" if value is None else as_text(value).strip()
        if name in self._numbers:
            return self._numbers[name]
        if not name:
            raise self.missing()
        raise self.unknown(name)

    def missing(self) -> CellError:
        """Say that a cell holds no name."""
        must = "every comparison must name two actions"
        return CellError(
            f"{must if self.what == 'comparisons' else 'every row must name an action'}; found an "
            "empty cell. Fill it in, or leave out all such rows: {drop_missing:True}"
        )

    def unknown(self, name: str) -> CellError:
        """Say that there is no action of a name, and which might be meant."""
        near = nearest(name, self._numbers)
        hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else "Check the spelling."
        return CellError(
            "an action must be one of the {number} in {file}; found {found}. {hint} To leave out "
            "all {what} with actions that are not there: {drop_unknown:True}",
            what=self.what,
            number=len(self._numbers),
            file=self.file,
            found=shown(name),
            hint=hint,
        )

    def places(self, names: Iterable[str]) -> list[int]:
        """The number of each name in a column, -1 where it is unknown."""
        return [self._numbers.get(name, -1) for name in names]
