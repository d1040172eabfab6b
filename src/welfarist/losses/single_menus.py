"""Choices one by one: what sandwiches, resamples and score tests need, and merging hides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
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
from welfarist.losses.observed import Slopes, TermColumns, UnitName
from welfarist.noise.base import CERTAIN
from welfarist.noise.menus import MenuChoice, Softmax

# Decisions, or groups of them, whose scores are held at a time.
_BLOCK = 2**14
# Entries whose derivatives by all terms are held at a time.
_ENTRIES = 2**14
_TINY = float(np.finfo(np.float64).tiny)
# What is left of the difference of two equal numbers that were each rounded a few times.
_ROUNDING = 16 * float(np.finfo(np.float64).eps)


def tells(menus: Menus) -> npt.NDArray[np.bool_]:
    """Whether each menu (m,) says something: it was chosen from, and there was a choice."""
    return np.asarray((menus.count > 0) & (menus.sizes > 1))


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
        scores = _Scores.of(self, judged, extras, rows, by)
        meat = np.zeros((len(basis),) * 2)
        for start in range(0, scores.owners, _BLOCK):
            each = scores.block(slice(start, start + _BLOCK)) @ basis.T
            meat += each.T @ each
        return meat if by is None else meat * (scores.owners / (scores.owners - 1.0))

    def resampling(self, unit: UnitName, size: int) -> MenuResampling:
        """Return how resamples of as many decisions, or of whole deciders, are drawn."""
        del size  # a ranking is one decision, however many choices it is
        decided = self.decided
        counts = decided.counts
        kept = counts > 0
        if unit == "decisions":
            whose = np.arange(len(counts))
            chance, draws = counts / counts.sum(), round(float(counts.sum()))
            each = np.where(kept, 1.0, 0.0)
        else:
            cluster = self.deciders
            assert cluster is not None
            people = int(cluster.max()) + 1
            if people < 2:
                raise InputError(
                    'unit="clusters" needs decisions of at least two people; found those of one. '
                    'Use unit="decisions".'
                )
            whose = np.zeros(len(counts), dtype=np.intp)
            whose[kept] = cluster
            chance, draws, each = np.full(people, 1.0 / people), people, counts
        return MenuResampling(self.observed, self._entries(whose, each, len(chance)), chance, draws)

    def _entries(self, whose: npt.NDArray[np.intp], each: FloatArray, units: int) -> Any:
        """How often each unit chose each entry of the merged menus (E, units), sparse."""
        decided = self.decided
        order = _entry_places(decided)
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
        tangent = _Tangent.of(self, judged, extras, basis, terms)
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


def _around_means(
    design: FloatArray, shares: FloatArray, starts: npt.NDArray[np.intp], sizes: Any
) -> FloatArray:
    """Return moves of entries (E, k) less the mean of their menu by shares (E,).

    What all entries of a menu gain alike changes nothing. Squares of such moves would be the
    difference of large numbers; what rounding leaves of a move that is the same for all is 0.
    """
    means = np.repeat(np.add.reduceat(design * shares[:, None], starts, axis=0), sizes, axis=0)
    apart = design - means
    return np.where(np.abs(apart) <= _ROUNDING * np.abs(means), 0.0, apart)


@dataclass(frozen=True)
class _Tangent:
    """What the derivatives of single choices are made of.

    Attributes
    ----------
    single : SingleMenus
    here : Softmax
    choice : MenuChoice
    scale : (m,) array
        What a move of an action's value is multiplied with in each menu.
    table : (A, k) array
        How the values of actions move with the estimates, along their face, and new terms.
    taus : (k, T) array
        How each of these moves the logarithms of the temperatures.
    rho : (k,) array
        How each of these moves rho.
    slips : float
        Rho itself.
    """

    single: SingleMenus
    here: Softmax
    choice: MenuChoice
    scale: FloatArray
    table: FloatArray
    taus: FloatArray
    rho: FloatArray
    slips: float

    @classmethod
    def of(
        cls,
        single: SingleMenus,
        judged: Judgement,
        extras: FloatArray,
        basis: FloatArray,
        terms: FloatArray,
    ) -> _Tangent:
        observed = single.observed.of_menus(single.menus)
        here = observed.compare(judged.values, extras, judged.people.has_zeros)
        place, known = observed.extras.rho, observed.extras
        slips = None if place is None else float(extras[place])
        choice = here.choice(slips)
        rows = judged.rows()
        q, e, m = len(rows), len(terms), len(basis)
        wide = known.rows(np.vstack([rows, terms]))  # rule, new terms, what is added to values
        moves = np.zeros((m + e, len(wide)))
        moves[:m, :q], moves[:m, q + e :] = basis[:, :q], basis[:, q:][:, known.of_actions]
        moves[m:, q : q + e] = np.eye(e)
        taus, rho = np.zeros((m + e, len(known.taus))), np.zeros(m + e)
        taus[:m] = basis[:, q:][:, known.taus]
        if place is not None:
            rho[:m] = basis[:, q + place]
        scale, table = observed.scales(extras), wide.T @ moves.T
        return cls(single, here, choice, scale, table, taus, rho, slips or 0.0)

    def parts(self) -> list[slice]:
        """Runs of menus of about as many entries."""
        starts, total = self.here.menus.starts, len(self.here.menus)
        cuts = np.unique(np.searchsorted(starts, np.arange(0, starts[-1], _ENTRIES)))
        ends = [*cuts[cuts < total].tolist(), total]
        ends = ends if ends[0] == 0 else [0, *ends]
        return [slice(a, b) for a, b in pairwise(ends)]

    def block(self, part: slice, columns: TermColumns | None) -> tuple[FloatArray, FloatArray]:
        """Slopes (b, k + c) of some choices, each times its count, and their information."""
        menus, single = self.here.menus, self.single
        entries = slice(int(menus.starts[part.start]), int(menus.starts[part.stop]))
        sizes = menus.sizes[part]
        starts = menus.starts[part] - entries.start
        place = single.observed.of_menus(menus).tau_place
        along_tau = self.taus[:, 0] if place is None else self.taus[:, place[part]].T
        z = self.here.finite[entries]
        design = self.table[menus.rows[entries]] * np.repeat(self.scale[part], sizes)[:, None]
        moved = along_tau if place is None else np.repeat(along_tau, sizes, axis=0)
        design += z[:, None] * moved
        rho = self.rho
        if columns is not None:
            more = columns(entries)
            design = np.hstack([design, more])
            rho = np.append(rho, np.zeros(more.shape[1]))
        choice = self.choice
        times = single.decided.counts[single.decision[part]]
        design = _around_means(design, choice.first[entries], starts, sizes)
        each = -np.add.reduceat(design * choice.by_value[entries, None], starts, axis=0)
        often = np.repeat(times, sizes)[:, None]
        # What entries of a menu have together with each other is in the products with their means.
        information = design.T @ (design * (choice.alone[entries, None] * often))
        if choice.by_own_and_value is not None:
            here, own = self._own(part)
            each = each - np.outer(here, rho)
            cross = design.T @ (choice.by_own_and_value[entries] * often[:, 0])
            information += np.outer(cross, rho) + np.outer(rho, cross)
            information += np.outer(rho, rho) * float(own @ times)
        return each * times[:, None], information

    def _own(self, part: slice) -> tuple[FloatArray, FloatArray]:
        """Slopes (b,) of single choices' losses by rho, and what they tell of it."""
        menus = self.here.menus
        chances = np.maximum(self.here.chances(self.slips), _TINY)
        tilt = 2.0 * (menus.spread(1.0 / menus.sizes) - self.here.shares())
        slopes = -menus.sums(menus.taken * tilt / chances)
        told = menus.sums(np.square(tilt) / np.maximum(chances, CERTAIN)) * menus.count
        return slopes[part], told[part]


