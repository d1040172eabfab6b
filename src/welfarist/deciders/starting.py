"""Where searches for types begin: people alike, a few people each, or chance."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import ConvergenceWarning

from welfarist.base.validation import FloatArray
from welfarist.deciders.membership import Membership
from welfarist.deciders.mixture import Mixture, TypeModel
from welfarist.deciders.panel import Panel

# Answers are looked at in no more directions than these.
_DIRECTIONS = 50
# How many people a rule is first fitted to, where each type begins with a few.
_FEW = 3
# Steps of a rule towards who it begins with.
_FIRST_STEPS = 8
# How much of everybody each type keeps where people are sorted into types.
_BLUR = 0.05
# The fewer, the more unequal chance memberships are.
_CONCENTRATION = 0.5


def start_of(
    panel: Panel, models: tuple[TypeModel, ...], design: FloatArray, number: int, seed: int
) -> Mixture:
    """Return the start with this number: the three kinds take turns."""
    rng = np.random.default_rng([seed, number])
    kind = (_alike, _few_each, _by_chance)[number % 3]
    belongs = kind(panel, len(models), rng)
    # Which of the models gets which people is left to chance: one may be a doctrine.
    belongs = belongs[:, rng.permutation(len(models))]
    points = tuple(model.start() for model in models)
    even = Membership.even(design, len(models))
    found = Mixture(panel, models, points, even).refitted(belongs, _FIRST_STEPS)
    # A few people say nothing of what the others, of whom something is known, belong to.
    return replace(found, membership=even) if kind is _few_each else found


def _alike(panel: Panel, types: int, rng: np.random.Generator) -> FloatArray:
    """People who answered alike begin together."""
    table = panel.apart.answers
    if min(table.shape) > _DIRECTIONS:
        seed = int(rng.integers(2**31))
        table = TruncatedSVD(_DIRECTIONS, random_state=seed).fit_transform(table)
    else:
        table = np.asarray(table.todense() if hasattr(table, "todense") else table)
    seed = int(rng.integers(2**31))
    with warnings.catch_warnings():
        # Fewer kinds of answers than types: some begin alike, and part later.
        warnings.simplefilter("ignore", ConvergenceWarning)
        sorted_into = KMeans(types, n_init=1, random_state=seed).fit_predict(table)
    return _blurred(np.eye(types)[sorted_into])


def _few_each(panel: Panel, types: int, rng: np.random.Generator) -> FloatArray:
    """Each type begins with a few people of its own."""
    few = max(1, min(_FEW, panel.people // types))
    belongs = np.zeros((panel.people, types))
    drawn = rng.permutation(panel.people)[: few * types].reshape(types, few)
    for k, people in enumerate(drawn):
        belongs[people, k] = 1.0
    return belongs


def _by_chance(panel: Panel, types: int, rng: np.random.Generator) -> FloatArray:
    """Everybody belongs to every type, by chance more or less."""
    return np.asarray(rng.dirichlet(np.full(types, _CONCENTRATION), panel.people))


def _blurred(belongs: FloatArray) -> FloatArray:
    return np.asarray((1.0 - _BLUR) * belongs + _BLUR / belongs.shape[1])
