"""Synthetic individuals: how error depends on n and d [PSPS24, App. on simulations]."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np

import welfarist as wf
from replication import panels
from replication.experiment import (
    Cell,
    Claim,
    Experiment,
    Row,
    curve,
    levels,
    select,
    values,
)
from replication.measures import mean_squared, quiet
from welfarist.simulate import comparisons, correct_share, individuals, scores, true_order

PEOPLE = (5, 10, 20, 50)
SIZES = (100, 200, 500, 1_000, 2_000, 5_000, 10_000)
TEST = 5_000
SCORES_P, SCORES_NU = -2.0, 0.1
CHOICES_P, CHOICES_TAU, LARGEST_TAU = 0.9, 10.0, 50.0


def cells(quick: bool) -> list[Cell]:
    people, sizes, repetitions = ((5, 20), SIZES[:4], 2) if quick else (PEOPLE, SIZES, 5)
    return [
        {"weights": weights, "d": d, "n": n, "repetition": r}
        for weights in ("known", "unknown")
        for d in people
        for n in sizes
        for r in range(repetitions)
    ]


def run_scores(cell: Cell) -> Row:
    n, seed = cell["n"], [cell["d"], cell["repetition"]]
    world = individuals(SIZES[-1] + TEST, cell["d"], p=SCORES_P, random_state=seed)
    noisy = scores(world, SCORES_NU, random_state=seed)
    weights = world.weights if cell["weights"] == "known" else "learn"
    with quiet():
        fit = wf.WelfareRegressor(weights=weights).fit(world.utilities[:n], noisy[:n])
    test = slice(SIZES[-1], None)
    return {
        "p": fit.p_,
        "noiseless_test_loss": mean_squared(
            fit.predict(world.utilities[test]), world.welfare[test]
        ),
    }


def run_choices(cell: Cell) -> Row:
    """Pairs of vectors of their own, as the paper draws them."""
    n, seed = cell["n"], [cell["d"], cell["repetition"]]
    world = individuals(2 * (SIZES[-1] + TEST), cell["d"], p=CHOICES_P, random_state=seed)
    pairs = np.arange(2 * (SIZES[-1] + TEST)).reshape(-1, 2)
    decided = comparisons(world, pairs, tau=CHOICES_TAU, random_state=seed)[:n]
    weights = world.weights if cell["weights"] == "known" else "learn"
    with quiet():
        fit = wf.ComparisonClassifier(weights=weights, tau_max=LARGEST_TAU).fit(decided)
    test = pairs[SIZES[-1] :]
    welfare = fit.welfare_.log(world.utilities)
    answers = np.sign(welfare[test[:, 0]] - welfare[test[:, 1]])
    return {
        "p": fit.p_,
        "tau_learned": fit.tau_,
        "noiseless_accuracy": float(np.mean(answers == true_order(world, test))),
        "correct_labels": correct_share(world, decided),
    }


def draw_scores(rows: Sequence[Row], path: str) -> None:
    _draw(rows, path, "noiseless_test_loss", "noiseless test loss", True)


def draw_choices(rows: Sequence[Row], path: str) -> None:
    _draw(rows, path, "noiseless_accuracy", "noiseless test accuracy", False)


def _draw(rows: Sequence[Row], path: str, column: str, label: str, log: bool) -> None:
    figure, both = plt.subplots(1, 2, figsize=(8.6, 3.4), layout="constrained", sharey=not log)
    for axes, weights in zip(both, ("known", "unknown"), strict=True):
        part = select(rows, weights=weights)
        for k, d in enumerate(levels(part, "d")):
            place, mean, error = curve(select(part, d=d), "n", column)
            axes.errorbar(
                place, mean, error, marker=panels.MARKERS[k], color=panels.COLOURS[k],
                capsize=2, markersize=4, linewidth=1.3, label=f"d = {d}",
            )  # fmt: skip
        axes.set(xlabel="decisions n", ylabel=label, title=f"{weights} weights")
        panels.spread_places(axes, levels(part, "n"))
        if log:
            axes.set_yscale("log")
        axes.grid(alpha=0.25)
    both[1].legend(frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def check_scores(rows: Sequence[Row]) -> list[Claim]:
    most, fewest = levels(rows, "n")[-1], levels(rows, "n")[0]
    losses = {
        (w, d, n): float(np.mean(values(select(rows, weights=w, d=d, n=n), "noiseless_test_loss")))
        for w in ("known", "unknown")
        for d in levels(rows, "d")
        for n in (fewest, most)
    }
    people = levels(rows, "d")
    falls = {
        w: losses[w, people[-1], fewest] - losses[w, people[-1], most] for w in ("known", "unknown")
    }
    return [
        Claim(
            "With unknown weights test loss falls more with n, for larger d, than with known ones.",
            f"d = {people[-1]}, from n = {fewest} to {most}: falls by {falls['known']:.3g} with "
            "known and "
            f"{falls['unknown']:.3g} with unknown weights",
            falls["unknown"] > 2 * falls["known"],
        ),
        Claim(
            "Test loss is larger with unknown weights, and rises with d there.",
            "unknown weights, n = "
            + f"{fewest}: "
            + ", ".join(f"{losses['unknown', d, fewest]:.3g} (d = {d})" for d in people)
            + "; known: "
            + ", ".join(f"{losses['known', d, fewest]:.2g}" for d in people),
            all(
                losses["unknown", d, n] > losses["known", d, n]
                for d in people
                for n in (fewest, most)
            )
            and losses["unknown", people[-1], fewest] > losses["unknown", people[0], fewest],
        ),
    ]


def check_choices(rows: Sequence[Row]) -> list[Claim]:
    sizes, people = levels(rows, "n"), levels(rows, "d")
    accuracy = {
        (w, d, n): float(np.mean(values(select(rows, weights=w, d=d, n=n), "noiseless_accuracy")))
        for w in ("known", "unknown")
        for d in people
        for n in sizes
    }
    known = [accuracy["known", d, n] for d in people for n in sizes]
    apart = max(accuracy["known", d, sizes[-1]] for d in people) - min(
        accuracy["known", d, sizes[-1]] for d in people
    )
    middle = sizes[len(sizes) // 2]
    falling = [accuracy["unknown", d, middle] for d in people]
    labels = [float(np.mean(values(select(rows, d=d), "correct_labels"))) for d in people]
    largest = float(values(rows, "correct_labels").max())
    return [
        Claim(
            "Known weights: mean accuracy above 93% for all d.",
            f"least mean over repetitions {min(known):.1%}",
            min(known) > 0.93,
        ),
        Claim(
            "Known weights: accuracy hardly depends on d.",
            f"at n = {sizes[-1]:,} the means of d = {people[0]} to {people[-1]} are within "
            f"{apart:.2%}",
            apart < 0.02,
        ),
        Claim(
            "Unknown weights: accuracy falls with d at fixed n, and rises with n.",
            f"n = {middle:,}: "
            + ", ".join(f"{a:.1%} (d = {d})" for a, d in zip(falling, people, strict=True)),
            falling == sorted(falling, reverse=True)
            and all(
                accuracy["unknown", d, sizes[-1]] > accuracy["unknown", d, sizes[0]] for d in people
            ),
        ),
        Claim(
            "71.4% of the training labels are correct in the mean over settings, at most 86.5%.",
            f"{np.mean(labels):.1%} in the mean ("
            + ", ".join(f"{v:.1%} at d = {d}" for v, d in zip(labels, people, strict=True))
            + f"), at most {largest:.1%}",
            bool(abs(np.mean(labels) - 0.714) < 0.05),
            "The paper gives neither its beta parameters nor its values of d; ours are uniform in "
            "[1, 10]. Single small samples vary.",
        ),
    ]


SCORES = Experiment(
    "synthetic_scores",
    "Synthetic scores",
    f"p = {SCORES_P:g}; beta distributed utilities in [1, 1000]; Gaussian noise of a tenth of the "
    "action's "
    f"range, clipped; noiseless test loss on {TEST:,} actions, by number of people d.",
    cells,
    run_scores,
    draw_scores,
    check_scores,
)
CHOICES = Experiment(
    "synthetic_comparisons",
    "Synthetic comparisons",
    f"p = {CHOICES_P:g}, τ* = {CHOICES_TAU:g}, τ at most {LARGEST_TAU:g}; pairs of independent "
    "utility vectors; "
    f"noiseless accuracy on {TEST:,} pairs, by number of people d.",
    cells,
    run_choices,
    draw_choices,
    check_choices,
)
