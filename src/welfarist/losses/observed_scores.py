"""Scores with Gaussian noise: squared errors and their derivatives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray
from welfarist.decisions import Scores
from welfarist.families.levels import Level, Prediction
from welfarist.losses.judgement import Judgement
from welfarist.losses.observed import ByDecider, Slopes, TermColumns, UnitName
from welfarist.losses.point import QuadraticModel
from welfarist.losses.restraint import Restraint
from welfarist.noise.scores import SCALE
from welfarist.people.source import is_source

# M carries a relative rounding error of about 1e-15; its square, with headroom for the sum.
_ROUNDING = 1e-28
# The size of scores is no smaller a share of the largest utility.
_LEAST_SHARE = 1e-30
# The logarithm of a prediction whose square is still a number.
_FAR = 300.0
# Where no positive scale fits, the best is one that cannot be told from 0: this small beside 1.
_LEAST_RATIO = 1e-100
# Scores that a simulated sample may hold.
_MOST_DRAWN = 10_000_000
# What stands for a mean squared error of nothing where its logarithm is taken.
_LEAST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class ObservedScores:
    """Mean squared difference between welfare and scores, in units of the scores' own size.

    Domain: scores y real with root mean square 1, after division by `size`; sample weights s not
    negative and summing to 1.

    Formula: ``sum_a s_a (c M(u_a; w, p) - y_a)^2``, with c = 1 or learned as exp(log scale).

    Attributes
    ----------
    scores : (N,) array
        In units of `size`.
    sample_weight : (N,) array
    total : float
        How many scores there are, counts included.
    scale : bool
        Whether c is learned.
    size : float
        The root mean square of the scores as they were given.
    level : Level
        How a score follows from a value.
    offset : float
        What is added to values so that they stand for scores.
    limits : pair of arrays or None
        Bounds of the log scale, if they were narrowed.
    """

    scores: FloatArray
    sample_weight: FloatArray
    total: float
    scale: bool
    size: float
    level: Level
    offset: float
    limits: tuple[FloatArray, FloatArray] | None = None

    squared = True
    countable = False
    in_parts = False
    restraint = None

    def glance(self, values: FloatArray, powers: FloatArray) -> None:
        """None: scores have few optima, and rules judged roughly find no others."""
        del values, powers

    @classmethod
    def of(cls, scores: Scores, scale: bool, level: Level, shift: float) -> ObservedScores:
        """Take over checked scores, all of which count; `shift` is what values lack."""
        values, counts = scores.values, scores.counts
        share = counts / counts.max()
        share /= share.sum()
        largest = float(np.abs(values).max())
        size = largest * float(np.sqrt(share @ np.square(values / largest))) if largest else 1.0
        if level.is_ratio and not scale and not is_source(scores.utilities):
            # Beside much larger utilities scores are next to nothing: squares must stay numbers.
            size = max(size, _LEAST_SHARE * float(scores.utilities.max()))
        offset, total = level.offset(shift, size), float(counts.sum())
        return cls(values / size, share, total, scale, size, level, offset)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The scale, if it is learned."""
        return (SCALE,) if self.scale else ()

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The scale is positive, and otherwise free; `limits` if it was narrowed."""
        if self.limits is not None:
            return self.limits
        edge = np.full(len(self.parameters), np.inf)
        return -edge, edge

    @property
    def rows(self) -> int:
        """How many scores there are."""
        return len(self.scores)

    @property
    def unit(self) -> float:
        """Squared errors are multiplied with this to be in the user's unit."""
        return self.size * self.size

    @property
    def resolution(self) -> float:
        """What rounding leaves of a perfect fit."""
        return _ROUNDING

    @property
    def sees_level(self) -> bool:
        """Without a scale, what all values gain alike is seen."""
        return not self.scale

    @property
    def features(self) -> dict[str, str]:
        """A learned scale is not covered by every method."""
        return {"scale": "scale=True"} if self.scale else {}

    def within(self, limits: tuple[FloatArray, FloatArray]) -> ObservedScores:
        """Return the same decisions, with narrower bounds (m,), (m,) of the parameters."""
        return replace(self, limits=limits)

    def respond(
        self,
        values: FloatArray,
        extras: FloatArray,
        has_zeros: bool = False,  # noqa: ARG002 - nothing is a score like any other
    ) -> ScoreResponse:
        """Return the mean squared error of what values (N,) stand for."""
        if self.scale:
            return self._with_scale(values, float(extras[0]))
        predicted = self.level.predict(values, self.offset, self.size, 0.0)
        residual = predicted.score - self.scores
        value = float(self.sample_weight @ np.square(residual))
        return ScoreResponse(value, self, predicted, residual)

    def _with_scale(self, values: FloatArray, log_scale: float) -> ScoreResponse:
        """The mean squared error at a scale; infinite where that is far too large."""
        with np.errstate(over="ignore"):
            predicted = self.level.predict(values, self.offset, self.size, log_scale)
            residual = predicted.score - self.scores
            value = float(self.sample_weight @ np.square(residual))
        return ScoreResponse(value, self, predicted, residual)

    def exactly(self, response: ScoreResponse, extras: FloatArray) -> ScoreResponse:
        """Return the response as it is: expected and observed second derivatives agree."""
        del extras
        return response

    def start(self, values: FloatArray, has_zeros: bool = False) -> FloatArray:
        """Return the scale that fits best."""
        if not self.scale:
            return np.empty(0)
        largest = float(values.max()) + self.offset
        # Utilities in a unit far from that of scores are brought near to it first.
        apart = largest if self.level.is_ratio and _FAR < abs(largest) < np.inf else 0.0
        welfare = self.respond(values, np.array([-apart]), has_zeros).predicted.score
        weighted = self.sample_weight * welfare
        size = float(weighted @ welfare)
        ratio = float(weighted @ self.scores) / size if size > 0 else 1.0
        return np.array([np.log(max(ratio, _LEAST_RATIO)) - apart])

    def share(
        self, fraction: float, rng: np.random.Generator
    ) -> tuple[ObservedScores, npt.NDArray[np.intp]]:
        """Return a random share of the scores, and which actions these are."""
        size = max(1, round(fraction * len(self.scores)))
        rows = np.sort(rng.choice(len(self.scores), size, replace=False))
        part = self.sample_weight[rows]
        drawn = replace(self, scores=self.scores[rows], sample_weight=part / part.sum())
        return drawn, rows

    def log_likelihood(self, value: float) -> float:
        """Return the Gaussian log likelihood whose variance is the mean squared error `value`."""
        variance = value * self.size**2
        return float(-0.5 * self.total * (np.log(2.0 * np.pi * variance) + 1.0))

    def deviance(self, value: float, best: float) -> float:
        """Return twice the log likelihood that `value` loses against the mean loss `best`."""
        # A null may happen to explain the scores to the last digit.
        return float(self.total * np.log(max(value, _LEAST) / best))

    def loss_at(self, deviance: FloatArray, best: float) -> FloatArray:
        """Return the mean losses (n,) that stand behind deviances (n,)."""
        return np.asarray(best * self.size**2 * np.exp(deviance / self.total))

    def without_noise(self, extras: FloatArray) -> None:
        """Scores have no temperature."""
        del extras

    def is_without_noise(self, extras: FloatArray) -> bool:
        """Scores have no temperature."""
        del extras
        return False

    def if_noise_free(self, countable: bool) -> str:
        """Scores have no temperature."""
        del countable
        return ""

    def one_by_one(self, decided: Any) -> SingleScores:
        """Return the scores one by one, as they are."""
        del decided
        return SingleScores(self)

    def sampler(self, judged: Judgement, extras: FloatArray, value: float) -> ScoreSampler:
        """Return what draws scores from a rule; counts are rounded."""
        predicted = self.respond(judged.values, extras).predicted.score
        counts = np.rint(self.sample_weight * self.total).astype(np.intp)
        if self.total > _MOST_DRAWN:
            raise InputError(
                f"simulated samples hold every single score, {_MOST_DRAWN:g} at most; found counts "
                f"that sum to {self.total:g}. With so many the likelihood ratio needs no "
                "simulation; or count in a larger unit."
            )
        rows = np.repeat(np.arange(len(counts)), counts)
        return ScoreSampler(self, rows, predicted[rows], float(np.sqrt(value)))

    def restrained(self, restraint: Restraint | None) -> ObservedScores:
        """Return the same scores: nothing is charged beside their errors."""
        assert restraint is None
        return self

    def null_loss(self) -> float:
        """Return the mean squared error of the mean of all scores."""
        mean = float(self.sample_weight @ self.scores)
        return float(self.sample_weight @ np.square(self.scores - mean))

    def least_loss(self) -> float:
        """Return 0: scores could be explained exactly."""
        return 0.0


