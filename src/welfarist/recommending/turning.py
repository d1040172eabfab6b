"""Where a preference between two actions turns: at which powers, and at which weights."""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.counting.crossings import find_crossings


def turning_powers(pair: FloatArray, weights: FloatArray) -> tuple[float, ...]:
    """Return every power at which the welfares of two actions (2, d) cross, in order.

    Where somebody has nothing only powers above 0 are looked at: below, welfare is 0.
    """
    counted = weights > 0
    with np.errstate(divide="ignore"):
        logs = np.log(np.ascontiguousarray(pair[:, counted].T))
    found = find_crossings(logs, weights[counted], np.array([0]), np.array([1]))
    return tuple(float(power) for power in found.power[found.turns])


def turning_weights(pair: FloatArray, weights: FloatArray, p: float) -> list[float | None]:
    """Return the weight of each person at which two actions (2, d) are equally good; None if none.

    The others keep their proportions: person i has s and j has ``(1 - s) w_j / (1 - w_i)``.

    Formula: with ``A = a_i^p - b_i^p`` (logarithms at p = 0) and B the mean of the same over the
    others, ``s = B / (B - A)``: the difference is a straight line in s, and crosses 0 once at most.

    Limits: at p = -inf and inf weights only say who counts, and nothing turns between 0 and 1.
    """
    people = len(weights)
    if not np.isfinite(p):
        return [None] * people
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(pair)
        if p == 0:
            gains = logs[0] - logs[1]
        else:
            powers = p * logs
            top = np.max(powers[:, weights > 0])
            gains = np.exp(powers[0] - top) - np.exp(powers[1] - top)
    if not np.isfinite(gains).all():
        return [None] * people
    found: list[float | None] = []
    for person in range(people):
        rest = 1.0 - weights[person]
        others = float(np.delete(weights * gains, person).sum() / rest) if rest > 0 else 0.0
        own = float(gains[person])
        turns = own * others < 0
        found.append(others / (others - own) if turns else None)
    return found
