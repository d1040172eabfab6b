"""What is recommended: the numbers of the table against those of each rule, one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import welfarist as wf
from welfarist.asking.prior import Prior
from welfarist.asking.welfares import Outcomes
from welfarist.people.present_rule import PresentRule
from welfarist.show.report.next_action import next_action

ACTIONS = np.array(
    [[4.0, 4.0, 4.0], [9.0, 2.0, 5.0], [4.0, 4.0, 4.0], [3.0, 4.0, 4.0], [1, 9, 6.0]]
)


@pytest.fixture(scope="module")
def said(draws):
    return wf.recommend(draws, ACTIONS, k=2)


def test_numbers_are_those_of_the_rules_one_by_one(said, draws):
    rules = [wf.WelfareFunction(p, w) for p, w in zip(draws.powers, draws.weights, strict=True)]
    welfare = np.array([rule(ACTIONS) for rule in rules])
    best = welfare >= welfare.max(axis=1, keepdims=True) * (1 - 1e-12)
    assert said.p_best == pytest.approx((best / best.sum(axis=1, keepdims=True)).mean(axis=0))
    lost = 1 - welfare / welfare.max(axis=1, keepdims=True)
    assert said.regret == pytest.approx(100 * lost.mean(axis=0), abs=1e-9)
    assert said.p_best.sum() == pytest.approx(1)
    assert said.p_top.sum() == pytest.approx(2)
    low, high = np.quantile(welfare, [0.025, 0.975], axis=0, method="nearest")
    assert said.low == pytest.approx(low)
    assert said.high == pytest.approx(high)


def test_equal_actions_share_their_place_and_their_chances(said):
    assert said.p_best[0] == pytest.approx(said.p_best[2])
    places = dict(zip(said.order.tolist(), said.places.tolist(), strict=True))
    assert places[0] == places[2]
    assert said.dominated.tolist() == [False, False, False, True, False]
    assert said.never_best[3]


def test_a_dominated_action_may_be_as_good_as_the_best():
    draws = wf.RuleDraws(
        np.full((20, 2), 0.5), np.full(20, -np.inf), np.ones(20), np.zeros(20), np.zeros(20),
        ("x", "y"), "posterior", 0,
    )  # fmt: skip
    said = wf.recommend(draws, [[1.0, 5.0], [1.0, 3.0]])
    assert said.p_best.tolist() == [0.5, 0.5]
    assert said.dominated.tolist() == [False, True]
    assert not said.never_best.any()
    assert "nothing to gain" in said.further(5).sentence


def test_what_cannot_be_followed_is_refused(draws, fit):
    with pytest.raises(wf.InputError, match="from the posterior; found uncertainty='bootstrap'"):
        wf.recommend(draws, ACTIONS, uncertainty="bootstrap")
    with pytest.raises(wf.InputError, match="found a prior"):
        wf.recommend(draws, ACTIONS, prior=Prior(mode=1))
    with pytest.raises(wf.InputError, match="a prior is of a posterior"):
        wf.recommend(fit, ACTIONS, prior=Prior(mode=1), uncertainty="bootstrap")


def test_several_decision_makers_have_no_one_next_action():
    world = wf.simulate.individuals(20, 2, p=0, random_state=1)
    pairs = wf.simulate.random_pairs(20, 40, random_state=1)
    decided = wf.simulate.comparisons(world, pairs, tau=20, random_state=1)
    kept = wf.Comparisons(
        world.utilities, decided.pairs, decided.outcomes, by=np.arange(len(decided)) % 4
    )
    with pytest.raises(wf.InputError, match="rules of their own"):
        wf.recommend(wf.Types(n_types=1, n_starts=1).fit(kept), world.utilities)


def test_a_frame_has_the_columns_that_are_promised(fit):
    named = pd.DataFrame(ACTIONS, index=["a", "b", "c", "d", "e"])
    frame = fit.result_.recommend(named.to_numpy(), names=list(named.index), draws=100)
    first = ["action", "welfare", "low", "high", "p_best", "regret", "dominated"]
    assert list(frame.columns)[:7] == first
    assert frame.regret.is_monotonic_increasing
    assert set(frame.action) == set(named.index)


@pytest.mark.filterwarnings("ignore::welfarist.SeparationWarning")
def test_columns_are_matched_by_name():
    names = ["old", "young"]
    table = pd.DataFrame([[1.0, 9.0], [4.0, 5.0], [8.0, 2.0], [3.0, 3.0]], columns=names)
    decided = wf.Comparisons(table, [[0, 1], [2, 3], [2, 1], [0, 3]], [-1, 1, 1, -1])
    fit = wf.ComparisonClassifier().fit(decided)
    new = pd.DataFrame({"young": [1.0, 5.0], "old": [8.0, 2.0]}, index=["park", "gym"])
    one = wf.recommend(fit, new, draws=100)
    other = wf.recommend(fit, new[names].to_numpy(), names=["park", "gym"], draws=100)
    assert one.to_dict() == other.to_dict()
    with pytest.raises(wf.InputError, match=r"no column 'old'"):
        wf.recommend(fit, new.rename(columns={"old": "cats"}), draws=100)


def test_zeros_give_numbers_everywhere(draws):
    said = wf.recommend(draws, [[0.0, 5.0, 5.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    for column in (said.welfare, said.low, said.high, said.p_best, said.regret):
        assert np.isfinite(column).all()
    everything_lost = wf.recommend(draws, [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert everything_lost.p_best.tolist() == [0.5, 0.5]
    assert everything_lost.regret.tolist() == [0.0, 0.0]


def test_scores_have_their_uncertainty_from_resamples():
    rng = np.random.default_rng(2)
    table = rng.uniform(1, 10, (60, 2))
    scores = wf.power_mean(table, -1, [0.6, 0.4]) + rng.normal(0, 0.5, 60)
    fit = wf.WelfareRegressor().fit(table, scores)
    said = wf.recommend(fit, table[:5], draws=60)
    assert said.draws.source == "bootstrap"
    assert "resamples" in str(said)
    further = said.further()
    assert further.first is None
    assert "comparisons or choices only" in further.sentence
    with pytest.raises(wf.InputError, match="no posterior of scores"):
        wf.recommend(fit, table[:5], uncertainty="posterior")


def test_a_given_power_is_the_same_in_all_rules(decided):
    fit = wf.ComparisonClassifier(p="Nash").fit(decided)
    drawn = wf.draw_rules(fit, 50)
    assert drawn.source == "posterior"
    assert np.abs(drawn.powers).max() < 1e-4


def test_never_best_is_proved_or_has_a_witness():
    rng = np.random.default_rng(4)
    table = np.exp(rng.normal(0, 0.5, (15, 3)))
    truth = wf.WelfareFunction(-0.5, [0.5, 0.3, 0.2])
    pairs = np.array([rng.choice(15, 2, replace=False) for _ in range(10)])
    outcomes = truth.compare(table[pairs[:, 0]], table[pairs[:, 1]])
    decided = wf.Comparisons(table, pairs, outcomes)
    fit = wf.ComparisonClassifier(noise="none").fit(decided)
    new = np.exp(rng.normal(0, 0.5, (8, 3)))
    said = wf.recommend(fit, new, draws=100)
    assert "no rule that explains every decision" in said.never_best_means
    # Twenty thousand rules of all kinds, of which those count that explain everything.
    weights, powers = rng.dirichlet(np.ones(3), 20_000), np.sinh(rng.normal(0, 2, 20_000))
    values = Outcomes(table).log_welfare(weights, powers)
    explain = (np.sign(values[:, pairs[:, 0]] - values[:, pairs[:, 1]]) == outcomes).all(axis=1)
    assert explain.sum() > 100
    best = Outcomes(new).log_welfare(weights[explain], powers[explain]).argmax(axis=1)
    assert not said.never_best[best].any()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"actions": []}, "there must be actions"),
        ({"actions": [[1.0, 2.0]]}, "3 people who are known; found 2"),
        ({"names": ["a", "a", "b", "c", "d"]}, "names must be 5 different ones"),
        ({"k": 0}, "k must be"),
        ({"level": 2}, "level must"),
        ({"uncertainty": "guess"}, "uncertainty must be one of"),
    ],
)
def test_what_is_wrong_is_said(draws, wrong, message):
    options = {"actions": ACTIONS, **wrong}
    with pytest.raises(wf.InputError, match=message):
        wf.recommend(draws, options.pop("actions"), **options)
    with pytest.raises(wf.InputError, match="needs one rule that was learned"):
        wf.recommend(wf.WelfareFunction(1), ACTIONS)


def test_a_model_keeps_its_draws_digit_for_digit(fit, draws, tmp_path):
    path = tmp_path / "model.json"
    wf.save_model(fit, path, draws=draws)
    loaded = wf.load_model(path)
    assert np.array_equal(loaded.draws.powers, draws.powers)
    assert loaded.draws.weights == pytest.approx(draws.weights, abs=1e-15)
    assert wf.recommend(loaded, ACTIONS).best == wf.recommend(draws, ACTIONS).best
    wf.save_model(fit, path)
    with pytest.raises(wf.InputError, match="Save the model with draws=NUMBER"):
        wf.recommend(wf.load_model(path), ACTIONS)
    text = wf.Model.of(fit, draws=draws).to_dict()
    text["draws"]["rules"][0][4] = 7.0
    with pytest.raises(wf.InputError, match="entry 'draws' of a saved model must be rules"):
        wf.Model.from_dict(text)


def test_questions_are_worth_what_they_change(draws):
    close = [[5.0, 3.0, 4.0], [3.0, 5.0, 4.0], [4.0, 3.0, 5.0], [3.8, 3.8, 3.8]]
    said = wf.recommend(draws, close)
    one, ten = said.further(1), said.further(10)
    assert 0 <= one.gain <= ten.gain + 2 * (one.gain_error + ten.gain_error)
    assert ten.gain <= ten.regret + 2 * ten.gain_error
    assert 0 < ten.p_change < 1
    assert ten.first != ten.second
    assert said.further(10) == ten
    lone = wf.recommend(draws, close[:1]).further()
    assert lone.regret == 0
    assert lone.first is None
    assert wf.recommend(draws, close[:2]).further(10).questions == 1


def test_advice_says_why_there_are_no_reasons(draws, tmp_path):
    alone = wf.Advice.of(wf.recommend(draws, ACTIONS[:1], names=["a"]))
    assert alone.why is None
    assert "one action only" in alone.to_dict()["notes"][-1]
    alone.report(tmp_path / "one.html")
    assert "There is one action only, a." in (tmp_path / "one.html").read_text()


def test_actions_may_leave_people_out_if_the_rule_was_learned_so(tmp_path):
    rng = np.random.default_rng(1)
    table = rng.uniform(1, 10, (20, 3))
    table[::4, 1], table[1::4, 2] = np.nan, np.nan
    rule = PresentRule(wf.WelfareFunction(-1, [0.5, 0.3, 0.2]))
    menus = np.array([rng.choice(20, 3, replace=False) for _ in range(30)])
    heard = rule.value(table)[menus] + rng.gumbel(size=(30, 3)) / 3
    chosen = np.take_along_axis(menus, heard.argmax(axis=1)[:, None], 1)[:, 0]
    fit = wf.ChoiceLearner().fit(wf.Choices(table, menus, chosen, absent=True))
    said = wf.recommend(fit, table[:6], draws=100, families=False)
    rules = [
        PresentRule(wf.WelfareFunction(p, w))
        for p, w in zip(said.draws.powers, said.draws.weights, strict=True)
    ]
    values = np.array([rule.value(table[:6]) for rule in rules])
    assert said.p_best == pytest.approx(np.bincount(values.argmax(axis=1), minlength=6) / 100)
    assert said.welfare == pytest.approx(np.exp(np.quantile(values, 0.5, axis=0, method="nearest")))
    advice = wf.Advice.of(said, "action 1" if said.best != "action 1" else "action 0")
    assert "do not affect the same people" in advice.why_not
    said.report(tmp_path / "absent.html", note="of <all>")
    assert "of &lt;all&gt;" in (tmp_path / "absent.html").read_text()
    assert next_action(said).count("<tr>") == 7
    with pytest.raises(wf.InputError, match="found NaN"):
        wf.recommend(said.draws, table[:6])
