"""Whether later choices of a ranking err like the first: one temperature for all stages, or more.

A ranking is read as one choice after another. That is right only if whoever ranks goes on as
carefully as they began, which they often do not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.inference.doctrine_tests import DoctrineTest
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.reference import chance_beyond, in_words
from welfarist.losses import DecisionLoss, Point
from welfarist.losses.observed_menus import ObservedMenus
from welfarist.solvers.descent import descend

# A temperature about which less than this share of its information is left is not told from others.
_NOTHING_NEW = 1e-9
# Of fewer choices a temperature the score may be a third of the likelihood ratio; from here on the
# two were within a third of each other in simulations.
_ENOUGH = 40
_TINY = float(np.finfo(np.float64).tiny)
_PLACES = ("first", "second", "third")


@dataclass(frozen=True)
class Stages:
    """Temperatures of the choices of rankings, and a test of one for all.

    Attributes
    ----------
    taus : tuple of float
        The temperature of the first choices, of the second, and so on, where each has its own.
    shared : float
        The temperature where all have the same.
    p, shared_p : float
        The power that goes with each.
    test : DoctrineTest
        Of one temperature for all, by likelihood ratio, which takes decisions as independent.
    """

    taus: tuple[float, ...]
    shared: float
    p: float
    shared_p: float
    test: DoctrineTest

    @property
    def ratio(self) -> float:
        """The temperature of the last choices as a share of that of the first."""
        return self.taus[-1] / self.taus[0]

    def __str__(self) -> str:
        each = [f"{place_of(i)} choices {tau:.4g}" for i, tau in enumerate(self.taus)]
        return (
            f"Temperature tau: {', '.join(each)}; one for all {self.shared:.4g}\n"
            f"p = {self.p:.4g} with each its own, {self.shared_p:.4g} with one for all\n{self.test}"
        )


def place_of(stage: int) -> str:
    """Return what the choices of a stage are called, the first of which is 0.

    Examples
    --------
    >>> place_of(1), place_of(5)
    ('second', '6th')
    """
    if stage < len(_PLACES):
        return _PLACES[stage]
    teen = 10 <= (stage + 1) % 100 <= 20
    return f"{stage + 1}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get((stage + 1) % 10, 'th')}"


def seem_alike(likelihood: Likelihood, level: float) -> bool:
    """Whether the score at the fit sees no sign of later choices that err otherwise.

    It is the test of :func:`stages_of` without its search, at the fit of one temperature: whoever
    wants to know only that nothing is the matter need not fit one for each stage. False where
    choices are too few for the score to tell.
    """
    likelihood.require_maximum()
    mine: Any = likelihood.loss.observed
    if mine.total < _ENOUGH * mine.stages:
        return False
    other = mine.with_stages(mine.stages)
    slopes = likelihood.point.extras[: likelihood.loss.leading]
    carried = np.concatenate([slopes, mine.carried(likelihood.noise, other)])
    point = replace(likelihood.point, extras=carried)
    learned = likelihood.loss.learn_power and bool(np.isfinite(point.p))  # inf has no derivative
    loss = replace(likelihood.loss, observed=other, learn_power=learned)
    here = loss.evaluate(point).model()
    if not (np.isfinite(here.gradient).all() and np.isfinite(here.curvature).all()):
        return False
    size = len(here.gradient)
    taus = size - len(other.parameters) + np.array(other.extras.taus)
    statistic = other.total * _score(here.gradient, here.curvature, taus)
    return chance_beyond(likelihood, statistic, mine.stages - 1) > level


def _score(gradient: FloatArray, curvature: FloatArray, taus: npt.NDArray[np.intp]) -> float:
    """The score of temperatures that differ, given all else and what they have in common.

    All else counts as free, on an edge or not: the score is then rather too large than too small.
    """
    new, size = taus[1:], len(gradient)
    rest = np.delete(np.eye(size), taus, axis=0)
    common = np.zeros((1, size))
    common[0, taus] = 1.0
    old = np.vstack([rest, common])
    cross = curvature[new] @ old.T
    taken = cross @ np.linalg.pinv(old @ curvature @ old.T, hermitian=True)
    left = curvature[np.ix_(new, new)] - taken @ cross.T
    unit = np.sqrt(np.maximum(np.diag(curvature)[new], _TINY))
    slope, left = gradient[new] / unit, left / np.outer(unit, unit)
    return float(slope @ np.linalg.pinv(left, rcond=_NOTHING_NEW, hermitian=True) @ slope)


def stages_of(likelihood: Likelihood, *, quickly: bool = False) -> Stages:
    """Test one temperature for all choices of rankings against one for each stage.

    Of temperatures for each stage it is enough to follow the way down from the optimum with one, if
    that has an end. If not, the whole search begins anew, unless it is to be done `quickly`: then
    the test is of what that way has reached, and rejects nothing that the whole search would not.
    """
    likelihood.require_maximum()
    observed: Any = likelihood.loss.observed
    if not isinstance(observed, ObservedMenus) or observed.stages == 1:
        raise InputError(
            "stages are the choices of a ranking, one after another; found decisions of one choice "
            "each. Choices.from_rankings(…) makes rankings."
        )
    apart = observed.extras.stages > 1
    other = observed.with_stages(1 if apart else observed.stages)
    found, value = _fitted(likelihood, replace(likelihood.loss, observed=other), other, quickly)
    mine, own = likelihood.point, likelihood.value
    statistic = max(observed.deviance(value, own) * (1.0 if apart else -1.0), 0.0)
    wide, narrow = (mine, found) if apart else (found, mine)
    degrees = observed.stages - 1
    values = (own, value) if apart else (value, own)
    test = DoctrineTest(
        "all choices of a ranking have one temperature",
        statistic,
        in_words(likelihood, degrees),
        degrees,
        chance_beyond(likelihood, statistic, degrees),
        likelihood.log_likelihood(values[0]),
        likelihood.log_likelihood(values[1]),
    )
    places = (observed if apart else other).extras.taus
    every, shared = (likelihood.loss.noise_at(point) for point in (wide, narrow))
    taus = tuple(float(np.exp(every[place])) for place in places)
    return Stages(taus, float(np.exp(shared[0])), wide.p, narrow.p, test)


def _fitted(
    likelihood: Likelihood, loss: DecisionLoss, other: ObservedMenus, quickly: bool
) -> tuple[Point, float]:
    """The best rule with other temperatures, which begins where the fit is; and its mean loss."""
    mine: Any = likelihood.loss.observed
    slopes = likelihood.point.extras[: likelihood.loss.leading]
    carried = np.concatenate([slopes, mine.carried(likelihood.noise, other)])
    start = replace(likelihood.point, extras=carried)
    solver = likelihood.solver
    if np.isfinite(start.p):
        near = descend(loss, start, max_iter=solver.max_iter, tolerance=solver.tolerance, near=True)
        # More temperatures lead down from the optimum with one; the way back may end elsewhere.
        if (near.converged or quickly) and other.extras.stages > 1:
            return near.point, near.value
        solver = replace(solver, start=near.point if near.converged else start)
    found = solver.minimise(
        loss,
        np.random.default_rng(0),
        p=None if loss.learn_power else likelihood.point.p,
        observations=likelihood.observations,
        progress=Progress(False),
    )
    return found.point, found.value
