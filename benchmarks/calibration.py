"""Do 95% intervals hold the truth 95 times in 100? `python -m benchmarks.calibration [--quick]`.

Data sets are simulated from known rules, fitted, and every interval and test is compared with the
truth. The full study rewrites docs/calibration.md and docs/calibration.csv; it keeps finished data
sets in build/ and goes on from there when it was interrupted. The quick one writes to build/. With
`--menus` choices from menus and rankings are studied, without the bootstrap, for
docs/calibration_menus.md and docs/calibration_menus.csv.
"""

from __future__ import annotations

import argparse
import csv
import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

import welfarist as wf
from benchmarks.calibration_page import Row, menu_page, page
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress
from welfarist.results.record import FitResult

ROOT = Path(__file__).parents[1]

LEVEL = 0.95
POWER = -0.5
TAU = 5.0
SCORES, COMPARISONS, ACTIONS = 200, 1000, 200
# How many menus of how many actions, and rankings likewise.
MENUS, RANKINGS = (300, 5), (60, 10)
# Utilities from 1 to 100, evenly spread in logarithms; scores err by one unit of utility.
HIGHEST, NOISE = 100.0, 1.0
RESAMPLES = 199
DATA_SETS = 1000
QUICK = 20


@dataclass(frozen=True)
class World:
    """A truth to simulate from.

    Attributes
    ----------
    name : str
    kind : "scores", "comparisons", "choices" or "rankings"
    weights : tuple of float
    p : float
    known : bool
        Whether the learner is told that weights are equal.
    number : int
        The first part of every seed.
    resampled : bool
        Whether intervals are made by the bootstrap as well.
    """

    name: str
    kind: Literal["scores", "comparisons", "choices", "rankings"]
    weights: tuple[float, ...]
    p: float
    known: bool
    number: int
    resampled: bool = True

    def fit(self, seed: int) -> FitResult:
        """Simulate one data set and learn from it."""
        rng = np.random.default_rng([self.number, seed])
        table = np.exp(rng.uniform(0.0, np.log(HIGHEST), (ACTIONS, len(self.weights))))
        weights: Any = "equal" if self.known else "learn"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wf.WelfaristWarning)
            if self.kind == "scores":
                scores = wf.power_mean(table, self.p, self.weights) + rng.normal(0, NOISE, SCORES)
                return wf.WelfareRegressor(weights=weights).fit(table, scores).result_
            welfare = wf.log_power_mean(table, self.p, self.weights)
            if self.kind in ("choices", "rankings"):
                return wf.ChoiceLearner(weights=weights).fit(self._choices(table, rng)).result_
            first = rng.integers(0, ACTIONS, COMPARISONS)
            second = (first + rng.integers(1, ACTIONS, COMPARISONS)) % ACTIONS
            chance = 1.0 / (1.0 + np.exp(-TAU * (welfare[first] - welfare[second])))
            outcomes = np.where(rng.random(COMPARISONS) < chance, 1, -1)
            decisions = wf.Comparisons(table, np.column_stack([first, second]), outcomes)
            return wf.ComparisonClassifier(weights=weights).fit(decisions).result_

    def _choices(self, table: Any, rng: np.random.Generator) -> wf.Choices:
        """Choices from menus, or rankings of them, with Gumbel noise: tau makes it small."""
        count, size = MENUS if self.kind == "choices" else RANKINGS
        every = np.tile(np.arange(ACTIONS), (count, 1))
        menus = rng.permuted(every, axis=1)[:, :size]
        welfare = wf.log_power_mean(table, self.p, self.weights)
        value = TAU * welfare[menus] + rng.gumbel(size=menus.shape)
        order = np.take_along_axis(menus, np.argsort(-value, axis=1), axis=1)
        if self.kind == "choices":
            return wf.Choices(table, menus, order[:, 0])
        return wf.Choices.from_rankings(table, order.tolist())

    def truth(self, name: str) -> float:
        """The true value of an estimate."""
        if name in ("p", "tau"):
            return self.p if name == "p" else TAU
        return self.weights[int(name.rsplit(" ", 1)[1])]

    def nulls(self) -> dict[str, dict[str, Any]]:
        """True nulls, by the words of the page."""
        if self.known:
            return {f"p = {self.p:g}, weights known": dict(p=self.p)}
        edge = ", one of them 0" if 0.0 in self.weights else ""
        return {f"p = {self.p:g}": dict(p=self.p), f"all weights{edge}": dict(weights=self.weights)}


