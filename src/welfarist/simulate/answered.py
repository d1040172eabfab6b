"""A made-up charity of which only raw answers are known: nobody has seen its utilities.

This is a simulation; nothing in it is real data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from welfarist.base.validation import FloatArray, check_count, check_names
from welfarist.families.rule import WelfareFunction
from welfarist.simulate.charity import TASTE_SPREAD, true_weights
from welfarist.simulate.deciding import random_pairs
from welfarist.simulate.organisations import Organisations, organisations
from welfarist.simulate.stakeholders import GROUPS, Group, answer, draw_tastes
from welfarist.simulate.streams import RandomState, stream
from welfarist.simulate.worlds import World, WorldWeights, check_number, check_range


@dataclass(frozen=True, eq=False)
class AnsweredCharity:
    """A simulated charity, what its stakeholders answered, and what is true behind it.

    Attributes
    ----------
    world : World
        True utilities and the charity's own rule, by which it decides.
    organisations : Organisations
    features : dict of columns
        The organisations' names, in a column "action", and their eight features from 0 to 1, as
        stakeholders weigh them.
    answers : dict of columns
        Which of two organisations stakeholders prefer: stakeholder, first, second and choice.
    tastes : (d, 8) array
        What each stakeholder truly cares for, feature by feature.
    """

    world: World
    organisations: Organisations
    features: dict[str, list[Any]]
    answers: dict[str, list[str]]
    tastes: FloatArray

    def __repr__(self) -> str:
        return (
            f"AnsweredCharity({len(self.organisations)} organisations, {self.world.people} "
            f"stakeholders, {len(self.answers['choice'])} answers, p={self.world.p:.6g})"
        )


def food_rescue_answers(
    count: int = 300,
    *,
    p: float,
    weights: WorldWeights | Literal["deployed"] = "deployed",
    groups: Sequence[Group] = GROUPS,
    answers: int = 100,
    taste_spread: float = TASTE_SPREAD,
    u_min: float = 1.0,
    u_max: float = 10.0,
    random_state: RandomState | None = None,
) -> AnsweredCharity:
    """Return a simulated food-rescue charity from its raw answers on. Nothing in it is real data.

    As in :func:`food_rescue`, stakeholders prefer organisation x to y with the probability
    ``1 / (1 + exp(-b.(x - y)))`` by their tastes b. Here the logarithms of their true utilities
    rise with ``b.x``, from `u_min` for everybody's worst organisation to `u_max` for their best,
    which is the scale that ``StakeholderUtilities(anchor=(u_min, u_max))`` states.

    Parameters
    ----------
    count : int
        N, the number of organisations.
    p, weights, groups, taste_spread, random_state
        As of :func:`food_rescue`.
    answers : int
        How many comparisons each stakeholder answers.
    u_min, u_max : float
        Utility of the worst and of the best organisation to every stakeholder.

    Examples
    --------
    >>> from welfarist import StakeholderUtilities
    >>> charity = food_rescue_answers(40, p=-1, answers=30, random_state=1)
    >>> charity
    AnsweredCharity(40 organisations, 18 stakeholders, 540 answers, p=-1)
    >>> learned = StakeholderUtilities(anchor=(1, 10)).fit(charity.features, charity.answers)
    >>> truth = np.log(charity.world.utilities)
    >>> bool(np.corrcoef(np.log(learned.people_.utilities).ravel(), truth.ravel())[0, 1] > 0.8)
    True
    """
    names = check_names([name for group in groups for name in group.members])
    answers = check_count(answers, "answers")
    spread = check_number(taste_spread, "taste_spread", 0.0, np.finfo(float).max)
    low, high = check_range(u_min, u_max)
    made = organisations(count, random_state=random_state)
    tastes = draw_tastes(groups, spread, stream(random_state, "tastes"))
    rule = WelfareFunction(p, true_weights(weights, groups, names, random_state), names)
    worth = made.scaled @ tastes.T
    share = (worth - worth.min(axis=0)) / np.ptp(worth, axis=0)
    group_of = tuple(group.name for group in groups for _ in group.members)
    world = World(low * (high / low) ** share, rule, group_of)
    labels = [f"organisation {i + 1}" for i in range(len(made))]
    columns = zip(made.names, made.scaled.T.tolist(), strict=True)
    said = _asked(made.scaled, tastes, answers, names, labels, stream(random_state, "answers"))
    return AnsweredCharity(world, made, {"action": labels, **dict(columns)}, said, tastes)


def _asked(
    scaled: FloatArray,
    tastes: FloatArray,
    answers: int,
    names: Sequence[str],
    labels: Sequence[str],
    rng: np.random.Generator,
) -> dict[str, list[str]]:
    """Answers of stakeholders with tastes (d, 8) about features (N, 8), as columns."""
    found: dict[str, list[str]] = {"stakeholder": [], "first": [], "second": [], "choice": []}
    for name, own in zip(names, tastes, strict=True):
        pairs = random_pairs(len(scaled), answers, random_state=rng)
        said = answer(scaled[pairs[:, 0]] - scaled[pairs[:, 1]], own, rng)
        found["stakeholder"] += [name] * answers
        found["first"] += [labels[i] for i in pairs[:, 0]]
        found["second"] += [labels[i] for i in pairs[:, 1]]
        found["choice"] += np.where(said > 0, "first", "second").tolist()
    return found
