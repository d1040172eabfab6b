"""What sketches cost and how true they are: people, enclosures, fits.

Criteria, written before the figures: 10^8 people in 20 groups, one action, zeros, extremes and
checks included, at most 3.5 CPU ns a person compiled and 12 in NumPy, in less than 0.5 GB beyond
what is fed; from warm Parquet files at most 10 CPU ns a utility; the true value inside 10,000 of
10,000 enclosures, half widths at most 2e-12 for |p| <= 2 and 1.5e-10 for |p| <= 20; a fit of 200
actions and 20 groups at most 0.1 CPU s at 10^4, 10^6 and 10^8 people; with 20,000 people p and
weights within 1e-8, and ends of intervals within 1e-6, of the fit to everybody's utilities.

Run ``python -m benchmarks.sketches --out docs/benchmarks_sketches.json``.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import welfarist as wf
from welfarist.people.sketch import kernel
from welfarist.people.sketch.building import ActionBuilder
from welfarist.people.sketch.gathering import Gathered, joined

CHUNK = 2**20
GROUPS = 20
_INF = float("inf")


def cpu(action: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of all threads, and what came of it."""
    start = time.process_time()
    found = action()
    return time.process_time() - start, found


def people(seed: int) -> tuple[Any, Any]:
    """A chunk of people: log-normal, one in 10,000 with nothing, and their groups."""
    rng = np.random.default_rng(seed)
    utilities = np.exp(rng.normal(10, 0.7, CHUNK))
    utilities[rng.random(CHUNK) < 1e-4] = 0.0
    return utilities, rng.integers(0, GROUPS, CHUNK).astype(np.int32)


