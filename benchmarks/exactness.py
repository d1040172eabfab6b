"""Whether the exact minimum of the 0-1 loss is exact, and how fast it is found.

``python -m benchmarks.exactness`` compares it with a scan over 200,001 powers on 200 problems with
known weights, and measures how time grows with the number of comparisons. ``--quick`` takes 20.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from numba import njit, prange

from welfarist import Comparisons, WelfareFunction
from welfarist.base.progress import Progress
from welfarist.counting.crossings import Kernel, find_crossings
from welfarist.counting.exact_solver import sweep_powers
from welfarist.counting.loss_steps import LossSteps
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.people.weighting import Weighting

SCAN = 100_000  # powers on either side of 0
FARTHEST = 60.0
TURNING = 1e-9  # a scan cannot say on which side of a crossing so close by it is


def known_weights_problem(seed: int) -> tuple[ZeroOneLoss, Any]:
    """A problem of 2 to 50 people and up to 2,000 comparisons, some of them flipped."""
    rng = np.random.default_rng(seed)
    people, comparisons = int(rng.integers(2, 51)), int(rng.integers(10, 2001))
    actions = int(rng.integers(10, comparisons + 10))
    spread = rng.choice([0.3, 1.0, 2.0])
    utilities = np.exp(spread * rng.normal(size=(actions, people)))
    weights = rng.dirichlet(np.ones(people)) if seed % 2 else np.full(people, 1 / people)
    first = rng.integers(0, actions, comparisons)
    pairs = np.column_stack([first, (first + rng.integers(1, actions, comparisons)) % actions])
    truth = WelfareFunction(float(rng.normal(scale=3.0)), weights)
    outcomes = truth.compare(utilities[pairs[:, 0]], utilities[pairs[:, 1]])
    flipped = rng.random(comparisons) < rng.choice([0.0, 0.1, 0.3])
    data = Comparisons(utilities, pairs, np.where(flipped, -outcomes, outcomes))
    weighting = Weighting(people, fixed=weights)
    return ZeroOneLoss.of(data.utilities, data.merged, weighting), weights


@njit(parallel=True, cache=True)
def scanned(
    logs: Any, weights: Any, first: Any, second: Any, lead: Any, step: float, count: int
) -> Any:
    """Agreement (count + 1,) with the decisions at p = 0, step, 2 step, … (step may be negative).

    Written without regard for shared terms: powers by repeated products, which are renewed after
    500 steps, before they have lost more than three digits.
    """
    people, actions = logs.shape
    agreement = np.zeros(count + 1)
    for chunk in prange(count // 500 + 1):
        factor, terms = np.empty((actions, people)), np.empty((actions, people))
        top, mean = np.empty(actions), np.empty(actions)
        begin = chunk * 500
        for j in range(actions):
            top[j] = logs[:, j].max() if step > 0 else logs[:, j].min()
            for i in range(people):
                factor[j, i] = np.exp(step * (logs[i, j] - top[j]))
                terms[j, i] = weights[i] * np.exp(begin * step * (logs[i, j] - top[j]))
        for k in range(begin, min(begin + 500, count + 1)):
            p = k * step
            for j in range(actions):
                total = 0.0
                for i in range(people):
                    total += terms[j, i]
                    terms[j, i] *= factor[j, i]
                if k == 0:
                    mean[j] = (weights * logs[:, j]).sum()
                else:
                    mean[j] = np.log(total) / p + top[j]
            agreeing = 0.0
            for pair in range(len(first)):
                difference = mean[first[pair]] - mean[second[pair]]
                agreeing += lead[pair] * np.sign(difference)
            agreement[k] = agreeing
    return agreement


def compare_with_scan(loss: ZeroOneLoss, weights: Any, steps: LossSteps) -> tuple[float, int]:
    """How much lower the scan's best loss is than ours, and how many optimal powers it denies."""
    pairs, above, denied = loss.pairs, -np.inf, 0
    for step in (FARTHEST / SCAN, -FARTHEST / SCAN):
        agreement = scanned(
            loss.utilities.logs, weights, pairs.first, pairs.second, pairs.lead, step, SCAN
        )
        powers, losses = step * np.arange(SCAN + 1), 0.5 - 0.5 * agreement / loss.total
        near = np.searchsorted(steps.powers, powers + TURNING) != np.searchsorted(
            steps.powers, powers - TURNING
        )
        above = max(above, steps.minimum - float(losses[~near].min(initial=1.0)))
        for interval in steps.optimal:
            inside = (powers > interval.low) & (powers < interval.high) & ~near
            denied += int((losses[inside] > steps.minimum + 1e-12).sum())
    return above, denied


def check(problems: int) -> None:
    higher = lower = denied = 0
    for seed in Progress("auto").track(range(problems), problems, "Problems"):
        loss, weights = known_weights_problem(seed)
        steps = sweep_powers(loss, weights).steps
        above, wrong = compare_with_scan(loss, weights, steps)
        higher += above > 1e-12
        lower += above < -1e-12
        denied += wrong
    print(f"{problems} problems against a scan of {2 * SCAN + 1:,} powers in [-60, 60]:")
    print(f"  minimum higher than the scan's: {higher}")
    print(f"  minimum lower than the scan's:  {lower}")
    print(f"  scanned powers inside an optimal interval with a higher loss: {denied}")


def seconds(kernel: Kernel, comparisons: int, people: int = 18) -> tuple[float, int]:
    """Time to isolate all crossings (the best of three), and how many there are."""
    rng = np.random.default_rng(0)
    actions = 2_000
    logs = np.log(rng.uniform(1, 1000, (people, actions)))
    weights = rng.dirichlet(np.ones(people))
    first = rng.integers(0, actions, comparisons)
    second = (first + rng.integers(1, actions, comparisons)) % actions
    best, found = np.inf, 0
    for _ in range(3):
        start = time.perf_counter()
        found = len(find_crossings(logs, weights, first, second, kernel).power)
        best = min(best, time.perf_counter() - start)
    return best, found


def growth(sizes: tuple[int, ...]) -> None:
    print("18 people, utilities from 1 to 1000, crossings isolated (best of three):")
    print(f"  {'comparisons':>12} {'crossings':>10} {'compiled':>10} {'NumPy':>10}")
    for size in sizes:
        compiled, found = seconds("compiled", size)
        plain, _ = seconds("numpy", size)
        print(f"  {size:>12,} {found:>10,} {compiled:>8.3f} s {plain:>8.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exactness", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="20 problems, up to 20,000 comparisons"
    )
    quick = parser.parse_args().quick
    growth(
        (2_500, 5_000, 10_000, 20_000)
        if quick
        else (5_000, 10_000, 20_000, 40_000, 80_000, 160_000)
    )
    check(20 if quick else 200)


if __name__ == "__main__":
    main()
