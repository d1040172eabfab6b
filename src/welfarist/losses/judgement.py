"""A family at a point: the values of all actions, and how they change with what is learned."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.families.columns import People
from welfarist.families.welfare import Welfare
from welfarist.losses.point import Point, weight_units
from welfarist.people.absent import PartlyPresent
from welfarist.people.attribute_weighting import AttributeWeighting
from welfarist.people.weighting import Weighting

# A step in a coordinate by which derivatives are found: the cube root of rounding.
_STEP = 6e-6


@dataclass(slots=True)  # made at every step: freezing it would take a microsecond
class Judgement:
    """What a rule says of all actions.

    Attributes
    ----------
    family : Family
    people : People
    weighting : Weighting
        What is free in the weights.
    learn_power : bool
        Whether the family's shape is learned.
    point : Point
    weights : (d,) array
        One weight per person.
    welfare : Welfare
        Values of the actions, less the people's shift, with derivatives.
    roughly : bool
        Whether second derivatives by two weights are left out, which take longest where weights
        are very many and matter least: they come with residuals of either sign.
    """

    family: Family
    people: People
    weighting: Weighting
    learn_power: bool
    point: Point
    weights: FloatArray
    welfare: Welfare
    roughly: bool = False

    @property
    def values(self) -> FloatArray:
        """The values (N,)."""
        return self.welfare.value

    def rows(self) -> FloatArray:
        """Derivatives of the values (q, N): by free weight, the shape's t, slope, family's own."""
        k, point = self.weighting.free, self.point
        rows = np.empty((k + self.learn_power, len(self.values)))
        if k:
            units = weight_units(point.weights)[:, None]
            np.multiply(self.weighting.pull_back(self.welfare.by_weight), units, out=rows[:k])
        if self.learn_power:
            steep = self.family.shape.coordinate.steepness(point.p)
            np.multiply(self.welfare.by_power, steep, out=rows[k])
        if isinstance(self.weighting, AttributeWeighting):
            rows = np.vstack([rows, self._slope_rows(self.weighting)])
        if self.welfare.by_own is not None:
            rows = np.vstack([rows, self.welfare.by_own])
        return rows

    def along(self, numbers: FloatArray) -> FloatArray:
        """Return the product of :meth:`rows` with one number an action (N,), without the rows."""
        k, point = self.weighting.free, self.point
        found = np.empty(k + self.learn_power)
        if k:
            by_person = self.welfare.along(numbers)
            found[:k] = self.weighting.pull_back(by_person[:, None])[:, 0]
            found[:k] *= weight_units(point.weights)
        if self.learn_power:
            steep = self.family.shape.coordinate.steepness(point.p)
            found[k] = steep * float(self.welfare.by_power @ numbers)
        if isinstance(self.weighting, AttributeWeighting):
            found = np.concatenate([found, self._slope_rows(self.weighting) @ numbers])
        if self.welfare.by_own is not None:
            found = np.concatenate([found, self.welfare.by_own @ numbers])
        return found

    def _slope_rows(self, weighting: AttributeWeighting) -> FloatArray:
        """Derivatives of the values (s, N) by slope; 0 at infinite powers, where all count."""
        moved = weighting.moved_by(self.weights)
        if np.isinf(self.point.p):
            return np.zeros((len(moved), len(self.values)))
        return np.asarray(moved @ self.welfare.by_weight)

    def bending(self, rows: FloatArray, pull: FloatArray, extra: float = 0.0) -> FloatArray:
        """Sum over actions of `pull` (N,) times the second derivatives by weights, t and slopes.

        `rows` are those of :meth:`rows`; `extra` times the outer squares of the rows by free weight
        is added, in the same pass.
        """
        k, p = self.weighting.free, self.point.p
        bent = np.zeros((len(rows), len(rows)))
        if k and not self.roughly:
            bent[:k, :k] = self.family.bend_by_weights(rows[:k], pull, p, extra)
            bent[:k, :k] += self._bent_by_sharing(rows[:k], pull)
            bent[:k, :k] += self._bent_further(pull)
        own = len(rows) - len(self.family.own)
        if isinstance(self.weighting, AttributeWeighting):
            slopes = slice(k + self.learn_power, own)
            bent[slopes, slopes] = self._bent_by_slopes(self.weighting, rows[slopes], pull)
        if self.learn_power:
            cross, twice = self.family.bend_by_shape(
                self.people, self.weights, p, self.welfare, pull
            )
            coordinate = self.family.shape.coordinate
            steep = coordinate.steepness(p)
            if isinstance(self.weighting, AttributeWeighting):
                bent[k, k + 1 : own] = self.weighting.moved_by(self.weights) @ cross * steep
                bent[k + 1 : own, k] = bent[k, k + 1 : own]
            if k:
                units = weight_units(self.point.weights)
                bent[:k, k] = self.weighting.pull_back(cross[:, None])[:, 0] * units * steep
                bent[k, :k] = bent[:k, k]
            along = float(self.welfare.by_power @ pull)
            bent[k, k] = twice * steep * steep + coordinate.bend(p) * along
        if self.family.own:
            bent[own:] = self._bent_by_own(pull)
            bent[:own, own:] = bent[own:, :own].T
        return bent

    def _bent_further(self, pull: FloatArray) -> FloatArray | float:
        """What second derivatives by two free weights (k, k) have beyond those by their squares."""
        found = self.family.bend_further(self.people, self.weights, self.point.p, pull)
        if found is None:
            return 0.0
        units = weight_units(self.point.weights)
        pulled = self.weighting.pull_back(self.weighting.pull_back(found).T)
        return np.asarray(pulled * units * units[:, None])

    def _bent_by_own(self, pull: FloatArray) -> FloatArray:
        """Second derivatives (m, q) by the family's own parameters and everything, by differences.

        Summed over actions with `pull` (N,).
        """
        here = np.array(self.family.own_start)
        found = []
        for place in range(len(here)):
            ends = []
            for sign in (1.0, -1.0):
                moved = here.copy()
                moved[place] += sign * _STEP
                member = self.family.at(moved)
                welfare = member.welfare(self.people, self.weights, self.point.p)
                at = replace(self, family=member, welfare=welfare)
                ends.append(at.rows() @ pull)
            found.append((ends[0] - ends[1]) / (2.0 * _STEP))
        bent = np.array(found)
        own = bent[:, -len(here) :]
        bent[:, -len(here) :] = (own + own.T) / 2.0
        return bent

    def _bent_by_slopes(
        self, weighting: AttributeWeighting, rows: FloatArray, pull: FloatArray
    ) -> FloatArray:
        """Sum of `pull` times second derivatives by two slopes (s, s): of the mean, of weights."""
        if np.isinf(self.point.p):
            return np.zeros((len(rows), len(rows)))
        bent = self.family.bend_by_weights(rows, pull, self.point.p, 0.0)
        bent = bent + self._bent_by_sharing(rows, pull)
        further = self.family.bend_further(self.people, self.weights, self.point.p, pull)
        if further is not None:
            moved = weighting.moved_by(self.weights)
            bent = bent + moved @ further @ moved.T
        return np.asarray(bent + weighting.bent_by(self.weights, self.welfare.by_weight @ pull))

    def _bent_by_sharing(self, rows: FloatArray, pull: FloatArray) -> FloatArray | float:
        """What second derivatives by two weights gain where these are shared by who is present."""
        point, people = self.point, self.people
        if not isinstance(people, PartlyPresent):
            return 0.0
        shares = people.shared(self.weights)
        if isinstance(self.weighting, AttributeWeighting):
            there = self.weighting.moved_by(self.weights) @ shares
        else:
            there = self.weighting.pull_back(shares) * weight_units(point.weights)[:, None]
        cross = (rows * pull) @ there.T
        return np.asarray(-(cross + cross.T))
