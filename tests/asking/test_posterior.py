"""What is believed after decisions, and what can be asked of it."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from scipy.special import expit

import welfarist as wf
from tests.asking.worlds import comparisons

# Particles that stand for a posterior in a test of what can be asked: digits do not matter there.
FEW = 400
SOME = 4000
# Two runs with 4,000 particles differ by sampling: means by 2% of a deviation each, and more where
# particles are related; see test_long_run.
SAMPLING = 0.15


@pytest.fixture(scope="module")
def belief():
    decided = comparisons(3, 60, names=["ann", "bo", "cy"])
    return wf.Posterior(decided, random_state=1, particles=FEW)


def test_draws_are_rules_by_name(belief):
    drawn = belief.draws
    assert list(drawn.columns) == [
        "p",
        "weight of ann",
        "weight of bo",
        "weight of cy",
        "tau",
        "rho",
    ]
    assert len(drawn) == FEW
    assert np.allclose(drawn.iloc[:, 1:4].sum(axis=1), 1.0)


def test_intervals_hold_what_they_say(belief):
    low, high = belief.interval("p", level=0.8)
    assert low < belief.estimate("p") < high
    inside = belief.probability(lambda draws: (draws.p > low) & (draws.p < high))
    assert abs(inside - 0.8) < 2.0 / FEW + 0.01  # both ends lie between draws, which are drawn anew
    assert belief.interval("ann") == belief.interval("weight of ann")


def test_statements_in_words_and_code_agree(belief):
    below = belief.probability("p < 0")
    assert below == belief.probability("p < Nash") == belief.probability(more_averse_than="Nash")
    assert below == belief.doctrines()["Nash"]
    assert abs(below + belief.probability(less_averse_than=0.0) - 1.0) < 1e-12
    counted = belief.probability("ann > 0.3")
    assert 0 < counted < 1
    assert abs(counted + belief.probability("weight of ann < 0.3") - 1.0) < 1e-12


def test_same_seed_same_digits():
    decided = comparisons(2, 30)
    one, other = (wf.Posterior(decided, random_state=5, particles=FEW) for _ in range(2))
    assert one.interval("p") == other.interval("p")
    assert one.interval("p") != wf.Posterior(decided, random_state=6, particles=FEW).interval("p")


def test_what_is_added_can_be_undone_and_revised():
    decided = comparisons(3, 40)
    belief = wf.Posterior(decided[:30], random_state=2, particles=FEW)
    before = belief.interval("p")
    belief.add(decided[30:31]).add(decided[31:32])
    after = belief.interval("p")
    assert after != before
    other = wf.Comparisons(decided.utilities, decided.pairs[30:31], -decided.outcomes[30:31])
    belief.revise(1, other)
    assert belief.interval("p") != after
    belief.revise(1, decided[30:31])
    assert belief.interval("p") == after
    belief.undo().undo()
    assert belief.interval("p") == before
    with pytest.raises(wf.InputError, match="something to undo"):
        belief.undo()


def test_one_after_another_says_the_same_as_all_at_once():
    decided = comparisons(3, 25)
    whole = wf.Posterior(decided, random_state=3, particles=SOME)
    by_one = wf.Posterior(decided[:1], random_state=4, particles=SOME)
    for i in range(1, 25):
        by_one.add(decided[i : i + 1])
    for name in ("p", "tau", "weight of person 0"):
        line = {"p": np.arcsinh, "tau": np.log}.get(name, np.asarray)
        one, other = (line(b.draws[name]) for b in (whole, by_one))
        assert abs(one.mean() - other.mean()) < SAMPLING * one.std(), name


@pytest.mark.parametrize("people", [2, 6])
def test_a_surprise_is_taken_in_like_any_answer(people):
    decided = comparisons(people, 30, tau=200.0)
    by_one = wf.Posterior(decided[:29], random_state=3, particles=SOME // 2)
    chances = by_one.predict_proba(decided[:29])
    sure = int(np.argmax(np.abs(chances[:, 1] - 0.5)))
    flipped = decided[[sure]]
    flipped.outcomes = -flipped.outcomes
    by_one.add(flipped)
    whole = decided[[*range(29), sure]]
    whole.outcomes = np.append(decided.outcomes[:29], flipped.outcomes)
    at_once = wf.Posterior(whole, random_state=4, particles=SOME // 2)
    for name in ("p", "tau", "rho", "weight of person 0"):
        line = {"p": np.arcsinh, "tau": np.log}.get(name, np.asarray)
        one, other = (line(b.draws[name]) for b in (by_one, at_once))
        assert abs(one.mean() - other.mean()) < 2 * SAMPLING * other.std(), name


def test_more_particles_say_the_same():
    belief = wf.Posterior(comparisons(3, 25), random_state=3, particles=SOME)
    again = belief.refined(particles=2000)
    assert len(again.draws) == 2000
    one, other = (np.arcsinh(b.draws["p"]) for b in (belief, again))
    assert abs(one.mean() - other.mean()) < SAMPLING * one.std()


def test_nothing_was_asked_yet():
    belief = wf.Interview([[1.0, 2.0], [2.0, 1.0]]).posterior
    assert belief.total == 0
    low, high = belief.refined(particles=FEW).interval("p")
    assert low < -10.0
    assert high > 0.5


def test_predictions_are_averages_over_rules(belief):
    asked = comparisons(3, 6, seed=9, names=["cy", "ann", "bo"])  # other order: matched by name
    found = belief.predict_proba(asked)
    assert found.shape == (6, 2)
    assert np.allclose(found.sum(axis=1), 1.0)
    order = [1, 2, 0]
    table = asked.utilities[:, order]
    rules, shares = belief.rules, belief.state.cloud.shares
    expected = np.zeros(6)
    for w, p, tau, rho, share in zip(
        rules.weights, rules.powers, rules.taus, rules.rhos, shares, strict=True
    ):
        logs = wf.log_power_mean(table, p, w)
        z = tau * (logs[asked.pairs[:, 0]] - logs[asked.pairs[:, 1]])
        expected += share * (rho + (1 - 2 * rho) * expit(z))
    assert np.abs(found[:, 1] - expected).max() < 1e-4  # p near 0 is taken for 1e-6


def test_menus_of_two_are_comparisons():
    decided = comparisons(2, 20)
    menus = wf.Choices.of_comparisons(decided)
    one = wf.Posterior(decided, random_state=1, particles=FEW)
    other = wf.Posterior(menus, random_state=1, particles=FEW)
    assert np.allclose(one.interval("p"), other.interval("p"))
    foreseen = np.array([pair[0] for pair in other.predict_proba(menus)])
    assert np.allclose(one.predict_proba(decided)[:, 1], foreseen)


def test_best_of_some_actions(belief):
    table = [[50.0, 50.0, 50.0], [49.0, 49.0, 49.0], [95.0, 1.0, 2.0]]
    chances = belief.best(table)
    assert abs(chances.sum() - 1.0) < 1e-12
    assert chances[1] == 0.0  # worse for everybody


def test_columns_of_actions_are_matched_by_name(belief):
    table = np.random.default_rng(3).uniform(1.0, 100.0, (20, 3))
    named = pandas.DataFrame(table, columns=["ann", "bo", "cy"])
    chances = belief.best(table)
    assert np.array_equal(belief.best(named), chances)
    assert np.array_equal(belief.best(named[["cy", "ann", "bo"]]), chances)


def test_people_may_have_names_with_signs_in_them():
    decided = comparisons(2, 10, names=["under < 18", "others"])
    belief = wf.Posterior(decided, random_state=1, particles=FEW)
    assert belief.probability("others > under < 18") == belief.probability("others > 0.5")


def test_ties_bring_a_band_in():
    decided = comparisons(2, 30)
    belief = wf.Posterior(decided, random_state=1, particles=FEW)
    assert "band" not in belief.draws
    tied = wf.Comparisons(decided.utilities, [[0, 1], [1, 2], [2, 3]], [0, 1, -1])[:1]
    belief.add(tied)
    assert "band" in belief.draws
    half = wf.Posterior(decided, random_state=1, particles=FEW, ties="half").add(tied)
    assert "band" not in half.draws


def test_summary_tells_everything_in_all_forms(belief):
    told = belief.summary(level=0.9)
    assert "What is believed after 60 decisions" in told
    assert "90% of what is believed" in told
    assert "than Nash" in told
    assert told.to_dict()["estimates"][0]["number"] == "p"
    assert len(told.to_frame()) == 6
    assert "<table>" in told.as_html()


def test_the_prior_matters_less_the_more_was_decided():
    few, many = (
        wf.Posterior(comparisons(2, n), random_state=1, particles=FEW).prior_matters()
        for n in (3, 100)
    )
    moved = ["moved by wider", "moved by flatter"]
    assert list(few.columns) == ["number", "median", "wider", "flatter", *moved]
    first = [frame[moved].iloc[0].abs().max() for frame in (few, many)]
    assert first[1] < first[0]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda b: b.interval("anna"), "what is asked for must be one of p, weight of ann"),
        (lambda b: b.interval("p", level=95), "level must be a number between 0 and 1"),
        (lambda b: b.probability(), "a probability needs one statement"),
        (lambda b: b.probability("p"), "two sides with < or > between them"),
        (lambda b: b.probability("p < Rawls"), "what is asked for must be one of"),
        (lambda b: b.probability(3), "two sides with < or > between them"),
        (lambda b: b.probability("0 < p < 1"), "must have one < or >"),
        (lambda b: b.probability("p < nan"), "what is asked for must be one of"),
        (lambda b: b.probability(lambda draws: None), "True or False for each .* found None"),
        (lambda b: b.probability(lambda draws: [True]), "found bool of shape"),
        (lambda b: b.probability(lambda draws: draws.p), "found float64 of shape"),
        (lambda b: b.predict_proba([[1.0]]), "a posterior needs comparisons or choices"),
        (lambda b: b.predict_proba(None), "a posterior needs comparisons or choices"),
        (lambda b: b.best([[1.0, 2.0]]), "about the 3 people who are known; found 2"),
        (lambda b: b.best(pandas.DataFrame([[1.0] * 3], columns=list("abc"))), "no column 'ann'"),
        (lambda b: b.add(comparisons(2, 3)), "about the 3 people of the posterior; found 2"),
        (lambda b: b.revise(4, None), "one of the 1 times decisions came"),
        (lambda b: wf.Posterior([1, 2]), "a posterior needs comparisons or choices"),
        (lambda b: wf.Posterior(comparisons(2, 3), ties="no"), 'ties must be "band" or "half"'),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words(belief, call, said):
    with pytest.raises(wf.InputError, match=said):
        call(belief)


def test_menus_of_which_none_could_be_chosen_are_refused():
    decided = wf.Choices([[1.0, 2.0], [2.0, 1.0]], [[0, 1]], [None], outside=True)
    with pytest.raises(wf.InputError, match="something was chosen"):
        wf.Posterior(decided)


def test_answers_that_no_rule_explains_are_survived():
    table = [[1.0, 1.0], [2.0, 2.0]]
    decided = wf.Comparisons(table, [[0, 1]] * 5, [1] * 5)  # the worse for everybody, five times
    belief = wf.Posterior(decided, random_state=1, particles=FEW)
    assert belief.estimate("tau") < 3.0
    assert np.isfinite(belief.interval("p")).all()


def test_people_who_are_not_there():
    table = [[1.0, np.nan, 3.0], [2.0, 5.0, np.nan], [4.0, 1.0, 2.0]]
    decided = wf.Choices(table, [[0, 1, 2], [0, 2]], [2, 2], absent=True)
    belief = wf.Posterior(decided, random_state=1, particles=FEW)
    assert np.isfinite(belief.interval("p")).all()
