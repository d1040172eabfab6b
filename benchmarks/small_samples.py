"""Do intervals hold where decisions are few? `python -m benchmarks.small_samples [--quick]`.

Comparisons and scores are simulated from known rules, as few as 30 of them, and fitted with and
without a charge for certainty. The full study rewrites docs/small_samples.md and .csv; finished
data sets are kept in build/, from where it goes on when it was interrupted.
"""

from __future__ import annotations

import argparse
import csv
import json
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np

import welfarist as wf
from benchmarks.small_samples_page import Row, page
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress
from welfarist.inference.intervals import deviance_at
from welfarist.inference.reference import chance_beyond
from welfarist.results.record import FitResult

ROOT = Path(__file__).parents[1]

SIZES, PEOPLE, TAUS, POWERS = (30, 60, 100, 200), (2, 3, 5), (3.0, 10.0, 50.0), (-3.0, 0.0, 1.0)
WEIGHTS = {2: (0.6, 0.4), 3: (0.5, 0.3, 0.2), 5: (0.3, 0.25, 0.2, 0.15, 0.1)}
# A doctrine that is wrong, by the true power.
WRONG = {-3.0: 1.0, 0.0: 1.0, 1.0: 0.0}
LOWEST, HIGHEST = 1.0, 10.0
# Scores err by this share of a typical welfare.
SCORE_NOISE = 0.5
FIRST_SEED = 2026187514
DATA_SETS, QUICK = 200, 2
METHODS = ("auto", "none")


@dataclass(frozen=True)
class Cell:
    """A world: how many decisions about how many people, and how they are made.

    `tau` is None for scores.
    """

    n: int
    d: int
    tau: float | None
    p: float

    @property
    def name(self) -> str:
        """A short name, in which all numbers are."""
        kind = "scores" if self.tau is None else f"tau {self.tau:g}"
        return f"n {self.n}, d {self.d}, {kind}, p {self.p:g}"

    @property
    def per_number(self) -> float:
        """Decisions for each number that is learned."""
        return self.n / (self.d + (self.tau is not None))

    def decide(self, seed: int) -> wf.Comparisons | wf.Scores:
        """Simulate decisions about actions that nobody has seen before."""
        rng = np.random.default_rng([FIRST_SEED, self.n, self.d, int(self.tau or 0), seed])
        rule = wf.WelfareFunction(self.p, WEIGHTS[self.d])
        if self.tau is None:
            table = rng.uniform(LOWEST, HIGHEST, (self.n, self.d))
            values = rule(table) + rng.normal(0.0, SCORE_NOISE, self.n)
            return wf.Scores(table, values, np.ones(self.n))
        table = rng.uniform(LOWEST, HIGHEST, (2 * self.n, self.d))
        pairs = np.arange(2 * self.n).reshape(2, -1).T
        margin = rule.log(table[pairs[:, 0]]) - rule.log(table[pairs[:, 1]])
        chance = 1.0 / (1.0 + np.exp(-self.tau * margin))
        return wf.Comparisons(table, pairs, np.where(rng.random(self.n) < chance, 1, -1))

    def truths(self) -> dict[str, float]:
        """What is true of everything that is learned; of weights that of the first person."""
        found = {"p": self.p, "weight of person 0": WEIGHTS[self.d][0]}
        return found if self.tau is None else {**found, "tau": self.tau}


COMPARED = [Cell(*cell) for cell in product(SIZES, PEOPLE, TAUS, POWERS)]
SCORED = [Cell(n, d, None, p) for n, d, p in product(SIZES, PEOPLE, POWERS)]
CELLS = [*COMPARED, *SCORED]


@dataclass(frozen=True)
class Finding:
    """What one data set showed.

    Attributes
    ----------
    cell : str
    method : str
        "auto" or "none".
    seed : int
    p_values : dict
        Of the true value of each estimate; empty where there is no inference.
    wrong : float or None
        The p-value of a wrong doctrine.
    tau : float or None
        The estimate.
    why : str
        Why there is no inference.
    """

    cell: str
    method: str
    seed: int
    p_values: dict[str, float]
    wrong: float | None
    tau: float | None
    why: str = ""


