"""Summaries of several decision makers: texts that print as tables, with other forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from welfarist.base.data_frames import to_frame
from welfarist.base.exports import Table, as_json, strict


class Told(str):
    """A summary that prints as tables and can be had as HTML, LaTeX, JSON and a data frame.

    Attributes
    ----------
    tables : tuple of Table
    record : mapping
        What a program reads.
    columns : mapping
        The rows of the data frame, as columns by name.
    """

    __slots__ = ("columns", "record", "tables")

    tables: tuple[Table, ...]
    record: Mapping[str, Any]
    columns: Mapping[str, Sequence[Any]]

    def __new__(
        cls,
        tables: tuple[Table, ...],
        record: Mapping[str, Any],
        columns: Mapping[str, Sequence[Any]],
    ) -> Told:
        """Return the text of some tables, which keeps them."""
        made = super().__new__(cls, "\n\n".join(table.as_text() for table in tables))
        made.tables, made.record, made.columns = tables, record, columns
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.tables, self.record, self.columns

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.as_html()

    def as_text(self) -> str:
        """Return the plain text."""
        return str(self)

    def as_html(self) -> str:
        """Return a piece of HTML, with names escaped and nothing loaded from elsewhere."""
        return "\n".join(table.as_html() for table in self.tables)

    def as_latex(
        self, *, booktabs: bool = True, caption: str | None = None, label: str | None = None
    ) -> str:
        r"""Return LaTeX tables, with names escaped.

        Parameters
        ----------
        booktabs : bool
            Whether rules are those of the package booktabs, which a comment names.
        caption, label : str, optional
            Of the first table: what stands in place of its title, and what ``\ref`` calls it.
        """
        first, *others = self.tables
        made = [first.as_latex(booktabs=booktabs, caption=caption, label=label)]
        return "\n\n".join([*made, *(table.as_latex(booktabs=booktabs) for table in others)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts; infinities are the strings "inf" and "-inf"."""
        found: dict[str, Any] = strict(dict(self.record))
        return found

    def as_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return as_json(self.to_dict())

    def to_frame(self) -> Any:
        """Return the first table's numbers as a data frame, of pandas if installed, else polars."""
        return to_frame(self.columns)
