"""What questions are worth, and whether what is said after them is true.

    python -m benchmarks.asking --jobs 2 --seed 20
    python -m benchmarks.asking coverage stopping --jobs 2     # some parts only
    python -m benchmarks.asking page                           # from what has been found so far

Parts: `tables` (accuracy after adaptive, designed and random questions), `coverage` (of 95%
intervals where truths come from the prior), `stopping` (is the best action the best as often as is
said), `speed` (CPU time from an answer to the next question, and memory), `ties` (an indifference
band beside half and half). What must hold stands in `benchmarks/asking_page.py`, and on the page
above what was found.

Finished cells are kept in ``build/asking.csv``; the page is ``docs/asking_figures.md``.
"""

from __future__ import annotations

import argparse
import csv
import io
import time
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import welfarist as wf
from benchmarks.asking_page import (
    BANDS,
    COVERED,
    PLACES,
    PLANNED,
    SETTINGS,
    STOPPED,
    SURE,
    WORTH,
    Found,
    page,
)
from welfarist.asking.choosing import best_chances
from welfarist.asking.evidence import Evidence
from welfarist.asking.history import History
from welfarist.asking.simulated import Decider, Setting
from welfarist.asking.welfares import Outcomes
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress

FloatArray = npt.NDArray[np.float64]
Rows = list[tuple[str, float]]
# A number that tells decision makers of a cell from others, and what is done with a seed.
Cell = tuple[int, Callable[[list[int]], Rows]]
# A part, a kind of cell in it, the seed of the study, and the number of the decision maker.
Job = tuple[str, str, int, int]
SEED = 20
STORE, PAGE = Path("build/asking.csv"), Path("docs/asking_figures.md")
LOW, HIGH, NEW_PAIRS = 1.0, 100.0, 1000
# New pairs where intervals are looked at, and not what is foreseen.
FEW_PAIRS = 10
# After how many questions it is looked at.
COUNTS = {"adaptive": [10, 20], "designed": [10, 20]}
# Random questions: so many, and as many as something is asked of, or this many where nothing is.
RANDOM, OTHERWISE = 20, 100
# Where the best of so many actions is looked for, and the most questions for it.
ACTIONS, MOST = 100, 40
# The spread of log tau of whoever knows it.
KNOWN = 0.02
# Answers that are timed, those that are undone, and those after which memory is looked at.
ANSWERS, UNDONE, EARLY, LATE = 40, 20, 20, 200
# So many decision makers of a study are one interview whose time is measured.
PER_INTERVIEW = 50
# What is run last; times are first, and all else is between them at the same pace.
LAST = ("ties", "memory")
MEASURES = ("accuracy", "power_error", "power_covered", "weights_covered")


class Kolm:
    """A rule of another family: averse to absolute differences."""

    def __init__(self, rng: np.random.Generator, people: int) -> None:
        self.weights = rng.dirichlet(np.ones(people))
        self.scale = float(rng.uniform(10.0, 60.0))

    def log(self, utilities: FloatArray) -> FloatArray:
        """Log of what everybody would need to have the same of."""
        least = utilities.min(axis=-1, keepdims=True)
        inside = np.exp(-(utilities - least) / self.scale) @ self.weights
        return np.asarray(np.log(least[..., 0] - self.scale * np.log(inside)))


def asked(
    setting: Setting, people: int, way: str, counts: list[int], pairs: int, seed: list[int]
) -> Rows:
    """One decision maker, asked in one way, and judged on so many new pairs."""
    found = setting.asked(people, way, counts, seed, pairs)
    return [
        (f"{count} {name}", float(getattr(seen, name)))
        for count, seen in zip(counts, found, strict=True)
        for name in MEASURES
    ]


def stopped(tau: float | None, people: int, seed: list[int]) -> Rows:
    """When the best action is said to be known, how likely that is said to be, and whether it is.

    Everything is drawn from the prior, tau as well where none is given. Where one is, whoever knew
    it from the start could say how likely it really is: the mean of that is the share of those who
    are right, with a fraction of the noise.

    The questions do not depend on how sure one wants to be: one interview tells of all.
    """
    rng = np.random.default_rng(seed)
    drawn = Setting(ACTIONS, 20.0, 0.0, "prior", wf.Prior()).decider(people, rng)
    decider = drawn if tau is None else replace(drawn, tau=tau)
    table = rng.uniform(LOW, HIGH, (ACTIONS, people))
    best = int(np.argmax(decider.rule.log(table)))
    interview = wf.Interview(table, aim="best", random_state=int(rng.integers(2**31)))
    knowing = None if tau is None else Knowing(tau, people, seed[-1])
    rows: Rows = []
    left = sorted(SURE)
    while True:
        row, chance = interview.recommended
        while left and chance >= left[0]:
            sure = left.pop(0)
            rows += [(f"{sure:g} said", chance), (f"{sure:g} best", float(row == best))]
            rows += [(f"{sure:g} questions", float(len(interview.answers)))]
            if knowing is not None:
                rows += [(f"{sure:g} really", float(knowing.best(table)[row]))]
        if not left or len(interview.answers) >= MOST or interview.question is None:
            return rows or [("never sure", 1.0)]
        one, other = table[list(interview.next())]
        said = decider.answer(one, other, rng)
        interview.answer(said)
        if knowing is not None:
            knowing.hear(one, other, said)


