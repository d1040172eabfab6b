"""The checks of a rule that was learned from comparisons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from scipy.special import expit

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.checks.alternatives import Terms
from welfarist.checks.calibration import Calibration, calibration_of
from welfarist.checks.check import Check, CheckWords, checked, inapplicable, noise_of
from welfarist.checks.fit import Fit
from welfarist.checks.misfit import Misfit, misfit_of
from welfarist.checks.predictions import Predictions, predictions_of
from welfarist.checks.score_test import score_test, slopes_of
from welfarist.checks.surprises import Surprises, surprising_choices
from welfarist.decisions import Comparisons
from welfarist.decisions.at_power import seen_at
from welfarist.inference.likelihood import Likelihood
from welfarist.losses.observed import Slopes
from welfarist.noise.base import ChoiceNoise
from welfarist.noise.choices import LAPSE, LOGISTIC, RHO

# Margins (in units of the noise) beyond which a slip is as surprising as one there: the score of
# slips grows as e^|z|, and uncut a single decision would decide. Under another model than logistic
# noise these are cases as clear, in which the other answer is as likely as there.
CLEAREST = 4.0
_CLEAR_CHANCE = float(expit(-CLEAREST))
_TINY = float(np.finfo(np.float64).tiny)

NO_MISFIT = Misfit(
    (),
    reason="checks need a likelihood; found a fit that counts errors, which has none. "
    'Fit with noise="logistic" or "lapse".',
)


def refuse_calibration() -> NoReturn:
    """Refuse to compare chances with what happened where there are none."""
    raise InputError(
        "calibration needs a rule that gives probabilities; found a fit that counts "
        'errors, which gives none. Fit with noise="logistic" or "lapse"; surprises() '
        "lists the decisions that the rule gets wrong."
    )


@dataclass(frozen=True, eq=False)
class ComparisonChecks:
    """Whether a rule describes comparisons.

    Attributes
    ----------
    decided : Comparisons
    rule : WelfareFunction, or a rule of another family
        Without names: the columns are those it was learned from.
    stakeholders : tuple of str
    likelihood : Likelihood or None
        None where errors were counted.
    probability : callable or None
        How likely the first action is preferred at differences in value (n,); None likewise.
    """

    decided: Comparisons
    rule: Any
    stakeholders: tuple[str, ...]
    likelihood: Likelihood | None
    probability: Callable[[FloatArray], FloatArray] | None

    kind = Comparisons.kind

    @classmethod
    def of(cls, fit: Fit) -> ComparisonChecks:
        """Return the checks of a fit to comparisons."""
        chances = None if fit.noise is None else fit.preference
        rule = fit.nameless_welfare
        decided = seen_at(fit.decided, rule.p)
        return cls(decided, rule, fit.affected, fit.likelihood, chances)

    @cached_property
    def predictions(self) -> Predictions:
        """What the rule says of every single comparison."""
        return predictions_of(self.decided, self.rule, self.probability)

    def calibration(self, bins: int) -> Calibration:
        """How often the more likely action was chosen, beside how often the rule says."""
        if self.likelihood is None:
            refuse_calibration()
        return calibration_of(self.predictions, bins, self.likelihood)

    def surprises(self, count: int) -> Surprises:
        """The decisions that the rule least expected."""
        return surprising_choices(
            self.decided, self.predictions, self.rule, self.stakeholders, count
        )

    def residuals(self) -> NoReturn:
        """Refuse: comparisons have none."""
        raise InputError(
            "residuals are those of scores; found comparisons, which have none. calibration() "
            "shows how often the rule is right, surprises() where it is wrong."
        )

    def misfit(self) -> Misfit:
        """Checks against alternatives to the family of rules."""
        if self.likelihood is None:
            return NO_MISFIT
        return misfit_of(self.likelihood, self._alternatives)

    def _alternatives(self, likelihood: Likelihood, terms: Terms) -> list[Check]:
        """Terms of other families, the place of an action, and slips."""
        z = float(np.exp(likelihood.noise[0])) * self.predictions.margins
        noise = noise_of(likelihood.loss)
        assert noise is not None
        slips = _slip_scores(noise, z, likelihood.noise[1:])
        words = CheckWords.of(likelihood.loss)

        def columns(part: slice) -> FloatArray:
            return np.column_stack([np.ones(len(slips[part])), slips[part]])

        slopes = slopes_of(likelihood, terms.rows, columns)
        e = len(terms.rows)
        checks = [checked(name, slopes, chosen, words) for name, chosen in terms.named.items()]
        return [
            *checks,
            _position(slopes, slice(e, e + 1), self.predictions, words),
            *slips_check(likelihood, slopes, e + 1, words),
        ]


def _slip_scores(noise: ChoiceNoise, z: FloatArray, own: FloatArray) -> FloatArray:
    """How margins z (n,) change where slips are a little more frequent, cut in clear cases.

    A slip pulls the chance P of an answer towards one half, by ``1/2 - P`` for each unit; over
    dP/dz that is a change of the margin: under logistic noise -sinh(z).
    """
    if noise in (LOGISTIC, LAPSE):
        return np.asarray(-np.sinh(np.clip(z, -CLEAREST, CLEAREST)))
    here = noise.response(z, own)
    found = (here.unlikely - here.likely) / (2.0 * np.maximum(here.slope, _TINY))
    open_cases = np.minimum(here.likely, here.unlikely) >= _CLEAR_CHANCE
    # A model with slips of its own has no clear cases; others may have no open ones.
    most = min(np.abs(found[open_cases]).max(initial=0.0) or np.inf, np.sinh(CLEAREST))
    return np.clip(found, -most, most)


def _position(slopes: Slopes, chosen: slice, predictions: Predictions, words: CheckWords) -> Check:
    if abs(int(predictions.outcomes.sum())) == len(predictions.outcomes):
        which = "first" if predictions.outcomes[0] > 0 else "second"
        return inapplicable("position", f"the preferred action is always the {which} one", words)
    return checked("position", slopes, chosen, words)


def slips_check(
    likelihood: Likelihood, slopes: Slopes, place: int, words: CheckWords
) -> list[Check]:
    """Slips can only be more frequent than never: half of the time the statistic is 0."""
    if RHO in likelihood.loss.parameters:
        return []
    found = score_test(slopes, slice(place, place + 1))
    if found is None:
        reason = "the decisions do not differ in how clear they are"
        if noise_of(likelihood.loss) != LOGISTIC:
            reason += ", or the noise model has slips already"
        return [inapplicable("slips", reason, words)]
    over = max(found.root, 0.0)
    return [
        Check(
            "slips",
            words.null("slips"),
            over**2,
            f"half {found.distribution}, half 0",
            1,
            found.p_value / 2.0 if over else 1.0,
            found.gain if over else 0.0,
            found.share if over else 0.0,
            'clear cases are missed too often (noise="lapse" allows for slips)',
        )
    ]
