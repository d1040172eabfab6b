"""The families that are compared: each with a learner that shares the options of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.comparing.chances import losses_of
from welfarist.comparing.choquet import Interactions, interactions_in, summing, wide_decisions
from welfarist.comparing.held_out import fitted_to, learn
from welfarist.decisions import Scores
from welfarist.families.base import Family
from welfarist.families.differences.family import MARGIN
from welfarist.families.known import FAMILIES, family_of
from welfarist.families.nested.family import NestedFamily
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rank_dependent.family import RANK_DEPENDENT
from welfarist.learners import WelfareLearner
from welfarist.results.record import FitResult

# A rank dependent mean is compared with weights of places alone, and under this name with p.
RANK_POWER = "rank power"
# Power means whose noise acts on differences in welfare, and 2-additive Choquet integrals.
CHOQUET = "choquet"
DEFAULT = ("power", "kolm", "rank")
NAMES = (*FAMILIES, RANK_POWER, MARGIN, CHOQUET)


@dataclass(frozen=True)
class Contender:
    """A family that is compared, or why it has nothing to say.

    Attributes
    ----------
    name : str
    learner : WelfareLearner
        Of its rules, with the options of another.
    refusal : str
        Why it cannot be learned with these options; empty if it can.
    """

    name: str
    learner: WelfareLearner
    refusal: str = ""

    def fitted(self, data: Any) -> FitResult | Interactions:
        """Return the fit to decisions, if there is a likelihood."""
        if self.refusal:
            raise InputError(self.refusal)
        if self.name == CHOQUET:
            return interactions_in(self.learner, data)
        found: FitResult = learn(self.learner, data).result_
        _ = found.bic
        return found

    def held_out(self, rest: Any, part: Any) -> FloatArray:
        """Return the loss (n,) of decisions by a rule that was fitted to the rest.

        Infinite where the rule has nothing to say of them.
        """
        learner = self.learner
        if self.name == CHOQUET:
            learner, rest, part = summing(learner), wide_decisions(rest), wide_decisions(part)
        fitted = fitted_to(learner, rest)
        try:
            if isinstance(part, Scores):
                return np.asarray(np.square(part.values - fitted.predict(part.utilities)))
            return losses_of(fitted.predict_proba(part), part)
        except InputError:  # utilities below the zero of such a rule, for example
            return np.full(len(part), np.inf)


def contenders(families: Any, learner: WelfareLearner) -> tuple[Contender, ...]:
    """Return those that are asked for: "all", or names and families."""
    if families in ("all", True):
        own = family_of(learner.family)
        grouped = learner.groups is not None or isinstance(own, NestedFamily)
        families = [*DEFAULT, *(["nested"] if grouped else [])]
    if isinstance(families, str) or not isinstance(families, Sequence) or not len(families):
        known = ", ".join(f'"{name}"' for name in NAMES)
        raise InputError(
            f'families must be "all" or a list of {known} and families of your own; found '
            f"{families!r}."
        )
    found = tuple(_contender(one, learner) for one in families)
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"families must be different ones; found {name!r} twice.")
    return found


def _contender(family: Any, learner: WelfareLearner) -> Contender:
    """A family with a learner of its rules."""
    given = learner.get_params()
    if family == CHOQUET:
        return Contender(CHOQUET, clone(learner).set_params(groups=None))
    if family == MARGIN:
        return _on_differences(learner, given)
    wanted = "rank" if family == RANK_POWER else family
    found = family_of(wanted)
    held: dict[str, Any] = {"family": wanted, "p": None, "groups": None}
    if found == RANK_DEPENDENT and family != RANK_POWER:
        held["p"] = 1.0
    own = family_of(given["family"])
    if type(own) is type(found):
        held["family"] = given["family"]
    if "margin" in given:
        held["margin"] = "auto"
    if isinstance(found, NestedFamily) and found.groups is None:
        nests = own.groups if isinstance(own, NestedFamily) else None
        held["groups"] = nests if given["groups"] is None else given["groups"]
    name = family if isinstance(family, str) else found.label
    return Contender(name, clone(learner).set_params(**held), _refusal(found, given))


def _on_differences(learner: WelfareLearner, given: dict[str, Any]) -> Contender:
    """Power means whose noise acts on differences in welfare; scores have no such noise."""
    if "margin" not in given:
        refusal = "scores err on their own scale, whatever the family."
        return Contender(MARGIN, learner, refusal)
    held = {"family": POWER_MEAN.name, "p": None, "groups": None, "margin": MARGIN}
    return Contender(MARGIN, clone(learner).set_params(**held))


def _refusal(family: Family, given: dict[str, Any]) -> str:
    """Why a family cannot be learned with the weights that were given; empty if it can."""
    if family.by_place and not isinstance(given["weights"], str):
        return "weights of places are learned or equal; found weights of people."
    return ""
