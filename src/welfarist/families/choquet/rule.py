"""A 2-additive Choquet integral as a rule, made from Shapley values and interactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import by_name, order_by_name, split_names
from welfarist.base.errors import InputError
from welfarist.base.validation import (
    FloatArray,
    as_numbers,
    as_weights,
    check_names,
    normalised,
    utilities_error,
)
from welfarist.families.choquet.columns import from_weights, pairs_of, to_weights, widened

# What rounding may leave below 0 of a weight.
_ROUNDING = 1e-12


class Choquet:
    """A weighted mean in which two people may complement each other, or stand in for each other.

    Domain: d utilities of any sign in one unit.

    Formula: ``C(u) = sum_i phi_i u_i - 1/2 sum_{i<j} I_ij |u_i - u_j|``: gaps between those who
    complement each other (I > 0) cost, gaps between those who stand in for each other (I < 0) pay.

    Limits: without interactions the weighted mean; with equal Shapley values and ``2 / d^2``
    between every two, the Gini welfare function.

    Parameters
    ----------
    shapley : (d,) array-like or mapping
        How much each person counts on average; normalised to sum to 1.
    interactions : (d, d) array-like
        How much every two complement each other, symmetric and from -1 to 1. So that nobody's gain
        is a loss, sizes of somebody's interactions sum to no more than twice the Shapley value.
    stakeholders : sequence of str, optional

    Examples
    --------
    Half of the welfare of two is what the worse off has:

    >>> rule = Choquet([0.5, 0.5], [[0, 0.5], [0.5, 0]])
    >>> rule([1.0, 3.0]), rule([2.0, 2.0])
    (1.5, 2.0)
    """

    def __init__(
        self,
        shapley: npt.ArrayLike | Mapping[str, float],
        interactions: npt.ArrayLike,
        stakeholders: Sequence[str] | None = None,
    ) -> None:
        if isinstance(shapley, Mapping):
            stakeholders = check_names(list(shapley) if stakeholders is None else stakeholders)
            shapley = by_name(shapley, stakeholders, "shapley")
        self.shapley = normalised(as_weights(shapley))
        self.stakeholders = None if stakeholders is None else tuple(check_names(stakeholders))
        self.interactions = _symmetric(interactions, len(self.shapley))
        if self.stakeholders is not None and len(self.stakeholders) != len(self.shapley):
            raise InputError(
                f"stakeholders must have one name per person; found {len(self.stakeholders)} names "
                f"for {len(self.shapley)} Shapley values."
            )
        pairs = pairs_of(len(self.shapley))
        weights = to_weights(self.shapley, self.interactions[tuple(pairs.T)])
        low = int(np.argmin(weights[: len(self.shapley)]))
        if weights[low] < -_ROUNDING:
            raise InputError(
                "each Shapley value must be at least half the sum of the sizes of that person's "
                f"interactions, or a gain would be a loss; found {self.shapley[low]:.4g} and "
                f"{self.shapley[low] - weights[low]:.4g} of person {low}."
            )
        self._weights = np.maximum(weights, 0.0)

    @classmethod
    def of_weights(cls, weights: FloatArray, people: int, stakeholders: Any = None) -> Choquet:
        """Return the integral of weights (d^2,) of the columns."""
        shapley, each = from_weights(weights, people)
        return cls(shapley, matrix_of(each, people), stakeholders)

    def __call__(self, utilities: npt.ArrayLike) -> Any:
        """Return the welfare of each action, (..., d) -> (...)."""
        values, names = split_names(utilities)
        table = as_numbers(values, "utilities").astype(np.float64)
        if table.ndim == 0 or table.shape[-1] != len(self.shapley):
            raise InputError(
                f"utilities must have one entry per person, {len(self.shapley)} in all; found "
                f"shape {table.shape}."
            )
        if not np.isfinite(table).all():
            raise utilities_error(table, -np.inf)
        if names is not None and self.stakeholders is not None:
            table = table[..., np.argsort(order_by_name(names, self.stakeholders))]
        found = widened(table.reshape(-1, table.shape[-1])) @ self._weights
        return found.reshape(table.shape[:-1]) if table.ndim > 1 else float(found[0])

    value = __call__

    def worth_of(self, people: Sequence[int]) -> float:
        """Return the welfare of an action that gives 1 to these people and 0 to all others.

        Examples
        --------
        >>> Choquet([0.5, 0.5], [[0, 0.5], [0.5, 0]]).worth_of([0])
        0.25
        """
        there = np.zeros(len(self.shapley))
        there[list(people)] = 1.0
        return float(self(there))

    def __repr__(self) -> str:
        short = [float(f"{x:.4g}") for x in self.shapley]
        return f"Choquet(shapley={short})"


def matrix_of(each: FloatArray, people: int) -> FloatArray:
    """Return interactions (k,) of every two as a symmetric matrix (d, d)."""
    found = np.zeros((people, people))
    one, other = pairs_of(people).T
    found[one, other] = found[other, one] = each
    return found


def _symmetric(interactions: npt.ArrayLike, people: int) -> FloatArray:
    found = as_numbers(interactions, "interactions").astype(np.float64)
    if found.shape != (people, people) or not np.isfinite(found).all():
        raise InputError(
            f"interactions must be numbers for every two of {people} people, {people} x {people}; "
            f"found shape {found.shape}."
        )
    if not np.array_equal(found, found.T) or found.diagonal().any():
        raise InputError(
            "interactions must be symmetric, with 0 on the diagonal: nobody complements themselves."
        )
    return found
