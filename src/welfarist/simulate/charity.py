"""A made-up food-rescue charity that decides which organisation receives a donation.

This is a simulation. [PSPS24, Sec. 6] uses utilities that WeBuildAI (Lee et al. 2019) learned with
a real charity; that data set is not public, and no number here comes from it except the weights of
the groups, which were published for the deployed system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, check_count, check_names
from welfarist.families.rule import WelfareFunction
from welfarist.simulate.deciding import random_pairs
from welfarist.simulate.organisations import Organisations, organisations
from welfarist.simulate.stakeholders import GROUPS, Group, answer, draw_tastes, learn_tastes
from welfarist.simulate.streams import RandomState, stream
from welfarist.simulate.worlds import (
    HIGHEST,
    LOWEST,
    World,
    WorldWeights,
    check_number,
    check_range,
    draw_weights,
)

Mapping = Literal["linear", "exponential"]

# How far members of a group differ in each taste, as a standard deviation.
TASTE_SPREAD = 2.0


@dataclass(frozen=True, eq=False)
class Charity:
    """A simulated charity: its world, and how the utilities in it came about.

    Attributes
    ----------
    world : World
        Organisations are the actions, stakeholders the people; the rule is the charity's own.
    organisations : Organisations
        The N organisations by their eight features.
    tastes : (d, 8) array
        What each stakeholder truly cares for, feature by feature.
    learned_tastes : (d, 8) array
        What was learned of that from their answers; the utilities come from these.
    accuracy : (d,) array
        Share of each stakeholder's held-out answers that their learned tastes foretell.
    """

    world: World
    organisations: Organisations
    tastes: FloatArray
    learned_tastes: FloatArray
    accuracy: FloatArray

    def __repr__(self) -> str:
        return (
            f"Charity({len(self.organisations)} organisations, {self.world.people} stakeholders, "
            f"p={self.world.p:.6g})"
        )


def food_rescue(
    count: int = 300,
    *,
    p: float,
    weights: WorldWeights | Literal["deployed"] = "deployed",
    groups: Sequence[Group] = GROUPS,
    answers: int = 60,
    held_out: int = 200,
    taste_spread: float = TASTE_SPREAD,
    mapping: Mapping = "linear",
    u_min: float = LOWEST,
    u_max: float = HIGHEST,
    random_state: RandomState | None = None,
) -> Charity:
    """Return a simulated food-rescue charity. Nothing in it is real data.

    A donation has come in, and one of `count` recipient organisations is to get it. Donors,
    volunteers, recipients and dispatchers see that differently. Their utilities are made as in
    WeBuildAI (Lee et al. 2019): each answers pairwise comparisons, and a model is learned from the
    answers.

    Parameters
    ----------
    count : int
        N, the number of organisations; see :func:`organisations`.
    p : float
        The charity's true power, in [-inf, inf]; the paper takes 2.72, -1.62 and 1.62.
    weights : "deployed", "random", "equal", (d,) array-like or mapping
        The charity's true weights. "deployed" gives each group its weight, shared equally inside:
        0.46 dispatchers, 0.22 recipients, 0.21 volunteers, 0.11 donors. "random" draws them
        uniformly from the simplex, as the paper does.
    groups : sequence of Group
        Who has a say: 3 dispatchers, 6 recipients, 5 volunteers and 4 donors if left out.
    answers, held_out : int
        Comparisons each stakeholder answers for the model, and for judging it.
    taste_spread : float
        Standard deviation of each taste among the members of a group.
    mapping : "linear" or "exponential"
        How utilities follow from what a stakeholder's learned model says of an organisation: in
        proportion, or exponentially.
    u_min, u_max : float
        Utility of the worst and of the best organisation to every stakeholder.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one.

    Notes
    -----
    A stakeholder with tastes b prefers organisation x to y, by their scaled features, with
    probability 1 / (1 + exp(-b.(x - y))). Their answers agree with their tastes in about nine
    cases of ten. The learned tastes are those of a Bradley-Terry model with a normal prior, and
    foretell about 86% of held-out answers.

    Answers say how strongly somebody prefers an organisation only beside their own errors, not
    beside other people's preferences. To make people comparable, everybody's worst organisation
    gets the utility u_min and everybody's best u_max (range normalisation), so that nobody counts
    more by answering more decisively. All are positive. Somebody to whom all organisations are the
    same gets the middle. Under the exponential mapping the score b.x is first divided by its
    standard deviation over the organisations and exponentiated, which is an organisation's worth
    in the sense of Bradley and Terry for somebody as decisive as everybody else; a few
    organisations then stand out from many middling ones.

    Linear utilities of eight features span 9 dimensions at most: at p = 1 the weights of 18 people
    cannot be told apart however many scores there are, and near it hardly.

    Examples
    --------
    >>> charity = food_rescue(p=2.72, random_state=1)
    >>> charity
    Charity(300 organisations, 18 stakeholders, p=2.72)
    >>> charity.world.stakeholders[:4]
    ('dispatcher 1', 'dispatcher 2', 'dispatcher 3', 'recipient 1')
    >>> float(charity.world.weights[:3].sum().round(2))
    0.46
    >>> bool(charity.accuracy.mean() > 0.8)
    True
    """
    names = check_names([name for group in groups for name in group.members])
    group_of = tuple(group.name for group in groups for _ in group.members)
    span = check_range(u_min, u_max)
    answers, held_out = check_count(answers, "answers"), check_count(held_out, "held_out")
    taste_spread = check_number(taste_spread, "taste_spread", 0.0, np.finfo(float).max)
    made = organisations(count, random_state=random_state)
    tastes = draw_tastes(groups, taste_spread, stream(random_state, "tastes"))
    rule = WelfareFunction(p, true_weights(weights, groups, names, random_state), names)
    learned, accuracy = _interview(
        made.scaled, tastes, answers, held_out, stream(random_state, "answers")
    )
    values = _values(made.scaled @ learned.T, mapping)
    world = World(_stretched(values, *span), rule, group_of)
    return Charity(world, made, tastes, learned, accuracy)


def true_weights(
    weights: WorldWeights | Literal["deployed"],
    groups: Sequence[Group],
    names: tuple[str, ...],
    random_state: RandomState | None,
) -> FloatArray:
    """Return the weights (d,) of the charity's rule, as they were asked for."""
    if isinstance(weights, str) and weights == "deployed":
        return np.concatenate([np.full(g.size, g.weight / g.size) for g in groups])
    if isinstance(weights, str) and weights not in ("random", "equal"):
        raise InputError(
            'weights must be "deployed", "random", "equal" or one number per stakeholder; found '
            f"{weights!r}."
        )
    return draw_weights(weights, len(names), names, stream(random_state, "weights"))


