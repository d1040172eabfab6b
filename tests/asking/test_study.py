"""Simulated decision makers: adaptive questions are worth more than random ones."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf


class Kolm:
    """A rule of another family, whose aversion is to absolute differences."""

    def __init__(self, rng, people):
        self.weights = rng.dirichlet(np.ones(people))

    def log(self, utilities):
        worth = -20.0 * np.log(np.exp(-np.asarray(utilities) / 20.0) @ self.weights)
        return np.log(np.maximum(worth, 1e-3))


def test_adaptive_questions_are_worth_more_than_random_ones():
    found = wf.asking.study(
        3, questions=[5, 15], ways=["adaptive", "random"], deciders=6, random_state=1
    )
    frame = found.to_frame().set_index(["way", "questions"])
    assert frame.loc[("adaptive", 15), "accuracy"] > frame.loc[("random", 15), "accuracy"]
    assert frame.loc[("adaptive", 15), "accuracy"] > frame.loc[("adaptive", 5), "accuracy"]
    assert frame.loc[("adaptive", 15), "power_error"] < frame.loc[("random", 15), "power_error"]
    assert found.enough(0.9) in (5, 15)
    assert found.enough(1.0) is None
    assert "adaptive" in str(found)


def test_truths_from_the_prior_and_of_another_family():
    options = dict(questions=[4], ways=["designed"], deciders=2, random_state=1)
    drawn = wf.asking.study([2, 3], truth="prior", **options).columns
    assert drawn["people"] == [2, 3]
    other = wf.asking.study(3, truth=Kolm, rho=0.05, **options).columns
    assert 0.5 < other["accuracy"][0] <= 1.0
    assert np.isnan(other["power_error"][0])


def test_other_ways_are_refused():
    with pytest.raises(wf.InputError, match="adaptive, designed or random"):
        wf.asking.study(3, ways=["clever"])
    with pytest.raises(wf.InputError, match="the truth must be"):
        wf.asking.study(3, truth="false", deciders=1)
