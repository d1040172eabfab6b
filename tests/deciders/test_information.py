"""Scores and observed information of mixtures, against differences of the likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from tests.deciders.panels import (
    ALTRUISTS,
    MOSTLY_SELFISH,
    made_choices,
    made_comparisons,
    mixture_at,
    panel_of,
    types_of,
)
from welfarist import ChoiceLearner, ComparisonClassifier
from welfarist.deciders.information import MixtureInformation

RULES = (ALTRUISTS, MOSTLY_SELFISH, (-1.5, (0.3, 0.7), 4.0))
# Central differences with a step of STEP have errors of its square.
STEP, SLOPES = 1e-5, 1e-6
# Fourth-order ones of a log likelihood of some hundreds, whose rounding a shorter step would show.
SECOND_STEP, CURVATURE = 1e-3, 1e-5
# A promise of 1e-9 in log likelihood is left where a climb ends, at a curvature of some hundreds.
AT_THE_TOP = 1e-3


def covariates(panel, seed=1):
    rng = np.random.default_rng(seed)
    return np.column_stack([np.ones(panel.people), rng.normal(size=panel.people)])


def cases():
    comparisons = panel_of(made_comparisons(ties=0.1, counts=True))
    yield "comparisons", mixture_at(comparisons, RULES, [[0.4], [-0.3], [0.0]])
    lapse = panel_of(made_comparisons(), ComparisonClassifier(noise="lapse"))
    yield "lapse", mixture_at(lapse, RULES[:2], [[0.4], [0.0]], own=[0.06])
    menus = panel_of(made_choices(), ChoiceLearner())
    yield "menus", mixture_at(menus, RULES[:2], [[0.4], [0.0]])
    gamma = np.array([[0.4, 0.8], [0.0, 0.0]])
    yield "covariates", mixture_at(comparisons, RULES[:2], gamma, covariates(comparisons))
    wide = ((-1.0, (0.5, 0.3, 0.2), 9.0), (0.5, (0.2, 0.1, 0.7), 5.0))
    yield "three people", mixture_at(panel_of(made_comparisons(wide)), wide)


CASES = dict(cases())


@pytest.mark.parametrize("case", list(CASES))
def test_scores_are_the_slopes_of_everybodys_log_likelihood(case):
    mixture = CASES[case]
    information = MixtureInformation.of(mixture)
    for i, step in enumerate(STEP * np.eye(information.scores.shape[1])):
        up, down = (information.moved(mixture, way * step).by_person for way in (1, -1))
        slope = (up - down) / (2.0 * STEP)
        scale = max(1.0, float(np.abs(slope).max()))
        assert information.scores[:, i] == pytest.approx(slope, abs=SLOPES * scale), i


def fourth_order(f, h):
    """The derivative of f at 0 from four values, with an error of h^4."""
    return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)


@pytest.mark.parametrize("case", list(CASES))
def test_information_is_minus_the_second_differences_of_the_log_likelihood(case):
    mixture = CASES[case]
    information = MixtureInformation.of(mixture)
    scale = np.sqrt(np.abs(np.diag(information.matrix)))
    moves = np.eye(len(scale))

    def value(step):
        return information.moved(mixture, step).log_likelihood

    for i in range(len(scale)):
        for j in range(i + 1):
            bent = -fourth_order(
                lambda x, i=i, j=j: fourth_order(
                    lambda y: value(x * moves[i] + y * moves[j]), SECOND_STEP
                ),
                SECOND_STEP,
            )
            close = CURVATURE * max(scale[i] * scale[j], 1.0)
            assert information.matrix[i, j] == pytest.approx(bent, abs=close), (i, j)


def test_the_slope_is_nothing_at_the_most_likely_mixture():
    found = types_of(panel_of(made_comparisons()), 2).mixture
    slope = MixtureInformation.of(found).slope
    assert np.abs(slope).max() < AT_THE_TOP


def test_the_information_is_positive_at_the_most_likely_mixture():
    found = types_of(panel_of(made_comparisons()), 2).mixture
    assert np.linalg.eigvalsh(MixtureInformation.of(found).matrix).min() > 0


def test_a_step_to_a_negative_weight_is_none():
    mixture = mixture_at(panel_of(made_comparisons()), RULES[:2])
    information = MixtureInformation.of(mixture)
    assert information.moved(mixture, np.full(len(information.matrix), 50.0)) is None


def test_a_type_on_an_edge_has_fewer_moves():
    inside = mixture_at(panel_of(made_comparisons()), [ALTRUISTS, MOSTLY_SELFISH])
    edge = mixture_at(panel_of(made_comparisons()), [ALTRUISTS, (0.6, (1.0, 0.0), 25.0)])
    moves = [len(MixtureInformation.of(one).matrix) for one in (inside, edge)]
    assert moves[1] < moves[0]


def test_a_type_at_minus_infinity_has_finite_information():
    mixture = mixture_at(panel_of(made_comparisons()), [ALTRUISTS, (-np.inf, (0.5, 0.5), 5.0)])
    information = MixtureInformation.of(mixture)
    assert np.isfinite(information.matrix).all()
    assert np.isfinite(information.scores).all()
