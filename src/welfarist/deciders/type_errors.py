"""How sure the numbers of types are: standard errors, and intervals that respect edges.

Errors come from the observed information of the mixture, or clustered by decision maker, which
stays right where the rules of the family are only nearly theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from welfarist.base.errors import InputError
from welfarist.base.parameters import Coordinate
from welfarist.base.validation import FloatArray
from welfarist.deciders.information import MixtureInformation
from welfarist.deciders.mixture import Mixture
from welfarist.deciders.type_profiles import profile_interval
from welfarist.noise.choices import RHO
from welfarist.people.weighting import sole_person

ErrorsName = Literal["clustered", "observed"]
# Curvature below this share of the largest is rounding: the data say nothing there.
_FLAT = 1e-9
# How much of a number may lie along such directions before it counts as undetermined.
_TOUCHED = 1e-3
# A type that leaves less than this share of what chance leaves open to chance never errs.
_CERTAIN = 1e-3
# A weight this few standard errors from an end has an interval by profile, and so has p beside it.
_NEAR = 2.5


@dataclass(frozen=True)
class TypeEstimate:
    """One number of a type, and how sure it is.

    Attributes
    ----------
    type : int
        Counted from 0.
    parameter : str
        "share", the family's shape such as "p", "weight of staff", "tau" or "rho".
    estimate : float
    standard_error, low, high : float or None
        None where there is none.
    method : str or None
        "wald", "profile", "given", or None where nothing is known.
    determined : bool
        Whether decisions say anything of it: p says nothing where one person alone counts.
    """

    type: int
    parameter: str
    estimate: float
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = None
    determined: bool = True


def check_errors(kind: object) -> ErrorsName:
    """Require the name of a kind of standard errors."""
    if kind not in get_args(ErrorsName):
        raise InputError(f'covariance must be "clustered" or "observed"; found {kind!r}.')
    return kind  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class TypeErrors:
    """The errors of all numbers of a mixture together.

    Attributes
    ----------
    mixture : Mixture
    kind : "clustered" or "observed"
    """

    mixture: Mixture
    kind: ErrorsName

    @cached_property
    def information(self) -> MixtureInformation:
        """The observed information, with everybody's scores."""
        return MixtureInformation.of(self.mixture)

    @cached_property
    def _inverse(self) -> tuple[FloatArray, FloatArray]:
        """The inverse (m, m) of the information where it is one, and flat directions (r, m)."""
        matrix = self.information.matrix
        size = np.sqrt(np.maximum(np.abs(matrix.diagonal()), 1e-300))
        values, vectors = np.linalg.eigh(matrix / size / size[:, None])
        firm = values > _FLAT
        inverse = (vectors[:, firm] / values[firm]) @ vectors[:, firm].T / size / size[:, None]
        return inverse, (vectors[:, ~firm]).T / size

    @cached_property
    def covariance(self) -> FloatArray:
        """Of moves (m, m) along the faces of the types, and of the memberships."""
        inverse, _ = self._inverse
        if self.kind == "observed":
            return inverse
        scores = self.information.scores
        people = len(scores)
        meat = scores.T @ scores * people / (people - 1.0)
        return np.asarray(inverse @ meat @ inverse)

    @cached_property
    def blocks(self) -> list[slice]:
        """Which moves are those of each type; the last are those of the memberships."""
        sizes = [len(face.basis) for face in self.information.faces]
        ends = np.cumsum([0, *sizes, self.mixture.membership.parameters])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]

    def moves(self, k: int) -> FloatArray:
        """How the numbers of a type (q, m) change with all moves."""
        face, likelihood = self.information.faces[k], self.information.likelihoods[k]
        found = np.zeros((len(likelihood.names), len(self.covariance)))
        found[:, self.blocks[k]] = face.to_estimates @ face.basis.T
        found[np.isin(likelihood.names, face.on_edge)] = 0.0
        return found

    def share_moves(self) -> FloatArray:
        """How the shares (K, m) change with all moves."""
        found = np.zeros((self.mixture.types, len(self.covariance)))
        found[:, self.blocks[-1]] = self.mixture.membership.shares_by_free()
        return found

    def errors_of(self, moves: FloatArray) -> list[float | None]:
        """Standard errors (q,) of numbers that change so (q, m); None where they are undetermined.

        Numbers that do not change at all, because they are given or on an edge, have none.
        """
        _, flat = self._inverse
        variances = np.einsum("qm,mn,qn->q", moves, self.covariance, moves)
        touched = np.abs(moves @ flat.T).max(axis=1, initial=0.0) if len(flat) else np.zeros(1)
        size = np.abs(moves).max(axis=1, initial=0.0)
        loose = np.broadcast_to(touched, size.shape) > _TOUCHED * np.maximum(size, 1e-300)
        return [
            None if bad or v <= 0.0 or not np.isfinite(v) else float(np.sqrt(v))
            for v, bad in zip(variances.tolist(), loose.tolist(), strict=True)
        ]

    def estimates(self, level: float | None = 0.95) -> list[TypeEstimate]:
        """Return every number of every type, with its interval unless `level` is None."""
        shares = self.mixture.shares
        errors = self.errors_of(self.share_moves()) if self.mixture.types > 1 else [None]
        found = []
        for k, (share, error) in enumerate(zip(shares.tolist(), errors, strict=True)):
            found.append(_wald_share(TypeEstimate(k, "share", share, error), level))
            found += self._of_type(k, level)
        return found

    def is_certain(self, k: int) -> bool:
        """Whether a type never errs, so that a whole set of rules explains its members."""
        weighted, point = self.mixture.weighted(k), self.mixture.points[k]
        return bool(weighted.evaluate(point).value < _CERTAIN * weighted.observed.null_loss())

    def at_edge(self, k: int) -> bool:
        """Whether somebody's weight is so near to an end that standard errors mislead."""
        likelihood = self.information.likelihoods[k]
        found = zip(
            likelihood.names, likelihood.estimates, self.errors_of(self.moves(k)), strict=True
        )
        return any(
            _near_an_end(TypeEstimate(k, name, float(value), error))
            for name, value, error in found
            if name.startswith("weight of ")
        )

    def _of_type(self, k: int, level: float | None) -> list[TypeEstimate]:
        likelihood = self.information.likelihoods[k]
        errors = self.errors_of(self.moves(k))
        model, shape = self.mixture.models[k], likelihood.loss.family.shape
        kinds = {one.name: one.parameter for one in likelihood.quantities}
        rows = [
            TypeEstimate(k, name, float(value), error)
            for name, value, error in zip(
                likelihood.names, likelihood.estimates.tolist(), errors, strict=True
            )
        ]
        at_edge, alone = self.at_edge(k), sole_person(self.mixture.rule_weights(k)) is not None
        found = []
        if not model.loss.learn_power and model.p is not None:
            found.append(TypeEstimate(k, shape.name, model.p, method="given"))
        for row in rows:
            if self.is_certain(k):
                found.append(replace(row, standard_error=None, determined=row.parameter != "tau"))
                continue
            if alone and row.parameter == shape.name:
                found.append(TypeEstimate(k, row.parameter, row.estimate, determined=False))
                continue
            weight = row.parameter.startswith("weight of ")
            if level is not None and at_edge and (weight or row.parameter == shape.name):
                found.append(_profiled(self.mixture, row, shape.name, level))
                continue
            if weight:
                found.append(_wald_share(row, level))
            else:
                found.append(_wald(row, kinds[row.parameter].coordinate, level))
        return found


