"""Additive welfare without a formula: a weighted sum of one curve of what everybody has."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.parameters import IDENTITY, Parameter
from welfarist.base.validation import FloatArray, check_count, is_real
from welfarist.families.additive.curve import Risen, areas, hats, knots_of, risen
from welfarist.families.base import Family
from welfarist.families.columns import People
from welfarist.families.levels import DIFFERENCE
from welfarist.families.welfare import Welfare

# How far the fall, and each bend, are searched: e^16 and e^8 to one.
FARTHEST, MOST_BENT = 16.0, 8.0
# Numbers of pieces that are tried where none was given.
PIECES = (2, 3, 4, 6, 8)
FALL = Parameter("fall", "fall of what a unit counts", -FARTHEST, FARTHEST, IDENTITY, 0.5)


class AdditiveFamily(Family):
    """Weighted sums of one rising curve of what people have: ``V = sum_i w_i f(u_i)``.

    Domain: d utilities of any sign, not all the same; weights on the simplex; a curve f with knots
    ``t_0 < ... < t_m`` that rises from 0 at the smallest utility to 1 at the largest.

    Formula: f' is a broken line with the value ``b_k = exp(-a x_k + c_k)`` at knot k, up to a
    factor, where ``x_k = (t_k - t_0) / (t_m - t_0)`` and ``c_0 = c_m = 0``: f is an I-spline with
    positive coefficients. The fall a is the logarithm of how much more a unit counts at the bottom
    of the scale than at its top, the bends c are how far what it counts for is from a straight
    line (in logarithms) in between.

    Limits: with all bends and a equal to 0, f is a straight line, and the rule utilitarian. Beyond
    the utilities of the fit f goes straight on. Values have no location and no scale of their own,
    so that scores, which do, say nothing of them: the family is for comparisons and choices.

    Parameters
    ----------
    pieces : int, optional
        Into how many pieces the scale is cut, with equally many utilities each; more pieces bend
        more, and need more decisions. Left out, the number with the lowest BIC.
    knots, bends : array-like, optional
        Of a curve that is known.
    chosen_from : tuple of int
        From which numbers of pieces this one was chosen.
    """

    name = "additive"
    title = "additive rules"
    noun = "rule of one curve"
    shape = FALL
    level = DIFFERENCE
    starts = (1.0, -1.0)
    more_starts = (3.0, -3.0, 0.0)
    least = -np.inf
    says = (
        "The fall says how much more a unit counts for somebody at the bottom of the scale than at "
        "its top: at 0 as much, at 1 about 2.7 times as much, below 0 less. Bends say where on the "
        "scale that changes."
    )

    at_end = "a unit counts for nothing at one end of the scale, as far as these decisions tell."

    def __init__(
        self,
        pieces: int | None = None,
        knots: npt.ArrayLike | None = None,
        bends: npt.ArrayLike | None = None,
        chosen_from: tuple[int, ...] = (),
    ) -> None:
        self.pieces = None if pieces is None else check_count(pieces, "pieces")
        self.chosen_from = tuple(chosen_from)
        self.knots: tuple[float, ...] | None = None
        inner = 0 if self.pieces is None else self.pieces - 1
        if knots is not None:
            given = np.asarray(knots, dtype=np.float64)
            if given.ndim != 1 or len(given) < 2 or not (np.diff(given) > 0).all():
                raise InputError("knots must be two or more numbers, each above the last.")
            self.knots, inner = tuple(given.tolist()), len(given) - 2
            self.pieces = len(given) - 1 if self.pieces is None else self.pieces
        told = np.zeros(inner) if bends is None else np.asarray(bends, dtype=np.float64)
        if told.shape != (inner,) or not np.isfinite(told).all():
            raise InputError(f"bends must be one number for each inner knot, {inner} in all.")
        self.bends = tuple(told.tolist())
        self.own = tuple(
            Parameter(f"bend {k}", f"bend at knot {k} of {inner + 2}", -MOST_BENT, MOST_BENT)
            for k in range(2, inner + 2)
        )
        self._bounds = ((-MOST_BENT,) * inner, (MOST_BENT,) * inner)

    @property
    def label(self) -> str:
        """What a comparison of families calls it."""
        chosen = self.pieces is None or bool(self.chosen_from)
        return self.name if chosen else f"{self.name}, {self.pieces} pieces"

    @property
    def candidates(self) -> tuple[AdditiveFamily, ...]:
        """Members with numbers of pieces that are tried; none where it was given."""
        if self.pieces is not None:
            return ()
        return tuple(AdditiveFamily(pieces, chosen_from=PIECES) for pieces in PIECES)

    @property
    def chosen(self) -> str:
        """How the number of pieces came about, in a sentence; empty where it was given."""
        return told_of_pieces(self.pieces, self.chosen_from, "the scale")

    @property
    def own_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Where bends are searched."""
        return np.array(self._bounds[0]), np.array(self._bounds[1])

    @property
    def own_start(self) -> FloatArray:
        """The bends."""
        return np.array(self.bends)

    def within(self, bounds: tuple[FloatArray, FloatArray]) -> AdditiveFamily:
        """Return the same with other bounds of the bends."""
        made = AdditiveFamily(self.pieces, self.knots, self.bends, self.chosen_from)
        made._bounds = tuple(bounds[0].tolist()), tuple(bounds[1].tolist())
        return made

    def at(self, own: FloatArray) -> AdditiveFamily:
        """Return the member with these bends."""
        made = AdditiveFamily(self.pieces, self.knots, own, self.chosen_from)
        made._bounds = self._bounds
        return made

    def own_values(self) -> dict[str, float]:
        """Return the bends by name."""
        return dict(zip([one.name for one in self.own], self.bends, strict=True))

    def suited_to(self, utilities: Any) -> AdditiveFamily:
        """Return the family whose knots are on the scale of a table (N, d)."""
        if not isinstance(utilities, np.ndarray):
            raise InputError(
                f"{self.called} needs everybody's utilities; found people who are not all in "
                "memory. Pass a table of utilities."
            )
        if self.knots is not None or self.pieces is None:
            return self
        knots = knots_of(utilities, self.pieces)
        if len(np.unique(utilities[np.isfinite(utilities)])) < 3:
            raise InputError(
                "a curve needs three different utilities or more; found two, between which every "
                'curve is a straight line. Use family="kolm" with p=0.'
            )
        return AdditiveFamily(self.pieces, knots, None, self.chosen_from)

    def columns(self, utilities: FloatArray) -> Risen:
        """Return the integrals of all hats up to what people have."""
        return Risen(utilities, basis=risen(utilities, self._known()))

    def welfare(self, people: People, weights: FloatArray, p: float) -> Welfare:
        """Return the values of all actions, with derivatives."""
        basis = cast(Risen, people).basis
        places, heights, total = self._heights(p)
        curve = np.tensordot(heights, basis, 1) / total
        sums = np.einsum("i,kin->kn", weights, basis)  # of the integrals, by weight
        value = weights @ curve
        size = areas(self._known())
        by_log = heights[:, None] * (sums - size[:, None] * value) / total
        return Welfare(value, curve, -(places @ by_log), by_log[1:-1])

    def marginal(self, levels: npt.ArrayLike, p: float) -> FloatArray:
        """Return what one more unit counts for at each level, beside the mean over the scale.

        Parameters
        ----------
        levels : array-like
        p : float
            The fall.
        """
        known = self._known()
        _, heights, total = self._heights(p)
        seen = hats(np.asarray(levels, dtype=np.float64), known)
        return np.asarray(np.tensordot(heights, seen, 1) / total * (known[-1] - known[0]))

    def shares(self, utilities: FloatArray, weights: FloatArray, p: float) -> FloatArray:
        """Return what the same gain is worth of each person (N, d), as shares of the sum."""
        worth = weights * self.marginal(utilities, p)
        return np.asarray(worth / worth.sum(axis=1, keepdims=True))

    def explain(self, p: float) -> str:
        """Return the formula in words."""
        del p
        return "the weighted sum of one rising curve of the utilities it gives"

    def numbers(self) -> dict[str, Any]:
        """Return knots and bends."""
        return {"knots": list(self._known().tolist()), "bends": list(self.bends)}

    def of_numbers(self, numbers: Any, people: int) -> AdditiveFamily:
        """Return the member that :meth:`numbers` described."""
        del people
        form = "knots, each above the last, and bends, one for each inner one"
        if not isinstance(numbers, dict) or set(numbers) != {"knots", "bends"}:
            raise ValueError(form)
        for told in numbers.values():
            if not isinstance(told, list) or not all(map(is_real, told)):
                raise ValueError(form)
        try:
            return AdditiveFamily(knots=numbers["knots"], bends=numbers["bends"])
        except InputError:
            raise ValueError(form) from None

    def _known(self) -> FloatArray:
        if self.knots is None:
            raise InputError(
                "an additive rule needs knots, the places where its curve may bend; found none. "
                "Fit it, or give knots."
            )
        return np.array(self.knots)

    def _heights(self, p: float) -> tuple[FloatArray, FloatArray, float]:
        """Where knots are on the scale (K,), what a unit counts for there, and its integral."""
        known = self._known()
        places = (known - known[0]) / (known[-1] - known[0])
        logs = -p * places + np.concatenate([[0.0], self.bends, [0.0]])
        heights = np.exp(logs - logs.max())
        return places, heights, float(heights @ areas(known))

    def __repr__(self) -> str:
        return f"AdditiveFamily(pieces={self.pieces})"


def told_of_pieces(pieces: int | None, chosen_from: tuple[int, ...], scale: str) -> str:
    """Say how a number of pieces came about; nothing where it was given."""
    if pieces is None or not chosen_from:
        return ""
    tried = ", ".join(map(str, chosen_from[:-1]))
    return (
        f"{scale} is cut into {pieces} pieces, the number with the lowest BIC of {tried} and "
        f"{chosen_from[-1]}; intervals and tests take it as known."
    )


ADDITIVE = AdditiveFamily()
