"""Scores: welfare as the decision maker stated it for each action."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import row_names
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, owned
from welfarist.decisions.checked_columns import as_action_names, as_column, as_counts
from welfarist.decisions.digests import digest_of, parts_of
from welfarist.decisions.scanned.scores import ScannedScores
from welfarist.people.source import is_source, same_utilities, source_digest
from welfarist.people.utility_tables import as_utility_table, shifted_table


@dataclass(frozen=True)
class Scores:
    """Welfare as the decision maker stated it for each action; made by :meth:`of`.

    Attributes
    ----------
    utilities : (N, d) array
    values : (N,) array
        The scores.
    counts : (N,) array
        How much each score counts; ones if not given.
    stakeholders : tuple of str or None
    names : tuple of str or None
        The actions' names.

    Examples
    --------
    >>> decided = Scores.of([[4.0, 1.0], [2.0, 2.0]], [2.5, 2.0], names=["clinic", "school"])
    >>> len(decided), decided[:1].names
    (2, ('clinic',))
    """

    utilities: FloatArray
    values: FloatArray
    counts: FloatArray
    stakeholders: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None

    kind = "scores"
    by_hint = 'Scores have no decision makers here: use covariance="robust", or resample decisions.'
    measure = "R squared"
    unit = "actions"
    by = None
    says_nothing = False
    how_numbered = "They are numbered in the order of the data: the first scored action is 1."

    @classmethod
    def of(
        cls,
        utilities: object,
        scores: object,
        sample_weight: object = None,
        names: object = None,
        least: float = 0.0,
        copy: bool = True,
    ) -> Scores:
        """Check and take over utilities (N, d), scores (N,) and optional weights (N,).

        Parameters
        ----------
        utilities : (N, d) array-like, data frame or Sketch
            One row per action, one column per person; column names become stakeholder names.
        scores : (N,) array-like
        sample_weight : (N,) array-like, optional
            How much each score counts.
        names : (N,) sequence of str, optional
            The actions' names, each its own. Left out, they are the index of a pandas data frame
            that has one other than row numbers.
        least : float
            The smallest that a utility may be: less than 0 where a constant will be added to all.
        copy : bool
            Whether arrays are copied, so that changing one's own afterwards changes nothing here.
        """
        given = row_names(utilities) if names is None else names
        table, people = as_utility_table(utilities, least, copy)
        values = as_column(scores, "scores", len(table))
        bad = ~np.isfinite(values)
        if bad.any():
            found = "NaN" if np.isnan(values[bad][0]) else "an infinite one"
            raise InputError(
                f"scores must be finite; found {found} at row {int(np.argmax(bad))}. "
                "Leave out the actions that were not scored."
            )
        counts = as_counts(sample_weight, "sample_weight", len(table))
        called = None if given is None else as_action_names(given, len(table))
        if copy:
            values, counts = owned(values, scores), owned(counts, sample_weight)
        return cls(table, values, counts, people, called)

    @classmethod
    def scan(
        cls,
        files: object,
        actions: object,
        *,
        columns: dict[str, str] | None = None,
        names: object = None,
        least: float = 0.0,
    ) -> ScannedScores:
        """Scores in Parquet files, which a learner reads in one pass and does not hold in memory.

        Parameters
        ----------
        files, actions, names, least
            As in :meth:`Comparisons.scan`.
        columns : mapping, optional
            The columns of "action" (row numbers or names), "score" and "count", where they are not
            called so.

        Notes
        -----
        However many scores an action has, two of them with the same number, mean and spread have
        the same squared error under every rule: a fit is that to all scores, and its likelihood
        too. What needs single scores (robust standard errors, the bootstrap, rounding) sees these.

        Examples
        --------
        >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
        >>> folder = tempfile.mkdtemp()
        >>> table = pa.table({"action": [0, 1, 1], "score": [2.5, 2.0, 2.2]})
        >>> pq.write_table(table, folder + "/part-0.parquet")
        >>> Scores.scan(folder, [[4.0, 1.0], [2.0, 2.0]])
        ScannedScores(3 in 1 file, of 2 actions, 2 people)
        """
        return ScannedScores(files, actions, columns, names, least)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def shape(self) -> tuple[int]:
        """Number of scores, as scikit-learn asks for it."""
        return (len(self),)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Scores that were pickled by version 0.1.0 knew no names.
        vars(self).update({"names": None, **state})

    @property
    def people(self) -> int:
        """Number of people."""
        return int(self.utilities.shape[1])

    def __getitem__(self, chosen: Any) -> Scores:
        """Return some of the scores, by slice, row numbers or mask."""
        if isinstance(chosen, tuple) and len(chosen) == 2 and chosen[1] is Ellipsis:
            chosen = chosen[0]  # how scikit-learn asks for rows
        rows = np.atleast_1d(np.arange(len(self))[chosen])
        return replace(
            self,
            utilities=self.utilities[rows],
            values=self.values[rows],
            counts=self.counts[rows],
            names=None if self.names is None else tuple(self.names[i] for i in rows.tolist()),
        )

    def shifted(self, shift: float, offset: float = 0.0, *, least: float = 0.0) -> Scores:
        """Return the same with a constant added to every utility, and another to the scores."""
        table = shifted_table(self.utilities, shift, least)
        return replace(self, utilities=table, values=self.values + offset) if shift else self

    def units(self) -> npt.NDArray[np.intp]:
        """The number (N,) of what each score is held out with: every action is on its own."""
        return np.arange(len(self.values))

    def share_right(self, gains: float) -> float | None:
        """R squared about the mean, from minus the sum of squared errors; None without spread."""
        mean = np.average(self.values, weights=self.counts)
        spread = float(self.counts @ np.square(self.values - mean))
        return 1.0 + gains / spread if spread > 0 else None

    @property
    def total(self) -> float:
        """How many scores were observed, counts included."""
        return float(self.counts.sum())

    def same_as(self, other: object) -> bool:
        """Whether these are the same scores of the same actions, in the same order."""
        return self is other or (
            isinstance(other, Scores)
            and same_utilities(self.utilities, other.utilities)
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.counts, other.counts)
        )

    def digest(self) -> str:
        """A text that is the same for the same scores, in the sense of :meth:`same_as`."""
        own = [*parts_of(self.values), *parts_of(self.counts)]
        if is_source(self.utilities):  # which is not all in memory
            return digest_of([*own, *source_digest(self.utilities)])
        return digest_of(chain(own, parts_of(self.utilities)))
