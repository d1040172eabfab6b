"""The rule that is applied to actions: a saved model, or a doctrine with weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.app.decisions import TableOptions, actions_in, refuse_for_sketch
from welfarist.app.people import weights_of
from welfarist.app.texts import listed as listed_texts
from welfarist.app.texts import power_of_text
from welfarist.app.totals import totals_in
from welfarist.app.usage import UsageError
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.deciders.saved import DecidersModel
from welfarist.deciders.saving import load_model
from welfarist.families.power_mean.doctrines import DOCTRINES
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rule import WelfareFunction
from welfarist.files import (
    Actions,
    holds_people,
    is_sketch,
    read_actions,
    read_people,
    read_sketch,
)
from welfarist.files.cells import listed
from welfarist.people.estimated.drawing import averaged
from welfarist.people.present_rule import PresentRule
from welfarist.people.source import has_errors, heads_of, is_source, table_at
from welfarist.results.saved_models import Model

# Digits of log welfare that rounding leaves alone.
_SURE_DIGITS = 12


@dataclass(frozen=True)
class RuleRequest:
    """Which rule is to be applied to which actions.

    Attributes
    ----------
    actions : str
        The file of the actions.
    table : TableOptions
    model : str or None
        The file of a saved model.
    doctrine, p : str or None
        A rule in place of a model.
    weights : str or None
        Its weights; None is equal ones.
    shift : float or None
        What it adds to every utility; None is nothing, or what a model adds.
    """

    actions: str
    table: TableOptions = field(default_factory=TableOptions)
    model: str | None = None
    doctrine: str | None = None
    p: str | None = None
    weights: str | None = None
    shift: float | None = None


@dataclass(frozen=True)
class Rule:
    """A rule and the actions it is applied to.

    Attributes
    ----------
    model : Model
        Its kind is "scores" for a doctrine, which has no noise.
    name : str
        What a table calls it.
    actions : Actions
        Their columns are in the order of the rule's stakeholders.
    notes : tuple of str
    """

    model: Model
    name: str
    actions: Actions
    notes: tuple[str, ...]

    @property
    def judge(self) -> Any:
        """What judges actions: the rule, among those whom an action affects."""
        welfare = self.model.welfare
        return PresentRule(welfare) if self.model.absent else welfare

    @property
    def by_group(self) -> bool:
        """Whether stakeholders are groups of people, who are in a sketch."""
        return is_source(self.actions.utilities) and not has_errors(self.actions.utilities)

    def utilities(self, rows: Any) -> FloatArray:
        """What some actions give to everybody (n, d); to groups, their mean by this rule."""
        chosen = self.actions.utilities[rows]
        if not is_source(chosen):
            return np.asarray(chosen)
        groups = chosen.stakeholders or ()
        place = [groups.index(name) for name in self.actions.stakeholders]
        return np.asarray(table_at(chosen, self.model.welfare.p)[:, place])

    def order(self) -> npt.NDArray[np.intp]:
        """The rows of the actions, best first; ties keep their order."""
        if not self.model.absent:
            return np.asarray(self.model.welfare.rank(self.actions.utilities))
        return np.argsort(-self._worth(slice(None)), kind="stable")

    def compare(self, first: Any, second: Any) -> npt.NDArray[np.integer[Any]]:
        """Which of two lists of actions (n,) is better: +1, -1, and 0 for a tie."""
        if not self.model.absent:
            rows = (self.actions.utilities[rows] for rows in (first, second))
            return np.asarray(self.model.welfare.compare(*rows))
        one, other = self._worth(first), self._worth(second)
        return (one > other).astype(np.intp) - (one < other)

    def _worth(self, rows: Any) -> FloatArray:
        """What some actions are worth (n,), without the digits that rounding may have moved."""
        return np.asarray(np.round(self.model.worth(self.actions.utilities[rows]), _SURE_DIGITS))

    def affected(self, rows: Any) -> npt.NDArray[np.intp] | None:
        """How many people each of some actions affects (n,); None where that counts for nothing."""
        if not self.model.gamma:
            return None
        return np.asarray((~np.isnan(self.actions.utilities[rows])).sum(axis=1))

    def sized(self, rows: Any) -> FloatArray:
        """What some actions are worth with their sizes (n,): what decides, in units of welfare."""
        with np.errstate(over="ignore"):  # what is beyond all numbers is infinite
            return np.asarray(np.exp(self.model.worth(self.actions.utilities[rows])))

    def better_than_none(self, rows: Any) -> npt.NDArray[np.bool_] | None:
        """Which of some actions (n,) are better than none of these; None if that was no choice."""
        if self.model.outside is None:
            return None
        with np.errstate(divide="ignore"):
            level = np.round(np.log(self.model.outside), _SURE_DIGITS)
        return np.asarray(self._worth(rows) > level)

    def probabilities(self, first: Any, second: Any) -> list[float | None]:
        """How likely each first action is preferred to its second; None without a noise model."""
        if self.model.kind == "scores":
            return [None] * len(first)
        utilities = self.actions.utilities
        if has_errors(utilities):  # the same action's errors are the same on either side
            found = averaged(
                utilities, lambda table: self.model.probabilities(table[first], table[second])
            )
        else:
            found = self.model.probabilities(utilities[first], utilities[second])
        return list(found.tolist())

    def shares(self, rows: Any) -> FloatArray:
        """Everybody's share in the welfare of some actions (n, d); NaN where it means nothing."""
        welfare, utilities = self.judge, self.actions.utilities[rows]
        shares = np.array(welfare.shares(utilities))
        shares[without_shares(welfare, utilities)] = np.nan
        return shares

    def by_person(self, shares: list[float]) -> dict[str, float | None]:
        """Shares in one action (d,) by name; None where there are none."""
        people = self.actions.stakeholders
        there = not shares or shares[0] == shares[0]
        return dict(zip(people, shares, strict=True)) if there else dict.fromkeys(people)


