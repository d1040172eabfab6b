"""Noise models of choices: what follows from a response, for models of one's own too."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, ndtr

import welfarist as wf
from welfarist.base.parameters import Parameter
from welfarist.noise import LAPSE, LOGISTIC, ChoiceNoise, Response
from welfarist.noise.base import NO_OWN
from welfarist.noise.certain import choice_of

# Central differences of the loss, relative to its largest derivative.
DIFFERENCE = 1e-6
STEP = 1e-5

Z = np.linspace(-5.0, 5.0, 41)
COUNT = np.where(np.arange(41) % 4, 1.0, 3.0)
LEAD = COUNT * np.where(np.arange(41) % 3, 1.0, -1.0) * np.where(np.arange(41) % 5, 1.0, 0.0)


class Probit(ChoiceNoise):
    """Normal errors, without parameters of its own."""

    name = "probit"

    def response(self, z, own):
        slope = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
        return Response(ndtr(z), ndtr(-z), slope, np.empty((0, len(z))))


class Bent(ChoiceNoise):
    """Logistic errors of a bent margin ``z + bend z^3``, and slips: two of its own."""

    name = "bent"
    own = (Parameter("bend", "bend", 0.0, 0.2), Parameter("slips", "slips", 0.0, 0.4))

    def response(self, z, own):
        bend, slips = own
        x = z + bend * z**3
        up, down = expit(x), expit(-x)
        steep = 1 - 2 * slips
        slope = steep * up * down
        chances = slips + steep * up, slips + steep * down
        by_own = np.array([slope * z**3, down - up])
        return Response(*chances, slope * (1 + 3 * bend * z**2), by_own)


class PlainLogistic(ChoiceNoise):
    """Logistic noise with nothing but its response, to compare with the kernel of its own."""

    name = "plain"
    response = staticmethod(LOGISTIC.response)


MODELS = [
    (LOGISTIC, NO_OWN),
    (LAPSE, np.array([0.07])),
    (Probit(), NO_OWN),
    (Bent(), np.array([0.02, 0.05])),
]


def loss(model, z, own):
    return model.choice(z, own, COUNT, LEAD).loss


@pytest.mark.parametrize(("model", "own"), MODELS, ids=lambda x: getattr(x, "name", ""))
def test_slopes_agree_with_differences(model, own):
    found = model.choice(Z, own, COUNT, LEAD)
    for i in range(0, len(Z), 5):
        move = STEP * (np.arange(len(Z)) == i)
        slope = (loss(model, Z + move, own) - loss(model, Z - move, own)) / (2 * STEP)
        assert found.by_margin[i] == pytest.approx(slope, abs=DIFFERENCE)
    for i in range(len(own)):
        move = STEP * (np.arange(len(own)) == i)
        slope = (loss(model, Z, own + move) - loss(model, Z, own - move)) / (2 * STEP)
        assert found.own.by_own[i].sum() == pytest.approx(slope, rel=DIFFERENCE, abs=DIFFERENCE)


@pytest.mark.parametrize(("model", "own"), MODELS, ids=lambda x: getattr(x, "name", ""))
def test_observed_curvature_agrees_with_differences(model, own):
    found = model.observed(Z, own, COUNT, LEAD)

    def slopes(z, own):
        here = model.choice(z, own, COUNT, LEAD)
        return here.by_margin, None if here.own is None else here.own.by_own

    up, down = slopes(Z + STEP, own), slopes(Z - STEP, own)
    assert found.information == pytest.approx((up[0] - down[0]) / (2 * STEP), abs=1e-5)
    for i in range(len(own)):
        assert found.own.cross[i] == pytest.approx((up[1][i] - down[1][i]) / (2 * STEP), abs=1e-4)
        move = STEP * (np.arange(len(own)) == i)
        high, low = slopes(Z, own + move)[1], slopes(Z, own - move)[1]
        for j in range(len(own)):
            twice = (high[j] - low[j]) / (2 * STEP)
            scale = max(1.0, np.abs(twice).max())
            assert found.own.information[i, j] == pytest.approx(twice, abs=1e-4 * scale)


def test_expected_curvature_is_the_mean_of_the_observed_one():
    """Over both answers, each as likely as the model says."""
    for model, own in MODELS:
        chance = model.probability(Z, own)
        ones = np.ones(len(Z))
        first = model.observed(Z, own, ones, ones).information
        second = model.observed(Z, own, ones, -ones).information
        expected = model.choice(Z, own, ones, ones).information
        assert chance * first + (1 - chance) * second == pytest.approx(expected, abs=1e-5)


def test_what_follows_from_a_response_is_what_the_kernel_gives():
    one = LOGISTIC.choice(Z, NO_OWN, COUNT, LEAD)
    other = PlainLogistic().choice(Z, NO_OWN, COUNT, LEAD)
    assert other.loss == pytest.approx(one.loss, rel=1e-13)
    assert other.by_margin == pytest.approx(one.by_margin, rel=1e-9, abs=1e-13)
    assert other.information == pytest.approx(one.information, rel=1e-9)


def test_models_are_equal_by_what_they_are():
    assert Probit() == Probit()
    assert Probit() != Bent()
    assert len({LOGISTIC, LAPSE, Probit(), Probit()}) == 3
    assert Bent().parameters[0].name == "tau"


def test_models_that_prefer_the_first_action_are_refused():
    class Habit(ChoiceNoise):
        name = "habit"

        def response(self, z, own):
            up = ndtr(z + 0.5)
            return Response(up, 1 - up, np.ones(len(z)), np.empty((0, len(z))))

    assert all(model.is_symmetric() for model, _ in MODELS)
    with pytest.raises(wf.InputError, match="which action comes first"):
        wf.ComparisonClassifier(noise=Habit()).fit([[1.0, 2.0, 2.0, 1.0]] * 3, [1, -1, 1])


def test_parameters_of_ones_own_are_learned():
    rng = np.random.default_rng(6)
    table = rng.uniform(1, 10, (80, 2))
    pairs = wf.simulate.random_pairs(80, 6000, random_state=6)
    value = wf.log_power_mean(table, -1, [0.6, 0.4])
    z = 6.0 * (value[pairs[:, 0]] - value[pairs[:, 1]])
    chance = Bent().probability(z, np.array([0.02, 0.1]))
    decisions = wf.Comparisons(table, pairs, rng.random(6000) < chance)
    result = wf.ComparisonClassifier(noise=Bent()).fit(decisions).result_
    low, high = result.interval("slips")
    assert low < 0.1 < high
    assert set(result.to_dict()) >= {"bend", "slips"}
    names = ("p", "weight of person 0", "weight of person 1", "tau", "bend", "slips")
    assert result.param_names == names
    assert result.cov_params("robust").shape == (6, 6)


@pytest.mark.parametrize("kind", ["choice", "observed"])
def test_answers_that_all_but_cannot_happen_have_finite_derivatives(kind):
    """Their sum must be a number too, and no warning may escape: warnings are errors here."""
    z = np.array([-1e4, -800.0, -740.0, -30.0, 30.0, 740.0, 800.0, 1e4])
    many = np.full(len(z), 1e6)
    for lead in (many, -many):
        found = getattr(LAPSE, kind)(z, np.array([0.0]), many, lead)
        assert found.own is not None
        for part in (found.by_margin, found.information, found.own.by_own, found.own.cross):
            assert np.isfinite(part.sum())


def test_infinite_margins_are_the_limit_of_large_ones():
    """Derivatives included; of models of one's own too, whose formulas may know no infinity."""
    far = np.array([-np.inf, 0.3, np.inf, np.inf, -2.0, -np.inf])
    count, lead = (
        np.array([1.0, 2.0, 3.0, 2.0, 1.0, 4.0]),
        np.array([-1.0, 0.0, 1.0, 2.0, 1.0, -2.0]),
    )
    for model, own in [(LAPSE, np.array([0.07])), (Bent(), np.array([0.02, 0.05]))]:
        for observed in (False, True):
            found, finite = choice_of(model, far, own, count, lead, observed=observed)
            large = np.clip(far, -40.0, 40.0)
            near = (model.observed if observed else model.choice)(large, own, count, lead)
            assert finite.tolist() == [0.0, 0.3, 0.0, 0.0, -2.0, 0.0]
            assert found.loss == pytest.approx(near.loss, rel=1e-12)
            assert found.by_margin == pytest.approx(near.by_margin, abs=1e-12)
            assert found.own.by_own == pytest.approx(near.own.by_own, rel=1e-9, abs=1e-9)
            both = np.abs(near.own.information).max()
            assert found.own.information == pytest.approx(near.own.information, abs=1e-6 * both)


