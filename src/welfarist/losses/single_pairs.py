"""Comparisons one by one: what sandwiches, resamples and score tests need, and merging hides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.decisions import Comparisons
from welfarist.decisions.labels import numbered
from welfarist.decisions.merged_pairs import pair_keys
from welfarist.losses.decider_pairs import Merged, PairsByDecider
from welfarist.losses.judgement import Judgement
from welfarist.losses.observed import Slopes, TermColumns, UnitName
from welfarist.noise.certain import choice_of
from welfarist.noise.margins import differences

# Decisions, or groups of them, whose scores are held at a time.
_BLOCK = 2**14
# Decisions whose derivatives by all terms are held at a time.
_TERM_BLOCK = 2**13


@dataclass(frozen=True, eq=False)
class SinglePairs:
    """Comparisons in the user's rows.

    Attributes
    ----------
    observed : ObservedPairs
        The same comparisons, merged.
    decided : Comparisons
    """

    observed: Merged
    decided: Comparisons

    @property
    def deciders(self) -> npt.NDArray[np.intp] | None:
        """The number (n,) of who made each decision that counts; None if nobody said."""
        by = self.decided.by
        return None if by is None else numbered(by[self.decided.counts > 0])

    def outer_scores(
        self,
        judged: Judgement,
        extras: FloatArray,
        basis: FloatArray,
        by: npt.NDArray[np.intp] | None,
    ) -> FloatArray:
        """Return the sum of outer squares of scores (m, m), one a decision or a cluster of `by`."""
        rows, incidence, own = self._score_parts(judged, extras, by)
        columns = np.ascontiguousarray((basis[:, : len(rows)] @ rows).T)
        tail = basis[:, len(rows) :]
        meat = np.zeros((len(basis),) * 2)
        for start in range(0, incidence.shape[0], _BLOCK):
            part = slice(start, start + _BLOCK)
            scores = incidence[part] @ columns + own[part] @ tail.T
            meat += scores.T @ scores
        clusters = incidence.shape[0]
        return meat if by is None else meat * (clusters / (clusters - 1.0))

    def _score_parts(
        self, judged: Judgement, extras: FloatArray, by: npt.NDArray[np.intp] | None
    ) -> tuple[FloatArray, Any, FloatArray]:
        """What scores are made of, so that none is held for every person.

        Returns derivatives of the values (q, N), a sparse matrix (c, N) that turns them into the
        scores of c decisions or clusters, and the scores (c, m) of the noise model's parameters.
        """
        decided = self.decided
        kept = decided.counts > 0
        counts, outcomes = decided.counts[kept], decided.outcomes[kept].astype(np.float64)
        number, used = _numbers(decided)
        first, second = number[decided.pairs[kept]].T
        tau, ones = float(np.exp(extras[0])), np.ones(len(first))
        z = tau * differences(judged.values[first], judged.values[second])
        choice, z = choice_of(self.observed.noise, z, extras[1:], ones, outcomes)
        # A decision observed c times has c scores of its own, but adds c of them to its cluster.
        times = np.sqrt(counts) if by is None else counts
        owner = np.arange(len(first)) if by is None else by
        pull = -choice.by_margin * times
        own = [pull * z]
        if choice.own is not None:
            own.extend(-slope * times for slope in choice.own.by_own)
        clusters = int(owner.max()) + 1
        ends = np.append(first, second)
        entries = (np.concatenate([pull, -pull]) * tau, (np.tile(owner, 2), ends))
        incidence = csr_array(entries, shape=(clusters, used))
        sums = [np.bincount(owner, values, minlength=clusters) for values in own]
        return judged.rows(), incidence, np.column_stack(sums).astype(np.float64)

    def resampling(self, unit: UnitName, size: int) -> PairCells | PairsByDecider:
        """Return how resamples of so many comparisons, or of whole deciders, are drawn."""
        if unit == "clusters":
            apart = self.by_decider()
            if apart.people < 2:
                raise InputError(
                    'unit="clusters" needs decisions of at least two people; found those of one. '
                    'Use unit="decisions".'
                )
            return apart
        kept = self.decided.counts > 0
        counts = self.decided.counts[kept]
        pair, outcome = self._cells(kept)
        keys, cell = np.unique(3 * pair + outcome.astype(np.intp) + 1, return_inverse=True)
        total = np.bincount(cell.reshape(-1), counts)
        outcomes = (keys % 3).astype(np.float64) - 1.0
        return PairCells(self.observed, size, keys // 3, outcomes, total / total.sum())

    def by_decider(self) -> PairsByDecider:
        """Return the comparisons apart by who decided."""
        kept = self.decided.counts > 0
        cluster = self.deciders
        assert cluster is not None
        return PairsByDecider.of(
            self.observed, *self._cells(kept), cluster, self.decided.counts[kept]
        )

    def _cells(self, kept: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.intp], FloatArray]:
        """The merged pair of every kept decision (m,), and its outcome as seen from there (m,)."""
        decided, merged = self.decided, self.decided.merged
        one, other = decided.pairs[kept].T
        known = pair_keys(merged.first, merged.second, decided.actions)
        pair = np.searchsorted(known, pair_keys(one, other, decided.actions))
        outcome = np.where(one > other, -1.0, 1.0) * decided.outcomes[kept]
        return pair.astype(np.intp), outcome.astype(np.float64)

    def slopes(
        self,
        judged: Judgement,
        extras: FloatArray,
        basis: FloatArray,
        terms: FloatArray,
        columns: TermColumns | None = None,
        people: npt.NDArray[np.intp] | None = None,
        value: float = 0.0,
    ) -> Slopes:
        """Return slope and information about the estimates and new terms.

        Parameters
        ----------
        judged, extras
            The estimates.
        basis : (m, q) array
            Moves of the estimates.
        terms : (e, A) array
            New terms of the values of the actions that were compared.
        columns : callable, optional
            Terms of the margin: for a slice of the decisions (those that count, in the user's
            order) it gives an array (b, c), which follows the e terms.
        people : (n,) array of int, optional
            Who decided.
        value : float
            The mean loss at the estimates.
        """
        tangent = _Tangent.of(self, judged, extras, basis, terms)
        added = 0 if columns is None else columns(slice(0, 1)).shape[1]
        size = tangent.table.shape[1] + added
        slope, information = np.zeros(size), np.zeros((size, size))
        by_person = None if people is None else np.zeros((int(people.max()) + 1, size))
        for start in range(0, len(tangent.kept), _TERM_BLOCK):
            part = slice(start, start + _TERM_BLOCK)
            design, surprise, times = tangent.block(part, columns)
            slope += design.T @ (times * surprise)
            if people is not None and by_person is not None:
                each = design * (times * surprise)[:, None]
                by_person += _sums(each, people[part], len(by_person))
            design *= np.sqrt(times)[:, None]
            information += design.T @ design
        total = self.observed.total
        return Slopes(slope, information, len(basis), total, value * total, False, by_person)


@dataclass(frozen=True, eq=False)
class _Tangent:
    """What the derivatives of single comparisons are made of.

    Attributes
    ----------
    single : SinglePairs
    kept : (n,) array of int
        Rows of decisions that were observed.
    number : (N,) array of int
        The number of each action among those that were compared.
    values : (A,) array
        Values of the actions that were compared.
    table : (A, m + e) array
        Their derivatives by the estimates, along their face, and the new terms.
    tail : (m, 1 + r) array
        Moves of log tau and the noise model's own parameters along the face.
    extras : (1 + r,) array
    """

    single: SinglePairs
    kept: npt.NDArray[np.intp]
    number: npt.NDArray[np.intp]
    values: FloatArray
    table: FloatArray
    tail: FloatArray
    extras: FloatArray

    @classmethod
    def of(
        cls,
        single: SinglePairs,
        judged: Judgement,
        extras: FloatArray,
        basis: FloatArray,
        terms: FloatArray,
    ) -> _Tangent:
        decided = single.decided
        number, used = _numbers(decided)
        rows = judged.rows()
        m, q = len(basis), len(rows)
        table = np.empty((used, m + len(terms)))
        table[:, :m] = rows.T @ basis[:, :q].T
        table[:, m:] = terms.T
        kept = np.flatnonzero(decided.counts > 0)
        return cls(single, kept, number, judged.values, table, basis[:, q:], extras)

    def block(
        self, part: slice, columns: TermColumns | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Design (b, m + e) and surprise (b,), both with unit variance, and counts (b,)."""
        rows, m, decided = self.kept[part], len(self.tail), self.single.decided
        tau = float(np.exp(self.extras[0]))
        first, second = self.number[decided.pairs[rows]].T
        z = tau * differences(self.values[first], self.values[second])
        design = tau * (self.table[first] - self.table[second])
        # Where a margin is infinite nothing moves it.
        design[:, :m] += np.outer(np.where(np.isinf(z), 0.0, z), self.tail[:, 0])
        if columns is not None:
            design = np.hstack([design, columns(part)])
        here = self.single.observed.noise.response(z, self.extras[1:])
        likely, unlikely = here.likely, here.unlikely
        spread = np.sqrt(np.maximum(likely * unlikely, np.finfo(np.float64).tiny))
        design *= (here.slope / spread)[:, None]
        for tilt, moves in zip(here.by_own, self.tail[:, 1:].T, strict=True):
            design[:, :m] += np.outer(tilt / spread, moves)
        answer = 0.5 + 0.5 * decided.outcomes[rows]
        surprise = (answer * unlikely - (1.0 - answer) * likely) / spread
        return design, surprise, decided.counts[rows]


