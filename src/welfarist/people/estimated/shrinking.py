"""Shrinking estimates towards their population: what log utilities are, given how they were found.

An estimate with an error is farther from the middle than what it estimates, in the mean. Plugged
into a rule such estimates bias it towards whoever is measured best. The best guess of the log
utilities L of an action, given estimates with error covariance S in a normal population with mean m
and covariance T, is ``m + T (T + S)^-1 (estimate - m)``, and what remains uncertain about it
``T - T (T + S)^-1 T``. Mean and covariance of the population are estimated by moments.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.people.estimated.spread import ByAction, ByPerson

# A population's variance is at least this share of that of the estimates.
_LEAST_SHARE = 1e-6
# And this, of estimates that are all the same.
_LEAST = 1e-12


def shrunken(
    logs: FloatArray, errors: ByAction | ByPerson
) -> tuple[FloatArray, ByAction | ByPerson]:
    """Return the best guess of log utilities (d, N), and how uncertain it is.

    `logs` are estimates (d, N) with `errors`. With one action there is no population to shrink to.
    """
    if logs.shape[1] < 2 or not errors.variances.any():
        return logs, errors
    if isinstance(errors, ByAction):
        return _within_actions(logs, errors)
    return _within_people(logs, errors)


def _within_actions(logs: FloatArray, errors: ByAction) -> tuple[FloatArray, ByAction]:
    """Shrink the people of each action together, as far as their utilities go together."""
    spread = population_covariance(logs, errors.covariance.mean(axis=0))
    middle = _middles(logs, errors.variances, spread.diagonal())
    alike = bool((errors.covariance == errors.covariance[0]).all())
    inside = spread + (errors.covariance[:1] if alike else errors.covariance)
    gain = np.linalg.solve(inside, np.broadcast_to(spread, inside.shape))
    left = spread - np.matmul(spread, gain)
    left = 0.5 * (left + left.transpose(0, 2, 1))
    off = logs - middle[:, None]
    moved = gain[0].T @ off if alike else np.einsum("aji,ja->ia", gain, off)
    return middle[:, None] + moved, ByAction(np.broadcast_to(left, errors.covariance.shape))


def _within_people(logs: FloatArray, errors: ByPerson) -> tuple[FloatArray, ByPerson]:
    """Shrink each person's utilities on their own, whose errors go together over actions."""
    found, left = np.empty_like(logs), np.empty_like(errors.covariance)
    for i, own in enumerate(errors.covariance):
        error = float(own.diagonal().mean() - own.mean())  # what of it shows as spread
        total = max(float(logs[i].var(ddof=1)), _LEAST)
        spread = max(total - error, _LEAST_SHARE * total)
        inside = own + spread * np.eye(len(own))
        ones = np.linalg.solve(inside, np.ones(len(own)))
        middle = float(ones @ logs[i] / ones.sum())
        gain = spread * np.linalg.inv(inside)
        found[i] = middle + gain @ (logs[i] - middle)
        covariance = spread * (np.eye(len(own)) - gain)
        left[i] = 0.5 * (covariance + covariance.T)
    return found, ByPerson(left)


def population_covariance(logs: FloatArray, error: FloatArray) -> FloatArray:
    """Return the covariance (d, d) of true log utilities over actions, from estimates (d, N).

    The `error` covariance (d, d) is taken out. Correlations are shrunken towards 0 by as much as
    they vary by chance (Schäfer and Strimmer 2005): by everything where people have nothing in
    common.
    """
    people, actions = logs.shape
    seen = np.atleast_2d(np.cov(logs))
    total = np.maximum(seen.diagonal(), _LEAST)
    own = np.maximum(total - error.diagonal(), _LEAST_SHARE * total)
    raw = (seen - error) / np.sqrt(np.outer(own, own))
    apart = ~np.eye(people, dtype=bool)
    observed = seen / np.sqrt(np.outer(total, total))
    amplified = np.outer(total / own, total / own)  # errors make correlations of the rest vary more
    chance = np.square(1.0 - np.square(observed)) * amplified / max(actions - 1, 1)
    size = float(np.square(raw[apart]).sum())
    kept = max(1.0 - float(chance[apart].sum()) / size, 0.0) if size > 0 else 0.0
    correlation = np.where(apart, kept * np.clip(raw, -1.0, 1.0), 1.0)
    values, vectors = np.linalg.eigh(correlation)
    positive = (vectors * np.maximum(values, _LEAST_SHARE)) @ vectors.T
    return np.asarray(positive * np.sqrt(np.outer(own, own)))


def _middles(logs: FloatArray, errors: FloatArray, spread: FloatArray) -> FloatArray:
    """The mean log utility of each person (d,), by how well each action's is known."""
    sure = 1.0 / (spread[:, None] + errors)
    return np.asarray((sure * logs).sum(axis=1) / sure.sum(axis=1))
