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
    signs, sizes = _differences(pair, p)
    if np.isposinf(sizes[weights > 0]).any():  # welfare is 0 whatever somebody weighs
        return [None] * people
    found: list[float | None] = []
    for person in range(people):
        others = (np.arange(people) != person) & (weights > 0)
        top = float(sizes[others].max()) if others.any() else -np.inf
        if not np.isfinite([top, sizes[person]]).all():
            found.append(None)
            continue
        parts = weights[others] * signs[others] * np.exp(sizes[others] - top)
        mean = float(parts.sum()) / (1.0 - float(weights[person]))
        if not mean * signs[person] < 0:
            found.append(None)
            continue
        with np.errstate(over="ignore"):  # a weight of nearly 0 is enough
            ratio = np.exp(sizes[person] - top - np.log(abs(mean)))
        found.append(float(1.0 / (1.0 + ratio)))
    return found


def _differences(pair: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
    """Signs (d,) of A and logarithms of its size, which no power makes overflow."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        logs = np.log(pair) if p == 0 else p * np.log(pair)
        signs = np.where(logs[0] == logs[1], 0.0, np.sign(logs[0] - logs[1]))
        high, low = logs.max(axis=0), logs.min(axis=0)
        sizes = np.log(high - low) if p == 0 else high + np.log(-np.expm1(low - high))
    return signs, np.where(signs == 0, -np.inf, np.where(np.isnan(sizes), np.inf, sizes))
