"""Intervals of the estimates: by profile likelihood, bootstrap, or from standard errors (Wald)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import numpy as np
from scipy.stats import chi2, norm

from welfarist.errors import InputError
from welfarist.inference.bootstrap import Bootstrap, bootstrap
from welfarist.inference.covariance import (
    CovarianceName,
    check_covariance,
    covariance_of,
    face_of,
)
from welfarist.inference.fitted import Fitted
from welfarist.inference.naming import chosen_names, kind_of
from welfarist.inference.profile import (
    NEARLY_ALL,
    NEARLY_NONE,
    Ends,
    ExtraCurve,
    PowerCurve,
    WeightCurve,
    interval_of,
    power_interval,
    undetermined_weights,
)
from welfarist.validation import FloatArray, check_level

MethodName = Literal["profile", "wald", "bootstrap"]

# The first step from an estimate whose standard error is not known.
_STRIDES = {"p": 0.5, "weights": 0.05, "tau": 0.1, "scale": 0.02, "rho": 0.02}
_SHORTEST = {"p": 1e-6, "weights": 1e-4, "tau": 1e-6, "scale": 1e-9, "rho": 1e-4}
_LONGEST = {"p": 1.0, "weights": 0.3, "tau": 1.0, "scale": 1.0, "rho": 0.1}
# Where the range of each parameter ends.
_RANGES = {
    "p": (-np.inf, np.inf),
    "weights": (0.0, 1.0),
    "tau": (0.0, np.inf),
    "scale": (0.0, np.inf),
    "rho": (0.0, 0.5),
}


def interval(
    fitted: Fitted,
    name: str,
    level: float = 0.95,
    method: MethodName | None = None,
    covariance: CovarianceName = "fisher",
    resampled: Callable[[], Bootstrap] | None = None,
) -> FloatArray:
    """Return the interval of an estimate (1, 2), or of all weights (d, 2).

    Parameters
    ----------
    fitted : Fitted
    name : str
        "p", "tau", "rho", "scale", "weights", or one of the fit's names such as "weight of staff".
    level : float
        Between 0 and 1.
    method : "profile", "wald" or "bootstrap", optional
        Left out, it is "profile" for ``covariance="fisher"``, "bootstrap" for that and "wald" for
        the others.
    covariance : "fisher", "robust", "clustered" or "bootstrap"
        From which standard errors a Wald interval is made.
    resampled : callable, optional
        Gives the bootstrap if one is needed; left out, it is drawn with its defaults.
    """
    fitted.require()
    level, method = checked(level, method, covariance)
    chosen = chosen_names(fitted.names, name)
    draw = resampled or partial(bootstrap, fitted)
    if method == "bootstrap":
        return np.array(draw().interval(name, level)).reshape(-1, 2)
    if method == "wald":
        _refuse_edges(fitted, chosen)
        if covariance == "bootstrap":
            return _wald(fitted, chosen, level, draw().cov_params())
        return _wald(fitted, chosen, level, covariance_of(fitted, covariance))
    strides = _strides(fitted)
    allowed = float(chi2.ppf(level, 1))
    seen: dict[int, tuple[float, float]] = {}
    if any(kind_of(fitted.names[i]) == "weights" for i in chosen):
        seen = dict.fromkeys(undetermined_weights(fitted, allowed), (0.0, 1.0))
    return np.array([_profile(fitted, i, strides[i], allowed, seen) for i in chosen])


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
        raise InputError(f'method must be "profile", "wald" or "bootstrap"; found {method!r}.')
    if method == "profile" and covariance != "fisher":
        raise InputError(
            "a profile likelihood takes the noise model at its word and decisions as independent; "
            f'found covariance="{covariance}", which does not. Use method="wald".'
        )
    return level, method


def _refuse_edges(fitted: Fitted, chosen: list[int]) -> None:
    """Refuse Wald intervals of estimates that lie where their range ends."""
    edge = set(face_of(fitted).on_edge)
    for i in chosen:
        if fitted.names[i] in edge:
            why = (
                f"at p = {fitted.point.p:g} weights only say who counts"
                if kind_of(fitted.names[i]) == "weights" and fitted.only_who_counts
                else f"its estimate, {fitted.estimates[i]:g}, lies where its range ends, and "
                "errors go one way only"
            )
            raise InputError(
                f'a Wald interval does not apply to {fitted.names[i]}: {why}. Use method="profile".'
            )


def _wald(fitted: Fitted, chosen: list[int], level: float, covariance: FloatArray) -> FloatArray:
    """Estimates plus and minus standard errors, cut where a parameter's range ends."""
    errors = np.sqrt(covariance.diagonal()[chosen])
    reach = float(norm.isf((1.0 - level) / 2.0)) * errors
    middle = fitted.estimates[chosen]
    lowest, highest = np.array([_RANGES[kind_of(fitted.names[i])] for i in chosen]).T
    return np.column_stack(
        [np.maximum(middle - reach, lowest), np.minimum(middle + reach, highest)]
    )


def _strides(fitted: Fitted) -> list[float]:
    """How far to step first from each estimate, in the coordinate of its profile."""
    kinds = [kind_of(name) for name in fitted.names]
    try:
        errors = np.sqrt(covariance_of(fitted, "fisher").diagonal())
    except InputError:  # the likelihood is flat in some direction: the profile will show it
        errors = np.zeros(len(kinds))
    units = []
    for kind, value in zip(kinds, fitted.estimates, strict=True):
        unit = {"p": np.hypot(1.0, value), "tau": value, "scale": value}.get(kind, 1.0)
        units.append(unit)
    steps = []
    for kind, error, unit in zip(kinds, errors, units, strict=True):
        step = 2.0 * float(error) / unit if np.isfinite(unit) else 0.0
        within = min(max(step, _SHORTEST[kind]), _LONGEST[kind])
        steps.append(within if step > 0 else _STRIDES[kind])
    return steps


def _profile(
    fitted: Fitted, i: int, stride: float, allowed: float, seen: dict[int, tuple[float, float]]
) -> tuple[float, float]:
    """The interval of one estimate by profile likelihood; `seen` has those of free weights."""
    kind = kind_of(fitted.names[i])
    if kind == "p":
        curve = PowerCurve(fitted, stride)
        return power_interval(curve, fitted.point.p, fitted.loss.has_zeros, allowed)
    if kind != "weights":
        held = fitted.extra_names.index(kind)
        logarithmic = fitted.loss.extra_names[held].startswith("log_")
        report: Callable[[float], float] = np.exp if logarithmic else float
        return interval_of(ExtraCurve(fitted, held, stride), Ends(*_RANGES[kind], report), allowed)
    person = i - int(fitted.loss.learn_power)
    weighting = fitted.loss.weighting
    free = person if weighting.group_of is None else int(weighting.group_of[person])
    size = float(weighting.sizes()[free])
    if free not in seen:
        if np.isinf(fitted.point.p):  # weights only say who counts, not how much
            return 0.0, 1.0 / size
        curve_of_weight = WeightCurve(fitted, free, stride * size)
        low, high = interval_of(curve_of_weight, Ends(0.0, 1.0, float), allowed)
        seen[free] = min(low, NEARLY_ALL), max(high, NEARLY_NONE)  # as closely as it looks
    low, high = seen[free]
    return low / size, high / size
