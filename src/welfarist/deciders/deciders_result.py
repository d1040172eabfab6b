"""What was learned of a population of decision makers, and everything that can be asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.exports import Table, number, pair
from welfarist.base.validation import FloatArray, check_level
from welfarist.deciders import candidates as weighed
from welfarist.deciders.answered import DecidersRecord
from welfarist.deciders.beliefs import Beliefs
from welfarist.deciders.candidates import Candidate
from welfarist.deciders.covariates import Covariates
from welfarist.deciders.forms import Told
from welfarist.deciders.individuals import individual_columns, individuals_frame
from welfarist.deciders.likeliest import fit_normal
from welfarist.deciders.normal import LEAST_SPREAD, NormalPopulation
from welfarist.deciders.panel import Panel
from welfarist.deciders.populations import Population
from welfarist.deciders.type_tests import ratio_test
from welfarist.inference.doctrine_tests import DoctrineTest
from welfarist.results.learned import Caveat

# Decision makers that a summary lists; a data frame has them all.
_LISTED = 10


@dataclass(frozen=True, eq=False)
class DecidersResult(DecidersRecord):
    """Everybody's rule, and how rules are distributed among people.

    Attributes
    ----------
    panel : Panel
    beliefs : Beliefs
        How likely each rule is whose.
    population : Population
    candidates : tuple of Candidate
        One rule for all beside it, and types where there are some.
    covariates : Covariates
    caveats : tuple of Caveat
    """

    panel: Panel = field(repr=False)
    beliefs: Beliefs = field(repr=False)
    population: Population
    candidates: tuple[Candidate, ...]
    covariates: Covariates = field(repr=False)
    caveats: tuple[Caveat, ...] = ()

    @property
    def best(self) -> Candidate:
        """The population, as one of the candidates."""
        return self.candidates[-1]

    @property
    def headline(self) -> str:
        """How people differ, in a sentence."""
        family = self.panel.loss.family
        shape, people = family.shape.name, len(self.names)
        one = self.candidates[0]
        if self.population.kind == "types" and self.best.types not in (None, 1):
            return f"These {people} people are of {self.best.types} types."
        if one.bic <= self.bic:
            return f"No sign that these {people} people follow different rules."
        if not self.panel.loss.learn_power:
            return f"These {people} people differ in who counts how much, or in how often they err."
        low, middle, high = (number(x, 2) for x in self.population.quantiles(shape))
        return (
            f"The typical one of these {people} people has {shape} = {middle}; half of them are "
            f"between {low} and {high}."
        )

    @property
    def common(self) -> dict[str, float]:
        """What all decision makers of a normal population share beside their rules, by name."""
        if self.population.normal is None:
            return {}
        parameters = self.panel.loss.observed.parameters[1:]
        values = self.beliefs.rules.noise[0, 1:].tolist()
        pairs = zip(parameters, values, strict=True)
        return {parameter.name: float(parameter.coordinate.back(x)) for parameter, x in pairs}

    def individuals(self, level: float = 0.95) -> Any:
        """Return one row a decision maker: estimates with intervals, as a data frame."""
        return individuals_frame(self.individual_columns(level))

    def individual_columns(self, level: float = 0.95) -> dict[str, Any]:
        """Return the same as columns by name, worked out once."""
        level = check_level(level)
        if level not in self._individuals:
            family = self.panel.loss.family
            self._individuals[level] = individual_columns(
                self.beliefs, self.panel.counts, self.stakeholders, shape=family.shape.name,
                aversion=family.has_aversion, level=level,
            )  # fmt: skip
        return self._individuals[level]

    @cached_property
    def _individuals(self) -> dict[float, dict[str, Any]]:
        return {}

    def introduced(self, deciders: Any) -> Beliefs:
        """Return what is believed of new people of whom something is known."""
        names, rows = self.covariates.rows_of(deciders)
        normal, evidence = self.population.normal, self.population.evidence
        if normal is None or evidence is None:
            raise InputError(
                "what is known of new people matters only where the fit has columns of it; found "
                "none."
            )
        logs = normal.log_density(evidence.nodes, rows) + evidence.nodes.log_volume
        return self.beliefs.joined(names, np.broadcast_to(logs, (len(names), logs.shape[1])))

    def test(self, *, same: Sequence[str]) -> DoctrineTest:
        """Test whether subgroups of decision makers have the same population of rules.

        Parameters
        ----------
        same : list of str
            Groups of one column of what is known of the decision makers, such as ``["women",
            "men"]``, or the name of a column.
        """
        normal, evidence = self.population.normal, self.population.evidence
        if normal is None or evidence is None:
            raise InputError(
                "subgroups are compared in a normal population; found types. Fit Types with "
                "deciders, and test there."
            )
        less = self.covariates.without_differences(same)
        pooled = evidence.under(less.design)
        start = _pooled(normal, evidence.design, less.design)
        _, value, converged = fit_normal(pooled, start, rounds=20)
        degrees = normal.size * (evidence.design.shape[1] - less.design.shape[1])
        groups = [same] if isinstance(same, str) else [str(name) for name in same]
        null = f"{' and '.join(groups)} have the same population of rules"
        if len(groups) == 1:
            null = f"{groups[0]} says nothing about somebody's rule"
        note = "" if converged else "the search under the null did not end well"
        return ratio_test(null, self.log_likelihood, value, degrees, note)

    def summary(self, level: float = 0.95) -> Told:
        """Return tables of the population and of single people: a text with other forms.

        Parameters
        ----------
        level : float
            Of the intervals.
        """
        columns = self.individual_columns(level)
        tables = [self._quartiles(), self._people(columns, level)]
        if self.population.normal is not None:
            tables.insert(1, self._numbers(level))
        tables.append(weighed.table_of(self.candidates))
        return Told(tuple(tables), self.to_dict(level), columns)

    def to_frame(self, level: float = 0.95) -> Any:
        """Return the same as :meth:`individuals`."""
        return self.individuals(level)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Return what a program reads: plain numbers and texts, by name."""
        columns = self.individual_columns(level)
        names = [name for name in columns if name != "who"]
        each = zip(columns["who"], *(np.asarray(columns[n]).tolist() for n in names), strict=True)
        found: dict[str, Any] = {
            "headline": self.headline,
            "population": self.population.to_dict(),
            "individuals": {who: dict(zip(names, row, strict=True)) for who, *row in each},
            "candidates": [one.to_dict() for one in self.candidates],
            "people": len(self.names),
            "decisions": self.decisions,
            "log_likelihood": self.log_likelihood,
            "bic": self.bic,
            "common": dict(self.common),
            "level": level,
            "converged": self.converged,
            "caveats": [caveat.message for caveat in self.caveats],
        }
        if self.population.normal is not None:
            found["population"]["estimates"] = [
                vars(row) for row in self.population.estimates(level)
            ]
        return found

    def _quartiles(self) -> Table:
        """How people differ in numbers that people use."""
        population = self.population
        rows = [
            (name, *(number(x) for x in population.quantiles(name))) for name in population.varying
        ]
        lines = [self.headline]
        if self.panel.loss.learn_power:
            below = [
                f"{share:.0%} of people are more averse to inequality than {name}"
                if self.panel.loss.family.has_aversion
                else f"{share:.0%} of people are below {name}"
                for name, share in population.doctrines.items()
            ]
            lines.append("; ".join(below))
        lines += [f"{name} of everybody: {number(x)}" for name, x in self.common.items()]
        lines += [f"Note: {caveat.message}" for caveat in self.caveats]
        title = f"Learned from {self.decisions:.15g} decisions of {len(self.names)} people"
        header = ("among people", "lower quartile", "median", "upper quartile")
        return Table(title, header, tuple(rows), ("left", "right", "right", "right"), tuple(lines))

    def _numbers(self, level: float) -> Table:
        """The population in the numbers in which it is normal."""
        rows = []
        for row in self.population.estimates(level):
            low, high = pair(row.low, row.high)
            within = f"{low} to {high}" if low else "no spread" if _is_edge(row) else ""
            rows.append((row.parameter, number(row.estimate), number(row.standard_error), within))
        header = ("", "estimate", "std. error", f"{100 * level:.6g}% interval")
        error = self.best.error
        lines = ["Normal in these numbers; standard errors from the observed information"]
        if error is not None:
            lines.append(f"Standard error of the log-likelihood for so many nodes: {error:.2f}")
        return Table("The population", header, tuple(rows), ("left", *("right",) * 3), tuple(lines))

    def _people(self, columns: dict[str, Any], level: float) -> Table:
        """The first few decision makers."""
        shape = self.panel.loss.family.shape.name
        shown = [shape, *(f"weight of {who}" for who in self.stakeholders[:4]), "tau"]
        rows = []
        for i, who in enumerate(columns["who"][:_LISTED]):
            cells = []
            for name in shown:
                low, high = pair(columns[f"{name}_low"][i], columns[f"{name}_high"][i], 2)
                cells.append(f"{number(columns[name][i], 2)} [{low}, {high}]")
            rows.append((who, *cells))
        more = len(columns["who"]) - _LISTED
        lines = [
            f"In brackets {100 * level:.6g}% of what is believed after somebody's decisions, the "
            f"{'types' if self.population.kind == 'types' else 'population'} taken as found"
        ]
        lines += [f"and {more} more: individuals() has them all"] if more > 0 else []
        sides = ("left", *("right",) * len(shown))
        return Table("Single people", ("", *shown), tuple(rows), sides, tuple(lines))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return (
            f"DecidersResult({len(self.names)} people, {self.decisions:.15g} decisions, "
            f"{'' if self.converged else 'not '}converged)"
        )


def _is_edge(row: Any) -> bool:
    return bool(row.parameter.startswith("spread of ") and row.estimate < 1.1 * LEAST_SPREAD)


def _pooled(normal: NormalPopulation, design: FloatArray, less: FloatArray) -> NormalPopulation:
    """A population to begin with where some columns say nothing."""
    means = normal.means(design)
    b = np.linalg.lstsq(less, means, rcond=None)[0].T
    rest = means - less @ b.T
    return NormalPopulation(
        np.asarray(b, dtype=np.float64), normal.covariance + rest.T @ rest / len(rest)
    )
