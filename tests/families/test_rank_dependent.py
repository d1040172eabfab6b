"""Rank dependent means: textbook formulas, derivatives, and fits in which people change places."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import welfarist as wf
from welfarist.families import RANK_DEPENDENT, RankDependent

# Rounding of a mean, and of central differences.
VALUE, SLOPE = 1e-13, 1e-6
RNG = np.random.default_rng(2)
TABLE = RNG.uniform(1.0, 10.0, (300, 4))
PLACES = np.array([0.45, 0.3, 0.15, 0.1])


def gini_welfare(u):
    """The mean times one less the Gini index, from all differences between two people."""
    n, mean = len(u), u.mean()
    return mean * (1.0 - np.abs(u[:, None] - u).sum() / (2 * n * n * mean))


def test_gini_welfare_is_that_of_the_textbook():
    d = TABLE.shape[1]
    rule = RankDependent(2.0 * (d - np.arange(1, d + 1)) + 1.0)
    assert rule(TABLE) == pytest.approx([gini_welfare(u) for u in TABLE], rel=VALUE)


def test_famous_rules_are_points_of_it():
    assert RankDependent([1, 0, 0, 0])(TABLE) == pytest.approx(TABLE.min(axis=1), rel=VALUE)
    assert RankDependent([0, 1, 1, 0])(TABLE) == pytest.approx(np.median(TABLE, axis=1), rel=VALUE)
    ends = 0.3 * TABLE.min(axis=1) + 0.7 * TABLE.max(axis=1)
    assert RankDependent([0.3, 0, 0, 0.7])(TABLE) == pytest.approx(ends, rel=VALUE)
    equal = wf.WelfareFunction(-1.5, [1, 1, 1, 1])
    assert RankDependent([1, 1, 1, 1], p=-1.5)(TABLE) == pytest.approx(equal(TABLE), rel=VALUE)


@pytest.mark.parametrize("p", [-2.0, 0.0, 1.0, 3.0])
def test_shares_are_what_a_rise_is_worth(p):
    rule, h = RankDependent(PLACES, p), 1e-6
    u = TABLE[0]
    gains = np.array([rule.value(u * (1 + h * e)) - rule.value(u * (1 - h * e)) for e in np.eye(4)])
    assert rule.shares(u) == pytest.approx(gains / (2 * h), abs=SLOPE)
    tied = rule.shares([2.0, 5.0, 2.0, 1.0])
    assert tied[0] == tied[2]
    assert tied.sum() == pytest.approx(1.0)


FRAME = pd.DataFrame(TABLE, columns=["Ann", "Bob", "Cid", "Dee"])


def decisions():
    value = RankDependent(PLACES)(TABLE)
    pairs = wf.simulate.random_pairs(300, 1500, random_state=2)
    logs = np.log(value)
    z = 15.0 * (logs[pairs[:, 0]] - logs[pairs[:, 1]])
    first = np.random.default_rng(5).random(1500) < 1.0 / (1.0 + np.exp(-z))
    return wf.Comparisons(FRAME, pairs, first)


def test_a_fit_finds_the_weights_of_places():
    fit = wf.ComparisonClassifier(family="rank", p=1).fit(decisions())
    assert fit.weights_ == pytest.approx(PLACES, abs=0.05)
    assert fit.result_.stakeholders == ("worst off", "place 2 of 4", "place 3 of 4", "best off")
    assert "Ann" in str(fit.result_.surprises())
    assert "weight of worst off" in str(fit.result_.summary())
    turned = fit.welfare_(FRAME[["Dee", "Ann", "Cid", "Bob"]])
    assert turned == pytest.approx(fit.welfare_(TABLE), rel=VALUE)
    low, high = fit.result_.interval("weight of worst off")
    assert low < PLACES[0] < high
    power = wf.ComparisonClassifier().fit(decisions())
    assert fit.result_.bic < power.result_.bic


def test_what_is_said_of_persons_is_refused():
    with pytest.raises(wf.InputError, match="places"):
        wf.ComparisonClassifier(family="rank", groups=["a", "a", "b", "b"]).fit(decisions())
    with pytest.raises(wf.ZerosError):
        wf.WelfareRegressor(family="rank", p=0).fit([[0.0, 1.0], [2.0, 1.0]], [1.0, 2.0])
    known = wf.ComparisonClassifier(family="rank", p=1, weights=[0, 1, 0, 0]).fit(decisions())
    middle = np.sort(TABLE, axis=1)[:, 1]
    assert known.welfare_(TABLE) == pytest.approx(middle, rel=VALUE)
    assert RANK_DEPENDENT.describe(0.0) == "geometric mean of places"
