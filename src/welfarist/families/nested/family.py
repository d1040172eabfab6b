"""Nested power means as a family: inequality within groups, and between them."""

from __future__ import annotations

from dataclasses import replace
from math import asinh
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.parameters import ASINH, Parameter
from welfarist.base.validation import FloatArray, is_real
from welfarist.families.base import Family
from welfarist.families.columns import Columns, People
from welfarist.families.levels import RATIO
from welfarist.families.nested.groups import Grouped
from welfarist.families.power_mean.family import POWER
from welfarist.families.welfare import Welfare

# How far both powers are searched: somebody with half the utility weighs 2^30 times as much there.
_FARTHEST = 30.0
BETWEEN = replace(POWER, words="power p between groups", lowest=-_FARTHEST, highest=_FARTHEST)
WITHIN = Parameter("q", "power q within groups", -_FARTHEST, _FARTHEST, ASINH, 0.5, 1e-6, 1.0)
_START = 0.5


class NestedFamily(Family):
    """Power means of the power means of groups.

    Domain: d positive utilities of people in G groups, weights on the simplex, a power p between
    groups and a power q within, both from -30 to 30.

    Formula: ``V(u; w, p, q) = M(m_1, ..., m_G; W, p)`` with ``W_g`` the sum of the weights of group
    g and ``m_g = M(u_g; w_g / W_g, q)``. With ``s_g`` the marginal share of a group and ``g_i`` the
    derivative of ``log m_g`` by a weight, second derivatives by two weights are
    ``-p V_i V_j + s_g (p - q) g_i g_j``, the second term for two of one group.

    Limits: at q = p it is the power mean of everybody. Groups of one person only leave q without a
    meaning, a single group p. Infinite powers are not searched.

    Parameters
    ----------
    groups : (d,) array-like
        The group of each person: a label or a number.
    q : float
        The power within groups; a search begins there.
    """

    name = "nested"
    title = "nested power means"
    noun = "nested power mean"
    shape = BETWEEN
    level = RATIO
    starts = (1.0, -1.0)
    more_starts = (0.2, 4.0, -4.0)
    is_mean = True
    own = (WITHIN,)
    says = (
        "The power p says how much inequality between groups matters, and the power q how much "
        "inequality within them; where both are the same, groups make no difference."
    )

    def __init__(self, groups: npt.ArrayLike | None = None, q: float = np.sinh(_START)) -> None:
        self.groups: tuple[Any, ...] | None = None
        if groups is not None:
            labels = np.asarray(groups)
            if labels.ndim != 1 or not len(labels):
                raise InputError(
                    "groups must hold one label per person; found an array of shape "
                    f"{labels.shape}."
                )
            self.groups = tuple(labels.tolist())
        if not -_FARTHEST <= q <= _FARTHEST:
            raise InputError(f"q must be a power from {-_FARTHEST:g} to {_FARTHEST:g}; found {q}.")
        self.q = float(q)
        self._bounds = (-asinh(_FARTHEST), asinh(_FARTHEST))

    @property
    def group_of(self) -> npt.NDArray[np.intp]:
        """The number of each person's group (d,)."""
        if self.groups is None:
            raise InputError(
                f"{self.called} needs to know who is in which group; found nothing. Give groups: "
                "one label per person."
            )
        return np.unique(np.array(self.groups), return_inverse=True)[1].reshape(-1)

    @property
    def own_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Where asinh(q) is searched."""
        return np.array([self._bounds[0]]), np.array([self._bounds[1]])

    @property
    def own_start(self) -> FloatArray:
        """asinh(q)."""
        return np.array([asinh(self.q)])

    def within(self, bounds: tuple[FloatArray, FloatArray]) -> NestedFamily:
        """Return the same with other bounds of asinh(q)."""
        made = NestedFamily(self.groups, self.q)
        made._bounds = float(bounds[0][0]), float(bounds[1][0])
        return made

    def at(self, own: FloatArray) -> NestedFamily:
        """Return the member with this asinh(q)."""
        made = NestedFamily(self.groups, min(max(np.sinh(own[0]), -_FARTHEST), _FARTHEST))
        made._bounds = self._bounds
        return made

    def own_values(self) -> dict[str, float]:
        """Return q."""
        return {WITHIN.name: self.q}

    def numbers(self) -> dict[str, Any]:
        """Return q and who is in which group."""
        return {"q": self.q, "groups": self.group_of.tolist()}

    def of_numbers(self, numbers: Any, people: int) -> NestedFamily:
        """Return the member that :meth:`numbers` described."""
        form = f"q from {-_FARTHEST:g} to {_FARTHEST:g} and groups of {people} people"
        if not isinstance(numbers, dict) or set(numbers) != {"q", "groups"}:
            raise ValueError(form)
        q, groups = numbers["q"], numbers["groups"]
        whole = isinstance(groups, list) and len(groups) == people
        if not (whole and all(type(g) is int and 0 <= g < people for g in groups) and is_real(q)):
            raise ValueError(form)
        if not abs(q) <= _FARTHEST:
            raise ValueError(form)
        return NestedFamily(groups, float(q))

    def with_groups(self, labels: npt.ArrayLike) -> NestedFamily:
        """Return the family of people in these groups (d,)."""
        return NestedFamily(labels, self.q)

    def suited_to(self, utilities: Any) -> NestedFamily:
        """Return the family itself, if its groups are those of a table (N, d)."""
        people = utilities.shape[1]
        if len(self.group_of) != people:
            raise InputError(
                f"groups must hold one label per person, {people} in all; found "
                f"{len(self.group_of)}."
            )
        if not isinstance(utilities, np.ndarray):
            raise InputError(
                f"{self.called} needs everybody's utilities; found people who are not all in "
                "memory. Pass a table of utilities."
            )
        counts = np.bincount(self.group_of)
        if len(counts) < 2 or counts.max() < 2:
            found = "one group" if len(counts) < 2 else "groups of one person only"
            raise InputError(
                "groups must be two or more, one of them with several people, so that powers "
                f'within and between them can differ; found {found}. Use family="power".'
            )
        return self

    def columns(self, utilities: FloatArray) -> Grouped:
        """Return log utilities (d, N), less their mean, in groups."""
        with np.errstate(divide="ignore"):
            np.log(utilities, out=utilities)
        return Grouped.of(utilities, self.group_of)

    def welfare(self, people: People, weights: FloatArray, p: float) -> Welfare:
        """Return log V of all actions, less the people's shift, with derivatives."""
        seen = cast(Grouped, people)
        totals, shares = seen.shares_within(weights)
        inner = seen.within(shares, self.q)
        outer = Columns(np.array([one.value for one in inner])).log_mean(totals, p)
        ratio = _ratios(inner, outer, p)
        by_weight = np.empty_like(seen.logs)
        by_q = np.zeros_like(outer.value)
        for g, rows in enumerate(seen.members):
            by_weight[rows] = outer.by_weight[g] + ratio[g] * inner[g].by_weight
            by_q += totals[g] * ratio[g] * inner[g].by_power
        steep = float(np.hypot(1.0, self.q))
        return Welfare(outer.value, by_weight, outer.by_power, steep * by_q[None])

    def bend_by_weights(
        self, rows: FloatArray, pull: FloatArray, p: float, extra: float
    ) -> FloatArray:
        """Return ``(extra - p) V_i V_j``, summed over actions with `pull` (N,)."""
        return np.asarray((rows * ((extra - p) * pull)) @ rows.T)

    def bend_further(
        self, people: People, weights: FloatArray, p: float, pull: FloatArray
    ) -> FloatArray | None:
        """Return ``s_g (p - q) g_i g_j`` for two of one group (d, d), summed with `pull` (N,)."""
        seen = cast(Grouped, people)
        totals, shares = seen.shares_within(weights)
        inner = seen.within(shares, self.q)
        outer = Columns(np.array([one.value for one in inner])).log_mean(totals, p)
        ratio = _ratios(inner, outer, p)
        found = np.zeros((len(weights), len(weights)))
        for g, rows in enumerate(seen.members):
            if totals[g] > 0:
                slopes, times = inner[g].by_weight, (p - self.q) / totals[g] * ratio[g] * pull
                found[np.ix_(rows, rows)] = (slopes * times) @ slopes.T
        return found

    def describe(self, p: float) -> str:
        """Return both powers."""
        return f"p = {p:.4g} between groups, q = {self.q:.4g} within"

    def describe_closely(self, p: float, digits: int) -> str:
        """Return both powers as they are printed with some decimals."""
        return f"p = {p:.{digits}f} between groups, q = {self.q:.{digits}f} within"

    def explain(self, p: float) -> str:
        """Return the formula in words."""
        return (
            f"the weighted power mean with p = {p:.4g} of groups, each of which is worth the "
            f"weighted power mean with q = {self.q:.4g} of the utilities it gives to its members"
        )

    def __repr__(self) -> str:
        return f"NestedFamily(groups={self.groups!r}, q={self.q:.4g})"


def _ratios(inner: list[Welfare], outer: Welfare, p: float) -> FloatArray:
    """The marginal share of each group over its weight (G, N)."""
    away = np.array([one.value for one in inner]) - outer.value
    return np.asarray(np.exp(np.clip(p * away, -700.0, 200.0)))


NESTED = NestedFamily()
