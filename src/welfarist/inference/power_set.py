"""The powers that decisions allow: those that a likelihood ratio does not reject.

They need not be an interval: few decisions can be explained by a moderate power and as well by one
far out, and by none between.
"""

from __future__ import annotations

import warnings

import numpy as np

from welfarist.base.errors import NotConvergedWarning
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.profile import (
    BRANCH,
    GROWTH,
    MANY_OPTIMA,
    ROUNDS,
    TOWARDS,
    PowerCurve,
)

Pieces = tuple[tuple[float, float], ...]

# How far apart places are at most, in the curve's coordinate, so that no hole is stepped over.
_STRIDE = 0.5
# A deviance that exceeds what is allowed by this does not come back to it, but at a limit, which
# is looked at for itself.
_HOPELESS = 15.0


def power_set(likelihood: Likelihood, curve: PowerCurve, allowed: float) -> Pieces:
    """Return the pieces of the set of powers whose deviance is no more than `allowed`, ascending.

    An end is infinite if the limit itself is allowed, or if the deviance never exceeds what is
    allowed. Where a utility is 0 powers of 0 and below were not considered: 0 is the lowest end.
    Shapes that have no limits end where their range does.
    """
    curve.looked_for(allowed)
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
    found = _walk(curve, sign, allowed)
    ends = [last if end is None else curve.coordinate.back(end) for _, end in found]
    starts = [curve.coordinate.back(start) for start, _ in found]
    pieces = list(zip(starts, ends, strict=True))
    if (
        limited
        and ends[-1] != last
        and curve.allows_limit(sign, _is_far(likelihood, sign, ends[-1]), allowed)
    ):
        edge = curve.coordinate.back(curve.upper if sign > 0 else curve.lower)
        pieces.append((edge, last))
    return pieces[1:], ends[0]


def _is_far(likelihood: Likelihood, sign: float, p: float) -> bool:
    """Whether a shape is so far out on one side that it is worth searching who counts there."""
    return sign * p > 0 and abs(likelihood.loss.family.like_power(p)) > TOWARDS


def _walk(curve: PowerCurve, sign: float, allowed: float) -> list[tuple[float, float | None]]:
    """Pieces from the estimate outwards, as places; None as an end is that of the curve."""
    edge = curve.upper if sign > 0 else curve.lower
    pieces: list[tuple[float, float | None]] = []
    inner, stride, rounds = curve.centre, min(curve.stride, _STRIDE), 0
    start: float | None = inner
    while inner != edge:
        outer = inner + sign * stride
        outer = min(outer, edge) if sign > 0 else max(outer, edge)
        lost = curve.at(outer)
        if lost > allowed and (start is not None or lost <= allowed + _HOPELESS):
            lost = curve.from_equal_weights(outer)
        if lost <= allowed and start is None:
            start = curve.place_between(outer, inner, allowed)
        elif lost > allowed and start is not None:
            end = curve.place_between(inner, outer, allowed)
            if curve.from_equal_weights(end) < allowed - BRANCH and rounds < ROUNDS:
                curve.drop_beyond(end, sign)  # there is a better way out than the one taken
                inner, rounds = end, rounds + 1
                continue
            _warn(curve, end, rounds)
            pieces.append((start, end))
            start = None
        if start is None and lost > allowed + _HOPELESS:
            return pieces
        inner, stride = outer, min(stride * GROWTH, _STRIDE)
    return pieces if start is None else [*pieces, (start, None)]


def _warn(curve: PowerCurve, end: float, rounds: int) -> None:
    """Say so if an end may be too near."""
    if rounds == ROUNDS:
        warnings.warn(MANY_OPTIMA, NotConvergedWarning, stacklevel=2)
    curve.warn(end)
