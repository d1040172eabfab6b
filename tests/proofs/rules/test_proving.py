"""Proofs over all weights and powers, against fine grids and in odd circumstances."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from benchmarks import problems
from welfarist.decisions import Scores
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import Point, loss_of_comparisons, loss_of_scores
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.weighting import Weighting
from welfarist.proofs.rules import prove
from welfarist.proofs.rules import search as searching
from welfarist.proofs.rules.search import RuleSearch

GAP = 1e-3
# Processor seconds that no problem here needs.
PLENTY = 30.0


def score_problem(seed, people=2, actions=25, scale=False):
    made = problems.scores(seed, actions, people, p=-1.0, noise=0.2)
    scores = Scores.of(made.utilities, made.scores)
    return loss_of_scores(scores, POWER_MEAN, Weighting(people), True, scale)


def comparison_problem(seed, people=2, count=40, noise=LOGISTIC):
    made = problems.comparisons(seed, 20, people, count, p=1.5, tau=3.0)
    decided = made.comparisons()
    return loss_of_comparisons(decided, POWER_MEAN, Weighting(people), True, noise, 1e6)


def on_a_grid(loss):
    """The lowest loss of two people's rules on a grid of weights, powers and temperatures."""
    shares = 1.0 / (1.0 + np.exp(-np.linspace(-10, 10, 21)))
    best = np.inf
    for share in [0.0, *shares, 1.0]:
        for p in np.sinh(np.linspace(-4.5, 4.5, 25)):
            weights = np.array([share, 1.0 - share])
            extras = loss.starting_extras(weights, p)
            moves = np.linspace(-2, 2, 7) if len(extras) and not loss.squared else [0.0]
            for move in moves:
                best = min(best, loss.evaluate(Point(weights, p, extras + move)).value)
    return best


@pytest.mark.parametrize(
    "loss",
    [score_problem(1), score_problem(2, scale=True), comparison_problem(3)],
    ids=["scores", "scaled scores", "comparisons"],
)
def test_nothing_on_a_fine_grid_is_below_the_bound(loss):
    best = on_a_grid(loss)
    low, high = loss.search_range
    search = RuleSearch(loss, best, GAP, low, high)
    list(search.run(PLENTY))
    assert search.lower_bound <= search.best <= best
    assert search.best - search.lower_bound <= GAP * search.best
    if search.point is not None:
        assert loss.evaluate(search.point).value == search.best


def test_the_order_of_people_changes_no_bound_by_more_than_the_gap():
    made = problems.scores(7, 30, 3, p=2.0, noise=0.05)
    proofs = []
    for order in ([0, 1, 2], [2, 0, 1]):
        fit = wf.WelfareRegressor().fit(made.utilities[:, order], made.scores)
        proofs.append(fit.result_.prove(seconds=PLENTY, gap=GAP))
    bounds = [proof.lower_bound for proof in proofs]
    assert bounds[0] == pytest.approx(bounds[1], rel=GAP)
    for proof in proofs:
        assert proof.gap <= GAP * proof.loss


def test_a_wrong_optimum_keeps_its_gap_and_is_told_so():
    loss = score_problem(4)
    value = loss.evaluate(Point(np.array([1.0, 0.0]), 1.0, np.empty(0))).value * loss.observed.unit
    proof = prove(loss, value, gap=GAP, seconds=PLENTY)
    assert proof.gap > GAP * value
    assert "was found at p" in proof.method


def test_a_known_power_is_proven_for_itself():
    made = problems.scores(5, 25, 2, p=-1.0, noise=0.1)
    result = wf.WelfareRegressor(p=-1.0).fit(made.utilities, made.scores).result_
    proof = result.prove(seconds=PLENTY)
    assert proof.gap <= 1e-4 * proof.loss
    assert "the power -1" in proof.method


def test_the_record_keeps_the_proof_and_its_summary_tells_it():
    made = problems.scores(6, 20, 2, p=0.5, noise=0.2)
    result = wf.WelfareRegressor().fit(made.utilities, made.scores).result_
    assert result.certificate is None
    proof = result.prove(seconds=PLENTY, gap=GAP)
    assert result.certificate is proof
    assert "Proven: no rule has a mean loss below" in str(result.summary())
    assert result.without_data().certificate == proof


def test_where_weights_are_known_the_proof_is_the_one_there_is():
    made = problems.scores(6, 20, 2, p=0.5, noise=0.2)
    result = wf.WelfareRegressor(weights="equal").fit(made.utilities, made.scores).result_
    assert result.prove() is result.certificate


def test_what_is_proven_when_time_is_over_is_a_bound():
    loss = comparison_problem(8, people=3)
    proof = prove(loss, 0.6, seconds=1e-9)
    assert proof.lower_bound == 0.0
    assert "until 1e-09 seconds were over" in proof.method


def test_an_interrupt_gives_what_is_proven(monkeypatch):
    loss = score_problem(9)
    value = on_a_grid(loss)
    bounded = RuleSearch._push
    rounds = []

    def interrupted(self, *given):
        rounds.append(1)
        if len(rounds) == 6:
            raise KeyboardInterrupt
        bounded(self, *given)

    monkeypatch.setattr(searching.RuleSearch, "_push", interrupted)
    proof = prove(loss, value * loss.observed.unit, seconds=PLENTY)
    assert "until it was interrupted" in proof.method
    assert 0 <= proof.lower_bound <= proof.loss


def test_what_is_not_covered_is_refused():
    lapse = comparison_problem(1, noise=LAPSE)
    with pytest.raises(wf.InputError, match="a proof over all weights"):
        prove(lapse, 0.5)
    table = np.array([[0.0, 1.0], [2.0, 3.0], [1.0, 1.0]])
    nothing = loss_of_scores(
        Scores.of(table, [1.0, 2.0, 3.0]), POWER_MEAN, Weighting(2), True, False
    )
    with pytest.raises(wf.InputError, match="somebody who has nothing"):
        prove(nothing, 0.5)
    groups = Weighting(3, group_of=np.array([0, 0, 1]))
    shared = loss_of_scores(Scores.of(np.ones((2, 3)), [1.0, 2.0]), POWER_MEAN, groups, True, False)
    with pytest.raises(wf.InputError, match="shared by groups"):
        prove(shared, 0.5)


def test_a_perfect_fit_needs_no_search():
    loss = score_problem(1)
    assert prove(loss, 0.0).method == "no loss is below 0"
