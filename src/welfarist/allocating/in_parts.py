"""The best shares of projects that can be funded in part: a cone programme, by Clarabel.

With t for welfare and r for what each person adds, welfare of at least t is, for everybody i::

    p < 0:      u_i^a r_i^(1-a) >= w_i^(1/(1-p)) t,  a = -p / (1-p),   sum_i r_i <= t
    0 < p < 1:  u_i^p t^(1-p) >= r_i / w_i,                            sum_i r_i >= t
    p = 0:      exp(r_i) <= u_i,                                       sum_i w_i r_i = log t

power cones and exponential cones; p = 1 is linear, and so is p = -inf, by HiGHS.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from welfarist.allocating.projects import Projects
from welfarist.allocating.tangents import tangents
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.rule import WelfareFunction

# Powers nearer to 0 are taken for 0, and powers below this for -inf: what is found is judged by the
# rule itself, and the bound by its own tangents.
_NEAREST, _FURTHEST = 1e-4, -1e4


def best_shares(rule: WelfareFunction, projects: Projects) -> tuple[FloatArray, list[FloatArray]]:
    """Return shares (m,) of nearly the largest welfare for p <= 1, and gradients that bound it."""
    if rule.p == -np.inf:
        return _for_the_worst_off(rule, projects)
    shares = _by_cones(rule, projects)
    return shares, tangents(rule, projects.utilities(shares))


def _for_the_worst_off(
    rule: WelfareFunction, projects: Projects
) -> tuple[FloatArray, list[FloatArray]]:
    """The same at p = -inf, a linear programme whose prices say how much each person holds up."""
    assert rule.weights is not None
    counted = np.flatnonzero(rule.weights > 0)
    gains, base = projects.gains[:, counted], projects.baseline[counted]
    size = max(float((base + gains.sum(axis=0)).max()), np.finfo(float).tiny)
    rows = np.hstack([-gains.T / size, np.ones((len(counted), 1))])
    spend = np.concatenate([projects.costs / projects.budget, [0.0]])
    found = linprog(
        np.concatenate([np.zeros(len(projects)), [-1.0]]),
        A_ub=np.vstack([rows, spend]),
        b_ub=np.concatenate([base / size, [1.0]]),
        bounds=[(0.0, 1.0)] * len(projects) + [(0.0, None)],
    )
    prices = np.zeros(len(rule.weights))
    prices[counted] = np.maximum(-found.ineqlin.marginals[:-1], 0.0)
    shares = _within(np.clip(found.x[:-1], 0.0, 1.0), projects)
    return shares, [prices / prices.sum()]


def _within(shares: FloatArray, projects: Projects) -> FloatArray:
    """Shares less what rounding has spent beyond the budget."""
    spent = float(shares @ projects.costs)
    return shares * min(1.0, projects.budget / spent) if spent > 0 else shares


def _by_cones(rule: WelfareFunction, projects: Projects) -> FloatArray:
    solver = _solver()
    m = len(projects)
    assert rule.weights is not None
    counted = np.flatnonzero(rule.weights > 0)
    weights = rule.weights[counted] / rule.weights[counted].sum()
    size = float(projects.utilities(np.ones(m))[counted].max())
    if size <= 0:
        return np.zeros(m)
    gains, base = projects.gains[:, counted].T / size, projects.baseline[counted] / size
    people = len(counted)
    rows: list[Any] = []
    right: list[FloatArray] = []
    cones: list[Any] = []

    def add(block: Any, constant: FloatArray, cone: Any) -> None:
        rows.append(sparse.csc_matrix(-np.atleast_2d(block)))  # s = constant + block @ z
        right.append(constant)
        cones.append(cone)

    eye = np.eye(m, m + 1 + people)
    add(eye, np.zeros(m), solver.NonnegativeConeT(m))
    add(-eye, np.ones(m), solver.NonnegativeConeT(m))
    budget = np.zeros(m + 1 + people)
    budget[:m] = -projects.costs / projects.budget
    add(budget, np.ones(1), solver.NonnegativeConeT(1))
    utility = np.hstack([gains, np.zeros((people, 1 + people))])
    t = np.zeros(m + 1 + people)
    t[m] = 1.0
    own = np.eye(people, m + 1 + people, m + 1)
    _add_welfare(rule.p, weights, utility, base, t, own, add, solver)
    aim = -t
    if abs(rule.p) < _NEAREST:
        aim = -(weights @ own)
    if rule.p == 1:
        aim = -np.concatenate([gains.T @ weights, np.zeros(1 + people)])
    settings = solver.DefaultSettings()
    settings.verbose = False
    found = solver.DefaultSolver(
        sparse.csc_matrix((len(aim), len(aim))), aim, sparse.vstack(rows, format="csc"),
        np.concatenate(right), cones, settings,
    ).solve()  # fmt: skip
    shares = np.clip(np.nan_to_num(np.asarray(found.x[:m])), 0.0, 1.0)
    return _within(shares, projects)


def _add_welfare(
    p: float,
    weights: FloatArray,
    utility: FloatArray,
    base: FloatArray,
    t: FloatArray,
    own: FloatArray,
    add: Any,
    solver: Any,
) -> None:
    """Add what makes welfare at least t."""
    people, nothing = len(weights), np.zeros(3)
    ones = np.ones(people)
    if p == 1:  # nothing but the aim; t and r are of no use
        add(np.vstack([t, -t, own, -own]), np.ones(2 * people + 2),
            solver.NonnegativeConeT(2 * people + 2))  # fmt: skip
    elif p < _FURTHEST:
        add(np.vstack([utility - t, own, -own]), np.concatenate([base, ones, ones]),
            solver.NonnegativeConeT(3 * people))  # fmt: skip
    elif abs(p) < _NEAREST:
        for i in range(people):
            constant = np.array([0.0, 1.0, base[i]])
            add(np.vstack([own[i], 0.0 * t, utility[i]]), constant, solver.ExponentialConeT())
        add(np.vstack([t, -t]), np.ones(2), solver.NonnegativeConeT(2))
    elif p < 0:
        for i in range(people):
            constant = np.array([base[i], 0.0, 0.0])
            third = weights[i] ** (1.0 / (1.0 - p)) * t
            add(np.vstack([utility[i], own[i], third]), constant, solver.PowerConeT(-p / (1.0 - p)))
        add(t - own.sum(axis=0), nothing[:1], solver.NonnegativeConeT(1))
    else:
        for i in range(people):
            constant = np.array([base[i], 0.0, 0.0])
            add(np.vstack([utility[i], t, own[i] / weights[i]]), constant, solver.PowerConeT(p))
        add(own.sum(axis=0) - t, nothing[:1], solver.NonnegativeConeT(1))


def _solver() -> Any:
    try:
        return importlib.import_module("clarabel")
    except ModuleNotFoundError:
        raise InputError(
            "a budget needs the package clarabel to be allocated; found none. pip install "
            "'welfarist[allocate]'"
        ) from None
