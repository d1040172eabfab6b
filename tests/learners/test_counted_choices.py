"""Learning from choices without noise or with flips: the fewest wrong menus."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from tests.learners.test_choices import needs_data, simulated, tourism
from welfarist import (
    ChoiceLearner,
    Choices,
    ComparisonClassifier,
    Comparisons,
    Exact,
    InputError,
    WelfareFunction,
    WelfaristWarning,
)

pytestmark = pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
# Shares of errors are sums of counts over their total.
ROUNDING = 1e-12
# The ends of intervals that explain everything are known to 1e-9 in asinh(p).
ENDS = 1e-8


@needs_data
def test_groups_who_chose_where_to_travel():
    table, menus, rankings = tourism()
    first = Choices(table, menus, [ranking[0][0] for ranking in rankings], absent=True)
    est = ChoiceLearner(noise="flip", weights="equal").fit(first)
    exact = est.result_.exact
    assert 75 * est.loss_ == pytest.approx(40 + 1 / 12, abs=75 * ROUNDING)
    assert est.score(first) == pytest.approx(0.466, abs=0.0005)
    assert len(exact.intervals) == 1
    assert (exact.intervals[0].low, exact.intervals[0].high) == pytest.approx(
        (2.76, 3.85), abs=0.005
    )
    assert est.result_.certificate.gap == pytest.approx(0.0, abs=ROUNDING)
    assert est.rho_ == pytest.approx(est.loss_ / 1.8)  # 2 (K - 1) / K of menus of ten
    chances = est.predict_proba(first)[0]
    assert chances.max() == pytest.approx(1 - 2 * est.rho_ + 2 * est.rho_ / 10)
    assert chances.sum() == pytest.approx(1.0)
    assert "As good with these weights: p in (2.76353, 3.84769)" in str(est.result_.summary())


@pytest.mark.parametrize("rho", [None, 0.1, "cross-validation"])
def test_pairs_are_learned_from_as_comparisons(rho):
    utilities, menus, chosen = simulated(300, size=2, tau=8.0)
    outcomes = np.where(chosen == menus[:, 0], 1, -1)
    outcomes[:20] = 0
    decided = Comparisons(utilities, menus, outcomes)
    options = dict(noise="flip", rho=rho, weights="equal", random_state=1)
    one = ComparisonClassifier(**options).fit(decided)
    other = ChoiceLearner(**options).fit(decided)
    assert other.loss_ == one.loss_
    assert other.p_ == one.p_
    assert other.result_.exact.intervals == one.result_.exact.intervals
    assert other.rho_ == pytest.approx(one.rho_, abs=ROUNDING)
    mine, theirs = other.result_.exact, one.result_.exact
    assert mine.corrected_loss == pytest.approx(theirs.corrected_loss, abs=ROUNDING)
    assert (mine.counted.ties, mine.counted.contradictions) == (
        theirs.counted.ties,
        theirs.counted.contradictions,
    )
    assert other.score(decided) == pytest.approx(one.score(decided))
    assert np.allclose(
        np.array(other.predict_proba(decided))[:, 0], one.predict_proba(decided)[:, 1]
    )


def test_what_is_kept_and_predicted():
    utilities, menus, chosen = simulated(120, tau=1e6)
    choices = Choices(utilities, menus, chosen)
    weights = [3, 2, 1]
    est = ChoiceLearner(noise="none", weights=weights).fit(choices)
    assert est.loss_ == 0.0
    assert any(-1.0 in interval for interval in est.result_.exact.intervals)
    assert np.array_equal(est.predict(choices), chosen)
    assert est.log_loss(choices) == 0.0
    assert est.result_.accuracy == est.score(choices) == 1.0
    again = pickle.loads(pickle.dumps(est))
    assert np.array_equal(again.predict(choices), chosen)
    assert again.result_.exact.intervals == est.result_.exact.intervals
    restored = again.with_data(choices)
    assert len(restored.result_.surprises(3)) == 0
    assert clone(est).without_proof().get_params()["solver"].time_limit == 0.0
    wrong = menus[np.arange(3), (menus[:3] == chosen[:3, None]).argmin(axis=1)]
    worse = Choices(utilities, menus, [*wrong, *chosen[3:]])
    slipped = ChoiceLearner(noise="flip", weights=weights).fit(worse)
    assert slipped.loss_ == pytest.approx(3 / 120)
    assert slipped.log_loss(worse) < 1.0
    found = slipped.result_.surprises(5)
    assert {surprise.row for surprise in found} == {0, 1, 2}
    assert "though the rule prefers the other" in str(found)
    assert slipped.result_.misfit().reason.startswith("checks need a likelihood")
    with pytest.raises(InputError, match="calibration needs a rule that gives probabilities"):
        slipped.result_.calibration()
    with pytest.raises(InputError, match="need a likelihood"):
        slipped.result_.interval("p")


def test_rankings_count_each_of_their_choices():
    rng = np.random.default_rng(4)
    utilities = rng.uniform(1, 10, (40, 3))
    truth = WelfareFunction(0.5)
    menus = [rng.permutation(40)[:5] for _ in range(60)]
    rankings = [menu[np.argsort(-truth(utilities)[menu])].tolist() for menu in menus]
    rankings[0] = rankings[0][::-1]
    choices = Choices.from_rankings(utilities, rankings)
    est = ChoiceLearner(noise="none", weights="equal").fit(choices)
    assert any(0.5 in interval for interval in est.result_.exact.intervals)
    # The reversed ranking of five is wrong in every one of its four choices.
    assert est.loss_ == pytest.approx(4 / (60 * 4))
    assert est.result_.accuracy == est.score(choices) == pytest.approx(59 / 60)
    assert "no rule was found that explains every decision" in str(est.result_.caveats)


def test_choices_from_the_same_menu_that_differ():
    utilities = [[4.0, 1.0], [2.0, 2.0], [1.0, 3.0]]
    choices = Choices(utilities, None, [0, 0, 1])
    est = ChoiceLearner(noise="none", weights="equal").fit(choices)
    assert est.loss_ == pytest.approx(1 / 3)
    assert est.result_.exact.counted.contradictions == 1
    assert "Decisions against the majority of their own menu: 1" in str(est.result_.summary())


def test_slips_from_larger_menus_are_more_often_errors():
    """Flips are drawn as the model says; the rate is found, and the corrected risk is near 0."""
    rng = np.random.default_rng(6)
    utilities, menus, chosen = simulated(3000, size=5, tau=1e6, seed=6)
    by_chance = rng.random(3000) < 2 * 0.15
    chosen = np.where(by_chance, menus[np.arange(3000), rng.integers(0, 5, 3000)], chosen)
    choices = Choices(utilities, menus, chosen)
    est = ChoiceLearner(noise="flip", weights=[3, 2, 1]).fit(choices)
    error = np.sqrt(0.24 * 0.76 / 3000) / 1.6
    assert est.rho_ == pytest.approx(0.15, abs=3 * error)
    given = ChoiceLearner(noise="flip", rho=0.15, weights=[3, 2, 1]).fit(choices)
    assert given.result_.exact.corrected_loss == pytest.approx(0.0, abs=3 * 1.6 * error / 0.7)
    assert given.p_ == est.p_


def test_accuracy_is_measured_by_what_chance_would_do():
    utilities, menus, _ = simulated(400, size=5)
    rng = np.random.default_rng(2)
    drawn = menus[np.arange(400), rng.integers(0, 5, 400)]
    truth = WelfareFunction(-1, [3, 2, 1])
    worst = menus[np.arange(400), truth(utilities)[menus].argmin(axis=1)]
    best = menus[np.arange(400), truth(utilities)[menus].argmax(axis=1)]
    some = np.where(np.arange(400) < 100, best, drawn)
    est = ChoiceLearner(noise="flip", weights=[3, 2, 1]).fit(Choices(utilities, menus, some))
    assert est.result_.accuracy < 0.5
    assert "look random" not in str(est.result_.caveats)
    with pytest.warns(WelfaristWarning, match="look reversed"):
        ChoiceLearner(noise="flip", weights=[3, 2, 1]).fit(Choices(utilities, menus, worst))


def test_learned_weights_that_explain_everything():
    utilities, menus, chosen = simulated(80, tau=1e6)
    choices = Choices(utilities, menus, chosen)
    est = ChoiceLearner(noise="none", random_state=0).fit(choices)
    rules = est.result_.exact.explanations
    assert est.loss_ == 0.0
    assert rules.contains([3, 2, 1], -1.0)
    low, high = rules.weight_ranges
    assert (low <= np.array([3, 2, 1]) / 6).all()
    assert (np.array([3, 2, 1]) / 6 <= high).all()
    assert "Every decision is explained" in str(est.result_.summary())
    again = pickle.loads(pickle.dumps(est)).with_data(choices)
    assert again.result_.exact.explanations.contains([3, 2, 1], -1.0)
    ends = again.result_.exact.explanations.power_intervals
    assert np.allclose(ends, rules.power_intervals, atol=ENDS)


@pytest.mark.parametrize("rho", [None, "cross-validation"])
def test_learned_weights_with_errors(rho):
    utilities, menus, chosen = simulated(60, tau=15.0)
    choices = Choices(utilities, menus, chosen)
    est = ChoiceLearner(noise="flip", rho=rho, random_state=0).fit(choices)
    truth = ChoiceLearner(noise="flip", weights=[3, 2, 1]).fit(choices)
    assert est.loss_ <= truth.loss_
    assert est.loss_ == pytest.approx(1 - est.score(choices))
    assert est.result_.certificate.lower_bound <= est.loss_
    assert "mixed-integer" in est.result_.certificate.method
    assert est.rho_ > 0
    # Without proofs, which the clock ends, the same seed finds the same.
    quick = ChoiceLearner(noise="flip", rho=rho, solver=Exact(time_limit=0.0), random_state=0)
    one, other = (clone(quick).fit(choices) for _ in range(2))
    assert (one.p_, one.rho_, one.loss_) == (other.p_, other.rho_, other.loss_)


def test_learned_weights_of_pairs_are_those_of_comparisons():
    utilities, menus, chosen = simulated(60, size=2, tau=8.0)
    decided = Comparisons(utilities, menus, np.where(chosen == menus[:, 0], 1, -1))
    one = ComparisonClassifier(noise="flip", random_state=0).fit(decided)
    other = ChoiceLearner(noise="flip", random_state=0).fit(decided)
    assert other.loss_ == one.loss_
    assert other.rho_ == pytest.approx(one.rho_)


@pytest.mark.parametrize("noise", ["none", "flip"])
def test_what_is_beside_the_rule_is_refused(noise):
    utilities = np.array([[4.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    outside = Choices(utilities, None, [0, None, 1], outside=True)
    with pytest.raises(InputError, match="found none of these as a choice"):
        ChoiceLearner(noise=noise).fit(outside)
    gone = np.array([[4.0, np.nan], [2.0, 2.0], [1.0, 3.0]])
    absent = Choices(gone, None, [0, 1, 1], absent=True)
    with pytest.raises(InputError, match="found some who are absent"):
        ChoiceLearner(noise=noise).fit(absent)
    assert ChoiceLearner(noise=noise, weights="equal").fit(absent).converged_
