"""Simulated learning: judged as the theorems say, repeatable, and below every bound."""

import math
import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import welfarist as wf
from welfarist import bounds, simulate
from welfarist.base.errors import InputError
from welfarist.bounds.noisy_scores import expected_error, expected_scores, noise_of_error
from welfarist.bounds.trials import Examination, Setting, divergence

mpl.use("Agg")

# Numerical integration, and sums of a few thousand terms in another order.
EQUAL = 1e-9
STATES = ("known", "unknown")
NOISE = {"scores": dict(nu=0.1), "comparisons": {}, "flip": dict(rho=0.1), "logistic": dict(tau=9)}
TASKS = tuple(NOISE)
WORLD = simulate.individuals(150, 3, p=-1.0, weights=[0.5, 0.3, 0.2], random_state=5)


def curve(task, source=WORLD, **options):
    settings = dict(NOISE[task], n=(20, 400), repetitions=4, test=4000, random_state=3)
    return bounds.learning_curve(source, task, **{**settings, **options})


@pytest.fixture(scope="module")
def curves():
    """Every task, known and unknown weights."""
    return {(task, state): curve(task, weights=state) for task in TASKS for state in STATES}


class Rule:
    """What a fitted learner has, with estimates of our choice."""

    def __init__(self, p, weights, tau=math.inf):
        self.p_, self.weights_, self.tau_ = p, np.asarray(weights), tau


# What is simulated stays below what is proven -----------------------------------------------


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("task", TASKS)
def test_observed_excess_risk_is_below_the_bound(curves, task, state):
    found = curves[task, state]
    risk = found.runs["excess_risk"]
    assert (risk <= found.bound[:, None]).all()
    assert (risk > -EQUAL * found.ceiling).all()
    assert (risk <= found.ceiling).all()
    assert all(row["above_bound"] == 0 for row in found.rows)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("task", TASKS)
def test_more_decisions_leave_less_excess_risk(curves, task, state):
    few, many = curves[task, state].runs["excess_risk"].mean(axis=1)
    assert few > 0
    assert many < few / 2


@pytest.mark.parametrize("task", TASKS)
def test_bound_is_that_of_planning(curves, task):
    found = curves[task, "unknown"]
    own = {k: v for k, v in found.parameters.items() if k not in ("nu", "tau")}
    expected = [bounds.excess_risk(task, n=n, d=3, weights="unknown", **own) for n in (20, 400)]
    assert found.bound.tolist() == expected
    assert found.parameters.items() >= NOISE[task].items()


def test_every_measure_improves_with_decisions(curves):
    rows = curves["logistic", "unknown"].rows
    assert rows[1]["accuracy"] > rows[0]["accuracy"]
    assert rows[1]["p_error"] < rows[0]["p_error"]
    assert rows[1]["weights_kl"] < rows[0]["weights_kl"]
    assert rows[1]["weights_kl_infinite"] == 0
    assert all(row["weights_kl"] == 0 for row in curves["flip", "known"].rows)


# Risks are those of the theorems ------------------------------------------------------------


def examination(task, weights="unknown", world=WORLD, **noise):
    value = next(iter(noise.values()), 0.0)
    return Examination.of(Setting(task, world, weights, value), 10**6, [1])


@pytest.mark.parametrize("task", TASKS)
def test_the_truth_has_no_excess_risk(task):
    exam = examination(task, **({} if task == "scores" else NOISE[task]))
    found = exam.judge(Rule(WORLD.p, WORLD.weights, NOISE["logistic"]["tau"]))
    assert found == (0.0, 1.0, 0.0, 0.0)


def test_small_tables_are_examined_in_full():
    assert len(examination("comparisons").pairs) == 150 * 149 // 2
    part = Examination.of(Setting("comparisons", WORLD, "known"), 100, [1])
    assert part.world.actions == 100
    assert part.pairs.shape == (100, 2)


def test_share_wrong_is_counted_on_comparisons_without_noise():
    rule = wf.WelfareFunction(2.0, [0.2, 0.2, 0.6])
    ours, true = rule(WORLD.utilities).tolist(), WORLD.welfare.tolist()
    wrong = [(ours[i] > ours[j]) != (true[i] > true[j]) for i in range(150) for j in range(i)]
    for task in ("comparisons", "flip"):
        found = examination(task, **NOISE[task]).judge(Rule(2.0, [0.2, 0.2, 0.6]))
        assert found.excess_risk == pytest.approx(np.mean(wrong), rel=EQUAL)
        assert found.accuracy == pytest.approx(1 - np.mean(wrong), rel=EQUAL)
        assert found.p_error == 3.0


