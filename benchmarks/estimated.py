"""Utilities with errors: what fits say that know of the errors, and what fits say that do not.

Worlds: log utilities of d = 3 or 5 people are normal with standard deviation 0.8, independent;
weights are Dirichlet(4); tau = 10; 1,000 comparisons of random pairs among 100 or 300 actions.
Utilities are seen with normal errors of their logarithms, of 0.05, 0.15 or 0.3, and of 0.5 in cells
of their own; p is -3, -1, 0.5 or 2. One data set a cell in turn, until the time is over.

Criteria, written before any figure was looked at, for errors of 0.05, 0.15 and 0.3:

* bias: the mean of the estimates of p is off by at most a quarter of their standard deviation
  (the median is shown beside it: a few estimates lie far out);
* p: the likelihood-ratio interval of 95% holds the truth in 92 to 97% of the data sets;
* weights: so do the intervals of one weight, by standard errors, in the mean over people;
* tau: the interval by standard errors in log tau holds it in 90 to 97%.

With few data sets a share has an error of its own: a cell misses where its share is outside by more
than two of these standard errors. At 0.5 nothing is promised. Beside these: the naive fit, and for
p the bias of a fit to the true utilities, which no correction of errors can be without.

Run ``python -m benchmarks.estimated --seed S --minutes 15``: for so long on the clock, one data set
a cell in turn. A second run with the same seed goes on from the file, and ``--show`` prints the
tables.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from welfarist import ComparisonClassifier, Comparisons, InputError, People

ROOT = Path(__file__).parents[1] / "build" / "estimated"
TAU, DECISIONS, SPREAD = 10.0, 1000, 0.8
POWERS, ERRORS = (-3.0, -1.0, 0.5, 2.0), (0.05, 0.15, 0.3)
CELLS = [
    *((d, n, e, p) for d in (3, 5) for n in (100, 300) for e in ERRORS for p in POWERS),
    *((3, 100, 0.5, p) for p in POWERS),
]


def made(cell: tuple[int, int, float, float], seed: tuple[int, ...]) -> tuple[Any, ...]:
    """A world: measured utilities, pairs, outcomes, weights and true utilities."""
    people, actions, error, p = cell
    rng = np.random.default_rng(seed)
    logs = rng.normal(0, SPREAD, (actions, people))
    weights = rng.dirichlet(np.full(people, 4.0))
    welfare = np.log((weights * np.exp(p * logs)).sum(axis=1)) / p
    first = rng.integers(0, actions, DECISIONS)
    second = (first + rng.integers(1, actions, DECISIONS)) % actions
    chance = 1.0 / (1.0 + np.exp(-TAU * (welfare[first] - welfare[second])))
    outcomes = np.where(rng.random(DECISIONS) < chance, 1, -1)
    measured = np.exp(logs + error * rng.normal(size=logs.shape))
    return measured, np.column_stack([first, second]), outcomes, weights, np.exp(logs)


def judged(utilities: Any, world: tuple[Any, ...], p: float) -> dict[str, Any]:
    """What a fit says: p, tau, which intervals hold the truth, and the time it took."""
    _, pairs, outcomes, weights, _ = world
    began = time.process_time()
    fit = ComparisonClassifier().fit(Comparisons(utilities, pairs, outcomes))
    took = time.process_time() - began
    found: dict[str, Any] = {"p": fit.p_, "tau": fit.tau_, "seconds": took}
    try:
        result = fit.result_
        found["held"] = bool(result.test(p=p).p_value > 0.05)
        errors = np.asarray(result.bse)
        inside = np.abs(fit.weights_ - weights) <= 1.96 * errors[1:-1]
        found["weights"] = float(inside.mean())
        found["tau held"] = bool(abs(np.log(fit.tau_ / TAU)) <= 1.96 * errors[-1] / fit.tau_)
    except InputError as refused:
        found["refused"] = str(refused)[:200]
    return found


def run(seed: int, minutes: float, path: Path) -> None:
    """Go on from the file, one data set a cell in turn."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = {(tuple(r["cell"]), r["number"]) for r in records(path)}
    ends, number = time.monotonic() + 60.0 * minutes, 0
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" if path.stat().st_size else "")  # after a line that was not finished
        while True:
            for place, cell in enumerate(CELLS):
                if (cell, number) in done:
                    continue
                if time.monotonic() > ends:
                    return
                world = made(cell, (seed, place, number))
                known = ComparisonClassifier().fit(Comparisons(world[4], world[1], world[2]))
                row = {
                    "cell": cell,
                    "number": number,
                    "true": known.p_,
                    "naive": judged(world[0], world, cell[3]),
                    "corrected": judged(People(world[0], cell[2]), world, cell[3]),
                }
                file.write(json.dumps(row) + "\n")
                file.flush()
            number += 1