INTERIOR, EDGE = (0.3, 0.25, 0.2, 0.15, 0.1), (0.4, 0.3, 0.2, 0.1, 0.0)
WORLDS = (
    World("scores", "scores", INTERIOR, POWER, False, 1),
    World("scores, one weight 0", "scores", EDGE, POWER, False, 2),
    World("comparisons", "comparisons", INTERIOR, POWER, False, 3),
    World("comparisons, one weight 0", "comparisons", EDGE, POWER, False, 4),
    World("scores, egalitarian", "scores", (0.2,) * 5, -np.inf, True, 5),
)
MENU_WORLDS = (
    World("300 menus of 5", "choices", INTERIOR, POWER, False, 6, resampled=False),
    World("60 rankings of 10", "rankings", INTERIOR, POWER, False, 7, resampled=False),
)


@dataclass(frozen=True)
class Finding:
    """What one data set showed.

    Attributes
    ----------
    world, seed : str, int
    covered : dict
        For each method and estimate, whether the interval held the truth.
    p_values : dict
        Of the true nulls.
    failed : int
        Resamples without estimates.
    """

    world: str
    seed: int
    covered: dict[str, dict[str, bool]]
    p_values: dict[str, float]
    failed: int


def examine(world: World, seed: int, resamples: int = RESAMPLES) -> Finding:
    """Simulate one data set, and compare its intervals and tests with the truth."""
    result = world.fit(seed)
    covered: dict[str, dict[str, bool]] = {}
    failed = 0
    if not world.known:
        ends: dict[str, Any] = {"profile": result.conf_int(1.0 - LEVEL)}
        if world.resampled:
            drawn = result.bootstrap(resamples, random_state=seed)
            failed = drawn.failed
            every = [drawn.interval(name, LEVEL) for name in drawn.names]
            ends["bootstrap"] = np.array(every)
        for method, pairs in ends.items():
            covered[method] = {
                name: bool(low <= world.truth(name) <= high)
                for name, (low, high) in zip(result.param_names, pairs, strict=True)
            }
    p_values = {words: result.test(**null).p_value for words, null in world.nulls().items()}
    return Finding(world.name, seed, covered, p_values, failed)


def _examine(resamples: int, job: tuple[World, int]) -> Finding:
    return examine(*job, resamples)


def findings(
    store: Path, data_sets: int, jobs: int, worlds: tuple[World, ...] = WORLDS
) -> Iterator[Finding]:
    """Yield what every data set showed, those of an earlier run first."""
    done: set[tuple[str, int]] = set()
    if store.exists():
        for line in store.read_text().splitlines():
            found = Finding(**json.loads(line))
            done.add((found.world, found.seed))
            if found.seed < data_sets:
                yield found
    left = [
        (world, seed)
        for seed in range(data_sets)
        for world in worlds
        if (world.name, seed) not in done
    ]
    with store.open("a") as lines:
        for found in run_jobs(_examine, RESAMPLES, left, jobs, option="--jobs"):
            lines.write(json.dumps(found.__dict__) + "\n")
            lines.flush()
            yield found


def rows(found: list[Finding]) -> list[Row]:
    """Count, for every world, how often intervals held and true nulls were rejected."""
    made = []
    for world in (*WORLDS, *MENU_WORLDS):
        mine = [finding for finding in found if finding.world == world.name]
        if not mine:
            continue
        first = mine[0]
        for method, names in first.covered.items():
            for name in names:
                held = np.mean([finding.covered[method][name] for finding in mine])
                made.append(Row(world.name, f"interval, {method}", name, float(held), len(mine)))
        for null in first.p_values:
            rejected = np.mean([finding.p_values[null] <= 1.0 - LEVEL for finding in mine])
            made.append(Row(world.name, "true null", null, float(rejected), len(mine)))
    return made


def main(quick: bool, jobs: int, menus: bool) -> None:
    """Run the study, and write its page and its table."""
    data_sets = QUICK if quick else DATA_SETS
    worlds, name = (MENU_WORLDS, "calibration_menus") if menus else (WORLDS, "calibration")
    store = ROOT / "build" / f"{name}-{RESAMPLES}.jsonl"
    store.parent.mkdir(exist_ok=True)
    total = data_sets * len(worlds)
    work = findings(store, data_sets, jobs, worlds)
    shown = Progress("auto").track(work, total, "data sets")
    table = rows(found := list(shown))
    failed = sum(finding.failed for finding in found)
    folder = store.parent if quick else ROOT / "docs"
    with (folder / f"{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["world", "what", "of", "share", "standard_error", "data_sets"])
        writer.writerows(
            [r.world, r.what, r.of, f"{r.share:.4f}", f"{r.error:.4f}", r.data_sets] for r in table
        )
    text = menu_page(table, data_sets) if menus else page(table, data_sets, RESAMPLES, failed)
    (folder / f"{name}.md").write_text(text)
    print(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} data sets a world")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the work")
    parser.add_argument("--menus", action="store_true", help="choices from menus, and rankings")
    options = parser.parse_args()
    main(options.quick, options.jobs, options.menus)
