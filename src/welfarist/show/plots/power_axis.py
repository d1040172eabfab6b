"""The line of powers as an axis that reaches both infinities, and other families' parameters.

A power is drawn at p / (1 + |p|), which takes the whole line to the stretch from -1 to 1. Where the
range of a family's own parameter ends, it is drawn as it is, from end to end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from welfarist.base.drawing import GREY
from welfarist.base.validation import FloatArray
from welfarist.counting.loss_steps import compact
from welfarist.families.base import Family
from welfarist.families.named import Doctrine
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.show.symbols import MINUS, in_symbols

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TICKS = (float("-inf"), -5.0, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 5.0, float("inf"))
# Ticks closer to a doctrine's than this share of the axis would be written across its name.
_CROWDED = 0.06
# Room on both sides for what is drawn at the infinities, or where a range ends.
_MARGIN = 0.04

# Where shapes are drawn on an axis.
Placing = Callable[[npt.ArrayLike], FloatArray]


def placing(family: Family) -> Placing:
    """Return where shapes of a family are drawn: bent where their line is endless."""
    endless = np.isinf([family.shape.lowest, family.shape.highest]).any()
    return compact if endless else _as_it_is


def width_of(family: Family) -> float:
    """Return how wide the whole axis is."""
    low, high = placing(family)([family.shape.lowest, family.shape.highest])
    return float(high - low)


def prepare(axes: Axes, family: Family = POWER_MEAN) -> None:
    """Make the horizontal axis of a figure the line of shapes, with doctrines and aversion."""
    place, shape = placing(family), family.shape
    low, high = place([shape.lowest, shape.highest])
    margin = _MARGIN * (high - low) / 2.0
    axes.set_xlim(low - margin, high + margin)
    ticks = _ticks(axes.get_xticks().tolist(), family)
    names = {doctrine.p: doctrine.name for doctrine in reached_doctrines(family)}
    places = place(ticks).tolist()
    axes.set_xticks(places, [f"{in_symbols(p)}\n{names.get(p, '')}".rstrip() for p in ticks])
    axes.set_xlabel(shape.words + (", and the doctrines that have a name" if names else ""))
    for doctrine in reached_doctrines(family):
        there = float(place(doctrine.p))
        axes.axvline(there, color="0.75", linewidth=0.8, linestyle=":", zorder=0)
    if family.has_aversion:
        above = axes.secondary_xaxis("top")
        above.set_xticks(places, [in_symbols(1.0 - p) for p in ticks])
        _label_aversion(above, family)
    axes.spines["right"].set_visible(False)


def prepare_upright(axes: Axes, family: Family = POWER_MEAN) -> None:
    """Make the vertical axis of a figure the line of shapes, with doctrines."""
    place, shape = placing(family), family.shape
    low, high = place([shape.lowest, shape.highest])
    margin = _MARGIN * (high - low) / 2.0
    axes.set_ylim(low - margin, high + margin)
    ticks = _ticks(axes.get_yticks().tolist(), family)
    named = reached_doctrines(family)
    names = {doctrine.p: f"{doctrine.name}  " for doctrine in named}
    axes.set_yticks(place(ticks).tolist(), [f"{names.get(p, '')}{in_symbols(p)}" for p in ticks])
    axes.set_ylabel(shape.words)
    for doctrine in named:
        there = float(place(doctrine.p))
        axes.axhline(there, color="0.75", linewidth=0.8, linestyle=":", zorder=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def reached_doctrines(family: Family) -> list[Doctrine]:
    """Return the doctrines inside the range of the shape."""
    low, high = family.shape.lowest, family.shape.highest
    return [doctrine for doctrine in family.doctrines if low <= doctrine.p <= high]


def _ticks(usual: Sequence[float], family: Family) -> list[float]:
    """Shapes that are named on the whole axis; doctrines come first, and what has room by them."""
    place, shape = placing(family), family.shape
    regular = _TICKS if place is compact else usual
    named = {doctrine.p for doctrine in reached_doctrines(family)}
    if named <= set(regular):  # on the line of powers every doctrine has its tick
        return [p for p in regular if shape.lowest <= p <= shape.highest]
    room = _CROWDED * width_of(family)
    kept = sorted(named)
    for p in regular:
        near = np.abs(place(kept) - place(p)).min() < room
        if shape.lowest <= p <= shape.highest and not near:
            kept.append(p)
    return sorted(kept)


def _label_aversion(top: Any, family: Family) -> None:
    top.set_xlabel(f"inequality aversion 1 {MINUS} {family.shape.name}", color=GREY)
    top.tick_params(colors=GREY)


def prepare_near(axes: Axes, left: float, right: float, family: Family = POWER_MEAN) -> None:
    """Make the horizontal axis a short piece of the line of shapes, not bent.

    Doctrines in it are marked; arrows name the next one on either side.
    """
    axes.set_xlim(left, right)
    for doctrine in family.doctrines:
        if left < doctrine.p < right:
            axes.axvline(doctrine.p, color="0.5", linewidth=1.0, linestyle=":", zorder=1)
            axes.text(
                doctrine.p,
                0.02,
                f" {doctrine.name}",
                transform=axes.get_xaxis_transform(),
                color=GREY,
                fontsize=9,
            )
    below = [doctrine for doctrine in family.doctrines if doctrine.p <= left]
    above = [doctrine for doctrine in family.doctrines if doctrine.p >= right]
    parts = [family.shape.words]
    if below:
        nearest = max(below, key=lambda doctrine: doctrine.p)
        parts.insert(0, f"← {nearest.name}, {in_symbols(nearest.p)}")
    if above:
        nearest = min(above, key=lambda doctrine: doctrine.p)
        parts.append(f"{nearest.name}, {in_symbols(nearest.p)} →")
    axes.set_xlabel("        ".join(parts))
    if family.has_aversion:
        _label_aversion(axes.secondary_xaxis("top", functions=(_turned, _turned)), family)
    axes.spines["right"].set_visible(False)


def _turned(value: npt.ArrayLike) -> FloatArray:
    return 1.0 - np.asarray(value, dtype=np.float64)


def _as_it_is(value: npt.ArrayLike) -> FloatArray:
    return np.asarray(value, dtype=np.float64)