def test_log_loss_is_a_divergence_between_probabilities():
    rule, (tau, true_tau) = wf.WelfareFunction(0.5, [0.3, 0.3, 0.4]), (4.0, 9.0)
    exam = examination("logistic", tau=true_tau)
    pairs = exam.pairs

    def chance(function, temperature):
        logs = function.log(WORLD.utilities)
        return 1 / (1 + np.exp(-temperature * (logs[pairs[:, 0]] - logs[pairs[:, 1]])))

    p, q = chance(WORLD.rule, true_tau), chance(rule, tau)
    expected = np.mean(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)))
    found = exam.judge(Rule(0.5, [0.3, 0.3, 0.4], tau)).excess_risk
    assert found == pytest.approx(expected, rel=EQUAL)


def test_squared_error_is_that_of_noisy_scores_beyond_the_best_rule():
    exam = examination("scores", "known", nu=0.3)
    table, weights = WORLD.utilities, WORLD.weights
    draws = 4000
    repeated = wf.simulate.World(np.tile(table, (draws, 1)), WORLD.rule)
    noisy = simulate.scores(repeated, 0.3, random_state=1).reshape(draws, -1)

    def risk(p):
        return np.mean((noisy - wf.power_mean(table, p, weights)) ** 2, axis=1)

    grid = np.linspace(-3, 1, 401)
    best = grid[np.argmin([risk(p).mean() for p in grid])]
    beyond = risk(2.0) - risk(best)
    # Four standard errors of the mean over draws; the grid is finer than that.
    tolerance = 4 * beyond.std() / math.sqrt(draws)
    assert exam.judge(Rule(2.0, weights)).excess_risk == pytest.approx(beyond.mean(), abs=tolerance)
    # Clipping moves the mean scores, so that the true power is not the best one.
    assert exam.judge(Rule(WORLD.p, weights)).excess_risk > 0


@pytest.mark.parametrize("nu", [0.05, 0.5, 20.0])
def test_expected_scores_and_errors_are_integrals(nu):
    world = simulate.World([[1.0, 4.0], [2.0, 9.0], [3.0, 3.0]], wf.WelfareFunction(0.3))
    means, errors = [], []
    for row, m in zip(world.utilities, world.welfare, strict=True):
        low, high, s = row.min(), row.max(), nu * np.ptp(row)
        for power, kept in ((1, means), (2, errors)):
            if s == 0:
                kept.append(0.0)
                continue
            inside, _ = quad(
                lambda y, m=m, s=s, k=power: (y - m) ** k * norm.pdf(y, m, s),
                low,
                high,
                epsabs=1e-13,
            )
            ends = (
                (low - m) ** power * norm.cdf(low, m, s),
                (high - m) ** power * norm.sf(high, m, s),
            )
            kept.append(inside + sum(ends))
    assert expected_scores(world, nu) == pytest.approx(world.welfare + means, rel=EQUAL)
    assert expected_error(world, nu) == pytest.approx(np.mean(errors), rel=EQUAL)
    assert noise_of_error(world, expected_error(world, nu)) == pytest.approx(nu, rel=1e-6)


def test_divergence_is_infinite_where_somebody_is_forgotten():
    assert divergence(np.array([0.5, 0.5]), np.array([0.0, 1.0])) == math.inf
    assert divergence(np.array([0.0, 1.0]), np.array([0.5, 0.5])) == pytest.approx(math.log(2))


# The same digits ----------------------------------------------------------------------------


def test_same_seed_same_digits_however_many_processes():
    alone = curve("logistic", n=(30, 60), repetitions=3)
    shared = curve("logistic", n=(60,), repetitions=3, n_jobs=2)
    other = curve("logistic", n=(60,), repetitions=3, random_state=4)
    for name, runs in alone.runs.items():
        assert (shared.runs[name] == runs[1:]).all(), name
    assert (other.runs["excess_risk"] != shared.runs["excess_risk"]).all()


def test_repetitions_are_of_their_own(curves):
    runs = curves["scores", "unknown"].runs["p_error"]
    assert len(np.unique(runs)) == runs.size


# The table and the figure -------------------------------------------------------------------


