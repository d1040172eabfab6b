"""What people are likely to decide: an average over the rules that they may follow.

A prediction is never that of the most likely rule alone, which would be too sure of itself.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.deciders.beliefs import Beliefs, Rules
from welfarist.deciders.panel import Panel
from welfarist.decisions import Choices, Comparisons
from welfarist.decisions.at_power import seen_at
from welfarist.decisions.same_people import in_order_of
from welfarist.learners.chooser import Chooser
from welfarist.losses import DecisionLoss
from welfarist.losses.observed_menus import ObservedMenus
from welfarist.noise.certain import log_chances
from welfarist.noise.margins import differences

# A rule that is less likely than this for everybody changes no digit of a prediction.
_NEGLIGIBLE = 1e-10


class _Questions(Protocol):
    """Questions that a rule has an answer to."""

    decision: npt.NDArray[np.intp]

    def chances(self, rules: Rules, s: int) -> FloatArray:
        """How likely each possible answer (E,) is under one of the rules."""
        ...


class _Pairs:
    """How likely the first action of each pair is preferred."""

    def __init__(self, panel: Panel, asked: Comparisons) -> None:
        self._loss: DecisionLoss = panel.loss
        self._shift = panel.setup.shift
        self._asked = asked
        self.decision = np.arange(len(asked))

    def chances(self, rules: Rules, s: int) -> FloatArray:
        rule = _rule(self._loss, rules, s, self._shift)
        seen = seen_at(self._asked, rule.p)
        value = np.asarray(rule.value(seen.utilities))
        first, second = seen.pairs.T
        own = rules.noise[s]
        z = differences(value[first], value[second]) * np.exp(own[0])
        observed: Any = self._loss.observed
        return np.exp(log_chances(observed.noise, z, own[1:])[0])


class _Menus:
    """How likely each action of the menu is chosen from which a decision first took the best."""

    def __init__(self, panel: Panel, asked: Choices) -> None:
        self._loss, self._shift, self._asked = panel.loss, panel.setup.shift, asked
        self.menus = asked.first_menus()
        self.decision = np.repeat(np.arange(len(asked)), self.menus.sizes)

    def chances(self, rules: Rules, s: int) -> FloatArray:
        observed = self._loss.observed
        assert isinstance(observed, ObservedMenus)
        pairs = zip(observed.parameters, rules.noise[s].tolist(), strict=True)
        extras = {one.name: one.coordinate.back(x) for one, x in pairs}
        names = [one.name for one in observed.parameters]
        taus = np.array([extras[names[place]] for place in observed.extras.taus])
        rule = _rule(self._loss, rules, s, self._shift)
        outside = extras.get("outside")
        chooser = Chooser(rule, self._loss.family, taus, extras.get("gamma", 0.0), outside)
        return chooser.compare(self._asked, self.menus).chances(extras.get("rho", 0.0))


def _rule(loss: DecisionLoss, rules: Rules, s: int, shift: float) -> Any:
    rule = loss.family.rule(float(rules.powers[s]), rules.weights[s])
    return rule.shifted(shift) if shift else rule


def questions_of(panel: Panel, decisions: Any) -> tuple[_Questions, Any]:
    """Return decisions as questions, whatever was decided, and who is asked."""
    if isinstance(panel.decided, Choices) and isinstance(decisions, Comparisons):
        decisions = Choices.of_comparisons(decisions)
    wanted = type(panel.decided)
    if not isinstance(decisions, wanted):
        raise InputError(
            f"what is predicted must be {wanted.__name__}, as what was fitted; found "
            f"{type(decisions).__name__}."
        )
    asked = in_order_of(decisions, panel.setup.names)
    if asked.people != panel.decided.people:
        raise InputError(
            f"decisions must be about the {panel.decided.people} people of the fit; found "
            f"{asked.people}."
        )
    found: _Questions = _Menus(panel, asked) if isinstance(asked, Choices) else _Pairs(panel, asked)
    return found, asked.by


def average_chances(beliefs: Beliefs, questions: _Questions, by: Any, size: int) -> FloatArray:
    """Return how likely each possible answer (E,) is, for whoever is asked."""
    row = beliefs.rows_of(by, size)[questions.decision]
    table = beliefs.table
    found = np.zeros(len(row))
    wanted = table[np.unique(row)].max(axis=0) > _NEGLIGIBLE
    for s in np.flatnonzero(wanted).tolist():
        found += table[row, s] * questions.chances(beliefs.rules, s)
    return np.asarray(found / table[:, wanted].sum(axis=1)[row])


def predicted(panel: Panel, beliefs: Beliefs, decisions: Any) -> Any:
    """Return chances as the learner's own ``predict_proba`` has them.

    (n, 2) for comparisons, with the second action first, as classes are in their own order; a list
    of n arrays for choices.
    """
    questions, by = questions_of(panel, decisions)
    found = average_chances(beliefs, questions, by, len(decisions))
    if isinstance(questions, _Menus):
        return np.split(found, questions.menus.starts[1:-1])
    return np.column_stack([1.0 - found, found])
