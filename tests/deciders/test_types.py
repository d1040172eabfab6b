"""Types of decision makers, as a user meets them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import welfarist as wf
from tests.deciders.panels import made_comparisons
from welfarist.base.errors import InputError, NotIdentifiedWarning, SeparationWarning

# Log likelihoods of the same mixture, worked out twice.
ROUNDING = 1e-8
ALTRUIST, MISER = (0.2, (0.6, 0.4), 12.0), (0.8, (0.9, 0.1), 20.0)


@pytest.fixture(scope="module")
def decisions():
    return made_comparisons((ALTRUIST, MISER), each=15, questions=40)


@pytest.fixture(scope="module")
def two(decisions):
    return wf.Types(n_types=2, population=False, n_starts=6).fit(decisions)


def learner(**options):
    return wf.Types(population=False, n_starts=4, **options)


def test_shares_members_and_rules(two, decisions):
    assert two.shares_.sum() == pytest.approx(1.0)
    assert (np.diff(two.shares_) <= 0).all()
    frame = two.membership_
    assert len(frame) == 30
    chances = frame[["type 0", "type 1"]].to_numpy()
    assert chances.sum(axis=1) == pytest.approx(1.0)
    assert (chances.argmax(axis=1) == frame["type"].to_numpy()).all()
    assert two.log_likelihood_ == pytest.approx(two.result_.mixture.log_likelihood, abs=ROUNDING)


def test_the_number_of_types_is_that_with_the_lowest_bic(decisions):
    found = learner(max_types=3).fit(decisions)
    typed = [one for one in found.result_.candidates if one.types is not None]
    assert found.n_types_ == min(typed, key=lambda one: one.bic).types == 2
    assert found.result_.best.types == 2


def test_a_doctrine_as_the_only_type_is_what_was_fitted(decisions):
    found = learner(types=["utilitarian"]).fit(decisions)
    assert found.types_[0].p == 1.0
    assert found.types_[0].called == "utilitarian"
    assert found.log_likelihood_ == pytest.approx(found.result_.mixture.log_likelihood, abs=1e-8)
    assert found.result_.best.name == "utilitarian"
    assert found.result_.best.parameters == 2  # a weight and a temperature
    assert found.result_.candidates[0].parameters == 3


def test_a_test_between_types_needs_what_both_have_learned(decisions):
    found = learner(types=["utilitarian", "learn"]).fit(decisions).result_
    with pytest.raises(InputError, match="learned of both types"):
        found.test(between=(0, 1))
    assert 0.0 <= found.test(between=(0, 1), what="tau").p_value <= 1.0


def test_types_that_differ_are_told_apart(two):
    tested = two.result_.test(between=(0, 1))
    assert tested.degrees == 2
    assert tested.p_value < 1e-6
    assert two.result_.test(between=(0, 1), what="weights").degrees == 1


def test_no_test_where_the_summary_trusts_no_standard_error():
    selfish = made_comparisons((ALTRUIST, (0.5, (0.999, 0.001), 6.0)), each=12, questions=40)
    found = learner(n_types=2).fit(selfish).result_
    edge = [k for k in range(2) if found.errors().at_edge(k)]
    assert edge
    with pytest.raises(InputError, match="beside an edge"):
        found.test(between=(edge[0], 1 - edge[0]), what="p")


def test_people_who_never_err_have_no_standard_errors():
    sure = made_comparisons(((1.0, (0.8, 0.2), 1e6), (-1.0, (0.5, 0.5), 5.0)), each=10)
    with pytest.warns(SeparationWarning, match="never errs"):
        found = learner(n_types=2).fit(sure)
    certain = int(np.argmax([one.explained for one in found.types_]))
    rows = [row for row in found.result_.estimates() if row.type == certain]
    assert all(row.low is None for row in rows if row.parameter != "share")
    assert "not determined" in found.result_.summary()


def test_one_decision_a_person_tells_no_differences():
    table = np.random.default_rng(0).uniform(1, 9, (20, 2))
    pairs = wf.simulate.random_pairs(20, 40)
    first = np.sign(table[pairs[:, 0], 0] - table[pairs[:, 1], 0])
    outcomes = np.where(np.arange(40) % 7 == 0, -first, first)
    decided = wf.Comparisons(table, pairs, outcomes, by=np.arange(40))
    with pytest.warns(NotIdentifiedWarning, match="one decision a person"):
        learner(n_types=1).fit(decided)


def test_bad_input_gets_one_sentence(decisions):
    for options, words in (
        ({"n_types": 31}, "at least as many decision makers as types"),
        ({"n_types": 0}, "n_types must be"),
        ({"types": []}, "an entry for each type"),
        ({"types": ["utilitarien"]}, "a doctrine must be one of"),
        ({"learner": wf.WelfareRegressor()}, "learner must be"),
    ):
        with pytest.raises(InputError, match=words):
            learner(**options).fit(decisions)
    with pytest.raises(InputError, match="needs one null"):
        learner(n_types=1).fit(decisions).result_.test()


def test_what_is_known_of_people_may_tell_their_type(decisions):
    who = np.unique(decisions.by)
    kind = ["a" if i < 15 else "b" for i in range(30)]
    age = np.random.default_rng(1).uniform(20, 80, 30)
    table = {"who": who, "kind": kind, "age": age}
    found = learner(n_types=2).fit(decisions, deciders=table).result_
    assert found.test(same=["a", "b"]).p_value < 1e-3
    assert found.test(same="age").p_value > 0.01
    coefficients = found.coefficients().set_index("column")["log_odds"]
    membership = found.mixture.membership
    odds = membership.design[0] @ membership.gamma[0]
    by_hand = coefficients["constant"] + coefficients["age"] * age[0]
    by_hand += coefficients["kind: b"] * (kind[0] == "b")
    assert by_hand == pytest.approx(odds, abs=1e-9)


def test_groups_of_several_columns_are_refused(decisions):
    who, half = np.unique(decisions.by), ["yes"] * 15 + ["no"] * 15
    table = {"who": who, "married": half, "works": (["yes", "no"] * 15)}
    found = learner(n_types=2).fit(decisions, deciders=table).result_
    with pytest.raises(InputError, match="one column"):
        found.test(same=["yes", "no"])


def test_copies_and_pickles(two, decisions):
    assert clone(two).get_params()["n_types"] == 2
    again = pickle.loads(pickle.dumps(two))
    assert again.predict_proba(decisions).tolist() == two.predict_proba(decisions).tolist()


def test_summary_has_other_forms(two):
    told = two.result_.summary()
    assert "How do people differ?" in told
    assert r"\begin{tabular}" in told.as_latex()
    assert "<table>" in told.as_html()
    assert told.to_dict()["n_types"] == 2
    assert set(told.to_frame()["parameter"]) >= {"share", "p", "tau"}
