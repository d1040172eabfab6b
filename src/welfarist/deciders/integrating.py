"""From decisions to a normal population: nodes that follow it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.deciders.beliefs import likelihoods_of
from welfarist.deciders.coordinates import RuleCoordinates
from welfarist.deciders.evidence import Evidence
from welfarist.deciders.likeliest import approach, fit_normal
from welfarist.deciders.nodes import Nodes, quasi_random
from welfarist.deciders.normal import NormalPopulation
from welfarist.deciders.panel import Panel

# Nodes of the first two rounds, in which the population is found roughly, and of the last.
_FIRST, _SECOND, NODES = 2048, 4096, 32768
# Spread of each number at first: rules of all kinds.
_WIDE = 1.5
# Rounds of EM on the second nodes: enough for the last ones to be laid well.
_ROUGHLY = 15
# How often nodes are laid anew for a population that turned out narrower, or elsewhere.
_ROUGH_LAYINGS, _LAYINGS = 12, 3
# Log likelihoods on two layings of nodes that differ by less than so many of their errors are the
# same: no more can be told with so many nodes.
_SAME = 2.0
# People times nodes that are held at most, and nodes that there must be.
_MOST_HELD, _FEWEST = 50_000_000, 2048


def nodes_for(people: int) -> int:
    """Return how many nodes there are for so many decision makers: fewer where memory is short.

    Examples
    --------
    >>> nodes_for(160), nodes_for(10_000), nodes_for(10**6)
    (32768, 4096, 2048)
    """
    room = max(_MOST_HELD // people, _FEWEST)
    return min(NODES, 1 << (room.bit_length() - 1))


@dataclass(frozen=True, eq=False)
class Integrated:
    """A normal population, and the nodes by which it was found.

    Attributes
    ----------
    population : NormalPopulation
    evidence : Evidence
    common : (r,) array
        What all decision makers share beside their rules: slips, sizes and the like.
    log_likelihood : float
    converged : bool
    error : float
        The standard error of the log likelihood for the number of nodes, at most.
    """

    population: NormalPopulation
    evidence: Evidence
    common: FloatArray
    log_likelihood: float
    converged: bool
    error: float


def likelihoods(
    panel: Panel, coordinates: RuleCoordinates, nodes: Nodes, common: FloatArray
) -> FloatArray:
    """Return everybody's log likelihood (G, S) at every node."""
    return likelihoods_of(panel, coordinates.rules(nodes.points, common))


def integrate(
    panel: Panel,
    coordinates: RuleCoordinates,
    design: FloatArray,
    start: FloatArray,
    common: FloatArray,
    *,
    seed: int,
    count: int | None = None,
    progress: Progress,
    known: NormalPopulation | None = None,
) -> Integrated:
    """Find the most likely normal population of rules.

    Parameters
    ----------
    panel : Panel
    coordinates : RuleCoordinates
    design : (G, c) array
        What is known of the decision makers.
    start : (D,) array
        Numbers of a rule that explains everybody's decisions together.
    common : (r,) array
    seed : int
    count : int, optional
        How many nodes there are at last, a power of two; left out, as many as there is room for.
    progress : Progress
    known : NormalPopulation, optional
        A population of similar decisions, from which nodes begin.
    """
    size, count = coordinates.size, count or nodes_for(panel.people)
    wide = NormalPopulation(
        np.column_stack([start, np.zeros((size, design.shape[1] - 1))]), np.eye(size) * _WIDE**2
    )
    here = wide if known is None else known
    nodes = quasi_random(_FIRST, here.means(design).mean(axis=0), here.covariance, seed)
    evidence = Evidence(nodes, likelihoods(panel, coordinates, nodes, common), design)
    here = approach(evidence, here)
    number = 0
    for size, layings in ((_SECOND, _ROUGH_LAYINGS), (count, _LAYINGS)):
        last = np.inf
        for _ in range(layings):
            number += 1
            nodes = follow(evidence, here, size, seed + 2 * number)
            evidence = Evidence(nodes, likelihoods(panel, coordinates, nodes, common), design)
            rounds = _ROUGHLY if number == 1 else 3
            here, value, converged = fit_normal(evidence, here, rounds=rounds)
            progress.say(f"normal population on {size} nodes: log likelihood {value:.6g}")
            converged = converged or abs(value - last) < _SAME * evidence.error(here)
            if converged:
                break
            last = value
    return Integrated(here, evidence, common, value, converged, evidence.error(here))


def follow(evidence: Evidence, population: NormalPopulation, count: int, seed: int) -> Nodes:
    """Return nodes where the population is, and where everybody's own rules are likely."""
    after = evidence.moments_after(population)
    means = after.mean
    covariances = after.second - means[:, :, None] * means[:, None, :]
    centres = population.means(evidence.design)
    between = np.cov(centres.T).reshape(population.size, population.size)
    whole = population.covariance + (between if len(centres) > 1 else 0.0)
    middle = centres.mean(axis=0)
    floor = 0.01 * np.diag(np.diag(population.covariance))
    return quasi_random(count, middle, whole, seed, means, covariances + floor)
