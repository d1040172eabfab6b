"""Moves that leave a posterior as it is, so that copies of a particle become different rules.

Two kinds take turns: an autoregressive move about a Student distribution with the cloud's mean and
covariance, which is nearly an independent draw where the posterior is near to that, and steps along
the difference of two particles, which are short where the posterior is narrow and long where it is
wide: after few answers it is narrow where the decision maker is thought to be steady, and as wide
as the prior where not. Each is followed by moves of the noise alone, for which log welfares need
not be worked out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from welfarist.asking.cloud import Cloud, Target
from welfarist.base.validation import FloatArray

# Degrees of freedom of the reference: tails as heavy as the prior's of t.
_FREEDOM = 5.0
# How far an autoregressive move goes: 1 forgets where it started, but for the distance.
_STEPS = (0.3, 0.6, 1.0)
# A random walk of this length over the root of the dimension is best for normal targets.
_WALK = 2.38
# Lengths of steps, the share that goes the whole way, and the shares of numbers that step.
_LENGTHS, _WHOLE, _SOME = (0.15, 0.4, 1.0), 0.1, (0.25, 0.6, 1.0)
# One sweep of so many is an autoregressive move, the others are steps; after a round of them it is
# seen how much is remembered.
_ROUND = 3
# Moves of the noise alone after each move of the rule, and their length in cloud deviations.
_NOISE_MOVES, _NOISE_WALK = 2, 2.4
# Correlations of particles that have nothing to do with each other, times the root of their number:
# what is remembered cannot be seen to be less.
_UNRELATED = 2.0
# Added to the covariance, so that a cloud in which all agree on a number can still move.
_LEAST_VARIANCE = 1e-8


@dataclass(frozen=True, eq=False)
class Reference:
    """A cloud's mean (q,) and the root (q, q) of its covariance."""

    mean: FloatArray
    root: FloatArray

    @classmethod
    def of(cls, cloud: Cloud) -> Reference:
        """Take the cloud's first two moments, weighted."""
        mean = cloud.shares @ cloud.theta
        away = cloud.theta - mean
        covariance = (away * cloud.shares[:, None]).T @ away
        covariance[np.diag_indices_from(covariance)] += _LEAST_VARIANCE
        return cls(mean, np.asarray(np.linalg.cholesky(covariance), dtype=np.float64))

    def distances(self, theta: FloatArray) -> FloatArray:
        """Return squared Mahalanobis distances (S,) of rows of numbers (S, q)."""
        away = np.linalg.solve(self.root, (theta - self.mean).T)
        return np.asarray((away**2).sum(axis=0))

    def log_density(self, distances: FloatArray) -> FloatArray:
        """Return the Student log density (S,) at such distances, less its constant."""
        q = len(self.mean)
        return -0.5 * (_FREEDOM + q) * np.log1p(distances / _FREEDOM)


@dataclass(frozen=True)
class Until:
    """How long particles move.

    Attributes
    ----------
    forget : float
        The correlation of any number with what it was before at which moves end.
    most, least : int
        Sweeps at most, and before it is looked at what they remember.
    """

    forget: float
    most: int
    least: int = 0


# How far particles go until they count as others: where many people are learned of, those that are
# far out in one direction take long to come back.
_APART = Until(0.1, 150, least=40)


def moved(
    cloud: Cloud, target: Target, reference: Reference, rng: np.random.Generator, until: Until
) -> Cloud:
    """Return an equally weighted cloud after as many sweeps as it takes to forget where it was."""
    start, done = cloud.theta, 0
    forgotten = max(until.forget, _UNRELATED / np.sqrt(len(cloud)))
    while done < until.most:
        step = max(_ROUND, until.least - done)
        sweeps = range(done, min(done + step, until.most))
        cloud, done = _swept(cloud, target, reference, start, sweeps, rng), sweeps.stop
        if _memory(start, cloud.theta) < forgotten:
            break
    return cloud


def multiplied(cloud: Cloud, target: Target, size: int, rng: np.random.Generator) -> Cloud:
    """Return a larger cloud: where particles are now, and where they are later, again and again."""
    reference, seen = Reference.of(cloud), [cloud]
    while sum(map(len, seen)) < size:
        seen.append(moved(seen[-1], target, reference, rng, _APART))
    whole = Cloud.joined(seen)
    return whole if len(whole) == size else whole.take(np.arange(size))


def _memory(before: FloatArray, after: FloatArray) -> float:
    """The largest correlation of a number (S, q) with what it was before."""
    one, other = before - before.mean(axis=0), after - after.mean(axis=0)
    size = np.sqrt((one**2).sum(axis=0) * (other**2).sum(axis=0))
    return float(((one * other).sum(axis=0) / np.maximum(size, np.finfo(float).tiny)).max())


def _swept(
    cloud: Cloud,
    target: Target,
    reference: Reference,
    start: FloatArray,
    sweeps: range,
    rng: np.random.Generator,
) -> Cloud:
    """Some sweeps: some particles make all of them, then the next ones.

    Log welfares of all actions are there of those only that move.
    """
    parts = []
    for rows in target.blocks(len(cloud)):
        walkers = Walkers.of(cloud.take(rows), target)
        for sweep in sweeps:
            walkers = walkers.moved(reference, start, sweep, rng)
        parts.append(walkers.cloud)
    return Cloud.joined(parts)


