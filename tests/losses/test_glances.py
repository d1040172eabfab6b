"""Many rules at a glance: what is seen of each is its loss."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.power_mean.many_means import log_means_of_present
from welfarist.losses import Point, loss_of_choices
from welfarist.losses.restraint import Restraint
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.present_rule import PresentRule
from welfarist.people.weighting import Weighting

# A glance adds up the same numbers in another order.
ROUNDING = 1e-9
POWERS = np.array([-20.0, -1.0, 0.5, 2.0, 50.0])


def rankings(rng, table):
    orders = rng.permuted(np.tile(np.arange(len(table)), (12, 1)), axis=1)
    return wf.Choices.from_rankings(table, orders[:, :3], orders[:, :5])


def with_outside(rng, table):
    menus = [rng.permutation(len(table))[: 2 + i % 4].tolist() for i in range(15)]
    chosen = [None if i % 5 == 4 else menu[0] for i, menu in enumerate(menus)]
    return wf.Choices(table, menus, chosen, outside=True)


def best_and_worst(rng, table):
    menus = rng.permuted(np.tile(np.arange(len(table)), (9, 1)), axis=1)[:, :4]
    return wf.Choices.from_best_worst(table, menus, menus[:, 0], menus[:, 1])


def with_absent(rng, table):
    table = np.where(rng.random(table.shape) < 0.3, np.nan, table)
    table[:, 0] = np.where(np.isnan(table).all(axis=1), 1.0, table[:, 0])
    menus = rng.permuted(np.tile(np.arange(len(table)), (14, 1)), axis=1)[:, :3]
    return wf.Choices(table, menus, menus[:, 0], absent=True)


def seen_and_evaluated(loss, weights, powers, rng):
    lower, upper = loss.extra_bounds
    extras = rng.uniform(np.maximum(lower, 0.1), np.minimum(upper, 3.0), (len(powers), len(lower)))
    with np.errstate(divide="ignore"):
        seen = loss.glance(np.log(weights), powers).losses(extras)
    rules = zip(weights, powers.tolist(), extras, strict=True)
    return seen, [loss.evaluate(Point(*rule)).value for rule in rules]


@pytest.mark.parametrize("restraint", [None, Restraint(3)])
@pytest.mark.parametrize("noise", [LOGISTIC, LAPSE])
@pytest.mark.parametrize(
    ("made", "options"),
    [
        (rankings, {}),
        (rankings, {"tau_by_stage": True}),
        (with_outside, {}),
        (best_and_worst, {}),
        (with_absent, {}),
        (with_absent, {"size_effect": True}),
    ],
)
def test_glances_see_the_loss_of_menus(made, options, noise, restraint):
    rng = np.random.default_rng(5)
    choices = made(rng, rng.uniform(1, 10, (10, 4)))
    loss = loss_of_choices(choices, POWER_MEAN, Weighting(4), True, noise, 1e6, **options)
    weights = rng.dirichlet(np.ones(4), len(POWERS))
    seen, evaluated = seen_and_evaluated(loss.restrained(restraint), weights, POWERS, rng)
    assert seen == pytest.approx(evaluated, rel=ROUNDING)


@pytest.mark.parametrize("restraint", [None, Restraint(2)])
@pytest.mark.parametrize("noise", [LOGISTIC, LAPSE])
def test_glances_see_the_loss_of_menus_where_somebody_has_nothing(noise, restraint):
    table = [[0.0, 0.0, 4.0], [0.0, 6.0, 7.0], [7.0, 4.0, 0.0], [2.0, 1.0, 4.0], [0.0, 0.0, 5.0]]
    choices = wf.Choices(table, [[0, 1, 2], [1, 3], [0, 2, 3], [0, 4]], [1, 3, 3, 4])
    loss = loss_of_choices(choices, POWER_MEAN, Weighting(3), True, noise, 1e6)
    weights = np.array([[0.0, 1.0, 0.0], [0.4, 0.6, 0.0], [0.2, 0.3, 0.5]])
    rng = np.random.default_rng(6)
    seen, evaluated = seen_and_evaluated(loss.restrained(restraint), weights, np.full(3, 0.5), rng)
    assert seen == pytest.approx(evaluated, rel=ROUNDING)


def test_glances_see_means_among_those_present():
    rng = np.random.default_rng(7)
    table = rng.uniform(1, 10, (30, 4))
    table[rng.random(table.shape) < 0.4] = np.nan
    table[:, 1] = np.where(np.isnan(table).all(axis=1), 2.0, table[:, 1])
    weights = np.array([[0.1, 0.2, 0.3, 0.4], [0.0, 0.5, 0.5, 0.0]])
    there = ~np.isnan(table.T)
    with np.errstate(divide="ignore"):
        logs, known = np.log(np.where(there, table.T, 1.0)), np.log(weights)
    seen = log_means_of_present(logs, there, known, np.array([-3.0, 2.0]))
    for row, (p, w) in enumerate([(-3.0, weights[0]), (2.0, weights[1])]):
        counted = (there & (w > 0)[:, None]).any(axis=0)
        rule = PresentRule(wf.WelfareFunction(p, w))
        assert seen[row, counted] == pytest.approx(rule.value(table[counted]), rel=ROUNDING)


@pytest.mark.filterwarnings("ignore::welfarist.SearchRangeWarning")
def test_menus_of_two_find_the_optimum_that_pairs_find():
    """Equal weights and moderate powers lead to p = 1.37, whose loss is higher by 2e-4."""
    world = wf.simulate.individuals(200, 3, p=-1.0, random_state=4)
    menus = wf.simulate.random_menus(200, 60, 10, random_state=4)
    rng = np.random.default_rng([4, 1])
    value = 5.0 * np.log(world.welfare)[menus] + rng.gumbel(size=menus.shape)
    ranked = np.take_along_axis(menus, np.argsort(-value, axis=1), axis=1)
    pairs = np.stack([np.repeat(ranked[:, :1], 9, axis=1), ranked[:, 1:]], axis=-1).reshape(-1, 2)
    learner = wf.ChoiceLearner(random_state=0).fit(wf.Choices(world.utilities, pairs, pairs[:, 0]))
    decided = wf.Comparisons(world.utilities, pairs, np.ones(len(pairs)))
    by_pairs = wf.ComparisonClassifier(random_state=0).fit(decided)
    assert learner.loss_ == pytest.approx(by_pairs.loss_, rel=ROUNDING)
