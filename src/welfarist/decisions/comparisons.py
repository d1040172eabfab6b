"""Comparisons: which of two actions was preferred.

They hold row numbers into one table of actions, so that whatever depends on utilities is computed
once per action. A comparison is a choice from a menu of two.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import row_names
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, owned
from welfarist.decisions.checked_columns import (
    as_action_names,
    as_counts,
    as_labels,
    as_outcomes,
    as_pairs,
)
from welfarist.decisions.digests import digest_of, parts_of
from welfarist.decisions.labels import numbered
from welfarist.decisions.merged_pairs import MergedPairs, merged, pair_keys
from welfarist.decisions.paired_columns import paired_stems
from welfarist.decisions.scanned.comparisons import ScannedComparisons
from welfarist.decisions.scanned.decisions import SHARE, refuse_scanned
from welfarist.people.source import is_source, same_utilities, source_digest
from welfarist.people.utility_tables import as_utility_table, distinct_rows, shifted_table


class Comparisons:
    """Preferences between pairs of actions.

    Parameters
    ----------
    utilities : (N, d) array-like, data frame or Sketch
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
    least : float
        The smallest utility there may be: less than 0 for a learner whose `shift` makes up for it.

    Attributes
    ----------
    names : tuple of str or None
    numbered : bool
        Whether row numbers of `utilities` are the caller's own; in comparisons made by
        `from_arrays`, where equal rows become one action, they are not.

    Notes
    -----
    Arrays are copied: changing one's own afterwards changes no decisions, and no fit to them.

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
        *,
        least: float = 0.0,
    ) -> None:
        given = row_names(utilities) if names is None else names
        self.utilities, self.stakeholders = as_utility_table(utilities, least, copy=True)
        self.pairs = owned(as_pairs(pairs, len(self.utilities)), pairs)
        self.names = None if given is None else as_action_names(given, len(self.utilities))
        self.numbered = True
        self._take(outcomes, counts, by)

    def _take(self, outcomes: object, counts: object, by: object) -> None:
        """Check what was decided, and take it over."""
        size = len(self.pairs)
        self.outcomes = owned(as_outcomes(outcomes, size), outcomes)
        self.counts = (
            np.broadcast_to(np.float64(1.0), size)  # ones that take no memory
            if counts is None
            else owned(as_counts(counts, "counts", size), counts)
        )
        if counts is not None and not self.outcomes[self.counts > 0].any():
            raise InputError(
                "at least one outcome that was observed must be a preference; found nothing but "
                "ties where counts are above 0, from which nothing can be learned."
            )
        self.by = None if by is None else owned(as_labels(by, size), by)

    @classmethod
    def from_arrays(
        cls,
        u: object,
        v: object,
        outcomes: object,
        counts: object = None,
        by: object = None,
        *,
        least: float = 0.0,
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
        first, names = as_utility_table(u, least)
        second, others = as_utility_table(v, least)
        if first.shape != second.shape:
            raise InputError(
                "both actions of a comparison must have the same people; found utilities of shape "
                f"{first.shape} and {second.shape}."
            )
        if names is not None and others is not None:
            second, names = _matched(second, names, others)
        table, rows = distinct_rows(np.concatenate([first, second]))
        pairs = np.ascontiguousarray(rows.reshape(2, -1).T)
        same = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
        if len(same):  # two actions of equal utilities are still two actions
            pairs[same, 1] = len(table) + np.arange(len(same))
            table = np.concatenate([table, second[same]])
        made = object.__new__(cls)  # which owns what was made of both tables
        made.utilities, made.pairs, made.stakeholders = table, pairs, names or others
        made.names, made.numbered = None, False
        made._take(outcomes, counts, by)
        return made

    @classmethod
    def scan(
        cls,
        files: object,
        actions: object,
        *,
        columns: dict[str, str] | None = None,
        names: object = None,
        share: int = SHARE,
        random_state: Any = None,
        least: float = 0.0,
    ) -> ScannedComparisons:
        """Comparisons in Parquet files, which a learner reads in parts and never holds as a whole.

        Parameters
        ----------
        files : str, path or list of these
            A Parquet file, a folder of them, or a pattern such as ``"decisions/*.parquet"``.
        actions : (N, d) array-like or data frame
            The utilities, one row per action.
        columns : mapping, optional
            The columns of "first", "second", "outcome" and "count", where they are not called so.
            Actions are row numbers or names; outcomes are 1, -1 and 0, true and false, or "first",
            "second" and "tie".
        names : (N,) sequence of str, optional
            The actions' names; left out, they are the index of a data frame.
        share : int
            How many comparisons are drawn at random and held in memory. Where there are no more,
            all are, and a fit is that of :class:`Comparisons`.
        random_state : seed
            Of the draw.
        least : float
            As in :class:`Comparisons`.

        Notes
        -----
        Needs pyarrow: ``pip install "welfarist[scale]"``. Where pairs repeat often and a table of
        all of them fits into memory, comparisons are counted in one pass and fitted from there.

        Examples
        --------
        >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
        >>> folder = tempfile.mkdtemp()
        >>> table = pa.table({"first": [0, 1], "second": [1, 2], "outcome": [-1, 1]})
        >>> pq.write_table(table, folder + "/part-0.parquet")
        >>> Comparisons.scan(folder, [[4.0, 1.0], [2.0, 2.0], [1.0, 9.0]])
        ScannedComparisons(2 in 1 file, of 3 actions, 2 people)
        """
        return ScannedComparisons(files, actions, columns, names, share, random_state, least)

    kind = "comparisons"
    by_hint = "Give Comparisons(…, by=…), or by=… to Comparisons.from_arrays, and fit to that."
    measure = "accuracy"

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

    def shifted(self, shift: float, *, least: float = 0.0) -> Comparisons:
        """Return the same comparisons with a constant added to all, none then below `least`."""
        table = shifted_table(self.utilities, shift, least)
        if not shift:
            return self
        _ = self.merged  # which is the same for both, and worked out once
        moved = copy(self)
        moved.utilities = table
        return moved

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

    @property
    def says_nothing(self) -> bool:
        """Whether there is nothing but ties, from which no rule can be learned."""
        return not self.outcomes.any()

    @property
    def how_numbered(self) -> str:
        """How a reader of a report finds a decision again."""
        said = "They are numbered in the order of the data: the first decision is 1."
        by_row = self.numbered and self.names is None
        return said + (" Actions have their row numbers, from 0." if by_row else "")

    @property
    def unit(self) -> str:
        """What is held out as a whole, in words."""
        return "pairs of actions" if self.by is None else "decision makers"

    def units(self) -> npt.NDArray[np.intp]:
        """The number (n,) of what each comparison is held out with.

        It is who decided; where nobody knows, the two actions.
        """
        if self.by is not None:
            return numbered(self.by)
        keys = pair_keys(self.pairs[:, 0], self.pairs[:, 1], self.actions)
        return np.asarray(np.unique(keys, return_inverse=True)[1].reshape(-1), dtype=np.intp)

    def share_right(self, gains: float) -> float:
        """Accuracy, from how many were got right, ties half."""
        return gains / self.total

    @property
    def total(self) -> float:
        """How many comparisons were observed, counts included."""
        return float(self.counts.sum())

    def same_as(self, other: object) -> bool:
        """Whether these are the same comparisons, in the same order."""
        if self is other:
            return True
        if not isinstance(other, Comparisons):
            return False
        alike = np.array_equal(self.outcomes, other.outcomes) and np.array_equal(
            self.counts, other.counts
        )
        if not alike:
            return False
        if np.array_equal(self.pairs, other.pairs):
            return same_utilities(self.utilities, other.utilities)
        if is_source(self.utilities) or is_source(other.utilities):
            return False
        # The same actions may be numbered in another way.
        return np.array_equal(self.utilities[self.pairs], other.utilities[other.pairs])

    def digest(self) -> str:
        """A text that is the same for the same comparisons by the same people.

        :meth:`same_as` does not ask who decided; errors that are clustered by them do.
        """
        own = [*parts_of(self.outcomes), *parts_of(self.counts)]
        if self.by is not None:  # errors are clustered by who decided
            own += parts_of(numbered(self.by))
        if is_source(self.utilities):  # which is not all in memory
            return digest_of([*own, *parts_of(self.pairs), *source_digest(self.utilities)])
        return digest_of(chain(own, (self.utilities[rows] for rows in parts_of(self.pairs))))

    @cached_property
    def merged(self) -> MergedPairs:
        """Each pair of actions once, with how often and in whose favour it was compared."""
        return merged(self.pairs, self.outcomes, self.counts, self.actions)


def as_comparisons(X: object) -> Comparisons | None:
    """Return comparisons that were passed as such; None if they came as a table."""
    refuse_scanned(X, "predictions and their scores")
    return X if isinstance(X, Comparisons) else None


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
