"""Flocks: they go down, they repeat themselves, and they find what plain starts miss."""

import numpy as np
from benchmarks.hard_optima import our_fit, problem
from benchmarks.problems import scores

import welfarist as wf
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import Point, loss_of_scores
from welfarist.people.weighting import Weighting
from welfarist.solvers.flock import at, walk
from welfarist.solvers.roaming import roamed_starts
from welfarist.solvers.terrain import Terrain

PROBLEM = scores(5, 60, 8, 5.45, 0.2)


def _loss():
    decided = wf.WelfareRegressor().read_decisions(PROBLEM.utilities, PROBLEM.scores)
    return loss_of_scores(decided, POWER_MEAN, Weighting(8), True, False)


def test_nobody_walks_uphill():
    """Each walker ends no higher than where it began."""
    loss, rng = _loss(), np.random.default_rng(1)
    terrain = Terrain(loss)
    powers = rng.uniform(-30, 30, 12)
    flock = at(terrain, rng.normal(size=(12, 8)) * 3.0, powers, np.zeros((12, 0)))
    before = flock.losses.copy()
    walked, _ = walk(terrain, loss, flock, 30)
    assert (walked.losses <= before).all()
    assert walked.losses.min() < before.min()
    for bowl in walked.bowls():
        assert walked.losses[bowl[0]] == walked.losses[bowl].min()


def test_the_same_seed_finds_the_same_starts():
    """And the lowest comes first, below the best that was known."""
    loss = _loss()
    plain = Point(np.full(8, 1 / 8), 1.0, np.empty(0))
    once, again = (roamed_starts(loss, np.random.default_rng(2), None, plain) for _ in range(2))
    values = [loss.evaluate(point).value for point in once]
    assert values == [loss.evaluate(point).value for point in again]
    assert min(values) < loss.evaluate(plain).value


def test_a_given_power_stays():
    """Only weights are searched then."""
    loss = _loss()
    plain = Point(np.full(8, 1 / 8), 3.0, np.empty(0))
    decided = wf.WelfareRegressor().read_decisions(PROBLEM.utilities, PROBLEM.scores)
    held = loss_of_scores(decided, POWER_MEAN, Weighting(8), False, False)
    for point in roamed_starts(held, np.random.default_rng(2), 3.0, plain):
        assert abs(point.p - 3.0) < 1e-12
    assert loss.learn_power


def test_flocks_set_out_where_starts_disagree():
    """Noisy scores of 155 actions for 29 people: plain, random and disturbed starts stop higher."""
    result, _ = our_fit(problem(101, 200))
    assert result.loss < 28_542.0  # the others end at 28,696.7, 20 starts of L-BFGS at 29,146.1
    assert result.search.hits < result.search.starts / 2
