"""The likelihood of choices from menus: against differences, pairs, rankings and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from welfarist.decisions import Choices, Comparisons
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.power_mean.mean import log_power_mean
from welfarist.losses import Point, loss_of_choices, loss_of_comparisons, weight_units
from welfarist.losses.restraint import Restraint
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.weighting import Weighting

WEIGHTS = np.array([0.4, 0.3, 0.2, 0.1])
# Central differences of step h are off by h^2 times a third or fourth derivative.
BY_DIFFERENCES, TWICE = 1e-6, 1e-5
# Two ways to add up the same numbers.
ROUNDING = 1e-12


def world(seed=0, actions=30, menus=80):
    rng = np.random.default_rng(seed)
    utilities = rng.uniform(1, 10, (actions, 4))
    offered = [rng.choice(actions, rng.integers(2, 6), replace=False) for _ in range(menus)]
    return rng, utilities, offered, [menu[0] for menu in offered]


def with_absent(rng, utilities):
    table = np.where(rng.random(utilities.shape) < 0.3, np.nan, utilities)
    table[np.isnan(table).all(axis=1), 0] = 1.0
    return table


def kinds():
    """Every kind of choices, with options of the loss and extras beyond those of the noise."""
    rng, utilities, menus, chosen = world()
    sometimes = [None if i % 7 == 0 else one for i, one in enumerate(chosen)]
    ranks = [rng.permutation(30)[:4] for _ in range(40)]
    tied = [[r[0], r[1], [r[2], r[3]]] for r in ranks]
    worst = [menu[1] for menu in menus]
    absent = with_absent(rng, utilities)
    return {
        "plain": (Choices(utilities, menus, chosen), {}, []),
        "outside": (Choices(utilities, menus, sometimes, outside=True), {}, [1.2]),
        "ranked": (Choices.from_rankings(utilities, ranks), {}, []),
        "stages": (
            Choices.from_rankings(utilities, tied), {"tau_by_stage": True}, [0.5, 0.3],
        ),
        "best and worst": (Choices.from_best_worst(utilities, menus, chosen, worst), {}, []),
        "absent": (Choices(absent, menus, chosen, absent=True), {"size_effect": True}, [0.3]),
    }  # fmt: skip


KINDS = kinds()


def moves_of(loss, point):
    """Moves that keep the sum of the weights, one a row, and the point they lead to."""
    k, learned = loss.weighting.free, int(loss.learn_power)
    size = k + learned + len(point.extras)
    basis = np.eye(size)
    if k:
        normal = np.zeros(size)
        normal[:k] = weight_units(point.weights)
        basis = np.linalg.qr(np.column_stack([normal, np.eye(size)]))[0][:, 1:size].T

    def at(x):
        weights = point.weights + x[:k] * weight_units(point.weights) if k else point.weights
        p = float(np.sinh(np.arcsinh(point.p) + x[k])) if learned else point.p
        return Point(weights, p, point.extras + x[k + learned :])

    return basis, at


@pytest.mark.parametrize("noise", [LOGISTIC, LAPSE], ids=["logistic", "lapse"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [-0.7, 0.0, 5.0])
@pytest.mark.parametrize("charged", [False, True], ids=["plain", "charged"])
def test_derivatives_are_those_of_the_loss(kind, noise, p, charged):
    choices, options, more = KINDS[kind]
    weighting = Weighting(4)
    loss = loss_of_choices(choices, POWER_MEAN, weighting, True, noise, 1e6, **options)
    loss = loss.restrained(Restraint(4) if charged else None)
    own = [] if noise is LOGISTIC else [0.15]
    point = Point(WEIGHTS, p, np.array([0.8, *own, *more]))
    basis, at = moves_of(loss, point)
    step = 1e-5

    def value(x):
        return loss.evaluate(at(x)).value

    slopes = [(value(step * b) - value(-step * b)) / (2 * step) for b in basis]
    here = loss.evaluate_exactly(point)
    model = here.model()
    assert np.allclose(slopes, basis @ model.gradient, atol=BY_DIFFERENCES)
    assert np.allclose(model.gradient, loss.evaluate(point).gradient(), atol=ROUNDING)
    hessian = basis @ (model.curvature + loss.evaluate_exactly(point).remainder()) @ basis.T
    wide = 1e-3

    def four(a, b):
        both = value(wide * (a + b)) + value(-wide * (a + b))
        return (both - value(wide * (a - b)) - value(wide * (b - a))) / (4 * wide**2)

    rough = np.array([[four(a, b) for b in basis] for a in basis])
    wide /= 2
    fine = np.array([[four(a, b) for b in basis] for a in basis])
    richer = (4 * fine - rough) / 3  # which takes out the error of order h^2
    assert np.allclose(richer, hessian, atol=TWICE * max(1.0, np.abs(hessian).max()))


@pytest.mark.parametrize(
    "weighting",
    [Weighting(4, group_of=np.array([0, 0, 1, 2])), Weighting(4, fixed=WEIGHTS)],
    ids=["groups", "known"],
)
def test_derivatives_where_people_are_absent_and_weights_are_not_free(weighting):
    choices, options, more = KINDS["absent"]
    loss = loss_of_choices(choices, POWER_MEAN, weighting, True, LOGISTIC, 1e6, **options)
    free = np.array([0.5, 0.3, 0.2]) if weighting.free else np.empty(0)
    point = Point(free, -1.3, np.array([0.8, *more]))
    basis, at = moves_of(loss, point)
    step = 1e-5
    for b in basis:
        slope = (loss.evaluate(at(step * b)).value - loss.evaluate(at(-step * b)).value) / (
            2 * step
        )
        bend = (
            loss.evaluate(at(step * b)).gradient() - loss.evaluate(at(-step * b)).gradient()
        ) / (2 * step)
        here = loss.evaluate(point)
        assert slope == pytest.approx(b @ here.gradient(), abs=BY_DIFFERENCES)
        if not weighting.free:  # units of weights move with them
            hessian = here.model().curvature + loss.evaluate(point).remainder()
            assert np.allclose(basis @ bend, basis @ hessian @ b, atol=TWICE)


@pytest.mark.parametrize("noise", [LOGISTIC, LAPSE], ids=["logistic", "lapse"])
@pytest.mark.parametrize("charged", [False, True], ids=["plain", "charged"])
def test_menus_of_two_are_comparisons(noise, charged):
    rng, utilities, _, _ = world(1)
    pairs = np.array([rng.choice(30, 2, replace=False) for _ in range(300)])
    decided = Comparisons(
        utilities, pairs, rng.choice([-1, 0, 1], 300), counts=rng.integers(1, 4, 300),
        by=rng.integers(0, 9, 300),
    )  # fmt: skip
    menus = Choices.of_comparisons(decided)
    restraint = Restraint(4) if charged else None
    known = POWER_MEAN, Weighting(4), True, noise, 1e6
    one = loss_of_comparisons(decided, *known).restrained(restraint)
    other = loss_of_choices(menus, *known).restrained(restraint)
    point = Point(WEIGHTS, -0.7, np.array([1.0] if noise is LOGISTIC else [1.0, 0.07]))
    here, there = one.evaluate(point), other.evaluate(point)
    assert here.value == pytest.approx(there.value, rel=ROUNDING)
    assert np.allclose(here.gradient(), there.gradient(), atol=ROUNDING)
    assert np.allclose(here.model().curvature, there.model().curvature, atol=ROUNDING)
    assert np.allclose(here.remainder(), there.remainder(), atol=ROUNDING)
    assert one.observed.accuracy(here.response) == pytest.approx(
        other.observed.accuracy(there.response), rel=ROUNDING
    )
    assert here.response.doubt() == pytest.approx(there.response.doubt(), rel=ROUNDING)
    for what in ("null_loss", "least_loss"):
        both = getattr(one.observed, what)(), getattr(other.observed, what)()
        assert both[0] == pytest.approx(both[1], rel=ROUNDING)
    basis = np.eye(5 + len(point.extras))
    singles = one.observed.one_by_one(decided), other.observed.one_by_one(menus)
    for by in (None, singles[0].deciders):
        meat = [single.outer_scores(here.judged, point.extras, basis, by) for single in singles]
        assert np.allclose(meat[0], meat[1], rtol=ROUNDING, atol=1e-10)
    terms = rng.normal(size=(2, 30))
    a, b = (
        single.slopes(here.judged, point.extras, basis, terms, None, singles[0].deciders)
        for single in singles
    )
    assert np.allclose(a.slope, b.slope, atol=1e-10)
    assert np.allclose(a.information, b.information, atol=1e-9)
    assert np.allclose(a.by_person, b.by_person, atol=1e-10)


def chance_of(utilities, menu, chosen, p, tau):
    """How likely one action of a menu is chosen, by the formula."""
    value = tau * log_power_mean(utilities[menu], p, WEIGHTS)
    return float(value[list(menu).index(chosen)] - logsumexp(value))


def test_a_ranking_is_the_product_of_its_choices():
    _, utilities, _, _ = world(2)
    ranking, rest = [3, 17, 5, 8], [1, 2]
    choices = Choices.from_rankings(utilities, [ranking], [[*ranking, *rest]])
    loss = loss_of_choices(choices, POWER_MEAN, Weighting(4), True, LOGISTIC, 1e6)
    found = loss.evaluate(Point(WEIGHTS, -1.5, np.log([4.0])))
    left, total = [*ranking, *rest], 0.0
    for chosen in ranking:
        total += chance_of(utilities, left, chosen, -1.5, 4.0)
        left = [action for action in left if action != chosen]
    assert found.value * loss.observed.total == pytest.approx(-total, rel=ROUNDING)


def test_the_worst_is_chosen_with_the_opposite_sign():
    _, utilities, _, _ = world(3)
    choices = Choices.from_best_worst(utilities, [[3, 17, 5, 8]], [17], [5])
    loss = loss_of_choices(choices, POWER_MEAN, Weighting(4), True, LOGISTIC, 1e6)
    found = loss.evaluate(Point(WEIGHTS, 0.5, np.log([4.0])))
    expected = chance_of(utilities, [3, 17, 5, 8], 17, 0.5, 4.0)
    expected += chance_of(utilities, [3, 5, 8], 5, 0.5, -4.0)
    assert found.value * 2 == pytest.approx(-expected, rel=ROUNDING)


def test_a_slip_takes_any_action_of_the_menu():
    _, utilities, _, _ = world(4)
    menu = [3, 17, 5, 8]
    loss = loss_of_choices(
        Choices(utilities, [menu], [5]), POWER_MEAN, Weighting(4), True, LAPSE, 1e6
    )
    found = loss.evaluate(Point(WEIGHTS, 0.5, np.array([np.log(4.0), 0.1])))
    chance = 0.8 * np.exp(chance_of(utilities, menu, 5, 0.5, 4.0)) + 0.2 / 4
    assert found.value == pytest.approx(-np.log(chance), rel=ROUNDING)


def test_none_of_these_is_one_more_action():
    _, utilities, _, _ = world(5)
    choices = Choices(utilities, [[3, 17], [5, 8]], [17, None], outside=True)
    loss = loss_of_choices(choices, POWER_MEAN, Weighting(4), True, LOGISTIC, 1e6)
    found = loss.evaluate(Point(WEIGHTS, 0.5, np.array([np.log(4.0), np.log(3.0)])))
    expected = 0.0
    for menu, place in (([3, 17], 1), ([5, 8], 2)):
        value = 4.0 * np.append(log_power_mean(utilities[menu], 0.5, WEIGHTS), np.log(3.0))
        expected += float(logsumexp(value) - value[place])
    assert found.value * 2 == pytest.approx(expected, rel=ROUNDING)


def test_who_is_absent_leaves_their_weight_to_others():
    rng, utilities, menus, chosen = world(6)
    table = with_absent(rng, utilities)
    choices = Choices(table, menus, chosen, absent=True)
    loss = loss_of_choices(choices, POWER_MEAN, Weighting(4), True, LOGISTIC, 1e6)
    for p in (-np.inf, -30.0, -1.0, -1e-9, 0.0, 1e-4, 1.0, 30.0, np.inf):
        judged = loss.judge(Point(WEIGHTS, p, np.zeros(1)))
        used = np.unique(np.concatenate(menus))
        for value, row in zip(judged.values + loss.people.shift, table[used], strict=True):
            there = ~np.isnan(row)
            expected = log_power_mean(row[there], p, WEIGHTS[there])
            assert value == pytest.approx(float(expected), abs=1e-12)


def test_something_against_nothing_is_certain():
    utilities = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [0.0, 0.0]]
    choices = Choices.from_best_worst(utilities, [[0, 1, 2, 3]], [1], [0])
    loss = loss_of_choices(choices, POWER_MEAN, Weighting(2), True, LOGISTIC, 1e6)
    found = loss.evaluate(Point(np.array([0.5, 0.5]), 1.0, np.array([0.0])))
    # 1.5 against 2 for the best; of two that are nothing, either is the worst.
    expected = np.log(1 + 2.0 / 1.5) + np.log(2.0)
    assert found.value * 2 == pytest.approx(expected, rel=ROUNDING)
    assert np.isfinite(found.model().curvature).all()
    assert np.isfinite(found.gradient()).all()
    assert np.isfinite(found.remainder()).all()


def test_menus_that_repeat_are_counted_together():
    _, utilities, menus, chosen = world(7, menus=40)
    again = [menu[::-1] for menu in menus]
    once = Choices(utilities, menus, chosen, counts=np.full(40, 2.0))
    twice = Choices(utilities, [*menus, *again], [*chosen, *chosen])
    assert len(twice.merged[0]) == len(once.merged[0]) <= 40
    point = Point(WEIGHTS, -1.0, np.array([1.0]))
    values = [
        loss_of_choices(made, POWER_MEAN, Weighting(4), True, LOGISTIC, 1e6).evaluate(point).value
        for made in (once, twice)
    ]
    assert values[0] == pytest.approx(values[1], rel=ROUNDING)


@pytest.mark.parametrize("p", [1e-4, 0.01, 0.5, 3.0])
def test_who_is_absent_beside_who_has_nothing(p):
    """Every action has somebody with nothing, so that none is left for the plain formula."""
    table = np.array([[0.0, 2.0, np.nan], [3.0, 0.0, 1.0], [np.nan, 0.0, 5.0], [0.0, 0.0, 4.0]])
    choices = Choices(table, [[0, 1, 2, 3]], [1], absent=True)
    weights = np.array([0.5, 0.3, 0.2])
    loss = loss_of_choices(choices, POWER_MEAN, Weighting(3), True, LOGISTIC, 1e6)
    here = loss.evaluate(Point(weights, p, np.zeros(1)))
    for value, row in zip(here.judged.values + loss.people.shift, table, strict=True):
        there = ~np.isnan(row)
        expected = np.log((weights[there] @ row[there] ** p) / weights[there].sum()) / p
        assert value == pytest.approx(float(expected), rel=1e-9)
    assert np.isfinite(here.gradient()).all()
    assert np.isfinite(here.model().curvature).all()
    assert np.isfinite(here.remainder()).all()
