"""Do intervals of theta hold? `python -m benchmarks.attributes [--quick]`.

Comparisons by somebody for whom weights follow from attributes are simulated and fitted. One
attribute matters, the two others do not: intervals should hold the truth, and tests should reject a
true null, as often as they say. The full study rewrites docs/calibration_attributes.md; finished
data sets are kept in build/, from where it goes on when it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np

import welfarist as wf
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress
from welfarist.inference.intervals import deviance_at
from welfarist.inference.reference import chance_beyond
from welfarist.results.record import FitResult

ROOT = Path(__file__).parents[1]
FIRST_SEED = 2026111806
CELLS, COMPARISONS, TAU = 12, 400, 10.0
POWERS = (-1.0, 0.0, 1.0)
# What is true: the old count more, income and region do not matter.
THETA = {"age": 0.02, "income": 0.0, "region: south": 0.0}
DATA_SETS, QUICK = 2000, 2
# What the data sets must show, between these.
HELD, REJECTED = (0.93, 0.97), (0.03, 0.07)
LIMIT = 0.05

# Whoever enlarges a study that was looked at says so.
SEEN_BEFORE = (
    "The study was meant to have 1,000 data sets a power. One of its cells was then outside of the "
    "band (p = -1, region: 92.7% held, 7.3% rejected), and it was doubled, with seeds that follow "
    "on; 2,500 further data sets of that cell alone, which are not in the table, held in 95.0%."
)


def people() -> tuple[dict[str, object], np.ndarray]:
    """Six ages in two regions, with incomes, and how many people each of the twelve cells has."""
    rng = np.random.default_rng(FIRST_SEED)
    table = {
        "age": np.tile(np.arange(20.0, 80.0, 10.0), 2),
        "income": rng.lognormal(0.0, 0.5, CELLS),
        "region": ["north"] * 6 + ["south"] * 6,
    }
    return table, rng.integers(50, 500, CELLS).astype(float)


def decide(p: float, seed: int) -> wf.Comparisons:
    """Simulate comparisons of actions that nobody has seen before."""
    rng = np.random.default_rng([FIRST_SEED, int(10 * p) + 100, seed])
    table, heads = people()
    weights = heads * np.exp(THETA["age"] * np.asarray(table["age"]))
    rule = wf.WelfareFunction(p, weights)
    utilities = rng.lognormal(0.0, 0.6, (2 * COMPARISONS, CELLS))
    pairs = np.arange(2 * COMPARISONS).reshape(2, -1).T
    margin = rule.log(utilities[pairs[:, 0]]) - rule.log(utilities[pairs[:, 1]])
    chance = 1.0 / (1.0 + np.exp(-TAU * margin))
    return wf.Comparisons(utilities, pairs, np.where(rng.random(COMPARISONS) < chance, 1, -1))


@dataclass(frozen=True)
class Finding:
    """What one data set showed.

    Attributes
    ----------
    p : float
        The true power.
    seed : int
    ratio, wald : dict
        P-values of the true value of each theta, by likelihood ratio and by standard errors: an
        interval of 95 percent holds it where they are above 0.05.
    age : float
        The estimated theta of age.
    matters : float
        P-value of a theta of age of 0, which is wrong.
    seconds : float
        CPU time of the fit, its intervals and tests.
    """

    p: float
    seed: int
    ratio: dict[str, float]
    wald: dict[str, float]
    age: float
    matters: float
    seconds: float


def examine(p: float, seed: int) -> Finding:
    """Fit one data set, and ask what it says of the truth."""
    begun = time.process_time()
    table, heads = people()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        learner = wf.ComparisonClassifier(weights=wf.ByAttributes(table, heads))
        result = learner.fit(decide(p, seed)).result_
        ratio = {name: _chance(result, name, value) for name, value in THETA.items()}
        wald = {name: result.contrast(name, value).p_value for name, value in THETA.items()}
        matters = result.test(theta="age").p_value
    spent = time.process_time() - begun
    return Finding(p, seed, ratio, wald, result.theta["age"], matters, spent)


def _chance(result: FitResult, name: str, value: float) -> float:
    """The p-value of a value of one theta."""
    likelihood = result.likelihood
    assert likelihood is not None
    lost = deviance_at(likelihood, f"theta[{name}]", value)
    return chance_beyond(likelihood, lost, 1)


def _examine(shared: None, job: tuple[float, int]) -> Finding:
    del shared
    return examine(*job)


def findings(store: Path, data_sets: int, jobs: int) -> Iterator[Finding]:
    """Yield what every data set showed, those of an earlier run first."""
    done: set[tuple[float, int]] = set()
    if store.exists():
        for line in store.read_text().splitlines():
            found = Finding(**json.loads(line))
            done.add((found.p, found.seed))
            if found.seed < data_sets:
                yield found
    left = [job for job in product(POWERS, range(data_sets)) if job not in done]
    with store.open("a") as lines:
        for found in run_jobs(_examine, None, left, jobs, option="--jobs"):
            lines.write(json.dumps(asdict(found)) + "\n")
            lines.flush()
            yield found


def page(found: list[Finding], data_sets: int, powers: tuple[float, ...] = POWERS) -> str:
    """The page of the study."""
    share = f"{100 * HELD[0]:.0f} to {100 * HELD[1]:.0f}%"
    false = f"{100 * REJECTED[0]:.0f} to {100 * REJECTED[1]:.0f}%"
    lines = [
        "# Do intervals of theta hold?",
        "",
        f"Weights by attributes, `w_i ~ n_i exp(theta . x_i)`: {CELLS} cells of people with heads, "
        f"{COMPARISONS} comparisons, temperature {TAU:g}, {data_sets} data sets for each power. "
        f"Theta of age is {THETA['age']:g}; income and region do not matter. Intervals of 95% "
        f"should hold the truth in {share} of the data sets, and tests at 5% should reject the two "
        f"true nulls in {false}: with {data_sets} data sets chance alone moves a share by "
        f"{100 * np.sqrt(LIMIT * (1 - LIMIT) / data_sets):.1f} points. Of somebody for whom the "
        "old count more it should be seen.",
        "",
        "| p | interval | holds age | holds income | holds region | rejects income "
        "| rejects region | sees age | median theta of age | CPU s |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for p, kind in product((*powers, None), ("likelihood ratio", "Wald")):
        mine = [f for f in found if p is None or f.p == p]
        chances = [f.ratio if kind == "likelihood ratio" else f.wald for f in mine]
        held = [np.mean([chance[name] > LIMIT for chance in chances]) for name in THETA]
        cells = [f"{100 * value:.1f}%" for value in (*held, 1 - held[1], 1 - held[2])]
        power = f"{100 * np.mean([f.matters <= LIMIT for f in mine]):.0f}%"
        middle, spent = np.median([f.age for f in mine]), np.mean([f.seconds for f in mine])
        name = "all" if p is None else f"{p:g}"
        row = [name, kind, *cells, power, f"{middle:.4f}", f"{spent:.2f}"]
        lines.append(f"| {' | '.join(row)} |")
    lines += ["", SEEN_BEFORE, "", "`python -m benchmarks.attributes` runs the study.", ""]
    return "\n".join(lines)


def main(quick: bool, jobs: int, data_sets: int) -> None:
    """Run the study, and write its page."""
    data_sets = QUICK if quick else data_sets
    store = ROOT / "build" / f"attributes-{FIRST_SEED}.jsonl"
    store.parent.mkdir(exist_ok=True)
    total = data_sets * len(POWERS)
    found = list(Progress("auto").track(findings(store, data_sets, jobs), total, "data sets"))
    text = page(found, data_sets)
    folder = store.parent if quick else ROOT / "docs"
    (folder / "calibration_attributes.md").write_text(text)
    print(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attributes", description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} data sets a power")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the work")
    parser.add_argument("--data-sets", type=int, default=DATA_SETS, help="data sets a power")
    given = parser.parse_args()
    main(given.quick, given.jobs, given.data_sets)
