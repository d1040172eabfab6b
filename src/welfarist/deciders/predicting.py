"""What people are likely to decide: an average over the rules that they may follow.

A prediction is never that of the most likely rule alone, which would be too sure of itself.
"""

from __future__ import annotations

from copy import copy
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
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.power_mean.mean import log_power_mean
from welfarist.learners.chooser import Chooser
from welfarist.losses import DecisionLoss
from welfarist.losses.observed_menus import ObservedMenus
from welfarist.noise.certain import log_chances
from welfarist.noise.margins import differences
from welfarist.people.source import is_source

# A rule that is less likely than this for everybody changes no digit of a prediction.
_NEGLIGIBLE = 1e-10
# Rules whose chances are worked out at a time, and people times questions that are held at most.
_BLOCK, _MOST_HELD = 256, 8_000_000


class _Questions(Protocol):
    """Questions that a rule has an answer to.

    Attributes
    ----------
    decision : (E,) array of int
        Which decision each possible answer belongs to.
    distinct : (E,) array of int
        Which of the distinct answers (V,) it is: the same question may be put to many.
    """

    decision: npt.NDArray[np.intp]
    distinct: npt.NDArray[np.intp]

    def chances(self, rules: Rules) -> FloatArray:
        """How likely each distinct answer is under each of the rules (S, V)."""
        ...


class _Pairs:
    """How likely either action of each pair is preferred, all second actions before all first ones.

    Each chance for itself: one less the other would lose the digits of a small one.
    """

    def __init__(self, panel: Panel, asked: Comparisons) -> None:
        self._loss: DecisionLoss = panel.loss
        self._shift = panel.setup.shift
        self.decision = np.tile(np.arange(len(asked)), 2)
        self._asked, pair = _once_each(asked)
        self.distinct = np.concatenate([pair, pair + len(self._asked.pairs)])

    def chances(self, rules: Rules) -> FloatArray:
        observed: Any = self._loss.observed
        first, second = self._asked.pairs.T
        values = self._values(rules)
        z = differences(values[:, first], values[:, second]) * rules.taus[:, None]
        if rules.noise.shape[1] == 1:  # nothing but tau: all rules err alike
            logs = log_chances(observed.noise, z.reshape(-1), np.empty(0))
            return np.exp(np.hstack([each.reshape(z.shape) for each in reversed(logs)]))
        pairs = zip(z, rules.noise[:, 1:], strict=True)
        both = [log_chances(observed.noise, row, own) for row, own in pairs]
        return np.exp([np.concatenate([second, first]) for first, second in both])

    def _values(self, rules: Rules) -> FloatArray:
        """What each of the rules makes of the actions (S, N)."""
        utilities = self._asked.utilities
        if self._loss.family == POWER_MEAN and not is_source(utilities):
            table, powers = utilities[None] + self._shift, rules.powers[:, None]
            return np.asarray(log_power_mean(table, powers, rules.weights[:, None, :]))
        each = [_rule(self._loss, rules, s, self._shift) for s in range(len(rules))]
        return np.array([rule.value(seen_at(self._asked, rule.p).utilities) for rule in each])


class _Menus:
    """How likely each action of the menu is chosen from which a decision first took the best."""

    def __init__(self, panel: Panel, asked: Choices) -> None:
        self._loss, self._shift, self._asked = panel.loss, panel.setup.shift, asked
        self.menus = asked.first_menus()
        self.decision = np.repeat(np.arange(len(asked)), self.menus.sizes)
        self.distinct = np.arange(len(self.decision))

    def chances(self, rules: Rules) -> FloatArray:
        return np.array([self._under(rules, s) for s in range(len(rules))])

    def _under(self, rules: Rules, s: int) -> FloatArray:
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
    asked, place = np.unique(row, return_inverse=True)
    table = beliefs.table[asked]
    wanted = np.flatnonzero(table.max(axis=0) > _NEGLIGIBLE)
    table = table[:, wanted] / table[:, wanted].sum(axis=1, keepdims=True)
    together = len(asked) * (int(questions.distinct.max(initial=0)) + 1) <= _MOST_HELD
    found: Any = 0.0
    for start in range(0, len(wanted), _BLOCK):
        part = slice(start, start + _BLOCK)
        under = questions.chances(beliefs.rules.take(wanted[part]))
        if together:
            found = found + table[:, part] @ under
            continue
        for chance, answer in zip(table[:, part].T, under, strict=True):
            found = found + chance[place] * answer[questions.distinct]
    return np.asarray(found[place, questions.distinct] if together else found)


def _once_each(asked: Comparisons) -> tuple[Comparisons, npt.NDArray[np.intp]]:
    """The comparisons that differ, of actions that differ, and which of them each (n,) is."""
    if is_source(asked.utilities):
        return asked, np.arange(len(asked))
    table, number = np.unique(asked.utilities, axis=0, return_inverse=True)
    pairs, distinct = np.unique(number.reshape(-1)[asked.pairs], axis=0, return_inverse=True)
    made = copy(asked)
    made.utilities, made.pairs = table, pairs
    return made, distinct.reshape(-1)


def predicted(panel: Panel, beliefs: Beliefs, decisions: Any) -> Any:
    """Return chances as the learner's own ``predict_proba`` has them.

    (n, 2) for comparisons, with the second action first, as classes are in their own order; a list
    of n arrays for choices.
    """
    questions, by = questions_of(panel, decisions)
    found = average_chances(beliefs, questions, by, len(decisions))
    if isinstance(questions, _Menus):
        return np.split(found, questions.menus.starts[1:-1])
    return np.ascontiguousarray(found.reshape(2, -1).T)
