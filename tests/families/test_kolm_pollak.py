"""Kolm-Pollak functions against their definition in 60 digits, differences, and fits."""

from __future__ import annotations

import pickle

import mpmath as mp
import numpy as np
import pandas as pd
import pytest

import welfarist as wf
from tests import exact
from welfarist.families import KOLM_POLLAK, KolmPollak, KolmPollakFamily
from welfarist.people.table import people_of
from welfarist.people.weighting import Weighting

# Rounding of values, of first derivatives beside 60 digits, and of differences of derivatives.
VALUE, SLOPE, BEND = 1e-13, 1e-11, 1e-6
UTILITIES = np.array([[65.0, 68.0, 70.0, 72.0, 81.0], [-3.0, 0.0, 0.5, 2.0, 7.0]])
WEIGHTS = np.array([0.4, 0.25, 0.15, 0.12, 0.08])
ALPHAS = [-np.inf, -3.0, -0.2, -1e-9, 0.0, 1e-12, 1e-4, 0.25, 1.0, 40.0, np.inf]


def kolm(u, w, alpha):
    """The welfare in 60 digits, as a logarithmic mean of exponentials."""
    with mp.workdps(exact.DIGITS + exact.GUARD):
        known = [(mp.mpf(float(x)), mp.mpf(float(y))) for x, y in zip(u, w, strict=True) if y > 0]
        total = mp.fsum(y for _, y in known)
        if mp.isinf(alpha):
            return (min if alpha > 0 else max)(x for x, _ in known)
        a = mp.mpf(alpha)
        if abs(a) < mp.mpf(10) ** -50:
            return mp.fsum(x * y for x, y in known) / total
        return -mp.log(mp.fsum(y * mp.exp(-a * x) for x, y in known) / total) / a


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e5])
def test_values_are_those_of_sixty_digits(alpha, unit):
    rule = KolmPollak(alpha / unit, WEIGHTS)
    for u in UTILITIES:
        found, wanted = rule(unit * u), unit * float(kolm(u, WEIGHTS, alpha))
        assert found == pytest.approx(wanted, rel=VALUE, abs=VALUE * unit * np.abs(u).max())


@pytest.mark.parametrize("alpha", [-2.0, -0.1, 0.1, 2.0])
def test_welfare_is_the_logarithm_of_a_power_mean_of_exponentials(alpha):
    u = np.array([[0.3, 1.7, -2.0, 0.4, 3.0]])
    log = wf.WelfareFunction(-alpha, WEIGHTS).log(np.exp(u))
    assert KolmPollak(alpha, WEIGHTS)(u) == pytest.approx(log, abs=VALUE)


