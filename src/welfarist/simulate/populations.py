"""Drawing a crowd: decision makers of a few types, or around a rule by degree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import (
    FloatArray,
    as_numbers,
    as_weights,
    check_count,
    check_names,
    normalised,
)
from welfarist.families.rule import WelfareFunction
from welfarist.simulate.crowds import Crowd, rule_coordinates
from welfarist.simulate.streams import RandomState, stream
from welfarist.simulate.worlds import check_number, numbered_names

# What is known of decision makers: columns (G,) of numbers or texts, by name.
Known = Mapping[str, Sequence[Any] | npt.NDArray[Any]]
# By how much numbers change: per unit of a column of numbers, or for each text of a column.
Shifts = Mapping[str, npt.ArrayLike | Mapping[str, npt.ArrayLike]]

# Powers beyond this coordinate are as good as infinite: asinh(p) of a p of 10^5.
_FARTHEST = 12.2
# The spread of log weights and of log tau, as a share of that of asinh p: those of the dictator
# games are about alike, and a temperature varies less than a taste.
_SHARE_OF_SPREAD = 0.5
# How far apart the powers of drawn types are, in asinh p.
_APART = 1.5


def crowd_of_types(
    types: Sequence[WelfareFunction],
    shares: npt.ArrayLike,
    deciders: int,
    *,
    tau: float | Sequence[float] = 20.0,
    exact: bool = False,
    known: Known | None = None,
    shifts: Shifts | None = None,
    names: Sequence[str] | None = None,
    random_state: RandomState | None = None,
) -> Crowd:
    """Return decision makers each of whom follows one of a few rules.

    Parameters
    ----------
    types : list of WelfareFunction
        The K rules, with weights for the same people.
    shares : (K,) array-like
        How large a part of the decision makers follows each; scaled to sum 1.
    deciders : int
        How many decision makers there are.
    tau : float or (K,) sequence
        The temperature of all types, or of each.
    exact : bool
        Whether as many follow each rule as its share says, up to rounding; otherwise everybody's
        type is drawn.
    known : mapping of (G,) columns, optional
        What is known of the decision makers, numbers or texts.
    shifts : mapping, optional
        By column of `known`: what is added to the log shares (K,), per unit of a column of
        numbers, or by text of a column of texts (0 for those left out). So the odds between types
        depend on what is known, as in a multinomial logit.
    names : list of str, optional
        The decision makers' names.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one.

    Examples
    --------
    >>> types = [WelfareFunction(1, [1, 1]), WelfareFunction(-3, [1, 1])]
    >>> crowd = crowd_of_types(types, [0.75, 0.25], 8, tau=[20, 5], exact=True)
    >>> crowd
    Crowd(8 decision makers of 2 types, 2 people)
    >>> sorted(crowd.powers.tolist())
    [-3.0, -3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    rules, count = _rules(types), check_count(deciders, "deciders")
    part = normalised(as_weights(shares))
    taus = np.broadcast_to(np.asarray(as_numbers(tau, "tau"), dtype=np.float64), len(rules))
    if part.shape != (len(rules),):
        raise InputError(
            f"shares must be one number per type, {len(rules)} in all; found shape {part.shape}."
        )
    columns = _columns(known, count)
    rng = stream(random_state, "types")
    if exact:
        if shifts:
            raise InputError(
                "exact shares are the same whatever is known of people; found shifts as well. "
                "Leave one of them out."
            )
        type_of = rng.permutation(np.repeat(np.arange(len(rules)), _rounded(part, count)))
    else:
        with np.errstate(divide="ignore"):  # nobody follows a rule without a share
            logits = _shifted(np.log(part), columns, shifts)
        type_of = _drawn_types(logits, rng.random(count))
    weights = np.array([rule.weights for rule in rules])
    powers = np.array([rule.p for rule in rules])
    called = _names(names, count)
    people = rules[0].stakeholders
    return Crowd(called, powers[type_of], weights[type_of], taus[type_of], type_of, people, columns)


def normal_crowd(
    mean: npt.ArrayLike,
    covariance: npt.ArrayLike,
    deciders: int,
    *,
    known: Known | None = None,
    shifts: Shifts | None = None,
    stakeholders: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    random_state: RandomState | None = None,
) -> Crowd:
    """Return decision makers who differ by degree: their rules are drawn from a normal population.

    It is normal in :attr:`Crowd.coordinates`: asinh p, the logarithms of the d weights over that
    of the last person, and log tau.

    Parameters
    ----------
    mean : (d + 1,) array-like
        For instance of :func:`population_around`, or of :func:`rule_coordinates`.
    covariance : (d + 1, d + 1) array-like
        Or the d + 1 standard deviations of numbers that vary independently.
    deciders : int
        How many decision makers there are.
    known : mapping of (G,) columns, optional
        What is known of the decision makers, numbers or texts.
    shifts : mapping, optional
        By column of `known`: what is added to the mean (d + 1,), per unit of a column of numbers,
        or by text of a column of texts (0 for those left out).
    stakeholders : list of str, optional
        Names of the people who count (d,).
    names : list of str, optional
        The decision makers' names.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one. With the same seed, a larger crowd begins with a
        smaller one.

    Examples
    --------
    >>> crowd = normal_crowd([-0.5, 0.0, 3.0], [1.0, 0.5, 0.2], 500)
    >>> crowd
    Crowd(500 decision makers, 2 people)
    >>> crowd.coordinates.std(axis=0).round(1)
    array([1. , 0.5, 0.2])

    Women, on average, further to the left by 1 in asinh p:

    >>> group = ["women", "men"] * 250
    >>> shifts = {"group": {"women": [-1, 0, 0]}}
    >>> split = normal_crowd(
    ...     [0, 0, 3], [0.5, 0.5, 0.2], 500, known={"group": group}, shifts=shifts
    ... )
    >>> left, right = (split.coordinates[i::2, 0].mean() for i in (0, 1))
    >>> bool(abs(left - right + 1) < 0.2)
    True
    """
    count = check_count(deciders, "deciders")
    middle = np.asarray(as_numbers(mean, "mean"), dtype=np.float64)
    if middle.ndim != 1 or len(middle) < 2:
        raise InputError(
            "mean must be asinh p, a log ratio of weights for everybody but the last person, and "
            f"log tau; found shape {middle.shape}."
        )
    factor = _factor(covariance, len(middle))
    columns = _columns(known, count)
    drawn = stream(random_state, "crowd").standard_normal((count, len(middle)))
    numbers = _shifted(middle, columns, shifts) + drawn @ factor.T
    logs = np.column_stack([numbers[:, 1:-1], np.zeros(count)])
    grown = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights = grown / grown.sum(axis=1, keepdims=True)
    people = None if stakeholders is None else check_names(stakeholders)
    powers = np.sinh(np.clip(numbers[:, 0], -_FARTHEST, _FARTHEST))
    called = _names(names, count)
    return Crowd(called, powers, weights, np.exp(numbers[:, -1]), None, people, columns)


def population_around(
    rule: WelfareFunction, tau: float = 20.0, spread: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return mean (d + 1,) and covariance (d + 1, d + 1) of people who differ around a rule.

    Parameters
    ----------
    rule : WelfareFunction
        The rule of somebody in the middle, with finite p and positive weights.
    tau : float
        The temperature of somebody in the middle.
    spread : float
        The standard deviation of asinh p. That of everybody's log weight and of log tau is half as
        large; all of them vary independently.

    Examples
    --------
    >>> mean, covariance = population_around(WelfareFunction(0, [1, 1, 2]), 10, spread=1)
    >>> mean.round(2)
    array([ 0.  , -0.69, -0.69,  2.3 ])
    >>> covariance
    array([[1.  , 0.  , 0.  , 0.  ],
           [0.  , 0.5 , 0.25, 0.  ],
           [0.  , 0.25, 0.5 , 0.  ],
           [0.  , 0.  , 0.  , 0.25]])
    """
    mean = rule_coordinates(rule, tau)
    width = check_number(spread, "spread", 0.0, np.finfo(float).max)
    less = (_SHARE_OF_SPREAD * width) ** 2
    ratios = len(mean) - 2
    covariance = np.zeros((len(mean), len(mean)))
    covariance[0, 0], covariance[-1, -1] = width**2, less
    # The last person's log weight is in every ratio.
    covariance[1:-1, 1:-1] = less * (np.eye(ratios) + 1.0)
    return mean, covariance


def random_types(
    count: int,
    rule: WelfareFunction,
    *,
    weights: bool = True,
    random_state: RandomState | None = None,
) -> tuple[list[WelfareFunction], FloatArray]:
    """Return rules (K,) drawn around one, the largest type first, and their shares (K,).

    Parameters
    ----------
    count : int
        K.
    rule : WelfareFunction
        With finite p and positive weights; its asinh p is the mean of the types'.
    weights : bool
        Whether each type has weights of its own, drawn uniformly from the simplex; otherwise all
        have those of the rule.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one.

    Examples
    --------
    >>> types, shares = random_types(3, WelfareFunction(-1, [1, 1]))
    >>> len(types), bool(abs(shares.sum() - 1) < 1e-12), bool(shares[0] >= shares[1] >= shares[2])
    (3, True, True)
    """
    kinds = check_count(count, "count")
    middle = rule_coordinates(rule, 1.0)[0]
    rng = stream(random_state, "drawn types")
    # Evenly apart, so that no two of them are alike; who is the largest is left to chance.
    steps = rng.permutation(np.arange(kinds) - (kinds - 1) / 2.0)
    powers = np.sinh(np.clip(middle + _APART * steps, -_FARTHEST, _FARTHEST))
    told = np.asarray(rule.weights)
    drawn = rng.dirichlet(np.ones(len(told)), kinds) if weights else np.tile(told, (kinds, 1))
    shares = np.sort(rng.dirichlet(np.full(kinds, 5.0)))[::-1]
    named = None if rule.stakeholders is None else list(rule.stakeholders)
    pairs = zip(powers.tolist(), drawn, strict=True)
    return [WelfareFunction(p, w, named) for p, w in pairs], np.ascontiguousarray(shares)


def _rules(types: Sequence[WelfareFunction]) -> list[WelfareFunction]:
    """Require rules with weights for the same people."""
    rules = list(types)
    if not rules or not all(isinstance(rule, WelfareFunction) for rule in rules):
        raise InputError(f"types must be WelfareFunctions, at least one; found {types!r:.80}.")
    sizes = {None if rule.weights is None else len(rule.weights) for rule in rules}
    if None in sizes or len(sizes) > 1 or len({rule.stakeholders for rule in rules}) > 1:
        raise InputError(
            "types must have weights for the same people, in the same order; found others. Give "
            "every WelfareFunction weights, or stakeholders."
        )
    if any(rule.shift for rule in rules):
        raise InputError("types must have no shift; found one. Add it to the utilities instead.")
    return rules


def _rounded(shares: FloatArray, count: int) -> npt.NDArray[np.intp]:
    """How many of `count` belong to each share (K,), with sum `count`: the largest rests go up."""
    exact = shares * count
    found = np.floor(exact).astype(np.intp)
    most = np.argsort(found - exact, kind="stable")
    found[most[: count - int(found.sum())]] += 1
    return found


def _drawn_types(logits: FloatArray, luck: FloatArray) -> npt.NDArray[np.intp]:
    """Types (G,) with the odds (G, K), by luck (G,) in [0, 1)."""
    grown = np.exp(logits - logits.max(axis=1, keepdims=True))
    below = np.cumsum(grown, axis=1)
    return np.asarray((luck[:, None] * below[:, -1:] >= below).sum(axis=1), dtype=np.intp)


def _factor(covariance: npt.ArrayLike, size: int) -> FloatArray:
    """A factor (D, D) whose square is the covariance, or the diagonal of standard deviations."""
    given = np.asarray(as_numbers(covariance, "covariance"), dtype=np.float64)
    if given.shape == (size,) and (given >= 0).all():
        return np.diag(given)
    if given.shape != (size, size) or not np.allclose(given, given.T):
        raise InputError(
            f"covariance must be a symmetric table with {size} rows, or {size} standard "
            f"deviations; found shape {given.shape}."
        )
    values, vectors = np.linalg.eigh(given)
    if values[0] < -1e-9 * max(values[-1], 1.0):
        raise InputError(
            "covariance must be that of numbers that vary; found a direction with a negative "
            f"variance of {values[0]:.3g}."
        )
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _columns(known: Known | None, count: int) -> dict[str, npt.NDArray[Any]]:
    """What is known of everybody, as numbers or texts."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, entries in (known or {}).items():
        column = np.asarray(entries)
        if column.shape != (count,):
            raise InputError(
                f"known must have one entry a decision maker, {count} in all; found shape "
                f"{column.shape} in {name!r}."
            )
        texts = column.dtype.kind not in "iuf"
        found[name] = np.array([str(entry) for entry in entries]) if texts else column.astype(float)
    return found


def _shifted(
    base: FloatArray, columns: Mapping[str, npt.NDArray[Any]], shifts: Shifts | None
) -> FloatArray:
    """The numbers (c,) of everybody (G, c), or (1, c), after what is known of them."""
    found = base[None, :]
    for name, by in (shifts or {}).items():
        if name not in columns:
            raise InputError(f"shifts must be by columns of known; found {name!r}, not in it.")
        column = columns[name]
        if column.dtype.kind == "f":
            found = found + column[:, None] * _shift(by, len(base), name)
            continue
        if not isinstance(by, Mapping) or not set(by) <= set(column.tolist()):
            raise InputError(
                f"shifts of a column of texts must be given by text; found others for {name!r}."
            )
        zero = np.zeros(len(base))
        moved = {text: _shift(by[text], len(base), name) if text in by else zero for text in column}
        found = found + np.array([moved[text] for text in column.tolist()])
    return np.asarray(found)


def _shift(by: Any, size: int, name: str) -> FloatArray:
    shift = np.asarray(as_numbers(by, "shifts"), dtype=np.float64)
    if shift.shape != (size,):
        raise InputError(
            f"shifts must have {size} numbers; found shape {shift.shape} for {name!r}."
        )
    return shift


def _names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        return numbered_names("decider", count)
    checked = check_names(names)
    if len(checked) != count:
        raise InputError(f"names must be {count}, one a decision maker; found {len(checked)}.")
    return checked
