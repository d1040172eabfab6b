"""The bootstrap against fits to rebuilt data, over cores and clusters, and nulls by simulation."""

from __future__ import annotations

import os
import pickle
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

import welfarist as wf
from benchmarks import problems
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress
from welfarist.inference.bootstrap import Bootstrap
from welfarist.inference.likelihood import quantities_named
from welfarist.inference.resampling import resampling_of
from welfarist.inference.simulated_nulls import (
    Reference,
    Simulation,
    drawn_under,
    reference_under,
    sampler_of,
)
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.noise.choices import LOGISTIC
from welfarist.results.statistics import Statistics

ROOT = Path(__file__).parents[2]
DATA = (ROOT / os.environ.get("WELFARIST_DATA", "../shared/data")).resolve()

# Two fits that each stop where the loss falls by less than 1e-12 of itself: their parameters are
# closer than the root of that, in units of parameters that the data determine.
SAME_FIT = 1e-5
# Standard deviation of a standard deviation from B draws, relative to it: one over the root of 2B.
WIDTHS = 4.0


def quiet(estimator, *data):
    """Fit without the warnings that small data sets give rise to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return estimator.fit(*data).result_


def score_data(seed, actions=120, weights=(0.5, 0.3, 0.2), p=-0.5, noise=0.3):
    rng = np.random.default_rng(seed)
    table = rng.uniform(1, 10, (actions, len(weights)))
    return table, wf.power_mean(table, p, weights) + rng.normal(0, noise, actions)


def choices(seed, by=None, counts=None, ties=0):
    made = problems.comparisons(seed, 80, 3, 1200, p=-0.6, tau=4.0)
    outcomes = made.outcomes.copy()
    outcomes[:ties] = 0
    return wf.Comparisons(made.utilities, made.pairs, outcomes, counts, by)


# Resamples -------------------------------------------------------------------------------------


def test_draws_of_scores_are_fits_to_rebuilt_data():
    table, scores = score_data(0)
    counts = np.random.default_rng(0).integers(0, 4, len(scores))
    result = wf.WelfareRegressor().fit(table, scores, counts).result_
    found = result.bootstrap(5, random_state=3)
    kept = counts > 0
    for i, row in enumerate(found.draws):
        rng = np.random.default_rng([3, i])
        drawn = rng.multinomial(counts.sum(), counts[kept] / counts.sum())
        rows = np.repeat(np.flatnonzero(kept), drawn)  # single observations, none weighted
        again = wf.WelfareRegressor().fit(table[rows], scores[rows]).result_
        assert row == pytest.approx(again.params, abs=SAME_FIT)


@pytest.mark.parametrize("noise", ["logistic", "lapse"])
def test_draws_of_clusters_are_fits_to_rebuilt_data(noise):
    by = np.random.default_rng(1).integers(0, 30, 1200)
    counts = np.random.default_rng(2).integers(0, 3, 1200)
    data = choices(1, by, counts, ties=60)
    result = quiet(wf.ComparisonClassifier(noise=noise), data)
    found = result.bootstrap(3, random_state=4)
    assert found.unit == "clusters"
    for i, row in enumerate(found.draws):
        drawn = np.random.default_rng([4, i]).multinomial(30, np.full(30, 1 / 30))
        rows = np.concatenate([np.flatnonzero(by == g) for g in np.repeat(np.arange(30), drawn)])
        again = quiet(wf.ComparisonClassifier(noise=noise), data[rows])
        assert row == pytest.approx(again.params, rel=20 * SAME_FIT, abs=20 * SAME_FIT)


def test_resamples_of_decisions_draw_single_ones_and_keep_their_outcomes():
    counts = np.random.default_rng(2).integers(0, 3, 1200)
    data = choices(2, counts=counts, ties=100)
    fitted = quiet(wf.ComparisonClassifier(), data).likelihood
    resampling = resampling_of(fitted, "decisions")
    drawn = [resampling.draw(np.random.default_rng(i)).graph.pairs for i in range(2000)]
    count, lead = (np.mean([getattr(d, name) for d in drawn], axis=0) for name in ("count", "lead"))
    assert {d.count.sum() for d in drawn} == {counts.sum()}
    merged = data.merged
    # Each cell is nearly Poisson: 2000 draws leave an error of the root of its count / 2000.
    slack = 5 * np.sqrt(np.maximum(merged.count, 1) / 2000)
    assert (np.abs(count - merged.count) < slack).all()
    assert (np.abs(lead - merged.lead) < slack).all()


def test_draws_of_decisions_are_fits_to_rebuilt_data():
    data = choices(2, counts=np.random.default_rng(2).integers(0, 3, 1200), ties=100)
    result = quiet(wf.ComparisonClassifier(), data)
    found = result.bootstrap(3, random_state=5)
    assert found.unit == "decisions"
    resampling = resampling_of(result.likelihood, "decisions")
    merged = data.merged
    for i, row in enumerate(found.draws):
        pairs = resampling.draw(np.random.default_rng([5, i])).graph.pairs
        both = np.array([pairs.count + pairs.lead, pairs.count - pairs.lead]) / 2  # halves of ties
        rebuilt = wf.Comparisons(
            data.utilities,
            np.tile(np.column_stack([merged.first, merged.second]), (2, 1)),
            np.repeat([1, -1], len(merged)),
            both.ravel(),
        )
        again = quiet(wf.ComparisonClassifier(), rebuilt)
        assert row == pytest.approx(again.params, rel=20 * SAME_FIT, abs=SAME_FIT)


def test_one_and_two_processes_give_the_same_digits():
    result = quiet(wf.ComparisonClassifier(), choices(3))
    one, two = (result.bootstrap(45, random_state=7, n_jobs=n, progress=False) for n in (1, 2))
    assert (one.draws == two.draws).all()
    other = result.bootstrap(45, random_state=8)
    assert (one.draws != other.draws).any()
    assert one.seed == 7
    assert str(one) == "45 resamples of decisions, seed 7"


def test_jobs_come_back_in_order():
    jobs = list(range(7))
    assert list(run_jobs(pow, 2, jobs, 2, option="n_jobs", together=2)) == [2**i for i in jobs]


def test_a_generator_as_seed_leaves_a_number_to_repeat_with():
    table, scores = score_data(1)
    result = wf.WelfareRegressor().fit(table, scores).result_
    drawn = result.bootstrap(4, random_state=np.random.default_rng(5))
    assert (result.bootstrap(4, random_state=drawn.seed).draws == drawn.draws).all()


# What is made of the draws -----------------------------------------------------------------------


def test_standard_errors_agree_with_the_sandwich():
    table, scores = score_data(2, actions=300)
    result = wf.WelfareRegressor().fit(table, scores).result_
    drawn = result.bootstrap(400)
    robust = np.sqrt(result.cov_params("robust").diagonal())
    assert drawn.bse == pytest.approx(robust, rel=WIDTHS / np.sqrt(800))
    assert drawn.cov_params() == pytest.approx(np.cov(drawn.draws.T))
    weights = slice(1, 4)
    assert drawn.cov_params()[weights, weights].sum(axis=0) == pytest.approx(0, abs=1e-12)


def test_whole_people_are_wider_than_single_decisions():
    """Each person's own weights differ: their decisions go together."""
    rng = np.random.default_rng(3)
    table = np.exp(rng.uniform(0, 4, (60, 2)))
    pairs, outcomes, by = [], [], []
    for person in range(40):
        own = float(np.clip(rng.normal(0.6, 0.2), 0.05, 0.95))
        welfare = wf.log_power_mean(table, -0.5, [own, 1 - own])
        first = rng.integers(0, 60, 40)
        second = (first + rng.integers(1, 60, 40)) % 60
        chance = 1 / (1 + np.exp(-8 * (welfare[first] - welfare[second])))
        pairs.append(np.column_stack([first, second]))
        outcomes.append(np.where(rng.random(40) < chance, 1, -1))
        by.append(np.full(40, person))
    data = wf.Comparisons(table, np.vstack(pairs), np.hstack(outcomes), by=np.hstack(by))
    result = quiet(wf.ComparisonClassifier(), data)
    people, single = (result.bootstrap(60, unit=unit) for unit in ("clusters", "decisions"))
    assert people.bse[1] > 1.5 * single.bse[1]
    clustered = np.sqrt(result.cov_params("clustered")[1, 1])
    assert people.bse[1] == pytest.approx(clustered, rel=WIDTHS / np.sqrt(120))


