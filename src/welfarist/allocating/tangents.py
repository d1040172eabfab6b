"""Upper bounds on welfare by tangents, which need no solver to be trusted.

A power mean with p <= 1 is concave and homogeneous, so that at any utilities v > 0

    M(u) <= sum_i g_i u_i    for all u >= 0, with g = the gradient of M at v

Under a budget the right side is largest at a knapsack that is filled in the order of worth per
cost, the last project in part.

For 0 < p < 1 somebody may have nothing, where the gradient is infinite. Whole projects give them
nothing or at least a least amount d_i, so that each person's part of welfare can be bent into a
straight line between the two::

    h(u) = sum_i w_i b(u_i),   b(x) = (x^p - 1) / p from d_i on,  straight from -1/p at 0 to b(d_i)

is concave, and ``M = (1 + p h)^(1/p)`` for whole projects.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from welfarist.allocating.projects import Projects
from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.mean import power_mean
from welfarist.families.rule import WelfareFunction

# Utilities of 0 have no tangent; one at this share of the largest is as valid.
_LEAST = 1e-12

# A value and a gradient (d,): at utilities u it allows ``value + gradient @ u``.
Cut = tuple[float, FloatArray]


class Cuts(Protocol):
    """Straight lines above welfare, on a scale of their own, for whole projects."""

    def at(self, utilities: FloatArray) -> list[Cut]:
        """Return those that touch it at utilities (d,), or nearly do."""
        ...

    def welfare(self, value: float) -> float:
        """Return welfare from a value on the scale of the lines."""
        ...

    def precision(self, gap: float, welfare: float) -> float:
        """Return by which share of itself a value may be off for welfare to be off by another."""
        ...


class ByWelfare:
    """Tangents to welfare itself, in units of a size that is near it.

    Parameters
    ----------
    rule : WelfareFunction
        With p <= 1.
    unit : float
    """

    def __init__(self, rule: WelfareFunction, unit: float) -> None:
        self.rule, self.unit = rule, unit

    def at(self, utilities: FloatArray) -> list[Cut]:
        """Return the tangent; at p = -inf one for each person."""
        if self.rule.p == -np.inf:
            return [(0.0, row / self.unit) for row in np.eye(len(utilities))]
        return [(0.0, tangent(self.rule, utilities) / self.unit)]

    def welfare(self, value: float) -> float:
        """Return it in its own units."""
        return value * self.unit

    def precision(self, gap: float, welfare: float) -> float:  # noqa: ARG002
        """Return the same share, as lines are about welfare."""
        return gap


class ByPerson:
    """Tangents to h, for 0 < p < 1 and people who may have nothing.

    Parameters
    ----------
    rule : WelfareFunction
    projects : Projects
    unit : float
        In which utilities are measured.
    """

    def __init__(self, rule: WelfareFunction, projects: Projects, unit: float) -> None:
        assert rule.weights is not None
        self.p, self.weights, self.unit = rule.p, rule.weights, unit
        some = np.where(projects.gains > 0, projects.gains, np.inf).min(axis=0)
        self.least = np.where(projects.baseline > 0, projects.baseline, some) / unit

    def at(self, utilities: FloatArray) -> list[Cut]:
        """Return the tangent to h."""
        seen = np.maximum(utilities / self.unit, self.least)
        straight = utilities / self.unit < self.least
        powers = np.expm1(self.p * np.log(seen)) / self.p
        slopes = np.exp((self.p - 1.0) * np.log(seen)) / np.where(straight, self.p, 1.0)
        value = float(self.weights @ (powers - slopes * seen))
        return [(value, self.weights * slopes / self.unit)]

    def welfare(self, value: float) -> float:
        """Return ``(1 + p h)^(1/p)`` in the units of utilities."""
        inside = self.p * value
        return float(np.exp(np.log1p(inside) / self.p)) * self.unit if inside > -1 else 0.0

    def precision(self, gap: float, welfare: float) -> float:
        """Return the share of h for one of welfare, near which ``dh = (1 + p h) d log M``."""
        if welfare <= 0:
            return gap
        grown = float(np.exp(self.p * np.log(welfare / self.unit)))
        return gap * grown / max(abs(grown - 1.0) / self.p, grown)


def tangent(rule: WelfareFunction, utilities: FloatArray) -> FloatArray:
    """Return the gradient (d,) of welfare at utilities (d,), p <= 1."""
    there = np.maximum(utilities, _LEAST * max(float(utilities.max()), np.finfo(float).tiny))
    value = float(power_mean(there, rule.p, rule.weights))
    return np.asarray(rule.shares(there) * value / there)


def filled(worth: FloatArray, projects: Projects) -> FloatArray:
    """Return the shares (m,) that are worth most within the budget, by what each is worth (m,)."""
    free = projects.costs == 0
    shares: FloatArray = free.astype(np.float64)
    paid = np.flatnonzero(~free)
    order = paid[np.argsort(-worth[paid] / projects.costs[paid], kind="stable")]
    before = np.cumsum(projects.costs[order]) - projects.costs[order]
    shares[order] = np.clip((projects.budget - before) / projects.costs[order], 0.0, 1.0)
    return shares


def bound_by(gradient: FloatArray, projects: Projects) -> float:
    """Return the largest value of a tangent (d,) within the budget, projects funded in part."""
    worth = projects.gains @ gradient
    return float(gradient @ projects.baseline + filled(worth, projects) @ worth)