@dataclass(frozen=True)
class _Scores:
    """Scores of decisions, or of whole decision makers.

    Attributes
    ----------
    table : (N, a) array
        How the values of actions move, with rows of their own for what is added to them.
    incidence : (c, N) sparse array
        Turns that into the scores of c owners.
    own : (c, T + r) array
        Scores by the temperatures and by rho.
    order : list of int
        Where each of rows and extras is in both together.
    """

    table: FloatArray
    incidence: Any
    own: FloatArray
    order: list[int]

    @property
    def owners(self) -> int:
        """How many there are."""
        return int(self.incidence.shape[0])

    @classmethod
    def of(
        cls,
        single: SingleMenus,
        judged: Judgement,
        extras: FloatArray,
        rows: FloatArray,
        by: npt.NDArray[np.intp] | None,
    ) -> _Scores:
        """Work out the scores by decision, or by the owners `by` (n,) of those that count."""
        observed, menus = single.observed, single.menus
        one_by_one, owner, times = observed.of_menus(menus), *single.owners(by)
        here = one_by_one.compare(judged.values, extras, judged.people.has_zeros)
        place = observed.extras.rho
        choice = here.choice(None if place is None else float(extras[place]))
        wide = observed.extras.rows(rows)
        scale = menus.spread(one_by_one.scales(extras))
        pull = -choice.by_value * menus.spread(times)
        owners = int(owner.max()) + 1
        whose = np.repeat(owner, menus.sizes)
        shape = (owners, wide.shape[1])
        incidence = csr_array((pull * scale, (whose, menus.rows)), shape=shape)
        own = [_by_tau(one_by_one, menus.sums(pull * here.finite), owner, owners)]
        if place is not None:
            own.append(_by_rho(here, float(extras[place]), times, owner, owners)[:, None])
        q, a, taus = len(rows), len(wide), len(observed.extras.taus)
        places = dict(zip(observed.extras.taus, range(a, a + taus), strict=True))
        places.update(zip(observed.extras.of_actions, range(q, a), strict=True))
        if place is not None:
            places[place] = a + taus
        order = [*range(q), *(places[i] for i in range(len(extras)))]
        return cls(np.ascontiguousarray(wide.T), incidence, np.hstack(own), order)

    def block(self, part: slice) -> FloatArray:
        """The scores (b, q + x) of some owners."""
        whole = np.hstack([self.incidence[part] @ self.table, self.own[part]])
        return np.asarray(whole[:, self.order])