def drawn(columns, names, estimates=None):
    draws = np.column_stack(columns)
    middle = np.median(draws, axis=0) if estimates is None else np.array(estimates)
    return Bootstrap(draws, quantities_named(names), middle, "decisions", 0, len(draws), 0)


def test_intervals_are_draws_counted_from_both_sides():
    order = np.random.default_rng(0).permutation(99)
    found = drawn([order.astype(float)], ("p",))
    assert found.interval("p", 0.9) == (4.0, 94.0)  # the 5th from below and from above
    assert found.interval("p", 0.95) == (1.0, 97.0)  # 2.5 of 100: the wider of 2 and 3
    with pytest.raises(wf.InputError, match="at least 199 resamples"):
        found.interval("p", 0.99)


def test_intervals_of_tau_are_reflected():
    """Draws above the estimate say that the estimate is above the truth."""
    found = drawn([np.exp(np.linspace(1.0, 2.0, 99))], ("tau",), [np.exp(1.4)])
    low, high = found.interval("tau", 0.9)
    ends = 1.0 + np.array([4, 94]) / 98
    assert np.log([low, high]) == pytest.approx(2 * 1.4 - ends[::-1])


def test_infinite_powers_are_ends_and_leave_weights_open():
    p = np.where(np.arange(99) < 30, -np.inf, np.linspace(-5, 0, 99))
    weight = np.where(np.isinf(p), 0.5, 0.7)
    other = np.where(np.isinf(p), 0.5, 0.3)
    never = np.zeros(99)
    names = ("p", "weight of a", "weight of b", "weight of c")
    found = drawn([p, weight, other, never], names, [-3.0, 0.7, 0.3, 0.0])
    low, high = found.interval("p")
    assert low == -np.inf
    assert high > -0.2
    assert found.interval("weights").tolist() == [[0, 1], [0, 1], [0, 0]]
    with pytest.raises(wf.InputError, match="infinite p in 30 of 99"):
        found.cov_params()


