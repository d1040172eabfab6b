"""Terms that log welfare would have in other families, worked out at the fitted rule.

Each is a row with one number per action. Utilities enter as their relative deviation from welfare
``h = 2 (u - M) / (u + M)``, which is log(u / M) where they are close, stays between -2 and 2, and
is defined for a utility of 0. Somebody who does not count under the rule takes no part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.inference.covariance import face_of
from welfarist.inference.fitted import Fitted
from welfarist.losses.comparisons import NOTHING
from welfarist.validation import FloatArray

# People with terms of their own: the weightiest. More would cost more than they would find.
_MOST_PEOPLE = 20
# Up to so many people every two of them have a term as well.
_MOST_WITH_PAIRS = 3
# Log welfares further from their middle than this many standard deviations are taken as there.
_FAR = 5.0


@dataclass(frozen=True, eq=False)
class Terms:
    """New terms of log welfare.

    Attributes
    ----------
    rows : (e, N) array
    people : slice
        Rows with each person's (or group's) squared deviation, and products of two people's.
    places : slice
        Rows for the worst and the best off, and for the mean difference between people: families
        that look at places, such as the Gini, and not at persons.
    level : slice
        The row for the square of log welfare: whether differences count in proportion.
    """

    rows: FloatArray
    people: slice
    places: slice
    level: slice


def terms_of(fitted: Fitted) -> Terms:
    """Work out the terms at the estimates, for the actions of the loss."""
    face = face_of(fitted)
    loss = face.loss
    mean = loss.evaluate(face.point).mean
    counted = np.flatnonzero(fitted.weights > 0)
    deviations = _deviations(loss.utilities.logs[counted], mean.value)
    weights = fitted.weights[counted]
    people = _of_people(deviations, weights, _groups(fitted, counted))
    places = _of_places(deviations, weights)
    level = _of_level(mean.value)
    rows = np.vstack([people, places, level])
    a, b = len(people), len(people) + len(places)
    return Terms(rows, slice(0, a), slice(a, b), slice(b, b + 1))


def _deviations(logs: FloatArray, log_mean: FloatArray) -> FloatArray:
    """Relative deviations (s, N) from welfare; 0 where there is no welfare."""
    alive = log_mean > NOTHING
    with np.errstate(invalid="ignore"):
        found = 2.0 * np.tanh(0.5 * (logs - log_mean))
    return np.where(alive, found, 0.0)


def _groups(fitted: Fitted, counted: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The group of each person who counts; without groups everybody is one."""
    group_of = fitted.loss.weighting.group_of
    return np.arange(len(counted)) if group_of is None else group_of[counted]


def _of_people(
    deviations: FloatArray, weights: FloatArray, groups: npt.NDArray[np.intp]
) -> FloatArray:
    labels = np.unique(groups)
    weight = np.array([weights[groups == label].sum() for label in labels])
    heaviest = np.sort(np.argsort(-weight, kind="stable")[:_MOST_PEOPLE])
    squares = [np.square(deviations[groups == labels[g]]).mean(axis=0) for g in heaviest.tolist()]
    if len(deviations) <= _MOST_WITH_PAIRS and len(labels) == len(deviations):
        for i in range(len(deviations)):
            squares.extend(deviations[i] * deviations[j] for j in range(i))
    return np.array(squares)


def _of_places(deviations: FloatArray, weights: FloatArray) -> FloatArray:
    """Worst off, best off, and the weighted mean distance between two people."""
    order = np.argsort(deviations, axis=0)
    sorted_up = np.take_along_axis(deviations, order, axis=0)
    mass = weights[order]
    below = np.cumsum(mass, axis=0) - 0.5 * mass
    distance = (mass * (2.0 * below - 1.0) * sorted_up).sum(axis=0)
    return np.array([sorted_up[0], sorted_up[-1], distance])


def _of_level(log_mean: FloatArray) -> FloatArray:
    alive = log_mean[log_mean > NOTHING]
    middle, spread = (float(np.median(alive)), float(alive.std())) if alive.size else (0.0, 0.0)
    near = np.clip(log_mean - middle, -_FAR * spread, _FAR * spread)
    return 0.5 * np.square(near)