def _by_tau(
    observed: Any, along: FloatArray, owner: npt.NDArray[np.intp], owners: int
) -> FloatArray:
    """Scores (c, T) by each temperature, from those of menus (m,)."""
    taus = len(observed.extras.taus)
    place = observed.tau_place if observed.tau_place is not None else np.zeros(len(along), np.intp)
    sums = np.bincount(owner * taus + place, along, minlength=owners * taus)
    return np.asarray(sums.reshape(owners, taus), dtype=np.float64)


def _by_rho(
    here: Softmax, rho: float, times: FloatArray, owner: npt.NDArray[np.intp], owners: int
) -> FloatArray:
    """Scores (c,) by rho."""
    menus = here.menus
    tilt = 2.0 * (menus.spread(1.0 / menus.sizes) - here.shares())
    each = menus.sums(menus.taken * tilt / np.maximum(here.chances(rho), 1e-300)) * times
    return np.asarray(np.bincount(owner, each, minlength=owners), dtype=np.float64)


def _entry_places(decided: Choices) -> npt.NDArray[np.intp]:
    """The entry of the merged menus that each entry (E,) is counted in; -1 if it is left out."""
    merged, number = decided.merged
    kept = tells(merged)
    menu = np.full(len(merged), -1, dtype=np.intp)
    menu[kept] = np.arange(int(kept.sum()))
    once = merged if kept.all() else merged.take(kept)
    known, keys = _located(once, decided.actions + 1)
    menus = decided.menus
    owner = np.repeat(menu[number], menus.sizes)
    wanted = owner.astype(np.int64) * (decided.actions + 1) + menus.rows
    place = np.searchsorted(keys, wanted)
    found = known[np.minimum(place, len(known) - 1)]
    return np.asarray(np.where(owner >= 0, found, -1), dtype=np.intp)


def _located(menus: Menus, actions: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Entries in the order of menu and action, with the keys that say which they are."""
    owner = np.repeat(np.arange(len(menus)), menus.sizes)
    keys = owner.astype(np.int64) * actions + menus.rows
    order = np.argsort(keys, kind="stable")
    return order, keys[order]


@dataclass(frozen=True)
class MenuResampling:
    """Whole decisions, or decision makers with all they decided, drawn with replacement.

    Attributes
    ----------
    observed : ObservedMenus
    taken : (E, c) sparse array
        How often each of c units chose each entry.
    chance : (c,) array
    draws : int
    """

    observed: Any
    taken: Any
    chance: FloatArray
    draws: int

    def draw(self, rng: np.random.Generator) -> Any:
        """Return a resample."""
        times = rng.multinomial(self.draws, self.chance).astype(np.float64)
        return self.observed.with_taken(np.asarray(self.taken @ times))
