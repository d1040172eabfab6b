"""Scores of actions whose welfare is uncertain: a Gaussian likelihood in closed form.

Domain: scores y real, counts c above 0; log welfare normal with mean m and covariance K.

Formula: y is normal with the mean and covariance of a lognormal welfare and noise besides::

    mu_a = scale exp(m_a + K_aa / 2),   Omega = diag(sigma^2 / c) + mu mu' * (exp(K) - 1)

Limits: with K = 0 it is the likelihood of squared errors, sigma^2 their mean where it is best.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky

from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray
from welfarist.losses.estimated.laplace import check_actions
from welfarist.losses.judgement import Judgement
from welfarist.losses.observed_scores import ObservedScores, SingleScores
from welfarist.noise.scores import SCALE, SIGMA
from welfarist.people.estimated.spread import Reach

# The smallest noise beside the size of scores that is searched.
_LEAST = 1e-8
_LOG_TWO_PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True)
class EstimatedScores(ObservedScores):
    """Scores of actions whose welfare is uncertain, in their own unit.

    What is learned beside the rule is the scale, if asked for, and the noise of scores.

    Attributes
    ----------
    last : dict
        What was found where the likelihood was last looked at.
    """

    last: dict[str, Any] = field(default_factory=dict, compare=False, repr=False, kw_only=True)

    squared = False

    @classmethod
    def of_exact(cls, observed: ObservedScores, shared: bool) -> EstimatedScores:
        """Take over scores of actions that were taken as exact.

        `shared` says whether errors of different actions go together.
        """
        if shared:
            check_actions(len(observed.scores))
        size = observed.size
        offset = observed.offset + float(np.log(size))
        return cls(
            observed.scores * size,
            observed.sample_weight,
            observed.total,
            observed.scale,
            1.0,
            observed.level,
            offset,
        )

    def without_errors(self) -> ObservedScores:
        """Return the same scores of actions that are taken as exact, in units of their size."""
        size = float(np.sqrt(self.sample_weight @ np.square(self.scores)))
        return ObservedScores(
            self.scores / size,
            self.sample_weight,
            self.total,
            self.scale,
            size,
            self.level,
            self.offset - float(np.log(size)),
        )

    @property
    def counts(self) -> FloatArray:
        """How often each score was given (N,)."""
        return self.sample_weight * self.total

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The scale, if it is learned, and the noise."""
        return (SCALE, SIGMA) if self.scale else (SIGMA,)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The scale is free, and noise at least a trifle; `limits` if they were narrowed."""
        if self.limits is not None:
            return self.limits
        size = float(np.sqrt(self.sample_weight @ np.square(self.scores)))
        lowest = np.full(len(self.parameters), -np.inf)
        lowest[-1] = np.log(_LEAST * size) if size > 0 else -np.inf
        return lowest, np.full(len(self.parameters), np.inf)

    @property
    def features(self) -> dict[str, str]:
        """Errors of utilities are not covered by every method."""
        return {**super().features, "estimated": "utilities with errors"}

    @property
    def resolution(self) -> float:
        """Log likelihoods are compared to this."""
        return 1e-13

    def start(self, values: FloatArray, has_zeros: bool = False) -> FloatArray:
        """Return the scale that fits best, and the noise that is left."""
        exact = self.without_errors()
        scale = exact.start(values, has_zeros)
        left = exact.respond(values, scale).value
        noise = np.log(exact.size) + 0.5 * np.log(max(left, _LEAST))
        return np.asarray(np.clip(np.append(scale, noise), *self.bounds))

    def integrate(
        self, values: FloatArray, effects: Reach, extras: FloatArray, *, exact: bool = False
    ) -> ScoredWelfare:
        """Return their likelihood at mean log welfare (N,) with effects of errors."""
        del exact
        log_scale = float(extras[0]) if self.scale else 0.0
        levels = values + (self.offset + log_scale)
        return ScoredWelfare(self, levels, effects.covariance, extras)

    def log_likelihood(self, value: float) -> float:
        """Return the log likelihood of all scores where the mean loss is `value`."""
        return float(-self.total * value)

    def deviance(self, value: float, best: float) -> float:
        """Return twice the log likelihood that `value` loses against the mean loss `best`."""
        return float(2.0 * self.total * (value - best))

    def loss_at(self, deviance: FloatArray, best: float) -> FloatArray:
        """Return the mean losses (n,) that stand behind deviances (n,)."""
        return np.asarray(best + deviance / (2.0 * self.total))

    def null_loss(self) -> float:
        """Return the mean loss of the mean of all scores, with the variance about it."""
        variance = super().null_loss()
        if variance <= 0:
            return -np.inf
        return 0.5 * (float(np.log(variance)) + 1.0 + _LOG_TWO_PI)

    def least_loss(self) -> float:
        """None is known."""
        return -np.inf

    def one_by_one(self, decided: Any) -> SingleScores:
        """Return the scores one by one, of actions that are taken as exact."""
        del decided
        return SingleScores(self.without_errors())

    def sampler(self, judged: Judgement, extras: FloatArray, value: float) -> Any:
        """Return what draws scores, of welfare that differs from its mean as it may."""
        del value
        people: Any = judged.people
        uncertain = people.seen(judged.weights, judged.point.p, judged.welfare)
        mean = uncertain.biased(judged.welfare).value
        return ScoreDraws(self, mean, uncertain.effects.covariance, extras)

    def drawn(
        self, values: FloatArray, extras: FloatArray, rng: np.random.Generator
    ) -> EstimatedScores:
        """Return new scores of actions with these values (N,), less the same shift."""
        log_scale = float(extras[0]) if self.scale else 0.0
        welfare = np.exp(values + (self.offset + log_scale))
        noise = float(np.exp(extras[-1])) * rng.normal(size=len(values))
        return replace(self, scores=welfare + noise / np.sqrt(self.counts), last={})

    def moved(self, shift: float) -> EstimatedScores:
        """Return the same scores for values that lack so much more."""
        return replace(self, offset=self.offset + shift, last={})


@dataclass(frozen=True)
class ScoreDraws:
    """Scores drawn from a rule whose values are uncertain."""

    observed: EstimatedScores
    mean: FloatArray
    covariance: FloatArray
    extras: FloatArray

    actions = None

    @property
    def size(self) -> float:
        """How many scores there are."""
        return self.observed.total

    def draw(self, rng: np.random.Generator) -> EstimatedScores:
        """Return new scores of the same actions."""
        effects = drawn_effects(self.covariance, rng)
        return self.observed.drawn(self.mean + effects, self.extras, rng)


def drawn_effects(covariance: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return normal effects (N,) with a covariance (N, N), or variances (N,)."""
    if covariance.ndim == 1:
        return np.asarray(np.sqrt(covariance) * rng.normal(size=len(covariance)))
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors @ (np.sqrt(np.maximum(values, 0.0)) * rng.normal(size=len(values))))