def test_egalitarian_scores_have_an_interval_that_ends_at_minus_infinity():
    rng = np.random.default_rng(4)
    table = rng.uniform(1, 10, (80, 2))
    result = quiet(
        wf.WelfareRegressor(weights="equal"), table, table.min(axis=1) + rng.normal(0, 0.3, 80)
    )
    low, high = result.bootstrap(60).interval("p")
    assert low == -np.inf
    assert high < -5


def test_resamples_without_noise_are_counted_and_said():
    """Few choices, one of them wrong: resamples without that one have no tau."""
    table = np.random.default_rng(5).uniform(1, 10, (12, 2))
    welfare = wf.power_mean(table, 1)
    pairs = np.array([(i, j) for i in range(12) for j in range(i)])
    outcomes = np.where(welfare[pairs[:, 0]] > welfare[pairs[:, 1]], 1, -1)
    outcomes[np.argmax(np.abs(welfare[pairs[:, 0]] - welfare[pairs[:, 1]]))] *= -1
    result = quiet(
        wf.ComparisonClassifier(p=1, weights="equal"), wf.Comparisons(table, pairs, outcomes)
    )
    with pytest.warns(wf.NotConvergedWarning, match="of 60 resamples have no estimates"):
        found = result.bootstrap(60)
    assert 10 <= found.failed <= 35  # a certain row is missed with probability 1/e: 22
    assert len(found.draws) == 60 - found.failed
    assert np.isfinite(found.draws).all()
    assert f"{found.failed} without estimates" in str(found)


# On a result -------------------------------------------------------------------------------------


def test_a_result_draws_once_and_remembers(monkeypatch):
    table, scores = score_data(6)
    result = wf.WelfareRegressor().fit(table, scores).result_
    calls = []
    drawn_before = drawn(
        [np.linspace(-1, 0, 99), *np.random.default_rng(0).dirichlet(np.ones(3), 99).T],
        result.param_names,
    )
    monkeypatch.setattr(Statistics, "bootstrap", lambda _: calls.append(1) or drawn_before)
    low, high = result.interval("p", method="bootstrap")
    assert -1 <= low < high <= 0
    assert result.conf_int(method="bootstrap").shape == (4, 2)
    assert result.conf_int(method="bootstrap")[0].tolist() == [low, high]
    assert result.cov_params("bootstrap").shape == (4, 4)
    assert calls == [1]


