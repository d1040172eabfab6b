"""`power_mean` beside `scipy.stats.pmean` on a million actions of 18 people."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import pmean

import welfarist as wf

ACTIONS, PEOPLE, POWER = 1_000_000, 18, -1.62


def best_of(function: Callable[[], Any], repeats: int) -> float:
    """Seconds of the fastest of several runs: what the machine can do when left alone."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def main(quick: bool = False) -> None:
    """Print time and memory of both, and their ratio."""
    rng = np.random.default_rng(0)
    utilities = rng.uniform(1, 1000, (ACTIONS, PEOPLE))
    weights = rng.dirichlet(np.ones(PEOPLE))
    repeats = 3 if quick else 7
    print(f"{ACTIONS:,} actions x {PEOPLE} people, p = {POWER}")
    for name, given in (("equal weights", None), ("weighted", weights)):
        ours = best_of(partial(wf.power_mean, utilities, POWER, given), repeats)
        scipys = best_of(partial(pmean, utilities, POWER, axis=1, weights=given), repeats)
        ratio = scipys / ours
        print(f"  {name:14} {ours:.3f} s, scipy.stats.pmean {scipys:.3f} s: {ratio:.1f} times")
    tracemalloc.start()
    wf.power_mean(utilities, POWER, weights)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"  peak extra memory: {peak / utilities.nbytes:.3f} of the input")
