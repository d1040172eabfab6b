"""The rule that a command applies: a saved model, or a doctrine with weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from welfarist.cli import values
from welfarist.cli.decisions import TableOptions
from welfarist.cli.people import weights_of
from welfarist.doctrines import DOCTRINES
from welfarist.files import Actions, open_table, read_actions
from welfarist.models import Model, load_model
from welfarist.welfare import WelfareFunction


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

    def probabilities(self, first: Any, second: Any) -> list[float | None]:
        """How likely each first action is preferred to its second; None without a noise model."""
        if self.model.kind == "scores":
            return [None] * len(first)
        frames = (self.actions.utilities[rows] for rows in (first, second))
        return list(self.model.probabilities(*frames).tolist())


def rule_of(
    path: str,
    table: TableOptions,
    model: str | None,
    doctrine: str | None,
    p: str | None,
    weights: str | None,
) -> Rule:
    """Read the actions and the rule that judges them."""
    if sum(given is not None for given in (model, doctrine, p)) != 1:
        raise typer.BadParameter("give a rule: one of --model, --doctrine and --p.")
    table.check([path])
    if model is not None:
        return _saved(path, table, model, weights)
    power = values.power_of_text(doctrine if doctrine is not None else p)
    assert power is not None
    actions = read_actions(path, **table.actions())
    people = actions.stakeholders
    known = weights_of("equal" if weights is None else weights, people)
    shares = None if known == "equal" else [known[person] for person in people]
    rule = WelfareFunction(power, shares, list(people))
    made = Model(rule, "scores", None, None, None, decisions=0.0, loss=0.0)
    return Rule(made, _named(rule), actions, actions.notes)


def _saved(path: str, table: TableOptions, model: str, weights: str | None) -> Rule:
    """The rule of a saved model, applied to the columns that it knows by name."""
    if weights is not None:
        raise typer.BadParameter("--weights go with --doctrine or --p: a model has its own.")
    for option in ("stakeholders", "ignore"):
        if getattr(table, option) is not None:
            raise typer.BadParameter(
                f"--{option} goes with --doctrine or --p: a model says which columns it uses."
            )
    loaded = load_model(model)
    assert loaded.welfare.stakeholders is not None
    actions = _actions_for(path, table, loaded.welfare.stakeholders)
    notes = (*actions.notes, *_left_out(path, table, actions))
    return Rule(loaded, f"{model}, p = {loaded.welfare.p:.4g}", actions, notes)


def _named(rule: WelfareFunction) -> str:
    """A rule by its doctrine, or by its power and between which doctrines that lies."""
    if rule.doctrine in (doctrine.name for doctrine in DOCTRINES):
        return f"{rule.doctrine}, p = {rule.p:g}"
    return f"p = {rule.p:g} ({rule.doctrine})"


def _actions_for(path: str, table: TableOptions, people: tuple[str, ...]) -> Actions:
    return read_actions(path, **{**table.actions(), "stakeholders": list(people)})


def _left_out(path: str, table: TableOptions, actions: Actions) -> list[str]:
    """Say which columns the rule knows nothing about."""
    from welfarist.files.opening import listed
    from welfarist.files.sources import STANDARD_INPUT

    if path == STANDARD_INPUT:  # which can be read once
        return []
    columns = open_table(path, **table.text()).columns
    named = () if table.numbered else (table.name or columns[0],)
    left = [c for c in columns if c not in (*actions.stakeholders, *named)]
    return [f"{path}: the rule does not use {listed(left)}."] if left else []
