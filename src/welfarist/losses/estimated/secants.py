"""What the last gradients say of curvature, where the curvature at hand is rough.

Moves between the last points, with how much the gradient changed along each, correct a positive
curvature so that it has these changes (Broyden, Fletcher, Goldfarb and Shanno). Steps to an optimum
then shrink much faster, for no more than what was worked out anyway.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from welfarist.base.validation import FloatArray

# How many moves count, how long they may be, and the least change of the gradient along one,
# relative to what is expected.
_MOST, _LONGEST, _LEAST_SHARE = 8, 0.7, 0.1


@dataclass
class Trail:
    """Points that were passed, with their gradients.

    Attributes
    ----------
    passed : list of (key, place, gradient)
        Places and gradients (q,) in the same coordinates everywhere; points can be compared whose
        keys are the same.
    """

    passed: list[tuple[object, FloatArray, FloatArray]] = field(default_factory=list)

    def note(self, key: object, place: FloatArray, gradient: FloatArray) -> None:
        """Add a point."""
        self.passed = [*self.passed[-_MOST:], (key, place, gradient)]

    def moves(self, key: object) -> list[tuple[FloatArray, FloatArray]]:
        """Return moves between points that can be compared, and changes of the gradient."""
        own = [(place, gradient) for known, place, gradient in self.passed if known == key]
        found = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(own)]
        return [pair for pair in found if 0 < np.abs(pair[0]).max() <= _LONGEST]


def corrected(curvature: FloatArray, moves: list[tuple[FloatArray, FloatArray]]) -> FloatArray:
    """Return a positive curvature (m, m) with the changes (m,) of a gradient along moves (m,).

    A change that is much smaller than the curvature has it, or backwards, is taken to be nearer to
    that (Powell's damping): it says more of long moves than of the place.
    """
    found = curvature
    for move, change in moves:
        along = found @ move
        expected, seen = float(move @ along), float(move @ change)
        if expected <= 0:
            continue
        if seen < _LEAST_SHARE * expected:
            share = (1.0 - _LEAST_SHARE) * expected / (expected - seen)
            change = share * change + (1.0 - share) * along
            seen = _LEAST_SHARE * expected
        found = found - np.outer(along, along) / expected + np.outer(change, change) / seen
    return found
