"""How types look in every figure: a colour and a hatching each, a disk with a number in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.base.drawing import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION
from welfarist.base.validation import FloatArray
from welfarist.deciders.kinds import DeciderType
from welfarist.deciders.types_result import TypesResult
from welfarist.show.symbols import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY)
_HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---")
DOUBTFUL = "////"
# In square points: the area of a disk that stands for everybody, and of the smallest.
_EVERYBODY, _SMALLEST = 2600.0, 130.0


def colour_of(k: int) -> str:
    """Return the colour of a type, counted from 0."""
    return _COLOURS[k % len(_COLOURS)]


def hatch_of(k: int) -> str:
    """Return the hatching of an area that stands for a type."""
    return _HATCHES[k % len(_HATCHES)]


def disks(axes: Axes, places: FloatArray, result: TypesResult) -> None:
    """Draw a disk for each type at its place (K, 2): as large as its share, with its number.

    The smaller lie on the larger. A number that another disk would cover stands at the rim.
    """
    shares = result.shares
    for k in np.argsort(-shares, kind="stable").tolist():
        style = _disk(result.types[k], k)
        x, y = places[k]
        axes.scatter(x, y, **style, s=_area(shares[k]), zorder=4, clip_on=False)
    radii = np.sqrt([_area(share) for share in shares]) / 2.0
    to_points = 72.0 / axes.figure.dpi
    seen = axes.transData.transform(places) * to_points
    for k in range(len(places)):
        axes.annotate(
            f"{k + 1}", places[k], _beside(k, seen, radii), textcoords="offset points",
            ha="center", va="center", fontsize=9, fontweight="bold", zorder=5,
            bbox={"boxstyle": "circle,pad=0.12", "fc": "white", "ec": "none", "alpha": 0.85},
        )  # fmt: skip


def _area(share: float) -> float:
    return max(_EVERYBODY * float(share), _SMALLEST)


def _disk(one: DeciderType, k: int) -> dict[str, Any]:
    if one.doubtful:
        return {"facecolor": "white", "edgecolor": colour_of(k), "hatch": DOUBTFUL}
    return {"facecolor": colour_of(k), "edgecolor": "white"}


def _beside(k: int, seen: FloatArray, radii: FloatArray) -> tuple[float, float]:
    """How far from the middle of its disk a number stands, in points."""
    apart = np.hypot(*(seen - seen[k]).T)
    apart[k] = np.inf
    if (apart > radii).all() and (apart > radii[k]).all():
        return 0.0, 0.0
    angle = np.pi * (0.5 - 2.0 * k / len(seen))
    far = radii[k] + 7.0
    return far * float(np.cos(angle)), far * float(np.sin(angle))


def entries(result: TypesResult) -> list[Any]:
    """Return what a legend says of each type: its number, share, shape, and whether in doubt."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    shape = result.mixture.panel.loss.family.shape.name
    found: list[Any] = []
    for k, one in enumerate(result.types):
        said = f"type {k + 1}: {one.share:.0%} of people, {shape} = {rounded(one.p)}"
        if one.doubtful:
            said += ", may follow no such rule"
            found.append(
                Patch(facecolor="white", edgecolor=colour_of(k), hatch=DOUBTFUL, label=said)
            )
            continue
        found.append(
            Line2D([], [], marker="o", linestyle="", color=colour_of(k), markersize=8, label=said)
        )
    return found
