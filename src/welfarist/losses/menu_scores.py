"""Scores of single choices from menus, for sandwiches and for tests of terms not fitted."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from welfarist.base.validation import FloatArray
from welfarist.decisions.choices import Choices
from welfarist.decisions.menus import Menus
from welfarist.losses.judgement import Judgement
from welfarist.losses.observed import TermColumns
from welfarist.noise.base import CERTAIN
from welfarist.noise.menus import MenuChoice, Softmax

# Entries whose derivatives by all terms are held at a time.
_ENTRIES = 2**14
_TINY = float(np.finfo(np.float64).tiny)
# What is left of the difference of two equal numbers that were each rounded a few times.
_ROUNDING = 16 * float(np.finfo(np.float64).eps)


class Singles(Protocol):
    """What is asked of choices one by one."""

    @property
    def observed(self) -> Any:
        """The same choices, merged."""
        ...

    @property
    def decided(self) -> Choices:
        """The decisions as they came."""
        ...

    @property
    def menus(self) -> Menus:
        """The choices that count one by one."""
        ...

    @property
    def decision(self) -> npt.NDArray[np.intp]:
        """To which decision each of them (m,) belongs."""
        ...

    def owners(self, by: npt.NDArray[np.intp] | None) -> tuple[npt.NDArray[np.intp], FloatArray]:
        """Whose each choice (m,) is, and how much it counts (m,)."""
        ...


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
class MenuTangent:
    """What the derivatives of single choices are made of.

    Attributes
    ----------
    single : SingleMenus
    menus : Menus
    choice : MenuChoice
    scale : (m,) array
        What a move of an action's value is multiplied with in each menu.
    table : (A, k) array
        How the values of actions move with the estimates, along their face, and new terms.
    taus : (k, T) array
        How each of these moves the logarithms of the temperatures.
    rho : (k,) array
        How each of these moves rho.
    place : (m,) array of int or None
        Which of the temperatures each menu has; None if there is one.
    z : (E,) array
        The values of entries, 0 where infinite.
    own : pair of (m,) arrays, or None
        Slopes of single choices' losses by rho, and what they tell of it; None if nobody slips.
    """

    single: Singles
    menus: Menus
    choice: MenuChoice
    scale: FloatArray
    table: FloatArray
    taus: FloatArray
    rho: FloatArray
    place: npt.NDArray[np.intp] | None
    z: FloatArray
    own: tuple[FloatArray, FloatArray] | None

    @classmethod
    def of(
        cls,
        single: Singles,
        judged: Judgement,
        extras: FloatArray,
        basis: FloatArray,
        terms: FloatArray,
    ) -> MenuTangent:
        """Work out derivatives by moves (m, q) of the estimates and by new terms (e, A)."""
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
        own = None if slips is None else _of_slips(here, slips)
        return cls(
            single, here.menus, choice, scale, table, taus, rho, observed.tau_place, here.finite,
            own,
        )  # fmt: skip

    def parts(self) -> list[slice]:
        """Runs of menus of about as many entries."""
        starts, total = self.menus.starts, len(self.menus)
        cuts = np.unique(np.searchsorted(starts, np.arange(0, starts[-1], _ENTRIES)))
        ends = [*cuts[cuts < total].tolist(), total]
        ends = ends if ends[0] == 0 else [0, *ends]
        return [slice(a, b) for a, b in pairwise(ends)]

    def block(self, part: slice, columns: TermColumns | None) -> tuple[FloatArray, FloatArray]:
        """Slopes (b, k + c) of some choices, each times its count, and their information."""
        menus, single, place = self.menus, self.single, self.place
        entries = slice(int(menus.starts[part.start]), int(menus.starts[part.stop]))
        sizes = menus.sizes[part]
        starts = menus.starts[part] - entries.start
        along_tau = self.taus[:, 0] if place is None else self.taus[:, place[part]].T
        z = self.z[entries]
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
        if choice.by_own_and_value is not None and self.own is not None:
            by_rho, told = self.own
            each = each - np.outer(by_rho[part], rho)
            cross = design.T @ (choice.by_own_and_value[entries] * often[:, 0])
            information += np.outer(cross, rho) + np.outer(rho, cross)
            information += np.outer(rho, rho) * float(told[part] @ times)
        return each * times[:, None], information


def _of_slips(here: Softmax, rho: float) -> tuple[FloatArray, FloatArray]:
    """Slopes (m,) of single choices' losses by rho, and what they tell of it."""
    menus, tilt = here.menus, here.tilt()
    chances = np.maximum(here.chances(rho), _TINY)
    slopes = -menus.sums(menus.taken * tilt / chances)
    told = menus.sums(np.square(tilt) / np.maximum(chances, CERTAIN)) * menus.count
    return slopes, told


@dataclass(frozen=True)
class MenuScores:
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
        single: Singles,
        judged: Judgement,
        extras: FloatArray,
        rows: FloatArray,
        by: npt.NDArray[np.intp] | None,
    ) -> MenuScores:
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
            each = -_of_slips(here, float(extras[place]))[0] * times
            own.append(np.bincount(owner, each, minlength=owners)[:, None].astype(np.float64))
        order = observed.extras.order(len(rows))
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
