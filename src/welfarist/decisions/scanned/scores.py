"""Scores that stay in their files: one pass, and what it leaves of each action's scores.

Of the scores of one action a squared error knows their number n, their mean m and their spread s:
``sum (c - y)^2 = n (c - m)^2 + n s^2``. Two scores, m - s and m + s, that count n / 2 each, have
the same sum, whatever c is. So however many scores there are, two for each action say the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import row_names
from welfarist.base.engines import Engine
from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.decisions.checked_columns import as_action_names
from welfarist.decisions.scanned.pair_columns import (
    action_numbers,
    counts_of,
    name_index,
    refuse_nulls,
    refuse_roles,
    require_names,
)
from welfarist.decisions.scanned.parquet import Files, Part, Place, batches, open_files
from welfarist.people.utility_tables import as_utility_table


@dataclass(frozen=True)
class Spreads:
    """Scores of each action: how many (N,), their mean (N,), and n times their variance (N,)."""

    count: FloatArray
    mean: FloatArray
    squares: FloatArray

    def __add__(self, other: Spreads) -> Spreads:
        """Return the same of all scores; nothing is lost where means are far from 0."""
        count = self.count + other.count
        share = np.divide(other.count, count, out=np.zeros(len(count)), where=count > 0)
        apart = other.mean - self.mean
        squares = self.squares + other.squares + np.square(apart) * self.count * share
        return Spreads(count, self.mean + apart * share, squares)


@dataclass(frozen=True)
class ScoreColumns:
    """Which columns hold scores of which actions; called on a part it sums it up."""

    action: str
    score: str
    count: str | None
    actions: int
    names: tuple[str, ...] | None

    @classmethod
    def of(
        cls, files: Files, told: dict[str, str], actions: int, names: tuple[str, ...] | None
    ) -> ScoreColumns:
        """Find the columns by the names of their roles, or by those that were told."""
        import pyarrow as pa

        refuse_roles(told, ("action", "score", "count"))
        action = files.require(told.get("action", "action"), "the action that is scored")
        score = files.require(told.get("score", "score"), "its score")
        count = told.get("count", "count" if "count" in files.types else None)
        if count is not None:
            files.require(count, "how often")
        texts = not pa.types.is_integer(files.types[action])
        return cls(action, score, count, actions, require_names(names) if texts else None)

    def __call__(self, part: Part) -> Spreads:
        """Return what is left of the scores of a part."""
        nothing = np.zeros(self.actions)
        found = Spreads(nothing, nothing, nothing)
        for rows, values, often in self._blocks(part):
            count = np.bincount(rows, often, minlength=self.actions)
            sums = np.bincount(rows, often * values, minlength=self.actions)
            mean = np.divide(sums, count, out=np.zeros(self.actions), where=count > 0)
            apart = np.square(values - mean[rows])
            squares = np.bincount(rows, often * apart, minlength=self.actions)
            found = found + Spreads(count.astype(float), mean, squares.astype(float))
        return found

    def _blocks(self, part: Part) -> Iterator[tuple[npt.NDArray[np.int32], FloatArray, FloatArray]]:
        columns = [self.action, self.score, *([] if self.count is None else [self.count])]
        for place, batch in batches(part, columns):
            if not len(batch):
                continue
            action, score, *more = batch.columns
            rows = action_numbers(action, place, self.action, self.actions, self._index)
            values = _values(score, place, self.score)
            often = counts_of(more[0], place, str(self.count)) if more else np.ones(len(rows))
            yield rows, values, often

    @cached_property
    def _index(self) -> Any:
        return name_index(self.names)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_index"}


class ScannedScores:
    """Scores in Parquet files; see :meth:`welfarist.Scores.scan`."""

    kind = "scores"

    def __init__(
        self,
        files: object,
        actions: object,
        columns: dict[str, str] | None,
        names: object,
        least: float,
    ) -> None:
        self.utilities, self.stakeholders = as_utility_table(actions, least, copy=True)
        given = row_names(actions) if names is None else names
        self.names = None if given is None else as_action_names(given, len(self.utilities))
        self.files = open_files(files)
        size = len(self.utilities)
        self.columns = ScoreColumns.of(self.files, dict(columns or {}), size, self.names)

    def __len__(self) -> int:
        return self.files.rows

    def __repr__(self) -> str:
        files, (actions, people) = len(self.files.stamps), self.utilities.shape
        return (
            f"ScannedScores({len(self)} in {files} file{'' if files == 1 else 's'}, of {actions} "
            f"actions, {people} people)"
        )

    def summed_up(
        self, engine: Engine, progress: Progress
    ) -> tuple[npt.NDArray[np.intp], FloatArray, FloatArray]:
        """Pass over the files; return actions (m,), scores (m,) and how often (m,) that say it all.

        An action whose scores are all the same has one, the others two.
        """
        parts = engine.in_order(self.columns, self.files.parts)
        found: Spreads | None = None
        for part in progress.track(parts, len(self.files.parts), "Summing up scores"):
            found = part if found is None else found + part
        assert found is not None
        if not found.count.any():
            raise InputError(
                f"{self.files.parts[0].path}: counts must not all be zero; found nothing that "
                "counts."
            )
        there = np.flatnonzero(found.count)
        count, mean = found.count[there], found.mean[there]
        spread = np.sqrt(found.squares[there] / count)
        wide = spread > 0
        rows = np.concatenate([there, there[wide]])
        values = np.concatenate([mean - spread, mean[wide] + spread[wide]])
        often = np.concatenate([np.where(wide, count / 2.0, count), count[wide] / 2.0])
        order = np.argsort(rows, kind="stable")
        return rows[order], values[order], often[order]


def _values(column: Any, place: Place, name: str) -> FloatArray:
    refuse_nulls(column, place, name)
    values = column.to_numpy(zero_copy_only=False)
    if values.dtype.kind not in "iuf":
        raise place.says(f"column {name!r} must hold numbers; found {column.type}.")
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise place.says(f"column {name!r} must be finite; found {values[row]:g}.", row)
    return np.asarray(values)
