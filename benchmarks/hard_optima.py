"""Is the optimum the best where optima are many? Ours beside the best of 20 L-BFGS starts.

Run with `python -m benchmarks.hard_optima --seed SEED [--problems 300] [--effort auto]`. What is
finished is kept in `build/hard_optima/`, and a run that was stopped goes on from there.

What is asked, written before a figure was looked at:

* Problems: half of them with at least 20 actions a person (2 to 30 people, up to 4,000 actions),
  half hard, with fewer than 20 actions a person: 60 to 200 actions, up to 30 people, much noise
  (scores: 2 to 20% of an action's range; comparisons: tau from 0.5 to 50). Scores and comparisons
  in turn; of six, three learn all weights, one learns the weights of groups, one knows the weights,
  and in one they are equal.
* Rival: L-BFGS over softmax weights, asinh(p) and log tau, exact gradients, 20 pairs in memory,
  from 20 starts: equal weights at five powers, then random weights and powers. Its |p| may go up
  to 100.
* "Above": our loss exceeds the best of the 20 by more than 1e-8 of it (`HIGHER`), and by more than
  1e-12 where the mean loss of comparisons is nothing (`FLOOR`).
* It holds if ours is above in none of the problems with at least 20 actions a person, and in at
  most 1% of the hard ones; and if no fit takes more than 2 s of CPU.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

import welfarist as wf
from benchmarks import problems, rivals

Array = rivals.Array

STARTS = 20
HIGHER, FLOOR = 1e-8, 1e-12
FEW_ACTIONS = 20  # per person; with fewer a problem is hard
MOST_SECONDS, MOST_ABOVE = 2.0, 0.01
WEIGHTS = ("learned", "learned", "learned", "grouped", "known", "equal")
_FARTHEST = 100.0  # |p| of the rival, as of our search
_FOLDER = Path("build/hard_optima")


@dataclass(frozen=True)
class HardProblem:
    """Decisions, and what is known of the weights.

    `shares` (k, d) turns free weights into those of people; k is 0 where they are given, as
    `fixed` (d,).
    """

    seed: tuple[int, int]
    hard: bool
    weights: str
    drawn: problems.ScoreProblem | problems.ComparisonProblem
    groups: list[int] | None
    shares: Array
    fixed: Array | None

    @property
    def kind(self) -> str:
        """Scores or comparisons."""
        return "scores" if isinstance(self.drawn, problems.ScoreProblem) else "comparisons"


def problem(seed: int, number: int) -> HardProblem:
    """One of the problems of a study."""
    rng = np.random.default_rng([seed, number, 5])
    hard, scored = number % 2 == 0, number // 2 % 2 == 0
    weights = WEIGHTS[number // 4 % len(WEIGHTS)]
    if hard:
        actions = int(rng.integers(60, 201))
        people = int(rng.integers(actions // FEW_ACTIONS + 1, 31))
    else:
        people = int(rng.integers(2, 31))
        actions = int(np.exp(rng.uniform(np.log(FEW_ACTIONS * people), np.log(4000))))
    p = float(rng.uniform(-6, 6))
    sparse = float(rng.choice([0.1, 0.3, 1, 10]))
    drawn: problems.ScoreProblem | problems.ComparisonProblem
    if scored:
        noise = float(rng.choice([0.02, 0.05, 0.1, 0.2] if hard else [0.001, 0.02, 0.05, 0.1, 0.2]))
        drawn = problems.scores([seed, number, 6], actions, people, p, noise, sparse)
    else:
        tau = float(np.exp(rng.uniform(np.log(0.5), np.log(50))))
        count = min(20_000, actions * int(rng.integers(2, 11)))
        drawn = problems.comparisons([seed, number, 6], actions, people, count, p, tau, sparse)
    groups: list[int] | None = None
    shares, fixed = np.eye(people), None
    if weights == "grouped":
        size = int(rng.integers(2, max(3, people // 2 + 1)))
        labels = np.concatenate([np.arange(size), rng.integers(0, size, max(people - size, 0))])
        labels = np.unique(labels[:people], return_inverse=True)[1]
        members = (labels == np.arange(labels.max() + 1)[:, None]).astype(float)
        shares = members / members.sum(axis=1, keepdims=True)
        groups = labels.tolist()
    elif weights != "learned":
        shares = np.empty((0, people))
        fixed = drawn.weights if weights == "known" else np.full(people, 1.0 / people)
    return HardProblem((seed, number), hard, weights, drawn, groups, shares, fixed)


def best_of_lbfgs(asked: HardProblem) -> float:
    """Lowest loss of 20 starts that differ in power and weights."""
    drawn = asked.drawn
    if isinstance(drawn, problems.ScoreProblem):
        objective = rivals.score_objective(drawn.utilities, drawn.scores)
    else:
        objective = rivals.comparison_objective(drawn.utilities, drawn.pairs, drawn.outcomes)
    rng = np.random.default_rng([*asked.seed, 9])
    k = len(asked.shares)
    losses = []
    for start in range(STARTS):
        weights = np.full(k, 1 / max(k, 1))
        if start >= 5 and k:
            weights = rng.dirichlet(np.ones(k))
        p = (-4.0, -1.0, 0.5, 2.0, 5.0)[start] if start < 5 else rng.uniform(-8, 8)
        losses.append(lbfgs(asked, objective, weights, p))
    return min(losses)


def lbfgs(asked: HardProblem, objective: rivals.Objective, weights: Array, p: float) -> float:
    """The loss that one start reaches, over softmax weights, asinh p and log tau."""
    k = len(weights)

    def function(x: Array) -> tuple[float, Array]:
        free = np.exp(x[:k] - x[:k].max(initial=-np.inf))
        free /= free.sum() if k else 1.0
        w = free @ asked.shares if asked.fixed is None else asked.fixed
        value, by_w, by_p, by_tau = objective(w, float(np.sinh(x[k])), x[k + 1])
        by_free = asked.shares @ by_w
        by_logit = free * (by_free - free @ by_free)
        return value, np.concatenate([by_logit, [by_p * np.cosh(x[k]), by_tau]])

    edge = float(np.arcsinh(_FARTHEST))
    bounds = [(-60.0, 60.0)] * k + [(-edge, edge), (-15.0, 15.0)]
    start = np.concatenate([np.log(np.maximum(weights, 1e-6)), [np.arcsinh(p), np.log(3.0)]])
    options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 20}
    with np.errstate(all="ignore"):
        found = minimize(
            function, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
        )
    return float(found.fun)


def our_fit(asked: HardProblem, **options: Any) -> tuple[Any, float]:
    """The default fit, of the likelihood alone as that of the others is; and its CPU seconds."""
    weights = {"learned": "learn", "grouped": "learn", "equal": "equal"}.get(asked.weights)
    chosen: dict[str, Any] = {"weights": asked.fixed if weights is None else weights, **options}
    if asked.groups is not None:
        chosen["groups"] = asked.groups
    drawn = asked.drawn
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        if isinstance(drawn, problems.ScoreProblem):
            fit: Any = wf.WelfareRegressor(**chosen).fit(drawn.utilities, drawn.scores)
        else:
            learner = wf.ComparisonClassifier(small_sample="none", **chosen)
            fit = learner.fit(drawn.comparisons())
    return fit.result_, time.process_time() - began


def is_above(ours: float, theirs: float) -> bool:
    """Whether our loss is higher by more than rounding."""
    return ours > theirs * (1 + HIGHER) + FLOOR


class Kept:
    """Records by number, one a line of a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.records = {record["number"]: record for record in map(json.loads, lines)}

    def once(self, number: int, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return what is known of a problem, which is worked out if nothing is."""
        if number not in self.records:
            self.records[number] = {"number": number, **work()}
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a") as file:
                file.write(json.dumps(self.records[number]) + "\n")
        kept: dict[str, Any] = self.records[number]
        return kept


def study(seed: int, numbers: range, effort: str, name: str) -> Iterator[dict[str, Any]]:
    """Yield one record a problem."""
    theirs = Kept(_FOLDER / f"{seed}.lbfgs.jsonl")
    ours = Kept(_FOLDER / f"{seed}.{name}.jsonl")
    for number in numbers:
        asked = problem(seed, number)

        def fit(asked: HardProblem = asked) -> dict[str, Any]:
            result, seconds = our_fit(asked, effort=effort)
            return {"ours": result.loss, "p": result.p, "seconds": seconds}

        def rival(asked: HardProblem = asked) -> dict[str, Any]:
            began = time.process_time()
            loss = best_of_lbfgs(asked)
            return {"theirs": loss, "their_seconds": time.process_time() - began}

        known = {"hard": asked.hard, "weights": asked.weights, "kind": asked.kind}
        actions, people = asked.drawn.utilities.shape
        known |= {"actions": actions, "people": people}
        yield {**known, **ours.once(number, fit), **theirs.once(number, rival)}


def report(records: list[dict[str, Any]]) -> str:
    """What came of it, as a table in Markdown."""
    lines = [
        "| problems | | above | lower by a millionth | CPU ms: median | 9 of 10 | worst |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for hard in (False, True):
        for weights in dict.fromkeys(WEIGHTS):
            for kind in ("scores", "comparisons"):
                cell = (hard, weights, kind)
                some = [r for r in records if (r["hard"], r["weights"], r["kind"]) == cell]
                if some:
                    what = "hard" if hard else "20 actions a person or more"
                    lines.append(_line(f"{what}, {weights}, {kind}", some))
        some = [r for r in records if r["hard"] == hard]
        if some:
            lines.append(_line("**all hard**" if hard else "**all with 20 or more**", some))
    return "\n".join(lines)


def _line(what: str, some: list[dict[str, Any]]) -> str:
    above = sum(is_above(r["ours"], r["theirs"]) for r in some)
    lower = sum(r["ours"] < r["theirs"] * (1 - 1e-6) - FLOOR for r in some)
    ms = 1e3 * np.array([r["seconds"] for r in some])
    half, nine, worst = np.median(ms), np.quantile(ms, 0.9), ms.max()
    return f"| {what} | {len(some)} | {above} | {lower} | {half:.0f} | {nine:.0f} | {worst:.0f} |"


def main() -> None:
    """Print how often our loss is above the rival's, and what it costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--problems", type=int, default=300)
    parser.add_argument("--effort", default="auto")
    parser.add_argument("--name", default="ours", help="under which our fits are kept")
    asked = parser.parse_args()
    for number in (0, 2):  # what is imported at the first fit is not part of it
        our_fit(problem(1, number))
    records = []
    for record in study(asked.seed, range(asked.problems), asked.effort, asked.name):
        records.append(record)
        if is_above(record["ours"], record["theirs"]):
            apart = record["ours"] / record["theirs"] - 1
            print(f"  problem {record['number']}: above by {apart:.1e}", flush=True)
    print(report(records))


if __name__ == "__main__":
    main()
