"""Intervals of the estimates: by profile likelihood, or from standard errors (Wald)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from scipy.stats import chi2, norm

from welfarist.errors import InputError
from welfarist.inference.covariance import CovarianceName, covariance_of, face_of
from welfarist.inference.fitted import Fitted
from welfarist.inference.profile import (
    Ends,
    ExtraCurve,
    PowerCurve,
    WeightCurve,
    interval_of,
    power_interval,
)
from welfarist.validation import FloatArray, is_real

MethodName = Literal["profile", "wald"]

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
) -> FloatArray:
    """Return the interval of an estimate (1, 2), or of all weights (d, 2).

    Parameters
    ----------
    fitted : Fitted
    name : str
        "p", "tau", "rho", "scale", "weights", or one of the fit's names such as "weight of staff".
    level : float
        Between 0 and 1.
    method : "profile" or "wald", optional
        Left out, it is "profile" for ``covariance="fisher"`` and "wald" for the others.
    covariance : "fisher", "robust" or "clustered"
        From which standard errors a Wald interval is made.
    """
    fitted.require()
    level, method = checked(level, method, covariance)
    chosen = _chosen(fitted, name)
    if method == "wald":
        return _wald(fitted, chosen, level, covariance)
    strides = _strides(fitted)
    seen: dict[int, tuple[float, float]] = {}
    allowed = float(chi2.ppf(level, 1))
    return np.array([_profile(fitted, i, strides[i], allowed, seen) for i in chosen])


def checked(level: float, method: MethodName | None, covariance: str) -> tuple[float, MethodName]:
    """Return level and method, or refuse those that are none or do not go together."""
    if not is_real(level) or not 0 < level < 1:
        raise InputError(f"level must be a number between 0 and 1, such as 0.95; found {level!r}.")
    if method is None:
        method = "profile" if covariance == "fisher" else "wald"
    if method not in get_args(MethodName):
        raise InputError(f'method must be "profile" or "wald"; found {method!r}.')
    if covariance not in get_args(CovarianceName):
        known = ", ".join(f'"{name}"' for name in get_args(CovarianceName))
        raise InputError(f"covariance must be one of {known}; found {covariance!r}.")
    if method == "profile" and covariance != "fisher":
        raise InputError(
            "a profile likelihood takes the noise model at its word and decisions as independent; "
            f'found covariance="{covariance}", which does not. Use method="wald".'
        )
    return float(level), method


def _chosen(fitted: Fitted, name: str) -> list[int]:
    """The numbers of the estimates that go by a name."""
    if name == "weights" and fitted.learned_weights:
        return [i for i, known in enumerate(fitted.names) if kind_of(known) == "weights"]
    if name in fitted.names:
        return [fitted.names.index(name)]
    known = [*fitted.names, *(["weights"] if fitted.learned_weights else [])]
    raise InputError(
        f"an interval must be of something that was learned: {', '.join(known)}; found {name!r}."
    )


def kind_of(name: str) -> str:
    """Return the kind of an estimate, given its name: "p", "weights", "tau", "rho" or "scale"."""
    return "weights" if name.startswith("weight of ") else name


def _wald(fitted: Fitted, chosen: list[int], level: float, kind: CovarianceName) -> FloatArray:
    """Estimates plus and minus standard errors, cut where a parameter's range ends."""
    edge = set(face_of(fitted).on_edge)
    for i in chosen:
        if fitted.names[i] in edge:
            raise InputError(
                f"a Wald interval does not apply to {fitted.names[i]}: its estimate, "
                f"{fitted.estimates[i]:g}, lies where its range ends, and errors go one way only. "
                'Use method="profile".'
            )
    errors = np.sqrt(covariance_of(fitted, kind).diagonal()[chosen])
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
    if np.isinf(fitted.point.p):
        raise InputError(
            f"weights have no intervals at p = {fitted.point.p:g}, where they only say who counts. "
            "Fix p at a finite value to learn how much."
        )
    person = i - int(fitted.loss.learn_power)
    weighting = fitted.loss.weighting
    free = person if weighting.group_of is None else int(weighting.group_of[person])
    size = float(weighting.sizes()[free])
    if free not in seen:
        curve_of_weight = WeightCurve(fitted, free, stride * size)
        seen[free] = interval_of(curve_of_weight, Ends(0.0, 1.0, float), allowed)
    low, high = seen[free]
    return low / size, high / size
