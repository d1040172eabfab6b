"""A few draws stand for what is believed: as often as it is likely, and spread over everything."""

from __future__ import annotations

import numpy as np

from welfarist.deciders.thinning import thinned

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(4000, 3))
CHANCES = RNG.dirichlet(np.full(4000, 0.3))
DRAWS = 256


def test_every_rule_is_drawn_as_often_as_it_is_likely():
    counts = np.bincount(thinned(CHANCES, NUMBERS, DRAWS), minlength=4000)
    assert counts.sum() == DRAWS
    # Equal steps along a line hit a piece of it once more or less often than its length.
    assert np.abs(counts - DRAWS * CHANCES).max() <= 1.0


def test_means_are_nearer_than_along_the_order_of_one_number():
    smooth = 1 / (1 + np.exp(-NUMBERS @ RNG.normal(size=(3, 40))))
    exact = CHANCES @ smooth
    winding = smooth[thinned(CHANCES, NUMBERS, DRAWS)].mean(axis=0) - exact
    one = smooth[thinned(CHANCES, NUMBERS[:, :1], DRAWS)].mean(axis=0) - exact
    assert np.abs(winding).mean() < 0.6 * np.abs(one).mean()


def test_certainty_and_numbers_that_do_not_vary():
    sure = np.zeros(5)
    sure[3] = 1.0
    assert thinned(sure, np.ones((5, 2)), 4).tolist() == [3] * 4
    even = thinned(np.full(4, 0.25), np.ones((4, 2)), 4)
    assert sorted(even.tolist()) == [0, 1, 2, 3]
