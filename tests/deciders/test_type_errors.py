"""How sure the numbers of types are: errors by differences, intervals on edges by profile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2, norm

from tests.deciders.panels import (
    made_choices,
    made_comparisons,
    of_answers,
    panel_of,
    types_of,
)
from welfarist import ChoiceLearner, Choices, ComparisonClassifier, InputError
from welfarist.deciders.climbing import climb
from welfarist.deciders.information import MixtureInformation
from welfarist.deciders.mixture import TypeModel
from welfarist.deciders.type_errors import TypeErrors, check_errors
from welfarist.deciders.type_profiles import profile_interval

# Delta method beside differences of a step of 1e-5.
STEP, CLOSE = 1e-5, 1e-5
# How closely an end is found, in its coordinate, and what a climb leaves of a deviance.
DEVIANCE = 0.05


@pytest.fixture(scope="module")
def mixture():
    return types_of(panel_of(made_comparisons(each=12, questions=30)), 2).mixture


@pytest.fixture(scope="module")
def at_edge():
    """Types of which one counts the first person only."""
    rng = np.random.default_rng(7)
    u, v = rng.uniform(1.0, 10.0, (2, 20, 2))
    chance = 1.0 / (1.0 + np.exp(-3.0 * np.log(u[:, 0] / v[:, 0])))
    selfish = [np.where(rng.random(20) < chance, 1.0, -1.0) for _ in range(8)]
    least = 4.0 * np.log(u.min(axis=1) / v.min(axis=1))
    fair = [np.where(rng.random(20) < 1 / (1 + np.exp(-least)), 1.0, -1.0) for _ in range(6)]
    return types_of(panel_of(of_answers(selfish + fair, u, v)), 2, n_starts=2).mixture


def numbers(mixture):
    """Shares, and p, weights and tau of every type, in the order of the estimates."""
    found = []
    for k, (share, point) in enumerate(zip(mixture.shares, mixture.points, strict=True)):
        found += [share, point.p, *mixture.rule_weights(k), np.exp(point.extras[0])]
    return np.array(found)


@pytest.mark.parametrize("kind", ["observed", "clustered"])
def test_standard_errors_are_the_delta_method(mixture, kind):
    information = MixtureInformation.of(mixture)
    moves = np.array(
        [
            numbers(information.moved(mixture, STEP * move))
            - numbers(information.moved(mixture, -STEP * move))
            for move in np.eye(len(information.matrix))
        ]
    ) / (2.0 * STEP)
    covariance = np.linalg.inv(information.matrix)
    if kind == "clustered":
        scores, people = information.scores, mixture.panel.people
        meat = scores.T @ scores * people / (people - 1.0)
        covariance = covariance @ meat @ covariance
    expected = np.sqrt(np.diag(moves.T @ covariance @ moves))
    rows = TypeErrors(mixture, kind).estimates(None)
    assert [row.estimate for row in rows] == pytest.approx(numbers(mixture))
    assert [row.standard_error for row in rows] == pytest.approx(expected, rel=CLOSE)


def test_intervals_hold_the_estimate_and_stay_in_range(mixture):
    for row in TypeErrors(mixture, "clustered").estimates(0.95):
        assert row.low is not None
        assert row.high is not None
        assert row.low <= row.estimate <= row.high, row
        if row.parameter == "share" or row.parameter.startswith("weight"):
            assert row.low >= 0.0
            assert row.high <= 1.0


def test_wald_intervals_are_symmetric_in_their_coordinate(mixture):
    z = norm.ppf(0.95)
    for row in TypeErrors(mixture, "observed").estimates(0.9):
        if row.method != "wald":
            continue
        x, error = row.estimate, row.standard_error
        if row.parameter == "tau":
            ends = np.log([row.low, x, row.high])
            assert np.diff(ends) == pytest.approx([z * error / x] * 2)
        if row.parameter == "p":
            ends = np.arcsinh([row.low, x, row.high])
            assert np.diff(ends) == pytest.approx([z * error / np.hypot(1.0, x)] * 2)


def test_a_share_of_one_type_is_given():
    found = types_of(panel_of(made_comparisons()), 1).mixture
    rows = TypeErrors(found, "clustered").estimates()
    assert rows[0].parameter == "share"
    assert rows[0].estimate == 1.0
    assert rows[0].standard_error is None


def test_a_weight_on_an_edge_has_an_interval_by_profile(at_edge):
    rows = TypeErrors(at_edge, "clustered").estimates()
    assert all(not np.isnan(x) for row in rows for x in (row.low, row.high) if x is not None)
    edge = [row for row in rows if row.parameter.startswith("weight") and row.estimate > 0.999]
    assert edge
    assert all(row.method == "profile" for row in edge)
    assert all(row.high == 1.0 and row.low < 1.0 for row in edge)
    # A p so far out is as good as infinite, and its interval has no end on that side.
    far = [row for row in rows if row.parameter == "p" and row.estimate < -40.0]
    assert all(row.low == -np.inf and row.high < 0.0 for row in far)


def test_an_end_of_a_profile_has_the_deviance_of_its_level(mixture):
    low, high = profile_interval(mixture, 0, None, 0.95)
    for p in (low, high):
        loss = mixture.models[0].loss
        held = TypeModel(replace(loss, learn_power=False), p)
        start = mixture.in_order(np.arange(2))
        points = (type(start.points[0])(start.points[0].weights, p, start.points[0].extras),)
        there = type(start)(
            start.panel, (held, start.models[1]), (*points, start.points[1]), start.membership
        )
        lost = 2.0 * (mixture.log_likelihood - climb(there, 200).log_likelihood)
        assert lost == pytest.approx(chi2.ppf(0.95, 1), abs=DEVIANCE)


def test_a_profile_of_p_where_somebody_has_nothing_has_ends_in_order():
    rng = np.random.default_rng(3)
    u, v = rng.uniform(1.0, 10.0, (2, 25, 2))
    u[rng.random((25, 2)) < 0.2] = 0.0
    # p must be positive there; sums decide, more or less.
    lead = 4.0 * (np.log(u.sum(axis=1) + 1e-9) - np.log(v.sum(axis=1)))
    answers = [
        np.where(rng.random(25) < 1 / (1 + np.exp(-np.clip(lead, -30, 30))), 1.0, -1.0)
        for _ in range(8)
    ]
    found = types_of(panel_of(of_answers(answers, u, v)), 1).mixture
    low, high = profile_interval(found, 0, None, 0.95)
    assert 0.0 <= low <= found.points[0].p <= high


def test_groups_have_no_profile_of_single_weights():
    kinds = ((-1.0, (0.5, 0.3, 0.2), 9.0), (0.5, (0.1, 0.1, 0.8), 5.0))
    panel = panel_of(made_comparisons(kinds), ComparisonClassifier(groups=["a", "a", "b"]))
    found = types_of(panel, 2).mixture
    assert profile_interval(found, 0, 1, 0.95) is None
    names = {row.parameter for row in TypeErrors(found, "clustered").estimates()}
    assert "share" in names
    assert "tau" in names


def test_a_size_effect_may_be_negative_or_positive():
    rng = np.random.default_rng(0)
    utilities = rng.uniform(1.0, 10.0, (20, 3))
    utilities[rng.random((20, 3)) < 0.3] = np.nan
    utilities[:, 0] = rng.uniform(1.0, 10.0, 20)
    sizes = np.log((~np.isnan(utilities)).sum(axis=1))
    value = 6.0 * (np.nanmean(np.log(utilities), axis=1) - 0.5 * sizes)
    menus = [rng.permutation(20)[:3] for _ in range(240)]
    chosen = [int(m[np.argmax(value[m] + rng.gumbel(size=3))]) for m in menus]
    by = np.repeat([f"person {i}" for i in range(12)], 20)
    choices = Choices(utilities, [m.tolist() for m in menus], chosen, by=by, absent=True)
    panel = panel_of(choices, ChoiceLearner(size_effect=True))
    rows = TypeErrors(types_of(panel, 1).mixture, "clustered").estimates()
    gamma = next(row for row in rows if row.parameter == "gamma")
    assert gamma.estimate < 0
    z = norm.ppf(0.975)
    assert gamma.low == pytest.approx(gamma.estimate - z * gamma.standard_error)
    assert gamma.high == pytest.approx(gamma.estimate + z * gamma.standard_error)


def test_a_type_with_a_given_p_says_so():
    panel = panel_of(made_comparisons(), ComparisonClassifier(p=0.5))
    rows = TypeErrors(types_of(panel, 2).mixture, "clustered").estimates()
    given = [row for row in rows if row.method == "given"]
    assert [row.parameter for row in given] == ["p", "p"]
    assert [row.estimate for row in given] == [0.5, 0.5]


def test_people_who_never_err_have_numbers_or_nothing():
    rng = np.random.default_rng(7)
    u, v = rng.uniform(1.0, 10.0, (2, 20, 2))
    selfish, least = np.sign(u[:, 0] - v[:, 0]), np.sign(u.min(axis=1) - v.min(axis=1))
    found = types_of(panel_of(of_answers([selfish] * 4 + [least] * 3, u, v)), 2).mixture
    for kind in ("observed", "clustered"):
        for row in TypeErrors(found, kind).estimates(None):
            assert row.standard_error is None or np.isfinite(row.standard_error)


def test_choices_with_slips():
    panel = panel_of(made_choices(rho=0.05), ChoiceLearner(noise="lapse"))
    rows = TypeErrors(types_of(panel, 2, n_starts=3).mixture, "clustered").estimates()
    assert sum(row.parameter == "rho" for row in rows) == 2


def test_other_kinds_of_errors_are_refused():
    assert check_errors("observed") == "observed"
    with pytest.raises(InputError, match=r"must be .clustered. or .observed.; found 'robust'"):
        check_errors("robust")


def test_a_type_that_nobody_follows_any_more_ends_a_climb_without_an_error(mixture):
    # On its way out along a profile a type can lose everybody: then nothing says how to go on.
    point = mixture.points[1]
    hopeless = replace(point, extras=np.full_like(point.extras, np.log(1e6)))
    first = mixture.rule_weights(1).argmin()
    hopeless = replace(hopeless, weights=np.eye(len(point.weights))[first], p=40.0)
    held = replace(mixture.models[1].loss, learn_power=False)
    start = replace(
        mixture,
        models=(mixture.models[0], TypeModel(held, 40.0)),
        points=(mixture.points[0], hopeless),
    )
    assert start.deserted.tolist() == [False, True]
    with pytest.raises(InputError, match="every type must have somebody"):
        MixtureInformation.of(start)
    found = climb(start, 50)
    assert np.isfinite(found.log_likelihood)
    assert found.log_likelihood >= start.log_likelihood
