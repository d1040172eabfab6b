"""Draws of utilities, such as samples of a posterior or trees of a forest, as means and errors.

Errors that a person's draws share over actions (the coefficients of a model) show as directions in
which draws vary more than chance would have it. Those are kept; what is left is each action's own.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers
from welfarist.people.estimated.spread import ByAction, ByPerson

FEWEST = 10
# How far beyond the largest eigenvalue of independent draws one must lie to be no chance.
_CLEAR = 1.15


def as_draws(draws: object, actions: int, people: int) -> FloatArray:
    """Return checked draws (R, N, d) as logarithms (R, d, N)."""
    found = as_numbers(draws, "draws")
    if found.ndim != 3 or found.shape[1:] != (actions, people):
        raise InputError(
            f"draws must have shape (R, {actions}, {people}), one table of utilities a draw; found "
            f"shape {found.shape}."
        )
    if len(found) < FEWEST:
        raise InputError(
            f"draws must be at least {FEWEST}, to tell how uncertain utilities are; found "
            f"{len(found)}."
        )
    if not (np.isfinite(found).all() and (found > 0).all()):
        place = tuple(int(i) for i in np.argwhere(~(np.isfinite(found) & (found > 0)))[0])
        raise InputError(
            f"draws must be positive numbers; found {found[place]} in draw {place[0]}, row "
            f"{place[1]}, column {place[2]}."
        )
    return np.log(found.astype(np.float64)).transpose(0, 2, 1)


def mean_and_spread(draws: FloatArray) -> tuple[FloatArray, ByAction | ByPerson]:
    """Return the means (d, N) of logarithms (R, d, N), and their errors."""
    means = draws.mean(axis=0)
    factors, own = zip(*map(_factors, (draws - means).transpose(1, 0, 2)), strict=True)
    if not any(factor.shape[1] for factor in factors):
        return means, own_errors(np.array(own))
    return means, with_factors(list(factors), np.array(own))


def own_errors(variances: FloatArray) -> ByAction:
    """Return errors with variances (d, N) that have nothing in common."""
    people, actions = variances.shape
    covariance = np.zeros((actions, people, people))
    covariance[:, np.arange(people), np.arange(people)] = variances.T
    return ByAction(covariance)


def with_factors(factors: list[FloatArray], own: FloatArray) -> ByPerson:
    """Return errors of each person with factors (N, r) over actions and own variances (d, N)."""
    rank = sum(factor.shape[1] for factor in factors)
    if not own.any() and rank < own.shape[1] and len({f.shape[1] for f in factors}) == 1:
        return ByPerson(None, np.array(factors))
    pairs = zip(factors, own, strict=True)
    return ByPerson(np.array([factor @ factor.T + np.diag(rest) for factor, rest in pairs]))


def _factors(centred: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Factors (N, r) that draws (R, N) of a person clearly share, and variances (N,) besides."""
    size, actions = centred.shape
    variances = np.square(centred).sum(axis=0) / (size - 1)
    errors = np.sqrt(np.maximum(variances, np.finfo(np.float64).tiny))
    _, values, directions = np.linalg.svd(centred / errors, full_matrices=False)
    edge = np.square(1.0 + np.sqrt(actions / (size - 1))) * _CLEAR
    clear = np.square(values) / (size - 1) > edge
    factors = (directions[clear] * errors).T * (values[clear] / np.sqrt(size - 1))
    rest = variances - np.square(factors).sum(axis=1)
    return factors, np.maximum(rest, 0.0)
