"""Intervals of the estimates: by profile likelihood, bootstrap, or from standard errors (Wald)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import get_args

import numpy as np
from scipy.stats import norm

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, check_level
from welfarist.inference.bootstrap import Bootstrap, bootstrap
from welfarist.inference.covariance import (
    CovarianceName,
    check_covariance,
    face_of,
    variances_of,
)
from welfarist.inference.likelihood import Likelihood, turned
from welfarist.inference.posterior import MethodName as MethodName
from welfarist.inference.posterior import posterior_interval
from welfarist.inference.power_set import Pieces, hull, power_set
from welfarist.inference.profile import (
    NEARLY_ALL,
    NEARLY_NONE,
    Curve,
    Ends,
    ExtraCurve,
    PowerCurve,
    WeightCurve,
    interval_of,
    undetermined_weights,
)
from welfarist.inference.quick_profile import power_curve
from welfarist.inference.reference import allowed_deviance

# How far apart places are, in a curve's coordinate, at which a deviance is followed.
_STRIDE = 0.25


def interval(
    likelihood: Likelihood,
    name: str,
    level: float = 0.95,
    method: MethodName | None = None,
    covariance: CovarianceName = "fisher",
    resampled: Callable[[], Bootstrap] | None = None,
) -> FloatArray:
    """Return the interval of an estimate (1, 2), or of all weights (d, 2).

    Parameters
    ----------
    likelihood : Likelihood
    name : str
        "p", "tau", "rho", "scale", "weights", or one of the fit's names such as "weight of staff";
        "epsilon" for 1 - p.
    level : float
        Between 0 and 1.
    method : "profile", "wald", "bootstrap" or "posterior", optional
        Left out, it is "profile" for ``covariance="fisher"``, "bootstrap" for that and "wald" for
        the others. Under a prior it is "posterior", and nothing else.
    covariance : "fisher", "robust", "clustered" or "bootstrap"
        From which standard errors a Wald interval is made.
    resampled : callable, optional
        Gives the bootstrap if one is needed; left out, it is drawn with its defaults.
    """
    asked = method
    level, method = checked(level, method, covariance)
    if likelihood.is_aversion(name):
        shape = likelihood.loss.shape.name
        return turned(interval(likelihood, shape, level, asked, covariance, resampled))
    if likelihood.prior is not None:
        return posterior_interval(likelihood, likelihood.places(name), level, asked, covariance)
    likelihood.require()
    _refuse_posterior(method)
    if likelihood.loss.in_parts:
        method = _by_errors(asked)
    chosen = likelihood.places(name)
    draw = resampled or partial(bootstrap, likelihood)
    if method == "bootstrap":
        return np.array(draw().interval(name, level)).reshape(-1, 2)
    if method == "wald":
        return wald_intervals(likelihood, chosen, level, covariance, draw)
    allowed = allowed_deviance(likelihood, level)
    return np.array([_by_profile(likelihood, i, allowed) for i in chosen])


def default_interval(
    likelihood: Likelihood,
    name: str,
    level: float,
    covariance: CovarianceName,
    resampled: Callable[[], Bootstrap] | None = None,
) -> FloatArray:
    """Return the intervals (1, 2) or (d, 2) that go with standard errors, where nobody chose.

    Where no Wald interval applies, on an edge or without standard errors, it is that of the
    profile likelihood, which takes decisions as independent.
    """
    if likelihood.prior is not None or method_for(covariance) != "wald":
        return interval(likelihood, name, level, None, covariance, resampled)
    beyond = beyond_wald(likelihood.require(), covariance)
    if likelihood.is_aversion(name):
        shape = likelihood.loss.shape.name
        return turned(default_interval(likelihood, shape, level, covariance))
    parts = []
    for i in likelihood.places(name):
        one = likelihood.names[i]
        how: tuple[MethodName, CovarianceName] = ("wald", covariance)
        if one in beyond:
            how = ("profile", "fisher")
        parts.append(interval(likelihood, one, level, *how))
    return np.concatenate(parts)


def beyond_wald(likelihood: Likelihood, covariance: CovarianceName) -> set[str]:
    """Return the names of the estimates to which no Wald interval of a formula applies."""
    try:
        if covariance != "bootstrap":
            variances_of(likelihood, covariance)
    except InputError:  # there are no standard errors
        return set(likelihood.names)
    return set(face_of(likelihood).on_edge)


def kind_for(
    method: MethodName | None, asked: CovarianceName | None, own: CovarianceName
) -> CovarianceName:
    """Return the standard errors of a question: those asked for, or the result's own.

    Whoever asks for a profile likelihood asks for the likelihood's own.
    """
    if asked is not None:
        return asked
    return "fisher" if method == "profile" else own


def method_for(covariance: CovarianceName) -> MethodName:
    """Return the intervals that go with standard errors of a kind."""
    others: dict[str, MethodName] = {"fisher": "profile", "bootstrap": "bootstrap"}
    return others.get(covariance, "wald")


def errors_in_words(covariance: CovarianceName) -> str:
    """Say what standard errors a Wald interval is made from.

    Examples
    --------
    >>> errors_in_words("clustered"), errors_in_words("fisher")
    ('clustered standard errors', 'standard errors')
    """
    return "standard errors" if covariance == "fisher" else f"{covariance} standard errors"


def checked(
    level: float, method: MethodName | None, covariance: CovarianceName
) -> tuple[float, MethodName]:
    """Return level and method, or refuse those that are none or do not go together."""
    check_covariance(covariance)
    level = check_level(level)
    method = method_for(covariance) if method is None else method
    if method not in get_args(MethodName):
        raise InputError(
            'method must be "profile", "wald" or "bootstrap", or "posterior" under a prior; found '
            f"{method!r}."
        )
    if method == "profile" and covariance != "fisher":
        raise InputError(
            "a profile likelihood takes the noise model at its word and decisions as independent; "
            f'found covariance="{covariance}", which does not. Use method="wald".'
        )
    return level, method


def _by_errors(asked: MethodName | None) -> MethodName:
    """Intervals of decisions that stay in their files come from standard errors."""
    if asked in (None, "wald"):
        return "wald"
    raise InputError(
        "intervals of decisions that stay in their files come from standard errors; found "
        f'method="{asked}", for which the files would be read again and again. Use method="wald".'
    )


def _refuse_posterior(method: MethodName) -> None:
    if method == "posterior":
        raise InputError(
            'method="posterior" is for fits under a prior; found one without. Use "profile", or '
            "fit with a prior."
        )


def _refuse_edges(likelihood: Likelihood, chosen: list[int]) -> None:
    """Refuse Wald intervals of estimates that lie where their range ends."""
    edge = set(face_of(likelihood).on_edge)
    for i in chosen:
        if likelihood.names[i] in edge:
            why = (
                f"at p = {likelihood.point.p:g} weights only say who counts"
                if likelihood.quantities[i].is_weight and likelihood.only_who_counts
                else f"its estimate, {likelihood.estimates[i]:g}, lies where its range ends, and "
                "errors go one way only"
            )
            raise InputError(
                f"a Wald interval does not apply to {likelihood.names[i]}: {why}. Use "
                'method="profile".'
            )


def wald_intervals(
    likelihood: Likelihood,
    chosen: list[int],
    level: float,
    covariance: CovarianceName,
    resampled: Callable[[], Bootstrap],
) -> FloatArray:
    """Return estimates plus and minus standard errors (r, 2), cut where a parameter's range ends.

    `chosen` are the places of the estimates (r,), none of which may lie on an edge.
    """
    _refuse_edges(likelihood, chosen)
    if covariance == "bootstrap":
        variances = resampled().cov_params().diagonal()
    else:
        variances = variances_of(likelihood, covariance)
    errors = np.sqrt(variances[chosen])
    reach = float(norm.isf((1.0 - level) / 2.0)) * errors
    middle = likelihood.estimates[chosen]
    lowest, highest = zip(*(likelihood.ends_of(i) for i in chosen), strict=True)
    return np.column_stack(
        [np.maximum(middle - reach, lowest), np.minimum(middle + reach, highest)]
    )


def _strides(likelihood: Likelihood) -> list[float]:
    """How far to step first from each estimate, in the coordinate of its profile."""
    try:
        errors = np.sqrt(variances_of(likelihood, "fisher"))
    except InputError:  # the likelihood is flat in some direction: the profile will show it
        errors = np.zeros(len(likelihood.names))
    steps = []
    for quantity, error, value in zip(
        likelihood.quantities, errors, likelihood.estimates, strict=True
    ):
        parameter = quantity.parameter
        unit = parameter.coordinate.steepness(float(value))
        step = 2.0 * float(error) / unit if 0.0 < unit < np.inf else 0.0
        within = min(max(step, parameter.shortest_step), parameter.longest_step)
        steps.append(within if step > 0 else parameter.first_step)
    return steps


def _by_profile(likelihood: Likelihood, i: int, allowed: float) -> tuple[float, float]:
    """The interval of one estimate by profile likelihood, worked out once."""
    return likelihood.once(("interval", i, allowed), lambda: _profile(likelihood, i, allowed))


def deviance_at(likelihood: Likelihood, name: str, value: float) -> float:
    """Return twice the log likelihood that is lost where one estimate is held at a value.

    It is what a profile interval compares with what is allowed. A weight is somebody's own.
    """
    i = likelihood.require().places(name)[0]
    quantity = likelihood.quantities[i]
    stride = likelihood.once("strides", lambda: _strides(likelihood))[i]
    curve: Curve
    if quantity.is_weight:
        free, size = _free_weight(likelihood, i)
        curve, place = WeightCurve(likelihood, free, stride * size), value * size
    elif quantity.is_shape:
        curve = PowerCurve(likelihood, stride)
        place = quantity.parameter.coordinate.into(value)
    else:
        held = likelihood.loss.parameters.index(quantity.parameter)
        curve = ExtraCurve(likelihood, held, stride)
        place = quantity.parameter.coordinate.into(value)
    # On the way there from the estimate, and from starts that know nothing of it.
    along = np.linspace(curve.centre, place, 2 + int(abs(place - curve.centre) / _STRIDE))
    for x in along.tolist():
        curve.at(x)
    return curve.from_equal_weights(place)


def _profile(likelihood: Likelihood, i: int, allowed: float) -> tuple[float, float]:
    quantity = likelihood.quantities[i]
    stride = likelihood.once("strides", lambda: _strides(likelihood))[i]
    if quantity.is_weight:
        return _profile_of_weight(likelihood, i, stride, allowed)
    if quantity.is_shape:
        return hull(_power_set(likelihood, stride, allowed))
    parameter = quantity.parameter
    held = likelihood.loss.parameters.index(parameter)
    ends = Ends(parameter.lowest, parameter.highest, parameter.coordinate.back)
    return interval_of(ExtraCurve(likelihood, held, stride), ends, allowed)


def _power_set(likelihood: Likelihood, stride: float, allowed: float) -> Pieces:
    return likelihood.once(
        ("power set", allowed),
        lambda: power_set(likelihood, power_curve(likelihood, stride), allowed),
    )


def pieces(likelihood: Likelihood, name: str, level: float = 0.95) -> Pieces:
    """Return the pieces of the set of values that a likelihood ratio does not reject, ascending.

    Only that of the shape is ever in more than one.
    """
    found = interval(likelihood, name, level, "profile")
    if len(found) > 1:
        raise InputError(
            f"pieces must be of one number; found {name!r}, which are {len(found)}. Name one, such "
            f"as {likelihood.names[likelihood.places(name)[0]]!r}."
        )
    low, high = found[0].tolist()
    if likelihood.is_aversion(name):
        shape = pieces(likelihood, likelihood.loss.shape.name, level)
        return tuple((1.0 - high, 1.0 - low) for low, high in reversed(shape))
    i = likelihood.places(name)[0]
    if not likelihood.quantities[i].is_shape:
        return ((low, high),)
    return likelihood.once(
        ("power set", allowed_deviance(likelihood, level)), lambda: ((low, high),)
    )


def _free_weight(likelihood: Likelihood, i: int) -> tuple[int, float]:
    """The number of the free weight behind a person's, and how many share it."""
    weighting, person = likelihood.loss.weighting, likelihood.quantities[i].person
    assert person is not None
    free = person if weighting.group_of is None else int(weighting.group_of[person])
    return free, 1.0 / weighting.largest(person)


def _profile_of_weight(
    likelihood: Likelihood, i: int, stride: float, allowed: float
) -> tuple[float, float]:
    """The interval of one weight: that of its group, shared by the members."""
    free, size = _free_weight(likelihood, i)
    # At an infinite power weights only say who counts, not how much.
    if free in undetermined_weights(likelihood, allowed) or np.isinf(likelihood.point.p):
        return 0.0, 1.0 / size
    low, high = likelihood.once(
        ("free weight", free, allowed),
        lambda: interval_of(
            WeightCurve(likelihood, free, stride * size), Ends(0.0, 1.0, float), allowed
        ),
    )
    return min(low, NEARLY_ALL) / size, max(high, NEARLY_NONE) / size  # as closely as it looks
