"""Everybody's own rule, as a user meets it."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from tests.deciders.panels import made_comparisons, varied
from welfarist.base.errors import InputError

NODES = 1024


@pytest.fixture(scope="module")
def decisions():
    return made_comparisons(varied(30), each=1, questions=30)


@pytest.fixture(scope="module")
def found(decisions):
    return wf.Deciders(n_nodes=NODES).fit(decisions)


def test_everybody_has_a_finite_estimate_inside_its_interval(found):
    frame = found.individuals_
    assert len(frame) == 30
    for name in ("p", "tau", "weight of person 0"):
        assert np.isfinite(frame[name]).all()
        assert (frame[f"{name}_low"] <= frame[name]).all()
        assert (frame[name] <= frame[f"{name}_high"]).all()
    weights = frame[["weight of person 0", "weight of person 1"]].to_numpy()
    assert weights.sum(axis=1) == pytest.approx(1.0)


def test_the_population_in_numbers_people_use(found):
    population = found.population_
    low, middle, high = population.quantiles("p")
    assert low < middle < high
    assert population.share("p", below=middle) == pytest.approx(0.5, abs=0.05)
    below, above = population.share("tau", below=10.0), population.share("tau", above=10.0)
    assert below + above == pytest.approx(1.0, abs=1e-9)
    epsilon = 1.0 - population.quantiles("p")[::-1]
    # Quantiles of weighted nodes are nodes: of both numbers neighbours of each other.
    assert population.quantiles("epsilon") == pytest.approx(epsilon, abs=0.1)
    assert np.diag(population.correlation) == pytest.approx(1.0)
    names = [row.parameter for row in population.estimates()]
    assert names[0] == "mean of asinh p"
    assert all(row.standard_error is not None for row in population.estimates()[:3])


def test_slips_that_all_share_are_told(decisions):
    learner = wf.ComparisonClassifier(noise="lapse")
    lapses = wf.Deciders(learner, n_nodes=512).fit(decisions).result_
    assert 0.0 <= lapses.common["rho"] < 0.5
    assert "rho of everybody" in lapses.summary()
    assert lapses.to_dict()["common"]["rho"] == lapses.common["rho"]


def test_answers_of_somebody_new_move_what_is_believed(found, decisions):
    table, pairs = decisions.utilities, decisions.pairs[:10]
    asked = wf.Comparisons(table, pairs[:1], [1], by=["new"])
    answers = wf.Comparisons(table, pairs[1:], np.where(np.arange(9) % 2, 1, -1), by=["new"] * 9)
    before, after = found.predict_proba(asked), found.predict_proba(asked, given=answers)
    assert before.sum() == pytest.approx(1.0)
    assert abs(before[0, 1] - after[0, 1]) > 1e-6


def test_many_numbers_are_left_to_types():
    table = np.random.default_rng(0).uniform(1, 9, (40, 7))
    rules = [wf.WelfareFunction(0, [4, 1, 1, 1, 1, 1, 1]), wf.WelfareFunction(0, [1] * 6 + [4])]
    crowd = wf.simulate.crowd_of_types(rules, [0.5, 0.5], 12, tau=20, exact=True)
    decided = wf.simulate.crowd_comparisons(table, crowd, each=40)
    own = wf.Deciders(wf.ComparisonClassifier(p=0)).fit(decided)
    assert own.population_.kind == "types"
    assert "types" in own.result_.headline or "No sign" in own.result_.headline
    with pytest.raises(InputError, match="at most 6 numbers"):
        wf.Deciders(wf.ComparisonClassifier(p=0), population="normal").fit(decided)


def test_bad_input_gets_one_sentence(decisions):
    with pytest.raises(InputError, match="n_nodes must be"):
        wf.Deciders(n_nodes=3).fit(decisions)
    with pytest.raises(InputError, match="population must be"):
        wf.Deciders(population="gauss").fit(decisions)
    tied = decisions[:60]
    tied.outcomes = np.zeros(60, dtype=np.int8)
    with pytest.raises(InputError, match="nothing but ties"):
        wf.Deciders().fit(tied)
