"""Problems to solve: seeded worlds of the paper's kind, easy and hard.

People's utilities are beta distributed in [1, 1000], each with parameters of their own, as in the
paper's simulation appendix; scores carry noise in proportion to an action's range, comparisons
logistic noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import welfarist as wf

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ScoreProblem:
    """Scores of actions, and the truth behind them."""

    utilities: Array
    scores: Array
    weights: Array
    p: float


@dataclass(frozen=True)
class ComparisonProblem:
    """Comparisons of actions, and the truth behind them."""

    utilities: Array
    pairs: npt.NDArray[np.intp]
    outcomes: Array
    weights: Array
    p: float
    tau: float

    def comparisons(self) -> wf.Comparisons:
        """The decisions, as the learners take them."""
        return wf.Comparisons(self.utilities, self.pairs, self.outcomes)


def utilities(rng: np.random.Generator, actions: int, people: int) -> Array:
    """Utilities (N, d) in [1, 1000], each person with a beta distribution of their own."""
    alpha, beta = rng.uniform(0.5, 5, people), rng.uniform(0.5, 5, people)
    table = rng.beta(alpha, beta, (actions, people))
    table *= 999  # of which there may be no room for a second one
    table += 1
    return table


def scores(
    seed: object, actions: int, people: int, p: float = 2.72, noise: float = 0.05, sparse: float = 1
) -> ScoreProblem:
    """Scores with Gaussian noise in proportion to each action's range, clipped to it."""
    rng = np.random.default_rng(seed)  # type: ignore[arg-type]
    table = utilities(rng, actions, people)
    weights = rng.dirichlet(np.full(people, sparse))
    low, high = table.min(axis=1), table.max(axis=1)
    noisy = wf.power_mean(table, p, weights) + noise * (high - low) * rng.normal(size=actions)
    return ScoreProblem(table, np.clip(noisy, low, high), weights, p)


def comparisons(
    seed: object,
    actions: int,
    people: int,
    count: int | None = None,
    p: float = -1.62,
    tau: float = 10.0,
    sparse: float = 1,
) -> ComparisonProblem:
    """Comparisons with logistic noise: each action with 10 others, or `count` random pairs."""
    rng = np.random.default_rng(seed)  # type: ignore[arg-type]
    table = utilities(rng, actions, people)
    weights = rng.dirichlet(np.full(people, sparse))
    each = np.repeat(np.arange(actions), 10)
    first = each if count is None else rng.integers(0, actions, count)
    second = (first + rng.integers(1, actions, len(first))) % actions
    welfare = wf.log_power_mean(table, p, weights)
    chance = 1 / (1 + np.exp(-tau * (welfare[first] - welfare[second])))
    outcomes = np.where(rng.random(len(first)) < chance, 1.0, -1.0)
    return ComparisonProblem(table, np.column_stack([first, second]), outcomes, weights, p, tau)


def varied(seed: int) -> ScoreProblem | ComparisonProblem:
    """One of the problems on which the optimum is compared with that of other solvers.

    Scores and comparisons in turn; half of them hard: 60 to 200 actions and up to 30 people.
    """
    rng = np.random.default_rng([seed, 5])
    people = int(rng.integers(2, 31))
    if seed % 4 < 2:
        actions = int(rng.integers(60, 201))
    else:
        actions = int(np.exp(rng.uniform(np.log(20 * people), np.log(4000))))
    p = float(rng.uniform(-6, 6))
    sparse = float(rng.choice([0.1, 0.3, 1, 10]))
    if seed % 2 == 0:
        noise = float(rng.choice([0.001, 0.02, 0.05, 0.1, 0.2]))
        return scores([seed, 6], actions, people, p, noise, sparse)
    tau = float(np.exp(rng.uniform(np.log(0.5), np.log(50))))
    count = min(20_000, actions * int(rng.integers(2, 11)))
    return comparisons([seed, 6], actions, people, count, p, tau, sparse)
