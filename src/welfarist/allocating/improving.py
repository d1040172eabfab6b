"""Better sets of whole projects from one that is there: one more, or one in place of another."""

from __future__ import annotations

import time

import numpy as np

from welfarist.allocating.projects import Projects
from welfarist.base.validation import FloatArray
from welfarist.families.rule import WelfareFunction

# A step must raise log welfare by more than rounding.
_RISES = 1e-12


def filled_up(rule: WelfareFunction, projects: Projects, funded: FloatArray) -> FloatArray:
    """Return projects (m,) with more of them, one by one those that add most for what they cost."""
    found, costs = funded.copy(), projects.costs
    while True:
        fits = np.flatnonzero((found == 0) & (costs <= projects.budget - found @ costs))
        if not len(fits):
            return found
        have = projects.utilities(found)
        values = np.asarray(rule(have + projects.gains[fits])) - float(rule(have))
        free = costs[fits] == 0
        worth = np.where(free, np.inf, values / np.where(free, 1.0, costs[fits]))
        found[fits[int(worth.argmax())]] = 1.0


def improved(
    rule: WelfareFunction, projects: Projects, funded: FloatArray, deadline: float
) -> FloatArray:
    """Return projects (m,) that no single addition or exchange makes better.

    Parameters
    ----------
    rule : WelfareFunction
    projects : Projects
    funded : (m,) array
        Within the budget, as 0 and 1.
    deadline : float
        Of time.monotonic(), at which the best so far is returned.
    """
    best, value = funded.copy(), float(rule(projects.utilities(funded)))
    while True:
        step = _best_step(rule, projects, best, deadline)
        if step is None or step[0] <= value * (1.0 + _RISES):
            return best
        value, out, new = step
        if out is not None:
            best[out] = 0.0
        best[new] = 1.0


def _best_step(
    rule: WelfareFunction, projects: Projects, funded: FloatArray, deadline: float
) -> tuple[float, int | None, int] | None:
    """Welfare after the best addition or exchange, what is given up for it, and what is added."""
    costs, rows = projects.costs, np.flatnonzero(funded == 0)
    left = projects.budget - float(funded @ costs)
    found: tuple[float, int | None, int] | None = None
    for out in (None, *np.flatnonzero(funded).tolist()):
        if time.monotonic() > deadline:
            break
        without = funded.copy()
        room = left
        if out is not None:
            without[out], room = 0.0, left + float(costs[out])
        fits = rows[costs[rows] <= room]
        if len(fits):
            values = np.asarray(rule(projects.utilities(without) + projects.gains[fits]))
            here = int(values.argmax())
            if found is None or values[here] > found[0]:
                found = float(values[here]), out, int(fits[here])
    return found
