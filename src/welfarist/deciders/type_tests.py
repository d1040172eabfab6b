"""Tests between types, and between subgroups of decision makers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from scipy.stats import chi2

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.deciders.type_errors import TypeErrors
from welfarist.inference.doctrine_tests import DoctrineTest

What = Literal["p", "weights", "tau", "rule"]
# Singular values of a covariance below this share of the largest are rounding.
_RANK = 1e-9


def wald_between(errors: TypeErrors, pair: Sequence[int], what: What) -> DoctrineTest:
    """Test whether two types are the same in p, in the weights, in tau, or in their whole rule.

    Parameters
    ----------
    errors : TypeErrors
    pair : two numbers of types
    what : "p", "weights", "tau" or "rule"
        A rule is p and the weights.

    Notes
    -----
    A Wald test with the errors' own covariance. Powers are compared by the family's coordinate
    (asinh p) and temperatures by their logarithm, along which errors are nearly normal.
    """
    one, other = _checked_pair(pair, errors.mixture.types)
    if what not in get_args(What):
        known = ", ".join(f'"{name}"' for name in get_args(What))
        raise InputError(f"what must be one of {known}; found {what!r}.")
    for k in (one, other):
        _refuse_without_errors(errors, k, what)
    found = [_numbers(errors, k, what) for k in (one, other)]
    if not len(found[0][0]) or len(found[0][0]) != len(found[1][0]):
        raise InputError(
            "what is tested must have been learned of both types; found something that was given. "
            'Test what both have learned: what="p", "weights" or "tau".'
        )
    apart = found[0][0] - found[1][0]
    moves = found[0][1] - found[1][1]
    statistic, degrees = _wald(apart, moves @ errors.covariance @ moves.T)
    return DoctrineTest(
        null=f"types {one + 1} and {other + 1} have the same {what}",
        statistic=statistic,
        distribution=_in_words(degrees),
        degrees=degrees,
        p_value=float(chi2.sf(statistic, degrees)),
        llf=errors.mixture.log_likelihood,
        null_llf=None,
        kind="Wald",
        note=f"{errors.kind} standard errors",
    )


def _in_words(degrees: int) -> str:
    return f"chi-squared with {degrees} degree{'' if degrees == 1 else 's'} of freedom"


def _checked_pair(pair: Sequence[int], types: int) -> tuple[int, int]:
    numbers = list(pair) if isinstance(pair, Sequence) and not isinstance(pair, str) else []
    whole = all(isinstance(k, int | np.integer) and not isinstance(k, bool) for k in numbers)
    if len(numbers) != 2 or not whole or len(set(numbers)) < 2:
        raise InputError(f"between must hold the numbers of two types; found {pair!r}.")
    if not all(0 <= k < types for k in numbers):
        raise InputError(
            f"types are numbered from 0 to {types - 1}, as types_ has them; found {pair!r}."
        )
    return int(numbers[0]), int(numbers[1])


def _numbers(errors: TypeErrors, k: int, what: What) -> tuple[FloatArray, FloatArray]:
    """What is compared of a type (c,), and how it changes with all moves (c, m)."""
    likelihood = errors.information.likelihoods[k]
    names, values, moves = likelihood.names, likelihood.estimates, errors.moves(k)
    shape = likelihood.loss.family.shape
    rows, values_found = [], []
    for name, value, move in zip(names, values.tolist(), moves, strict=True):
        if name == shape.name and what in ("p", "rule"):
            values_found.append(shape.coordinate.into(value))
            rows.append(move / shape.coordinate.steepness(value))
        elif name.startswith("weight of ") and what in ("weights", "rule"):
            values_found.append(value)
            rows.append(move)
        elif name == "tau" and what == "tau":
            values_found.append(np.log(value))
            rows.append(move / value)
    return np.array(values_found), np.array(rows)


def _refuse_without_errors(errors: TypeErrors, k: int, what: What) -> None:
    """Refuse a test where the summary has no standard errors, or does not trust them."""
    edge = what != "tau" and errors.at_edge(k)
    if edge or errors.is_certain(k):
        why = "a weight is beside an edge" if edge else "its members never err"
        raise InputError(
            f"a test between types needs standard errors; found none for type {k + 1}, where "
            f"{why}. Compare the intervals of the summary."
        )


def _wald(apart: FloatArray, covariance: FloatArray) -> tuple[float, int]:
    """The statistic and its degrees of freedom: weights that sum to 1 are one fewer."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _RANK * values.max(initial=0.0)
    along = vectors[:, kept].T @ apart
    return float((along * along / values[kept]).sum()), int(kept.sum())


def ratio_test(null: str, llf: float, null_llf: float, degrees: int, note: str) -> DoctrineTest:
    """Return a likelihood-ratio test of a null that fixes so many numbers."""
    statistic = max(2.0 * (llf - null_llf), 0.0)
    return DoctrineTest(
        null=null,
        statistic=statistic,
        distribution=_in_words(degrees),
        degrees=degrees,
        p_value=float(chi2.sf(statistic, degrees)),
        llf=llf,
        null_llf=null_llf,
        note=note,
    )
