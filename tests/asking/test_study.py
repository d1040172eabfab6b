"""Simulated decision makers: adaptive questions are worth more than random ones."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from welfarist.asking.coordinates import Rules
from welfarist.asking.evidence import log_chances
from welfarist.asking.simulated import Decider, Setting


class Kolm:
    """A rule of another family, whose aversion is to absolute differences."""

    def __init__(self, rng, people):
        self.weights = rng.dirichlet(np.ones(people))

    def log(self, utilities):
        worth = -20.0 * np.log(np.exp(-np.asarray(utilities) / 20.0) @ self.weights)
        return np.log(np.maximum(worth, 1e-3))


def test_adaptive_questions_are_worth_more_than_random_ones():
    found = wf.asking.study(
        3, questions=[5, 15], ways=["adaptive", "random"], deciders=6, random_state=1
    )
    frame = found.to_frame().set_index(["way", "questions"])
    assert frame.loc[("adaptive", 15), "accuracy"] > frame.loc[("random", 15), "accuracy"]
    assert frame.loc[("adaptive", 15), "accuracy"] > frame.loc[("adaptive", 5), "accuracy"]
    assert frame.loc[("adaptive", 15), "power_error"] < frame.loc[("random", 15), "power_error"]
    assert found.enough(0.9) in (5, 15)
    assert found.enough(1.0) is None
    assert "adaptive" in str(found)


def test_truths_from_the_prior_and_of_another_family():
    options = dict(questions=[4], ways=["designed"], deciders=2, random_state=1)
    drawn = wf.asking.study([2, 3], truth="prior", **options).columns
    assert drawn["people"] == [2, 3]
    other = wf.asking.study(3, truth=Kolm, rho=0.05, **options).columns
    assert 0.5 < other["accuracy"][0] <= 1.0
    assert np.isnan(other["power_error"][0])


def test_other_ways_are_refused():
    with pytest.raises(wf.InputError, match="adaptive, designed or random"):
        wf.asking.study(3, ways=["clever"])
    with pytest.raises(wf.InputError, match="the truth must be"):
        wf.asking.study(3, truth="false", deciders=1)


class Unknown:
    """What is no rule."""

    def __init__(self, rng, people):
        pass


def test_the_number_of_processes_changes_no_digit():
    options = dict(questions={"adaptive": [3], "random": [3, 6]}, deciders=2, random_state=4)
    for truth in ("spread", Kolm):
        alone = wf.asking.study(2, truth=truth, **options)
        shared = wf.asking.study(2, truth=truth, jobs=2, **options)
        assert str(alone) == str(shared)
        assert alone.columns["accuracy"] == shared.columns["accuracy"]
    assert alone.columns["way"] == ["adaptive", "random", "random"]


def test_a_table_of_one_s_own_may_run_out_of_questions():
    table = np.random.default_rng(1).uniform(1, 9, (4, 3))
    options = dict(actions=table, deciders=2, truth=wf.WelfareFunction(-1), random_state=2)
    found = wf.asking.study(questions=[2, 30], ways=["adaptive"], **options)
    assert found.columns["people"] == [3, 3]
    # Four actions have six pairs: after those nothing is left to ask.
    assert found.columns["accuracy"] == wf.asking.study(
        questions=[2, 6], ways=["adaptive"], **options
    ).columns["accuracy"]  # fmt: skip


def test_truths_of_one_power_and_of_no_finite_one():
    options = dict(questions=[6], ways=["adaptive"], deciders=2, random_state=1)
    for truth in (0, -np.inf):
        errors = wf.asking.study(2, truth=truth, **options).columns["power_error"]
        assert np.isfinite(errors).all()


def test_enough_is_where_it_stays():
    columns = {
        "people": [3, 3, 3], "way": ["random"] * 3, "questions": [5, 10, 20],
        "accuracy": [0.92, 0.88, 0.93],
    }  # fmt: skip
    found = wf.asking.Study(columns)
    assert found.enough(0.9, "random") == 20
    assert found.enough(0.85, "random") == 5
    assert found.enough(0.95, "random") is None
    assert found.enough(0.5, "adaptive") is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(jobs=0), "jobs must be"),
        (dict(jobs=2, truth=lambda rng, people: Kolm(rng, people)), "take jobs=1"),
        (dict(truth=Unknown), "must have a method log"),
        (dict(truth=float("nan")), "found NaN"),
        (dict(tau=0), "tau must be"),
        (dict(rho=0.5), "rho must be"),
        (dict(actions=[[1.0, 2.0]]), "two actions and two people"),
        (dict(actions=1), "actions must be"),
        (dict(questions=[]), "one number at least"),
        (dict(questions={"random": [3]}, ways=["adaptive"]), "every way"),
        (dict(truth=wf.WelfareFunction(0, [1, 2, 3, 4])), "one entry per person"),
    ],
)
def test_what_makes_no_sense_is_refused(options, words):
    with pytest.raises(wf.InputError, match=words):
        wf.asking.study(3, deciders=1, **options)


def test_simulated_people_answer_as_the_model_says():
    rule = wf.WelfareFunction(0.0, [0.5, 0.5])
    one, other = np.array([2.0, 2.0]), np.array([2.0, 2.1])
    rng = np.random.default_rng(1)
    decider = Decider(rule, 20.0, 0.1, 0.05)
    told = [decider.answer(one, other, rng) for _ in range(4000)]
    rules = Rules(*(np.array([x]) for x in ([0.5, 0.5], 0.0, 20.0, 0.1, 0.05)))
    z = np.array([[20.0 * (np.log(2.0) - 0.5 * np.log(2.0 * 2.1))]])
    for said, number in (("first", 1.0), ("second", -1.0), ("equal", 0.0)):
        chance = np.exp(log_chances(z, np.array([number]), rules, True)[0, 0])
        # Four standard errors of a share of 4,000.
        assert abs(told.count(said) / 4000 - chance) < 4 * np.sqrt(chance * (1 - chance) / 4000)
    assert abs(sum(decider.chances(one, other)) - 1.0) > 0.05
    assert sum(Decider(rule, 20.0, 0.1).chances(one, other)) == pytest.approx(1.0, abs=1e-12)


def test_truths_from_the_prior_have_a_band():
    setting = Setting(20, 20.0, 0.0, "prior", wf.Prior(band=0.3))
    rng = np.random.default_rng(2)
    bands = [setting.decider(3, rng).band for _ in range(400)]
    # The median of 400 log-normal numbers of spread 1 has a standard error of .06 in logarithms.
    assert abs(np.log(np.median(bands) / 0.3)) < 4 * 0.06
    assert Setting(20, 20.0, 0.0, "spread", wf.Prior()).decider(3, rng).band == 0.0
