"""What version 0.1.0 pickled, turned into what there is now.

Classes that are no more have stand-ins of the same name, which only hold what the pickle says;
`welfarist.base.former_names` leads to them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.families.columns import Columns
from welfarist.families.levels import RATIO
from welfarist.families.power_mean.family import POWER, POWER_MEAN
from welfarist.inference.likelihood import Likelihood, weight_name
from welfarist.losses import DecisionLoss
from welfarist.losses.graph import ComparisonGraph as Graph
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.losses.observed_scores import ObservedScores
from welfarist.losses.point import Point
from welfarist.noise.base import TAU
from welfarist.noise.choices import LAPSE, LOGISTIC, RHO
from welfarist.noise.scores import SCALE
from welfarist.proofs import certifier_of

__all__ = ["ComparisonGraph", "ComparisonLoss", "Fitted", "Point", "ScoreLoss", "Utilities"]

Utilities = Columns  # which has the same entries

_GROUP = "group "


class ComparisonGraph:
    """Compared pairs."""

    pairs: Any
    actions: int


class ComparisonLoss:
    """The likelihood of comparisons."""

    utilities: Columns
    graph: ComparisonGraph
    total: float
    weighting: Any
    learn_power: bool
    lapse: bool
    tau_max: float

    def upgraded(self, observations: float) -> DecisionLoss:
        """Return the same loss as it is now."""
        del observations
        graph = Graph(self.graph.pairs, self.graph.actions)
        noise = LAPSE if self.lapse else LOGISTIC
        observed = ObservedPairs(graph, self.total, noise, self.tau_max)
        return DecisionLoss(POWER_MEAN, self.utilities, observed, self.weighting, self.learn_power)


class ScoreLoss:
    """The squared loss of scores."""

    utilities: Columns
    scores: Any
    sample_weight: Any
    weighting: Any
    learn_power: bool
    scale: bool
    unit: float

    def upgraded(self, observations: float) -> DecisionLoss:
        """Return the same loss as it is now; the scores' unit was part of the utilities' shift."""
        offset = self.utilities.shift
        observed = ObservedScores(
            self.scores, self.sample_weight, observations, self.scale, self.unit, RATIO, offset
        )
        shift = offset + float(np.log(self.unit))
        people = Columns(self.utilities.logs, shift, self.utilities.has_zeros)
        return DecisionLoss(POWER_MEAN, people, observed, self.weighting, self.learn_power)


class Fitted:
    """The likelihood of a fit."""

    loss: ComparisonLoss | ScoreLoss
    point: Point
    weights: Any
    stakeholders: tuple[str, ...]
    observations: float
    solver: Any
    refusal: str | None

    def upgraded(self, decided: Any) -> Likelihood:
        """Return the same likelihood as it is now."""
        loss = self.loss.upgraded(self.observations)
        return Likelihood(
            loss, self.point, self.weights, self.stakeholders, decided, self.solver, self.refusal
        )


def upgraded_record(state: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of a record as they are now, from those of any version."""
    state = {"theta": {}, **state}  # which no attributes had before
    if "fitted" not in state:
        return state
    fitted, notes = state.pop("fitted"), state.pop("weight_notes")
    numbers = {name: state.pop(name) for name in ("tau", "rho", "scale")}
    extras = {name: value for name, value in numbers.items() if value is not None}
    likelihood = None if fitted is None else fitted.upgraded(state["decided"])
    compared = state["accuracy"] is not None
    in_groups = any(note.startswith(_GROUP) for note in notes)
    state |= {
        "kind": "comparisons" if compared else "scores",
        "extras": extras,
        "groups": tuple(note.removeprefix(_GROUP) for note in notes) if in_groups else None,
        "equal": "equal" in notes,
        "family": POWER_MEAN,
        "noise": None,
        "noise_parameters": tuple(p for p in (TAU, RHO, SCALE) if p.name in extras),
        "likelihood": likelihood,
    }
    if compared and "tau" in extras:
        state["noise"] = LAPSE if "rho" in extras else LOGISTIC
    if likelihood is not None and state["certifier"] is not None:
        given = state["p"] if "p" in state["given"] else None
        state["certifier"] = certifier_of(likelihood.loss, state["loss"], given)
    return state


def upgraded_row(state: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of a row of a summary as they are now."""
    if "words" in state:
        return state
    name = state["parameter"]
    words = {parameter.name: parameter.words for parameter in (POWER, TAU, RHO)}
    person = 0 if name.startswith(weight_name("")) else None
    return {**state, "words": words.get(name, ""), "person": person}
