"""Weights of three people as places in a triangle, whose corners are those who count alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from welfarist.base.drawing import GREY
from welfarist.base.validation import FloatArray
from welfarist.show.plots.names import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The first person's corner is above, the second's left, the third's right.
_HEIGHT = float(np.sqrt(3.0) / 2.0)
_CORNERS = np.array([[0.5, _HEIGHT], [0.0, 0.0], [1.0, 0.0]])
_SHARES = (0.25, 0.5, 0.75)
_LONGEST = 26


def places(weights: FloatArray) -> FloatArray:
    """Return where weights (n, 3) that sum to 1 are drawn, (n, 2).

    Examples
    --------
    >>> places(np.array([[0.0, 0.5, 0.5]])).tolist()
    [[0.5, 0.0]]
    """
    return np.asarray(weights @ _CORNERS)


def towards(weights: FloatArray, who: int, values: FloatArray) -> FloatArray:
    """Return weights (n, 3) with values (n,) for one of them, the others in proportion.

    Examples
    --------
    >>> towards(np.array([0.5, 0.3, 0.2]), 0, np.array([0.0, 1.0])).tolist()
    [[0.0, 0.6, 0.4], [1.0, 0.0, 0.0]]
    """
    rest = weights.copy()
    rest[who] = 0.0
    total = rest.sum()
    even = np.where(np.arange(3) == who, 0.0, 0.5)
    rest = rest / total if total > 0 else even
    found = (1.0 - values)[:, None] * rest
    found[:, who] = values
    return np.asarray(found)


def prepare(axes: Axes, names: tuple[str, ...]) -> None:
    """Draw the triangle with lines of equal weights, and name its corners."""
    outline = np.vstack([_CORNERS, _CORNERS[:1]])
    axes.plot(*outline.T, color=GREY, linewidth=1.2, zorder=1)
    for who in range(3):
        for share in _SHARES:
            ends = _line(who, share)
            axes.plot(*ends.T, color="0.85", linewidth=0.8, linestyle=":", zorder=0)
    centre = places(np.full((1, 3), 1.0 / 3.0))
    axes.plot(*centre.T, "+", color=GREY, markersize=9, zorder=1)
    above, left, right = (shown(name, _LONGEST) for name in names)
    axes.text(0.5, _HEIGHT + 0.03, f"{above} alone", ha="center", va="bottom", fontsize=10)
    axes.text(-0.06, -0.06, f"{left} alone", ha="left", va="top", fontsize=10)
    axes.text(1.06, -0.06, f"{right} alone", ha="right", va="top", fontsize=10)
    _number(axes)
    axes.set_xlim(-0.08, 1.08)
    axes.set_ylim(-0.13, _HEIGHT + 0.1)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _line(who: int, share: float) -> FloatArray:
    """Where one person has a share, from edge to edge."""
    ends = np.zeros((2, 3))
    others = [j for j in range(3) if j != who]
    ends[:, who] = share
    for row, other in enumerate(others):
        ends[row, other] = 1.0 - share
    return places(ends)


def _number(axes: Axes) -> None:
    """Write shares at the edges: the first person's left, the second's below, the third's right."""
    for share in _SHARES:
        marks = (
            ((share, 1.0 - share, 0.0), "right", "center", (-0.012, 0.0)),
            ((0.0, share, 1.0 - share), "center", "top", (0.0, -0.012)),
            ((1.0 - share, 0.0, share), "left", "center", (0.012, 0.0)),
        )
        for weights, across, up, by in marks:
            x, y = places(np.array([weights]))[0] + by
            axes.text(x, y, f"{share:g}", ha=across, va=up, fontsize=7, color=GREY)
