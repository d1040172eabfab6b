"""Wald tests of doctrines, for standard errors that do not take the likelihood at its word."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.inference.covariance import CovarianceName, face_of
from welfarist.inference.doctrine_tests import DoctrineTest, Null
from welfarist.inference.likelihood import Likelihood

# Directions of less than this share of the largest variance are rounding: weights keep their sum.
_RANK = 1e-10


def wald(
    likelihood: Likelihood, null: Null, covariance: FloatArray, kind: CovarianceName
) -> DoctrineTest:
    """Test a null that fixes p, all weights or both, by how many standard errors it is away.

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
        kind="Wald",
    )


def check_wald(likelihood: Likelihood, null: Null, kind: CovarianceName) -> None:
    """Refuse groups, nulls and estimates that lie where their range ends, and say what remains."""
    if null.weighting is not likelihood.loss.weighting and null.weighting.fixed is None:
        raise InputError(
            f"a Wald test, which {kind} standard errors ask for, needs a null that says what p or "
            f"the weights are; found groups. Give the weights, or {_instead(kind)}"
        )
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
