"""Mixed-integer programmes that count errors, and what their outcome proves.

The bound that a solver gives is rounded up to the next sum of costs that is possible: an optimum
above 11.3 errors is at least 12. With a known solution to beat, only what beats it is looked for;
if there is nothing, that solution's cost is the bound. Circles of preferences without an error
(`cycles`) are ruled out, some from the start, the others as they turn up.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse

from welfarist.base.validation import FloatArray
from welfarist.counting.lower_bounds.cycles import PreferenceGraph

# How far from a whole number the solver's rounding may put one.
_UNSURE = 1e-6
_LIMIT, _INFEASIBLE = 1, 2


@dataclass(frozen=True)
class Bound:
    """What is proven about the mean 0-1 loss somewhere in the family.

    Attributes
    ----------
    lower_bound : float
        No rule there has a lower mean loss; never above the incumbent's.
    time_limit_hit : bool
        Whether more time might have proven more.
    """

    lower_bound: float
    time_limit_hit: bool


@dataclass(frozen=True)
class Outcome:
    """What a solver found.

    Attributes
    ----------
    lower_bound : float
        No solution costs less.
    solution : (v,) array or None
        The best that was found, if any.
    time_limit_hit : bool
    """

    lower_bound: float
    solution: FloatArray | None
    time_limit_hit: bool


def minimise_errors(
    cost: FloatArray,
    binary: FloatArray,
    constraints: Sequence[optimize.LinearConstraint],
    bounds: optimize.Bounds,
    time_limit: float,
    budget: float = np.inf,
    preferences: PreferenceGraph | None = None,
) -> Outcome:
    """Minimise the cost of errors under linear constraints.

    Parameters
    ----------
    cost : (v,) array
        Of each variable; not negative, and 0 for those that are no errors.
    binary : (v,) array
        1 for the variables that are 0 or 1, 0 for the others.
    constraints, bounds
        As scipy.optimize.milp takes them.
    time_limit : float
        Seconds.
    budget : float
        A cost that is known to be possible.
    preferences : PreferenceGraph, optional
        The decisions in whose circles there must be an error.
    """
    deadline = time.monotonic() + time_limit
    unit = _unit(cost)
    constraints = list(constraints)
    if np.isfinite(budget):
        cutoff = _multiple(budget, unit) - unit if unit else budget
        if cutoff < 0:
            return Outcome(max(budget, 0.0), None, False)
        constraints.append(optimize.LinearConstraint(cost, -np.inf, cutoff))
    circles = [] if preferences is None else preferences.circles()
    bound = 0.0
    while True:
        if circles:
            constraints.append(_one_of(circles, len(cost)))
        found = optimize.milp(
            cost,
            integrality=binary,
            bounds=bounds,
            constraints=constraints,
            options={"time_limit": max(deadline - time.monotonic(), 1e-3), "mip_rel_gap": 0.0},
        )
        if found.status == _INFEASIBLE and np.isfinite(budget):
            return Outcome(max(budget, bound), None, False)
        bound = max(bound, _proven(found, unit))
        if found.status == _LIMIT or found.x is None or preferences is None:
            break
        circles = preferences.circles(found.x)
        if not circles:
            break
    return Outcome(bound, found.x, found.status == _LIMIT)


def _one_of(circles: list[list[int]], variables: int) -> optimize.LinearConstraint:
    """At least one variable of each circle is 1."""
    row = np.repeat(np.arange(len(circles)), [len(circle) for circle in circles])
    column = np.concatenate([np.array(circle, dtype=np.intp) for circle in circles])
    ones = (np.ones(len(row)), (row, column))
    matrix = sparse.csr_array(ones, shape=(len(circles), variables))
    return optimize.LinearConstraint(matrix, 1.0, np.inf)


def one_right(
    rivals: Sequence[npt.NDArray[np.intp]], start: int, variables: int
) -> list[optimize.LinearConstraint]:
    """Of rivals, given by the places of their variables from `start` on, all but one are wrong."""
    if not rivals:
        return []
    row = np.repeat(np.arange(len(rivals)), [len(group) for group in rivals])
    column = start + np.concatenate(rivals)
    matrix = sparse.csr_array((np.ones(len(row)), (row, column)), shape=(len(rivals), variables))
    least = np.array([len(group) - 1.0 for group in rivals])
    return [optimize.LinearConstraint(matrix, least, np.inf)]


def _unit(cost: FloatArray) -> float:
    """The largest of 1 and 1/2 of which every sum of costs is a multiple; 0 if neither is."""
    for unit in (1.0, 0.5):
        if (cost == unit * np.round(cost / unit)).all():
            return unit
    return 0.0


def _multiple(value: float, unit: float) -> float:
    """The smallest multiple of the unit that is not below a value, but for rounding."""
    return unit * float(np.ceil(value / unit - _UNSURE))


def _proven(found: optimize.OptimizeResult, unit: float) -> float:
    bound = found.get("mip_dual_bound")
    if bound is None or not np.isfinite(bound):
        return 0.0
    safe = _multiple(bound, unit) if unit else float(bound) - _UNSURE * (1.0 + abs(float(bound)))
    return max(safe, 0.0)
