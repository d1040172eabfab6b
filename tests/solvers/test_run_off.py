"""Where starts lead: slopes that run off, and a power that was given."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

import welfarist as wf
from tests.losses.test_attributes import comparisons
from welfarist.losses import Point
from welfarist.solvers.descent import Descent
from welfarist.solvers.run_off import to_the_end
from welfarist.solvers.schedule import Schedule


def test_a_slope_goes_to_the_end_only_where_nothing_speaks_against_it() -> None:
    loss = comparisons()
    extras = np.array([8.0, -0.5, 0.3])
    point = Point(np.empty(0), 1.0, extras)
    there = Point(np.empty(0), 1.0, np.array([50.0, -0.5, 0.3]))
    values = [loss.evaluate(one).value for one in (point, there)]
    found = Descent(point, values[0], True, 1, "")
    moved = to_the_end(loss, found)
    assert values[1] > values[0]  # of these decisions
    assert moved is found
    as_good = to_the_end(loss, replace(found, value=values[1]))
    assert as_good.point.extras.tolist() == [50.0, -0.5, 0.3]
    near = replace(found, point=replace(point, extras=np.array([1.0, -0.5, 0.3])), value=np.inf)
    assert to_the_end(loss, near) is near


def test_random_starts_keep_a_power_that_was_given() -> None:
    loss = replace(comparisons(), learn_power=False)
    schedule = Schedule(loss, np.random.default_rng(0), -2.0)
    places = []
    for place in schedule.starts():
        schedule.best = Descent(place, 1.0, True, 1, "")
        places.append(place)
        if len(places) == 8:
            break
    assert {place.p for place in places} == {-2.0}
    assert len({tuple(place.extras[:2]) for place in places}) == 8


def test_a_given_power_stays_where_errors_may_be_slips() -> None:
    world = wf.simulate.individuals(40, 3, p=-4, random_state=5)
    menus = wf.simulate.random_menus(40, 200, 4, random_state=5)
    decided = wf.simulate.choices(world, menus, tau=10, random_state=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        found = wf.ChoiceLearner(noise="lapse", p=0, weights="equal").fit(decided)
    assert found.p_ == 0.0
