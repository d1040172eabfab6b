"""A rising curve without a formula: what a unit counts for is a broken line above 0.

Its integrals are splines that never fall (I-splines of M-splines of order 2, with coefficients
that are positive), worked out in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns


def knots_of(utilities: FloatArray, pieces: int) -> FloatArray:
    """Return knots (m + 1,) between which there are equally many utilities, m at most `pieces`.

    There are fewer pieces where a few different utilities could not tell as many apart.

    Examples
    --------
    >>> knots_of(np.array([0.0, 1.0, 2.0, 3.0, 10.0]), 2).tolist()
    [0.0, 2.0, 10.0]
    """
    known = utilities[np.isfinite(utilities)]
    levels = np.unique(known)
    pieces = min(pieces, max(len(levels) - 2, 1))
    found = np.unique(np.quantile(known, np.linspace(0.0, 1.0, pieces + 1)))
    if len(levels) < 2:
        raise InputError(
            "a curve needs utilities that differ; found the same for everybody in every action."
        )
    return np.asarray(found)


def areas(knots: FloatArray) -> FloatArray:
    """Return the area below the hat at each knot (K,)."""
    widths = np.diff(knots) / 2.0
    return np.asarray(np.append(widths, 0.0) + np.insert(widths, 0, 0.0))


def risen(levels: FloatArray, knots: FloatArray) -> FloatArray:
    """Return the integral of each hat up to each level (K, ...); straight on beyond both ends.

    Examples
    --------
    >>> risen(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 2.0])).tolist()
    [[0.0, 0.75, 1.0, 1.0], [0.0, 0.25, 1.0, 2.0]]
    """
    widths = np.diff(knots)
    found = np.zeros((len(knots), *levels.shape))
    for j, width in enumerate(widths.tolist()):
        part = np.clip((levels - knots[j]) / width, 0.0, 1.0)
        rising = 0.5 * width * part * part
        found[j + 1] += rising
        found[j] += width * part - rising
    found[0] += np.minimum(levels - knots[0], 0.0)
    found[-1] += np.maximum(levels - knots[-1], 0.0)
    return found


def hats(levels: FloatArray, knots: FloatArray) -> FloatArray:
    """Return the hat of each knot at each level (K, ...); level beyond both ends."""
    found = np.array([np.interp(levels, knots, row) for row in np.eye(len(knots))])
    return np.asarray(found)


@dataclass(frozen=True)
class Risen(Columns):
    """People who are all in memory, with the integrals of hats up to what they have.

    Attributes
    ----------
    logs : (d, N) array
        What each person has.
    basis : (K, d, N) array
    """

    basis: FloatArray = field(default_factory=lambda: np.empty((0, 0, 0)))

    def take(self, actions: npt.NDArray[Any]) -> Risen:
        """Return some of the actions, with the same curve."""
        rows = (np.ascontiguousarray(a[..., actions]) for a in (self.logs, self.basis))
        logs, basis = rows
        return Risen(logs, self.shift, False, basis)
