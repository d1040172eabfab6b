"""A constant that is added to every utility: the same as adding it beforehand, and remembered."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import welfarist as wf
from welfarist.families.power_mean.family import POWER_MEAN

# The same sums in another order.
ROUNDING = 1e-9


@pytest.fixture
def answers():
    """A scale from 0 to 10, with its zeros."""
    return np.random.default_rng(1).integers(0, 11, (60, 3)).astype(float)


@pytest.fixture
def decided(answers):
    rng = np.random.default_rng(2)
    pairs = rng.permuted(np.tile(np.arange(60), (800, 1)), axis=1)[:, :2]
    truth = wf.WelfareFunction(-1, [0.5, 0.3, 0.2], shift=1)
    margin = 8 * (truth.log(answers[pairs[:, 0]]) - truth.log(answers[pairs[:, 1]]))
    outcomes = np.where(rng.random(800) < 1 / (1 + np.exp(-margin)), 1, -1)
    return wf.Comparisons(answers, pairs, outcomes)


def same(one, other):
    assert one.p_ == pytest.approx(other.p_, abs=ROUNDING)
    assert one.weights_ == pytest.approx(other.weights_, abs=ROUNDING)
    assert one.loss_ == pytest.approx(other.loss_, abs=ROUNDING)


@pytest.mark.parametrize("noise", ["logistic", "flip"])
def test_comparisons_are_learned_as_if_it_had_been_added(decided, noise):
    options = dict(noise=noise) | ({"weights": "equal"} if noise == "flip" else {})
    shifted = wf.ComparisonClassifier(shift=1, **options).fit(decided)
    before = wf.Comparisons(decided.utilities + 1, decided.pairs, decided.outcomes)
    plain = wf.ComparisonClassifier(**options).fit(before)
    same(shifted, plain)
    assert shifted.result_.shift == 1
    assert shifted.result_.decided is decided
    assert shifted.predict(decided).tolist() == plain.predict(before).tolist()
    assert shifted.score(decided) == plain.score(before)
    assert shifted.welfare_(decided.utilities) == pytest.approx(plain.welfare_(before.utilities))
    assert str(shifted.result_.misfit().verdict) == str(plain.result_.misfit().verdict)
    if noise == "logistic":
        assert shifted.result_.interval("p") == pytest.approx(plain.result_.interval("p"))
        assert shifted.result_.calibration().gap == pytest.approx(plain.result_.calibration().gap)


def test_scores_on_the_scale_of_utilities_are_shifted_with_them(answers):
    rule = wf.WelfareFunction(-1, [0.5, 0.3, 0.2], shift=2)
    scores = rule.equally_distributed_equivalent(answers)
    learned = wf.WelfareRegressor(shift=2).fit(answers, scores)
    assert learned.p_ == pytest.approx(-1, abs=1e-6)
    assert learned.predict(answers) == pytest.approx(scores, abs=1e-6)
    assert learned.predict([[4.0, 4.0, 4.0]]) == pytest.approx([4.0], abs=1e-6)
    assert learned.result_.residuals().residual == pytest.approx(0.0, abs=1e-6)
    assert learned.score(answers, scores) == pytest.approx(1.0)


def test_scores_on_a_scale_of_their_own_are_not(answers):
    scores = 3 * wf.WelfareFunction(-1, [0.5, 0.3, 0.2], shift=2)(answers)
    learned = wf.WelfareRegressor(shift=2, scale=True).fit(answers, scores)
    assert learned.scale_ == pytest.approx(3, abs=1e-6)
    assert learned.predict(answers) == pytest.approx(scores, abs=1e-5)
    assert learned.result_.residuals().residual == pytest.approx(0.0, abs=1e-5)


def test_rounding_is_judged_by_the_utilities_as_they_were_given(answers):
    scores = wf.WelfareFunction(0, shift=0.5).equally_distributed_equivalent(answers).round(2)
    learned = wf.WelfareRegressor(shift=0.5, weights="equal").fit(answers, scores)
    rounding = learned.result_.residuals().rounding
    assert rounding.utility_steps.tolist() == [1, 1, 1]
    assert rounding.expected > 0


def test_negative_utilities_need_a_shift_that_makes_up_for_them(decided):
    low = decided.utilities - 5
    with pytest.raises(wf.InputError, match="shift=…"):
        wf.Comparisons(low, decided.pairs, decided.outcomes)
    signed = wf.Comparisons(low, decided.pairs, decided.outcomes, least=-6)
    same(
        wf.ComparisonClassifier(shift=6).fit(signed), wf.ComparisonClassifier(shift=1).fit(decided)
    )
    with pytest.raises(wf.InputError, match="must not be below -3, so that none is negative"):
        wf.ComparisonClassifier(shift=3).fit(signed)
    with pytest.raises(wf.InputError, match="negative"):
        wf.ComparisonClassifier().fit(signed)
    with pytest.raises(wf.InputError, match="Negative values in data"):
        wf.WelfareRegressor(shift=1).fit(low, low.sum(axis=1))


@pytest.mark.parametrize("shift", [np.nan, np.inf, "1", None, True])
def test_shifts_that_are_none(decided, shift):
    with pytest.raises(wf.InputError, match="shift must be a finite number"):
        wf.ComparisonClassifier(shift=shift).fit(decided)
    with pytest.raises(wf.InputError, match="shift must be a finite number"):
        wf.WelfareFunction(0, shift=shift)


def test_zeros_no_longer_bound_the_power(decided):
    with pytest.warns(wf.SearchRangeWarning, match=r"add a constant .* \(such as shift=1\)"):
        wf.ComparisonClassifier().fit(decided)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wf.ComparisonClassifier(shift=1).fit(decided).p_ < 0


def test_the_rule_remembers(answers):
    rule = wf.WelfareFunction(0, [2, 1, 1], ["a", "b", "c"], shift=1.5)
    assert wf.WelfareFunction.from_json(rule.to_json()) == rule
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert rule != rule.shifted(0.0)
    assert "shift=1.5" in repr(rule)
    assert "shift" not in rule.shifted(0.0).to_dict()
    plain = rule.shifted(0.0)
    assert rule(answers) == pytest.approx(plain(answers + 1.5))
    assert rule.rank(answers).tolist() == plain.rank(answers + 1.5).tolist()
    assert rule.shares(answers) == pytest.approx(plain.shares(answers + 1.5))
    assert rule.compare(answers[0], answers[1]) == plain.compare(answers[0] + 1.5, answers[1] + 1.5)
    own = POWER_MEAN.rule(0.0, [0.5, 0.3, 0.2])
    assert type(own) is wf.WelfareFunction
    with pytest.raises(wf.InputError, match=r"must not be below -1\.5"):
        rule([-2.0, 1.0, 1.0])


def test_models_are_saved_with_it(decided, tmp_path):
    path = tmp_path / "model.json"
    learned = wf.ComparisonClassifier(shift=1).fit(decided)
    wf.save_model(learned, path)
    model = wf.load_model(path)
    assert model.welfare == learned.welfare_
    assert model.welfare.shift == 1
    u = decided.utilities
    chances = model.probabilities(u[:5], u[5:10])
    both = np.hstack([u[:5], u[5:10]])
    assert chances == pytest.approx(learned.predict_proba(both)[:, 1])
    path.write_text(path.read_text().replace('"shift": 1.0', '"shift": "inf"'))
    with pytest.raises(wf.InputError, match="'shift' of a saved model must be a finite number"):
        wf.load_model(path)
    plain = wf.Model.of(wf.ComparisonClassifier(p=1).fit(decided))
    assert "shift" not in plain.to_dict()


def test_summary_and_record_say_so(decided):
    result = wf.ComparisonClassifier(shift=1).fit(decided).result_
    assert "1 was added to every utility" in result.summary()
    assert result.to_dict()["shift"] == 1
    assert pickle.loads(pickle.dumps(result)).shift == 1
    assert result.without_data().welfare.shift == 1


def test_a_report_says_so(decided, tmp_path):
    path = tmp_path / "report.html"
    wf.ComparisonClassifier(shift=1, weights="equal").fit(decided).result_.report(path)
    page = path.read_text()
    assert "added to every utility" in page
    assert "1 was added to every utility before the rule was learned" in page


def test_learners_are_cloned_with_it():
    assert clone(wf.WelfareRegressor(shift=2)).shift == 2


def test_a_negative_shift_that_goes_below_zero_is_refused_in_words():
    with pytest.raises(wf.InputError, match="so that none is negative when -2 is added to all"):
        wf.WelfareRegressor(shift=-2).fit([[1.0, 4.0], [3.0, 8.0], [2.0, 2.0]], [2.0, 4.0, 2.0])
