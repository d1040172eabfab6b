"""Rank dependent means as a family: generalised Gini, ordered weighted averages, and beyond."""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.base.errors import ZerosError
from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.families.columns import Columns
from welfarist.families.family_rule import FamilyRule
from welfarist.families.named import Doctrine
from welfarist.families.power_mean.derivatives import welfare_shares
from welfarist.families.power_mean.family import PowerMean


class RankDependentFamily(PowerMean):
    """Power means of what the places have, from the worst to the best off.

    Domain: d utilities that are not negative, weights on the simplex, one for each place, and a
    power p in [-inf, inf], which is positive where a utility is 0.

    Formula: ``R(u; v, p) = M(u_(1), ..., u_(d); v, p)`` with ``u_(1) <= ... <= u_(d)``. At p = 1 it
    is an ordered weighted average: with falling weights a generalised Gini welfare function, with
    ``v_k = (2 (d - k) + 1) / d^2`` mean times one less the Gini index; all weight on the first
    place is the least misery, on the middle one the median, on the first and the last Hurwicz'
    rule, equal weights but for the ends a trimmed mean. With equal weights it is the power mean
    with equal weights.

    Limits: those of the power mean, among the places that count. Derivatives are the power mean's
    too; where two people have the same, values bend, and both places have the same derivative.

    Who somebody is makes no difference here, only where they stand: where people have roles a
    rule of persons describes choices better.
    """

    name = "rank"
    title = "rank dependent means"
    noun = "rank dependent mean"
    by_place = True
    has_aversion = False
    doctrines = (
        Doctrine("lowest place that counts", -np.inf, "only the lowest place that counts matters"),
        Doctrine("harmonic mean of places", -1.0, "low places matter much more"),
        Doctrine("geometric mean of places", 0.0, "the same percentage counts by place alone"),
        Doctrine("generalised Gini", 1.0, "the same gain counts by place alone"),
        Doctrine("highest place that counts", np.inf, "only the highest place that counts matters"),
    )
    says = (
        "A weight belongs to a place, from the worst to the best off, and not to a person. The "
        "power p says how what the places have is averaged: at p = 1 a gain counts by the weight "
        "of its place alone."
    )

    def labels(self, people: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the places (d,).

        Examples
        --------
        >>> RankDependentFamily().labels(("Ann", "Bob", "Cid"))
        ('worst off', 'place 2 of 3', 'best off')
        """
        d = len(people)
        if d == 1:
            return ("worst off",)
        return ("worst off", *(f"place {k} of {d}" for k in range(2, d)), "best off")

    def columns(self, utilities: FloatArray) -> Columns:
        """Return log utilities (d, N) less their mean, the worst off in the first row."""
        utilities.sort(axis=0)
        return super().columns(utilities)

    def describe(self, p: float) -> str:
        """Return which mean of the places a power is."""
        return Family.describe(self, p)

    def describe_closely(self, p: float, digits: int) -> str:
        """Return which mean of the places a power is as it is printed with some decimals."""
        return Family.describe_closely(self, p, digits)

    def meaning(self, p: float, digits: int) -> str:
        """Return what a rule looks at whose power is printed with some decimals, if known."""
        return Family.meaning(self, p, digits)

    def explain(self, p: float) -> str:
        """Return the formula, in which ^ is followed by what is raised."""
        return super().explain(p).replace("utilities it gives", "utilities it gives, by place")

    def shape_of(self, p: object, has_zeros: bool) -> float:
        """Return the power that somebody gave: a number, or the name of a mean of the places."""
        power = Family.shape_of(self, p, has_zeros)
        if has_zeros and power <= 0:
            raise ZerosError(
                "p must be positive where a utility is 0, because otherwise welfare is 0; found "
                f"p = {power:g}. Learn p, add a constant to every utility (such as shift=1), or "
                "leave those actions out."
            )
        return power

    def shares(self, utilities: FloatArray, weights: FloatArray, p: float) -> FloatArray:
        """Return what a rise by 1% is worth of each person (N, d); who has the same shares it."""
        order = np.argsort(utilities, axis=1, kind="stable")
        sorted_up = np.take_along_axis(utilities, order, axis=1)
        with np.errstate(divide="ignore"):
            placed = welfare_shares(np.log(sorted_up.T), weights, p).T
        tied = _evened(placed, sorted_up)
        found = np.empty_like(tied)
        np.put_along_axis(found, order, tied, axis=1)
        return found

    def rule(  # type: ignore[override]
        self, p: float, weights: Any, stakeholders: Any = None
    ) -> FamilyRule:
        """Return the rule with this power and these weights of places."""
        return FamilyRule(self, p, weights, stakeholders)


def _evened(shares: FloatArray, sorted_up: FloatArray) -> FloatArray:
    """Shares (N, d) of places, evened among those (N, d) who have the same."""
    found = shares.copy()
    for i in np.flatnonzero((np.diff(sorted_up, axis=1) == 0).any(axis=1)).tolist():
        _, place = np.unique(sorted_up[i], return_inverse=True)
        found[i] = (np.bincount(place, shares[i]) / np.bincount(place))[place]
    return found


RANK_DEPENDENT = RankDependentFamily()
