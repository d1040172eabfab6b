"""Losses of scores and comparisons, relaxed to convex problems on boxes of rules.

On a box log M of every action lies within a known distance of a plane, and so does what a decision
is explained by. Each decision may stray from it in the way that suits it best.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy.sparse import csr_array

from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionLoss
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.losses.observed_scores import ObservedScores
from welfarist.noise.base import SMALLEST_TAU
from welfarist.proofs.rules.boxes import Boxes
from welfarist.proofs.rules.cones import Cones
from welfarist.proofs.rules.tangents import Enclosure, FarOut, NearZero

_WIDER = 1.0 + 1e-9
_ULPS = 64.0 * float(np.finfo(np.float64).eps)


class Rules:
    """log M of a loss's actions on boxes of rules.

    Where only ratios of welfare matter (`relative`), what all actions have in common is left out.
    """

    def __init__(self, logs: FloatArray, relative: bool) -> None:
        nothing = np.zeros((len(logs), 1))
        self._near = NearZero(logs)
        self._far = {1: FarOut(logs), -1: FarOut(-logs)}
        self._common = None if relative else FarOut(nothing)

    def on(self, boxes: Boxes) -> Enclosure:
        """Enclose log M on boxes that lie in one zone."""
        zone = int(boxes.zone[0])
        if zone == 0:
            return self._near.on(boxes.low, boxes.high)
        found = self._far[zone].on(boxes.low, boxes.high)
        if self._common is not None:
            found = found.less(self._common.on(boxes.low, boxes.high))
        return found if zone > 0 else found.turned()


class _Surprise:
    """``weight log(1 + e^t)``."""

    def __init__(self, weights: FloatArray) -> None:
        self._weights = weights

    def all(self, t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        decay = np.exp(-np.abs(t))
        near = 1.0 / (1.0 + decay)
        slope = np.where(t > 0, near, decay * near)
        value = (np.maximum(t, 0.0) + np.log1p(decay)) @ self._weights
        bend = decay * near * near
        slope *= self._weights
        bend *= self._weights
        return value, slope, bend


class RelaxedComparisons:
    """Relaxations of the logistic loss of comparisons; the scale is tau."""

    first_scale = 1.0

    def __init__(self, loss: DecisionLoss) -> None:
        observed = cast(ObservedPairs, loss.observed)
        pairs, total = observed.graph.pairs, observed.total
        ahead = (pairs.count + pairs.lead) / (2.0 * total)
        behind = (pairs.count - pairs.lead) / (2.0 * total)
        wins, losses = ahead > 0, behind > 0
        # Each row: who was preferred to whom, and how often.
        self._better = np.concatenate([pairs.first[wins], pairs.second[losses]])
        self._worse = np.concatenate([pairs.second[wins], pairs.first[losses]])
        weights = np.concatenate([ahead[wins], behind[losses]])
        self._functions = _Surprise(weights)
        self._largest = observed.tau_max
        assert loss.people.table is not None
        self._rules = Rules(loss.people.table, relative=True)
        rows = np.arange(len(weights))
        entries = np.ones(2 * len(weights)), (
            np.concatenate([self._better, self._worse]), np.concatenate([rows, rows])
        )  # fmt: skip
        self._ends = csr_array(entries, shape=(observed.graph.actions, len(weights)))

    def on(self, boxes: Boxes) -> tuple[Cones, FloatArray]:
        """Let differences in log M be what suits the outcomes best, within their bounds."""
        m = self._rules.on(boxes)
        better, worse = self._better, self._worse
        forms = np.empty((len(boxes), m.slopes.shape[1] + 1, len(better)))
        top, bottom = m.value + m.above, m.value - m.below
        np.subtract(bottom[:, worse], top[:, better], out=forms[:, 0])
        np.subtract(m.slopes[:, :, worse], m.slopes[:, :, better], out=forms[:, 1:])
        widths = 0.5 * (boxes.high - boxes.low)
        problems = Cones(forms, 0.0, widths, SMALLEST_TAU, self._largest, self._functions)
        return problems, m.parts

    @property
    def rows(self) -> int:
        """How many terms the loss has."""
        return len(self._better)

    def extras(self, scale: float) -> FloatArray:
        """The loss's own parameters at a temperature."""
        return np.array([np.log(scale)])

    def weight_of(self, pull: FloatArray) -> FloatArray:
        """Sum the slopes of all comparisons that an action took part in."""
        return np.asarray((self._ends @ pull.T).T)


