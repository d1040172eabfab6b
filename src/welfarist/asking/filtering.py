"""From a prior to a posterior: one answer after another, or many at once.

An answer multiplies the weights of particles by its likelihood. Where that leaves fewer than half
as many that say something, particles are drawn anew and moved (resample-move). Many answers at once
are let in little by little (tempering).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from welfarist.asking.cloud import Cloud, Target, systematic
from welfarist.asking.evidence import Evidence
from welfarist.asking.moves import Reference, moved
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
_ANSWER, _STEP, _LAST = (0.3, 20), (0.4, 20), (0.08, 60)
# Particles that find the way from the prior to a posterior.
_ON_THE_WAY = 2000
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
        return State(target, moved(cloud.resampled(rng), target, reference, rng, *_ANSWER))


def started(
    prior: Prior, evidence: Evidence, ties: bool, size: int, rng: np.random.Generator
) -> State:
    """Return what is believed after all decisions of which something is known."""
    target = Target(prior, prior.coordinates(evidence.people, ties), evidence)
    return tempered(target, size, rng)


def tempered(target: Target, size: int, rng: np.random.Generator) -> State:
    """Let decisions in little by little, from the prior on.

    Few particles find the way; at its end each becomes several, which part.
    """
    few = min(size, _ON_THE_WAY) if target.evidence.total else size
    cloud = Cloud.from_prior(target, few, rng)
    share = 0.0
    while share < 1.0:
        step = _next_step(cloud, 1.0 - share)
        share = 1.0 if step >= 1.0 - share else share + step
        cloud = cloud.reweighted(step * cloud.log_likelihood)
        reference = Reference.of(cloud)
        count, until = (few, _STEP) if share < 1.0 else (size, _LAST)
        if target.evidence.total:
            here = replace(target, share=share)
            drawn = cloud.take(systematic(cloud.shares, count, rng))
            cloud = moved(drawn, here, reference, rng, *until)
    return State(target, cloud)


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
