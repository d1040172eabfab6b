"""A normal population of rules: how its mean and spread are found from a likelihood matrix.

With L_is the likelihood of decision maker i's decisions at node s, and z_i what is known of i::

    log likelihood = sum_i log sum_s q_is L_is,    q_is ~ exp(log_volume_s) N(x_s; B z_i, Sigma)

The shares q_is sum to 1 over the nodes: a population that is narrower than nodes are apart is then
one of few rules, not one whose density a single node multiplies without end.

EM needs no likelihood but these; its last digits are found by a quasi-Newton search in B and the
logarithms of the Cholesky factor's diagonal, whose slope the moments before and after the decisions
give.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.special import logsumexp

from welfarist.base.validation import FloatArray
from welfarist.deciders.nodes import Nodes

_ROUNDS = 30
# A spread below this is none: everybody is alike in that number, as far as decisions can tell.
LEAST_SPREAD = 0.02
_LEAST_VARIANCE = LEAST_SPREAD**2
_STEPS, _SLOPE = 300, 1e-6
# The largest slope of the log likelihood where a search has settled.
_SETTLED = 0.05
# The fewest nodes of equal share that stand for a population, and which part of all of them: with
# fewer, its spread follows theirs.
_FEWEST, _PART = 50.0, 0.02
# How often a search goes on from where its range ended.
_SEARCHES = 10
# How often the way back to where nodes resolve a population is halved.
_HALVINGS = 8
# Log likelihood that tells nothing apart: a flat top is as good as reached.
_NOTHING = 0.3
# Steps by which the slope's derivative is taken.
_DIFFERENCE = 1e-4


@dataclass(frozen=True, eq=False)
class NormalPopulation:
    """A normal distribution of rules whose mean may depend on what is known of people.

    Attributes
    ----------
    coefficients : (D, c) array
        B: the mean of decision maker i is ``B z_i``.
    covariance : (D, D) array
        Sigma.
    """

    coefficients: FloatArray
    covariance: FloatArray

    @cached_property
    def cholesky(self) -> FloatArray:
        """The lower Cholesky factor (D, D) of the covariance."""
        return np.asarray(np.linalg.cholesky(self.covariance))

    def scaled(self, factor: FloatArray) -> NormalPopulation:
        """Return the population of ``factor @ x``, from that of x; a lower triangle (D, D)."""
        moved = replace(self, coefficients=factor @ self.coefficients)
        return moved._with_factor(factor @ self.cholesky)

    def _with_factor(self, factor: FloatArray) -> NormalPopulation:
        made = replace(self, covariance=factor @ factor.T)
        # Kept: the product of a narrow one has lost digits, and may have no factor any more.
        made.__dict__["cholesky"] = factor
        return made

    @property
    def size(self) -> int:
        """How many numbers vary."""
        return len(self.covariance)

    @property
    def parameters(self) -> int:
        """How many numbers describe it."""
        return int(self.coefficients.size + self.size * (self.size + 1) // 2)

    def means(self, design: FloatArray) -> FloatArray:
        """The mean (G, D) of each decision maker's population, given what is known of them."""
        return np.asarray(design @ self.coefficients.T)

    def log_density(self, points: FloatArray, design: FloatArray) -> FloatArray:
        """Log density (G, S) of points, or (1, S) where all have the same mean."""
        rows = design[:1] if (design == design[:1]).all() else design
        away = solve_triangular(self.cholesky, points.T, lower=True)  # (D, S)
        centre = solve_triangular(self.cholesky, self.means(rows).T, lower=True)  # (D, G)
        apart = (
            (away * away).sum(axis=0)
            - 2.0 * centre.T @ away
            + (centre * centre).sum(axis=0)[:, None]
        )
        level = np.log(np.diag(self.cholesky)).sum() + 0.5 * self.size * np.log(2.0 * np.pi)
        return np.asarray(-0.5 * apart - level)

    def packed(self) -> FloatArray:
        """What describes it, as one row: B, log diagonal and lower triangle of the factor."""
        lower = self.cholesky[np.tril_indices(self.size, -1)]
        return np.concatenate([self.coefficients.ravel(), np.log(np.diag(self.cholesky)), lower])

    @classmethod
    def unpacked(cls, row: FloatArray, size: int, columns: int) -> NormalPopulation:
        """Return the population that a row describes."""
        cut = size * columns
        factor = np.zeros((size, size))
        factor[np.diag_indices(size)] = np.exp(row[cut : cut + size])
        factor[np.tril_indices(size, -1)] = row[cut + size :]
        return cls(row[:cut].reshape(size, columns), np.eye(size))._with_factor(factor)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The likelihood of everybody's decisions at every node.

    Attributes
    ----------
    nodes : Nodes
    logs : (G, S) array
        Log likelihoods.
    design : (G, c) array
        What is known of the decision makers; the first column is ones.
    """

    nodes: Nodes
    logs: FloatArray
    design: FloatArray

    def log_prior(self, population: NormalPopulation) -> FloatArray:
        """The log share (G, S) of each node before anything is decided; (1, S) if all are alike."""
        logs = population.log_density(self.nodes.points, self.design) + self.nodes.log_volume
        return np.asarray(logs - logsumexp(logs, axis=1, keepdims=True))

    def posterior(self, population: NormalPopulation) -> tuple[FloatArray, FloatArray]:
        """Each one's log likelihood (G,), and how likely each node is theirs (G, S)."""
        return self._after(self.log_prior(population))

    def _after(self, log_prior: FloatArray) -> tuple[FloatArray, FloatArray]:
        joint = self.logs + log_prior
        top = joint.max(axis=1, keepdims=True)
        joint -= top  # in place: this is where the time of a fit goes
        np.exp(joint, out=joint)
        total = joint.sum(axis=1, keepdims=True)
        joint /= total
        return (top + np.log(total))[:, 0], joint

    def prior(self, population: NormalPopulation) -> FloatArray:
        """How likely each node (S,) is the rule of somebody of whom nothing is known."""
        chances = np.exp(self.log_prior(population))
        return np.asarray(chances.mean(axis=0))

    def log_likelihood(self, population: NormalPopulation) -> float:
        """Of everybody's decisions."""
        return float(self.posterior(population)[0].sum())

    def effective(self, chances: FloatArray) -> FloatArray:
        """How many nodes of equal chance everybody's posterior (G,) is worth."""
        return np.asarray(1.0 / np.square(chances).sum(axis=1))

    def error(self, population: NormalPopulation) -> float:
        """The standard error of the log likelihood as if nodes were drawn at random.

        Quasi-random ones are better. Nodes are the same for everybody, whose errors add up.
        """
        prior = self.log_prior(population)
        pull = self._after(prior)[1].sum(axis=0)
        pull -= np.exp(prior).sum(axis=0) * (len(self.logs) / len(prior))
        return float(np.sqrt(np.square(pull).sum()))

    def width(self, population: NormalPopulation) -> float:
        """How many nodes of equal share the population is worth, before anything is decided."""
        return float(self.effective(np.exp(self.log_prior(population))).min())

    def resolves(self, population: NormalPopulation) -> bool:
        """Whether enough nodes stand for the population to tell how wide it is."""
        return self.width(population) >= max(_FEWEST, _PART * len(self.nodes))

    def moments(self, chances: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean (G, D) and second moments (G, D, D) of everybody's rule."""
        points = self.nodes.points
        both = (points[:, :, None] * points[:, None, :]).reshape(len(points), -1)
        size = points.shape[1]
        return chances @ points, (chances @ both).reshape(-1, size, size)

    def better(self, population: NormalPopulation) -> tuple[NormalPopulation, float]:
        """Return the population after a round of EM, and the log likelihood before."""
        by_person, chances = self.posterior(population)
        mean, second = self.moments(chances)
        gram = self.design.T @ self.design
        b = np.linalg.solve(gram, self.design.T @ mean).T
        centre = self.design @ b.T
        cross = centre[:, :, None] * mean[:, None, :]
        spread = second - cross - cross.transpose(0, 2, 1)
        spread = (spread + centre[:, :, None] * centre[:, None, :]).mean(axis=0)
        return NormalPopulation(np.asarray(b, dtype=np.float64), _floored(spread)), float(
            by_person.sum()
        )

    def scores(self, population: NormalPopulation) -> tuple[FloatArray, FloatArray]:
        """Each one's log likelihood (G,), and its slope (G, k) by the packed parameters."""
        prior = self.log_prior(population)
        by_person, chances = self._after(prior)
        mean, about = self._about(chances, population)
        mean_before, about_before = self._about(np.exp(prior), population)
        inverse = np.linalg.inv(population.cholesky)
        inverse = inverse.T @ inverse
        pull = (mean - mean_before) @ inverse
        by_b = (pull[:, :, None] * self.design[:, None, :]).reshape(len(mean), -1)
        by_sigma = 0.5 * (inverse @ (about - about_before) @ inverse)
        by_factor = 2.0 * by_sigma @ population.cholesky
        diagonal = np.diagonal(by_factor, axis1=1, axis2=2) * np.diag(population.cholesky)
        rows, columns = np.tril_indices(population.size, -1)
        return by_person, np.concatenate([by_b, diagonal, by_factor[:, rows, columns]], axis=1)

    def _about(
        self, chances: FloatArray, population: NormalPopulation
    ) -> tuple[FloatArray, FloatArray]:
        """Mean (G, D) of rules with these chances, and second moments (G, D, D) about B z."""
        mean, second = self.moments(chances)
        centre = population.means(self.design[: len(chances)])
        cross = centre[:, :, None] * mean[:, None, :]
        both = centre[:, :, None] * centre[:, None, :]
        return mean, second - cross - cross.transpose(0, 2, 1) + both


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
    seen = Evidence(evidence.nodes.in_units_of(factor), evidence.logs, evidence.design)
    centre = solve_triangular(factor, start.coefficients, lower=True)

    def lost(row: FloatArray) -> tuple[float, FloatArray]:
        value, scores = seen.scores(NormalPopulation.unpacked(row, size, columns))
        return -float(value.sum()), -scores.sum(axis=0)

    row = NormalPopulation(centre, np.eye(size)).packed()
    reach = np.ones(len(row))
    reach[centre.size : centre.size + size] = np.log(2.0)
    low, high = row - reach, row + reach
    edge = np.full(len(row), -np.inf)
    least = 0.5 * np.log(_LEAST_VARIANCE) - np.log(np.diag(factor))
    edge[centre.size : centre.size + size] = np.minimum(least, 0.0)
    low = np.maximum(low, edge)
    options = {"maxiter": _STEPS, "gtol": _SLOPE, "ftol": 1e-13}
    ends = list(zip(low, high, strict=True))
    found = minimize(lost, row, jac=True, method="L-BFGS-B", bounds=ends, options=options)
    slope = np.where(found.x <= edge, np.minimum(found.jac, 0.0), found.jac)
    there = NormalPopulation.unpacked(found.x, size, columns)
    settled = float(np.abs(slope).max()) < _SETTLED
    return there.scaled(factor), -float(found.fun), settled


def information(evidence: Evidence, population: NormalPopulation) -> FloatArray:
    """Return the observed information (k, k) about the packed parameters, by differences."""
    row = population.packed()
    size, columns = population.size, evidence.design.shape[1]
    found = np.empty((len(row), len(row)))
    for i in range(len(row)):
        step = np.zeros(len(row))
        step[i] = _DIFFERENCE * max(1.0, abs(row[i]))
        ends = [
            evidence.scores(NormalPopulation.unpacked(row + way * step, size, columns))[1].sum(0)
            for way in (1.0, -1.0)
        ]
        found[i] = (ends[1] - ends[0]) / (2.0 * step[i])
    return 0.5 * (found + found.T)


def _floored(covariance: FloatArray) -> FloatArray:
    """A covariance whose variances are at least the least that there is."""
    values, vectors = np.linalg.eigh(0.5 * (covariance + covariance.T))
    return np.asarray((vectors * np.maximum(values, _LEAST_VARIANCE)) @ vectors.T)
