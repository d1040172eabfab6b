"""From stakeholders' answers to their utilities, in a file that other commands take for a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from welfarist.app.decisions import TableOptions
from welfarist.app.targets import check_targets
from welfarist.app.texts import number_of
from welfarist.app.usage import UsageError
from welfarist.base.exports import Table

if TYPE_CHECKING:  # which pages of help do not need
    from welfarist.people.answers.stakeholders import StakeholderUtilities


@dataclass(frozen=True)
class UtilitiesRequest:
    """Whose utilities are learned, and where they go.

    Attributes
    ----------
    features : str
        A table of actions: a name, then a column a feature.
    answers : str
        A table of answers.
    save : str
        The file to write.
    anchor : str or None
        Utilities of everybody's worst and best action, "1,10".
    alone : bool
        Whether stakeholders are learned from their own answers only.
    table : TableOptions
    """

    features: str
    answers: str
    save: str
    anchor: str | None = None
    alone: bool = False
    table: TableOptions = field(default_factory=TableOptions)

    def check(self) -> None:
        """Refuse what cannot be, before anything is read."""
        if self.features == self.answers == "-":
            raise UsageError("standard input (-) can be read once: name a file for the other.")
        check_targets({"save": self.save}, [self.features, self.answers])

    @property
    def ends(self) -> tuple[float, float] | None:
        """Utilities of the worst and the best action."""
        if self.anchor is None:
            return None
        found = [number_of(text) for text in self.anchor.split(",")]
        if len(found) != 2 or None in found:
            raise UsageError(
                "{anchor} must be two numbers with a comma between, of the worst and the best "
                "action, such as 1,10; found {found}.",
                found=self.anchor,
            )
        return float(found[0] or 0.0), float(found[1] or 0.0)


@dataclass(frozen=True)
class LearnedUtilities:
    """Utilities that were learned.

    Attributes
    ----------
    asked : UtilitiesRequest
    model : StakeholderUtilities
    answers : int
        How many rows of answers there were.
    """

    asked: UtilitiesRequest
    model: StakeholderUtilities
    answers: int

    def write(self) -> None:
        """Write the people, whole or not at all."""
        from welfarist.people.estimated.saved import save_people

        save_people(self.model.people_, self.asked.save, self.model.note_)

    def _rows(self) -> list[dict[str, Any]]:
        people = self.model.people_
        utilities, errors = people.utilities, people.errors
        names = self.model.actions_
        return [
            {
                "stakeholder": name,
                "worst": names[int(utilities[:, i].argmin())],
                "lowest": float(utilities[:, i].min()),
                "best": names[int(utilities[:, i].argmax())],
                "highest": float(utilities[:, i].max()),
                "log_se": float((errors[:, i] ** 2).mean() ** 0.5),
            }
            for i, name in enumerate(self.model.stakeholders_)
        ]

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        return {
            "file": self.asked.save,
            "answers": self.answers,
            "actions": len(self.model.actions_),
            "stakeholders": self._rows(),
            "converged": self.model.converged_,
            "note": self.model.note_,
        }

    def table(self) -> Table:
        """What people read."""
        rows = tuple(
            (
                row["stakeholder"],
                row["worst"],
                f"{row['lowest']:.3g}",
                row["best"],
                f"{row['highest']:.3g}",
                f"{row['log_se']:.2f}",
            )
            for row in self._rows()
        )
        return Table(
            f"Utilities of {len(rows)} from {self.answers:,} answers",
            ("", "worst", "utility", "best", "utility", "error of log"),
            rows,
            ("left", "left", "right", "left", "right", "right"),
            (self.model.note_,),
        )


def utilities(asked: UtilitiesRequest) -> LearnedUtilities:
    """Learn utilities from answers."""
    from welfarist.files.estimated import read_answers, read_features
    from welfarist.people.answers.stakeholders import StakeholderUtilities

    asked.check()
    ends = asked.ends
    features = read_features(asked.features, **asked.table.actions())
    answers = read_answers(asked.answers, **asked.table.text())
    pooling: Any = "none" if asked.alone else "hierarchical"
    model = StakeholderUtilities(anchor=ends, pooling=pooling).fit(features, answers)
    return LearnedUtilities(asked, model, len(answers["stakeholder"]))