class ScoredWelfare:
    """The negative log likelihood of scores, and its derivatives."""

    def __init__(
        self,
        observed: EstimatedScores,
        levels: FloatArray,
        covariance: FloatArray,
        extras: FloatArray,
    ) -> None:
        self._observed, self._apart = observed, covariance.ndim == 1
        variances = covariance if self._apart else covariance.diagonal()
        with np.errstate(over="ignore"):
            self._mean = np.exp(levels + 0.5 * variances)
            self._noise = np.exp(2.0 * float(extras[-1])) / observed.counts
            self._excess = np.expm1(covariance)
        self._log_noise, self.effects = float(extras[-1]), np.zeros_like(levels)
        self.value = self._size() if np.isfinite(self._mean).all() else np.inf

    def _size(self) -> float:
        counts = self._observed.counts
        with np.errstate(over="ignore", invalid="ignore"):
            spread = 0.5 * (self._determinant + float(self._residual @ self._surprise))
        if not np.isfinite(spread):
            return np.inf
        repeated = 0.5 * float((counts - 1.0).sum() * 2.0 * self._log_noise + np.log(counts).sum())
        return spread + repeated + 0.5 * self._observed.total * _LOG_TWO_PI

    @cached_property
    def _residual(self) -> FloatArray:
        return np.asarray(self._observed.scores - self._mean)

    @cached_property
    def _factor(self) -> FloatArray:
        """Variances (N,) of scores, or the factor (N, N) of their covariance."""
        if self._apart:
            return np.asarray(self._noise + np.square(self._mean) * self._excess)
        whole = self._excess * self._mean * self._mean[:, None]
        whole[np.diag_indices_from(whole)] += self._noise
        return np.asarray(cholesky(whole, lower=True, check_finite=False))

    @property
    def _determinant(self) -> float:
        if self._apart:
            return float(np.log(self._factor).sum())
        return 2.0 * float(np.log(self._factor.diagonal()).sum())

    @cached_property
    def _surprise(self) -> FloatArray:
        if self._apart:
            return np.asarray(self._residual / self._factor)
        return np.asarray(cho_solve((self._factor, True), self._residual, check_finite=False))

    @cached_property
    def _precision(self) -> FloatArray:
        """Of scores, (N,) or (N, N)."""
        if self._apart:
            return np.asarray(1.0 / self._factor)
        return np.asarray(
            cho_solve((self._factor, True), np.eye(len(self._mean)), check_finite=False)
        )

    @cached_property
    def _by_spread(self) -> FloatArray:
        """Derivatives by the covariance of scores, (N,) or (N, N)."""
        surprise = self._surprise
        square = np.square(surprise) if self._apart else np.outer(surprise, surprise)
        return np.asarray(0.5 * (self._precision - square))

    @cached_property
    def by_values(self) -> FloatArray:
        """Derivatives by mean log welfare (N,)."""
        mean, spread = self._mean, self._by_spread * self._excess
        through = 2.0 * spread * mean if self._apart else 2.0 * spread @ mean
        return np.asarray(mean * (through - self._surprise))

    @property
    def by_covariance(self) -> FloatArray:
        """Derivatives by the covariance of log welfare, of its shape."""
        grown = self._by_spread * (self._excess + 1.0)
        if self._apart:
            return np.asarray(grown * np.square(self._mean) + 0.5 * self.by_values)
        found = grown * self._mean * self._mean[:, None]
        found[np.diag_indices_from(found)] += 0.5 * self.by_values
        return np.asarray(found)

    @property
    def by_extras(self) -> FloatArray:
        """Derivatives by the log scale, if it is learned, and log sigma."""
        own = self._by_spread if self._apart else self._by_spread.diagonal()
        repeated = float((self._observed.counts - 1.0).sum())
        by_noise = float(2.0 * own @ self._noise) + repeated
        scale = [float(self.by_values.sum())] if self._observed.scale else []
        return np.array([*scale, by_noise])

    def curvature(self, by_values: FloatArray, by_variances: FloatArray) -> FloatArray:
        """Return the Fisher matrix, of errors that go together roughly."""
        q, size = len(by_values), len(self._mean)
        extra = 1 + int(self._observed.scale)
        levels, spread = np.zeros((q + extra, size)), np.zeros((q + extra, size))
        levels[:q] = by_values + 0.5 * by_variances
        own = self._excess if self._apart else self._excess.diagonal()
        squares = np.square(self._mean)
        spread[:q] = squares * (2.0 * own * levels[:q] + (own + 1.0) * by_variances)
        if self._observed.scale:
            levels[q], spread[q] = 1.0, 2.0 * own * squares
        spread[-1] = 2.0 * self._noise
        rows = levels * self._mean
        precision = self._precision
        if self._apart:
            found = (rows * precision) @ rows.T
            found += 0.5 * (spread * np.square(precision)) @ spread.T
        else:
            found = rows @ precision @ rows.T + 0.5 * spread @ np.square(precision) @ spread.T
        found[-1, -1] += 2.0 * max(float((self._observed.counts - 1.0).sum()), 0.0)
        return np.asarray(found)
