"""Whole projects: branch and bound (HiGHS) on tangents to welfare, with a proven gap.

What is found first is improved by exchanges. Where people are many, each has a chain of pieces of
their own (:mod:`welfarist.allocating.many`), or whoever has least decides
(:mod:`welfarist.allocating.covers`); for few, or what is then left, tangents are to welfare as a
whole. Each round maximises the least of all tangents so far over whole projects, which bounds
welfare from above; the tangent at what it funds is added (outer approximation), until the bound
meets the best that was found. For p <= 0 welfare is 0 as long as somebody has nothing: then only
sets of projects are looked at that give everybody something, if the budget pays for one.
"""

from __future__ import annotations

import time

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from welfarist.allocating.covers import CLOSEST, closed_in
from welfarist.allocating.improving import filled_up, improved
from welfarist.allocating.in_parts import best_shares
from welfarist.allocating.many import best_of_many
from welfarist.allocating.projects import Projects
from welfarist.allocating.tangents import ByPerson, ByWelfare, Cut, Cuts, tangent
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.rule import WelfareFunction

# Rounding of bounds and values that are equal.
_EQUAL = 1e-9
# What HiGHS sees as the size of welfare: it stops within a millionth of 1, whatever is asked for.
_SEEN = 1e3
# Different people from which on each has a chain of pieces, and tangents to welfare serve less.
_MANY = 40
# Powers below which nearly the worst off alone decide.
_WORST_OFF = -50.0
# Share of the time that is spent on exchanges before any bound.
_IMPROVED = 0.1
# By how much HiGHS may overspend, as a share of the budget.
_OVERSPENT = 2e-6


def for_everybody(rule: WelfareFunction, projects: Projects, seconds: float) -> FloatArray | None:
    """Return projects (m,) that give everybody something within the budget; None if none do.

    Only where welfare is 0 otherwise (p <= 0); elsewhere no project.
    """
    m, needs = len(projects), _needs(rule, projects)
    if not len(needs):
        return np.zeros(m)
    found = milp(
        projects.costs / projects.budget,
        constraints=[LinearConstraint(needs, 1.0, np.inf)],
        integrality=np.ones(m),
        bounds=Bounds(np.zeros(m), projects.affordable()),
        options={"time_limit": max(seconds, 0.1), "mip_rel_gap": 0.0},
    )
    if found.x is not None:
        funded: FloatArray = np.round(found.x)
        if float(funded @ projects.costs) <= projects.budget:
            return funded
    if found.status == 2 or float(found.mip_dual_bound or 0.0) > 1.0 + _EQUAL:
        return None
    raise InputError(
        f"with p of at most 0 everybody must have something; found no such projects within "
        f"{seconds:g} seconds, nor that there are none. Allow more seconds, or say what people "
        "have without projects."
    )


def best_whole(
    rule: WelfareFunction, projects: Projects, start: FloatArray, gap: float, seconds: float
) -> tuple[FloatArray, float]:
    """Return which projects (m,) to fund, as 0 and 1, and an upper bound on welfare, p <= 1.

    Parameters
    ----------
    rule : WelfareFunction
    projects : Projects
    start : (m,) array
        Projects that give everybody something, where that is needed.
    gap : float
        How close the bound must come, as a share of it; for many people no closer than 2e-5, which
        is what solvers hold to.
    seconds : float
        Wall time after which the best so far is returned with its bound.
    """
    deadline = time.monotonic() + seconds
    shares, bound = best_shares(rule, projects)
    near = max(bound, np.finfo(float).tiny)
    cuts: Cuts = ByWelfare(rule, near)
    if 0 < rule.p < 1 and not projects.baseline.all():
        cuts = ByPerson(rule, projects, near)
    tried = [_rounded(rule, projects, shares, first) for first in (start, np.zeros(len(shares)))]
    tried.append(filled_up(rule, projects, start))
    values = [float(rule(projects.utilities(funded))) for funded in tried]
    best = improved(
        rule, projects, tried[int(np.argmax(values))], time.monotonic() + _IMPROVED * seconds
    )
    value = float(rule(projects.utilities(best)))
    if len(projects.baseline) >= _MANY and rule.p < 1 and value > 0:
        if rule.p < _WORST_OFF:
            best, bound = closed_in(rule, projects, best, bound, gap, deadline)
        if rule.p > -np.inf:
            best, bound = best_of_many(rule, projects, best, bound, gap, deadline)
        value, gap = float(rule(projects.utilities(best))), max(gap, CLOSEST)
    lines = cuts.at(projects.utilities(shares)) + cuts.at(projects.utilities(best))
    needs = _needs(rule, projects)
    while bound - value > max(gap, _EQUAL) * near and time.monotonic() < deadline:
        precision = cuts.precision(gap, value) / 4.0
        found = _round(projects, lines, needs, precision, deadline - time.monotonic())
        if found is None:
            break
        funded, proven = found
        bound = min(bound, cuts.welfare(proven))
        here = float(rule(projects.utilities(funded)))
        if here > value:
            best, value = funded, here
        new = [cut for cut in cuts.at(projects.utilities(funded)) if not _among(cut, lines)]
        if not new:  # what tangents say here is what is so
            break
        lines += new
    return best, max(bound, value)