def test_table_has_means_and_intervals(curves):
    found = curves["comparisons", "unknown"]
    frame = found.to_frame()
    measures = ("excess_risk", "accuracy", "p_error", "weights_kl")
    assert list(frame["n"]) == [20, 400]
    assert not frame.isna().any(axis=None)
    for name in measures:
        assert {name, f"{name}_low", f"{name}_high"} <= set(frame.columns)
        assert (frame[f"{name}_low"] <= frame[name]).all()
        assert (frame[name] <= frame[f"{name}_high"]).all()
    assert found.rows[1]["excess_risk"] == pytest.approx(found.runs["excess_risk"][1].mean())
    assert found.repetitions == 4
    assert set(found.rows[0]) == set(frame.columns)


def test_infinite_ones_are_counted_and_left_out_of_the_mean():
    runs = dict(
        excess_risk=np.array([[0.1, 0.3]]),
        accuracy=np.array([[0.9, 0.7]]),
        p_error=np.array([[math.inf, math.inf]]),
        weights_kl=np.array([[2.0, math.inf]]),
    )
    made = bounds.LearningCurve(
        "comparisons", "unknown", 2, 0.05, {}, (10,), np.array([0.2]), 1.0, runs
    )
    (row,) = made.rows
    assert (row["weights_kl"], row["weights_kl_infinite"]) == (2.0, 0.5)
    assert (row["weights_kl_low"], row["weights_kl_high"]) == (2.0, math.inf)
    assert (row["p_error"], row["p_error_infinite"]) == (math.inf, 1.0)
    assert row["above_bound"] == 0.5


def test_plot_shows_both(curves):
    axes = curves["comparisons", "unknown"].plot()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["bound", "simulated"]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.lines[0].get_ydata().tolist() == curves["comparisons", "unknown"].bound.tolist()
    mpl.pyplot.close("all")


# Pilots -------------------------------------------------------------------------------------


def test_a_pilot_of_comparisons_is_the_truth():
    pairs = simulate.random_pairs(150, 2000, random_state=1)
    decisions = simulate.comparisons(WORLD, pairs, tau=9, random_state=1)
    pilot = wf.ComparisonClassifier().fit(decisions)
    world = simulate.World(WORLD.utilities, pilot.welfare_)
    by_hand = curve("logistic", world, n=50, tau=pilot.tau_, weights="known")
    for source in (pilot, pilot.result_):
        found = curve(
            "logistic", source, n=50, tau=None, weights="known", utilities=WORLD.utilities
        )
        assert found.parameters["tau"] == pilot.tau_
        assert found.parameters["tau_max"] == 2 * pilot.tau_
        assert (found.runs["excess_risk"] == by_hand.runs["excess_risk"]).all()


def test_a_pilot_of_scores_says_how_noisy_they_are():
    names = ["a", "b", "c"]
    frame = pd.DataFrame(WORLD.utilities, columns=names)
    noisy = simulate.scores(WORLD, 0.05, random_state=2)
    plain, scaled = (
        wf.WelfareRegressor(scale=scale).fit(frame, factor * noisy)
        for scale, factor in ((False, 1.0), (True, 7.0))
    )
    found = [
        curve("scores", pilot, n=50, nu=None, utilities=frame[["c", "a", "b"]], repetitions=2)
        for pilot in (plain, scaled)
    ]
    for one in found:
        # The standard error of a standard deviation from 150 scores is 6 %.
        assert one.parameters["nu"] == pytest.approx(0.05, rel=0.2)
    straight = curve("scores", plain, n=50, nu=None, utilities=frame, repetitions=2)
    assert (straight.runs["p_error"] == found[0].runs["p_error"]).all()


def test_a_larger_table_may_stand_in_for_the_world():
    larger = simulate.individuals(400, 3, p=-1.0, random_state=6).utilities
    found = curve("scores", utilities=larger, n=30)
    assert found.parameters["u_max"] == larger.max()


# Refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "options", "words"),
    [
        ("votes", {}, "task must be one of"),
        ("comparisons", dict(n=()), "n must be a number of decisions"),
        ("comparisons", dict(n="many"), "n must be a number of decisions"),
        ("comparisons", dict(n=0), "at least 1"),
        ("comparisons", dict(n=10**8), "at most 10,000,000"),
        ("comparisons", dict(weights="maybe"), "weights must be"),
        ("comparisons", dict(repetitions=0), "repetitions must be"),
        ("comparisons", dict(n_jobs=0), "n_jobs must be"),
        ("comparisons", dict(test=0), "test must be"),
        ("comparisons", dict(delta=1.0), "delta must be"),
        ("comparisons", dict(rho=0.1), "found rho"),
        ("comparisons", dict(u_min=1.0), "found u_min"),
        ("comparisons", dict(random_state="x"), "random_state must be"),
        ("comparisons", dict(progress="perhaps"), "progress must be"),
        ("flip", dict(rho=None), "must come with rho"),
        ("flip", dict(rho=0.5), "rho must be"),
        ("logistic", dict(tau=0.0), "tau must be positive"),
        ("logistic", dict(tau_max=3.0), "tau_max must be at least tau"),
        ("logistic", dict(menu_size=1), "menu_size must be"),
        ("logistic", dict(menu_size=151), "at most the number of actions, 150"),
        ("logistic", dict(menu_size=4, places=4), "places must be fewer than the 4"),
        ("logistic", dict(places=2), "places must be fewer than the 2"),
        ("scores", dict(menu_size=3), "scores have none"),
        ("scores", dict(nu=-1.0), "nu must be"),
        ("scores", dict(u_max=500.0), "must hold all utilities"),
        ("scores", dict(utilities=np.ones((1, 3))), "at least two actions"),
        ("scores", dict(utilities=[[0.0, 1.0, 1.0]] * 3), "u_min must be positive"),
    ],
)
def test_impossible_requests_are_refused(task, options, words):
    with pytest.raises(InputError, match=words):
        bounds.learning_curve(WORLD, task, **{**NOISE.get(task, {}), **options})


@pytest.mark.parametrize("task", ["comparisons", "flip", "logistic"])
def test_menus_are_learned_from_and_judged_by_pairs(task):
    found = curve(task, n=60, menu_size=5, weights="known", repetitions=2)
    assert np.isinf(found.bound).all()
    assert found.parameters["menu_size"] == 5
    # What the curve says is what a learner reaches by hand, from the same menus.
    setting = Setting(task, WORLD, "known", *NOISE[task].values())
    learned = Examination.of(setting, 4000, [1]).judge
    menus = simulate.random_menus(150, 60, 5, random_state=9)
    noise = {"rho": 0.1} if task == "flip" else dict(NOISE[task])
    decided = simulate.choices(WORLD, menus, random_state=9, **noise)
    options = {"logistic": {}, "flip": dict(noise="flip", rho=0.1)}.get(task, dict(noise="none"))
    by_hand = learned(wf.ChoiceLearner(weights=WORLD.weights, **options).fit(decided))
    low, high = found.runs["accuracy"].min(), found.runs["accuracy"].max()
    assert low - 0.1 < by_hand.accuracy < high + 0.1


def test_a_longer_ranking_tells_more_than_a_choice():
    known = dict(n=40, weights="known", menu_size=8, repetitions=6)
    one, six = (curve("logistic", places=places, **known) for places in (1, 6))
    assert six.runs["p_error"].mean() < one.runs["p_error"].mean()


def test_a_curve_of_menus_is_drawn_without_a_bound():
    axes = curve("logistic", n=(20, 40), menu_size=3, weights="known", repetitions=2).plot()
    assert [line.get_label() for line in axes.lines if line.get_label()[0] != "_"] == ["simulated"]


def test_unusable_sources_are_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        pilot = wf.ComparisonClassifier(noise="none").fit([[1.0, 2.0, 2.0, 1.0]], [1])
        noisy = wf.WelfareRegressor(weights="equal").fit([[1.0, 2.0], [2.0, 1.0]], [9.0, 1.0])
    table = [[1.0, 2.0], [2.0, 1.5]]
    for source, options, words in (
        (wf.ComparisonClassifier(), {}, "Fit it first"),
        ("world", {}, "source must be"),
        (pilot, {}, "utilities must come with a pilot"),
        (pilot, dict(utilities=table), "must come with tau"),
    ):
        with pytest.raises(InputError, match=words):
            bounds.learning_curve(source, "logistic", **options)
    with pytest.raises(InputError, match="must come with nu"):
        bounds.learning_curve(pilot, "scores", utilities=table)
    with pytest.raises(InputError, match="more than any noise makes"):
        bounds.learning_curve(noisy, "scores", utilities=table)


def test_formulas_stay_light():
    import subprocess
    import sys

    code = "import sys, welfarist.bounds; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
