"""Whole projects: branch and bound (HiGHS) on tangents to welfare, with a proven gap.

Each round maximises the least of all tangents so far over whole projects, which bounds welfare from
above; the tangent at what it funds is added (outer approximation), until the bound meets the best
that was found.
"""

from __future__ import annotations

import time

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from welfarist.allocating.in_parts import best_shares
from welfarist.allocating.projects import Projects
from welfarist.allocating.tangents import bound_by, tangents
from welfarist.base.validation import FloatArray
from welfarist.families.rule import WelfareFunction

# Rounding of bounds and values that are equal.
_EQUAL = 1e-9
# What HiGHS sees as the size of welfare: it stops within a millionth of 1, whatever is asked for.
_SEEN = 1e3


def best_whole(
    rule: WelfareFunction, projects: Projects, gap: float, seconds: float
) -> tuple[FloatArray, float]:
    """Return which projects (m,) to fund, as 0 and 1, and an upper bound on welfare, p <= 1.

    Parameters
    ----------
    rule : WelfareFunction
    projects : Projects
    gap : float
        How close the bound must come, as a share of it.
    seconds : float
        Wall time after which the best so far is returned with its bound.
    """
    deadline = time.monotonic() + seconds
    shares, gradients = best_shares(rule, projects)
    bound = min(bound_by(gradient, projects) for gradient in gradients)
    if rule.p == -np.inf:  # all there is to know of the smallest
        gradients = [*gradients, *tangents(rule, projects.baseline)]
    best = _rounded(rule, projects, shares)
    value = float(rule(projects.utilities(best)))
    size = max(bound, np.finfo(float).tiny)
    while bound - value > max(gap, _EQUAL) * size and time.monotonic() < deadline:
        found = _round(projects, gradients, size, gap, deadline - time.monotonic())
        if found is None:
            break
        funded, proven = found
        bound = min(bound, proven)
        here = float(rule(projects.utilities(funded)))
        if here > value:
            best, value = funded, here
        before = len(gradients)
        gradients += [
            new
            for new in tangents(rule, projects.utilities(funded))
            if not any(np.array_equal(new, old) for old in gradients)
        ]
        if len(gradients) == before:  # what tangents say here is what is so
            break
    return best, max(bound, value)


def _round(
    projects: Projects, gradients: list[FloatArray], size: float, gap: float, seconds: float
) -> tuple[FloatArray, float] | None:
    """The whole projects that maximise the least tangent, and the bound that is proven."""
    m, unit = len(projects), size / _SEEN
    slopes = np.array(gradients) / unit
    worth = slopes @ projects.gains.T
    rows = np.hstack([np.ones((len(slopes), 1)), -worth])
    spend = np.concatenate([[0.0], projects.costs / projects.budget])
    result = milp(
        np.concatenate([[-1.0], np.zeros(m)]),
        constraints=[
            LinearConstraint(rows, -np.inf, slopes @ projects.baseline),
            LinearConstraint(spend[None, :], -np.inf, 1.0),
        ],
        integrality=np.concatenate([[0], np.ones(m)]),
        bounds=Bounds(
            np.concatenate([[0.0], np.zeros(m)]), np.concatenate([[np.inf], projects.affordable()])
        ),
        options={"mip_rel_gap": gap / 4.0, "time_limit": max(seconds, 0.1)},
    )
    if result.x is None:
        return None
    funded = np.round(result.x[1:])
    if float(funded @ projects.costs) > projects.budget * (1.0 + _EQUAL):
        return None
    return funded, -float(result.mip_dual_bound) * unit


def _rounded(rule: WelfareFunction, projects: Projects, shares: FloatArray) -> FloatArray:
    """Whole projects near given shares: the largest first, then whatever still fits and helps."""
    gradient = tangents(rule, projects.utilities(shares))
    worth = projects.gains @ np.mean(gradient, axis=0)
    order = np.lexsort((-worth / np.maximum(projects.costs, np.finfo(float).tiny), -shares))
    funded, left = np.zeros(len(shares)), projects.budget
    for row in order:
        if projects.costs[row] <= left:
            funded[row], left = 1.0, left - projects.costs[row]
    return funded
