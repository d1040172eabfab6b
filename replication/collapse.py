"""Accuracy against sqrt(n / (d log n log d)), where the curves fall on one another.

[PSPS24, App. on simulations]: the risk bound for learned weights is of the order
sqrt(d log d log n / n), so that accuracy should depend on n and d through this alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np

from replication import panels, synthetic
from replication.experiment import Array, Cell, Claim, Experiment, Row, curve, levels, select


def cells(quick: bool) -> list[Cell]:
    """Those of the synthetic comparisons with unknown weights."""
    return [cell for cell in synthetic.cells(quick) if cell["weights"] == "unknown"]


def rescaled(n: Array, d: int) -> Array:
    """sqrt(n / (d log n log d))."""
    return np.asarray(np.sqrt(n / (d * np.log(n) * np.log(d))))


def curves(rows: Sequence[Row]) -> dict[int, tuple[Array, Array, Array]]:
    """n, mean accuracy and its standard error, by d."""
    return {d: curve(select(rows, d=d), "n", "noiseless_accuracy") for d in levels(rows, "d")}


def spread(lines: Sequence[tuple[Array, Array]]) -> float:
    """Mean distance between the highest and the lowest curve, where all are known.

    Curves are joined linearly in the logarithm of x; the mean is over that logarithm.
    """
    low, high = max(x.min() for x, _ in lines), min(x.max() for x, _ in lines)
    place = np.linspace(np.log(low), np.log(high), 200)
    heights = np.array([np.interp(place, np.log(x), y) for x, y in lines])
    return float(np.mean(np.ptp(heights, axis=0)))


def draw(rows: Sequence[Row], path: str) -> None:
    figure, both = plt.subplots(1, 2, figsize=(8.6, 3.4), layout="constrained", sharey=True)
    for k, (d, (n, mean, error)) in enumerate(curves(rows).items()):
        for axes, x in zip(both, (n, rescaled(n, d)), strict=True):
            axes.errorbar(
                x, mean, error, marker=panels.MARKERS[k], color=panels.COLOURS[k],
                capsize=2, markersize=4, linewidth=1.3, label=f"d = {d}",
            )  # fmt: skip
    both[0].set(xlabel="comparisons n", ylabel="noiseless test accuracy")
    panels.spread_places(both[0], levels(rows, "n"))
    both[1].set(xscale="log", xlabel="√(n / (d log n log d))")
    for axes in both:
        axes.grid(alpha=0.25)
    both[1].legend(frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def check(rows: Sequence[Row]) -> list[Claim]:
    found = curves(rows)
    plain = spread([(n, mean) for n, mean, _ in found.values()])
    folded = spread([(rescaled(n, d), mean) for d, (n, mean, _) in found.items()])
    return [
        Claim(
            "Against sqrt(n / (d log n log d)) the curves fall on one another.",
            f"mean distance between the highest and lowest curve {plain:.3f} against n, "
            f"{folded:.3f} "
            "rescaled",
            folded < plain / 2,
        )
    ]


EXPERIMENT = Experiment(
    "collapse",
    "One curve for all d",
    "The synthetic comparisons with unknown weights again, against n and against the quantity that "
    "the "
    "risk bound depends on.",
    cells,
    synthetic.run_choices,
    draw,
    check,
    shares=synthetic.CHOICES.name,
)
