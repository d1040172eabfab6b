"""Sets of powers in pieces, against a brute-force profile."""

import json
import warnings

import numpy as np
import pytest

import welfarist as wf
from benchmarks import problems
from welfarist.inference.intervals import deviance_at
from welfarist.inference.reference import allowed_deviance
from welfarist.show.report.document import report_html


def fitted(seed, n=60, people=3, tau=3.0):
    rng = np.random.default_rng(seed)
    table = rng.uniform(1, 10, (2 * n, people))
    pairs = np.arange(2 * n).reshape(2, -1).T
    rule = wf.WelfareFunction(0.0, np.full(people, 1 / people))
    margin = rule.log(table[pairs[:, 0]]) - rule.log(table[pairs[:, 1]])
    outcomes = np.where(rng.random(n) < 1 / (1 + np.exp(-tau * margin)), 1, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        learner = wf.ComparisonClassifier(small_sample="none")
        return learner.fit(wf.Comparisons(table, pairs, outcomes)).result_


@pytest.fixture(scope="module")
def several():
    """Fits whose set is in several pieces: towards both ends, and with a hole."""
    found = [fitted(seed) for seed in (20, 9)]
    assert all(len(result.pieces()) > 1 for result in found)
    return found


def test_pieces_are_ascending_and_hold_the_estimate(several):
    for result in several:
        ends = np.array(result.pieces()).ravel()
        assert (np.diff(ends) > 0).all()
        assert any(low <= result.p <= high for low, high in result.pieces())
        assert result.interval("p") == (ends[0], ends[-1])


def test_a_grid_of_powers_agrees_with_the_pieces(several):
    result = several[0]
    allowed = allowed_deviance(result.likelihood, 0.95)
    for t in np.linspace(-4.5, 4.5, 31):
        p = float(np.sinh(t))
        within = any(low <= p <= high for low, high in result.pieces())
        near = min(abs(t - np.arcsinh(end)) for piece in result.pieces() for end in piece)
        if near > 0.05:
            assert (deviance_at(result.likelihood, "p", p) <= allowed) == within


def test_pieces_are_told_of_everywhere(several):
    result = several[0]
    assert "and nothing between" in str(result.summary())
    told = json.loads(result.summary().as_json())["parameters"]
    row = next(row for row in told if row["parameter"] == "p")
    assert len(row["pieces"]) == len(result.pieces())
    assert result.profile().pieces == result.pieces()
    assert "explain them, and none between" in report_html(result)


def test_aversion_has_the_same_pieces_turned(several):
    result = several[0]
    turned = result.pieces("epsilon")
    np.testing.assert_allclose(1 - np.array(turned)[::-1, ::-1], result.pieces())


def test_other_numbers_are_in_one_piece(several):
    result = several[0]
    assert result.pieces("tau") == (result.interval("tau"),)


def test_pieces_are_of_one_number():
    decided = problems.comparisons(0, 40, 3, 200, p=-1, tau=8).comparisons()
    result = wf.ComparisonClassifier(random_state=0).fit(decided).result_
    with pytest.raises(wf.InputError, match="must be of one number; found 'weights', which are 3"):
        result.pieces("weights")


def test_what_a_group_loses_at_its_own_weight_is_nothing():
    decided = problems.comparisons(0, 40, 4, 400, p=-1, tau=8).comparisons()
    groups = ["a", "a", "b", "b"]
    result = wf.ComparisonClassifier(groups=groups, random_state=0).fit(decided).result_
    for person, weight in enumerate(result.weights):
        name = result.likelihood.names[result.likelihood.places("weights")[person]]
        assert deviance_at(result.likelihood, name, float(weight)) == pytest.approx(0, abs=1e-6)
