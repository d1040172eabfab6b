"""How many choices a person are enough for what, where several decide: simulated studies."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from welfarist import bounds
from welfarist.app.planning import PlanRequest, refuse_questions, world_of
from welfarist.app.texts import sizes_of_text
from welfarist.app.usage import UsageError
from welfarist.base.exports import Table, number
from welfarist.bounds.panels import PanelStudy
from welfarist.results.saved_models import load_model
from welfarist.simulate import World

# What holds if nothing is said: numbers of choices a decider, how much deciders differ, how often
# each is simulated, and the temperature.
EACH, SPREAD, REPETITIONS, TAU = "1,2,5,10,20,40", 1.0, 5, 10.0
# What says nothing about people who differ.
_WITHOUT_EFFECT = (
    "task", "error", "delta", "known_weights", "decisions", "rho", "nu", "menu_size", "places",
)  # fmt: skip


@dataclass(frozen=True)
class PanelPlan:
    """What so many choices a person teach about people who differ.

    Attributes
    ----------
    study : PanelStudy
        What simulated studies reach.
    world : World
        The actions, and the rule of somebody in the middle.
    notes : tuple of str
        What was guessed when the actions were read.
    """

    study: PanelStudy
    world: World
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        study = self.study
        return {
            "people": study.people,
            "deciders": study.deciders,
            "parameters": {"p": self.world.p, "tau": study.tau, "spread": study.spread},
            "repetitions": study.repetitions,
            "simulated": study.rows,
            "findings": list(study.findings),
        }

    def table(self) -> Table:
        """What people read."""
        study = self.study
        rows = tuple(
            (
                f"{row['each']}",
                number(row["mean_error"]),
                number(row["spread_error"]),
                number(row["p_error"]),
                number(row["p_error_of_average"]),
                number(row["log_loss"]),
                number(row["log_loss_one_rule"]),
                number(row["log_loss_truth"]),
            )
            for row in study.rows
        )
        header = (
            "choices each", "average wrong by", "spread wrong by", "own p wrong by",
            "by the average", "log loss", "one rule", "truth",
        )  # fmt: skip
        title = (
            f"What choices teach of {study.deciders} people who differ: rules about "
            f"{study.people} people"
        )
        return Table(title, header, rows, ("right",) * 8, self._lines())

    def _lines(self) -> tuple[str, ...]:
        study = self.study
        once = (
            "Who was asked once may have erred, or may differ: one choice a person tells of the "
            "average at most, however many people there are."
        )
        low, high = self.world.utilities.min(), self.world.utilities.max()
        return (
            *study.findings,
            *[once] * (1 in study.each),
            f"Medians of {study.repetitions} simulated studies, p measured as asinh p; known is "
            "what four of five studies tell, with so many choices and with more",
            f"truth: p = {self.world.p:g} in the middle, spread {study.spread:g}; temperature "
            f"{study.tau:g}; utilities from {low:.3g} to {high:.3g}",
            "own p wrong by: everybody's own estimate; by the average: who knows only the average",
            "log loss: of further choices of the same people; of one rule for all; of the truth",
        )


def plan(asked: PlanRequest) -> PanelPlan:
    """Simulate studies of people who differ."""
    assert asked.deciders is not None
    if asked.actions is not None and asked.people is not None:
        raise UsageError("{people} is for actions that are made up; found {actions}.")
    refuse_questions(asked)
    usual = {field.name: field.default for field in fields(PlanRequest)}
    for name in _WITHOUT_EFFECT:
        if getattr(asked, name) != usual[name]:
            raise UsageError(
                f"{{{name}}} has no effect with {{deciders}}, who compare actions with errors. "
                "Leave it out."
            )
    if asked.deciders < 2:
        raise UsageError("{deciders} must be at least 2, who can differ; found 1. Leave it out.")
    pilot = None if asked.model is None else load_model(asked.model)
    world, notes = world_of(asked, pilot, weights="equal")
    tau = asked.tau if pilot is None or asked.tau is not None else pilot.tau
    study = bounds.choices_per_person(
        world,
        deciders=asked.deciders,
        each=sizes_of_text(EACH if asked.each is None else asked.each),
        tau=TAU if tau is None else tau,
        spread=SPREAD if asked.spread is None else asked.spread,
        repetitions=REPETITIONS if asked.repetitions is None else asked.repetitions,
        random_state=asked.seed,
        n_jobs=asked.jobs,
    )
    return PanelPlan(study, world, notes)
