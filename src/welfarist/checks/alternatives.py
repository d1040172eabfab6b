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
from itertools import combinations
from typing import cast

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.families.columns import People
from welfarist.families.differences.apart import Apart
from welfarist.families.differences.family import OnDifferences
from welfarist.families.kolm_pollak.family import KolmPollakFamily
from welfarist.families.kolm_pollak.levels import Levels
from welfarist.families.power_mean.derivatives import welfare_shares
from welfarist.families.power_mean.family import PowerMean
from welfarist.families.rank_dependent.family import RankDependentFamily
from welfarist.inference.covariance import face_of
from welfarist.inference.likelihood import Likelihood
from welfarist.people.absent import PartlyPresent

# People with terms of their own: the weightiest. More would cost more than they would find.
_MOST_PEOPLE = 20
# Up to so many people every two of them have a term as well.
_MOST_WITH_PAIRS = 3
# Values further from their middle than this many standard deviations are taken as there.
_FAR = 5.0
# How many of the weightiest have products with each other, beyond that.
_MOST_IN_PAIRS = 6
# Logarithms further below the middle are taken as there when zero is moved.
_FAR_OUT = 50.0
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
    pairs : slice
        Rows with products of two people's deviations: whether one counts by what another has.
        Empty where there are so few people that `people` has them.
    zero : slice
        The row for another zero of the scale, on which values depend as on a number of the family;
        empty where nobody knows how.
    """

    rows: FloatArray
    people: slice
    places: slice
    level: slice
    pairs: slice
    zero: slice

    @property
    def named(self) -> dict[str, slice]:
        """The terms that are tested together, by the name of their check."""
        found = {"people": self.people, "places": self.places, "level": self.level}
        further = {"pairs": self.pairs, "zero": self.zero}
        return found | {name: one for name, one in further.items() if one.stop > one.start}


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
    blocks, e, f = [], 0, 0
    for start in range(0, len(value), _BLOCK):
        part = slice(start, start + _BLOCK)
        deviations = _deviations(table[counted, part], middle[part], unit)
        people, pairs = _of_people(deviations, weights, groups)
        places = _of_places(deviations, weights)
        blocks.append(np.vstack([people, places, pairs]))
        e, f = len(people), len(people) + len(places)
    zero = row_of_zero(loss.family_at(face.point), loss.people, likelihood)
    rows = np.vstack([np.hstack(blocks), _of_level(value), zero])
    last = len(rows) - len(zero)
    return Terms(
        rows,
        slice(0, e),
        slice(e, f),
        slice(last - 1, last),
        slice(f, last - 1),
        slice(last, len(rows)),
    )


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
) -> tuple[FloatArray, FloatArray]:
    """Squares (e, N) of what people deviate, and products (k, N) of two people's.

    Of few people products are among the squares.
    """
    labels, number = np.unique(groups, return_inverse=True)
    weight = np.bincount(number, weights)
    order = np.argsort(-weight, kind="stable")
    heaviest, some = np.sort(order[:_MOST_PEOPLE]), np.sort(order[:_MOST_IN_PAIRS])
    squares = [np.square(deviations[groups == labels[g]]).mean(axis=0) for g in heaviest.tolist()]
    if len(deviations) <= _MOST_WITH_PAIRS and len(labels) == len(deviations):
        for i in range(len(deviations)):
            squares.extend(deviations[i] * deviations[j] for j in range(i))
        return np.array(squares), np.empty((0, deviations.shape[1]))
    means = [deviations[groups == labels[g]].mean(axis=0) for g in some.tolist()]
    products = [one * other for one, other in combinations(means, 2)]
    return np.array(squares), np.array(products).reshape(-1, deviations.shape[1])


def row_of_zero(family: Family, people: People, likelihood: Likelihood) -> FloatArray:
    """Return how values (1, N) change as zero is moved; no row where nobody knows.

    Of a Kolm-Pollak function, for which zero is infinitely far away, as it comes near.
    """
    plain, welfare = family, np.ones(people.actions)
    weights, p = likelihood.weights, likelihood.point.p
    if isinstance(family, OnDifferences):
        plain, people = family.of, cast(Apart, people).seen
        welfare = np.exp(plain.welfare(people, weights, p).value)
    known = type(plain) in (PowerMean, RankDependentFamily, KolmPollakFamily)
    table = people.table
    if not known or table is None or people.has_zeros or not np.isfinite(p):
        return np.empty((0, people.actions))
    if isinstance(plain, KolmPollakFamily):
        seen = cast(Levels, people)
        shares = welfare_shares(seen.logs, weights, -p * seen.unit)
        row = (shares * np.square(seen.logs)).sum(axis=0)
    else:
        shares = welfare_shares(table, weights, p)
        row = (shares * np.exp(-np.maximum(table, -_FAR_OUT))).sum(axis=0) * welfare
    spread = float(row.std())
    away = (row - np.median(row)) / (spread if spread > 0 else 1.0)
    return np.asarray(np.clip(away, -_FAR, _FAR))[None]


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
