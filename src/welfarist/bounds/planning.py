"""How large an error to expect from n decisions, and how many decisions an error needs.

Two front doors to the bounds of `risk`, by task:

==============  =========================================  ============================
task            what is observed, and the loss             its own parameters
==============  =========================================  ============================
"scores"        scores of actions, squared error           u_min, u_max, c
"comparisons"   choices without noise, share wrong         none
"flip"          choices flipped with probability rho,      rho
                share of the choices without noise wrong
"logistic"      choices with logistic noise, log loss      u_min, u_max, tau_max, c
==============  =========================================  ============================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.bounds.capacity import log_range
from welfarist.bounds.parameters import (
    COVERING_CONSTANT,
    MOST_SAMPLES,
    Weights,
    check_error,
    check_positive,
    check_range,
)
from welfarist.bounds.risk import (
    excess_risk_of_comparisons,
    excess_risk_of_flipped_comparisons,
    excess_risk_of_logistic_comparisons,
    excess_risk_of_scores,
)

Task = Literal["scores", "comparisons", "flip", "logistic"]

# From here on every bound falls as n grows: those with (b + k log n) / n do so from n = e on at the
# latest, those with log(n + 1) / n everywhere.
_FALLS_FROM = 3
# Beyond this a data frame's whole numbers overflow.
_LARGEST_INT64 = 2**63 - 1


@dataclass(frozen=True)
class _Kind:
    """What a task is about.

    Attributes
    ----------
    observed, loss : str
        What is observed and how errors are measured, in words.
    needs : tuple of str
        The task's own parameters that have no default.
    has_constant : bool
        Whether the constant c has a say.
    bound : callable
        Its excess-risk bound.
    growth : mapping of str
        How the number of decisions needed grows with d, by what is known about the weights.
    times : str
        What it is proportional to besides.
    theorem : str
        The theorem of [PSPS24] that says so.
    """

    observed: str
    loss: str
    needs: tuple[str, ...]
    has_constant: bool
    bound: Callable[..., float]
    growth: Mapping[Weights, str]
    times: str
    theorem: str


_KINDS: dict[str, _Kind] = {
    "scores": _Kind(
        "scores of actions",
        "squared error",
        ("u_min", "u_max"),
        True,
        excess_risk_of_scores,
        {"known": "does not grow", "unknown": "d log d"},
        "(u_max (u_max - u_min))^2",
        "Thm 3.2",
    ),
    "comparisons": _Kind(
        "comparisons",
        "share wrong",
        (),
        False,
        excess_risk_of_comparisons,
        {"known": "log d", "unknown": "d log d"},
        "1",
        "Thm 4.2",
    ),
    "flip": _Kind(
        "comparisons, some flipped",
        "share wrong",
        ("rho",),
        False,
        excess_risk_of_flipped_comparisons,
        {"known": "log d", "unknown": "d log d"},
        "1 / (1 - 2 rho)^2",
        "Thm 4.3",
    ),
    "logistic": _Kind(
        "comparisons, logistic noise",
        "log loss",
        ("u_min", "u_max", "tau_max"),
        True,
        excess_risk_of_logistic_comparisons,
        {"known": "does not grow", "unknown": "d log d"},
        "(tau_max log(u_max / u_min))^2",
        "Thm 5.1",
    ),
}


def excess_risk(
    task: Task,
    *,
    n: float,
    d: int,
    weights: Weights = "unknown",
    delta: float = 0.05,
    u_min: float | None = None,
    u_max: float | None = None,
    rho: float | None = None,
    tau_max: float | None = None,
    c: float | None = None,
) -> float:
    """Bound how much worse than the best rule one learned from n decisions can be.

    With probability 1 - delta its expected loss exceeds that of the best rule by no more than
    this. See the module for the tasks; the formulas stand with :func:`excess_risk_of_scores`,
    :func:`excess_risk_of_comparisons`, :func:`excess_risk_of_flipped_comparisons` and
    :func:`excess_risk_of_logistic_comparisons` [PSPS24, Thms 3.2, 4.2, 4.3, 5.1].

    Parameters
    ----------
    task : "scores", "comparisons", "flip" or "logistic"
        What is observed.
    n : int
        Number of decisions.
    d : int
        Number of people.
    weights : "known" or "unknown"
        Whether the weights are learned along with p.
    delta : float
        How often the bound may fail, in (0, 1).
    u_min, u_max : float
        For "scores" and "logistic": the smallest and the largest utility that can occur.
    rho : float
        For "flip": the probability, in [0, 1/2), with which a choice is flipped.
    tau_max : float
        For "logistic": the largest temperature considered; a larger tau is less noise.
    c : float, optional
        For "scores" and "logistic": the constant of the covering numbers, by default
        :data:`welfarist.bounds.COVERING_CONSTANT`.

    Examples
    --------
    >>> round(excess_risk("flip", n=10**6, d=18, weights="known", rho=0.1), 4)
    0.087
    """
    own = _own_parameters(task, u_min=u_min, u_max=u_max, rho=rho, tau_max=tau_max, c=c)
    return _KINDS[task].bound(n, d, weights, delta=delta, **own)


def samples_needed(
    task: Task,
    *,
    error: float,
    d: int,
    weights: Weights = "unknown",
    delta: float = 0.05,
    u_min: float | None = None,
    u_max: float | None = None,
    rho: float | None = None,
    tau_max: float | None = None,
    c: float | None = None,
) -> int:
    """Return the smallest number of decisions from which on the bound guarantees an error.

    That is the n with ``excess_risk(n) <= error`` for it and every larger one, and
    ``excess_risk(n - 1) > error``. The bounds contain log n: those of "scores" and "logistic" can
    rise between n = 1 and n = 3, and fall from there on; a lucky n = 1 is not taken for an answer
    if n = 2 or 3 is worse. Solved by bisection over whole numbers, of any size. Both inequalities
    hold for the numbers that :func:`excess_risk` returns, whose rounding moves n by about one part
    in 1e15.

    Parameters
    ----------
    task : "scores", "comparisons", "flip" or "logistic"
        What is observed.
    error : float
        The excess risk to guarantee: in squared utilities for "scores", as a share of choices for
        "comparisons" and "flip", as log loss for "logistic".
    d : int
        Number of people.
    weights : "known" or "unknown"
        Whether the weights are learned along with p.
    delta : float
        How often the guarantee may fail, in (0, 1).
    u_min, u_max, rho, tau_max, c : float
        The task's own parameters, as in :func:`excess_risk`.

    Examples
    --------
    >>> n = samples_needed("flip", error=0.1, d=18, weights="known", rho=0.1)
    >>> n
    740220
    >>> [excess_risk("flip", n=k, d=18, weights="known", rho=0.1) <= 0.1 for k in (n - 1, n)]
    [False, True]
    """
    own = _own_parameters(task, u_min=u_min, u_max=u_max, rho=rho, tau_max=tau_max, c=c)
    tolerated = check_error(error)
    bound = partial(_KINDS[task].bound, d=d, weights=weights, delta=delta, **own)
    return _below_from(bound, tolerated)


def largest_excess_risk(
    task: Task,
    *,
    u_min: float | None = None,
    u_max: float | None = None,
    tau_max: float | None = None,
) -> float:
    """Return the excess risk that no rule can exceed; a bound above it says nothing.

    Formula: ``(u_max - u_min)^2`` for scores, 1 for choices right or wrong, and for log loss
    ``tau_max log(u_max / u_min)``, the span of ``log(1 + exp(-x))`` for x of at most that size.

    Parameters
    ----------
    task : "scores", "comparisons", "flip" or "logistic"
        What is observed.
    u_min, u_max, tau_max : float
        The task's own parameters, as in :func:`excess_risk`, as far as they matter.

    Examples
    --------
    >>> largest_excess_risk("scores", u_min=1, u_max=3)
    4.0
    """
    given = _of_task(task, u_min=u_min, u_max=u_max, tau_max=tau_max)
    if task in ("comparisons", "flip"):
        return 1.0
    low, high = check_range(given.get("u_min"), given.get("u_max"))
    if task == "scores":
        return (high - low) ** 2
    return check_positive(given.get("tau_max"), "tau_max") * log_range(low, high)


def table(
    d: int,
    *,
    error: float = 0.1,
    delta: float = 0.05,
    u_min: float = 1.0,
    u_max: float = 2.0,
    rho: float = 0.1,
    tau_max: float = 1.0,
    c: float = COVERING_CONSTANT,
) -> Any:
    """Return how many decisions each task needs, known weights beside unknown [PSPS24, Table 1].

    Parameters
    ----------
    d : int
        Number of people.
    error : float
        The excess risk to guarantee, the same for every task, each in the unit of its loss.
    delta : float
        How often the guarantee may fail, in (0, 1).
    u_min, u_max, rho, tau_max, c : float
        The tasks' own parameters, as in :func:`excess_risk`. The defaults are for illustration.
        These are upper bounds with constants of their own: that flipped comparisons seem to need
        fewer than noise-free ones for small rho says something about the proofs, not about flips.

    Returns
    -------
    data frame
        One row per task and state of knowledge about the weights, of pandas if it is installed
        and of polars otherwise. Columns: `task`; `observed` and `loss` in words; `weights`;
        `growth_with_d` and `times`, to whose product the number is proportional up to a logarithm
        of itself; `samples_needed`; `theorem`, that of [PSPS24] which the number follows from.

    Examples
    --------
    >>> table(d=18)[["task", "weights", "growth_with_d", "samples_needed", "theorem"]]
              task  weights  growth_with_d  samples_needed  theorem
    0       scores    known  does not grow        13699781  Thm 3.2
    1       scores  unknown        d log d      2909568072  Thm 3.2
    2  comparisons    known          log d         4164514  Thm 4.2
    3  comparisons  unknown        d log d       304405348  Thm 4.2
    4         flip    known          log d          740220  Thm 4.3
    5         flip  unknown        d log d        54559816  Thm 4.3
    6     logistic    known  does not grow         1689641  Thm 5.1
    7     logistic  unknown        d log d       338420059  Thm 5.1
    """
    given = dict(u_min=u_min, u_max=u_max, rho=rho, tau_max=tau_max, c=c)
    rows = [(task, weights) for task in get_args(Task) for weights in get_args(Weights)]
    needed: list[float] = [
        samples_needed(
            task,
            error=error,
            d=d,
            weights=weights,
            delta=delta,
            **{name: given[name] for name in _names(task)},
        )
        for task, weights in rows
    ]
    if max(needed) > _LARGEST_INT64:
        needed = [float(n) for n in needed]
    return to_frame(
        {
            "task": [task for task, _ in rows],
            "observed": [_KINDS[task].observed for task, _ in rows],
            "loss": [_KINDS[task].loss for task, _ in rows],
            "weights": [weights for _, weights in rows],
            "growth_with_d": [_KINDS[task].growth[weights] for task, weights in rows],
            "times": [_KINDS[task].times for task, _ in rows],
            "samples_needed": needed,
            "theorem": [_KINDS[task].theorem for task, _ in rows],
        }
    )


def described(task: Task) -> tuple[str, str]:
    """Return what a task observes and the loss it is judged by, in words."""
    _check_task(task)
    return _KINDS[task].observed, _KINDS[task].loss


def theorem_of(task: Task) -> str:
    """Return the theorem of [PSPS24] that a task's bound is."""
    _check_task(task)
    return _KINDS[task].theorem


