"""A rule as numbers on the line, and back."""

from __future__ import annotations

import numpy as np
import pytest

from tests.deciders.panels import coordinates_of, made_choices, made_comparisons, panel_of
from welfarist import ChoiceLearner, ComparisonClassifier
from welfarist.losses import Point

ROUNDING = 1e-12
WIDE = ((-1.0, (0.5, 0.3, 0.2), 9.0),)


@pytest.mark.parametrize(
    ("learner", "size", "common"),
    [
        (ComparisonClassifier(), 4, 0),
        (ComparisonClassifier(noise="lapse"), 4, 1),
        (ComparisonClassifier(p=0.5), 3, 0),
        (ComparisonClassifier(weights="equal"), 2, 0),
        (ComparisonClassifier(p=0.5, weights=[0.2, 0.3, 0.5]), 1, 0),
    ],
)
def test_numbers_and_back(learner, size, common):
    panel = panel_of(made_comparisons(WIDE), learner)
    coordinates = coordinates_of(panel)
    assert coordinates.size == size == len(coordinates.names)
    assert coordinates.common == common
    x = np.array([0.4, 0.3, -0.8, 1.5])[-size:] if size > 2 else np.array([0.4, 1.5])[-size:]
    shared = np.full(common, 0.1)
    point = coordinates.point(x, shared)
    assert coordinates.numbers(point) == pytest.approx(x, abs=ROUNDING)
    assert point.extras[1:].tolist() == shared.tolist()
    rules = coordinates.rules(np.array([x, x]), shared)
    assert rules.powers[1] == pytest.approx(point.p, abs=ROUNDING)
    assert rules.weights[1] == pytest.approx(panel.loss.weights_at(point), abs=ROUNDING)
    assert rules.noise[1] == pytest.approx(panel.loss.noise_at(point), abs=ROUNDING)
    assert coordinates.taus(np.array([x])) == pytest.approx(np.exp(x[-1]), abs=ROUNDING)


def test_numbers_are_the_ones_that_names_promise():
    panel = panel_of(made_comparisons(WIDE))
    coordinates = coordinates_of(panel)
    last = panel.setup.people[-1]
    assert coordinates.names[0] == "asinh p"
    assert coordinates.names[1] == f"log weight of {panel.setup.people[0]} over {last}"
    found = coordinates.numbers(Point(np.array([0.5, 0.3, 0.2]), -2.0, np.array([1.5])))
    expected = [np.arcsinh(-2.0), np.log(0.5 / 0.2), np.log(0.3 / 0.2), 1.5]
    assert found == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize("p", [-np.inf, np.inf])
def test_an_edge_becomes_a_number(p):
    panel = panel_of(made_comparisons())
    coordinates = coordinates_of(panel)
    x = coordinates.numbers(Point(np.array([1.0, 0.0]), p, np.array([2.0])))
    assert np.isfinite(x).all()
    again = coordinates.point(x, np.empty(0))
    assert np.sign(again.p) == np.sign(p)
    assert again.weights[0] == pytest.approx(1.0, abs=1e-5)


def test_numbers_far_out_stay_numbers():
    panel = panel_of(made_comparisons())
    coordinates = coordinates_of(panel)
    far = np.array([[60.0, 900.0, 90.0], [-60.0, -900.0, -90.0]])
    rules = coordinates.rules(far, np.empty(0))
    assert np.isfinite(rules.powers).all()
    assert rules.weights.sum(axis=1) == pytest.approx(1.0)
    assert np.isfinite(rules.taus).all()


def test_groups_share_their_weight():
    learner = ComparisonClassifier(groups=["a", "a", "b"])
    panel = panel_of(made_comparisons(WIDE), learner)
    coordinates = coordinates_of(panel)
    assert coordinates.size == 3
    found = coordinates.weights(np.array([[0.1, np.log(3.0), 1.0]]))
    assert found[0] == pytest.approx([0.375, 0.375, 0.25], abs=ROUNDING)


def test_choices_with_several_temperatures_have_the_later_ones_in_common():
    panel = panel_of(made_choices(), ChoiceLearner(noise="lapse"))
    assert coordinates_of(panel).common == 1
