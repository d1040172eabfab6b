"""How many local optima are there? Counted by local searches from random rules.

Run with `python -m benchmarks.local_optima FOLDER --seed SEED`. A count is a lower bound: optima
that no start falls into are not seen. Two ends are one optimum if their losses agree to a share of
1e-6; ends that did not converge are left out. Problems are those of `benchmarks.problems`, with p
even in [-4, 4] and even weights drawn from a Dirichlet with concentration 1; for 2, 4 and 8 people,
20 to 500 decisions, little noise and much.
"""

from __future__ import annotations

import argparse
import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import problems
from benchmarks.proofs import random_start
from welfarist.decisions import Scores
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import DecisionLoss, loss_of_comparisons, loss_of_scores
from welfarist.noise.choices import LOGISTIC
from welfarist.people.weighting import Weighting
from welfarist.solvers.descent import descend

PEOPLE, SIZES = (2, 4, 8), (20, 50, 150, 500)
# Little noise, and much: of scores as a share of an action's range, of comparisons tau.
NOISE = {"scores": (0.02, 0.2), "comparisons": (20.0, 2.0)}
WORLDS, STARTS, STEPS = 6, 60, 150
ALIKE = 1e-6
TAU_MAX = 1e6


def loss_of(kind: str, people: int, count: int, noise: float, seed: list[int]) -> DecisionLoss:
    """One made-up problem."""
    p = float(np.random.default_rng([*seed, 3]).uniform(-4, 4))
    if kind == "scores":
        made = problems.scores([*seed, 4], count, people, p, noise)
        scores = Scores.of(made.utilities, made.scores)
        return loss_of_scores(scores, POWER_MEAN, Weighting(people), True, False)
    actions = max(10, count // 3)
    chosen = problems.comparisons([*seed, 4], actions, people, count, p, noise).comparisons()
    return loss_of_comparisons(chosen, POWER_MEAN, Weighting(people), True, LOGISTIC, TAU_MAX)


def optima(loss: DecisionLoss, rng: np.random.Generator, starts: int) -> tuple[int, float]:
    """How many different optima random starts end in, and the share that ends in the best."""
    ends = [
        descend(loss, random_start(loss, rng), max_iter=STEPS, tolerance=1e-10)
        for _ in range(starts)
    ]
    values = np.sort([end.value for end in ends if end.converged])
    if not len(values):
        return 0, 0.0
    floor = max(ALIKE * float(values[-1]), loss.resolution)
    apart = np.diff(values) > np.maximum(ALIKE * values[1:], floor * ALIKE)
    best = int(np.argmax(apart)) + 1 if apart.any() else len(values)
    return int(apart.sum()) + 1, best / len(values)


def run(folder: Path, seed: int, worlds: int, starts: int) -> list[dict[str, Any]]:
    """Count in all cells that the folder does not have yet."""
    path = folder / "local_optima.jsonl"
    done = [json.loads(x) for x in path.read_text().splitlines()] if path.exists() else []
    have = {(x["kind"], x["people"], x["decisions"], x["noise"], x["world"]) for x in done}
    with path.open("a") as out:
        for world, kind, people, count in product(range(worlds), NOISE, PEOPLE, SIZES):
            for noise in NOISE[kind]:
                if (kind, people, count, noise, world) in have:
                    continue
                at = [seed, world, people, count, int(10 * noise)]
                loss = loss_of(kind, people, count, noise, at)
                number, best = optima(loss, np.random.default_rng([*at, 5]), starts)
                line = {
                    "kind": kind, "people": people, "decisions": count, "noise": noise,
                    "world": world, "optima": number, "best": best,
                }  # fmt: skip
                done.append(line)
                print(json.dumps(line), file=out, flush=True)
    return done


def draw(done: list[dict[str, Any]], path: Path) -> None:
    """Draw the mean number of optima against the number of decisions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.6), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for ax, kind in zip(axes, NOISE, strict=True):
        for people, colour in zip(PEOPLE, ("#1b6ca8", "#c06014", "#2a7f62"), strict=True):
            for noise, line in zip(NOISE[kind], ("-", "--"), strict=True):
                cells = [
                    [
                        x["optima"]
                        for x in done
                        if (x["kind"], x["people"], x["decisions"], x["noise"])
                        == (kind, people, count, noise)
                    ]
                    for count in SIZES
                ]
                means = [np.mean(cell) if cell else np.nan for cell in cells]
                much = "much noise" if line == "--" else "little noise"
                ax.plot(
                    SIZES, means, line, color=colour, marker="o", ms=4,
                    label=f"{people} people, {much}",
                )  # fmt: skip
        ax.set(xscale="log", yscale="log", xlabel="decisions", title=kind)
        ax.set_xticks(SIZES, [str(n) for n in SIZES])
        ax.minorticks_off()
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("local optima found (mean)")
    axes[0].set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    axes[1].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=150)


def main() -> None:
    """Count, draw, and sum up."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--seed", type=int, required=True)
    asked.add_argument("--worlds", type=int, default=WORLDS)
    asked.add_argument("--starts", type=int, default=STARTS)
    given = asked.parse_args()
    done = run(given.folder, given.seed, given.worlds, given.starts)
    draw(done, given.folder / "local_optima.png")
    print("| decisions | people | noise | optima (mean, most) | starts that reach the best |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for kind, people, count in product(NOISE, PEOPLE, SIZES):
        for noise in NOISE[kind]:
            part = [
                x
                for x in done
                if (x["kind"], x["people"], x["decisions"], x["noise"])
                == (kind, people, count, noise)
            ]
            found = [x["optima"] for x in part]
            reached = float(np.median([x["best"] for x in part]))
            print(
                f"| {count} {kind} | {people} | {noise:g} | {np.mean(found):.1f}, {max(found)} "
                f"| {reached:.0%} |"
            )


if __name__ == "__main__":
    main()
