"""Which family made the decisions? `python -m benchmarks.families --seed N [--worlds 12]`.

Worlds of eight kinds decide at random; rules of all eight are fitted, and the one with the lowest
BIC is taken for the one that decided. Five are families: power means, Kolm-Pollak functions, rank
dependent means with p = 1, nested power means of which the groups are known, additive rules with
one curve. Three are diagnoses: 2-additive Choquet integrals, power means beyond a zero that is
learned (needs), and power means whose noise acts on differences in welfare.

Each world: 5 people, 400 actions with utilities from 1 to 10, 500 or 2,000 comparisons of random
pairs, logistic noise at which 87% of choices are what the true rule prefers. Weights are drawn
from a Dirichlet distribution with concentration 2; p from -2 to 1.5; alpha from 0.15 to 0.8;
weights of places are such weights in falling order; groups are the first two and the last three
people, with p and q at least 1.5 apart, from -3 to 2; curves are logistic with the middle from
3.5 to 7 and a slope from 0.8 to 1.6. Choquet integrals have weights of the 25 columns from a
Dirichlet distribution with concentration 0.5; zeros of needs are from 0.5 to 0.95.

Criteria, written before any figure was looked at: where the five families are compared in their
worlds, the true one has the lowest BIC in at least 85% with 500 comparisons and in at least 95%
with 2,000; of power-mean worlds at most 10% are then taken for another family where
`FamilyTable.recommended` is followed, at either size. Where all eight are compared the confusion
matrix is what is to be shown, with how often the truth is among those that are said to be tied,
and how many power means are lost.

The run can be stopped: it goes on where `--out` ends.

The seed is taken afresh (from /dev/urandom) once the code is final, and printed.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq

import welfarist as wf
from welfarist.families.additive.family import AdditiveFamily

PEOPLE, ACTIONS, RIGHT = 5, 400, 0.87
SIZES = (500, 2000)
GROUPS = [0, 0, 1, 1, 1]
FAMILIES = ("power", "kolm", "rank", "nested", "additive")
ALL = (*FAMILIES, "choquet", "needs", "difference")


def values(family: str, table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What actions are worth by a random rule of a family (N,)."""
    weights = rng.dirichlet(np.full(PEOPLE, 2.0))
    if family == "power":
        return np.asarray(wf.WelfareFunction(rng.uniform(-2.0, 1.5), weights).value(table))
    if family == "kolm":
        return np.asarray(wf.families.KolmPollak(rng.uniform(0.15, 0.8), weights).value(table))
    if family == "rank":
        return np.asarray(wf.families.RankDependent(np.sort(weights)[::-1]).value(table))
    if family == "nested":
        while True:
            p, q = rng.uniform(-3.0, 2.0, 2)
            if abs(p - q) >= 1.5:
                return np.asarray(wf.families.Nested(p, q, GROUPS, weights).value(table))
    if family == "choquet":
        columns = rng.dirichlet(np.full(PEOPLE * PEOPLE, 0.5))
        one, other = np.triu_indices(PEOPLE, 1)
        low, high = (f(table[:, one], table[:, other]) for f in (np.minimum, np.maximum))
        return np.asarray(np.hstack([table, low, high]) @ columns)
    if family == "needs":
        zero, p = rng.uniform(0.5, 0.95), rng.uniform(-2.0, 1.5)
        return np.asarray(wf.WelfareFunction(p, weights).value(table - zero))
    if family == "difference":
        return np.asarray(wf.WelfareFunction(rng.uniform(-2.0, 1.5), weights)(table))
    middle, slope = rng.uniform(3.5, 7.0), rng.uniform(0.8, 1.6)
    return np.asarray((1.0 / (1.0 + np.exp(-slope * (table - middle)))) @ weights)


def world(family: str, size: int, seed: int) -> wf.Comparisons:
    """Decisions of somebody who follows a random rule of a family."""
    rng = np.random.default_rng(seed)
    table = rng.uniform(1.0, 10.0, (ACTIONS, PEOPLE))
    value = values(family, table, rng)
    pairs = wf.simulate.random_pairs(ACTIONS, size, random_state=seed)
    apart = value[pairs[:, 0]] - value[pairs[:, 1]]
    return wf.Comparisons(table, pairs, rng.random(size) < chances(apart))


