"""A cloud of rules, each with the weight that decisions leave it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from welfarist.asking.coordinates import Coordinates, Rules
from welfarist.asking.evidence import Evidence
from welfarist.asking.prior import Prior
from welfarist.base.validation import FloatArray

# Entries of the log welfares that are worked out at a time: what is kept of decisions does not grow
# with their number, and this fits into the cache of one core.
_BLOCK = 60_000


@dataclass(frozen=True)
class Target:
    """The distribution that a cloud stands for: prior times likelihood.

    Attributes
    ----------
    prior : Prior
    line : Coordinates
    evidence : Evidence
    """

    prior: Prior
    line: Coordinates
    evidence: Evidence

    def log_welfare(self, rules: Rules) -> FloatArray:
        """Return log welfares (S, N) of the actions that were decided about."""
        return self.evidence.outcomes.log_welfare(rules.weights, rules.powers)

    def log_likelihood(self, welfares: FloatArray, rules: Rules) -> FloatArray:
        """Return the log likelihood (S,) of rules whose log welfares (S, N) are known."""
        return self.evidence.log_likelihood(welfares, rules, self.line.ties)

    def blocks(self, size: int) -> Iterator[slice]:
        """Yield the parts in which so many particles are worked on, all of them in turn."""
        step = max(1, _BLOCK // max(self.evidence.width, 1))
        for start in range(0, size, step):
            yield slice(start, min(start + step, size))


@dataclass(frozen=True, eq=False)
class Cloud:
    """Particles: rules as rows of numbers, and what was worked out of them.

    Attributes
    ----------
    theta : (S, q) array
    log_prior, log_likelihood : (S,) arrays
    log_weights : (S,) array
        Whose exponentials sum to 1.
    """

    theta: FloatArray
    log_prior: FloatArray
    log_likelihood: FloatArray
    log_weights: FloatArray

    @classmethod
    def from_prior(cls, target: Target, size: int, rng: np.random.Generator) -> Cloud:
        """Draw from the prior, and see what decisions say of each."""
        theta = target.prior.draw(target.line, size, rng)
        return cls.at(theta, target)

    @classmethod
    def at(cls, theta: FloatArray, target: Target) -> Cloud:
        """Return equally weighted particles at rows of numbers (S, q)."""
        size = len(theta)
        log_likelihood = np.empty(size)
        for part in target.blocks(size):
            rules = target.line.rules(theta[part])
            log_likelihood[part] = target.log_likelihood(target.log_welfare(rules), rules)
        return cls.known(theta, target, log_likelihood)

    @classmethod
    def known(cls, theta: FloatArray, target: Target, log_likelihood: FloatArray) -> Cloud:
        """Return the same where log likelihoods (S,) are known."""
        size = len(theta)
        log_prior = target.prior.log_density(target.line, theta)
        return cls(theta, log_prior, log_likelihood, np.full(size, -np.log(size)))

    def __len__(self) -> int:
        return len(self.theta)

    @property
    def shares(self) -> FloatArray:
        """Weights (S,) that sum to 1."""
        return np.exp(self.log_weights)

    @property
    def effective(self) -> float:
        """How many equally weighted particles say as much."""
        return float(1.0 / np.sum(self.shares**2))

    def reweighted(self, gains: FloatArray) -> Cloud:
        """Return the cloud with log weights raised by so much (S,)."""
        return replace(self, log_weights=_normalised(self.log_weights + gains))

    def extended(self, target: Target, new: Evidence) -> Cloud:
        """Return the cloud after new decisions, which are among the target's."""
        rules = target.line.rules(self.theta)
        welfares = new.outcomes.log_welfare(rules.weights, rules.powers)
        gains = new.log_likelihood(welfares, rules, target.line.ties)
        grown = replace(self, log_likelihood=self.log_likelihood + gains)
        return grown.reweighted(gains)

    def resampled(self, size: int, rng: np.random.Generator) -> Cloud:
        """Return so many equally weighted particles, drawn systematically."""
        return self.take(systematic(self.shares, size, rng))

    def take(self, rows: npt.NDArray[np.intp] | slice) -> Cloud:
        """Return some particles, equally weighted."""
        theta = self.theta[rows]
        same = np.full(len(theta), -np.log(len(theta)))
        return Cloud(theta, self.log_prior[rows], self.log_likelihood[rows], same)

    @classmethod
    def joined(cls, clouds: Sequence[Cloud]) -> Cloud:
        """Return the particles of several clouds, equally weighted."""
        theta, log_prior, log_likelihood = (
            np.concatenate([getattr(cloud, name) for cloud in clouds])
            for name in ("theta", "log_prior", "log_likelihood")
        )
        return cls(theta, log_prior, log_likelihood, np.full(len(theta), -np.log(len(theta))))

    def replaced(self, accepted: npt.NDArray[np.bool_], other: Cloud) -> Cloud:
        """Return the cloud with some particles (S,) from another."""
        return Cloud(
            np.where(accepted[:, None], other.theta, self.theta),
            np.where(accepted, other.log_prior, self.log_prior),
            np.where(accepted, other.log_likelihood, self.log_likelihood),
            self.log_weights,
        )


def systematic(shares: FloatArray, size: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Return particle numbers (size,), each about as often as its share says."""
    places = (np.arange(size) + rng.random()) / size
    ends = np.cumsum(shares)
    return np.asarray(np.minimum(np.searchsorted(ends / ends[-1], places), len(shares) - 1))


def _normalised(logs: FloatArray) -> FloatArray:
    top = logs.max()
    if np.isneginf(top):  # no particle explains this; all of them are equally bad
        return np.full(len(logs), -np.log(len(logs)))
    less = logs - top
    return np.asarray(less - np.log(np.exp(less).sum()))