def sketching(total: int, compiled: bool) -> dict[str, float]:
    """CPU ns a person, and memory beyond what is fed."""
    utilities, groups = people(1)
    kernel.has_compiled.cache_clear()
    original = kernel.has_compiled
    kernel.has_compiled = lambda: compiled  # type: ignore[assignment]
    try:
        warm = ActionBuilder(False)
        warm.add(utilities, groups, None, GROUPS)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        builder = ActionBuilder(False)

        def run() -> Any:
            for _ in range(total // CHUNK):
                builder.add(utilities, groups, None, GROUPS)
            return builder.tally(GROUPS)

        seconds, tally = cpu(run)
    finally:
        kernel.has_compiled = original
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "people": float(tally.mass.sum()),
        "ns": seconds / (total // CHUNK * CHUNK) * 1e9,
        "grown_gb": grown / 2**20,
    }


def from_parquet(rows: int, actions: int) -> dict[str, float]:
    """CPU ns a utility from files that are in the page cache."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(2)
    with tempfile.TemporaryDirectory() as folder:
        for part in range(4):
            columns = {f"a{i}": np.exp(rng.normal(10, 0.7, rows // 4)) for i in range(actions)}
            group = rng.integers(0, GROUPS, rows // 4).astype(np.int32)
            place = Path(folder) / f"part-{part}.parquet"
            table = pa.table({**columns, "region": group})
            parquet.write_table(table, place, compression="snappy", use_dictionary=["region"])
        wf.Sketch.of(folder, "region")
        seconds, _ = cpu(lambda: wf.Sketch.of(folder, "region"))
    return {"utilities": float(rows * actions), "ns": seconds / (rows * actions) * 1e9}


_WORLDS: tuple[Callable[[Any, int], Any], ...] = (
    lambda rng, n: np.exp(rng.normal(0, 0.5, n)),
    lambda rng, n: np.exp(rng.normal(9, 2, n)),
    lambda rng, n: rng.pareto(1.5, n) + 1,
    lambda rng, n: rng.pareto(0.8, n) + 1,
    lambda rng, n: rng.uniform(0.01, 1, n),
    lambda rng, n: rng.integers(1, 11, n).astype(float),
    lambda rng, n: np.round(np.exp(rng.normal(10, 0.7, n))),
    lambda rng, n: 10.0 ** rng.uniform(-12, 12, n),
)


def true_log_mean(utilities: Any, weights: Any, p: float) -> Any:
    """Log M in extended precision (64 bits), about the mean logarithm."""
    long = np.longdouble
    if abs(p) == _INF:
        return np.log(long(utilities.max() if p > 0 else utilities.min()))
    x, w = np.log(utilities.astype(long)), weights / weights.sum()
    middle = (w * x).sum()
    power, x = long(p), x - middle
    if p == 0:
        return middle
    if abs(p) < 0.5:
        return middle + np.log1p((w * np.expm1(power * x)).sum()) / power
    top = (power * x).max()
    return middle + (top + np.log((w * np.exp(power * x - top)).sum())) / power


def enclosures(cases: int) -> dict[str, float]:
    """How many of random cases are inside, and the widest half widths."""
    rng = np.random.default_rng(3)
    inside, widest = 0, {2: 0.0, 20: 0.0, 100: 0.0}
    for _ in range(cases):
        size = int(rng.choice([1, 2, 5, 60, 129, 300, 1000]))
        utilities = _WORLDS[int(rng.integers(len(_WORLDS)))](rng, size)
        labels = np.unique(rng.integers(0, int(rng.integers(1, 5)), size), return_inverse=True)[1]
        counts = rng.uniform(0.1, 900, size) if rng.random() < 0.3 else None
        p = float(
            rng.choice(
                [rng.uniform(-100, 100), rng.uniform(-20, 20), rng.uniform(-2, 2),
                 rng.normal() * 1e-6, 0.0, 1.0, -_INF, _INF]
            )
        )  # fmt: skip
        sketch = wf.Sketch.of(utilities, labels, counts)
        shares = rng.dirichlet(np.ones(len(sketch.heads))).astype(np.longdouble)
        own = np.ones(size) if counts is None else np.rint(counts * 2**20)
        mass = np.bincount(labels, own)
        weights = shares[labels] * own.astype(np.longdouble) / mass[labels].astype(np.longdouble)
        low, high = sketch.enclosure(p, shares.astype(float))
        inside += bool(low[0] <= true_log_mean(utilities, weights, p) <= high[0])
        for limit in widest:
            if abs(p) <= limit:
                widest[limit] = max(widest[limit], float(high[0] - low[0]) / 2)
    return {"cases": cases, "inside": inside, **{f"half_{k}": v for k, v in widest.items()}}


def fitting(total: int, actions: int = 200, decisions: int = 20_000) -> dict[str, float]:
    """CPU seconds of a fit, once its points are worked out, and those of the points."""
    rng = np.random.default_rng(4)
    chunk = min(total, CHUNK)
    base, groups = rng.normal(10, 0.7, chunk), np.arange(chunk) % GROUPS
    tallies = []
    for _ in range(actions):
        own = np.exp(base + rng.normal(0, 0.4, GROUPS)[groups])
        builder = ActionBuilder(False)
        builder.add(own, groups, None, GROUPS)
        tally = builder.tally(GROUPS)
        for _ in range(round(np.log2(total / chunk))):
            tally = tally + tally
        tallies.append(tally)
    names = tuple(map(str, range(actions)))
    gathered = Gathered(names, tuple(f"{i:02}" for i in range(GROUPS)), joined(tallies))
    sketch = wf.Sketch._made(gathered)
    pairs = wf.simulate.random_pairs(actions, decisions, random_state=4)
    worth = sketch.log_mean(-0.5, rng.dirichlet(np.full(GROUPS, 5.0)))
    gap = worth[pairs[:, 0]] - worth[pairs[:, 1]]
    first = rng.random(decisions) < 1 / (1 + np.exp(-8 * gap))
    decided = wf.Comparisons(sketch, pairs, first)
    once, _ = cpu(lambda: sketch._pairs)
    learner = wf.ComparisonClassifier()
    learner.fit(decided)
    seconds, _ = cpu(lambda: learner.fit(decided))
    return {"people": sketch.people, "points_s": once, "fit_s": seconds, "p": float(learner.p_)}


def agreement(size: int = 20_000, actions: int = 60, decisions: int = 20_000) -> dict[str, float]:
    """How far a fit to a sketch is from the fit to everybody's utilities."""
    rng = np.random.default_rng(5)
    groups = np.arange(size) % 5
    base = rng.normal(10, 0.7, (size, 1)) + rng.normal(0, 0.3, (size, actions))
    utilities = np.exp(base + rng.normal(0, 0.4, (5, actions))[groups])
    sketch = wf.Sketch.of(utilities, groups)
    pairs = wf.simulate.random_pairs(actions, decisions, random_state=5)
    worth = sketch.log_mean(-0.5, rng.dirichlet(np.full(5, 5.0)))
    gap = worth[pairs[:, 0]] - worth[pairs[:, 1]]
    first = rng.random(decisions) < 1 / (1 + np.exp(-8 * gap))
    table = wf.Comparisons(utilities.T, pairs, first)
    slow, one = cpu(lambda: wf.ComparisonClassifier(groups=groups).fit(table).result_)
    quick, other = cpu(
        lambda: wf.ComparisonClassifier().fit(wf.Comparisons(sketch, pairs, first)).result_
    )
    ends = np.subtract(one.interval("p"), other.interval("p"))
    weights = np.bincount(groups, one.weights) - other.weights
    return {
        "p": abs(one.p - other.p),
        "weights": float(np.abs(weights).max()),
        "interval": float(np.abs(ends).max()),
        "table_s": slow,
        "sketch_s": quick,
    }


def main() -> None:
    """Measure everything and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=float, default=1e8)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    total = int(asked.people)
    found = {
        "compiled": sketching(total, True),
        "numpy": sketching(total // 10, False),
        "parquet": from_parquet(4_000_000, 10),
        "enclosures": enclosures(asked.cases),
        "agreement": agreement(),
        "fits": [fitting(size) for size in (10**4, 10**6, 2**7 * CHUNK)],
    }
    text = json.dumps(found, indent=1) + "\n"
    print(text)
    if asked.out is not None:
        asked.out.write_text(text)


if __name__ == "__main__":
    main()
