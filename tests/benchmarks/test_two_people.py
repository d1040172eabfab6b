"""Sums over a grid, where answers say nothing: they must be the prior's, which is known."""

from __future__ import annotations

import numpy as np
from benchmarks.two_people import LIMIT, summed
from scipy.stats import t as student

import welfarist as wf
from benchmarks import two_people

# Deviations: what is left of steps of .3 in log tau, of squares of .3, and of ends that are read
# off between their middles.
CLOSE = 0.03


def test_without_news_sums_are_those_of_the_prior(monkeypatch):
    monkeypatch.setattr(two_people, "STEP", 0.3)  # what is flat needs no small squares
    monkeypatch.setattr(two_people, "DIVIDED", (2, 1))
    found = summed(wf.Comparisons([[2.0, 3.0], [2.0, 3.0]], [[0, 1]], [1]))
    at = np.linspace(-LIMIT, LIMIT, 20_001)
    mass = student.pdf(at / np.where(at < 0, 3.0, 0.8), 5)
    power = np.interp([0.025, 0.975], np.cumsum(mass) / mass.sum(), at)
    tau = np.log(20.0) + 1.96 * 1.2 * np.array([-1.0, 1.0])
    means = [mass @ at / mass.sum(), 0.5, 0.5, np.log(20.0)]
    assert (np.abs(found.means - means) < CLOSE * found.spread).all()
    ends = np.array([power, [0.025, 0.975], [0.025, 0.975], tau])
    away = np.abs(np.column_stack([found.low, found.high]) - ends)
    assert (away < CLOSE * found.spread[:, None]).all()
