"""A budget allocated to the projects in a file, by a saved model or a doctrine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.app.people import weights_of
from welfarist.app.rules import RuleRequest, model_of
from welfarist.app.texts import power_of_text
from welfarist.app.usage import UsageError
from welfarist.base.errors import InputError
from welfarist.base.exports import Table
from welfarist.base.validation import FloatArray
from welfarist.families.rule import WelfareFunction
from welfarist.files import read_actions
from welfarist.files.pabulib import Election, read_pabulib
from welfarist.results.saved_models import Model

if TYPE_CHECKING:
    from welfarist.allocating.allocation import Allocation, Boards

_ENDING = ".pb"


@dataclass(frozen=True)
class AllocateRequest:
    """Which budget is to be allocated to which projects.

    Attributes
    ----------
    rule : RuleRequest
        Its `actions` are the projects: a table with a column of costs, or a ``.pb`` file.
    budget : float or None
        None is that of a ``.pb`` file.
    cost : str
        The column of costs.
    baseline : float
        What everybody has without projects.
    whole : bool
    gap, seconds : float
        Of whole projects.
    boards : bool
        Whether other boards are put beside it.
    satisfaction, groups : str or None
        What votes of a ``.pb`` file are worth, and whose utility is looked at.
    """

    rule: RuleRequest
    budget: float | None = None
    cost: str = "cost"
    baseline: float = 0.0
    whole: bool = False
    gap: float = 0.001
    seconds: float = 60.0
    boards: bool = False
    satisfaction: str | None = None
    groups: str | None = None


@dataclass(frozen=True)
class Allocated:
    """What was found.

    Attributes
    ----------
    found : Allocation
    boards : Boards or None
    notes : tuple of str
    """

    found: Allocation
    boards: Boards | None
    notes: tuple[str, ...]

    def table(self) -> Table:
        """What people read."""
        from welfarist.allocating.allocation import Boards

        return (self.boards or Boards({"funded": self.found})).table()

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        record = self.found.to_dict()
        if self.boards is not None:
            record["boards"] = self.boards.to_dict()
        return {**record, "notes": [*record["notes"], *self.notes]}


@dataclass(frozen=True, eq=False)
class _Given:
    """Projects as a file has them: names, costs (m,), gains (m, d) for people, and a budget."""

    names: tuple[str, ...]
    costs: FloatArray
    gains: FloatArray
    people: tuple[str, ...]
    budget: float | None
    notes: tuple[str, ...]


def allocate(asked: AllocateRequest) -> Allocated:
    """Read projects and the rule, and allocate the budget."""
    from welfarist.allocating.allocation import allocate as allocated

    loaded = model_of(asked.rule)
    if loaded is not None and not isinstance(loaded, Model):
        raise UsageError(
            "{model} must hold one rule; found {found}, with several decision makers.",
            found=asked.rule.model,
        )
    known = None if loaded is None else loaded.welfare.stakeholders
    pabulib = asked.rule.actions.lower().endswith(_ENDING)
    given = _votes(asked) if pabulib else _table(asked, known)
    rule = _rule(asked, given.people) if loaded is None else loaded
    order = range(len(given.people))
    if known is not None:
        missing = [person for person in known if person not in given.people]
        if missing:
            raise UsageError(
                "{found} must be about the people of {model}; found nobody called {who!r}.",
                found=asked.rule.actions, who=missing[0],
            )  # fmt: skip
        order = [given.people.index(person) for person in known]  # type: ignore[assignment]
    budget = asked.budget if asked.budget is not None else given.budget
    if budget is None:
        raise UsageError("say how much there is: {budget:NUMBER}.")
    found = allocated(
        rule, given.gains[:, list(order)], given.costs, budget, baseline=asked.baseline,
        whole=asked.whole, names=given.names, gap=asked.gap, seconds=asked.seconds,
    )  # fmt: skip
    boards = found.boards() if asked.boards else None
    return Allocated(found, boards, given.notes)


def _rule(asked: AllocateRequest, people: tuple[str, ...]) -> WelfareFunction:
    named = asked.rule.doctrine if asked.rule.doctrine is not None else asked.rule.p
    assert named is not None
    known = weights_of(asked.rule.weights or "equal", people, asked.rule.table.encoding, None)
    weights = (
        np.full(len(people), 1.0 / len(people))
        if known == "equal"
        else [known[person] for person in people]
    )
    return WelfareFunction(power_of_text(named), weights, list(people))


def _table(asked: AllocateRequest, known: tuple[str, ...] | None) -> _Given:
    """Projects of a table: a column of costs, and one of what each adds to each person."""
    if asked.satisfaction or asked.groups:
        raise UsageError(
            "{satisfaction} and {voter_groups} are about votes, in a file ending in .pb."
        )
    options = asked.rule.table.actions()
    if known is not None:
        options = {**options, "stakeholders": list(known), "ignore": ()}
    try:
        read = read_actions(asked.rule.actions, score=asked.cost, **options)
    except InputError as problem:
        problem.args = (_about_costs(str(problem.args[0])), *problem.args[1:])
        raise
    assert read.scores is not None
    notes = tuple(read.notes)
    return _Given(
        tuple(read.names), np.asarray(read.scores), np.asarray(read.utilities),
        tuple(read.stakeholders), None, notes,
    )  # fmt: skip


def _about_costs(message: str) -> str:
    """A message about the column of costs, which files know as scores."""
    for score, cost in (("the score must", "the cost must"), ("scores must", "costs must")):
        message = message.replace(score, cost)
    return message


def _votes(asked: AllocateRequest) -> _Given:
    """Projects of a participatory budget, with voters or groups of them as people."""
    election: Election = read_pabulib(asked.rule.actions)
    if asked.satisfaction is None:
        raise UsageError(
            "votes do not say what a project is worth to a voter: choose {satisfaction:NAME}, one "
            "of count, cost, points and places."
        )
    gains, people = election.gains(asked.satisfaction, asked.groups)  # type: ignore[arg-type]
    note = f"{election.file}: {len(election.votes)} voters, {len(election.names)} projects."
    return _Given(election.names, election.costs, gains, people, election.budget, (note,))
