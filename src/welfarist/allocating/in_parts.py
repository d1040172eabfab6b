"""The best shares of projects that can be funded in part, with a bound that proves them.

The logarithm of welfare is concave for p <= 1. Newton's method climbs it within what the budget
allows: each step maximises the quadratic that agrees with it here, by Clarabel, and goes along it
as far as welfare rises. With shares s of welfare by person and u what people have, its gradient and
Hessian by u are::

    q = s / u,        -(1 - p) diag(s / u^2) - p q q'

Far below 0 it begins at powers nearer to 0, each from what the one before has found. Whatever the
solver says: after each step the tangent bounds what is possible, ``log M + log(1 + q'(u* - u))``
with u* the best knapsack for it, and steps end when that is near.

p = 1 is that knapsack; p = -inf is a linear programme, by HiGHS.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import linprog

from welfarist.allocating.projects import Projects
from welfarist.allocating.tangents import bound_by, filled, tangent
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.mean import log_power_mean
from welfarist.families.rule import WelfareFunction

# Powers below this are taken for -inf; how far that is off is known.
_FURTHEST = -1e4
# The first power on the way to those below it, and how much further each next one is.
_NEAR, _FURTHER = -2.0, 4.0
# Log welfare that may be missing when steps end, at the power itself and on the way; and how many.
_CLOSE, _ON_THE_WAY, _STEPS = 1e-9, 1e-3, 60
# Of the solver.
_EXACT = 1e-12
# So many budgets is the most that a project may cost for a part of it to be looked at.
_DEAREST = 1e9
# A step must rise by this share of what its slope promises, and is halved down to this length.
_RISE, _SHORTEST = 1e-4, 1e-10


def best_shares(rule: WelfareFunction, projects: Projects) -> tuple[FloatArray, float]:
    """Return shares (m,) of nearly the largest welfare, and an upper bound on welfare, p <= 1.

    Everybody counts, and somebody to whom no project gives anything has something without.
    """
    assert rule.weights is not None
    worth_it = projects.costs <= _DEAREST * projects.budget
    if not worth_it.all():
        return _of_some(rule, projects, worth_it)
    if rule.p == 1:
        shares = filled(projects.gains @ rule.weights, projects)
        return shares, bound_by(rule.weights, projects)
    if rule.p >= _FURTHEST:
        return _by_steps(rule, projects)
    shares, bound = _for_the_worst_off(projects)
    # M_p <= w_i^(1/p) u_i for each person, as one term of the sum is less than all of it.
    return shares, bound * float(np.exp(np.log(rule.weights.min()) / rule.p))


def _of_some(
    rule: WelfareFunction, projects: Projects, some: npt.NDArray[np.bool_]
) -> tuple[FloatArray, float]:
    """The same without projects of which next to nothing could be paid; the bound is of all."""
    shares = np.zeros(len(projects))
    names = tuple(name for name, kept in zip(projects.names, some, strict=True) if kept)
    if names:
        left = Projects(
            names, projects.costs[some], projects.gains[some], projects.baseline, projects.budget
        )
        shares[some] = best_shares(rule, left)[0]
    return shares, bound_by(tangent(rule, projects.utilities(shares)), projects)


def _for_the_worst_off(projects: Projects) -> tuple[FloatArray, float]:
    """The same at p = -inf, a linear programme whose prices say how much each person holds up."""
    gains, base = projects.gains, projects.baseline
    people = len(base)
    size = float((base + gains.sum(axis=0)).max())
    rows = np.hstack([-gains.T / size, np.ones((people, 1))])
    spend = np.concatenate([projects.costs / projects.budget, [0.0]])
    found = linprog(
        np.concatenate([np.zeros(len(projects)), [-1.0]]),
        A_ub=np.vstack([rows, spend]),
        b_ub=np.concatenate([base / size, [1.0]]),
        bounds=[(0.0, 1.0)] * len(projects) + [(0.0, None)],
    )
    if found.x is None:
        return np.zeros(len(projects)), bound_by(np.full(people, 1.0 / people), projects)
    prices = np.maximum(-found.ineqlin.marginals[:-1], 0.0)
    prices = prices / prices.sum() if prices.sum() > 0 else np.full(people, 1.0 / people)
    shares = _within(np.clip(found.x[:-1], 0.0, 1.0), projects)
    return shares, bound_by(prices, projects)


def _within(shares: FloatArray, projects: Projects) -> FloatArray:
    """Shares less what rounding has spent beyond the budget."""
    spent = float(shares @ projects.costs)
    return shares * min(1.0, projects.budget / spent) if spent > 0 else shares


def _by_steps(rule: WelfareFunction, projects: Projects) -> tuple[FloatArray, float]:
    """The same at other powers, by Newton's method."""
    powers = [rule.p]
    while powers[0] < _NEAR:
        powers.insert(0, powers[0] / _FURTHER)
    total = float(projects.costs.sum())
    shares = np.full(len(projects), min(1.0, projects.budget / total) if total > 0 else 1.0)
    shares, log_bound = _within(shares, projects), np.inf
    for power in powers:
        close = _CLOSE if power == rule.p else _ON_THE_WAY
        shares, log_bound = _climbed(power, np.asarray(rule.weights), projects, shares, close)
    return shares, float(np.exp(log_bound))


