"""What a decision maker did: scores given to actions, or preferences between them.

Both are checked once, on entry; everything after trusts them. Comparisons hold row numbers into
one table of actions, so that whatever depends on utilities is computed once per action. A
comparison is a choice from a menu of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.columns import (
    as_action_names,
    as_column,
    as_counts,
    as_labels,
    as_outcomes,
    as_pairs,
)
from welfarist.errors import InputError
from welfarist.layouts import paired_stems
from welfarist.merged_pairs import MergedPairs, merged
from welfarist.tables import row_names, split_names
from welfarist.validation import FloatArray, as_numbers, utilities_error


def as_utility_table(utilities: object) -> tuple[FloatArray, tuple[str, ...] | None]:
    """Return a checked table of utilities (N, d) and the people's names, if it has any."""
    values, names = split_names(utilities)
    table = as_numbers(values, "utilities")
    if table.ndim != 2:
        raise InputError(
            "utilities must be a table with one row per action and one column per person; found "
            f"an array with {table.ndim} axes. Reshape your data: use reshape(-1, 1) for one "
            "person, reshape(1, -1) for one action."
        )
    if table.shape[0] == 0 or table.shape[1] == 0:
        raise InputError(
            "utilities must hold at least one action and one person; found "
            f"0 sample(s) or 0 feature(s) (shape={table.shape}) while a minimum of 1 is required."
        )
    table = table.astype(np.float64, copy=False)
    if not (table.min() >= 0 and table.max() < np.inf):
        refuse_missing(table, names)
        raise utilities_error(table)
    return table, names


def refuse_missing(table: FloatArray, names: Sequence[str] | None = None) -> None:
    """Require a table (N, d) without NaN, or say where they are and in how many rows."""
    missing = np.isnan(table)
    if not missing.any():
        return
    row, column = (int(i) for i in np.argwhere(missing)[0])
    rows = int(missing.any(axis=1).sum())
    where = f"column {column if names is None else repr(str(names[column]))}"
    raise InputError(
        f"utilities must be complete; found NaN at row {row}, {where}, and in {rows} of "
        f"{len(table)} rows altogether. Drop those rows, or fill in what is missing."
    )


@dataclass(frozen=True)
class Scores:
    """Welfare as the decision maker stated it for each action.

    Attributes
    ----------
    utilities : (N, d) array
    values : (N,) array
        The scores.
    counts : (N,) array
        How much each score counts; ones if not given.
    stakeholders : tuple of str or None
    """

    utilities: FloatArray
    values: FloatArray
    counts: FloatArray
    stakeholders: tuple[str, ...] | None = None

    @classmethod
    def of(cls, utilities: object, scores: object, sample_weight: object = None) -> Scores:
        """Check and take over utilities (N, d), scores (N,) and optional weights (N,)."""
        table, names = as_utility_table(utilities)
        values = as_column(scores, "scores", len(table))
        bad = ~np.isfinite(values)
        if bad.any():
            found = "NaN" if np.isnan(values[bad][0]) else "an infinite one"
            raise InputError(
                f"scores must be finite; found {found} at row {int(np.argmax(bad))}. "
                "Leave out the actions that were not scored."
            )
        return cls(table, values, as_counts(sample_weight, "sample_weight", len(table)), names)


