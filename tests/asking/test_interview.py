"""Interviews: what is asked, what answers do, and that an interview can be taken up again."""

from __future__ import annotations

import json

import numpy as np
import pandas
import pytest

import welfarist as wf

ACTIONS, PEOPLE = 60, 3
WEIGHTS = np.array([0.6, 0.3, 0.1])


@pytest.fixture(scope="module")
def table():
    return np.random.default_rng(7).uniform(1.0, 100.0, (ACTIONS, PEOPLE))


def true_answer(interview, p=-2.0):
    first, second = interview.next()
    one, other = wf.log_power_mean(interview.actions[[first, second]], p, WEIGHTS)
    return "first" if one > other else "second"


def asked(interview, count, p=-2.0):
    for _ in range(count):
        interview.answer(true_answer(interview, p))
    return interview


def test_a_rule_is_found_in_few_questions(table):
    interview = asked(wf.Interview(table, random_state=1), 20)
    low, high = interview.posterior.interval("p")
    assert low < -2.0 < high
    assert high < 0.0
    assert (
        interview.posterior.interval("person 0")[0]
        < 0.6
        < interview.posterior.interval("person 0")[1]
    )


def test_no_question_is_repeated_and_sides_are_mixed(table):
    interview = asked(wf.Interview(table, random_state=2), 25)
    pairs = [question.pair for question in interview.questions]
    assert len(set(pairs)) == 25
    firsts = sum(answer == "first" for answer in interview.answers)
    assert 3 < firsts < 22
    assert all(question.bits > 0 and question.reason for question in interview.questions)


def test_a_question_stays_until_it_is_answered(table):
    interview = wf.Interview(table, random_state=2)
    assert interview.next() == interview.next()
    before = interview.next()
    interview.answer("skip")
    assert set(interview.next()) != set(before)
    with pytest.raises(wf.InputError, match="an answer that prefers an action"):
        _ = interview.decisions


def test_an_answer_can_be_undone(table):
    interview = asked(wf.Interview(table, random_state=3), 6)
    ends, question = interview.posterior.interval("p"), interview.next()
    interview.answer("first")
    interview.next()
    interview.undo()
    assert interview.next() == question
    assert interview.posterior.interval("p") == ends
    asked(interview, 16)
    for _ in range(16):  # further back than what is kept in memory
        interview.undo()
    assert interview.next() == question
    assert interview.posterior.interval("p") == ends
    for _ in range(6):
        interview.undo()
    with pytest.raises(wf.InputError, match="an answer to undo"):
        interview.undo()


def test_a_revised_answer_is_as_if_it_had_been_given(table):
    interview = asked(wf.Interview(table, random_state=4), 8)
    ends = interview.posterior.interval("p")
    other = "second" if interview.answers[2] == "first" else "first"
    interview.revise(2, other)
    assert interview.posterior.interval("p") != ends
    assert interview.decisions.outcomes[2] == {"first": 1, "second": -1}[other]
    interview.revise(2, "second" if other == "first" else "first")
    assert interview.posterior.interval("p") == ends
    with pytest.raises(wf.InputError, match="one of the 8 that were answered"):
        interview.revise(8, "first")


@pytest.mark.parametrize("options", [{}, {"designed": "too", "check_every": 4}, {"aim": "best"}])
def test_a_saved_interview_goes_on_with_the_same_questions(table, tmp_path, options):
    frame = pandas.DataFrame(table, columns=["ann", "bo", "cy"])
    interview = asked(wf.Interview(frame, random_state=5, **options), 7)
    interview.answer("equal")
    interview.answer("skip")
    interview.revise(1, "equal")
    for moment in ("before the next question", "after it"):
        path = tmp_path / "interview.json"
        interview.save(path)
        again = wf.Interview.load(path)
        assert again.answers == interview.answers, moment
        assert again.stakeholders == ("ann", "bo", "cy")
        both = []
        for one in (interview, again):
            asked(one, 3)
            both.append(([q.pair for q in one.questions], one.posterior.interval("p"), one.next()))
        assert both[0] == both[1]
        assert (interview.actions == again.actions).all()
        interview.undo()
        interview.next()


def test_the_same_seed_asks_the_same(table):
    one, other, third = (asked(wf.Interview(table, random_state=s), 6) for s in (8, 8, 9))
    assert one.questions == other.questions
    assert one.questions != third.questions


def test_files_that_are_no_interviews_are_refused(tmp_path):
    for text in ("no json", "[]", json.dumps({"welfarist": "model", "format": 1})):
        (tmp_path / "a.json").write_text(text)
        with pytest.raises(wf.InputError, match="interview"):
            wf.Interview.load(tmp_path / "a.json")
    with pytest.raises(wf.InputError, match="must be a saved interview; there is no such file"):
        wf.Interview.load(tmp_path / "b.json")


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        ("asked", {"answer": "maybe"}),
        ("asked", {"first": 999}),
        ("asked", {"first": "x"}),
        ("asked", {"about": [0, 9]}),
        ("pending", {"second": -1}),
        ("actions", [[1.0, 2.0, 3.0], [4.0]]),
        ("seed", float("inf")),
    ],
)
def test_records_that_were_changed_are_refused(table, where, wrong):
    interview = asked(wf.Interview(table, random_state=1), 1)
    interview.next()
    record = json.loads(json.dumps(interview.to_dict()))
    if where in ("actions", "seed"):
        record[where] = wrong
    else:
        (record[where][0] if where == "asked" else record[where]).update(wrong)
    with pytest.raises(wf.InputError, match="must be read as it was written"):
        wf.Interview.from_dict(record)


