"""How often a proof over all weights and powers closes, and whether what it proves holds.

Run with `python -m benchmarks.proofs FILE --seed SEED [--problems 50]`. A line is added to the
file for each problem; the same command goes on where the file ends.

Problems, settled before any figure was seen: scores and comparisons in turn; 2, 3 and 4 people in
turn; 50 to 500 decisions, even in the logarithm; p even in [-6, 6]; weights Dirichlet with
concentration 0.3, 1 or 10; scores with noise 0.02, 0.05, 0.1 or 0.2 of an action's range (see
`benchmarks.problems`); comparisons of a fifth to half as many actions, at least 10, with tau from 2
to 50, even in the logarithm. The likelihood is the plain one (`small_sample="none"`).

What must hold:

* the gap is at most 1e-4 of the loss (of 1e-6 where the loss is less; a loss of 0 but for rounding
  is proven by itself), after at most 60 seconds of processor time, in every problem;
* none of 1,000 local searches from random rules reaches a loss below the bound; or, where the gap
  is closed, one below the fit's by more than the gap.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import welfarist as wf
from benchmarks import problems
from welfarist.losses import DecisionLoss, Point
from welfarist.proofs.rules.search import NEARLY_PERFECT
from welfarist.solvers.descent import descend

GAP, SECONDS = 1e-4, 60.0
STARTS, STEPS = 1000, 60
# Two losses are the same within this share.
ROUNDING = 1e-9


def problem(seed: int, number: int) -> tuple[str, Any]:
    """What one of the problems is, and its fit."""
    rng = np.random.default_rng([seed, number])
    people = 2 + (number // 2) % 3
    count = int(np.exp(rng.uniform(np.log(50), np.log(500))))
    p = float(rng.uniform(-6, 6))
    sparse = float(rng.choice([0.3, 1.0, 10.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        if number % 2 == 0:
            noise = float(rng.choice([0.02, 0.05, 0.1, 0.2]))
            scored = problems.scores([seed, number, 1], count, people, p, noise, sparse)
            fit: Any = wf.WelfareRegressor().fit(scored.utilities, scored.scores)
            return f"scores, {people} people, {count} decisions, noise {noise:g}", fit
        tau = float(np.exp(rng.uniform(np.log(2), np.log(50))))
        actions = max(10, int(count * rng.uniform(0.2, 0.5)))
        chosen = problems.comparisons([seed, number, 1], actions, people, count, p, tau, sparse)
        fit = wf.ComparisonClassifier(small_sample="none").fit(chosen.comparisons())
    return f"comparisons, {people} people, {count} decisions, tau {tau:.1f}", fit


def random_start(loss: DecisionLoss, rng: np.random.Generator) -> Point:
    """A rule at random: weights from even to one person's, powers of all sizes."""
    people = loss.weighting.people
    weights = rng.dirichlet(np.full(people, rng.choice([0.2, 1.0, 5.0])))
    p = float(np.sinh(rng.uniform(-4, 4)))
    return Point(weights, p, loss.starting_extras(weights, p))


def least_of_starts(loss: DecisionLoss, rng: np.random.Generator, starts: int) -> float:
    """The lowest mean loss that local searches from random rules reach."""
    found = (
        descend(loss, random_start(loss, rng), max_iter=STEPS, tolerance=1e-8).value
        for _ in range(starts)
    )
    return min(found) * loss.observed.unit


def study(seed: int, number: int, starts: int) -> dict[str, Any]:
    """Fit, prove, and try to beat it."""
    what, fit = problem(seed, number)
    result = fit.result_
    begun = process_time()
    proof = result.prove(seconds=SECONDS, gap=GAP, progress=False)
    spent = process_time() - begun
    loss = result.likelihood.loss
    smallest = NEARLY_PERFECT * loss.observed.unit
    perfect = proof.method == "no loss is below 0"
    share = 0.0 if perfect else proof.gap / max(proof.loss, smallest)
    tried = least_of_starts(loss, np.random.default_rng([seed, number, 2]), starts)
    wanted = 0.0 if share > GAP else GAP * max(proof.loss, smallest)
    return {
        "problem": what,
        "loss": proof.loss,
        "bound": proof.lower_bound,
        "gap": share,
        "seconds": spent,
        "tried": float(tried),
        "starts": starts,
        "method": proof.method,
        "closed": bool(share <= GAP),
        "held": bool(tried >= proof.lower_bound * (1 - ROUNDING))
        and (share > GAP or tried >= proof.loss - wanted - ROUNDING * proof.loss),
    }


def told(lines: list[dict[str, Any]]) -> str:
    """Sum up what was found, by kind of decisions and people."""
    rows = [f"| problems | {'gap closed'} | seconds (median, most) | widest gap | beaten |"]
    rows.append("| --- | ---: | ---: | ---: | ---: |")
    for kind in ("scores", "comparisons"):
        for people in (2, 3, 4):
            part = [x for x in lines if x["problem"].startswith(f"{kind}, {people}")]
            if not part:
                continue
            spent = [x["seconds"] for x in part]
            rows.append(
                f"| {kind}, {people} people: {len(part)} | {sum(x['closed'] for x in part)} "
                f"| {np.median(spent):.1f}, {max(spent):.1f} | {max(x['gap'] for x in part):.1e} "
                f"| {sum(not x['held'] for x in part)} |"
            )
    return "\n".join(rows)


def main() -> None:
    """Work through the problems that the file does not have yet, and sum up."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("file", type=Path)
    asked.add_argument("--seed", type=int, required=True)
    asked.add_argument("--problems", type=int, default=50)
    asked.add_argument("--starts", type=int, default=STARTS)
    given = asked.parse_args()
    known = given.file.read_text().splitlines() if given.file.exists() else []
    with given.file.open("a") as out:
        for number in range(len(known), given.problems):
            line = json.dumps(study(given.seed, number, given.starts))
            known.append(line)
            print(line, file=out, flush=True)
    print(told([json.loads(line) for line in known]))


if __name__ == "__main__":
    main()
