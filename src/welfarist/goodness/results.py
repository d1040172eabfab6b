"""The checks of a fit, as methods of its result."""

from __future__ import annotations

from welfarist.decisions import Comparisons, Scores
from welfarist.errors import InputError
from welfarist.goodness.calibration import Calibration, calibration_of
from welfarist.goodness.misfit import Misfit, misfit_of
from welfarist.goodness.predictions import Predictions, predictions_of
from welfarist.goodness.residuals import Residuals, fitted_scores, residuals_of
from welfarist.goodness.surprises import Surprises, surprising_choices, surprising_scores
from welfarist.inference.fitted import Fitted
from welfarist.validation import FloatArray
from welfarist.welfare import WelfareFunction


class Checks:
    """Whether the rule describes the decisions it was learned from; each is worked out on demand.

    `calibration`, `surprises`, `residuals` and `misfit` need the decisions, which a result keeps
    until `without_data`.
    """

    p: float
    weights: FloatArray
    stakeholders: tuple[str, ...]
    tau: float | None
    rho: float | None
    scale: float | None
    fitted: Fitted | None
    decided: Comparisons | Scores | None

    def calibration(self, bins: int = 10) -> Calibration:
        """Return how often the more likely action was chosen, beside how often the rule says.

        Parameters
        ----------
        bins : int
            How many bins of about equal counts; equal probabilities share one.

        Examples
        --------
        >>> from welfarist import ComparisonClassifier, simulate
        >>> world = simulate.individuals(100, 3, p=0, random_state=1)
        >>> pairs = simulate.random_pairs(100, 1000, random_state=1)
        >>> decided = simulate.comparisons(world, pairs, tau=5, random_state=1)
        >>> found = ComparisonClassifier().fit(decided).result_.calibration(bins=5)
        >>> bool(found.gap < 0.05 and found.p_value > 0.01)
        True
        """
        decided = self._choices("calibration", "residuals() shows how far scores are from the rule")
        if self.tau is None:
            raise InputError(
                "calibration needs a rule that gives probabilities; found a fit that counts "
                'errors, which gives none. Fit with noise="logistic" or "lapse"; surprises() '
                "lists the decisions that the rule gets wrong."
            )
        return calibration_of(self._predictions(decided), bins, self.fitted)

    def surprises(self, count: int = 10) -> Surprises:
        """Return the decisions that the rule least expected, the largest surprise first.

        Parameters
        ----------
        count : int
            How many at most.

        Notes
        -----
        For comparisons these are decisions against the rule, the least likely first; where errors
        are counted, the clearest first. Ties are left out. For scores they are those with the
        largest residuals. Rows are those of the data that were fitted.

        Examples
        --------
        >>> from welfarist import Comparisons, ComparisonClassifier
        >>> actions = [[8.0, 1.0], [2.0, 2.0], [1.0, 9.0]]
        >>> pairs, outcomes = [[0, 1], [1, 2], [2, 0]], [1, -1, -1]
        >>> decided = Comparisons(actions, pairs, outcomes, names=["bus", "school", "clinic"])
        >>> fit = ComparisonClassifier(noise="flip", p="Nash", weights="equal").fit(decided)
        >>> print(fit.result_.surprises())
        1 of 3 decisions went against the rule
          row 2: chose bus over clinic though the rule prefers the other: welfare 2.828 against 3...
        """
        decided, rule, people = self._decisions("surprises"), self._rule(), self.stakeholders
        if isinstance(decided, Scores):
            fitted = fitted_scores(decided, rule, self._scale())
            return surprising_scores(decided, fitted, rule, people, count)
        return surprising_choices(decided, self._predictions(decided), rule, people, count)

    def residuals(self) -> Residuals:
        """Return the residuals of scores, and whether rounding alone explains them.

        Examples
        --------
        >>> import numpy as np
        >>> from welfarist import WelfareFunction, WelfareRegressor
        >>> utilities = np.random.default_rng(0).uniform(1, 10, (200, 3)).round(2)
        >>> scores = WelfareFunction(0, [0.2, 0.3, 0.5])(utilities).round(2)
        >>> WelfareRegressor().fit(utilities, scores).result_.residuals().rounding.compatible
        True
        """
        decided = self._decisions("residuals")
        if isinstance(decided, Comparisons):
            raise InputError(
                "residuals are those of scores; found comparisons, which have none. calibration() "
                "shows how often the rule is right, surprises() where it is wrong."
            )
        assert self.fitted is not None
        return residuals_of(decided, self._rule(), self._scale(), self.fitted.parameters)

    def misfit(self) -> Misfit:
        """Return checks of the fit against alternatives to its family of rules.

        Where there can be no checks, the answer carries the reason.

        Examples
        --------
        >>> from welfarist import ComparisonClassifier, simulate
        >>> world = simulate.individuals(100, 3, p=0, random_state=1)
        >>> pairs = simulate.random_pairs(100, 1000, random_state=1)
        >>> decided = simulate.comparisons(world, pairs, tau=5, random_state=1)
        >>> ComparisonClassifier().fit(decided).result_.misfit().verdict
        'No sign that the family is wrong.'
        """
        decided = self._decisions("misfit")
        if self.fitted is None:
            return Misfit(
                (),
                reason="checks need a likelihood; found a fit that counts errors, which has none. "
                'Fit with noise="logistic" or "lapse".',
            )
        if isinstance(decided, Scores):
            return misfit_of(self.fitted, None, self.residuals().rounding)
        return misfit_of(self.fitted, self._predictions(decided), None)

    def _decisions(self, what: str) -> Comparisons | Scores:
        if self.decided is None:
            raise InputError(
                f"{what} needs the decisions; found a record without them. Ask the fit itself, "
                "before without_data()."
            )
        return self.decided

    def _choices(self, what: str, instead: str) -> Comparisons:
        decided = self._decisions(what)
        if isinstance(decided, Scores):
            raise InputError(f"{what} is about comparisons; found scores. Instead, {instead}.")
        return decided

    def _predictions(self, decided: Comparisons) -> Predictions:
        return predictions_of(decided, self._rule(), self.tau, self.rho or 0.0)

    def _rule(self) -> WelfareFunction:
        """The rule without names: the columns are those it was learned from."""
        return WelfareFunction(self.p, self.weights)

    def _scale(self) -> float:
        return 1.0 if self.scale is None else self.scale
