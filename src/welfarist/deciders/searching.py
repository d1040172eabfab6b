"""Many starts for one number of types: the most likely mixture, and how many found it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.deciders.climbing import Climb, at_limits, climb
from welfarist.deciders.membership import Membership
from welfarist.deciders.mixture import Mixture, TypeModel, require_possible
from welfarist.deciders.panel import Panel
from welfarist.deciders.starting import start_of
from welfarist.losses import Point

# Two log likelihoods this close, relative to their size, are of the same optimum.
SAME = 1e-6
# Rounds of EM and Newton at most, and before starts are compared.
_MOST, _LOOK = 1_000, 40
# Two climbs are on the same way if their log likelihoods, and everybody's memberships, differ by
# less.
_CLOSE, _ALIKE = 0.1, 0.05


@dataclass(frozen=True, eq=False)
class Found:
    """What came of many starts.

    Attributes
    ----------
    mixture : Mixture
        The most likely one, its types in the order of their shares.
    log_likelihood : float
    converged : bool
    n_iter : int
        Of the start that found it.
    values : (s,) array
        The log likelihood that each start reached, or where it was given up.
    """

    mixture: Mixture
    log_likelihood: float
    converged: bool
    n_iter: int
    values: FloatArray

    @property
    def agreeing(self) -> int:
        """How many starts reached the best of them, which may have been led to a limit since."""
        best = float(self.values.max())
        return int((self.values >= best - SAME * max(abs(best), 1.0)).sum())

    @property
    def bic(self) -> float:
        """Bayes' information criterion, whose observations are decision makers."""
        people = self.mixture.panel.people
        return float(self.mixture.parameters * np.log(people) - 2.0 * self.log_likelihood)

    @property
    def aic(self) -> float:
        """Akaike's information criterion."""
        return float(2.0 * self.mixture.parameters - 2.0 * self.log_likelihood)


@dataclass(frozen=True, eq=False)
class _Task:
    """What all starts share."""

    panel: Panel
    models: tuple[TypeModel, ...]
    design: FloatArray
    seed: int
    beat: float = -np.inf


def search_types(
    panel: Panel,
    models: tuple[TypeModel, ...],
    design: FloatArray,
    *,
    n_starts: int,
    seed: int,
    n_jobs: int = 1,
    progress: Progress,
    extra: tuple[Mixture, ...] = (),
) -> Found:
    """Search the most likely mixture from many starts.

    Parameters
    ----------
    panel : Panel
    models : tuple of TypeModel
        One a type.
    design : (G, c) array
        What is known of the decision makers.
    n_starts : int
    seed : int
    n_jobs : int
        How many processes share the starts; digits do not depend on it.
    progress : Progress
    extra : tuple of Mixture
        Mixtures from which is searched as well.
    """
    task = _Task(panel, models, design, seed)
    if len(models) == 1:
        n_starts = 1
    climbs = [climb(one, _MOST) for one in extra]
    outcomes = run_jobs(_begin, task, list(range(n_starts)), n_jobs, option="n_jobs")
    words = f"{len(models)} types" if len(models) > 1 else "one type"
    climbs += [one.climb(task) for one in progress.track(outcomes, n_starts, words)]
    best = max(one.log_likelihood for one in climbs)
    # Which of them go on does not depend on the order in which processes ended.
    hopeful = [k for k, one in enumerate(climbs) if one.may_reach(best)]
    ways = _distinct(climbs, hopeful)
    left = [_Reached.of(climbs[leader]) for leader in ways]
    further = run_jobs(_go_on, replace(task, beat=best), left, n_jobs, option="n_jobs")
    for followers, reached in zip(ways.values(), further, strict=True):
        for k in followers:
            climbs[k] = reached.climb(task)
    return _best(climbs)


def _distinct(climbs: list[Climb], hopeful: list[int]) -> dict[int, list[int]]:
    """Those that go on, each with all that are on the same way: one of them is followed.

    They are on the same way if everybody belongs where they belong with the other, and the log
    likelihoods are close.
    """
    ways: dict[int, list[int]] = {}
    for k in sorted(hopeful, key=lambda k: -climbs[k].log_likelihood):
        same = (leader for leader in ways if _same_way(climbs[leader], climbs[k]))
        ways.setdefault(next(same, k), []).append(k)
    return ways


def _same_way(one: Climb, other: Climb) -> bool:
    if abs(one.log_likelihood - other.log_likelihood) > _CLOSE:
        return False
    first, second = one.mixture.belongs, other.mixture.belongs
    if len(set(map(id, one.mixture.models))) == 1:  # else a type is known by what it is given as
        second = second[:, linear_sum_assignment(-first.T @ second)[1]]
    return bool(np.abs(first - second).max() < _ALIKE)


@dataclass(frozen=True, eq=False)
class _Reached:
    """Where a start led, without the decisions: what one process hands to another."""

    points: tuple[Point, ...]
    membership: Membership
    log_likelihood: float
    converged: bool
    n_iter: int
    pace: float

    @classmethod
    def of(cls, found: Climb) -> _Reached:
        points, membership = found.mixture.points, found.mixture.membership
        value, done = found.log_likelihood, found.converged
        return cls(points, membership, value, done, found.n_iter, found.pace)

    def climb(self, task: _Task) -> Climb:
        """The same with the decisions."""
        mixture = Mixture(task.panel, task.models, self.points, self.membership)
        return Climb(mixture, self.log_likelihood, self.converged, self.n_iter, self.pace)


def _begin(task: _Task, number: int) -> _Reached:
    """Climb from one start, as far as a look says how good it may become."""
    start = start_of(task.panel, task.models, task.design, number, task.seed)
    return _Reached.of(climb(start, _LOOK))


def _go_on(task: _Task, reached: _Reached) -> _Reached:
    """Go on from where a look ended, as long as the best may still be reached.

    A type on its way to an infinite power gains ever less for ever: it is taken there at once if
    that is likelier.
    """
    here = reached.climb(task)
    found = at_limits(here, _MOST)
    if found is here or not found.converged:
        found = climb(here.mixture, _MOST, beat=task.beat)
    return _Reached.of(replace(found, n_iter=reached.n_iter + found.n_iter))


def _best(climbs: list[Climb]) -> Found:
    """The best of the climbs, at a limit where that is as likely."""
    values = np.array([one.log_likelihood for one in climbs])
    best = at_limits(climbs[int(np.argmax(values))], _MOST)
    mixture = require_possible(best.mixture.by_share())
    value = mixture.log_likelihood
    return Found(mixture, value, best.converged, best.n_iter, values)
