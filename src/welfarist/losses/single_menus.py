"""Choices one by one: what sandwiches, resamples and score tests need, and merging hides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.decisions.choices import Choices
from welfarist.decisions.labels import numbered
from welfarist.decisions.menus import Menus
from welfarist.losses.judgement import Judgement
from welfarist.losses.menu_resampling import MenuResampling, entry_places
from welfarist.losses.menu_scores import MenuScores, MenuTangent
from welfarist.losses.observed import Slopes, TermColumns, UnitName

# Decisions, or groups of them, whose scores are held at a time.
_BLOCK = 2**14
# Entries whose derivatives by all terms are held at a time.
_ENTRIES = 2**14
_TINY = float(np.finfo(np.float64).tiny)
# What is left of the difference of two equal numbers that were each rounded a few times.
_ROUNDING = 16 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class SingleMenus:
    """Choices in the user's rows: a ranking is one decision of several choices.

    Attributes
    ----------
    observed : ObservedMenus
        The same choices, merged.
    decided : Choices
    """

    observed: Any
    decided: Choices

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
        rows = judged.rows()
        scores = MenuScores.of(self, judged, extras, rows, by)
        meat = np.zeros((len(basis),) * 2)
        for start in range(0, scores.owners, _BLOCK):
            each = scores.block(slice(start, start + _BLOCK)) @ basis.T
            meat += each.T @ each
        return meat if by is None else meat * (scores.owners / (scores.owners - 1.0))

    def resampling(self, unit: UnitName, size: int) -> MenuResampling:
        """Return how resamples of as many decisions, or of whole deciders, are drawn."""
        del size  # a ranking is one decision, however many choices it is
        if unit == "clusters":
            apart = self.by_decider()
            if apart.people < 2:
                raise InputError(
                    'unit="clusters" needs decisions of at least two people; found those of one. '
                    'Use unit="decisions".'
                )
            return apart
        counts = self.decided.counts
        each = np.where(counts > 0, 1.0, 0.0)
        chance, draws = counts / counts.sum(), round(float(counts.sum()))
        entries = self._entries(np.arange(len(counts)), each, len(chance))
        return MenuResampling(self.observed, entries, chance, draws)

    def by_decider(self) -> MenuResampling:
        """Return the choices apart by who decided."""
        counts, cluster = self.decided.counts, self.deciders
        assert cluster is not None
        people = int(cluster.max()) + 1
        whose = np.zeros(len(counts), dtype=np.intp)
        whose[counts > 0] = cluster
        chance = np.full(people, 1.0 / people)
        entries = self._entries(whose, counts, people)
        return MenuResampling(self.observed, entries, chance, people)

    def _entries(self, whose: npt.NDArray[np.intp], each: FloatArray, units: int) -> Any:
        """How often each unit chose each entry of the merged menus (E, units), sparse."""
        decided = self.decided
        order = entry_places(decided)
        menus = decided.menus
        often = menus.taken * np.repeat(each[decided.decision], menus.sizes)
        unit = np.repeat(whose[decided.decision], menus.sizes)
        there = (often > 0) & (order >= 0)
        shape = (len(self.observed.menus.rows), units)
        return csr_array((often[there], (order[there], unit[there])), shape=shape)

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
            New terms of the values of the actions that were offered.
        columns : callable, optional
            Terms of the values of entries: for a slice of the entries of :attr:`menus` it gives an
            array (b, c), which follows the e terms.
        people : (n,) array of int, optional
            Who decided, of the decisions that count.
        value : float
            The mean loss at the estimates.
        """
        tangent = MenuTangent.of(self, judged, extras, basis, terms)
        added = 0 if columns is None else columns(slice(0, 1)).shape[1]
        size = tangent.table.shape[1] + added
        slope, information = np.zeros(size), np.zeros((size, size))
        by_person = None if people is None else np.zeros((int(people.max()) + 1, size))
        for part in tangent.parts():
            each, curvature = tangent.block(part, columns)
            slope += each.sum(axis=0)
            information += curvature
            if people is not None and by_person is not None:
                np.add.at(by_person, people[self._kept_decision[part]], each)
        total = self.observed.total
        return Slopes(slope, information, len(basis), total, value * total, False, by_person)

    @cached_property
    def _told(self) -> npt.NDArray[np.intp]:
        """The choices that count, in the order of their sizes and then of the data."""
        decided = self.decided
        kept = (decided.counts[decided.decision] > 0) & (decided.menus.sizes > 1)
        rows = np.flatnonzero(kept)
        return rows[np.argsort(decided.menus.sizes[rows], kind="stable")]

    @cached_property
    def menus(self) -> Menus:
        """The choices that count one by one, over the actions that were offered."""
        decided = self.decided
        wide = decided.actions + decided.outside
        return decided.menus.take(self._told).renumbered(wide)[0]

    @cached_property
    def original(self) -> npt.NDArray[np.intp]:
        """The row of the user's table (E,) that each of their entries is."""
        return self.decided.menus.take(self._told).rows.astype(np.intp)

    @cached_property
    def decision(self) -> npt.NDArray[np.intp]:
        """To which decision of the user's each of them (m,) belongs."""
        return self.decided.decision[self._told]

    def owners(self, by: npt.NDArray[np.intp] | None) -> tuple[npt.NDArray[np.intp], FloatArray]:
        """Whose each choice (m,) is, the decision's or that of `by`, and how much it counts (m,).

        A decision observed c times has c scores of its own, but adds c of them to its cluster.
        """
        counts = self.decided.counts[self.decision]
        if by is None:
            return self._kept_decision, np.sqrt(counts)
        return by[self._kept_decision], counts

    @cached_property
    def _kept_decision(self) -> npt.NDArray[np.intp]:
        """The same, counted among the decisions that count."""
        number = np.cumsum(self.decided.counts > 0) - 1
        return np.asarray(number[self.decision], dtype=np.intp)
