"""What everybody's decisions say of a population of rules, at nodes.

With L_is the likelihood of decision maker i's decisions at node s, and z_i what is known of i::

    log likelihood = sum_i log sum_s q_is L_is,    q_is ~ exp(log_volume_s) N(x_s; B z_i, Sigma)

The shares q_is sum to 1 over the nodes: a population that is narrower than nodes are apart is then
one of few rules, not one whose density a single node multiplies without end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logsumexp

from welfarist.base.validation import FloatArray
from welfarist.deciders.nodes import Nodes
from welfarist.deciders.normal import LEAST_VARIANCE, NormalPopulation

# The fewest nodes of equal share that stand for a population, and which part of all of them: with
# fewer, its spread follows theirs.
_FEWEST, _PART = 50.0, 0.02
# Steps by which the slope's derivative is taken.
_DIFFERENCE = 1e-4
# Likelihoods beside each decision maker's largest whose sum is below this have lost digits.
_LOST = 1e-150


@dataclass(frozen=True, eq=False)
class Moments:
    """Everybody's log likelihood, and what is believed of their rules.

    Attributes
    ----------
    log_likelihood : (G,) array
    mean : (G, D) array
    second : (G, D, D) array
        Expected products of two numbers.
    """

    log_likelihood: FloatArray
    mean: FloatArray
    second: FloatArray


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

    @cached_property
    def _relative(self) -> tuple[FloatArray, FloatArray]:
        """Everybody's largest log likelihood (G, 1), and likelihoods (G, S) beside it."""
        top = self.logs.max(axis=1, keepdims=True)
        beside = self.logs - top
        np.exp(beside, out=beside)
        return top, beside

    def __getstate__(self) -> dict[str, Any]:
        """What cannot be worked out again: likelihoods are large."""
        return {name: self.__dict__[name] for name in ("nodes", "logs", "design")}

    def in_units_of(self, factor: FloatArray) -> Evidence:
        """Return the same of rules ``factor @ x``, told by x; a lower triangle (D, D)."""
        made = Evidence(self.nodes.in_units_of(factor), self.logs, self.design)
        made.__dict__["_relative"] = self._relative  # it has nothing to do with units
        return made

    def under(self, design: FloatArray) -> Evidence:
        """Return the same decisions, of people of whom something else is known (G, c)."""
        made = Evidence(self.nodes, self.logs, design)
        made.__dict__["_relative"] = self._relative
        return made

    def log_prior(self, population: NormalPopulation) -> FloatArray:
        """The log share (G, S) of each node before anything is decided; (1, S) if all are alike."""
        logs = population.log_density(self.nodes, self.design) + self.nodes.log_volume
        return np.asarray(logs - logsumexp(logs, axis=1, keepdims=True))

    def posterior(self, population: NormalPopulation) -> tuple[FloatArray, FloatArray]:
        """Each one's log likelihood (G,), and how likely each node is theirs (G, S)."""
        return self._after(self.log_prior(population))

    def _after(self, log_prior: FloatArray) -> tuple[FloatArray, FloatArray]:
        joint = self.logs + log_prior
        top = joint.max(axis=1, keepdims=True)
        joint -= top
        np.exp(joint, out=joint)
        total = joint.sum(axis=1, keepdims=True)
        joint /= total
        return (top + np.log(total))[:, 0], joint

    def _moments_after(self, log_prior: FloatArray) -> Moments:
        """What is believed after the decisions: where the time of a fit goes.

        Where all are alike it is one product of the likelihoods, which stay as they are, with the
        nodes' shares.
        """
        if len(log_prior) == 1:
            top, beside = self._relative
            sums = beside @ (np.exp(log_prior[0])[:, None] * self.nodes.powers)
            if sums[:, 0].min() > _LOST:
                return self._moments(top[:, 0] + np.log(sums[:, 0]), sums / sums[:, :1])
        by_person, chances = self._after(log_prior)
        return self._moments(by_person, chances @ self.nodes.powers)

    def _moments(self, by_person: FloatArray, sums: FloatArray) -> Moments:
        """Moments from expected powers of the numbers (G, 1 + D + D (D + 1) / 2)."""
        size = self.nodes.points.shape[1]
        rows, columns = np.tril_indices(size)
        second = np.empty((len(sums), size, size))
        second[:, rows, columns] = second[:, columns, rows] = sums[:, 1 + size :]
        return Moments(by_person, sums[:, 1 : 1 + size], second)

    def moments_after(self, population: NormalPopulation) -> Moments:
        """Return what is known of everybody after the decisions."""
        return self._moments_after(self.log_prior(population))

    def prior(self, population: NormalPopulation) -> FloatArray:
        """How likely each node (S,) is the rule of somebody of whom nothing is known."""
        chances = np.exp(self.log_prior(population))
        return np.asarray(chances.mean(axis=0))

    def log_likelihood(self, population: NormalPopulation) -> float:
        """Of everybody's decisions."""
        return float(self.moments_after(population).log_likelihood.sum())

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

    def better(self, population: NormalPopulation) -> tuple[NormalPopulation, float]:
        """Return the population after a round of EM, and the log likelihood before."""
        after = self.moments_after(population)
        gram = self.design.T @ self.design
        b = np.linalg.solve(gram, self.design.T @ after.mean).T
        spread = _about(after, self.design @ b.T).mean(axis=0)
        found = NormalPopulation(np.asarray(b, dtype=np.float64), _floored(spread))
        return found, float(after.log_likelihood.sum())

    def scores(self, population: NormalPopulation) -> tuple[FloatArray, FloatArray]:
        """Each one's log likelihood (G,), and its slope (G, k) by the packed parameters."""
        prior = self.log_prior(population)
        after = self._moments_after(prior)
        before = self._moments(np.empty(0), np.exp(prior) @ self.nodes.powers)
        centre = population.means(self.design)
        about = _about(after, centre) - _about(before, centre[: len(prior)])
        inverse = np.linalg.inv(population.cholesky)
        inverse = inverse.T @ inverse
        pull = (after.mean - before.mean) @ inverse
        by_b = (pull[:, :, None] * self.design[:, None, :]).reshape(len(pull), -1)
        by_sigma = 0.5 * (inverse @ about @ inverse)
        by_factor = 2.0 * by_sigma @ population.cholesky
        diagonal = np.diagonal(by_factor, axis1=1, axis2=2) * np.diag(population.cholesky)
        rows, columns = np.tril_indices(population.size, -1)
        return after.log_likelihood, np.concatenate(
            [by_b, diagonal, by_factor[:, rows, columns]], axis=1
        )


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


def _about(moments: Moments, centre: FloatArray) -> FloatArray:
    """Second moments (G, D, D) about centres (G, D)."""
    cross = centre[:, :, None] * moments.mean[:, None, :]
    both = centre[:, :, None] * centre[:, None, :]
    return np.asarray(moments.second - cross - cross.transpose(0, 2, 1) + both)


def _floored(covariance: FloatArray) -> FloatArray:
    """A covariance whose variances are at least the least that there is."""
    values, vectors = np.linalg.eigh(0.5 * (covariance + covariance.T))
    return np.asarray((vectors * np.maximum(values, LEAST_VARIANCE)) @ vectors.T)
