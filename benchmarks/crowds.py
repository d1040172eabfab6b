"""How often types are counted right, and shares, populations and single people hold the truth.

    python -m benchmarks.crowds --seed 1 --data-sets 100 --jobs 2

What must hold, written down before anything was run:

* 160 people of 1, 2 or 3 types decide the same 39 comparisons, for 2 or 3 stakeholders: BIC whose
  observations are people names the right number of 1 to 4 in at least 95% of the data sets of each
  of the six cells.
* 95% intervals of the shares of 2 and 3 types, clustered by person, hold the share that people were
  drawn with in 93% to 97%, all four cells together.
* 160 people from a normal population decide 39 comparisons: 95% intervals of mean and of spread of
  asinh p hold the truth in 92% to 98%, for each number of stakeholders.
* There everybody's own estimate of asinh p (the median of what is believed) has a lower mean error
  than own maximum likelihood, one rule for all, and types (posterior mean of asinh p over types).
  Errors are absolute, of asinh p cut off at 4 (p of 27) either way.

    python -m benchmarks.crowds --seed 1 --data-sets 300 --jobs 2 --populations-alone

runs the populations only, on more data sets than whole studies have time for: the same must hold of
them. How far estimates are off in standard errors is reported besides.

Finished data sets are kept in ``build/crowds.csv``; the pages are ``docs/calibration_deciders.md``
and ``docs/calibration_populations.md``.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

import welfarist as wf
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray

PEOPLE, GAMES, LEVEL = 160, 39, 0.95
LARGEST = 4.0
# Own fits are made of so many people only: they take as long as everything else.
ALONE = 40
STORE, PAGE = Path("build/crowds.csv"), Path("docs/calibration_deciders.md")
ALONE_PAGE = Path("docs/calibration_populations.md")
# Whoever stops a study, looks, mends or enlarges says so.
ON_THE_WAY = (
    "After 81 of each kind the run ended with an error, in the interval of a type that nobody\n"
    "followed any more; it was mended and went on, unseen."
)
# Power, weights and temperature of each type, by the number of stakeholders.
RULES = {
    2: ((0.2, (0.7, 0.3), 12.0), (0.6, (0.93, 0.07), 30.0), (-2.0, (0.5, 0.5), 8.0)),
    3: ((0.2, (0.6, 0.3, 0.1), 12.0), (0.6, (0.9, 0.05, 0.05), 30.0), (-2.0, (0.3, 0.3, 0.4), 8.0)),
}
SHARES = {1: (1.0,), 2: (0.6, 0.4), 3: (0.45, 0.35, 0.2)}
# Mean and spread of asinh p, of the log ratios of weights, and of log tau.
MEANS = {2: (-0.3, 1.0, 2.8), 3: (-0.3, 0.8, 0.4, 2.8)}
SPREADS = {2: (0.7, 0.8, 0.5), 3: (0.7, 0.6, 0.6, 0.5)}
# Correlation of asinh p and log tau.
TOGETHER = 0.3


@dataclass(frozen=True)
class Cell:
    """One kind of data set: so many types (0 is a normal population), so many stakeholders."""

    types: int
    people: int

    @property
    def name(self) -> str:
        """What it is called in tables."""
        kind = f"{self.types} types" if self.types > 1 else "1 type" if self.types else "normal"
        return f"{kind}, {self.people} stakeholders"


CELLS = tuple(Cell(types, people) for types in (1, 2, 3, 0) for people in (2, 3))


def decided(rules: list[Any], taus: FloatArray, people: int, rng: np.random.Generator) -> Any:
    """Comparisons of everybody, each with a rule and a temperature of their own."""
    table = rng.uniform(1.0, 10.0, (2 * GAMES, people))
    logs = np.array([rule.log(table) for rule in rules])
    apart = logs[:, 0::2] - logs[:, 1::2]
    chance = 1.0 / (1.0 + np.exp(-taus[:, None] * apart))
    outcomes = np.where(rng.random(chance.shape) < chance, 1, -1).ravel()
    pairs = np.tile(np.arange(2 * GAMES).reshape(-1, 2), (len(rules), 1))
    return wf.Comparisons(table, pairs, outcomes, by=np.repeat(np.arange(len(rules)), GAMES))


def run(rivals: bool, job: tuple[Cell, int, int]) -> list[tuple[str, float]]:
    """One data set: what was found, by name; of populations with or without others beside them."""
    cell, seed, number = job
    rng = np.random.default_rng([seed, cell.types, cell.people, number])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return _of_types(cell, rng) if cell.types else _of_population(cell, rng, rivals)


def _of_types(cell: Cell, rng: np.random.Generator) -> list[tuple[str, float]]:
    known = RULES[cell.people][: cell.types]
    member = rng.choice(cell.types, PEOPLE, p=SHARES[cell.types])
    rules = [wf.WelfareFunction(*known[k][:2]) for k in member]
    taus = np.array([known[k][2] for k in member])
    data = decided(rules, taus, cell.people, rng)
    found = wf.Types(max_types=4, population=False, n_starts=10, progress=False).fit(data)
    rows = [("number is right", float(found.n_types_ == cell.types))]
    if cell.types == 1:
        return rows
    if found.n_types_ != cell.types:
        found = wf.Types(n_types=cell.types, population=False, n_starts=10, progress=False)
        found.fit(data)
    order = np.array([int(who) for who in found.result_.names])
    own = found.result_.membership
    belongs = np.array([own[member[order] == k].sum(axis=0) for k in range(cell.types)])
    _, which = linear_sum_assignment(-belongs)
    shares = {e.type: e for e in found.result_.estimates(LEVEL) if e.parameter == "share"}
    for k, true in enumerate(SHARES[cell.types]):
        one = shares[int(which[k])]
        held = one.low is not None and one.high is not None and one.low <= true <= one.high
        rows.append((f"share {k + 1}", float(held)))
    return rows


def _of_population(cell: Cell, rng: np.random.Generator, rivals: bool) -> list[tuple[str, float]]:
    mean, spread = np.array(MEANS[cell.people]), np.array(SPREADS[cell.people])
    both = np.diag(spread**2)
    both[0, -1] = both[-1, 0] = TOGETHER * spread[0] * spread[-1]
    x = rng.multivariate_normal(mean, both, PEOPLE)
    logs = np.column_stack([x[:, 1:-1], np.zeros(PEOPLE)])
    weights = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    rules = [wf.WelfareFunction(p, w) for p, w in zip(np.sinh(x[:, 0]), weights, strict=True)]
    data = decided(rules, np.exp(x[:, -1]), cell.people, rng)
    found = wf.Deciders(progress=False).fit(data)
    rows = []
    estimates = {e.parameter: e for e in found.population_.estimates(LEVEL)}
    for name, true in (("mean of asinh p", mean[0]), ("spread of asinh p", spread[0])):
        one = estimates[name]
        held = one.low is not None and one.high is not None and one.low <= true <= one.high
        rows.append((name, float(held)))
        if one.standard_error is not None:
            away = (one.estimate - true) / one.standard_error
            rows.append((f"errors of {name}", float(away)))
    order = np.array([int(who) for who in found.result_.names])
    truth = x[order, 0]
    own = np.asarray(found.individuals_["p"])
    rows.append(("error of shrunken", _error(np.arcsinh(own), truth)))
    low, high = (np.asarray(found.individuals_[f"p_{end}"]) for end in ("low", "high"))
    rows.append(
        ("own p covered", float(((low <= np.sinh(truth)) & (np.sinh(truth) <= high)).mean()))
    )
    if not rivals:
        return rows
    one = wf.ComparisonClassifier(progress=False).fit(data)
    rows.append(("error of one rule", _error(np.arcsinh(np.full(PEOPLE, one.p_)), truth)))
    types = wf.Types(max_types=4, population=False, n_starts=10, progress=False).fit(data)
    each = np.clip(np.arcsinh([kind.p for kind in types.types_]), -LARGEST, LARGEST)
    rows.append(("error of types", _error(types.result_.membership @ each, truth)))
    alone = [_alone(data, who) for who in order[:ALONE]]
    rows.append(("error of own fits", _error(np.arcsinh(alone), truth[:ALONE])))
    return rows


def _alone(data: Any, who: int) -> float:
    """The power of somebody's own maximum likelihood."""
    part = data[np.asarray(data.by) == who]
    return float(wf.ComparisonClassifier(small_sample="none", progress=False).fit(part).p_)


