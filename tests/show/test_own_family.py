"""Reports and figures of a family and a noise model of one's own: true, in their own words."""

from __future__ import annotations

import re
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.special import ndtr

import welfarist as wf
from tests.show.test_report import Reader, pictures
from welfarist.families import ASINH, LOG, POWER_MEAN, RATIO, Family, FamilyRule, Parameter, Welfare
from welfarist.noise import ChoiceNoise, Response
from welfarist.people.tradeoffs import required_gain, worst_off
from welfarist.show.plots.indifference_curves import contour_through, curve_through
from welfarist.show.report import report_html, words
from welfarist.show.symbols import MINUS, rounded

mpl.use("Agg")

# A gain is found by halving a step of a factor of 2 forty times.
HALVED = 1e-9
# A contour is straight between places a three-hundredth of the axis apart.
DRAWN = 1e-3
# What only a report on power means may say.
OF_POWER_MEANS = r"power|Nash|egalitarian|harmonic|inequality aversion|\bp = |\bp and\b|best p\b"


class Kolm(Family):
    """Welfare ``-(1/alpha) log sum w exp(-alpha u)``: what all gain alike changes nothing."""

    name = "kolm"
    title = "Kolm-Pollak"
    shape = Parameter("alpha", "aversion alpha", -2.0, 3.0, ASINH)
    starts, more_starts = (0.5, -0.5), (2.0,)
    plain = 0.0
    is_mean = True
    doctrines = (wf.Doctrine("plain adding-up", 0.0, "the same gain counts the same"),)

    def welfare(self, people, weights, p):
        """Return the values, with the first terms of their series near 0."""
        u = people.table
        mean = weights @ u
        if abs(p) < 1e-5:
            away = u - mean
            spread = weights @ away**2
            return Welfare(mean - p * spread / 2, away - p * away**2 / 2, -spread / 2)
        low = (-p * u).max(axis=0)
        powers = np.exp(-p * u - low)
        total = weights @ powers
        value = -(np.log(total) + low) / p
        shares = weights[:, None] * powers / total
        return Welfare(value, (1.0 - powers / total) / p, ((shares * u).sum(axis=0) - value) / p)


class Sums(Family):
    """Welfare ``sum w u^theta``, which is no mean; it has neither a title nor doctrines."""

    name = "sums"
    shape = Parameter("theta", "exponent theta", 0.05, 4.0, LOG)
    level = RATIO
    starts, more_starts = (1.0,), (0.3,)

    def welfare(self, people, weights, p):
        """Return the logarithms of the sums."""
        powers = people.table**p
        total = weights @ powers
        by_theta = weights @ (powers * np.log(people.table)) / total
        return Welfare(np.log(total), powers / total, by_theta)


class Probit(ChoiceNoise):
    """Errors from a normal distribution."""

    name = "probit"

    def response(self, z, own):
        """Return how likely each answer is."""
        del own
        slope = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
        return Response(ndtr(z), ndtr(-z), slope, np.empty((0, len(z))))


class Guess(Probit):
    """The same, but sometimes a coin is tossed."""

    name = "guess"
    own = (Parameter("gamma", "chance of a guess gamma", 0.0, 0.5),)

    def response(self, z, own):
        """Return how likely each answer is."""
        sure = super().response(z, own)
        kept, half = 1.0 - float(own[0]), float(own[0]) / 2.0
        likely, unlikely = half + kept * sure.likely, half + kept * sure.unlikely
        return Response(likely, unlikely, kept * sure.slope, (0.5 - sure.likely)[None])


WEIGHTS = np.array([0.5, 0.3, 0.2])
NAMES = ["staff", "<b>patients</b>", "payers & co"]
TABLE = np.random.default_rng(0).uniform(1, 10, (60, 3))


def decided(family, p, tau=2.0, count=300, guess=0.0, names=None):
    import pandas as pd

    rng = np.random.default_rng(1)
    value = family.rule(p, WEIGHTS).value(TABLE)
    pairs = rng.permuted(np.tile(np.arange(len(TABLE)), (count, 1)), axis=1)[:, :2]
    chance = guess / 2 + (1 - guess) * ndtr(tau * (value[pairs[:, 0]] - value[pairs[:, 1]]))
    outcomes = np.where(rng.random(count) < chance, 1, -1)
    table = TABLE if names is None else pd.DataFrame(TABLE, columns=names)
    return wf.Comparisons(table, pairs, outcomes)