def terms_of(rule: Rule) -> dict[str, Any]:
    """What a program reads of what decides beside welfare; nothing where that is all."""
    found = {"gamma": rule.model.gamma, "outside": rule.model.outside}
    family = getattr(rule.model.welfare, "family", None)
    found |= {"family": None if family is None else family.name}
    return {name: value for name, value in found.items() if value is not None}


def about_sizes(gamma: float, what: str) -> str:
    """Say what decides where how many people an action affects counts for itself."""
    return (
        f"{what} welfare times the number of people affected to the power {gamma:.4g}, as was "
        "learned"
    )


def percentage(share: float | None) -> str:
    """A share as tables show it."""
    return "" if share is None else f"{share:.0%}"


def without_shares(welfare: Any, utilities: FloatArray) -> npt.NDArray[np.bool_]:
    """Which actions (n, d) are a product with a 0, of which nobody has a share (n,)."""
    if welfare.p != 0:  # others give all of it to those at 0, or have welfare above 0
        return np.zeros(len(utilities), dtype=bool)
    return np.asarray(np.isneginf(welfare.value(utilities)))


def _without_shares(
    welfare: WelfareFunction, actions: Actions, advice: str = ""
) -> tuple[str, ...]:
    """Say that shares are left blank, if some are."""
    judge = PresentRule(welfare) if actions.absent else welfare
    count = int(without_shares(judge, actions.utilities).sum())
    if not count:
        return ()
    return (
        f"{actions.file}: {count} of {len(actions)} actions give somebody 0, so that their welfare "
        f"is 0 by this rule whatever the others have; their shares are left blank.{advice}",
    )


def model_of(asked: RuleRequest) -> Model | DecidersModel | None:
    """The saved model that is asked for, of one rule or of several; None for a doctrine."""
    if sum(given is not None for given in (asked.model, asked.doctrine, asked.p)) != 1:
        raise UsageError("give a rule: one of {model}, {doctrine} and {p}.")
    asked.table.check([asked.actions])
    if asked.model is None:
        return None
    _refuse_beside_model(asked)
    loaded: Model | DecidersModel = load_model(asked.model)
    if asked.table.absent and not loaded.absent:
        raise UsageError(
            "{absent} goes with models that were learned so; found {found}, which was learned "
            "from actions that affect everybody. Leave it out.",
            found=asked.model,
        )
    return loaded