def _climbed(
    p: float, weights: FloatArray, projects: Projects, shares: FloatArray, close: float
) -> tuple[FloatArray, float]:
    """Shares (m,) as near to the best at one power as steps come, and a bound on log welfare."""
    bound = np.inf
    for _ in range(_STEPS):
        have = projects.utilities(shares)
        here = float(log_power_mean(have, p, weights))
        logs = p * np.log(have) + np.log(weights)
        parts = np.exp(logs - logs.max())
        prices = parts / (parts.sum() * have)
        slopes = projects.gains @ prices
        best = filled(slopes, projects)
        bound = min(bound, here + float(np.log1p(max(0.0, slopes @ (best - shares)))))
        if bound - here < close:
            break
        bend = np.diag((1.0 - p) * prices / have) + p * np.outer(prices, prices)
        step = _newton_step(projects, shares, slopes, bend)
        longer = _along(p, weights, projects, shares, step, here, float(slopes @ step))
        if longer is None:
            break
        shares = longer
    return shares, bound


def _along(
    p: float,
    weights: FloatArray,
    projects: Projects,
    shares: FloatArray,
    step: FloatArray,
    here: float,
    slope: float,
) -> FloatArray | None:
    """Shares as far along a step as log welfare rises enough; None if it does not."""
    length = 1.0
    while slope > 0 and length > _SHORTEST:
        there = shares + length * step
        value = float(log_power_mean(projects.utilities(there), p, weights))
        if value > here and value >= here + _RISE * length * slope:
            return there
        length *= 0.5
    return None


def _newton_step(
    projects: Projects, shares: FloatArray, slopes: FloatArray, bend: FloatArray
) -> FloatArray:
    """The step (m,) that maximises ``slopes @ z - z'G bend G'z / 2`` within the budget."""
    solver = _solver()
    m, people = projects.gains.shape
    apart = people < m  # then what people gain are unknowns of their own, which keeps it sparse
    extra = people if apart else 0
    gains = sparse.csc_matrix(projects.gains.T)
    curve = bend if apart else projects.gains @ bend @ projects.gains.T
    quadratic = sparse.csc_matrix(np.triu(curve))
    if apart:
        quadratic = sparse.block_diag([sparse.csc_matrix((m, m)), quadratic], format="csc")
    one, none = sparse.eye(m), sparse.csc_matrix((m, extra))
    rows = [
        sparse.hstack([-one, none]),
        sparse.hstack([one, none]),
        sparse.csc_matrix(
            np.concatenate([projects.costs / projects.budget, np.zeros(extra)])[None]
        ),
    ]
    right = [shares, 1.0 - shares, np.array([1.0 - shares @ projects.costs / projects.budget])]
    cones = [solver.NonnegativeConeT(2 * m + 1)]
    if apart:
        rows.insert(0, sparse.hstack([gains, -sparse.eye(people)]))
        right.insert(0, np.zeros(people))
        cones.insert(0, solver.ZeroConeT(people))
    settings = solver.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _EXACT
    found = solver.DefaultSolver(
        quadratic, np.concatenate([-slopes, np.zeros(extra)]), sparse.vstack(rows, format="csc"),
        np.concatenate(right), cones, settings,
    ).solve()  # fmt: skip
    # Whatever its status says: the caller looks at whether welfare rises, and at what is left.
    step = np.nan_to_num(np.asarray(found.x[:m]))
    return _within(np.clip(shares + step, 0.0, 1.0), projects) - shares


def _solver() -> Any:
    try:
        return importlib.import_module("clarabel")
    except ModuleNotFoundError:
        raise InputError(
            "a budget needs the package clarabel to be allocated; found none. pip install "
            "'welfarist[allocate]'"
        ) from None
