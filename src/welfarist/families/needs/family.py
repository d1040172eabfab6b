"""Power means of what people have beyond a zero that is learned: what everybody needs."""

from __future__ import annotations

from math import log
from typing import Any, cast

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray, is_real
from welfarist.families.columns import People
from welfarist.families.family_rule import FamilyRule
from welfarist.families.needs.zero import (
    FARTHEST,
    NEAREST,
    Beyond,
    typical_unit,
    zero_of,
)
from welfarist.families.power_mean.derivatives import welfare_shares
from welfarist.families.power_mean.family import PowerMean
from welfarist.families.welfare import Welfare

# Where a search begins: a tenth of the span below the smallest utility.
_FIRST = -log(0.1)


class NeedsFamily(PowerMean):
    """Power means of ``u - s``, with a zero s that is learned.

    Domain: d utilities of any sign, not all the same; weights on the simplex; p in [-inf, inf]; a
    zero s below all utilities, from a thousandth of their span to a hundred spans below the
    smallest.

    Formula: ``V = log M(u - s; w, p)``. With q the marginal shares, the derivative by the zero is
    ``-sum_i q_i / (u_i - s)``; those by weights and p are the power mean's of ``u - s``.

    Limits: at s = 0 the power mean. As s falls to minus infinity with p = 1 + alpha s, the
    Kolm-Pollak function with aversion alpha: what looks at ratios far from zero looks at
    differences. So p says nothing without s, and both are learned roughly where the other is.

    It is a diagnosis more than a family: how much does what was learned depend on where zero is?

    Parameters
    ----------
    zero : float
        What everybody needs: a search begins below it.
    """

    name = "needs"
    title = "power means beyond needs"
    noun = "power mean of what is beyond needs"
    least = -np.inf
    has_aversion = False
    says = (
        "The zero is what everybody needs, and the power p is that of a power mean of what they "
        "have beyond it: at p = 1 a gain counts the same whoever gets it, below 1 it counts more "
        "for the badly off. The lower the zero, the lower the p that says the same."
    )

    def __init__(self, zero: float = 0.0, ends: tuple[float, float] | None = None) -> None:
        if not (is_real(zero) and np.isfinite(zero)):
            raise InputError(f"zero must be a number; found {zero!r}.")
        self.zero, self.ends = float(zero), ends
        self.own: tuple[Parameter, ...] = (zero_of(*(ends or (1.0, 1.0))),)
        self._bounds = -log(FARTHEST), -log(NEAREST)

    @property
    def own_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Where the zero is searched, in its coordinate."""
        return np.array([self._bounds[0]]), np.array([self._bounds[1]])

    @property
    def own_start(self) -> FloatArray:
        """The zero, in its coordinate."""
        low, high = self._bounds
        return np.array([min(max(self.own[0].coordinate.into(self.zero), low), high)])

    def within(self, bounds: tuple[FloatArray, FloatArray]) -> NeedsFamily:
        """Return the same with other bounds of the zero."""
        made = NeedsFamily(self.zero, self.ends)
        made._bounds = float(bounds[0][0]), float(bounds[1][0])
        return made

    def at(self, own: FloatArray) -> NeedsFamily:
        """Return the member with this zero."""
        made = NeedsFamily(self.own[0].coordinate.back(float(own[0])), self.ends)
        made._bounds = self._bounds
        return made

    def own_values(self) -> dict[str, float]:
        """Return the zero."""
        return {"zero": self.zero}

    def numbers(self) -> dict[str, Any]:
        """Return the zero."""
        return {"zero": self.zero}

    def of_numbers(self, numbers: Any, people: int) -> NeedsFamily:
        """Return the member that :meth:`numbers` described."""
        del people
        form = "zero, a number"
        if not isinstance(numbers, dict) or set(numbers) != {"zero"}:
            raise ValueError(form)
        if not is_real(numbers["zero"]) or not np.isfinite(numbers["zero"]):
            raise ValueError(form)
        return NeedsFamily(float(numbers["zero"]))

    def suited_to(self, utilities: Any) -> NeedsFamily:
        """Return the family whose zero is searched below a table (N, d)."""
        if not isinstance(utilities, np.ndarray):
            raise InputError(
                f"{self.called} needs everybody's utilities; found people who are not all in "
                "memory. Pass a table of utilities."
            )
        known = utilities[np.isfinite(utilities)]
        if not known.size or not np.ptp(known) > 0:
            raise InputError(
                "a zero is learned from utilities that differ; found the same for everybody in "
                "every action."
            )
        least, span = float(known.min()), float(np.ptp(known))
        return NeedsFamily(least - np.exp(-_FIRST) * span, (least, span))

    def columns(self, utilities: FloatArray) -> Beyond:
        """Return what people have (d, N)."""
        return Beyond(utilities, unit=typical_unit(utilities))

    def _above(self, people: People) -> Any:
        seen = cast(Beyond, people)
        if seen.logs.size and not self.zero < seen.logs.min():
            raise InputError(
                f"utilities must be above what everybody needs, {self.zero:g}, under this rule; "
                f"found {seen.logs.min():g}. Leave those actions out, or learn the rule with them."
            )
        return seen.above(self.zero)

    def welfare(self, people: People, weights: FloatArray, p: float) -> Welfare:
        """Return log M of what is beyond the zero, with derivatives."""
        seen = cast(Beyond, people)
        above = self._above(seen)
        found: Welfare = above.log_mean(weights, p)
        shares = welfare_shares(above.logs, weights, p)
        slope = -np.einsum("ij,ij->j", shares, np.exp(-above.logs)) / seen.unit
        found.value = found.value + log(seen.unit)
        found.by_own = slope[None] * self.own[0].coordinate.steepness(self.zero)
        return found

    def table_of(self, people: People) -> FloatArray:
        """Return logarithms (d, N) of what everybody has beyond the zero."""
        seen = cast(Beyond, people)
        return np.asarray(self._above(seen).logs + log(seen.unit))

    def search_range(self, people: People) -> tuple[float, float]:
        """Return the smallest and the largest power that are searched, whatever the zero."""
        seen = cast(Beyond, people)
        edge = seen.above(float(seen.logs.min()) - FARTHEST * seen.unit).largest_power
        return -edge, edge

    def allowed(self, p: float, people: People) -> float:
        """Return the power itself."""
        del people
        return p

    def limits(self, people: People) -> tuple[float, ...]:
        """Return both infinities."""
        del people
        return -np.inf, np.inf

    def bend_by_shape(
        self, people: People, weights: FloatArray, p: float, here: Welfare, pull: FloatArray
    ) -> tuple[FloatArray, float]:
        """Return the second derivatives that involve the power."""
        seen = cast(Beyond, people)
        inner = Welfare(here.value - log(seen.unit), here.by_weight, here.by_power)
        found: tuple[FloatArray, float] = self._above(seen).log_mean_bending(
            weights, p, inner, pull
        )
        return found

    def describe(self, p: float) -> str:
        """Return which mean of what is beyond the zero a power is."""
        return f"{super().describe(p)}, beyond {self.zero:.4g}"

    def describe_closely(self, p: float, digits: int) -> str:
        """Return the same of a power as it is printed."""
        return f"{super().describe_closely(p, digits)}, beyond {self.zero:.4g}"

    def explain(self, p: float) -> str:
        """Return the formula."""
        return f"{super().explain(p)}, where u is what somebody has beyond {self.zero:.4g}"

    def shape_of(self, p: object, has_zeros: bool) -> float:
        """Return the power that somebody gave: no utility is a zero of this scale."""
        del has_zeros
        return super().shape_of(p, False)

    def shares(self, utilities: FloatArray, weights: FloatArray, p: float) -> FloatArray:
        """Return what a rise by 1% is worth of each person (N, d), as shares of the sum."""
        logs = self._above(self.columns(np.array(utilities.T, order="C"))).logs
        gains = welfare_shares(logs, weights, p).T * np.abs(utilities) / (utilities - self.zero)
        total = gains.sum(axis=1, keepdims=True)
        return np.where(total > 0, gains / np.where(total > 0, total, 1.0), weights)

    def rule(  # type: ignore[override]
        self, p: float, weights: Any, stakeholders: Any = None
    ) -> FamilyRule:
        """Return the rule with this power, this zero and these weights."""
        return FamilyRule(self, p, weights, stakeholders)

    def __repr__(self) -> str:
        return f"NeedsFamily(zero={self.zero:.4g})"


NEEDS = NeedsFamily()
