"""People with errors wherever a table of utilities goes: used, or refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist import (
    ChoiceLearner,
    Choices,
    ComparisonClassifier,
    Comparisons,
    Deciders,
    InputError,
    Interview,
    Model,
    People,
    Posterior,
    Types,
    WelfareFunction,
    WelfareRegressor,
    allocate,
    compare,
    draw_rules,
    recommend,
)
from welfarist.people.estimated.drawing import averaged, drawn_tables
from welfarist.results.rule_draws import RuleDraws

NAMES = ["ann", "bo", "cy"]
# Chances are means over 400 pairs of draws, or integrals: four standard errors of the former.
DRAWN = 0.02
ROUNDING = 1e-12


def world(error=0.3):
    rng = np.random.default_rng(0)
    logs = rng.normal(0, 0.8, (60, 3))
    welfare = -np.log(np.exp(-logs) @ [0.2, 0.3, 0.5])
    first = rng.integers(0, 60, 900)
    pairs = np.column_stack([first, (first + rng.integers(1, 60, 900)) % 60])
    margin = 10 * (welfare[pairs[:, 0]] - welfare[pairs[:, 1]])
    outcomes = np.where(rng.random(900) < 1 / (1 + np.exp(-margin)), 1, -1)
    measured = np.exp(logs + error * rng.normal(size=logs.shape))
    people = People(measured, error, stakeholders=NAMES, names=[f"act {i}" for i in range(60)])
    return people, pairs, outcomes, np.exp(welfare)


@pytest.fixture(scope="module")
def fitted():
    people, pairs, outcomes, _ = world()
    return ComparisonClassifier().fit(Comparisons(people, pairs, outcomes))


def turned(people):
    return people.in_order(["cy", "ann", "bo"])


def rules(names=tuple(NAMES)):
    rng = np.random.default_rng(1)
    weights = rng.dirichlet([20, 30, 50], 200)
    one, zero = np.ones(200), np.zeros(200)
    return RuleDraws(weights, rng.normal(-1, 0.2, 200), 10 * one, zero, zero, names, "bootstrap", 0)


def test_draws_have_the_errors_they_are_drawn_from():
    rng = np.random.default_rng(2)
    factors = rng.normal(0, 0.3, (2, 5, 1))
    shared = People(np.ones((5, 2)), 0.1, factors=factors, shrink=False)
    logs = np.log(np.array(list(drawn_tables(shared, 4000))))
    for person in range(2):
        expected = factors[person] @ factors[person].T + 0.01 * np.eye(5)
        assert np.abs(np.cov(logs[:, :, person].T) - expected).max() < 0.03
    people = world()[0]
    logs = np.log(np.array(list(drawn_tables(people, 2001))))
    assert len(logs) == 2001
    assert np.abs(np.cov(logs[:, 7, :].T) - people.best_guess[1].covariance[7]).max() < 0.01
    assert np.allclose(averaged(people, np.log), np.log(people.utilities), atol=ROUNDING)


def test_people_in_another_order_are_the_same_people(fitted):
    people, pairs, outcomes, scores = world()
    other = turned(people)
    assert np.allclose(other.errors[:, 1], people.errors[:, 0], atol=ROUNDING)
    rule = fitted.welfare_
    assert np.allclose(rule(people), rule(other), atol=ROUNDING)
    again = Comparisons(other, pairs, outcomes)
    assert np.array_equal(fitted.predict(again), fitted.predict(fitted.result_.decided))
    scored = WelfareRegressor().fit(people, scores)
    assert np.allclose(scored.predict(other), scored.predict(people), rtol=DRAWN)
    with pytest.raises(InputError, match="no column 'zoe'"):
        people.in_order(["ann", "bo", "zoe"])


def test_chances_allow_for_what_is_not_known_of_utilities(fitted):
    people = world()[0]
    pairs = np.array([[0, 1], [2, 3], [4, 5]])
    found = fitted.predict_proba(Comparisons(people, pairs, [1, 1, -1]))[:, 1]
    # An independent integral: log welfare by the delta method, normal, 40 nodes.
    weights, p = fitted.weights_, fitted.p_
    logs, spread = people.best_guess
    powers = weights[:, None] * np.exp(p * logs)
    shares = powers / powers.sum(axis=0)
    own = spread.covariance
    variance = np.einsum("ia,aij,ja->a", shares, own, shares)
    bias = p / 2 * ((shares * spread.variances).sum(axis=0) - variance)
    mean = np.log(powers.sum(axis=0)) / p + bias
    nodes, sizes = np.polynomial.hermite_e.hermegauss(40)
    for (a, b), chance in zip(pairs, found, strict=True):
        z = mean[a] - mean[b] + np.sqrt(variance[a] + variance[b]) * nodes
        expected = sizes @ (1 / (1 + np.exp(-fitted.tau_ * z))) / sizes.sum()
        assert abs(chance - expected) < DRAWN
    model = Model.of(fitted)
    assert np.allclose(
        model.probabilities(people[[0, 2]], people[[1, 3]]), found[:2], atol=2 * DRAWN
    )
    exact = fitted.predict_proba(Comparisons(people.utilities, pairs, [1, 1, -1]))[:, 1]
    assert (np.abs(found - 0.5) < np.abs(exact - 0.5)).all()


def test_a_pair_is_as_likely_as_a_menu_of_two(fitted):
    people, pairs, outcomes, _ = world()
    chosen = np.where(outcomes > 0, pairs[:, 0], pairs[:, 1])
    chooser = ChoiceLearner().fit(Choices(people, pairs.tolist(), chosen.tolist()))
    told = Choices(turned(people), pairs[:5].tolist(), chosen[:5].tolist())
    found = np.array(chooser.predict_proba(told))
    expected = fitted.predict_proba(Comparisons(people, pairs[:5], outcomes[:5]))
    assert np.allclose(found[:, 0], expected[:, 1], atol=DRAWN)
    lost = -np.log([row[int(o < 0)] for row, o in zip(found, outcomes[:5], strict=True)]).mean()
    assert np.isclose(chooser.log_loss(told), lost)


def test_recommendations_draw_utilities_with_the_rules():
    people = world()[0][:6]
    found, drawn = recommend(rules(), people), rules()
    logs = np.log(np.array(list(drawn_tables(people, 4000, np.random.default_rng(5)))))
    rows = np.random.default_rng(6).integers(0, 200, 4000)
    p, weights = drawn.powers[rows, None], drawn.weights[rows]
    welfare = np.log(np.einsum("sad,sd->sa", np.exp(p[:, :, None] * logs), weights)) / p
    best = np.bincount(welfare.argmax(axis=1), minlength=6) / 4000
    assert np.abs(found.p_best - best).max() < 0.12  # of 200 draws: three standard errors
    regret = 100 * (1 - np.exp(welfare - welfare.max(axis=1, keepdims=True))).mean(axis=0)
    assert np.abs(found.regret - regret).max() < 5
    exact = recommend(rules(), people.utilities, names=people.row_names)
    assert found.as_exact == pytest.approx(exact.regret[found.order[0]])
    assert found.regret[found.order[0]] > found.as_exact
    assert not found.dominated.any()
    assert "Utilities are estimates" in str(found)
    assert found.to_dict()["regret_if_exact"] == found.as_exact
    assert np.allclose(recommend(rules(), turned(people)).regret, found.regret, atol=8)
    with pytest.raises(InputError, match="tell of the rule alone"):
        found.further()


def test_rules_learned_with_errors_are_drawn_and_recommend(fitted):
    drawn = draw_rules(fitted, 20, random_state=1)
    assert np.std(drawn.powers) > 0.05
    assert recommend(drawn, world()[0][:3]).best.startswith("act")


def test_fits_with_and_without_errors_are_not_of_the_same_decisions(fitted):
    people, pairs, outcomes, _ = world()
    naive = ComparisonClassifier().fit(Comparisons(people.utilities, pairs, outcomes))
    with pytest.raises(InputError, match="on the same decisions"):
        compare([fitted, naive])
    side = compare([fitted, "Nash"], folds=None)
    assert "Nash" in str(side)


def test_what_needs_exact_utilities_refuses_others_in_a_sentence(fitted):
    people, pairs, outcomes, _ = world()
    who = np.repeat(np.arange(30), 30)
    decided = Comparisons(people, pairs, outcomes, by=who)
    for call in (
        lambda: Posterior(decided),
        lambda: Interview(people),
        lambda: Deciders().fit(decided),
        lambda: Types(n_types=2).fit(decided),
        lambda: allocate("Nash", people, np.ones(60), 3.0),
    ):
        with pytest.raises(InputError, match=r"estimates, with errors.*people\.utilities"):
            call()
    assert "estimates, with errors" in str(fitted.result_.axioms())
    with pytest.raises(InputError, match="must be judged as they are"):
        recommend(RuleDraws(**{**vars(rules()), "shift": 1.0}), people[:3])
    with pytest.raises(InputError, match="must be whole"):
        people[:3].save("people.json")


def test_estimates_without_errors_are_a_table():
    utilities = world()[0].utilities[:8]
    people = People(utilities, 0.0, stakeholders=NAMES)
    assert Interview(people).stakeholders == tuple(NAMES)
    assert allocate("Nash", people, np.ones(8), 3.0).spent == pytest.approx(3.0)
    said = recommend(rules(), people)
    assert said.as_exact is None
    assert np.array_equal(said.regret, recommend(rules(), utilities).regret)
    assert WelfareFunction("Nash")(people) == pytest.approx(WelfareFunction("Nash")(utilities))


def test_the_best_guess_is_a_data_frame_with_names():
    pytest.importorskip("pandas")
    people = world()[0]
    frame = people.to_frame()
    assert list(frame) == ["action", *NAMES]
    assert frame["action"][3] == "act 3"
    assert np.array_equal(frame[NAMES].to_numpy(), people.utilities)


def test_rules_around_estimates_have_their_standard_errors(fitted):
    drawn = draw_rules(fitted, 4000)
    assert drawn.source == "normal"
    result = fitted.result_
    assert np.allclose(drawn.weights.std(axis=0), result.bse[1:4], rtol=0.06)
    assert np.log(drawn.taus).std() == pytest.approx(result.bse[4] / result.tau, rel=0.06)
    low, high = result.interval("p")
    inside = ((drawn.powers > low) & (drawn.powers < high)).mean()
    assert 0.92 < inside < 0.98
