"""Rules learned from stakeholders' answers: what intervals hold, and what is foreseen.

Worlds: 18 people in 4 groups, 300 actions with 8 features. Coefficients are normal over people,
with means of standard deviation 0.2 and 0.2 about them; log utilities follow from features, less
their mean. Everybody answers 50, 100 or 400 questions about two actions, by a logit. A decider
compares 2,000 random pairs with p = -3, -1 or 2 and tau = 10; weights are Dirichlet(4) over the
groups, shared evenly within, or over the 18 people.

Criteria, written before any figure was looked at, with intervals of 95%:

* groups: p (likelihood ratio), weights and tau (standard errors) are held in at least 90%;
* 18 free weights are held in at least 85% of 50 answers and 92% of 400;
* on 2,000 new pairs of the same actions the rule foresees more with what the decisions said of the
  actions, and with hierarchical utilities alone, than one of which each person's likeliest
  coefficients are plugged in.

Beside these the two-step errors of a fit to the best guess. One data set a cell in turn.

Run ``python -m benchmarks.answers --seed S --minutes 15``; a second run with the same seed goes on
from the file, and ``--show`` prints the table.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.estimated import records
from welfarist import (
    ComparisonClassifier,
    Comparisons,
    InputError,
    StakeholderUtilities,
    WelfareFunction,
)

ROOT = Path(__file__).parents[1] / "build" / "answers"
PEOPLE, GROUPS, ACTIONS, FEATURES, DECISIONS, TAU, SPREAD = 18, 4, 300, 8, 2000, 10.0, 0.2
CELLS = [
    (kind, answers, p)
    for answers in (50, 100, 400)
    for p in (-3.0, -1.0, 2.0)
    for kind in ("groups", "free")
]
NAMES = [f"person {i:02d}" for i in range(PEOPLE)]
MEMBERS = {name: f"group {i % GROUPS}" for i, name in enumerate(NAMES)}


def made(cell: tuple[str, int, float], seed: tuple[int, ...]) -> dict[str, Any]:
    """A world: features, answers, decisions, weights, and new pairs with the better of each."""
    kind, answers, p = cell
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(ACTIONS, FEATURES))
    coefficients = rng.normal(0, SPREAD, FEATURES) + rng.normal(0, SPREAD, (PEOPLE, FEATURES))
    logs = table @ coefficients.T
    logs -= logs.mean(axis=0)
    group = np.arange(PEOPLE) % GROUPS
    shared = rng.dirichlet(np.full(GROUPS, 4.0)) / np.bincount(group)
    weights = shared[group] if kind == "groups" else rng.dirichlet(np.full(PEOPLE, 4.0))
    welfare = np.log(np.exp(p * logs) @ weights) / p
    actions = np.array([f"action {i:03d}" for i in range(ACTIONS)])
    who, first, second, chosen = [], [], [], []
    for i, name in enumerate(NAMES):
        pairs = drawn_pairs(answers, rng)
        gap = logs[pairs[:, 0], i] - logs[pairs[:, 1], i]
        likes = rng.random(answers) < 1.0 / (1.0 + np.exp(-gap))
        who += [name] * answers
        first += actions[pairs[:, 0]].tolist()
        second += actions[pairs[:, 1]].tolist()
        chosen += np.where(likes, "first", "second").tolist()
    pairs, new = drawn_pairs(DECISIONS, rng), drawn_pairs(DECISIONS, rng)
    gap = TAU * (welfare[pairs[:, 0]] - welfare[pairs[:, 1]])
    return {
        "features": {"action": actions, **{f"x{j}": column for j, column in enumerate(table.T)}},
        "answers": {"stakeholder": who, "first": first, "second": second, "choice": chosen},
        "pairs": pairs,
        "outcomes": np.where(rng.random(DECISIONS) < 1.0 / (1.0 + np.exp(-gap)), 1, -1),
        "weights": weights,
        "new": new,
        "better": welfare[new[:, 0]] > welfare[new[:, 1]],
    }


def drawn_pairs(size: int, rng: np.random.Generator) -> Any:
    """Pairs of different actions (n, 2)."""
    first = rng.integers(0, ACTIONS, size)
    return np.column_stack([first, (first + rng.integers(1, ACTIONS, size)) % ACTIONS])


def learner(kind: str) -> ComparisonClassifier:
    """The learner of a cell."""
    return ComparisonClassifier(groups=MEMBERS if kind == "groups" else None)


def foreseen(fit: Any, utilities: Any, world: dict[str, Any]) -> float:
    """The share of new pairs of which the better action is foreseen."""
    return right(WelfareFunction(fit.p_, fit.weights_).log(utilities), world)


def expected(fit: Any) -> Any:
    """Log welfare of the actions as it is expected, given what was decided about them."""
    likelihood = fit.result_.statistics.likelihood
    found = likelihood.loss.evaluate(likelihood.point)
    return found.judged.values + found.integrated.effects


def right(welfare: Any, world: dict[str, Any]) -> float:
    """The share of new pairs of which the better action has more welfare."""
    first, second = world["new"].T
    return float(((welfare[first] > welfare[second]) == world["better"]).mean())


def judged(cell: tuple[str, int, float], world: dict[str, Any]) -> dict[str, Any]:
    """What is learned from a world."""
    kind, _, p = cell
    began = time.process_time()
    model = StakeholderUtilities().fit(world["features"], world["answers"])
    asked = time.process_time()
    people = model.people_
    fit = learner(kind).fit(Comparisons(people, world["pairs"], world["outcomes"]))
    decided = time.process_time()
    found: dict[str, Any] = {
        "p": fit.p_,
        "tau": fit.tau_,
        "seconds": [asked - began, decided - asked],
        "foreseen": foreseen(fit, people.utilities, world),
        "with decisions": right(expected(fit), world),
    }
    alone = StakeholderUtilities(pooling="none").fit(world["features"], world["answers"]).people_
    plain = type(people)(alone.estimates, log_se=0.0, stakeholders=alone.stakeholders)
    plugged = learner(kind).fit(Comparisons(plain, world["pairs"], world["outcomes"]))
    found["plugged"] = {"p": plugged.p_, "foreseen": foreseen(plugged, alone.estimates, world)}
    try:
        result = fit.result_
        errors = np.asarray(result.bse)
        found["held"] = bool(result.test(p=p).p_value > 0.05)
        found["weights"] = inside(fit.weights_, world["weights"], errors[1:-1])
        found["tau held"] = bool(abs(np.log(fit.tau_ / TAU)) <= 1.96 * errors[-1] / fit.tau_)
    except InputError as refused:
        found["refused"] = str(refused)[:200]
    try:
        two = fit.result_.second_opinion("two-step")
        assert two.errors is not None
        found["two-step"] = {
            "p": float(two.estimates[0]),
            "held": bool(abs(two.estimates[0] - p) <= 1.96 * two.errors[0]),
            "weights": inside(two.estimates[1:-1], world["weights"], two.errors[1:-1]),
        }
    except InputError as refused:
        found["two-step refused"] = str(refused)[:200]
    return found


def inside(estimates: Any, truth: Any, errors: Any) -> float:
    """The share of intervals of standard errors that hold the truth; groups hold it for all."""
    return float((np.abs(np.asarray(estimates) - truth) <= 1.96 * np.asarray(errors)).mean())


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
                row = {"cell": cell, "number": number, "found": judged(cell, world)}
                file.write(json.dumps(row) + "\n")
                file.flush()
            number += 1


def mean_of(rows: list[dict[str, Any]], name: str) -> float:
    """The mean of what rows have of a name."""
    known = [row[name] for row in rows if name in row]
    return float(np.mean(known)) if known else float("nan")


def table(path: Path) -> str:
    """The figures as a Markdown table."""
    rows = records(path)
    lines = [
        "| weights | answers | p* | sets | refused | p | p held | weights | tau | tau held |"
        " two-step p, held, weights | foreseen, alone, plugged in | seconds |",
        "| --- " * 13 + "|",
    ]
    for cell in CELLS:
        own = [row["found"] for row in rows if tuple(row["cell"]) == cell]
        if not own:
            continue
        two = [row["two-step"] for row in own if "two-step" in row]
        plugged = [row["plugged"] for row in own]
        seconds = np.median([row["seconds"] for row in own], axis=0)
        middle = f"{np.median([r['p'] for r in two]):.2f}" if two else "-"
        lines.append(
            f"| {cell[0]} | {cell[1]} | {cell[2]:g} | {len(own)} | "
            f"{sum('refused' in row for row in own)} | "
            f"{np.median([row['p'] for row in own]):.2f} | {mean_of(own, 'held'):.2f} | "
            f"{mean_of(own, 'weights'):.2f} | {np.median([row['tau'] for row in own]):.1f} | "
            f"{mean_of(own, 'tau held'):.2f} | {middle}, {mean_of(two, 'held'):.2f}, "
            f"{mean_of(two, 'weights'):.2f} | {mean_of(own, 'with decisions'):.3f}, "
            f"{mean_of(own, 'foreseen'):.3f}, "
            f"{mean_of(plugged, 'foreseen'):.3f} | {seconds[0]:.1f}, {seconds[1]:.1f} |"
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
    print(table(path))


if __name__ == "__main__":
    main()
