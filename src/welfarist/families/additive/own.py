"""Additive welfare with a curve for each person: who gains what at which level."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray, check_count, is_real
from welfarist.families.additive.curve import areas, hats, knots_of, risen
from welfarist.families.additive.family import FALL, FARTHEST, PIECES, told_of_pieces
from welfarist.families.base import Family
from welfarist.families.columns import Columns, People
from welfarist.families.levels import DIFFERENCE
from welfarist.families.welfare import Welfare

# What a height that a convex search left at 0 begins with, beside the highest of its curve.
_LEAST = 1e-3
_FORM = "knots and bends of each person's curve, and the falls of all but the first that bends"


@dataclass(frozen=True)
class OwnRisen(Columns):
    """People who are all in memory, with the integrals of their own hats up to what they have.

    Attributes
    ----------
    logs : (d, N) array
        What each person has.
    basis : (C, N) array
        The integrals of the hats of all curves, person by person.
    """

    basis: FloatArray = field(default_factory=lambda: np.empty((0, 0)))

    def take(self, actions: npt.NDArray[Any]) -> OwnRisen:
        """Return some of the actions, with the same curves."""
        logs, basis = (np.ascontiguousarray(a[..., actions]) for a in (self.logs, self.basis))
        return OwnRisen(logs, self.shift, False, basis)


@dataclass(frozen=True)
class _Layout:
    """Where the numbers of all curves stand, person by person.

    Attributes
    ----------
    first : (d,) array of int
        Where each person's hats begin.
    person : (C,) array of int
        Whose hat each is.
    places : (C,) array
        Where its knot is between the lowest and the highest of its curve.
    area : (C,) array
        The area below it.
    """

    first: npt.NDArray[np.intp]
    person: npt.NDArray[np.intp]
    places: FloatArray
    area: FloatArray

    @classmethod
    def of(cls, knots: tuple[tuple[float, ...], ...]) -> _Layout:
        sizes = np.array([len(one) for one in knots])
        arrays = [np.array(one) for one in knots]
        places = [(one - one[0]) / (one[-1] - one[0]) for one in arrays]
        return cls(
            np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp),
            np.repeat(np.arange(len(knots)), sizes),
            np.concatenate(places),
            np.concatenate([areas(one) for one in arrays]),
        )


class OwnCurvesFamily(Family):
    """Weighted sums of a rising curve of each person's own: ``V = sum_i w_i f_i(u_i)``.

    Domain: d utilities of any sign, each person's not all the same; weights on the simplex; for
    each person a curve f_i with knots of its own that rises from 0 at that person's smallest
    utility to 1 at the largest.

    Formula: f_i' is a broken line with the value ``b_ik = exp(-a_i x_ik + c_ik)`` at knot k, up to
    a factor, where x_ik runs from 0 at the first knot to 1 at the last and c_ik is 0 at both. A
    weight says how much the whole of somebody's scale counts, a fall a_i how much more a unit
    counts at its bottom than at its top (in logarithms), the bends c_ik where that changes. The
    shape is the fall of the first person whose utilities have three values or more; somebody
    whose have only two has a straight line.

    Limits: with all falls and bends 0 it is a weighted mean of utilities in units of their spans.
    Beyond the utilities of the fit curves go straight on. As sums of integrals of hats with
    weights that are not negative, rules of this family are a convex set in which a likelihood of
    logistic choices has one optimum, and a search needs one start. Curves have no location, so
    that a person whose utility never changes cannot be heard, and scores are refused.

    Parameters
    ----------
    pieces : int, optional
        Into how many pieces each person's scale is cut, with equally many utilities each; left
        out, the number with the lowest BIC.
    knots, straight, falls, bends
        Of curves that are known: the knots of each person, who has a straight line between two,
        and numbers as the formula has them.
    chosen_from : tuple of int
        From which numbers of pieces this one was chosen.
    """

    name = "additive own"
    title = "additive rules with own curves"
    noun = "rule of own curves"
    shape = FALL
    level = DIFFERENCE
    starts = (1.0, -1.0)
    more_starts = (3.0, -3.0, 0.0)
    least = -np.inf
    says = (
        "Everybody has a curve. Its fall says how much more a unit counts for this person at the "
        "bottom of the scale than at its top: at 0 as much, at 1 about 2.7 times as much, below 0 "
        "less. Bends say where on the scale that changes."
    )

    at_end = (
        "a unit counts for nothing at one end of the scale "
        "of the first person whose curve bends, as far as these decisions tell."
    )

    def __init__(
        self,
        pieces: int | None = None,
        knots: Any = None,
        straight: Any = (),
        falls: Any = None,
        bends: Any = None,
        chosen_from: tuple[int, ...] = (),
    ) -> None:
        self.pieces = None if pieces is None else check_count(pieces, "pieces")
        self.chosen_from = tuple(chosen_from)
        self.knots: tuple[tuple[float, ...], ...] | None = None
        self.straight: tuple[int, ...] = tuple(straight)
        self.falls: tuple[float, ...] = ()
        self.bends: tuple[float, ...] = ()
        if knots is not None:
            self._know(knots, falls, bends)
        ends = tuple(one.highest for one in self.own)
        self._bounds = tuple(-end for end in ends), ends

    def _know(self, knots: Any, falls: Any, bends: Any) -> None:
        """Take over the knots of each person, and the numbers of their curves."""
        given = [np.asarray(one, dtype=np.float64) for one in knots]
        if not given or not all(
            one.ndim == 1 and len(one) >= 2 and (np.diff(one) > 0).all() for one in given
        ):
            raise InputError("knots must be two or more numbers a person, each above the last.")
        self.knots = tuple(tuple(one.tolist()) for one in given)
        if self.pieces is None:
            self.pieces = max(len(one) for one in given) - 1
        bending = [i for i in range(len(given)) if i not in self.straight]
        if not bending:
            raise InputError(
                "own curves need somebody whose utilities have three different values or more; "
                "found two of each person, between which every curve is a straight line. Use "
                'family="kolm" with p=0.'
            )
        layout = self._layout = _Layout.of(self.knots)
        inner = [(i, k) for i in bending for k in range(1, len(given[i]) - 1)]
        self._anchor, self._others = bending[0], tuple(bending[1:])
        self._inner = tuple(int(layout.first[i]) + k for i, k in inner)
        self.falls = _numbers(falls, len(self._others), "falls", "curve that bends but the first")
        self.bends = _numbers(bends, len(inner), "bends", "inner knot of curves that bend")
        self.own = (
            *(_fall(i + 1) for i in self._others),
            *(_bend(i + 1, k + 1, len(given[i])) for i, k in inner),
        )

    @property
    def label(self) -> str:
        """What a comparison of families calls it."""
        chosen = self.pieces is None or bool(self.chosen_from)
        return self.name if chosen else f"{self.name}, {self.pieces} pieces"

    @property
    def candidates(self) -> tuple[OwnCurvesFamily, ...]:
        """Members with numbers of pieces that are tried; none where it was given."""
        if self.pieces is not None:
            return ()
        return tuple(OwnCurvesFamily(pieces, chosen_from=PIECES) for pieces in PIECES)

    @property
    def chosen(self) -> str:
        """How the number of pieces came about, in a sentence; empty where it was given."""
        return told_of_pieces(self.pieces, self.chosen_from, "each person's scale")

    @property
    def own_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Where falls and bends are searched."""
        return np.array(self._bounds[0]), np.array(self._bounds[1])

    @property
    def own_start(self) -> FloatArray:
        """Falls and bends."""
        return np.array([*self.falls, *self.bends])

    def within(self, bounds: tuple[FloatArray, FloatArray]) -> OwnCurvesFamily:
        """Return the same with other bounds of falls and bends."""
        made = self.at(self.own_start)
        made._bounds = tuple(bounds[0].tolist()), tuple(bounds[1].tolist())
        return made

    def at(self, own: FloatArray) -> OwnCurvesFamily:
        """Return the member with these falls and bends."""
        made = copy(self)
        numbers = np.asarray(own, dtype=np.float64).tolist()
        made.falls = tuple(numbers[: len(self.falls)])
        made.bends = tuple(numbers[len(self.falls) :])
        return made

    def own_values(self) -> dict[str, float]:
        """Return falls and bends by name."""
        return dict(zip([one.name for one in self.own], self.own_start.tolist(), strict=True))

    def suited_to(self, utilities: Any) -> OwnCurvesFamily:
        """Return the family whose knots are on the scales of the people of a table (N, d)."""
        if not isinstance(utilities, np.ndarray):
            raise InputError(
                f"{self.called} needs everybody's utilities; found people who are not all in "
                "memory. Pass a table of utilities."
            )
        if self.knots is not None or self.pieces is None:
            return self
        knots, straight = [], []
        for person, column in enumerate(utilities.T):
            levels = np.unique(column[np.isfinite(column)])
            if len(levels) < 2:
                raise InputError(
                    "a curve of somebody's own needs utilities that differ, because choices say "
                    "nothing of what never changes; found the same in every action for person "
                    f"{person + 1}. Leave that person out."
                )
            if len(levels) == 2:
                straight.append(person)
            knots.append(knots_of(column, self.pieces))
        return OwnCurvesFamily(
            knots=knots, straight=straight, pieces=self.pieces, chosen_from=self.chosen_from
        )

    def columns(self, utilities: FloatArray) -> OwnRisen:
        """Return the integrals of everybody's hats up to what they have."""
        known = self._known()
        basis = np.concatenate(
            [risen(row, np.array(one)) for row, one in zip(utilities, known, strict=True)]
        )
        return OwnRisen(utilities, basis=basis)

    def index(self, people: People) -> FloatArray:
        """Return what all rules are weighted sums of (C, N): integrals of hats up to 1 each."""
        return np.asarray(cast(OwnRisen, people).basis / self._layout.area[:, None])

    def of_index(self, shares: FloatArray) -> tuple[FloatArray, float, FloatArray]:
        """Return weights (d,), the shape and further parameters of shares (C,) of :meth:`index`.

        Shares of 0, which curves never have, become small ones.
        """
        layout = self._layout
        weights = np.add.reduceat(shares, layout.first)
        heights = shares / layout.area
        most = np.maximum.reduceat(heights, layout.first)
        most = np.where(most > 0, most, 1.0)[layout.person]
        even = (weights == 0)[layout.person]
        logs = np.log(np.maximum(np.where(even, 1.0, heights / most), _LEAST))
        ends = np.append(layout.first[1:], len(shares)) - 1
        falls = logs[layout.first] - logs[ends]
        bent = logs - logs[layout.first][layout.person] + falls[layout.person] * layout.places
        own = np.concatenate([falls[list(self._others)], bent[list(self._inner)]])
        lower, upper = self.own_bounds
        anchor = float(np.clip(falls[self._anchor], -FARTHEST, FARTHEST))
        return weights, anchor, np.clip(own, lower, upper)

    def welfare(self, people: People, weights: FloatArray, p: float) -> Welfare:
        """Return the values of all actions, with derivatives."""
        layout, basis = self._layout, cast(OwnRisen, people).basis
        heights = self._heights(p)
        part = heights / np.add.reduceat(heights * layout.area, layout.first)[layout.person]
        curves = np.add.reduceat(part[:, None] * basis, layout.first, axis=0)
        size = (weights[layout.person] * part)[:, None]
        by_log = size * (basis - layout.area[:, None] * curves[layout.person])
        by_fall = -np.add.reduceat(layout.places[:, None] * by_log, layout.first, axis=0)
        by_own = np.concatenate([by_fall[list(self._others)], by_log[list(self._inner)]])
        return Welfare(weights @ curves, curves, by_fall[self._anchor], by_own)

    def marginal(self, levels: npt.ArrayLike, p: float, person: int = 0) -> FloatArray:
        """Return what one more unit counts for somebody, beside the mean over that person's scale.

        Parameters
        ----------
        levels : array-like
        p : float
            The shape, the fall of the first person whose curve bends.
        person : int
            Whose curve.
        """
        layout, known = self._layout, np.array(self._known()[person])
        heights = self._heights(p)[layout.person == person]
        area = layout.area[layout.person == person]
        seen = hats(np.asarray(levels, dtype=np.float64), known)
        return np.asarray(np.tensordot(heights, seen, 1) / (heights @ area) * np.ptp(known))

    def shares(self, utilities: FloatArray, weights: FloatArray, p: float) -> FloatArray:
        """Return what the same gain is worth of each person (N, d), as shares of the sum."""
        known = self._known()
        worth = np.empty(utilities.shape)
        for person in range(len(known)):
            slope = self.marginal(utilities[:, person], p, person) / np.ptp(known[person])
            worth[:, person] = weights[person] * slope
        return np.asarray(worth / worth.sum(axis=1, keepdims=True))

    def explain(self, p: float) -> str:
        """Return the formula in words."""
        del p
        return "the weighted sum of everybody's own rising curve of the utilities it gives"

    def numbers(self) -> dict[str, Any]:
        """Return knots, whose curve is straight, falls and bends."""
        return {
            "knots": [list(one) for one in self._known()],
            "straight": list(self.straight),
            "falls": list(self.falls),
            "bends": list(self.bends),
        }

    def of_numbers(self, numbers: Any, people: int) -> OwnCurvesFamily:
        """Return the member that :meth:`numbers` described."""
        if not isinstance(numbers, dict) or set(numbers) != {"knots", "straight", "falls", "bends"}:
            raise ValueError(_FORM)
        knots, straight = numbers["knots"], numbers["straight"]
        lists = [*knots, numbers["falls"], numbers["bends"]] if isinstance(knots, list) else [None]
        whole = all(isinstance(one, list) and all(map(is_real, one)) for one in lists)
        if not whole or len(knots) != people or not isinstance(straight, list):
            raise ValueError(_FORM)
        if not all(type(one) is int and 0 <= one < people for one in straight):
            raise ValueError(_FORM)
        try:
            return OwnCurvesFamily(
                knots=knots, straight=straight, falls=numbers["falls"], bends=numbers["bends"]
            )
        except InputError:
            raise ValueError(_FORM) from None

    def _known(self) -> tuple[tuple[float, ...], ...]:
        if self.knots is None:
            raise InputError(
                "a rule of own curves needs knots, the places where each may bend; found none. "
                "Fit it, or give knots."
            )
        return self.knots

    def _heights(self, p: float) -> FloatArray:
        """What a unit counts for at each knot (C,), the most of each person 1."""
        self._known()
        layout = self._layout
        falls = np.zeros(len(layout.first))
        falls[self._anchor] = p
        falls[list(self._others)] = self.falls
        logs = -falls[layout.person] * layout.places
        logs[list(self._inner)] += self.bends
        return np.asarray(np.exp(logs - np.maximum.reduceat(logs, layout.first)[layout.person]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OwnCurvesFamily):
            return False
        names = ("pieces", "chosen_from", "knots", "straight", "falls", "bends", "_bounds")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = Family.__hash__

    def __repr__(self) -> str:
        return f"OwnCurvesFamily(pieces={self.pieces})"


def _fall(person: int) -> Parameter:
    words = f"fall of what a unit counts for person {person}"
    return Parameter(f"fall {person}", words, -FARTHEST, FARTHEST)


def _bend(person: int, knot: int, knots: int) -> Parameter:
    words = f"bend of person {person} at knot {knot} of {knots}"
    return Parameter(f"bend {person}.{knot}", words, -FARTHEST, FARTHEST)


def _numbers(told: Any, wanted: int, name: str, what: str) -> tuple[float, ...]:
    """So many numbers, 0 where none were given."""
    found = np.zeros(wanted) if told is None else np.asarray(told, dtype=np.float64)
    if found.shape != (wanted,) or not np.isfinite(found).all():
        raise InputError(f"{name} must be one number for each {what}, {wanted} in all.")
    return tuple(found.tolist())


ADDITIVE_OWN = OwnCurvesFamily()
