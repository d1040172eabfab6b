"""A cloud of rules, each with the weight that decisions leave it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from welfarist.asking.coordinates import Coordinates, Rules
from welfarist.asking.evidence import Evidence
from welfarist.asking.prior import Prior
from welfarist.base.validation import FloatArray


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

    def log_likelihood(self, welfares: FloatArray, rules: Rules) -> FloatArray:
        """Return the log likelihood (S,) of rules whose log welfares (S, N) are known."""
        return self.evidence.log_likelihood(welfares, rules, self.line.ties)


@dataclass(frozen=True, eq=False)
class Cloud:
    """Particles: rules as rows of numbers, and what was worked out of them.

    Attributes
    ----------
    theta : (S, q) array
    log_prior, log_likelihood : (S,) arrays
    welfares : (S, N) or (S, 0) array
        Log welfare of the actions that were decided about, kept so that noise can move alone, or
        not kept: a further decision works them out again.
    log_weights : (S,) array
        Whose exponentials sum to 1.
    """

    theta: FloatArray
    log_prior: FloatArray
    log_likelihood: FloatArray
    welfares: FloatArray
    log_weights: FloatArray

    @classmethod
    def from_prior(cls, target: Target, size: int, rng: np.random.Generator) -> Cloud:
        """Draw from the prior, and see what decisions say of each."""
        theta = target.prior.draw(target.line, size, rng)
        return cls.at(theta, target)

    @classmethod
    def at(cls, theta: FloatArray, target: Target) -> Cloud:
        """Return equally weighted particles at rows of numbers (S, q)."""
        rules = target.line.rules(theta)
        welfares = target.evidence.outcomes.log_welfare(rules.weights, rules.powers)
        size = len(theta)
        return cls(
            theta,
            target.prior.log_density(target.line, theta),
            target.log_likelihood(welfares, rules),
            welfares,
            np.full(size, -np.log(size)),
        )

    def without_welfares(self) -> Cloud:
        """Return the cloud without log welfares, a fraction of its size."""
        return replace(self, welfares=np.empty((len(self), 0)))

    def with_welfares(self, target: Target) -> Cloud:
        """Return the cloud with log welfares worked out again, to the last digit."""
        rules = target.line.rules(self.theta)
        outcomes = target.evidence.outcomes
        return replace(self, welfares=outcomes.log_welfare(rules.weights, rules.powers))

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
        """Return the cloud after new decisions, which are the last ones of the target's."""
        rules, known = target.line.rules(self.theta), target.evidence.outcomes
        fresh = known.take(np.arange(self.welfares.shape[1], len(known)))
        more = fresh.log_welfare(rules.weights, rules.powers)
        welfares = np.concatenate([self.welfares, more], axis=1)
        _, places = known.places_of(new.outcomes)
        gains = new.log_likelihood(welfares[:, places], rules, target.line.ties)
        grown = replace(self, welfares=welfares, log_likelihood=self.log_likelihood + gains)
        return grown.reweighted(gains)

    def resampled(self, size: int, rng: np.random.Generator) -> Cloud:
        """Return so many equally weighted particles, drawn systematically."""
        return self.take(systematic(self.shares, size, rng))

    def take(self, rows: npt.NDArray[np.intp]) -> Cloud:
        """Return some particles, equally weighted."""
        return Cloud(
            self.theta[rows],
            self.log_prior[rows],
            self.log_likelihood[rows],
            self.welfares[rows],
            np.full(len(rows), -np.log(len(rows))),
        )

    @classmethod
    def joined(cls, clouds: Sequence[Cloud]) -> Cloud:
        """Return the particles of several clouds, equally weighted."""
        theta, log_prior, log_likelihood, welfares = (
            np.concatenate([getattr(cloud, name) for cloud in clouds])
            for name in ("theta", "log_prior", "log_likelihood", "welfares")
        )
        size = len(theta)
        return cls(theta, log_prior, log_likelihood, welfares, np.full(size, -np.log(size)))

    def replaced(self, accepted: npt.NDArray[np.bool_], other: Cloud) -> Cloud:
        """Return the cloud with some particles (S,) from another."""
        chosen = accepted[:, None]
        same = other.welfares is self.welfares  # where noise alone has moved
        return Cloud(
            np.where(chosen, other.theta, self.theta),
            np.where(accepted, other.log_prior, self.log_prior),
            np.where(accepted, other.log_likelihood, self.log_likelihood),
            self.welfares if same else np.where(chosen, other.welfares, self.welfares),
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