def _names(task: str) -> tuple[str, ...]:
    kind = _KINDS[task]
    return (*kind.needs, "c") if kind.has_constant else kind.needs


def _check_task(task: object) -> None:
    if not isinstance(task, str) or task not in _KINDS:
        known = ", ".join(f'"{name}"' for name in _KINDS)
        raise InputError(f"task must be one of {known}; found {task!r:.60}.")


def _own_parameters(task: object, **given: float | None) -> dict[str, float]:
    """Return the parameters that a task takes, all of them and no others."""
    present = _of_task(task, **given)
    needs = _KINDS[str(task)].needs
    missing = [name for name in needs if name not in present]
    if missing:
        raise InputError(
            f'the task "{task}" must come with {", ".join(needs)}; found no {missing[0]}. '
            "The bound depends on it."
        )
    return present


def _of_task(task: object, **given: float | None) -> dict[str, float]:
    """Return the parameters that were given, all of which must be the task's."""
    _check_task(task)
    names = _names(str(task))
    present = {name: value for name, value in given.items() if value is not None}
    foreign = [name for name in present if name not in names]
    if foreign:
        raise InputError(
            f'parameters must belong to the task "{task}", which takes '
            f"{', '.join(names) or 'none'}; found {foreign[0]}. Leave it out, or choose the task "
            "it belongs to."
        )
    return present


def _below_from(bound: Callable[[int], float], error: float) -> int:
    """Return the smallest n from which on a bound, falling from `_FALLS_FROM`, is below `error`."""
    if bound(_FALLS_FROM) <= error:
        n = _FALLS_FROM
        while n > 1 and bound(n - 1) <= error:
            n -= 1
        return n
    low, high = _FALLS_FROM, 2 * _FALLS_FROM
    while bound(high) > error:
        low, high = high, 2 * high
        if high > MOST_SAMPLES:
            raise InputError(
                f"error must be such that fewer than 1e300 decisions suffice; found {error:g}. "
                "Tolerate more."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) <= error else (middle, high)
    return high
