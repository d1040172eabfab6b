"""Figures with a line for each number of people: known and unknown weights, and the methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Literal

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from replication import methods, panels, trends
from replication.experiment import Array, Row, curve, levels, select

# How the lines of the paper's methods are drawn and named.
DASHES = {methods.TWO_STAGE: "-.", methods.ALGORITHM_1: "--"}
SHORT = {methods.TWO_STAGE: "two-stage", methods.ALGORITHM_1: "Algorithm 1"}


def draw(
    rows: Sequence[Row], file: IO[bytes], noise: str, column: str, label: str, *, log: bool = False
) -> None:
    """Draw a measurement against n: by the optimum with known and unknown weights, by the methods.

    One row of panels for each level of the noise.
    """
    strengths, people = levels(rows, noise), levels(rows, "d")
    figure, grid = plt.subplots(
        len(strengths), 3, figsize=(12, 3.5 * len(strengths)), layout="constrained", squeeze=False
    )
    for k, strength in enumerate(strengths):
        part = select(rows, **{noise: strength})
        best = methods.optimal(part)
        said = f", {trends.called(**{noise: strength})}" if len(strengths) > 1 else ""
        for axes, weights in zip(grid[k, :2], ("known", "unknown"), strict=True):
            _lines(axes, select(best, weights=weights), column, people)
            axes.set_title(f"{weights} weights{said}", fontsize=10)
        _by_methods(grid[k, 2], part, column, people)
        grid[k, 2].set_title(f"unknown weights, the paper's methods{said}", fontsize=10)
        for axes in grid[k]:
            axes.set(xlabel="decisions n", ylabel=label)
            panels.spread_places(axes, levels(best, "n"))
            if log:
                axes.set_yscale("log")
            axes.grid(alpha=0.25)
        _same_heights(list(grid[k, 1:] if log else grid[k]))
    grid[0, 1].legend(frameon=False)
    add_legend(grid[0, 2], "center right")  # methods were not run with many decisions
    figure.savefig(file, format="png", dpi=110)
    plt.close(figure)


def _by_methods(axes: Axes, rows: Sequence[Row], column: str, people: Sequence[int]) -> None:
    for solver, dashes in DASHES.items():
        part = select(rows, solver=solver)
        _lines(axes, part, column, people, dashes, f"{SHORT[solver]}, ")


def add_legend(axes: Axes, place: Literal["center right", "lower right"]) -> None:
    """Name the methods' lines, if there are any."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=7, handlelength=3.5, loc=place)


def _lines(
    axes: Axes,
    rows: Sequence[Row],
    column: str,
    people: Sequence[int],
    dashes: str = "-",
    said: str = "",
) -> None:
    for d in levels(rows, "d"):
        place, mean, error = curve(select(rows, d=d), "n", column)
        line(axes, place, mean, error, people.index(d), dashes, f"{said}d = {d}")


def line(axes: Axes, x: Array, mean: Array, error: Array, k: int, dashes: str, label: str) -> None:
    """Draw the curve of the k-th number of people."""
    axes.errorbar(
        x, mean, error, marker=panels.MARKERS[k % len(panels.MARKERS)],
        color=panels.COLOURS[k % len(panels.COLOURS)], linestyle=dashes, capsize=2, markersize=4,
        linewidth=1.3, label=label,
    )  # fmt: skip


def _same_heights(row: Sequence[Axes]) -> None:
    low = min(axes.get_ylim()[0] for axes in row)
    high = max(axes.get_ylim()[1] for axes in row)
    for axes in row:
        axes.set_ylim(low, high)
