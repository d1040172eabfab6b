"""Is it the best optimum? Our loss beside the best of 20 softmax L-BFGS starts.

Run with `python -m benchmarks.optimum [problems]`; 300 problems take about eight minutes.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np

import welfarist as wf
from benchmarks import rivals
from benchmarks.problems import ComparisonProblem, ScoreProblem, varied

STARTS = 20
# A loss is higher if it exceeds the other by more than this share; mean losses of comparisons
# below the floor mean that every outcome is certain.
HIGHER = 1e-8
FLOOR = 1e-12
FEW_ACTIONS = 20  # per person; below, a problem counts as hard


def best_of_lbfgs(problem: ScoreProblem | ComparisonProblem, seed: int) -> float:
    """Lowest loss of 20 starts that differ in power and weights."""
    people = problem.utilities.shape[1]
    if isinstance(problem, ScoreProblem):
        objective = rivals.score_objective(problem.utilities, problem.scores)
    else:
        objective = rivals.comparison_objective(problem.utilities, problem.pairs, problem.outcomes)
    rng = np.random.default_rng([seed, 9])
    losses = []
    for start in range(STARTS):
        weights = np.full(people, 1 / people) if start < 5 else rng.dirichlet(np.ones(people))
        p = (-4.0, -1.0, 0.5, 2.0, 5.0)[start] if start < 5 else rng.uniform(-8, 8)
        losses.append(rivals.softmax_lbfgs(objective, weights, p, np.log(3.0), memory=20).loss)
    return min(losses)


def our_loss(problem: ScoreProblem | ComparisonProblem) -> float:
    """Loss of the default fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        if isinstance(problem, ScoreProblem):
            return float(wf.WelfareRegressor().fit(problem.utilities, problem.scores).loss_)
        return float(wf.ComparisonClassifier().fit(problem.comparisons()).loss_)


def main(problems: int = 300) -> None:
    """Print how often our loss is higher, and how often it is lower."""
    higher = {True: 0, False: 0}
    count = {True: 0, False: 0}
    lower, seconds = 0, 0.0
    for seed in range(problems):
        problem = varied(seed)
        hard = len(problem.utilities) < FEW_ACTIONS * problem.utilities.shape[1]
        start = time.perf_counter()
        ours = our_loss(problem)
        seconds += time.perf_counter() - start
        theirs = best_of_lbfgs(problem, seed)
        count[hard] += 1
        if ours > theirs * (1 + HIGHER) + FLOOR:
            higher[hard] += 1
            print(f"  problem {seed}: higher by {ours / theirs - 1:.1e}", flush=True)
        lower += ours < theirs * (1 - 1e-6) - FLOOR
    print(f"{problems} problems against the best of {STARTS} L-BFGS starts")
    print(f"  at least {FEW_ACTIONS} actions a person: higher in {higher[False]} of {count[False]}")
    print(f"  fewer (hard): higher in {higher[True]} of {count[True]}")
    print(f"  lower by more than a millionth in {lower}; {seconds / problems:.3f} s a fit")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