def rule_of(asked: RuleRequest, loaded: Model | None = None) -> Rule:
    """Read the actions and the rule that judges them; `loaded` is its model, if that is read."""
    found = model_of(asked) if loaded is None else loaded
    if isinstance(found, DecidersModel):
        raise InputError(
            f"{asked.model}: a model of one rule is needed here; found one of several decision "
            "makers."
        )
    if asked.model is not None and found is not None:
        return _saved(asked, asked.model, found)
    named = asked.doctrine if asked.doctrine is not None else asked.p
    assert named is not None
    shift = 0.0 if asked.shift is None else asked.shift
    if is_sketch(asked.actions) or holds_people(asked.actions):
        refuse_for_sketch(asked.table, shift)
    actions = actions_in(asked.actions, asked.table, -shift, may_be_absent=True)
    people, heads = actions.stakeholders, heads_of(actions.utilities)
    told = asked.weights or ("equal" if heads is None else "population")
    known = weights_of(told, people, asked.table.encoding, heads)
    shares = None if known == "equal" else [known[person] for person in people]
    rule = WelfareFunction(power_of_text(named), shares, list(people), shift)
    absent = asked.table.absent
    made = Model(rule, "scores", None, None, None, decisions=0.0, loss=0.0, absent=absent)
    advice = " To tell them apart add a constant to every utility (such as shift=1)."
    odd = (*totals_in(actions), *_without_shares(rule, actions, advice))
    notes = (*actions.notes, *_about_errors(actions), *odd)
    return Rule(made, _named(rule), actions, notes)


def _refuse_beside_model(asked: RuleRequest) -> None:
    """Refuse what a saved model says itself."""
    if asked.weights is not None:
        raise UsageError("{weights} go with {doctrine} or {p}: a model has its own.")
    if asked.shift is not None:
        raise UsageError("{shift} goes with {doctrine} or {p}: a model has its own.")
    if asked.table.stakeholders is not None:
        raise UsageError(
            "{stakeholders} goes with {doctrine} or {p}: a model says which columns it uses."
        )


def actions_for(
    asked: RuleRequest, people: Sequence[str], least: float, absent: bool
) -> tuple[Actions, tuple[str, ...]]:
    """The actions, with the columns that a model knows by name, and what was guessed of them."""
    needed = [name for name in listed_texts(asked.table.ignore) or [] if name in set(people)]
    if needed:
        raise UsageError(
            "{ignore} must not name a stakeholder of the model; found {found}. Leave it out.",
            found=listed(needed),
        )
    # Whatever else the file has is left out anyway.
    options = {**asked.table.actions(), "stakeholders": list(people), "ignore": ()}
    # Others have not learned what somebody's absence means.
    actions = read_actions(asked.actions, least=least, may_be_absent=absent, **options)
    return actions, (*actions.notes, *_left_out(asked.table, actions), *totals_in(actions))


def _saved(asked: RuleRequest, model: str, loaded: Model) -> Rule:
    """The rule of a saved model, applied to the columns that it knows by name."""
    rule = loaded.welfare
    assert rule.stakeholders is not None
    if is_sketch(asked.actions):
        refuse_for_sketch(asked.table, None)
        return _saved_on_sketch(asked, model, loaded)
    if holds_people(asked.actions):
        refuse_for_sketch(asked.table, None)
        return _saved_on_people(asked, model, loaded)
    family = getattr(rule, "family", POWER_MEAN)
    if family.by_place:
        actions = _for_places(asked, model, rule)
        return _rule_of_model(loaded, model, actions, (*actions.notes, *totals_in(actions)))
    least = family.least - rule.shift
    actions, notes = actions_for(asked, rule.stakeholders, least, loaded.absent)
    return _rule_of_model(loaded, model, actions, (*notes, *_without_shares(rule, actions)))


def _for_places(asked: RuleRequest, model: str, rule: Any) -> Actions:
    """The actions for a rule whose weights belong to places: whoever is in them, as many."""
    actions = read_actions(asked.actions, least=rule.family.least - rule.shift,
                           **asked.table.actions())  # fmt: skip
    places, people = len(rule.weights), len(actions.stakeholders)
    if people != places:
        raise InputError(
            f"{asked.actions}: there must be {places} people, as many as {model} has places; found "
            f"{people}: {listed(actions.stakeholders)}."
        )
    return actions


