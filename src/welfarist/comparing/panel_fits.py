"""Types and individuals as they compete with single rules: what a table needs to know of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from welfarist.comparing.chances import how_often, right_of
from welfarist.deciders.candidates import Candidate
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.deciders.panel import Panel
from welfarist.deciders.predicting import predicted
from welfarist.deciders.types_result import TypesResult

PanelResult = TypesResult | DecidersResult


def panel_of(result: PanelResult) -> Panel:
    """Return the decisions of a result, with their decision makers."""
    return result.mixture.panel if isinstance(result, TypesResult) else result.panel


@dataclass(frozen=True)
class PanelEstimate:
    """A number of a type or of a population, with its standard error.

    `given` says whether it was not learned, `determined` whether the decisions say anything of it.
    """

    name: str
    value: float
    standard_error: float | None = None
    given: bool = False
    determined: bool = True


@dataclass(frozen=True, eq=False)
class PanelFit:
    """How types or individuals explain the decisions.

    Attributes
    ----------
    result : TypesResult or DecidersResult
    """

    result: PanelResult

    p = None
    inequality_aversion = None
    r_squared = None

    @property
    def _best(self) -> Candidate:
        return self.result.best

    @property
    def converged(self) -> bool:
        """Whether the search ended where no step was left."""
        return self._best.converged

    @property
    def llf(self) -> float:
        """Log likelihood of everybody's decisions."""
        return self._best.log_likelihood

    @property
    def llnull(self) -> float:
        """Log likelihood of knowing nothing."""
        panel = panel_of(self.result)
        return -panel.total * panel.loss.observed.null_loss()

    @property
    def nobs(self) -> float:
        """How many decisions were observed."""
        return panel_of(self.result).total

    @property
    def learned(self) -> int:
        """How many numbers were learned."""
        return self._best.parameters

    @property
    def aic(self) -> float:
        """Akaike's information criterion."""
        return self._best.aic

    @property
    def bic(self) -> float:
        """Bayes' information criterion, whose observations are decision makers."""
        return self._best.bic

    @cached_property
    def accuracy(self) -> float:
        """Share of decisions that are predicted of those who made them."""
        panel = panel_of(self.result)
        decided = panel.decided
        chances = predicted(panel, self.result.beliefs, decided)
        return float(np.average(right_of(chances, decided), weights=how_often(decided)))

    @cached_property
    def rows(self) -> tuple[PanelEstimate, ...]:
        """What was learned: of each type, or of the population in the numbers that are normal."""
        if isinstance(self.result, TypesResult):
            return tuple(
                PanelEstimate(
                    f"type {row.type + 1}: {row.parameter}", row.estimate, row.standard_error,
                    row.method == "given", row.determined,
                )
                for row in self.result.estimates(None)
            )  # fmt: skip
        if self.result.population.normal is None:
            return ()
        return tuple(
            PanelEstimate(row.parameter, row.estimate, row.standard_error)
            for row in self.result.population.estimates()
        )

    @property
    def errors(self) -> str:
        """Where standard errors come from, in words."""
        if isinstance(self.result, TypesResult):
            return "the covariance clustered by who decided"
        return "the likelihood's curvature" if self.rows else ""