class Knowing:
    """Somebody who knows tau, and hears the answers."""

    def __init__(self, tau: float, people: int, seed: int) -> None:
        prior = wf.Prior(tau=tau, tau_spread=KNOWN)
        self.history = History(prior, people, ties=True, size=1000, seed=seed)

    def hear(self, one: FloatArray, other: FloatArray, said: str) -> None:
        """Take an answer in."""
        sign = np.array([float((said == "first") - (said == "second"))])
        outcomes, first, second = Outcomes(np.array([one, other])), np.array([0]), np.array([1])
        self.history.add(Evidence(outcomes, first, second, sign, np.ones(1)))

    def best(self, table: FloatArray) -> FloatArray:
        """How likely each action (N, d) is the best."""
        state = self.history.state
        rules = state.target.line.rules(state.cloud.theta)
        return best_chances(rules, state.cloud.shares, table)


def timed(people: int, actions: int, aim: Any, seed: list[int]) -> Rows:
    """CPU time in ms from an answer, and from taking one back, until what follows is known.

    That is the next question; or the one that is put again, and what was believed before it.
    """
    rng = np.random.default_rng(seed)
    decider, table = _drawn(rng, people, actions)
    interview = wf.Interview(table, aim=aim, random_state=int(rng.integers(2**31)), most=ANSWERS)
    rows: Rows = []
    for _ in range(ANSWERS):
        one, other = table[list(interview.next())]
        said = decider.answer(one, other, rng)
        start = time.process_time()
        interview.answer(said)
        interview.next()
        rows.append(("answer", 1000.0 * (time.process_time() - start)))
    for count in range(UNDONE):
        start = time.process_time()
        interview.undo()
        _ = interview.recommended, interview.next()
        what = "undo" if count < UNDONE // 2 else "undo again"
        rows.append((what, 1000.0 * (time.process_time() - start)))
    return rows


def held(people: int, actions: int, seed: list[int]) -> Rows:
    """Traced peak of memory in MB over the ten answers up to an early and a late one."""
    rng = np.random.default_rng(seed)
    decider, table = _drawn(rng, people, actions)
    tracemalloc.start()
    try:
        interview = wf.Interview(table, random_state=int(rng.integers(2**31)), most=LATE)
        rows: Rows = []
        for count in range(1, LATE + 1):
            if count in (EARLY - 9, LATE - 9):
                tracemalloc.reset_peak()
            one, other = table[list(interview.next())]
            interview.answer(decider.answer(one, other, rng))
            interview.next()
            if count in (EARLY, LATE):
                rows.append((f"peak after {count}", tracemalloc.get_traced_memory()[1] / 1e6))
        return rows
    finally:
        tracemalloc.stop()


def tied(band: float, seed: list[int]) -> Rows:
    """Accuracy of what is learned from the same answers, ties taken in three ways."""
    rng = np.random.default_rng(seed)
    decider, table = _drawn(rng, 4)
    interview = wf.Interview(table, random_state=int(rng.integers(2**31)), most=20)
    for _ in range(20):
        one, other = decider.rule.log(table[list(interview.next())])
        seen = one - other + rng.logistic() / decider.tau
        said = "equal" if abs(seen) < band else "first" if seen > 0 else "second"
        interview.answer(said)  # type: ignore[arg-type]
    decided = interview.decisions
    rows = [("ties", float(np.mean(decided.outcomes == 0)))]
    fresh = rng.uniform(LOW, HIGH, (NEW_PAIRS, 2, 4))
    for way in ("band", "half", "left out"):
        used = decided if way != "left out" else decided[decided.outcomes != 0]
        how: Any = "half" if way == "half" else "band"
        belief = wf.Posterior(used, random_state=seed[0], particles=1000, ties=how)
        rows.append((way, _accuracy(belief, decider.rule, fresh)))
    return rows


def _drawn(rng: np.random.Generator, people: int, actions: int = 200) -> tuple[Decider, FloatArray]:
    """Somebody who errs and at times lapses, and a table of actions."""
    decider = Setting(actions, 20.0, 0.05, "spread", wf.Prior()).decider(people, rng)
    return decider, rng.uniform(LOW, HIGH, (actions, people))


def _accuracy(belief: wf.Posterior, rule: wf.WelfareFunction, fresh: FloatArray) -> float:
    """Share of new pairs (n, 2, d) on which what is expected agrees with the truth."""
    first = np.asarray(rule.log(fresh[:, 0])) > np.asarray(rule.log(fresh[:, 1]))
    pairs = wf.Comparisons.from_arrays(fresh[:, 0], fresh[:, 1], first)
    return float(np.mean((belief.predict_proba(pairs)[:, 1] > 0.5) == first))


