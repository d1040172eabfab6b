"""The 0-1 loss: what a rule gets wrong, ties and contradictions included."""

import numpy as np
import pytest

from welfarist import Comparisons, WelfareFunction
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.people.weighting import Weighting


def loss_of(comparisons, weights=None):
    return ZeroOneLoss.of(
        comparisons.utilities, comparisons.merged, Weighting(comparisons.people, fixed=weights)
    )


@pytest.mark.parametrize("p", [-np.inf, -3.0, 0.0, 1.0, 4.5, np.inf])
def test_the_loss_is_the_share_of_wrong_answers(p):
    rng = np.random.default_rng(3)
    utilities = rng.integers(1, 6, (40, 3)).astype(float)  # many ties
    pairs = rng.permuted(np.tile(np.arange(40), (300, 1)), axis=1)[:, :2]
    outcomes = rng.integers(-1, 2, 300)
    counts = rng.integers(0, 4, 300)
    weights = np.array([0.5, 0.25, 0.25])
    loss = loss_of(Comparisons(utilities, pairs, outcomes, counts))
    answers = WelfareFunction(p, weights).compare(utilities[pairs[:, 0]], utilities[pairs[:, 1]])
    wrong = np.average((1 - outcomes * answers) / 2, weights=counts)
    assert loss.value(weights, p) == pytest.approx(wrong, abs=1e-12)
    assert loss.value(weights, p) >= loss.unavoidable


def test_contradictions_and_ties_cost_half_under_every_rule():
    utilities = [[1.0, 4.0], [3.0, 3.0], [2.0, 1.0]]
    pairs = [[0, 1], [1, 0], [1, 2], [0, 2]]
    comparisons = Comparisons(utilities, pairs, [1, 1, 0, -1])
    assert loss_of(comparisons).unavoidable == pytest.approx((1 + 0.5) / 4)


def test_nothing_against_nothing_is_a_tie():
    comparisons = Comparisons([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]], [[0, 1], [0, 2]], [1, -1])
    weights = np.array([0.5, 0.5])
    assert loss_of(comparisons, weights).signs(weights, 0.5).tolist() == [0, -1]
