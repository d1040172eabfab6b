"""Which of the actions in a file to take by a saved model, how sure that is, and why."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from welfarist.app.decisions import TableOptions
from welfarist.app.pages import PageOptions, file_name, without_folders
from welfarist.app.rules import RuleRequest, rule_of
from welfarist.app.targets import check_targets
from welfarist.app.usage import UsageError
from welfarist.base.exports import Table
from welfarist.results.rule_draws import require_draws

if TYPE_CHECKING:
    from welfarist.recommending.advice import Advice


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
    report : str or None
        Where a report will be written, which gives reasons whether they were asked for or not.
    page : PageOptions
        What is added to it.
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
    report: str | None = None
    page: PageOptions = field(default_factory=PageOptions)

    @property
    def reasons(self) -> bool:
        """Whether reasons were asked for."""
        return self.why or self.against is not None


@dataclass(frozen=True)
class Recommended:
    """What was found.

    Attributes
    ----------
    asked : RecommendRequest
    advice : Advice
    notes : tuple of str
        What was guessed when files were read.
    """

    asked: RecommendRequest
    advice: Advice
    notes: tuple[str, ...]

    def tables(self) -> list[Table]:
        """What people read."""
        return self._seen().tables(self.asked.top)

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        found = self._seen().to_dict()
        return {**found, "notes": [*found["notes"], *self.notes]}

    def _seen(self) -> Advice:
        """What was asked for; reasons are for the report alone if they were not."""
        if self.asked.reasons:
            return self.advice
        return replace(self.advice, why=None, rises=None, why_not="")

    def write(self) -> None:
        """Write the report, if one was asked for."""
        asked, said = self.asked, self.asked.page
        if asked.report is None:
            return
        from welfarist.show.report import write_report

        files = (asked.actions, asked.model)
        write_report(
            self.advice, asked.report, title=said.title, note=said.note, unit=said.unit,
            date=said.date, files=[file_name(path) for path in files],
            remarks=[without_folders(note, files) for note in self.notes],
        )  # fmt: skip


def recommend(asked: RecommendRequest) -> Recommended:
    """Read the actions and the model, and say which to take."""
    asked.page.check(asked.report)
    check_targets({"report": asked.report}, (asked.actions, asked.model))
    rule = rule_of(RuleRequest(asked.actions, asked.table, model=asked.model))
    require_draws(rule.model.draws, asked.model)
    if rule.by_group:
        raise UsageError("{found} holds a sketch; a recommendation needs a table of actions.",
                         found=asked.actions)  # fmt: skip
    if rule.model.gamma or rule.model.outside is not None:
        raise UsageError(
            "{found} has learned more than a rule (a size effect, or none of these), of which no "
            "recommendation knows. Use welfarist rank.",
            found=asked.model,
        )
    from welfarist.recommending.advice import Advice
    from welfarist.recommending.recommendation import recommend as recommended

    names = tuple(rule.actions.names)
    said = recommended(
        rule.model, rule.actions.utilities, names=names, k=asked.best, level=asked.level
    )
    advice = Advice.of(
        said, asked.against, asked.questions, random_state=asked.seed,
        reasons=asked.reasons or asked.report is not None,
    )  # fmt: skip
    return Recommended(asked, advice, rule.notes)
