"""How likely answers are, given what somebody wants: value, slope and curvature by coefficients.

Choices and rankings have the chances of a logit among the actions there are to choose from; ratings
those of an ordered logit, with cut points that all stakeholders share and a level of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import expit

from welfarist.base.validation import FloatArray
from welfarist.people.answers.tables import IntArray, Menus, Ratings

# The smallest chance of a rating whose logarithm is taken.
_TINY = 1e-300


class Said(Protocol):
    """The answers of one stakeholder."""

    def at(self, coefficients: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return minus the log likelihood at coefficients (k,), its slope (k,), its curvature."""
        ...


@dataclass(frozen=True, eq=False)
class Chosen:
    """Choices from menus.

    Attributes
    ----------
    rows : (E, k) array
        What is known of each entry's action.
    starts : (m,) array of int
    sizes : (m,) array of int
    chosen : (E,) array
    """

    rows: FloatArray
    starts: IntArray
    sizes: IntArray
    chosen: FloatArray

    @classmethod
    def of(cls, menus: Menus, table: FloatArray) -> Chosen:
        """Take over one stakeholder's choices among actions with features (N, k)."""
        sizes = np.diff(np.append(menus.starts, len(menus.actions)))
        return cls(table[menus.actions], menus.starts, sizes.astype(np.intp), menus.chosen)

    def chances(self, coefficients: FloatArray) -> tuple[FloatArray, float]:
        """Return the chances of the entries (E,), and minus the log likelihood."""
        z = self.rows @ coefficients
        starts = self.starts
        largest = np.maximum.reduceat(z, starts)
        grown = np.exp(z - np.repeat(largest, self.sizes))
        sums = np.add.reduceat(grown, starts)
        value = float((largest + np.log(sums)).sum() - self.chosen @ z)
        return grown / np.repeat(sums, self.sizes), value

    def at(self, coefficients: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return minus the log likelihood at coefficients (k,), its slope (k,), its curvature."""
        chance, value = self.chances(coefficients)
        slope = self.rows.T @ (chance - self.chosen)
        weighted = self.rows * chance[:, None]
        means = np.add.reduceat(weighted, self.starts, axis=0)
        return value, slope, self.rows.T @ weighted - means.T @ means

    def right(self, coefficients: FloatArray) -> tuple[float, int]:
        """Return how many first choices are foreseen, ties halved, and of how many."""
        z = self.rows @ coefficients
        starts = self.starts
        best = z >= np.repeat(np.maximum.reduceat(z, starts), self.sizes)
        share = np.add.reduceat(best * self.chosen, starts) / np.add.reduceat(best * 1.0, starts)
        return float(share.sum()), len(starts)


@dataclass(frozen=True, eq=False)
class Rated:
    """Ratings, as an ordered logit; the last coefficient is the stakeholder's own level.

    Attributes
    ----------
    rows : (n, k) array
        With a last column of ones.
    below, above : (n,) arrays
        Cut points on either side of each rating, infinite at the ends.
    """

    rows: FloatArray
    below: FloatArray
    above: FloatArray

    @classmethod
    def of(cls, ratings: Ratings, table: FloatArray, cuts: FloatArray) -> Rated:
        """Take over one stakeholder's ratings of actions with features (N, k)."""
        rows = np.column_stack([table[ratings.actions], np.ones(len(ratings.actions))])
        ends = np.concatenate([[-np.inf], cuts, [np.inf]])
        return cls(rows, ends[ratings.level], ends[ratings.level + 1])

    def at(self, coefficients: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return minus the log likelihood at coefficients (k,), its slope (k,), its curvature."""
        z = self.rows @ coefficients
        upper, lower = expit(self.above - z), expit(self.below - z)
        # sigma(a) - sigma(b) without cancellation far out, where both are 1
        chance = np.where(lower > 0.5, expit(z - self.below) - expit(z - self.above), upper - lower)
        value = -float(np.log(np.maximum(chance, _TINY)).sum())
        slope = self.rows.T @ (1.0 - upper - lower)
        bent = upper * (1.0 - upper) + lower * (1.0 - lower)
        return value, slope, (self.rows * bent[:, None]).T @ self.rows


def first_cuts(levels: IntArray, size: int) -> FloatArray:
    """Return cut points (J - 1,) at which each rating is as frequent as it was given."""
    counts = np.bincount(levels, minlength=size) + 0.5
    share = np.cumsum(counts)[:-1] / counts.sum()
    return np.asarray(np.log(share) - np.log1p(-share))


def moved_cuts(cuts: FloatArray, levels: IntArray, values: FloatArray) -> FloatArray:
    """Return cut points (J - 1,) that fit ratings better, at values (n,) of what was rated.

    A Newton step on their log likelihood, which is concave in cut points that are in order.
    """
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    place = levels
    upper, lower = expit(ends[place + 1] - values), expit(ends[place] - values)
    chance = np.maximum(upper - lower, 1e-12)
    size = len(cuts)
    by_upper, by_lower = upper * (1 - upper) / chance, -lower * (1 - lower) / chance
    slope = np.bincount(place, by_upper, minlength=size + 1)[:-1]
    slope = slope + np.bincount(place, by_lower, minlength=size + 1)[1:]
    bent_upper = by_upper * (1 - 2 * upper) - by_upper**2
    bent_lower = by_lower * (1 - 2 * lower) - by_lower**2
    hessian = np.diag(
        np.bincount(place, bent_upper, minlength=size + 1)[:-1]
        + np.bincount(place, bent_lower, minlength=size + 1)[1:]
    )
    cross = np.bincount(place, -by_upper * by_lower, minlength=size + 1)
    for j in range(1, size):
        hessian[j - 1, j] += cross[j]
        hessian[j, j - 1] += cross[j]
    step = -np.linalg.solve(hessian - 1e-9 * np.eye(size), slope)
    moved = cuts + step
    while (np.diff(moved) <= 0).any():  # shorter, until cut points keep their order
        step = step / 2.0
        moved = cuts + step
    return np.asarray(moved)