class _Excess:
    """``weight max(t, 0)^2``."""

    def __init__(self, weights: FloatArray) -> None:
        self._weights = weights

    def all(self, t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        beyond = np.maximum(t, 0.0)
        value = np.square(beyond) @ self._weights
        return value, 2.0 * self._weights * beyond, np.where(t > 0, 2.0 * self._weights, 0.0)


class RelaxedScores:
    """Relaxations of the squared loss of scores; the scale is the scores', or 1."""

    first_scale = 1.0

    def __init__(self, loss: DecisionLoss) -> None:
        observed = cast(ObservedScores, loss.observed)
        assert loss.people.table is not None
        self._rules = Rules(loss.people.table, relative=observed.scale)
        self._shift = -float(loss.people.table.max()) if observed.scale else observed.offset
        self._offset = observed.offset
        self._functions = _Excess(np.concatenate([observed.sample_weight] * 2))
        self._offsets = np.concatenate([-observed.scores, observed.scores])
        self._ends = (0.0, np.inf) if observed.scale else (1.0, 1.0)

    def on(self, boxes: Boxes) -> tuple[Cones, FloatArray]:
        """Count how far a score lies outside of what welfare can be."""
        m = self._rules.on(boxes)
        widths = 0.5 * (boxes.high - boxes.low)
        reach = np.matmul(widths[:, None], np.abs(m.slopes))[:, 0]
        welfare = np.exp(m.value + self._shift)
        with np.errstate(over="ignore", invalid="ignore"):
            # The most and the least of exp(t + stray) - 1 - t for |t| <= reach.
            above = np.expm1(reach + m.above) - reach
            far = np.minimum(reach - m.below, 0.0)
            below = np.where(far < 0, reach - np.expm1(far), m.below)
        rounding = _ULPS * (1.0 + np.abs(m.value) + abs(self._shift))
        slopes = m.slopes * welfare[:, None]
        n = welfare.shape[1]
        forms = np.empty((len(boxes), slopes.shape[1] + 1, 2 * n))
        forms[:, 0, :n] = welfare * (1.0 - _WIDER * below - rounding)
        forms[:, 0, n:] = -welfare * (1.0 + _WIDER * above + rounding)
        forms[:, 1:, :n] = slopes
        forms[:, 1:, n:] = -slopes
        bent = (
            np.abs(m.slopes)
            * widths[:, :, None]
            * (reach * np.exp(np.minimum(reach, 50.0)))[:, None]
        )
        return Cones(forms, self._offsets, widths, *self._ends, self._functions), (
            (m.parts + bent) * welfare[:, None]
        )

    @property
    def rows(self) -> int:
        """How many terms the loss has: two for each score."""
        return len(self._offsets)

    def extras(self, scale: float) -> FloatArray:
        """The loss's own parameters at a scale."""
        if self._ends[0] == self._ends[1]:
            return np.empty(0)
        return np.array([np.log(scale) + self._shift - self._offset])

    def weight_of(self, pull: FloatArray) -> FloatArray:
        """Add the slopes of both sides of every score."""
        n = pull.shape[1] // 2
        return pull[:, :n] + pull[:, n:]


def relaxed(loss: DecisionLoss) -> RelaxedScores | RelaxedComparisons:
    """Return the relaxations of a loss."""
    return RelaxedScores(loss) if loss.squared else RelaxedComparisons(loss)
