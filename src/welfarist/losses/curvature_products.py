"""Second derivatives of a loss as products: what is learned is too much for a matrix of them.

With k weights a matrix has k squared entries, and as many times the decisions are added up for it.
A product with a move takes two passes over the derivatives of the values, which are kept in single
precision: it is for steps, whose gradient has all its digits.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses.decision_loss import DecisionEvaluation, DecisionLoss
from welfarist.losses.loss import Loss
from welfarist.losses.observed_pairs import ObservedPairs, PairResponse
from welfarist.losses.observed_scores import ObservedScores, ScoreResponse
from welfarist.losses.point import weight_units

# Derivatives in single precision are cut here, so that their squares are numbers; they belong to
# people who do not count, and are that large only where these would change everything.
_LARGEST = 1e15
# A share of the usual curvature that a weight has at least, so that no unit is infinite.
_FLAT = 1e-12
_LEAST = 1e-300


def has_products(loss: Loss) -> bool:
    """Whether second derivatives of a loss can be had as products."""
    if not isinstance(loss, DecisionLoss) or loss.family != POWER_MEAN or loss.slopes:
        return False
    if not isinstance(loss.people, Columns) or not loss.weighting.free:
        return False
    observed = loss.observed
    if isinstance(observed, ObservedScores):
        return True
    return isinstance(observed, ObservedPairs) and len(observed.parameters) == 1


class CurvatureProducts:
    """Gradient and second derivatives of a loss at a point, moves in units of the weights.

    Attributes
    ----------
    gradient : (q,) array
        By free weights, the shape's t (if learned) and the extras.
    diagonal : (q,) array
        Of the expected second derivatives, roughly: what makes moves comparable.
    exactly : bool
        Whether products are with the Hessian, along moves that keep the sum of the weights, rather
        than with what is expected of it, which is positive semidefinite.
    """

    def __init__(self, here: DecisionEvaluation) -> None:
        assert isinstance(here.response, ScoreResponse | PairResponse)
        self._here, self._judged, self._response = here, here.judged, here.response
        self._weights = self._judged.weighting.free
        self._learn_power = self._judged.learn_power
        self._before = self._weights + self._learn_power
        self.exactly = False
        self._read()

    def _read(self) -> None:
        """Work out the derivatives of the values, in one pass."""
        judged, response = self._judged, self._response
        people = judged.people
        assert isinstance(people, Columns)
        units = weight_units(judged.point.weights)[:, None]
        self._pull, stiffness = response.pull(), response.stiffness
        self._rows = np.empty((self._weights, people.actions), dtype=np.float32)
        by_weight, squares = np.zeros(self._weights), np.zeros(self._weights)
        common = np.zeros(self._weights)
        for part in people.parts():
            rows = judged.weighting.pull_back(judged.welfare.part(part).by_weight) * units
            by_weight += rows @ self._pull[part]
            np.clip(rows, -_LARGEST, _LARGEST, out=rows)
            self._rows[:, part] = rows
            common += rows @ stiffness[part]
            np.square(rows, out=rows)
            squares += rows @ stiffness[part]
        steep = judged.family.shape.coordinate.steepness(judged.point.p)
        self._by_power = judged.welfare.by_power * steep
        if isinstance(response, PairResponse):  # what all actions share is no difference
            squares = np.maximum(squares - np.square(common) / stiffness.sum(), 0.0)
        self._fill(by_weight, squares, stiffness)

    def _fill(self, by_weight: FloatArray, squares: FloatArray, stiffness: FloatArray) -> None:
        """Put gradient and diagonal together."""
        response, none = self._response, np.zeros(len(self._pull))
        extras = response.noise_gradient()
        self.gradient = np.concatenate([by_weight, np.zeros(self._before - self._weights), extras])
        self.diagonal = np.concatenate([squares, np.zeros(len(self.gradient) - self._weights)])
        if self._learn_power:
            self.gradient[self._weights] = self._by_power @ self._pull
            self.diagonal[self._weights] = np.square(self._by_power) @ stiffness
            if isinstance(response, PairResponse):
                shared = float(self._by_power @ stiffness) ** 2 / float(stiffness.sum())
                self.diagonal[self._weights] -= shared
        charge = self._here.charge
        if charge is not None and self._learn_power:
            self.gradient[self._weights] += charge[1]
            self.diagonal[self._weights] += max(float(charge[2]), 0.0)
        for place in range(len(extras)):
            one = (np.arange(len(extras)) == place).astype(np.float64)
            self.diagonal[self._before + place] = response.twice(none, one, False)[1][place]
        # By the weights themselves: in units of their own those of small weights are small.
        units = weight_units(self._judged.point.weights)
        with np.errstate(over="ignore"):
            usual = float(np.median(squares / units / units))
        self.diagonal[: self._weights] = np.maximum(squares, units * units * (_FLAT * usual))
        np.maximum(self.diagonal, _LEAST, out=self.diagonal)

    @cached_property
    def _bending(self) -> tuple[FloatArray, float]:
        """Second derivatives by weight and t (k,) and twice by t, summed with the pull."""
        judged = self._judged
        p, coordinate = judged.point.p, judged.family.shape.coordinate
        cross, twice = judged.family.bend_by_shape(
            judged.people, judged.weights, p, judged.welfare, self._pull
        )
        steep = coordinate.steepness(p)
        by_both = judged.weighting.pull_back(cross[:, None])[:, 0]
        by_both = by_both * weight_units(judged.point.weights) * steep
        along = float(judged.welfare.by_power @ self._pull)
        return by_both, twice * steep * steep + coordinate.bend(p) * along

    def product(self, move: FloatArray) -> FloatArray:
        """Return the product with a move (q,)."""
        k = self._weights
        single = move[:k].astype(np.float32)
        by_weights = (single @ self._rows).astype(np.float64)
        values = by_weights
        if self._learn_power:
            values = values + move[k] * self._by_power
        pulled, extras = self._response.twice(values, move[self._before :], self.exactly)
        found = np.empty(len(move))
        found[self._before :] = extras
        if self._learn_power:
            found[k] = self._by_power @ pulled + self._charged() * move[k]
        if self.exactly:
            pulled = pulled - self._judged.point.p * self._pull * by_weights
        found[:k] = self._rows @ pulled.astype(np.float32)
        if self.exactly and self._learn_power:
            by_both, twice = self._bending
            found[:k] += by_both * move[k]
            found[k] += by_both @ move[:k] + twice * move[k]
        return found

    def _charged(self) -> float:
        """What the charge for the shape adds to its curvature."""
        if self._here.charge is None:
            return 0.0
        bend = float(self._here.charge[2])
        return bend if self.exactly else max(bend, 0.0)
