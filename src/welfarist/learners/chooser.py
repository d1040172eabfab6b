"""A rule with its noise, choosing from menus that it was not learned from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.counting.menus.best import best_entries
from welfarist.decisions import Choices
from welfarist.decisions.at_power import seen_at
from welfarist.decisions.menus import Menus
from welfarist.decisions.same_people import about
from welfarist.families.base import Family
from welfarist.noise.menus import Softmax
from welfarist.people.estimated.drawing import averaged
from welfarist.people.present_rule import PresentRule
from welfarist.people.source import has_errors

# The smallest chance whose logarithm is taken.
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Chooser:
    """Somebody who chooses from menus.

    Attributes
    ----------
    rule : WelfareFunction or FamilyRule
        Without names of people, whose columns are in its order.
    family : Family
    taus : (s,) array
        The temperature of each choice of a ranking, one where they share it; infinite where the
        best is always chosen.
    gamma : float
        The size effect.
    outside : float or None
        The welfare of none of these, if it is known.
    """

    rule: Any
    family: Family
    taus: FloatArray
    gamma: float = 0.0
    outside: float | None = None

    def compare(self, choices: Choices, menus: Menus) -> Softmax:
        """Return how the actions of menus compare, which are some of those of the choices."""
        value = self._expected(choices)
        choices = seen_at(choices, self.rule.p)
        if np.isinf(self.taus[0]):  # the best action, however small the difference
            best = best_entries(menus, choices.utilities, value, self.rule)
            return Softmax.of(menus, np.where(best, 0.0, -np.inf), True)
        place = np.minimum(menus.stage, len(self.taus) - 1)
        z = value[menus.rows] * menus.spread(menus.sign * self.taus[place])
        return Softmax.of(menus, z, True)

    def chances(self, choices: Choices, menus: Menus, rho: float) -> FloatArray:
        """Return how likely each entry of menus (E,) is chosen: a mean over utilities' errors."""
        if not has_errors(choices.utilities):
            return self.compare(choices, menus).chances(rho)
        names = choices.stakeholders
        return averaged(
            choices.utilities,
            lambda table: self.compare(about(choices, table, names), menus).chances(rho),
        )

    def loss(self, choices: Choices, menus: Menus, rho: float) -> float:
        """Return minus the log likelihood of what was chosen from menus."""
        if not has_errors(choices.utilities):
            return self.compare(choices, menus).loss(rho)
        chances = np.maximum(self.chances(choices, menus, rho), _TINY)
        return -float(menus.taken @ np.log(chances))

    def _expected(self, choices: Choices) -> FloatArray:
        """What the rule makes of the actions (N,): the mean, where utilities have errors."""
        if not has_errors(choices.utilities):
            return self._values(seen_at(choices, self.rule.p))
        names = choices.stakeholders
        return averaged(choices.utilities, lambda table: self._values(about(choices, table, names)))

    def _values(self, choices: Choices) -> FloatArray:
        """What the rule makes of the actions (N,), and of none of these where that is offered."""
        utilities = choices.utilities
        absent = np.isnan(utilities)
        rule = PresentRule(self.rule) if absent.any() else self.rule
        value = np.asarray(rule.value(utilities))
        if self.gamma:
            value = value + self.gamma * np.log((~absent).sum(axis=1))
        if not choices.outside:
            return value
        if self.outside is None:
            raise InputError(
                "none of these can be chosen only where the rule was learned from such "
                "choices; found a fit to others. Fit with Choices(…, outside=True)."
            )
        level = self.family.level
        return np.append(value, np.log(self.outside) if level.is_ratio else self.outside)