def test_what_cannot_be_has_an_infinite_loss():
    z, one = np.array([np.inf, 0.5]), np.ones(2)
    right, _ = choice_of(LOGISTIC, z, NO_OWN, one, one)
    assert right.loss == pytest.approx(np.log1p(np.exp(-0.5)))
    for wrong in (np.array([-1.0, 1.0]), np.array([0.0, 1.0])):
        assert choice_of(LOGISTIC, z, NO_OWN, one, wrong)[0].loss == np.inf
        assert choice_of(LAPSE, z, np.zeros(1), one, wrong)[0].loss == np.inf
        assert np.isfinite(choice_of(LAPSE, z, np.array([1e-9]), one, wrong)[0].loss)
    assert LAPSE.forgives
    assert Bent().forgives
    assert not LOGISTIC.forgives
    assert not Probit().forgives


def test_a_lapse_rate_of_0_is_logistic_noise_where_probabilities_underflow():
    z = np.array([-900.0, 800.0, 1.0])
    lead = np.array([1.0, -1.0, 1.0])
    one, other = (m.choice(z, np.zeros(1), np.ones(3), lead).loss for m in (LOGISTIC, LAPSE))
    assert one == other == pytest.approx(1700 + np.log1p(np.exp(-1.0)))


@pytest.mark.parametrize("noise", [LOGISTIC, LAPSE])
@pytest.mark.parametrize("seen", ["one outcome", "once", "both outcomes"])
def test_many_rules_lose_what_each_does(noise, seen):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(7, 40)) * np.array([1e-9, 0.1, 1.0, 10.0, 100.0, 1e6, 30.0])[:, None]
    own = rng.uniform(0.0, 0.49, (7, len(noise.own)))
    first = rng.integers(0, 4, 40).astype(float)
    second = np.where(first > 0, 0.0, rng.integers(0, 3, 40))
    if seen == "once":
        first, second = np.sign(first), 1.0 - np.sign(first)
    elif seen == "both outcomes":
        first, second = first + 1.0, second + 0.5
    expected = [
        noise.choice(one, slips, first + second, first - second).loss
        for one, slips in zip(z, own, strict=True)
    ]
    # Sums of 40 terms, taken in two orders.
    assert noise.many_losses(z, own, first, second) == pytest.approx(expected, rel=1e-14)
