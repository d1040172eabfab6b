"""The learners' options, checked against the data and against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from welfarist.base.data_frames import by_name
from welfarist.base.errors import InputError
from welfarist.base.validation import (
    FloatArray,
    as_numbers,
    is_real,
)
from welfarist.counting.exact_solver import Exact
from welfarist.counting.guide import fewest_errors
from welfarist.families.base import Family
from welfarist.families.nested.family import NestedFamily
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.noise.base import ChoiceNoise
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.paper.grid import Grid
from welfarist.paper.two_stage import TwoStage
from welfarist.people.attributes import ByAttributes
from welfarist.people.source import in_its_place, is_source
from welfarist.people.weighting import Weighting
from welfarist.people.weights_option import group_labels
from welfarist.solvers.base import Solver
from welfarist.solvers.effort import EFFORTS, EffortName
from welfarist.solvers.newton import Newton

NoiseName = Literal["none", "flip", "logistic", "lapse"]
NoiseOption = NoiseName | ChoiceNoise
FamilyOption = (
    Literal["power", "kolm", "rank", "nested", "additive", "additive own", "needs"] | Family
)
MarginOption = Literal["auto", "ratio", "difference"]
SolverName = Literal["newton", "grid", "two_stage", "exact"]
SolverOption = SolverName | Solver | Exact
StartsOption = int | Literal["auto"]
RhoEstimator = Literal["error rate", "cross-validation"]
RhoOption = float | RhoEstimator | None


def concentration_of(
    prior: object,
    weighting: Weighting,
    groups: object = None,
    names: Sequence[str] | None = None,
) -> FloatArray | None:
    """Return the Dirichlet concentrations of the free weights (k,), or None without a prior.

    Labelled ones are matched with the people's names, or with the groups'.
    """
    if prior is not None and weighting.parameters:
        raise InputError(
            "a prior is one of learned weights; found weights by attributes as well, which follow "
            "from theta. Leave out one of the two."
        )
    if prior is None or weighting.free == 0:
        return None
    labels = group_labels(groups, weighting.people, names)
    free_names = names if labels is None else np.unique(labels).tolist()
    prior = by_name(prior, free_names, "prior")
    values = as_numbers(prior, "prior").astype(np.float64)
    if values.ndim == 0:
        values = np.full(weighting.free, float(values))
    if values.shape != (weighting.free,):
        raise InputError(
            "prior must be one Dirichlet concentration, or one per learned weight, "
            f"{weighting.free} in all; found shape {values.shape}."
        )
    if not (np.isfinite(values) & (values >= 1)).all():
        raise InputError(
            f"prior must be at least 1, or its mode is at the edge; found {values.min():g}. "
            "1 is no prior; 2 counts like one extra observation per person."
        )
    return values if (values > 1).any() else None


def noise_of(noise: object) -> ChoiceNoise | None:
    """Return the noise model of a name, or the one that was given; None where errors are counted.

    Those are ``"none"`` and ``"flip"``.
    """
    if isinstance(noise, ChoiceNoise):
        if not noise.is_symmetric():
            raise InputError(
                "noise must not depend on which action comes first: at -z the probabilities of "
                f"both answers must change places; found otherwise in {noise!r}. Add what first "
                "actions have in common to the utilities, or leave it out."
            )
        return noise
    if noise not in get_args(NoiseName):
        known = ", ".join(f'"{name}"' for name in get_args(NoiseName))
        raise InputError(f"noise must be one of {known}; found {noise!r}.")
    return {model.name: model for model in (LOGISTIC, LAPSE)}.get(str(noise))


def refuse_of_persons(family: Family, groups: object, weights: object) -> None:
    """Refuse what is said of persons where weights belong to places."""
    found = None
    if groups is not None:
        found = "groups of people"
    elif isinstance(weights, ByAttributes):
        found = "attributes of people"
    if family.by_place and found:
        raise InputError(
            f"weights of {family.called} belong to places, from the worst to the best off, and not "
            f"to people; found {found}. Leave them out, or learn a rule of persons."
        )


def nested(
    family: NestedFamily, groups: object, people: int, names: Sequence[str] | None
) -> NestedFamily:
    """Return the family of means of the groups that were given."""
    labels = group_labels(groups, people, names)
    return family if labels is None else family.with_groups(labels)


def require_countable(
    family: Family, utilities: object, noise: object, weighting: Weighting
) -> None:
    """Refuse to count errors where nobody knows at which powers two welfares cross."""
    found = None
    if family != POWER_MEAN:
        found = family.called
    elif is_source(utilities):
        found = in_its_place(utilities)
    elif weighting.parameters:
        found = "weights by attributes"
    if found:
        raise InputError(
            f'noise="{noise}" counts errors exactly, which is known how to do for power means of '
            f'a table of utilities only; found {found}. Use noise="logistic".'
        )


def is_learned(p: object) -> bool:
    """Whether the shape is to be learned: None, or the word for it.

    Examples
    --------
    >>> is_learned(None), is_learned("learn"), is_learned("Nash")
    (True, True, False)
    """
    return p is None or (isinstance(p, str) and p.strip().lower() == "learn")


def shape_of(p: object, family: Family, has_zeros: bool) -> float | None:
    """Return the shape that was given, or None if it is to be learned."""
    return None if is_learned(p) else family.shape_of(p, has_zeros)


def check_rho(rho: object, noise: object) -> RhoOption:
    """Require a flip probability, or how to estimate it, and refuse it where noise has none."""
    if noise != "flip":
        if rho is None:
            return None
        raise InputError(
            'rho must be left out unless noise="flip", whose flip probability it is; found rho = '
            f'{rho!r} with noise="{noise}". '
            + (
                "It is learned here: see rho_."
                if noise == "lapse"
                else 'Use noise="lapse" to learn it.'
            )
        )
    if rho is None or (isinstance(rho, str) and rho in get_args(RhoEstimator)):
        return rho  # type: ignore[return-value]
    if not is_real(rho) or not 0 <= float(rho) < 0.5:  # type: ignore[arg-type]
        known = " or ".join(f'"{name}"' for name in get_args(RhoEstimator))
        raise InputError(
            f"rho must be a probability from 0 to below 1/2, or {known} to estimate it; found "
            f"{rho!r}. At 1/2 decisions say nothing."
        )
    return float(rho)  # type: ignore[arg-type]


def check_flag(value: object, name: str) -> bool:
    """Require True or False: a number such as 0.01 would pass for True."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False; found {value!r}.")
    return bool(value)