def _near_an_end(row: TypeEstimate) -> bool:
    if row.standard_error is None:
        return True
    return min(row.estimate, 1.0 - row.estimate) < _NEAR * row.standard_error


def _wald_share(row: TypeEstimate, level: float | None) -> TypeEstimate:
    """The interval of a number between 0 and 1 by standard errors of its log odds."""
    x, error = row.estimate, row.standard_error
    if level is None or error is None or not 0.0 < x < 1.0:
        return row
    reach = float(norm.ppf(0.5 + level / 2.0)) * error / (x * (1.0 - x))
    low, high = (float(expit(logit(x) + sign * reach)) for sign in (-1.0, 1.0))
    return replace(row, low=low, high=high, method="wald")


def _wald(row: TypeEstimate, coordinate: Coordinate, level: float | None) -> TypeEstimate:
    """The interval by standard errors in the coordinate in which a likelihood is nearly round."""
    x, error = row.estimate, row.standard_error
    steep = coordinate.steepness(x)
    if level is None or error is None or not np.isfinite(x) or steep <= 0.0:
        return row
    reach = float(norm.ppf(0.5 + level / 2.0)) * error / steep
    low, high = (coordinate.back(coordinate.into(x) + sign * reach) for sign in (-1.0, 1.0))
    if row.parameter == RHO.name:
        low, high = max(low, 0.0), min(high, 0.5)
    return replace(row, low=low, high=high, method="wald")


def _profiled(mixture: Mixture, row: TypeEstimate, shape: str, level: float) -> TypeEstimate:
    """The same with the interval of values that hardly lower the likelihood of the mixture."""
    person = None
    if row.parameter != shape:
        names = mixture.panel.setup.people
        person = [f"weight of {name}" for name in names].index(row.parameter)
    found = profile_interval(mixture, row.type, person, level)
    if found is None:  # of groups there is no profile
        return _wald_share(row, level)
    low, high = found
    return replace(row, low=low, high=high, method="profile")