def test_decisions_are_comparisons_a_learner_takes(table):
    frame = pandas.DataFrame(
        table, columns=["ann", "bo", "cy"], index=[f"plan {i}" for i in range(ACTIONS)]
    )
    interview = asked(wf.Interview(frame, random_state=1, designed="too"), 14)
    interview.answer("equal")
    interview.answer("skip")
    decided = interview.decisions
    assert len(decided) == 15
    assert decided.stakeholders == ("ann", "bo", "cy")
    assert decided.names[:1] == ("plan 0",)
    assert decided.outcomes[-1] == 0
    with pytest.warns(wf.WelfaristWarning):  # somebody who never errs has no temperature
        assert np.isfinite(wf.ComparisonClassifier(prior=2).fit(decided).p_)
    whole = wf.Posterior(decided, random_state=1, particles=500)
    assert "band" in whole.draws


def test_designed_questions_trade_two_or_three_people(table):
    interview = asked(wf.Interview(table, random_state=1, designed=True), 5)
    assert len(interview.actions) == ACTIONS + 10
    for question in interview.questions:
        one, other = interview.actions[[question.first, question.second]]
        assert 2 <= (one != other).sum() <= 3
        assert (one > other).any()
        assert (one < other).any()
    asked(interview, 1)
    interview.undo()
    assert len(interview.actions) == ACTIONS + 12  # of the question that is put again


def test_questions_are_not_all_about_the_same_two_people():
    wide = np.random.default_rng(1).uniform(1.0, 100.0, (80, 4))
    interview = wf.Interview(wide, random_state=1, same_people=0.3)
    weights = np.array([0.45, 0.45, 0.05, 0.05])  # of whom most questions would be about two
    for _ in range(20):
        first, second = interview.next()
        one, other = wf.log_power_mean(interview.actions[[first, second]], 0.0, weights)
        interview.answer("first" if one > other else "second")
    often = max(interview._about.count(who) for who in set(interview._about))
    assert often <= 0.3 * 20 + 4  # the first four are free


def test_checks_put_a_question_again_with_sides_changed(table):
    interview = asked(wf.Interview(table, random_state=1, check_every=5), 10)
    pairs = [(question.first, question.second) for question in interview.questions]
    assert pairs[4][::-1] in pairs[:4]
    assert interview.consistency == 1.0
    interview.revise(4, "equal")
    assert interview.consistency < 1.0
    assert wf.Interview(table).consistency is None


def test_an_aim_ends_when_the_best_action_is_known(table):
    interview = wf.Interview(table, aim=list(range(10)), random_state=1, sure=0.8, bits=1e-6)
    while not interview.done:
        assert interview.about_more >= 1
        interview.answer(true_answer(interview))
    row, chance = interview.recommended
    assert chance >= 0.8
    assert "best action is known" in interview.reason
    assert row == np.argmax(wf.log_power_mean(table[:10], -2.0, WEIGHTS))
    assert len(interview.answers) < 25


def test_it_ends_when_nothing_is_left_to_ask():
    interview = wf.Interview([[1.0, 5.0], [4.0, 2.0], [3.0, 3.0]], random_state=1, bits=1e-9)
    while not interview.done:
        interview.answer("first")
    assert len(interview.answers) == 3
    assert "no question left" in interview.reason
    assert interview.about_more == 0
    with pytest.raises(wf.InputError, match="there must be a question left"):
        interview.next()
    interview.undo()
    assert not interview.done


def test_it_ends_when_answers_tell_little(table):
    interview = wf.Interview(table[:, :2], random_state=1, bits=0.3, most=100)
    while not interview.done:
        first, second = interview.next()
        one, other = wf.log_power_mean(interview.actions[[first, second]], 0.0, [0.5, 0.5])
        interview.answer("first" if one > other else "second")
    assert "which is little" in interview.reason


def test_a_question_of_ones_own(table):
    interview = wf.Interview(table, random_state=1)
    interview.ask(3, 5)
    assert interview.next() == (3, 5)
    interview.answer("first")
    assert interview.decisions.pairs.tolist() == [[3, 5]]
    with pytest.raises(wf.InputError, match="two different rows below 60"):
        interview.ask(3, 60)


def test_zeros_can_be_asked_about():
    zeros = np.random.default_rng(3).uniform(1.0, 9.0, (30, 3)).round()
    zeros[::4, 1] = 0.0
    interview = wf.Interview(zeros, random_state=1)
    for _ in range(10):
        first, second = interview.next()
        interview.answer("first" if zeros[first].sum() > zeros[second].sum() else "second")
    assert interview.posterior.estimate("p") > 0.0


