"""Residuals of scores, and whether rounding alone explains them.

Scores and utilities that were published with a few decimals differ from the true ones by up to
half a step. Utilities pass it on to welfare in proportion to its derivative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2

from welfarist.base.data_frames import to_frame
from welfarist.base.validation import FloatArray
from welfarist.decisions import Scores
from welfarist.families.rule import WelfareFunction

# Decimals after which numbers are taken as not rounded at all.
_MOST_DECIMALS = 8
# Rounding of doubles, in units of the step: 0.198 / 0.001 is not quite 198.
_WHOLE = 1e-6
# Numbers that take fewer values than this many steps tell nothing about being rounded.
_SIGNIFICANT = 0.001
# Beyond this many times what rounding allows a single residual speaks against rounding alone; the
# derivatives by which utilities pass on their rounding are those of the first order.
_BEYOND = 1.05
# By which share of itself a utility is moved where a derivative is found by differences.
_STEP = 6e-6


@dataclass(frozen=True, eq=False)
class Rounding:
    """What rounding of scores and utilities leaves in residuals, beside what was found.

    Attributes
    ----------
    step : float
        The scores' own decimal step; 0 if they have none, and were not rounded.
    utility_steps : (d,) array
        The same for each person's utilities.
    expected : float
        Root mean square of residuals that rounding explains, if its errors are uniform and
        independent.
    found : float
        The root mean square that was found, with the learned numbers taken off the denominator.
    p_value : float
        How often rounding alone leaves as much or more, by chi-squared, which is cautious: uniform
        errors vary less.
    worst : float
        The largest residual in units of what rounding allows at most for its action.
    beyond : int
        How many residuals exceed that.
    """

    step: float
    utility_steps: FloatArray
    expected: float
    found: float
    p_value: float
    worst: float
    beyond: int

    @property
    def ratio(self) -> float:
        """How many times larger residuals are than rounding explains."""
        return self.found / self.expected if self.expected > 0 else float("inf")

    @property
    def compatible(self) -> bool:
        """Whether rounding alone explains the residuals: their size, and each single one."""
        return self.p_value >= _SIGNIFICANT and self.worst <= _BEYOND

    def __str__(self) -> str:
        if self.expected == 0:
            return "Neither scores nor utilities look rounded."
        sizes = (
            f"they are {self.found:.3g} (root mean square) where rounding to steps of "
            f"{self.step:g} explains {self.expected:.3g}, and the largest is {self.worst:.2f} "
            "times what rounding allows"
        )
        if self.compatible:
            return f"Rounding alone explains the residuals: {sizes}."
        return f"Rounding alone does not explain the residuals: {sizes} ({self.beyond} exceed it)."


@dataclass(frozen=True, eq=False)
class Residuals:
    """Scores beside what the rule says, in the rows of the data that were fitted.

    Attributes
    ----------
    fitted : (N,) array
        Scale times welfare.
    residual : (N,) array
        The score less that.
    standardised : (N,) array
        Residuals in units of their root mean square.
    counts : (N,) array
        How much each score counted.
    rounding : Rounding
    """

    fitted: FloatArray
    residual: FloatArray
    standardised: FloatArray
    counts: FloatArray
    rounding: Rounding

    def __len__(self) -> int:
        return len(self.residual)

    def to_frame(self) -> Any:
        """Return one row per score as a data frame."""
        names = ("fitted", "residual", "standardised", "counts")
        return to_frame({name: getattr(self, name) for name in names})

    def __str__(self) -> str:
        parts = np.quantile(self.residual[self.counts > 0], [0.0, 0.25, 0.5, 0.75, 1.0])
        shown = "  ".join(f"{x:10.4g}" for x in parts)
        return "\n".join(
            [
                "Residuals: scores less what the rule says",
                "      lowest     quarter      middle  3 quarters     highest",
                f"  {shown}",
                str(self.rounding),
            ]
        )


def fitted_scores(decided: Scores, rule: Any, scale: float, offset: float = 0.0) -> FloatArray:
    """What the rule says the scores (N,) are."""
    return np.asarray(scale * rule(decided.utilities) - offset)


def residuals_of(
    decided: Scores, rule: Any, scale: float, learned: int, offset: float = 0.0
) -> Residuals:
    """Residuals of scores; `learned` says how many numbers were learned from them."""
    fitted = fitted_scores(decided, rule, scale, offset)
    residual, counts = decided.values - fitted, decided.counts
    usual = float(np.sqrt(counts @ np.square(residual) / counts.sum()))
    standardised = residual / usual if usual > 0 else residual
    rounding = rounding_of(decided, residual, rule, scale, learned)
    return Residuals(fitted, residual, standardised, counts, rounding)


def rounding_of(
    decided: Scores, residual: FloatArray, rule: Any, scale: float, learned: int
) -> Rounding:
    """Compare residuals (N,) with what rounding of scores and utilities leaves."""
    kept = decided.counts > 0
    table, counts, residual = decided.utilities[kept], decided.counts[kept], residual[kept]
    step = decimal_step(decided.values[kept])
    steps = np.array([decimal_step(column) for column in table.T])
    slopes = _slopes(table, rule, scale)
    variance = (step**2 + np.square(slopes * steps).sum(axis=1)) / 12.0
    most = (step + np.abs(slopes) @ steps) / 2.0
    total = float(counts.sum())
    degrees = max(total - learned, 1.0)
    expected = float(np.sqrt(counts @ variance / total))
    found = float(np.sqrt(counts @ np.square(residual) / degrees))
    if expected == 0:
        return Rounding(step, steps, 0.0, found, 0.0, float("inf"), len(residual))
    p_value = float(chi2.sf(counts @ _over(np.square(residual), variance), degrees))
    ratio = _over(np.abs(residual), most)
    return Rounding(
        step, steps, expected, found, p_value, float(ratio.max()), int((ratio > 1.0).sum())
    )


def _over(found: FloatArray, allowed: FloatArray) -> FloatArray:
    """What was found in units of what rounding allows; where that is nothing, 0 or infinity."""
    exact = np.where(found > 0, np.inf, 0.0)
    with np.errstate(over="ignore"):  # so far beyond it that it is infinitely far
        ratio = found / np.where(allowed > 0, allowed, 1.0)
    return np.where(allowed > 0, ratio, exact)


def _slopes(table: FloatArray, rule: Any, scale: float) -> FloatArray:
    """Derivatives (N, d) of the fitted scores by each utility.

    A utility of 0 is taken as exact. Power means are homogeneous, so that shares of welfare are
    all that is needed; of other rules nothing is known but their values.
    """
    if not isinstance(rule, WelfareFunction):
        return _slopes_by_differences(table, rule, scale)
    shares, welfare = rule.shares(table), scale * rule(table)
    seen = table + rule.shift
    return np.where(seen > 0, shares * welfare[:, None] / np.where(seen > 0, seen, 1.0), 0.0)


def _slopes_by_differences(table: FloatArray, rule: Any, scale: float) -> FloatArray:
    slopes = np.zeros(table.shape)
    for person, utilities in enumerate(table.T):
        step = _STEP * utilities
        moves = np.zeros(table.shape)
        moves[:, person] = step
        risen = scale * (rule(table + moves) - rule(table - moves))
        slopes[:, person] = np.where(step > 0, risen / np.where(step > 0, 2.0 * step, 1.0), 0.0)
    return slopes


def decimal_step(values: FloatArray) -> float:
    """The largest power of ten, at most 1, of which all values (N,) are multiples; 0 if none is.

    Examples
    --------
    >>> import numpy as np
    >>> decimal_step(np.array([0.25, 0.5, 3.0]))
    0.01
    >>> decimal_step(np.array([1 / 3, 0.5]))
    0.0
    """
    for decimals in range(_MOST_DECIMALS + 1):
        scaled = values * 10.0**decimals
        whole = np.round(scaled)
        kept = (whole != 0) | (values == 0)  # or a number far below 1 would be a multiple of 1
        if (kept & (np.abs(scaled - whole) <= _WHOLE)).all():
            return float(10.0**-decimals)
    return 0.0
