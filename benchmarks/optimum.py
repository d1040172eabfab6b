"""Is it the best optimum? Our loss beside the best of 20 softmax L-BFGS starts.

Run with `python -m benchmarks.optimum [problems]`; 300 problems take about ten minutes on two
cores.
"""

from __future__ import annotations

import sys
import warnings
from concurrent.futures import ProcessPoolExecutor

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
    """Loss of the default fit, of the likelihood alone as that of the others is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        if isinstance(problem, ScoreProblem):
            return float(wf.WelfareRegressor().fit(problem.utilities, problem.scores).loss_)
        plain = wf.ComparisonClassifier(small_sample="none")
        return float(plain.fit(problem.comparisons()).loss_)


def compare(seed: int) -> tuple[int, bool, float, float]:
    """Seed, whether the problem is hard, our loss and theirs."""
    problem = varied(seed)
    hard = len(problem.utilities) < FEW_ACTIONS * problem.utilities.shape[1]
    return seed, hard, our_loss(problem), best_of_lbfgs(problem, seed)


def main(problems: int = 300) -> None:
    """Print how often our loss is higher, and how often it is lower."""
    higher = {True: 0, False: 0}
    count = {True: 0, False: 0}
    lower = 0
    with ProcessPoolExecutor() as pool:
        for seed, hard, ours, theirs in pool.map(compare, range(problems)):
            count[hard] += 1
            lower += ours < theirs * (1 - 1e-6) - FLOOR
            if ours > theirs * (1 + HIGHER) + FLOOR:
                higher[hard] += 1
                print(f"  problem {seed}: higher by {ours / theirs - 1:.1e}", flush=True)
    print(f"{problems} problems against the best of {STARTS} L-BFGS starts")
    print(f"  at least {FEW_ACTIONS} actions a person: higher in {higher[False]} of {count[False]}")
    print(f"  fewer (hard): higher in {higher[True]} of {count[True]}")
    print(f"  lower by more than a millionth in {lower}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
