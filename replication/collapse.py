"""Accuracy against sqrt(n / (d log n log d)), where the curves fall on one another.

[PSPS24, App. on simulations]: the risk bound for learned weights is of the order
sqrt(d log d log n / n), so that accuracy should depend on n and d through this alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import IO

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter

from replication import methods, panels, people_panels, synthetic, trends
from replication.claims import Case, Claim
from replication.experiment import Array, Cell, Experiment, Row, curve, levels, select
from replication.settings import Settings

# "Fall on one another": nearer to each other than this share of their distance against n.
NEARER = 0.5


def cells(settings: Settings) -> list[Cell]:
    """Those of the synthetic comparisons with unknown weights."""
    return [cell for cell in synthetic.CHOICES.cells(settings) if cell["weights"] == "unknown"]


def rescaled(n: Array, d: int) -> Array:
    """sqrt(n / (d log n log d))."""
    return np.asarray(np.sqrt(n / (d * np.log(n) * np.log(d))))


def curves(rows: Sequence[Row]) -> dict[int, tuple[Array, Array, Array]]:
    """n, mean accuracy and its standard error, by d."""
    return {d: curve(select(rows, d=d), "n", "noiseless_accuracy") for d in levels(rows, "d")}


def distance(one: tuple[Array, Array], other: tuple[Array, Array]) -> float | None:
    """Mean distance between two curves where both are known; None if they share nothing.

    Curves are joined linearly in the logarithm of x; the mean is over that logarithm.
    """
    low, high = max(one[0].min(), other[0].min()), min(one[0].max(), other[0].max())
    if low >= high:
        return None
    place = np.linspace(np.log(low), np.log(high), 200)
    heights = [np.interp(place, np.log(x), y) for x, y in (one, other)]
    return float(np.mean(np.abs(heights[0] - heights[1])))


def draw(rows: Sequence[Row], file: IO[bytes]) -> None:
    strengths, people = levels(rows, "tau"), levels(rows, "d")
    figure, grid = plt.subplots(
        len(strengths), 3, figsize=(12, 3.5 * len(strengths)), layout="constrained", squeeze=False,
        sharey=True,
    )  # fmt: skip
    for k, tau in enumerate(strengths):
        part = select(rows, tau=tau)
        best = methods.optimal(part)
        for d, (n, mean, error) in curves(best).items():
            for axes, x in zip(grid[k, :2], (n, rescaled(n, d)), strict=True):
                people_panels.line(axes, x, mean, error, people.index(d), "-", f"d = {d}")
        for solver, dashes in people_panels.DASHES.items():
            for d, (n, mean, error) in curves(select(part, solver=solver)).items():
                label = f"{people_panels.SHORT[solver]}, d = {d}"
                x = rescaled(n, d)
                people_panels.line(grid[k, 2], x, mean, error, people.index(d), dashes, label)
        said = f", {trends.called(tau=tau)}" if len(strengths) > 1 else ""
        grid[k, 0].set(xlabel="comparisons n", ylabel="noiseless test accuracy")
        panels.spread_places(grid[k, 0], levels(best, "n"))
        for axes, title in zip(grid[k], ("optimum", "optimum", "the paper's methods"), strict=True):
            axes.set_title(title + said, fontsize=10)
            axes.grid(alpha=0.25)
        for axes in grid[k, 1:]:
            axes.set(xscale="log", xlabel="√(n / (d log n log d))")
            axes.xaxis.set_minor_formatter(NullFormatter())
        grid[k, 2].set_xlim(grid[k, 1].get_xlim())
    grid[0, 1].legend(frameon=False)
    people_panels.add_legend(grid[0, 2], "lower right")
    figure.savefig(file, format="png", dpi=110)
    plt.close(figure)


def check(rows: Sequence[Row]) -> list[Claim]:
    """The claim, judged for every two numbers of people."""
    said = "Against sqrt(n / (d log n log d)) the curves of all d fall on one another"
    return [
        _aligned(methods.optimal(rows), f"{said}."),
        _aligned(
            select(rows, solver=methods.TWO_STAGE), f"{said}: by the two-stage method itself."
        ),
    ]


def _aligned(rows: Sequence[Row], text: str) -> Claim:
    cases, apart = [], []
    for name, line in trends.lines(rows, ["tau"]):
        found = curves(line)
        for d, e in combinations(found, 2):
            plain = distance(found[d][:2], found[e][:2])
            folded = distance(
                (rescaled(found[d][0], d), found[d][1]), (rescaled(found[e][0], e), found[e][1])
            )
            pair = f"{name}, d = {d} and {e}"
            if plain is None or folded is None:
                apart.append(f"{d} and {e}")
                continue
            met = folded < NEARER * plain
            cases.append(Case(pair, met, f"{folded:.3f} apart, {plain:.3f} against n"))
    skipped = "the parts of the curves beyond what both of a pair have"
    if apart:
        skipped += "; d = " + ", ".join(apart) + ", whose rescaled curves share nothing"
    return Claim(
        text,
        f"for each two d, the mean distance of their curves is below {NEARER:.0%} of that against "
        "n (curves joined linearly in the logarithm of x, the mean over that logarithm)",
        tuple(cases),
        trends.repetitions(rows),
        skipped if rows else "everything: the method was not run",
    )


EXPERIMENT = Experiment(
    "collapse",
    "One curve for all d",
    "The synthetic comparisons with unknown weights again, against n and against the quantity that "
    "the risk bound depends on.",
    cells,
    synthetic.run_choices,
    draw,
    check,
    by=("tau", "d"),
    shares=synthetic.CHOICES.name,
)