def test_a_choice_of_standard_errors_is_recorded_and_used():
    table, scores = score_data(7)
    result = wf.WelfareRegressor().fit(table, scores).result_
    assert result.covariance == "fisher"
    robust = result.with_covariance("robust")
    assert robust.covariance == "robust"
    assert (robust.cov_params() == result.cov_params("robust")).all()
    assert robust.bse.data == pytest.approx(np.sqrt(robust.cov_params().diagonal()))
    assert robust.interval("p") == result.interval("p", covariance="robust")
    assert robust.interval("p", method="profile") == result.interval("p")
    assert pickle.loads(pickle.dumps(robust)).covariance == "robust"
    assert replace(robust, covariance="fisher").interval("p") == result.interval("p")


def test_refusals_say_what_to_do():
    table, scores = score_data(8)
    result = wf.WelfareRegressor().fit(table, scores).result_
    alone = quiet(wf.ComparisonClassifier(), choices(8, ["a"] * 1200))
    everything = wf.WelfareRegressor(p=1, weights="equal").fit(table, scores).result_
    for refused, words in (
        (lambda: result.bootstrap(1), "resamples must be a whole number from 2 up"),
        (lambda: result.bootstrap(9, n_jobs=0), "n_jobs must be"),
        (lambda: result.bootstrap(9, random_state=-1), "random_state must be"),
        (lambda: result.bootstrap(9, unit="people"), 'unit must be "decisions" or "clusters"'),
        (lambda: result.bootstrap(9, unit="clusters"), "or resample decisions"),
        (lambda: alone.bootstrap(9), "at least two people"),
        (lambda: everything.bootstrap(9), "all was given"),
        (lambda: result.bootstrap(9).interval("tau"), "found 'tau'"),
        (lambda: result.bootstrap(9).interval("p", 95), "between 0 and 1"),
        (lambda: result.with_covariance("hac"), "covariance must be one of"),
        (lambda: result.test("egalitarian", covariance="robust"), "noise model at its word"),
        (lambda: result.test(weights=[1, 1, 0], covariance="robust"), "not apply on an edge"),
        (lambda: result.test("egalitarian", resamples=0), "resamples must be"),
    ):
        with pytest.raises(wf.InputError, match=words):
            refused()


# Tests of doctrines ------------------------------------------------------------------------------


def test_wald_tests_are_squares_of_standard_errors():
    by = np.random.default_rng(1).integers(0, 30, 1200)
    result = quiet(wf.ComparisonClassifier(), choices(9, by))
    covariance = result.cov_params("clustered")
    found = result.test("Nash", covariance="clustered")
    assert found.statistic == pytest.approx(result.p**2 / covariance[0, 0])
    assert found.p_value == pytest.approx(chi2.sf(found.statistic, 1))
    assert str(found).splitlines()[1].startswith("Wald ")
    both = result.test(p=-0.6, weights="equal", covariance="clustered")
    away = np.array([result.p + 0.6, *(result.weights[:2] - 1 / 3)])  # the third follows
    assert both.statistic == pytest.approx(away @ np.linalg.inv(covariance[:3, :3]) @ away)
    assert both.degrees == 3
    assert result.covariance == "clustered"  # because it is known who decided
    assert result.test("Nash") == found
    fisher = result.with_covariance("fisher")
    assert 'covariance="clustered") does not' in fisher.test("Nash").note
    assert fisher.test("Nash") != found
    with pytest.raises(wf.InputError, match="its p-value can be too small") as refused:
        result.test("egalitarian", covariance="clustered")
    assert 'with_covariance("fisher").test(…)' in str(refused.value)
    edge = fisher.test(weights=[0.6, 0.4, 0])
    assert "one person as independent, which can" in edge.note
    stands_in = result.test(weights=[0.6, 0.4, 0])
    assert (stands_in.kind, stands_in.p_value) == (edge.kind, edge.p_value)
    assert stands_in.note.startswith("no Wald test with clustered standard errors applies")