def _error(found: Any, truth: FloatArray) -> float:
    cut = np.clip(found, -LARGEST, LARGEST) - np.clip(truth, -LARGEST, LARGEST)
    return float(np.abs(cut).mean())


def finished() -> list[dict[str, str]]:
    """What has been found so far."""
    if not STORE.exists():
        return []
    with STORE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def keep(job: tuple[Cell, int, int], rows: Iterable[tuple[str, float]]) -> None:
    """Keep one finished data set."""
    cell, seed, number = job
    new = not STORE.exists()
    STORE.parent.mkdir(exist_ok=True)
    with STORE.open("a", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        if new:
            out.writerow(["cell", "seed", "data set", "what", "value"])
        out.writerows([cell.name, seed, number, name, repr(value)] for name, value in rows)


def _values(rows: list[dict[str, str]], cell: Cell | None, what: str) -> FloatArray:
    kept = [
        r for r in rows if r["what"].startswith(what) and (cell is None or r["cell"] == cell.name)
    ]
    return np.array([float(r["value"]) for r in kept])


def _line(name: str, what: str, values: FloatArray, low: float, high: float) -> str:
    share = values.mean()
    error = np.sqrt(max(share * (1 - share), 1e-9) / len(values))
    verdict = "holds" if low <= share <= high else "missed"
    band = f"{low:.0%} to {high:.0%}" if high < 1 else f"at least {low:.0%}"
    return f"| {name} | {what} | {share:.1%} | {error:.1%} | {len(values)} | {band} | {verdict} |"


def _finished(rows: list[dict[str, str]]) -> int:
    """How many data sets of every kind have been finished."""
    return min(len({r["data set"] for r in rows if r["cell"] == cell.name}) for cell in CELLS)


def page(rows: list[dict[str, str]], seed: int) -> str:
    """The page with all tables."""
    typed = [cell for cell in CELLS if cell.types]
    normal = [cell for cell in CELLS if not cell.types]
    header = ["| data | what | share | standard error | of | must be | |", "| --- " * 7 + "|"]
    lines = [_line(c.name, "number is right", _values(rows, c, "number"), 0.95, 1.0) for c in typed]
    shares = [c for c in typed if c.types > 1]
    lines += [_line("together", "share covered", _values(rows, None, "share"), 0.93, 0.97)]
    lines += [
        _line(c.name, f"{what} covered", _values(rows, c, what), 0.92, 0.98)
        for c in normal
        for what in ("mean of asinh p", "spread of asinh p")
    ]
    each = [f"| {c.name} | {_values(rows, c, 'share').mean():.1%} |" for c in shares]
    own = [f"| {c.name} | {_values(rows, c, 'own p').mean():.1%} |" for c in normal]
    names = ("shrunken", "one rule", "types", "own fits")
    errors = []
    beside = [r for r in rows if int(r["data set"]) < _finished(rows)]
    for c in normal:
        found = [_values(beside, c, f"error of {name}").mean() for name in names]
        verdict = "holds" if found[0] < min(found[1:]) else "missed"
        errors.append(f"| {c.name} | " + " | ".join(f"{x:.3f}" for x in found) + f" | {verdict} |")
    return "\n".join(
        [
            "# Are types and populations as sure as they say?",
            "",
            f"{PEOPLE} simulated people decide {GAMES} comparisons each, the same for everybody,",
            "of actions with utilities from 1 to 10. What must hold was written down before, and",
            "seeds were drawn after the code was final. `python -m benchmarks.crowds` says how,",
            f"and makes this page (seed {seed}; {_finished(rows)} data sets of each kind).",
            ON_THE_WAY,
            "Types were searched from 10 starts, not the default 20. The band of shares is for all",
            "four kinds together; single kinds, below, are outside of it where they are.",
            "The mean of asinh p for 3 stakeholders was looked at again on",
            "[300 data sets of each kind](calibration_populations.md), where all four intervals of",
            "populations hold.",
            "",
            *header,
            *lines,
            "",
            "Shares of single kinds of data, which are covered in:",
            "",
            "| data | share covered |",
            "| --- | --- |",
            *each,
            "",
            "## Everybody's own p",
            "",
            "Mean absolute error of asinh p, cut off at 4 either way, of people from a normal",
            f"population. Own fits are those of {ALONE} people in each data set.",
            "",
            "| data | shrunken | one rule | types | own fits | |",
            "| --- | --- | --- | --- | --- | --- |",
            *errors,
            "",
            "95% intervals of everybody's own p, which take the population as found, hold the",
            "truth in (nothing was asked of this beforehand):",
            "",
            "| data | own p covered |",
            "| --- | --- |",
            *own,
            "",
        ]
    )


def page_alone(rows: list[dict[str, str]], seed: int) -> str:
    """The page of populations alone."""
    normal = [cell for cell in CELLS if not cell.types]
    count = min(len({r["data set"] for r in rows if r["cell"] == cell.name}) for cell in normal)
    named = [(c, what) for c in normal for what in ("mean of asinh p", "spread of asinh p")]
    away = [(c.name, what, _values(rows, c, f"errors of {what}")) for c, what in named]
    return "\n".join(
        [
            "# Do intervals of a population hold what they promise?",
            "",
            f"As in [the study of types and populations](calibration_deciders.md), {PEOPLE} people",
            f"from a normal population of rules decide {GAMES} comparisons each. That study had",
            "100 data sets of each kind, too few to tell 89% from 95% well: this one runs",
            "populations only, and more of them. What must hold is the same, and was written down",
            "before.",
            "",
            "```text",
            f"python -m benchmarks.crowds --seed {seed} --data-sets {count} --populations-alone",
            "```",
            "",
            "| data | what | share | standard error | of | must be | |",
            "| --- " * 7 + "|",
            *(
                _line(c.name, f"{what} covered", _values(rows, c, what), 0.92, 0.98)
                for c, what in named
            ),
            "",
            "How far estimates are off, in standard errors: 0 and 1 if intervals are right.",
            "",
            "| data | what | mean | root mean square |",
            "| --- | --- | --- | --- |",
            *(
                f"| {name} | {what} | {z.mean():+.2f} | {np.sqrt(np.mean(z**2)):.2f} |"
                for name, what, z in away
            ),
            "",
            "95% intervals of everybody's own p, which take the population as found, hold the",
            "truth in (nothing was asked of this beforehand):",
            "",
            "| data | own p covered |",
            "| --- | --- |",
            *(f"| {c.name} | {_values(rows, c, 'own p').mean():.1%} |" for c in normal),
            "",
        ]
    )


def main() -> None:
    """Run what is missing, and write the page."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seed", type=int, required=True)
    asked.add_argument("--data-sets", type=int, default=100)
    asked.add_argument("--jobs", type=int, default=1)
    asked.add_argument("--populations-alone", action="store_true", help="no types and no rivals")
    given = asked.parse_args()
    known = {(r["cell"], r["seed"], r["data set"]) for r in finished()}
    jobs = [
        (cell, given.seed, number)
        for number in range(given.data_sets)
        for cell in CELLS
        if (cell.name, str(given.seed), str(number)) not in known
        if not (given.populations_alone and cell.types)
    ]
    outcomes = run_jobs(run, not given.populations_alone, jobs, given.jobs, option="--jobs")
    for job, rows in zip(jobs, Progress().track(outcomes, len(jobs), "Data sets"), strict=True):
        keep(job, rows)
    told = [r for r in finished() if r["seed"] == str(given.seed)]
    path, written = (ALONE_PAGE, page_alone) if given.populations_alone else (PAGE, page)
    path.write_text(written(told, given.seed), encoding="utf-8")
    print(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