@dataclass(frozen=True)
class ScoreSampler:
    """Scores of the same actions, as often as observed, with Gaussian noise.

    `actions` are those of single scores, `welfare` what the rule says of these.
    """

    observed: ObservedScores
    actions: npt.NDArray[np.intp]
    welfare: FloatArray
    deviation: float

    @property
    def size(self) -> float:
        """How many scores there are."""
        return float(len(self.welfare))

    def draw(self, rng: np.random.Generator) -> ObservedScores:
        """Return one score per observation."""
        scores = self.welfare + self.deviation * rng.normal(size=len(self.welfare))
        weights = np.full(len(scores), 1.0 / len(scores))
        return replace(self.observed, scores=scores, sample_weight=weights, total=self.size)


@dataclass(frozen=True)
class SingleScores:
    """Scores one by one: what sandwiches, resamples and score tests need."""

    observed: ObservedScores

    deciders = None

    def outer_scores(
        self,
        judged: Judgement,
        extras: FloatArray,
        basis: FloatArray,
        by: npt.NDArray[np.intp] | None,
    ) -> FloatArray:
        """Return the sum of outer squares of ``(y - c M) d(c M) / sigma^2`` (m, m)."""
        del by
        here = self.observed.respond(judged.values, extras)
        rows = here.with_scale(judged.rows())
        counts = self.observed.sample_weight * self.observed.total
        pull = here.residual * here.predicted.slope / here.value
        scores = (basis @ rows) * (np.sqrt(counts) * pull)
        return np.asarray(scores @ scores.T)

    def resampling(self, unit: UnitName, size: int) -> ScoreRows:
        """Return how resamples of so many scores are drawn."""
        del unit
        return ScoreRows(self.observed, size)

    def by_decider(self) -> ByDecider:
        """Refuse: scores do not say who decided."""
        raise InputError(
            "several decision makers are told apart in comparisons and choices; found scores, "
            "which do not say who decided."
        )

    def slopes(
        self,
        judged: Judgement,
        extras: FloatArray,
        basis: FloatArray,
        terms: FloatArray,
        columns: TermColumns | None = None,
        people: npt.NDArray[np.intp] | None = None,
        value: float = 0.0,
    ) -> Slopes:
        """Return slope and information about the estimates and new terms (e, N) of the values.

        `columns` gives terms (N, c) that are added to the scores themselves.
        """
        del people, value
        here = self.observed.respond(judged.values, extras)
        rows = here.with_scale(judged.rows())
        design = np.vstack([basis @ rows, terms]) * here.predicted.slope
        if columns is not None:
            design = np.vstack([design, columns(slice(None)).T])
        total = self.observed.total
        counts = self.observed.sample_weight * total
        slope = -design @ (counts * here.residual)
        design *= np.sqrt(counts)
        return Slopes(slope, design @ design.T, len(basis), total, here.value * total, True)


