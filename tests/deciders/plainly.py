"""Likelihoods written out once more, decision by decision, straight from utilities.

Nothing of the package's mathematics is used: its own power mean, its own sigmoid and softmax.
"""

from __future__ import annotations

import math

import numpy as np


def log_mean(utilities, weights, p):
    """The logarithm of the power mean of each row (n, d), for every p."""
    found = []
    for row in np.asarray(utilities, dtype=float):
        there = [(u, w) for u, w in zip(row, weights, strict=True) if w > 0 and not math.isnan(u)]
        total = sum(w for _, w in there)
        if p in (-math.inf, math.inf):
            level = (min if p < 0 else max)(u for u, _ in there)
        elif p == 0:
            level = math.prod(u ** (w / total) for u, w in there)
        elif p < 0 and any(u == 0 for u, _ in there):
            level = 0.0
        else:
            level = sum(w * u**p for u, w in there) / total
            found.append(math.log(level) / p if level > 0 else -math.inf)
            continue
        found.append(math.log(level) if level > 0 else -math.inf)
    return np.array(found)


def log_sigmoid(z):
    return -math.log1p(math.exp(-z)) if z >= 0 else z - math.log1p(math.exp(z))


def of_comparison(z, outcome, rho):
    """The log likelihood of one outcome at margin z; a tie is half of either."""

    def of(margin):
        if rho == 0.0:
            return log_sigmoid(margin)
        return math.log(rho + (1.0 - 2.0 * rho) / (1.0 + math.exp(-margin)))

    return 0.5 * ((1.0 + outcome) * of(z) + (1.0 - outcome) * of(-z))


def by_person(decisions, rule, rho=0.0):
    """Log likelihood of everybody's comparisons under a rule (p, weights, tau), by name."""
    p, weights, tau = rule
    value = log_mean(decisions.utilities, weights, p)
    found = dict.fromkeys(sorted(set(decisions.by)), 0.0)
    rows = zip(decisions.pairs, decisions.outcomes, decisions.counts, decisions.by, strict=True)
    for (i, j), outcome, count, who in rows:
        found[who] += count * of_comparison(tau * (value[i] - value[j]), float(outcome), rho)
    return np.array([found[who] for who in sorted(found)])


def by_chooser(choices, rule, rho=0.0):
    """The same of choices from menus."""
    p, weights, tau = rule
    value = log_mean(choices.utilities, weights, p)
    found = dict.fromkeys(sorted(set(choices.by)), 0.0)
    menus = choices.menus
    for m, (start, end) in enumerate(zip(menus.starts[:-1], menus.starts[1:], strict=True)):
        z = [tau * value[a] for a in menus.rows[start:end]]
        top = max(z)
        whole = sum(math.exp(x - top) for x in z)
        decision = int(choices.decision[m])
        for x, taken in zip(z, menus.taken[start:end], strict=True):
            chance = (1.0 - 2.0 * rho) * math.exp(x - top) / whole + 2.0 * rho / len(z)
            found[choices.by[decision]] += (
                float(choices.counts[decision]) * taken * math.log(chance)
            )
    return np.array([found[who] for who in sorted(found)])


def mixture(each, chances):
    """Log likelihood from those under each type (G, K) and memberships (G, K)."""
    whole = 0.0
    for row, odds in zip(each, chances, strict=True):
        top = max(row)
        whole += top + math.log(sum(c * math.exp(x - top) for x, c in zip(row, odds, strict=True)))
    return whole


def normal_log_density(x, mean, covariance):
    away = np.asarray(x) - mean
    size = len(mean)
    _, level = np.linalg.slogdet(covariance)
    return -0.5 * (
        float(away @ np.linalg.inv(covariance) @ away) + level + size * math.log(2 * math.pi)
    )
