"""Outcomes that were made up, in a table beside the answers, for who learns from both."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.inert import in_csv
from welfarist.base.validation import FloatArray
from welfarist.files import Actions, read_actions
from welfarist.files.cells import listed

_NAME = re.compile(r"made up (\d+)")
_NAMES = "action"


def beside(save: str) -> Path:
    """Where the table is that goes with a file of answers.

    Examples
    --------
    >>> beside("answers.csv").as_posix()
    'answers-actions.csv'
    """
    place = Path(save)
    return place.with_name(f"{place.stem}-actions{place.suffix}")


@dataclass(frozen=True, eq=False)
class MadeUp:
    """Outcomes by name, and the actions among which they are listed.

    Attributes
    ----------
    actions : Actions
        The table they were made up for.
    outcomes : mapping
        Arrays (d,) by name.
    """

    actions: Actions
    outcomes: Mapping[str, FloatArray]

    @classmethod
    def read(
        cls,
        path: Path,
        actions: Actions,
        separator: str | None,
        encoding: str | None,
        least: float = 0.0,
    ) -> MadeUp:
        """Read the table that is there, of which all rows are kept; nothing is if there is none."""
        if not path.exists():
            return cls(actions, {})
        found = read_actions(
            path, stakeholders=list(actions.stakeholders), least=least, separator=separator,
            encoding=encoding,
        )  # fmt: skip
        if found.unused:
            raise InputError(
                f"{path}: it must hold actions and outcomes that were made up, for {actions.file}; "
                f"found the columns {listed(found.unused)} as well. Move it away, or name another "
                "file for answers."
            )
        known = set(actions.names)
        rows = zip(found.names, np.asarray(found.utilities), strict=True)
        return cls(actions, {name: row for name, row in rows if name not in known})

    def new_name(self, others: set[str]) -> str:
        """A name that nothing has, nor any of `others`."""
        taken = {*self.outcomes, *self.actions.names, *others}
        numbers = [int(found[1]) for name in taken if (found := _NAME.fullmatch(name))]
        return f"made up {max(numbers, default=0) + 1}"

    def with_outcome(self, name: str, outcome: FloatArray) -> MadeUp:
        """Return them with one more."""
        return replace(self, outcomes={**self.outcomes, name: outcome})

    def without(self, names: set[str]) -> MadeUp:
        """Return them without some."""
        left = {name: row for name, row in self.outcomes.items() if name not in names}
        return replace(self, outcomes=left)

    def content(self, separator: str, encoding: str) -> bytes:
        """The table of all: numbers come back as they are, to the last digit."""
        held = io.StringIO()
        writer = csv.writer(held, delimiter=separator, lineterminator="\n")
        writer.writerow([_NAMES, *map(in_csv, self.actions.stakeholders)])
        table = zip(self.actions.names, np.asarray(self.actions.utilities), strict=True)
        for name, row in [*table, *self.outcomes.items()]:
            writer.writerow([in_csv(name), *map(_digits, row.tolist())])
        return held.getvalue().encode(encoding)


def _digits(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
