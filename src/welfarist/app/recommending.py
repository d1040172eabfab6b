"""Which of the actions in a file to take by a saved model, how sure that is, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from welfarist.app.decisions import TableOptions
from welfarist.app.rules import RuleRequest, rule_of
from welfarist.app.usage import UsageError
from welfarist.base.exports import Table
from welfarist.people.source import is_source
from welfarist.results.rule_draws import require_draws

if TYPE_CHECKING:
    from welfarist.recommending.further import Further
    from welfarist.recommending.raising import Raise
    from welfarist.recommending.reasons import Why
    from welfarist.recommending.recommendation import Recommendation


@dataclass(frozen=True)
class RecommendRequest:
    """What is to be recommended.

    Attributes
    ----------
    actions, model : str
        Files.
    table : TableOptions
    best : int
        The probability of being among so many best is told.
    level : float
    top : int or None
        How many rows people are shown; None leaves it to the table.
    why : bool
        Whether reasons are given: for the first against the second.
    against : str or None
        Or against this action.
    questions : int or None
        How many further questions are weighed; None weighs none.
    seed : int
    """

    actions: str
    model: str
    table: TableOptions
    best: int = 3
    level: float = 0.95
    top: int | None = None
    why: bool = False
    against: str | None = None
    questions: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class Recommended:
    """What was found.

    Attributes
    ----------
    said : Recommendation
    notes : tuple of str
    top : int or None
    why : Why or None
    rises : Raise or None
    further : Further or None
    """

    said: Recommendation
    notes: tuple[str, ...]
    top: int | None
    why: Why | None
    rises: Raise | None
    further: Further | None

    def tables(self) -> list[Table]:
        """What people read."""
        more = (self.why, self.rises, self.further)
        return [self.said.table(self.top), *(part.table() for part in more if part is not None)]

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        found = self.said.to_dict()
        for name, part in (("why", self.why), ("raises", self.rises), ("further", self.further)):
            if part is not None:
                found[name] = part.to_dict()
        return {**found, "notes": [*found["notes"], *self.notes]}


def recommend(asked: RecommendRequest) -> Recommended:
    """Read the actions and the model, and say which to take."""
    rule = rule_of(RuleRequest(asked.actions, asked.table, model=asked.model))
    require_draws(rule.model.draws, asked.model)
    if is_source(rule.actions.utilities):
        raise UsageError("{found} holds a sketch; a recommendation needs a table of actions.",
                         found=asked.actions)  # fmt: skip
    if rule.model.gamma or rule.model.outside is not None:
        raise UsageError(
            "{found} has learned more than a rule (a size effect, or none of these), of which no "
            "recommendation knows. Use welfarist rank.",
            found=asked.model,
        )
    from welfarist.recommending.recommendation import recommend as recommended

    names = tuple(rule.actions.names)
    said = recommended(
        rule.model, rule.actions.utilities, names=names, k=asked.best, level=asked.level
    )
    reasons = asked.why or asked.against is not None
    second = said.row(asked.against) if asked.against is not None else None
    first = None if second != said.order[0] or len(said) < 2 else int(said.order[1])
    return Recommended(
        said,
        rule.notes,
        asked.top,
        said.why(first, second) if reasons else None,
        said.raises(first, second) if reasons else None,
        None if asked.questions is None else said.further(asked.questions, asked.seed),
    )
