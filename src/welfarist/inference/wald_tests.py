"""Wald tests of doctrines, for standard errors that do not take the likelihood at its word."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from welfarist.errors import InputError
from welfarist.inference.covariance import CovarianceName, face_of
from welfarist.inference.doctrine_tests import DoctrineTest, Null
from welfarist.inference.fitted import Fitted
from welfarist.inference.naming import kind_of
from welfarist.validation import FloatArray

# Directions of less than this share of the largest variance are rounding: weights keep their sum.
_RANK = 1e-10


def wald(fitted: Fitted, null: Null, covariance: FloatArray, kind: CovarianceName) -> DoctrineTest:
    """Test a null that fixes p, all weights or both, by how many standard errors it is away.

    Parameters
    ----------
    fitted : Fitted
    null : Null
    covariance : (k, k) array
        Of the estimates.
    kind : str
        What the covariance is called.
    """
    places, values = _fixed(fitted, null)
    _refuse_edges(fitted, null, places)
    away = fitted.estimates[places] - values
    inverse = np.linalg.pinv(covariance[np.ix_(places, places)], rcond=_RANK, hermitian=True)
    statistic = float(away @ inverse @ away)
    plural = "s" * (null.degrees > 1)
    return DoctrineTest(
        null.words,
        statistic,
        f"chi-squared with {null.degrees} degree{plural} of freedom, {kind} standard errors",
        null.degrees,
        float(chi2.sf(statistic, null.degrees)),
        fitted.log_likelihood(fitted.value),
        None,
        kind="Wald",
    )


def _fixed(fitted: Fitted, null: Null) -> tuple[list[int], FloatArray]:
    """The places of the estimates that a null fixes, and at what."""
    places, values = [], []
    if null.power is not None:
        places.append(fitted.names.index("p"))
        values.append(null.power)
    if null.weighting.fixed is not None and fitted.learned_weights:
        places += [i for i, name in enumerate(fitted.names) if kind_of(name) == "weights"]
        values += null.weighting.fixed.tolist()
    elif null.weighting is not fitted.loss.weighting:
        raise InputError(
            "a Wald test needs a null that says what p or the weights are; found groups. Leave "
            "out covariance=…, or give the weights."
        )
    return places, np.array(values)


def _refuse_edges(fitted: Fitted, null: Null, places: list[int]) -> None:
    """Refuse nulls and estimates that lie where their range ends."""
    held = [fitted.names[i] for i in places if fitted.names[i] in face_of(fitted).on_edge]
    if null.edges or held:
        what = f"the null {null.words}" if null.edges else f"the estimate of {held[0]}"
        raise InputError(
            f"a Wald test does not apply on an edge; found {what} there, where errors go one way "
            "only. Leave out covariance=…: the likelihood ratio does apply."
        )
