"""The most likely normal population of rules, from a likelihood matrix.

EM needs no likelihood but those at the nodes; its last digits are found by a quasi-Newton search in
B and the logarithms of the Cholesky factor's diagonal, whose slope the moments before and after the
decisions give.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from welfarist.base.validation import FloatArray
from welfarist.deciders.evidence import Evidence
from welfarist.deciders.normal import LEAST_VARIANCE, NormalPopulation

_ROUNDS = 30
_STEPS, _SLOPE = 300, 1e-6
# The largest slope of the log likelihood where a search has settled.
_SETTLED = 0.05
# How often a search goes on from where its range ended.
_SEARCHES = 10
# How often the way back to where nodes resolve a population is halved.
_HALVINGS = 8
# Log likelihood that tells nothing apart: a flat top is as good as reached.
_NOTHING = 0.3


def approach(
    evidence: Evidence, start: NormalPopulation, rounds: int = _ROUNDS
) -> NormalPopulation:
    """Follow EM, as far as the nodes can tell."""
    here = start
    for _ in range(rounds):
        there, _ = evidence.better(here)
        if not evidence.resolves(there):
            break
        here = there
    return here


def fit_normal(
    evidence: Evidence, start: NormalPopulation, rounds: int = _ROUNDS, polish: bool = True
) -> tuple[NormalPopulation, float, bool]:
    """Find the most likely normal population; also its log likelihood, and whether it converged.

    A search ends without that where the population has become too narrow for the nodes, or has
    left them: others must be laid.
    """
    here = approach(evidence, start, rounds)
    if not polish:
        return here, evidence.log_likelihood(here), False
    value, settled = evidence.log_likelihood(here), False
    for _ in range(_SEARCHES):
        there, reached, settled = _searched(evidence, here)
        if not evidence.resolves(there):
            there, flat = _resolved(evidence, here, there), reached - value < _NOTHING
            return there, evidence.log_likelihood(there), flat and evidence.resolves(there)
        here, value = there, reached
        if settled:
            break
    return here, value, settled


def _resolved(
    evidence: Evidence, start: NormalPopulation, end: NormalPopulation
) -> NormalPopulation:
    """The last population on the way from one to another for which there are nodes enough."""
    size, columns = start.size, start.coefficients.shape[1]
    row, way, share = start.packed(), end.packed() - start.packed(), 0.0
    for n in range(1, _HALVINGS + 1):
        farther = NormalPopulation.unpacked(row + (share + 0.5**n) * way, size, columns)
        share += 0.5**n if evidence.resolves(farther) else 0.0
    return NormalPopulation.unpacked(row + share * way, size, columns)


def _searched(evidence: Evidence, start: NormalPopulation) -> tuple[NormalPopulation, float, bool]:
    """The most likely population near another: as wide as half of it to twice, no farther off.

    It is searched in units of the other, along whose main axes the likelihood is nearly round.
    Also whether it is inside of that range; a spread of nothing is an edge.
    """
    size, columns, factor = start.size, evidence.design.shape[1], start.cholesky
    seen = evidence.in_units_of(factor)
    centre = solve_triangular(factor, start.coefficients, lower=True)

    def lost(row: FloatArray) -> tuple[float, FloatArray]:
        value, scores = seen.scores(NormalPopulation.unpacked(row, size, columns))
        return -float(value.sum()), -scores.sum(axis=0)

    row = NormalPopulation(centre, np.eye(size)).packed()
    reach = np.ones(len(row))
    reach[centre.size : centre.size + size] = np.log(2.0)
    low, high = row - reach, row + reach
    edge = np.full(len(row), -np.inf)
    least = 0.5 * np.log(LEAST_VARIANCE) - np.log(np.diag(factor))
    edge[centre.size : centre.size + size] = np.minimum(least, 0.0)
    low = np.maximum(low, edge)
    options = {"maxiter": _STEPS, "gtol": _SLOPE, "ftol": 1e-13}
    ends = list(zip(low, high, strict=True))
    found = minimize(lost, row, jac=True, method="L-BFGS-B", bounds=ends, options=options)
    slope = np.where(found.x <= edge, np.minimum(found.jac, 0.0), found.jac)
    there = NormalPopulation.unpacked(found.x, size, columns)
    settled = float(np.abs(slope).max()) < _SETTLED
    return there.scaled(factor), -float(found.fun), settled
