"""Guessed bounds against exchanges one by one."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist.solvers import simplex
from welfarist.solvers.active_set import minimise_within

# Two exact methods on the same programme differ by rounding.
ROUNDING = 1e-11


def programme(seed, people=180, others=2):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(people, 0.3))
    weights[rng.random(people) < 0.3] = 0.0
    weights /= weights.sum()
    units = np.where(weights > 0, weights, 1.0)
    scale = np.concatenate([units, np.ones(others)])
    root = rng.normal(size=(3 * people, people + others)) * scale
    gradient = scale * rng.normal(size=people + others) * rng.choice([0.01, 0.1, 1.0])
    curvature = root.T @ root / len(root) + 1e-13 * np.eye(people + others)
    lower = np.concatenate([np.where(weights > 0, -1.0, 0.0), [-1.0, -2.0]])
    upper = np.concatenate([np.full(people, np.inf), [1.0, 2.0]])
    return gradient, curvature, lower, upper, units


@pytest.mark.parametrize("seed", range(6))
def test_guesses_find_what_exchanges_find(seed, monkeypatch):
    given = programme(seed)
    gradient, curvature, lower, upper, units = given
    people = len(units)
    guessed = simplex.QuadraticStep(people, 2).solve(*given)
    monkeypatch.setattr(simplex, "MANY", people + 1)
    exchanged = simplex.QuadraticStep(people, 2).solve(*given)
    assert guessed is not None
    assert exchanged is not None

    def value(move):
        return gradient @ move + 0.5 * move @ curvature @ move

    assert value(guessed) == pytest.approx(value(exchanged), rel=ROUNDING)
    assert units @ guessed[:people] == pytest.approx(0.0, abs=ROUNDING)
    assert (guessed >= lower).all()
    assert (guessed <= upper).all()


def test_held_variables_are_exactly_at_their_bounds():
    gradient, curvature, lower, upper, units = programme(1)
    total = np.concatenate([units, [0.0, 0.0]])
    found = minimise_within(gradient, curvature, total, lower, upper)
    assert found is not None
    move, held = found
    assert held.any()
    assert np.isin(move[held], np.concatenate([lower, upper])).all()


def test_nothing_is_returned_of_what_is_not_positive_definite():
    gradient, curvature, lower, upper, units = programme(2)
    total = np.concatenate([units, [0.0, 0.0]])
    assert minimise_within(gradient, -curvature, total, lower, upper) is None
