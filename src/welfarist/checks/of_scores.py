"""The checks of a rule that was learned from scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.checks.alternatives import Terms
from welfarist.checks.check import Check, CheckWords, checked
from welfarist.checks.fit import Fit
from welfarist.checks.misfit import Misfit, misfit_of
from welfarist.checks.residuals import Residuals, fitted_scores, residuals_of
from welfarist.checks.score_test import slopes_of
from welfarist.checks.surprises import Surprises, surprising_scores
from welfarist.decisions import Scores
from welfarist.decisions.at_power import seen_at
from welfarist.inference.covariance import face_of
from welfarist.inference.likelihood import Likelihood


@dataclass(frozen=True, eq=False)
class ScoreChecks:
    """Whether a rule describes scores.

    Attributes
    ----------
    decided : Scores
    rule : WelfareFunction, or a rule of another family
        Without names: the columns are those it was learned from.
    stakeholders : tuple of str
    likelihood : Likelihood
    scale : float
        What welfare is multiplied with to be a score.
    offset : float
        What is then taken off it, because it was added to the utilities.
    """

    decided: Scores
    rule: Any
    stakeholders: tuple[str, ...]
    likelihood: Likelihood
    scale: float
    offset: float = 0.0

    kind = Scores.kind

    @classmethod
    def of(cls, fit: Fit) -> ScoreChecks:
        """Return the checks of a fit to scores."""
        assert fit.likelihood is not None
        scale = 1.0 if fit.scale is None else fit.scale
        rule, offset = fit.nameless_welfare, fit.score_offset
        decided = seen_at(fit.decided, rule.p)
        return cls(decided, rule, fit.affected, fit.likelihood, scale, offset)

    def calibration(self, bins: int) -> NoReturn:
        """Refuse: scores are not chosen."""
        del bins
        raise InputError(
            "calibration is about comparisons; found scores. Instead, residuals() shows how far "
            "scores are from the rule."
        )

    def surprises(self, count: int) -> Surprises:
        """The scores with the largest residuals."""
        fitted = fitted_scores(self.decided, self.rule, self.scale, self.offset)
        return surprising_scores(self.decided, fitted, self.rule, self.stakeholders, count)

    def residuals(self) -> Residuals:
        """The residuals of scores, and whether rounding alone explains them."""
        return self._residuals

    @cached_property
    def _residuals(self) -> Residuals:
        learned = self.likelihood.parameters
        return residuals_of(self.decided, self.rule, self.scale, learned, self.offset)

    def misfit(self) -> Misfit:
        """Checks against alternatives to the family of rules."""
        return misfit_of(self.likelihood, _alternatives, self.residuals().rounding)


def _alternatives(likelihood: Likelihood, terms: Terms) -> list[Check]:
    """Terms of other families, and another zero or scale of the scores."""
    count = terms.rows.shape[1]
    affine = [_scaled(likelihood)] if likelihood.loss.observed.sees_level else []
    rows = np.vstack([terms.rows, *affine])
    slopes = slopes_of(likelihood, rows, lambda part: np.ones((count, 1))[part])
    last = slice(len(terms.rows), len(rows) + 1)
    named = terms.named | {"scale": last}
    words = CheckWords.of(likelihood.loss)
    return [checked(name, slopes, chosen, words, True) for name, chosen in named.items()]


def _scaled(likelihood: Likelihood) -> FloatArray:
    """How values (N,) change where scores have another scale: by a constant, or as they are."""
    face = face_of(likelihood)
    value = face.loss.judge(face.point).values
    return np.ones(len(value)) if face.loss.family.level.is_ratio else value
