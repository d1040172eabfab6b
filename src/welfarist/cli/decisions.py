"""What was decided, read from the files that a command names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from welfarist.cli.options import listed
from welfarist.files import (
    open_table,
    read_actions,
    read_comparisons,
    read_wide_comparisons,
)
from welfarist.files.actions import SCORE
from welfarist.files.sources import STANDARD_INPUT
from welfarist.validation import FloatArray


@dataclass(frozen=True)
class TableOptions:
    """How a table of actions is to be read."""

    name: str | None = None
    numbered: bool = False
    stakeholders: str | None = None
    ignore: str | None = None
    separator: str | None = None
    decimal: str | None = None
    sheet: str | None = None

    def text(self) -> dict[str, Any]:
        """What holds for every table."""
        return dict(separator=self.separator, decimal=self.decimal, sheet=self.sheet)

    def actions(self) -> dict[str, Any]:
        """What holds for a table of actions."""
        return dict(
            name=self.name,
            numbered=self.numbered,
            stakeholders=listed(self.stakeholders),
            ignore=listed(self.ignore) or (),
            **self.text(),
        )


@dataclass(frozen=True)
class DecisionOptions:
    """Where decisions are, and which columns say what."""

    comparisons: str | None = None
    score: str | None = None
    wide: bool = False
    preferred: str | None = None
    other: str | None = None
    first: str | None = None
    second: str | None = None
    choice: str | None = None
    first_label: str | None = None
    count: str | None = None
    tie: str | None = None
    by: str | None = None

    def roles(self, *names: str) -> dict[str, str]:
        """The columns that were named, by role."""
        told = {name: getattr(self, name) for name in names}
        return {name: column for name, column in told.items() if column is not None}


@dataclass(frozen=True)
class Decided:
    """Decisions as the learners take them.

    Attributes
    ----------
    X : Comparisons or data frame
    scores : (N,) array or None
        None for comparisons.
    notes : tuple of str
        What was guessed.
    """

    X: Any
    scores: FloatArray | None
    notes: tuple[str, ...]


def read_decisions(path: str, table: TableOptions, decision: DecisionOptions) -> Decided:
    """Read scores or comparisons; which of them must be said, or clear from the header."""
    told = [decision.comparisons is not None, decision.score is not None, decision.wide]
    if sum(told) > 1:
        raise typer.BadParameter("give one of --comparisons, --score and --wide, not several.")
    if decision.wide:
        return _wide(path, table, decision)
    if decision.comparisons is None:
        return _scored(path, table, decision.score)
    if path == decision.comparisons == STANDARD_INPUT:
        raise typer.BadParameter("standard input (-) can be read once: name a file for the other.")
    actions = read_actions(path, **table.actions())
    read = read_comparisons(
        decision.comparisons,
        actions,
        columns=decision.roles(
            "preferred", "other", "first", "second", "choice", "count", "tie", "by"
        ),
        first_label=decision.first_label,
        **table.text(),
    )
    return Decided(read.decisions, None, (*actions.notes, *read.notes))


def _wide(path: str, table: TableOptions, decision: DecisionOptions) -> Decided:
    read = read_wide_comparisons(
        path,
        first=listed(decision.first),
        second=listed(decision.second),
        columns=decision.roles("choice", "count", "tie", "by"),
        first_label=decision.first_label,
        **table.text(),
    )
    return Decided(read.decisions, None, read.notes)


def _scored(path: str, table: TableOptions, score: str | None) -> Decided:
    notes = []
    if score is None:
        found = None
        if path != STANDARD_INPUT:
            columns = open_table(path, **table.text()).columns
            found = next((column for column in columns if column.lower() == SCORE), None)
        if found is None:
            raise typer.BadParameter(
                "say what was decided: --comparisons FILE, --score COLUMN, or --wide if ACTIONS "
                "holds comparisons itself."
            )
        score = found
        notes.append(f"{path}: the scores are in the column {found!r}.")
    actions = read_actions(path, score=score, **table.actions())
    return Decided(actions.frame(), actions.scores, (*notes, *actions.notes))
