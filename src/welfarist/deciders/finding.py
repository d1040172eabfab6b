"""From decisions of several people to the normal population of their rules, and what all share."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.deciders.coordinates import RuleCoordinates
from welfarist.deciders.evidence import Evidence
from welfarist.deciders.integrating import Integrated, follow, integrate, likelihoods
from welfarist.deciders.likeliest import fit_normal
from welfarist.deciders.panel import Panel
from welfarist.deciders.searching import Found

# Nodes serve up to so many numbers a rule: beyond, there are too few of them everywhere.
MOST_NUMBERS = 6
# Nodes on which what all share is searched, rounds of EM at each place, and how closely it is
# found, in its coordinate.
_FEW_NODES, _ROUNDS, _FINE = 4096, 12, 1e-2
# Places at most, of several numbers that all share.
_PLACES = 60


def coordinates_of(panel: Panel) -> RuleCoordinates:
    """Return the numbers in which rules of the panel vary."""
    setup, weighting = panel.setup, panel.loss.weighting
    names = setup.people
    if setup.groups is not None and weighting.group_of is not None:
        groups = dict(zip(weighting.group_of.tolist(), setup.groups, strict=True))
        names = tuple(groups[k] for k in range(weighting.free))
    return RuleCoordinates(panel.loss, setup.p, names)


def too_many_numbers(panel: Panel) -> bool:
    """Whether rules vary in more numbers than nodes serve."""
    return coordinates_of(panel).size > MOST_NUMBERS


def find_population(
    panel: Panel,
    design: FloatArray,
    one: Found,
    *,
    seed: int,
    count: int | None = None,
    progress: Progress,
) -> Integrated:
    """Find the most likely normal population of rules, and what all decision makers share.

    Parameters
    ----------
    panel : Panel
    design : (G, c) array
        What is known of the decision makers.
    one : Found
        One rule for everybody, around which the search begins.
    seed : int
    count : int, optional
        How many nodes there are, a power of two; left out, as many as there is room for.
    progress : Progress
    """
    coordinates = coordinates_of(panel)
    point = one.mixture.points[0]
    start = coordinates.numbers(point)
    common = panel.loss.noise_at(point)[1:]
    if not coordinates.common:
        return integrate(
            panel, coordinates, design, start, common, seed=seed, count=count, progress=progress
        )
    rough = integrate(
        panel, coordinates, design, start, common, seed=seed, count=_FEW_NODES, progress=progress
    )
    common = _shared(panel, coordinates, rough, seed)
    return integrate(
        panel, coordinates, design, start, common, seed=seed, count=count, progress=progress,
        known=rough.population,
    )  # fmt: skip


def _shared(panel: Panel, coordinates: RuleCoordinates, rough: Integrated, seed: int) -> FloatArray:
    """The most likely values of what all share, on nodes that stay."""
    nodes = follow(rough.evidence, rough.population, _FEW_NODES, seed + 11)
    design = rough.evidence.design
    lower, upper = (ends[1:] for ends in panel.loss.observed.bounds)

    def lost(row: FloatArray) -> float:
        inside = np.clip(row, lower, upper)
        logs = likelihoods(panel, coordinates, nodes, inside)
        evidence = Evidence(nodes, logs, design)
        return -fit_normal(evidence, rough.population, rounds=_ROUNDS, polish=False)[1]

    if len(rough.common) == 1:
        found = minimize_scalar(
            lambda x: lost(np.array([x])),
            bounds=(float(lower[0]), float(upper[0])),
            method="bounded",
            options={"xatol": _FINE * float(upper[0] - lower[0])},
        )
        best = np.array([found.x])
    else:
        options = {"maxfev": _PLACES, "xatol": _FINE, "fatol": _FINE}
        best = minimize(lost, rough.common, method="Nelder-Mead", options=options).x
    best = np.clip(best, lower, upper)
    return best if lost(best) < lost(rough.common) else rough.common