def check_verbose(value: object) -> int:
    """Require how much is to be said: a whole number from 0 on, or True and False."""
    whole = isinstance(value, bool | np.bool_ | int | np.integer)
    if not whole or int(value) < 0:  # type: ignore[call-overload]
        raise InputError(f"verbose must be a whole number from 0 on; found {value!r}.")
    return int(value)  # type: ignore[call-overload, no-any-return]


def newton_of(n_starts: object, max_iter: Any, tol: Any, effort: object = "auto") -> Newton:
    """Return the default solver with its settings."""
    return Newton(
        check_starts(n_starts),
        int(check_positive(max_iter, "max_iter")),
        check_positive(tol, "tol"),
        guides=(fewest_errors,),
        effort=check_effort(effort),
    )


def solver_of(solver: SolverOption, newton: Newton) -> Solver:
    """Return the solver of a name, or the one that was given with settings of its own."""
    named: dict[str, Any] = {
        "newton": newton,
        "grid": Grid(),
        "two_stage": TwoStage(),
        "exact": Exact(),
    }
    if isinstance(solver, str):
        if solver not in named:
            known = ", ".join(f'"{name}"' for name in get_args(SolverName))
            raise InputError(
                f"solver must be one of {known}, or a Grid or TwoStage; found {solver!r}."
            )
        found: Solver = named[solver]
        return found
    if not (hasattr(solver, "check") and hasattr(solver, "minimise")):
        raise InputError(f"solver must be a name, a Grid or a TwoStage; found {solver!r}.")
    return solver  # type: ignore[return-value]


def exact_of(solver: SolverOption, noise: object, prior: object) -> Exact:
    """Return the exact solver for decisions without noise or with flips."""
    if prior is not None:
        raise InputError(
            f'prior must be left out with noise="{noise}", which counts errors and has no '
            'likelihood to weigh a prior against. Use noise="logistic".'
        )
    if isinstance(solver, Exact):
        return solver
    if isinstance(solver, str) and solver in ("newton", "exact"):
        return Exact()
    raise InputError(
        f'solver must be "exact" or an Exact with noise="{noise}"; found {solver!r}. The other '
        'solvers are for noise="logistic".'
    )


def check_positive(value: Any, name: str) -> float:
    """Require a positive number."""
    if not is_real(value) or not value > 0:
        raise InputError(f"{name} must be a positive number; found {value!r}.")
    return float(value)


def check_effort(effort: object) -> EffortName:
    """Require one of the efforts."""
    if not (isinstance(effort, str) and effort in EFFORTS):
        known = ", ".join(f'"{name}"' for name in EFFORTS)
        raise InputError(f"effort must be one of {known}; found {effort!r}.")
    return EFFORTS[effort].name


def check_starts(n_starts: object) -> StartsOption:
    """Require "auto" or a positive whole number."""
    if n_starts == "auto":
        return "auto"
    if isinstance(n_starts, int | np.integer) and not isinstance(n_starts, bool) and n_starts > 0:
        return int(n_starts)
    raise InputError(f'n_starts must be "auto" or a positive whole number; found {n_starts!r}.')
