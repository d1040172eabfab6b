"""Whether later choices of rankings err like the first: against fits by hand and simulations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

import welfarist as wf
from welfarist.inference.stages import place_of, seem_alike

# Two searches of one optimum, from different places.
OPTIMUM = 1e-6
WORLD = wf.simulate.individuals(60, 3, p=0.0, random_state=1)
MENUS = wf.simulate.random_menus(60, 200, 5, random_state=1)


def ranked(taus, seed=0, menus=MENUS):
    """Rankings whose choices have these temperatures, each drawn from what is left."""
    rng = np.random.default_rng(seed)
    value = np.log(WORLD.welfare)
    rankings = []
    for menu in menus:
        left, chosen = list(menu), []
        for tau in taus:
            drawn = tau * value[left] + rng.gumbel(size=len(left))
            chosen.append(left.pop(int(np.argmax(drawn))))
        rankings.append(chosen)
    return wf.Choices.from_rankings(WORLD.utilities, rankings, menus)


def test_it_is_the_likelihood_ratio_of_both_fits():
    choices = ranked([10.0, 3.0, 2.0])
    apart = wf.ChoiceLearner(tau_by_stage=True).fit(choices)
    with pytest.warns(wf.MisfitWarning, match="further down the rankings are noisier"):
        together = wf.ChoiceLearner().fit(choices)
    statistic = 2 * (apart.result_.llf - together.result_.llf)
    for learner in (apart, together):
        found = learner.result_.stages()
        assert found.test.statistic == pytest.approx(statistic, rel=OPTIMUM)
        assert found.test.degrees == 2
        assert found.test.p_value == pytest.approx(chi2.sf(statistic, 2), rel=1e-4)
        assert found.taus == pytest.approx(apart.taus_, rel=1e-3)
        assert found.shared == pytest.approx(together.tau_, rel=1e-3)
        assert (found.p, found.shared_p) == pytest.approx((apart.p_, together.p_), abs=1e-3)
        assert "second choices" in str(found)
    light = together.result_.without_data()
    assert light.stages().test.statistic == pytest.approx(statistic, rel=OPTIMUM)


def test_a_true_null_is_rejected_as_often_as_it_says():
    found = []
    for seed in range(60):
        choices = ranked([6.0, 6.0], seed, MENUS[:80])
        learner = wf.ChoiceLearner(weights="equal", tau_by_stage=True).fit(choices)
        found.append(learner.result_.stages().test.p_value)
    # Of 60 that are uniform, between 5 and 26 are below a quarter in all but 1 of 1000 cases.
    assert 5 <= np.sum(np.array(found) < 0.25) <= 26


def test_nothing_is_said_where_all_choices_err_alike(recwarn):
    wf.ChoiceLearner(weights="equal").fit(ranked([6.0, 6.0], 3))
    assert not [w for w in recwarn if issubclass(w.category, wf.MisfitWarning)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("noise", ["logistic", "lapse"])
@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
def test_the_score_at_the_fit_agrees_with_the_likelihood_ratio(noise, seed):
    taus = [6.0, 6.0, 6.0] if seed % 2 else [7.0, 4.5, 4.0]
    result = wf.ChoiceLearner(noise=noise).fit(ranked(taus, seed)).result_
    likelihood, p_value = result.likelihood, result.stages().test.p_value
    # Both follow the same distribution, and differ by the curve of the likelihood between the fits.
    assert seem_alike(likelihood, p_value / 3)
    assert not seem_alike(likelihood, min(3 * p_value, 1.0))


@pytest.mark.parametrize("p", [-np.inf, np.inf])
@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
def test_a_power_that_ran_to_its_limit_has_a_score_too(p):
    """The fit is told to end there, and is then asked as if the power had been learned."""
    result = wf.ChoiceLearner(p=p).fit(ranked([6.0, 6.0], 3)).result_
    given = result.likelihood
    learned = replace(given, loss=replace(given.loss, learn_power=True))
    assert seem_alike(learned, 0.0) == seem_alike(given, 0.0) is True
    assert not seem_alike(learned, 1.0)


def test_few_choices_are_not_left_to_the_score():
    result = wf.ChoiceLearner(weights="equal").fit(ranked([6.0, 6.0], 3, MENUS[:30])).result_
    assert not seem_alike(result.likelihood, 0.0)


def test_lapses_and_given_powers_go_along():
    choices = ranked([8.0, 4.0], 5)
    both = wf.ChoiceLearner(noise="lapse", p=-np.inf, weights="equal", tau_by_stage=True)
    found = both.fit(choices).result_.stages()
    assert found.p == found.shared_p == -np.inf
    assert found.test.statistic >= 0


def test_single_choices_have_no_stages():
    chosen = wf.simulate.choices(WORLD, MENUS, tau=8)
    with pytest.raises(wf.InputError, match="found decisions of one choice each"):
        wf.ChoiceLearner().fit(chosen).result_.stages()
    pairs = wf.simulate.comparisons(WORLD, MENUS[:, :2], tau=8)
    with pytest.raises(wf.InputError, match="found decisions of one choice each"):
        wf.ComparisonClassifier().fit(pairs).result_.stages()


def test_places_have_names():
    assert [place_of(i) for i in (0, 1, 2, 3, 10, 20, 21)] == [
        "first", "second", "third", "4th", "11th", "21st", "22nd",
    ]  # fmt: skip
