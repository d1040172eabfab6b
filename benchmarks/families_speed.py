"""How long fits of families on the power mean's kernel take: `python -m benchmarks.families_speed`.

Each family fits comparisons that a rule of its own has decided, beside power means that fit those
of a power mean, in one process and in CPU time. Criterion, written before: the median over worlds
is at most twice that of power means, for Kolm-Pollak functions and for rank dependent means with
p = 1 and with p learned.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np

import welfarist as wf

FAMILIES: dict[str, dict[str, Any]] = {
    "power": {}, "kolm": {"family": "kolm"}, "rank, p = 1": {"family": "rank", "p": 1.0},
    "rank": {"family": "rank"},
}  # fmt: skip
# Comparisons, people, actions, worlds.
SIZES = (500, 4, 200, 25), (2000, 5, 400, 25), (20000, 10, 2000, 9), (100000, 18, 5000, 5)


def world(family: str, size: tuple[int, int, int, int], seed: int) -> wf.Comparisons:
    """Decisions by a rule of a family."""
    comparisons, people, actions, _ = size
    rng = np.random.default_rng(seed)
    table, weights = rng.uniform(1.0, 10.0, (actions, people)), rng.dirichlet(np.full(people, 3.0))
    if family == "power":
        value = 12.0 * wf.WelfareFunction(-0.5, weights).log(table)
    elif family == "kolm":
        value = 2.5 * wf.families.KolmPollak(0.3, weights).value(table)
    else:
        p = 1.0 if "p = 1" in family else -0.5
        value = 12.0 * wf.families.RankDependent(np.sort(weights)[::-1], p).value(table)
    pairs = wf.simulate.random_pairs(actions, comparisons, random_state=seed)
    apart = value[pairs[:, 0]] - value[pairs[:, 1]]
    return wf.Comparisons(table, pairs, rng.random(comparisons) < 1.0 / (1.0 + np.exp(-apart)))


def main() -> None:
    """Print the ratios."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--seed", type=int, required=True)
    told = asked.parse_args()
    warnings.simplefilter("ignore", wf.WelfaristWarning)
    print("| comparisons, people, actions | power mean, ms | kolm | rank, p = 1 | rank |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for size in SIZES:
        took: dict[str, list[float]] = {name: [] for name in FAMILIES}
        for number in range(size[3]):
            for name, options in FAMILIES.items():
                decided = world(name, size, told.seed + number)
                began = time.process_time()
                wf.ComparisonClassifier(**options).fit(decided)
                took[name].append(time.process_time() - began)
        middle = {name: float(np.median(times)) for name, times in took.items()}
        ratios = " | ".join(f"{middle[name] / middle['power']:.2f}" for name in list(FAMILIES)[1:])
        said = ", ".join(f"{number:,}" for number in size[:3])
        print(f"| {said} | {1000 * middle['power']:.1f} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