def _cells() -> dict[str, dict[str, Cell]]:
    """What is run, by part and cell."""
    prior = wf.Prior()
    tables: dict[str, Cell] = {}
    for name, (people, tau, rho) in SETTINGS.items():
        truth: Any = Kolm if name.startswith("another") else "spread"
        setting = Setting(200, tau, rho, truth, prior)
        looked_at = {**COUNTS, "random": sorted({RANDOM, WORTH.get(name, OTHERWISE)})}
        for way, counts in looked_at.items():
            tables[f"{name}, {way}"] = (
                people,
                partial(asked, setting, people, way, counts, NEW_PAIRS),
            )
    drawn = Setting(200, 20.0, 0.0, "prior", prior)
    coverage: dict[str, Cell] = {
        f"{people} people, adaptive": (
            people,
            partial(asked, drawn, people, "adaptive", [20], FEW_PAIRS),
        )
        for people in COVERED
    }
    stopping: dict[str, Cell] = {
        name: (people, partial(stopped, tau, people)) for name, (people, tau) in STOPPED.items()
    }
    speed: dict[str, Cell] = {}
    for name, (people, actions) in PLACES.items():
        speed[name] = (people, partial(timed, people, actions, None))
        speed[f"{name}, aim"] = (people, partial(timed, people, actions, "best"))
        speed[f"{name}, memory"] = (people, partial(held, people, actions))
    ties: dict[str, Cell] = {name: (4, partial(tied, band)) for name, band in BANDS.items()}
    return {"tables": tables, "coverage": coverage, "stopping": stopping, "speed": speed,
            "ties": ties}  # fmt: skip


PARTS = _cells()


def run(_: None, job: Job) -> Rows:
    """One cell of a part, for one decision maker."""
    part, cell, seed, number = job
    told_apart, work = PARTS[part][cell]
    return work([seed, told_apart, number])


def jobs_of(parts: Iterable[str], deciders: int | None, seed: int) -> list[Job]:
    """All that is to be run, in turns of parts; those of one turn go on at the same pace.

    A run that is ended early has seen the same share of the decision makers of each of their cells.
    """
    paced: list[tuple[int, float, Job]] = []
    for part in parts:
        count = deciders or PLANNED[part]
        paced += [
            (_turn(part, cell), (number + 1) / count, (part, cell, seed, number))
            for number in range(count)
            for cell in PARTS[part]
            if part != "speed" or number < _interviews(cell, count)
        ]
    return [job for *_, job in sorted(paced, key=lambda one: one[:2])]


def _turn(part: str, cell: str) -> int:
    if part in LAST or cell.endswith(LAST):
        return 2
    return 0 if part == "speed" else 1


def _interviews(cell: str, deciders: int) -> int:
    return 1 if cell.endswith("memory") else max(1, deciders // PER_INTERVIEW)


def finished() -> list[dict[str, str]]:
    """What has been found so far."""
    if not STORE.exists():
        return []
    with STORE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def keep(job: Job, rows: Rows) -> None:
    """Keep one finished cell, in one go: other runs may write to the same file."""
    STORE.parent.mkdir(exist_ok=True)
    text = io.StringIO()
    out = csv.writer(text)
    out.writerows([*job, what, repr(value)] for what, value in rows)
    try:
        with STORE.open("x", encoding="utf-8", newline="") as file:
            file.write("part,cell,seed,number,what,value\r\n")
    except FileExistsError:
        pass
    with STORE.open("ab", buffering=0) as file:
        file.write(text.getvalue().encode())


def main() -> None:
    """Run what is missing, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, "page", []])
    parser.add_argument("--deciders", type=int, help="in place of how many are planned")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--without", nargs="*", default=[], help="cells left out, by part of name")
    parser.add_argument(
        "--share", type=int, nargs=2, default=(0, 1), metavar=("I", "OF"),
        help="every OF-th decision maker, from I on, where several runs share one store",
    )  # fmt: skip
    given = parser.parse_args()
    first, shares = given.share
    parts = [part for part in given.parts or PARTS if part != "page"]
    known = {(r["part"], r["cell"], r["seed"], r["number"]) for r in finished()}
    jobs = [
        job for job in jobs_of(parts, given.deciders, given.seed)
        if (job[0], job[1], str(job[2]), str(job[3])) not in known
        and not any(part in job[1] for part in given.without)
    ]  # fmt: skip
    jobs = [job for job in jobs if job[3] % shares == first]
    outcomes = run_jobs(run, None, jobs, given.jobs, option="--jobs")
    for job, rows in zip(jobs, Progress().track(outcomes, len(jobs), "asking"), strict=True):
        keep(job, rows)
    told = Found([row for row in finished() if row["seed"] == str(given.seed)])
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    PAGE.write_text(page(told, given.seed, before), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
