"""How well a fit explains the decisions, by its likelihood and beside knowing nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.errors import InputError
from welfarist.inference.clusters import number_of_clusters
from welfarist.inference.likelihood import Likelihood
from welfarist.results.data_left_out import refuse
from welfarist.results.learned import Learned


@dataclass(frozen=True, eq=False)
class Goodness:
    """What the likelihood of a fit says about it as a whole, under statsmodels' names."""

    learned: Learned

    @property
    def likelihood(self) -> Likelihood:
        """The likelihood, or why there is none."""
        found = self.learned.likelihood
        if found is None and self.learned.decided is None:
            refuse("standard errors, intervals, tests and information criteria need")
        if found is None:
            raise InputError(
                "standard errors, intervals, tests and information criteria need a likelihood; "
                'found a fit that counts errors, which has none. Fit with noise="logistic" or '
                '"lapse"; result_.exact has the set of powers that are as good.'
            )
        return found

    @property
    def nobs(self) -> float:
        """How many decisions were observed, counts included; the same as `decisions`."""
        return self.learned.decisions

    @property
    def llf(self) -> float:
        """Log likelihood of the decisions; a tie counts as half of each outcome."""
        likelihood = self.likelihood
        likelihood.require_spread()
        return likelihood.log_likelihood(likelihood.value_of_decisions)

    @property
    def llnull(self) -> float:
        """Log likelihood of a model that knows nothing of the actions.

        For comparisons it flips a coin, so that it is n times log 1/2. For scores it predicts
        their mean, with the variance about it: a rule without a scale is no special case of that,
        and may explain less.
        """
        likelihood = self.likelihood
        likelihood.require_spread()
        nothing = likelihood.loss.observed.null_loss()
        if likelihood.loss.squared and likelihood.loss.is_perfect(nothing):
            raise InputError(
                "the log likelihood of a mean needs scores that vary; found one score for all "
                "actions."
            )
        return likelihood.log_likelihood(nothing)

    @property
    def prsquared(self) -> float:
        """McFadden's pseudo-R squared of comparisons, 1 - `llf` / `llnull`."""
        if self.likelihood.loss.squared or self.learned.kind == "scores":
            raise InputError(
                "a pseudo-R squared is of comparisons; found scores, whose log likelihood depends "
                "on their unit. Use rsquared."
            )
        return 1.0 - self.llf / self.llnull

    @property
    def rsquared(self) -> float:
        """Share of the scores' variance that the rule explains; below 0 if the mean does better."""
        if not self.likelihood.loss.squared and self.learned.kind != "scores":
            raise InputError("an R squared is of scores; found comparisons. Use prsquared.")
        if self.learned.r_squared is None:
            raise InputError("an R squared needs scores that vary; found one score for all.")
        return self.learned.r_squared

    @property
    def n_clusters(self) -> int | None:
        """How many people decided (``Comparisons(…, by=…)``); None if nobody said."""
        return number_of_clusters(self.likelihood)

    @property
    def aic(self) -> float:
        """Akaike's information criterion: twice the learned numbers less twice `llf`.

        As in statsmodels, the variance of scores does not count as learned. Weights that sum to 1
        are one fewer than people, also at an infinite p, where they only say who counts.
        """
        return 2.0 * self.likelihood.require_maximum().parameters - 2.0 * self.llf

    @property
    def bic(self) -> float:
        """The Bayesian information criterion: log n for each learned number less twice `llf`.

        n is `nobs`: a ranking is one decision, however many choices it consists of.
        """
        learned = self.likelihood.require_maximum().parameters
        return float(np.log(self.nobs)) * learned - 2.0 * self.llf
