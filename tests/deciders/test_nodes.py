"""Nodes: what they integrate, and how closely."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from welfarist.deciders.nodes import quasi_random

MEAN = np.array([0.3, -1.0, 2.0])
COVARIANCE = np.array([[1.0, 0.4, 0.0], [0.4, 0.6, -0.2], [0.0, -0.2, 0.3]])
# Of 4,096 quasi-random nodes.
CLOSE = 0.01


def weights_of(nodes, mean=MEAN, covariance=COVARIANCE):
    density = multivariate_normal(mean, covariance).logpdf(nodes.points)
    return np.exp(density + nodes.log_volume)


def test_a_normal_distribution_has_its_moments():
    nodes = quasi_random(4096, MEAN, COVARIANCE, seed=0)
    weights = weights_of(nodes)
    assert len(nodes) == 4096
    assert weights.sum() == pytest.approx(1.0, abs=CLOSE)
    assert weights @ nodes.points == pytest.approx(MEAN, abs=CLOSE)
    away = nodes.points - MEAN
    assert (weights[:, None] * away).T @ away == pytest.approx(COVARIANCE, abs=3 * CLOSE)


def test_nodes_near_single_people_integrate_the_same():
    means = MEAN + np.array([[1.0, 0.0, 0.0], [-1.0, 0.5, 0.3]])
    covariances = np.array([0.05 * np.eye(3), 0.02 * np.eye(3)])
    nodes = quasi_random(4096, MEAN, COVARIANCE, 0, means, covariances)
    assert len(nodes) == 4096
    assert weights_of(nodes).sum() == pytest.approx(1.0, abs=CLOSE)
    for mean, covariance in zip(means, covariances, strict=True):
        narrow = weights_of(nodes, mean, covariance)
        assert narrow.sum() == pytest.approx(1.0, abs=CLOSE)
        # Many nodes take part in what is narrow: without their own, hardly any would.
        assert narrow.sum() ** 2 / np.square(narrow).sum() > 500


def test_units_change_nothing():
    nodes = quasi_random(1024, MEAN, COVARIANCE, seed=0)
    factor = np.linalg.cholesky(COVARIANCE)
    seen = nodes.in_units_of(factor)
    assert seen.points @ factor.T == pytest.approx(nodes.points, abs=1e-12)  # rounding
    standard = weights_of(seen, np.linalg.solve(factor, MEAN), np.eye(3))
    assert standard == pytest.approx(weights_of(nodes), rel=1e-9)  # rounding


def test_the_same_seed_gives_the_same_nodes():
    first, again, other = (quasi_random(256, MEAN, COVARIANCE, seed) for seed in (3, 3, 4))
    assert first.points.tolist() == again.points.tolist()
    assert first.points.tolist() != other.points.tolist()
