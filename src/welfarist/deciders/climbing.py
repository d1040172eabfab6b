"""From a start to the most likely mixture near it: EM until that is close, then Newton."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.deciders.information import MixtureInformation
from welfarist.deciders.mixture import Mixture
from welfarist.people.weighting import sole_person
from welfarist.solvers.descent import Descent
from welfarist.solvers.limits import Rule
from welfarist.solvers.newton import compare_limits

# Gain in log likelihood by a round of EM from which on Newton's steps are worth their cost.
_NEAR = 0.5
# Rounds before they are tried, and after one that failed.
_WARMING, _AGAIN = 5, 8
# Log likelihood that another step promises where it is done.
_DONE = 1e-9
# Gain of a round of EM that is nothing.
_NOTHING = 1e-8
# What the rest of a climb gains at most, as a multiple of what its last ten rounds gained.
_PACE, _HOPE = 10, 20.0
# A type whose power has gone beyond _FAR_OUT may run off for ever together with a weight, and gain
# next to nothing: there is no rule at the end of that way. Where ten rounds gain less than _CREEP
# it is as good as there; other climbs end after _LONG rounds if the last ten gained below _SLOW.
_FAR_OUT, _CREEP = 8.0, 2e-3
_LONG, _SLOW = 60, 5e-5
# Curvature below this share of the largest is rounding.
_FLAT = 1e-10
# Gain in log likelihood for which a climb goes on from where no step was left.
_WORTH = 1e-6
# Powers at which a type that counts one person only may let in others.
_OTHER_POWERS = (-5.0, -2.0, -1.0, 0.0, 0.5, 2.0)
# Moves of Newton in a coordinate at most: an asinh(p), a log tau, the log of a weight.
_LONGEST = 2.0


@dataclass(frozen=True, eq=False)
class Climb:
    """Where a start led.

    Attributes
    ----------
    mixture : Mixture
    log_likelihood : float
    converged : bool
    n_iter : int
        Rounds of EM and steps of Newton.
    pace : float
        What the last ten of them gained.
    """

    mixture: Mixture
    log_likelihood: float
    converged: bool
    n_iter: int
    pace: float = 0.0

    def may_reach(self, value: float) -> bool:
        """Whether going on could lead to such a log likelihood."""
        return not self.converged and self.log_likelihood + _HOPE * self.pace >= value


def climb(start: Mixture, max_iter: int = 500, beat: float = -np.inf) -> Climb:
    """Follow EM and Newton from a start.

    Parameters
    ----------
    start : Mixture
    max_iter : int
        Largest number of rounds and steps.
    beat : float
        A log likelihood reached elsewhere; a climb that can hardly reach it is given up.
    """
    here, value = start, start.log_likelihood
    wait, history = _WARMING, [value]
    for n in range(1, max_iter + 1):
        before, stepped = value, False
        if wait <= 0:
            there, promised = _newton(here, value)
            stepped = there is not None
            if there is None:
                wait = _AGAIN
            elif promised < _DONE:
                other = _likelier(there)
                if other is None:
                    return _ended(there, n)
                here, value, wait = other, other.log_likelihood, 1
            else:
                here, value = there, there.log_likelihood
        if not stepped:
            here = here.step()
            value = here.log_likelihood
            wait = wait - 1 if value - before < _NEAR else max(wait, 1)
            if value - before < _NOTHING and wait > 0 and n > _WARMING:
                other = _likelier(here)
                if other is None:
                    return _ended(here, n)
                here, value = other, other.log_likelihood
        history.append(value)
        reached = Climb(here, value, False, n, value - history[max(n - _PACE, 0)])
        if _creeps(reached):
            other = _likelier(here)
            if other is None:
                return _ended(here, n)
            here, value = other, other.log_likelihood
        if n % _PACE == 0 and not reached.may_reach(beat):
            return reached
    return reached


def _creeps(reached: Climb) -> bool:
    """Whether a climb goes on without getting anywhere."""
    if reached.n_iter > _LONG and reached.pace < _SLOW:
        return True
    return (
        reached.n_iter >= _WARMING + _PACE and reached.pace < _CREEP and _far_out(reached.mixture)
    )


def _far_out(mixture: Mixture) -> bool:
    """Whether some type is on its way to an infinite power."""
    return any(
        model.loss.learn_power and _FAR_OUT < abs(point.p) < np.inf
        for model, point in zip(mixture.models, mixture.points, strict=True)
    )


def _ended(mixture: Mixture, n_iter: int) -> Climb:
    return Climb(mixture, mixture.log_likelihood, True, n_iter)


def _likelier(mixture: Mixture) -> Mixture | None:
    """A likelier mixture than one at which no step is left; None if there is none nearby.

    EM may let in who has no weight. Where a type counts one person only its p says nothing, but
    at which p somebody else is let in does.
    """
    value = mixture.log_likelihood
    others = [mixture]
    for k, (model, point) in enumerate(zip(mixture.models, mixture.points, strict=True)):
        if model.loss.learn_power and sole_person(model.loss.weights_at(point)) is not None:
            others += [_with_power(mixture, k, p) for p in _OTHER_POWERS]
    for other in others:
        there = other.step()
        if there.log_likelihood - value > _WORTH:
            return there
    return None


def _with_power(mixture: Mixture, k: int, p: float) -> Mixture:
    points, loss = list(mixture.points), mixture.models[k].loss
    low, high = loss.search_range  # where somebody has nothing there is no p of 0
    points[k] = replace(points[k], p=min(max(loss.allowed(p), low), high))
    return replace(mixture, points=tuple(points))


def _newton(mixture: Mixture, value: float) -> tuple[Mixture | None, float]:
    """A step of Newton and what it promised; None where it leads nowhere."""
    try:
        information = MixtureInformation.of(mixture)
    except InputError:
        return None, np.inf
    step = _ascent(information)
    if step is None:
        return None, np.inf
    promised = 0.5 * float(step @ information.slope)
    longest = float(np.abs(step).max(initial=0.0))
    step = step * min(1.0, _LONGEST / longest) if longest > 0 else step
    for shorter in (1.0, 0.5, 0.1):
        there = information.moved(mixture, shorter * step)
        if there is not None and there.log_likelihood >= value - 1e-10 * abs(value):
            return there, promised
    return None, promised


def _ascent(information: MixtureInformation) -> FloatArray | None:
    """The step (m,) to the maximum of the quadratic model; None where there are no numbers.

    Along directions that curve upwards it goes as far as if they curved downwards; those that are
    flat, such as the p of a type that counts one person only, are left alone.
    """
    matrix, slope = information.matrix, information.slope
    if not (np.isfinite(matrix).all() and np.isfinite(slope).all()):
        return None
    size = np.abs(matrix.diagonal())
    curved = size > _FLAT * size.max(initial=0.0)
    scale = np.where(curved, 1.0 / np.sqrt(np.where(curved, size, 1.0)), 0.0)
    values, vectors = np.linalg.eigh(matrix * scale * scale[:, None])
    turned = vectors.T @ (scale * slope)
    kept = np.abs(values) > _FLAT
    turned[kept] /= np.abs(values[kept])
    turned[~kept] = 0.0
    return np.asarray(scale * (vectors @ turned))


def at_limits(found: Climb, max_iter: int) -> Climb:
    """Let types whose p has gone far be egalitarian, or follow the best off, if that is likelier.

    A large number stands for the limit only as long as nobody has compared the two.
    """
    mixture, points, moved = found.mixture, list(found.mixture.points), False
    for k, model in enumerate(mixture.models):
        if not model.loss.learn_power or np.isinf(points[k].p):
            continue
        weighted, point = mixture.weighted(k), points[k]
        known = Descent(point, weighted.evaluate(point).value, True, 0, "as far as EM led")
        rule = compare_limits(weighted, Rule(known, weighted.weights_at(point)), 50, 1e-10)
        if np.isinf(rule.descent.point.p):
            points[k], moved = rule.descent.point, True
    if not moved:
        return found
    again = climb(replace(mixture, points=tuple(points)), max_iter)
    close = 1e-7 * abs(found.log_likelihood)
    return again if again.log_likelihood >= found.log_likelihood - close else found