@dataclass(frozen=True)
class ScoreRows:
    """Scored actions, drawn one by one; each as likely as often it was observed."""

    observed: ObservedScores
    size: int

    def draw(self, rng: np.random.Generator) -> ObservedScores:
        """Return a resample."""
        counts = rng.multinomial(self.size, self.observed.sample_weight)
        return replace(self.observed, sample_weight=counts / self.size)


@dataclass(slots=True)  # made at every step: freezing it would take a microsecond
class ScoreResponse:
    """The squared loss at values of the actions.

    Attributes
    ----------
    value : float
    observed : ObservedScores
    predicted : Prediction
        Scores that the values stand for.
    residual : (N,) array
        Predicted less stated scores.
    """

    value: float
    observed: ObservedScores
    predicted: Prediction
    residual: FloatArray

    @property
    def of_decisions(self) -> float:
        """The loss of the decisions alone: there is no other."""
        return self.value

    def with_scale(self, rows: FloatArray) -> FloatArray:
        """Derivatives (q + m, N) of predictions in units of their slope, by every parameter."""
        if not self.observed.scale:
            return rows
        return np.vstack([rows, self.predicted.by_scale()])

    def gradient(self, rows: FloatArray) -> FloatArray:
        """Return the gradient."""
        return np.asarray(self.with_scale(rows) @ self.pull())

    def gradient_along(self, judged: Judgement) -> FloatArray:
        """Return the gradient from what is judged, without derivatives of every value."""
        return np.concatenate([judged.along(self.pull()), self.noise_gradient()])

    def noise_gradient(self) -> FloatArray:
        """Return the derivative (m,) by the scale, if it is learned."""
        if not self.observed.scale:
            return np.empty(0)
        return np.array([self.predicted.by_scale() @ self.pull()])

    def model(self, rows: FloatArray) -> QuadraticModel:
        """Return gradient and Gauss-Newton matrix."""
        if not self.observed.scale:
            return self._model(rows)
        with np.errstate(over="ignore", invalid="ignore"):  # where predictions are far too large
            return self._model(self.with_scale(rows))

    def _model(self, rows: FloatArray) -> QuadraticModel:
        gradient = rows @ self.pull()
        rows *= np.sqrt(2.0 * self.observed.sample_weight) * self.predicted.slope
        return QuadraticModel(gradient, rows @ rows.T)  # half the work: NumPy sees the symmetry

    def remainder(self, judged: Judgement, rows: FloatArray) -> FloatArray:
        """Return residuals times second derivatives, which Gauss-Newton leaves out."""
        pull, bend, q = self.pull(), self.predicted.bend, len(rows)
        rows = self.with_scale(rows)
        left = np.zeros((len(rows), len(rows)))
        # The loss bends twice in a value, as a square and through the level; the latter adds
        # bend times pull g g'.
        left[:q, :q] = judged.bending(rows[:q], pull, bend)
        k = judged.weighting.free
        if bend:
            others = (rows[k:] * pull) @ rows.T
            left[k:] += others
            left[:k, k:] += others[:, :k].T
        elif self.observed.scale:  # a scale times a value bends in both together
            left[q] = rows @ pull
            left[:, q] = left[q]
        return left

    def twice(
        self, values: FloatArray, extras: FloatArray, exactly: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Return second derivatives by values and scale, times a move (N,), (m,) of these.

        What Gauss-Newton leaves out is part of them if `exactly`.
        """
        stiff = 2.0 * self.observed.sample_weight * np.square(self.predicted.slope)
        pull, bend = self.pull(), self.predicted.bend
        if not self.observed.scale:
            return (stiff + bend * pull if exactly else stiff) * values, np.empty(0)
        by_scale, scale = self.predicted.by_scale(), float(extras[0])
        pulled = stiff * (values + by_scale * scale)
        if not exactly:
            return pulled, np.array([by_scale @ pulled])
        if bend:
            pulled += bend * pull * (values + by_scale * scale)
            return pulled, np.array([by_scale @ pulled])
        curved = by_scale @ pulled + pull @ values + scale * (pull @ by_scale)
        return pulled + pull * scale, np.array([curved])

    @property
    def stiffness(self) -> FloatArray:
        """What second derivatives by each value alone (N,) are without what rises in residuals."""
        return np.asarray(2.0 * self.observed.sample_weight * np.square(self.predicted.slope))

    def pull(self) -> FloatArray:
        """Return the derivative of the loss by each value (N,)."""
        return np.asarray(2.0 * self.observed.sample_weight * self.residual * self.predicted.slope)