def judged(family: str, size: int, seed: int) -> dict[str, Any]:
    """Who is taken for the one that decided, among all eight and among the five."""
    learner = wf.ComparisonClassifier(groups=GROUPS, n_starts=3)
    wanted: list[Any] = [AdditiveFamily() if name == "additive" else name for name in ALL]
    decided = world(family, size, seed)
    # Groups are nests to one of them, and nothing to the others.
    found = wf.compare(learner, decided, families=wanted, folds=None)
    few = replace_rows(found, FAMILIES)
    return {
        "family": family,
        "size": size,
        "seed": seed,
        "best": found.best,
        "recommended": found.recommended,
        "tied": list(found.tied),
        "best of five": few.best,
        "recommended of five": few.recommended,
        "tied of five": list(few.tied),
        "bic": {row.name: row.bic for row in found.rows},
        "left out": dict(found.left_out),
    }


def replace_rows(found: Any, names: tuple[str, ...]) -> Any:
    """The table as it is where only some families are compared."""
    rows = [row for row in found.rows if row.name in names]
    lowest = min(row.bic for row in rows)
    return replace(found, rows=tuple(replace(row, behind=row.bic - lowest) for row in rows))


def table_of(records: list[dict[str, Any]], names: tuple[str, ...], five: str = "") -> str:
    """The confusion matrix of BIC, and how the criteria fare."""
    lines = []
    for size in SIZES:
        part = [r for r in records if r["size"] == size and r["family"] in names]
        lines += [f"n = {size}: truth in rows, lowest BIC in columns", "", "| truth | "
                  + " | ".join(names) + " | true one among the tied |",
                  "| --- |" + " ---: |" * (len(names) + 1)]  # fmt: skip
        for truth in names:
            own = [r for r in part if r["family"] == truth]
            counts = [sum(r[f"best{five}"] == name for r in own) for name in names]
            tied = sum(truth in r[f"tied{five}"] for r in own)
            lines.append(f"| {truth} | " + " | ".join(map(str, counts)) + f" | {tied} |")
        right = np.mean([r[f"best{five}"] == r["family"] for r in part])
        powers = [r for r in part if r["family"] == "power"]
        lost = np.mean([r[f"recommended{five}"] != "power" for r in powers])
        alone = [r for r in part if len(r[f"tied{five}"]) == 1]
        sure = np.mean([r[f"best{five}"] == r["family"] for r in alone])
        lines += [
            "",
            f"right {right:.1%} of {len(part)}; power means lost {lost:.1%} of {len(powers)}; one "
            f"is named alone in {len(alone) / len(part):.1%}, and then right in {sure:.1%}",
            "",
        ]
    return "\n".join(lines)


def chances(apart: np.ndarray) -> np.ndarray:
    """How likely the first action is chosen, so that 87% of choices are right."""

    def right(log_tau: float) -> float:
        return float(np.mean(1.0 / (1.0 + np.exp(-np.exp(log_tau) * np.abs(apart)))))

    tau = np.exp(brentq(lambda t: right(t) - RIGHT, -10.0, 15.0))
    return np.asarray(1.0 / (1.0 + np.exp(-tau * apart)))


def main() -> None:
    """Run the study."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--seed", type=int, required=True)
    asked.add_argument("--worlds", type=int, default=12)
    asked.add_argument("--out", type=Path, default=Path("build/families.jsonl"))
    told = asked.parse_args()
    began, records = time.process_time(), []
    told.out.parent.mkdir(parents=True, exist_ok=True)
    if told.out.exists():
        records = [json.loads(line) for line in told.out.read_text().splitlines()]
    done = {(r["family"], r["seed"]) for r in records}
    for number in range(told.worlds):
        for place, size in enumerate(SIZES):
            for kind, family in enumerate(ALL):
                seed = told.seed + 100 * number + 10 * place + kind
                if (family, seed) not in done:
                    records.append(judged(family, size, seed))
                    with told.out.open("a") as file:
                        file.write(json.dumps(records[-1]) + "\n")
    print("Among the five families\n")
    print(table_of(records, FAMILIES, " of five"))
    print("Among all eight\n")
    print(table_of(records, ALL))
    print(f"seed {told.seed}, {told.worlds} worlds a cell, {time.process_time() - began:.0f} CPU s")


if __name__ == "__main__":
    main()