def test_what_is_known_is_known_of_somebody_less_steady_too(table):
    interview = asked(wf.Interview(table, aim="best", random_state=6), 6)
    loosely = wf.Prior(tau_spread=2.0 * interview.prior.tau_spread)
    other = wf.Posterior(interview.decisions, loosely, random_state=1, particles=1500)
    row, chance = interview.recommended
    believed = interview.posterior.best(table)[row]
    assert chance <= believed
    # A thousand rules, weighted anew, beside as many that were drawn: four errors.
    assert abs(chance - min(believed, other.best(table)[row])) < 0.15


def test_rules_that_find_all_worth_nothing_know_no_best_action():
    zeros = np.random.default_rng(3).uniform(1.0, 9.0, (30, 3))
    zeros[np.arange(30), np.arange(30) % 3] = 0.0
    interview = wf.Interview(zeros, aim="best", random_state=1)
    below = interview.posterior.probability("p < 0")
    chances = interview.posterior.best(zeros)
    assert chances.min() > 0.99 * below / 30 > 0.01
    np.testing.assert_allclose(chances.sum(), 1.0, rtol=1e-12)  # sums of 1000 shares
    assert interview.recommended[1] < 1.0 - 0.9 * below
    assert not interview.done


def test_what_is_infinitely_better_can_be_called_equal():
    interview = wf.Interview([[0.0, 5.0], [4.0, 1.0], [1.0, 3.0]], random_state=1)
    interview.ask(0, 1)
    interview.answer("equal")
    assert interview.posterior.probability("p > 0") > 0.9


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"aim": "worst"}, 'must be "best" or row numbers'),
        ({"aim": [1]}, "two or more different row numbers below 60"),
        ({"aim": [1, 99]}, "two or more different row numbers below 60"),
        ({"designed": "yes"}, 'True, False or "too"'),
        ({"designed": ["too"]}, 'True, False or "too"'),
        ({"bits": np.inf}, "bits must be above 0 and finite"),
        ({"prior": wf.Prior(weights=[1.0, 2.0])}, "one per person, 3 in all; found 2"),
        ({"sure": 2.0}, "sure must be above 0 up to 1"),
        ({"most": 0}, "most"),
    ],
)
def test_what_is_no_interview_is_refused(table, options, said):
    with pytest.raises(wf.InputError, match=said):
        wf.Interview(table, **options)


def test_other_answers_and_tables_are_refused(table):
    with pytest.raises(wf.InputError, match='"first", "second", "equal" or "skip"'):
        wf.Interview(table).answer("left")
    with pytest.raises(wf.InputError, match="two actions and two people"):
        wf.Interview([[1.0], [2.0]])
    interview = wf.Interview(table)
    with pytest.raises(wf.InputError, match='"first", "second", "equal" or "skip"'):
        interview.answer(np.array(["first", "second"]))
    for first, second in (([0, 1], 2), (True, 2), (0, "a")):
        with pytest.raises(wf.InputError, match="two different rows below 60"):
            interview.ask(first, second)
    with pytest.raises(wf.InputError, match="about the 3 people who are known; found 2"):
        interview.take_in([[1.0, 2.0]])


def test_made_up_outcomes_are_matched_by_name(table):
    named = pandas.DataFrame(table, columns=["ann", "bo", "cy"])
    interview = wf.Interview(named)
    row = interview.take_in(named[["cy", "ann", "bo"]].iloc[:1])[0]
    assert interview.actions[row].tolist() == table[0].tolist()


def test_what_is_added_to_the_posterior_leaves_the_interview_as_it_is(table):
    interview = asked(wf.Interview(table, random_state=6), 5)
    ends, said = interview.posterior.interval("p"), interview.recommended
    belief = interview.posterior
    for _ in range(2):
        belief.add(interview.decisions)
    belief.undo()
    assert belief.total == 10
    assert interview.posterior.interval("p") == ends
    assert interview.posterior.total == 5
    alone = asked(wf.Interview(table, random_state=6), 5)
    assert alone.next() == interview.next()
    assert alone.recommended == said
    assert asked(interview, 1).posterior.estimate("p") == asked(alone, 1).posterior.estimate("p")


def test_an_interview_ends_when_all_is_skipped(table):
    interview = wf.Interview(table, random_state=1, most=3)
    while not interview.done:
        interview.answer("skip")
    assert interview.reason == (
        "3 questions were put, the most there should be; 3 of them were skipped"
    )


def test_rows_are_not_favoured_where_no_action_is_worth_anything():
    zeros = np.random.default_rng(3).uniform(1.0, 9.0, (60, 3))
    zeros[np.arange(60), np.arange(60) % 3] = 0.0
    prior = wf.Prior(mode=-5.0, left=0.5, right=0.1)  # p > 0 is next to impossible
    interview = wf.Interview(zeros, prior, aim="best", random_state=1)
    assert interview.recommended[1] < 0.03
    seen = {row for _ in range(8) for row in _put_and_skipped(interview)}
    assert max(seen) > 30
    assert "0.00 bits about which action is best" in interview.question.reason


def _put_and_skipped(interview):
    rows = interview.next()
    interview.answer("skip")
    return rows
