"""What a rule asks in return for a loss, against a search for the gain that makes up for it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import welfarist as wf
from welfarist.people.tradeoffs import required_gain, third, worst_off

# A search over the logarithm of the gain ends within 1e-13; welfares are good to a few units.
GAIN = 1e-9

ACTIONS = np.random.default_rng(0).uniform(1, 10, (20, 5))
LOSING = worst_off(ACTIONS).losing
WEIGHTS = np.array([0.4, 0.25, 0.2, 0.15, 0.0])


def searched_gain(rule, action, losing, loss):
    """The gain at which welfare is what it was, by trial; inf if a millionfold is too little."""

    def change(log_factor):
        return rule.log(np.where(losing, (1 - loss) * action, np.exp(log_factor) * action))

    before = rule.log(action)
    most = np.log(1e6)
    if change(most) < before:
        return np.inf
    return np.expm1(brentq(lambda x: change(x) - before, 0.0, most, xtol=1e-13))


@pytest.mark.parametrize("p", [-8.0, -1.0, -1e-9, 0.0, 1e-9, 0.4, 1.0, 3.0])
@pytest.mark.parametrize("loss", [0.01, 0.1, 0.5])
def test_gain_leaves_welfare_as_it_was(p, loss):
    rule = wf.WelfareFunction(p, WEIGHTS)
    found = required_gain(rule, ACTIONS, LOSING, loss)
    searched = [searched_gain(rule, *row, loss) for row in zip(ACTIONS, LOSING, strict=True)]
    assert np.array_equal(np.isinf(found) | (found > 1e6), np.isinf(searched))
    finite = np.isfinite(searched)
    assert finite.any() or p < -1  # so averse a rule may accept no gain in any action
    np.testing.assert_allclose(found[finite], np.array(searched)[finite], rtol=GAIN, atol=GAIN)


def test_egalitarian_accepts_no_gain_for_those_who_count():
    rule = wf.WelfareFunction(-np.inf, WEIGHTS)
    counted = (LOSING & (WEIGHTS > 0)).any(axis=1)
    found = required_gain(rule, ACTIONS, LOSING, 0.1)
    assert np.isinf(found[counted]).all()
    assert (found[~counted] == 0).all()


def test_best_off_rule_asks_nothing_for_the_worst_off_unless_nobody_else_counts():
    assert (required_gain(wf.WelfareFunction(np.inf), ACTIONS, LOSING, 0.1) == 0).all()
    alone = wf.WelfareFunction(np.inf, [1.0, 0.0])
    assert np.isinf(required_gain(alone, [[1.0, 2.0]], np.array([[True, False]]), 0.1)).all()
    second = required_gain(wf.WelfareFunction(np.inf), [[4.0, 2.0]], np.array([[True, False]]), 0.6)
    assert second == pytest.approx([1.0])


def test_a_third_is_whole_people_at_least_one():
    assert [third(d) for d in (1, 2, 3, 4, 5, 18, 100)] == [1, 1, 1, 1, 2, 6, 33]
    assert worst_off([[4.0, 2.0, 3.0, 1.0, 5.0]]).losing.tolist() == [[0, 1, 0, 1, 0]]


def test_equal_people_take_turns_at_being_worst_off_each_as_often():
    found = worst_off([[2.0, 2.0, 2.0, 1.0, 5.0], [1.0, 1.0, 2.0, 3.0, 4.0]])
    assert found.actions.tolist() == [0, 0, 0, 1]
    assert found.counts == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1.0])
    turns = [[1, 0, 0, 1, 0], [0, 1, 0, 1, 0], [0, 0, 1, 1, 0], [1, 1, 0, 0, 0]]
    assert found.losing.tolist() == turns


def test_who_is_worst_off_does_not_depend_on_the_order_of_people():
    rng = np.random.default_rng(1)
    table, weights = rng.integers(1, 4, (50, 7)).astype(float), rng.dirichlet(np.ones(7))
    found = worst_off(table, weights)
    assert (found.losing.sum(axis=1) == third(7)).all()
    assert np.bincount(found.actions, found.counts) == pytest.approx(np.ones(50))
    order = rng.permutation(7)
    turned = worst_off(table[:, order], weights[order])
    assert (turned.losing == found.losing[:, order]).all()
    assert (turned.actions == found.actions).all()
    often = np.zeros(table.shape)
    np.add.at(often, found.actions, found.losing * found.counts[:, None])
    for row, shares in zip(table, often, strict=True):
        for utility in set(row):
            assert np.ptp(shares[row == utility]) < 1e-12  # equal people, equally often


def test_losses_and_actions_that_make_no_sense_are_refused():
    rule = wf.WelfareFunction(0)
    for loss in (0, 1, 1.5, np.nan, "much"):
        with pytest.raises(wf.InputError, match="loss must be a share"):
            required_gain(rule, ACTIONS, LOSING, loss)
    with pytest.raises(wf.InputError, match="positive welfare"):
        required_gain(rule, [[0.0, 1.0]], np.array([[True, False]]), 0.1)


def test_egalitarian_looks_at_who_is_worst_off_after_the_loss():
    rule, action, second = wf.WelfareFunction(-np.inf), [[1.0, 4.0]], np.array([[False, True]])
    assert required_gain(rule, action, second, 0.5) == 0.0  # 2 is still more than 1
    assert required_gain(rule, action, second, 0.9) == np.inf  # 0.4 is less, and is not helped
