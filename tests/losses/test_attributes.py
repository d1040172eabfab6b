"""Derivatives of losses by the slopes of weights along attributes, against differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import welfarist as wf
from tests.families.test_own_family import KolmPollak
from welfarist.base.progress import Progress
from welfarist.decisions import Scores
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import (
    DecisionLoss,
    Point,
    loss_of_choices,
    loss_of_comparisons,
    loss_of_scores,
)
from welfarist.losses.point import QuadraticModel
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.attribute_weighting import AttributeWeighting
from welfarist.people.table import people_of
from welfarist.solvers.newton import Newton

# Central differences of a smooth function of order one with steps of 1e-5: their own error is
# about 1e-10, so that the tolerances measure the derivatives.
STEP = 1e-5
GRADIENT, HESSIAN = 1e-6, 1e-5
# In mean loss: what a search by differences alone leaves.
BRUTE_FORCE = 1e-8

PEOPLE, ACTIONS = 6, 25
POWERS = (-3.0, -0.4, -1e-7, 0.0, 1e-9, 0.3, 1.0, 4.0)


def weighting(seed: int = 0) -> AttributeWeighting:
    rng = np.random.default_rng(seed)
    return AttributeWeighting(
        PEOPLE,
        attributes=("age", "income"),
        table=np.array([rng.uniform(20, 80, PEOPLE), rng.lognormal(10, 1, PEOPLE)]),
        heads=rng.integers(1, 50, PEOPLE).astype(float),
    )


def utilities(seed: int = 1, absent: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    table = rng.lognormal(0, 0.7, (ACTIONS, PEOPLE))
    return np.where(rng.random(table.shape) < 0.2, np.nan, table) if absent else table


def comparisons(noise=LOGISTIC) -> DecisionLoss:
    rng = np.random.default_rng(2)
    pairs = rng.integers(ACTIONS, size=(80, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    outcomes = rng.choice([1, -1], len(pairs))
    decided = wf.Comparisons(utilities(), pairs, outcomes)
    return loss_of_comparisons(decided, POWER_MEAN, weighting(), True, noise, 1e6)


def of_another_family() -> DecisionLoss:
    loss = comparisons()
    people = people_of(utilities(), KolmPollak(), loss.weighting)
    return replace(loss, family=KolmPollak(), people=people)


def choices(absent: bool = False) -> DecisionLoss:
    rng = np.random.default_rng(3)
    menus = [rng.choice(ACTIONS, 4, replace=False) for _ in range(60)]
    chosen = [int(rng.choice(menu)) for menu in menus]
    decided = wf.Choices(utilities(absent=absent), menus, chosen, absent=absent)
    return loss_of_choices(decided, POWER_MEAN, weighting(), True, LOGISTIC, 1e6)


def scores(scale: bool) -> DecisionLoss:
    rng = np.random.default_rng(4)
    made = Scores.of(utilities(), rng.lognormal(0, 0.5, ACTIONS))
    return loss_of_scores(made, POWER_MEAN, weighting(), True, scale)


LOSSES = {
    "comparisons": comparisons,
    "with slips": lambda: comparisons(LAPSE),
    "menus": choices,
    "menus of who is present": lambda: choices(absent=True),
    "another family": of_another_family,
    "scores": lambda: scores(False),
    "scaled scores": lambda: scores(True),
}


def point_of(loss: DecisionLoss, at: np.ndarray) -> Point:
    return Point(np.empty(0), loss.shape.coordinate.back(float(at[0])), at[1:])


def place(loss: DecisionLoss, p: float) -> np.ndarray:
    slopes = np.array([0.8, -0.5])
    if loss.family != POWER_MEAN:
        p = float(np.clip(p, -2.0, 2.0))  # well inside its range
    noise = {0: [], 1: [0.3], 2: [0.3, 0.1]}[len(loss.observed.parameters)]
    return np.array([loss.shape.coordinate.into(p), *slopes, *noise])


def differences(function, at: np.ndarray) -> np.ndarray:
    steps = STEP * np.eye(len(at))
    return np.array([(function(at + step) - function(at - step)) / (2 * STEP) for step in steps])


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("kind", LOSSES)
def test_gradients_are_those_of_differences(kind: str, p: float) -> None:
    loss = LOSSES[kind]()
    at = place(loss, p)
    found = loss.evaluate(point_of(loss, at)).gradient()
    expected = differences(lambda x: loss.evaluate(point_of(loss, x)).value, at)
    np.testing.assert_allclose(found, expected, rtol=0, atol=GRADIENT * np.abs(expected).max())


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("kind", LOSSES)
def test_hessians_are_those_of_differences(kind: str, p: float) -> None:
    loss = LOSSES[kind]()
    at = place(loss, p)
    here = loss.evaluate_exactly(point_of(loss, at))
    model: QuadraticModel = here.model()
    found = model.curvature + here.remainder()
    expected = differences(lambda x: loss.evaluate(point_of(loss, x)).gradient(), at)
    np.testing.assert_allclose(found, expected, rtol=0, atol=HESSIAN * np.abs(expected).max())


def test_weights_follow_the_formula_and_lead_back() -> None:
    known = weighting()
    theta = np.array([0.02, -1e-5])
    weights = known.heads * np.exp(theta @ known.table)
    slopes = theta * known.units
    found = known.weights_at(np.empty(0), slopes)
    np.testing.assert_allclose(found, weights / weights.sum(), rtol=1e-13)
    np.testing.assert_allclose(known.slopes_of(found), slopes, rtol=1e-11)
    assert known.theta(slopes) == pytest.approx({"age": 0.02, "income": -1e-5}, rel=1e-14)


def test_what_is_held_moves_into_the_heads() -> None:
    known = weighting()
    slopes = np.array([0.4, -0.7])
    theta = known.theta(slopes)
    left = known.holding({1: theta["income"]})
    expected = known.weights_at(np.empty(0), slopes)
    found = left.weights_at(np.empty(0), slopes[:1])
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    every = known.holding({0: theta["age"], 1: theta["income"]})
    np.testing.assert_allclose(every.fixed, expected, rtol=1e-13)


def test_at_an_infinite_power_slopes_change_nothing() -> None:
    loss = replace(comparisons(), learn_power=False)
    point = Point(np.empty(0), -np.inf, np.array([0.8, -0.5, 0.3]))
    at_rule = loss.evaluate(point)
    other = loss.evaluate(Point(np.empty(0), -np.inf, np.array([-3.0, 2.0, 0.3])))
    assert at_rule.value == other.value
    assert (at_rule.judged.rows() == 0).all()


def decided_by_a_rule(kind: str) -> DecisionLoss:
    """Decisions of somebody for whom the old count more, with noise."""
    rng = np.random.default_rng(5)
    known, table = weighting(), utilities()
    rule = wf.WelfareFunction(0.5, known.weights_at(np.empty(0), np.array([0.8, -0.5])))
    if kind == "scores":
        made = Scores.of(table, 3.0 * rule(table) + rng.normal(0, 0.2, ACTIONS))
        return loss_of_scores(made, POWER_MEAN, known, True, True)
    if kind == "menus":
        menus = [rng.choice(ACTIONS, 4, replace=False) for _ in range(150)]
        chosen = [menu[np.argmax(8 * rule.log(table[menu]) + rng.gumbel(size=4))] for menu in menus]
        return loss_of_choices(
            wf.Choices(table, menus, chosen), POWER_MEAN, known, True, LOGISTIC, 1e6
        )
    pairs = rng.permuted(np.tile(np.arange(ACTIONS), (300, 1)), axis=1)[:, :2]
    margins = rule.log(table[pairs[:, 0]]) - rule.log(table[pairs[:, 1]])
    outcomes = np.where(8 * margins + rng.logistic(size=len(pairs)) > 0, 1, -1)
    made = wf.Comparisons(table, pairs, outcomes)
    return loss_of_comparisons(made, POWER_MEAN, known, True, LOGISTIC, 1e6)


@pytest.mark.parametrize("kind", ["comparisons", "menus", "scores"])
def test_a_fit_ends_where_brute_force_does(kind: str) -> None:
    loss = decided_by_a_rule(kind)
    rng = np.random.default_rng(0)
    found = Newton().minimise(
        loss, rng, p=None, observations=loss.observed.total, progress=Progress(False)
    )

    def value(x: np.ndarray) -> float:
        return loss.evaluate(point_of(loss, x)).value

    ends = [tuple(np.arcsinh(loss.search_range)), *zip(*loss.extra_bounds, strict=True)]
    exactly = {"ftol": 1e-15, "gtol": 1e-10}
    starts = (place(loss, 0.5), place(loss, -2.0), place(loss, 3.0))
    reached = min(
        minimize(value, start, method="L-BFGS-B", bounds=ends, options=exactly).fun
        for start in starts
    )
    assert found.converged
    assert found.value == pytest.approx(reached, abs=BRUTE_FORCE)
