"""The checks of a rule that was learned from choices from menus."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.checks.alternatives import Terms
from welfarist.checks.calibration import Calibration, calibration_of
from welfarist.checks.check import Check, CheckWords, checked, inapplicable
from welfarist.checks.fit import Fit
from welfarist.checks.misfit import Misfit, misfit_of
from welfarist.checks.of_comparisons import (
    CLEAREST,
    NO_MISFIT,
    refuse_calibration,
    slips_check,
)
from welfarist.checks.predictions import Predictions
from welfarist.checks.score_test import slopes_of
from welfarist.checks.surprises import Surprises, surprising_menus
from welfarist.counting.menus.best import best_entries
from welfarist.decisions import Choices
from welfarist.decisions.at_power import seen_at
from welfarist.inference.likelihood import Likelihood
from welfarist.losses.single_menus import SingleMenus
from welfarist.noise.menus import EQUALLY_GOOD, Softmax
from welfarist.people.present_rule import PresentRule

# A choice is cut off where it is as surprising as the other of two in the clearest case.
_MOST_SURPRISING = 0.5 * (1.0 + float(np.exp(CLEAREST)))


@dataclass(frozen=True, eq=False)
class ChoiceChecks:
    """Whether a rule describes choices from menus.

    Attributes
    ----------
    decided : Choices
    rule : WelfareFunction, or a rule of another family
        Without names: the columns are those it was learned from.
    stakeholders : tuple of str
    likelihood : Likelihood or None
        None where errors were counted.
    """

    decided: Choices
    rule: Any
    stakeholders: tuple[str, ...]
    likelihood: Likelihood | None

    kind = Choices.kind

    @classmethod
    def of(cls, fit: Fit) -> ChoiceChecks:
        """Return the checks of a fit to choices."""
        rule = PresentRule(fit.nameless_welfare) if fit.decided.absent else fit.nameless_welfare
        return cls(seen_at(fit.decided, rule.p), rule, fit.affected, fit.likelihood)

    @property
    def _single(self) -> SingleMenus:
        if self.likelihood is None:
            return SingleMenus(None, self.decided)
        found: Any = self.likelihood.single
        assert isinstance(found, SingleMenus)
        return found

    @cached_property
    def compared(self) -> Softmax:
        """How the actions of every menu compare under the rule, choice by choice."""
        if self.likelihood is None:
            return self._counted
        loss, point = self.likelihood.at_rule()
        judged, single = loss.judge(point), self._single
        observed = single.observed.of_menus(single.menus)
        here: Softmax = observed.compare(judged.values, point.extras, loss.has_zeros)
        return here

    @property
    def _outside(self) -> tuple[float, float] | None:
        """The welfare of none of these, and its value; None where that could not be chosen."""
        if not self.decided.outside:
            return None
        assert self.likelihood is not None  # errors are not counted where that could be chosen
        level = float(self.likelihood.noise[-1])
        is_ratio = self.likelihood.loss.family.level.is_ratio
        return float(np.exp(level)) if is_ratio else level, level

    @property
    def _gamma(self) -> float:
        """The size effect; 0 where none was learned."""
        if self.likelihood is None:
            return 0.0
        names = [parameter.name for parameter in self.likelihood.loss.parameters]
        return (
            float(self.likelihood.point.extras[names.index("gamma")]) if "gamma" in names else 0.0
        )

    @property
    def _counted(self) -> Softmax:
        """The same where errors were counted: the best are those that no rounding has made."""
        single, decided = self._single, self.decided
        menus = replace(single.menus, rows=single.original.astype(np.int32))
        value = self.rule.value(decided.utilities)
        best = best_entries(menus, decided.utilities, value, self.rule)
        here = Softmax.of(menus, value[menus.rows] * menus.spread(menus.sign), True)
        behind = here.z - menus.spread(menus.largest(here.z))
        told = np.where(best, 0.0, np.minimum(behind, -2.0 * EQUALLY_GOOD))
        return replace(here, by_entry=told, by_action=None)

    @property
    def chances(self) -> FloatArray | None:
        """How likely each entry is chosen from its menu; None where errors were counted."""
        if self.likelihood is None:
            return None
        place = self._single.observed.extras.rho
        extras = self.likelihood.noise
        return self.compared.chances(0.0 if place is None else float(extras[place]))

    @cached_property
    def predictions(self) -> Predictions:
        """What the rule says of every choice: whether what it finds best was chosen."""
        here, menus = self.compared, self.compared.menus
        best = here.best()
        ties = menus.sums(best.astype(np.float64))
        right = menus.sums(menus.taken * best) / menus.count
        counts = self.decided.counts[self._single.decision] * menus.count
        zeros = np.zeros(len(menus))
        rows = self._single.decision
        # Of several that are equally good, one is as good as their share.
        outcomes = np.where(ties == 1, 2.0 * right - 1.0, 0.0)
        signs = np.where(ties == 1, 1.0, 0.0)
        unlikely = None
        if self.chances is not None:
            unlikely = np.where(ties == 1, 1.0 - menus.sums(self.chances * best), 0.5)
        return Predictions(rows, counts, outcomes, zeros, signs, unlikely)

    def calibration(self, bins: int) -> Calibration:
        """How often the most likely action was chosen, beside how often the rule says."""
        if self.likelihood is None:
            refuse_calibration()
        best = self.compared.best()
        menus = self.compared.menus

        def spread(columns: FloatArray) -> FloatArray:
            return np.asarray(np.repeat(columns, menus.sizes, axis=0) * best[:, None])

        found = calibration_of(self.predictions, bins, self.likelihood, spread)
        return replace(found, from_menus=bool((menus.sizes > 2).any()))

    def surprises(self, count: int) -> Surprises:
        """The choices that the rule least expected."""
        return surprising_menus(
            self.decided, self._single, self.compared, self.chances, self.rule,
            self.stakeholders, count, self._outside, self._gamma,
        )  # fmt: skip

    def residuals(self) -> NoReturn:
        """Refuse: choices have none."""
        raise InputError(
            "residuals are those of scores; found choices, which have none. calibration() "
            "shows how often the rule is right, surprises() where it is wrong."
        )

    def misfit(self) -> Misfit:
        """Checks against alternatives to the family of rules."""
        if self.likelihood is None:
            return NO_MISFIT
        return misfit_of(self.likelihood, self._alternatives)

    def _alternatives(self, likelihood: Likelihood, terms: Terms) -> list[Check]:
        """Terms of other families, the place of an action in its menu, and slips."""
        menus, words = self.compared.menus, CheckWords.of(likelihood.loss)
        first = np.zeros(len(menus.rows))
        first[menus.starts[:-1]] = 1.0
        shares = np.maximum(
            self.compared.shares() * menus.spread(menus.sizes.astype(float)), 1e-300
        )
        slips = np.minimum(1.0 / shares, _MOST_SURPRISING)

        def columns(part: slice) -> FloatArray:
            return np.column_stack([first[part], slips[part]])

        slopes = slopes_of(likelihood, terms.rows, columns)
        e = len(terms.rows)
        found = [checked(name, slopes, chosen, words) for name, chosen in terms.named.items()]
        always = float((menus.taken * first).sum())
        if always in (0.0, float(menus.taken.sum())):
            which = "first listed" if always else "never the first listed"
            position = inapplicable("position", f"the chosen action is always {which}", words)
        else:
            position = checked("position", slopes, slice(e, e + 1), words)
        return [*found, position, *slips_check(likelihood, slopes, e + 1, words)]
