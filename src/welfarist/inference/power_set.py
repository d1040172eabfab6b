"""The powers that decisions allow: those that a likelihood ratio does not reject.

They need not be an interval: few decisions can be explained by a moderate power and as well by one
far out, and by none between.
"""

from __future__ import annotations

import numpy as np

from welfarist.inference.likelihood import Likelihood
from welfarist.inference.profile import TOWARDS, PowerCurve, end_of, place_between

Pieces = tuple[tuple[float, float], ...]

# How far apart the places are, in the curve's coordinate, at which other pieces are looked for.
_STRIDE = 0.25
# Rows of data up to which it is worth looking: in large data a set in pieces is unheard of.
_WORTH_LOOKING = 10_000


def power_set(likelihood: Likelihood, curve: PowerCurve, allowed: float) -> Pieces:
    """Return the pieces of the set of powers whose deviance is no more than `allowed`, ascending.

    An end is infinite if the limit itself is allowed, or if the deviance never exceeds what is
    allowed. Where a utility is 0 powers of 0 and below were not considered: 0 is the lowest end.
    Shapes that have no limits end where their range does.
    """
    below, low = _side(likelihood, curve, -1.0, allowed)
    above, high = _side(likelihood, curve, 1.0, allowed)
    return (*reversed([(end, start) for start, end in below]), (low, high), *above)


def hull(pieces: Pieces) -> tuple[float, float]:
    """Return the interval from the lowest to the highest of a set's ends.

    Examples
    --------
    >>> hull(((-8.0, -5.0), (0.0, 1.0)))
    (-8.0, 1.0)
    """
    return pieces[0][0], pieces[-1][1]


def _side(
    likelihood: Likelihood, curve: PowerCurve, sign: float, allowed: float
) -> tuple[list[tuple[float, float]], float]:
    """Other pieces on one side, each from its inner to its outer end; and where the first ends."""
    if likelihood.point.p == sign * np.inf:
        return [], likelihood.point.p
    loss, shape = likelihood.loss, likelihood.loss.family.shape
    last = shape.highest if sign > 0 else shape.lowest
    limited = sign * np.inf in loss.limits
    if not limited and loss.has_zeros and loss.limits:
        last = 0.0
    if loss.decisions > _WORTH_LOOKING:
        return [], _only_end(curve, sign, allowed, last, limited)
    found = _walk(curve, sign, allowed)
    ends = [last if end is None else curve.coordinate.back(end) for _, end in found]
    starts = [curve.coordinate.back(start) for start, _ in found]
    pieces = list(zip(starts, ends, strict=True))
    if limited and ends[-1] != last and curve.at_limit(sign, sign * ends[-1] > TOWARDS) <= allowed:
        edge = curve.coordinate.back(curve.upper if sign > 0 else curve.lower)
        pieces.append((edge, last))
    return pieces[1:], ends[0]


def _only_end(curve: PowerCurve, sign: float, allowed: float, last: float, limited: bool) -> float:
    """Where the set ends on one side if it is an interval, as it is in large data."""
    found = end_of(curve, sign, allowed)
    if found is None:
        return last
    end = curve.coordinate.back(found)
    within = limited and curve.at_limit(sign, sign * end > TOWARDS) <= allowed
    return last if within else end


def _walk(curve: PowerCurve, sign: float, allowed: float) -> list[tuple[float, float | None]]:
    """Pieces from the estimate outwards, as places; None as an end is that of the curve."""
    edge = curve.upper if sign > 0 else curve.lower
    if edge == curve.centre:
        return [(curve.centre, None)]
    count = max(int(np.ceil(abs(edge - curve.centre) / _STRIDE)), 1)
    pieces: list[tuple[float, float | None]] = []
    inner = curve.centre
    start: float | None = inner
    for x in np.linspace(inner, edge, count + 1)[1:].tolist():
        inside = curve.at(x) <= allowed or curve.from_equal_weights(x) <= allowed
        if inside and start is None:
            start = place_between(curve.at, x, inner, allowed)
        elif not inside and start is not None:
            end = place_between(curve.at, inner, x, allowed)
            curve.warn(end)
            pieces.append((start, end))
            start = None
        inner = x
    return pieces if start is None else [*pieces, (start, None)]
