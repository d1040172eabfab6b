"""A normal population of rules: how its mean and spread are found from a likelihood matrix.

With L_is the likelihood of decision maker i's decisions at node s, and z_i what is known of i::

    log likelihood = sum_i log sum_s exp(log_volume_s) N(x_s; B z_i, Sigma) L_is

EM needs no likelihood but these; its last digits are found by a quasi-Newton search in B and the
logarithms of the Cholesky factor's diagonal, whose slope EM's posterior moments give.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import minimize

from welfarist.base.validation import FloatArray
from welfarist.deciders.nodes import Nodes

_ROUNDS = 30
# A variance below this is none: everybody is alike in that number.
_LEAST_VARIANCE = 1e-4
_STEPS, _SLOPE = 300, 1e-6
# Slope of the log likelihood that is nothing beside what the number of nodes does to it.
_SETTLED = 0.05
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
        away = np.linalg.solve(self.cholesky, points.T)  # (D, S)
        centre = np.linalg.solve(self.cholesky, self.means(rows).T)  # (D, G)
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
        return cls(row[:cut].reshape(size, columns), factor @ factor.T)


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

    def posterior(self, population: NormalPopulation) -> tuple[FloatArray, FloatArray]:
        """Each one's log likelihood (G,), and how likely each node is theirs (G, S)."""
        base = population.log_density(self.nodes.points, self.design) + self.nodes.log_volume
        joint = self.logs + base
        top = joint.max(axis=1, keepdims=True)
        joint -= top  # in place: this is where the time of a fit goes
        np.exp(joint, out=joint)
        total = joint.sum(axis=1, keepdims=True)
        joint /= total
        return (top + np.log(total))[:, 0], joint

    def prior(self, population: NormalPopulation) -> FloatArray:
        """How likely each node (S,) is the rule of somebody of whom nothing is known."""
        rows = np.unique(self.design, axis=0, return_counts=True)
        logs = population.log_density(self.nodes.points, rows[0]) + self.nodes.log_volume
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return np.asarray(np.average(chances, axis=0, weights=rows[1][: len(chances)]))

    def log_likelihood(self, population: NormalPopulation) -> float:
        """Of everybody's decisions."""
        return float(self.posterior(population)[0].sum())

    def effective(self, chances: FloatArray) -> FloatArray:
        """How many nodes of equal chance everybody's posterior (G,) is worth."""
        return np.asarray(1.0 / np.square(chances).sum(axis=1))

    def error(self, population: NormalPopulation) -> float:
        """The standard error of the log likelihood as if nodes were drawn at random.

        Quasi-random ones are better; so much is the most.
        """
        nodes = self.effective(self.posterior(population)[1])
        return float(np.sqrt(np.maximum(1.0 / nodes - 1.0 / len(self.nodes), 0.0).sum()))

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
        by_person, chances = self.posterior(population)
        mean, second = self.moments(chances)
        centre = population.means(self.design)
        inverse = np.linalg.inv(population.covariance)
        pull = (mean - centre) @ inverse
        by_b = (pull[:, :, None] * self.design[:, None, :]).reshape(len(mean), -1)
        cross = centre[:, :, None] * mean[:, None, :]
        about = second - cross - cross.transpose(0, 2, 1) + centre[:, :, None] * centre[:, None, :]
        by_sigma = 0.5 * (inverse @ about @ inverse - inverse)
        by_factor = 2.0 * by_sigma @ population.cholesky
        size = population.size
        diagonal = np.diagonal(by_factor, axis1=1, axis2=2) * np.diag(population.cholesky)
        rows, columns = np.tril_indices(size, -1)
        return by_person, np.concatenate([by_b, diagonal, by_factor[:, rows, columns]], axis=1)


def fit_normal(
    evidence: Evidence, start: NormalPopulation, rounds: int = _ROUNDS, polish: bool = True
) -> tuple[NormalPopulation, float, bool]:
    """Find the most likely normal population; also its log likelihood, and whether it converged."""
    here = start
    for _ in range(rounds):
        here, _ = evidence.better(here)
    if not polish:
        return here, evidence.log_likelihood(here), False
    size, columns = here.size, evidence.design.shape[1]

    def lost(row: FloatArray) -> tuple[float, FloatArray]:
        value, scores = evidence.scores(NormalPopulation.unpacked(row, size, columns))
        return -float(value.sum()), -scores.sum(axis=0)

    row = here.packed()
    ends: list[tuple[float | None, float | None]] = [(None, None)] * len(row)
    cut = size * columns
    for i in range(cut, cut + size):  # a spread of nothing is an edge
        ends[i] = (0.5 * float(np.log(_LEAST_VARIANCE)), None)
    options = {"maxiter": _STEPS, "gtol": _SLOPE, "ftol": 1e-13}
    found = minimize(lost, row, jac=True, method="L-BFGS-B", bounds=ends, options=options)
    at_edge = np.array(
        [low is not None and x <= low for x, (low, _) in zip(found.x, ends, strict=True)]
    )
    left = np.where(at_edge, np.minimum(found.jac, 0.0), found.jac)
    settled = float(np.abs(left).max()) < _SETTLED
    return NormalPopulation.unpacked(found.x, size, columns), -float(found.fun), settled


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
