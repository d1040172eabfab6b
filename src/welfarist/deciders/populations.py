"""A population of rules in words and numbers that people use: p, aversion, weights, temperature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import norm

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, check_level
from welfarist.deciders.beliefs import Beliefs
from welfarist.deciders.coordinates import RuleCoordinates
from welfarist.deciders.covariates import Covariates
from welfarist.deciders.evidence import Evidence, information
from welfarist.deciders.normal import LEAST_SPREAD, NormalPopulation
from welfarist.families.base import Family

# A spread this near to the least that is searched is none.
_NO_SPREAD = 1.1 * LEAST_SPREAD
# Steps of differences along the packed numbers.
_STEP = 1e-5
# Curvature below this share of the largest is rounding.
_FLAT = 1e-9
_QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class PopulationEstimate:
    """One number of a population, and how sure it is.

    Attributes
    ----------
    parameter : str
        "mean of asinh p", "spread of log tau", "correlation of … and …", "… by women".
    estimate : float
    standard_error, low, high : float or None
        None where there is none: a spread of nothing is an edge.
    """

    parameter: str
    estimate: float
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, eq=False)
class Population:
    """How rules are distributed among people.

    Attributes
    ----------
    kind : "normal" or "types"
        Whether rules vary by degree, or are a few: where a rule has more than six numbers.
    beliefs : Beliefs
    family : Family
    stakeholders : tuple of str
    coordinates : RuleCoordinates or None
    normal : NormalPopulation or None
    evidence : Evidence or None
    covariates : Covariates or None
        The last four where it is normal.
    """

    kind: str
    beliefs: Beliefs
    family: Family
    stakeholders: tuple[str, ...]
    coordinates: RuleCoordinates | None = None
    normal: NormalPopulation | None = None
    evidence: Evidence | None = None
    covariates: Covariates | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The numbers in which rules vary."""
        return () if self.coordinates is None else self.coordinates.names

    @property
    def mean(self) -> FloatArray:
        """Their mean (D,), over everybody where it depends on what is known of them."""
        normal, evidence = self._normal()
        return np.asarray(normal.means(evidence.design).mean(axis=0))

    @property
    def covariance(self) -> FloatArray:
        """Their covariance (D, D) among people of whom the same is known."""
        return self._normal()[0].covariance

    @property
    def spread(self) -> FloatArray:
        """Their standard deviations (D,)."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def correlation(self) -> FloatArray:
        """Their correlations (D, D)."""
        spread = self.spread
        return np.asarray(self.covariance / spread / spread[:, None])

    def _normal(self) -> tuple[NormalPopulation, Evidence]:
        if self.normal is None or self.evidence is None:
            raise InputError(
                "mean and covariance are those of a normal population; found types, because a rule "
                "has too many numbers. Ask for quantiles and shares."
            )
        return self.normal, self.evidence

    def quantiles(self, name: str, levels: tuple[float, ...] = _QUARTILES) -> FloatArray:
        """Return quantiles (l,) of "p", "epsilon", "tau", or "weight of …" among people."""
        values = self.values(name)
        order = np.argsort(values, kind="stable")
        below = np.cumsum(self.beliefs.anybody[order])
        places = np.searchsorted(below, np.asarray(levels) * below[-1])
        return np.asarray(values[order][np.minimum(places, len(order) - 1)])

    def share(self, name: str, *, above: float | None = None, below: float | None = None) -> float:
        """Return the share of people with a number above or below a value, such as p below 0."""
        values, chances = self.values(name), self.beliefs.anybody
        if above is not None and below is None:
            beyond = values > above
        elif below is not None and above is None:
            beyond = values < below
        else:
            raise InputError("a share needs one end: above=… or below=….")
        return float(chances[beyond].sum() / chances.sum())

    def values(self, name: str) -> FloatArray:
        """Return a number (S,) of each rule there may be; `beliefs.anybody` has their chances."""
        rules = self.beliefs.rules
        known = {self.family.shape.name: rules.powers, "tau": rules.taus}
        if self.family.has_aversion:
            known["epsilon"] = 1.0 - rules.powers
        known |= {
            f"weight of {who}": rules.weights[:, j] for j, who in enumerate(self.stakeholders)
        }
        if name not in known:
            raise InputError(f"what varies is one of {', '.join(known)}; found {name!r}.")
        return np.asarray(known[name])

    @property
    def doctrines(self) -> dict[str, float]:
        """The share of people below each doctrine that has a finite power, by its name."""
        shape = self.family.shape.name
        return {
            doctrine.name: self.share(shape, below=doctrine.p)
            for doctrine in self.family.doctrines
            if np.isfinite(doctrine.p)
        }

    @property
    def varying(self) -> tuple[str, ...]:
        """The numbers that people use, whose quantiles say how people differ."""
        shape = self.family.shape.name
        aversion = ("epsilon",) if self.family.has_aversion else ()
        return (shape, *aversion, *(f"weight of {who}" for who in self.stakeholders), "tau")

    def estimates(self, level: float = 0.95) -> list[PopulationEstimate]:
        """Return means, spreads, correlations and what covariates change, with intervals.

        Means by standard errors from the observed information, spreads by their logarithms,
        correlations by their inverse hyperbolic tangents.
        """
        level = check_level(level)
        normal, _ = self._normal()
        assert self.covariates is not None
        z, names = float(norm.ppf(0.5 + level / 2.0)), self.names
        units, columns = self.covariates.units, self.covariates.names
        found = []
        for j, name in enumerate(names):
            found.append(self._linear(f"mean of {name}", _mean_of(j), z))
        for j, name in enumerate(names):
            found.append(self._spread(f"spread of {name}", j, z))
        for i in range(len(names)):
            for j in range(i):
                words = f"correlation of {names[j]} and {names[i]}"
                found.append(self._correlation(words, i, j, z))
        for c in range(1, normal.coefficients.shape[1]):
            for j, name in enumerate(names):
                by = f"{name} by {columns[c]}"
                found.append(self._linear(by, _coefficient(j, c, float(units[c])), z))
        return found

    def _linear(self, name: str, number: _Number, z: float) -> PopulationEstimate:
        value, error = self._with_error(number)
        if error is None:
            return PopulationEstimate(name, value)
        return PopulationEstimate(name, value, error, value - z * error, value + z * error)

    def _spread(self, name: str, j: int, z: float) -> PopulationEstimate:
        value, error = self._with_error(lambda one, _: float(np.sqrt(one.covariance[j, j])))
        if error is None or value < _NO_SPREAD:
            return PopulationEstimate(name, value)
        reach = z * error / value
        return PopulationEstimate(name, value, error, value * np.exp(-reach), value * np.exp(reach))

    def _correlation(self, name: str, i: int, j: int, z: float) -> PopulationEstimate:
        if min(self.spread[i], self.spread[j]) < _NO_SPREAD:
            return PopulationEstimate(name, 0.0)
        value, error = self._with_error(lambda one, _: _correlation_of(one, i, j))
        if error is None or abs(value) >= 1.0 - 1e-9:
            return PopulationEstimate(name, value)
        middle, reach = np.arctanh(value), z * error / (1.0 - value * value)
        low, high = np.tanh([middle - reach, middle + reach])
        return PopulationEstimate(name, value, error, float(low), float(high))

    def _with_error(self, number: _Number) -> tuple[float, float | None]:
        """A number of the population and its standard error, by the delta method."""
        normal, evidence = self._normal()
        row, size, columns = normal.packed(), normal.size, evidence.design.shape[1]

        def at(x: FloatArray) -> float:
            return number(NormalPopulation.unpacked(x, size, columns), evidence.design)

        slope = np.array(
            [(at(row + step) - at(row - step)) / (2.0 * _STEP) for step in _STEP * np.eye(len(row))]
        )
        inverse, flat = self._inverse
        if len(flat) and np.abs(flat @ slope).max() > 1e-3 * np.abs(slope).max():
            return at(row), None
        variance = float(slope @ inverse @ slope)
        return at(row), float(np.sqrt(variance)) if variance > 0 else None

    @cached_property
    def _inverse(self) -> tuple[FloatArray, FloatArray]:
        """The covariance (k, k) of the packed numbers, and directions (r, k) that are flat."""
        normal, evidence = self._normal()
        matrix = information(evidence, normal)
        if np.linalg.eigvalsh(matrix).min() <= 0.0:  # not a top: scores tell as much in the mean
            scores = evidence.scores(normal)[1]
            matrix = scores.T @ scores
        size = np.sqrt(np.maximum(np.abs(matrix.diagonal()), 1e-300))
        values, vectors = np.linalg.eigh(matrix / size / size[:, None])
        firm = values > _FLAT
        inverse = (vectors[:, firm] / values[firm]) @ vectors[:, firm].T / size / size[:, None]
        return inverse, vectors[:, ~firm].T / size

    def to_frame(self) -> Any:
        """Return quartiles of what people use among people, as a data frame."""
        rows = [(name, *self.quantiles(name).tolist()) for name in self.varying]
        names = ("number", "lower_quartile", "median", "upper_quartile")
        return to_frame(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, by name."""
        quartiles = {name: self.quantiles(name).tolist() for name in self.varying}
        found: dict[str, Any] = {
            "kind": self.kind,
            "quartiles": quartiles,
            "below": self.doctrines,
        }
        if self.normal is not None:
            found |= {
                "numbers": list(self.names),
                "mean": self.mean.tolist(),
                "covariance": self.covariance.tolist(),
                "correlation": self.correlation.tolist(),
            }
        return found

    def __repr__(self) -> str:
        shape = self.family.shape.name
        low, middle, high = self.quantiles(shape)
        half = f"half from {low:.3g} to {high:.3g}"
        return f"Population({self.kind}, median {shape} {middle:.3g}, {half})"


_Number = Callable[[NormalPopulation, FloatArray], float]


def _mean_of(j: int) -> _Number:
    return lambda one, design: float(one.means(design)[:, j].mean())


def _coefficient(j: int, c: int, unit: float) -> _Number:
    return lambda one, _: float(one.coefficients[j, c]) / unit


def _correlation_of(one: NormalPopulation, i: int, j: int) -> float:
    both = one.covariance
    return float(both[i, j] / np.sqrt(both[i, i] * both[j, j]))