def test_p_values_count_the_observed_one():
    reference = Reference(np.array([0.0, 1.0, 2.0, 3.0]), 5, 0)
    assert [reference.p_value(x) for x in (0.0, 1.5, 3.0, 9.0)] == [1.0, 0.6, 0.4, 0.2]
    assert str(reference) == "parametric bootstrap, 4 samples, seed 5"
    settled = replace(reference, settled=True)  # the last one drawn was as large
    assert [settled.p_value(x) for x in (1.5, 3.0)] == [0.5, 0.25]


def test_samples_end_when_enough_are_as_large(monkeypatch):
    monkeypatch.setattr("welfarist.inference.simulated_nulls._LARGE_ENOUGH", 3)
    result = quiet(wf.ComparisonClassifier(random_state=0), choices(9)[:60])
    early = result.test("best off", resamples=30)
    drawn = int(re.search(r"(\d+) samples", str(early)).group(1))
    assert 3 <= drawn < 30
    assert early.p_value == 3 / drawn
    assert str(result.test("best off", resamples=30, n_jobs=2)) == str(early)


def test_samples_that_cannot_matter_are_not_searched():
    """Bounds put each sample on the side on which a search of all starts puts it."""
    result = quiet(wf.ComparisonClassifier(), choices(9)[:300])
    fitted = result.likelihood
    loss = replace(fitted.loss, learn_power=False)
    best = fitted.solver.minimise(
        loss,
        np.random.default_rng(0),
        p=-np.inf,
        observations=fitted.observations,
        progress=Progress(False),
    )
    sampler = sampler_of(loss, best)
    searched = []
    for number in range(5):
        drawn = sampler.draw(np.random.default_rng((0, number)))
        values = [
            fitted.solver.minimise(
                drawn_under(case, drawn, sampler),
                np.random.default_rng(0),
                p=None if case.learn_power else -np.inf,
                observations=fitted.observations,
                progress=Progress(False),
            ).value
            for case in (loss, fitted.loss)
        ]
        searched.append(2 * sampler.size * max(values[0] - values[1], 0.0))
    for observed in (0.0, 0.5, 3.0, 1e4):
        reference = reference_under(fitted, loss, best, observed, Simulation(5, progress=False))
        for found, full in zip(reference.statistics, searched, strict=True):
            assert (found >= observed - 1e-6) == (full >= observed - 1e-6)


def test_no_rule_explains_choices_better_than_their_shares():
    pairs = wf.Comparisons(np.ones((4, 1)), [[0, 1], [1, 2], [2, 3]], [1, 1, -1]).merged
    observed, _ = ObservedPairs.of(pairs, 4, LOGISTIC, 1e6)
    counts, lead = np.array([4.0, 2.0, 0.0]), np.array([2.0, -2.0, 0.0])  # 3 to 1, 0 to 2, never
    expected = -(3 * np.log(0.75) + np.log(0.25)) / 6
    assert observed.with_counts(counts, lead).least_loss() == pytest.approx(expected)


def test_p_values_at_the_floor_of_a_simulation_are_bounds():
    result = quiet(wf.ComparisonClassifier(weights="equal"), choices(9)[:300])
    found = result.test("best off", resamples=9)
    assert found.p_value == found.smallest == 0.1
    assert "p-value at most 0.1" in str(found)
    assert "at most" not in str(result.test("Nash"))


def test_nulls_on_several_edges_are_simulated():
    table, scores = score_data(10, weights=(0.7, 0.3, 0.0, 0.0), noise=0.5)
    result = quiet(wf.WelfareRegressor(), table, scores)
    true = result.test(weights=[0.7, 0.3, 0, 0], resamples=39, random_state=2)
    assert true.distribution == "parametric bootstrap, 39 samples, seed 2"
    assert true.p_value > 0.05
    assert true == result.test(weights=[0.7, 0.3, 0, 0], resamples=39, random_state=2)
    assert result.test(weights=[0.3, 0.7, 0, 0], resamples=19).p_value == 1 / 20
    assert result.test(weights=[1, 0, 0, 0], resamples=9).p_value == 1 / 10