class Comparisons:
    """Preferences between pairs of actions.

    Parameters
    ----------
    utilities : (N, d) array-like or data frame
        One row per action, one column per person; column names become stakeholder names.
    pairs : (n, 2) array-like of int
        Row numbers of the two actions that were compared.
    outcomes : (n,) array-like
        +1 if the first was preferred, -1 if the second, 0 for a tie; or booleans, True if the
        first was preferred.
    counts : (n,) array-like, optional
        How often each comparison was observed with this outcome.
    by : (n,) array-like, optional
        Who decided, for errors clustered by decision maker.
    names : (N,) sequence of str, optional
        The actions' names, each its own. Left out, they are the index of a pandas data frame that
        has one other than row numbers.

    Attributes
    ----------
    names : tuple of str or None
    numbered : bool
        Whether row numbers of `utilities` are the caller's own; in comparisons made by
        `from_arrays`, where equal rows become one action, they are not.

    Examples
    --------
    >>> decisions = Comparisons([[4.0, 1.0], [2.0, 2.0], [1.0, 9.0]], [[0, 1], [1, 2]], [-1, 1])
    >>> len(decisions)
    2
    >>> decisions.actions, decisions.people
    (3, 2)
    >>> decisions[:1]
    Comparisons(1 of 3 actions, 2 people)
    """

    def __init__(
        self,
        utilities: object,
        pairs: object,
        outcomes: object,
        counts: object = None,
        by: object = None,
        names: object = None,
    ) -> None:
        given = row_names(utilities) if names is None else names
        self.utilities, self.stakeholders = as_utility_table(utilities)
        self.pairs = as_pairs(pairs, len(self.utilities))
        self.outcomes = as_outcomes(outcomes, len(self.pairs))
        self.counts = (
            np.broadcast_to(np.float64(1.0), len(self.pairs))  # ones that take no memory
            if counts is None
            else as_counts(counts, "counts", len(self.pairs))
        )
        self.by = None if by is None else as_labels(by, len(self.pairs))
        self.names = None if given is None else as_action_names(given, len(self.utilities))
        self.numbered = True

    @classmethod
    def from_arrays(
        cls, u: object, v: object, outcomes: object, counts: object = None, by: object = None
    ) -> Comparisons:
        """Comparisons given as the utilities of both actions, (n, d) and (n, d).

        Rows that are equal become one action, except within a comparison. The columns of two
        data frames are matched by name; names that differ by one ending or beginning per action
        (self_x, other_x and self_y, other_y) must be in the same order.

        Examples
        --------
        >>> u, v = [[1.0, 2.0], [3.0, 3.0]], [[3.0, 3.0], [1.0, 2.0]]
        >>> Comparisons.from_arrays(u, v, [-1, 1]).actions
        2
        """
        first, names = as_utility_table(u)
        second, others = as_utility_table(v)
        if first.shape != second.shape:
            raise InputError(
                "both actions of a comparison must have the same people; found utilities of shape "
                f"{first.shape} and {second.shape}."
            )
        if names is not None and others is not None:
            second, names = _matched(second, names, others)
        table, rows = _distinct_rows(np.concatenate([first, second]))
        pairs = np.ascontiguousarray(rows.reshape(2, -1).T)
        same = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
        if len(same):  # two actions of equal utilities are still two actions
            pairs[same, 1] = len(table) + np.arange(len(same))
            table = np.concatenate([table, second[same]])
        made = cls(table, pairs, outcomes, counts, by)
        made.stakeholders = names or others
        made.numbered = False
        return made

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, chosen: Any) -> Comparisons:
        """Return some of the comparisons, by slice, row numbers or mask, of the same table."""
        if isinstance(chosen, tuple) and len(chosen) == 2 and chosen[1] is Ellipsis:
            chosen = chosen[0]  # how scikit-learn asks for rows
        try:
            rows = np.atleast_1d(np.arange(len(self))[chosen])
        except IndexError:
            raise InputError(
                f"comparisons must be chosen by a slice, row numbers below {len(self)} or a mask "
                f"of that length; found {chosen!r:.60}."
            ) from None
        part = object.__new__(Comparisons)  # all has been checked
        part.utilities, part.stakeholders = self.utilities, self.stakeholders
        part.pairs, part.outcomes = self.pairs[rows], self.outcomes[rows]
        part.counts = self.counts[rows]
        part.by = None if self.by is None else self.by[rows]
        part.names, part.numbered = self.names, self.numbered
        return part

    @property
    def shape(self) -> tuple[int]:
        """Number of comparisons, as scikit-learn asks for it."""
        return (len(self),)

    def __repr__(self) -> str:
        return f"Comparisons({len(self)} of {self.actions} actions, {self.people} people)"

    @property
    def actions(self) -> int:
        """Number of actions in the table."""
        return len(self.utilities)

    @property
    def people(self) -> int:
        """Number of people."""
        return int(self.utilities.shape[1])

    @cached_property
    def merged(self) -> MergedPairs:
        """Each pair of actions once, with how often and in whose favour it was compared."""
        return merged(self.pairs, self.outcomes, self.counts, self.actions)


def _matched(
    second: FloatArray, names: tuple[str, ...], others: tuple[str, ...]
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the second actions' columns in the order of the first's, and the people's names."""
    if names == others:
        return second, names
    if sorted(names) == sorted(others):
        return second[:, [others.index(name) for name in names]], names
    stems = paired_stems(names, others)
    if stems is None:
        raise InputError(
            "both actions of a comparison must have the same people, by name; found columns "
            f"{_shown(names)} and {_shown(others)}. Rename or reorder the columns, or pass arrays."
        )
    return second, stems


def _shown(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")


def distinct_up_to(table: FloatArray, enough: int) -> int:
    """Count the distinct rows of a table, but no further than `enough` of them."""
    for size in (2 * enough, len(table)):  # most tables show enough at their head
        count = len(_distinct_rows(table[:size])[0])
        if count >= enough:
            return enough
    return count


def _distinct_rows(table: FloatArray) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Return the distinct rows of a table and, for every row, the number of its equal."""
    table = np.ascontiguousarray(table + 0.0)  # -0.0 becomes 0.0
    bits = table.view(np.uint64)
    digest = np.zeros(len(table), dtype=np.uint64)
    for person in range(table.shape[1]):  # a multiplicative hash, one pass per column
        digest ^= bits[:, person]
        digest *= np.uint64(0x9E3779B97F4A7C15)
        digest ^= digest >> np.uint64(29)
    _, kept, number = np.unique(digest, return_index=True, return_inverse=True)
    if not np.array_equal(table[kept][number], table):  # two rows share a digest
        distinct, number = np.unique(table, axis=0, return_inverse=True)
        return distinct, number.reshape(-1)
    return table[kept], number
