"""Kolm-Pollak functions as a family: what everybody gains alike changes no choice."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any, cast

import numpy as np

from welfarist.base.parameters import Coordinate, Parameter
from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.families.columns import People
from welfarist.families.kolm_pollak.levels import Levels, unit_of
from welfarist.families.kolm_pollak.steps import asinh_in_units
from welfarist.families.levels import DIFFERENCE, differences_in_words
from welfarist.families.named import Doctrine
from welfarist.families.power_mean.derivatives import welfare_shares
from welfarist.families.welfare import Welfare

# In units of what people have, alpha is searched at least so far; and at most.
_FAR, _FARTHEST = 100.0, 1e5
# e^690 is near the largest double.
_LARGEST_EXPONENT = 690.0

ALPHA = Parameter("alpha", "aversion alpha", -np.inf, np.inf, first_step=0.5, longest_step=1.0)


class KolmPollakFamily(Family):
    """Kolm-Pollak functions: power means of exponentials, on the scale of what people have.

    Domain: d utilities of any sign in one unit, weights on the simplex, alpha in [-inf, inf].

    Formula: ``K(u; w, alpha) = -(1/alpha) log sum_i w_i exp(-alpha u_i)``, the logarithm of the
    power mean of ``exp(u)`` with p = -alpha. The marginal share of a person is
    ``q_i = w_i exp(-alpha (u_i - K))``; the derivative by a weight ``-(exp(-alpha (u_i - K)) - 1)
    / alpha`` up to a constant, the one by alpha ``-KL(q || w) / alpha^2``, and second derivatives
    by two weights are ``alpha g g'`` along moves that keep their sum.

    Limits: alpha = 0 is the weighted arithmetic mean, alpha = inf the smallest and -inf the largest
    utility of those who count. A unit more for everybody is a unit more welfare, at every alpha; a
    percentage more for everybody may turn a choice round.

    alpha is measured in one over the unit of utility: in cents it is a hundredth of what it is in
    euros. Somebody who has ``log(2) / alpha`` less than another counts twice as much at the margin.
    Noise acts on differences, so that tau has the same unit.

    Parameters
    ----------
    unit : float
        In which a search steps: about the standard deviation of what people have. It changes no
        value.
    """

    name = "kolm"
    title = "Kolm-Pollak functions"
    noun = "Kolm-Pollak function"
    level = DIFFERENCE
    plain = 0.0
    is_mean = True
    least = -np.inf
    doctrines = (
        Doctrine("egalitarian", np.inf, "only the worst-off person matters"),
        Doctrine("utilitarian", 0.0, "the same gain counts the same for everybody"),
        Doctrine("best off", -np.inf, "only the best-off person matters"),
    )
    says = (
        "The aversion alpha says how much absolute gaps matter: at alpha = 0 a gain counts the "
        "same whoever gets it, above 0 it counts more for the badly off, and at infinity only the "
        "worst off count. What everybody gains alike changes no choice."
    )

    def __init__(self, unit: float = 1.0) -> None:
        self.unit = float(unit)
        steps: Coordinate = asinh_in_units(1.0 / self.unit)
        self.shape = replace(ALPHA, coordinate=steps)
        self.starts = (1.0 / self.unit, -1.0 / self.unit)
        self.more_starts = tuple(x / self.unit for x in (4.0, -4.0, 30.0, -30.0, 0.2))

    def suited_to(self, utilities: Any) -> KolmPollakFamily:
        """Return the family that steps in the unit of a table (N, d)."""
        if not isinstance(utilities, np.ndarray):
            return self
        known = utilities[np.isfinite(utilities)]
        return KolmPollakFamily(unit_of(known) if known.size else 1.0)

    def like_power(self, p: float) -> float:
        """Return minus alpha, in one over the standard deviation of what people have."""
        return -p * self.unit

    def step(self, people: People) -> float:
        """Return the unit of the levels."""
        return cast(Levels, people).unit

    def noise_in_words(self, tau: float) -> str:
        """Say what a temperature means, which has a unit."""
        return differences_in_words(tau)

    def columns(self, utilities: FloatArray) -> Levels:
        """Return levels (d, N), less their mean."""
        return Levels.of(utilities)

    def welfare(self, people: People, weights: FloatArray, p: float) -> Welfare:
        """Return K of all actions, less the people's shift, with derivatives."""
        unit = cast(Levels, people).unit
        found = people.log_mean(weights, -p * unit)
        if unit != 1.0:
            found.value *= unit
            found.by_weight *= unit
        found.by_power *= -unit * unit
        return found

    def search_range(self, people: People) -> tuple[float, float]:
        """Return the smallest and the largest alpha that are searched."""
        seen = cast(Levels, people)
        span = float(np.ptp(seen.logs)) if seen.logs.size else 0.0
        edge = min(max(_LARGEST_EXPONENT / max(span, 1e-12), _FAR), _FARTHEST) / seen.unit
        return -edge, edge

    def limits(self, people: People) -> tuple[float, ...]:
        """Return both infinities."""
        del people
        return -np.inf, np.inf

    def bend_by_weights(
        self, rows: FloatArray, pull: FloatArray, p: float, extra: float
    ) -> FloatArray:
        """Return ``(extra + alpha) g g'``, summed over actions with `pull` (N,)."""
        return np.asarray((rows * ((extra + p) * pull)) @ rows.T)

    def bend_by_shape(
        self, people: People, weights: FloatArray, p: float, here: Welfare, pull: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return the second derivatives that involve alpha."""
        unit = cast(Levels, people).unit
        kernel = Welfare(here.value / unit, here.by_weight / unit, here.by_power / -(unit * unit))
        cross, twice = people.log_mean_bending(weights, -p * unit, kernel, pull)
        return -unit * unit * cross, unit**3 * twice

    def describe(self, p: float) -> str:
        """Return the doctrine of an alpha, or whether it minds gaps."""
        named = {doctrine.p: doctrine.name for doctrine in self.doctrines}
        if p in named:
            return named[p]
        return "averse to absolute gaps" if p > 0 else "drawn to absolute gaps"

    def describe_closely(self, p: float, digits: int) -> str:
        """Return the doctrine of an alpha as it is; decimals say nothing of a number with a unit.

        Examples
        --------
        >>> KolmPollakFamily().describe_closely(0.001, 2)
        'averse to absolute gaps'
        """
        del digits
        return self.describe(p)

    def meaning(self, p: float, digits: int) -> str:
        """Return how much less somebody has whose gains count twice as much."""
        named = {doctrine.p: doctrine.meaning for doctrine in self.doctrines}
        if p in named or np.isinf(p):
            return named[p]
        del digits
        gap = log(2.0) / abs(p)
        who = "less" if p > 0 else "more"
        return f"the same gain counts twice as much for somebody who has {gap:.3g} {who}"

    def explain(self, p: float) -> str:
        """Return the formula, in which ^ is followed by what is raised."""
        if p == 0:
            return "the weighted mean of the utilities it gives"
        if np.isinf(p):
            which = "smallest" if p > 0 else "largest"
            return f"the {which} utility it gives to somebody who counts"
        return (
            "the Kolm-Pollak welfare of the utilities it gives, K = \N{MINUS SIGN}1/alpha times "
            "the logarithm of the sum of w e^(\N{MINUS SIGN}alpha u)"
        )

    def shares(self, utilities: FloatArray, weights: FloatArray, p: float) -> FloatArray:
        """Return what the same gain is worth of each person (N, d), as shares of the sum."""
        unit = unit_of(utilities)
        return welfare_shares(np.asarray(utilities.T / unit), weights, -p * unit).T

    def __repr__(self) -> str:
        return f"KolmPollakFamily(unit={self.unit:g})"


KOLM_POLLAK = KolmPollakFamily()