def examine(cell: Cell, method: str, seed: int) -> Finding:
    """Fit one data set, and ask what it says of the truth."""
    decided = cell.decide(seed)
    learner: wf.ComparisonClassifier | wf.WelfareRegressor
    if cell.tau is None:
        learner = wf.WelfareRegressor()
    else:
        learner = wf.ComparisonClassifier(small_sample=method)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        result = learner.fit(decided).result_
        try:
            found = {name: _chance(result, name, value) for name, value in cell.truths().items()}
            wrong = _chance(result, "p", WRONG[cell.p])
        except wf.WelfaristError as refusal:
            return Finding(cell.name, method, seed, {}, None, result.tau, str(refusal))
    return Finding(cell.name, method, seed, found, wrong, result.tau)


def _chance(result: FitResult, name: str, value: float) -> float:
    """The p-value of a value of one estimate."""
    assert result.likelihood is not None
    return chance_beyond(result.likelihood, deviance_at(result.likelihood, name, value), 1)


def _examine(shared: None, job: tuple[int, str, int]) -> Finding:
    del shared
    return examine(CELLS[job[0]], job[1], job[2])


def findings(store: Path, data_sets: int, jobs: int) -> Iterator[Finding]:
    """Yield what every data set showed, those of an earlier run first."""
    done: set[tuple[str, str, int]] = set()
    if store.exists():
        for line in store.read_text().splitlines():
            found = Finding(**json.loads(line))
            done.add((found.cell, found.method, found.seed))
            if found.seed < data_sets:
                yield found
    left = [
        (i, method, seed)
        for seed in range(data_sets)
        for i, cell in enumerate(CELLS)
        for method in (METHODS if cell.tau is not None else METHODS[:1])
        if (cell.name, method, seed) not in done
    ]
    with store.open("a") as lines:
        for found in run_jobs(_examine, None, left, jobs, option="--jobs"):
            lines.write(json.dumps(asdict(found)) + "\n")
            lines.flush()
            yield found


def rows(found: list[Finding]) -> list[Row]:
    """Count, cell by cell, how often the truth is held and the wrong doctrine rejected.

    A data set without inference holds nothing and rejects nothing.
    """
    by_cell: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in found:
        by_cell[finding.cell, finding.method].append(finding)
    made = []
    for cell, method in product(CELLS, METHODS):
        mine = by_cell.get((cell.name, method), [])
        if not mine:
            continue
        held = {
            name: float(np.mean([f.p_values.get(name, 0.0) > 0.05 for f in mine]))
            for name in cell.truths()
        }
        asked = [f for f in mine if f.p_values]
        rejected = {
            name: float(np.mean([f.p_values[name] <= 0.05 for f in asked])) if asked else None
            for name in cell.truths()
        }
        power = float(np.mean([f.wrong is not None and f.wrong <= 0.05 for f in mine]))
        tau = [f.tau for f in mine if f.tau is not None]
        made.append(
            Row(
                cell.n, cell.d, cell.tau, cell.p, cell.per_number, method, len(mine),
                1.0 - len(asked) / len(mine), held, rejected, power,
                float(np.median(tau)) if tau else None,
            )
        )  # fmt: skip
    return made


def main(quick: bool, jobs: int, data_sets: int) -> None:
    """Run the study, and write its page and its table."""
    data_sets = QUICK if quick else data_sets
    store = ROOT / "build" / f"small-samples-{FIRST_SEED}.jsonl"
    store.parent.mkdir(exist_ok=True)
    total = data_sets * (len(COMPARED) * len(METHODS) + len(SCORED))
    shown = Progress("auto").track(findings(store, data_sets, jobs), total, "data sets")
    table = rows(list(shown))
    folder = store.parent if quick else ROOT / "docs"
    with (folder / "small_samples.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Row.header())
        writer.writerows(row.cells() for row in table)
    text = page(table, data_sets)
    (folder / "small_samples.md").write_text(text)
    print(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.small_samples", description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} data sets a cell")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the work")
    parser.add_argument("--data-sets", type=int, default=DATA_SETS, help="data sets a cell")
    options = parser.parse_args()
    main(options.quick, options.jobs, options.data_sets)
