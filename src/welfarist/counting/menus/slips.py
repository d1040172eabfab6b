"""Choices that are slips: how often they happen, and what errors would be left without them.

With probability 2 rho a choice from K actions is made by chance, so that the best is chosen with
probability 1 - 2 rho + 2 rho / K. A rule that errs in a share l of menus without slips errs with
them in ``2 rho (K - 1) / K + (1 - 2 rho) l``: for K = 2 the flips of comparisons. As this rises
with l, **the rule with the fewest errors is the same for every rho**.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.counting.flips import Flags, HeldOutErrors, Judged, held_out_errors, share_of_errors
from welfarist.counting.menus.errors import MenuErrors
from welfarist.decisions import Choices
from welfarist.decisions.menus import Menus
from welfarist.families.rule import WelfareFunction
from welfarist.people.weighting import Weighting


def exposure(choices: Choices) -> float:
    """How many errors a slip rate of one would make on average: 1 in menus of two, at most 2."""
    menus = _told(choices)
    return float(menus.count @ _chances(menus)) / menus.total


def rho_of_choices(choices: Choices, rule: WelfareFunction) -> float:
    """Return the slip rate that explains the errors of a rule, at most 0.49.

    Choices that several actions share are no evidence of slips and are left out; where there is
    nothing else it is 0. The fitted rule explains some slips away.
    """
    return share_of_errors(_judged(choices, rule))


def rho_by_held_out_choices(
    choices: Choices,
    fit: Callable[[Choices], WelfareFunction],
    *,
    folds: int = 5,
    rng: np.random.Generator,
) -> HeldOutErrors:
    """Return the slip rate that explains the errors in decisions that were held out.

    All decisions that begin with the same menu are held out together.
    """
    real = np.unique(choices.decision[choices.menus.sizes > 1])
    choices = choices[real[choices.counts[real] > 0]]
    first = np.unique(choices.decision, return_index=True)[1]
    menu = choices.merged[1][first]

    def judge(learned: Flags, held_out: Flags) -> Judged:
        part = choices[held_out]
        if not len(_untied(part)):
            return Judged(0.0, 0.0, 0.0)
        return _judged(part, fit(choices[learned]))

    return held_out_errors(menu, "menus", judge, folds, rng)


def _judged(choices: Choices, rule: WelfareFunction) -> Judged:
    """Errors of a rule in choices of one action each, and how many slips would explain."""
    menus = _untied(choices)
    if not len(menus):
        return Judged(0.0, 0.0, 0.0)
    people = choices.people
    weights = np.full(people, 1.0 / people) if rule.weights is None else rule.weights
    weighting = Weighting(people, fixed=weights)
    loss = MenuErrors.of_menus(choices.utilities, menus, weighting)
    errors = loss.value(weights, rule.p) * menus.total
    return Judged(errors, menus.total, float(menus.count @ _chances(menus)))


def _told(choices: Choices) -> Menus:
    """The menus that count, each choice by itself."""
    menus = choices.menus.times(choices.counts[choices.decision])
    return menus.take((menus.sizes > 1) & (menus.count > 0))


def _untied(choices: Choices) -> Menus:
    """Those of which one action was chosen."""
    menus = _told(choices)
    return menus.take(menus.largest(menus.taken) == menus.count)


def _chances(menus: Menus) -> FloatArray:
    """How likely an error is (m,) of two choices that are made by chance."""
    return np.asarray(2.0 * (1.0 - 1.0 / menus.sizes))
