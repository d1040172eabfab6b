"""Decisions of somebody whose rule is known."""

from __future__ import annotations

import numpy as np

import welfarist as wf


def comparisons(people, count, *, p=-1.0, tau=20.0, actions=60, seed=1, names=None):
    """Comparisons (count) of random pairs by one decision maker with random weights."""
    rng = np.random.default_rng([seed, people])
    table = rng.uniform(1.0, 100.0, (actions, people))
    weights = rng.dirichlet(np.full(people, 2.0))
    pairs = np.array([rng.choice(actions, 2, replace=False) for _ in range(count)])
    logs = wf.log_power_mean(table, p, weights)
    z = tau * (logs[pairs[:, 0]] - logs[pairs[:, 1]])
    outcomes = np.where(rng.random(count) < 1.0 / (1.0 + np.exp(-z)), 1, -1)
    if names is not None:
        import pandas

        table = pandas.DataFrame(table, columns=names)
    return wf.Comparisons(table, pairs, outcomes)
