"""The posterior against a long run of another sampler, in other coordinates.

The other sampler is differential evolution: each chain steps along the difference of two chains of
the other half, so that nothing is tuned, and nothing is shared with the package.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, t

import welfarist as wf
from tests.asking.worlds import comparisons

CHAINS, BURN_IN, STEPS, THIN = 160, 1000, 2500, 10
# What is asked of the package: means within a tenth of a posterior deviation, and ends of 95%
# intervals within a quarter.
MEANS, ENDS = 0.1, 0.25


def log_posterior(x, decided):
    """Log density (C,) at log ratios of weights, asinh p, log tau and logit rho (C, d + 2)."""
    d = decided.people
    logits = np.column_stack([x[:, : d - 1], np.zeros(len(x))])
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    asinh, log_tau, logit = x[:, d - 1], x[:, d], x[:, d + 1]
    value = logits.sum(axis=1)  # a flat Dirichlet in log ratios
    value += t.logpdf(asinh / np.where(asinh < 0, 3.0, 0.8), 5)
    value += norm.logpdf(log_tau, np.log(20.0), 1.2) + norm.logpdf(logit, np.log(0.03 / 0.97), 1.0)
    value = np.where(np.abs(asinh) > np.arcsinh(1000.0), -np.inf, value)
    p = np.sinh(np.clip(asinh, -8, 8))
    p = np.where(np.abs(p) < 1e-6, 1e-6, p)[:, None]
    logs = np.log(decided.utilities)[decided.pairs]  # (n, 2, d)
    terms = logits[:, None, None, :] + p[:, :, None, None] * logs
    top = terms.max(axis=-1, keepdims=True)
    means = (top[..., 0] + np.log(np.exp(terms - top).sum(axis=-1))) / p[:, :, None]
    z = np.exp(log_tau)[:, None] * (means[..., 0] - means[..., 1]) * decided.outcomes
    rho = 1.0 / (1.0 + np.exp(-logit))[:, None]
    with np.errstate(over="ignore"):
        chance = rho + (1.0 - 2.0 * rho) / (1.0 + np.exp(-z))
    return value + np.log(np.maximum(chance, 1e-300)).sum(axis=1)


def long_run(decided, seed=0):
    """Draws (.., d + 2): asinh p, weights and log tau, logit rho."""
    rng, d = np.random.default_rng(seed), decided.people
    x = rng.normal(size=(CHAINS, d + 2)) * 0.5
    x[:, d] += 3.0
    x[:, d + 1] -= 3.5
    value, halves, kept = log_posterior(x, decided), np.arange(CHAINS).reshape(2, -1), []
    for step in range(BURN_IN + STEPS):
        for mine, others in (halves, halves[::-1]):
            a, b = (rng.permutation(others) for _ in range(2))
            length = 1.0 if step % 10 == 0 else 2.38 / np.sqrt(2 * (d + 2)) * rng.choice([0.5, 1.0])
            there = x[mine] + length * (x[a] - x[b]) + 1e-3 * rng.normal(size=(len(mine), d + 2))
            new = log_posterior(there, decided)
            yes = np.log(rng.random(len(mine))) < new - value[mine]
            x[mine[yes]], value[mine[yes]] = there[yes], new[yes]
        if step >= BURN_IN and step % THIN == 0:
            kept.append(x.copy())
    drawn = np.concatenate(kept)
    weights = np.exp(np.column_stack([drawn[:, : d - 1], np.zeros(len(drawn))]))
    weights /= weights.sum(axis=1, keepdims=True)
    return np.column_stack([drawn[:, d - 1], weights, drawn[:, d:]])


@pytest.mark.parametrize("people", [2, 3, 5])
def test_means_and_intervals_are_those_of_a_long_run(people):
    decided = comparisons(people, 20)
    drawn = long_run(decided)
    belief = wf.Posterior(decided, random_state=1)
    frame = belief.draws
    rho = frame["rho"].to_numpy()
    found = np.column_stack([
        np.arcsinh(frame["p"]), frame.iloc[:, 1 : people + 1], np.log(frame["tau"]),
        np.log(rho) - np.log1p(-rho),
    ])  # fmt: skip
    spread = drawn.std(axis=0)
    assert (np.abs(found.mean(axis=0) - drawn.mean(axis=0)) < MEANS * spread).all()
    ends = [np.quantile(x, [0.025, 0.975], axis=0) for x in (found, drawn)]
    assert (np.abs(ends[0] - ends[1]) < ENDS * spread).all()