def _among(cut: Cut, lines: list[Cut]) -> bool:
    return any(cut[0] == value and np.array_equal(cut[1], slope) for value, slope in lines)


def _needs(rule: WelfareFunction, projects: Projects) -> FloatArray:
    """For everybody (k, m) who must be given something, which projects do."""
    if rule.p > 0:
        return np.empty((0, len(projects)))
    needy = projects.baseline == 0
    return np.asarray(projects.gains[:, needy].T > 0, dtype=np.float64)


def _round(
    projects: Projects, lines: list[Cut], needs: FloatArray, gap: float, seconds: float
) -> tuple[FloatArray, float] | None:
    """The whole projects that maximise the least line, and the bound on its value."""
    m = len(projects)
    slopes = _SEEN * np.array([slope for _, slope in lines])
    values = _SEEN * np.array([value for value, _ in lines])
    rows = np.hstack([np.ones((len(slopes), 1)), -(slopes @ projects.gains.T)])
    spend = np.concatenate([[0.0], projects.costs / projects.budget])
    constraints = [LinearConstraint(rows, -np.inf, values + slopes @ projects.baseline)]
    if len(needs):
        constraints.append(LinearConstraint(np.insert(needs, 0, 0.0, axis=1), 1.0, np.inf))
    proven = np.inf
    for most in (1.0, 1.0 - _OVERSPENT):
        result = milp(
            np.concatenate([[-1.0], np.zeros(m)]),
            constraints=[*constraints, LinearConstraint(spend[None, :], -np.inf, most)],
            integrality=np.concatenate([[0], np.ones(m)]),
            bounds=Bounds(
                np.concatenate([[-np.inf], np.zeros(m)]),
                np.concatenate([[np.inf], projects.affordable()]),
            ),
            options={"mip_rel_gap": gap, "time_limit": max(seconds, 0.1)},
        )
        if result.x is None:
            return None
        proven = min(proven, -float(result.mip_dual_bound) / _SEEN) if most == 1.0 else proven
        funded = np.round(result.x[1:])
        if float(funded @ projects.costs) <= projects.budget * (1.0 + _EQUAL):
            return funded, proven
    return None


def _rounded(
    rule: WelfareFunction, projects: Projects, shares: FloatArray, first: FloatArray
) -> FloatArray:
    """Whole projects near given shares: some first, the largest, then whatever still fits."""
    have = projects.utilities(shares)
    at = have == have.min() if rule.p == -np.inf else tangent(rule, have)
    worth = projects.gains @ np.asarray(at, dtype=np.float64)
    free = projects.costs == 0
    dear = np.where(free, -np.inf, -worth / np.where(free, 1.0, projects.costs))
    order = np.lexsort((dear, -shares, -first))
    funded, left = np.zeros(len(shares)), projects.budget
    for row in order:
        if projects.costs[row] <= left:
            funded[row], left = 1.0, left - projects.costs[row]
    return funded
