"""Intervals of a fit under a prior, from the posterior's mode and curvature."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.inference.covariance import CovarianceName, face_of, variances_of
from welfarist.inference.likelihood import Likelihood

MethodName = Literal["profile", "wald", "bootstrap", "posterior"]


def posterior_interval(
    likelihood: Likelihood,
    chosen: list[int],
    level: float,
    method: MethodName | None,
    covariance: CovarianceName,
) -> FloatArray:
    """Return intervals (n, 2) from the posterior's mode and curvature.

    A normal distribution about the mode, in coordinates in which each number has no ends: asinh p,
    log tau, the logit of a weight.
    """
    if method not in (None, "posterior") or covariance != "fisher":
        asked = f'method="{method}"' if covariance == "fisher" else f'covariance="{covariance}"'
        raise InputError(
            "under a prior intervals come from the mode and the curvature of the posterior; found "
            f"{asked}. Leave it out, or fit with prior=None."
        )
    errors = np.sqrt(variances_of(likelihood, "fisher"))
    edge = set(face_of(likelihood).on_edge)
    for i in chosen:
        if likelihood.names[i] in edge:
            raise InputError(
                f"under a prior {likelihood.names[i]} has no interval where its estimate, "
                f"{likelihood.estimates[i]:g}, lies at the end of its range. Fix it, or fit with "
                "prior=None."
            )
    z = float(norm.isf((1.0 - level) / 2.0))
    return np.array([_about_the_mode(likelihood, i, z * float(errors[i])) for i in chosen])


def _about_the_mode(likelihood: Likelihood, i: int, reach: float) -> tuple[float, float]:
    """Both ends of an interval whose half width is `reach` at the mode itself."""
    value, quantity = float(likelihood.estimates[i]), likelihood.quantities[i]
    if quantity.person is not None:
        share = likelihood.loss.weighting.largest(quantity.person)
        part = value / share
        middle, half = float(logit(part)), reach / (share * part * (1.0 - part))
        return share * float(expit(middle - half)), share * float(expit(middle + half))
    coordinate = quantity.parameter.coordinate
    lowest, highest = likelihood.ends_of(i)
    middle, half = coordinate.into(value), reach / coordinate.steepness(value)
    low, high = coordinate.back(middle - half), coordinate.back(middle + half)
    return max(low, lowest), min(high, highest)