def fit(learner, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return learner.fit(*data).result_


def chosen(data, **options):
    return fit(wf.ComparisonClassifier(**options), data)


def scored(values, **options):
    return fit(wf.WelfareRegressor(**options), TABLE, values)


KOLM = Kolm()
CHOICES = decided(KOLM, 0.4, names=NAMES)
RESULT = chosen(CHOICES, family=KOLM, noise=Probit())
SCORES = KOLM.rule(0.4, WEIGHTS).value(TABLE) + np.random.default_rng(2).normal(0, 0.3, len(TABLE))
SCORED = scored(SCORES, family=KOLM)


def said(result, **options):
    """The text of a report, with what is written in its figures."""
    page = report_html(result, **options)
    reader = Reader(page)
    drawings = [" ".join(re.findall(r">([^<]+)</text>", drawing)) for drawing in pictures(page)]
    return " ".join([reader.text, *drawings, *(image["alt"] for image in reader.all("img"))])


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def test_report_says_what_was_learned_in_the_familys_own_words():
    text = said(RESULT)
    low, high = RESULT.interval("alpha")
    numbers = [words.power(x, (low, high), KOLM) for x in (RESULT.p, low, high)]
    assert (
        "These 300 decisions look like those of somebody who follows a rule of the family "
        "Kolm-Pollak with alpha = {} (95% interval {} to {}).".format(*numbers)
    ) in text
    assert "The aversion alpha tells the rules of this family apart." in text
    assert "At alpha = 0, plain adding-up, the same gain counts the same." in text
    assert "plain adding-up alpha = 0 rejected p-value below 0.0001" in text
    assert "the learned rule, and the plain adding-up rule, find equally good" in text
    assert "errs as the noise model probit says" in text
    assert "<b>patients</b>" in text
    assert "whose zero means nothing" not in text
    assert not re.search(OF_POWER_MEANS, text)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"p": 0.4}, "explained by a rule of the family Kolm-Pollak with alpha = 0.40 as given."),
        ({"p": 0.0}, "alpha = 0.00 as given (plain adding-up): the same gain counts the same."),
        ({"p": 0.4, "weights": WEIGHTS}, "given, not learned alpha and weights"),
        ({"weights": "equal"}, "The weights were given, not learned."),
        ({"groups": [0, 0, 1]}, "weight of each"),
        ({"noise": "lapse"}, "chance of a slip rho"),
        ({"prior": 2.0}, "most probable, given the decisions and a prior on the weights"),
    ],
)
def test_report_of_every_kind_of_choices(options, expected):
    text = said(chosen(CHOICES, family=KOLM, **options))
    assert expected in text
    assert not re.search(OF_POWER_MEANS, text)


@pytest.mark.parametrize("scale", [False, True])
def test_report_of_scores(scale):
    result = scored(3.0 * SCORES if scale else SCORES, family=KOLM, scale=scale)
    text = said(result)
    assert f"with alpha = {words.power(result.p, result.interval('alpha'), KOLM)}" in text
    assert ("scale 3.0" in text or "scale 2.9" in text) == scale
    assert not re.search(OF_POWER_MEANS, text)


def test_report_of_a_family_without_title_doctrines_or_mean():
    text = said(chosen(decided(Sums(), 0.6, tau=8.0), family=Sums()))
    assert "a rule of the family sums with theta = " in text
    assert "that the learned rule finds equally good" in text
    assert "have the same weights" not in text
    assert not re.search(OF_POWER_MEANS.removeprefix("power|"), text)


def test_own_noise_is_named_with_its_parameters():
    result = chosen(decided(KOLM, 0.4, guess=0.2), family=KOLM, noise=Guess())
    text = said(result)
    assert "errs as the noise model guess says" in text
    assert f"chance of a guess gamma {result.extras['gamma']:.4g}" in text
    assert not result.misfit()["slips"].clear


def test_report_of_power_means_keeps_its_words_under_own_noise():
    text = said(chosen(CHOICES, noise=Probit()))
    assert "The power p says how much inequality matters" in text
    assert "errs as the noise model probit says" in text


def test_shape_at_the_end_of_its_range_is_said_to_be_there():
    class Short(Kolm):
        shape = Parameter("alpha", "aversion alpha", -0.2, 0.2, ASINH)

    result = chosen(CHOICES, family=Short(), noise=Probit())
    assert result.p == pytest.approx(0.2)
    assert "But alpha is as far out as its range goes" in said(result)
    assert "alpha = 0.2 is at the edge of its range" in result.misfit().note


