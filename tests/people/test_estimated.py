"""People whose utilities are estimates: shrinking, draws, names, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist import ComparisonClassifier, Comparisons, InputError, People
from welfarist.people.estimated.shrinking import population_covariance

# Of 4,000 draws: five standard errors of a variance of 0.04.
SAMPLING = 0.005
ROUNDING = 1e-12


def table(actions=60, people=3, seed=0):
    return np.exp(np.random.default_rng(seed).normal(0, 0.7, (actions, people)))


def test_shrinking_is_the_conditional_mean_of_a_normal_population():
    utilities, errors = table(400), 0.3
    logs = np.log(utilities)
    people = People(utilities, log_se=errors)
    spread = population_covariance(logs.T, errors**2 * np.eye(3))
    middle = logs.mean(axis=0)
    gain = spread @ np.linalg.inv(spread + errors**2 * np.eye(3))
    expected = middle + (logs - middle) @ gain.T
    assert np.allclose(np.log(people.utilities), expected, atol=ROUNDING)
    left = spread - gain @ spread
    assert np.allclose(people.errors, np.sqrt(left.diagonal()), atol=ROUNDING)


def test_the_population_is_found_where_people_go_together():
    rng = np.random.default_rng(1)
    truth = 0.5 * np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]])
    logs = rng.multivariate_normal(np.zeros(3), truth, 3000).T + rng.normal(0, 0.4, (3, 3000))
    assert np.allclose(population_covariance(logs, 0.16 * np.eye(3)), truth, atol=0.06)


def test_what_was_measured_better_is_shrunken_less():
    errors = np.full((60, 3), 0.4)
    errors[0] = 0.05
    people = People(table(), log_se=errors)
    moved = np.abs(np.log(people.utilities) - np.log(people.estimates))
    assert (moved[0] < moved.mean(axis=0)).all()
    assert (people.errors[0] < 0.051).all()


def test_gaussian_draws_are_standard_errors():
    utilities = table(30)
    rng = np.random.default_rng(2)
    draws = utilities * np.exp(rng.normal(0, 0.2, (4000, 30, 3)))
    drawn, given = People(draws=draws, shrink=False), People(utilities, 0.2, shrink=False)
    assert np.allclose(drawn.errors**2, given.errors**2, atol=SAMPLING)
    assert np.allclose(np.log(drawn.utilities), np.log(given.utilities), atol=4 * SAMPLING)


def test_what_draws_share_over_actions_is_kept():
    rng = np.random.default_rng(3)
    factor = rng.normal(0, 0.2, (30, 2))
    shared = rng.normal(size=(2000, 3, 2)) @ factor.T
    logs = np.log(table(30)).T + shared + rng.normal(0, 0.1, shared.shape)
    people = People(draws=np.exp(logs.transpose(0, 2, 1)), shrink=False)
    again = People(table(30), 0.1, factors=np.tile(factor, (3, 1, 1)), shrink=False)
    found, expected = (one._guess[1].covariance for one in (people, again))
    assert np.abs(found - expected).max() < 0.03  # of 0.48: three standard errors


def test_names_come_from_frames_and_errors_by_name():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table(3, 2), columns=["ann", "bo"], index=["bus", "clinic", "park"])
    people = People(frame, log_se={"bo": 0.3, "ann": 0.1}, shrink=False)
    assert people.stakeholders == ("ann", "bo")
    assert people.row_names == ("bus", "clinic", "park")
    assert np.allclose(people.errors, [[0.1, 0.3]] * 3)
    turned = pandas.DataFrame({"bo": [0.3] * 3, "ann": [0.1] * 3})
    assert np.allclose(People(frame, log_se=turned, shrink=False).errors, [[0.1, 0.3]] * 3)
    assert people[[2]].row_names == ("park",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (dict(log_se=-0.1), "log_se must be standard errors"),
        (dict(log_se=[0.1, np.nan, 0.1]), "log_se must be standard errors"),
        (dict(log_se=[0.1, 0.2]), "log_se must be one number, 3 of them"),
        (dict(), "need their errors"),
        (dict(draws=np.ones((20, 5, 3))), r"draws must have shape \(R, 60, 3\)"),
        (dict(draws=np.ones((4, 60, 3))), "draws must be at least 10"),
        (dict(draws=np.zeros((20, 60, 3))), "draws must be positive"),
        (dict(log_se=0.1, draws=np.ones((20, 60, 3))), "given once"),
        (dict(factors=np.ones((2, 60, 1))), r"factors must have shape \(3, 60, r\)"),
        (dict(log_se=0.1, stakeholders=["a"]), "stakeholders must be 3 names"),
    ],
)
def test_bad_errors_are_refused_in_a_sentence(given, message):
    with pytest.raises(InputError, match=message):
        People(table(), **given)


@pytest.mark.parametrize("given", [dict(log_se=0.2), dict(log_se=0.1, factors=0.3)])
def test_a_file_holds_the_same_people(given, tmp_path):
    if "factors" in given:
        given = {**given, "factors": 0.3 * np.random.default_rng(0).normal(size=(3, 60, 2))}
    people = People(table(), **given, stakeholders=["ann", "bo", "cy"])
    people.save(tmp_path / "people.json")
    again = People.load(tmp_path / "people.json")
    assert again.stakeholders == people.stakeholders
    assert np.allclose(again.utilities, people.utilities, rtol=1e-12)
    assert np.allclose(again.errors, people.errors, rtol=1e-9)


def test_nothing_with_an_error_is_refused_and_without_one_is_not():
    utilities = table()
    utilities[4, 1] = 0.0
    with pytest.raises(InputError, match="found 0 at row 4, column 1"):
        People(utilities, log_se=0.1)
    assert People(utilities, log_se=0.0).are_exact


def test_estimates_that_are_all_the_same_stay_so():
    people = People(np.ones((5, 2)), 0.1)
    assert np.allclose(people.utilities, 1.0)
    assert people.unknown == ("person 0", "person 1")


def test_of_whom_nothing_but_errors_is_seen_is_said():
    rng = np.random.default_rng(0)
    utilities = np.exp(np.column_stack([rng.normal(0, 0.8, 80), rng.normal(0, 0.2, 80)]))
    people = People(utilities, 0.4, stakeholders=["ann", "bo"])
    assert people.unknown == ("bo",)
    pairs = rng.permuted(np.tile(np.arange(80), (300, 1)), axis=1)[:, :2]
    margin = np.log(utilities[pairs[:, 0], 0] / utilities[pairs[:, 1], 0])
    outcomes = np.where(margin + rng.logistic(size=300) > 0, 1, -1)
    fit = ComparisonClassifier(p=1).fit(Comparisons(people, pairs, outcomes))
    assert any("nothing but errors is seen" in caveat.message for caveat in fit.result_.caveats)


@pytest.mark.parametrize("rows", [[7], "a", [], 0])
def test_rows_that_are_not_there_are_refused(rows):
    with pytest.raises(InputError, match="actions of people must be"):
        People(np.ones((3, 2)), 0.1)[rows]
