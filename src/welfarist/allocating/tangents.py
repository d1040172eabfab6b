"""Upper bounds on welfare by tangents, which need no solver to be trusted.

A power mean with p <= 1 is concave and homogeneous, so that at any utilities v > 0

    M(u) <= sum_i g_i u_i    for all u >= 0, with g = the gradient of M at v

Under a budget the right side is largest at a knapsack that is filled in the order of worth per
cost, the last project in part.
"""

from __future__ import annotations

import numpy as np

from welfarist.allocating.projects import Projects
from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.mean import power_mean
from welfarist.families.rule import WelfareFunction

# Utilities of 0 have no tangent; one at this share of the largest is as valid.
_LEAST = 1e-7


def tangent(rule: WelfareFunction, utilities: FloatArray) -> FloatArray:
    """Return the gradient (d,) of welfare at utilities (d,), p <= 1."""
    there = np.maximum(utilities, _LEAST * max(float(utilities.max()), np.finfo(float).tiny))
    value = float(power_mean(there, rule.p, rule.weights))
    return np.asarray(rule.shares(there) * value / there)


def tangents(rule: WelfareFunction, utilities: FloatArray) -> list[FloatArray]:
    """Return all that is worth knowing there: at p = -inf one for each person who counts."""
    if rule.p == -np.inf:
        assert rule.weights is not None
        return [np.eye(len(utilities))[i] for i in np.flatnonzero(rule.weights > 0)]
    return [tangent(rule, utilities)]


def bound_by(gradient: FloatArray, projects: Projects) -> float:
    """Return the largest value of a tangent (d,) within the budget, projects funded in part."""
    worth = projects.gains @ gradient
    free = projects.costs == 0
    total = float(gradient @ projects.baseline + worth[free].sum())
    paid = np.flatnonzero(~free)
    order = paid[np.argsort(-worth[paid] / projects.costs[paid], kind="stable")]
    before = np.cumsum(projects.costs[order]) - projects.costs[order]
    shares = np.clip((projects.budget - before) / projects.costs[order], 0.0, 1.0)
    return total + float(shares @ worth[order])
