"""Reports and figures of choices from menus, read as somebody does who knows nothing of them."""

from __future__ import annotations

import html
import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import welfarist as wf
from welfarist.results.summarising import _how_it_ended
from welfarist.show.report.sections import _proven

WORLD = wf.simulate.individuals(60, 3, p=0.5, random_state=2)
MENUS = wf.simulate.random_menus(60, 300, 4, random_state=2)


def read(result, tmp_path):
    """The words of a report."""
    path = tmp_path / "report.html"
    result.report(path)
    page = re.sub(r"<style.*?</style>", "", path.read_text(), flags=re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


def quietly(learner, choices):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return learner.fit(choices).result_


def test_a_report_says_what_was_chosen_from_and_what_chance_would_do(tmp_path):
    result = wf.ChoiceLearner().fit(wf.simulate.choices(WORLD, MENUS, tau=8)).result_
    said = read(result, tmp_path)
    assert "300 choices from menus of 4 look like those of somebody" in said
    assert f"In {100 * result.accuracy:.0f}% of the cases the action that was chosen" in said
    assert "picked at random would be in 25%" in said
    assert "choices from menus of 4 by somebody who errs more often the closer a case is" in said
    assert "the rule finds best" in said
    assert "the rule's best" in said
    assert "choices went against the rule" in said
    assert "temperature for each" not in said
    assert "chosen first" not in said  # nobody chose second
    assert "nan" not in said.lower().split()


def test_a_report_shows_temperatures_by_stage(tmp_path):
    rng = np.random.default_rng(1)
    value = np.log(WORLD.welfare)[MENUS]
    first = (12 * value + rng.gumbel(size=value.shape)).argmax(axis=1)
    noisy = 2 * value + rng.gumbel(size=value.shape)
    noisy[np.arange(300), first] = -np.inf
    picked = np.column_stack([first, noisy.argmax(axis=1)])
    choices = wf.Choices.from_rankings(
        WORLD.utilities, np.take_along_axis(MENUS, picked, axis=1), MENUS
    )
    said = read(quietly(wf.ChoiceLearner(), choices), tmp_path)
    assert "second choices are noisier: their temperature is" in said
    assert "tau_by_stage" not in said
    assert "Later choices are noisier than the first: one temperature for all is rejected" in said
    assert "300 rankings of menus of 4" in said
    own = read(quietly(wf.ChoiceLearner(tau_by_stage=True), choices), tmp_path)
    assert "temperature of choice 2" in own
    assert "second choices are noisier" not in own


def test_a_report_explains_sizes_and_those_who_are_absent(tmp_path):
    rng = np.random.default_rng(3)
    table = np.where(rng.random((60, 3)) < 0.3, np.nan, WORLD.utilities)
    table[np.isnan(table).all(axis=1), 0] = 5.0
    total = np.log(np.nansum(table, axis=1))[MENUS]
    chosen = MENUS[np.arange(300), (6 * total + rng.gumbel(size=total.shape)).argmax(axis=1)]
    choices = wf.Choices(table, MENUS, chosen, absent=True)
    result = quietly(wf.ChoiceLearner(size_effect=True), choices)
    said = read(result, tmp_path)
    assert "Not every action affects everybody" in said
    assert "counts for itself, with an exponent of" in said
    assert "counts no more than a smaller one" not in said
    assert "that do not concern everybody are left out" in said
    assert "nan" not in said.lower().split()
    assert "nan" not in str(result.surprises())
    assert np.isfinite(wf.plots.indifference(result).get_xlim()).all()


def test_a_report_says_what_none_of_these_is_worth(tmp_path):
    level = float(np.median(WORLD.welfare))
    choices = wf.simulate.choices(WORLD, MENUS, tau=6, outside=level, random_state=3)
    result = wf.ChoiceLearner().fit(choices).result_
    said = read(result, tmp_path)
    assert "4 actions to choose from, and it could be none of these" in said
    assert "it was none of these, which is as good as an action with a welfare of" in said
    assert "menus of 4" in said
    assert "none of these" in str(result.surprises(100))


def test_the_worst_is_not_called_the_best(tmp_path):
    worth = WORLD.welfare[MENUS]
    best, worst = (MENUS[np.arange(300), pick(axis=1)] for pick in (worth.argmax, worth.argmin))
    swap = np.arange(300) % 5 == 0
    best, worst = np.where(swap, worst, best), np.where(swap, best, worst)
    choices = wf.Choices.from_best_worst(WORLD.utilities, MENUS, best, worst)
    said = read(quietly(wf.ChoiceLearner(tau_by_stage=True), choices), tmp_path)
    assert "choices of best and worst from menus of 4" in said
    assert "the rule's choice" in said
    assert "of the worst" in said


def test_calibration_goes_down_to_chances_below_one_half():
    pytest.importorskip("matplotlib")
    result = wf.ChoiceLearner().fit(wf.simulate.choices(WORLD, MENUS, tau=2)).result_
    found = result.calibration()
    assert found.from_menus
    assert found.predicted.min() < 0.5
    axes = wf.plots.calibration(found)
    assert axes.get_xlim()[0] < found.predicted.min()
    assert "best action" in axes.get_xlabel()
    pairs = wf.simulate.choices(WORLD, MENUS[:, :2], tau=2)
    axes = wf.plots.calibration(wf.ChoiceLearner().fit(pairs).result_)
    assert axes.get_xlim()[0] == pytest.approx(0.49)
    assert "better action" in axes.get_xlabel()


@pytest.mark.parametrize("noise", ["none", "flip"])
def test_a_report_of_counted_errors_claims_no_likelihood(noise, tmp_path):
    by = np.arange(300) % 30
    simulated = wf.simulate.choices(WORLD, MENUS, tau=8)
    chosen = simulated.menus.rows[simulated.menus.taken > 0]
    choices = wf.Choices(WORLD.utilities, MENUS, chosen, by=by)
    said = read(quietly(wf.ChoiceLearner(noise=noise, weights="equal"), choices), tmp_path)
    assert "The closer the welfare" not in said
    assert "Each time that another was chosen than the rule's best is one error." in said
    assert "people who decided 30" in said
    assert "no rule makes fewer than 0%" not in said
    assert "The weights were given, not learned. Everybody counts the same." in said
    assert "those with the largest weights" not in said
    assert "The rule with the fewest errors was found exactly." in said
    assert ("choices made by chance, 2 rho" in said) == (noise == "flip")


def test_a_bound_of_no_errors_is_no_finding():
    proof = SimpleNamespace(gap=0.3, lower_bound=0.0, method="a search")
    exact = SimpleNamespace(explanations=None, lines=list)
    result = SimpleNamespace(exact=exact, certificate=proof, reason="time was short")
    assert _proven(result) == "nothing: some rule may make fewer, or none"
    assert _how_it_ended(result) == ["Not proven optimal: time was short"]
    proof.lower_bound = 0.1
    assert _proven(result) == "no rule makes fewer than 10%"
    assert "no rule is wrong in less than 10.00%" in _how_it_ended(result)[1]


def test_surprises_say_which_choice_of_a_ranking_they_are(tmp_path):
    choices = wf.simulate.rankings(WORLD, MENUS, tau=3, places=2, random_state=1)
    result = quietly(wf.ChoiceLearner(weights="equal"), choices)
    found = result.surprises(200)
    assert {surprise.choice for surprise in found} == {"first", "second"}
    first = found[0]
    stage = ["first", "second"].index(first.choice)
    menus = choices.menus.take(np.flatnonzero(choices.decision == first.row))
    taken = menus.take(np.array([stage])).taken
    assert first.position == f"place {int(np.argmax(taken)) + 1}"
    assert f" as {first.choice} over " in str(first)
    assert f"{found.total:g} of 600 choices went against the rule" in read(result, tmp_path)


def test_surprises_count_with_sizes_where_these_count():
    rng = np.random.default_rng(3)
    table = np.where(rng.random((60, 3)) < 0.3, np.nan, WORLD.utilities)
    table[np.isnan(table).all(axis=1), 0] = 5.0
    total = np.log(np.nansum(table, axis=1))[MENUS]
    chosen = MENUS[np.arange(300), (6 * total + rng.gumbel(size=total.shape)).argmax(axis=1)]
    choices = wf.Choices(table, MENUS, chosen, absent=True)
    result = quietly(wf.ChoiceLearner(size_effect=True, weights="equal"), choices)
    for surprise in result.surprises(50):
        worth, other = surprise.worth
        assert worth < other  # what decides is against the choice, even where welfare is not
        assert surprise.log_ratio == pytest.approx(np.log(other / worth))
        sizes = [(~np.isnan(u)).sum() for u in (surprise.utilities, surprise.other_utilities)]
        gamma = result.extras["gamma"]
        assert worth == pytest.approx(surprise.welfare * sizes[0] ** gamma)
        assert other == pytest.approx(surprise.other_welfare * sizes[1] ** gamma)


def test_menus_of_a_long_table_keep_their_names(tmp_path):
    pl = pytest.importorskip("polars")
    simulated = wf.simulate.choices(WORLD, MENUS, tau=3, random_state=1).menus
    columns = {f"person {i}": WORLD.utilities[simulated.rows, i] for i in range(3)}
    groups = np.repeat([f"group {k}" for k in range(300)], 4)
    long = pl.DataFrame({"menu": groups, "chosen": simulated.taken} | columns)
    result = quietly(wf.ChoiceLearner(weights="equal"), wf.Choices.from_long(long))
    found = result.surprises(5)
    assert all(surprise.label == f"group {surprise.row}" for surprise in found)
    assert f"(menu {found[0].label}): chose the {found[0].chosen.split()[1]}" in str(found)
    assert found[0].chosen.endswith(" of the menu")
    said = read(result, tmp_path)
    assert "Menus have the names that they have in the data." in said
    assert found[0].label in said
    part = result.decided[10:12]
    assert part.labels.tolist() == ["group 10", "group 11"]