@dataclass(frozen=True)
class PairCells:
    """Single comparisons, drawn from cells of those between the same actions with one outcome.

    Attributes
    ----------
    observed : ObservedPairs
    size : int
    pair : (m,) array of int
        The merged pair of each cell.
    outcome : (m,) array
        1 if its first action was preferred, -1 if the second, 0 for a tie.
    share : (m,) array
        The share of all comparisons.
    """

    observed: Merged
    size: int
    pair: npt.NDArray[np.intp]
    outcome: FloatArray
    share: FloatArray

    def draw(self, rng: np.random.Generator) -> Any:
        """Return a resample."""
        counts = rng.multinomial(self.size, self.share).astype(np.float64)
        pairs = self.observed.rows
        count = np.bincount(self.pair, counts, minlength=pairs)
        lead = np.bincount(self.pair, self.outcome * counts, minlength=pairs)
        return self.observed.with_counts(count.astype(np.float64), lead.astype(np.float64))


def _numbers(decided: Comparisons) -> tuple[npt.NDArray[np.intp], int]:
    """The number (N,) of each action among those that were compared, and how many these are."""
    _, used = decided.merged.renumbered(decided.actions)
    number = np.zeros(decided.actions, dtype=np.intp)
    number[used] = np.arange(len(used))
    return number, len(used)


def _sums(values: FloatArray, people: npt.NDArray[np.intp], size: int) -> FloatArray:
    """Sums (G, q) of rows (b, q) over those of the same person."""
    entries = (np.ones(len(people)), (people, np.arange(len(people))))
    return np.asarray(csr_array(entries, shape=(size, len(people))) @ values)
