"""Seeded decisions of every kind, made with plain NumPy, and the real ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import welfarist as wf

ROOT = Path(__file__).parents[2]
REAL = (ROOT / os.environ.get("WELFARIST_DATA", "../shared/data")).resolve()

# Decimals of made-up scores: the same digits whatever the machine's logarithm rounds to.
_DECIMALS = 6


class Data(NamedTuple):
    """What a learner is fitted to."""

    learner: Any
    X: Any
    y: Any = None
    sample_weight: Any = None


def table_of(people, actions, rng, *, zeros=0.0, twins=False, same=False):
    """Utilities from 1 to 10, of which a share may be 0, two people or all of them equal."""
    table = rng.uniform(1, 10, (actions, people)).round(3)
    table[rng.random(table.shape) < zeros] = 0.0
    if twins:
        table[:, -1] = table[:, 0]
    return np.repeat(table[:, :1], people, axis=1) if same else table


def falling(people):
    """Weights in the ratio of people : … : 2 : 1."""
    weights = np.arange(people, 0, -1.0)
    return weights / weights.sum()


def welfare_of(table, p, weights):
    """The power mean (N,), written down plainly; with zeros only for p > 0."""
    if np.isinf(p):
        counted = table[:, np.asarray(weights) > 0]
        return counted.max(axis=1) if p > 0 else counted.min(axis=1)
    if p == 0:
        return np.exp(np.log(table) @ weights)
    return (table**p @ weights) ** (1 / p)


def decided(welfare, pairs, rng, *, tau, rho=0.0, ties=0.0):
    """Which action of each pair (n, 2) is preferred, with errors of both kinds and some ties."""
    ratio = np.log(welfare[pairs[:, 0]] / welfare[pairs[:, 1]])
    noise = 0.0 if np.isinf(tau) else rng.logistic(size=len(pairs)) / tau if tau else np.inf
    luck = rng.random(len(pairs))
    outcomes = np.sign(luck - 0.5) if tau == 0 else np.where(ratio + noise > 0, 1, -1)
    outcomes = np.where(rng.random(len(pairs)) < rho, -outcomes, outcomes)
    return np.where(rng.random(len(pairs)) < ties, 0, outcomes).astype(int)


def pairs_of(actions, decisions, rng):
    """Pairs (n, 2) of different actions."""
    first = rng.integers(0, actions, decisions)
    return np.column_stack([first, (first + rng.integers(1, actions, decisions)) % actions])


def choices(
    people=3,
    decisions=300,
    *,
    actions=40,
    p=-1.0,
    weights=None,
    tau=12.0,
    rho=0.0,
    ties=0.0,
    turned=False,
    counts=False,
    deciders=None,
    names=None,
    seed=0,
    **table,
):
    """Comparisons of a decision maker who follows a power mean."""
    rng = np.random.default_rng(seed)
    utilities = table_of(people, actions, rng, **table)
    pairs = pairs_of(actions, decisions, rng)
    weights = falling(people) if weights is None else np.asarray(weights)
    outcomes = decided(welfare_of(utilities, p, weights), pairs, rng, tau=tau, rho=rho, ties=ties)
    found = wf.Comparisons(
        utilities if names is None else pd.DataFrame(utilities, columns=names),
        pairs,
        -outcomes if turned else outcomes,
        counts=rng.integers(0, 4, decisions) if counts else None,
        by=None if deciders is None else rng.integers(0, deciders, decisions),
    )
    return Data(wf.ComparisonClassifier, found)


def wide(labels=(-1, 1), columns=None, counts=False, **options):
    """The same as one table, both actions in a row, with two labels of any kind."""
    made = choices(**options).X
    table = np.hstack([made.utilities[made.pairs[:, 0]], made.utilities[made.pairs[:, 1]]])
    target = np.array(labels)[(made.outcomes > 0).astype(int)]
    weight = np.arange(len(table)) % 4 if counts else None
    X = table if columns is None else pd.DataFrame(table, columns=columns)
    return Data(wf.ComparisonClassifier, X, target, weight)


def from_arrays(**options):
    """The same as the utilities of both actions."""
    made = choices(**options).X
    both = (made.utilities[made.pairs[:, i]] for i in (0, 1))
    return Data(wf.ComparisonClassifier, wf.Comparisons.from_arrays(*both, made.outcomes > 0))


def charity(decisions=200):
    """Comparisons in the simulated food-rescue charity."""
    world = wf.simulate.food_rescue(60, p=-1.62, random_state=3).world
    pairs = wf.simulate.random_pairs(world.actions, decisions, random_state=3)
    made = wf.simulate.comparisons(world, pairs, tau=20, rho=0.02, random_state=3)
    return Data(wf.ComparisonClassifier, made)


def scores(
    people=3,
    actions=120,
    *,
    p=-1.0,
    weights=None,
    noise=0.3,
    scale=1.0,
    decimals=_DECIMALS,
    counts=False,
    columns=None,
    seed=0,
    **table,
):
    """Scores of a decision maker who follows a power mean."""
    rng = np.random.default_rng(seed)
    utilities = table_of(people, actions, rng, **table)
    weights = falling(people) if weights is None else np.asarray(weights)
    values = scale * (welfare_of(utilities, p, weights) + rng.normal(0, noise, actions))
    X = utilities if columns is None else pd.DataFrame(utilities, columns=columns)
    weight = rng.integers(0, 3, actions).astype(float) if counts else None
    return Data(wf.WelfareRegressor, X, values.round(decimals), weight)


def development():
    """The UN's Human Development Index of all countries and years."""
    table = pd.read_csv(REAL / "hdi" / "hdi.csv")
    table = table[~table["is_group"]]
    return Data(wf.WelfareRegressor, table[["health", "education", "income"]], table["hdi"])


def equality():
    """The EU's Gender Equality Index."""
    table = pd.read_csv(REAL / "gei" / "gei.csv")
    domains = ["WORK", "MONEY", "KNOWLEDGE", "TIME", "POWER", "HEALTH"]
    return Data(wf.WelfareRegressor, table[domains], table["Gender.Equality.Index"])


def shanghai(zeros):
    """One year of the Shanghai ranking, with or without universities that have a 0."""
    table = pd.read_csv(REAL / "arwu" / "arwu.csv")
    parts = ["alumni", "award", "hici", "ns", "pub", "pcp"]
    table = table[table["year"] == 2012]
    table = table if zeros else table[(table[parts] > 0).all(axis=1)]
    return Data(wf.WelfareRegressor, table[parts], table["total_score"])


def dictators(clustered):
    """Choices between two ways to share money, with or without who decided."""
    table = pd.read_csv(REAL / "dictator" / "choices.csv")
    first, second = ["self_x", "other_x"], ["self_y", "other_y"]
    if not clustered:
        return Data(wf.ComparisonClassifier, table[first + second], table["choice_x"])
    made = wf.Comparisons.from_arrays(
        table[first], table[second], table["choice_x"] == 1, by=table["person"]
    )
    return Data(wf.ComparisonClassifier, made)