def test_egalitarian_choices_can_be_tested_with_learned_weights():
    rng = np.random.default_rng(11)
    table = rng.uniform(1, 10, (60, 3))
    pairs = np.column_stack([np.arange(600) % 60, (np.arange(600) * 7 + 1) % 60])
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    worst = np.log(table.min(axis=1))
    chance = 1 / (1 + np.exp(-6 * (worst[pairs[:, 0]] - worst[pairs[:, 1]])))
    outcomes = np.where(rng.random(len(pairs)) < chance, 1, -1)
    result = quiet(wf.ComparisonClassifier(), wf.Comparisons(table, pairs, outcomes))
    found = result.test("egalitarian", resamples=19)
    assert found.p_value > 0.05
    assert "inequality aversion inf" in found.null
    assert result.test("utilitarian").p_value < 1e-6


def test_simulated_p_values_of_a_true_null_are_uniform():
    """Several weights at 0, with few samples each: p-values are multiples of 1/20."""
    values = []
    for seed in range(60):
        table, scores = score_data([seed, 1], 60, (0.7, 0.3, 0.0, 0.0), p=1, noise=0.5)
        result = quiet(wf.WelfareRegressor(p=1), table, scores)
        null = result.test(weights=[0.7, 0.3, 0, 0], resamples=19, random_state=seed)
        values.append(null.p_value)
    # Binomial: of 60 p-values 18 to 42 are at most 1/2, and 9 at most 1/20, in 997 of 1000
    # simulations.
    assert 18 <= np.sum(np.less_equal(values, 0.5)) <= 42
    assert np.sum(np.less_equal(values, 0.05)) <= 9


@pytest.mark.skipif(not DATA.is_dir(), reason="no folder of real data: set WELFARIST_DATA to one")
def test_dictator_choices_by_person():
    frame = pd.read_csv(DATA / "dictator" / "choices.csv")
    data = wf.Comparisons.from_arrays(
        frame[["self_x", "other_x"]],
        frame[["self_y", "other_y"]],
        frame["choice_x"].astype(bool),
        by=frame["person"],
    )
    result = wf.ComparisonClassifier().fit(data).result_
    found = result.bootstrap(200)
    assert found.unit == "clusters"
    # The sandwich has 0.0857.
    assert found.bse[0] == pytest.approx(0.0857, rel=WIDTHS / np.sqrt(400))


def with_names(names):
    """Comparisons by people with given names, which are repeated."""
    rng = np.random.default_rng(4)
    table = np.exp(rng.uniform(0, 3, (30, 2)))
    pairs = (np.arange(200)[:, None] + [0, 7]) % 30
    better = wf.log_power_mean(table, -1)[pairs] @ [1, -1]
    outcomes = np.where(rng.random(200) < 1 / (1 + np.exp(-3 * better)), 1, -1)
    by = np.array([names[i % len(names)] for i in range(200)], dtype=object)
    return wf.Comparisons(table, pairs, outcomes, by=by)


def test_people_may_have_names_of_any_kind():
    mixed = quiet(wf.ComparisonClassifier(), with_names([*range(10), *"abcdefghij"]))
    plain = quiet(wf.ComparisonClassifier(), with_names(list(range(20))))
    assert np.array_equal(mixed.bootstrap(20).draws, plain.bootstrap(20).draws)
    assert mixed.calibration().p_value == plain.calibration().p_value
    assert str(mixed.misfit()) == str(plain.misfit())
    assert wf.compare([mixed]).rows == wf.compare([plain]).rows


def test_weights_that_sum_to_one_are_no_sample():
    table, scores = score_data(0)
    result = quiet(wf.WelfareRegressor(), table, scores, np.full(len(scores), 1 / len(scores)))
    with pytest.raises(wf.InputError, match="sample weights that sum to 1"):
        result.bootstrap(20)
    with pytest.raises(wf.InputError, match="sample weights that all round to 0"):
        result.test("egalitarian", resamples=20)


def test_samples_without_fits_are_no_reference(monkeypatch):
    monkeypatch.setattr("welfarist.inference.simulated_nulls._statistic", lambda *_: None)
    with pytest.raises(wf.InputError, match="found none to 20 of 20 samples"):
        quiet(wf.WelfareRegressor(), *score_data(0)).test("egalitarian", resamples=20)