def _saved_on_sketch(asked: RuleRequest, model: str, loaded: Model) -> Rule:
    """The rule of a saved model, applied to the groups of a sketch, which must be its own."""
    rule, actions = loaded.welfare, read_sketch(asked.actions)
    assert rule.stakeholders is not None
    if loaded.absent or rule.shift:
        what = "people who are absent" if loaded.absent else "a constant added to every utility"
        raise InputError(
            f"{model}: a rule for a sketch must take people as they are; found one with {what}. "
            "Learn one from decisions about the sketch."
        )
    there, known = set(actions.stakeholders), set(rule.stakeholders)
    for odd, whose in (
        (known - there, "in the model alone"),
        (there - known, "in the sketch alone"),
    ):
        if odd:
            raise InputError(
                f"{asked.actions}: the groups must be those of {model}; found "
                f"{listed(sorted(odd))} {whose}. Sketch the people by the groups of the model."
            )
    actions = replace(actions, stakeholders=tuple(rule.stakeholders))
    return _rule_of_model(loaded, model, actions, _without_shares(rule, actions))


def _saved_on_people(asked: RuleRequest, model: str, loaded: Model) -> Rule:
    """The rule of a saved model, applied to people whose utilities are estimates."""
    rule, actions = loaded.welfare, read_people(asked.actions)
    assert rule.stakeholders is not None
    if rule.shift:
        raise InputError(
            f"{model}: a rule for utilities with errors must take them as they are; found one "
            "with a constant added to every utility. Learn one without."
        )
    known, there = set(rule.stakeholders), set(actions.stakeholders)
    for odd, where in ((known - there, f"in {model} alone"), (there - known, "in it alone")):
        if odd:
            raise InputError(
                f"{asked.actions}: its people must be those of {model}; found "
                f"{listed(sorted(odd))} {where}. Learn the utilities of the same people."
            )
    utilities = actions.utilities
    if has_errors(utilities):
        utilities = utilities.in_order(rule.stakeholders)
    else:
        place = [actions.stakeholders.index(name) for name in rule.stakeholders]
        utilities = utilities[:, place]
    actions = replace(actions, utilities=utilities, stakeholders=tuple(rule.stakeholders))
    return _rule_of_model(loaded, model, actions, (*actions.notes, *_about_errors(actions)))


def _about_errors(actions: Actions) -> tuple[str, ...]:
    """Say that welfare is that of a best guess, where utilities have errors."""
    if not has_errors(actions.utilities):
        return ()
    note = actions.utilities.note
    errors = float(np.sqrt(np.square(actions.utilities.errors).mean()))
    return (
        *((f"{actions.file}: {note[0].lower()}{note[1:]}",) if note else ()),
        f"{actions.file}: utilities are estimates, with errors of about {errors:.2g} in "
        "logarithms. Welfare is that of the best guess; welfarist recommend says how sure the "
        "order is.",
    )


def _rule_of_model(loaded: Model, model: str, actions: Actions, notes: tuple[str, ...]) -> Rule:
    rule = loaded.welfare
    if not loaded.converged:
        notes += (f"{model}: it was learned by a search that did not end well. Fit it again.",)
    family = getattr(rule, "family", POWER_MEAN)
    named = "" if family == POWER_MEAN else f"{family.noun}, "
    said = f"{model}, {named}{family.shape.name} = {rule.p:.4g}{_shift(rule)}"
    return Rule(loaded, said, actions, notes)


def _named(rule: WelfareFunction) -> str:
    """A rule by its doctrine, or by its power and between which doctrines that lies."""
    if rule.doctrine in (doctrine.name for doctrine in DOCTRINES):
        return f"{rule.doctrine}, p = {rule.p:g}{_shift(rule)}"
    return f"p = {rule.p:g} ({rule.doctrine}){_shift(rule)}"


def _shift(rule: WelfareFunction) -> str:
    return f", {rule.shift:g} added to every utility" if rule.shift else ""


def _left_out(table: TableOptions, actions: Actions) -> list[str]:
    """Say which columns the rule knows nothing about."""
    ignored = set(listed_texts(table.ignore) or [])
    left = [column for column in actions.unused if column not in ignored]
    return [f"{actions.file}: the rule does not use {listed(left)}."] if left else []