def records(path: Path) -> list[dict[str, Any]]:
    """What is in the file, but for a last line that was not finished."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}}")]


def bias(powers: list[float], p: float) -> float:
    """How far the mean of estimates is from the truth, in their standard deviations."""
    finite = np.array([power for power in powers if np.isfinite(power)])
    return float((finite.mean() - p) / finite.std())


def shares(rows: list[dict[str, Any]], p: float) -> dict[str, float]:
    """Bias, median and coverage of one kind of fit in a cell."""
    powers = np.array([row["p"] for row in rows])
    known = [row for row in rows if "refused" not in row]
    return {
        "sets": len(rows),
        "refused": len(rows) - len(known),
        "median": float(np.median(powers)),
        "bias": bias(powers.tolist(), p),
        "held": float(np.mean([row["held"] for row in known])),
        "weights": float(np.mean([row["weights"] for row in known])),
        "tau": float(np.median([row["tau"] for row in rows])),
        "tau held": float(np.mean([row["tau held"] for row in known])),
        "ms": 1000.0 * float(np.median([row["seconds"] for row in rows])),
    }


def misses(found: dict[str, float]) -> list[str]:
    """The criteria that a cell misses by more than chance."""
    known = found["sets"] - found["refused"]
    out = ["bias"] if abs(found["bias"]) > 0.25 + 2.0 / np.sqrt(known) else []
    for name, low, high in (("held", 0.92, 0.97), ("weights", 0.92, 0.97), ("tau held", 0.9, 0.97)):
        slack = 2.0 * np.sqrt(0.95 * 0.05 / known)
        if not low - slack <= found[name] <= high + slack:
            out.append(name)
    return out


def table(path: Path) -> str:
    """The figures as a Markdown table, with what misses."""
    rows = records(path)
    lines = [
        "| d | actions | error | p* | sets | bias/sd of true | naive p, held, weights, tau | p |"
        " bias/sd | p held | weights | tau | tau held | ms | misses |",
        "| --- " * 15 + "|",
    ]
    for cell in CELLS:
        own = [row for row in rows if tuple(row["cell"]) == cell]
        if len(own) < 2:
            continue
        naive, found = (shares([r[k] for r in own], cell[3]) for k in ("naive", "corrected"))
        said = ", ".join(misses(found)) if cell[2] < 0.5 else "(nothing promised)"
        lines.append(
            f"| {cell[0]} | {cell[1]} | {cell[2]} | {cell[3]:g} | {found['sets']} | "
            f"{bias([row['true'] for row in own], cell[3]):.2f} | "
            f"{naive['median']:.2f}, {naive['held']:.2f}, {naive['weights']:.2f}, "
            f"{naive['tau held']:.2f} | {found['median']:.2f} | {found['bias']:.2f} | "
            f"{found['held']:.2f} | {found['weights']:.2f} | {found['tau']:.1f} | "
            f"{found['tau held']:.2f} | {naive['ms']:.0f}, {found['ms']:.0f} | {said} |"
        )
    return "\n".join(lines)


def pooled(path: Path) -> str:
    """The shares over all cells with errors of the same size, as a Markdown table."""
    rows = records(path)
    lines = ["| error | fit | sets | p held | weights | tau held | tau |", "| --- " * 7 + "|"]
    for error in sorted({row["cell"][2] for row in rows}):
        own = [row for row in rows if row["cell"][2] == error]
        for kind in ("naive", "corrected"):
            found = shares([row[kind] for row in own], 0.0)
            lines.append(
                f"| {error} | {kind} | {found['sets']} | {found['held']:.3f} | "
                f"{found['weights']:.3f} | {found['tau held']:.3f} | {found['tau']:.1f} |"
            )
    return "\n".join(lines)


def main() -> None:
    """Run the study, or show what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    path = ROOT / f"{asked.seed}.jsonl"
    if not asked.show:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fits on an edge say so
            run(asked.seed, asked.minutes, path)
    print(table(path), pooled(path), sep="\n\n")


if __name__ == "__main__":
    main()