def test_profile_is_drawn_on_the_familys_own_axis():
    found = RESULT.profile(points=31)
    assert found.at_limits == (None, None)
    assert found.p[[0, -1]].tolist() == pytest.approx([-2.0, 3.0])
    axes = wf.plots.profile(found)
    axes.figure.canvas.draw()
    ends = [rounded(x, found.interval, KOLM.doctrines) for x in (found.estimate, *found.interval)]
    assert axes.get_title() == "alpha = {}, 95% interval {} to {}".format(*ends)
    assert axes.get_ylabel() == "likelihood compared with the best alpha"
    assert "aversion alpha" in axes.get_xlabel()
    assert not axes.child_axes  # no second axis: 1 - alpha means nothing
    line = next(x for x in axes.lines if x.get_label() == "relative likelihood")
    assert line.get_xdata()[np.argmax(line.get_ydata())] == pytest.approx(RESULT.p, abs=1e-6)


def test_wide_profile_and_loss_span_the_range():
    few = chosen(decided(KOLM, 0.4, tau=0.3, count=60), family=KOLM)
    for axes in (wf.plots.profile(few), wf.plots.loss(few)):
        axes.figure.canvas.draw()
        left, right = axes.get_xlim()
        assert left < -2.0 and right > 3.0  # noqa: PT018 - one statement about one axis
        ticks = [tick.get_text() for tick in axes.get_xticklabels()]
        assert "0\nplain adding-up" in ticks
        assert f"{MINUS}2" in ticks
        assert axes.get_xlabel() == "aversion alpha, and the doctrines that have a name"
    assert axes.get_title() == f"the loss is lowest at alpha = {rounded(few.p, (-2, 3))}"


def test_endless_range_is_drawn_bent():
    class Endless(Kolm):
        shape = Parameter("alpha", "aversion alpha", -np.inf, np.inf, ASINH)

        def search_range(self, people):
            del people
            return -2.0, 3.0

    axes = wf.plots.loss(chosen(CHOICES, family=Endless()))
    assert axes.get_xlim() == pytest.approx((-1.04, 1.04))
    drawn = next(line for line in axes.lines if len(line.get_xdata()) > 9).get_xdata()
    assert drawn[[0, -1]] == pytest.approx([-2 / 3, 3 / 4])


def test_curves_are_equally_good():
    axes = wf.plots.indifference(RESULT, ("staff", "payers & co"))
    axes.figure.canvas.draw()
    assert "everybody else has their median utility" in axes.get_xlabel()
    names = [line.get_label() for line in axes.lines[:2]]
    assert names == [f"learned, alpha = {rounded(RESULT.p)}", "plain adding-up"]
    base = np.median(TABLE, axis=0)
    for line, p in zip(axes.lines[:2], (RESULT.p, 0.0), strict=True):
        points = line.get_xydata()
        points = points[np.isfinite(points).all(axis=1)]
        table = np.tile(base, (len(points), 1))
        table[:, [0, 2]] = points
        rule = KOLM.rule(p, RESULT.weights)
        assert len(points) > 50
        assert rule.value(table) == pytest.approx(rule.value(base), rel=DRAWN)


def test_other_figures_can_be_drawn():
    assert wf.plots.weights(RESULT).get_xlabel().endswith("95% interval")
    wf.plots.calibration(RESULT).figure.canvas.draw()
    wf.plots.residuals(SCORED).figure.canvas.draw()
    wf.plots.profile(SCORED).figure.canvas.draw()
    with pytest.raises(wf.InputError, match="a profile over alpha needs a fit that learned alpha"):
        wf.plots.profile(chosen(CHOICES, family=KOLM, p=0.4))


def test_contour_of_a_power_mean_is_its_curve():
    base, point, top = np.full(2, 4.0), np.array([4.0, 3.0]), np.array([9.0, 7.0])
    rule = FamilyRule(POWER_MEAN, -1.0, WEIGHTS[:2])
    contour = contour_through(rule, base, (0, 1), point, top)
    contour = contour[np.isfinite(contour).all(axis=1)]
    curve = curve_through(WEIGHTS[:2], -1.0, point, top)
    curve = curve[np.isfinite(curve).all(axis=1) & (curve <= top).all(axis=1)]
    order = np.argsort(curve[:, 0])
    drawn = np.interp(contour[:, 0], *curve[order].T)
    inner = (contour[:, 0] > curve[:, 0].min()) & (contour[:, 0] < curve[:, 0].max())
    assert inner.sum() > 50
    assert contour[inner, 1] == pytest.approx(drawn[inner], rel=5 * DRAWN)


