"""Whole projects that leave nobody with too little: bounds where the worst off decide.

``M_p(u) <= w_i^(1/p) u_i`` for every person and p < 0, so that welfare of T needs utilities of at
least ``T w_i^(-1/p)`` (T itself at p = -inf). The cheapest whole projects that give everybody that
are a covering programme; where there are none within the budget, welfare is below T. Halving the
way between what is found and what is possible closes in on both.
"""

from __future__ import annotations

import time

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from welfarist.allocating.improving import improved
from welfarist.allocating.pieces import Reach
from welfarist.allocating.projects import Projects
from welfarist.base.validation import FloatArray
from welfarist.families.rule import WelfareFunction

# Rounding of what is spent, and what a covering programme may miss by tolerance.
_EQUAL, _LOOSE = 1e-9, 1e-5
# How closely bounds can be proven by such programmes, as a share of welfare.
CLOSEST = 2.0 * _LOOSE


def covering(projects: Projects, least: FloatArray) -> sparse.csr_matrix:
    """Return rows (r, m) that whole projects must add up to 1 in for everybody to have the least.

    A project that alone gives somebody what they lack counts as 1, whatever else it gives.
    """
    lacked = least - projects.baseline
    needy = lacked > _EQUAL * least
    return sparse.csr_matrix(np.minimum(projects.gains[:, needy] / lacked[needy], 1.0).T)


def closed_in(
    rule: WelfareFunction, projects: Projects, funded: FloatArray, bound: float, gap: float,
    deadline: float,
) -> tuple[FloatArray, float]:  # fmt: skip
    """Return which projects (m,) to fund, as 0 and 1, and an upper bound on welfare, p < 0.

    Parameters
    ----------
    rule : WelfareFunction
    projects : Projects
    funded : (m,) array
        A set within the budget, of welfare above 0.
    bound : float
        On welfare, that is known.
    gap : float
        How close the bound must come, as a share of it.
    deadline : float
        Of time.monotonic().
    """
    assert rule.weights is not None
    reach, value = Reach.of(projects), float(rule(projects.utilities(funded)))
    needed = np.exp(-np.log(rule.weights) / rule.p)
    close = max(gap, CLOSEST)
    while bound - value > close * bound and time.monotonic() < deadline:
        aim = max(float(np.sqrt(value * bound)), value * (1.0 + 0.5 * close))
        found, none = _cheapest(projects, reach.from_least(aim * needed), deadline)
        if none:
            bound = aim
            continue
        if found is None:
            break
        better = improved(rule, projects, found, deadline)
        here = float(rule(projects.utilities(better)))
        if here > value:
            funded, value = better, here
        if here < aim:  # for p > -inf it is not enough that nobody has too little
            break
    return funded, max(bound, value)


def _cheapest(
    projects: Projects, least: FloatArray, deadline: float
) -> tuple[FloatArray | None, bool]:
    """The cheapest projects (m,) that give everybody the least, and whether there are none."""
    m, rows = len(projects), covering(projects, least)
    if not rows.shape[0]:
        return np.zeros(m), False
    found = milp(
        projects.costs / projects.budget,
        constraints=[LinearConstraint(rows, 1.0 - _LOOSE, np.inf)],
        integrality=np.ones(m),
        bounds=Bounds(np.zeros(m), projects.affordable()),
        options={"time_limit": max(deadline - time.monotonic(), 0.1), "mip_rel_gap": 0.0},
    )
    if found.status == 2 or float(found.mip_dual_bound or 0.0) > 1.0 + _LOOSE:
        return None, True
    if found.x is None:
        return None, False
    funded: FloatArray = np.round(found.x)
    fits = float(funded @ projects.costs) <= projects.budget * (1.0 + _EQUAL)
    return (funded if fits else None), False
