"""Columns of comparisons in files as numbers that can be trusted, or a message with their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.decisions.merged_pairs import MergedPairs, merged
from welfarist.decisions.scanned.parquet import Files, Part, Place, batches

# Columns that tell which of two actions was preferred, by the names that files give them.
_OUTCOMES = ("outcome", "choice", "preferred", "winner", "answer")
# Texts that say which, and what they stand for.
_TEXTS = {"first": 1, "second": -1, "tie": 0}


@dataclass(frozen=True)
class PairBlock:
    """Some comparisons: both actions (n,), outcomes (n,), how often each was observed (n,)."""

    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]
    outcome: npt.NDArray[np.int8]
    count: FloatArray | None

    def __len__(self) -> int:
        return len(self.first)

    @property
    def total(self) -> float:
        """How many comparisons were observed."""
        return float(len(self)) if self.count is None else float(self.count.sum())

    @property
    def nothing(self) -> float:
        """What flipping a coin loses."""
        return self.total * float(np.log(2.0))

    def take(self, rows: npt.NDArray[np.intp]) -> PairBlock:
        """Return some of them."""
        count = None if self.count is None else self.count[rows]
        return PairBlock(self.first[rows], self.second[rows], self.outcome[rows], count)

    def mention(self, seen: npt.NDArray[np.bool_]) -> None:
        """Mark the actions (N,) that are compared."""
        seen[self.first] = True
        seen[self.second] = True

    def flags(self) -> npt.NDArray[np.bool_]:
        """Which outcomes there are: -1, 0, 1."""
        low, high = self.outcome.min(), self.outcome.max()
        return np.array([low < 0, bool((self.outcome == 0).any()), high > 0])

    def merged(self, actions: int) -> MergedPairs:
        """Return each pair of actions once."""
        pairs = np.stack([self.first, self.second], axis=1)
        count = np.ones(len(self)) if self.count is None else self.count
        return merged(pairs, self.outcome, count, actions)

    @staticmethod
    def joined(blocks: Sequence[PairBlock]) -> PairBlock:
        """Return several blocks as one."""
        counted = blocks[0].count is not None
        return PairBlock(
            np.concatenate([block.first for block in blocks]),
            np.concatenate([block.second for block in blocks]),
            np.concatenate([block.outcome for block in blocks]),
            np.concatenate([block.count for block in blocks]) if counted else None,
        )


@dataclass(frozen=True)
class PairColumns:
    """Which columns hold comparisons, and of which actions.

    Attributes
    ----------
    first, second, outcome : str
    count : str or None
    actions : int
    names : tuple of str or None
        The actions' names, where the files hold names.
    """

    first: str
    second: str
    outcome: str
    count: str | None
    actions: int
    names: tuple[str, ...] | None

    @classmethod
    def of(
        cls, files: Files, told: dict[str, str], actions: int, names: tuple[str, ...] | None
    ) -> PairColumns:
        """Find the columns by the names of their roles, or by those that were told."""
        refuse_roles(told, ("first", "second", "outcome", "count"))
        outcome = told.get("outcome")
        if outcome is None:
            outcome = next((name for name in _OUTCOMES if name in files.types), "outcome")
        count = told.get("count", "count" if "count" in files.types else None)
        first = files.require(told.get("first", "first"), "the first action")
        second = files.require(told.get("second", "second"), "the second action")
        files.require(outcome, "which was preferred")
        if count is not None:
            files.require(count, "how often")
        texts = any(not _is_number(files.types[name]) for name in (first, second))
        return cls(first, second, outcome, count, actions, require_names(names) if texts else None)

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        found = [self.first, self.second, self.outcome]
        return found if self.count is None else [*found, self.count]

    def blocks(self, part: Part) -> Iterator[PairBlock]:
        """Yield the comparisons of a part."""
        for place, batch in batches(part, self.columns):
            if len(batch):
                yield self._block(place, *batch.columns)

    def _block(
        self, place: Place, first: Any, second: Any, outcome: Any, count: Any = None
    ) -> PairBlock:
        one = action_numbers(first, place, self.first, self.actions, self._index)
        other = action_numbers(second, place, self.second, self.actions, self._index)
        same = one == other
        if same.any():
            row = int(np.argmax(same))
            raise place.says(
                "a comparison must be between two different actions; found "
                f"{first[row].as_py()!r} compared with itself. Leave it out.",
                row,
            )
        often = None if count is None else counts_of(count, place, str(self.count))
        return PairBlock(one, other, _outcomes(outcome, place, self.outcome), often)

    @cached_property
    def _index(self) -> Any:
        return name_index(self.names)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_index"}


def action_numbers(
    column: Any, place: Place, name: str, actions: int, index: Any
) -> npt.NDArray[np.int32]:
    """Return the row numbers (n,) of actions, from numbers or names."""
    import pyarrow as pa
    from pyarrow import compute

    refuse_nulls(column, place, name)
    if index is not None:
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        found = compute.index_in(column.cast(index.type), value_set=index)
        if found.null_count:
            row = _first_null(found)
            raise place.says(
                f"column {name!r} must name actions of the table; found "
                f"{column[row].as_py()!r:.60}, which is none. Correct the name, or add the action.",
                row,
            )
        return np.asarray(found.to_numpy(zero_copy_only=True), dtype=np.int32)
    numbers = column.to_numpy(zero_copy_only=False)
    if numbers.dtype.kind not in "iu":
        raise place.says(
            f"column {name!r} must hold whole row numbers of the table of actions, or their names; "
            f"found {column.type}."
        )
    if numbers.min() < 0 or numbers.max() >= actions:
        row = int(np.argmax((numbers < 0) | (numbers >= actions)))
        raise place.says(
            f"column {name!r} must point into the table of {actions} actions, from 0 to "
            f"{actions - 1}; found {numbers[row]}.",
            row,
        )
    return np.asarray(numbers.astype(np.int32, copy=False))


def counts_of(column: Any, place: Place, name: str) -> FloatArray:
    """Return how often rows were observed (n,): numbers above or at 0."""
    refuse_nulls(column, place, name)
    values = column.to_numpy(zero_copy_only=False)
    if values.dtype.kind not in "iuf":
        raise place.says(f"column {name!r} must hold numbers; found {column.type}.")
    values = values.astype(np.float64)
    good = np.isfinite(values) & (values >= 0)
    if not good.all():
        row = int(np.argmin(good))
        raise place.says(
            f"column {name!r} must be finite and not negative; found {values[row]:g}.", row
        )
    return np.asarray(values)


def refuse_nulls(column: Any, place: Place, name: str) -> None:
    """Require that nothing is missing in a column."""
    if column.null_count:
        raise place.says(
            f"column {name!r} must be complete; found {column.null_count} missing. Leave those "
            "decisions out.",
            _first_null(column),
        )


def require_names(names: tuple[str, ...] | None) -> tuple[str, ...]:
    """Require that actions have names."""
    if names is None:
        raise InputError(
            "files with names of actions need a table of actions with names: a data frame with an "
            "index, or names=[…]; found none."
        )
    return names


def refuse_roles(told: dict[str, str], known: tuple[str, ...]) -> None:
    """Require that columns are named for roles that there are."""
    strange = [role for role in told if role not in known]
    if strange:
        raise InputError(
            f"columns must name the columns of {', '.join(known)}; found {strange[0]!r}."
        )


def name_index(names: tuple[str, ...] | None) -> Any:
    """Return names as an Arrow array, in which others are looked up."""
    import pyarrow as pa

    return None if names is None else pa.array(names, pa.string())


def _outcomes(column: Any, place: Place, name: str) -> npt.NDArray[np.int8]:
    """Return outcomes (n,): +1, -1 or 0."""
    import pyarrow as pa

    refuse_nulls(column, place, name)
    if not pa.types.is_boolean(column.type) and not _is_number(column.type):
        return _said_in_words(column, place, name)
    values = column.to_numpy(zero_copy_only=False)
    if values.dtype.kind == "b":
        return np.where(values, np.int8(1), np.int8(-1))
    if values.dtype != np.int8 or values.min() < -1 or values.max() > 1:
        good = (values == 0) | (values == 1) | (values == -1)
        if not good.all():
            row = int(np.argmin(good))
            raise place.says(
                f"column {name!r} must be 1 (the first was preferred), -1 (the second) or 0 (a "
                f"tie), or true and false; found {values[row]:g}.",
                row,
            )
    return np.asarray(values.astype(np.int8, copy=False))


def _said_in_words(column: Any, place: Place, name: str) -> npt.NDArray[np.int8]:
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    words = pa.array(list(_TEXTS), pa.string())
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    found = compute.index_in(column.cast(pa.string()), value_set=words) if is_text else None
    if found is None or found.null_count:
        row = 0 if found is None else _first_null(found)
        raise place.says(
            f'column {name!r} must be "first", "second" or "tie", or 1, -1 and 0; found '
            f"{column[row].as_py()!r:.60}.",
            row,
        )
    return np.asarray(np.array(list(_TEXTS.values()), dtype=np.int8)[found.to_numpy()])


def _first_null(column: Any) -> int:
    return int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    )
