"""Wald tests of doctrines, for standard errors that do not take the likelihood at its word."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy.stats import chi2

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.inference.clusters import about_few
from welfarist.inference.contrasts import wald_of
from welfarist.inference.covariance import CovarianceName, face_of
from welfarist.inference.doctrine_tests import DoctrineTest, Null
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.linear_nulls import Linear

# Directions of less than this share of the largest variance are rounding: weights keep their sum.
_RANK = 1e-10


def wald(
    likelihood: Likelihood, null: Null, covariance: FloatArray, kind: CovarianceName
) -> DoctrineTest:
    """Test a null that fixes p, all weights or both, by how many standard errors it is away.

    People who share a weight under the null are tested by the differences between their weights.

    Parameters
    ----------
    likelihood : Likelihood
    null : Null
        One that :func:`check_wald` has let pass.
    covariance : (k, k) array
        Of the estimates.
    kind : str
        What the covariance is called.
    """
    if null.theta:
        found = wald_of(likelihood, _slopes(likelihood, null), covariance, kind)
        return replace(found, null=null.words)
    if _joins(likelihood, null):
        found = wald_of(likelihood, _differences(likelihood, null), covariance, kind)
        return replace(found, null=null.words)
    places, values = _fixed(likelihood, null)
    away = likelihood.estimates[places] - values
    inverse = np.linalg.pinv(covariance[np.ix_(places, places)], rcond=_RANK, hermitian=True)
    statistic = float(away @ inverse @ away)
    plural = "s" * (null.degrees > 1)
    return DoctrineTest(
        null.words,
        statistic,
        f"chi-squared with {null.degrees} degree{plural} of freedom, {kind} standard errors",
        null.degrees,
        float(chi2.sf(statistic, null.degrees)),
        likelihood.log_likelihood(likelihood.value),
        None,
        about_few(likelihood, kind),
        kind="Wald",
    )


def _joins(likelihood: Likelihood, null: Null) -> bool:
    """Whether the null says who shares a weight, and not what it is."""
    return null.weighting is not likelihood.loss.weighting and null.weighting.fixed is None


def _differences(likelihood: Likelihood, null: Null) -> list[Linear]:
    """What is 0 under a null about groups: differences of weights, and p less its value."""
    size, found = len(likelihood.names), []
    if null.power is not None:
        shape = [float(quantity.is_shape) for quantity in likelihood.quantities]
        found.append(Linear(np.array(shape), -null.power, f"p = {null.power:g}"))
    weights = [i for i, quantity in enumerate(likelihood.quantities) if quantity.is_weight]
    shared = likelihood.loss.weighting.group_of  # whose members were fitted with one weight
    own = np.arange(len(weights)) if shared is None else shared
    joined = null.weighting.group_of
    assert joined is not None
    for group in range(int(joined.max()) + 1):
        inside = np.flatnonzero(joined == group)
        _, first = np.unique(own[inside], return_index=True)
        members = inside[np.sort(first)].tolist()
        for one, other in pairwise(members):
            move = np.eye(size)[weights[one]] - np.eye(size)[weights[other]]
            found.append(Linear(move, 0.0, "weights shared"))
    return found


def _slopes(likelihood: Likelihood, null: Null) -> list[Linear]:
    """What is 0 under a null about attributes: thetas less their values, and p less its own."""
    size, found = len(likelihood.names), []
    if null.power is not None:
        shape = [float(quantity.is_shape) for quantity in likelihood.quantities]
        found.append(Linear(np.array(shape), -null.power, f"p = {null.power:g}"))
    slopes = [i for i, q in enumerate(likelihood.quantities) if q.attribute is not None]
    for place, value in null.theta.items():
        name = likelihood.names[slopes[place]]
        found.append(Linear(np.eye(size)[slopes[place]], -value, f"{name} = {value:g}"))
    return found


def check_wald(likelihood: Likelihood, null: Null, kind: CovarianceName) -> None:
    """Refuse nulls and estimates that lie where their range ends, and say what remains."""
    if null.theta:
        rows = np.array([one.coefficients for one in _slopes(likelihood, null)])
        places = np.flatnonzero(rows.any(axis=0)).tolist()
    elif _joins(likelihood, null):
        moved = np.array([one.coefficients for one in _differences(likelihood, null)]).any(axis=0)
        places = np.flatnonzero(moved).tolist()
    else:
        places, _ = _fixed(likelihood, null)
    edge = face_of(likelihood).on_edge
    held = [likelihood.names[i] for i in places if likelihood.names[i] in edge]
    if null.edges or held:
        what = f"the null {null.words}" if null.edges else f"the estimate of {held[0]}"
        raise InputError(
            f"a Wald test, which {kind} standard errors ask for, does not apply on an edge; found "
            f"{what} there, where errors go one way only. Instead, {_instead(kind)}"
        )


def _instead(kind: CovarianceName) -> str:
    """What to do where no Wald test applies, and what that ignores."""
    todo = 'use with_covariance("fisher").test(…), the likelihood ratio, which applies'
    if kind == "fisher":
        return f"{todo}."
    if kind == "robust":
        return f"{todo} but takes the noise model at its word."
    return (
        f"{todo} but takes the decisions of one person as independent: where people decided more "
        "than once its p-value can be too small."
    )


def _fixed(likelihood: Likelihood, null: Null) -> tuple[list[int], FloatArray]:
    """The places of the estimates that a null fixes, and at what."""
    places, values = [], []
    if null.power is not None:
        places += [i for i, quantity in enumerate(likelihood.quantities) if quantity.is_shape]
        values.append(null.power)
    if null.weighting.fixed is not None and likelihood.learned_weights:
        places += [i for i, quantity in enumerate(likelihood.quantities) if quantity.is_weight]
        values += null.weighting.fixed.tolist()
    return places, np.array(values)
