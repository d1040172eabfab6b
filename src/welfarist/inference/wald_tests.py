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
        One that :func:`check_wald` has let pass.
    covariance : (k, k) array
        Of the estimates.
    kind : str
        What the covariance is called.
    """
    places, values = _fixed(fitted, null)
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


def check_wald(fitted: Fitted, null: Null, kind: CovarianceName) -> None:
    """Refuse groups, nulls and estimates that lie where their range ends, and say what remains."""
    if null.weighting is not fitted.loss.weighting and null.weighting.fixed is None:
        raise InputError(
            f"a Wald test, which {kind} standard errors ask for, needs a null that says what p or "
            f"the weights are; found groups. Give the weights, or {_instead(kind)}"
        )
    places, _ = _fixed(fitted, null)
    edge = face_of(fitted).on_edge
    held = [fitted.names[i] for i in places if fitted.names[i] in edge]
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


def _fixed(fitted: Fitted, null: Null) -> tuple[list[int], FloatArray]:
    """The places of the estimates that a null fixes, and at what."""
    places, values = [], []
    if null.power is not None:
        places.append(fitted.names.index("p"))
        values.append(null.power)
    if null.weighting.fixed is not None and fitted.learned_weights:
        places += [i for i, name in enumerate(fitted.names) if kind_of(name) == "weights"]
        values += null.weighting.fixed.tolist()
    return places, np.array(values)
