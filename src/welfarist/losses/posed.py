"""From checked decisions to their loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from welfarist.decisions import Choices, Comparisons, Scores
from welfarist.families.base import Family
from welfarist.losses.decision_loss import DecisionLoss
from welfarist.losses.estimated.decisions import EstimatedMenus, EstimatedPairs
from welfarist.losses.estimated.loss import EstimatedLoss
from welfarist.losses.estimated.scores import EstimatedScores
from welfarist.losses.observed_menus import observed_choices
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.losses.observed_scores import ObservedScores
from welfarist.noise.base import ChoiceNoise
from welfarist.people.estimated.columns import EstimatedColumns
from welfarist.people.estimated.spread import ByPerson
from welfarist.people.table import people_of
from welfarist.people.weighting import Weighting


def loss_of_scores(
    scores: Scores, family: Family, weighting: Weighting, learn_power: bool, scale: bool
) -> DecisionLoss:
    """Build the squared loss of checked scores; those with weight 0 are left out."""
    if not scores.counts.all():
        kept = scores.counts > 0
        scores = replace(
            scores,
            utilities=scores.utilities[kept],
            values=scores.values[kept],
            counts=scores.counts[kept],
        )
    people = people_of(scores.utilities, family, weighting)
    observed = ObservedScores.of(scores, scale, family.level, people.shift)
    if isinstance(people, EstimatedColumns):
        shared = isinstance(people.spread_of_errors, ByPerson)
        uncertain: Any = EstimatedScores.of_exact(observed, shared)
        source = scores.utilities
        return EstimatedLoss(family, people, uncertain, weighting, learn_power, source)
    return DecisionLoss(family, people, observed, weighting, learn_power)


def loss_of_comparisons(
    comparisons: Comparisons,
    family: Family,
    weighting: Weighting,
    learn_power: bool,
    noise: ChoiceNoise,
    tau_max: float,
) -> DecisionLoss:
    """Build the likelihood of comparisons; actions never compared are left out."""
    utilities = comparisons.utilities
    observed, used = ObservedPairs.of(comparisons.merged, len(utilities), noise, tau_max)
    table = utilities if len(used) == len(utilities) else utilities[used]
    people = people_of(table, family, weighting)
    if isinstance(people, EstimatedColumns):
        uncertain: Any = EstimatedPairs.of_exact(observed)
        return EstimatedLoss(family, people, uncertain, weighting, learn_power, table)
    observed = replace(observed, step=family.step(people))
    return DecisionLoss(family, people, observed, weighting, learn_power)


def loss_of_choices(
    choices: Choices,
    family: Family,
    weighting: Weighting,
    learn_power: bool,
    noise: ChoiceNoise,
    tau_max: float,
    *,
    tau_by_stage: bool = False,
    size_effect: bool = False,
) -> DecisionLoss:
    """Build the likelihood of choices from menus; actions never offered are left out."""
    observed, used = observed_choices(
        choices, noise, tau_max, by_stage=tau_by_stage, size_effect=size_effect
    )
    table = choices.utilities
    table = table if len(used) == len(table) else table[used]
    people = people_of(table, family, weighting)
    if isinstance(people, EstimatedColumns):
        uncertain: Any = EstimatedMenus.of_exact(observed)
        return EstimatedLoss(family, people, uncertain, weighting, learn_power, table)
    observed = replace(observed.seen_at(people.shift), step=family.step(people))
    return DecisionLoss(family, people, observed, weighting, learn_power)