@pytest.mark.parametrize("alpha", [-1.5, -1e-3, 0.0, 1e-3, 0.8])
def test_derivatives_are_those_of_sixty_digits(alpha):
    people = people_of(UTILITIES, KOLM_POLLAK, Weighting(5))
    here = KOLM_POLLAK.welfare(people, WEIGHTS, alpha)
    h = mp.mpf(10) ** -20
    for action, u in enumerate(UTILITIES):
        with mp.workdps(60):
            by_alpha = (kolm(u, WEIGHTS, alpha + h) - kolm(u, WEIGHTS, mp.mpf(alpha) - h)) / (2 * h)
        assert here.by_power[action] == pytest.approx(float(by_alpha), rel=SLOPE, abs=SLOPE)
        value = float(kolm(u, WEIGHTS, alpha))
        ratio = u - value if alpha == 0 else -np.expm1(-alpha * (u - value)) / alpha
        assert here.by_weight[:, action] == pytest.approx(ratio, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("alpha", [-0.7, 0.0, 0.05, 0.9])
def test_second_derivatives_agree_with_differences(alpha):
    rng = np.random.default_rng(0)
    people = people_of(rng.normal(5, 3, (6, 5)), KOLM_POLLAK, Weighting(5))
    pull, h = rng.normal(size=6), 1e-5
    here = KOLM_POLLAK.welfare(people, WEIGHTS, alpha)
    cross, twice = KOLM_POLLAK.bend_by_shape(people, WEIGHTS, alpha, here, pull)
    up, down = (KOLM_POLLAK.welfare(people, WEIGHTS, alpha + s) for s in (h, -h))
    assert twice == pytest.approx((up.by_power - down.by_power) @ pull / (2 * h), rel=BEND)
    change = (up.by_weight - down.by_weight) @ pull / (2 * h)
    assert cross - WEIGHTS @ cross == pytest.approx(change - WEIGHTS @ change, rel=1e-5, abs=1e-6)
    move = np.array([1.0, -1.0, 0.5, -0.5, 0.0])
    row = (move @ here.by_weight)[None]
    up, down = (KOLM_POLLAK.welfare(people, WEIGHTS + s * move, alpha) for s in (h, -h))
    bent = ((move @ up.by_weight) - (move @ down.by_weight)) @ pull / (2 * h)
    assert KOLM_POLLAK.bend_by_weights(row, pull, alpha, 0.0) == pytest.approx(bent, abs=1e-5)


def test_limits_shares_and_translation():
    u = UTILITIES[1]
    assert KolmPollak("egalitarian", WEIGHTS)(u) == -3.0
    assert KolmPollak("best off", WEIGHTS)(u) == 7.0
    assert KolmPollak("utilitarian", WEIGHTS)(u) == pytest.approx(WEIGHTS @ u, abs=VALUE)
    rule, h = KolmPollak(0.3, WEIGHTS), 1e-6
    gains = [rule(u + h * e) - rule(u - h * e) for e in np.eye(5)]
    assert rule.shares(u) == pytest.approx(np.array(gains) / (2 * h), abs=1e-8)
    assert rule(u + 100.0) == pytest.approx(rule(u) + 100.0, abs=1e-12)
    assert rule.equally_distributed_equivalent(u) == rule(u)
    with pytest.raises(wf.InputError, match="Nash"):
        KolmPollak("Nash", WEIGHTS)


def decisions(scale=1.0, level=0.0):
    rng = np.random.default_rng(4)
    table = scale * rng.normal(0.0, 3.0, (200, 3)) + level
    value = KolmPollak(0.4 / scale, [0.5, 0.3, 0.2])(table)
    pairs = wf.simulate.random_pairs(200, 1500, random_state=4)
    chance = 1.0 / (1.0 + np.exp(-2.0 / scale * (value[pairs[:, 0]] - value[pairs[:, 1]])))
    first = rng.random(1500) < chance
    frame = pd.DataFrame(table, columns=["north", "centre", "south"])
    return wf.Comparisons(frame, pairs, first, least=-np.inf)


def test_fits_know_no_zero_and_follow_the_unit():
    fits = [
        wf.ComparisonClassifier(family="kolm").fit(decisions(scale, level))
        for scale, level in ((1.0, 0.0), (1e-4, 0.0), (1e6, 2e6))
    ]
    plain = fits[0]
    assert plain.result_.interval("alpha")[0] < 0.4 < plain.result_.interval("alpha")[1]
    for fit, scale in zip(fits[1:], (1e-4, 1e6), strict=True):
        assert fit.p_ * scale == pytest.approx(plain.p_, rel=1e-6)
        assert fit.tau_ * scale == pytest.approx(plain.tau_, rel=1e-6)
        assert fit.weights_ == pytest.approx(plain.weights_, rel=1e-6)
        assert fit.result_.llf == pytest.approx(plain.result_.llf, abs=1e-6)
        ends = np.array(fit.result_.interval("alpha")) * scale
        assert ends == pytest.approx(plain.result_.interval("alpha"), rel=1e-4)


def test_results_speak_of_gaps_and_not_of_ratios():
    result = wf.ComparisonClassifier(family="kolm").fit(decisions()).result_
    told = str(result.summary())
    for words, there in (("aversion alpha", True), ("averse to absolute", True), ("Nash", False)):
        assert (words in told) == there
    assert result.test("utilitarian").p_value < 1e-6
    assert result.misfit().checks
    assert result.surprises()
    assert result.inequality_aversion is None
    assert result.to_dict()["family"] == "kolm"


def test_negative_utilities_need_a_family_that_takes_them():
    table = [[-1.0, 2.0], [3.0, 1.0], [2.0, 2.0], [0.0, 0.0]]
    with pytest.raises(wf.InputError, match="negative"):
        wf.WelfareRegressor().fit(table, [1.0, 2.0, 2.0, 0.0])
    fit = wf.WelfareRegressor(family="kolm").fit(table, [0.5, 2.0, 2.0, 0.0])
    assert fit.predict([[-5.0, -5.0]])[0] == pytest.approx(-5.0)
    menus = wf.Choices(np.abs(table), [[0, 1], [1, 2]], [None, 1], outside=True)
    with pytest.raises(wf.InputError, match="scale with a zero"):
        wf.ChoiceLearner(family="kolm").fit(menus)


def test_families_are_equal_by_unit_and_survive_pickling():
    family = KolmPollakFamily(4.0)
    assert pickle.loads(pickle.dumps(family)) == family != KOLM_POLLAK
    with pytest.raises(wf.InputError, match='"kolm"'):
        wf.ComparisonClassifier(family="colm").fit(decisions())
