"""The learners' options, checked against the data and against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from welfarist.doctrines import power_of
from welfarist.errors import InputError
from welfarist.noise import NoiseName
from welfarist.solvers.base import Solver
from welfarist.solvers.exact import Exact
from welfarist.solvers.fitting import Newton
from welfarist.solvers.grid import Grid
from welfarist.solvers.two_stage import TwoStage
from welfarist.tables import by_name
from welfarist.validation import (
    FloatArray,
    as_numbers,
    as_power,
    as_weights,
    is_real,
    normalised,
)
from welfarist.weighting import Weighting

SolverName = Literal["newton", "grid", "two_stage", "exact"]
SolverOption = SolverName | Solver | Exact
NumbersOption = npt.ArrayLike | Mapping[Any, Any]
WeightsOption = Literal["learn", "equal"] | NumbersOption
StartsOption = int | Literal["auto"]
RhoEstimator = Literal["error rate", "cross-validation"]
RhoOption = float | RhoEstimator | None


def weighting_of(
    weights: WeightsOption, groups: object, people: int, names: Sequence[str] | None = None
) -> Weighting:
    """Return what is known about the weights of `people` people, who may have names (d,)."""
    if isinstance(weights, str):
        if weights not in ("learn", "equal"):
            raise InputError(
                f'weights must be "learn", "equal" or one number per person; found {weights!r}.'
            )
        if weights == "learn":
            return Weighting(people, group_of=_group_numbers(groups, people, names))
    if groups is not None:
        raise InputError(
            'groups must come with weights="learn", because they say how learned weights are '
            "shared; found known weights as well. Give one of the two."
        )
    if isinstance(weights, str):
        return Weighting(people, fixed=np.full(people, 1.0 / people))
    known = as_weights(by_name(weights, names, "weights"))
    if known.shape != (people,):
        raise InputError(
            f"known weights must be one number per person, {people} in all; found shape "
            f"{known.shape}."
        )
    return Weighting(people, fixed=normalised(known))


def group_labels(
    groups: Any, people: int, names: Sequence[str] | None = None
) -> npt.NDArray[Any] | None:
    """Return the group of each person (d,), from labels, or from lists of names by group."""
    if groups is None:
        return None
    if isinstance(groups, Mapping) and any(_is_collection(v) for v in groups.values()):
        groups = _inverted(groups)
    groups = by_name(groups, names, "groups")
    if isinstance(groups, list | tuple) and any(_is_collection(group) for group in groups):
        raise InputError(
            f"groups must hold one label per person, {people} in all; found lists of people. Give "
            'a mapping of names, such as {"north": ["a", "b"], "south": ["c"]}, or labels such as '
            '["north", "north", "south"].'
        )
    labels = np.asarray(groups)
    if labels.shape != (people,):
        raise InputError(
            f"groups must hold one label per person, {people} in all; found shape {labels.shape}."
        )
    try:
        np.unique(labels)
    except TypeError:
        raise InputError(
            "groups must hold labels of one kind, all text or all numbers; found "
            f"{labels.tolist()!r:.80}. Give everybody a group."
        ) from None
    return labels


def _is_collection(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset | np.ndarray)


def _inverted(members: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the group of each name, from the names of each group."""
    group_of: dict[Any, Any] = {}
    for group, names in members.items():
        for name in names if _is_collection(names) else [names]:
            if name in group_of:
                raise InputError(
                    f"groups must not overlap; found {name!r} in {group_of[name]!r} and {group!r}."
                )
            group_of[name] = group
    return group_of


def _group_numbers(
    groups: object, people: int, names: Sequence[str] | None
) -> npt.NDArray[np.intp] | None:
    labels = group_labels(groups, people, names)
    if labels is None:
        return None
    _, number = np.unique(labels, return_inverse=True)
    return np.asarray(number.reshape(-1), dtype=np.intp)


def weight_notes(
    weights: WeightsOption, groups: object, people: int, names: Sequence[str] | None
) -> tuple[str, ...]:
    """What a summary says about where each person's weight comes from (d,)."""
    if isinstance(weights, str) and weights == "equal":
        return ("equal",) * people
    if not isinstance(weights, str):
        return ("given",) * people
    labels = group_labels(groups, people, names)
    if labels is None:
        return ("",) * people
    return tuple(f"group {label}" for label in labels.tolist())


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


def concentration_of(
    prior: object,
    weighting: Weighting,
    groups: object = None,
    names: Sequence[str] | None = None,
) -> FloatArray | None:
    """Return the Dirichlet concentrations of the free weights (k,), or None without a prior.

    Labelled ones are matched with the people's names, or with the groups'.
    """
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


def check_noise(noise: str) -> NoiseName:
    """Require the name of a noise model."""
    if noise not in get_args(NoiseName):
        known = ", ".join(f'"{name}"' for name in get_args(NoiseName))
        raise InputError(f"noise must be one of {known}; found {noise!r}.")
    return noise  # type: ignore[return-value]


def check_rho(rho: object, noise: NoiseName) -> RhoOption:
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


def newton_of(n_starts: object, max_iter: Any, tol: Any) -> Newton:
    """Return the default solver with its settings."""
    return Newton(
        check_starts(n_starts),
        int(check_positive(max_iter, "max_iter")),
        check_positive(tol, "tol"),
    )


def solver_of(solver: SolverOption, n_starts: object, max_iter: Any, tol: Any) -> Solver:
    """Return the solver of a name, or the one that was given with settings of its own."""
    newton = newton_of(n_starts, max_iter, tol)
    named: dict[str, Solver] = {"newton": newton, "grid": Grid(), "two_stage": TwoStage()}
    if isinstance(solver, Exact) or (isinstance(solver, str) and solver == "exact"):
        raise InputError(
            'solver="exact" finds the fewest wrong decisions and needs comparisons with '
            'noise="none" or noise="flip"; found another noise, or scores. Change one of the two.'
        )
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


def exact_of(solver: SolverOption, noise: NoiseName, prior: object) -> Exact:
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


def seed_of(random_state: Any) -> int:
    """Return a seed that can be written down: the number itself, or one that is drawn."""
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if whole and random_state >= 0:
        return int(random_state)
    return int(generator_of(random_state).integers(2**31))