def _interview(
    scaled: FloatArray, tastes: FloatArray, answers: int, held_out: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Ask stakeholders of tastes (d, 8) about features (N, 8).

    Returns
    -------
    learned : (d, 8) array
        Tastes learned from the first `answers` comparisons.
    accuracy : (d,) array
        Share of the `held_out` further answers that they foretell.
    """
    learned, accuracy = np.empty_like(tastes), np.empty(len(tastes))
    for person, own in enumerate(tastes):
        pairs = random_pairs(len(scaled), answers + held_out, random_state=rng)
        differences = scaled[pairs[:, 0]] - scaled[pairs[:, 1]]
        said = answer(differences, own, rng)
        learned[person] = learn_tastes(differences[:answers], said[:answers])
        foretold = np.sign(differences[answers:] @ learned[person])
        accuracy[person] = np.mean(foretold == said[answers:])
    return learned, accuracy


def _values(values: FloatArray, mapping: Mapping) -> FloatArray:
    """Return what organisations are worth to people (N, d), on scales of their own."""
    if mapping == "linear":
        return values
    if mapping != "exponential":
        raise InputError(f'mapping must be "linear" or "exponential"; found {mapping!r}.')
    apart, spread = values - values.mean(axis=0), values.std(axis=0)
    standard = np.divide(apart, spread, out=np.zeros_like(apart), where=spread > 0)
    return np.asarray(np.exp(standard))


def _stretched(values: FloatArray, low: float, high: float) -> FloatArray:
    """Return utilities (N, d) from each person's own values (N, d): worst to low, best to high."""
    worst, best = values.min(axis=0), values.max(axis=0)
    share = np.full_like(values, 0.5)
    np.divide(values - worst, best - worst, out=share, where=best > worst)
    return np.clip(low + (high - low) * share, low, high)
