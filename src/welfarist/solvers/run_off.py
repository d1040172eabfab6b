"""Slopes that run off: where decisions are explained the better, the larger a theta is.

Then weights of some people go to 0, the loss hardly falls any more, and a search ends somewhere on
the way. What it means is the end of the way, where the range of the search ends.
"""

from __future__ import annotations

from dataclasses import replace

from welfarist.losses import Loss
from welfarist.solvers.descent import Descent

# From here on weights at both ends of an attribute differ by more than e^10.
_FAR = 5.0
# Relative difference in loss that does not speak against going on to the end.
_NOTHING = 1e-10


def to_the_end(loss: Loss, found: Descent) -> Descent:
    """Return where a search led, with slopes that run off at the end of their range."""
    lower, upper = loss.extra_bounds
    for place in range(loss.data.slopes):
        extras = found.point.extras.copy()
        if abs(extras[place]) < _FAR:
            continue
        extras[place] = upper[place] if extras[place] > 0 else lower[place]
        point = replace(found.point, extras=extras)
        value = loss.evaluate(point).value
        if value <= found.value + _NOTHING * abs(found.value) + loss.resolution:
            found = replace(found, point=point, value=value, evaluation=None)
    return found