@pytest.mark.parametrize("p", [-2.0, 0.0, 0.5, 2.0])
def test_gain_by_search_is_the_gain_by_formula(p):
    losing = worst_off(TABLE).losing
    searched = required_gain(FamilyRule(POWER_MEAN, p, WEIGHTS), TABLE, losing, 0.1)
    by_formula = required_gain(wf.WelfareFunction(p, WEIGHTS), TABLE, losing, 0.1)
    assert searched == pytest.approx(by_formula, rel=HALVED, abs=HALVED)


def test_gain_makes_up_for_a_loss_or_never_does():
    losing, rule = worst_off(TABLE).losing, KOLM.rule(1.0, WEIGHTS)
    gains = required_gain(rule, TABLE, losing, 0.25)
    enough = np.isfinite(gains)
    assert 0 < enough.sum() < len(gains)

    def after(gain):
        return rule.value(np.where(losing, 0.75 * TABLE, (1.0 + gain[:, None]) * TABLE))

    before = rule.value(TABLE)
    assert after(np.where(enough, gains, 0.0))[enough] == pytest.approx(before[enough], rel=1e-9)
    assert (after(np.full(len(gains), 1e6))[~enough] < before[~enough]).all()


def test_nulls_are_said_and_found_in_the_familys_words():
    assert RESULT.test("Plain_adding up").null == "alpha = 0 (plain adding-up)"
    assert RESULT.test(p=0.4).null == "alpha = 0.4"
    assert RESULT.test(p=0.4, weights="equal").null == "alpha = 0.4 and equal weights"
    with pytest.raises(wf.InputError, match='from -2 to 3, or one of "plain adding-up"'):
        RESULT.test("Nash")
    with pytest.raises(wf.InputError, match=r"found 3\.5"):
        RESULT.test(p=3.5)
    with pytest.raises(wf.InputError, match=r"found that alpha = 0\.4 was given"):
        chosen(CHOICES, family=KOLM, p=0.4).test(p=0.1)


def test_null_at_the_end_of_a_range_is_on_an_edge():
    found = RESULT.test(p=-2.0)  # on the other side of 0, and further from it than the estimate
    assert "the null is on an edge" in found.distribution
    assert found.null_llf == pytest.approx(chosen(CHOICES, family=KOLM, noise=Probit(), p=-2).llf)


def test_misfit_is_about_the_family_and_the_noise_that_were_fitted():
    misfit = RESULT.misfit()
    assert misfit["people"].null.endswith("but through the rule of the family Kolm-Pollak")
    assert misfit["level"].null.startswith("the same difference in welfare")
    assert misfit["slips"].null == "clear cases are decided as reliably as probit noise says"
    assert not misfit.clear
    plain = chosen(CHOICES, family=KOLM, noise=Probit(), p=0.0).misfit()
    assert plain["people"].clear
    assert "a rule of the family Kolm-Pollak" in plain.verdict
    ratio = chosen(decided(Sums(), 0.6, tau=8.0), family=Sums()).misfit()
    assert ratio["level"].null.startswith("the same percentage of welfare")


def test_misfit_finds_guesses_under_probit_noise():
    assert (
        chosen(decided(KOLM, 0.4, guess=0.2), family=KOLM, noise=Probit()).misfit()["slips"].clear
    )


@pytest.mark.parametrize("change", [lambda x: x + 1.5, lambda x: 1.3 * x])
def test_misfit_finds_another_zero_and_another_scale_of_scores(change):
    assert SCORED.misfit()["scale"].p_value > 0.01
    found = scored(change(SCORES), family=KOLM, p=0.4, weights=WEIGHTS).misfit()["scale"]
    assert found.clear
    assert found.degrees == 2


def test_surprises_show_welfare_and_shares_of_the_family():
    surprise = RESULT.surprises(1)[0]
    rule = KOLM.rule(RESULT.p, RESULT.weights)
    assert surprise.welfare == pytest.approx(rule.value(surprise.utilities))
    assert surprise.shares.sum() == pytest.approx(1.0)
    assert "though the rule gives that" in str(surprise)
    assert len(SCORED.surprises(3)) == 3
    assert SCORED.residuals().fitted == pytest.approx(SCORED.welfare(TABLE))