@dataclass(frozen=True, eq=False)
class Walkers:
    """Equally weighted particles that move.

    Attributes
    ----------
    cloud : Cloud
    target : Target
        The distribution that moves leave as it is.
    welfares : (S, N) array
        Log welfares of the actions that were decided about, with which noise can move alone.
    """

    cloud: Cloud
    target: Target
    welfares: FloatArray

    @classmethod
    def of(cls, cloud: Cloud, target: Target) -> Walkers:
        """Work their log welfares out."""
        return cls(cloud, target, target.log_welfare(target.line.rules(cloud.theta)))

    @classmethod
    def at(cls, theta: FloatArray, target: Target) -> Walkers:
        """Return particles at rows of numbers (S, q)."""
        rules = target.line.rules(theta)
        welfares = target.log_welfare(rules)
        return cls(
            Cloud.known(theta, target, target.log_likelihood(welfares, rules)), target, welfares
        )

    def moved(
        self, reference: Reference, start: FloatArray, sweep: int, rng: np.random.Generator
    ) -> Walkers:
        """One move of the rule, of the kind whose turn it is, and moves of the noise."""
        if sweep % _ROUND == 0:
            found = self._autoregressive(reference, rng)
        else:
            found = self._stepped(start, rng)
        for _ in range(_NOISE_MOVES):
            found = found._noise_moved(reference, rng)
        return found

    def _autoregressive(self, reference: Reference, rng: np.random.Generator) -> Walkers:
        """One move that would leave the Student reference as it is, corrected for the target.

        Formula: with r the distance from the mean, ``g ~ Gamma((v + q) / 2, rate (v + r^2) / 2)``
        is the precision under which the Student is normal; then
        ``x' = m + sqrt(1 - s^2) (x - m) + s L e / sqrt(g)``.
        """
        here = self.cloud.theta
        size, q = here.shape
        before = reference.distances(here)
        precision = rng.gamma((_FREEDOM + q) / 2.0, 2.0 / (_FREEDOM + before))
        s = rng.choice(_STEPS, size)[:, None]
        noise = rng.standard_normal((size, q)) @ reference.root.T
        kept = np.sqrt(1.0 - s**2) * (here - reference.mean)
        theta = reference.mean + kept + s * noise / np.sqrt(precision)[:, None]
        after = reference.distances(theta)
        tilt = reference.log_density(before) - reference.log_density(after)
        return self._decided(Walkers.at(theta, self.target), tilt, rng)

    def _stepped(self, start: FloatArray, rng: np.random.Generator) -> Walkers:
        """One step along the difference of two particles (differential evolution), in some numbers.

        They are two of where all began, (n, q).
        """
        here = self.cloud.theta
        (size, q), n = here.shape, len(start)
        along = start[rng.integers(0, n, size)] - start[rng.integers(0, n, size)]
        length = _WALK / np.sqrt(2.0 * q) * rng.choice(_LENGTHS, size)[:, None]
        length[rng.random(size) < _WHOLE] = 1.0
        some = rng.random((size, q)) < rng.choice(_SOME, size)[:, None]
        theta = np.where(some, here + length * along, here)
        return self._decided(Walkers.at(theta, self.target), np.zeros(size), rng)

    def _noise_moved(self, reference: Reference, rng: np.random.Generator) -> Walkers:
        """One random walk of the noise alone, at log welfares as they are."""
        cloud, target, line = self.cloud, self.target, self.target.line
        width = line.size - line.people
        root = reference.root[line.noise]
        spread = np.linalg.cholesky(root @ root.T)
        theta = cloud.theta.copy()
        length = _NOISE_WALK / np.sqrt(width) * rng.choice((0.3, 1.0), len(cloud))[:, None]
        theta[:, line.noise] += length * (rng.standard_normal((len(cloud), width)) @ spread.T)
        density = target.prior.log_density_of_noise
        there = replace(
            cloud,
            theta=theta,
            log_prior=cloud.log_prior + density(line, theta) - density(line, cloud.theta),
            log_likelihood=target.log_likelihood(self.welfares, line.noise_alone(theta)),
        )
        return self._decided(replace(self, cloud=there), np.zeros(len(cloud)), rng)

    def _decided(self, there: Walkers, tilt: FloatArray, rng: np.random.Generator) -> Walkers:
        """Accept each proposal with the chance that leaves the target as it is."""
        with np.errstate(invalid="ignore"):
            gain = there.cloud.log_prior - self.cloud.log_prior + tilt
            gain += there.cloud.log_likelihood - self.cloud.log_likelihood
        accepted = np.log(rng.random(len(gain))) < np.nan_to_num(gain, nan=-np.inf)
        welfares = self.welfares
        if there.welfares is not welfares:  # else noise alone has moved
            welfares = np.where(accepted[:, None], there.welfares, welfares)
        return Walkers(self.cloud.replaced(accepted, there.cloud), self.target, welfares)
