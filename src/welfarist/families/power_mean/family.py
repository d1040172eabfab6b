"""The weighted power mean as a family: the first of them, and the default."""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.base.parameters import ASINH, Parameter
from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.families.columns import Columns, People
from welfarist.families.levels import RATIO
from welfarist.families.power_mean.doctrines import (
    CLOSE,
    DOCTRINES,
    close_doctrine_of,
    doctrine_of,
    power_of_option,
)
from welfarist.families.power_mean.reach import reach_in_words, reach_of
from welfarist.families.rule import WelfareFunction
from welfarist.families.welfare import Welfare

# With a utility of 0 welfare is positive for p > 0 only.
SMALLEST_POSITIVE_POWER = 1e-3

# Derivatives from which second ones are put together sign by sign.
_LARGE = 2**20

POWER = Parameter("p", "power p", -np.inf, np.inf, ASINH, 0.5, 1e-6, 1.0)


class PowerMean(Family):
    """Weighted power means ``M(u; w, p)``; their values are log M [PSPS24, Sec. 2].

    Second derivatives by two weights are ``-p g g'`` along moves that keep the sum of the weights.
    """

    name = "power"
    title = "power means"
    shape = POWER
    level = RATIO
    starts = (1.0, -1.0)
    more_starts = (4.0, -4.0, 30.0, -30.0, 0.2)
    plain = 1.0
    ratios = True
    is_mean = True
    doctrines = DOCTRINES
    says = (
        "The power p says how much inequality matters: at p = 1 a gain counts the same "
        "whoever gets it, below 1 it counts more for the badly off, and at minus infinity only "
        "the worst off count."
    )
    has_aversion = True
    noun = "power mean"

    def columns(self, utilities: FloatArray) -> Columns:
        """Return log utilities (d, N), less their mean."""
        with np.errstate(divide="ignore"):
            np.log(utilities, out=utilities)
        return Columns.of_logs(utilities)

    def welfare(self, people: People, weights: FloatArray, p: float) -> Welfare:
        """Return log M of all actions, less the people's shift, with derivatives."""
        return people.log_mean(weights, p)

    def search_range(self, people: People) -> tuple[float, float]:
        """Return the smallest and the largest power that are searched."""
        edge = people.largest_power
        return SMALLEST_POSITIVE_POWER if people.has_zeros else -edge, edge

    def allowed(self, p: float, people: People) -> float:
        """Return the power itself; where somebody has nothing, the positive one of its size."""
        return abs(p) if people.has_zeros else p

    def limits(self, people: People) -> tuple[float, ...]:
        """Return both infinities; the lower one not where somebody has nothing."""
        return (np.inf,) if people.has_zeros else (-np.inf, np.inf)

    def bend_by_weights(
        self, rows: FloatArray, pull: FloatArray, p: float, extra: float
    ) -> FloatArray:
        """Return ``(extra - p) g g'``, summed over actions with `pull` (N,)."""
        if rows.size < _LARGE:
            return np.asarray((rows * ((extra - p) * pull)) @ rows.T)
        # Squares of what has one sign cost half as much as a product: NumPy sees the symmetry.
        times = (extra - p) * pull
        bent = np.zeros((len(rows), len(rows)))
        for sign in (1.0, -1.0):
            part = np.flatnonzero(sign * times > 0.0)
            of_one_sign = rows[:, part] * np.sqrt(np.abs(times[part]))
            bent += sign * (of_one_sign @ of_one_sign.T)
        return bent

    def bend_by_shape(
        self, people: People, weights: FloatArray, p: float, here: Welfare, pull: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return the second derivatives that involve the power."""
        return people.log_mean_bending(weights, p, here, pull)

    def describe(self, p: float) -> str:
        """Return the doctrine of a power, or between which two it lies."""
        return doctrine_of(p)

    def describe_closely(self, p: float, digits: int) -> str:
        """Return the doctrine of a power as it is printed, or the one it is close to."""
        return close_doctrine_of(p, digits)

    def meaning(self, p: float, digits: int) -> str:
        """Return what a rule looks at whose power is printed with some decimals."""
        shown = p if np.isinf(p) else round(p, digits)
        for named in DOCTRINES:
            if named.p == shown or abs(named.p - shown) < CLOSE:
                return named.meaning
        if p > 1:
            return "the same gain counts more for somebody who is well off"
        if p > 0:
            return (
                "the same gain counts more for somebody who is badly off, but less than in "
                "proportion"
            )
        return "even the same percentage gain counts more for somebody who is badly off"

    def explain(self, p: float) -> str:
        """Return the formula, in which ^ is followed by what is raised."""
        mean = "the weighted power mean of the utilities it gives"
        if p == -np.inf:
            return f"{mean}, which at p = \N{MINUS SIGN}∞ is the smallest of those that count"
        if p == np.inf:
            return f"{mean}, which at p = ∞ is the largest of those that count"
        return f"{mean}, M = (sum of w u^p)^(1/p), at p = 0 the product of all u^w"

    def reach(self, p: float, weights: FloatArray) -> FloatArray | None:
        """Return how far each weight reaches (d,) where weights mislead: far out."""
        return reach_of(weights, p)

    def reach_in_words(self, p: float, shown: str) -> str:
        """Say what reach is at a power that is printed as `shown`."""
        return reach_in_words(p, shown)

    def shape_of(self, p: object, has_zeros: bool) -> float:
        """Return the power that somebody gave: a number, or a doctrine's name."""
        power = power_of_option(p, has_zeros)
        assert power is not None
        return power

    def rule(self, p: float, weights: Any, stakeholders: Any = None) -> WelfareFunction:
        """Return the welfare function with this power and these weights."""
        return WelfareFunction(p, weights, stakeholders)


POWER_MEAN = PowerMean()
