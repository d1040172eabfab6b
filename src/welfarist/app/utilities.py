"""From stakeholders' answers to their utilities, in a file that other commands take for a table."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from welfarist.app.decisions import TableOptions
from welfarist.app.targets import check_targets
from welfarist.app.texts import number_of
from welfarist.app.usage import UsageError
from welfarist.base.errors import InputError
from welfarist.base.exports import Table
from welfarist.base.inert import in_csv
from welfarist.base.whole_files import write_whole

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
    plain : str or None
        Where the best guess is written as well, as a table without errors.
    table : TableOptions
    """

    features: str
    answers: str
    save: str
    anchor: str | None = None
    alone: bool = False
    plain: str | None = None
    table: TableOptions = field(default_factory=TableOptions)

    def check(self) -> None:
        """Refuse what cannot be, before anything is read."""
        if self.features == self.answers == "-":
            raise UsageError("standard input (-) can be read once: name a file for the other.")
        targets = {"save": self.save} | ({} if self.plain is None else {"table": self.plain})
        check_targets(targets, [self.features, self.answers])

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
    notes : tuple of str
        What was left out.
    """

    asked: UtilitiesRequest
    model: StakeholderUtilities
    answers: int
    notes: tuple[str, ...] = ()

    def write(self) -> None:
        """Write the people, whole or not at all, and their best guess if that was asked for."""
        self.model.people_.save(self.asked.save)
        if self.asked.plain is not None:
            write_whole(self.asked.plain, self._plain())

    def _plain(self) -> str:
        """The best guess as the text of a CSV file."""
        rows = [["action", *map(in_csv, self.model.stakeholders_)]]
        table = self.model.people_.utilities.tolist()
        named = zip(self.model.actions_, table, strict=True)
        rows += [[in_csv(name), *(f"{value:.6g}" for value in values)] for name, values in named]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue()

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
            "notes": list(self.notes),
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
    features, read = read_features(asked.features, **asked.table.actions())
    answers = read_answers(
        asked.answers,
        drop_missing=asked.table.drop_missing,
        without=read.left_out,
        **asked.table.text(),
    )
    pooling: Any = "none" if asked.alone else "hierarchical"
    learner = StakeholderUtilities(anchor=ends, pooling=pooling)
    try:
        model = learner.fit(features, answers.columns)
    except InputError as problem:
        raise answers.at_its_line(problem) from None
    # What else is said of tables of actions is about utilities, which features are not.
    left = [note for note in read.notes if "were left out" in note]
    return LearnedUtilities(asked, model, len(answers), (*left, *answers.notes))
