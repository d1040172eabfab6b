"""The learners' options, checked against the data and against each other."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from welfarist.doctrines import power_of
from welfarist.errors import InputError
from welfarist.noise import NoiseName
from welfarist.solvers.base import Solver
from welfarist.solvers.fitting import Newton
from welfarist.solvers.grid import Grid
from welfarist.solvers.two_stage import TwoStage
from welfarist.validation import FloatArray, as_numbers, as_power, as_weights, normalised
from welfarist.weighting import Weighting

SolverName = Literal["newton", "grid", "two_stage"]
SolverOption = SolverName | Solver
WeightsOption = Literal["learn", "equal"] | npt.ArrayLike
StartsOption = int | Literal["auto"]


def weighting_of(weights: WeightsOption, groups: object, people: int) -> Weighting:
    """Return what is known about the weights of `people` people."""
    if isinstance(weights, str):
        if weights not in ("learn", "equal"):
            raise InputError(
                f'weights must be "learn", "equal" or one number per person; found {weights!r}.'
            )
        if weights == "learn":
            return Weighting(people, group_of=_group_numbers(groups, people))
    if groups is not None:
        raise InputError(
            'groups must come with weights="learn", because they say how learned weights are '
            "shared; found known weights as well. Give one of the two."
        )
    if isinstance(weights, str):
        return Weighting(people, fixed=np.full(people, 1.0 / people))
    known = as_weights(weights)
    if known.shape != (people,):
        raise InputError(
            f"known weights must be one number per person, {people} in all; found shape "
            f"{known.shape}."
        )
    return Weighting(people, fixed=normalised(known))


def _group_numbers(groups: object, people: int) -> npt.NDArray[np.intp] | None:
    if groups is None:
        return None
    labels = np.asarray(groups)
    if labels.shape != (people,):
        raise InputError(
            f"groups must hold one label per person, {people} in all; found shape {labels.shape}."
        )
    _, number = np.unique(labels, return_inverse=True)
    return np.asarray(number.reshape(-1), dtype=np.intp)


def weight_notes(weights: WeightsOption, groups: Any, people: int) -> tuple[str, ...]:
    """What a summary says about where each person's weight comes from (d,)."""
    if isinstance(weights, str) and weights == "equal":
        return ("equal",) * people
    if not isinstance(weights, str):
        return ("given",) * people
    if groups is None:
        return ("",) * people
    return tuple(f"group {label}" for label in np.asarray(groups).tolist())


def power_of_option(p: object, has_zeros: bool) -> float | None:
    """Return the fixed power, or None if it is to be learned."""
    if p is None:
        return None
    power = power_of(p) if isinstance(p, str) else as_power(p)
    if has_zeros and power <= 0:
        raise InputError(
            f"p must be positive where a utility is 0, because otherwise welfare is 0; found p = "
            f"{power:g}. Leave those actions out, or learn p."
        )
    return power


def concentration_of(prior: object, weighting: Weighting) -> FloatArray | None:
    """Return the Dirichlet concentrations of the free weights (k,), or None without a prior."""
    if prior is None or weighting.free == 0:
        return None
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


def check_noise(noise: str) -> NoiseName:
    """Require a noise model that can be fitted here."""
    if noise not in get_args(NoiseName):
        known = ", ".join(f'"{name}"' for name in get_args(NoiseName))
        raise InputError(f"noise must be one of {known}; found {noise!r}.")
    if noise in ("none", "flip"):
        raise InputError(
            f'noise="{noise}" needs the exact method for the 0-1 loss, which this version does '
            'not have yet. Use noise="logistic", or noise="lapse" for flips.'
        )
    return noise  # type: ignore[return-value]


def check_rho(rho: object, noise: NoiseName) -> None:
    """Refuse a flip probability where the noise has none, or learns it."""
    if rho is None:
        return
    raise InputError(
        'rho must be left out unless noise="flip", whose known flip probability it is; found rho = '
        f'{rho!r} with noise="{noise}". '
        + (
            "It is learned here: see rho_."
            if noise == "lapse"
            else 'Use noise="lapse" to learn it.'
        )
    )


def check_flag(value: object, name: str) -> bool:
    """Require True or False: a number such as 0.01 would pass for True."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False; found {value!r}.")
    return bool(value)


def solver_of(solver: SolverOption, n_starts: object, max_iter: Any, tol: Any) -> Solver:
    """Return the solver of a name, or the one that was given with settings of its own."""
    newton = Newton(
        check_starts(n_starts),
        int(check_positive(max_iter, "max_iter")),
        check_positive(tol, "tol"),
    )
    named: dict[str, Solver] = {"newton": newton, "grid": Grid(), "two_stage": TwoStage()}
    if isinstance(solver, str):
        if solver not in named:
            known = ", ".join(f'"{name}"' for name in get_args(SolverName))
            raise InputError(
                f"solver must be one of {known}, or a Grid or TwoStage; found {solver!r}."
            )
        return named[solver]
    if not (hasattr(solver, "check") and hasattr(solver, "minimise")):
        raise InputError(f"solver must be a name, a Grid or a TwoStage; found {solver!r}.")
    return solver


def check_positive(value: Any, name: str) -> float:
    """Require a positive number."""
    real = isinstance(value, int | float | np.integer | np.floating)
    if not real or isinstance(value, bool) or not value > 0:
        raise InputError(f"{name} must be a positive number; found {value!r}.")
    return float(value)


def check_starts(n_starts: object) -> StartsOption:
    """Require "auto" or a positive whole number."""
    if n_starts == "auto":
        return "auto"
    if isinstance(n_starts, int | np.integer) and not isinstance(n_starts, bool) and n_starts > 0:
        return int(n_starts)
    raise InputError(f'n_starts must be "auto" or a positive whole number; found {n_starts!r}.')


def generator_of(random_state: Any) -> np.random.Generator:
    """Return a generator for a seed, a generator or a RandomState; None is a fixed seed."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(0 if random_state is None else random_state)
    except (TypeError, ValueError):
        raise InputError(
            "random_state must be a whole number that is not negative, a Generator or a "
            f"RandomState; found {random_state!r}."
        ) from None
