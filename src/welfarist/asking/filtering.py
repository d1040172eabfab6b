"""From a prior to a posterior: one answer after another, or many at once.

An answer multiplies the weights of particles by its likelihood. Where that leaves fewer than half
as many that say something, particles are drawn anew and moved (resample-move). Many answers at once
are let in little by little (tempering).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from welfarist.asking.arrivals import Arrivals, next_stop
from welfarist.asking.cloud import Cloud, Target, systematic
from welfarist.asking.coordinates import Rules
from welfarist.asking.evidence import Evidence
from welfarist.asking.moves import Reference, Until, moved, multiplied
from welfarist.asking.prior import Prior
from welfarist.base.validation import FloatArray

# Particles are drawn anew below this share of equally weighted ones.
_HALF = 0.5
# An answer that leaves fewer than this leaves too few to say how far to move: those before it do.
_FEW = 0.1
# An answer that leaves fewer than this is let in little by little.
_HARDLY_ANY = 0.01
# Moves end where particles remember so much of where they were, or after so many sweeps: after an
# answer, at each step of letting many decisions in, and at its end.
_ANSWER, _STEP, _LAST = Until(0.3, 20), Until(0.05, 60), Until(0.05, 400, least=150)
# Particles that move: so many, or one of so many. They are taken down several times on their way
# once all decisions are in: few that go far find a posterior that is narrow here and wide there
# better than many that do not.
_WALKERS, _ONE_OF = 5000, 4


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
        before, size = self.target, len(self.cloud)
        target = replace(before, evidence=before.evidence.plus(new))
        if new.total > 1.0:
            return started(target.prior, target.evidence, target.line.ties, size, rng)
        cloud = self.cloud.extended(target, new)
        if cloud.effective >= _HALF * len(cloud):
            return State(target, cloud)
        if cloud.effective < _HARDLY_ANY * len(cloud):
            alike = self.cloud.resampled(_walkers(size), rng)
            return _let_in(State(before, alike), new, size, rng, _ANSWER, _ANSWER)
        reference = Reference.of(cloud if cloud.effective >= _FEW * len(cloud) else self.cloud)
        drawn = cloud.resampled(_walkers(len(cloud)), rng)
        return _all_of(moved(drawn, target, reference, rng, _ANSWER), target, len(cloud), rng)


def started(
    prior: Prior, evidence: Evidence, ties: bool, size: int, rng: np.random.Generator
) -> State:
    """Return what is believed after all decisions of which something is known."""
    nothing = Evidence.none(evidence.people)
    target = Target(prior, prior.coordinates(evidence.people, ties), nothing)
    if not evidence.total:
        return State(target, Cloud.from_prior(target, size, rng))
    cloud = Cloud.from_prior(target, _walkers(size), rng)
    return _let_in(State(target, cloud), evidence, size, rng, _STEP, _LAST)


def _let_in(
    state: State, new: Evidence, size: int, rng: np.random.Generator, step: Until, last: Until
) -> State:
    """Let decisions in little by little, with moves after each step, and after the last."""
    before, cloud = state.target, state.cloud
    whole = replace(before, evidence=before.evidence.plus(new))
    line, arrivals = before.line, Arrivals(new, rng)
    at, width = 0.0, 1.0
    while at < arrivals.total:
        rules = line.rules(cloud.theta)
        welfares = new.outcomes.log_welfare(rules.weights, rules.powers)

        def gains(
            to: float, start: float = at, rules: Rules = rules, welfares: FloatArray = welfares
        ) -> FloatArray:
            return arrivals.between(start, to).log_likelihood(welfares, rules, line.ties)

        stop, cloud = next_stop(cloud, gains, at, arrivals.total, width, _HALF)
        at, width = stop, stop - at
        reference, rows = Reference.of(cloud), systematic(cloud.shares, _walkers(size), rng)
        ended = at >= arrivals.total
        seen = before.evidence.plus(arrivals.so_far(at))
        here = whole if ended else replace(before, evidence=seen)
        cloud = Cloud.at(cloud.theta[rows], here)
        cloud = moved(cloud, here, reference, rng, last if ended else step)
    return _all_of(cloud, whole, size, rng)


def _walkers(size: int) -> int:
    """How many particles move, so that there are so many in the end."""
    return min(size, max(_WALKERS, size // _ONE_OF))


def _all_of(cloud: Cloud, target: Target, size: int, rng: np.random.Generator) -> State:
    """What is believed, told by so many particles."""
    return State(target, cloud if len(cloud) == size else multiplied(cloud, target, size, rng))
