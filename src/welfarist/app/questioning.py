"""How many questions are enough where somebody is asked one after the other: simulated studies."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from welfarist import asking
from welfarist.app.planning import PEOPLE, PlanRequest, world_of
from welfarist.app.texts import power_of_text, sizes_of_text
from welfarist.app.usage import UsageError
from welfarist.asking.needed import QuestionsNeeded
from welfarist.base.exports import Table
from welfarist.base.validation import FloatArray
from welfarist.results.saved_models import load_model

# What holds if nothing is said: the share of new choices to foresee, how many decision makers are
# simulated, and their temperature.
ACCURACY, REPETITIONS, TAU = 0.95, 20, 10.0
# What says nothing about questions.
_WITHOUT_EFFECT = (
    "task", "error", "delta", "known_weights", "decisions", "nu", "menu_size", "places",
    "deciders", "each", "spread",
)  # fmt: skip
_SHOWN = ("accuracy", "accuracy_error", "power_error")


@dataclass(frozen=True, eq=False)
class QuestionPlan:
    """What so many questions teach of who answers them.

    Attributes
    ----------
    needed : QuestionsNeeded
        What simulated decision makers were asked, and how many questions are enough.
    utilities : (N, d) array
        The actions they were asked about.
    rules : str
        Whose rules were taken for true.
    tau, rho : float
        How they err.
    notes : tuple of str
        What was guessed when the actions were read.
    """

    needed: QuestionsNeeded
    utilities: FloatArray
    rules: str
    tau: float
    rho: float
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        columns = self.needed.study.columns
        names = ("way", "questions", *_SHOWN)
        rows = zip(*(columns[name] for name in names), strict=True)
        return {
            "people": int(self.utilities.shape[1]),
            "parameters": {"rules": self.rules, "tau": self.tau, "rho": self.rho},
            "repetitions": columns["deciders"][0],
            "enough": {
                "accuracy": self.needed.accuracy,
                "adaptive": self.needed.adaptive,
                "random": self.needed.random,
            },
            "simulated": [dict(zip(names, row, strict=True)) for row in rows],
        }

    def table(self) -> Table:
        """What people read."""
        rows = tuple(
            (
                row["way"],
                f"{row['questions']:,}",
                f"{row['accuracy']:.1%}",
                f"{row['accuracy_error']:.1%}",
                f"{row['power_error']:.2f}",
            )
            for row in self.to_dict()["simulated"]
        )
        header = ("", "questions", "decided alike", "standard error", "asinh p wrong by")
        title = f"What questions teach: {self.utilities.shape[1]} people"
        return Table(title, header, rows, ("left", *("right",) * 4), self._lines())

    def _lines(self) -> tuple[str, ...]:
        low, high = self.utilities.min(), self.utilities.max()
        count = self.needed.study.columns["deciders"][0]
        slips = f"; {self.rho:.0%} slips" if self.rho else ""
        return (
            self.needed.in_words,
            f"Means of {count} simulated decision makers, who are asked in both ways",
            f"truth: {self.rules}; temperature {self.tau:g}{slips}; utilities from {low:.3g} to "
            f"{high:.3g}",
            "decided alike: share of noise-free choices that are foreseen as the truth decides "
            "them",
            "adaptive: each question is chosen by the answers before; random: pairs by lot",
        )


def plan(asked: PlanRequest) -> QuestionPlan:
    """Simulate decision makers who are asked, and count the questions."""
    _check(asked)
    pilot = None if asked.model is None else load_model(asked.model)
    world, notes = world_of(asked, pilot)
    truth: Any = "spread"
    rules = "weights drawn by lot, asinh p from -2 to 1"
    if pilot is not None:
        truth, rules = world.rule, f"the model, p = {world.p:.4g}"
    elif asked.p is not None:
        truth = power_of_text(asked.p)
        rules = f"weights drawn by lot, p = {truth:g}"
    learned = (None, None) if pilot is None else (pilot.tau, pilot.rho)
    tau, rho = (_first(*pair) for pair in
                ((asked.tau, learned[0], TAU), (asked.rho, learned[1], 0.0)))  # fmt: skip
    needed = asking.questions_needed(
        accuracy=ACCURACY if asked.accuracy is None else asked.accuracy,
        questions=None if asked.questions is None else sizes_of_text(asked.questions),
        deciders=REPETITIONS if asked.repetitions is None else asked.repetitions,
        actions=world.utilities, tau=tau, rho=rho, truth=truth, random_state=asked.seed,
        jobs=asked.jobs,
    )  # fmt: skip
    return QuestionPlan(needed, world.utilities, rules, tau, rho, notes)


def _check(asked: PlanRequest) -> None:
    """Refuse what makes no sense with questions."""
    if asked.actions is not None and asked.people is not None:
        raise UsageError("{people} is for actions that are made up; found {actions}.")
    usual = {field.name: field.default for field in fields(PlanRequest)}
    for name in _WITHOUT_EFFECT:
        if getattr(asked, name) != usual[name]:
            raise UsageError(
                f"{{{name}}} has no effect with {{ask}}, where one person compares actions with "
                "errors. Leave it out."
            )
    if (PEOPLE if asked.people is None else asked.people) < 2:
        raise UsageError("{people} must be at least 2 with {ask}; found 1.")
    if asked.accuracy is not None and asked.accuracy <= 0.5:
        raise UsageError(
            "{accuracy} must be above 0.5, which guessing reaches; found {found:g}.",
            found=asked.accuracy,
        )


def _first(*values: float | None) -> float:
    """The first number that is known."""
    return next(float(value) for value in values if value is not None)
