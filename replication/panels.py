"""Figures of several panels: one line per setting, told apart in grey as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from replication.experiment import Array, Row, curve, levels, quartiles, select
from replication.measures import FAR

mpl.use("Agg")

# Okabe and Ito's colours, from dark to light, each with a marker of its own.
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

# Powers are marked where they matter.
_MARKED = (-100, -10, -3, -1, 0, 1, 3, 10, 100)


@dataclass(frozen=True)
class Panel:
    """One quantity against x.

    Attributes
    ----------
    column : str
        The measurement.
    label : str
        In plain words.
    truth : str or None
        A column with the value under the true rule, drawn dotted.
    constant : float or None
        The true value itself, drawn dotted.
    log : bool
        Whether the axis is logarithmic.
    power : bool
        Whether it is a power: medians and quartiles on a scale with room for very large ones.
    """

    column: str
    label: str
    truth: str | None = None
    constant: float | None = None
    log: bool = False
    power: bool = False


def draw(
    rows: Sequence[Row],
    file: IO[bytes],
    *,
    x: str,
    line: str,
    line_label: str,
    x_label: str,
    panels: Sequence[Panel],
    extra: Sequence[Callable[[Axes], None]] = (),
    columns: int = 3,
) -> None:
    """Draw each panel's curves with standard errors, one legend for all, and further panels."""
    deep = -(-(len(panels) + 1 + len(extra)) // columns)
    figure, grid = plt.subplots(
        deep, columns, figsize=(3.6 * columns, 2.9 * deep), layout="constrained", squeeze=False
    )
    places = list(grid.flat)
    for axes, panel in zip(places, panels, strict=False):
        for k, level in enumerate(levels(rows, line)):
            _draw_line(axes, select(rows, **{line: level}), x, panel, k)
        if panel.constant is not None:
            height = np.arcsinh(panel.constant) if panel.power else panel.constant
            axes.axhline(height, color="0.4", linestyle=":")
        axes.set(xlabel=x_label, ylabel=panel.label)
        spread_places(axes, levels(rows, x))
        if panel.log:
            axes.set_yscale("log")
        if panel.power:
            _label_powers(axes)
        axes.grid(alpha=0.25)
    handles, _ = places[0].get_legend_handles_labels()
    names = [line_label.format(f"{level:g}") for level in levels(rows, line)]
    places[len(panels)].legend(handles[: len(names)], names, loc="center", frameon=False)
    places[len(panels)].axis("off")
    rest = places[len(panels) + 1 :]
    for axes, drawn in zip(rest, extra, strict=False):
        drawn(axes)
    for spare in rest[len(extra) :]:
        spare.axis("off")
    figure.savefig(file, format="png", dpi=110)
    plt.close(figure)


def _draw_line(axes: Axes, rows: Sequence[Row], x: str, panel: Panel, k: int) -> None:
    error: Array
    if panel.power:
        place, (low, mean, high) = quartiles(rows, x, panel.column)
        low, mean, high = (np.arcsinh(np.clip(v, -FAR, FAR)) for v in (low, mean, high))
        error = np.stack([mean - low, high - mean])
    else:
        place, mean, error = curve(rows, x, panel.column)
    colour = COLOURS[k % len(COLOURS)]
    axes.errorbar(
        place,
        mean,
        error,
        marker=MARKERS[k % len(MARKERS)],
        color=colour,
        capsize=2,
        markersize=4,
        linewidth=1.3,
        label=str(k),
    )
    if panel.truth is not None:
        place, mean, _ = curve(rows, x, panel.truth)
        axes.plot(place, mean, linestyle=":", color=colour, linewidth=1.3)


def spread_places(axes: Axes, places: Sequence[float]) -> None:
    """Make x logarithmic, with a mark and a plain number at the places that were measured."""
    axes.set_xscale("log")
    shown = list(places) if len(places) <= 6 else list(places)[::2]
    axes.set_xticks(shown, [f"{place:,g}" for place in shown])
    axes.minorticks_off()


def _label_powers(axes: Axes) -> None:
    low, high = axes.get_ylim()
    inside = [p for p in _MARKED if low <= np.arcsinh(p) <= high]
    axes.set_yticks([float(np.arcsinh(p)) for p in inside], [f"{p:g}" for p in inside])
