"""Run the benchmarks: `python -m benchmarks [--quick]`, or `make bench` and `make bench-quick`.

The full run takes some minutes and rewrites docs/benchmarks.*; the quick one shortens the grid and
the growth and writes to build/. Losing cells come first, in what is printed and on the page.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
from scipy.stats import pmean

import welfarist as wf
from benchmarks import problems, rivals
from benchmarks.contenders import LOG_TAU, Problem, contenders, fit, objective, one_evaluation, run
from benchmarks.report import Outcome, losing_table, table, write
from welfarist.cli.ending import run_to_end

ROOT = Path(__file__).resolve().parents[1]
# Seconds that there are for all runs of a contender on a problem.
BUDGET, BUDGET_QUICK = 3.0, 0.6


def catalogue(quick: bool) -> list[tuple[str, str, int, Problem]]:
    """Problems by name, family (for the figure) and size in it."""
    people, decisions = [5, 18, 50], [500, 2000, 10_000]
    if not quick:
        people.append(100)
        decisions += [50_000]
    made: list[tuple[str, str, int, Problem]] = []
    for count in decisions:
        name = f"{count:,} comparisons of {count // 10:,} actions, 18 people"
        made.append((name, "comparisons", count, problems.comparisons(0, count // 10, 18)))
    for d in people:
        if d == 18:
            continue
        name = f"{200 * d:,} comparisons of {20 * d:,} actions, {d} people"
        made.append((name, "people", d, problems.comparisons(0, 20 * d, d)))
    for actions in (200, 1000):
        name = f"scores of {actions:,} actions, 18 people"
        made.append((name, "scores", actions, problems.scores(0, actions, 18)))
    return made


def best_of(function: object, repeats: int) -> float:
    """The fewest CPU seconds of several runs, which waiting for others is not part of."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()  # type: ignore[operator]
        times.append(time.process_time() - start)
    return min(times)


def power_means() -> str:
    """A million actions beside scipy.stats.pmean, with and without weights."""
    rng = np.random.default_rng(0)
    utilities = rng.uniform(1, 1000, (1_000_000, 18))
    weights = rng.dirichlet(np.ones(18))
    ratios = []
    for given in (None, weights):
        ours = best_of(lambda given=given: wf.power_mean(utilities, -1.62, given), 5)
        scipys = best_of(lambda given=given: pmean(utilities, -1.62, axis=1, weights=given), 5)
        ratios.append(scipys / ours)
    tracemalloc.start()
    wf.power_mean(utilities, -1.62, weights)
    peak = tracemalloc.get_traced_memory()[1] / utilities.nbytes
    tracemalloc.stop()
    return (
        f"on 1,000,000 x 18 utilities at p = -1.62 `power_mean` is {ratios[0]:.1f} times as fast "
        f"as `scipy.stats.pmean` ({ratios[1]:.1f} with weights), with {peak:.2f} of the input as "
        "extra memory."
    )


def a_million_comparisons() -> str:
    """The whole fit in units of one plain evaluation of the loss."""
    problem = problems.comparisons(0, 100_000, 18, 1_000_000)
    fit(problem, n_starts=1)
    whole = best_of(lambda: fit(problem), 3)
    once = best_of(lambda: one_evaluation(problem), 7)
    comparisons = problem.comparisons()
    size = problem.utilities.nbytes + problem.pairs.nbytes + problem.outcomes.nbytes
    tracemalloc.start()
    wf.ComparisonClassifier().fit(comparisons)
    peak = tracemalloc.get_traced_memory()[1] / size
    tracemalloc.stop()
    return (
        f"100,000 actions, 18 people: {whole:.2f} s, {whole / once:.0f} plain NumPy evaluations of "
        f"the loss at that size ({once:.3f} s each); peak memory {peak:.1f} times the input."
    )


def a_thousand_people() -> str:
    """Learned weights of 1,000 people."""
    problem = problems.scores(0, 20_000, 1000, p=0.5, noise=0.02)
    seconds = best_of(lambda: fit(problem), 1)
    return f"20,000 scored actions, learned weights: {seconds:.0f} s."


def random_starts(starts: int = 50) -> str:
    """How often one SLSQP run finds the best loss, from random starts."""
    problem = problems.comparisons(0, 200, 18)
    best = fit(problem)
    rng, function = np.random.default_rng(1), objective(problem)
    hits = 0
    for _ in range(starts):
        weights, p = rng.dirichlet(np.ones(18)), rng.uniform(-20, 20)
        hits += rivals.slsqp(function, weights, p, LOG_TAU).loss <= best * (1 + 1e-6)
    found = 0
    for seed in range(starts):
        order = np.random.default_rng(seed).permutation(18)
        mixed = problems.ComparisonProblem(
            problem.utilities[:, order],
            problem.pairs,
            problem.outcomes,
            problem.weights[order],
            problem.p,
            problem.tau,
        )
        found += fit(mixed) <= best * (1 + 1e-8)
    return (
        f"from {starts} random starts with p in [-20, 20] SLSQP reaches the best loss in {hits}; "
        f"the default fit, on {starts} orders of the people, in {found}."
    )


def main(quick: bool) -> None:
    """Run everything and print the table."""
    outcomes = []
    field = contenders(quick)
    for name, family, size, problem in catalogue(quick):
        print(f"{name} …", file=sys.stderr, flush=True)
        timings = run(field, problem, BUDGET_QUICK if quick else BUDGET)
        outcomes.append(Outcome(name, family, size, tuple(timings)))
    print(
        f"Losing cells\n\n{losing_table(outcomes)}\n\nAll cells\n\n{table(outcomes)}\n", flush=True
    )
    studies = {"Power means": power_means(), "A million comparisons": a_million_comparisons()}
    studies["Random starts"] = random_starts(10 if quick else 50)
    if not quick:
        studies["A thousand people"] = a_thousand_people()
    for title, text in studies.items():
        print(f"{title}: {text}")
    folder = written_to(quick, Path.cwd())
    write(folder, outcomes, studies, "make bench-quick" if quick else "make bench")
    print(f"written to {folder}/benchmarks.md, .json and .png")


def written_to(quick: bool, started: Path) -> Path:
    """Return the folder of the results: the clone's in a clone, else where the run was started."""
    here = started.resolve()
    if here != ROOT and ROOT not in here.parents:
        return started
    return ROOT / ("build/benchmarks" if quick else "docs")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="under two minutes")
    run_to_end(lambda: main(parser.parse_args().quick))
