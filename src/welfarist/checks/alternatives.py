"""Terms that values would have in other families, worked out at the fitted rule.

Each is a row with one number per action. Under a power mean, whose value is log welfare, utilities
enter as their relative deviation from welfare ``h = 2 (u - M) / (u + M)``, which is log(u / M)
where they are close, stays between -2 and 2, and is defined for a utility of 0. In another family
they enter as ``h = 2 tanh(x / 2)``, with x the deviation from welfare, or from their own mean where
welfare is no mean, in units of how much utilities vary. Somebody who does not count under the rule
takes no part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.inference.covariance import face_of
from welfarist.inference.likelihood import Likelihood
from welfarist.people.absent import PartlyPresent

# People with terms of their own: the weightiest. More would cost more than they would find.
_MOST_PEOPLE = 20
# Up to so many people every two of them have a term as well.
_MOST_WITH_PAIRS = 3
# Values further from their middle than this many standard deviations are taken as there.
_FAR = 5.0
# Actions whose terms are worked out at a time.
_BLOCK = 2**14


@dataclass(frozen=True, eq=False)
class Terms:
    """New terms of the value: for a power mean of log welfare.

    Attributes
    ----------
    rows : (e, N) array
    people : slice
        Rows with each person's (or group's) squared deviation, and products of two people's.
    places : slice
        Rows for the worst and the best off, and for the mean difference between people: families
        that look at places, such as the Gini, and not at persons.
    level : slice
        The row for the square of the value: whether differences count the same at every level.
    """

    rows: FloatArray
    people: slice
    places: slice
    level: slice


def terms_of(likelihood: Likelihood) -> Terms:
    """Work out the terms at the estimates, for the actions of the loss."""
    face = face_of(likelihood)
    loss = face.loss
    value = loss.judge(face.point).values
    table = loss.family_at(face.point).table_of(loss.people)
    if isinstance(loss.people, PartlyPresent):
        table = loss.people.around(value)
    if table is None:
        raise InputError(
            "checks against other families need everybody's utilities; found people who are not "
            "all in memory."
        )
    counted = np.flatnonzero(likelihood.weights > 0)
    weights, groups = likelihood.weights[counted], _groups(likelihood, counted)
    middle, unit = value, 1.0
    if not (loss.family.ratios and loss.family.level.is_ratio):
        middle, unit = _measures(loss.family, table[counted], value, weights)
    blocks = []
    for start in range(0, len(value), _BLOCK):
        part = slice(start, start + _BLOCK)
        deviations = _deviations(table[counted, part], middle[part], unit)
        people = _of_people(deviations, weights, groups)
        blocks.append(np.vstack([people, _of_places(deviations, weights)]))
    rows = np.vstack([np.hstack(blocks), _of_level(value)])
    a, b = len(people), len(rows) - 1
    return Terms(rows, slice(0, a), slice(a, b), slice(b, b + 1))


def _deviations(columns: FloatArray, middle: FloatArray, unit: float) -> FloatArray:
    """Deviations (s, N) of what people have from the middle; 0 where there is no welfare."""
    alive = middle > -np.inf
    with np.errstate(invalid="ignore"):
        found = 2.0 * np.tanh(0.5 / unit * (columns - middle))
    return np.where(alive, found, 0.0)


def _measures(
    family: Family, columns: FloatArray, value: FloatArray, weights: FloatArray
) -> tuple[FloatArray, float]:
    """What deviations (s, N) are taken from (N,), and their unit, which is never 0."""
    comparable = family.is_mean and not family.level.is_ratio
    finite = columns[np.isfinite(columns)]
    spread = float(finite.std()) if finite.size else 0.0
    return value if comparable else weights @ columns, spread if spread > 0 else 1.0


def _groups(likelihood: Likelihood, counted: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The group of each person who counts; without groups everybody is one."""
    group_of = likelihood.loss.weighting.group_of
    return np.arange(len(counted)) if group_of is None else group_of[counted]


def _of_people(
    deviations: FloatArray, weights: FloatArray, groups: npt.NDArray[np.intp]
) -> FloatArray:
    labels, number = np.unique(groups, return_inverse=True)
    weight = np.bincount(number, weights)
    heaviest = np.sort(np.argsort(-weight, kind="stable")[:_MOST_PEOPLE])
    squares = [np.square(deviations[groups == labels[g]]).mean(axis=0) for g in heaviest.tolist()]
    if len(deviations) <= _MOST_WITH_PAIRS and len(labels) == len(deviations):
        for i in range(len(deviations)):
            squares.extend(deviations[i] * deviations[j] for j in range(i))
    return np.array(squares)


def _of_places(deviations: FloatArray, weights: FloatArray) -> FloatArray:
    """Worst off, best off, and the weighted mean distance between two people."""
    each = np.ascontiguousarray(deviations.T)  # neighbours in memory sort fastest
    order = np.argsort(each, axis=1)
    sorted_up, mass = np.take_along_axis(each, order, axis=1), weights[order]
    below = np.cumsum(mass, axis=1) - 0.5 * mass
    distance = (mass * (2.0 * below - 1.0) * sorted_up).sum(axis=1)
    return np.array([sorted_up[:, 0], sorted_up[:, -1], distance])


def _of_level(value: FloatArray) -> FloatArray:
    alive = value[value > -np.inf]
    middle, spread = (float(np.median(alive)), float(alive.std())) if alive.size else (0.0, 0.0)
    near = np.clip(value - middle, -_FAR * spread, _FAR * spread)
    return np.asarray(0.5 * np.square(near))
