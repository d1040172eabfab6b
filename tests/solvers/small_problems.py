"""Random problems of a few comparisons, where likelihoods have many optima."""

from __future__ import annotations

import numpy as np

import welfarist as wf


def small_problem(seed):
    """Comparisons, and what is known of the rule: everything that a learner is given.

    From 5 to 60 decisions of 1 to 5 people, with repeated values, ties, counts, coin flips, slips;
    weights known or not, p given or not.
    """
    rng = np.random.default_rng([seed, 77])
    n, people = int(rng.integers(5, 61)), int(rng.integers(1, 6))
    actions = int(rng.integers(3, max(4, n + 5)))
    utilities = _utilities(rng, actions, people)
    pairs = rng.integers(0, actions, (n, 2))
    equal = pairs[:, 0] == pairs[:, 1]
    pairs[:, 1] = np.where(equal, (pairs[:, 1] + 1) % actions, pairs[:, 1])
    outcomes = _outcomes(rng, utilities, pairs)
    counts = rng.integers(1, 5, n).astype(float) if rng.random() < 0.3 else None
    known = rng.random() < 0.3
    p = float(rng.choice([-5, -1, 0, 0.5, 1, 2, 5])) if rng.random() < 0.3 else None
    weights = "learn"
    if known:
        weights = "equal" if rng.random() < 0.5 else rng.dirichlet(np.ones(people))
    return wf.Comparisons(utilities, pairs, outcomes, counts=counts), {"p": p, "weights": weights}


def _utilities(rng, actions, people):
    kind = rng.integers(5)
    if kind == 0:
        return rng.uniform(1, 10, (actions, people))
    if kind == 1:
        return rng.lognormal(0, rng.choice([0.1, 0.5, 1.5]), (actions, people))
    if kind == 2:
        return rng.integers(1, rng.integers(3, 8), (actions, people)).astype(float)
    if kind == 3:
        return 1 + 999 * rng.beta(*rng.uniform(0.5, 5, 2), (actions, people))
    table = rng.uniform(1, 10, (actions, people))
    return table[rng.integers(0, max(2, actions // 2), actions)]


def _outcomes(rng, utilities, pairs):
    n, style = len(pairs), rng.integers(4)
    weights = rng.dirichlet(np.ones(utilities.shape[1]) * rng.choice([0.3, 1, 3]))
    p = float(rng.choice([-20, -8, -3, -1, 0, 0.5, 1, 2, 6, 20]))
    welfare = wf.log_power_mean(utilities, p, weights)
    margins = welfare[pairs[:, 0]] - welfare[pairs[:, 1]]
    tau = float(rng.choice([0.5, 3, 10, 50]))
    if style == 0:
        outcomes = rng.choice([-1, 1], n)
    else:
        chance = 1 / (1 + np.exp(-np.clip(tau * margins, -50, 50)))
        outcomes = np.where(rng.random(n) < chance, 1, -1)
        slips = {1: None, 2: 0.1, 3: 0.25}[int(style)]
        if slips:
            outcomes = np.where(rng.random(n) < slips, -outcomes, outcomes)
    if rng.random() < 0.3:
        outcomes = np.where(rng.random(n) < 0.2, 0, outcomes)
    return outcomes
