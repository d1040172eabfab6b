"""Fits to few comparisons: finite, honest, and as before where there are many."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.special import expit

import welfarist as wf
from welfarist.learners.small_samples import FEW, SampleSize


def decided(n, seed, tau=10.0, p=0.0, weights=(0.5, 0.3, 0.2)):
    rng = np.random.default_rng(seed)
    table = rng.uniform(1, 10, (2 * n, len(weights)))
    pairs = np.arange(2 * n).reshape(2, -1).T
    rule = wf.WelfareFunction(p, weights)
    margin = rule.log(table[pairs[:, 0]]) - rule.log(table[pairs[:, 1]])
    chance = expit(tau * margin)
    return wf.Comparisons(table, pairs, np.where(rng.random(n) < chance, 1, -1))


def fitted(decisions, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return wf.ComparisonClassifier(**options).fit(decisions)


def test_separable_choices_have_a_finite_tau_and_intervals_that_hold_the_truth():
    decisions = decided(40, 2, tau=200.0)
    plain = fitted(decisions, small_sample="none")
    assert plain.tau_ == 1e6
    assert not plain.result_.small_sample
    est = fitted(decisions)
    result = est.result_
    assert est.tau_ < 1e3
    assert result.small_sample
    low, high = result.interval("tau")
    assert low < 200.0 < high
    for name, truth in (("p", 0.0), ("weight of person 0", 0.5)):
        low, high = result.interval(name)
        assert low < truth < high
    assert any(c.kind is wf.SeparationWarning for c in result.caveats)


def test_many_decisions_with_doubt_are_fitted_as_before():
    decisions = decided(int(FEW) * 4, 0, tau=3.0)
    plain, auto = (fitted(decisions, small_sample=how) for how in ("none", "auto"))
    assert auto.p_ == plain.p_
    assert auto.loss_ == plain.loss_
    assert not auto.result_.small_sample


def test_many_decisions_without_doubt_are_restrained():
    decisions = decided(int(FEW) * 4 + 50, 0, tau=3000.0)
    est = fitted(decisions)
    assert est.result_.small_sample
    assert est.tau_ < 1e5


def test_the_loss_is_that_of_the_decisions_alone():
    decisions = decided(50, 4)
    est = fitted(decisions)
    chance = est.predict_proba(decisions)[:, 1]
    outcomes = decisions.outcomes > 0
    loss = -np.log(np.where(outcomes, chance, 1 - chance)).mean()
    assert est.loss_ == pytest.approx(loss, rel=1e-12)
    assert est.result_.llf == pytest.approx(-50 * loss, rel=1e-12)


def test_no_start_finds_a_better_optimum():
    decisions = decided(45, 8)
    est, many = fitted(decisions), fitted(decisions, n_starts=60)
    assert est.result_.likelihood.value == pytest.approx(many.result_.likelihood.value, abs=1e-9)


def test_a_prior_and_the_papers_methods_are_left_alone():
    decisions = decided(40, 1)
    assert not fitted(decisions, prior=2.0).result_.small_sample
    assert not fitted(decisions, solver="two_stage").result_.small_sample


def test_small_samples_are_told_of_and_survive_saving(tmp_path):
    result = fitted(decided(40, 3)).result_
    assert "Small sample" in str(result.summary())
    assert result.to_dict()["small_sample"] is True
    wf.save_model(result, tmp_path / "model.json")
    assert wf.load_model(tmp_path / "model.json").small_sample
    again = pickle.loads(pickle.dumps(result))
    assert again.small_sample
    assert again.llf == result.llf
    data = again.with_data(result.decided)
    assert data.interval("tau") == pytest.approx(result.interval("tau"), rel=1e-9)


def test_an_unknown_option_is_refused():
    with pytest.raises(wf.InputError, match='small_sample must be "auto" or "none"; found'):
        wf.ComparisonClassifier(small_sample="no").fit(decided(10, 0))


def test_what_is_counted():
    loss = fitted(decided(40, 3)).result_.likelihood.loss
    size = SampleSize.of(loss)
    assert (size.decisions, size.numbers) == (40.0, 4)
    assert size.is_small


def test_no_choice_is_wrong_whatever_the_counts_add_up_to():
    rng = np.random.default_rng(3)
    table = rng.uniform(1, 10, (60, 3))
    pairs = np.arange(60).reshape(-1, 2)
    counts = rng.uniform(0.1, 1.0, 30)
    better = wf.WelfareFunction(1, [0.5, 0.3, 0.2]).compare(table[pairs[:, 0]], table[pairs[:, 1]])
    with pytest.warns(wf.SeparationWarning, match="noise-free under some rule"):
        est = wf.ComparisonClassifier().fit(wf.Comparisons(table, pairs, better, counts))
    assert est.result_.accuracy <= 1.0


def test_a_rule_that_ties_everything_gains_nothing():
    """Somebody to whom all actions are the same explains coin flips no better than others."""
    rng = np.random.default_rng(4)
    table = np.column_stack([np.full(80, 2.0), rng.uniform(1, 10, (80, 2))])
    decided = wf.Comparisons(table, np.arange(80).reshape(-1, 2), rng.choice([-1, 1], 40))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        est = wf.ComparisonClassifier(random_state=0).fit(decided)
    assert est.tau_ < 1e3
