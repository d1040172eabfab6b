"""What is believed of the power."""

from __future__ import annotations

import numpy as np
from django.utils.safestring import SafeString

from welfarist.base.validation import FloatArray
from welfarist.counting.loss_steps import compact
from welfarist.web.learned.estimates import Estimate
from welfarist.web.learned.powers import interval, written
from welfarist.web.pictures.power_line import along, axis
from welfarist.web.pictures.svg import WIDTH, dot, line, path, picture

_TOP, _BOTTOM, _HEIGHT = 12.0, 140.0, 196.0
_MARGIN = 10.0
# Pieces of the line on which rules are counted, and the width over which they are spread, so that
# single ones are not seen.
_PIECES, _SPREAD = 84, 0.06


def density(powers: FloatArray, shares: FloatArray) -> FloatArray:
    """Return how densely rules lie along the line, on pieces of the same length, largest 1.

    Parameters
    ----------
    powers, shares : (S,) arrays
    """
    middles = _middles()
    edges = np.linspace(-1.0, 1.0, _PIECES + 1)
    counted, _ = np.histogram(compact(powers), edges, weights=shares)
    near = np.exp(-0.5 * ((middles[:, None] - middles) / _SPREAD) ** 2)
    found = near @ counted
    return np.asarray(found / found.max())


def power_picture(heights: FloatArray, power: Estimate) -> SafeString:
    """Return the density along the line of powers, the median and the interval."""
    place = along(_MARGIN, WIDTH - _MARGIN)
    xs = _MARGIN + (WIDTH - 2 * _MARGIN) * (_middles() + 1.0) / 2.0
    ys = _BOTTOM - (_BOTTOM - _TOP) * heights
    outline = list(zip(xs.tolist(), ys.tolist(), strict=True))
    area = [(float(xs[0]), _BOTTOM), *outline, (float(xs[-1]), _BOTTOM)]
    below = _BOTTOM + 46.0
    alt = (
        f"How likely each power is. The middle is p = {written(power.middle)}; with probability "
        f"95% it lies here: {interval(power.low, power.high)}. The table has more."
    )
    return picture(
        _HEIGHT,
        alt,
        path(area, "area", closed=True),
        axis(place, _TOP, _BOTTOM),
        line(_MARGIN, _BOTTOM, WIDTH - _MARGIN, _BOTTOM, "base"),
        line(place(power.low), below, place(power.high), below, "interval"),
        dot(place(power.middle), below, 5.0),
    )


def _middles() -> FloatArray:
    edges = np.linspace(-1.0, 1.0, _PIECES + 1)
    return np.asarray((edges[:-1] + edges[1:]) / 2.0)
