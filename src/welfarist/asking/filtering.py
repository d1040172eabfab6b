"""From a prior to a posterior: one answer after another, or many at once.

An answer multiplies the weights of particles by its likelihood. Where that leaves fewer than half
as many that say something, particles are drawn anew and moved (resample-move). Many answers at once
are let in little by little (tempering).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from welfarist.asking.cloud import Cloud, Target
from welfarist.asking.evidence import Evidence
from welfarist.asking.moves import Reference, moved, multiplied
from welfarist.asking.prior import Prior

# Particles are drawn anew below this share of equally weighted ones.
_HALF = 0.5
# An answer that leaves fewer than this leaves too few to say how far to move: those before it do.
_FEW = 0.1
# An answer that leaves fewer than this is let in little by little, with all others, which takes a
# second.
_HARDLY_ANY = 0.01
# Moves end where particles remember so much of where they were, or after so many sweeps: after an
# answer, at each step of tempering, and at its end.
_ANSWER, _STEP, _LAST = (0.3, 20), (0.05, 60), (0.02, 150)
# Particles that move. Where more are wanted, these are taken down several times on their way once
# all decisions are in: few that go far find a posterior that is narrow here and wide there better
# than many that do not.
_WALKERS = 5000
# Halvings in search of the next step of tempering: to a thousandth of what is left.
_HALVINGS = 30


@dataclass(frozen=True, eq=False)
class State:
    """What is believed after some decisions.

    Attributes
    ----------
    target : Target
    cloud : Cloud
    """

    target: Target
    cloud: Cloud

    def plus(self, new: Evidence, rng: np.random.Generator) -> State:
        """Return what is believed after one more answer, or many."""
        target = replace(self.target, evidence=self.target.evidence.plus(new))
        if new.total > 1.0:
            return tempered(target, len(self.cloud), rng)
        cloud = self.cloud.extended(target, new)
        if cloud.effective >= _HALF * len(cloud):
            return State(target, cloud)
        if cloud.effective < _HARDLY_ANY * len(cloud):
            return tempered(target, len(cloud), rng)
        reference = Reference.of(cloud if cloud.effective >= _FEW * len(cloud) else self.cloud)
        drawn = cloud.resampled(_walkers(len(cloud)), rng)
        return _all_of(moved(drawn, target, reference, rng, *_ANSWER), target, len(cloud), rng)


@dataclass(frozen=True, eq=False)
class Mark:
    """A state without the welfares of its actions, which would make it large."""

    cloud: Cloud

    @classmethod
    def of(cls, state: State) -> Mark:
        """Keep what cannot be worked out again."""
        return cls(state.cloud.without_welfares())

    def state(self, prior: Prior, ties: bool, evidence: Evidence) -> State:
        """Return the state again, to the last digit, after the same decisions."""
        target = Target(prior, prior.coordinates(evidence.people, ties), evidence)
        return State(target, self.cloud.with_welfares(target))


def started(
    prior: Prior, evidence: Evidence, ties: bool, size: int, rng: np.random.Generator
) -> State:
    """Return what is believed after all decisions of which something is known."""
    target = Target(prior, prior.coordinates(evidence.people, ties), evidence)
    return tempered(target, size, rng)


def tempered(target: Target, size: int, rng: np.random.Generator) -> State:
    """Let decisions in little by little, from the prior on."""
    if not target.evidence.total:
        return State(target, Cloud.from_prior(target, size, rng))
    cloud = Cloud.from_prior(target, _walkers(size), rng)
    share = 0.0
    while share < 1.0:
        step = _next_step(cloud, 1.0 - share)
        share = 1.0 if step >= 1.0 - share else share + step
        cloud = cloud.reweighted(step * cloud.log_likelihood)
        reference = Reference.of(cloud)
        here = replace(target, share=share)
        until = _STEP if share < 1.0 else _LAST
        cloud = moved(cloud.resampled(_walkers(size), rng), here, reference, rng, *until)
    return _all_of(cloud, target, size, rng)


def _walkers(size: int) -> int:
    """How many particles move, so that there are so many in the end."""
    return min(size, _WALKERS)


def _all_of(cloud: Cloud, target: Target, size: int, rng: np.random.Generator) -> State:
    """What is believed, told by so many particles."""
    return State(target, cloud if len(cloud) == size else multiplied(cloud, target, size, rng))


def _next_step(cloud: Cloud, left: float) -> float:
    """How much more of the likelihood leaves half the particles' worth."""
    if cloud.reweighted(left * cloud.log_likelihood).effective >= _HALF * len(cloud):
        return left
    low, high = 0.0, left
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        enough = cloud.reweighted(middle * cloud.log_likelihood).effective >= _HALF * len(cloud)
        low, high = (middle, high) if enough else (low, middle)
    return max(low, 1e-12)
