"""Linear contrasts of the estimates, and Wald tests of linear nulls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2, norm

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, check_level, is_real
from welfarist.inference.clusters import about_few
from welfarist.inference.covariance import CovarianceName, face_of
from welfarist.inference.doctrine_tests import DoctrineTest
from welfarist.inference.intervals import errors_in_words
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.linear_nulls import Linear, combination, equations

# A direction of a correlation matrix below this share of the largest is rounding.
_ROUNDING = 1e-9
# A standard error below this share of what it is made from is rounding.
_FIXED = 1e-6
# Standard errors by which equations may contradict each other for rounding alone.
_CONTRADICTION = 1e-4


@dataclass(frozen=True)
class Contrast:
    """A linear combination of the estimates, how sure it is, and a test of one value of it.

    Attributes
    ----------
    of : str
        What was asked for, in words.
    estimate, standard_error : float
    low, high : float
        The ends of its interval, estimate plus and minus standard errors.
    level : float
        Of the interval.
    value : float
        What is tested.
    statistic : float
        How many standard errors the estimate is away from `value`.
    p_value : float
        How often an estimate is as far away or farther where `value` is true.
    errors : str
        Where standard errors come from.
    note : str
        What makes them less than exact; empty if nothing does.
    """

    of: str
    estimate: float
    standard_error: float
    low: float
    high: float
    level: float
    value: float
    statistic: float
    p_value: float
    errors: str
    note: str = ""

    def __str__(self) -> str:
        lines = [
            f"{self.of}: {self.estimate:.4g} ({self.errors[:-1]} {self.standard_error:.4g})",
            f"{100 * self.level:g}% interval {self.low:.4g} to {self.high:.4g}",
            f"z = {self.statistic:.4g} for {self.value:g}, p-value {self.p_value:.4g}",
        ]
        return "\n".join([*lines, f"Note: {self.note}"] if self.note else lines)


def contrast(
    likelihood: Likelihood,
    of: object,
    value: float,
    level: float,
    covariance: FloatArray,
    kind: CovarianceName,
) -> Contrast:
    """Return a linear combination of the estimates with its standard error."""
    share = check_level(level)
    if not is_real(value) or not np.isfinite(value):
        raise InputError(f"value must be a finite number; found {value!r}.")
    asked = combination(likelihood.require(), of)
    error = float(np.sqrt(_variances(likelihood, [asked], covariance)[0]))
    estimate = asked.at(likelihood.estimates)
    reach = float(norm.isf((1.0 - share) / 2.0)) * error
    away = (estimate - value) / error
    return Contrast(
        asked.words,
        estimate,
        error,
        estimate - reach,
        estimate + reach,
        share,
        float(value),
        away,
        float(2.0 * norm.sf(abs(away))),
        errors_in_words(kind),
        about_few(likelihood, kind),
    )


def linear_wald(
    likelihood: Likelihood, null: object, covariance: FloatArray, kind: CovarianceName
) -> DoctrineTest:
    """Test linear equations of the estimates together, by how many standard errors they fail."""
    found = equations(likelihood.require(), null)
    for one in found:
        _refuse_edge_value(likelihood, one)
    return wald_of(likelihood, found, covariance, kind)


def wald_of(
    likelihood: Likelihood, null: list[Linear], covariance: FloatArray, kind: CovarianceName
) -> DoctrineTest:
    """Test that several combinations are 0 together."""
    errors = np.sqrt(_variances(likelihood, null, covariance))
    rows = np.array([one.coefficients for one in null]) / errors[:, None]
    away = np.array([one.at(likelihood.estimates) for one in null]) / errors
    values, vectors = np.linalg.eigh(rows @ covariance @ rows.T)
    kept = values > _ROUNDING * values[-1]
    along = vectors.T @ away
    if (np.abs(along[~kept]) > _CONTRADICTION).any():
        raise InputError(
            "equations of a null must be able to hold together; found some that contradict each "
            f"other: {', '.join(one.words for one in null)}."
        )
    statistic, degrees = float(np.square(along[kept]) @ (1.0 / values[kept])), int(kept.sum())
    plural = "s" * (degrees > 1)
    return DoctrineTest(
        ", ".join(one.words for one in null),
        statistic,
        f"chi-squared with {degrees} degree{plural} of freedom, {kind} standard errors",
        degrees,
        float(chi2.sf(statistic, degrees)),
        likelihood.log_likelihood(likelihood.value),
        None,
        about_few(likelihood, kind),
        kind="Wald",
    )


def _variances(likelihood: Likelihood, asked: list[Linear], covariance: FloatArray) -> FloatArray:
    """The variances (r,) of combinations, all of which can err."""
    edge = face_of(likelihood).on_edge
    sizes = np.sqrt(covariance.diagonal())
    found = []
    for one in asked:
        pairs = zip(likelihood.names, one.coefficients.tolist(), strict=True)
        held = [name for name, factor in pairs if factor and name in edge]
        if held:
            raise InputError(
                f"standard errors do not apply to {one.words}: the estimate of {held[0]} lies "
                "where its range ends, and errors go one way only. Use test(…), whose likelihood "
                "ratio applies, or interval(…)."
            )
        variance = float(one.coefficients @ covariance @ one.coefficients)
        if variance <= (_FIXED * float(np.abs(one.coefficients) @ sizes)) ** 2:
            raise InputError(
                f"a contrast must be of something that the decisions decide; found {one.words}, "
                "which is the same whatever they are: weights sum to 1."
            )
        found.append(variance)
    return np.array(found)


def _refuse_edge_value(likelihood: Likelihood, one: Linear) -> None:
    """Refuse a value of a single estimate that lies where its range ends, or beyond."""
    moved = np.flatnonzero(one.coefficients)
    if len(moved) != 1:
        return
    place = int(moved[0])
    lowest, highest = likelihood.ends_of(place)
    value = -one.constant / float(one.coefficients[place])
    if lowest < value < highest:
        return
    end = "at its end errors go one way only. test(weights=…) tests weights of 0."
    if likelihood.quantities[place].is_shape and likelihood.loss.has_zeros:
        end = "at its end errors go one way only. Some utility is 0, where no others are searched."
    raise InputError(
        f"a Wald test needs a null inside the range of what it tests; found {one.words}, but "
        f"{likelihood.names[place]} goes from {lowest:g} to {highest:g}, and {end}"
    )
