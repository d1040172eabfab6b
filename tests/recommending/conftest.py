"""One seeded world, whose decisions are few enough for doubt."""

from __future__ import annotations

import pytest

import welfarist as wf


@pytest.fixture(scope="session")
def decided():
    """Thirty noisy comparisons about three people."""
    world = wf.simulate.individuals(20, 3, p=-1, random_state=1)
    pairs = wf.simulate.random_pairs(20, 30, random_state=1)
    return wf.simulate.comparisons(world, pairs, tau=10, random_state=1)


@pytest.fixture(scope="session")
def fit(decided):
    """What was learned from them."""
    return wf.ComparisonClassifier().fit(decided)


@pytest.fixture(scope="session")
def draws(fit):
    """Rules that are equally likely after them."""
    return wf.draw_rules(fit, 200)
