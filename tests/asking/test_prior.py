"""The prior: a density that is one, draws that follow it, and refusals in words."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import dirichlet, kstest, norm, t

import welfarist as wf
from welfarist.asking.coordinates import Coordinates

# A distribution function is found by numerical integration, and of 20,000 draws differs from the
# empirical one by about 1 / sqrt(20,000) = 0.007; p-values below this come up once in 1,000 seeds.
UNLIKELY = 1e-3
# Integrals and densities from SciPy agree to the digits of quadrature and rounding.
QUADRATURE = 1e-6
ROUNDING = 1e-10


def test_the_density_of_asinh_p_integrates_to_one():
    prior = wf.Prior(mode=-1.0)
    end = np.arcsinh(prior.largest)
    whole = quad(lambda x: np.exp(prior._log_density_of_t(np.array([x]))[0]), -end, end,
                 points=[np.arcsinh(-1.0)])[0]  # fmt: skip
    assert abs(whole - 1.0) < QUADRATURE
    assert np.isneginf(prior._log_density_of_t(np.array([end + 0.1]))[0])


def test_density_in_orthonormal_logits_is_dirichlet_times_its_jacobian():
    prior, line = wf.Prior(weights=[2.0, 1.0, 0.7]), Coordinates(3, lapses=True, ties=True)
    rng = np.random.default_rng(0)
    theta = prior.draw(line, 5, rng)
    for row in theta:
        weights = np.exp(line.log_weights(row[None]))[0]

        def moved(z, row=row):
            return np.exp(line.log_weights(np.concatenate([z, row[2:]])[None]))[0, :2]

        step = 1e-6
        jacobian = np.array(
            [
                (moved(row[:2] + step * e) - moved(row[:2] - step * e)) / (2 * step)
                for e in np.eye(2)
            ]
        )
        expected = dirichlet.logpdf(weights, [2.0, 1.0, 0.7])
        expected += np.log(abs(np.linalg.det(jacobian)))
        scale = 3.0 if row[2] < 0 else 0.8
        both = 2 / 3.8 * (3.0 * (0.5 - t.cdf(-np.arcsinh(1000) / 3, 5))
                          + 0.8 * (t.cdf(np.arcsinh(1000) / 0.8, 5) - 0.5))  # fmt: skip
        expected += np.log(2 / 3.8) + t.logpdf(row[2] / scale, 5) - np.log(both)
        expected += norm.logpdf(row[3], np.log(20), 1.2)
        expected += norm.logpdf(row[4], np.log(0.03 / 0.97), 1.0)
        expected += norm.logpdf(row[5], np.log(0.02), 1.0)
        assert abs(prior.log_density(line, row[None])[0] - expected) < QUADRATURE


def test_draws_follow_the_density():
    prior, line = wf.Prior(), Coordinates(4, lapses=True, ties=False)
    drawn = prior.draw(line, 20_000, np.random.default_rng(3))
    end = np.arcsinh(1000.0)
    grid = np.linspace(-end, end, 4001)
    density = np.exp(prior._log_density_of_t(grid))
    below = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(grid))])
    assert kstest(drawn[:, 3], lambda x: np.interp(x, grid, below)).pvalue > UNLIKELY
    assert kstest(np.exp(drawn[:, 4]) / 20.0, lambda x: norm.cdf(np.log(x) / 1.2)).pvalue > UNLIKELY
    first = line.rules(drawn).weights[:, 0]  # of a flat Dirichlet of four: beta(1, 3)
    assert kstest(first, "beta", args=(1, 3)).pvalue > UNLIKELY


def test_egalitarian_rules_have_real_mass():
    prior, line = wf.Prior(), Coordinates(2, lapses=False, ties=False)
    powers = line.rules(prior.draw(line, 20_000, np.random.default_rng(0))).powers
    assert np.mean(powers < -30) > 0.1  # as good as egalitarian
    assert np.mean(powers > 3) < 0.05


def test_coordinates_go_back_and_forth():
    line = Coordinates(5, lapses=True, ties=True)
    theta = np.random.default_rng(0).normal(size=(7, line.size))
    again = line.numbers(line.log_weights(theta), theta[:, 4], list(theta[:, 5:].T))
    assert np.abs(again - theta).max() < ROUNDING
    assert np.abs(line.basis @ line.basis.T - np.eye(4)).max() < ROUNDING
    assert np.abs(line.basis.sum(axis=1)).max() < ROUNDING


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("left", 0.0, "the prior's left must be positive"),
        ("tau", "warm", "the prior's tau must be positive"),
        ("rho", 0.5, "the prior's rho must be a number from 0 to below 0.5"),
        ("mode", 2000.0, "the prior's mode must be a power within its largest"),
        ("weights", [1.0, -1.0], "the prior's weights must be positive"),
        ("left", 1e9, "the prior's left and right must be spreads"),
        ("largest", 1e-6, "the prior's left and right must be spreads"),
    ],
)
def test_what_is_no_prior_is_refused(option, value, said):
    with pytest.raises(wf.InputError, match=said):
        wf.Prior(**{option: value})


def test_flatter_is_possible_within_narrow_limits():
    assert wf.Prior(largest=0.01).flatter().largest == 0.01
    assert wf.Prior(largest=1.0).flatter().left < wf.Prior().flatter().left == 50.0


def test_the_narrowest_prior_is_computed_without_a_warning():
    prior = wf.Prior(right=1e-300)
    line = prior.coordinates(2, ties=False)
    theta = prior.draw(line, 10, np.random.default_rng(0))
    theta[:, line.power] = 1.0
    assert np.isneginf(prior.log_density(line, theta)).all()


def test_weights_of_other_people_are_refused():
    decided = wf.Comparisons([[1.0, 2.0], [2.0, 1.0]], [[0, 1]], [1])
    with pytest.raises(wf.InputError, match="one per person, 2 in all; found 3"):
        wf.Posterior(decided, prior=wf.Prior(weights=[1, 1, 1]))
    with pytest.raises(wf.InputError, match="must be a Prior"):
        wf.Posterior(decided, prior=3)
