"""The line of powers as an axis that reaches both infinities.

A power is drawn at p / (1 + |p|), which takes the whole line to the stretch from -1 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from welfarist.doctrines import DOCTRINES
from welfarist.drawing import GREY
from welfarist.steps import compact
from welfarist.validation import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TICKS = (float("-inf"), -5.0, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 5.0, float("inf"))
MINUS = "\N{MINUS SIGN}"
# Decimals that are worth it to tell an end of an interval from a doctrine.
_MOST_DECIMALS = 7
# Room on both sides for what is drawn at the infinities.
_MARGIN = 0.04


def prepare(axes: Axes) -> None:
    """Make the horizontal axis of a figure the line of powers, with doctrines and aversion."""
    places = compact(_TICKS).tolist()
    names = {doctrine.p: doctrine.name for doctrine in DOCTRINES}
    axes.set_xlim(-1.0 - _MARGIN, 1.0 + _MARGIN)
    axes.set_xticks(places, [f"{in_symbols(p)}\n{names.get(p, '')}".rstrip() for p in _TICKS])
    axes.set_xlabel("power p, and the doctrines that have a name")
    for doctrine in DOCTRINES:
        place = float(compact(doctrine.p))
        axes.axvline(place, color="0.75", linewidth=0.8, linestyle=":", zorder=0)
    above = axes.secondary_xaxis("top")
    above.set_xticks(places, [in_symbols(1.0 - p) for p in _TICKS])
    above.set_xlabel(f"inequality aversion 1 {MINUS} p", color=GREY)
    above.tick_params(colors=GREY)
    axes.spines["right"].set_visible(False)


def prepare_near(axes: Axes, left: float, right: float) -> None:
    """Make the horizontal axis a short piece of the line of powers, not bent.

    Doctrines in it are marked; arrows name the next one on either side.
    """
    axes.set_xlim(left, right)
    for doctrine in DOCTRINES:
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
    below = [doctrine for doctrine in DOCTRINES if doctrine.p <= left]
    above = [doctrine for doctrine in DOCTRINES if doctrine.p >= right]
    parts = ["power p"]
    if below:
        nearest = max(below, key=lambda doctrine: doctrine.p)
        parts.insert(0, f"← {nearest.name}, {in_symbols(nearest.p)}")
    if above:
        nearest = min(above, key=lambda doctrine: doctrine.p)
        parts.append(f"{nearest.name}, {in_symbols(nearest.p)} →")
    axes.set_xlabel("        ".join(parts))
    top = axes.secondary_xaxis("top", functions=(_turned, _turned))
    top.set_xlabel(f"inequality aversion 1 {MINUS} p", color=GREY)
    top.tick_params(colors=GREY)
    axes.spines["right"].set_visible(False)


def _turned(value: npt.ArrayLike) -> FloatArray:
    return 1.0 - np.asarray(value, dtype=np.float64)


def _apart(end: float) -> int:
    """How many decimals it takes to see on which side of a doctrine an end of an interval lies."""
    near = [d.p for d in DOCTRINES if end != d.p and abs(end - d.p) < 0.5]
    if not near:
        return 0
    for digits in range(_MOST_DECIMALS):
        if round(end, digits) != near[0]:
            return digits
    return 0


def in_symbols(value: float) -> str:
    """Return a number as it is written on an axis: with a real minus and an infinity sign."""
    if value == 0.5:
        return "½"
    digits = "∞" if np.isinf(value) else f"{abs(value):g}"
    return f"{MINUS}{digits}" if value < 0 else digits


def rounded(value: float, interval: Sequence[float] = (-np.inf, np.inf)) -> str:
    """Return a power with two decimals, fewer if it is large, or the sign of infinity.

    Where its interval is narrow it has more: as many as show two digits of the interval's width,
    and on which side of a doctrine each end lies.

    Examples
    --------
    >>> [rounded(p, (-0.0013, 0.27)) for p in (-0.0013, 0.13, 0.27)]
    ['−0.001', '0.130', '0.270']
    """
    if np.isinf(value):
        return in_symbols(value)
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    width = interval[1] - interval[0]
    if 0 < width < np.inf:
        digits = max(digits, 1 - int(np.floor(np.log10(width))))
    digits = max(digits, *(_apart(end) for end in interval))
    text = f"{value:.{digits}f}"
    return text.replace("-", MINUS) if float(text) else text.removeprefix("-")
