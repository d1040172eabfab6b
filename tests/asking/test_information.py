"""What an answer is expected to tell, against sums over all cases."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist.asking.choosing import best_chances
from welfarist.asking.coordinates import Rules
from welfarist.asking.information import answer_chances, gain_about_best, gain_about_rule
from welfarist.asking.questions import (
    concerned,
    made_up,
    rounded,
    screened_pairs,
    traded_people,
)
from welfarist.asking.stopping import StopRule

ROUNDING = 1e-12


def mutual_information(joint):
    """Bits of two things whose chances are a table."""
    rows, columns = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    inside = joint > 0
    return (joint[inside] * np.log2((joint / (rows * columns))[inside])).sum()


@pytest.mark.parametrize("ties", [False, True])
def test_bits_are_mutual_information(ties):
    rng = np.random.default_rng(0)
    size = 7
    rules = Rules(
        rng.dirichlet(np.ones(3), size), rng.normal(size=size), rng.uniform(1, 20, size),
        rng.uniform(0, 0.2, size), rng.uniform(0.01, 0.2, size),
    )  # fmt: skip
    welfares, shares = rng.normal(scale=0.2, size=(size, 4)), rng.dirichlet(np.ones(size))
    pairs = np.array([[0, 1], [2, 3], [3, 0]])
    chances = answer_chances(welfares, pairs, rules, ties)
    assert np.abs(sum(chances) - 1.0).max() < ROUNDING
    bits, chance = gain_about_rule(chances, shares)
    best = np.array([0, 2, 2, 0, 1, 2, 0])
    about_best = gain_about_best(chances, shares, best, actions=3)
    for k in range(3):
        joint = np.column_stack([shares * c[:, k] for c in chances])
        assert abs(bits[k] - mutual_information(joint)) < ROUNDING
        left = -(joint * np.log2(joint / shares[:, None])).sum()
        assert abs(chance[k] - left) < ROUNDING
        by_best = np.array([joint[best == b].sum(axis=0) for b in range(3)])
        assert abs(about_best[k] - mutual_information(by_best)) < ROUNDING
        assert about_best[k] <= bits[k] + ROUNDING


def test_rules_that_agree_have_nothing_to_learn():
    rules = Rules(np.full((5, 2), 0.5), np.zeros(5), np.full(5, 9.0), np.zeros(5), np.zeros(5))
    welfares = np.tile([0.0, 1.0], (5, 1))
    chances = answer_chances(welfares, np.array([[0, 1]]), rules, ties=False)
    assert gain_about_rule(chances, np.full(5, 0.2))[0][0] < ROUNDING


def test_screening_keeps_what_rules_disagree_about():
    rng = np.random.default_rng(1)
    welfares = rng.normal(size=(50, 40)) + np.arange(40) * 0.1
    pairs = screened_pairs(welfares, welfares.mean(axis=0), rng)
    assert len({frozenset(pair) for pair in pairs.tolist()}) == len(pairs)
    votes = (welfares[:, pairs[:, 0]] > welfares[:, pairs[:, 1]]).mean(axis=0)
    every = np.array(np.triu_indices(40, 1)).T
    others = (welfares[:, every[:, 0]] > welfares[:, every[:, 1]]).mean(axis=0)
    assert np.abs(votes - 0.5).mean() < np.abs(others - 0.5).mean()


def test_made_up_outcomes_trade_two_or_three_people():
    rng = np.random.default_rng(2)
    table = rng.uniform(1, 100, (30, 6))
    drawn = made_up(table, rng)
    assert len(drawn) > 300
    differ = concerned(drawn[:, 0], drawn[:, 1])
    assert set(differ.tolist()) == {2, 3}
    assert (drawn[:, 0] > drawn[:, 1]).any(axis=1).all()
    assert (drawn[:, 0] < drawn[:, 1]).any(axis=1).all()
    assert drawn.min() >= rounded(table.min(keepdims=True)).min()
    assert drawn.max() <= rounded(table.max(keepdims=True)).max()


def test_whom_a_question_is_about():
    one, other = np.array([[4.0, 1.0, 2.0]]), np.array([[1.0, 8.0, 2.0]])
    assert traded_people(one, other, np.full(3, 1 / 3)).tolist() == [[0, 1]]
    one = np.array([[0.0, 1.0, 2.0]])  # from nothing to something is more than any gain
    assert 0 in traded_people(one, np.array([[1.0, 0.5, 1.0]]), np.full(3, 1 / 3))[0]


def test_reasons_to_stop():
    rule = StopRule(bits=0.2, sure=0.9, most=10)
    assert rule.reason(3, 0.5, None) == ""
    assert "0.10 bits" in rule.reason(3, 0.1, None)
    assert "10 questions" in rule.reason(10, 0.5, None)
    assert "probability 0.93" in rule.reason(3, 0.5, 0.93)
    assert "no question left" in rule.reason(3, None, 0.2)
    # What a question tells halves as their number doubles, once everybody was asked about.
    assert rule.about_more(5, 0.4, None, 2) == 5
    assert rule.about_more(9, 0.9, None, 2) == 1
    assert 1 <= rule.about_more(4, 0.9, 0.8, 2) <= 6


def test_more_questions_are_expected_about_more_people():
    rule = StopRule(bits=0.2, sure=0.9, most=100)
    expected = [rule.about_more(0, 0.7, None, people) for people in (2, 5, 10)]
    assert expected == sorted(expected)
    assert expected[0] >= 10
    assert rule.about_more(30, 0.25, None, 5) < 10  # and fewer as it comes to its end


def test_the_first_question_is_not_the_last_where_actions_are_alike():
    rule = StopRule(bits=0.2, sure=0.9, most=100)
    about = [rule.about_more(0, bits, None, 4) for bits in (0.5, 0.49, 0.25)]
    assert about == sorted(about, reverse=True)
    assert about[0] - about[1] <= 1  # nothing falls off where everything is no longer new
    assert about[2] > 10


def test_actions_that_are_equally_good_are_equally_likely_to_be_the_best():
    table = np.array([[5.0, 5.0], [9.0, 1.0], [5.0, 5.0], [1.0, 1.0]])
    rules = Rules(np.array([[0.5, 0.5]] * 2), np.array([-20.0, 20.0]), *np.ones((3, 2)))
    shares = np.array([0.75, 0.25])
    assert best_chances(rules, shares, table) == pytest.approx([0.375, 0.25, 0.375, 0.0])


def test_rules_without_a_best_action_find_all_as_likely():
    rng = np.random.default_rng(4)
    size, actions = 6, 5
    shares, best = rng.dirichlet(np.ones(size)), np.array([0, -1, 3, 0, -1, 3])
    first = rng.random((size, 2))
    about_best = gain_about_best([first, 1.0 - first], shares, best, actions)
    for k in range(2):
        joint = np.zeros((actions, 2))
        for s in range(size):
            own = np.eye(actions)[best[s]] if best[s] >= 0 else np.full(actions, 1 / actions)
            joint += shares[s] * np.outer(own, [first[s, k], 1.0 - first[s, k]])
        assert abs(about_best[k] - mutual_information(joint)) < ROUNDING
    nobody = gain_about_best([first, 1.0 - first], shares, np.full(size, -1), actions)
    assert (nobody < ROUNDING).all()


def test_what_is_worth_nothing_to_both_is_no_vote_for_either():
    rng = np.random.default_rng(5)
    welfares = np.full((40, 12), -np.inf)
    welfares[::2] = rng.normal(size=(20, 12))
    welfares[::2, 0] = 9.0  # all who find anything worth something agree on the first
    pairs = screened_pairs(welfares, np.zeros(12), rng)
    assert (pairs[-11:] == 0).any(axis=1).all()


def test_skipped_questions_are_no_answers():
    rule = StopRule(bits=0.2, sure=0.9, most=10)
    assert rule.reason(10, 0.5, None, skipped=4) == (
        "10 questions were put, the most there should be; 4 of them were skipped"
    )
    # Doubt falls with answers, and those that were skipped said nothing.
    assert rule.about_more(8, 0.9, 0.6, 2, skipped=5) <= rule.about_more(8, 0.9, 0.6, 2)
