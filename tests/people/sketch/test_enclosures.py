"""The true log power mean, in 50 digits, is inside every enclosure, and enclosures are narrow."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from welfarist import Sketch

# What was promised of half widths: for |p| <= 2, for |p| <= 20.
NARROW, CLOSE = 2e-12, 1.5e-10
INF = float("inf")
POWERS = (-INF, -100.0, -20.0, -2.0, -0.25, -1e-3, 0.0, 1e-9, 0.1, 1.0, 2.0, 19.5, 64.0, 700.0, INF)

WORLDS = {
    "log-normal": lambda rng, n: np.exp(rng.normal(9, 0.7, n)),
    "wide": lambda rng, n: np.exp(rng.normal(0, 3, n)),
    "Pareto": lambda rng, n: 1 + rng.pareto(0.8, n),
    "ratings": lambda rng, n: rng.integers(1, 11, n).astype(float),
    "uniform": lambda rng, n: rng.uniform(0.01, 1, n),
    "mixed scales": lambda rng, n: 10.0 ** rng.uniform(-12, 12, n),
    "alike": lambda rng, n: np.full(n, 3.3),
}


def true_log_mean(utilities, weights, p):
    """Log M in 50 digits; `weights` are mpmath's."""
    positive = [(mpmath.mpf(u), w) for u, w in zip(utilities, weights, strict=True) if u > 0]
    if len(positive) < len(utilities) and p <= 0:
        return mpmath.mpf("-inf")
    if abs(p) == INF:
        values = [u for u, _ in positive]
        return mpmath.log(max(values) if p > 0 else min(values))
    if p == 0:
        return mpmath.fsum(w * mpmath.log(u) for u, w in positive)
    return mpmath.log(mpmath.fsum(w * u ** mpmath.mpf(p) for u, w in positive)) / mpmath.mpf(p)


@pytest.mark.parametrize("world", list(WORLDS))
@pytest.mark.parametrize("size", [1, 150])
def test_the_truth_is_inside(world, size):
    rng = np.random.default_rng([size, len(world)])
    with mpmath.workdps(50):
        for p in POWERS:
            groups = np.arange(size) % min(size, 2)
            utilities = WORLDS[world](rng, size)
            if p in (1.0, 19.5) and size > 1:
                utilities[::7] = 0.0
            counts = rng.uniform(0.5, 900, size) if p in (-2.0, 0.1) else None
            sketch = Sketch.of(utilities, groups, counts)
            shares = rng.dirichlet(np.ones(len(sketch.heads)))
            own = np.ones(size) if counts is None else np.rint(counts * 2**20)
            total = np.array([own[groups == g].sum() for g in range(len(shares))])
            whole = mpmath.fsum(map(mpmath.mpf, shares))
            weights = [
                mpmath.mpf(shares[g]) / whole * mpmath.mpf(c) / mpmath.mpf(total[g])
                for g, c in zip(groups, own, strict=True)
            ]
            truth = true_log_mean(utilities, weights, p)
            low, high = sketch.enclosure(p, shares)
            assert mpmath.mpf(low[0]) <= truth <= mpmath.mpf(high[0]), p
            assert low[0] <= sketch.log_mean(p, shares)[0] <= high[0]
            if abs(p) <= 20:
                assert (high[0] - low[0]) / 2 <= (NARROW if abs(p) <= 2 else CLOSE)


def test_groups_large_enough_for_bins_are_enclosed_too():
    rng = np.random.default_rng(12)
    utilities = WORLDS["log-normal"](rng, 700)
    sketch = Sketch.of(utilities)
    assert len(sketch._own.tally.keys)
    with mpmath.workdps(50):
        for p in POWERS:
            truth = true_log_mean(utilities, [mpmath.mpf(1) / 700] * 700, p)
            low, high = sketch.enclosure(p)
            assert mpmath.mpf(low[0]) <= truth <= mpmath.mpf(high[0])


def test_who_has_nothing_leaves_nothing_at_powers_up_to_zero():
    sketch = Sketch.of([[0.0, 1.0], [4.0, 1.0]])
    for p in (-INF, -1.0, 0.0):
        assert sketch.log_mean(p)[0] == -INF
        assert sketch.enclosure(p).high[0] == -INF
    assert np.exp(sketch.log_mean(1))[0] == pytest.approx(2.0, rel=1e-15)
    assert np.exp(sketch.log_mean(INF)).tolist() == [4.0, 1.0]


def test_nobody_has_anything():
    sketch = Sketch.of(np.array([[0.0, 2.0]] * 300))
    assert sketch.log_mean(1.0)[0] == -INF
    assert sketch.log_mean(INF)[0] == -INF
    assert np.exp(sketch.log_mean(1.0)[1]) == pytest.approx(2.0, rel=1e-14)
